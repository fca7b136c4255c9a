"""Figures of [manakul2023], in percent, and those that a replication recorded with its scores."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = [
    "ABSENT",
    "NGRAM",
    "OTHER_SAMPLES",
    "PROMPT",
    "RANDOM",
    "RECORDED",
    "WIKIBIO_UNIGRAM",
    "column_names",
]

Figures = Mapping[str, float]


def column_names(*figures: float) -> dict[str, float]:
    """Figures in the order NonFact, NonFact*, Factual, Pearson, Spearman, as far as they go."""
    return dict(zip(("NonFact", "NonFact*", "Factual", "Pearson", "Spearman"), figures, strict=False))


RANDOM: Figures = column_names(72.96, 29.72, 27.04)

# Table 7
NGRAM: Mapping[tuple[int, str], Figures] = {
    (1, "mean"): column_names(81.52, 40.33, 41.76, 40.68, 39.22),
    (2, "mean"): column_names(82.94, 44.38, 52.81, 58.84, 58.11),
    (3, "mean"): column_names(83.56, 44.64, 53.99, 62.21, 63.00),
    (4, "mean"): column_names(83.80, 43.55, 54.25, 61.98, 63.64),
    (5, "mean"): column_names(83.45, 42.31, 53.98, 60.68, 62.96),
    (1, "max"): column_names(85.63, 41.04, 58.47, 64.71, 64.91),
    (2, "max"): column_names(85.26, 39.29, 58.29, 62.48, 66.04),
    (3, "max"): column_names(84.97, 37.10, 57.08, 57.34, 60.49),
    (4, "max"): column_names(84.49, 36.37, 55.96, 55.77, 57.25),
    (5, "max"): column_names(84.12, 36.19, 54.89, 54.84, 55.97),
}

# Table 3
WIKIBIO_UNIGRAM: Figures = column_names(80.43, 31.47, 40.53, 28.67, 26.70)

# Of the replication's own scores, rows 0-118 (NLI, BERTScore) or as said
RECORDED: Mapping[str, Figures] = {
    "nli_deberta_v3_large_mnli": column_names(91.74, 45.08, 64.32),
    "bertscore": column_names(81.24, 45.36, 40.90),
    "prompt_qwen3.5_9b_think": column_names(92.65, 63.70, 72.79),
    "prompt_qwen3.5_9b_q8": column_names(93.24, 65.80, 74.66),
}
OTHER_SAMPLES: Mapping[str, Figures] = {
    "bertscore": column_names(83.34),
    "nli_deberta_v3_large_mnli": column_names(93.99, 45.55, 65.44),
}
PROMPT: Mapping[str, Figures] = {
    "prompt_qwen3.5_9b": column_names(92.77, 65.13, 72.07),
    "prompt_gemma4_31b": column_names(93.07, 65.22, 72.99),
}

# What cannot be computed from the data at hand: figures, and what it would take
ABSENT: Mapping[str, tuple[Figures, str]] = {
    "Table 2 GPT-3 Avg(−log p)": (column_names(83.21, 38.89, 53.97, 57.04, 53.93), "gpt3"),
    "Table 2 GPT-3 Avg(H)": (column_names(80.73, 37.09, 52.07, 55.52, 50.87), "gpt3"),
    "Table 2 GPT-3 Max(−log p)": (column_names(87.51, 35.88, 50.46, 57.83, 55.69), "gpt3"),
    "Table 2 GPT-3 Max(H)": (column_names(85.75, 32.43, 50.27, 52.48, 49.55), "gpt3"),
    "Table 2 QA": (column_names(84.26, 40.06, 48.14, 61.07, 59.29), "qa"),
    "Table 3 WikiBio+BERT": (column_names(81.32, 40.62, 49.15, 58.71, 55.80), "bertscore"),
    "Table 3 WikiBio+QA": (column_names(84.18, 45.40, 52.03, 57.26, 53.62), "qa"),
    "Table 3 WikiBio+NLI": (column_names(91.18, 48.14, 71.61, 78.84, 80.00), "nli"),
    "Table 3 WikiBio+Prompt": (column_names(93.59, 65.26, 73.11, 85.90, 86.11), "prompt"),
    "Table 5 QA SimpleCount": (column_names(83.97, 40.07, 47.78, 57.39, 55.15), "qa"),
    "Table 5 QA Bayes": (column_names(83.04, 38.58, 47.41, 56.43, 55.03), "qa"),
    "Table 8 LLaMA-30B Avg(−log p)": (column_names(75.43, 30.32, 41.29, 21.72, 20.20), "proxy"),
    "Table 8 LLaMA-30B Avg(H)": (column_names(80.80, 39.01, 42.97, 33.80, 39.49), "proxy"),
    "Table 8 LLaMA-30B Max(−log p)": (column_names(74.01, 27.14, 31.08, -22.83, -22.71), "proxy"),
    "Table 8 LLaMA-30B Max(H)": (column_names(80.92, 37.32, 37.90, 35.57, 38.94), "proxy"),
}
