"""Exchanged marks, by words alone: a claim whose words one other source has, and the source that its mark points to lacks.

A model's word is not certain enough to change an answer. The words that distinguish sources are numbers, names, and whatever else of a
claim only one source has.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from guardrail.given.sources import Source
from guardrail.report import Edit
from guardrail.selfcheck.grounding.novelty import telling_words
from guardrail.support.cited import Group
from guardrail.support.sources import Sources
from guardrail.text.typography import normalised

_NEW = 3  # what the other source must have that the mark's own lacks; a number counts twice
_SAID, _KNOWN = 0.4, 0.75  # share of the claim's words that it must have, or of those that any source has
_LOST = 0.34  # what only the own source has may weigh so much of what only the other one has
_LONG = 3  # digits of a number that is hardly in a text by chance
_OWN, _NEXT = 0.5, 0.75  # share of its words that the own source, and any other, may have
_YEAR = re.compile(r"\d{4}")
_HIGH = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_RAISED = str.maketrans("0123456789", _HIGH)
_NUMBER = re.compile(rf"[0-9]+|[{_HIGH}]+")
_ADDRESS = re.compile(r"https?://[\w.~/%?=&-]{1,300}")
_NAME = re.compile(r"[\w .-]{1,100}")  # what is put into an answer is no markup


def saying(claim: Collection[str], own: int, documents: Sequence[Collection[str]]) -> int | None:
    """The one other document that says a claim of which its own says nothing; `None` where that is not certain.

    Args:
        claim: its telling words.
        own: the document that its mark points to.
        documents: the telling words of each.

    Example:
        >>> texts = ["It was built in 1904 and burnt down in 1950.", "Visitors pay 5 euros.", "The dome is 40 m high."]
        >>> [saying(telling_words("It burnt down in 1950"), own, list(map(telling_words, texts))) for own in (0, 1)]
        [None, 0]
    """
    had = [{word for word in claim if word in words} for words in documents]
    owners = Counter(word for words in had for word in words)

    def weight(words: Collection[str]) -> float:
        return sum(_size(word) / owners[word] for word in words)

    best = max(range(len(had)), key=lambda i: weight(had[i]))
    new, lost = had[best] - had[own], had[own] - had[best]
    if best == own or sum(map(_size, new)) < _NEW or weight(lost) > _LOST * weight(new):
        return None
    if any(sum(map(str.isdigit, word)) >= _LONG for word in owners if word not in had[best]):
        return None  # a year or an amount that only another source has
    most = len(had[best])
    if most < _SAID * len(claim) and most < _KNOWN * len(owners):
        return None
    others = [weight(words) for i, words in enumerate(had) if i not in {own, best}]
    limit = weight(had[best])
    return best if weight(had[own]) <= _OWN * limit and all(one <= _NEXT * limit for one in others) else None


def _size(word: str) -> int:
    return 2 if any(map(str.isdigit, word)) else 1


@dataclass(frozen=True, slots=True)
class Exchange:
    """The document that a mark should point to.

    Attributes:
        document: counted from 0.
        edit: the mark in its place; `None` where the answer's marks cannot point to it.
    """

    document: int
    edit: Edit | None


def telling_words_of(sources: Sources) -> list[Collection[str]]:
    """The telling words of each document, its name among them."""
    return [telling_words(normalised(f"{source.name} {text}")) for text, source in sources.documents]


def exchanges(
    sources: Sources, names: Sequence[str], groups: Sequence[Group], words: Sequence[Collection[str]]
) -> list[Exchange | None]:
    """For each group of marks the exchange that is certain; `None` for several marks, and for marks of abstracts or several documents.

    Only documents that were given are exchanged for each other.
    """
    given = words[: sources.given]
    marks = [one.tie.mark.of(sources.answer) for group in groups for one in group.cites]
    return [_exchange(sources, names, group, given, marks) if len(given) > 1 else None for group in groups]


def documents_by_words(answer: str, group: Group, words: Sequence[Collection[str]]) -> list[int]:
    """The documents that a group's marks do not point to, those first that have most of the claim's telling words; numbers count twice.

    Args:
        answer: the text.
        group: its marks.
        words: the telling words of each document.
    """
    claim = {word for one in group.cites for word in telling_words(normalised(one.tie.claim.of(answer)))}
    rest = [number for number in range(len(words)) if number not in group.together]
    return sorted(rest, key=lambda number: -sum(_size(word) for word in claim if word in words[number]))


def _exchange(
    sources: Sources,
    names: Sequence[str],
    group: Group,
    words: Sequence[Collection[str]],
    marks: Sequence[str],
) -> Exchange | None:
    if len(group.cites) > 1 or len(group.together) != 1 or sources.documents[group.together[0]][1].abstract:
        return None
    tie, own = group.cites[0].tie, group.together[0]
    mark, claim = tie.mark.of(sources.answer), tie.claim.of(sources.answer)
    document = saying(telling_words(normalised(claim.replace(mark, " ") if mark else claim)), own, words)
    if document is None:
        return None
    new = mark_of(document, mark, sources, marks)
    edit = None if new is None else Edit(span=tie.mark, replacement=new, why=f"{names[document]} says it")
    return Exchange(document, edit)


def mark_of(document: int, mark: str, sources: Sources, marks: Sequence[str]) -> str | None:
    """How an answer that writes a mark so points to another document; `None` where it has no such mark.

    Args:
        document: counted from 0.
        mark: as written.
        sources: the documents.
        marks: all that the answer has.

    Example:
        >>> from guardrail.given.sources import Source
        >>> sources = Sources("", (("…", Source(name="a.pdf")), ("…", Source(name="b.pdf"))))
        >>> mark_of(0, "[2]", sources, ["[2]"]), mark_of(0, "(b.pdf)", sources, ["(b.pdf)"])
        ('[1]', '(a.pdf)')
    """
    written = [one for one in dict.fromkeys(marks) if _style(one) == _style(mark)]
    dated = (
        _YEAR.search(mark) and "](" not in mark
    )  # (Smith, 2020): the name of another source's author is not known
    made = [] if dated else _renamed(document, mark, sources)
    return next((one for one in (*written, *made) if sources.of_mark(one) == (document,)), None)


def _renamed(document: int, mark: str, sources: Sources) -> Iterator[str]:
    """A mark with another number, or another name; an answer with a list of sources has no other numbers than this list."""
    name = sources.documents[document][1].name
    number = name if name.isdigit() else str(document + 1)
    digits = _NUMBER.findall(mark)
    if len(digits) == 1 and "](" not in mark and sources.lists(number):
        yield mark.replace(digits[0], number.translate(_RAISED) if digits[0][0] in _HIGH else number)
    own = sources.of_mark(mark)
    if len(own) == 1 and mark == _link(sources.documents[own[0]][1]):
        yield _link(sources.documents[document][1])
    if any(mark[1:-1] == source.name for _, source in sources.documents) and _NAME.fullmatch(name):
        yield f"{mark[0]}{name}{mark[-1]}"


def _link(source: Source) -> str:
    """A link to a source under its name; "" where one of them could be more than that."""
    plain = _NAME.fullmatch(source.name) and _ADDRESS.fullmatch(source.url)
    return f"[{source.name}]({source.url})" if plain else ""


def _style(mark: str) -> tuple[str, ...]:
    """What two marks of one style have in common."""
    ends = ("n" if one.isdigit() else "w" if one.isalpha() else one for one in (mark[:1], mark[-1:]))
    return (
        *ends,
        "link" if "](" in mark else "",
        "note" if "^" in mark else "",
        "year" if _YEAR.search(mark) else "",
    )
