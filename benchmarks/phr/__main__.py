"""`python -m benchmarks.phr`."""

import sys

from benchmarks.phr.run import main

if __name__ == "__main__":
    sys.exit(main())
