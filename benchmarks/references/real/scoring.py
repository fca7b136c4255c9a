"""What was read in labelled answers, counted: shares with intervals by prompt, two hands beside each other, and readers of two patterns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchmarks._stats import Interval, resampled
from benchmarks.references.answers.labels import Label
from benchmarks.references.answers.reading import paired, right
from benchmarks.references.real.labels import KINDS, Real
from guardrail.references.bibliography.records import Reference
from guardrail.references.citations import Citation, Kind
from guardrail.report import Span

__all__ = ["FIELDS", "GROUPS", "Paired", "Share", "agreement", "field_right", "pattern_reader", "share"]

FIELDS = ("title", "authors", "year")
GROUPS: Mapping[str, tuple[str, ...]] = {
    "all kinds": KINDS,
    "works and pages": ("work", "page"),
    "laws and cases": ("law", "case"),
    "marks": ("mark",),
}
REPLICATES = 1_000
_LINK = re.compile(r"\[[^\[\]\n]{1,200}\]\(https?://[^\s()]{4,400}\)|https?://[^\s()\[\]<>]{4,400}")
_NAME_AND_YEAR = re.compile(
    r"[^\W\d_a-z][\w’'-]{1,30}(?:\set\sal\.|\s(?:and|&)\s[^\W\d_a-z][\w’'-]{1,30})?,?\s\(?(?:19|20)\d\d\)?"
)


@dataclass(frozen=True, slots=True)
class Paired:
    """An answer, what was found in it, and each label with what was found at its place; the kinds may differ."""

    real: Real
    found: Sequence[Citation]
    pairs: Sequence[tuple[Label, Citation]]

    def said(self, kinds: Sequence[str]) -> int:
        """How many of what was found are said to be of these kinds."""
        return sum(one.kind in kinds for one in self.found)

    def labelled(self, kinds: Sequence[str]) -> int:
        """How many labels are of these kinds."""
        return sum(one.kind in kinds for one in self.real.answer.labels)

    def hits(self, kinds: Sequence[str]) -> list[tuple[Label, Citation]]:
        """The pairs in which both are of these kinds."""
        return [(label, one) for label, one in self.pairs if label.kind in kinds and one.kind in kinds]


@dataclass(frozen=True, slots=True)
class Share:
    """A share with its interval; the value is `None` of nothing."""

    value: float | None
    interval: Interval | None


def share(some: Sequence[Paired], part: Callable[[Paired], int], whole: Callable[[Paired], int]) -> Share:
    """A share over answers, and the middle 95 % of it over draws of whole prompts.

    Args:
        some: answers.
        part: of one answer, what counts.
        whole: of one answer, what it is a share of.
    """
    parts, wholes = np.array([part(one) for one in some]), np.array([whole(one) for one in some])

    def value(drawn: Sequence[int] | np.ndarray) -> float | None:
        total = int(wholes[drawn].sum())
        return float(parts[drawn].sum()) / total if total else None

    if not len(some):
        return Share(None, None)
    prompts = [one.real.answer.question for one in some]
    interval = resampled(prompts, value, replicates=REPLICATES, fewest=REPLICATES // 2)
    return Share(value(np.arange(len(some))), interval)


def field_right(name: str, said: Reference, found: Reference) -> bool:
    """Whether title, authors or year is as labelled; that a list of authors was cut short is not labelled."""
    return right(name, replace(said, et_al=found.et_al), found)


def agreement(some: Sequence[Real]) -> Iterator[tuple[str, float | None]]:
    """What a second hand has of what the first has (precision), the reverse (recall), both together (F1), and of the pairs the fields.

    Args:
        some: answers; those of one hand do not count.
    """
    twice = [(one, one.second) for one in some if one.second is not None]
    pairs = [pair for one, second in twice for pair in paired(one.answer.text, one.answer.labels, second)]
    first = [label for one, _ in twice for label in one.answer.labels]
    other = [label for _, second in twice for label in second]
    yield "answers", float(len(twice))
    yield "precision", _ratio(len(pairs), len(other))
    yield "recall", _ratio(len(pairs), len(first))
    for group, kinds in {**GROUPS, **{f"{kind}s": (kind,) for kind in KINDS[:-1]}}.items():
        hits = sum(a.kind in kinds and b.kind in kinds for a, b in pairs)
        sizes = sum(one.kind in kinds for one in (*first, *other))
        yield f"F1, {group}", _ratio(2 * hits, sizes)
    yield "kind the same, of the pairs", _ratio(sum(a.kind == b.kind for a, b in pairs), len(pairs))
    works = [(a, b) for a, b in pairs if {a.kind, b.kind} <= set(GROUPS["works and pages"])]
    for name in FIELDS:
        same = sum(field_right(name, a.reference, b.reference) for a, b in works)
        yield f"{name} the same, of works and pages", _ratio(same, len(works))
    whole = sum(all(field_right(name, a.reference, b.reference) for name in FIELDS) for a, b in works)
    yield "all three the same, of works and pages", _ratio(whole, len(works))


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def pattern_reader(text: str) -> list[Citation]:
    """The trivial reader: every link is a page, and every name before a year a mark.

    Example:
        >>> [one.kind for one in pattern_reader("Roe et al. (2020) and https://example.org/a say so.")]
        ['mark', 'page']
    """
    patterns: dict[Kind, re.Pattern[str]] = {"page": _LINK, "mark": _NAME_AND_YEAR}
    found = [
        Citation(Span(start=match.start(), end=match.end()), Reference(), "unmarked", kind=kind)
        for kind, pattern in patterns.items()
        for match in pattern.finditer(text)
    ]
    kept = list[Citation]()
    for one in sorted(found, key=lambda one: one.span.start):
        if not kept or kept[-1].span.end <= one.span.start:
            kept.append(one)
    return kept
