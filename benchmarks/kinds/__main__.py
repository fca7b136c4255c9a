"""`python -m benchmarks.kinds`."""

from benchmarks.kinds.learn import main

raise SystemExit(main())
