"""The works that a passage of an answer names, by a trained model: sentences, items and blocks of lines, not only reference strings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.segmentation.decoding import Lattice, likeliest, runs
from guardrail.references.citations.segmentation.features import features
from guardrail.references.citations.segmentation.fields import Stretch, reference_of, stretches_of
from guardrail.references.citations.segmentation.model import (
    FIELDS,
    Matrix,
    Model,
    packaged,
    packaged_passages,
)
from guardrail.references.citations.segmentation.tokens import Token, tokenise
from guardrail.report import Span

__all__ = ["Work", "works"]

_TITLE, _REMARK, _NUMBER = (FIELDS.index(name) for name in ("title", "remark", "number"))
_ENDS = re.compile(r"(?:(?<!\b[^\W\d_])\.|[!?。！？])[)\]\"”*_]*\s+[^\W\d_a-z\s]|[。！？]|\n[ \t>]*\n")
_LABEL = re.compile(
    r"[\s|・•]*(?:\**(?:Titles?|Authors?|Venue|Journal|Published in|Publisher|Year)\**:\**\s*)?",
    re.IGNORECASE,
)
_OF = re.compile(r"[\s,]*(?:de|di|do|da|van|von)\s(?=[^\W\d_a-z][\w.'’-]+\s[^\W\d_a-z])")
_MARKED = re.compile(
    r"(\*{1,3})(?=\w).+?\1(?!\w)|“[^“”]+”|„[^„“”]+[“”]|«[^«»]+»|‘[^‘]+?’(?!\w)|《[^《》]+》|『[^『』]+』",
    re.DOTALL,
)
_SENTENCE_BEFORE = re.compile(r"^.*[^\W\d_]{4}\.\s+(?=[^\W\d_a-z][\w’'-]+\s[^\W\d_a-z])", re.DOTALL)
_NEAR = 4  # words between a title and authors that follow it
_LEAST = 0.5  # probability of a field that counts
_Run = tuple[int, int, int]  # field, first token, last token


@dataclass(frozen=True, slots=True)
class Work:
    """A work that a passage names.

    Attributes:
        span: from its first field to its last.
        reference: the fields, those of which the model is sure enough.
        title: the probability that the title is exactly this, in [0, 1].
        sure: by field of the reference, the probability that it is exactly this, in [0, 1].
    """

    span: Span
    reference: Reference
    title: float
    sure: Mapping[str, float]


def works(text: str, *, model: Model | None = None) -> list[Work]:
    """The works named in a passage, in order.

    Args:
        text: a paragraph or a block of lines; only its first 2,000 characters are read.
        model: another model than the packaged one.

    Raises:
        ConfigError: the packaged weights are absent or damaged.
    """
    tokens = tokenise(text, breaks=True)
    if not any(letter.isalnum() for letter in text):
        return []
    model = model or packaged_passages()
    scores = model.scores(features(tokens, packaged().lexicon))
    found = runs(likeliest(scores, model.transitions))
    if not any(field == _TITLE for field, _, _ in found):
        return []
    lattice = Lattice.of(scores, model.transitions)
    marginals = lattice.marginals()
    read = (_work(text, tokens, lattice, marginals, group) for group in _groups(text, tokens, found))
    return [work for work in read if work is not None]


def _groups(text: str, tokens: Sequence[Token], found: Sequence[_Run]) -> list[list[_Run]]:
    """The runs of each work: what stands around one title.

    What follows a title is its own up to the end of the sentence, the next marker of a list, or the second list of authors.
    """
    groups: list[list[_Run]] = []
    ahead: list[_Run] = []  # of the next title
    own = False  # whether what follows still belongs to the last title
    near = True  # whether authors may do so, too
    for run in found:
        field, first, last = run
        if field == _TITLE:
            groups.append([*ahead, run])
            ahead, own, near = [], True, True
        elif field == _NUMBER:
            ahead, own = [], False
        elif field == _REMARK:
            if _ENDS.search(text[tokens[first].start : tokens[min(last + 1, len(tokens) - 1)].end]):
                ahead, own = [], False
            near = near and last - first < _NEAR
        elif own and not (
            FIELDS[field] == "author"
            and (not near or _joins(text, tokens[first].start) or any(one[0] == field for one in groups[-1]))
        ):
            groups[-1].append(run)
        else:
            ahead.append(run)
            own = False
    return groups


def _joins(text: str, start: int) -> bool:
    """Whether authors begin a clause of their own: *The Morality of Law* (1964), and Ronald Dworkin collected …."""
    before = text[:start].rstrip()
    before = before if text.startswith("and ", start) else before.removesuffix("and")
    return (
        len(before) < start
        and before.rstrip().endswith((",", ";", ")"))
        and text[len(before) : start + 4].split()[:1] == ["and"]
    )


def _work(
    text: str, tokens: Sequence[Token], lattice: Lattice, marginals: Matrix, group: Sequence[_Run]
) -> Work | None:
    """The work of a group, if it has more than a title."""
    places = {_trimmed(text, FIELDS[f], tokens[a].start, tokens[b].end): (f, a, b) for f, a, b in group}
    chosen: dict[str, list[Stretch]] = {}
    sure: dict[str, float] = {}
    for name, own in stretches_of(list(places)).items():
        chance = min(_chance(lattice, marginals, places[one]) for one in own)
        if chance >= _LEAST or name == "title":
            chosen[name], sure[name] = own, chance
    if len(chosen) < 2:
        return None
    start, end = min(one.start for one in places), max(one.end for one in places)
    inside = text[start:end]
    moved = {
        name: [Stretch(one.field, one.start - start, one.end - start) for one in own]
        for name, own in chosen.items()
    }
    span = Span(start=start, end=start + len(inside.rstrip(" ,;:\n")))
    return Work(span, reference_of(inside, moved), sure["title"], sure)


def _trimmed(text: str, field: str, start: int, end: int) -> Stretch:
    """Without a label or "de" before it, and what is behind the closing mark of a title."""
    for opening in (_LABEL, _OF) if field == "author" else (_LABEL,):
        found = opening.match(text, start, end)
        start = found.end() if found else start
    if field == "author" and (before := _SENTENCE_BEFORE.search(text, start, end)):
        start = before.end()  # …, by Fredric Jameson. Benedict Anderson, in *Imagined Communities*
    if field == "title":
        marked = _MARKED.match(text, start, end)
        end = marked.end() if marked and not text[marked.end() : end].strip(" .,*_)").startswith(":") else end
    return Stretch(field, start, end)


def _chance(lattice: Lattice, marginals: Matrix, run: _Run) -> float:
    """How likely a run is exactly this; of a date, that its likeliest token is one."""
    field, first, last = run
    if FIELDS[field] == "date":
        return float(marginals[first : last + 1, [2 * field, 2 * field + 1]].sum(axis=1).max())
    return lattice.run(field, first, last)
