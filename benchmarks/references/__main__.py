"""`python -m benchmarks.references`."""

import sys

from benchmarks.references.run import main

if __name__ == "__main__":
    sys.exit(main())
