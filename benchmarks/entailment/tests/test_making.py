"""The trainer of the entailment models: pairs, lessons, batches, and that a stopped run goes on."""

import itertools
import json
import os
import random
import re
from dataclasses import replace

import pytest
from benchmarks._data import data_dir
from benchmarks.entailment.making.dropout import Drawn, left_out
from benchmarks.entailment.making.judge import Judge
from benchmarks.entailment.making.lessons import COURSES, Course, Pass, changed_number, lessons, passage
from benchmarks.entailment.making.loop import CURVE, Recipe, train, trained
from benchmarks.entailment.making.optimizer import optimizer
from benchmarks.entailment.making.rewording import Rewording
from benchmarks.entailment.making.teacher import SHIPPED, Teacher, seconds
from benchmarks.entailment.making.train import RECIPES
from benchmarks.entailment.pairs import HELD_OUT, UNLABELLED, Pair, held_out, in_batches, read, training
from tests.unit.backends.models import make, needs_local

from guardrail.backends.weights import minilm
from guardrail.errors import InputError


def write(folder, name, rows):
    (folder / name).mkdir(parents=True)
    lines = [
        json.dumps({"premise": p, "hypothesis": h, "label": label, "split": split})
        for p, h, label, split in rows
    ]
    (folder / name / "pairs.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


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
        assert training(tmp_path, sets=["one", "two"]) == {
            "one": [Pair("A dog.", "An animal.", 0)],
            "two": [Pair("x", "y", 1)],
        }

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


class TestLessons:
    @pytest.fixture
    def folder(self, tmp_path):
        for name in HELD_OUT:
            write(tmp_path, name, [])
        for name in ("one", "two"):
            rows = [(f"In 19{i} it was {name}.", f"h {i}", "neutral", "train") for i in range(10, 50)]
            write(tmp_path, name, rows)
        return tmp_path

    def test_passes(self, folder):
        """Each has its own sets."""
        course = Course([Pass({"one": None, "two": None}), Pass({"one": None})])
        first, second = lessons(folder, course, seed=0)
        assert (len(first), len(second)) == (80, 40)
        assert all("one" in pair.premise for pair in second)

    def test_the_same_seed(self, folder):
        """Draws the same, another seed or another lesson another."""
        course = Course([Pass({"one": None}, numbers=5)] * 2, passages=0.5)
        found = lessons(folder, course, seed=0)
        assert found == lessons(folder, course, seed=0) != lessons(folder, course, seed=1)
        assert found[0] != found[1]

    def test_passages(self, folder):
        """About the share of pairs that was asked for has another premise beside its own, and keeps its label."""
        [pairs] = lessons(folder, Course([Pass({"one": None, "two": None})], passages=0.5), seed=0)
        longer = [pair for pair in pairs if pair.premise.count("it was") == 2]
        assert 25 <= len(longer) <= 55
        assert {pair.label for pair in longer} == {1}
        own = Pair("A.", "h", 2)
        found = {passage(own, "B.", random.Random(seed)) for seed in range(9)}
        assert found == {Pair("A. B.", "h", 2), Pair("B. A.", "h", 2)}

    def test_taught(self, folder):
        """A pair keeps its teacher's probabilities in a longer passage; a pair that is made has none."""

        def taught(pairs):
            return [replace(pair, taught=(0.2, 0.5, 0.3)) for pair in pairs]

        course = Course([Pass({"one": None, "two": None})], taught={"two"})
        [pairs] = lessons(folder, course, seed=0, taught=taught)
        assert [pair.taught is None for pair in pairs] == ["one" in pair.premise for pair in pairs]
        course = Course([Pass({"one": None}, numbers=10)], passages=0.5, taught={"one"})
        [pairs] = lessons(folder, course, seed=0, taught=taught)
        assert {pair.taught for pair in pairs[:40]} == {(0.2, 0.5, 0.3)}
        assert {pair.taught for pair in pairs[40:]} == {None}
        [alone] = lessons(folder, course, seed=0)
        assert alone == [replace(pair, taught=None) for pair in pairs]

    def test_reworded(self, folder):
        """A pass has further pairs of the sets that were named, drawn anew, without a label but taught."""

        def taught(pairs):
            return [replace(pair, taught=(0.2, 0.5, 0.3)) for pair in pairs]

        def reworded(pairs, source):
            return (replace(one, hypothesis=str(source.random()), label=UNLABELLED) for one in pairs)

        course = Course(
            [Pass({"one": None, "two": None}, reworded={"one"}), Pass({"one": 5}, reworded={"one"})]
        )
        first, second = lessons(folder, course, seed=0, taught=taught, reworded=reworded)
        assert (len(first), len(second)) == (80 + 40, 5 + 40)
        assert lessons(folder, course, seed=0, taught=taught, reworded=reworded) == [first, second]
        made = [pair for pair in first + second if pair.label == UNLABELLED]
        assert len({pair.hypothesis for pair in made}) == len(made) == 80
        assert all("one" in pair.premise and pair.taught == (0.2, 0.5, 0.3) for pair in made)
        assert not [pair for pair in lessons(folder, course, seed=0)[0] if pair.label == UNLABELLED]

    def test_order(self, folder):
        """A pass that comes again has the same pairs; without an order each comes once."""
        course = Course([Pass({"one": 7}), Pass({"one": 9}), Pass({"two": 5})])
        each = lessons(folder, course, seed=0)
        again = lessons(folder, replace(course, order=[2, 0, 2]), seed=0)
        assert again == [each[2], each[0], each[2]]

    def test_a_part_of_the_passes(self, folder):
        """Of a pass that a course leaves out nothing is made, so no teacher is asked about it."""
        asked = []

        def taught(pairs):
            asked.append(len(pairs))
            return [replace(pair, taught=(0.2, 0.5, 0.3)) for pair in pairs]

        def reworded(pairs, source):
            return (replace(one, hypothesis=str(source.random()), label=UNLABELLED) for one in pairs)

        course = Course([Pass({"one": None}, reworded={"one"})] * 3, order=[2])
        assert list(map(len, lessons(folder, course, seed=0, taught=taught, reworded=reworded))) == [80]
        assert asked == [40]

    def test_most(self, folder):
        """So many pairs of a set that has more, others in another pass, the same with the same seed."""
        course = Course([Pass({"one": 7, "two": 99})] * 2)
        first, second = lessons(folder, course, seed=0)
        assert len(first) == len(set(first)) == len(second) == 47
        assert first != second
        assert [first, second] == lessons(folder, course, seed=0) != lessons(folder, course, seed=1)

    def test_numbers(self, folder):
        """A premise that says itself is entailed; with another number it is contradicted."""
        [pairs] = lessons(folder, Course([Pass({"one": None}, numbers=30)]), seed=0)
        made = pairs[40:]
        assert len(made) == 30
        assert {pair.label for pair in made} == {0, 2}
        for pair in made:
            assert (pair.premise == pair.hypothesis) == (pair.label == 0)
            assert re.sub(r"\d", "", pair.premise) == re.sub(r"\d", "", pair.hypothesis)

    @pytest.mark.parametrize("text", ["no number", "3.5 percent", "B12", "123456", "1,000"])
    def test_no_number_to_change(self, text):
        """Parts of words and of longer numbers stay."""
        assert changed_number(text, random.Random(0)) is None

    def test_as_many_digits(self):
        """Another number, and nothing else is changed."""
        found = {changed_number("He was 9 in 1999.", random.Random(seed)) for seed in range(50)}
        assert all(re.fullmatch(r"He was [1-9] in \d{4}\.", text) for text in found)
        assert "He was 9 in 1999." not in found
        assert len(found) > 20


LOCAL_DATA = (
    pytest.mark.data  # may not be skipped then
    if os.environ.get("GUARDRAIL_TEST_LOCAL")
    else pytest.mark.skip(reason="needs the data and torch: make test-local runs this")
)
TEACHER = "benchmarks.entailment.making.teacher"
WORDS = ["cat", "dog", "bird", "fish"]
PAIRS = [Pair(f"A {a} sat.", f"The {b} sat.", 0 if a == b else 2) for a in WORDS for b in WORDS]
RECIPE = Recipe(batch=4, bf16=False)


class Stop(Exception):
    pass


def stopping(at, lines):
    """Takes lines, and dies at the one that begins so."""

    def say(line):
        lines.append(line)
        if line.startswith(at):
            raise Stop

    return say


def same(*folders):
    from safetensors.torch import load_file

    one, other = (load_file(folder / "model.safetensors") for folder in folders)
    return all((one[name] - other[name]).abs().max() < 1e-6 for name in one)


class TestOptimizer:
    @pytest.fixture
    def network(self):
        needs_local()
        from torch import nn

        layers = nn.ModuleDict({"layer": nn.ModuleList([nn.Linear(3, 2), nn.LayerNorm(2)])})
        return nn.ModuleDict({"words": nn.Embedding(9, 3), "encoder": layers, "head": nn.Linear(2, 3)})

    def test_each_weight_once(self, network):
        """Muon moves the matrices of the layers, AdamW all else that is learnt."""
        import torch

        network["words"].requires_grad_(False)
        layer, norm = network["encoder"]["layer"]
        first, second = optimizer(network, rate=0.1, muon=True).param_groups
        assert set(first["params"]) == {layer.weight}
        assert set(second["params"]) == {layer.bias, *norm.parameters(), *network["head"].parameters()}
        alone = optimizer(network, rate=0.1, muon=False)
        assert isinstance(alone, torch.optim.AdamW)
        assert len(alone.param_groups[0]["params"]) == 6

    def test_every_direction_as_far(self, network):
        """Oracle: the step of a matrix has singular values that are nearly equal, however unequal the gradient's are."""
        import torch

        weight = network["encoder"]["layer"][0].weight
        before = weight.detach().clone()
        weight.grad = torch.tensor([[1.0, 0.0, 0.0], [0.0, 0.05, 0.0]])
        optimizer(network, rate=1.0, muon=True).step()
        longest, shortest = torch.linalg.svdvals(weight.detach() - before)
        assert longest < 2.5 * shortest


class TestTrain:
    @pytest.fixture
    def base(self, tmp_path):
        needs_local()
        return make(tmp_path / "base", head=False)

    def test_stopped_and_resumed(self, tmp_path, base):
        """A run that was stopped ends with the very weights of one that was not."""
        done = train([PAIRS], tmp_path / "whole", base=base, recipe=RECIPE)
        assert (done.pairs, done.steps, done.best, done.judged) == (16, 4, 4, 0)
        assert trained(tmp_path / "whole") == done
        assert trained(tmp_path) is None
        lines = []
        say = stopping("step 3", lines)
        with pytest.raises(Stop):
            train([PAIRS], tmp_path / "twice", base=base, recipe=RECIPE, save_every=1, say=say)
        assert trained(tmp_path / "twice") is None
        train([PAIRS], tmp_path / "twice", base=base, recipe=RECIPE, say=lines.append)
        assert "going on at step 2 of 4" in lines
        assert same(tmp_path / "whole", tmp_path / "twice")
        assert not list((tmp_path / "twice").glob("unfinished"))

    def test_dropout_goes_on_where_it_was(self, tmp_path, base):
        """What is left out depends on the step, so a run that was stopped ends with the same weights; and it is left out."""
        recipe = replace(RECIPE, dropout=0.3)
        train([PAIRS], tmp_path / "whole", base=base, recipe=recipe)
        with pytest.raises(Stop):
            train(
                [PAIRS],
                tmp_path / "twice",
                base=base,
                recipe=recipe,
                save_every=1,
                say=stopping("step 3", []),
            )
        train([PAIRS], tmp_path / "twice", base=base, recipe=recipe)
        assert same(tmp_path / "whole", tmp_path / "twice")
        train([PAIRS], tmp_path / "none", base=base, recipe=RECIPE)
        assert not same(tmp_path / "whole", tmp_path / "none")

    def test_muon_goes_on_where_it_was(self, tmp_path, base):
        """The state of both optimizers is kept, so a run that was stopped ends with the same weights; and they are others."""
        recipe = replace(RECIPE, muon=True)
        train([PAIRS], tmp_path / "whole", base=base, recipe=recipe)
        say = stopping("step 3", [])
        with pytest.raises(Stop):
            train([PAIRS], tmp_path / "twice", base=base, recipe=recipe, save_every=1, say=say)
        train([PAIRS], tmp_path / "twice", base=base, recipe=recipe)
        assert same(tmp_path / "whole", tmp_path / "twice")
        train([PAIRS], tmp_path / "none", base=base, recipe=RECIPE)
        assert not same(tmp_path / "whole", tmp_path / "none")

    @pytest.mark.parametrize("other", ["base", "lessons"])
    def test_another_training_begins_anew(self, tmp_path, base, other):
        """What was saved of other weights, or of other pairs, is no beginning."""
        made = base if other == "lessons" else make(tmp_path / "other", head=False, seed=1)
        pairs = PAIRS if other == "base" else [replace(pair, taught=(0.6, 0.3, 0.1)) for pair in PAIRS]
        say = stopping("step 3", [])
        with pytest.raises(Stop):
            train([PAIRS], tmp_path / "twice", base=base, recipe=RECIPE, save_every=1, say=say)
        lines = []
        train([pairs], tmp_path / "twice", base=made, recipe=RECIPE, say=lines.append)
        train([pairs], tmp_path / "whole", base=made, recipe=RECIPE)
        assert not any("going on" in line for line in lines)
        assert same(tmp_path / "whole", tmp_path / "twice")

    def test_lessons_are_passes(self, tmp_path, base):
        """Each lesson is gone through once, in an order of its own."""
        done = train([PAIRS, PAIRS[:8]], tmp_path / "two", base=base, recipe=RECIPE)
        assert (done.pairs, done.steps) == (24, 6)

    def test_the_best_survives_a_stop(self, tmp_path, base):
        """The judge's choice, made before a stop, is what is kept after it; and the curve has no step twice."""
        recipe = Recipe(batch=4, bf16=False, looks=2)

        def judge(*said):
            values = iter(said)
            return lambda _network, _reader: next(values)

        arguments = {"base": base, "recipe": recipe, "save_every": 1}
        done = train([PAIRS], tmp_path / "whole", judge=judge(0.9, 0.5), **arguments)
        assert (done.best, done.judged) == (3, 0.9)
        with pytest.raises(Stop):
            train([PAIRS], tmp_path / "twice", judge=judge(0.9, 0.5), **arguments, say=stopping("step 4", []))
        again = train([PAIRS], tmp_path / "twice", judge=judge(0.5), **arguments)
        assert (again.best, again.judged) == (3, 0.9)
        assert same(tmp_path / "whole", tmp_path / "twice")
        last = train([PAIRS], tmp_path / "last", base=base, recipe=recipe)
        assert last.best == 4
        assert not same(tmp_path / "whole", tmp_path / "last")
        lines = [json.loads(line) for line in (tmp_path / "twice" / CURVE).read_text().splitlines()]
        assert [(row["step"], "right" in row) for row in lines] == [
            (1, False),
            (2, False),
            (3, True),
            (3, False),
            (4, True),
            (4, False),
        ]

    def test_from_a_teacher(self, tmp_path, base, monkeypatch):
        """Oracle: where only the teacher's probabilities count and all are (.6, .3, .1), that is what is learnt."""
        monkeypatch.setattr(f"{TEACHER}._LONGEST", 64)
        pairs = [replace(pair, taught=(0.6, 0.3, 0.1)) for pair in PAIRS]
        recipe = Recipe(batch=4, bf16=False, hard=0.0, rate=3e-3)
        train([pairs] * 12, tmp_path / "taught", base=base, recipe=recipe)
        for pair in Teacher(tmp_path / "said", tmp_path / "taught")(PAIRS):
            assert pair.taught == pytest.approx((0.6, 0.3, 0.1), abs=0.06)
        train([pairs], tmp_path / "hard", base=base, recipe=replace(recipe, hard=1.0))
        train([PAIRS], tmp_path / "labels", base=base, recipe=recipe)
        assert same(tmp_path / "hard", tmp_path / "labels")

    def test_without_a_label(self, tmp_path, base):
        """Only the teacher's probabilities count, whatever weight labels have; without those there is nothing to learn."""
        pairs = [replace(pair, taught=(0.6, 0.3, 0.1)) for pair in PAIRS]
        unlabelled = [replace(pair, label=UNLABELLED) for pair in pairs]
        train([unlabelled], tmp_path / "unlabelled", base=base, recipe=RECIPE)
        train([pairs], tmp_path / "taught", base=base, recipe=replace(RECIPE, hard=0.0))
        assert same(tmp_path / "unlabelled", tmp_path / "taught")
        with pytest.raises(InputError, match="a teacher's probabilities"):
            train([[replace(PAIRS[0], label=UNLABELLED)]], tmp_path / "none", base=base, recipe=RECIPE)

    def test_frozen(self, tmp_path, base):
        """The words and the first layers stay as they are; the others, and the head, learn."""
        from safetensors.torch import load_file

        train([PAIRS], tmp_path / "out", base=base, recipe=replace(RECIPE, frozen=1))
        before, after = load_file(base / "model.safetensors"), load_file(tmp_path / "out/model.safetensors")
        changed = {name for name, one in before.items() if not (after.get(f"bert.{name}", one) == one).all()}
        stay = ("embeddings.", "encoder.layer.0.")
        assert changed
        assert not any(name.startswith(stay) for name in changed)
        assert any(name.startswith("encoder.layer.1.") for name in changed)

    def test_judge(self, tmp_path):
        """The share of pairs of which the largest output is the label's, whatever their order."""
        needs_local()
        import torch
        import transformers

        folder = make(tmp_path / "model", labels=("entailment", "neutral", "contradiction"))
        reader = transformers.AutoTokenizer.from_pretrained(folder)
        network = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
        texts = [(pair.premise, pair.hypothesis) for pair in PAIRS]
        with torch.inference_mode():
            said = [int(network(**reader(*one, return_tensors="pt")).logits.argmax()) for one in texts]
        right = [Pair(*text, label) for text, label in zip(texts, said, strict=True)]
        wrong = [Pair(*text, (label + 1) % 3) for text, label in zip(texts[:4], said, strict=False)]
        assert Judge(right)(network, reader) == 1
        assert Judge([*wrong, *right[4:]])(network, reader) == 0.75


class TestDropout:
    def test_share_and_mean(self):
        """Oracle: a binomial's mean within five of its standard errors; what stays is as much larger as keeps the mean."""
        needs_local()
        import torch

        drawn = Drawn(0.25, seed=0)
        values = drawn(torch.full((400, 1_000), 3.0))
        assert abs((values == 0).double().mean() - 0.25) < 5 * (0.25 * 0.75 / 400_000) ** 0.5
        assert set(values.unique().tolist()) == {0.0, 4.0}

    def test_by_seed_and_step(self):
        """The same draws for the same seed and step, in their order; others else."""
        needs_local()
        import torch

        ones = torch.ones(1_000)

        def two(seed, step):
            drawn = Drawn(0.5, seed)
            drawn.step = step
            return [drawn(ones).tolist(), drawn(ones).tolist()]

        first, second = two(0, 7)
        assert [first, second] == two(0, 7)
        assert first != second
        assert first not in (two(1, 7)[0], two(0, 8)[0])

    def test_gradient(self):
        """It passes what stays, as much larger, and nothing else; numbers keep their type."""
        needs_local()
        import torch

        values = torch.ones(1_000, dtype=torch.bfloat16, requires_grad=True)
        given = Drawn(0.5, seed=0)(values)
        given.sum().backward()
        assert given.dtype == torch.bfloat16
        assert torch.equal(values.grad, given.detach())

    def test_layers(self):
        """A network's own layers are exchanged, at any depth; it is left as it is where it answers, or for a share of 0."""
        needs_local()
        import torch

        def network():
            return torch.nn.Sequential(torch.nn.Dropout(0.0), torch.nn.Sequential(torch.nn.Dropout(0.0)))

        one, ones = network(), torch.ones(1_000)
        left_out(one, 0.5, seed=0)
        assert set(one(ones).unique().tolist()) == {0.0, 4.0}  # both leave out
        assert torch.equal(one.eval()(ones), ones)
        other = network()
        left_out(other, 0.0, seed=0)
        assert torch.equal(other(ones), ones)


class TestRewording:
    @pytest.fixture
    def base(self, tmp_path):
        """An encoder for which "cat" and "dog" are near each other, and "red" and "blue"."""
        needs_local()
        import torch
        from safetensors.torch import load_file, save_file

        folder = make(tmp_path / "base", head=False)
        vocabulary = {"[PAD]": 0, "cat": 1, "dog": 2, "red": 3, "blue": 4, "##s": 5, "x": 6}
        reader = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
        reader["model"]["vocab"] = vocabulary
        (folder / "tokenizer.json").write_text(json.dumps(reader), encoding="utf-8")
        weights = load_file(folder / "model.safetensors")
        vectors = torch.tensor([[9, 9], [1, 0.1], [1, -0.1], [-1, 0.1], [-1, -0.1], [1, 0], [1, 0]])
        weights["embeddings.word_embeddings.weight"] = vectors
        save_file(weights, folder / "model.safetensors")
        return folder

    def test_near_words(self, base, monkeypatch):
        """Oracle: the only other word that is near; case and all that is no whole known word stay out of it."""
        monkeypatch.setattr("benchmarks.entailment.making.rewording._NEAREST", 1)
        monkeypatch.setattr("benchmarks.entailment.making.rewording._SHARE", 1)
        monkeypatch.setattr("benchmarks.entailment.making.rewording._OF_PREMISE", 0)
        pairs = [
            Pair("It is.", "A Cat, red!", 0, (0.1, 0.2, 0.7)),
            Pair("p", "unknown xs", 1),
            Pair("p", "cats", 1),
            Pair("p", "cat's catwalk, red-cat café cat’s", 1),
        ]
        assert list(Rewording(base)(pairs, random.Random(0))) == [Pair("It is.", "A dog, blue!", UNLABELLED)]

    def test_words_of_the_premise(self, base, monkeypatch):
        """Some stand in for words of the hypothesis; with one known word at least that one is exchanged."""
        monkeypatch.setattr("benchmarks.entailment.making.rewording._SHARE", 0)
        monkeypatch.setattr("benchmarks.entailment.making.rewording._OF_PREMISE", 1)
        found = {
            one.hypothesis
            for seed in range(30)
            for one in Rewording(base)([Pair("We saw", "the cat", 0)], random.Random(seed))
        }
        assert found == {"the We", "the saw"}

    def test_the_same_seed(self, base):
        """Draws the same words."""
        make_anew = Rewording(base)
        pairs = [Pair("blue", "a red cat and a red dog", 0)] * 9
        found = list(make_anew(pairs, random.Random(1)))
        assert found == list(make_anew(pairs, random.Random(1))) != list(make_anew(pairs, random.Random(2)))


class TestTeacher:
    @pytest.fixture
    def folder(self, tmp_path, monkeypatch):
        needs_local()
        monkeypatch.setattr(f"{TEACHER}._LONGEST", 64)
        return make(tmp_path / "model", labels=("entailment", "neutral", "contradiction"))

    def test_the_model_s_own(self, folder, tmp_path):
        """Oracle: the library, one pair at a time, in float32."""
        import torch
        import transformers

        reader = transformers.AutoTokenizer.from_pretrained(folder)
        network = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
        gaps = []
        for pair in Teacher(tmp_path / "kept", folder)(PAIRS):
            with torch.inference_mode():
                logits = network(**reader(pair.premise, pair.hypothesis, return_tensors="pt")).logits
            gaps.append((logits.softmax(1)[0] - torch.tensor(pair.taught)).abs().max().item())
        # 8 bits cost a hundredth, and a single pair a few; probabilities of another pair or label would be .3 off.
        assert sum(gaps) / len(gaps) < 0.025
        assert max(gaps) < 0.1

    def test_asked_once(self, folder, tmp_path, monkeypatch):
        """What was said before a stop is not asked again, in whatever order the pairs have been asked."""
        monkeypatch.setattr(f"{TEACHER}._BATCH", 4)
        monkeypatch.setattr(f"{TEACHER}._PAUSE", -1)
        whole = Teacher(tmp_path / "whole", folder)(PAIRS)
        with pytest.raises(Stop):
            Teacher(tmp_path / "kept", folder, say=stopping("pair 8", []))(PAIRS)
        lines = []
        again = Teacher(tmp_path / "kept", folder, say=lines.append)
        assert again(PAIRS) == whole
        assert lines == ["pair 12 of 16", "pair 16 of 16"]
        assert again(PAIRS) == whole
        assert len(lines) == 2
        for some, one in zip(again(PAIRS[:4]), whole, strict=False):
            assert some.taught == pytest.approx(one.taught, abs=0.02)  # 8 bits, beside other pairs
        assert len(lines) == 3  # other pairs
        assert Teacher(tmp_path / "kept", None)(PAIRS) == whole
        with pytest.raises(InputError, match="--own-teacher"):
            Teacher(tmp_path / "kept", None)(PAIRS[:5])
        assert seconds(tmp_path / "kept") > 0
        assert seconds(tmp_path / "none") is None


@LOCAL_DATA
def test_what_is_shipped_is_whole():
    """A teacher has said how likely each label is of every pair that the recipe has it asked about, here too."""
    needs_local()
    teacher, reworded = Teacher(SHIPPED, None), Rewording(minilm())
    course = replace(COURSES["full"], order=None)  # all passes, of both courses
    passes = lessons(data_dir("nli"), course, seed=0, taught=teacher, reworded=reworded)
    made = [sum(pair.label == UNLABELLED for pair in one) > 20_000 for one in passes]
    assert made == [bool(one.reworded) for one in course.passes]
    taught = [pair.taught for one in passes for pair in one if pair.taught]
    assert len(taught) > 450_000
    assert max(abs(sum(shares) - 1) for shares in taught) < 0.002
    assert trained(SHIPPED).recipe == RECIPES["teacher"]
