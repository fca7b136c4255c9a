"""`python -m benchmarks.phr.speed`: this part alone."""

import sys

from benchmarks.phr.run import main

if __name__ == "__main__":
    sys.exit(main(["--only", "speed", *sys.argv[1:]]))
