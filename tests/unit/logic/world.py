"""A small world for the tests of FactCheck: facts that everybody can check by hand."""

import os

import pytest

from guardrail.logic.knowledge import DatedEvent, Entity, Triple, build
from guardrail.logic.knowledge.prolog import available

LOCATED = "located in the administrative territorial entity"
FACTS = [
    ("Ada Lovelace", "place of birth", "London"),
    ("Ada Lovelace", "award received", "Silver Cup"),
    ("Ada Lovelace", "spouse", "William King"),
    ("London", LOCATED, "England"),
    ("Vienna", LOCATED, "Austria"),
    ("Prater", LOCATED, "Vienna"),
    ("Vienna", "country", "Austria"),
    ("Austria", "capital", "Vienna"),
    ("Emma", "author", "Jane Austen"),
    ("Persuasion", "author", "Jane Austen"),
    ("Walden", "author", "Henry David Thoreau"),
    ("Tom Sawyer", "followed by", "Huckleberry Finn"),
    ("Danube", "mouth of the watercourse", "Black Sea"),
    ("Acme", "founded by", "Ann Roe"),
    ("River Thames", LOCATED, "London"),
    ("River Thames", LOCATED, "Oxford"),
    ("Scrooge", "director", "Henry Edwards"),
]
EVENTS = [
    ("Great War", 1914, 1918),
    ("Second Great War", 1939, 1945),
    ("Ada Lovelace", 1815, 1852),
    ("Crimean War", 1853, 1856),
]
ALIASES = [
    ("Jane Austen", ("A Lady",)),
    ("Henry David Thoreau", ("Thoreau",)),
    ("London", ("The City",)),
    ("Vienna", ("The City",)),
]


def make(path):
    """Write it."""
    build(
        path,
        [Triple(*fact) for fact in FACTS],
        events=[DatedEvent(name, [(first, last)]) for name, first, last in EVENTS],
        entities=[Entity(label, aliases) for label, aliases in ALIASES],
    )
    return path


def need_engine():
    """Skip where SWI-Prolog is missing; in CI, where scripts/setup installs it, fail."""
    missing = available()
    if missing is not None and os.environ.get("CI", "").lower() not in {"", "0", "false"}:
        pytest.fail(f"these tests need the engine in CI: {missing}", pytrace=False)
    if missing is not None:
        pytest.skip(missing)
