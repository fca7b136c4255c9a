"""The numbers of the paper, from similarities, words and counts alone.

Consistency: is the response to the source like those to its rephrasings? Relevance: does it speak of what the text
speaks of? `Normal` and `threshold`: how far from normal is a point of the two, and how far is too far?

Source: [memory] eqs. 6 to 8; [robertson2009] for BM25. Each function says what differs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from guardrail.errors import InputError
from guardrail.text.bm25 import Collection, bm25

Point: TypeAlias = tuple[float, float]
Sides: TypeAlias = Literal["below", "both"]

FEWEST = 5
"""Points that a fit needs: as many as it has parameters."""


def consistency(similarities: Sequence[float], *, paper: bool = False) -> float | None:
    """Eq. 7: the mean similarity of r_1 with the other responses; the paper's sum includes r_1's with itself.

    Args:
        similarities: of r_1 with r_2 … r_n, each at most 1 (BERTScore F1, say).
        paper: count r_1's similarity with itself, which is 1, as the paper's sum does; n is then one more.

    Returns:
        At most 1, larger = more consistent. What is not finite is left out; `None` if nothing is left.

    Example:
        >>> consistency([0.25, 0.75]), consistency([0.25, 0.75], paper=True)
        (0.5, 0.6666666666666666)
    """
    known = [value for value in similarities if math.isfinite(value)]
    if not known:
        return None
    return math.fsum([*known, 1.0] if paper else known) / (len(known) + paper)


def relative_consistency(similarities: Sequence[float], among: Sequence[float]) -> float | None:
    """How much more, or less, r_1 is like the other responses than they are like each other.

    Ours: where answers are short and worded freely, the others say how alike one may expect to be.

    Args:
        similarities: of r_1 with r_2 … r_n.
        among: of each two of r_2 … r_n.

    Returns:
        In [−2, 2], larger = more consistent, 0 = as one of them. `None` where either mean is undefined, so with fewer
        than two others.

    Example:
        >>> relative_consistency([0.5, 0.25], [0.75]), relative_consistency([0.5], [])
        (-0.375, None)
    """
    own, others = consistency(similarities), consistency(among)
    return None if own is None or others is None else own - others


def relevance(
    responses: Sequence[Sequence[str]],
    documents: Sequence[Sequence[str]],
    collection: Collection,
) -> float | None:
    """Eq. 8: the mean over p of BM25(q̂_p, r_p), the response being the query.

    BM25 is Lucene's: rarity ln(1 + (N − n + ½) / (n + ½)), never negative, and no constant factor k1 + 1. Differs:
    divided by the sum of the response's rarities, which no document could exceed, so that long and short ones compare.

    Args:
        responses: r_p, as words.
        documents: q̂_p, as words, as many.
        collection: gives the rarities: the sentences of all q̂, say (the paper does not say of what). Lengths are set
            against the mean of `documents`.

    Returns:
        In [0, 1), larger = more relevant. Responses without words are left out; `None` if none is left.

    Raises:
        InputError: there are not as many documents as responses.

    Example:
        >>> texts = [["the", "cat", "sat"], ["the", "dog", "ran"]]
        >>> found = relevance([["cat"], ["cow"]], texts, Collection.of(texts))
        >>> round(found, 4)
        0.2
    """
    if len(responses) != len(documents):
        raise InputError(f"expected a document per response, got {len(documents)} for {len(responses)}")
    mean_length = sum(map(len, documents)) / len(documents) if documents else 0.0
    found = []
    for response, document in zip(responses, documents, strict=True):
        if not response:
            continue
        value = bm25(response, document, collection, mean_length=mean_length)
        found.append(value / math.fsum(map(collection.rarity, response)))
    return math.fsum(found) / len(found) if found else None


@dataclass(frozen=True, slots=True)
class Normal:
    """A Gaussian in the plane of consistency and relevance: the normal responses of eq. 6.

    Differs: the score is the χ² distribution function of the squared Mahalanobis distance, so that it lies in [0, 1]
    whatever the covariance; by default what is more consistent or more relevant than normal does not count as far.

    Attributes:
        mean: of consistency and relevance.
        covariance: 2 × 2, symmetric, positive definite.

    Raises:
        InputError: a number is not finite, or the covariance is no such matrix.
    """

    mean: Point
    covariance: tuple[Point, Point]

    def __post_init__(self) -> None:
        (a, b), (c, d) = self.covariance
        if not all(map(math.isfinite, (*self.mean, a, b, c, d))):
            raise InputError(f"expected finite numbers, got {self!r}")
        if b != c or not (a > 0 and d > 0 and a * d - b * b > 1e-12 * a * d):
            raise InputError(
                f"expected a symmetric positive definite covariance, got {self.covariance!r}. "
                "Points on one line, or all alike, have none."
            )

    @classmethod
    def fit(cls, points: ArrayLike) -> Normal:
        """Mean and covariance (n − 1) of normal responses.

        Args:
            points: shape (n, 2): consistency, relevance.

        Raises:
            InputError: fewer than five points, not finite, or all on one line.
        """
        table = np.asarray(points, dtype=np.float64)
        if table.ndim != 2 or table.shape[1] != 2 or len(table) < FEWEST or not np.isfinite(table).all():
            raise InputError(
                f"expected {FEWEST} finite points (consistency, relevance) or more, got {points!r}"
            )
        center, spread = table.mean(axis=0), np.cov(table.T)
        cross = float(spread[0, 1] + spread[1, 0]) / 2
        return cls(
            (float(center[0]), float(center[1])), ((float(spread[0, 0]), cross), (cross, float(spread[1, 1])))
        )

    @property
    def determinant(self) -> float:
        """Of the covariance; above 0."""
        (a, b), (_, d) = self.covariance
        return a * d - b * b

    def squared_distance(self, point: Point, *, sides: Sides = "both") -> float:
        """The squared Mahalanobis distance of a point from the mean: 0 or more, no unit.

        Args:
            point: consistency, relevance.
            sides: "below": the least distance of all points that are neither more consistent nor more relevant than
                this one, since nobody makes things up by being more so than what is normal. It never grows with either.

        Raises:
            InputError: the point is not finite.
        """
        if not all(map(math.isfinite, point)):
            raise InputError(f"expected a finite point, got {point!r}. Leave out what could not be scored.")
        (a, b), (_, d) = self.covariance
        x, y = (v - m for v, m in zip(point, self.mean, strict=True))
        if sides == "below":
            if x >= 0 and y >= 0:
                return 0.0
            if y < 0 and x >= b / d * y:  # the point of the least distance at this height lies below
                return y * y / d
            if x < 0 and y >= b / a * x:
                return x * x / a
        return max(0.0, (d * x * x - 2 * b * x * y + a * y * y) / self.determinant)

    def density(self, point: Point) -> float:
        """Eq. 6: the probability density at a point, per unit of consistency and relevance.

        Example:
            >>> round(Normal((0.0, 0.0), ((1.0, 0.0), (0.0, 1.0))).density((0.0, 0.0)), 6)
            0.159155
        """
        return math.exp(-self.squared_distance(point) / 2) / (2 * math.pi * math.sqrt(self.determinant))

    def score(self, point: Point, *, sides: Sides = "below") -> float:
        """How far from normal: in [0, 1], 0 = at the mean."""
        return chi_square_share(self.squared_distance(point, sides=sides), 2)

    def consistency_score(self, value: float, *, sides: Sides = "below") -> float:
        """How far a consistency is from normal, whatever the relevance.

        Returns:
            In [0, 1]. With "below" the share of normal responses that are more consistent: .5 at the mean, and no ties
            above it. With "both" the χ² share of the squared distance.
        """
        if not math.isfinite(value):
            raise InputError(
                f"expected a finite consistency, got {value!r}. Leave out what could not be scored."
            )
        gap = (value - self.mean[0]) / math.sqrt(self.covariance[0][0])
        return math.erfc(gap / math.sqrt(2)) / 2 if sides == "below" else chi_square_share(gap * gap, 1)


def chi_square_share(value: float, degrees: Literal[1, 2]) -> float:
    """The distribution function of χ² with one or two degrees of freedom: in [0, 1].

    Args:
        value: 0 or more.
        degrees: 1 or 2.

    Example:
        >>> round(chi_square_share(5.991465, 2), 6), round(chi_square_share(3.841459, 1), 6)
        (0.95, 0.95)
    """
    return math.erf(math.sqrt(value / 2)) if degrees == 1 else -math.expm1(-value / 2)


def threshold(scores: Sequence[float], false_alarms: float) -> float:
    """T_cs: the score that normal responses reach or exceed with at most a stated probability.

    Args:
        scores: of normal responses that are exchangeable with those to come, in [0, 1].
        false_alarms: in (0, 1).

    Returns:
        A number just above the ⌈(n + 1)(1 − false_alarms)⌉-th smallest score, so that a new normal response is flagged
        with probability ≤ false_alarms [vovk2005]; above 1, which flags nothing, where n is too small for that.

    Raises:
        InputError: no score, or one that is not finite, or a rate outside [0, 1].

    Example:
        >>> round(threshold([i / 100 for i in range(100)], 0.05), 2)
        0.95
    """
    if not scores or not all(map(math.isfinite, scores)) or not 0 < false_alarms < 1:
        raise InputError(f"expected finite scores and a rate in (0, 1), got {scores!r}, {false_alarms!r}")
    rank = math.ceil((len(scores) + 1) * (1 - false_alarms) - 1e-9)
    return math.nextafter(sorted(scores)[rank - 1] if rank <= len(scores) else 1.0, math.inf)
