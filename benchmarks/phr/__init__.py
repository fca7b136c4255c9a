"""Posterior hallucination rate: the estimators against models whose rate is known."""
