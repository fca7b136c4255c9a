"""Works that share a title: whether a work that has the quoted title is another one than the one that was quoted.

"Deep Learning" is an article of 2015 and a book of 2016. Authors who did not write the article are no error of whoever quotes
the book, and no list of works has both for certain.
"""

from __future__ import annotations

from collections.abc import Mapping

from guardrail.references.authors.lists import compare_authors
from guardrail.references.authors.names import parse_name
from guardrail.references.authors.words import word_set
from guardrail.references.bibliography.comparison import check_fields
from guardrail.references.bibliography.conferences import named
from guardrail.references.bibliography.journals import journals
from guardrail.references.bibliography.normalise import normalise
from guardrail.references.bibliography.records import FieldCheck, Outcome, Record, Reference
from guardrail.references.bibliography.titles import Title
from guardrail.references.bibliography.venues import CUT, only_publishes, publishes, unlike

# Of the pairs of works with one title in `benchmarks.references.namesakes`, none has a title of more words than seven; longer ones are
# of one work whose authors somebody wrote down wrongly.
_LONGEST = 8
_SHARED = 1  # family names that two works of one title may have in common
_APART = 2  # years, which no delay between preprint and print explains
_OTHER_AUTHORS = frozenset({"changed", "added"})
_OTHER_IDENTIFIERS = frozenset({"other", "publisher"})
_IDENTIFIERS = ("doi", "arxiv", "isbn", "pmid", "url")
_PRESS = word_set("press verlag publisher publishers publishing books")


def is_namesake(reference: Reference, work: Record) -> bool:
    """Whether a work has the title that is quoted, and is another work.

    Its authors are others, but for one family name at most, and something else speaks for another work: a year two or more apart,
    another venue or identifier, or that one is a book and the other an article. Nothing that only this work has is quoted (an
    identifier, an address, the pages), and the title is short enough for two works.
    """
    words = Title(reference.title).words
    if (
        len(words) > (2 if all(len(word) == 1 for word in words) else 1) * _LONGEST
    ):  # of Chinese, each sign is a word
        return False
    checks = {check.field: check for check in check_fields(reference, None, [work])}
    authors = checks.get("authors")
    if authors is None or authors.outcome is not Outcome.DIFFERS or authors.how not in _OTHER_AUTHORS:
        return False
    if _shared(reference, work) > _SHARED or _is_pinned(checks):
        return False
    return (
        _years_apart(reference, work)
        or _is_elsewhere(checks.get("venue"))
        or {_form(reference), _form(work)} == {"book", "article"}
        or any(
            checks[name].how in _OTHER_IDENTIFIERS and checks[name].outcome is Outcome.DIFFERS
            for name in _IDENTIFIERS
            if name in checks
        )
    )


def _shared(reference: Reference, work: Record) -> int:
    """How many family names the two have in common."""
    ours, theirs = (
        [parse_name(name).family or name for name in names] for names in (reference.authors, work.authors)
    )
    compared = compare_authors(ours, theirs)
    return compared.claimed - len(compared.strangers)


def _is_pinned(checks: Mapping[str, FieldCheck]) -> bool:
    """Whether something is quoted that no other work has."""
    confirmed = {name for name, check in checks.items() if check.outcome is Outcome.CONFIRMED}
    return not confirmed.isdisjoint({*_IDENTIFIERS, "pages"}) or {"venue", "volume"} <= confirmed


def _years_apart(reference: Reference, work: Record) -> bool:
    return reference.year is not None and work.year is not None and abs(reference.year - work.year) >= _APART


def _is_elsewhere(venue: FieldCheck | None) -> bool:
    """Whether the two appeared in different places, as far as names tell.

    A name that was cut short says nothing, nor do two publishers. One publisher does if it is a press: others are named for
    journals and conferences, too.
    """
    if venue is None or venue.outcome in {Outcome.CONFIRMED, Outcome.NEAR}:
        return False
    if venue.outcome is Outcome.DIFFERS:
        return venue.how in {"another", "unlike", "unknown"}
    names = (venue.claimed, venue.found)
    houses = [name for name in names if only_publishes(name) or _is_press(name)]
    if len(venue.found) in {0, CUT} or len(houses) > 1 or not all(map(_is_press, houses)):
        return False
    return unlike(*names)


def _is_press(name: str) -> bool:
    return not _PRESS.isdisjoint(normalise(name).split())


def _form(work: Reference | Record) -> str:
    """Whether it is a book or an article; "" where that cannot be told. Papers of a conference may have the ISBN of the volume."""
    if work.arxiv or work.volume or work.issue:
        return "article"
    press = _is_press(work.venue)
    if not press and (named(work.venue) or (journals(work.venue) and not publishes(work.venue))):
        return "article"
    return "book" if press or work.isbn else ""
