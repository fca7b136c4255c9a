"""`python -m benchmarks.performance.leaks`."""

import sys

from benchmarks.performance.leaks.run import main

if __name__ == "__main__":
    sys.exit(main())
