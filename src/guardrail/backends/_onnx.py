"""A classifier on this machine, run by ONNX Runtime: small to install, quick to load, processors only.

It computes in fp32, and what it says of a pair differs by less than 1e-5 from what the pair gets alone.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from guardrail.backends._steady import SteadyTexts
from guardrail.backends._texts import INPUTS, must_be_installed, must_be_sizes, network_inputs
from guardrail.backends.forking import abandoned
from guardrail.backends.weights import ENTAILMENT_MINI, GRAPH, file_hash, find, read_config, weights_digest
from guardrail.errors import ConfigError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Encoding, Tokenizer

    Array = NDArray[np.float32]

LIBRARIES = ("onnxruntime", "tokenizers")
_BUDGET = 2_048  # tokens per batch; measured with the packaged model on pairs of 40 to 400 tokens


class OnnxModel(SteadyTexts):
    """A classifier in a folder with `model.onnx`, `config.json` and `tokenizer.json`, loaded at first use.

    Args:
        model: see `weights.find`; or the path of an ONNX file.
        budget: tokens per batch.
        longest: tokens of a pair that are read; by default what the model takes.

    Raises:
        MissingExtra: onnxruntime or tokenizers is not installed.
        WeightsMissing, ConfigError: as `weights.find`; or the folder has no `model.onnx`.
    """

    device = "cpu"
    precision: Literal["fp32"] = "fp32"

    def __init__(self, model: str | Path, *, budget: int | None = None, longest: int | None = None) -> None:
        must_be_sizes(budget=budget, longest=longest)
        must_be_installed(*LIBRARIES, extra="mini")
        self._graph: Path
        if is_graph_file(model):
            self._graph, self.folder = _placed(Path(model))
        else:
            self.folder = find(model)
            self._graph = self.folder / GRAPH
        if not self._graph.is_file():
            raise ConfigError(
                f"expected {GRAPH} in {str(self.folder)!r}, found none: export the model with "
                "optimum-cli export onnx, or write runtime='torch'"
            )
        self.config = read_config(self.folder)
        self.budget = budget or _BUDGET
        super().__init__(str(model) if isinstance(model, str) else model.name, longest)

    def renew_locks(self) -> None:
        """Make new locks; in a forked child the session's threads are gone, and it is made anew."""
        super().renew_locks()
        abandoned(self.__dict__.pop("_load", None))

    @cached_property
    def digest(self) -> str:
        """A hash of the weights, of the graph, and of all else that answers depend on."""
        beside = [path for path in self._graph.parent.glob(f"{self._graph.name}*") if path != self._graph]
        # weights may be in a file of their own
        read = [file_hash(path).hex() for path in (self._graph, *sorted(beside))]
        return f"{self.origin}:onnx:{''.join(read)}"

    @cached_property
    def origin(self) -> str:
        """The same without the graph: what was fitted with the same weights stays valid."""
        return f"{weights_digest(self.folder)}::{self.wanted_longest or ''}"

    @cached_property
    def _load(self) -> tuple[Any, Tokenizer]:
        return self._session(), self._tokenizer()

    def _session(self) -> Any:
        session = session_of(self._graph)
        takes = [one.name for one in session.get_inputs()]
        if unknown := [name for name in takes if name not in INPUTS]:
            raise ConfigError(
                f"expected a classifier of pairs in {str(self._graph)!r}, got one with the inputs {unknown!r}"
            )
        self._takes = takes
        return session

    def _tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer

        path = self.folder / "tokenizer.json"
        try:
            reader = Tokenizer.from_file(str(path))
        except Exception as error:  # as above
            raise ConfigError(
                f"expected a tokenizer in {str(path)!r}, got {type(error).__name__}: {str(error)[:300]}"
            ) from error
        told = _told(self.folder)
        advised = told.get("model_max_length")
        longest = self._longest(advised if isinstance(advised, int) else sys.maxsize)
        special = {name: value for name, value in told.items() if name.endswith("_token")}
        return self._prepared(reader, special, longest)

    @cached_property
    def _is_steady(self) -> bool:
        """Known of the packaged graph; one of dynamic 8-bit products is not, and then every pair goes alone."""
        return self.name == ENTAILMENT_MINI or super()._is_steady

    def _forward(self, inputs: Sequence[Encoding]) -> Array:
        session, _ = self._loaded
        filled = network_inputs(inputs, int(self.config.get("pad_token_id") or 0))
        logits: Array = session.run(None, {name: filled[name] for name in self._takes})[0]
        return logits


def session_of(graph: Path) -> Any:
    """What runs a graph, in as many threads as `$OMP_NUM_THREADS` allows.

    Raises:
        ConfigError: ONNX Runtime cannot run it.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = _threads()
    options.log_severity_level = 3  # errors
    # Threads that wait do not spin: it saves nothing on a quiet machine, and on a shared one it takes others' time.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its own errors have no common class
        raise ConfigError(
            f"expected a graph that ONNX Runtime {onnxruntime.__version__} can run in {str(graph)!r}, "
            f"got {type(error).__name__}: {str(error)[:300]}. Get the file again"
        ) from error


def is_graph_file(model: str | Path) -> bool:
    """Whether it is a path to an ONNX file."""
    return str(model).endswith(".onnx")


def _placed(graph: Path) -> tuple[Path, Path]:
    """An ONNX file, and the folder with the model's configuration: its own, or the one above (hubs have "onnx/model.onnx")."""
    for folder in (graph.parent, graph.parent.parent):
        if graph.is_file() and (folder / "config.json").is_file():
            return graph, folder
    raise ConfigError(
        f"expected an ONNX file with config.json and tokenizer.json next to it, or in the folder above, got {str(graph)!r}"
    )


def _threads() -> int:
    """As many as $OMP_NUM_THREADS allows, else as this process may use."""
    given = os.environ.get("OMP_NUM_THREADS", "")
    return int(given) if given.isdigit() and int(given) else len(os.sched_getaffinity(0))


def _told(folder: Path) -> Mapping[str, Any]:
    """What the tokenizer's configuration says: the bound, and which tokens are special."""
    try:
        found = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
