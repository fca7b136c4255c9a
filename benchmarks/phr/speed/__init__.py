"""What shared beginnings save: PHR of a language model beside the published algorithm, run as one would run it.

`models`: random weights. `published`: the baseline. `measure`: both in turn, on the same random numbers.
"""

from benchmarks.phr.speed.measure import add_options, rows

__all__ = ["add_options", "rows"]
