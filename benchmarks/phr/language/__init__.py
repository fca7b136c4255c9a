"""PHR of a causal language model on tasks with labels: the paper's Section 3.2, Table 1 and Figures 4 to 6, 17 to 19.

`tasks`: rows and cells. `corpus`, `train`: the toy that stands in for a model. `cells`, `evaluation`: the grid. `tables`,
`figures`: what comes out. `run`: the command.
"""

from benchmarks.phr.language.run import add_options, main, rows

__all__ = ["add_options", "main", "rows"]
