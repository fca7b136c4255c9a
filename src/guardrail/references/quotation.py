"""Which differences between a quotation and the real work are an accusation: the policy of `ReferenceCheck`.

After the rules for NeurIPS 2026: a reference is hallucinated if its title cannot be found, its authors are badly wrong or its
venue does not exist. A wrong venue, year, page or identifier, and authors left out without "et al.", are to be reported.
No list of venues is complete, so that a venue that no list knows is reported, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from typing import Literal, TypeAlias

from guardrail.references.bibliography.records import FieldCheck, Match, Outcome, Reference, Status

__all__ = ["Differences", "accused", "completed"]

Differences: TypeAlias = Literal["default", "strict"]

# Field and kind of the differences that are an accusation by default; "strict" accuses all that differ, and a year that
# differs by one.
_ACCUSED = frozenset(
    {("title", "another"), ("title", "invented"), ("authors", "changed"), ("authors", "added")}
)
_STRICT = frozenset({("year", "by one")})


def accused(checks: Iterable[FieldCheck], differences: Differences) -> tuple[FieldCheck, ...]:
    """The checks that are an accusation.

    Example:
        >>> check = FieldCheck("year", Outcome.DIFFERS, "2015", "2017", "other")
        >>> accused([check], "default"), accused([check], "strict") == (check,)
        ((), True)
    """
    if differences == "strict":
        return tuple(c for c in checks if c.outcome is Outcome.DIFFERS or (c.field, c.how) in _STRICT)
    return tuple(c for c in checks if c.outcome is Outcome.DIFFERS and (c.field, c.how) in _ACCUSED)


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
