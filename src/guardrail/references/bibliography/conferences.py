"""Conferences and journals of computer science: acronyms, names, series, and what their DOIs look like.

The table is `conferences.toml`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from guardrail.references.authors.words import word_set
from guardrail.references.bibliography.journals import abbreviates
from guardrail.references.bibliography.normalise import normalise

_PREPRINTS = frozenset({"arxiv", "biorxiv", "medrxiv", "ssrn", "openreview", "psyarxiv"})
# What stands around the name of a conference and is no part of it.
AROUND = word_set(
    "proceedings proc procs annual ann international intl int the of in on for and a ieee cvf acm siam usenix st nd rd th "
    "volume vol no number pages pp paper papers track main long short oral poster spotlight conference conf preprint "
    "preprints eprint abs datasets benchmarks "
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth thirtieth fortieth fiftieth twenty thirty forty fifty sixty"
)
_KEPT = frozenset({"conference", "conf"})  # tells "Conference on Machine Learning" from "Machine Learning"
_PARTS = re.compile(r"[,;:()\[\]|/]|\s[–—-]\s|\bIn:?\s(?=[A-Z])")
_ACRONYM = re.compile(r"[A-Za-z0-9&*]+(?:[-/][A-Za-z]+)*")
_NUMBER = re.compile(r"\d+(?:st|nd|rd|th)?|[ivxl]+|\d{2,4}")
_BESIDE = re.compile(r"\b(?:work ?shops?|wksp|wkshps?|findings|companion|tutorials?|demonstrations?|student|adjunct|cvprw|iccvw|eccvw|wacvw)\b", re.IGNORECASE)  # fmt: skip
LONGEST = 300  # characters of a name that are read


@dataclass(frozen=True, slots=True)
class Conference:
    """One row of the table.

    Attributes:
        key: its first acronym, in lower case.
        acronyms: as people write them.
        names: normalised names.
        series: keys of the table's series.
        prefixes: of its DOIs; `None` if not known, empty if it gives none.
    """

    key: str
    acronyms: tuple[str, ...]
    names: tuple[str, ...]
    series: frozenset[str]
    prefixes: frozenset[str] | None

    @property
    def preprint(self) -> bool:
        """Whether it is a repository of preprints."""
        return self.key in _PREPRINTS


@dataclass(frozen=True, slots=True)
class Named:
    """What a venue's name says: a conference, and whether only a side event of it (a workshop, its findings)."""

    conference: Conference
    beside: str = ""


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


@cache
def _rows() -> tuple[Conference, ...]:
    return tuple(_row(said.split(), **entry) for said, entry in _table()["venues"].items())


def _row(
    acronyms: list[str], *, names: list[str], series: Sequence[str] = (), prefixes: list[str] | None = None
) -> Conference:
    known = None if prefixes is None else frozenset(prefixes)
    return Conference(acronyms[0].lower(), tuple(acronyms), tuple(names), frozenset(series), known)


@cache
def _by_acronym() -> Mapping[str, Conference]:
    return {re.sub("[-/]", " ", acronym.lower()): row for row in _rows() for acronym in row.acronyms}


@cache
def _by_words() -> Sequence[tuple[tuple[str, ...], Conference]]:
    return [(_core(name.split()), row) for row in _rows() for name in row.names]


def conference(acronym: str) -> Conference | None:
    """The conference with an acronym.

    Example:
        >>> conference("NIPS").key
        'neurips'
    """
    return _by_acronym().get(acronym.lower())


@lru_cache(maxsize=4096)
def named(name: str) -> Named | None:
    """The conference that a name means; `None` where the table has none or that is not certain.

    Example:
        >>> named("Proceedings of the 37th International Conference on Machine Learning, PMLR 119").conference.key
        'icml'
        >>> named("ICML 2020 Workshop on Theory").beside
        'workshop'
        >>> named("Conference on Machine Learning and Applications") is None
        True
    """
    text = name[:LONGEST]
    parts = [part for part in _PARTS.split(text) if part.strip()]
    found = next(filter(None, map(_by_name, parts)), None) or next(
        filter(None, map(_by_its_acronym, parts)), None
    )
    beside = _BESIDE.search(text)
    if found is None:
        found = _with_workshop(text) if beside else None
    if found is None:
        return None
    word = (
        normalise(beside.group())
        if beside and not any(normalise(beside.group()) in n for n in found.names)
        else ""
    )
    return Named(found, "" if not word else "findings" if word == "findings" else "workshop")


@lru_cache(maxsize=1024)
def series_of(name: str) -> str:
    """The series of proceedings that a name means, a key of the table's series; "" if it means no series."""
    words = " ".join(
        word
        for word in normalise(name[:LONGEST]).split()
        if not _NUMBER.fullmatch(word) and word not in {"vol", "volume"}
    )
    return next((key for key, names in _table()["series"].items() if words in names), "")


def _core(words: Sequence[str]) -> tuple[str, ...]:
    """The words that tell one conference from another."""
    return tuple(
        word for word in words if (word not in AROUND or word in _KEPT) and not _NUMBER.fullmatch(word)
    )


def _by_name(part: str) -> Conference | None:
    said = _core(normalise(part).split())
    if not said:
        return None
    for words, row in _by_words():
        if said == words or (len(said) == len(words) > 1 and abbreviates(said, words)):
            return row
    return None


def _by_its_acronym(part: str) -> Conference | None:
    """An acronym that stands alone, or among words that say nothing; of a joint conference the first."""
    written = [
        word
        for word in _ACRONYM.findall(part)
        if not _NUMBER.fullmatch(word.lower()) and word.lower() not in AROUND
    ]
    plain = [re.sub(r"\d{2,4}$", "", word) for word in written]
    whole = _by_acronym().get(normalise(" ".join(plain)))
    if whole is not None and (len(plain) > 1 or not plain[0].islower() or whole.preprint):
        return whole
    known = [
        _by_acronym().get(word.lower())
        for words in plain
        for word in re.split("[-/]", words)
        if word.lower() != "advances"
    ]
    if any(word.islower() for word in plain) or not all(known):
        return None
    return next(iter(known), None)


def _with_workshop(text: str) -> Conference | None:
    """The conference in "ICML Workshop on Theory" and "Findings of EMNLP", by its acronym in capitals or its name."""
    for word in _ACRONYM.findall(text):
        plain = re.sub(r"\d{2,4}$", "", word)
        row = _by_acronym().get(plain.lower()) or (
            _by_acronym().get(plain[:-1].lower()) if plain.endswith("W") else None
        )
        if row is not None and sum(map(str.isupper, plain)) >= 2:
            return row
    for words, row in _by_words():
        if len(words) >= 3 and " ".join(words) in " ".join(_core(normalise(text).split())):
            return row
    return None
