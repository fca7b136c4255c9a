"""How well reference strings are split into fields: the trained model, and the rules."""
