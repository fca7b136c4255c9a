"""How an ensemble learns: members' scores of labelled answers become a `Fit`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import numpy as np

from guardrail.engine.backend import Backend
from guardrail.errors import ConfigError, InputError
from guardrail.options import number, one_of
from guardrail.report import Measurement
from guardrail.selfcheck.ensemble.fits import (
    Examine,
    Fit,
    Labelled,
    Member,
    Shape,
    threshold_of,
)
from guardrail.selfcheck.ensemble.stack import PENALTY, Knot, Range, Stack


def learn(
    members: Sequence[Member],
    labelled: Sequence[Labelled],
    examine: Examine,
    *,
    sizes: Sequence[int] = (5,),
    without: Sequence[Sequence[str]] = (),
    shape: Shape = "stack",
    pooling: float = 0.0,
    penalty: float = PENALTY,
    short: Sequence[str] = (),
    backends: Mapping[str, Backend[Any]] | None = None,
    provenance: Mapping[str, Any] | None = None,
) -> Fit:
    """Fit members' scores to labels; see `EnsembleCheck.learn`, which names the members itself."""
    one_of("shape", shape, ("stack", "mean"))
    number("pooling", pooling, least=0, most=1)
    if pooling and shape != "mean":
        raise ConfigError('pooling: expected shape="mean" with it; a stack learns how much neighbours count')
    names = tuple(member.name for member in members)
    wanted = [names, *(tuple(n for n in names if n not in set(absent)) for absent in without)]
    if unknown := {name for absent in without for name in absent} - set(names):
        raise InputError(f"without: expected names of members {names!r}, got {sorted(unknown)!r}")
    knots, counts = [], {}
    for size in sizes:
        number("sizes", size, least=1, whole=True)
    for size in sorted(set(sizes)):
        rows = _Rows(names)
        for one in labelled:
            rows.add(one, size, examine)
        if not rows.blocks:
            raise InputError(f"sizes: expected answers with at least {size} samples, got none")
        copies = max(1.0, rows.blocks / len(labelled))  # the same sentence, several times: as much more ridge
        for some in wanted:
            scores, labels, passages = rows.whole(some)
            if not labels:
                raise InputError(
                    f"expected sentences that {', '.join(some)} could all score, with {size} samples, got none: {rows.reason}"
                )
            if shape == "stack":
                stack = Stack.fit(scores, labels, passages, penalty=penalty * copies)
            else:
                stack = Stack.fit_mean(scores, labels, passages, pooling=pooling, penalty=penalty * copies)
            knots.append(Knot(size, stack, rows.ranges(some)))
        counts[str(size)] = {"sentences": len(rows.labels), "unscored": rows.unscored}
    about = {
        "answers": len(labelled),
        "sentences": sum(len(one.labels) for one in labelled),
        "rows by number of samples": counts,
        "shape": shape,
        **({"pooling": pooling} if shape == "mean" else {}),
        "penalty": penalty,
        "date": date.today().isoformat(),  # noqa: DTZ011  # a day, for people
        **(provenance or {}),
    }
    prints = {lane: backend.origin for lane, backend in (backends or {}).items()}
    return Fit(tuple(members), tuple(knots), prints, about, tuple(n for n in names if n in set(short)))


class _Rows:
    """Members' scores of labelled sentences, with one number of samples."""

    def __init__(self, names: Sequence[str]) -> None:
        self.scores: dict[str, list[float | None]] = {name: [] for name in names}
        self.thresholds: dict[str, list[float]] = {name: [] for name in names}
        self.labels: list[float] = []
        self.passages: list[int] = []
        self.blocks = 0
        self.reason = "there is no labelled sentence"

    @property
    def unscored(self) -> int:
        """Rows that some member has no score for."""
        return sum(None in row for row in zip(*self.scores.values(), strict=True))

    def add(self, one: Labelled, size: int, examine: Examine) -> None:
        """Take an answer in with each of its disjoint sets of so many samples."""
        texts = one.case.samples
        for start in range(0, len(texts) - size + 1, size):
            case = one.case.model_copy(update={"samples": tuple(texts[start : start + size])})
            findings = examine(case)
            if len(findings) != len(one.labels):
                raise InputError(
                    f"expected one label per sentence, got {len(one.labels)} for the {len(findings)} sentences of "
                    f"{one.case.answer[:60]!r}. A `splitter` says where your sentences begin and end."
                )
            for finding, label in zip(findings, one.labels, strict=True):
                found = {e.name: e.value for e in finding.evidence if isinstance(e, Measurement)}
                if not found.keys() >= self.scores.keys():
                    self.reason = finding.reason
                for name, column in self.scores.items():
                    column.append(found.get(name))
                    threshold = found.get(threshold_of(name))
                    if threshold is not None:
                        self.thresholds[name].append(threshold)
                self.labels.append(float(label))
                self.passages.append(self.blocks)
            self.blocks += 1

    def ranges(self, members: Sequence[str]) -> dict[str, Range]:
        """Of the members' thresholds."""
        return {
            name: Range(min(values), min(max(values), math.fsum(values) / len(values)), max(values))
            for name in members
            if (values := self.thresholds[name])  # a mean may exceed its largest term by rounding
        }

    def whole(self, members: Sequence[str]) -> tuple[dict[str, Any], list[float], list[int]]:
        """The rows that all of them scored: scores by member, labels, passages."""
        rows = [
            i for i in range(len(self.labels)) if all(self.scores[name][i] is not None for name in members)
        ]
        scores = {name: np.array([self.scores[name][i] for i in rows], dtype=np.float64) for name in members}
        return scores, [self.labels[i] for i in rows], [self.passages[i] for i in rows]
