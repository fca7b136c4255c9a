"""`python -m benchmarks.grounding`."""

from benchmarks.grounding.run import main

raise SystemExit(main())
