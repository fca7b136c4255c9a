"""`python -m benchmarks.phr.speed`: this part alone."""

import sys

from benchmarks.phr.speed.run import main

if __name__ == "__main__":
    sys.exit(main())
