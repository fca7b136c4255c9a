"""Sentences with their scores: a table for a terminal, lines for a pipe."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from guardrail._visible import one_line
from guardrail.cli._show import score_text, show_end, tell
from guardrail.cli._terminal import STYLES, Glyphs, console

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from guardrail.report import Finding, Report

WIDTH = 8  # letters of a bar
_QUOTED = 160


@dataclass(frozen=True, slots=True)
class Row:
    """One sentence, and what each detector says of it."""

    text: str
    findings: tuple[Finding | None, ...]


def rows(report: Report, detectors: Sequence[str]) -> list[Row]:
    """The sentences in their order, each with one finding per detector."""
    found: dict[tuple[int, int], dict[str, Finding]] = {}
    for finding in report.judged:
        if finding.span is not None and finding.detector in detectors:
            found.setdefault((finding.span.start, finding.span.end), {})[finding.detector] = finding
    return [
        Row(next(iter(by.values())).text, tuple(by.get(name) for name in detectors))
        for _, by in sorted(found.items())
    ]


def tops(report: Report, detectors: Iterable[str]) -> dict[str, float]:
    """Per detector the score that fills a bar: the largest there can be, else the largest there is."""
    found = {}
    for name in detectors:
        scale = report.scales.get(name)
        seen = [f.score for f in report.findings if f.detector == name and f.score is not None]
        found[name] = scale.most if scale is not None and scale.most is not None else max(seen, default=0.0)
    return found


def meter(score: float | None, top: float, glyphs: Glyphs) -> str:
    """A small bar, from 0 to `top`; of no score a blank one."""
    full, rest = ("█", "░") if glyphs.rich else ("#", ".")
    if score is None:
        return (" " if glyphs.rich else "-") * WIDTH
    filled = round(WIDTH * min(1.0, max(0.0, score / top))) if top > 0 else 0
    return full * filled + rest * (WIDTH - filled)


def short(detector: str) -> str:
    """A detector's name as a heading: the part after the first hyphen, or the whole name without one."""
    _, hyphen, variant = detector.partition("-")
    return variant if hyphen else detector


def show_sentences(report: Report, *, source: str, notes: Iterable[str] = ()) -> None:
    """Print the report; on a terminal as a table with colours, piped as tab-separated lines.

    A line has the verdict, the score, its bar, the sentence and the reason.
    """
    out = console()
    glyphs = Glyphs(out)
    detectors = list(dict.fromkeys(finding.detector for finding in report.findings))
    if not report.judged and not report.failures:
        tell(out, f"nothing to check: no sentence was found in {one_line(source)}")
    elif out.is_terminal:
        out.print(sentence_table(report, detectors, glyphs))
    else:
        for line in _lines(report, detectors, glyphs):
            out.file.write(f"{line}\n")  # rich would turn tabs into blanks
    if report.judged and (unit := units(report, detectors)):
        tell(out, unit, "dim")
    show_end(report, out, glyphs, notes, model="chat model")


def sentence_table(
    report: Report, detectors: Sequence[str], glyphs: Glyphs, more: tuple[str, Sequence[str]] | None = None
) -> Table:
    """One row per sentence: a bar and score per detector, the sentence, and why.

    Args:
        report: has them.
        detectors: those that have a column, by name.
        glyphs: signs that the output can show.
        more: the heading and cells of one more column before the sentence.
    """
    from rich.box import ASCII, SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD if glyphs.rich else ASCII, pad_edge=False, expand=True, show_edge=False)
    for name in detectors:
        table.add_column(short(name), no_wrap=True)
    if more is not None:
        table.add_column(more[0], no_wrap=True)
    table.add_column("sentence, and why" if more is None else "sentence", ratio=1, overflow="fold")
    top = tops(report, detectors)
    for place, row in enumerate(rows(report, detectors)):
        cells = [
            _cell(finding, top[name], glyphs) for name, finding in zip(detectors, row.findings, strict=True)
        ]
        what = Text(one_line(row.text, 300))
        for told in against(row) if more is not None else _told(row):
            what.append(f"\n{told}", style="dim")
        table.add_row(*cells, *([Text(one_line(more[1][place]))] if more is not None else []), what)
    return table


def _cell(finding: Finding | None, top: float, glyphs: Glyphs) -> Text:
    from rich.text import Text

    if finding is None:
        return Text("-")
    sign = glyphs.of(finding.word)
    return Text(
        f"{sign} {meter(finding.score, top, glyphs)} {score_text(finding)}", style=STYLES[finding.word]
    )


def _told(row: Row) -> Iterator[str]:
    for finding in row.findings:
        if finding is not None and finding.verdict != "unsupported":
            yield one_line(finding.reason, 400)
    yield from against(row)


def against(row: Row) -> Iterator[str]:
    """What speaks against a sentence: reasons, and what another answer has in its place."""
    for finding in row.findings:
        if finding is None or finding.verdict != "unsupported":
            continue
        reason = one_line(finding.reason, 400)
        piece = next((piece for piece in finding.evidence if piece.kind == "passage"), None)
        quoted = f"; {one_line(piece.source, 40)}: {one_line(piece.text, _QUOTED)}" if piece else ""
        yield f"{short(finding.detector)}: {reason}{quoted}"


def _lines(report: Report, detectors: Sequence[str], glyphs: Glyphs) -> Iterator[str]:
    top = tops(report, detectors)
    for row in rows(report, detectors):
        for name, finding in zip(detectors, row.findings, strict=True):
            if finding is None:
                continue
            bar = meter(finding.score, top[name], glyphs)
            cells = (finding.word, score_text(finding), bar, row.text, finding.reason)
            yield "\t".join(one_line(cell) or "-" for cell in cells)


def units(report: Report, detectors: Sequence[str]) -> str:
    """What the scores mean, a line for each detector."""
    told = []
    for name in detectors:
        scale = report.scales.get(name)
        if scale is None:
            continue
        least = 0.0 if scale.least is None else scale.least
        spread = f"{least:g} to {scale.most:g}" if scale.most is not None else f"from {least:g}"
        bars = "" if scale.most is not None else "; a whole bar is the largest here"
        unit = f" ({scale.unit})" if scale.unit else ""
        told.append(f"{short(name)}: {spread}{unit}, {scale.meaning}{bars}")
    return "\n".join(told)
