"""`python -m benchmarks.references.silence`."""

from benchmarks.references.silence.run import main

raise SystemExit(main())
