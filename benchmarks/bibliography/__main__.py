"""`python -m benchmarks.bibliography`."""

from benchmarks.bibliography.run import main

raise SystemExit(main())
