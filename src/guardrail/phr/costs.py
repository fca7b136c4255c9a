"""How many requests a language model gets: what a budget has to hold where each of them is paid."""

from __future__ import annotations

from guardrail.phr.readings import Settings

__all__ = ["LANE", "ROUND", "bounds", "per_context"]

LANE = "language_model"
"""Where they go. They are paid only where that lane's backend is: a model on this machine is not."""

ROUND = 5
"""Contexts between two looks of an early stop."""


def per_context(settings: Settings, queries: int) -> int:
    """What one context takes if every pair is read at the first try; what redrawing takes comes on top.

    >>> per_context(Settings(horizon=5), 1)
    6
    """
    return settings.horizon + queries * _readings(settings)


def bounds(settings: Settings, queries: int) -> tuple[int, int]:
    """The least, where pairs are read at once and contexts come out alike, and the most, with every redrawing.

    >>> bounds(Settings(contexts=10, horizon=5, retries=3), 1)
    (52, 211)
    """
    contexts = settings.contexts
    first = contexts if settings.until_se is None else min(ROUND, contexts)
    redrawn = settings.horizon * settings.retries
    if settings.estimator == "exact":
        least, begun = settings.horizon * first + 2 * queries, queries
    else:
        least = (settings.horizon + 2 * settings.draws * queries) * first + 2 * queries
        begun = 2 * queries
    return least, begun + contexts * (redrawn + per_context(settings, queries))


def _readings(settings: Settings) -> int:
    """Requests by which one context says something about one query, at the most."""
    if settings.estimator == "exact":
        return 1
    return 5 * settings.draws + 1  # two sets of draws; three sets of scores, and the answer's
