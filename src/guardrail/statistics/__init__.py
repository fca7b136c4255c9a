"""Statistics that several methods share.

Intervals of estimates (`intervals`, `clusters`), scores as probabilities (`calibration`, `curves`, `reliability`), logistic
regression (`logistic`), how well scores rank (`ranking`) and rows are decided (`decisions`), and tests of a risk (`testing`).
"""
