"""Models that the caller has loaded: a classifier of transformers, or a CrossEncoder or SentenceTransformer of sentence-transformers.

What runs it (torch, ONNX Runtime, OpenVINO) is the library's affair. Scores do not depend on the batch here: where a probe
says that the model's own do, as with dynamic 8-bit products, every pair goes alone (`_steady`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from guardrail.backends._steady import SteadyTexts
from guardrail.backends._texts import INPUTS, must_be_sizes, network_inputs
from guardrail.backends.weights import file_hash
from guardrail.errors import ConfigError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Encoding, Tokenizer

    Array = NDArray[np.float32]

_BUDGET = 1_024  # tokens per batch, as for models on the processor that are loaded here
_WEIGHTS = {".onnx", ".onnx_data", ".data", ".xml", ".bin", ".safetensors", ".json"}


class _Held(SteadyTexts):
    """A network and its tokenizer, as objects.

    Args:
        model: what the caller gave: it names the model in messages.
        network: what computes.
        config: of its transformer.
        tokenizer: its fast tokenizer; `None`: the model's own, or the one in the folder that it came from.
        budget: tokens per batch.
        longest: tokens of an input that are read; by default what the model takes.
    """

    precision: Literal["fp32"] = "fp32"

    def __init__(
        self,
        model: Any,
        network: Any,
        config: Any,
        *,
        tokenizer: Any,
        budget: int | None,
        longest: int | None,
    ) -> None:
        must_be_sizes(budget=budget, longest=longest)
        self.network = network
        self.config: dict[str, Any] = config.to_dict()
        self._came_from = Path(str(getattr(config, "name_or_path", "") or "."))
        self._reader = tokenizer or getattr(model, "tokenizer", None) or _reader(self._came_from)
        self.device = str(getattr(network, "device", "cpu"))
        self.budget = budget or _BUDGET
        super().__init__(type(model).__name__, longest)

    @cached_property
    def digest(self) -> str:
        """A hash of the weights, the configuration, the modules and the tokenizer."""
        whole = blake2b(repr(sorted(self.config.items())).encode(), digest_size=16)
        whole.update(self._modules().encode())
        whole.update(self.tokenizer.to_str().encode())
        tensors = self.network.state_dict() if hasattr(self.network, "state_dict") else {}
        for name, tensor in tensors.items():
            whole.update(f"{name} {tensor.dtype}".encode())
            whole.update(tensor.detach().cpu().float().numpy().tobytes())
        if not tensors:
            for path in self._files():
                whole.update(file_hash(path))
        return f"{whole.hexdigest()}:held:{self.wanted_longest or ''}"

    @property
    def origin(self) -> str:
        """The same: nobody knows of what weights others were made."""
        return self.digest

    def _modules(self) -> str:
        """What else decides what the network says, in words."""
        return ""

    def _files(self) -> list[Path]:
        found = [path for path in sorted(self._came_from.rglob("*")) if path.suffix in _WEIGHTS]
        if not found:
            raise ConfigError(
                f"expected the files of the {self.name} in a folder on this machine, to know its weights by, got "
                f"{str(self._came_from)!r}: save it there (save_pretrained) and load it again"
            )
        return found

    @cached_property
    def _load(self) -> tuple[Any, Tokenizer]:
        from tokenizers import Tokenizer

        backend = getattr(self._reader, "backend_tokenizer", None)
        if not isinstance(backend, Tokenizer):
            raise ConfigError(
                f"expected a fast tokenizer of the {self.name}, got {type(self._reader).__name__}"
            )
        longest = self._longest(self._reader.model_max_length)
        copy = Tokenizer.from_str(backend.to_str())  # the caller's is left as it is
        return self.network, self._prepared(copy, self._reader.special_tokens_map, longest)

    def _padded(self, inputs: Sequence[Encoding]) -> dict[str, Any]:
        """One batch as the network takes it, inputs x tokens."""
        import torch

        filled = network_inputs(inputs, int(getattr(self._reader, "pad_token_id", None) or 0))
        wanted = [name for name in INPUTS if name in self._reader.model_input_names]
        return {name: torch.from_numpy(filled[name]).to(self.device) for name in wanted}


class HeldModel(_Held):
    """A sequence classifier.

    Args:
        model: a CrossEncoder, or a sequence classifier of transformers, optimum-onnx or optimum-intel.
        tokenizer: its fast tokenizer; `None`: the CrossEncoder's own, or the one in the folder that the model came from.
        budget: tokens per batch.
        longest: tokens of a pair that are read; by default what the model takes.

    Raises:
        ConfigError: no such object, a slow tokenizer, or none.
    """

    def __init__(
        self, model: Any, *, tokenizer: Any = None, budget: int | None = None, longest: int | None = None
    ) -> None:
        network = model.model if hasattr(model, "predict") and hasattr(model, "model") else model
        if not callable(network) or not hasattr(network, "config"):
            raise ConfigError(
                "expected a model's name or folder, an ONNX file, a CrossEncoder or a sequence classifier of transformers, "
                f"got {type(model).__name__}"
            )
        super().__init__(model, network, network.config, tokenizer=tokenizer, budget=budget, longest=longest)

    def _forward(self, inputs: Sequence[Encoding]) -> Array:
        import torch

        with torch.inference_mode():
            logits = self.network(**self._padded(inputs)).logits
        found: Array = torch.as_tensor(logits).float().cpu().numpy()
        return found


class HeldEncoder(_Held):
    """A SentenceTransformer: tokens, its pooling and what else its modules do, and the prompt that it puts before texts.

    Args:
        model: of sentence-transformers, with any of its backends.
        budget: tokens per batch.
        longest: tokens of a text that are read; by default the model's `max_seq_length`.

    Raises:
        ConfigError: another object, or a slow tokenizer.
    """

    def __init__(self, model: Any, *, budget: int | None = None, longest: int | None = None) -> None:
        config = getattr(_transformer(model), "config", None)
        if config is None or not hasattr(model, "encode"):
            raise ConfigError(
                f"expected an encoder's name or folder, or a SentenceTransformer, got {type(model).__name__}"
            )
        prompts = getattr(model, "prompts", None) or {}
        self._prompt = str(prompts.get(getattr(model, "default_prompt_name", None)) or "")
        super().__init__(
            model, model, config, tokenizer=None, budget=budget, longest=longest or model.max_seq_length
        )

    def input(self, first: str, second: str | None = None) -> Encoding:
        """A text with the prompt before it, and the special tokens; cut to what the model takes."""
        return super().input(self._prompt + first, second)

    def _modules(self) -> str:
        return f"{self._prompt} {self.network!r}"

    def _compared(self, inputs: Sequence[Encoding]) -> Array:
        return self._forward(inputs)

    def _forward(self, inputs: Sequence[Encoding]) -> Array:
        import torch

        with torch.inference_mode():
            vectors = self.network(self._padded(inputs))["sentence_embedding"]
        found: Array = torch.as_tensor(vectors).float().cpu().numpy()
        return found


def _transformer(model: Any) -> Any:
    """The network within a SentenceTransformer's first module."""
    try:
        first = model[0]
    except (TypeError, KeyError, IndexError):
        return None
    return getattr(first, "auto_model", None) or getattr(first, "model", None)


def _reader(folder: Path) -> Any:
    import transformers

    try:
        return transformers.AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
    except (ValueError, OSError, KeyError, ImportError) as error:
        raise ConfigError(
            f"expected the model's tokenizer in {str(folder)!r}, got {type(error).__name__}: give tokenizer="
        ) from error
