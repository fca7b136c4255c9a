"""Author-year marks in brackets."""

from __future__ import annotations

import pytest

from guardrail.references.bibliography.records import Reference
from guardrail.references.citations import citations
from guardrail.references.citations.author_year import author_year_marks
from guardrail.references.citations.entries import Entries
from guardrail.references.citations.model import Citation
from guardrail.report import Span


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It grows (Roe et al., 2001).", ["Roe et al., 2001"]),
        ("It grows (see Roe et al. 2001b).", ["Roe et al. 2001b"]),
        ("Es wächst (vgl. auch Roe et al., 2001).", ["Roe et al., 2001"]),
        ("It grows (3, Roe, 2001; 12, Ó’Neill, 1999).", ["Roe, 2001", "Ó’Neill, 1999"]),
        (
            "It grows (Roe and van der Berg, 2003; Doe & Poe 1999).",
            ["Roe and van der Berg, 2003", "Doe & Poe 1999"],
        ),
        ("It grows [Roe et al., 2001].", ["Roe et al., 2001"]),
        ("It grows (Roe, 2001; Doe, 1999).", ["Roe, 2001", "Doe, 1999"]),
        ("A book (Anchor, 1961), a town (Paris, 2019), a firm (Simon & Schuster, 2019).", []),
        ("A date (May 3, 2001), a sum (Roe et al., 20011), a film (Alien, Ridley Scott, 1979).", []),
        ("Half of it (Roe et al., 2001; and more besides).", []),
    ],
)
def test_marks(text: str, expected: list[str]) -> None:
    """A bracket that holds marks alone; a single name with a year may be a firm, a town or a film."""
    assert [one.span.of(text) for one in author_year_marks(text)] == expected


def test_says_names_and_year() -> None:
    text = "It grows (Roe et al., 2001; Doe and Poe, 1999)."
    said = [(one.kind, one.reference.authors, one.reference.year) for one in citations(text)]
    assert said == [("mark", ("Roe", "et al."), 2001), ("mark", ("Doe", "Poe"), 1999)]


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (("Primero", "Osborne", "Rubinstein"), True),
        (("Por ejemplo, Osborne & Rubinstein",), True),
        (("Primero", "Osborne", "Roe"), False),
        (("Primero", "Rubinstein"), False),
    ],
)
def test_a_mark_behind_a_lead_in_means_the_entry_whose_authors_it_names(
    names: tuple[str, ...], found: bool
) -> None:
    entry = Citation(
        Span(start=40, end=90), Reference("Games", ("Osborne, M. J.", "Rubinstein, A."), year=1994), "inline"
    )
    meant = Entries("", [entry]).meant(Reference(authors=names, year=1994))
    assert (meant is entry) == found


def test_a_mark_may_leave_a_particle_out() -> None:
    entry = Citation(Span(start=40, end=90), Reference("Molecules", ("de Graaf, C.",), year=2016), "inline")
    assert Entries("", [entry]).meant(Reference(authors=("Graaf",), year=2016)) is entry
