"""`python -m benchmarks.references.answers`."""

from benchmarks.references.answers.run import main

raise SystemExit(main())
