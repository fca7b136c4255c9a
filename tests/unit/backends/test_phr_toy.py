"""PHR with a real causal model: the toy's training, the benchmark's rows, and the detector in a guard."""

import json
import threading

import pytest
from benchmarks.phr.language import main
from benchmarks.phr.language.cells import Store
from benchmarks.phr.language.corpus import BEGIN, FORM, Sequences, tokenizer
from benchmarks.phr.language.evaluation import Plan, evaluate
from benchmarks.phr.language.tasks import TASKS, Rows
from benchmarks.phr.language.train import Recipe, train, trained
from benchmarks.phr.language.train import main as train_language
from tests.effort import ends
from tests.unit.backends.models import needs_local
from tests.unit.backends.test_language_model import make

from guardrail import Budget, Case, Guard, Verdict
from guardrail.backends.language_model import CausalModel
from guardrail.detectors import PosteriorHallucinationRate
from guardrail.phr import Settings
from guardrail.report import Example
from guardrail.requests import Distribution, Sample

GOOD, BAD = ("fine", "great", "lovely"), ("dull", "poor", "weak")
ROWS = tuple(
    Example(input=f"a {word} {thing}", label="positive" if word in GOOD else "negative")
    for thing in ("film", "book", "song", "play")
    for word in (*GOOD, *BAD)
)
TASK = Rows("sst2", ROWS, ROWS)
LINES = [json.dumps({"input": f"{row.input} {i}", "label": row.label}) for i in range(9) for row in ROWS]
RECIPE = Recipe(
    vocabulary=300,
    width=32,
    layers=2,
    heads=2,
    inner=64,
    steps=250,
    tokens=512,
    lengths=((0.8, 64), (0.2, 256)),
    rate=1e-2,
    bf16=False,
)


@pytest.fixture(scope="module")
def toy(once):
    """Has learnt what good and bad words are."""
    needs_local()
    return once("toy", lambda folder: train([TASK], folder, recipe=RECIPE))


@pytest.fixture(scope="module")
def noise(tmp_path_factory):
    """Random weights: it writes no pairs."""
    needs_local()
    return make(tmp_path_factory.mktemp("noise"), network=wide)


def wide(transformers, size):
    """With room for a few pairs."""
    return transformers.LlamaForCausalLM(
        transformers.LlamaConfig(
            vocab_size=size,
            hidden_size=32,
            intermediate_size=48,
            num_hidden_layers=1,
            num_attention_heads=2,
            max_position_embeddings=1_024,
        )
    )


def case(answer, query="a lovely song"):
    pairs = [row for row in ROWS if row.input != query][::4]
    return Case.of(answer, prompt=FORM.context(pairs) + FORM.query(query))


class Watched(CausalModel):
    """Remembers what it was asked; answers once it may."""

    def __init__(self, folder):
        super().__init__(folder, device="cpu")
        self.asked = []
        self.free = threading.Event()
        self.may = threading.Event()
        self.may.set()

    def answer(self, requests):
        self.free.clear()
        self.asked += requests
        self.may.wait(120)
        try:
            return super().answer(requests)
        finally:
            self.free.set()


def check(given, model, *, budget=None, **options):
    guard = Guard([PosteriorHallucinationRate(**options)], backends={"language_model": model}, budget=budget)
    report = guard.check(given)
    assert report.failures == ()
    (finding,) = report.findings
    return finding, {one.name: one for one in finding.evidence}


class TestTraining:
    def test_stopped_and_resumed(self, tmp_path):
        """A run that was stopped ends with the very weights of one that was not."""
        needs_local()
        from safetensors.torch import load_file

        recipe = Recipe(**{**{name: getattr(RECIPE, name) for name in Recipe.__slots__}, "steps": 5})
        done = train([TASK], tmp_path / "whole", recipe=recipe)
        assert trained(tmp_path / "whole") == done
        assert trained(tmp_path) is None
        assert done.tokens == 5 * 512
        assert done.tasks == {"sst2": 24}

        class Stop(Exception):
            pass

        def stop(step, steps, loss):
            if step == 4:
                raise Stop

        with pytest.raises(Stop):
            train([TASK], tmp_path / "twice", recipe=recipe, save_every=1, say=stop)
        assert trained(tmp_path / "twice") is None
        steps = []
        train([TASK], tmp_path / "twice", recipe=recipe, say=lambda step, *_: steps.append(step))
        assert steps == [5]
        one, other = (load_file(tmp_path / name / "model.safetensors") for name in ("whole", "twice"))
        assert all((one[name] - other[name]).abs().max() < 1e-6 for name in one)
        assert not (tmp_path / "twice" / "unfinished").exists()

    def test_another_recipe(self, tmp_path):
        """Begins anew."""
        needs_local()

        class Stop(Exception):
            pass

        def stop(*_):
            raise Stop

        recipe = {name: getattr(RECIPE, name) for name in Recipe.__slots__} | {"steps": 3}
        with pytest.raises(Stop):
            train([TASK], tmp_path, recipe=Recipe(**recipe), save_every=1, say=stop)
        steps = []
        train(
            [TASK],
            tmp_path,
            recipe=Recipe(**(recipe | {"seed": 1})),
            say=lambda step, *_: steps.append(step),
        )
        assert steps == [1, 2, 3]

    def test_lengths(self):
        """Short sequences first, then long ones."""
        found = [RECIPE.length(step) for step in range(RECIPE.steps)]
        assert found == [64] * 200 + [256] * 50

    def test_command(self, tmp_path, capsys):
        """Trains what there is to train, once; says that it is a toy."""
        needs_local()
        for task in TASKS:
            (tmp_path / f"{task}.jsonl").write_text("\n".join(LINES) + "\n", encoding="utf-8")
        given = ["--data", str(tmp_path), "--model", str(tmp_path / "model"), "--steps", "1"]
        assert train_language(given) == 0
        first = capsys.readouterr().out
        assert first.startswith("A toy of ")
        note = (tmp_path / "model" / "training.json").stat().st_mtime_ns
        assert train_language(given) == 0
        assert capsys.readouterr().out == first
        assert (tmp_path / "model" / "training.json").stat().st_mtime_ns == note

    def test_no_data(self, tmp_path, capsys):
        """Is an error in words, not a traceback."""
        needs_local()
        assert train_language(["--data", str(tmp_path), "--model", str(tmp_path / "model")]) == 2
        assert "sst2.jsonl" in capsys.readouterr().err


class TestCorpus:
    def test_tokens_do_not_depend_on_their_neighbours(self):
        """Pairs have the same tokens alone, in a row, and at the end of a context."""
        needs_local()
        reader = tokenizer([TASK], vocabulary=300)
        alone = [reader.encode(FORM.pair(row)).ids for row in ROWS[:3]]
        assert reader.encode(FORM.context(ROWS[:3])).ids == [token for one in alone for token in one]
        query, label = reader.encode(FORM.query("a fine film")).ids, reader.encode(" positive").ids
        assert reader.encode(FORM.query("a fine film") + " positive").ids == [*query, *label]

    def test_sequences(self):
        """Whole pairs of the task after the beginning's token; a label's first token is the heavy one."""
        needs_local()
        reader = tokenizer([TASK], vocabulary=300)
        ids, weights = Sequences([TASK], reader, seed=0, label_weight=7.0).batch(3, size=4, length=100)
        assert ids.shape == weights.shape == (4, 101)
        for row, heavy in zip(ids, weights, strict=True):
            assert reader.id_to_token(int(row[0])) == BEGIN
            text = reader.decode(row[1:].tolist())
            found = [FORM.read(f"{part}\n\n") for part in text.split("\n\n")[:-1]]
            assert set(found) <= set(ROWS)
            labels = [reader.decode([int(row[i])]) for i in range(101) if heavy[i] == 7.0]
            starts = {reader.decode(reader.encode(f" {one}").ids[:1]) for one in ("positive", "negative")}
            assert set(labels) <= starts
            assert len(labels) >= len(found)
        again = Sequences([TASK], reader, seed=0, label_weight=7.0).batch(3, size=4, length=100)
        assert (again[0] == ids).all()

    def test_the_model_reads_the_same_tokens(self, toy):
        """As it was trained on: nothing is put in front, and line feeds stay."""
        model = CausalModel(toy, device="cpu")
        (reply,) = model.answer(
            [Distribution(FORM.context(ROWS[:2]), FORM.query("a fine film"), (" positive",))]
        )
        names = reply.value.names
        reader = tokenizer([TASK], vocabulary=300)
        assert [reader.id_to_token(i) for i in range(len(names))] == list(names)
        assert names[reply.value.begun[0]] == reader.encode(" positive").tokens[0]
        assert reply.value.probabilities[reply.value.begun[0]] > 0.8  # learnt, of tokens as they were learnt


class TestRows:
    def run(self, tmp_path, folder, *more):
        data = tmp_path / "icl"
        data.mkdir(exist_ok=True)
        (data / "sst2.jsonl").write_text("\n".join(LINES) + "\n", encoding="utf-8")
        given = [
            "--model",
            folder,
            "--data",
            data,
            "--cells",
            tmp_path / "cells",
            "--json",
            tmp_path / "json",
        ]
        given += ["--tasks", "sst2", "--n", "2", "4", "--sets", "1", "--device", "cpu", *more]
        code = main([str(one) for one in given])
        found = json.loads((tmp_path / "json").read_text(encoding="utf-8"))
        return code, {row["quantity"]: row for row in found["rows"]}

    def test_end_to_end(self, tmp_path, toy, capsys, monkeypatch):
        """All rows, said to be those of a toy; figures and tables; nothing is measured twice."""
        code, found = self.run(tmp_path, toy, "--out", tmp_path / "out")
        assert code == 0
        assert found["language: model"]["ours"].startswith("a toy trained here (0.0M")
        assert found["language: cells"]["ours"] == 2
        assert found["language: SST2: queries with PHR"]["ours"] == 20
        assert found["language: SST2: imagined labels that are the task's"]["ours"] > 0.9
        assert found["language: SST2: imagined pairs that could not be read"]["ours"] < 0.5
        assert 0 <= found["language: SST2: error rate"]["ours"] < 0.3
        assert len(list((tmp_path / "out").glob("*.svg"))) == 8
        assert "a toy trained here" in (tmp_path / "out" / "phr-language.md").read_text(encoding="utf-8")
        monkeypatch.setattr(CausalModel, "answer", None)  # whoever asked it again would fail
        assert self.run(tmp_path, toy)[1] == found
        capsys.readouterr()

    def test_not_trained(self, tmp_path, monkeypatch, capsys):
        """Says how to train it."""
        needs_local()
        monkeypatch.setenv("GUARDRAIL_MODELS", str(tmp_path))
        assert main([]) == 0
        assert "train-language" in capsys.readouterr().out

    def test_any_model(self, tmp_path, noise, capsys):
        """One that writes no pairs has rows too, without figures where there are none."""
        _, found = self.run(tmp_path, noise, "--n", "2")
        undefined = found["language: SST2, PHR (ε = 0.05) and MHR: MAE, R²"]
        assert found["language: model"]["ours"].startswith("noise")
        assert found["language: SST2: imagined contexts given up"]["ours"] == 1.0
        assert found["language: SST2: queries with PHR"]["ours"] == 0
        assert undefined["ok"] is None
        assert "no imagined pair could be read in 4 tries" in undefined["reason"]
        assert found["language: SST2: error rate"]["ours"] > 0.5
        capsys.readouterr()

    def test_drawn(self, tmp_path, toy):
        """The paper's estimator is near the exact one: error rates within the noise of 400 draws."""
        plans = [
            Plan(
                [TASK],
                sizes=(4,),
                sets=1,
                tests=4,
                settings=Settings(contexts=3, horizon=2, estimator=name, draws=100),
            )
            for name in ("exact", "drawn")
        ]
        model = CausalModel(toy, device="cpu")
        exact, drawn = (evaluate(plan, model, Store(tmp_path / "cells")) for plan in plans)
        for one, other in zip(exact[0].points, drawn[0].points, strict=True):
            assert other.error == pytest.approx(one.error, abs=0.2)
            assert other.contexts == one.contexts


class TestGuard:
    def test_follows_the_answer(self, toy):
        """A few-shot prompt through the guard: score, verdict and evidence."""
        model = CausalModel(toy, device="cpu")
        right, told = check(case("positive"), model)
        wrong, _ = check(case("negative"), model)
        assert (right.verdict, wrong.verdict) == (Verdict.SUPPORTED, Verdict.UNSUPPORTED)
        assert right.score < 0.3 < 0.7 < wrong.score
        low, high = told["PHR"].interval
        assert 0 <= low <= told["PHR"].value <= high <= 1
        assert told["mutual information [nats]"].value < 0.7
        assert told["imagined contexts"].value >= 2

    def test_budget_of_calls(self, toy):
        """Does not bind a model on this machine, which nobody is paid for."""
        finding, told = check(case("negative"), CausalModel(toy, device="cpu"), budget=Budget(calls=0))
        assert finding.verdict is Verdict.UNSUPPORTED
        assert told["imagined contexts"].value >= 2

    def test_pairs_that_cannot_be_read(self, noise):
        """Are drawn again a bounded number of times, counted and reported."""
        model = Watched(noise)
        finding, told = check(case("negative"), model, contexts=4, retries=2, max_tokens=8)
        assert finding.verdict is Verdict.UNVERIFIED
        assert "could be read in 3 tries" in finding.reason
        assert told["imagined contexts"].value == 0
        assert told["imagined contexts"].note == "8 imagined pairs drawn again, 4 contexts given up"
        assert sum(isinstance(request, Sample) for request in model.asked) == 12

    def test_deadline(self, toy):
        """A slow model is not waited for: what it did not say in time is told as such."""
        model = Watched(toy)
        model.load()
        model.may.clear()
        with ends(60):  # sooner than the model answers
            finding, _ = check(case("negative"), model, deadline=0.1)
        model.may.set()
        assert finding.verdict is Verdict.UNVERIFIED
        assert "deadline" in finding.reason
        assert model.free.wait(30)  # its thread has to end before the interpreter does
