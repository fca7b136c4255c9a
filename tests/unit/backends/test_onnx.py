"""The packaged entailment model through ONNX Runtime: what it says, alone and in company, and what it does without."""

import itertools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.entailment.making.form import WORDS, pack
from benchmarks.entailment.making.graph import graph
from tests.unit.backends.models import TEXTS, make, needs_local

from guardrail.backends import weights
from guardrail.backends.entailment import EntailmentModel
from guardrail.backends.packaged import PackagedEntailment
from guardrail.backends.weights import ENTAILMENT_MINI, GRAPH, find
from guardrail.engine.flow import Answer
from guardrail.errors import ConfigError
from guardrail.requests import Entail

SHORT = [
    Entail("He was born in Paris in 1821.", "He was born in France."),
    Entail("He was born in Paris in 1821.", "He was born in Berlin."),
    Entail("The committee met on Tuesday.", "The chairman wore a hat."),
]
LONG = Entail(
    " ".join(["The old town hall stood by the river, and the committee met there."] * 30), "It met."
)


def shares(replies):
    return [(r.value.entailment, r.value.neutral, r.value.contradiction) for r in replies]


def gap(some, others):
    return max(abs(a - b) for x, y in zip(some, others, strict=True) for a, b in zip(x, y, strict=True))


@pytest.fixture(scope="module")
def model():
    return EntailmentModel(ENTAILMENT_MINI, runtime="onnx")


class TestScores:
    def test_make_sense(self, model):
        """Paris is in France and not in Berlin."""
        first, second, third = shares(model.answer(SHORT))
        assert first[0] > 0.8
        assert second[2] > 0.8
        assert third[1] > 0.5

    def test_do_not_depend_on_the_batch(self, model):
        """Alone, together, and beside a pair of 400 tokens."""
        alone = [row for one in SHORT for row in shares(model.answer([one]))]
        assert gap(alone, shares(model.answer(SHORT))) < 1e-5
        assert gap(alone, shares(model.answer([LONG, *SHORT]))[1:]) < 1e-5

    def test_are_those_of_torch(self, model):
        """In fp32 by transformers; oracle: the same weights, read by another implementation."""
        needs_local()
        other = EntailmentModel(ENTAILMENT_MINI, runtime="torch", precision="fp32", device="cpu")
        assert gap(shares(model.answer([*SHORT, LONG])), shares(other.answer([*SHORT, LONG]))) < 1e-5
        assert model.origin == other.origin  # so fits hold for both
        assert model.fingerprint != other.fingerprint

    def test_of_a_text_that_is_too_long_say_what_was_read(self, model):
        long = Entail(LONG.premise * 10, "It met.")
        [reply] = model.answer([long])
        assert isinstance(reply, Answer)
        assert 0 < reply.value.premise_read < len(long.premise)


class TestPackagedModel:
    def test_needs_no_torch(self):
        """Neither to load nor to answer."""
        code = (
            "import sys; from guardrail.backends import EntailPackaged, packaged_entailment\n"
            "[reply] = packaged_entailment().answer([EntailPackaged('He sleeps.', 'He is asleep.')])\n"
            "assert reply.value.entailment > .5; assert packaged_entailment().model.runtime == 'onnx'\n"
            "assert not {'torch', 'transformers'} & set(sys.modules), sorted(sys.modules)\n"
        )
        subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ})

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
    @pytest.mark.parametrize("asked_before", ["entailment()", "tags()", "entailment(), tags()"])
    def test_answers_in_a_forked_child(self, asked_before):
        """Threads of a session do not come along, and whoever destroyed it would wait for them for ever."""
        code = (
            "import os; from guardrail.backends import EntailPackaged, packaged_entailment\n"
            "from guardrail.backends.tokens import TokenScores\n"
            "from guardrail.backends.weights import CITATIONS_MINI\n"
            "reader = TokenScores(CITATIONS_MINI)\n"
            "def entailment():\n"
            "    return packaged_entailment().answer([EntailPackaged('He sleeps.', 'He is asleep.')])[0].value.entailment\n"
            "def tags():\n"
            "    ids = reader.tokenizer.encode('Read Smith (2020).').ids\n"
            "    return float(reader.scores(ids, [0] * len(ids))[0][0])\n"
            f"asked = lambda: [{asked_before}]\n"
            "before = asked()\n"
            "for _ in range(5):\n"
            "    child = os.fork()\n"
            "    if not child: os._exit(0 if all(abs(a - b) < 1e-5 for a, b in zip(before, asked())) else 1)\n"
            "    assert os.waitpid(child, 0)[1] == 0\n"
        )
        threads = {**os.environ, "OMP_NUM_THREADS": "2"}
        subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, timeout=120, env=threads)

    def test_is_refused_with_another_graph(self, tmp_path, monkeypatch):
        """By SHA-256, as the weights are."""
        folder = tmp_path / "guardrail_entailment_mini"
        shutil.copytree(find(ENTAILMENT_MINI), folder)
        (folder / GRAPH).write_bytes((folder / GRAPH).read_bytes() + b"\0")
        monkeypatch.setattr(weights, "_packaged_folder", lambda _name: folder)
        [reply] = PackagedEntailment().answer([SHORT[0]])
        assert "SHA-256" in reply.detail

    def test_has_the_graph_that_the_recipe_writes(self):
        """`python -m benchmarks.entailment graph` would change nothing."""
        folder = find(ENTAILMENT_MINI)
        assert graph(folder) == (folder / GRAPH).read_bytes()


class TestGraph:
    @pytest.mark.parametrize("coarse", [(), WORDS])
    def test_computes_what_torch_does(self, tmp_path, coarse):
        """Of a network in 8 bits, its words in 4 as well. Oracle: transformers, with the weights taken apart by us."""
        needs_local()
        folder = make(tmp_path / "trained")
        told = folder / "tokenizer_config.json"
        names = ["input_ids", "token_type_ids", "attention_mask"]
        told.write_text(json.dumps(json.loads(told.read_text()) | {"model_input_names": names}))
        pack(folder, tmp_path / "packed", temperature=1.0, coarse=coarse)
        (tmp_path / "packed" / GRAPH).write_bytes(graph(tmp_path / "packed"))
        pairs = [Entail(one, other) for one, other in itertools.pairwise([text[:60] for text in TEXTS[:6]])]
        found, expected = (
            shares(EntailmentModel(tmp_path / "packed", device="cpu", runtime=runtime).answer(pairs))
            for runtime in ("onnx", "torch")
        )
        assert gap(found, expected) < 1e-5
        assert gap(found, shares(EntailmentModel(folder, device="cpu").answer(pairs))) > 1e-5


class TestRefusals:
    def test_what_only_torch_can_do(self):
        for options in ({"precision": "bf16"}, {"device": "cuda"}):
            with pytest.raises(ConfigError, match="runtime='torch'"):
                EntailmentModel(ENTAILMENT_MINI, runtime="onnx", **options)

    def test_a_folder_without_a_graph(self, tmp_path):
        for name in ("config.json", "model.safetensors", "tokenizer.json"):
            (tmp_path / name).write_bytes((find(ENTAILMENT_MINI) / name).read_bytes())
        with pytest.raises(ConfigError, match=GRAPH):
            EntailmentModel(tmp_path, runtime="onnx")

    def test_a_damaged_graph(self, tmp_path):
        for path in Path(find(ENTAILMENT_MINI)).iterdir():
            if path.is_file():
                (tmp_path / path.name).write_bytes(path.read_bytes())
        (tmp_path / GRAPH).write_bytes(b"not a graph")
        with pytest.raises(ConfigError, match="Get the file again"):
            EntailmentModel(tmp_path, runtime="onnx").load()

    def test_an_unknown_runtime(self):
        with pytest.raises(ConfigError, match="'auto', 'torch' or 'onnx'"):
            EntailmentModel(ENTAILMENT_MINI, runtime="onyx")
