"""`python -m benchmarks.nli`."""

from benchmarks.nli.run import main

raise SystemExit(main())
