"""The distribution of normal responses: a Gaussian of consistency and relevance.

Source: [memory] eq. 6; differs: the score is the χ² distribution function of the squared Mahalanobis distance, so
that it lies in [0, 1] whatever the covariance; by default what is more consistent or more relevant than normal does
not count as far from normal.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from guardrail.errors import InputError, MissingExtra

__all__ = ["FEWEST", "Ellipse", "Normal", "Point", "Sides", "chi_square_share", "threshold"]

Point: TypeAlias = tuple[float, float]
Sides: TypeAlias = Literal["below", "both"]

FEWEST = 5
"""Points that a fit needs: as many as it has parameters."""


@dataclass(frozen=True, slots=True)
class Ellipse:
    """Where the density is at least some value.

    Attributes:
        center: consistency, relevance.
        semi_axes: the longer one first.
        angle: of the longer one against the first coordinate, in degrees, in (−90, 90].
    """

    center: Point
    semi_axes: Point
    angle: float


@dataclass(frozen=True, slots=True)
class Normal:
    """A Gaussian in the plane of consistency and relevance.

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
    def fit(cls, points: ArrayLike, *, robust: bool = False, seed: int = 0) -> Normal:
        """Mean and covariance (n − 1) of normal responses.

        Args:
            points: shape (n, 2): consistency, relevance.
            robust: the minimum covariance determinant of scikit-learn instead, which leaves out the points that fit
                worst: for labels that are not all right.
            seed: of its random starts.

        Raises:
            InputError: fewer than five points, not finite, or all on one line.
            MissingExtra: `robust`, and scikit-learn is not installed.
        """
        table = np.asarray(points, dtype=np.float64)
        if table.ndim != 2 or table.shape[1] != 2 or len(table) < FEWEST or not np.isfinite(table).all():
            raise InputError(
                f"expected {FEWEST} finite points (consistency, relevance) or more, got {points!r}"
            )
        if robust:
            center, spread = _robust(table, seed)
        else:
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

    def ellipse(self, share: float) -> Ellipse:
        """The ellipse that holds a share of the distribution.

        Args:
            share: in (0, 1).
        """
        if not 0 < share < 1:
            raise InputError(f"expected a share in (0, 1), got {share!r}")
        values, vectors = np.linalg.eigh(np.array(self.covariance))
        radius = math.sqrt(-2 * math.log1p(-share))
        longer = vectors[:, 1] if vectors[0, 1] >= 0 else -vectors[:, 1]
        axes = (radius * math.sqrt(values[1]), radius * math.sqrt(values[0]))
        return Ellipse(self.mean, axes, math.degrees(math.atan2(longer[1], longer[0])))


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
        InputError: no score, or one that is not finite, or a rate that is none.

    Example:
        >>> round(threshold([i / 100 for i in range(100)], 0.05), 2)
        0.95
    """
    if not scores or not all(map(math.isfinite, scores)) or not 0 < false_alarms < 1:
        raise InputError(f"expected finite scores and a rate in (0, 1), got {scores!r}, {false_alarms!r}")
    rank = math.ceil((len(scores) + 1) * (1 - false_alarms) - 1e-9)
    return math.nextafter(sorted(scores)[rank - 1] if rank <= len(scores) else 1.0, math.inf)


def _robust(table: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    try:
        from sklearn.covariance import MinCovDet
    except ImportError as error:
        raise MissingExtra("scikit-learn, which fits the robust covariance,", extra="bench") from error
    found = MinCovDet(random_state=seed).fit(table)
    return found.location_, found.covariance_
