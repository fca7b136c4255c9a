"""What the packaged models said of rows 119-237, recorded: `--fast` reads it, and scores a few passages anew."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from benchmarks._recording import Recording, agreement_row, digest, same_arithmetic
from benchmarks._table import Row
from benchmarks.selfcheck.passages import Passage
from benchmarks.selfcheck.scoring import BY_TEXT, SIZES, Blocks, blocks, rescored, splitter
from guardrail import __version__
from guardrail.engine.backend import Backend
from guardrail.selfcheck import EnsembleCheck, SelfCheck
from guardrail.selfcheck.ensemble.fits import Fit

__all__ = ["CHECKED", "COMMAND", "PATH", "Kept", "recording_of", "sample"]

PATH = Path(__file__).with_name("recorded.json")
COMMAND = "python -m benchmarks.selfcheck record"
CHECKED = 4
"""Passages that `--fast` scores anew."""

Own: TypeAlias = Callable[[int, int], dict[str, list[float]]]


def sample(passages: Sequence[Passage], name: str) -> list[Passage]:
    """Those that `--fast` scores anew: evenly spread, others for each fit, since the encoder remembers what it has read."""
    step = max(1, -(-len(passages) // CHECKED))
    return list(passages[random.Random(name).randrange(step) :: step])


def recording_of(
    found: Mapping[str, Sequence[Blocks]], fits: Mapping[str, Fit], passages: Sequence[Passage]
) -> Recording:
    """What is to be kept of the scores of some passages.

    Args:
        found: by fit, of each passage.
        fits: by name.
        passages: in the order of `found`.
    """
    depends, made, scores = (
        {"passages": _digest(passages)},
        {"guardrail": __version__, "command": COMMAND},
        {},
    )
    for name, fit in fits.items():
        depends |= _depends(name, fit)
        made[f"signature of {name}"] = str(EnsembleCheck(fit=fit).signature())
        made |= {f"model {lane}": one.fingerprint for lane, one in _backends(fit).items()}
        for size in SIZES:
            for member in _with_models(fit):
                rows = [[one.members[member] for one in own[size]] for own in found[name]]
                scores[_key(name, size, member)] = np.concatenate([np.array(one) for one in rows], axis=1)
    return Recording(depends, made, scores)


@dataclass(frozen=True)
class Kept:
    """The recorded scores of one fit.

    Attributes:
        recording: of all fits.
        name: of the fit.
        fit: itself.
        passages: all that were recorded.
    """

    recording: Recording
    name: str
    fit: Fit
    passages: Sequence[Passage]

    def blocks(self) -> list[Blocks]:
        """The scores of all passages: n-gram and what the fit makes of the members are computed anew."""
        given = splitter(self.passages)
        return [
            blocks(passage, lambda case, *which, own=own: rescored(case, self.fit, own(*which), given))
            for passage, own in zip(self.passages, self._each(), strict=True)
        ]

    def agreement(self, title: str, found: Mapping[int, Blocks]) -> list[Row]:
        """A row per member with a model: whether its recorded scores are those that were computed in this run.

        Args:
            title: of the fit.
            found: what was computed, by the number of the passage.
        """
        why = self.recording.outdated({"passages": _digest(self.passages), **_depends(self.name, self.fit)})
        if why:
            return [Row.missing(f"{title}: recorded scores", f"{why}: record anew by `{COMMAND}`")]
        return [self._member_row(title, member, found) for member in _with_models(self.fit)]

    def _member_row(self, title: str, member: str, found: Mapping[int, Blocks]) -> Row:
        lane, model = _with_models(self.fit)[member]
        kept, now = [], []
        for passage, own in zip(self.passages, self._each(), strict=True):
            for size, several in found.get(passage.number, {}).items():
                for number, one in enumerate(several):
                    kept += own(size, number)[member]
                    now += one.members[member]
        return agreement_row(
            f"{title}: recorded scores of {member}, largest |Δ| to those computed now",
            kept,
            now,
            exact=same_arithmetic(self.recording.made.get(f"model {lane}", ""), model.fingerprint),
            command=COMMAND,
        )

    def _each(self) -> Iterator[Own]:
        """Per passage, what gives its scores of every member, by the number of samples and which set of so many."""
        start = 0
        for passage in self.passages:
            yield partial(self._own, slice(start, start := start + len(passage.labels)))

    def _own(self, place: slice, size: int, number: int) -> dict[str, list[float]]:
        return {
            member: self.recording.scores[_key(self.name, size, member)][number, place].tolist()
            for member in _with_models(self.fit)
        }


def _key(name: str, size: int, member: str) -> str:
    return f"{name}, {size} samples, {member}"


def _with_models(fit: Fit) -> dict[str, tuple[str, Backend[Any]]]:
    """The members that ask a model: its lane, and itself."""
    return {
        one.name: next(iter(SelfCheck(one.method, **one.options).backends().items()))
        for one in fit.members
        if one.name != BY_TEXT
    }


def _backends(fit: Fit) -> dict[str, Backend[Any]]:
    return dict(_with_models(fit).values())


def _depends(name: str, fit: Fit) -> dict[str, str]:
    models = {f"model {lane}": one.origin for lane, one in _backends(fit).items()}
    return {f"fit {name}": fit.fingerprint, **models}


def _digest(passages: Sequence[Passage]) -> str:
    return digest([[p.number, p.text, p.sentences, p.samples] for p in passages])
