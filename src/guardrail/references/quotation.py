"""Which differences between a quotation and the real work are an accusation: the policy of `ReferenceCheck`.

After the rules for NeurIPS 2026: a reference is hallucinated if its title cannot be found, its authors are badly wrong or its
venue does not exist. A wrong venue, year, page or identifier, and authors left out without "et al.", are to be reported.
No list of venues is complete: by default, one that no list knows is neither; the reason of the finding mentions it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from guardrail.references.bibliography.records import FieldCheck, Match, Outcome, Status, in_order
from guardrail.references.bibliography.venues import unlike
from guardrail.references.citations.eastern import SCRIPT
from guardrail.references.citations.houses import is_press, one_house

Differences: TypeAlias = Literal["default", "strict"]

# Fields and kinds of difference that are an accusation by default.
_ACCUSED = frozenset(
    {("title", "another"), ("title", "invented"), ("authors", "changed"), ("authors", "added")}
)
_BY_NAMES = frozenset(
    {"unlike", "house"}
)  # venues that no list has, compared by their words: never more than a mark
_SHOP = re.compile(
    r"amazon(?:\.\w+)?|audible|kindle(?: edition)?|google books|apple books|goodreads|scribd|e-?book|paperback|hardcover",
    re.IGNORECASE,
)
# "strict" accuses all that differ. Besides: a year that differs by one, unless a preprint is cited; a venue that no list knows,
# if the work's own is known; and, if the bibliography claims to have every work, print of which it has the preprint only.


def accused(match: Match, differences: Differences) -> tuple[FieldCheck, ...]:
    """The checks of a match that are an accusation.

    Example:
        >>> match = Match(Status.FOUND, fields=(FieldCheck("year", Outcome.DIFFERS, "2015", "2017", "other"),))
        >>> accused(match, "default"), accused(match, "strict") == match.fields
        ((), True)
    """
    return tuple(check for check in match.fields if _is_accused(check, match, differences))


def _is_accused(check: FieldCheck, match: Match, differences: Differences) -> bool:
    if differences == "default":
        if check.how == "invented" and _is_known(match):
            return False  # catalogues leave subtitles out
        return check.outcome is Outcome.DIFFERS and (check.field, check.how) in _ACCUSED
    if check.how == "by one":
        return not any(other.how == "preprint" for other in match.fields)
    return (
        (check.outcome is Outcome.DIFFERS and check.how not in _BY_NAMES)
        or check.how == "unknown"
        or (match.complete and check.how == "published")
    )


def _is_known(match: Match) -> bool:
    """Whether a work is known whatever follows its title: its authors agree, and its year and venue, of which one must be said."""
    outcomes = {check.field: check.outcome for check in match.fields}
    said = [outcomes[name] for name in ("year", "venue") if name in outcomes]
    known = outcomes.get("authors") is Outcome.CONFIRMED
    return known and bool(said) and all(outcome is Outcome.CONFIRMED for outcome in said)


def completed(match: Match, contradictions: Sequence[FieldCheck]) -> Match:
    """The match with what it lacks: what is wrong with the quotation by itself, where no record of the work says more, and another publisher.

    Args:
        match: of a look-up.
        contradictions: of the quotation, whatever the work (`contradictions.contradictions`).
    """
    found = {check.field: check for check in match.fields}
    if match.complete and (house := _other_house(found)):
        found["venue"] = house
    for check in contradictions:
        known = found.get(check.field)
        settled = known is not None and known.outcome in {Outcome.CONFIRMED, Outcome.DIFFERS}
        if not settled or match.status is not Status.FOUND:
            found[check.field] = check
    return replace(match, fields=in_order(found))


def _other_house(found: Mapping[str, FieldCheck]) -> FieldCheck | None:
    """The check of a venue, or a publisher, that has nothing in common with the one of this year's edition; `None` if that cannot be told.

    Editions of other years have other publishers. One of the same year may have another in another country, which the bibliography
    does not have: so this is a mark, and never an accusation.
    """
    venue, year = found.get("venue"), found.get("year")
    if venue is None or year is None or year.outcome is not Outcome.CONFIRMED:
        return None
    house = is_press(venue.found) or SCRIPT.search(venue.found) is not None
    known = house or venue.how == "unknown"
    if venue.outcome is not Outcome.OPEN or not known or not unlike(venue.claimed, venue.found):
        return None
    if _SHOP.fullmatch(venue.claimed.strip()) or one_house(venue.claimed, venue.found):
        return None
    if not house and is_press(venue.claimed):  # the publisher of a journal or of a conference's papers
        return None
    if not house:
        return replace(venue, outcome=Outcome.DIFFERS)
    note = f"the bibliography has {venue.found}"
    return replace(venue, outcome=Outcome.DIFFERS, how="house", note=note)
