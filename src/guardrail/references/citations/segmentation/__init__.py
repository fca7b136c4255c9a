"""Splitting a reference string into fields with a trained model, and how sure it is of each."""

from guardrail.references.citations.segmentation.reading import Reading, readings

__all__ = ["Reading", "readings"]
