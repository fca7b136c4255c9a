"""Grounding: do the documents bear an answer out? The detector is in `check`; see `docs/design/grounding.md`."""
