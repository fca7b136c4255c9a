"""Statistics that several methods share.

Intervals of estimates (`intervals`, `clusters`), scores as probabilities (`calibration`, `reliability`), and how well scores
rank (`ranking`).
"""
