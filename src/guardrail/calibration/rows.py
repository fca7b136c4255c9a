"""Labelled scores as arrays: what thresholds are learnt from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from hashlib import blake2b
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from guardrail.errors import InputError

Floats: TypeAlias = NDArray[np.float64]
Strings: TypeAlias = NDArray[Any]


@dataclass(frozen=True)
class Rows:
    """Findings with labels.

    Attributes:
        scores: shape (n,), larger = more likely made up, on one scale for all; NaN = could not be scored.
        made_up: shape (n,), the label.
        sources: shape (n,), what the answer was about (a document, a question): rows of one source hang together.
        answers: shape (n,), which answer a row is of.
        groups: shape (n,), a name per row, the same for all rows of an answer; "" where there are no groups.
        worst: shape (n,), the highest score in the row's answer, of all its findings, also those without a label; where it is
            not given, of its rows.
    """

    scores: Floats
    made_up: NDArray[np.bool_]
    sources: Strings
    answers: Strings
    groups: Strings = field(default_factory=lambda: np.array([], dtype=str))
    worst: Floats = field(default_factory=lambda: np.array([], dtype=float))

    def __post_init__(self) -> None:
        if not self.groups.size and self.scores.size:
            object.__setattr__(self, "groups", np.full(self.scores.shape, "", dtype=object))
        if not self.worst.size and self.scores.size:
            object.__setattr__(self, "worst", self.scores)
        sizes = {one.name: getattr(self, one.name).shape for one in fields(self)}
        if len(set(sizes.values())) > 1 or self.scores.ndim != 1:
            raise InputError(f"expected arrays of one length, got {sizes!r}")
        if np.isinf(self.scores).any():
            raise InputError("expected finite scores, or NaN for what could not be scored, got infinity")

    @classmethod
    def of(
        cls,
        scores: Sequence[float | None] | Floats,
        made_up: Sequence[bool] | NDArray[np.bool_],
        *,
        sources: Sequence[Any] | Strings,
        answers: Sequence[Any] | Strings | None = None,
        groups: Sequence[str] | Strings | None = None,
        worst: Sequence[float] | Floats | None = None,
    ) -> Rows:
        """Rows of lists; `None` is a score that could not be had, and without `answers` a source is one answer."""
        return cls(
            np.array([np.nan if score is None else score for score in scores], dtype=float),
            np.asarray(made_up, dtype=bool),
            np.asarray(sources),
            np.asarray(sources if answers is None else answers),
            np.array([], dtype=str) if groups is None else np.asarray(groups),
            np.array([], dtype=float) if worst is None else np.asarray(worst, dtype=float),
        )

    def __len__(self) -> int:
        return int(self.scores.size)

    def where(self, chosen: NDArray[Any]) -> Rows:
        """Some of the rows, by a mask or by places."""
        return Rows(*(getattr(self, one.name)[chosen] for one in fields(self)))

    @cached_property
    def names(self) -> Strings:
        """The sources, each once."""
        return np.unique(self.sources)

    @property
    def unscored(self) -> float | None:
        """The share of rows without a score; `None` without rows."""
        return float(np.isnan(self.scores).mean()) if len(self) else None

    def by_answer(self) -> Rows:
        """A row per answer: its worst score, and whether anything in it is made up."""
        if not len(self):
            return self
        order = np.argsort(self.answers, kind="stable")
        names = self.answers[order]
        starts = np.flatnonzero(np.append(True, names[1:] != names[:-1]))
        first = order[starts]

        def highest(scores: Floats) -> Floats:
            known = np.where(np.isnan(scores), -np.inf, scores)[order]
            found = np.maximum.reduceat(known, starts)
            return np.where(np.isfinite(found), found, np.nan)

        return Rows(
            highest(self.scores),
            np.logical_or.reduceat(self.made_up[order], starts),
            self.sources[first],
            names[starts],
            self.groups[first],
            highest(self.worst),
        )

    def marks(self) -> frozenset[str]:
        """A digest of the name of each source."""
        return frozenset(
            blake2b(str(name).encode("utf-8", "replace"), digest_size=12).hexdigest() for name in self.names
        )

    def seed(self, number: int = 0) -> int:
        """A seed of draws from these rows.

        It comes from the rows themselves. One that is the same for all data would mix sources whose names are in some order (a file
        sorted by its labels) in the same way each time, so that the labels would always come in the same, perhaps lucky, order.
        """
        return int(blake2b(f"{number}:{self.digest()}".encode(), digest_size=7).hexdigest(), 16)

    def digest(self) -> str:
        """A digest of sources, answers, labels and scores, whatever their order."""
        lines = sorted(
            f"{source}\t{answer}\t{int(label)}\t{score!r}"
            for source, answer, label, score in zip(
                self.sources, self.answers, self.made_up, self.scores.tolist(), strict=True
            )
        )
        return blake2b("\n".join(lines).encode("utf-8", "replace"), digest_size=16).hexdigest()
