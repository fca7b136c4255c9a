"""`python -m benchmarks.logic`."""

import sys

from benchmarks.logic.run import main

if __name__ == "__main__":
    sys.exit(main())
