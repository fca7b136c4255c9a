"""A report for a person: the answer with marks, what was found, what it cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from guardrail._findings import against, repeats, why
from guardrail._visible import one_line, visible
from guardrail.cli._terminal import STYLES, Glyphs, console

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from guardrail.report import Edit, Finding, Report

_MARK = 16  # columns
_RANK = {"supported": 0, "unverified": 1, "unsupported": 2}


def show(report: Report, *, source: str, notes: Iterable[str] = ()) -> None:
    """Print the report; on a terminal with colours and a table, piped as plain lines."""
    out = console()
    glyphs = Glyphs(out)
    tell(out, marked(report, glyphs))
    out.print()
    if not report.judged and not report.failures:
        names = one_line(", ".join(report.signatures)) or "no detector"
        asked = "" if report.case.messages else "; --prompt says what was asked, which may help"
        tell(out, f"nothing to check: {names} found nothing to examine in {one_line(source)}{asked}")
    elif out.is_terminal:
        marks = [finding for finding in report.judged if finding.attribution]
        others = [finding for finding in report.judged if not finding.attribution]
        if marks:
            out.print(marks_table(marks, glyphs))
        if marks and others:
            out.print()
        if others:
            out.print(findings_table(others, glyphs))
    else:
        for line in _lines(report.judged):
            out.file.write(f"{line}\n")  # rich would turn tabs into blanks
    for line in units(report):
        tell(out, line, "dim")
    for failure in report.failures:
        detail = f" ({one_line(failure.detail, 200)})" if failure.detail else ""
        tell(out, f"{one_line(failure.detector)} could not finish: {failure.reason}{detail}", "yellow")
    if report.judged or report.failures:
        tell(out, _outcome(report, glyphs), "bold")
    tell(out, report.cost.line(), "dim")
    for note in (*(finding.reason for finding in report.notes), *notes):
        tell(out, f"note: {note}", "dim")


def tell(out: Console, text: str | Text, style: str = "") -> None:
    """Print a text, wrapped on a terminal, in whole lines when piped."""
    out.print(text, style=style, soft_wrap=not out.is_terminal)


# --- the answer --------------------------------------------------------------------------------------------


def marked(report: Report, glyphs: Glyphs) -> Text:
    """The answer as the policy leaves it, each finding in its colour; unedited, with a sign and word after it."""
    from rich.text import Text

    edits = report.decision.edits
    if report.blocked:
        return Text(visible(report.answer), style=STYLES["unsupported"])
    answer = report.case.answer
    shown = Text()
    for start, end, finding in _stretches(answer, report.judged, edits):
        edit = next((e for e in edits if e.span.start == start and e.span.end == end), None)
        if edit is not None:
            shown.append(
                visible(edit.replacement), style="bold yellow" if "unverified" in edit.why else "bold red"
            )
            continue
        shown.append(visible(answer[start:end]), style=STYLES[finding.word] if finding else "")
        if finding is not None and finding.span is not None and finding.span.end == end and not edits:
            word = finding.mark if repeats(finding) else one_line(finding.label, 30) or finding.word
            shown.append(f" [{glyphs.of(finding.word)} {word}]", style=STYLES[finding.word])
    shown.rstrip()
    return shown


def _stretches(
    answer: str, findings: Sequence[Finding], edits: Sequence[Edit]
) -> Iterator[tuple[int, int, Finding | None]]:
    """The answer in pieces that lie wholly inside or outside of every finding and edit; insertions are empty."""
    spans = [finding.span for finding in findings if finding.span is not None]
    spans += [edit.span for edit in edits]
    cuts = sorted({0, len(answer), *(s.start for s in spans), *(s.end for s in spans)})
    inserted = {edit.span.start for edit in edits if edit.span.start == edit.span.end}
    skip = 0
    for start, end in zip(cuts, [*cuts[1:], len(answer)], strict=True):
        if start in inserted:
            yield start, start, None
        whole = next((e.span for e in edits if e.span.start == start and e.span.end > start), None)
        if whole is not None:
            yield whole.start, whole.end, None
            skip = whole.end
        if start < end and start >= skip:
            yield start, end, _worst(findings, start, end)


def _worst(findings: Sequence[Finding], start: int, end: int) -> Finding | None:
    there = [f for f in findings if f.span is not None and f.span.start <= start and end <= f.span.end]
    return max(there, key=lambda finding: _RANK[finding.word], default=None)


# --- what was found ----------------------------------------------------------------------------------------


def marks_table(findings: Sequence[Finding], glyphs: Glyphs) -> Table:
    """One row per mark of citation: whether its source says so, what the mark is for, the best passage and, where that is not enough, why."""
    from rich.text import Text

    table = _table(glyphs)
    table.add_column("mark", overflow="fold", max_width=_MARK)
    table.add_column("says it?", no_wrap=True)
    table.add_column("claim, and what the source says", ratio=1, overflow="fold")
    for finding in findings:
        mark, source = cited(finding)
        says = Text(f"{glyphs.of(finding.word)} {one_line(finding.label, 24)}", style=STYLES[finding.word])
        said = Text(one_line(finding.text, 300))
        if source:
            near = "nearest in " if finding.passages and _is_silent(finding) else ""
            said.append(f"\n{glyphs.arrow} {near}{source}", style="cyan")
        if finding.word != "supported":
            said.append(f"\n{one_line(finding.reason, 400)}", style="dim")
        table.add_row(mark, says, said)
    return table


def cited(finding: Finding) -> tuple[str, str]:
    """A mark of citation; and its source with the best passage, or the sources alone where none is known; shortened."""
    attribution = finding.attribution
    if attribution is None:
        return "", ""
    mark, names = one_line(attribution.mark, 2 * _MARK), one_line(", ".join(attribution.documents), 160)
    return mark, next(
        (f"{one_line(one.source, 40)}: {one_line(one.text, 160)}" for one in finding.passages), names
    )


def _is_silent(finding: Finding) -> bool:
    """Whether the best passage, of which there is one, does not say what the mark is for."""
    attribution = finding.attribution
    if attribution is None or attribution.support not in {"silent", "elsewhere"}:
        return False
    return finding.passages[0].source not in attribution.says


def _table(glyphs: Glyphs) -> Table:
    from rich.box import ASCII, SIMPLE_HEAD
    from rich.table import Table

    return Table(box=SIMPLE_HEAD if glyphs.rich else ASCII, pad_edge=False, expand=True, show_edge=False)


def findings_table(findings: Sequence[Finding], glyphs: Glyphs) -> Table:
    """One row per finding: verdict and label, score, what it is about and why."""
    from rich.text import Text

    table = _table(glyphs)
    table.add_column("verdict", no_wrap=True)
    table.add_column("score", justify="right", no_wrap=True)
    table.add_column("what, and why", ratio=1, overflow="fold")
    for finding in findings:
        verdict = Text(f"{glyphs.of(finding.word)} {finding.word}", style=STYLES[finding.word])
        if finding.label:
            verdict.append(f"\n  {one_line(finding.label, 24)}", style="dim")
        what = Text(one_line(finding.text, 300) or "the whole answer")
        what.append(f"\n{why(finding)}", style="dim")
        if passage := against(finding):
            what.append(f"\n  {passage}", style="dim")
        for line, style in _compared(finding, glyphs):
            what.append(f"\n  {line}", style=style)
        table.add_row(verdict, score_text(finding), what)
    return table


_SIGNS = {
    "confirmed": "supported",
    "near": "supported",
    "differs": "unsupported",
    "not compared": "unverified",
}


def _compared(finding: Finding, glyphs: Glyphs) -> Iterator[tuple[str, str]]:
    """What was looked up, field by field, if not all of it agrees: a line and its style. Another work's fields say nothing."""
    found = [piece for piece in finding.evidence if piece.kind == "lookup"]
    fields = [
        field for piece in found if piece.status == "found" or piece.work is None for field in piece.fields
    ]
    if all(field.outcome == "confirmed" for field in fields):
        return
    for field in fields:
        values = one_line(field.claimed, 60)
        if field.outcome in {"near", "differs"} and field.found:
            values += f" {glyphs.dot} really {one_line(field.found, 60)}"
        note = f" ({one_line(field.note, 80)})" if field.note else ""
        sign = _SIGNS[field.outcome]
        line = f"{glyphs.of(sign)} {one_line(field.field, 20)} {field.outcome}: {values}{note}"
        yield line, "dim" if sign == "supported" else STYLES[sign]


def _lines(findings: Sequence[Finding]) -> Iterator[str]:
    """Tab-separated: verdict, label, score, text, reason; of a mark of citation also the mark and the best passage."""
    for finding in findings:
        cells = [finding.word, finding.label, score_text(finding), finding.text, why(finding)]
        if finding.attribution:
            cells += cited(finding)
        yield "\t".join(one_line(cell) or "-" for cell in cells)


def units(report: Report) -> Iterator[str]:
    """What scores without an upper bound mean: they are no shares, and those of two detectors cannot be compared."""
    scored = dict.fromkeys(finding.detector for finding in report.judged if finding.score is not None)
    for name in scored:
        scale = report.scales.get(name)
        if scale is not None and scale.most is None:
            unit = f"{one_line(scale.unit)}, " if scale.unit else ""
            yield f"scores of {one_line(name)}: {unit}{one_line(scale.meaning)}"


def score_text(finding: Finding) -> str:
    """The score, or a dash."""
    return "-" if finding.score is None else f"{finding.score:.2f}"


# --- what came of it ---------------------------------------------------------------------------------------


def _outcome(report: Report, glyphs: Glyphs) -> str:
    from guardrail.report import Verdict

    order = (Verdict.UNSUPPORTED, Verdict.UNVERIFIED, Verdict.SUPPORTED)
    counts = [(len(report.with_verdict(verdict)), verdict.value) for verdict in order]
    failed = len(report.failures)
    counts.append((failed, "detector could not finish" if failed == 1 else "detectors could not finish"))
    told = ", ".join(f"{count} {word}" for count, word in counts if count)
    action = report.decision.action
    if action in {"pass", "flag"}:
        return told
    note = f": {one_line(report.decision.note, 200)}" if report.decision.note else ""
    return f"{told} {glyphs.dot} {action}{note}"
