"""Sentence vectors by a local encoder."""

import json
import shutil

import numpy as np
import pytest
from tests.unit.backends.models import HARD, TEXTS, make, needs_local, needs_minilm

from guardrail.backends import weights
from guardrail.backends.embedding import Embedder, mean_pooled
from guardrail.engine.flow import Answer, Reason
from guardrail.errors import ConfigError, MissingExtra
from guardrail.requests import Embed


class TestPooled:
    def test_by_hand(self):
        """The mean of (0, 0) and (6, 8) is (3, 4), of length 5."""
        tokens = np.array([[0.0, 0.0], [6.0, 8.0]])
        assert mean_pooled(tokens).tolist() == [0.6, 0.8]
        assert mean_pooled(tokens, normalise=False).tolist() == [3.0, 4.0]

    @pytest.mark.parametrize("tokens", [np.empty((0, 2)), np.array([[np.nan, 1.0]]), np.zeros((2, 2))])
    def test_undefined(self, tokens):
        """No token, no number, no direction: no vector."""
        assert mean_pooled(tokens) is None


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    needs_local()
    return make(tmp_path_factory.mktemp("bert"))


class TestEmbedder:
    def test_as_transformers(self, folder):
        """Oracle: transformers' own output for each text alone, averaged here."""
        import torch
        import transformers

        reader = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
        network = transformers.AutoModel.from_pretrained(folder, local_files_only=True)
        for text, reply in zip(TEXTS, Embedder(folder, device="cpu").answer(map_texts(TEXTS)), strict=True):
            with torch.inference_mode():
                inputs = reader(text, truncation=True, max_length=64, return_tensors="pt")
                mean = network(**inputs).last_hidden_state[0].mean(0)
            assert np.allclose(reply.value, (mean / mean.norm()).numpy(), atol=1e-5)

    def test_neighbours_do_not_matter(self, folder):
        """Together or alone: the same to 1e-4."""
        short = [" ".join(text.split()[: 1 + i % 9]) for i, text in enumerate(TEXTS)]
        model = Embedder(folder, device="cpu", budget=128)
        together = [reply.value for reply in model.answer(map_texts(short))]
        alone = [model.answer([Embed(text)])[0].value for text in short]
        assert np.abs(np.array(together) - alone).max() < 1e-4
        assert model.work.padding < 0.3

    def test_duplicates(self, folder):
        """Equal texts go through the model once; the first bears the cost."""
        model = Embedder(folder, device="cpu")
        first, other, second = model.answer(map_texts(["a cat", "a dog", "a cat"]))
        assert model.work.texts == 2
        assert first.value == second.value != other.value
        assert first.cost.seconds > 0 == second.cost.seconds

    def test_hard_texts(self, folder):
        """Blank ones are refused, all others have a finite vector; what is too long is cut."""
        model = Embedder(folder, device="cpu")
        for text, reply in zip(HARD, model.answer(map_texts(HARD)), strict=True):
            if text.strip(" \n\t\x00\x07"):
                assert np.linalg.norm(reply.value) == pytest.approx(1)
            else:
                assert reply.reason is Reason.REFUSED
        assert model.work.truncated == 1

    def test_another_pooling(self, folder, tmp_path):
        """A model made for its first token's vector would give wrong vectors silently."""
        other = shutil.copytree(folder, tmp_path / "other")
        (other / "1_Pooling").mkdir()
        modes = {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}
        (other / "1_Pooling" / "config.json").write_text(json.dumps(modes), encoding="utf-8")
        with pytest.raises(ConfigError, match="pooling_mode_cls_token"):
            Embedder(other, device="cpu")

    def test_fingerprint(self, folder):
        """Scaled vectors are others."""
        unit, mean = Embedder(folder, device="cpu"), Embedder(folder, device="cpu", normalise=False)
        assert unit.fingerprint != mean.fingerprint
        assert np.linalg.norm(mean.answer([Embed("a cat")])[0].value) != pytest.approx(1)


def map_texts(texts):
    return [Embed(text) for text in texts]


class TestMiniLM:
    def test_known_sentences(self):
        """Paraphrases are near, other subjects far (all-MiniLM-L6-v2 through transformers 5.23 says .84 and .02)."""
        needs_local()
        needs_minilm()
        model = Embedder(device="cpu")
        cat, paraphrase, other = (
            np.array(reply.value)
            for reply in model.answer(
                map_texts(
                    ["The cat sat on the mat.", "A cat was sitting on the mat.", "Shares fell in Tokyo."]
                )
            )
        )
        assert len(cat) == 384
        assert cat @ paraphrase > 0.8
        assert abs(cat @ other) < 0.2

    def test_reads_256_tokens(self):
        """As many as the model was made for, though its tokenizer would give 512."""
        needs_local()
        needs_minilm()
        model = Embedder(device="cpu")
        same, longer = model.answer(map_texts(["cat " * 254, "cat " * 254 + "dog " * 100]))
        assert same.value == pytest.approx(longer.value, abs=1e-5)
        assert model.work.truncated == 1
        assert isinstance(same, Answer)

    def test_altered(self, monkeypatch):
        """Weights of another hash are not used."""
        needs_minilm()
        monkeypatch.setattr(weights, "_PACKAGE_SHA256", "0" * 64)
        with pytest.raises(ConfigError, match="SHA-256 0000"):
            weights.minilm()

    def test_absent(self, monkeypatch):
        """The extra and its command."""
        monkeypatch.setattr(weights, "_PACKAGE", "no-such-package")
        with pytest.raises(MissingExtra, match=r"guardrail-sdk\[local\]"):
            weights.find(weights.MINILM)

    def test_elsewhere(self, folder, tmp_path, monkeypatch):
        """Without the package, a copy in `GUARDRAIL_MODELS` serves."""
        monkeypatch.setattr(weights, "_PACKAGE", "no-such-package")
        shutil.copytree(folder, tmp_path / weights.MINILM)
        monkeypatch.setenv("GUARDRAIL_MODELS", str(tmp_path))
        assert weights.find(weights.MINILM) == tmp_path / weights.MINILM
