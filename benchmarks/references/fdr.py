"""From a target error rate to a threshold, by labelled rows that the detector was not tuned on: pure functions of arrays."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from guardrail.errors import InputError
from guardrail.statistics.ranking import scored_rows
from guardrail.statistics.testing import betting_p_values, binomial_p_value, discovery_losses


@dataclass(frozen=True, slots=True)
class Threshold:
    """A threshold with a guarantee.

    Attributes:
        value: keep what scores `value` or more.
        kept: rows of the fit that it keeps.
        false: those of them whose label is false.
        p_value: of the hypothesis that the false discovery rate at `value` is above `max_fdr`.
        max_fdr: the bound asked for.
        confidence: that it is true.
    """

    value: float
    kept: int
    false: int
    p_value: float
    max_fdr: float
    confidence: float


def threshold_for_fdr(
    scores: ArrayLike,
    labels: ArrayLike,
    *,
    sources: ArrayLike | None,
    max_fdr: float = 0.1,
    confidence: float = 0.95,
) -> Threshold | None:
    """The lowest threshold that keeps the false discovery rate below a bound (learn then test).

    "Keep" whatever scores at least the threshold; the false discovery rate is the probability that something
    kept has a false label. With probability `confidence` over the rows given here, the rate at the returned
    threshold is at most `max_fdr` on new rows of the same kind. For a detector whose larger scores mean *more
    likely made up*, pass the negated scores and labels that are true for what is sound: the result is then the
    highest score to let through, negated.

    Sources must be independent draws and must not have been used to make the scores. Rows of one source (sentences of one
    answer, answers about one document) hang together: the test is then a betting test on the means of sources, and the rate is
    the one in which each source counts once. Where every source has one row, it is the exact binomial test. Thresholds are
    tested in chains from strict to lenient, each chain until its first failure (fixed-sequence testing). Chains start where m,
    4m, 16m, … rows are kept, m being the fewest with which a chain could pass, and share 1 − confidence equally: a short run
    of bad luck among the very best rows then does not end the search. Where the chains start depends on the scores alone.

    `guardrail.calibration` makes certificates: several promises, groups, a grid that tested rows have no part in.

    Args:
        scores: shape (n,), finite, larger = rather kept.
        labels: shape (n,), true = a right discovery.
        sources: shape (n,), what each row belongs to; `None` says that every row is a source of its own.
        max_fdr: in (0, 1).
        confidence: in (0, 1).

    Returns:
        The threshold, or `None` where none qualifies (too few rows, or too many false ones everywhere).

    Raises:
        InputError: lengths differ, a score is not finite, or a bound is outside (0, 1).

    Source: learn then test [angelopoulos2021, §2.3]; differs: the starts are counts of rows instead of a grid of thresholds, and
    the p-value is the exact binomial one or that of a betting test [waudbysmith2024] instead of Hoeffding–Bentkus.

    >>> rows = [1.0] * 60 + [0.5] * 60 + [0.0] * 60
    >>> found = threshold_for_fdr(rows, [True] * 120 + [False] * 60, sources=None)
    >>> found.value, found.kept, found.false
    (0.5, 120, 0)
    >>> threshold_for_fdr(rows, [False] * 180, sources=None) is None
    True
    """
    for name, bound in (("max_fdr", max_fdr), ("confidence", confidence)):
        if not 0 < bound < 1:
            raise InputError(f"expected {name} between 0 and 1, got {bound!r}.")
    values, truth = scored_rows(scores, labels)
    names = np.arange(values.size) if sources is None else np.asarray(sources)
    if names.shape != values.shape:
        raise InputError(f"expected a source for each score, got {names.shape!r} and {values.shape!r}.")
    order = np.argsort(-values, kind="stable")
    values, sound, names = values[order], truth[order], names[order]
    false = np.cumsum(~sound)
    each = values.size / max(1, np.unique(names).size)
    changes = np.append(values[1:] != values[:-1], True) if values.size else np.array([], dtype=bool)
    ends = np.flatnonzero(changes)

    def p_value(end: int) -> float:
        if each == 1:
            return binomial_p_value(int(false[end]), end + 1, max_fdr)
        kept = np.arange(values.size) <= end
        return float(betting_p_values(discovery_losses(kept, ~sound, names, max_fdr), max_fdr))

    starts = _starts(values.size, max_fdr, 1 - confidence, each)
    best: tuple[int, float] | None = None
    for start in starts:
        chain = ends[ends + 1 >= start]
        most = MOST_TESTS if each == 1 else MOST_BETS
        for end in map(
            int, chain[:: max(1, chain.size // most)]
        ):  # fewer of a long chain: still a fixed sequence
            p = p_value(end)
            if p > (1 - confidence) / len(starts):
                break
            if best is None or end > best[0]:
                best = end, p
    if best is None:
        return None
    end, p = best
    return Threshold(float(values[end]), end + 1, int(false[end]), p, max_fdr, confidence)


MOST_TESTS = 500
MOST_BETS = 60
MOST_CHAINS = 5


def _starts(rows: int, max_fdr: float, error: float, each: float) -> list[int]:
    """With `each` rows of a source: how many rows each chain keeps at its first test; with c chains, the fewest that could pass at error / c."""
    for chains in range(MOST_CHAINS, 0, -1):
        fewest = math.ceil(math.log(error / chains) / math.log1p(-max_fdr) * each)
        starts = [fewest * 4**i for i in range(chains)]
        if starts[-1] <= rows:
            return starts
    return []
