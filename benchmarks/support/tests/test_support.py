"""The labelled answers, and how rows are counted."""

from pathlib import Path

import pytest
from benchmarks._data import data_dir
from benchmarks.support.answers import HALVES, answers
from benchmarks.support.run import _token_f1, tie_rows

LABELS = {"supports", "in part", "contradicts", "silent"}
KINDS = {"true", "number", "entity", "overclaim", "wrong mark", "silent", "two sources"}


@pytest.fixture(scope="module")
def given():
    return {half: answers(half, data_dir("attribution"), data_dir("real_answers")) for half in HALVES}


def test_counts(given):
    """As many as the table of the README says; no answer is in both halves."""
    every = [one for half in HALVES for one in given[half]]
    assert len(every) == 152
    assert sum(len(one.marks) for one in every) == 748
    assert len({one.name for one in every}) == len(every)
    told = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    for letters in ("a", "b", "c", "d", "ef"):
        own = [one for one in every if one.name[0] in letters]
        assert f"| {len(own)}, {sum(len(one.marks) for one in own)} |" in told


def test_labels(given):
    """Labels agree with what was done, and places with the text."""
    for one in [one for half in HALVES for one in given[half]]:
        for mark in one.marks:
            assert mark.label in LABELS
            assert mark.kind in KINDS
            assert (mark.kind == "true") == (mark.label == "supports")
            assert mark.claim in one.text
            assert set(mark.documents) | set(mark.says) <= set(one.documents)
            assert 0 <= mark.start < mark.end <= len(one.text)


def test_ties_of_the_seen_half(given):
    """What is shown as reached."""
    rows = {row.quantity: row.ours for row in tie_rows(given["seen"])}
    assert rows["ties: same sentences"] >= 0.95
    assert rows["ties: clause, token-F1 of .8 at least"] >= 0.85


def test_token_f1():
    """By hand: two of three words, in any order; characters of Chinese."""
    assert _token_f1("a b c", "c b d") == pytest.approx(2 / 3)
    assert _token_f1("建于年", "建年") == pytest.approx(0.8)
