"""What shared beginnings save: PHR of a language model beside the published algorithm, run as one would run it.

`models`: random weights. `published`: the baseline. `rows`: both in turn, on the same random numbers.
"""

from benchmarks.phr.speed.rows import add_options, rows

__all__ = ["add_options", "rows"]
