"""Texts of other sets through the same path: each sentence gets a mark that points to all its documents, and the marks are judged."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks.answers.checking import cache_file, check
from guardrail.cache import Cache
from guardrail.detectors import SelfCheck
from guardrail.guard import Guard
from guardrail.report import Case, Measurement, Report, Verdict
from guardrail.selfcheck.grounding.check import ANSWER
from guardrail.selfcheck.grounding.fit import PRIOR, answer_probability
from guardrail.selfcheck.grounding.novelty import DocumentWords, novelty
from guardrail.selfcheck.grounding.premises import readable
from guardrail.support import SupportCheck
from guardrail.text.claims import pieces
from guardrail.text.kinds import Kind

__all__ = ["Scored", "case_of", "new_words", "scored", "scored_without_marks"]

_EDGE = 1e-6


@dataclass(frozen=True, slots=True)
class Scored:
    """What was found of a text.

    Attributes:
        score: P(not supported) of the whole: `answer_probability` of the claims, as the detector of sentences has it; .5 where there is none.
        flagged: whether a claim is not supported by the documents of its mark.
        marks: how many were judged.
    """

    score: float
    flagged: bool
    marks: int


def case_of(text: str, documents: Sequence[str], *, question: str = "") -> Case:
    """An answer in which each claim has a mark, with its documents.

    Example:
        >>> case_of("He ran. He fell.", ["a", "b"]).answer
        'He ran. [1, 2] He fell. [1, 2]'
    """
    mark = f" [{', '.join(str(number) for number, _ in enumerate(documents, 1))}]"
    for piece in reversed(pieces(text)):
        if piece.kind is Kind.CLAIM:
            text = text[: piece.span.end] + mark + text[piece.span.end :]
    return Case.of(text, prompt=question or None, context=list(documents))


def scored(cases: Sequence[Case], say: Callable[[str], None]) -> list[Scored]:
    """Cases by the detector of marks."""
    with Guard([SupportCheck(others=0)], cache=Cache(cache_file())) as guard:
        return [_of_marks(report) for report in check(guard, cases, say)]


def scored_without_marks(cases: Sequence[Case], say: Callable[[str], None]) -> list[Scored]:
    """Cases by the detector of sentences; its score is the one by which it ranks answers."""
    with Guard([SelfCheck("grounding")], cache=Cache(cache_file())) as guard:
        return [_of_sentences(report) for report in check(guard, cases, say)]


def _of_marks(report: Report) -> Scored:
    scores = [min(1 - _EDGE, max(_EDGE, one.score)) for one in report.judged if one.score is not None]
    whole = answer_probability([math.log(one / (1 - one)) for one in scores])
    flagged = any(one.label not in {"yes", "not at hand"} for one in report.judged)
    return Scored(PRIOR if whole is None else whole, flagged, len(report.judged))


def _of_sentences(report: Report) -> Scored:
    evidence = (one for finding in report.judged for one in finding.evidence)
    whole = [one.value for one in evidence if isinstance(one, Measurement) and one.name == ANSWER]
    score = next((one for one in whole if one is not None), PRIOR)
    return Scored(score, report.verdict is Verdict.UNSUPPORTED, len(report.judged))


def new_words(text: str, documents: Sequence[str]) -> float:
    """The share of a text's words that its documents lack."""
    found = novelty(text, DocumentWords.of(map(readable, documents)))
    return 1.0 if found is None else found.words
