"""`python -m benchmarks.references.index`."""

from benchmarks.references.index.run import main

raise SystemExit(main())
