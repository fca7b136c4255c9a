"""The trainer of the small entailment model: its pairs, its batches, and that a stopped run goes on."""

import itertools
import json

import pytest
from benchmarks.entailment.pairs import HELD_OUT, Pair, held_out, in_batches, read, training
from benchmarks.entailment.run import accuracy
from benchmarks.entailment.train import Recipe, train, trained
from tests.unit.backends.models import needs_local, needs_minilm

from guardrail.errors import InputError
from guardrail.requests import Entailment


def write(folder, name, rows):
    (folder / name).mkdir(parents=True)
    lines = [
        json.dumps({"premise": p, "hypothesis": h, "label": label, "split": split})
        for p, h, label, split in rows
    ]
    (folder / name / "pairs.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


class TestPairs:
    def test_nothing_in_both(self, tmp_path):
        """Held-out pairs are not learnt, whatever their punctuation; nor is a pair learnt twice."""
        for name in HELD_OUT:
            write(tmp_path, name, [("A cat sat.", f"It is {name}", "entailment", "dev")])
        write(
            tmp_path,
            "one",
            [
                ("a CAT sat", "it is snli_dev!", "entailment", "train"),
                ("A dog.", "An animal.", "entailment", "train"),
                ("A dog.", "A cat.", "contradiction", "dev"),
                ("A dog.", "It barks.", "not_entailment", "train"),
            ],
        )
        write(
            tmp_path, "two", [("a dog", "an animal", "entailment", "train"), ("x", "y", "neutral", "train")]
        )
        assert training(tmp_path, sets=["one", "two"]) == [Pair("A dog.", "An animal.", 0), Pair("x", "y", 1)]

    def test_drawn_alike(self, tmp_path):
        """The same seed draws the same pairs."""
        write(tmp_path, "one", [(str(i), "h", "neutral", "dev") for i in range(50)])
        first = held_out(tmp_path, "one", most=5, seed=1)
        assert first == held_out(tmp_path, "one", most=5, seed=1) != held_out(tmp_path, "one", most=5, seed=2)
        assert len(held_out(tmp_path, "one", most=90, seed=1)) == 50

    def test_another_format(self, tmp_path):
        """A file of something else is named."""
        (tmp_path / "pairs.jsonl").write_text('{"text": 1}\n', encoding="utf-8")
        with pytest.raises(InputError, match="one labelled pair a line"):
            list(read(tmp_path / "pairs.jsonl"))

    def test_batches(self):
        """Every pair once, like lengths together, the same order for the same seed."""
        lengths = [5 + i % 40 for i in range(1_000)]
        found = in_batches(lengths, size=16, seed=0)
        assert sorted(itertools.chain(*found)) == list(range(1_000))
        assert found == in_batches(lengths, size=16, seed=0) != in_batches(lengths, size=16, seed=1)
        spread = [max(lengths[i] for i in batch) - min(lengths[i] for i in batch) for batch in found]
        assert sum(spread) / len(spread) < 5


class TestAccuracy:
    def test_by_hand(self):
        """Two of three right."""
        pairs = [Pair("", "", 0), Pair("", "", 1), Pair("", "", 2)]
        found = [Entailment(0.8, 0.1, 0.1), Entailment(0.1, 0.6, 0.3), Entailment(0.1, 0.6, 0.3)]
        assert accuracy(pairs, found) == (2, 3)

    def test_no_neutral(self):
        """In a set without neutral pairs the better of the other two decides."""
        assert accuracy([Pair("", "", 0), Pair("", "", 2)], [Entailment(0.2, 0.1, 0.7)] * 2) == (1, 2)


class TestTrain:
    def test_stopped_and_resumed(self, tmp_path):
        """A run that was stopped ends with the very weights of one that was not."""
        needs_local()
        needs_minilm()
        from safetensors.torch import load_file

        words = ["cat", "dog", "bird", "fish"]
        pairs = [Pair(f"A {a} sat.", f"The {b} sat.", 0 if a == b else 2) for a in words for b in words]
        recipe = Recipe(batch=4, bf16=False)
        done = train(pairs, tmp_path / "whole", recipe=recipe)
        assert (done.pairs, done.steps) == (16, 4)
        assert trained(tmp_path / "whole") == done
        assert trained(tmp_path) is None

        class Stop(Exception):
            pass

        lines = []

        def stop(line):
            lines.append(line)
            if line.startswith("step 3"):
                raise Stop

        with pytest.raises(Stop):
            train(pairs, tmp_path / "twice", recipe=recipe, save_every=1, say=stop)
        assert trained(tmp_path / "twice") is None
        train(pairs, tmp_path / "twice", recipe=recipe, say=lines.append)
        assert "going on at step 2 of 4" in lines
        one, other = (load_file(tmp_path / name / "model.safetensors") for name in ("whole", "twice"))
        assert all((one[name] - other[name]).abs().max() < 1e-6 for name in one)
        assert not list((tmp_path / "twice").glob("unfinished"))
