"""Look-ups one by one, what came out and how long they took."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from guardrail.references.bibliography.index import Index
from guardrail.references.bibliography.normalise import main_part, normalise, squeeze
from guardrail.references.bibliography.records import Match, Reference, Status

__all__ = ["Looked", "look_up", "recall"]


@dataclass(frozen=True)
class Looked:
    """One kind of look-ups: what came out, and how long each took, in milliseconds."""

    matches: list[Match]
    times: list[float]

    def quantile(self, share: float) -> float:
        """A quantile of the times."""
        ordered = sorted(self.times)
        return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


def look_up(index: Index, titles: Iterable[str | Reference]) -> Looked:
    """Look titles, or whole references, up one by one."""
    matches, times = [], []
    for title in titles:
        reference = Reference(title=title) if isinstance(title, str) else title
        start = time.perf_counter()
        matches.append(index.find(reference))
        times.append((time.perf_counter() - start) * 1000)
    return Looked(matches, times)


def recall(matches: Sequence[Match], truths: Sequence[str]) -> float:
    """Share found as the work meant, or as one of the same title or main title."""
    return sum(map(same_work, matches, truths)) / max(len(truths), 1)


def same_work(match: Match, truth: str) -> bool:
    """Whether what was found has the title, or the main title, that was meant."""
    if match.status is not Status.FOUND or match.record is None:
        return False
    meant = {squeeze(normalise(truth)), squeeze(normalise(main_part(truth) or truth))}
    found = match.record.title
    return bool(meant & {squeeze(normalise(found)), squeeze(normalise(main_part(found) or found))})
