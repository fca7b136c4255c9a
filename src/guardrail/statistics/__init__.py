"""Statistics that several methods share: intervals of estimates (`intervals`), scores as probabilities (`calibration`)."""
