"""`python -m benchmarks.performance.server.clients`."""

import sys

from benchmarks.performance.server.clients.run import main

if __name__ == "__main__":
    sys.exit(main())
