"""`python -m benchmarks.speed`."""

import sys

from benchmarks.speed.run import main

if __name__ == "__main__":
    sys.exit(main())
