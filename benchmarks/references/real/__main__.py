"""`python -m benchmarks.references.real`."""

from benchmarks.references.real.run import main

raise SystemExit(main())
