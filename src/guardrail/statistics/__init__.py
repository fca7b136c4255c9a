"""Statistics that several methods share.

Intervals of estimates (`intervals`, `clusters`), scores as probabilities (`calibration`, `reliability`), how well scores rank
(`ranking`) and rows are decided (`decisions`), and tests of a risk (`testing`).
"""
