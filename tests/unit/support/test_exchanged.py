"""Marks that belong to another source, by words alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail import Guard
from guardrail.detectors import SupportCheck
from guardrail.given.sources import Source
from guardrail.policies import correct
from guardrail.selfcheck.grounding.novelty import telling_words
from guardrail.support.exchanged import mark_of, saying
from guardrail.support.sources import Sources

HISTORY = "The library was built in 1904 by Ann Lee. It burnt down in 1950."
VISIT = "Entrance is free for residents; visitors pay 5 euros. The library has a café."
DOME = "Der Lesesaal hat 420 Plätze unter einer Kuppel von 40 Metern."


def said_by(claim, own, *texts):
    return saying(telling_words(claim), own, list(map(telling_words, texts)))


class TestSaying:
    @pytest.mark.parametrize(
        ("claim", "own", "expected"),
        [
            ("In 1950 the library burnt down", 1, 0),
            ("In 1950 the library burnt down", 0, None),  # its own source says it
            ("Die 420 Plätze des Lesesaals sind unter der Kuppel", 0, 2),
            ("The library is well known", 2, None),  # one word is not enough
            ("Ann Lee charged visitors 5 euros in 1904", 2, None),  # a third has its year
        ],
    )
    def test_one_other(self, claim, own, expected):
        """Only where one other source has it, and the own one nearly nothing of it."""
        assert said_by(claim, own, HISTORY, VISIT, DOME) == expected

    def test_scripts_without_blanks(self):
        """Pairs of characters are words."""
        texts = ["大桥全长4.8公里，2013年通车。", "小型客车收费15元。"]
        assert said_by("2013年大桥通车，长4.8公里", 1, *texts) == 0

    @given(st.text(max_size=40), st.lists(st.text(max_size=60), min_size=1, max_size=4))
    def test_any_text(self, claim, texts):
        """Never the document that the mark points to."""
        assert said_by(claim, 0, *texts) != 0


class TestMarks:
    SOURCES = Sources(
        "",
        (
            ("…", Source(name="a.pdf", url="https://x.example/a")),
            ("…", Source(name="b.pdf", url="https://x.example/b")),
        ),
    )

    @pytest.mark.parametrize(
        ("mark", "expected"),
        [
            ("[2]", "[1]"),
            ("【2†source】", "【1†source】"),
            ("²", "¹"),
            ("[^2]", "[^1]"),
            ("(b.pdf)", "(a.pdf)"),
            ("[b.pdf](https://x.example/b)", "[a.pdf](https://x.example/a)"),
            ("[2](https://x.example/b)", None),
            ("(Lee, 2020)", None),
        ],
    )
    def test_style(self, mark, expected):
        """As the answer writes it; what would have to be made up is left."""
        assert mark_of(0, mark, self.SOURCES, [mark]) == expected

    def test_hostile_names(self):
        """A document's name is put into an answer only if it is plain."""
        sources = Sources("", (("…", Source(name="<b>x</b>")), ("…", Source(name="b.pdf"))))
        assert mark_of(0, "(b.pdf)", sources, ["(b.pdf)"]) is None


@pytest.mark.parametrize(("others", "shown"), [(8, "[1]"), (0, "[2]")])
def test_option(others, shown):
    """Without other sources no mark is exchanged."""
    guard = Guard([SupportCheck(fit="words", others=others)], policy=correct(), on_unverified="allow")
    report = guard.check("It burnt down in 1950 [2].", context=[HISTORY, VISIT])
    assert report.answer == f"It burnt down in 1950 {shown}."


def test_an_abstract():
    """What an abstract does not say may be in the paper, so the mark stays."""
    guard = Guard([SupportCheck(fit="words")], policy=correct(), on_unverified="allow")
    answer = "It burnt down in 1950 [2]."
    assert guard.check(answer, context=[HISTORY, {"text": VISIT, "abstract": True}]).answer == answer
