"""Pairs of right and wrong answers, and how they are counted."""

from collections import Counter

import pytest
from benchmarks._data import data_dir
from benchmarks.support.answers import HALVES
from benchmarks.support.corrected import Corrected, rows
from benchmarks.support.pairs import KINDS, Pair, pairs

from guardrail.report import Case, Edit, Span


@pytest.fixture(scope="module")
def given():
    return {half: pairs(half, data_dir) for half in HALVES}


def test_counts(given):
    """Two hundred, as many of each kind in both halves."""
    for half in HALVES:
        assert Counter(one.kind for one in given[half]) == {"field": 40, "mark": 30, "number": 30}
    assert len({one.name for half in HALVES for one in given[half]}) == 200


def test_pairs(given):
    """Two answers that differ, over the same documents; no two pairs are one."""
    every = [one for half in HALVES for one in given[half]]
    assert len({one.wrong.answer for one in every}) == len(every)
    for one in every:
        assert one.right.answer != one.wrong.answer
        assert one.right.context == one.wrong.context
        assert bool(one.right.context) == (one.kind != "field")
        assert one.kind in KINDS


def test_rows():
    """By hand: one put right, one left, one made worse; one right answer changed."""
    right, wrong = Case(answer="It is 5."), Case(answer="It is 7.")
    edit = Edit(span=Span(start=6, end=7), replacement="9")
    found = [
        Corrected(Pair(f"n-{number}", "number", "count", right, wrong, {}), shown, edits)
        for number, (shown, edits) in enumerate([("It is 5.", ()), ("It is 7.", (edit,)), ("It is 9.", ())])
    ]
    values = {row.quantity: row.ours for row in rows(found)}
    third = pytest.approx(1 / 3)
    assert values["put right"] == values["left as they are"] == values["changed into something else"] == third
    assert values["right answers changed (of 3)"] == 1
    assert values["number, count (3): put right"] == third
