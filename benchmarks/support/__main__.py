"""`python -m benchmarks.support`."""

from benchmarks.support.run import main

raise SystemExit(main())
