"""`python -m benchmarks.references.leadins`."""

from benchmarks.references.leadins.run import main

raise SystemExit(main())
