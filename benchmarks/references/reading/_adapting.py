"""Adapting a trained conditional random field to more examples: it stays close to what it was where they say nothing.

The log-likelihood of the examples less half of `strength` times the squared distance from the first weights is maximised (L-BFGS), which is
maximum a posteriori with the first model as the mean of a normal prior [chelba2006].
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from guardrail.references.citations.segmentation.model import FIELDS, Matrix, Model

__all__ = ["Adapted", "adapted"]

Labelled = tuple[Sequence[Sequence[str]], Sequence[int]]
"""Of one example: the names of the features of each token, and the labels."""

_COUNT = 2 * len(FIELDS)


@dataclass(frozen=True)
class Adapted:
    """Weights by feature and label, and between labels, as `model.to_bytes` takes them."""

    states: dict[tuple[str, int], float]
    transitions: dict[tuple[int, int], float]


def adapted(
    base: Model, examples: Sequence[Labelled], *, strength: float, least: int, steps: int, smallest: float
) -> Adapted:
    """The weights of a model after examples.

    Args:
        base: the first model.
        examples: more of them count more.
        strength: of the prior.
        least: times that a feature must occur if the first model does not have it.
        steps: of L-BFGS at most.
        smallest: change of a weight; what changes less stays as it was.
    """
    task = _Task.of(base, examples, strength, least)
    found = minimize(
        task.loss, np.zeros(task.size), jac=True, method="L-BFGS-B", options={"maxiter": steps, "maxcor": 8}
    )
    change, between = task.parted(found.x)
    change[np.abs(change) < smallest] = 0.0
    states = task.states + change
    rows, columns = np.nonzero(states)
    return Adapted(
        {
            (task.names[row], int(column)): float(states[row, column])
            for row, column in zip(rows, columns, strict=True)
        },
        {(a, b): float(value) for (a, b), value in np.ndenumerate(task.transitions + between)},
    )


@dataclass(frozen=True)
class _Task:
    """The examples as matrices; tokens of equal place are next to each other, longer examples first."""

    names: list[str]
    states: Matrix
    transitions: Matrix
    seen: csr_matrix
    labels: NDArray[np.intp]
    steps: list[tuple[int, int]]
    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    observed: Matrix
    strength: float

    @classmethod
    def of(cls, base: Model, examples: Sequence[Labelled], strength: float, least: int) -> _Task:
        counts = Counter(name for features, _ in examples for names in features for name in names)
        names = sorted({*base.features, *(name for name, count in counts.items() if count >= least)})
        place = {name: row for row, name in enumerate(names)}
        states = np.zeros((len(names), _COUNT))
        states[[place[name] for name in base.features]] = base.states[list(base.features.values())]
        longest = sorted((one for one in examples if one[1]), key=lambda one: -len(one[1]))
        steps, labels, indices, ends, at = [], [], [], [0], 0
        for step in range(len(longest[0][1])):
            alive = [one for one in longest if len(one[1]) > step]
            steps.append((at, at + len(alive)))
            at += len(alive)
            for features, own in alive:
                labels.append(own[step])
                indices += [row for name in features[step] if (row := place.get(name)) is not None]
                ends.append(len(indices))
        seen = csr_matrix((np.ones(len(indices)), indices, ends), shape=(at, len(names)))
        told = np.zeros((at, _COUNT))
        told[np.arange(at), labels] = 1.0
        free = (seen.T @ told > 0) | (states != 0)
        rows, columns = np.nonzero(free)
        observed = np.zeros((_COUNT, _COUNT))
        for _, own in longest:
            np.add.at(observed, (own[:-1], own[1:]), 1.0)
        return cls(
            names, states, base.transitions, seen, np.array(labels), steps, rows, columns, observed, strength
        )

    @property
    def size(self) -> int:
        return len(self.rows) + _COUNT * _COUNT

    def parted(self, change: NDArray[np.float64]) -> tuple[Matrix, Matrix]:
        """The changes of the states and of the transitions."""
        states = np.zeros_like(self.states)
        states[self.rows, self.columns] = change[: len(self.rows)]
        return states, change[len(self.rows) :].reshape(_COUNT, _COUNT)

    def loss(self, change: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """What is minimised, and its gradient."""
        states, between = self.parted(change)
        scores = self.seen @ (self.states + states)
        transitions = self.transitions + between
        total, marginals, pairs = _expected(scores, transitions, self.steps)
        said = scores[np.arange(len(scores)), self.labels].sum() + (self.observed * transitions).sum()
        marginals[np.arange(len(scores)), self.labels] -= 1.0
        along = (self.seen.T @ marginals)[self.rows, self.columns]
        gradient = np.concatenate([along, (pairs - self.observed).ravel()]) + self.strength * change
        return float(total - said + 0.5 * self.strength * (change @ change)), gradient


def _expected(
    scores: Matrix, transitions: Matrix, steps: Sequence[tuple[int, int]]
) -> tuple[float, Matrix, Matrix]:
    """Log of the summed weight of all labellings, probabilities of labels, and expected numbers of pairs of labels."""
    most = scores.max(axis=1, keepdims=True)
    weights, along = np.exp(scores - most), np.exp(transitions)
    forward, norms = weights.copy(), np.ones(len(scores))
    for at, (start, stop) in enumerate(steps):
        if at:
            before = steps[at - 1][0]
            forward[start:stop] *= forward[before : before + stop - start] @ along
        norms[start:stop] = forward[start:stop].sum(axis=1)
        forward[start:stop] /= norms[start:stop, None]
    backward, pairs = np.ones_like(scores), np.zeros_like(transitions)
    for at in range(len(steps) - 1, 0, -1):
        (start, stop), before = steps[at], steps[at - 1][0]
        behind = weights[start:stop] * backward[start:stop] / norms[start:stop, None]
        own = slice(before, before + stop - start)
        backward[own] = behind @ along.T
        pairs += forward[own].T @ behind
    return float(np.log(norms).sum() + most.sum()), forward * backward, pairs * along
