"""`python -m benchmarks.references.sources`."""

from benchmarks.references.sources.run import main

raise SystemExit(main())
