"""Answers as people get them: marks of citation, what claims nothing, documents wherever they come from."""
