"""`python -m benchmarks.performance.server`."""

import sys

from benchmarks.performance.server.run import main

if __name__ == "__main__":
    sys.exit(main())
