"""What the packaged ensembles make of a passage: by their models, or by what was recorded of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from benchmarks.selfcheck.passages import Passage
from guardrail import Case
from guardrail.engine.backend import Backend
from guardrail.engine.flow import Reply, Request
from guardrail.errors import InputError
from guardrail.report import Finding, Measurement
from guardrail.requests import Entail, Entailment, Similarity
from guardrail.selfcheck import EnsembleCheck
from guardrail.selfcheck.ensemble.fits import Fit, threshold_of
from guardrail.testing import play

__all__ = [
    "BY_TEXT",
    "Blocks",
    "Replies",
    "Scored",
    "Scores",
    "blocks",
    "case_of",
    "rescored",
    "scored",
    "splitter",
]

BY_TEXT = "ngram"
"""The member that needs no model: it is computed in every run."""

SIZES = (20, 5)
"""Numbers of samples that the rows are about."""

Scores: TypeAlias = list[list[float]]


class Scored(NamedTuple):
    """One passage with one set of samples: the ensemble's scores, its members', and the n-gram's flags."""

    ensemble: list[float]
    members: dict[str, list[float]]
    flagged: list[float]


Blocks: TypeAlias = dict[int, list[Scored]]
"""Of one passage, by number of samples: one for each disjoint set of so many."""


def case_of(passage: Passage, start: int = 0, size: int | None = None) -> Case:
    """The answer with some of its samples."""
    end = None if size is None else start + size
    return Case(answer=passage.text, samples=passage.samples[start:end])


def splitter(passages: Sequence[Passage]) -> Callable[[str], Sequence[Any]]:
    """Gives each passage's own sentences."""
    return {passage.text: passage.spans() for passage in passages}.__getitem__


class Replies:
    """What the brought models say of each pair, once: the same weights, in this process, for all numbers of samples."""

    def __init__(self, detector: EnsembleCheck) -> None:
        self.detector = detector
        self.backends: Mapping[str, Backend[Any]] = detector.backends()
        self.known: dict[Request[Any], Reply[Any]] = {}
        self.seconds = 0.0

    def learn(self, passage: Passage) -> None:
        """Ask at once what the detector would ask about one passage."""
        asked: dict[Request[Any], None] = {}

        def note(request: Request[Any]) -> Entailment | Similarity:
            asked[request] = None
            return Entailment(0.0, 0.0, 1.0) if isinstance(request, Entail) else Similarity(0.0, 0.0, 0.0)

        play(self.detector.examine(case_of(passage)), note)
        started = time.perf_counter()
        self.known = {}  # the passage before is done
        for lane, backend in self.backends.items():
            own = [request for request in asked if request.lane == lane]
            self.known.update(zip(own, _answers(backend, own), strict=True))
        self.seconds += time.perf_counter() - started

    def __call__(self, request: Request[Any]) -> Reply[Any]:
        """What a model said, or says now: of an excerpt that splits into other sentences than the whole, or a part of it."""
        if request not in self.known:
            [self.known[request]] = _answers(self.backends[request.lane], [request])
        return self.known[request]


def _answers(backend: Backend[Any], requests: Sequence[Request[Any]]) -> Sequence[Reply[Any]]:
    found = backend.answer(requests)
    if not isinstance(found, Sequence):
        raise InputError(f"expected replies at once, got {found!r}")
    return found


def scored(case: Case, ensemble: EnsembleCheck, replies: Callable[[Request[Any]], Reply[Any]]) -> Scored:
    """One passage with one set of samples, by the models."""
    findings = play(ensemble.examine(case), replies)
    values = _measured(findings)
    fused = [one.score for one in findings if one.score is not None]
    own = {name: of for name, of in values.items() if threshold_of(name) in values}
    if {len(fused), *map(len, own.values())} != {len(findings)}:
        raise InputError(f"expected a score of every sentence, got {findings!r}")
    limits = values[threshold_of(BY_TEXT)]
    return Scored(fused, own, [float(a >= b) for a, b in zip(own[BY_TEXT], limits, strict=True)])


def rescored(
    case: Case, fit: Fit, recorded: Mapping[str, Sequence[float]], given: Callable[[str], Sequence[Any]]
) -> Scored:
    """The same by recorded scores of the members with models: n-gram, and what the fit makes of all, are computed.

    Args:
        case: the passage with some of its samples.
        fit: the ensemble's.
        recorded: per member with a model, a score per sentence.
        given: the sentences of the passage.
    """
    alone = EnsembleCheck(fit=None, members=[BY_TEXT], splitter=given)
    values = _measured(play(alone.examine(case), _nobody))
    limits = values[threshold_of(BY_TEXT)]
    own = {name: [*(values[name] if name == BY_TEXT else recorded[name])] for name in fit.names}
    fused = fit.predict(own, len(case.samples), {BY_TEXT: limits[-1]})
    return Scored(
        [one.probability for one in fused if one.probability is not None],
        own,
        [float(a >= b) for a, b in zip(own[BY_TEXT], limits, strict=True)],
    )


def blocks(passage: Passage, score: Callable[[Case, int, int], Scored]) -> Blocks:
    """Score every set of samples of a passage.

    Args:
        passage: with its samples.
        score: of a case, its number of samples, and which set of so many it is.
    """
    return {
        size: [
            score(case_of(passage, number * size, size), size, number)
            for number in range(len(passage.samples) // size)
        ]
        for size in SIZES
    }


def _measured(findings: Sequence[Finding]) -> dict[str, list[float]]:
    """The members' scores and thresholds, a value per sentence."""
    values: dict[str, list[float]] = {}
    for one in findings:
        for said in one.evidence:
            if isinstance(said, Measurement) and said.value is not None:
                values.setdefault(said.name, []).append(said.value)
    return values


def _nobody(request: Request[Any]) -> Any:
    raise InputError(f"expected no question to a model, got {request!r:.200}")
