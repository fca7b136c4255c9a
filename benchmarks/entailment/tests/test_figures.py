"""The benchmark of the entailment models: how figures come about; models are stood in for by tables."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest
from benchmarks._table import Expected, Row, Run
from benchmarks.entailment import record, run
from benchmarks.entailment.calibration import folds, tempered
from benchmarks.entailment.making.loop import Recipe
from benchmarks.entailment.measuring import accuracy, context, grid, quantised, slips, training, wikibio
from benchmarks.entailment.measuring.checked import Remembered, scores
from benchmarks.entailment.measuring.choices import CHOICES, CONTEXT, LONE, SHIPPED, Choice, cheapest
from benchmarks.entailment.measuring.fusing import fused, lone
from benchmarks.entailment.measuring.rows import Asked, summed
from benchmarks.entailment.measuring.speed import lengthened
from benchmarks.entailment.pairs import HELD_OUT, Pair
from benchmarks.entailment.sets import NOT_ENTAILED, evaluation, held_back, right
from benchmarks.entailment.setting import Absent, Setting
from benchmarks.selfcheck.metrics import Measured
from benchmarks.selfcheck.passages import Passage

from guardrail import Case
from guardrail.engine.backend import Backend
from guardrail.engine.flow import Answer
from guardrail.errors import InputError
from guardrail.requests import Entail, Entailment
from guardrail.selfcheck.ensemble.fits import read_fit
from guardrail.selfcheck.nli.check import SLIP
from guardrail.text.sentences import sentences


def write(folder, name, rows):
    (folder / name).mkdir(parents=True)
    lines = [
        json.dumps({"premise": p, "hypothesis": h, "label": label, "split": split})
        for p, h, label, split in rows
    ]
    (folder / name / "pairs.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


class Said(Setting):
    """A setting whose models say what a table has."""

    def __init__(self, table, pairs, *, fast=False, **models):
        models = {"mini": None, "full": None, "quick": None, **models}
        super().__init__(Run("entailment", fast, options=SimpleNamespace()), models)
        self.table, self.own = table, pairs

    def pairs(self, name):
        return self.own[name]

    def sets(self):
        return list(self.own)

    def said(self, which, name):
        return np.asarray(self.table[which, name], dtype=np.float64)


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
        """Neither what is learnt from any set, nor what is judged by, nor a pair twice; so many of each set."""
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


FEW = {
    "mnli_dev": [Pair("", "", i % 3) for i in range(6)],
    "snli_dev": [Pair("", "", 0)],
    "negation_nli": [Pair("", "", 0), Pair("", "", NOT_ENTAILED)],
}
SURE = np.eye(3) * 0.7 + 0.1


class TestAccuracy:
    def setting(self, **models):
        shares = SURE[[0, 1, 2, 0, 1, 0]]
        table = {
            ("mini", "mnli_dev"): shares,
            ("mini", "snli_dev"): SURE[[0]],
            ("mini", "negation_nli"): SURE[[0, 0]],
        }
        return Said(table, FEW, fast=True, **models)

    def test_rows(self):
        """Judged where there is a bar; a set of two kinds of pairs also in its parts."""
        rows = {row.quantity: row for row in accuracy.rows(self.setting())}
        assert rows["mnli_dev accuracy"].ours == pytest.approx(5 / 6)
        assert rows["mnli_dev accuracy"].ok is True
        assert rows["mnli_dev accuracy"].bar == "≥ 0.770"
        assert rows["negation_nli accuracy"].ours == 0.5
        assert rows["negation_nli accuracy"].bar is None
        assert rows["negation_nli accuracy, three-way"].ours == 1
        assert rows["negation_nli accuracy, entailed or not"].ours == 0
        # all are said with .8, and 5 of 6 are right: |.8 - .8333|; of the one of snli_dev |.8 - 1|
        assert rows["mnli_dev calibration error"].ours == pytest.approx(1 / 30)
        assert rows["snli_dev calibration error"].ours == pytest.approx(0.2)

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


class TestQuantised:
    def test_differences(self, tmp_path, monkeypatch):
        """In points, each figure judged, whichever of the two is the better; and the size of the weights."""
        (tmp_path / "model.safetensors").write_bytes(b"0" * 2_000_000)
        said = {
            "full": {"a accuracy": 80.0, "b accuracy": 70.0, "mnli_dev calibration error": 2.0},
            "mini": {"a accuracy": 80.2, "b accuracy": 69.5, "mnli_dev calibration error": 2.3},
        }
        monkeypatch.setattr(quantised, "figures", lambda _, which: said[which])
        monkeypatch.setattr(quantised, "made_of", lambda mini, full: (mini, full) == (tmp_path, tmp_path))
        setting = Said({}, {}, mini=tmp_path, full=tmp_path)
        rows = {row.quantity: row for row in quantised.rows(setting)}
        assert rows["packaged weights"].ours == 2
        assert rows["quantised: a accuracy, difference"].ok is True
        assert rows["quantised: b accuracy, difference"].ok is False
        assert rows["quantised: b accuracy, difference"].ours == pytest.approx(0.5)
        assert rows["quantised: mnli_dev calibration error, difference"].ok is True

    def test_weights_of_another_training(self, tmp_path, monkeypatch):
        """Two models are not compared as one in two forms; the row says how to get the other form."""
        (tmp_path / "model.safetensors").write_bytes(b"0" * 2_000_000)
        monkeypatch.setattr(quantised, "made_of", lambda _mini, _full: False)
        rows = {row.quantity: row for row in quantised.rows(Said({}, {}, mini=tmp_path, full=tmp_path))}
        assert rows["packaged weights"].ours == 2
        assert rows["quantised: differences"].ours is None
        assert "--full DIR" in rows["quantised: differences"].reason

    def test_the_same_temperature(self, monkeypatch):
        """The full model is given the temperature before its calibration error is compared."""
        pairs = {"mnli_dev": [Pair("", "", 0), Pair("", "", 1)]}
        shares = [[0.8, 0.1, 0.1]] * 2
        setting = Said({("full", "mnli_dev"): shares, ("mini", "mnli_dev"): shares}, pairs)
        monkeypatch.setattr(accuracy, "fitted", lambda *_: 1e9)
        assert accuracy.figures(setting, "mini")["mnli_dev calibration error"] == pytest.approx(30)
        assert accuracy.figures(setting, "full")["mnli_dev calibration error"] == pytest.approx(50 - 100 / 3)


class TestChoices:
    def test_are_the_detectors(self):
        """Each is a detector with these very options, and says so in its signature."""
        for choice in {*CHOICES, *CONTEXT, SHIPPED, LONE}:
            detector = choice.detector()
            assert all(getattr(detector, name) == value for name, value in choice.options.items())
        assert len({str(choice) for choice in CHOICES}) == len(CHOICES)
        assert {SHIPPED, LONE} <= {*CHOICES}

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
    """Says entailment where the hypothesis stands in the premise."""

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

    def test_weighed_otherwise(self):
        """With a weight of .8: (.2 + .65) / 2 and .65."""
        choice = Choice("unmentioned", slip=0.8)
        assert str(choice) == "unmentioned by 0.8, top 3 by words"
        (found,) = scores(choice.detector(), [self.CASE], {"entailment": Remembered(Table())})
        assert found == pytest.approx([0.425, 0.65])

    def test_some_passages(self):
        """The same model scores a part alone, without being asked again."""
        texts = ("A cat slept. A dog ran.", "It ate.")
        passages = [Passage(n, text, (), (), ("A cat slept.",)) for n, text in enumerate(texts)]
        backend = Table()
        asked = Asked(passages, sentences, {"entailment": Remembered(backend)})
        whole = asked.by(SHIPPED)
        said = len(backend.asked)
        assert [len(one) for one in whole] == [2, 1]
        assert asked.on(passages[1:]).by(SHIPPED) == whole[1:]
        assert len(backend.asked) == said

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

    def test_halves(self):
        """Bars for the rows that chose nothing; the others are shown."""
        labels = (0.0, 1.0, 0.5)
        passages = [
            Passage(n, "A. B. C.", ("A.", "B.", "C."), labels[: 2 + n % 2], ("A.",)) for n in range(117, 122)
        ]
        values = [[0.1, 0.9, 0.5][: len(p.labels)] for p in passages]
        first, second = passages[:2], passages[2:]
        rows = wikibio._by_halves("NLI alone", first, second, values, wikibio.ALONE)
        judged = {row.quantity: row for row in rows if row.bar}
        assert set(judged) == {
            f"WikiBio, NLI alone, rows 119-237: {name}"
            for name in (
                "NonFact, average precision",
                "NonFact*, average precision",
                "Factual, average precision",
                "Pearson",
            )
        }
        assert judged["WikiBio, NLI alone, rows 119-237: NonFact, average precision"].ours == 100
        assert len({row.quantity for row in rows}) == len(rows) == 24

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

    def test_another_model_has_its_weight(self, monkeypatch):
        """A line by the weight that is best for it, beside those that ship; the packaged one's must be the one that ships."""
        passages = self.PASSAGES

        def on(some):
            rows = [list(row) for row in self.LABELS[: len(some)]]
            return SimpleNamespace(by=lambda _: rows, on=on, splitter=None)

        asked = on(passages)
        monkeypatch.setattr(wikibio, "halves", lambda _: (passages[:3], passages[3:]))
        monkeypatch.setattr(wikibio, "Asked", SimpleNamespace(of=lambda *_: asked))
        monkeypatch.setattr(wikibio, "scores", lambda *_: [list(row) for row in self.LABELS])
        monkeypatch.setattr(wikibio, "BertScoreCheck", lambda **_: None)
        monkeypatch.setattr(wikibio, "_price", lambda *_: [])
        run = SimpleNamespace(fast=False, say=str)

        def quantities(best, *, packaged):
            monkeypatch.setattr(wikibio, "slips", lambda *_: ([], best))
            found = wikibio.rows(SimpleNamespace(run=run, packaged=packaged))
            lines = {
                row.quantity.split(", rows")[0]
                for row in found
                if "NLI alone" in row.quantity and ", rows" in row.quantity
            }
            return lines, next(row for row in found if row.quantity == slips.CHOSEN)

        usual = {
            f"WikiBio, NLI alone, {name}{pooled}"
            for name in ("not_entailed", "unmentioned")
            for pooled in ("", ", pooled by 0.3")
        }
        own = {f"WikiBio, NLI alone, unmentioned by 0.8{pooled}" for pooled in ("", ", pooled by 0.3")}
        for best in (1.0, SLIP):
            assert quantities(best, packaged=False)[0] == usual
        lines, chosen = quantities(0.8, packaged=False)
        assert lines == usual | own
        assert (chosen.ours, chosen.bar) == (0.8, None)
        assert quantities(0.8, packaged=True)[1].ok is False
        assert quantities(SLIP, packaged=True)[1].ok is True


class TestContext:
    def test_threshold(self):
        """Half-way between the scores that it parts; where all are wrong, the least."""
        wrong = np.array([False, True, False, True])
        assert context.best_threshold(np.array([0.1, 0.2, 0.3, 0.9]), wrong) == pytest.approx(0.15)
        assert context.best_threshold(np.array([0.1, 0.2]), np.array([True, True])) == 0.1

    def test_kinds(self):
        """How many sentences of each kind are on their side of the threshold."""
        one = context.Scored(
            np.array([0.9, 0.2, 0.7]), np.array([True, True, False]), np.arange(3), ("a", "a", "b")
        )
        assert context.by_kind(one, 0.5) == {"a": "1 of 2", "b": "0 of 1"}

    def test_default_threshold(self):
        """What is flagged by .5, of those that are supported and of the others."""
        one = context.Scored(
            np.array([0.9, 0.2, 0.7, 0.5]), np.array([True, True, False, True]), np.arange(4), ("a",) * 4
        )
        area, supported, others = context._default_rows("half", one)
        assert area.ours == pytest.approx(2 / 3)
        assert (supported.ours, others.ours) == ("1 of 1", "2 of 3")

    def test_halves(self):
        """Only the rows of the half that is asked for; the other is not scored without being asked for."""
        tuning = context.read(half="tuning")
        assert len(tuning) == 78
        assert {one.half for one in tuning} == {"tuning"}
        backend = Table()
        setting = Said({}, {})
        setting.model = lambda _, precision: backend
        rows = {row.quantity: row for row in context.rows(setting)}
        assert rows["context, unseen half: all rows"].ok is None
        assert rows["context, tuning half: sentences"].ours == 132
        assert {one.hypothesis for one in backend.asked} <= {
            sentence for one in tuning for sentence in [one.answer, *_sentences(one.answer)]
        }

    def test_labels_must_fit(self):
        """A sentence without a label is no row to score."""
        one = context.Answered("tuning", "a", ("d",), "A. B.", ("supported",))
        with pytest.raises(InputError, match="a label of every sentence"):
            context._scored([one], [[0.1, 0.2]])


def _sentences(text):
    from guardrail.text.sentences import split_sentences

    return split_sentences(text)


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


class TestTraining:
    def test_rows(self, tmp_path):
        """The quick course has a bar, in minutes of both cores together; what is not trained says how."""
        note = {
            "recipe": {"seed": 0},
            "pairs": 9,
            "steps": 3,
            "seconds": 60.0,
            "processor_seconds": 31 * 60.0,
            "loss": 0.5,
            "best": 3,
            "judged": 0.0,
        }
        (tmp_path / "training.json").write_text(json.dumps(note), encoding="utf-8")
        rows = {row.quantity: row for row in training.rows(Said({}, {}, quick=tmp_path))}
        assert rows["training, quick: time, cores summed"].ok is False
        assert "benchmarks.entailment train" in rows["training, full: all rows"].reason
        assert Recipe().looks == 0
        assert "training, quick: at the pace of its fastest steps, at least" not in rows

    def test_beside_other_work(self, tmp_path):
        """All steps at the pace of the fastest stretch; a short one, as before a look of the judge, is none."""
        note = {"recipe": {}, "pairs": 9, "steps": 600, "seconds": 900.0, "processor_seconds": 1.0}
        note |= {"loss": 0.5, "best": 3, "judged": 0.7}
        (tmp_path / "training.json").write_text(json.dumps(note), encoding="utf-8")
        times = {200: 400.0, 400: 520.0, 410: 521.0, 600: 900.0}
        lines = [json.dumps({"step": step, "seconds": time}) for step, time in times.items()]
        (tmp_path / "curve.jsonl").write_text("\n".join(lines), encoding="utf-8")
        rows = {row.quantity: row.ours for row in training.rows(Said({}, {}, full=tmp_path))}
        assert rows["training, full: at the pace of its fastest steps, at least"] == 6.0

    def test_the_whole_way(self, tmp_path, monkeypatch):
        """The bar is for all trainings and what the teacher says, in hours; without one of them there is no figure."""
        note = {"recipe": {}, "pairs": 9, "steps": 3, "seconds": 3_600.0, "processor_seconds": 1.0}
        note |= {"loss": 0.5, "best": 3, "judged": 0.7}
        (tmp_path / "training.json").write_text(json.dumps(note), encoding="utf-8")
        monkeypatch.setattr(training, "seconds", lambda _folder: 900.0)
        name = "training: all steps of the recipe, by the clock"
        [row] = [row for row in training.rows(Said({}, {}, full=tmp_path)) if row.quantity == name]
        assert row.ours is None
        for step, hours in (("said", None), ("begun/first", 3.25)):
            (tmp_path / step).mkdir(parents=True)
            (tmp_path / step / "training.json").write_text(json.dumps(note), encoding="utf-8")
            [row] = [row for row in training.rows(Said({}, {}, full=tmp_path)) if row.quantity == name]
            assert row.ours == hours
        assert row.ok is False


class TestRun:
    def test_nothing_here(self, monkeypatch):
        """Without any model every part says how to get one, without a path; the run has no fault."""
        nobody = {"mini": None, "full": None, "quick": None}
        monkeypatch.setattr(run.Setting, "of", lambda one: Setting(one, nobody))
        expected = Expected.read(Path(run.__file__).parent)
        options = SimpleNamespace(only=None, unseen=False, model=None)
        one = Run("entailment", expected=expected, options=options)
        rows = run.compute(one)
        assert all(row.ok is None for row in rows)
        assert {row.quantity.partition(":")[0].partition(",")[0] for row in rows} == set(run.PARTS)
        assert not any(str(Path.home()) in row.reason for row in rows)
        assert one.expected.faults(rows) == []

    def test_a_vanished_row(self, monkeypatch):
        """A part that ran must have its chief rows."""
        expected = Expected.read(Path(run.__file__).parent)
        one = Run("entailment", expected=expected, options=SimpleNamespace(only=["accuracy"]))
        monkeypatch.setattr(run.Setting, "of", lambda _: Said({}, {}))
        monkeypatch.setattr(accuracy, "rows", lambda _: [Row.shown("another", 1)])
        rows = run.compute(one)
        assert any("mnli_dev accuracy: no such row" in fault for fault in one.expected.faults(rows))

    def test_absent(self):
        """The message says which command makes the model."""
        with pytest.raises(Absent, match=r"python -m benchmarks\.entailment train"):
            Said({}, {}).folder("full")


SHOWN = [
    {"quantity": "mnli_dev accuracy", "ours": 0.78125, "interval": [0.77, 0.79], "bar": "≥ 0.770"},
    {
        "quantity": "full precision: mnli_dev accuracy [points]",
        "ours": 78.2,
        "interval": None,
        "bar": None,
    },
    {
        "quantity": "context, tuning half, negation: right",
        "ours": "5 of 6",
        "interval": None,
        "bar": None,
    },
    {
        "quantity": "context, unseen half, negation: right",
        "ours": "4 of 6",
        "interval": None,
        "bar": None,
    },
    {"quantity": "context, unseen half: all rows", "ours": None, "interval": None, "bar": None},
]


class TestRecord:
    def test_metrics(self):
        """What the model's README shows, with bars and intervals; what has no figure is left out."""
        lines = record.metrics(SHOWN)
        assert lines[2] == "| mnli_dev accuracy | 0.781 | 0.770 … 0.790 | ≥ 0.770 |"
        assert len(lines) == 3

    def test_kinds(self):
        """Kinds down, halves across; a half that was not scored is a dash."""
        assert record.kinds(SHOWN)[2:] == ["| `negation` | 5 of 6 | 4 of 6 |"]
        assert record.kinds(SHOWN[:3])[2:] == ["| `negation` | 5 of 6 | – |"]

    def test_marks_must_be_there(self):
        """Nothing is written into a document that has no place for it."""
        with pytest.raises(InputError, match="<!-- kinds -->"):
            record.replaced("no marks", "kinds", [])
