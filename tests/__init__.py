"""The tests. A package, for a library that the extra [legal] brings installs another one of this name."""
