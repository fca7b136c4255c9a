"""`python -m benchmarks.memory`."""

import sys

from benchmarks.memory.run import main

if __name__ == "__main__":
    sys.exit(main())
