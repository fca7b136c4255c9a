"""`python -m benchmarks.transport`."""

import sys

from benchmarks.transport.run import main

if __name__ == "__main__":
    sys.exit(main())
