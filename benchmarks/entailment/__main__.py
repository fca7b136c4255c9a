"""`python -m benchmarks.entailment`."""

import sys

from benchmarks.entailment.run import main

if __name__ == "__main__":
    sys.exit(main())
