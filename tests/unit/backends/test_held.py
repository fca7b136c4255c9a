"""Models that the caller has loaded, and ONNX files: what they say, and what they are refused for."""

import json
import shutil
from types import SimpleNamespace

import numpy as np
import pytest
from tests.unit.backends.models import TEXTS, make, needs_local

from guardrail.backends._steady import is_steady
from guardrail.backends.embedding import Embedder
from guardrail.backends.entailment import EntailmentModel
from guardrail.backends.weights import ENTAILMENT_MINI, GRAPH, find
from guardrail.errors import ConfigError
from guardrail.requests import Embed, Entail

PAIRS = [Entail(a, b) for a, b in zip(TEXTS, reversed(TEXTS), strict=True) if a.strip() and b.strip()]


def shares(replies):
    return [(r.value.entailment, r.value.contradiction) for r in replies]


def gap(some, others):
    return max(abs(a - b) for x, y in zip(some, others, strict=True) for a, b in zip(x, y, strict=True))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    needs_local()
    return make(tmp_path_factory.mktemp("held"))


@pytest.fixture(scope="module")
def network(folder):
    import transformers

    return transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()


@pytest.fixture(scope="module")
def reader(folder):
    import transformers

    return transformers.AutoTokenizer.from_pretrained(folder)


class TestSteady:
    def test_of_a_model_that_reads_each_alone(self):
        assert is_steady(lambda rows: [[row, 0.0] for row in rows], [1.0, 2.0, 5.0])

    def test_of_one_whose_scale_is_the_batchs(self):
        """As dynamic 8-bit products have it: by hand, 1/1 alone and 1/5 beside 5."""
        assert not is_steady(lambda rows: [[row / max(rows), 0.0] for row in rows], [1.0, 2.0, 5.0])


class TestOnnxFile:
    @pytest.fixture
    def file(self, tmp_path):
        """The packaged model as hubs lay a model out: the graph in a folder "onnx"."""
        source, target = find(ENTAILMENT_MINI), tmp_path / "model"
        (target / "onnx").mkdir(parents=True)
        for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
            shutil.copy(source / name, target / name)
        for name in (GRAPH, "model.safetensors"):
            shutil.copy(source / name, target / "onnx" / name)
        return target / "onnx" / GRAPH

    def test_says_what_the_folder_says(self, file):
        pair = Entail("He was born in Paris in 1821.", "He was born in France.")
        own, packaged = EntailmentModel(file), EntailmentModel(ENTAILMENT_MINI, runtime="onnx")
        assert own.runtime == "onnx"
        assert gap(shares(own.answer([pair])), shares(packaged.answer([pair]))) < 1e-6

    def test_goes_alone_where_its_scores_depend_on_the_batch(self, file, monkeypatch):
        """Oracle: a forward pass that adds the batch's size to a logit; alone that is always 1."""
        model = EntailmentModel(str(file))
        inner = model._model
        sizes = []
        real = inner._forward

        def forward(inputs):
            sizes.append(len(inputs))
            return real(inputs) + np.array([[len(inputs), 0, 0]])

        monkeypatch.setattr(inner, "_forward", forward)
        pairs = [Entail("It rained.", "It was wet."), Entail("It rained.", "It was dry.")]
        together = shares(model.answer(pairs))
        assert sizes[-2:] == [1, 1]
        assert gap(together, [row for pair in pairs for row in shares(model.answer([pair]))]) < 1e-7

    def test_without_a_configuration(self, tmp_path):
        (tmp_path / "model.onnx").write_bytes(b"")
        with pytest.raises(ConfigError, match=r"config\.json and tokenizer\.json next to it"):
            EntailmentModel(tmp_path / "model.onnx")

    def test_is_not_run_by_torch(self, file):
        with pytest.raises(ConfigError, match="expected runtime 'onnx'"):
            EntailmentModel(file, runtime="torch")


class TestObjects:
    def test_of_transformers_says_what_its_folder_says(self, folder, network):
        """Its tokenizer is that of the folder it came from."""
        own, loaded = EntailmentModel(network), EntailmentModel(folder, runtime="torch", device="cpu")
        assert own.runtime == "yours"
        assert gap(shares(own.answer(PAIRS)), shares(loaded.answer(PAIRS))) < 1e-5

    def test_a_cross_encoder_brings_its_tokenizer(self, network, reader):
        """Stands for sentence-transformers' own: an object with `predict`, `model` and `tokenizer`."""
        encoder = SimpleNamespace(predict=None, model=network, tokenizer=reader)
        own = EntailmentModel(encoder)
        assert gap(shares(own.answer(PAIRS)), shares(EntailmentModel(network).answer(PAIRS))) < 1e-6
        assert reader.backend_tokenizer.truncation is None, "the caller's tokenizer was changed"

    def test_scores_alone_and_together(self, network):
        model = EntailmentModel(network)
        alone = [row for pair in PAIRS for row in shares(model.answer([pair]))]
        assert gap(shares(model.answer(PAIRS)), alone) < 1e-5

    def test_another_weight_is_another_fingerprint(self, folder):
        import torch
        import transformers

        prints = []
        for step in (0.0, 0.0, 0.1):
            made = transformers.AutoModelForSequenceClassification.from_pretrained(folder)
            with torch.no_grad():
                made.classifier.bias += step
            prints.append(EntailmentModel(made).fingerprint)
        assert prints[0] == prints[1] != prints[2]

    def test_options_that_are_the_objects_own(self, network):
        with pytest.raises(ConfigError, match="which has its own"):
            EntailmentModel(network, device="cpu")

    def test_nothing_that_classifies(self):
        with pytest.raises(
            ConfigError, match=r"a CrossEncoder or a sequence classifier of transformers, got dict"
        ):
            EntailmentModel({"a": 1})

    def test_a_folder_has_its_own_tokenizer(self, folder, reader):
        with pytest.raises(ConfigError, match="tokenizer= only with a model that is loaded"):
            EntailmentModel(folder, tokenizer=reader)


@pytest.fixture(scope="module")
def trunk(folder):
    import transformers

    return transformers.AutoModel.from_pretrained(folder).eval()


class TestSentenceEncoders:
    """`encoder` is in the place of a SentenceTransformer, which is a sequence of modules that takes and gives a mapping."""

    @pytest.fixture
    def encoder(self, trunk, reader):
        import torch

        class Modules(torch.nn.Sequential):
            def __init__(self):
                super().__init__(SimpleModule(trunk))
                self.tokenizer, self.max_seq_length = reader, 16
                self.prompts, self.default_prompt_name = {"query": "It is asked: "}, None

            def encode(self):
                raise NotImplementedError

        class SimpleModule(torch.nn.Module):
            def __init__(self, inner):
                super().__init__()
                self.auto_model = inner

            def forward(self, features):
                first = self.auto_model(**features).last_hidden_state[:, 0]
                return features | {"sentence_embedding": first}

        return Modules()

    def test_gives_the_models_own_vectors(self, encoder, trunk, reader):
        """Oracle: the first token's vector by transformers, which is no mean; 16 tokens are read."""
        import torch

        texts = [text for text in TEXTS if text.strip()]
        for text, reply in zip(
            texts, Embedder(encoder, normalise=False).answer([Embed(text) for text in texts]), strict=True
        ):
            with torch.inference_mode():
                inputs = reader(text, truncation=True, max_length=16, return_tensors="pt")
                first = trunk(**inputs).last_hidden_state[0, 0].numpy()
            assert np.allclose(reply.value, first, atol=1e-5)

    def test_puts_the_default_prompt_before_a_text(self, encoder):
        plain = Embedder(encoder)
        by_hand = plain.answer([Embed("It is asked: who came?")])[0].value
        encoder.default_prompt_name = "query"
        prompted = Embedder(encoder)
        assert np.allclose(prompted.answer([Embed("who came?")])[0].value, by_hand, atol=1e-6)
        assert prompted.fingerprint != plain.fingerprint

    def test_has_its_own_device(self, encoder):
        with pytest.raises(ConfigError, match="which has its own"):
            Embedder(encoder, device="cpu")

    def test_nothing_that_encodes(self):
        with pytest.raises(ConfigError, match="or a SentenceTransformer, got dict"):
            Embedder({"a": 1})


@pytest.mark.parametrize("modes", [{"pooling_mode": "cls"}, {"pooling_mode_cls_token": True}])
def test_a_folder_that_pools_in_another_way(folder, tmp_path, modes):
    """As sentence-transformers wrote it before version 6, and since."""
    copy = shutil.copytree(folder, tmp_path / "model")
    (copy / "1_Pooling").mkdir(exist_ok=True)
    (copy / "1_Pooling" / "config.json").write_text(json.dumps(modes), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"give Embedder\(SentenceTransformer"):
        Embedder(copy)
