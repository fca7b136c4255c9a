"""The paper's metrics: area under the precision-recall curve, two ways, and correlations of passages.

Scores rise with hallucination. All results are percentages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from benchmarks._table import Row
from benchmarks.selfcheck.passages import Passage
from guardrail.selfcheck.material import mean
from guardrail.selfcheck.ngram import Statistic
from guardrail.statistics import ranking

__all__ = [
    "COLUMNS",
    "TOTAL",
    "Measured",
    "average_precision",
    "measure",
    "passage_score",
    "rows",
    "tasks",
    "trapezoid",
]

Floats: TypeAlias = NDArray[np.float64]
COLUMNS = ("NonFact", "NonFact*", "Factual", "Pearson", "Spearman")
SENTENCE_COLUMNS = COLUMNS[:3]
TOTAL = 0.99
"""A passage whose mean label reaches this is a total hallucination, which NonFact* leaves out."""


def passage_score(values: Sequence[Sequence[float]], statistic: Statistic = "max") -> float | None:
    """The n-gram score of a passage: "max" averages its sentences, "mean" all its tokens (Table 7's rule).

    >>> passage_score([[3.0], [1.0, 2.0, 3.0]]), passage_score([[3.0], [1.0, 2.0, 3.0]], "mean"), passage_score([[]])
    (3.0, 2.25, None)
    """
    if statistic == "mean":
        return mean([value for sentence in values for value in sentence])
    return mean([max(sentence) for sentence in values if sentence])


class Measured(NamedTuple):
    """The five columns, and the three of sentences by average precision; `None` = undefined."""

    columns: Mapping[str, float | None]
    stepwise: Mapping[str, float | None]


def trapezoid(positive: ArrayLike, scores: ArrayLike) -> float | None:
    """AUC-PR by the trapezoid, as the paper; with tied scores it is too good. `None` without both classes.

    >>> trapezoid([True, False, True, False], [0.9, 0.8, 0.7, 0.1])
    79.16666666666666
    """
    found = ranking.trapezoid(scores, positive)
    return None if found is None else 100.0 * found


def average_precision(positive: ArrayLike, scores: ArrayLike) -> float | None:
    """AUC-PR by steps: no gain from ties. `None` without both classes."""
    found = ranking.average_precision(scores, positive)
    return None if found is None else 100.0 * found


def tasks(passages: Sequence[Passage]) -> dict[str, tuple[NDArray[np.bool_], NDArray[np.bool_], int]]:
    """Per sentence task: which sentences count, which are positive, and the sign of the score.

    NonFact: minor and major. NonFact*: major, without total hallucinations. Factual: accurate, by falling score.
    """
    labels = np.concatenate([passage.labels for passage in passages])
    total = np.concatenate([[passage.human >= TOTAL] * len(passage.labels) for passage in passages])
    everything = np.ones(len(labels), dtype=bool)
    return {
        "NonFact": (everything, labels >= 0.5, 1),
        "NonFact*": (~total, labels == 1, 1),
        "Factual": (everything, labels == 0, -1),
    }


def measure(
    passages: Sequence[Passage],
    scores: Sequence[Sequence[float]],
    of_passages: Sequence[float] | None = None,
) -> Measured:
    """All columns.

    Args:
        passages: the answers.
        scores: per passage, one finite score per sentence.
        of_passages: one per passage; default: the mean of its sentences.
    """
    flat = np.concatenate([np.asarray(one, dtype=np.float64) for one in scores])
    whole = [float(np.mean(one)) for one in scores] if of_passages is None else list(of_passages)
    human = [passage.human for passage in passages]
    columns: dict[str, float | None] = {}
    stepwise: dict[str, float | None] = {}
    for name, (counted, positive, sign) in tasks(passages).items():
        columns[name] = trapezoid(positive[counted], sign * flat[counted])
        stepwise[name] = average_precision(positive[counted], sign * flat[counted])
    constant = len(set(human)) < 2 or len(set(whole)) < 2
    columns["Pearson"] = None if constant else 100.0 * float(stats.pearsonr(human, whole).statistic)
    columns["Spearman"] = None if constant else 100.0 * float(stats.spearmanr(human, whole).statistic)
    return Measured(columns, stepwise)


def rows(
    title: str,
    measured: Measured,
    published: Mapping[str, float] | None = None,
    *,
    tolerance: float | None = None,
) -> list[Row]:
    """One row per column, and one per sentence column by average precision.

    Args:
        title: what was scored.
        measured: its figures.
        published: by column.
        tolerance: how far ours may differ; `None` = only shown.
    """
    found = []
    for column in COLUMNS:
        ours, paper = measured.columns[column], (published or {}).get(column)
        name = f"{title}: {column}" + (", trapezoid" if column in SENTENCE_COLUMNS else "")
        if paper is None or tolerance is None:
            found.append(Row.shown(name, ours, published=paper, digits=2))
        else:
            found.append(Row.within(name, paper, ours, tolerance=tolerance, digits=2))
    return found + [
        Row.shown(f"{title}: {column}, average precision", measured.stepwise[column], digits=2)
        for column in SENTENCE_COLUMNS
    ]
