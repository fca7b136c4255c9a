"""Finding references never fails and always points into the text."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from guardrail.references.citations import citations
from guardrail.references.citations.people import people

PIECES = st.sampled_from(
    ["1. ", "[2] ", "- ", "* ", "\n", "\r\n", "\t", " ", '"', "“", "”", "«", "»", "'", "(", ")", "[", "](", "**", "*", "_",
     "@article{a,", "title={", "}", ",", ". ", ": ", " - ", " by ", "et al.", "2017", "(2017)", "Vaswani, A.", "Deep Learning",
     "10.1000/x", "arXiv:1706.03762", "https://a.b/c", "References", "```", "\\", "Authors: ", "Year: ", "שלום", "統計", "👩🏽‍🔬",
     "the paper ", "\u2028", "\x00", "\ud800", "İ", "ß"]
)  # fmt: skip
TEXT = st.one_of(st.text(max_size=300), st.lists(PIECES, max_size=40).map("".join))


@settings(max_examples=300, deadline=None)
@given(TEXT, st.booleans())
def test_spans_lie_in_the_text_in_order_and_apart(text: str, asked: bool) -> None:
    """Every span is inside, not empty, and behind the one before."""
    end = 0
    for citation in citations(text, asked_for_references=asked):
        assert end <= citation.span.start < citation.span.end <= len(text)
        assert citation.span.of(text) == citation.span.of(text).strip(" \t\r\n")
        end = citation.span.end


@settings(max_examples=200, deadline=None)
@given(TEXT)
def test_names_are_never_empty(text: str) -> None:
    """A list of people has people in it."""
    names = people(text)
    assert names is None or all(name.strip() for name in names[0])


WORD = st.text(alphabet="abcdefghijklmnopqrstuvwxyz", min_size=4, max_size=9).map(str.capitalize)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(WORD, min_size=3, max_size=8).map(" ".join), min_size=1, max_size=6))
def test_a_quoted_numbered_list_comes_back(titles: list[str]) -> None:
    """Titles that are written as a list are read as the same list."""
    text = "\n".join(f'{i}. "{title}".' for i, title in enumerate(titles, 1))
    assert titles == [c.reference.title for c in citations(text, asked_for_references=True)]
