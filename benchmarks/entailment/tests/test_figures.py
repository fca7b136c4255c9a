"""The benchmark of the entailment models: how figures come about; models are stood in for by tables."""

import json
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest
from benchmarks.entailment.calibration import folds, tempered
from benchmarks.entailment.measuring import context, grid, slips, wikibio
from benchmarks.entailment.measuring.checked import Remembered, scores
from benchmarks.entailment.measuring.choices import CHOICES, LONE, SHIPPED, Choice, cheapest
from benchmarks.entailment.measuring.fusing import fused, lone
from benchmarks.entailment.measuring.rows import summed
from benchmarks.entailment.measuring.speed import lengthened
from benchmarks.entailment.pairs import HELD_OUT, Pair
from benchmarks.entailment.sets import NOT_ENTAILED, evaluation, held_back, right
from benchmarks.selfcheck.metrics import Measured
from benchmarks.selfcheck.passages import Passage

from guardrail import Case
from guardrail.engine.backend import Backend
from guardrail.engine.flow import Answer
from guardrail.errors import InputError
from guardrail.requests import Entail, Entailment
from guardrail.selfcheck.ensemble.fits import read_fit


def write(folder, name, rows):
    (folder / name).mkdir(parents=True)
    lines = [
        json.dumps({"premise": p, "hypothesis": h, "label": label, "split": split})
        for p, h, label, split in rows
    ]
    (folder / name / "pairs.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


class TestSets:
    def test_two_ways(self, tmp_path):
        """Pairs that are only known not to be entailed are read too; others of no known label are not."""
        rows = [("p", "1", "neutral", "test"), ("p", "2", "not_entailment", "test"), ("p", "3", "?", "test")]
        write(tmp_path, "one", rows)
        assert evaluation(tmp_path, "one") == [Pair("p", "1", 1), Pair("p", "2", NOT_ENTAILED)]
        assert len(evaluation(tmp_path, "one", most=1)) == 1
        write(tmp_path, "two", [])
        (tmp_path / "two" / "pairs.jsonl").write_text("[]\n", encoding="utf-8")
        with pytest.raises(InputError, match="one labelled pair a line"):
            evaluation(tmp_path, "two")

    def test_right_by_hand(self):
        """Three of four labels: two are the likeliest; the last is any but entailment."""
        shares = [[0.8, 0.1, 0.1], [0.1, 0.6, 0.3], [0.1, 0.6, 0.3], [0.3, 0.3, 0.4], [0.5, 0.3, 0.2]]
        found = right([0, 1, 2, NOT_ENTAILED, NOT_ENTAILED], shares)
        assert found.tolist() == [True, True, False, True, False]

    def test_no_neutral(self):
        """In a set without neutral pairs the better of the other two decides."""
        assert right([0, 2], [[0.2, 0.5, 0.3], [0.2, 0.5, 0.3]]).tolist() == [False, True]

    def test_only_two_ways(self):
        """A set without labels of three ways has all three as choices."""
        assert right([NOT_ENTAILED] * 2, [[0.4, 0.5, 0.1], [0.6, 0.3, 0.1]]).tolist() == [True, False]

    def test_held_back(self, tmp_path):
        """No pair that a model learns from, none that it is judged by, and none twice; as many of each set as were asked for."""
        for name in HELD_OUT:
            write(tmp_path, name, [("judged", name, "neutral", "dev")])
        write(
            tmp_path,
            "one",
            [
                ("learnt", "a", "neutral", "train"),
                ("Judged!", "mnli_dev", "neutral", "val"),
                *(("back", str(i), "neutral", "val") for i in range(9)),
            ],
        )
        write(tmp_path, "two", [("Learnt.", "A", "neutral", "val"), ("back", "3", "neutral", "test")])
        found = held_back(tmp_path, ["one", "two"])
        assert sorted(pair.hypothesis for pair in found) == [str(i) for i in range(9)]
        assert len(held_back(tmp_path, ["one", "two"], most=4)) == 4
        some = held_back(tmp_path, ["one", "two"], without=["one"])
        assert 0 < len(some) < len(found)
        assert {pair.key for pair in some} <= {pair.key for pair in found}


SURE = np.eye(3) * 0.7 + 0.1


class TestAccuracy:
    def test_tempered(self):
        """Soft-max of the logits divided by the temperature: (.8, .2) at 2 is (2, 1) / 3; 1 changes nothing."""
        assert tempered(np.array([[0.8, 0.2]]), 2.0) == pytest.approx(np.array([[2, 1]]) / 3)
        assert tempered(SURE, 1.0) == pytest.approx(SURE)
        assert np.isfinite(tempered(np.array([[1.0, 0.0]]), 2.0)).all()

    def test_folds(self):
        """Each half has the temperature of the other: the one that it has itself changes nothing for it."""
        shares = np.tile([[0.8, 0.1, 0.1]], (40, 1))
        labels = np.zeros(40, dtype=int)
        labels[::8], labels[1::4] = 1, 1  # of the even ones 5 of 20 are wrong, of the odd ones 10 of 20
        found = folds(shares, labels)
        # where a share p of equal pairs with two equal wrong labels is right, the best P of the first label is p
        assert found[::2, 0] == pytest.approx(0.5)
        assert found[1::2, 0] == pytest.approx(0.75)


class TestChoices:
    def test_nothing_is_cheaper_for_nothing(self):
        """The first that is near enough to the best, and the best itself where none is."""
        few, more, most = (Choice(top=top) for top in (1, 3, 5))
        assert cheapest([(few, 60.0), (more, 69.8), (most, 70.0)]) is more
        assert cheapest([(few, 60.0), (more, 69.6), (most, 70.0)]) is most
        assert cheapest([(few, 71.0), (more, 69.6), (most, 70.0)]) is few

    def test_measures_cost_nothing(self):
        """Of two measures of what is read anyhow, the better."""
        one, other, long = Choice(top=3), Choice("unmentioned", top=3), Choice(top=5)
        assert cheapest([(one, 69.8), (other, 69.9), (long, 70.0)]) is other
        assert cheapest([(one, 69.8), (other, 69.6), (long, 70.0)]) is one


class Table(Backend[Entail]):
    """Says entailment where the hypothesis is a part of the premise."""

    batch = 64
    fingerprint = "table"

    def __init__(self):
        self.asked = []

    def answer(self, requests):
        self.asked += requests
        return [
            Answer(
                Entailment(0.75, 0.25, 0.0) if one.hypothesis in one.premise else Entailment(0.25, 0.5, 0.25)
            )
            for one in requests
        ]


class TestChecked:
    CASE = Case(answer="A cat slept. A dog ran.", samples=("A cat slept. It ate.", "A bird flew."))

    def test_scores(self):
        """The mean over the samples of 1 − P(entailment): (.25 + .75) / 2 and .75."""
        assert scores(SHIPPED.detector(), [self.CASE], {"entailment": Remembered(Table())}) == [[0.5, 0.75]]

    def test_lone_scores(self):
        """The mean over the samples of P(neutral) + .95 P(contradiction): (.2375 + .725) / 2 and .725."""
        (found,) = scores(LONE.detector(), [self.CASE], {"entailment": Remembered(Table())})
        assert found == pytest.approx([0.48125, 0.725])

    def test_asked_once(self):
        """What another detector has asked is answered from memory, and alike."""
        backend = Table()
        remembered = {"entailment": Remembered(backend)}
        first = scores(Choice("not_entailed", "whole").detector(), [self.CASE], remembered)
        assert len(backend.asked) == 4
        again = scores(Choice("contradiction", "whole").detector(), [self.CASE], remembered)
        assert len(backend.asked) == 4
        assert first == [[0.5, 0.75]]
        assert again == [[pytest.approx((0.25 + 2 / 3) / 2), pytest.approx(2 / 3)]]

    def test_no_score(self):
        """A sentence without one ends the run."""
        with pytest.raises(InputError, match="a score of every sentence"):
            scores(SHIPPED.detector(), [self.CASE])


def measured(value, **columns):
    names = ("NonFact", "NonFact*", "Factual", "Pearson", "Spearman")
    found = dict.fromkeys(names, value) | columns
    return Measured(found, {name: found[name] for name in names[:3]})


class TestWikibio:
    def test_fused(self):
        """In the order of the mean of z-scores by the first passage's mean and deviation alone: (0, 2) has 1 and 1."""
        passages = [Passage(0, "", ("", ""), (0.0, 1.0), ()), Passage(1, "", ("",), (0.0,), ())]
        members = {"a": [[0.0, 2.0], [3.0]], "b": [[10.0, 30.0], [0.0]]}
        [[low, high], [other]] = fused(members, passages, 1)
        assert (other - low) / (high - low) == pytest.approx(
            (0.0 + 1.0) / 2
        )  # z: -1 and 1; of 3 and 0: 2 and -2
        moved = {"a": [[0.0, 2.0], [9.0]], "b": members["b"]}
        assert fused(moved, passages, 1)[0] == [low, high]

    def test_compared_by(self):
        """The mean of four columns, the three of sentences by average precision."""
        assert summed(measured(60.0, Pearson=80.0, Spearman=0.0)) == 65

    def test_lone(self):
        """A made-up sentence that nobody would miss is flagged; pooled by much, it goes with its accurate neighbours."""
        labels = (0.0,) * 8 + (1.0,) * 8
        passages = [Passage(n, "", ("",) * 16, labels, ()) for n in range(3)]
        members = {"a": [[0.01 * n + label for label in labels] for n in range(3)]}
        assert lone(members, passages, 0.0) == (1, 0)
        assert lone(members, passages, 0.8) == (0, 0)

    def test_judged(self):
        """One of the fusions has bars: the one that is best on the first half, though another is on the second."""
        labels = (0.0, 1.0, 1.0, 0.0, 0.5)
        passages = [Passage(n, "", ("",) * 5, labels[: 4 + n % 2], ()) for n in range(4)]
        said = {"right": labels, "blind": (0.0, 0.0, 1.0, 1.0, 0.5)}
        right, blind = (
            [[value + 0.01 * n for value in said[name][: 4 + n % 2]] for n in range(4)] for name in said
        )
        members = {"good": right[:2] + blind[2:], "bad": blind[:2] + right[2:]}
        rows, best = wikibio._judged(
            passages[:2], passages[2:], members, [("bad",), ("good",)], wikibio.ALONE
        )
        assert best[0] == ("good",)
        titles = {row.quantity.partition(", rows")[0] for row in rows if row.bar}
        assert titles == {f"WikiBio, {wikibio._title(*best)}"}
        assert {row.quantity.partition(", rows")[0].partition(", all")[0] for row in rows} == {
            f"WikiBio, {name}{pooled}" for name in ("bad", "good") for pooled in ("", ", pooled by 0.3")
        }

    def test_fused_as_packaged(self):
        """The member whose fusions are scored is that of the fit that lies in the package."""
        (member,) = (one for one in read_fit("wikibio-entailment").members if one.method == "nli")
        assert Choice(**{name: member.options[name] for name in ("measure", "premise")}) == SHIPPED
        assert not member.options.keys() & {"top", "similarity"}  # as they are by default

    def test_choosing_sees_one_half(self, monkeypatch):
        """The choice rests on the passages that it is given, and reads least of those near the best."""
        figures = {choice: measured(70.0 if choice.premise == "top" else 69.0) for choice in CHOICES}
        figures[CHOICES[0]] = measured(60.0)
        monkeypatch.setattr(grid, "measure", lambda _, choice: figures[choice])
        asked = SimpleNamespace(by=lambda choice: choice)
        rows, chosen = grid._grid(SimpleNamespace(run=SimpleNamespace(say=str)), asked, ["first"])
        assert chosen == CHOICES[1]
        assert len(rows) == len(CHOICES)
        assert rows[0].ours == "60.0 / 60.0 / 60.0 / 60.0"


class TestSlips:
    LABELS: ClassVar = [(0.0,) * (2 + n % 3) + (1.0,) * (4 - n % 3) for n in range(6)]
    PASSAGES: ClassVar = [Passage(n, "", ("",) * 6, row, ()) for n, row in enumerate(LABELS)]

    @pytest.mark.parametrize(
        ("slip", "invention", "contradicted", "best"), [(1.0, 0.65, 0.0, 0.6), (0.97, 1.0, 1.0, 1.0)]
    )
    def test_the_best_weight(self, monkeypatch, slip, invention, contradicted, best):
        """Slips at 1 beside inventions at .65: only .6 puts them below. Contradicted inventions beside slips at .97: only 1 does."""
        monkeypatch.setattr(slips, "DRAWS", 2)
        by_weight = {
            weight: [
                [
                    0.0,
                    *(
                        (invention if label else slip) - (1 - weight) * (label == contradicted)
                        for label in row[1:]
                    ),
                ]
                for row in self.LABELS
            ]
            for weight in slips.WEIGHTS
        }
        rows, chosen = slips.slips(self.PASSAGES, by_weight, wikibio.ALONE)
        assert chosen == best
        halves = [row.ours for row in rows if "half of them chooses" in row.quantity]
        assert len(halves) == 8
        assert halves[2] == pytest.approx(100)  # all weights, by the mean
        assert halves[3] == 1
        if best == 0.6:
            assert halves[0] < 90  # neither 1 nor .9 parts them

    def test_one_half_chooses(self):
        """The option that is best on the first half, though another is on the second; of such weights alone, by such a rule."""
        halves = {
            (1.0, 0.0): (measured(60.0), measured(90.0)),
            (0.9, 0.0): (measured(70.0), measured(50.0)),
            (0.9, 0.3): (measured(68.0, Pearson=71.0), measured(51.0)),
            (0.8, 0.0): (measured(80.0), measured(40.0)),
        }
        assert slips.scored(halves, (1.0, 0.9), summed) == measured(50.0)
        assert slips.scored(halves, (1.0, 0.9, 0.8), summed) == measured(40.0)
        assert slips.scored(halves, (1.0, 0.9), lambda one: one.columns["Pearson"]) == measured(51.0)

    def test_margin(self):
        """Of the column that is worst off."""
        assert slips.margin(measured(90.0), wikibio.ALONE) == 2
        assert slips.margin(measured(90.0, Pearson=68.5), wikibio.ALONE) == -0.5


class TestContext:
    def test_threshold(self):
        """Half-way between the scores that it parts; where all are wrong, the least."""
        wrong = np.array([False, True, False, True])
        assert context.best_threshold(np.array([0.1, 0.2, 0.3, 0.9]), wrong) == pytest.approx(0.15)
        assert context.best_threshold(np.array([0.1, 0.2]), np.array([True, True])) == 0.1

    def test_default_threshold(self):
        """What is flagged by .5, of those that are supported and of the others."""
        one = context.Scored(
            np.array([0.9, 0.2, 0.7, 0.5]), np.array([True, True, False, True]), np.arange(4), ("a",) * 4
        )
        area, supported, others = context._default_rows("half", one)
        assert area.ours == pytest.approx(2 / 3)
        assert (supported.ours, others.ours) == ("1 of 1", "2 of 3")

    def test_labels_must_fit(self):
        """A sentence without a label is no row to score."""
        one = context.Answered("tuning", "a", ("d",), "A. B.", ("supported",))
        with pytest.raises(InputError, match="a label of every sentence"):
            context._scored([one], [[0.1, 0.2]])


class TestLengthened:
    def test_real_words(self):
        """Premises behind premises, from a place of its own each, until there are enough words."""
        pairs = [Pair("a b", "x", 0), Pair("c d", "y", 0), Pair("e f", "z", 0)]
        assert lengthened(pairs, 3, 4) == [
            ("a b c d", "x"),
            ("c d e f", "y"),
            ("e f a b", "z"),
            ("a b c d", "x"),
        ]
