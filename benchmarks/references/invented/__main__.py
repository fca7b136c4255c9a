"""`python -m benchmarks.references.invented`."""

from benchmarks.references.invented.run import main

raise SystemExit(main())
