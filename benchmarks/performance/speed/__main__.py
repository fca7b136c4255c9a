"""`python -m benchmarks.performance.speed`."""

import sys

from benchmarks.performance.speed.run import main

if __name__ == "__main__":
    sys.exit(main())
