"""Which entity some words name, and when two names may be one."""

import pytest
from tests.effort import lines_run

from guardrail.logic.linking import Linker, alike
from guardrail.logic.places import level

NAMES = [
    "Leonhard Euler",
    "Marie Curie",
    "World War I",
    "World War II",
    "The Old Mill",
    "Anna Karenina",
    "Jon Smithson",
    "Jon Smithsen",
]


@pytest.fixture(scope="module")
def linker():
    return Linker(
        NAMES,
        {
            "Euler": ["Leonhard Euler"],
            "The War": ["World War I", "World War II"],
            "Marie Curie": ["World War I"],
        },
    )


class TestLinker:
    @pytest.mark.parametrize(
        ("name", "entity", "how"),
        [
            ("Marie Curie", "Marie Curie", "exact"),  # a label comes before somebody's alias
            ("marie curie", "Marie Curie", "exact"),
            ("Old Mill", "The Old Mill", "exact"),
            ("Euler", "Leonhard Euler", "exact"),
            ("Leonard Euler", "Leonhard Euler", "spelling"),
            ("Anna Karenna", "Anna Karenina", "spelling"),
            ("Albert Euler", None, "unknown"),
            ("World War III", None, "unknown"),  # a number is never misspelt
            ("Eulers", None, "unknown"),  # a single word is never misspelt
            ("Maria Curie", None, "unknown"),  # another name, by one letter
            ("Curie", None, "unknown"),
            ("the war", None, "ambiguous"),
            ("Jon Smithsan", None, "ambiguous"),  # as near to one as to the other
            ("", None, "unknown"),
            ("x" * 10_000, None, "unknown"),
        ],
    )
    def test_find(self, linker, name, entity, how):
        """Exactly, by spelling with a margin, or not at all."""
        found = linker.find(name)
        assert (found.entity, found.how) == (entity, how)
        assert bool(found.reason) == (entity is None)

    def test_large(self):
        """No line of Python is run for each of 100,000 names when one that is not there is looked for by spelling."""
        large = Linker([f"Person {n} Number{n}" for n in range(100_000)], {})
        assert max(lines_run(lambda n=n: large.find(f"Person {n} Numbre")) for n in range(20)) < 10_000


@pytest.mark.parametrize(
    ("one", "two", "may"),
    [
        ("Guido", "Guido van Rossum", True),
        ("JFK", "John Fitzgerald Kennedy", True),
        ("J. Austen", "Jane Austen", True),
        ("Saint Petersburg", "St. Petersburg", True),
        ("Emily Brontë", "Charlotte Bronte", False),
        ("Nobel Prize in Physics", "Nobel Prize in Chemistry", False),
        ("Rome", "Florence", False),
        ("", "Rome", True),
    ],
)
def test_alike(one, two, may):
    """What may be another form of a name contradicts nothing."""
    assert alike(one, two) is may
    assert alike(two, one) is may


@pytest.mark.parametrize(
    ("name", "wide"),
    [
        ("Warsaw", "town"), ("Poland", "country"), ("the Netherlands", "country"), ("Europe", "continent"), ("Bavaria", "region"),
        ("Congress Poland", "region"), ("Vichy France", "region"), ("Mexico City", "town"), ("Cook County", "region"), ("Guy's Hospital", "site"), ("Sunday", "none"), ("poverty", "none"), ("1867", "none"), ("", "none"),
    ],
)  # fmt: skip
def test_level(name, wide):
    """How wide a place is, as far as its name tells."""
    assert level(name) == wide
