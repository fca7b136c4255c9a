"""`python -m benchmarks.references.reading`."""

from benchmarks.references.reading.run import main

if __name__ == "__main__":
    raise SystemExit(main())
