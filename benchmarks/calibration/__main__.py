"""`python -m benchmarks.calibration`."""

from benchmarks.calibration.run import main

raise SystemExit(main())
