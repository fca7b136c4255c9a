"""Scores that models gave, recorded beside a benchmark: `--fast` reads them, and scores only a sample anew.

A file is JSON. What the scores depend on stands there in plain text; the scores are base64 of little-endian float64, so
that no bit is lost and the file stays small.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchmarks._table import Row
from guardrail.errors import InputError

__all__ = [
    "COARSE_LARGEST",
    "COARSE_MEAN",
    "EXACT",
    "Recording",
    "agreement_row",
    "digest",
    "same_arithmetic",
]

EXACT = 1e-4
"""|Δ| of a score that is allowed in fp32, as of `EntailmentModel`: a reply depends on its batch by less."""

COARSE_MEAN, COARSE_LARGEST = 0.005, 0.05
"""The same where one of the two was not computed in fp32: the bars of bfloat16 in `benchmarks.entailment`."""

Scores = NDArray[np.float64]


@dataclass(frozen=True)
class Recording:
    """Recorded scores.

    Attributes:
        depends: what they would be others without: digests of data and fits, origins of models.
        made: how they came about, for people: fingerprints with the precision, version, command.
        scores: arrays by name, of any shape.
    """

    depends: Mapping[str, str]
    made: Mapping[str, str] = field(default_factory=dict)
    scores: Mapping[str, Scores] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> Recording:
        """What `save` wrote.

        Raises:
            InputError: the file is not there, or is of another form.
        """
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            scores = {name: _decoded(one) for name, one in content["scores"].items()}
            return cls(dict(content["depends"]), dict(content["made"]), scores)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(f"expected recorded scores in {path.name!r}, got {error!r}") from error

    def save(self, path: Path) -> None:
        """Write it; the same scores give the same bytes."""
        content = {
            "depends": dict(self.depends),
            "made": dict(self.made),
            "scores": {name: _encoded(one) for name, one in self.scores.items()},
        }
        path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    def outdated(self, now: Mapping[str, str]) -> str:
        """Why the scores do not hold here: the first thing that is another now; "" if all is the same."""
        for name, value in now.items():
            if (recorded := self.depends.get(name)) != value:
                return f"recorded of another {name}: expected {value!r}, got {recorded!r}"
        return ""


def digest(content: Any) -> str:
    """SHA-256 of JSON content."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def same_arithmetic(recorded: str, now: str) -> bool:
    """Whether two fingerprints of a model say that both computed in fp32; any other is exact to a few bits only."""
    return recorded == now and ":fp32:" in now


def agreement_row(quantity: str, recorded: ArrayLike, now: ArrayLike, *, exact: bool, command: str) -> Row:
    """Whether recorded scores are those that the models here give: the largest |Δ|.

    Args:
        quantity: of the row.
        recorded: scores, of any shape.
        now: the same, computed in this run.
        exact: whether both were computed in fp32.
        command: what records anew.

    Returns:
        A row that is met, or one that has no figure and says why.
    """
    gap = np.abs(np.asarray(recorded, dtype=np.float64) - np.asarray(now, dtype=np.float64))
    mean, largest = float(gap.mean()), float(gap.max())
    bar = EXACT if exact else COARSE_LARGEST
    if largest <= bar and mean <= (EXACT if exact else COARSE_MEAN):
        return Row.at_most(quantity, largest, bar, digits=6)
    reason = (
        f"recorded scores are {mean:.6f} from those computed here in the mean, {largest:.6f} at most: if the "
        f"models or the detector changed on purpose, record anew by `{command}`"
    )
    return Row.missing(quantity, reason, bar=f"≤ {bar:.6f}")


def _encoded(scores: Scores) -> dict[str, Any]:
    return {
        "shape": list(scores.shape),
        "float64": base64.b64encode(scores.astype("<f8").tobytes()).decode("ascii"),
    }


def _decoded(content: Mapping[str, Any]) -> Scores:
    flat = np.frombuffer(base64.b64decode(content["float64"], validate=True), dtype="<f8")
    found: Scores = flat.astype(np.float64).reshape(content["shape"])
    return found
