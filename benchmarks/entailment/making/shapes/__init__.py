"""Pairs of a document and a sentence: made of pairs and texts that may be learnt from."""
