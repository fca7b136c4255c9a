"""`python -m benchmarks.references.shapes`."""

from benchmarks.references.shapes.run import main

raise SystemExit(main())
