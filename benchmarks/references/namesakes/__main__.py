"""`python -m benchmarks.references.namesakes`."""

from benchmarks.references.namesakes.run import main

raise SystemExit(main())
