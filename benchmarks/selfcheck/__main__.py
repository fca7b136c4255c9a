"""`python -m benchmarks.selfcheck`."""

import sys

from benchmarks.selfcheck.run import main

if __name__ == "__main__":
    sys.exit(main())
