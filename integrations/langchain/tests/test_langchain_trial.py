"""Answers in the shapes of chatbots', through `guardrail check --online` and an agent, at a local server."""

from __future__ import annotations

import pytest
from benchmarks.references.trial._answers import trials
from benchmarks.references.trial._reading import flaws
from benchmarks.references.trial.run import guarded, tried
from integrations.langchain.trial import answered

SHAPES = ("links", "footnotes", "theses, reports, web pages", "BibTeX", "all made up")


@pytest.fixture(scope="module")
def found():
    """What became of some of the answers, by their shape."""
    some = [one for one in trials() if one.name in SHAPES]
    return {one.trial.name: one for one in tried(some, answered)}


class TestTrial:
    @pytest.mark.parametrize("shape", SHAPES)
    def test_nothing_real_is_accused_or_removed(self, found, shape):
        """Nor what no catalogue lists."""
        assert found[shape].accused() == []
        assert found[shape].lost() == []

    @pytest.mark.parametrize("shape", SHAPES)
    def test_nothing_invented_passes_unmarked(self, found, shape):
        """It is gone, or a mark follows it."""
        assert found[shape].missed() == []
        assert found[shape].passed() == []

    @pytest.mark.parametrize("shape", SHAPES)
    def test_the_text_still_reads_well(self, found, shape):
        """Lists, brackets and numbers are in order."""
        assert found[shape].flaws() == []

    def test_a_footnote_goes_with_its_mark(self, found):
        """Neither stays alone."""
        assert "[^3]" not in found["footnotes"].texts["remove"]
        assert "[^2]:" in found["footnotes"].texts["remove"]


class TestAgent:
    def test_reads_what_the_guard_alone_gives(self, found):
        """The middleware adds nothing and loses nothing."""
        one = next(one for one in trials() if one.name == "links")
        alone = tried([one], guarded)[0]
        assert found["links"].texts == alone.texts


class TestFlaws:
    @pytest.mark.parametrize(
        ("before", "after", "flaw"),
        [
            ("1. A\n2. B\n3. C\n", "1. A\n3. C\n", "numbers [1, 3]"),
            ("1. A\n2. B\n", "1. A\n2.\n", "empty item"),
            ("A (b) c.", "A (b c.", "( and ) do not match"),
            ("A **b** c.", "A **b c.", "** does not close"),
            ("A said so (B, 2010).", "A said so .", "odd spacing"),
            ("A.[^1]\n\n[^1]: B.", "A.[^1]\n", "a footnote without its mark, or a mark without its footnote"),
            ("A.\n\nReferences\nB.", "A.\n\nReferences\n", "nothing below 'References'"),
            (
                '{"a": [1]}',
                '{"a": [1}',
                "no JSON any more: Expecting ',' delimiter: line 1 column 9 (char 8)",
            ),
        ],
    )
    def test_each_is_seen(self, before, after, flaw):
        """And nothing is wrong with a text that is as it was."""
        assert flaws(before, after) == [flaw]
        assert flaws(before, before) == []
