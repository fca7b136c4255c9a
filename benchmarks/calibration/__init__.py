"""Whether calibrated thresholds keep their promises, what they cost, and whether drift is noticed."""
