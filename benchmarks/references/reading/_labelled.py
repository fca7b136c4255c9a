"""Passages of the labelled answers with a field for each word, for the training of the model that reads passages.

The fields of a label are found verbatim within its span. What is left of the span (places, volumes, pages, editions, addresses) gets the
likeliest fields by a model that was trained without any labelled answer, given the fields that are known.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from benchmarks.references.answers.labels import HERE, Answer, Label
from benchmarks.references.reading._strings import Example
from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.lines import lines
from guardrail.references.citations.passages import passages
from guardrail.references.citations.segmentation.decoding import likeliest
from guardrail.references.citations.segmentation.features import features
from guardrail.references.citations.segmentation.fields import Stretch
from guardrail.references.citations.segmentation.model import FIELDS, Model
from guardrail.references.citations.segmentation.tokens import Token, tokenise

__all__ = ["kinds", "labelled", "said"]

_BOOKISH = frozenset({"book", "report", "thesis", "web"})
_CONTAINED = frozenset({"chapter", "conference", "paper"})
_OTHERS = re.compile(
    r"[*_,\s]{0,4}(?:(?:and|&|und|et|y|e|и)\s(?:\w+\s)?(?:colleagues|others|co-authors|coauthors|collaborators|al\b\.?)|et\.?\sal\b\.?|등|외|等人?|ら|ほか|и\sдр\.?|u\.\s?a\.)[*_]{0,3}"
)
_BY = re.compile(r"\b[Bb]y\s[*_]{0,3}$")
_MARKER = re.compile(
    r"[ \t>]*(?:[-*•–·▪◦]|[#]{1,6}|\(?\[?\^?\w{1,3}[\].):]{1,2}|\W{1,3})?(?:\s*\*{0,2}\d{1,2}[.)]\*{0,2})?\s+[*_]{0,3}\s*$"
)
_DATA = re.compile(r"\s*(?:[{\[]\s*[{\"]|@\w+\{|TY\s\s-)")
_OPEN = frozenset(FIELDS) - {"title", "author", "journal", "container"}
_NEVER = -1e4  # score of a field that is not allowed
_Run = tuple[str, int, int]


def kinds(half: str) -> dict[str, str]:
    """What each work is that a half cites ("book", "article", "case", …), by key."""
    rows = (
        json.loads(line) for line in (HERE / f"{half}_works.jsonl").read_text("utf-8").splitlines() if line
    )
    return {row["key"]: row.get("kind", "") for row in rows}


def labelled(
    answers: Sequence[Answer], kinds: Mapping[str, str], *, model: Model, lexicon: Mapping[str, str]
) -> list[Example]:
    """The passages of some answers; those of JSON, BibTeX and RIS and those that cite cases are left out.

    Args:
        answers: with their labels.
        kinds: of the works, by key: "book", "article", …
        model: trained without labelled answers; it reads what the labels leave open.
        lexicon: see `Model.lexicon`.
    """
    found = []
    for answer in answers:
        for start, end in passages(lines(answer.text)):
            own = [one for one in answer.labels if one.span.start < end and one.span.end > start]
            cases = any(kinds.get(label.work) == "case" for label in own)
            if not cases and not _DATA.match(answer.text, start, end):
                passage = _Passage(answer.text[start:end], start)
                for label in own:
                    if label.reference.title:
                        passage.allow(label, kinds.get(label.work, ""))
                found.append(passage.example(model, lexicon))
    return found


def said(text: str, label: Label, kind: str) -> list[tuple[str, int, int]]:
    """The fields of a label that are found within its span: field, start, end.

    Args:
        text: of the answer.
        label: one of its labels.
        kind: of the work: "book", "article", …
    """
    return list(_Said(text, label.span.start, label.span.end).fields(label.reference, kind))


def _pair(field: str) -> list[int]:
    at = FIELDS.index(field)
    return [2 * at, 2 * at + 1]


class _Passage:
    """A passage with the fields that each of its words may be of: at first, none but a remark."""

    def __init__(self, text: str, offset: int) -> None:
        self.tokens = tokenise(text, breaks=True)
        self.text = text[: self.tokens[-1].end] if self.tokens else ""
        self.offset = offset
        self.allowed = np.zeros((len(self.tokens), 2 * len(FIELDS)), dtype=bool)
        self.allowed[:, _pair("remark")] = True

    def allow(self, label: Label, kind: str) -> None:
        """The words of a label have its fields; a marker before it is the number of a list."""
        text, tokens = self.text, self.tokens
        start, end = max(label.span.start - self.offset, 0), min(label.span.end - self.offset, len(text))
        known = list(_Said(text, start, end).fields(label.reference, kind))
        closed = {field for field, _, _ in known} & {"publisher"}
        still = [at for field in sorted(_OPEN - closed) for at in _pair(field)]
        self._number(start)
        last = ""
        for at, token in enumerate(tokens):
            letters = (place for place in range(token.start, token.end) if text[place].isalnum())
            first = next(letters, token.start)
            if not start <= first < end:
                last = ""
                continue
            field = next((one for one, a, b in known if a <= first < b), "")
            if not field and last and not any(letter.isalnum() for letter in token.text):
                field = last  # a sign of its own
            self.allowed[at] = False
            self.allowed[at, [2 * FIELDS.index(field) + (field == last)] if field else still] = True
            last = field

    def _number(self, start: int) -> None:
        line = self.text.rfind("\n", 0, start) + 1
        if _MARKER.fullmatch(self.text[line:start]):
            for at, token in enumerate(self.tokens):
                if line <= token.start and token.end <= start and token.text != "\n":
                    self.allowed[at] = False
                    self.allowed[at, _pair("number")] = True

    def example(self, model: Model, lexicon: Mapping[str, str]) -> Example:
        """With the likeliest of the fields that are allowed."""
        scores = model.scores(features(self.tokens, lexicon))
        labels = likeliest(np.where(self.allowed, scores, _NEVER), model.transitions)
        return _of_labels(self.text, self.tokens, labels.tolist())


class _Said:
    """A stretch of a text in which fields are found, each where no other is."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text, self.start, self.end = text, start, end
        self.taken: list[tuple[int, int]] = []

    def fields(self, said: Reference, kind: str) -> Iterator[_Run]:
        """Where the fields are that are said."""
        if place := self._find(said.title):
            self.taken.append(place)
            yield "title", *place
        if place := self._authors(said):
            self.taken.append(place)
            yield "author", *place
        if place := self._find(said.venue):
            self.taken.append(place)
            yield (
                "publisher" if kind in _BOOKISH else "container" if kind in _CONTAINED else "journal",
                *place,
            )
        if said.year and (place := self._find(str(said.year), alone=True)):
            yield "date", *place
        for field, value in (("doi", said.doi), ("isbn", said.isbn), ("url", said.url)):
            at = self.text.lower().find(value.lower(), self.start, self.end) if value else -1
            if at >= 0:
                yield field, at, at + len(value)

    def _authors(self, said: Reference) -> tuple[int, int] | None:
        """All names that are on the same side of the title, with "by" before them and "et al." behind them."""
        names: list[tuple[int, int]] = []
        for name in said.authors:
            if place := self._find(name, names[-1][1] if names else self.start):
                names.append(place)
        if not names:
            return None
        first, last = names[0][0], names[-1][1]
        title = self.taken[0] if self.taken else (0, 0)
        if first < title[0] < last:
            last = max(b for _, b in names if b <= title[0])
        if said.et_al and (more := _OTHERS.match(self.text, last, self.end)):
            last = more.end()
        by = _BY.search(self.text[self.start : first])
        return self.start + by.start() if by else first, last

    def _find(self, what: str, since: int | None = None, *, alone: bool = False) -> tuple[int, int] | None:
        at = self.text.find(what, self.start if since is None else since, self.end) if what else -1
        while at >= 0:
            stop = at + len(what)
            apart = not (self.text[at - 1 : at].isdigit() or self.text[stop : stop + 1].isdigit())
            if (apart or not alone) and all(stop <= a or b <= at for a, b in self.taken):
                return at, stop
            at = self.text.find(what, at + 1, self.end)
        return None


def _of_labels(text: str, tokens: Sequence[Token], labels: Sequence[int]) -> Example:
    """The example with a stretch for each run."""
    stretches: list[Stretch] = []
    for token, label in zip(tokens, labels, strict=True):
        field = FIELDS[label // 2]
        if stretches and stretches[-1].field == field and (label % 2 or field == "remark"):
            stretches[-1] = Stretch(field, stretches[-1].start, token.end)
        else:
            stretches.append(Stretch(field, token.start, token.end))
    return Example(text, tuple(stretches))
