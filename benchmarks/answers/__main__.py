"""`python -m benchmarks.answers`."""

from benchmarks.answers.run import main

raise SystemExit(main())
