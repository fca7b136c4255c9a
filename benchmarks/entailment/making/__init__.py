"""How the packaged entailment model is made: what it learns, from whom, and the form it is shipped in."""
