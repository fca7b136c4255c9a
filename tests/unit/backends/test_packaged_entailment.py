"""The packaged entailment model: how it is packed, where it is found, and what its backend says without it."""

import importlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tarfile
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace

import pytest
from benchmarks.entailment.making.form import made_of, pack
from tests.unit.backends.models import TEXTS, edit_config, make, needs_local

from guardrail.backends import packaged, weights
from guardrail.backends.entailment import EntailmentModel
from guardrail.backends.packaged import (
    ENTAILMENT_LANE,
    EntailPackaged,
    Packaged,
    PackagedEntailment,
    entailment_installed,
    packaged_entailment,
)
from guardrail.backends.weights import ENTAILMENT_MINI, find, is_here
from guardrail.engine.flow import Answer, Failed, Reason
from guardrail.errors import ConfigError, InputError, WeightsMissing
from guardrail.requests import Entail

ROOT = Path(__file__).parents[3]
MODEL = ROOT / "models" / "entailment-mini"
MODULE = "guardrail_entailment_mini"
NLI = ("entailment", "neutral", "contradiction")
PAIRS = [Entail(premise, hypothesis) for premise, hypothesis in zip(TEXTS[:6], TEXTS[20:26], strict=True)]


def said(folder, **options):
    """Logits would do; probabilities are what a user gets: pairs x 3."""
    model = EntailmentModel(folder, device="cpu", **options)
    values = [reply.value for reply in model.answer(PAIRS)]
    return [(one.entailment, one.neutral, one.contradiction) for one in values]


def gap(some, others):
    return max(
        abs(a - b) for one, other in zip(some, others, strict=True) for a, b in zip(one, other, strict=True)
    )


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A tiny classifier as a training leaves it."""
    needs_local()
    folder = make(tmp_path_factory.mktemp("trained"), labels=NLI)
    edit_config(folder, _name_or_path=str(folder))
    (folder / "training.json").write_text("{}", encoding="utf-8")
    return folder


def known_as(monkeypatch, **told):
    """Let the package be known by another module or digest."""
    package = replace(weights._PACKAGES[ENTAILMENT_MINI], **told)
    monkeypatch.setitem(weights._PACKAGES, ENTAILMENT_MINI, package)


@pytest.fixture(scope="module")
def shipped(trained, tmp_path_factory):
    """The same, packed."""
    folder = tmp_path_factory.mktemp("shipped")
    pack(trained, folder, temperature=1.0)
    return folder


@pytest.fixture
def site(tmp_path, monkeypatch):
    """Makes the module importable, with the files of a folder, from here and nowhere else."""
    monkeypatch.setattr(
        sys, "path", [one for one in sys.path if MODULE not in str(one) and str(MODEL) not in one]
    )
    for root in ("HOME", "XDG_CACHE_HOME", "GUARDRAIL_MODELS"):
        monkeypatch.setenv(root, str(tmp_path / root))

    def put(folder, *, known=True):
        module = tmp_path / "site" / MODULE
        shutil.copytree(
            MODEL / "src" / MODULE, module, ignore=shutil.ignore_patterns("*.json", "*.safetensors", "*.onnx")
        )
        shutil.copytree(folder, module, dirs_exist_ok=True)
        monkeypatch.setattr(sys, "path", [str(tmp_path / "site"), *sys.path])
        importlib.invalidate_caches()
        if known:
            digest = sha256((module / "model.safetensors").read_bytes()).hexdigest()
            known_as(monkeypatch, weights=digest)
        return module

    return put


@pytest.fixture
def plain(tmp_path):
    """Files of a model's names, for tests of places alone."""
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "config.json").write_text("{}", encoding="utf-8")
    (folder / "model.safetensors").write_bytes(b"weights")
    return folder


class TestPack:
    def test_says_nearly_the_same(self, trained, shipped):
        """Bound: weights of the tiny model are off by 0.4 % of a row's largest."""
        assert 0 < gap(said(shipped), said(trained)) < 0.1

    @pytest.mark.parametrize("precision", ["bf16", "int8"])
    def test_precisions(self, trained, shipped, precision):
        """What is stored in 8 bits is computed with in any precision."""
        assert gap(said(shipped, precision=precision), said(trained)) < 0.1

    @pytest.mark.parametrize("degrees", [0.5, 1.7])
    def test_temperature(self, shipped, trained, tmp_path, degrees):
        """Probabilities are those of logits / T. Oracle: powers of the probabilities at T = 1, made to sum to 1."""
        pack(trained, tmp_path, temperature=degrees)
        expected = []
        for row in said(shipped):
            powers = [share ** (1 / degrees) for share in row]
            expected.append([power / sum(powers) for power in powers])
        assert gap(said(tmp_path), expected) < 1e-5

    def test_same_bytes(self, trained, shipped, tmp_path):
        """Each time; what is told of the weights is so."""
        told = pack(trained, tmp_path, temperature=1.0)
        names = sorted(path.name for path in shipped.iterdir())
        assert names == ["config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"]
        assert sorted(path.name for path in tmp_path.iterdir()) == names
        assert all((tmp_path / name).read_bytes() == (shipped / name).read_bytes() for name in names)
        content = (tmp_path / "model.safetensors").read_bytes()
        assert (told.size, told.sha256) == (len(content), sha256(content).hexdigest())
        assert told.sha256 in str(told)

    def test_no_paths(self, trained, shipped):
        """No file holds where the model was trained, and the configuration no version."""
        for path in shipped.glob("*.json"):
            assert str(trained.parent) not in path.read_text(encoding="utf-8")
        config = json.loads((shipped / "config.json").read_text(encoding="utf-8"))
        assert not {"_name_or_path", "transformers_version", "dtype", "torch_dtype"} & set(config)
        assert config["guardrail"] == {"weights": "int8-groups"}

    def test_what_it_was_made_of(self, trained, shipped, tmp_path):
        """Weights are known again in 8 bits, under any temperature; those of another seed or shape are others."""
        pack(trained, tmp_path / "warm", temperature=1.7)
        assert made_of(shipped, trained)
        assert made_of(tmp_path / "warm", trained)
        assert not made_of(trained, trained)  # which is no packed one
        assert not made_of(shipped, make(tmp_path / "other", labels=NLI, seed=1))
        assert not made_of(shipped, make(tmp_path / "shape", family="roberta", labels=NLI))

    def test_other_files_stay(self, trained, tmp_path):
        """The package's own module, say."""
        (tmp_path / "__init__.py").write_text("", encoding="utf-8")
        pack(trained, tmp_path, temperature=1.0)
        assert (tmp_path / "__init__.py").is_file()

    @pytest.mark.parametrize("degrees", [0.0, -1.0, float("nan"), float("inf")])
    def test_refuses_temperatures(self, trained, tmp_path, degrees):
        """Only what is above zero divides logits."""
        with pytest.raises(InputError, match="positive temperature"):
            pack(trained, tmp_path / "out", temperature=degrees)
        assert not (tmp_path / "out").exists()

    def test_refuses_heads(self, tmp_path):
        """RoBERTa's head has two layers: dividing the wrong one would change more than the temperature."""
        needs_local()
        folder = make(tmp_path / "trained", family="roberta", labels=NLI)
        with pytest.raises(InputError, match="head of one linear layer"):
            pack(folder, tmp_path / "out", temperature=1.0)


class TestPlaces:
    def test_installed(self, site, plain):
        """By its module, whether its files were copied or are those of a checkout."""
        module = site(plain)
        assert find(ENTAILMENT_MINI) == module
        assert is_here(ENTAILMENT_MINI)

    def test_is_not_imported(self, site, plain):
        """To look where it is runs nothing."""
        (site(plain) / "__init__.py").write_text("raise SystemExit('it ran')", encoding="utf-8")
        assert is_here(ENTAILMENT_MINI)
        assert find(ENTAILMENT_MINI).name == MODULE
        assert MODULE not in sys.modules

    def test_other_weights(self, site, plain):
        """Weights that were not examined are refused, though there may be others elsewhere."""
        module = site(plain)
        (module / "model.safetensors").write_bytes(b"weightz")
        shutil.copytree(plain, Path(os.environ["GUARDRAIL_MODELS"]) / ENTAILMENT_MINI)
        with pytest.raises(
            ConfigError, match=r"SHA-256 [0-9a-f]{64}, got [0-9a-f]{64} .*Install the version"
        ):
            find(ENTAILMENT_MINI)

    def test_without_weights(self, site, plain):
        """A module alone is no model: as if it were not installed."""
        (site(plain) / "model.safetensors").unlink()
        assert not is_here(ENTAILMENT_MINI)
        with pytest.raises(WeightsMissing, match="not installed"):
            find(ENTAILMENT_MINI)

    @pytest.mark.parametrize(
        "place", ["GUARDRAIL_MODELS/entailment-mini", "XDG_CACHE_HOME/guardrail/models/entailment-mini"]
    )
    def test_folder(self, site, plain, tmp_path, monkeypatch, place):
        """It may lie where any other model may."""
        known_as(monkeypatch, module="no_such_module")
        assert not is_here(ENTAILMENT_MINI)
        shutil.copytree(plain, tmp_path / place)
        assert find(ENTAILMENT_MINI) == tmp_path / place
        assert is_here(ENTAILMENT_MINI)

    def test_absent(self, site, monkeypatch):
        """The message holds the command that installs it."""
        known_as(monkeypatch, module="no_such_module")
        with pytest.raises(WeightsMissing, match=r"pip install 'guardrail-sdk\[mini\]'.*GUARDRAIL_MODELS"):
            find(ENTAILMENT_MINI)

    def test_this_checkout(self):
        """The digest that is known is that of the weights in models/entailment-mini, and the model card has it too."""
        path = MODEL / "src" / MODULE / "model.safetensors"
        here = sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        assert here == weights._PACKAGES[ENTAILMENT_MINI].weights
        assert (here or "Not packed yet.") in (MODEL / "README.md").read_text(encoding="utf-8")


class TestBackend:
    @pytest.fixture
    def backend(self, site, shipped):
        site(shipped)
        return PackagedEntailment()

    def test_answers(self, backend, shipped):
        """As the model itself, without being given one."""
        pairs = [EntailPackaged(one.premise, one.hypothesis) for one in PAIRS]
        found = [(r.value.entailment, r.value.neutral, r.value.contradiction) for r in backend.answer(pairs)]
        assert gap(found, said(shipped, precision="auto")) < 1e-5
        assert entailment_installed()
        assert backend.fingerprint == EntailmentModel(shipped, precision="auto").fingerprint

    def test_batches(self, backend):
        """As the entailment backend's, before it is made and after."""
        model = EntailmentModel(ENTAILMENT_MINI)
        if model.device == "cpu":
            assert (backend.batch, backend.capacity) == (model.batch, model.capacity)
        backend.load()
        assert (backend.batch, backend.capacity) == (model.batch, model.capacity)
        assert [backend.weight(one) for one in PAIRS] == [model.weight(one) for one in PAIRS]

    @pytest.mark.parametrize(
        ("premise", "hypothesis"), [("他是医生。", "He is a doctor."), ("the cat", "кошка спит")]
    )
    def test_other_scripts(self, backend, premise, hypothesis):
        """Refused, whichever of the two it is; the others are answered, each in its place."""
        one = EntailPackaged(PAIRS[0].premise, PAIRS[0].hypothesis)
        first, refused, last = backend.answer([one, EntailPackaged(premise, hypothesis), one])
        assert isinstance(first, Answer)
        assert isinstance(last, Answer)
        assert (refused.reason, refused.detail) == (
            Reason.REFUSED,
            "the packaged entailment model was made for English text",
        )

    def test_has_a_lane_of_its_own(self):
        """A guard's own entailment model does not answer it; equal pairs of the two kinds are two requests."""
        assert EntailPackaged.lane == ENTAILMENT_LANE == "entailment:mini"
        assert Entail.lane != ENTAILMENT_LANE
        assert EntailPackaged("a", "b") != Entail("a", "b")
        assert EntailPackaged.version == Entail.version

    def test_one_per_process(self):
        """Guards share its weights."""
        assert packaged_entailment() is packaged_entailment()

    def test_absent(self, site, monkeypatch):
        """Failed replies that say how to get it; nothing is raised."""
        known_as(monkeypatch, module="no_such_module")
        assert not entailment_installed()
        found = PackagedEntailment().answer([EntailPackaged("a", "b")] * 2)
        assert len(found) == 2
        for reply in found:
            assert isinstance(reply, Failed)
            assert reply.reason is Reason.MISSING
            assert "pip install" in reply.detail

    def test_needs_the_libraries(self, site, plain, monkeypatch):
        """Weights alone are not enough."""
        site(plain)
        real = importlib.util.find_spec
        monkeypatch.setattr(
            packaged.importlib.util, "find_spec", lambda name: None if name == "transformers" else real(name)
        )
        assert is_here(ENTAILMENT_MINI)
        assert not entailment_installed()


@pytest.mark.packaging
class TestDistributions:
    def built(self, folder, target, out):
        """A wheel or a source distribution, made from a folder."""
        command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(out)]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        [path] = out.iterdir()
        return path

    def test_wheel(self, plain, tmp_path):
        """Holds the module with weights, configuration and tokenizer, and asks for nothing else."""
        pytest.importorskip("hatchling")
        copy = shutil.copytree(MODEL, tmp_path / "model")
        for name in ("config.json", "tokenizer.json", "tokenizer_config.json", "model.safetensors"):
            (copy / "src" / MODULE / name).write_bytes(b"{}")
        path = self.built(copy, "wheel", tmp_path / "out")
        with zipfile.ZipFile(path) as archive:
            held = {name for name in archive.namelist() if ".dist-info/" not in name}
            [about] = [name for name in archive.namelist() if name.endswith("METADATA")]
            metadata = archive.read(about).decode()
        files = "__init__.py config.json model.onnx model.safetensors py.typed tokenizer.json tokenizer_config.json"
        assert held == {f"{MODULE}/{name}" for name in files.split()}
        assert "Name: guardrail-entailment-mini\n" in metadata
        assert "Requires-Dist" not in metadata

    def test_weights_are_in_no_other(self, tmp_path):
        """The source distribution of guardrail leaves models/ out: 24 MB that a wheel of its own holds."""
        pytest.importorskip("hatchling")
        path = self.built(ROOT, "sdist", tmp_path / "out")
        with tarfile.open(path) as archive:
            names = archive.getnames()
        assert any(name.endswith("/src/guardrail/backends/weights.py") for name in names)
        assert not [name for name in names if name.split("/")[1] == "models" or "safetensors" in name]


class TestOnce:
    @pytest.mark.parametrize("kind", [Packaged, PackagedEntailment])
    def test_many_threads(self, kind, monkeypatch):
        """A model is made by the first of them, and the others get the same."""
        made, asking = [], threading.Semaphore(0)

        class Slow:
            batch, capacity, fingerprint = 1, 1, "slow"

            def __init__(self, *_positional, **_named):
                made.append(self)
                for _ in range(8):  # until all of them ask for it
                    asking.acquire(timeout=30)

        monkeypatch.setitem(sys.modules, "guardrail.backends.similarity", SimpleNamespace(BertScore=Slow))
        monkeypatch.setitem(
            sys.modules, "guardrail.backends.entailment", SimpleNamespace(EntailmentModel=Slow)
        )
        backend = kind()

        def ask(_):
            asking.release()
            return backend.model

        with ThreadPoolExecutor(max_workers=8) as pool:
            got = list(pool.map(ask, range(8)))
        assert len(made) == 1
        assert {*map(id, got)} == {id(made[0])}

    def test_one_that_cannot_be_made(self, monkeypatch):
        """The next who asks tries again, as once it is installed."""
        calls = iter([ConfigError("not installed"), "model"])

        def make(*_positional, **_named):
            value = next(calls)
            if isinstance(value, Exception):
                raise value
            return SimpleNamespace(batch=1, capacity=1, fingerprint=value)

        monkeypatch.setitem(
            sys.modules, "guardrail.backends.entailment", SimpleNamespace(EntailmentModel=make)
        )
        backend = PackagedEntailment()
        with pytest.raises(ConfigError):
            backend.load()
        assert backend.fingerprint == "model"
