"""What is measured of the packaged entailment model; each part gives rows."""
