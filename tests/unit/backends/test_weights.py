"""Finding weights on this machine, and refusing what should not be loaded."""

import json
from pathlib import Path

import pytest
from tests.unit.backends.models import edit_config, make, needs_local

from guardrail.backends.entailment import EntailmentModel
from guardrail.backends.weights import find, has_graph, is_here
from guardrail.engine.flow import Answer
from guardrail.errors import ConfigError, WeightsMissing
from guardrail.requests import Entail

NLI = ("contradiction", "entailment", "neutral")
PAIR = Entail("the cat sat on mat", "a dog was born in paris")


class TestWeights:
    def test_missing(self, tmp_path, monkeypatch):
        """The message holds the places that were looked in, and the command that fetches the model."""
        needs_local()
        monkeypatch.setenv("GUARDRAIL_MODELS", str(tmp_path / "my models"))
        with pytest.raises(WeightsMissing) as caught:
            EntailmentModel("owner/some-nli", device="cpu")
        message = str(caught.value)
        place = tmp_path / "my models" / "owner" / "some-nli"
        assert "hf download owner/some-nli --exclude '*.bin'" in message
        assert f"--local-dir '{place}'" in message
        assert str(place.parent.parent / "owner--some-nli") in message

    def test_a_folder_that_may_not_be_looked_into(self, tmp_path, monkeypatch):
        """Nothing is there for who runs as a service without a home; it was an error, also of models that nobody asked for."""
        look = Path.is_file

        def is_file(path):
            if "private" in path.parts:
                raise PermissionError(13, "Permission denied", str(path))
            return look(path)

        monkeypatch.setattr(Path, "is_file", is_file)
        monkeypatch.setenv("GUARDRAIL_MODELS", str(tmp_path / "private"))
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "private"))
        assert not is_here("owner/some-nli")
        assert not has_graph("owner/some-nli")
        with pytest.raises(WeightsMissing):
            find("owner/some-nli")

    @pytest.mark.parametrize("place", ["owner/some-nli", "owner--some-nli", "some-nli"])
    def test_models_folder(self, folder, tmp_path, monkeypatch, place):
        """`GUARDRAIL_MODELS` is honoured."""
        home = tmp_path / "models"
        (home / place).parent.mkdir(parents=True)
        folder.rename(home / place)
        monkeypatch.setenv("GUARDRAIL_MODELS", str(home))
        assert find("owner/some-nli") == home / place
        assert isinstance(EntailmentModel("owner/some-nli", device="cpu").answer([PAIR])[0], Answer)

    def test_hub_cache(self, folder, tmp_path, monkeypatch):
        """What another program has fetched is found."""
        cached = tmp_path / "hub" / "models--owner--some-nli"
        (cached / "refs").mkdir(parents=True)
        (cached / "refs" / "main").write_text("abc\n", encoding="ascii")
        (cached / "snapshots").mkdir()
        folder.rename(cached / "snapshots" / "abc")
        monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
        assert find("owner/some-nli") == cached / "snapshots" / "abc"

    def test_no_folder(self, tmp_path):
        """A path that is none."""
        with pytest.raises(WeightsMissing, match="no such folder"):
            find(tmp_path / "absent")

    def test_pickle(self, folder):
        """Weights that may run code are refused, though transformers would load them."""
        (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
        with pytest.raises(ConfigError, match=r"only \['pytorch_model.bin'\], which may run code"):
            EntailmentModel(folder, device="cpu")

    def test_pickle_beside(self, folder):
        """A pickle beside the safetensors file is not touched."""
        (folder / "pytorch_model.bin").write_bytes(b"cos\nsystem\n(S'false'\ntR.")
        assert isinstance(EntailmentModel(folder, device="cpu").answer([PAIR])[0], Answer)

    def test_pickled_shards(self, folder):
        """An index that names pickles names no weights."""
        (folder / "model.safetensors").unlink()
        index = {"weight_map": {"a": "pytorch_model-1.bin"}}
        (folder / "model.safetensors.index.json").write_text(json.dumps(index), encoding="utf-8")
        with pytest.raises(ConfigError, match="no weights"):
            find(folder)

    def test_absent_shard(self, folder):
        """Half a download."""
        (folder / "model.safetensors").unlink()
        index = {"weight_map": {"a": "model-1.safetensors"}}
        (folder / "model.safetensors.index.json").write_text(json.dumps(index), encoding="utf-8")
        with pytest.raises(ConfigError, match=r"names \['model-1.safetensors'\], absent"):
            find(folder)

    def test_no_head(self, tmp_path):
        """A base model would get a head of random numbers: refused."""
        needs_local()
        make(tmp_path, head=False)
        model = EntailmentModel(tmp_path, device="cpu", labels=NLI)
        with pytest.raises(ConfigError, match=r"got none for .*classifier"):
            model.load()

    def test_own_code(self, folder):
        """A model that brings code of its own is not run."""
        edit_config(folder, model_type="their_own", auto_map={"AutoConfig": "code.Config"})
        (folder / "code.py").write_text("raise SystemExit('it ran')", encoding="utf-8")
        with pytest.raises(ConfigError, match="transformers knows"):
            EntailmentModel(folder, device="cpu").load()

    def test_broken_config(self, folder):
        """A configuration that is no object."""
        (folder / "config.json").write_text("[]", encoding="utf-8")
        with pytest.raises(ConfigError, match="JSON object"):
            EntailmentModel(folder, device="cpu")

    def test_fingerprint(self, folder, folders):
        """The same model in another place is the same; other weights, order or numbers are not."""
        same = EntailmentModel(folder, device="cpu").fingerprint
        assert same == EntailmentModel(folders(), device="cpu").fingerprint
        others = [
            EntailmentModel(folder, device="cpu", precision="bf16"),
            EntailmentModel(folder, device="cpu", order="hypothesis_first"),
            EntailmentModel(folder, device="cpu", labels=NLI[::-1]),
            EntailmentModel(folder, device="cpu", longest=32),
            EntailmentModel(make(folder.parent / "other", seed=1), device="cpu"),
        ]
        assert len({same, *(other.fingerprint for other in others)}) == 6
