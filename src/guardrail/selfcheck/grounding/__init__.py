"""Grounding: do the documents support an answer? The detector is in `check`; see `docs/design/grounding.md`."""
