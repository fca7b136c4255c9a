"""What scores come from, as far as a threshold depends on it; and scores of several detectors on one scale."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from pydantic import Field

from guardrail.calibration.stored import Model
from guardrail.errors import ConfigError
from guardrail.report import Scale

_CREDENTIAL = re.compile(r" as [0-9a-f]{24}\b")
_NOT_ASKED = ("nobody", "compute")  # lanes without a model, and this process itself
_LEFT_OUT = ("threshold:", "guardrail:")


class Scoring(Model):
    """What a certificate is for. Thresholds and the package's version are left out of what is compared.

    Attributes:
        detectors: by name, the signature without thresholds and package version.
        backends: by lane, the fingerprint without the credential.
        model: who wrote the answers; "" = not named.
        package: the version that made it; not compared.
    """

    detectors: dict[str, str]
    backends: dict[str, str] = Field(default_factory=dict)
    model: str = ""
    package: str = ""

    @classmethod
    def of(
        cls,
        signatures: Mapping[str, str],
        backends: Mapping[str, str],
        *,
        model: str = "",
        package: str = "",
    ) -> Scoring:
        """From the signatures of detectors and the fingerprints of backends, as reports and runs have them.

        >>> Scoring.of({"x": "x|version:1|samples:5|threshold:0.5|guardrail:0.1.0"}, {}).detectors
        {'x': 'x|version:1|samples:5'}
        """
        return cls(
            detectors={name: _bare(line) for name, line in sorted(signatures.items())},
            backends={
                lane: without_credential(name)
                for lane, name in sorted(backends.items())
                if name not in _NOT_ASKED
            },
            model=model,
            package=package,
        )

    def must_be(self, other: Scoring) -> None:
        """Refuse another way of scoring.

        Args:
            other: the guard's.

        Raises:
            ConfigError: something differs; the message says what, and what to do.
        """
        for kind, mine, its in (
            ("detector", self.detectors, other.detectors),
            ("model or service", self.backends, other.backends),
        ):
            for name in sorted({*mine, *its}):
                if mine.get(name) != its.get(name):
                    raise _differs(f"{kind} {name!r}", mine.get(name, "none"), its.get(name, "none"))
        if self.model != other.model:
            raise _differs(
                "answering model",
                self.model or "not named",
                other.model or "not named",
                " (calibration=Calibration(…, answering=…), or answering below [guard])",
            )


def _bare(signature: str) -> str:
    return "|".join(part for part in signature.split("|") if not part.startswith(_LEFT_OUT))


def _differs(what: str, expected: str, got: str, where: str = "") -> ConfigError:
    return ConfigError(
        f"calibrated with another {what}: expected {expected!r}, got {got!r}. Set the guard up as it was{where}, "
        "or calibrate again with guardrail calibrate"
    )


def without_credential(fingerprint: str) -> str:
    """A backend's fingerprint without that of its credential: another key of the same service asks the same model."""
    return _CREDENTIAL.sub("", fingerprint)


def position(score: float, scale: Scale) -> float:
    """Where a score lies in its detector's scale, in [0, 1]: ends that a scale lacks are drawn in by a fixed curve.

    >>> position(0.5, Scale(least=-1.0, most=1.0)), position(3.0, Scale(least=0.0, most=None))
    (0.75, 0.75)
    """
    least, most = scale.least, scale.most
    if least is not None and most is not None:
        return (score - least) / (most - least) if most > least else 0.0
    if least is not None:
        return (score - least) / (1 + score - least)
    if most is not None:
        return 1 / (1 + most - score)
    return 0.5 + math.atan(score) / math.pi


def score_at(place: float, scale: Scale) -> float:
    """The score at a position in (0, 1): the inverse of `position`.

    >>> score_at(0.75, Scale(least=0.0, most=None)), score_at(0.75, Scale(least=-1.0, most=1.0))
    (3.0, 0.5)
    """
    least, most = scale.least, scale.most
    if least is not None and most is not None:
        return least + place * (most - least)
    if least is not None:
        return least + place / (1 - place)
    if most is not None:
        return most + 1 - 1 / place
    return math.tan((place - 0.5) * math.pi)
