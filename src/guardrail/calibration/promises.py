"""What a threshold can promise, by name, with its unit and weighting."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from guardrail.errors import ConfigError, UnknownName


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
        share: of `fdr` alone, in (0, 1): the promise also covers answers among which fewer rows are made up, down to this share
            (each source counting once), as long as scores of sound and of made-up rows look as they did. `None` = as many rows
            are made up as in the calibration.
    """

    risk: Risk
    bound: float
    share: float | None = None

    def __post_init__(self) -> None:
        if self.share is not None and self.risk is not Risk.FDR:
            raise ConfigError(
                f"expected share= with fdr=, got it with {self.risk}=: leave it out, {self.risk} does not depend on the share"
            )
        if self.share is not None and not 0 < self.share < 1:
            raise ConfigError(f"expected share between 0 and 1, got {self.share!r}: write share=0.1")
        if not 0 < self.bound < 1:
            raise ConfigError(
                f"expected {self.risk} between 0 and 1, got {self.bound!r}: write {self.risk}=0.1"
            )

    def __str__(self) -> str:
        least = "" if self.share is None else f",share={self.share:g}"
        return f"{self.risk}={self.bound:g}{least}"


@dataclass(frozen=True, slots=True)
class Target:
    """Promises that are kept together.

    Attributes:
        promises: one or more, each of another risk.
        confidence: that all of them are kept, in (0, 1).
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
        """Read `fdr=0.1,share=0.2,missed=0.2,confidence=0.95`.

        Raises:
            ConfigError: something else is written.
            UnknownName: a promise that does not exist.

        >>> Target.parse("fdr=0.1,confidence=0.9")
        Target(promises=(Promise(risk=<Risk.FDR: 'fdr'>, bound=0.1, share=None),), confidence=0.9)
        """
        said = dict(_numbers(text))
        confidence, share = said.pop("confidence", 0.95), said.pop("share", None)
        if share is not None and Risk.FDR not in said:
            raise ConfigError(f"expected fdr= with share=, got {text!r}: write fdr=0.1,share={share:g}")
        return cls(
            tuple(
                Promise(Risk(name), bound, share if name == Risk.FDR else None)
                for name, bound in said.items()
            ),
            confidence,
        )


def _numbers(text: str) -> Iterator[tuple[str, float]]:
    """Names and numbers of a target, each name once."""
    known = [*(risk.value for risk in Risk), "share", "confidence"]
    seen: set[str] = set()
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, written = (word.strip() for word in part.partition("="))
        try:
            value = float(written)
        except ValueError as error:
            raise ConfigError(
                f"expected name=number, got {part!r}: write --target fdr=0.1,confidence=0.95"
            ) from error
        if name not in known:
            raise UnknownName("promise", name, known)
        if name in seen:
            raise ConfigError(f"expected each promise once, got {name!r} twice: leave one out")
        seen.add(name)
        yield name, value
