"""Which reference of an answer an author-year mark means."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from guardrail.references.authors.leads import without_lead
from guardrail.references.authors.names import family_names, parse_name
from guardrail.references.bibliography.normalise import normalise
from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.model import Citation

__all__ = ["Entries"]

_LEAST_INITIALS = 3  # of a body that is cited by them
_MOST_BODIES = 100  # whose short names are looked for
_MOST = 30  # references of one name and year, which have letters behind the year
_HAN_ONLY = re.compile(r"[\u3005\u3400-\u9fff]{3,6}")
_SHORT = re.compile(r"\s[\[(](?P<short>[A-Z][\w&-]{1,12})(?=[\])]|,\s\d{4})")
_LONGEST_BODY = 120  # characters


class Entries:
    """The references of an answer by the name of the first author and the year, 0 where a title has none.

    Args:
        answer: the text, which may give the short name of a body: World Health Organization (WHO).
        found: the references that were read from it.
    """

    def __init__(self, answer: str, found: Iterable[Citation]) -> None:
        entries = [
            one for one in found if one.reference.authors and (one.reference.year or one.reference.title)
        ]
        bodies = [one.reference.authors[0] for one in entries if " " in one.reference.authors[0]]
        self._short = _short_names(answer, bodies[:_MOST_BODIES])
        self._by_name: dict[tuple[str, int], list[Citation]] = {}
        self._years = set[int]()
        for one in entries:
            year = one.reference.year or 0
            self._years.add(year)
            for name in self._spellings(one.reference.authors[0]) | _families(one.reference.authors[0]):
                same = self._by_name.setdefault((name, year), [])
                same += [one] * (len(same) < _MOST)

    def __bool__(self) -> bool:
        return bool(self._years)

    def of(self, year: int) -> bool:
        """Whether there are references of a year."""
        return year in self._years

    def meant(self, mark: Reference, suffix: str = "") -> Citation | None:
        """The only reference with the first author and the year of a mark, or else without a year; `suffix` is the letter behind the year."""
        if mark.year is None or not mark.authors or not self._years:
            return None
        return self._meant(mark, suffix) or self._meant_behind(mark)

    def _meant_behind(self, mark: Reference) -> Citation | None:
        """The only reference of which a mark names all authors behind what leads them in: Por ejemplo, Osborne & Rubinstein (1994)."""
        for led in without_lead(mark.authors):
            behind = replace(mark, authors=led.names)
            meant = self._meant(behind, "")
            if meant and _all_named(behind, meant.reference):
                return meant
        return None

    def _meant(self, mark: Reference, suffix: str) -> Citation | None:
        if mark.year is None:
            return None
        names = self._spellings(mark.authors[0])
        found = self._named(names, mark.year) or {
            start: one for start, one in self._named(names, 0).items() if _all_named(mark, one.reference)
        }
        meant = [found[start] for start in sorted(found)]
        if len(meant) > 1 and len(mark.authors) > 1:
            second = self._spellings(mark.authors[1])
            alike = [
                one
                for one in meant
                if len(one.reference.authors) > 1 and second & self._spellings(one.reference.authors[1])
            ]
            meant = alike or meant
        if len(meant) > 1 and suffix:
            meant = meant[ord(suffix) - ord("a") :][:1]
        return meant[0] if len(meant) == 1 else None

    def _named(self, names: Iterable[str], year: int) -> dict[int, Citation]:
        """References by where they begin."""
        return {one.span.start: one for name in names for one in self._by_name.get((name, year), [])}

    def _spellings(self, author: str) -> set[str]:
        """What a mark may call an author: by family name, by the whole name, a body by its initials or its short name."""
        whole = normalise(author)
        initials = "".join(word[0] for word in author.split() if word[:1].isupper()).lower()
        shorter = {initials[:count] for count in range(_LEAST_INITIALS, len(initials) + 1)}
        family = parse_name(author).family
        bare = " ".join(word for word in family.split() if not word.islower())  # Graaf, of de Graaf
        return {
            name
            for name in (whole, normalise(family), normalise(bare), *shorter, *self._short.get(whole, ()))
            if name
        }


def _all_named(mark: Reference, entry: Reference) -> bool:
    """Whether a mark names all authors of an entry without a year, or says that there are more."""
    said, written = family_names(mark.authors), family_names(entry.authors)
    return said == written[: len(said)] and (mark.et_al or entry.et_al or len(said) == len(written))


def _families(author: str) -> set[str]:
    """The family name of a Japanese author, which nothing parts from the given name: 田中一郎."""
    return (
        {normalise(author[:size]) for size in (2, 3) if len(author) > size}
        if _HAN_ONLY.fullmatch(author)
        else set()
    )


def _short_names(answer: str, bodies: Iterable[str]) -> dict[str, set[str]]:
    """The short names that a text gives of bodies, by their normalised names: National Institute of Health (NIH)."""
    by_word: dict[str, set[str]] = {}
    for body in {normalise(body) for body in bodies}:
        by_word.setdefault(body.rpartition(" ")[2], set()).add(body)
    found: dict[str, set[str]] = {}
    for short in _SHORT.finditer(answer) if by_word else ():
        before = normalise(answer[max(0, short.start() - _LONGEST_BODY) : short.start()])
        for body in by_word.get(before.rpartition(" ")[2], ()):
            if before.endswith(body):
                found.setdefault(body, set()).add(normalise(short["short"]))
    return found
