"""Decoding of a linear-chain conditional random field: likelihoods of runs, and the best labels under a condition.

A *run* is a maximal sequence of tokens of one field: it begins with the field's first label (2 k) or, where another field's
token or nothing stands before it, with its second (2 k + 1), and goes on with the second.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guardrail.references.citations.segmentation.model import Matrix

__all__ = ["Lattice", "likeliest", "runs"]


@dataclass(slots=True)
class Lattice:
    """All ways to label one string, with their probabilities; made by `Lattice.of`.

    Attributes:
        scores: of each label (column) at each token (row).
        transitions: from a label (row) to the next (column).
        forward: log of the summed weight of all labellings up to a token that end in a label.
        backward: the same from behind the token to the end.
        total: log of the summed weight of all labellings.
    """

    scores: Matrix
    transitions: Matrix
    forward: Matrix
    backward: Matrix
    total: float

    @classmethod
    def of(cls, scores: Matrix, transitions: Matrix) -> Lattice:
        """The lattice of a string of at least one token."""
        forward = _forward(scores, transitions)
        backward = _forward(scores[::-1], transitions.T)[::-1] - scores
        return cls(scores, transitions, forward, backward, float(_log_sum(forward[-1])))

    def marginals(self) -> Matrix:
        """The probability of each label (column) at each token (row)."""
        return np.exp(np.minimum(self.forward + self.backward - self.total, 0.0))

    def first_runs(self, field: int) -> tuple[Matrix, float]:
        """How likely each stretch is the first run of a field.

        Returns:
            A matrix of the probabilities that the first run is `first..last` (row, column; both inclusive, 0 below the
            diagonal), and the probability that there is none. Together they are 1.
        """
        without = self.scores.copy()
        without[:, [2 * field, 2 * field + 1]] = -np.inf
        before = _forward(without, self.transitions)
        opening = self._openings(before, field)
        closing = self._closings(field)
        begin, go_on = 2 * field, 2 * field + 1
        joined = np.logaddexp(
            opening[:-1, 0] + self.transitions[begin, go_on], opening[:-1, 1] + self.transitions[go_on, go_on]
        )
        along = (
            np.cumsum(self.scores[:, go_on] + self.transitions[go_on, go_on]) - self.transitions[go_on, go_on]
        )
        count = len(self.scores)
        found = np.full((count, count), -np.inf)
        # A first token, a second by `joined`, and then along the second label.
        from_second = joined - along[:-1] - self.transitions[go_on, go_on]
        found[:-1, :] = from_second[:, None] + (along + closing[:, 1])[None, :]
        found[np.tril_indices(count)] = -np.inf
        np.fill_diagonal(found, np.logaddexp(opening[:, 0] + closing[:, 0], opening[:, 1] + closing[:, 1]))
        none = np.exp(_log_sum(before[-1]) - self.total)
        return np.exp(np.minimum(found - self.total, 0.0)), min(float(none), 1.0)

    def run(self, field: int, first: int, last: int) -> float:
        """The probability that a stretch (both ends inclusive) is exactly one run of a field."""
        count = len(self.scores)
        opening = self._openings(self.forward, field, max(first - 1, 0), first + 1)[-1]
        closing = self._closings(field, last, min(last + 2, count))[0]
        begin, go_on = 2 * field, 2 * field + 1
        if first == last:
            value = np.logaddexp(opening[0] + closing[0], opening[1] + closing[1])
        else:
            inside = self.scores[first + 1 : last + 1, go_on].sum()
            inside += self.transitions[go_on, go_on] * (last - first - 1)
            joined = np.logaddexp(
                opening[0] + self.transitions[begin, go_on], opening[1] + self.transitions[go_on, go_on]
            )
            value = joined + inside + closing[1]
        return float(np.exp(min(value - self.total, 0.0)))

    def best(self, field: int | None = None, stretch: tuple[int, int] | None = None) -> NDArray[np.intp]:
        """The likeliest labels; of a `field`, those whose first run is the `stretch`, or that have no such run."""
        scores = self.scores
        if field is not None:
            scores = scores.copy()
            own = [2 * field, 2 * field + 1]
            first, last = stretch or (len(scores), len(scores))
            scores[:first, own] = -np.inf
            kept = scores[first : last + 1, own].copy()
            scores[first : last + 1] = -np.inf
            scores[first : last + 1, own] = kept
            scores[first + 1 : last + 1, own[0]] = -np.inf
            scores[last + 1 : last + 2, own[1]] = -np.inf
        return likeliest(scores, self.transitions)

    def _openings(self, before: Matrix, field: int, start: int = 0, stop: int | None = None) -> Matrix:
        """Log weight of a run beginning at each token with the first and with the second label, given what is `before`.

        Of the tokens `start:stop` the first is right only where it is the first of the string.
        """
        begin, go_on = 2 * field, 2 * field + 1
        found = self.scores[start:stop, [begin, go_on]].copy()
        others = before[start:stop][:-1].copy()
        found[1:, 0] += _log_sum(others + self.transitions[:, begin])
        others[:, [begin, go_on]] = -np.inf  # behind its own field the second label goes on with the run
        found[1:, 1] += _log_sum(others + self.transitions[:, go_on])
        return found

    def _closings(self, field: int, start: int = 0, stop: int | None = None) -> Matrix:
        """Log weight of everything behind a run that ends at each token with the first and with the second label.

        Of the tokens `start:stop` the last is right only where it is the last of the string.
        """
        begin, go_on = 2 * field, 2 * field + 1
        behind = self.scores[start:stop][1:] + self.backward[start:stop][1:]
        found = np.zeros((len(behind) + 1, 2))
        behind[:, go_on] = -np.inf
        found[:-1, 0] = _log_sum(behind + self.transitions[begin])
        found[:-1, 1] = _log_sum(behind + self.transitions[go_on])
        return found


def runs(labels: NDArray[np.intp]) -> list[tuple[int, int, int]]:
    """The runs of a labelling: field, first token, last token.

    Example:
        >>> runs(np.array([0, 1, 6, 7, 7, 6]))
        [(0, 0, 1), (3, 2, 4), (3, 5, 5)]
    """
    found: list[tuple[int, int, int]] = []
    for at, label in enumerate(labels.tolist()):
        field = label // 2
        if found and label % 2 and found[-1][0] == field:
            found[-1] = (field, found[-1][1], at)
        else:
            found.append((field, at, at))
    return found


def _log_sum(values: Matrix) -> Matrix:
    """Logarithm of the sum of exponentials over the last axis; -inf where all are."""
    most = values.max(axis=-1, keepdims=True)
    most = np.where(np.isfinite(most), most, 0.0)
    with np.errstate(divide="ignore"):
        found: Matrix = np.log(np.exp(values - most).sum(axis=-1)) + most[..., 0]
    return found


def _forward(scores: Matrix, transitions: Matrix) -> Matrix:
    """Log weights of all labellings up to each token; scaled at each, so that nothing overflows."""
    steps = np.exp(transitions)
    most = scores.max(axis=1, keepdims=True)
    found = np.exp(scores - most)
    norms = np.ones(len(scores))
    now = found[0]
    for at in range(1, len(scores)):
        now = (now @ steps) * found[at]
        norms[at] = norm = now.sum()
        now /= norm
        found[at] = now
    with np.errstate(divide="ignore"):
        logs: Matrix = np.log(found) + np.cumsum(np.log(norms) + most[:, 0])[:, None]
    return logs


def likeliest(scores: Matrix, transitions: Matrix) -> NDArray[np.intp]:
    """The likeliest labels of a string of at least one token."""
    count = len(scores)
    came = np.zeros((count, scores.shape[1]), dtype=np.intp)
    now = scores[0]
    columns = np.arange(scores.shape[1])
    for at in range(1, count):
        reached = now[:, None] + transitions
        came[at] = reached.argmax(axis=0)
        now = reached[came[at], columns] + scores[at]
    labels = np.empty(count, dtype=np.intp)
    labels[-1] = now.argmax()
    for at in range(count - 1, 0, -1):
        labels[at - 1] = came[at, labels[at]]
    return labels
