"""A small entailment model, trained here on public data: what it takes, and how good it is."""
