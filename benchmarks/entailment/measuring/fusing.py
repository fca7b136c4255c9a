"""Scores of several detectors as one, as the packaged fits make it, and what pooling costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from benchmarks.entailment.measuring.rows import Scores
from benchmarks.selfcheck.passages import Passage
from guardrail.selfcheck.ensemble.stack import Stack

__all__ = ["AMONG", "fused", "lone"]

AMONG = 7
"""Accurate sentences around one that is made up."""

_ANSWERS = 1_500


def fused(
    members: Mapping[str, Scores], passages: Sequence[Passage], fitted: int, share: float = 0.0
) -> Scores:
    """Log-odds by the mean of the members' z-scores, pooled in part, as the packaged fits have them.

    Args:
        members: by name, one score per sentence of each passage.
        passages: as many.
        fitted: how many passages, from the first, give the constants.
        share: of the pooling.
    """
    stack = _stack({name: values[:fitted] for name, values in members.items()}, passages[:fitted], share)
    flat = {name: np.concatenate(values) for name, values in members.items()}
    odds = stack.log_odds(flat, _places(passages)).tolist()
    edges = np.cumsum([0, *(len(passage.labels) for passage in passages)]).tolist()
    return [odds[a:b] for a, b in pairwise(edges)]


def lone(members: Mapping[str, Scores], passages: Sequence[Passage], share: float) -> tuple[float, float]:
    """What pooling costs: answers of one made-up sentence and some accurate ones, each of any passage, drawn at random.

    Args:
        members: by name, one score per sentence of each passage; the curve is fitted to them.
        passages: as many.
        share: of the pooling.

    Returns:
        The share of the made-up ones that is flagged (P of at least .5), and of the accurate ones.
    """
    flat = {name: np.concatenate(values) for name, values in members.items()}
    labels = np.concatenate([passage.labels for passage in passages])
    accurate, made_up = np.flatnonzero(labels == 0), np.flatnonzero(labels == 1)
    source = np.random.default_rng(0)
    drawn = [
        [*source.choice(accurate, AMONG, replace=False), source.choice(made_up)] for _ in range(_ANSWERS)
    ]
    rows = np.array(drawn)
    answers = np.repeat(np.arange(_ANSWERS), AMONG + 1).tolist()
    odds = _stack(members, passages, share).log_odds(
        {name: values[rows.ravel()] for name, values in flat.items()}, answers
    )
    flags = odds.reshape(rows.shape) >= 0
    return float(flags[:, -1].mean()), float(flags[:, :-1].mean())


def _stack(members: Mapping[str, Scores], passages: Sequence[Passage], share: float) -> Stack:
    flat = {name: np.concatenate(values) for name, values in members.items()}
    labels = np.concatenate([passage.labels for passage in passages])
    return Stack.fit_mean(flat, labels, _places(passages), pooling=share)


def _places(passages: Sequence[Passage]) -> list[int]:
    return [place for place, passage in enumerate(passages) for _ in passage.labels]
