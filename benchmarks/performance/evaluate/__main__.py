"""`python -m benchmarks.performance.evaluate`."""

import sys

from benchmarks.performance.evaluate.run import main

if __name__ == "__main__":
    sys.exit(main())
