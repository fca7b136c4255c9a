"""What a threshold can promise, by name, with its unit and weighting."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from guardrail.errors import ConfigError, UnknownName

__all__ = ["Promise", "Risk", "Target"]


class Risk(StrEnum):
    """Which error is bounded. Every one is a mean over sources, each source counting once."""

    SOUND = "sound"
    ANSWERS = "answers"
    MISSED = "missed"
    FDR = "fdr"

    def meaning(self, unit: str = "finding") -> str:
        """What is counted, in words; a row is a finding or an answer."""
        return _MEANINGS[self].replace("findings", f"{unit}s")

    @property
    def bounds_flags(self) -> bool:
        """Whether it bounds wrong flags, so that it decides from which score on something is flagged."""
        return self is not Risk.MISSED


_MEANINGS = {
    Risk.SOUND: "sound findings that are flagged, of a source's sound findings",
    Risk.ANSWERS: "wholly sound answers in which something is flagged, of a source's wholly sound answers",
    Risk.MISSED: "made-up findings that pass as supported, of a source's made-up findings",
    Risk.FDR: "sound findings among the flagged ones (false discovery rate)",
}


@dataclass(frozen=True, slots=True)
class Promise:
    """A bound on one risk, for new sources drawn like those calibrated on.

    Attributes:
        risk: which error.
        bound: its largest mean, in (0, 1).
    """

    risk: Risk
    bound: float

    def __post_init__(self) -> None:
        if not 0 < self.bound < 1:
            raise ConfigError(
                f"expected {self.risk} between 0 and 1, got {self.bound!r}: write {self.risk}=0.1"
            )

    def __str__(self) -> str:
        return f"{self.risk}={self.bound:g}"


@dataclass(frozen=True, slots=True)
class Target:
    """Promises that shall hold together.

    Attributes:
        promises: one or more, each of another risk.
        confidence: with which all of them hold, in (0, 1).
    """

    promises: tuple[Promise, ...]
    confidence: float = 0.95

    def __post_init__(self) -> None:
        if not self.promises:
            raise ConfigError("expected a promise, got none: write fdr=0.1")
        if not 0 < self.confidence < 1:
            raise ConfigError(
                f"expected a confidence between 0 and 1, got {self.confidence!r}: write confidence=0.95"
            )
        risks = [promise.risk for promise in self.promises]
        if repeated := {risk.value for risk in risks if risks.count(risk) > 1}:
            raise ConfigError(f"expected each promise once, got {sorted(repeated)!r} twice: leave one out")

    @classmethod
    def parse(cls, text: str) -> Target:
        """Read `fdr=0.1,missed=0.2,confidence=0.95`.

        Raises:
            ConfigError: something else is written.
            UnknownName: a promise that does not exist.

        >>> Target.parse("fdr=0.1,confidence=0.9")
        Target(promises=(Promise(risk=<Risk.FDR: 'fdr'>, bound=0.1),), confidence=0.9)
        """
        promises, confidence = [], 0.95
        for part in filter(None, (part.strip() for part in text.split(","))):
            name, _, written = (word.strip() for word in part.partition("="))
            try:
                value = float(written)
            except ValueError as error:
                raise ConfigError(
                    f"expected name=number, got {part!r}: write --target fdr=0.1,confidence=0.95"
                ) from error
            if name == "confidence":
                confidence = value
            elif name in {risk.value for risk in Risk}:
                promises.append(Promise(Risk(name), value))
            else:
                raise UnknownName("promise", name, [*(risk.value for risk in Risk), "confidence"])
        return cls(tuple(promises), confidence)
