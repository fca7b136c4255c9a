"""How texts of other sets get their marks, and how figures are counted."""

from itertools import pairwise

import pytest
from benchmarks._data import data_dir
from benchmarks.support.abstracts import of_abstracts
from benchmarks.support.attributed import judges_agree, macro_f1
from benchmarks.support.latency import MARKS, WORDS, material
from benchmarks.support.marked import case_of, new_words

from guardrail.report import Case
from guardrail.support import Sources, ties


@pytest.mark.parametrize(
    "text",
    [
        "He ran home at noon. He fell on the way.",
        "- He ran home at noon\n- He fell on the way",
        "他在1904年出生。",
    ],
)
def test_each_claim_has_a_mark(text):
    """Each claim is tied to one mark, which points to all documents."""
    case = case_of(text, ["a", "b", "c"])
    sources = Sources.of(case)
    found = ties(case.answer, sources.cites)
    assert found
    assert all(sources.of_mark(one.mark.of(case.answer)) == (0, 1, 2) for one in found)
    assert case.answer.replace(" [1, 2, 3]", "") == text
    assert [one.claim.of(case.answer).rstrip("。") for one in found][-1] in text


def test_macro_f1():
    """By hand: F1 of flagged 2·1/(2 + 1), of the rest 2·2/(2 + 3)."""
    assert macro_f1([True, True, False, False], [True, False, False, False]) == pytest.approx(
        (2 / 3 + 4 / 5) / 2
    )
    assert macro_f1([], []) is None


def test_judges():
    """By hand: three alike agree three times; of two against one, only the one is compared, and differs."""
    assert judges_agree([[True, True, True], [True, True, False]]) == pytest.approx(3 / 4)
    assert judges_agree([]) is None


def test_new_words():
    """By hand: one of the two words that count."""
    assert new_words("red apple", ["an apple"]) == pytest.approx(0.5)
    assert new_words("", ["an apple"]) == 1


def test_of_abstracts():
    """Every document is one, and nothing else changes."""
    case = Case.of("It is so [1].", context=[{"text": "x", "title": "y"}])
    (source,) = of_abstracts(case).sources
    assert (source.abstract, source.name) == (True, "y")


def test_material():
    """As many marks and words as the row says, other texts each time; wrong marks point elsewhere."""
    cases = list(material(data_dir("grounding"), 3, wrong=2))
    for case in cases:
        assert len(ties(case.answer, Sources.of(case).cites)) == MARKS
        assert {len(text.split()) for text in case.context} == {WORDS}
        assert "[2]" in case.answer.split(".")[0]
    assert all(a.context != b.context for a, b in pairwise(cases))
