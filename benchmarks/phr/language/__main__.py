"""`python -m benchmarks.phr.language`."""

import sys

from benchmarks.phr.language.run import main

if __name__ == "__main__":
    sys.exit(main())
