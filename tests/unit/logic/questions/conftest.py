"""Facts written for the tests. What needs SWI-Prolog is skipped without it; in CI that fails."""

import os
from itertools import pairwise

import pytest

from guardrail.logic.knowledge import Triple
from guardrail.logic.knowledge.prolog import available

FILMS = ("Vertigo", "Psycho", "Rope", "Alien", "Heat")
BOOKS = ("One", "Two", "Three", "Four")


def triples(*facts):
    return [Triple(*fact) for fact in facts]


@pytest.fixture
def engine():
    """SWI-Prolog."""
    missing = available()
    if missing is not None:
        if os.environ.get("CI", "").lower() not in {"", "0", "false"}:
            pytest.fail(f"the tests of the cases need the engine in CI: {missing}", pytrace=False)
        pytest.skip(missing)


@pytest.fixture
def films():
    """Five films of three directors, and a series of four books."""
    directors = ("Hitchcock", "Hitchcock", "Hitchcock", "Scott", "Mann")
    return [
        *triples(*((film, "director", name) for film, name in zip(FILMS, directors, strict=True))),
        *triples(*((one, "followed by", two) for one, two in pairwise(BOOKS))),
    ]


@pytest.fixture
def kin():
    """A family, and a party."""
    return triples(
        ("Zeus", "father", "Cronus"),
        ("Hera", "father", "Cronus"),
        ("Ares", "father", "Zeus"),
        ("Ares", "mother", "Hera"),
        ("Eros", "father", "Ares"),
        ("Hera", "spouse", "Zeus"),
        ("Ada", "member of political party", "Whigs"),
        ("Bea", "member of political party", "Whigs"),
        ("Cy", "member of political party", "Tories"),
    )
