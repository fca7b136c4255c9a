"""Offline evaluation: detectors over many recorded answers, and what their scores are worth where labels say so."""

from guardrail.evaluation.rows import ResultRow, RunInfo, read_rows, read_run

__all__ = ["ResultRow", "RunInfo", "read_rows", "read_run"]
