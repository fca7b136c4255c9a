"""Which differences between a quotation and the real work are an accusation: the policy of `ReferenceCheck`.

After the rules for NeurIPS 2026: a reference is hallucinated if its title cannot be found, its authors are badly wrong or its
venue does not exist. A wrong venue, year, page or identifier, and authors left out without "et al.", are to be reported.
No list of venues is complete: by default, one that no list knows is neither; the reason of the finding mentions it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Literal, TypeAlias

from guardrail.references.bibliography.records import FieldCheck, Match, Outcome, Reference, Status

__all__ = ["Differences", "accused", "completed"]

Differences: TypeAlias = Literal["default", "strict"]

# Fields and kinds of difference that are an accusation by default.
_ACCUSED = frozenset(
    {("title", "another"), ("title", "invented"), ("authors", "changed"), ("authors", "added")}
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
        (check.outcome is Outcome.DIFFERS and check.how != "unlike")
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
    """The match with what is wrong with the quotation by itself, where no record of the work says more."""
    if not contradictions:
        return match
    found = {check.field: check for check in match.fields}
    for check in contradictions:
        known = found.get(check.field)
        settled = known is not None and known.outcome in {Outcome.CONFIRMED, Outcome.DIFFERS}
        if not settled or match.status is not Status.FOUND:
            found[check.field] = check
    return replace(
        match, fields=tuple(found[field.name] for field in fields(Reference) if field.name in found)
    )
