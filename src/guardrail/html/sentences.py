"""The sentences of an answer with their scores: bars, numbers, and how dark each is shaded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from guardrail.report import Finding, Report, Scale, Verdict

LEVELS = 5
"""Shades, from 0 (none) to 4 (darkest)."""


@dataclass(frozen=True, slots=True)
class ScoreCell:
    """One detector's word on one sentence.

    Attributes:
        number: of the finding, from 1.
        finding: itself.
        share: of a whole bar, in [0, 1]; `None` without a score.
    """

    number: int
    finding: Finding
    share: float | None


@dataclass(frozen=True, slots=True)
class ScoredSentence:
    """A sentence with one cell per detector (`None`: it said nothing), and its shade; `None` without a score."""

    text: str
    cells: tuple[ScoreCell | None, ...]
    level: int | None


@dataclass(frozen=True)
class ScoreTable:
    """The detectors' names with what their scores mean, and the sentences."""

    detectors: tuple[tuple[str, Scale], ...] = ()
    sentences: tuple[ScoredSentence, ...] = ()

    @cached_property
    def levels(self) -> dict[int, int]:
        """The shade of the sentence that a finding (its number, from 1) is about, where it has one."""
        return {
            cell.number: sentence.level
            for sentence in self.sentences
            for cell in sentence.cells
            if cell is not None and sentence.level is not None
        }


def scored(report: Report) -> ScoreTable:
    """The table of a report; empty where no detector scored sentences (`Scale.sentences`). Marks of citation are not sentences."""
    by_sentence = {name: scale for name, scale in report.scales.items() if scale.sentences}
    numbered = [
        (number, finding)
        for number, finding in enumerate(report.findings, 1)
        if finding.span is not None and finding.detector in by_sentence and finding.attribution is None
    ]
    detectors = tuple(dict.fromkeys(finding.detector for _, finding in numbered))
    scales = tuple(by_sentence[name] for name in detectors)
    shade: dict[int, float] = {}
    cells: dict[tuple[int, int], list[ScoreCell | None]] = {}
    for place, (name, scale) in enumerate(zip(detectors, scales, strict=True)):
        own = [(number, finding) for number, finding in numbered if finding.detector == name]
        dark = shades([finding for _, finding in own], scale)
        shade |= {number: value for (number, _), value in zip(own, dark, strict=True) if value is not None}
        top = _top([finding for _, finding in own], scale)
        for number, finding in own:
            assert finding.span is not None  # noqa: S101  # only those were numbered
            row = cells.setdefault((finding.span.start, finding.span.end), [None] * len(detectors))
            share = None if finding.score is None else _within(finding.score / top) if top > 0 else 0.0
            row[place] = ScoreCell(number, finding, share)
    sentences = []
    for (start, end), row in sorted(cells.items()):
        known = [shade[cell.number] for cell in row if cell is not None and cell.number in shade]
        level = min(LEVELS - 1, int(LEVELS * sum(known) / len(known))) if known else None
        sentences.append(ScoredSentence(report.case.answer[start:end], tuple(row), level))
    return ScoreTable(tuple(zip(detectors, scales, strict=True)), tuple(sentences))


def shades(findings: Sequence[Finding], scale: Scale) -> list[float | None]:
    """How dark each of one detector's findings is, in [0, 1]; `None` without a score.

    On a bounded scale, where the score is on it. On an unbounded one, where it is among the others of its
    verdict: supported ones in the lower 0.4, unsupported ones in the upper 0.4.
    """
    if scale.least is not None and scale.most is not None and scale.most > scale.least:
        low, width = scale.least, scale.most - scale.least
        return [None if f.score is None else _within((f.score - low) / width) for f in findings]
    found: list[float | None] = []
    for finding in findings:
        if finding.score is None:
            found.append(None)
            continue
        same = [f.score for f in findings if f.verdict is finding.verdict and f.score is not None]
        low, width = min(same), max(same) - min(same)
        bad = finding.verdict is Verdict.UNSUPPORTED
        place = (finding.score - low) / width if width > 0 else float(bad)
        found.append(0.6 + 0.4 * place if bad else 0.4 * place)
    return found


def _top(findings: Sequence[Finding], scale: Scale) -> float:
    """The score of a whole bar."""
    if scale.most is not None:
        return scale.most
    return max((f.score for f in findings if f.score is not None), default=0.0)


def _within(value: float) -> float:
    return min(1.0, max(0.0, value))
