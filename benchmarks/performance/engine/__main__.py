"""`python -m benchmarks.performance.engine`."""

import sys

from benchmarks.performance.engine.run import main

if __name__ == "__main__":
    sys.exit(main())
