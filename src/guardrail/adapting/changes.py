"""What a policy made of a text, and how an edited text gets back to its place.

A `Reading` is one place of text; those of several blocks or of a structure are parts of a larger one, whose text is
theirs joined. A `Change` is what the policy did, and can be split along the parts.
"""

from __future__ import annotations

import dataclasses
import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, Protocol

from pydantic_core import to_jsonable_python

from guardrail.given.accepted import Json
from guardrail.policies.edits import KEY, apply
from guardrail.report import Edit, Report, Span
from guardrail.requests import Cited, TokenLogprob

JOINT = "\n\n"  # between parts of one text


class Taken(list[str]):
    """Texts that were taken out of an answer."""

    @cached_property
    def plain(self) -> tuple[str, ...]:
        """As an address may spell them: words in small letters with single blanks; read once for all addresses of an answer."""
        said = (" ".join(text.replace("-", " ").casefold().split()).rstrip(".!? ") for text in self)
        return tuple(text for text in said if text)


@dataclass(frozen=True)
class Change:
    """What becomes of a text.

    Attributes:
        before: the text that was examined.
        after: the text to show.
        edits: how one becomes the other; empty if it was replaced as a whole.
        report: what decided.
        cut_beside: this is a part, and text went from another one.
        corrected: what findings put right: what was written, and what is there now.
    """

    before: str
    after: str
    edits: tuple[Edit, ...]
    report: Report
    cut_beside: bool = False
    corrected: frozenset[tuple[str, str]] = frozenset()

    @classmethod
    def of(cls, text: str, report: Report) -> Change:
        """The change that a report decided on."""
        edits = report.decision.edits if apply(text, report.decision.edits) == report.answer else ()
        put_right = (edit for finding in report.findings for edit in finding.corrections)
        corrected = frozenset((edit.span.of(text), edit.replacement) for edit in put_right)
        return cls(text, report.answer, edits, report, corrected=corrected)

    @property
    def changed(self) -> bool:
        """Whether there is anything to do."""
        return self.before != self.after

    @property
    def refusal(self) -> str:
        """The message of a policy that blocks; where JSON was examined, it stands in an object."""
        try:
            return str(json.loads(self.after)[KEY])
        except (ValueError, TypeError, LookupError):
            return self.after

    @property
    def takes_away(self) -> bool:
        """Whether text went, so that it may not turn up elsewhere."""
        if self.cut_beside or not self.edits:
            return self.cut_beside or self.changed
        return any(edit.span.end > edit.span.start for edit in self.edits)

    @property
    def taken(self) -> Taken:
        """Texts that may not turn up anywhere."""
        if not self.takes_away:
            return Taken()
        spans = [edit.span.of(self.report.case.answer) for edit in self.report.decision.edits]
        said = [*spans, *(f.text for f in self.report.findings), self.before]
        return Taken(text for text in said if len(text) > 3)

    @property
    def summary(self) -> Json:
        """What travels with the answer: no text of it."""
        found: Json = to_jsonable_python(self.report.summary())
        return found

    def split(self, bounds: Sequence[tuple[int, int]]) -> list[Change]:
        """The change of each part, given where the parts lie in the text, one after the other; a new text goes to the first."""
        cut = self.takes_away
        if not self.changed or not self.edits:
            parts = [self._part(a, b, (), cut=cut) for a, b in bounds]
            if not self.changed:
                return parts
            texts = [self.after, *[""] * (len(parts) - 1)]
            return [dataclasses.replace(p, after=text) for p, text in zip(parts, texts, strict=True)]
        local: list[list[Edit]] = [[] for _ in bounds]
        starts, ends = [a for a, _ in bounds], [b for _, b in bounds]
        for edit in self.edits:
            start, end = edit.span.start, edit.span.end
            near = range(bisect_right(ends, start), bisect_left(starts, end))
            touched = [i for i in near if max(starts[i], start) < min(ends[i], end)]
            # What is inserted between two parts follows the text before it.
            home = touched[0] if touched else max(0, bisect_left(starts, start) - 1)
            for i in touched or [home]:
                a, b = bounds[i]
                span = Span(start=min(max(start, a), b) - a, end=min(max(end, a), b) - a)
                local[i].append(
                    edit.model_copy(
                        update={"span": span, "replacement": edit.replacement if i == home else ""}
                    )
                )
        return [self._part(a, b, tuple(edits), cut=cut) for (a, b), edits in zip(bounds, local, strict=True)]

    def _part(self, start: int, end: int, edits: tuple[Edit, ...], *, cut: bool) -> Change:
        text = self.before[start:end]
        after = apply(text, edits)
        return Change(text, after, edits, self.report, cut_beside=cut, corrected=self.corrected)


class Places:
    """Where places of a text are after its edits, each found without going through all of these."""

    def __init__(self, edits: Iterable[Edit]) -> None:
        made: list[Edit] = []
        for edit in sorted(edits, key=lambda edit: (edit.span.start, edit.span.end)):
            if not made or edit.span.start >= made[-1].span.end:  # else it overlaps, and is not applied
                made.append(edit)
        self._starts, self._ends = [edit.span.start for edit in made], [edit.span.end for edit in made]
        sizes = [end - start for start, end in zip(self._starts, self._ends, strict=True)]
        self._cut = [0, *accumulate(sizes)]  # characters that the edits before each one take away
        grown = (len(edit.replacement) - size for edit, size in zip(made, sizes, strict=True))
        self._grown = [0, *accumulate(grown)]

    def of(self, start: int, end: int) -> tuple[int, int] | None:
        """Where the text from `start` to `end` is now; `None` if some of it was cut."""
        before = bisect_right(self._ends, start)  # edits that end in front of it
        until = max(before, bisect_left(self._starts, end))  # those and the ones within it
        if self._cut[before] != self._cut[until]:
            return None
        return start + self._grown[before], end + self._grown[until]


class Reading(Protocol):
    """One place of text in an output."""

    @property
    def text(self) -> str:
        """What is examined."""
        ...

    @property
    def logprobs(self) -> tuple[TokenLogprob, ...]:
        """Its tokens, where they are known."""
        ...

    def changed(self, change: Change) -> Any:
        """The output with the change made."""
        ...


@dataclass(frozen=True)
class Text:
    """A string."""

    text: str
    logprobs: tuple[TokenLogprob, ...] = ()
    citations: tuple[Cited, ...] = ()

    def changed(self, change: Change) -> str:
        """The new text."""
        return change.after


def joined(parts: Sequence[Reading]) -> str:
    """The texts of parts as one."""
    return JOINT.join(part.text for part in parts)


def bounds(parts: Sequence[Reading]) -> list[tuple[int, int]]:
    """Where each part lies in the joined text."""
    found, position = [], 0
    for part in parts:
        found.append((position, position + len(part.text)))
        position = found[-1][1] + len(JOINT)
    return found


def citations(*parts: Reading) -> tuple[Cited, ...]:
    """Those that the service gives, where a reading knows them, with their places in the joined text."""
    return tuple(
        dataclasses.replace(one, start=one.start + start, end=one.end + start)
        for part, (start, _) in zip(parts, bounds(parts), strict=True)
        for one in getattr(part, "citations", ())
    )
