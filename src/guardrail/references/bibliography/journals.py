"""Journals and their abbreviations: 42,000 names, read when the first is asked for.

The names are those of abbrv.jabref.org (CC0); `scripts/journals.py` packs them. Such lists miss many real journals
(41 % of those in hand-labelled references): a name that is not among them proves nothing.
"""

from __future__ import annotations

import lzma
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path

from guardrail.references.authors.words import word_set
from guardrail.references.bibliography.normalise import normalise
from guardrail.references.bibliography.titles import FUNCTION_WORDS

FILE = Path(__file__).with_name("journals.txt.xz")
SMALL = FUNCTION_WORDS | word_set("de der des die das du la le les et und y e di della del")


def abbreviates(short: Sequence[str], name: Sequence[str]) -> bool:
    """Whether each word of an abbreviation is the beginning of a word of the name, in order, none of them left out.

    Example:
        >>> abbreviates("j mach learn res".split(), "journal of machine learning research".split())
        True
    """
    content = [word for word in name if word not in SMALL] or list(name)
    said = [word for word in short if word not in SMALL] or list(short)
    return len(said) == len(content) and all(map(_begins, said, content))


def _begins(short: str, word: str) -> bool:
    """Whether a word is cut short: "learn" for "learning", "natl" for "national"."""
    return word.startswith(short) or (
        len(short) >= 2 and word[0] == short[0] and word[:2] == short[:2] and _letters_of(short, word)
    )


def _letters_of(short: str, word: str) -> bool:
    rest = iter(word)
    return all(letter in rest for letter in short)


@lru_cache(maxsize=4096)
def journals(name: str) -> frozenset[str]:
    """The normalised full names of the journals that a name or an abbreviation may mean; empty if none is known.

    Example:
        >>> sorted(journals("Phys. Rev. Lett."))
        ['physical review letters']
    """
    said = normalise(name)
    names, abbreviations, by_initials = _tables()
    found = set(abbreviations.get(said, ()))
    if said in names:
        found.add(said)
    words = said.split()
    if not found and words:
        found = {full for full in by_initials.get(_initials(words), ()) if abbreviates(words, full.split())}
    return frozenset(found)


def _initials(words: Sequence[str]) -> str:
    return "".join(word[0] for word in words if word not in SMALL) or words[0][0]


@cache
def _tables() -> tuple[frozenset[str], Mapping[str, list[str]], Mapping[str, list[str]]]:
    """All names; the names by their stored abbreviations; the names by their initials."""
    abbreviations: dict[str, list[str]] = {}
    by_initials: dict[str, list[str]] = {}
    names = []
    for line in lzma.decompress(FILE.read_bytes()).decode().splitlines():
        name, *shorts = line.split("\t")
        names.append(name)
        by_initials.setdefault(_initials(name.split()), []).append(name)
        for short in shorts:
            abbreviations.setdefault(short, []).append(name)
    return frozenset(names), abbreviations, by_initials
