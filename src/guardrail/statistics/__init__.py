"""Statistics that several methods share.

| file | what it has |
| --- | --- |
| `intervals`, `clusters` | intervals of estimates, also where rows come from the same source |
| `calibration` | logistic regression |
| `curves`, `reliability` | scores as probabilities, and whether they are right |
| `ranking`, `decisions` | how well scores rank, and thresholds decide |
| `testing` | tests of a risk |
| `fit_files` | what was learnt, as files |
"""
