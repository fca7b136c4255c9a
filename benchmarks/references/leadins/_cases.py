"""The cases: a lead-in, a shape and a work each; and names of authors, as a record has them and as a reference writes them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from guardrail.references.bibliography.records import Record
from guardrail.references.bibliography.titles import FUNCTION_WORDS

__all__ = ["HALVES", "SHAPES", "Case", "NameCase", "cases", "longer", "name_cases", "plain", "works"]

HERE = Path(__file__).resolve().parent
HALVES = ("seen", "unseen")
# {o}: a sentence of the language; {l}: the lead-in and a space; {t}: the title; {a}: Ann Roe and Jo Poe; {i}: Roe, A., & Poe, J.; {c}: Roe A, Poe J; {f}: Roe & Poe
SHAPES = {
    "APA": "{o}\n\n{l}{i} ({y}). *{t}*. {v}.",
    "mark and entry": "{o} {l}{f} ({y}).\n\n{i} ({y}). {t}. {v}.",
    "numbered": "{o}\n\n1. {l}{c}. {t}. {v}. {y}.",
    "quotation": "{o} {l}{a}, “{t}” ({v}, {y}).",
    "title and author": "{o}\n\n{l}{t} — {a} ({y})",
}
_NO_SPACE = "，、：。"  # ends of words behind which Chinese and Japanese have no space


@dataclass(frozen=True, slots=True)
class Case:
    """A short answer with one reference.

    Attributes:
        half: 0 for what was looked at while the rules were written, 1 for what was not.
        language: of the lead-in; "" without one.
        shape: a key of `SHAPES`.
        work: that is cited.
        text: the answer.
        false: the same, with the authors of another work.
    """

    half: int
    language: str
    shape: str
    work: Record
    text: str
    false: str


@dataclass(frozen=True, slots=True)
class NameCase:
    """Authors of a record, and authors that a reference names: whether they are the same, and what makes them hard."""

    half: int
    kind: str
    record: tuple[str, ...]
    cited: str
    same: bool


def _rows(name: str) -> Iterator[dict[str, Any]]:
    return map(json.loads, (HERE / name).read_text(encoding="utf-8").splitlines())


def works(half: int) -> list[Record]:
    """The works of a half."""
    return [
        Record(row["title"], tuple(row["authors"]), year=row["year"], venue=row["venue"])
        for row in _rows("works.jsonl")
        if row["half"] == half
    ]


def cases(half: int) -> list[Case]:
    """Every lead-in of a half in every shape, each with the next work of the half."""
    found, known = list[Case](), works(half)
    for lead in (row for row in _rows("leadins.jsonl") if row["half"] == half):
        words = lead["words"] + " " * (lead["words"][-1] not in _NO_SPACE)
        for shape in SHAPES:
            at = len(found) + len(found) // len(known)  # so that a shape meets every work
            found.append(
                _case(
                    half,
                    lead["language"],
                    shape,
                    (known[at % len(known)], known[(at + 1) % len(known)]),
                    words,
                )
            )
    return found


def plain(half: int) -> list[Case]:
    """Every work of a half in every shape, without a lead-in."""
    known = works(half)
    pairs = list(zip(known, [*known[1:], known[0]], strict=True))
    return [_case(half, "", shape, pair, "") for shape in SHAPES for pair in pairs]


def longer(half: int) -> list[Case]:
    """Titles that nobody has given: every beginning of a half before every title, with the authors of the real work."""
    shape = "title and author"
    found = []
    for row in (row for row in _rows("beginnings.jsonl") if row["half"] == half):
        for work in works(half):
            first, _, rest = work.title.partition(" ")
            small = [word.islower() for word in rest.split() if word not in FUNCTION_WORDS]
            sentence = 2 * sum(small) > len(small)  # then no capital is inside
            inside = first.lower() if first.lower() in FUNCTION_WORDS or sentence else first
            title = f"{row['words']} {inside} {rest}".strip()
            text = _text(shape, _opening("en"), "", replace(work, title=title), work)
            found.append(Case(half, "", shape, replace(work, title=title), text, ""))
    return found


def _opening(language: str) -> str:
    return next(str(row["text"]) for row in _rows("openings.jsonl") if row["language"] == language)


def _case(half: int, language: str, shape: str, pair: tuple[Record, Record], words: str) -> Case:
    """A case of the first work; the second one lends its authors."""
    real, false = (_text(shape, _opening(language or "en"), words, pair[0], by) for by in pair)
    return Case(half, language, shape, pair[0], real, false)


def _text(shape: str, opening: str, words: str, work: Record, by: Record) -> str:
    families = [_family(name)[0] for name in by.authors]
    return SHAPES[shape].format(
        o=opening,
        l=words,
        t=work.title,
        y=work.year,
        v=work.venue.rstrip("."),
        a=_joined(by.authors, " and "),
        i=_joined(
            [f"{family}, {_initials(given, '. ')}." for family, given in map(_family, by.authors)], ", & "
        ),
        c=", ".join(f"{family} {_initials(given, '')}" for family, given in map(_family, by.authors)),
        f=f"{families[0]} et al." if len(families) > 2 else " & ".join(families),
    )


def _joined(names: Sequence[str], last: str) -> str:
    return last.join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def _family(name: str) -> tuple[str, list[str]]:
    """The family name, with a particle before it, and the given names."""
    words = name.split()
    start = len(words) - 1
    while start > 1 and words[start - 1] in {"de", "De"}:
        start -= 1
    return " ".join(words[start:]), words[:start]


def _initials(given: Sequence[str], between: str) -> str:
    return between.join(name[0] for name in given)


def name_cases(half: int) -> list[NameCase]:
    """The names of a half."""
    return [
        NameCase(row["half"], row["kind"], tuple(row["record"]), row["cited"], row["same"])
        for row in _rows("names.jsonl")
        if row["half"] == half
    ]
