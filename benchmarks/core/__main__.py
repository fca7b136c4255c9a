"""`python -m benchmarks.core`."""

import sys

from benchmarks.core.run import main

if __name__ == "__main__":
    sys.exit(main())
