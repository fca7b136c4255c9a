"""`python -m benchmarks.references.trial`."""

from benchmarks.references.trial.run import main

raise SystemExit(main())
