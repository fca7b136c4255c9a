"""`python -m benchmarks.live`."""

from benchmarks.live.run import main

raise SystemExit(main())
