"""`python -m benchmarks.performance.transport`."""

import sys

from benchmarks.performance.transport.run import main

if __name__ == "__main__":
    sys.exit(main())
