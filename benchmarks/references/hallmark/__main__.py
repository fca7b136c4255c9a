"""`python -m benchmarks.references.hallmark`."""

from benchmarks.references.hallmark.run import main

raise SystemExit(main())
