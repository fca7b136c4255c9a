"""Which document a mark points to."""

import pytest

from guardrail.given.sources import Source
from guardrail.support import Sources

DOCUMENTS = (
    ("Lee, K. and Ito, M. (2020)\nOwls see well at night.", Source(name="Owls at night")),
    ("Leave is granted for 20 days.", Source(name="leave-policy.pdf", url="https://www.example.org/leave/")),
    ("Lee, K. and Bauer, T. (2020)\nBats hear well.", Source(name="Bats at night", identifier="file-7")),
)


@pytest.mark.parametrize(
    ("mark", "expected"),
    [
        ("[1]", (0,)),
        ("[3]", (2,)),
        ("[1, 3]", (0, 2)),
        ("[1-3]", (0, 1, 2)),
        ("[^2]", (1,)),
        ("²", (1,)),
        ("【2†source】", (1,)),
        ("(Source 2)", (1,)),
        ("(Quelle 3)", (2,)),
        ("[B]", (1,)),
        ("[4]", ()),
        ("[0]", ()),
        ("(leave-policy.pdf)", (1,)),
        ("[the policy](http://example.org/leave#top)", (1,)),
        ("[elsewhere](https://example.org/other)", ()),
        ("(Lee & Ito, 2020)", (0,)),
        ("(Lee and Bauer, 2020)", (2,)),
        ("(Lee & Ito, 2020; Lee & Bauer, 2020)", (0, 2)),
        ("Lee and Ito (2020)", (0,)),
        ("(Lee, 2019)", ()),
        ("(Meyer, 2020)", ()),
        ("[2, p. 3]", (1,)),
        ("(see document 1)", (0,)),
        ("[Document 1: history]", (0,)),
        ("[Source 1; Source 2]", (0, 1)),
        ("②", (1,)),
        ("¹⁻³", (0, 1, 2)),
        ("document 2", (1,)),
        ("[2](https://cdn.example/x)", (1,)),
        ("(" * 5_000 + "x)", ()),
        ("", ()),
    ],
)
def test_documents_of_a_mark(mark, expected):
    """By number, letter, address, name, or authors and year; what points to nothing has none."""
    assert Sources("", DOCUMENTS).of_mark(mark) == expected


def test_own_list():
    """The answer's own list of sources says what its numbers are."""
    answer = "It is so [1], or so [2].\n\nSources:\n[1] https://example.org/leave\n[2] Owls at night\n"
    sources = Sources(answer, DOCUMENTS)
    assert [sources.of_mark(mark) for mark in ("[1]", "[2]")] == [(1,), (0,)]


def test_a_numbered_list_is_no_list_of_sources():
    """Lines with numbers say what they say; only a list of sources says what the numbers are."""
    answer = "1. The leave policy of our firm is strict [2].\n2. Owls at night are loud [1].\n"
    sources = Sources(answer, DOCUMENTS)
    assert [sources.of_mark(mark) for mark in ("[1]", "[2]")] == [(0,), (1,)]


def test_numbers_are_names():
    """Where documents are called by numbers, these count and not their places."""
    documents = (("a", Source(name="7")), ("b", Source(name="3")))
    assert [Sources("", documents).of_mark(mark) for mark in ("[3]", "[7]", "[1]")] == [(1,), (0,), ()]


def test_no_documents():
    """Nothing points to anything."""
    sources = Sources("", ())
    assert sources.of_mark("[1]") == ()
    assert not sources.cites("[a](https://example.org)")
