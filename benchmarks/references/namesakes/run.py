"""Different works that have one title: is one of them called wrong because a bibliography has the other?

`pairs.jsonl` has pairs of records of real works. Each work of a pair is judged where only the other one is known. Beside them, real
records of `data/biblio` whose titles are as short are quoted with the authors of another record, which is an error and has to stay one.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from benchmarks._rows import Row
from benchmarks._table import Run, bench
from guardrail.references.authors.lists import compare_authors
from guardrail.references.bibliography.formats import read_records
from guardrail.references.bibliography.matching import judge
from guardrail.references.bibliography.records import Match, Record, Reference, Status
from guardrail.references.bibliography.titles import Title
from guardrail.references.bibliography.venues import same_venue
from guardrail.references.quotation import accused

__all__ = ["main"]

HERE = Path(__file__).resolve().parent
SEED = 20261129
SHORT = 7  # words: the longest title of a pair in Latin letters
CHANGED = 1500
HALVES = ("looked at", "not looked at")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two works of one title; `half`: 1 if nobody looked at it before the rule was finished."""

    half: int
    one: Record
    other: Record

    @property
    def alike(self) -> bool:
        """Whether nothing but the authors tells them apart: neither years that are known and two or more apart, nor venues that are known."""
        years = (self.one.year, self.other.year)
        if years[0] is not None and years[1] is not None and abs(years[0] - years[1]) > 1:
            return False
        return not (self.one.venue and self.other.venue) or same_venue(self.one.venue, self.other.venue)


def pairs() -> list[Pair]:
    """All pairs."""
    found = []
    for line in (HERE / "pairs.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        found.append(Pair(row["half"], _record(row["one"]), _record(row["other"])))
    return found


def _record(row: dict[str, Any]) -> Record:
    return Record(**{**row, "authors": tuple(row["authors"])})


def quoted(work: Record) -> Reference:
    """The reference that says all that is known of a work."""
    return Reference(**{field.name: getattr(work, field.name) for field in fields(Reference)})


def compute(run: Run) -> list[Row]:
    """Every row."""
    run.parameters["seed"] = SEED
    looked = [
        (pair, judge(quoted(work), [namesake]))
        for pair in pairs()
        for work, namesake in ((pair.one, pair.other), (pair.other, pair.one))
    ]
    rows = []
    for half, name in enumerate(HALVES):
        rows += of_pairs(name, [(pair, match) for pair, match in looked if pair.half == half])
    files = sorted(run.data("biblio").glob("titles-*.tsv"))[:: 4 if run.fast else 1]
    return rows + changed([work for file in files for work in read_records(file)])


def of_pairs(name: str, looked: Sequence[tuple[Pair, Match]]) -> list[Row]:
    """How the works of pairs come out."""
    apart = [match for pair, match in looked if not pair.alike]
    alike = [match for pair, match in looked if pair.alike]
    rows = [
        Row.shown(f"pairs {name}", len({id(pair) for pair, _ in looked})),
        Row.at_most(f"called wrong, pairs {name}", _wrong(apart), 0.03),
        Row.shown(
            f"taken for its namesake, pairs {name}", _share(match.status is Status.FOUND for match in apart)
        ),
    ]
    if alike:
        rows += [
            Row.shown(f"works that differ in nothing but the authors, pairs {name}", len(alike)),
            Row.shown(f"called wrong, differing in nothing but the authors, pairs {name}", _wrong(alike)),
        ]
    return rows


def changed(works: Sequence[Record]) -> list[Row]:
    """Real works of short titles under the names of others, where they are known."""
    rng = random.Random(SEED)
    short = [
        work
        for work in works
        if work.authors and work.year and work.venue and len(Title(work.title).words) <= SHORT
    ]
    some = rng.sample(short, min(CHANGED, len(short) // 2))
    others = rng.sample(short, len(some))
    false = [
        (quoted(replace(work, authors=other.authors, et_al=other.et_al)), work)
        for work, other in zip(some, others, strict=True)
        if compare_authors(other.authors, work.authors).agree is False
    ]
    plain = [judge(reference, [work]) for reference, work in false]
    later = [judge(replace(reference, year=(work.year or 0) + 3), [work]) for reference, work in false]
    return [
        Row.shown("works under other names", len(false)),
        Row.at_least("called wrong, under other names", _wrong(plain), 0.95),
        Row.shown("called wrong, under other names, and three years later", _wrong(later)),
    ]


def _wrong(matches: Iterable[Match]) -> float | None:
    return _share(bool(accused(match, "default")) and match.status is Status.FOUND for match in matches)


def _share(said: Iterable[bool]) -> float | None:
    every = list(said)
    return sum(every) / len(every) if every else None


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    return bench("references.namesakes", compute, argv, folder=HERE, doc=__doc__ or "")
