"""Statistics that several methods share.

`intervals` of estimates, scores as probabilities and thresholds (`calibration`), tests of a risk (`testing`).
"""
