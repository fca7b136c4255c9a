"""`python -m benchmarks.performance.streaming`."""

import sys

from benchmarks.performance.streaming.run import main

if __name__ == "__main__":
    sys.exit(main())
