"""What a look-up says about a quotation, in words: what agrees, what is near or differs, and what was not compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from guardrail.references.authors.names import parse_name
from guardrail.references.bibliography.records import FieldCheck, Match, Outcome, Record, Status

_NAMES = {"doi": "DOI", "arxiv": "arXiv number", "isbn": "ISBN", "pmid": "PubMed number", "url": "address"}
_IDENTIFIERS = frozenset({"doi", "arxiv", "isbn", "pmid", "url"})
_MOST = 4  # authors that are named


def name_of(field: str) -> str:
    """A field's name for a person.

    Example:
        >>> name_of("doi"), name_of("year")
        ('DOI', 'year')
    """
    return _NAMES.get(field, field)


def listed(words: Sequence[str]) -> str:
    """The words with commas and "and"; "" without any.

    Example:
        >>> listed(["title", "authors", "year"]), listed([])
        ('title, authors and year', '')
    """
    *most, last = words or [""]
    return f"{', '.join(most)} and {last}" if most else last


def compared(match: Match) -> str:
    """What of a work that exists was compared, and how it came out."""
    agree = [name_of(check.field) for check in match.having(Outcome.CONFIRMED)]
    near = [f"{name_of(check.field)}: {check.note}" for check in match.having(Outcome.NEAR)]
    differ = [_differing(check) for check in match.differences]
    open_ = [
        name_of(check.field) + (f" ({check.note})" if check.note else "")
        for check in match.having(Outcome.OPEN)
    ]
    parts = ["the work exists"]
    if not {check.field for check in match.fields} - _IDENTIFIERS and not differ:
        parts = ["exists", "nothing else claimed"] if not open_ else ["the work exists"]
    elif agree:
        verb = "agree" if len(agree) > 1 or agree[0] == "authors" else "agrees"
        parts.append(f"its {listed(agree)} {verb}")
    parts += [*near, *differ, match.detail, f"not compared: {', '.join(open_)}" if open_ else ""]
    return "; ".join(filter(None, parts))


def _differing(check: FieldCheck) -> str:
    verb = "differ" if check.field in {"authors", "pages"} else "differs"
    name = "publisher" if check.how == "house" else name_of(check.field)
    return f"{name} {verb}" + (f" ({check.note})" if check.note else "")


def corrected(wrong: Sequence[FieldCheck], work: Record) -> str:
    """What is wrong with the quotation of a work that exists, and what is right.

    Example:
        >>> check = FieldCheck("authors", Outcome.DIFFERS, "D. Knuth", "S. Lin; O. Evans", "changed")
        >>> corrected([check], Record("TruthfulQA", ("Stephanie Lin", "Owain Evans")))
        'real work, wrong authors: it is by Lin and Evans'
    """
    kinds = {check.how for check in wrong if check.field == "authors"}
    authors = (
        "authors missing" if "missing" in kinds else "authors in another order" if "order" in kinds else ""
    )
    another = "another publisher" if "house" in {check.how for check in wrong} else ""
    others = [
        name_of(check.field)
        for check in wrong
        if check.how != "house" and not (authors and check.field == "authors")
    ]
    told = ", ".join(filter(None, [f"wrong {listed(others)}" if others else "", authors, another]))
    right = "; ".join(filter(None, (_right(check, work) for check in wrong)))
    return f"real work, {told}" + (f": {right}" if right else "")


def _right(check: FieldCheck, work: Record) -> str:
    """What is right of one field."""
    if check.how in {"owner", "publisher", "doi", "later", "future", "impossible", "digits", "house"}:
        return belongs(check) if check.how == "owner" else check.note
    found = check.found
    known = {
        "title": f"its title is “{found}”",
        "authors": f"it is by {_people(work)}",
        "year": f"it is of {found}",
        "venue": f"it appeared in {found}",
        "volume": f"it is in volume {found}",
        "issue": f"it is in issue {found}",
        "pages": f"it is on pages {found}",
    }
    return known.get(check.field, f"its {name_of(check.field)} is {found}")


def _people(work: Record) -> str:
    names = [parse_name(name).family or name for name in work.authors]
    if len(names) > _MOST or work.et_al:
        return f"{', '.join(names[: _MOST - 1])} and others"
    return listed(names)


def another(match: Match) -> str:
    """That only another work has the title; "" where no work has it, or it is the one that is meant.

    Example:
        >>> title = FieldCheck("title", Outcome.CONFIRMED, "Deep learning", "Deep Learning")
        >>> another(Match(Status.ABSENT, Record("Deep Learning", ("Yann LeCun",), year=2015), 1.0, (title,)))
        'only another work with this title was found, by LeCun (2015)'
    """
    same = any(
        check.field == "title" and (check.outcome is Outcome.CONFIRMED or check.how == "slip")
        for check in match.fields
    )
    if match.status is Status.FOUND or match.record is None or not same:
        return ""
    who = f", by {_people(match.record)}" if match.record.authors else ""
    year = f" ({match.record.year})" if match.record.year is not None else ""
    return f"only another work with this title was found{who}{year}"


def belongs(check: FieldCheck) -> str:
    """Whose identifier it is that was given."""
    return f"the {name_of(check.field)} belongs to “{check.found}”"


def impossible(checks: Iterable[FieldCheck]) -> str:
    """What is wrong with a quotation of a work that is not known."""
    return "; ".join(
        f"{name_of(check.field)} {check.claimed} cannot be right: {check.note}" for check in checks
    )
