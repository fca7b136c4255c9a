"""Facts written for the tests."""

from itertools import pairwise

import pytest

from guardrail.logic.knowledge import Triple

FILMS = ("Vertigo", "Psycho", "Rope", "Alien", "Heat")
BOOKS = ("One", "Two", "Three", "Four")


def triples(*facts):
    return [Triple(*fact) for fact in facts]


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
