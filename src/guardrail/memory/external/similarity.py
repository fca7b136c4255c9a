"""How alike two texts are: BERTScore by an encoder, or chrF where there is none that reads the language.

Source: [memory] eqs. 5 and 7 for BERTScore; chrF [popovic2015], by the library sacrebleu, is ours.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeAlias

from guardrail.backends import ComparePackaged, encoder_installed, reads_script
from guardrail.engine.flow import Answer, Flow, compute, each, why
from guardrail.errors import MissingExtra
from guardrail.requests import Compare

__all__ = ["CHRF", "Encoder", "Likeness", "chosen", "chrf", "likenesses", "name_of"]

Encoder: TypeAlias = Literal["packaged", "guard", "chrf"]

CHRF = "sacrebleu chrF, character n-grams of 1 to 6, beta 1"
"""The fingerprint of chrF as it is used here."""

_NAMES = {
    "packaged": "BERTScore F1, all-MiniLM-L6-v2",
    "guard": "BERTScore F1, the guard's encoder",
    "chrf": "chrF1, character n-grams (no encoder)",
}


@dataclass(frozen=True, slots=True)
class Likeness:
    """How alike two texts are: at most 1, `None` where it could not be said, and why."""

    value: float | None
    reason: str = ""


def name_of(encoder: Encoder) -> str:
    """What a finding calls it."""
    return _NAMES[encoder]


def chosen(encoder: Encoder | Literal["auto"], text: str) -> Encoder:
    """The encoder for a text: "auto" is the packaged one where it is installed and reads the script, else chrF."""
    if encoder != "auto":
        return encoder
    return "packaged" if encoder_installed() and reads_script(text) else "chrf"


def chrf(first: str, second: str) -> float | None:
    """The character n-gram F-score of two texts, symmetric (β = 1), blanks left out.

    Returns:
        In [0, 1], larger = more alike; `None` where one has neither letter nor digit.

    Raises:
        MissingExtra: sacrebleu is not installed.

    Example:
        >>> chrf("Paris is in France.", "Paris is in France."), chrf("Paris", "...")
        (1.0, None)
    """
    if not (_says(first) and _says(second)):
        return None
    return min(1.0, max(0.0, float(_metric().sentence_score(first, [second]).score) / 100.0))


def likenesses(pairs: Sequence[tuple[str, str]], encoder: Encoder) -> Flow[list[Likeness]]:
    """How alike the texts of each pair are; one that cannot be said has a reason."""
    if encoder == "chrf":
        try:
            values = yield from compute(_chrf_each, tuple(pairs))
        except MissingExtra as error:
            return [Likeness(None, str(error))] * len(pairs)
        return [Likeness(value, "" if value is not None else "no words to compare") for value in values]
    kind = ComparePackaged if encoder == "packaged" else Compare
    replies = yield from each([kind(first, second) for first, second in pairs])
    return [
        _finite(reply.value.f1) if isinstance(reply, Answer) else Likeness(None, why([reply]))
        for reply in replies
    ]


def _finite(value: float) -> Likeness:
    return Likeness(value) if math.isfinite(value) else Likeness(None, f"the encoder's F1 is {value}")


def _chrf_each(pairs: Sequence[tuple[str, str]]) -> list[float | None]:
    return [chrf(first, second) for first, second in pairs]


def _says(text: str) -> bool:
    return any(map(str.isalnum, text))


@cache
def _metric() -> Any:
    try:
        from sacrebleu.metrics.chrf import CHRF as Metric  # noqa: N811  # a class, not a constant
    except ImportError as error:
        raise MissingExtra("sacrebleu, which compares texts by character n-grams,", extra="memory") from error
    return Metric(beta=1)
