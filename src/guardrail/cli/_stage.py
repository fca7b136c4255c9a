"""The demo as it is shown on a terminal, or plainly into a pipe."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from guardrail._visible import one_line, visible
from guardrail.cli._sentences import against, meter, rows, sentence_table, short, tops, units
from guardrail.cli._show import marked, score_text
from guardrail.cli._terminal import STYLES, Glyphs, console
from guardrail.engine.flow import Cost

if TYPE_CHECKING:
    from rich.text import Text

    from guardrail.demo import Outcome
    from guardrail.report import Finding, Report

WIDEST = 100
SAME = 0.99  # agreement of author answers that differ only in spelling


class Stage:
    """Prints the demo."""

    def __init__(self) -> None:
        self._out = console()
        self._out.width = min(self._out.width, WIDEST)
        self._glyphs = Glyphs(self._out)

    def opening(self, model: str) -> None:
        """What is going to be seen."""
        from rich.text import Text

        self._out.print()
        self._out.print(
            Text.assemble(("guardrail demo", "bold"), f" {self._glyphs.dot} ", (one_line(model), "dim"))
        )

    @contextmanager
    def working(self) -> Iterator[Callable[[str], None]]:
        """A line that says what is going on, while it goes on."""
        if not self._out.is_terminal:
            yield lambda _: None
            return
        with self._out.status("loading LangChain") as status:
            yield status.update

    def play(self, outcome: Outcome, pages: Sequence[str]) -> None:
        """Everything, in order."""
        self._say("Question", "")
        self._body(outcome.question)
        self._say("1", "what the model answers", "prompt | model")
        self._body(visible(outcome.raw.rstrip()))
        self._say("2", "what the guard finds", "look up first, then ask the model")
        for finding in outcome.annotated.findings:
            self._finding(finding)
        if not outcome.annotated.findings:
            self._body("no reference was found in this answer")
        self._say("3", "annotated", "prompt | model | GuardedOutput(guard)")
        self._body(marked(outcome.annotated, self._glyphs))
        attempts = outcome.regenerated.decision.attempts
        times = "not needed" if attempts == 1 else f"{attempts} attempts"
        self._say("4", f"regenerated, {times}", "guard_runnable(guard, prompt | model)")
        self._body(self._regenerated(outcome.regenerated))
        self._say("5", "another answer, sentence by sentence", "prompt | model | GuardedOutput(guard)")
        self._sentences(outcome)
        self._say("Cost", "")
        self._cost(outcome)
        self._say("Report", "")
        for page in pages:
            self._out.print(f"  {one_line(page)}", soft_wrap=True)
        self._say("Now yours", "")
        self._out.print("  guardrail check answer.md --bibliography refs.bib", soft_wrap=True)
        self._out.print("  guardrail selfcheck --answer answer.txt --samples sample*.txt\n", soft_wrap=True)

    # -- pieces

    def _say(self, number: str, title: str, code: str = "") -> None:
        from rich.rule import Rule
        from rich.text import Text

        head = Text(number, style="bold cyan")
        if title:
            head.append(f"  {title}", style="bold")
        if code:
            head.append(f"   {code}", style="dim")
        self._out.print()
        if self._out.is_terminal:
            characters = "─" if self._glyphs.rich else "-"
            self._out.print(Rule(head, align="left", characters=characters, style="cyan dim"))
        else:
            self._out.print(head, soft_wrap=True)

    def _body(self, text: str | Text, *, indent: int = 2) -> None:
        """Indented; wrapped on a terminal, line by line as it is into a pipe."""
        from rich.padding import Padding
        from rich.text import Text

        shown = text if isinstance(text, Text) else Text(text)
        if self._out.is_terminal:
            self._out.print(Padding(shown, (0, 2, 0, indent)))
            return
        for line in shown.split("\n", allow_blank=True):
            self._out.print(Text.assemble(" " * indent if line.plain else "", line), soft_wrap=True)

    def _regenerated(self, report: Report) -> Text:
        shown = marked(report, self._glyphs)
        if report.verdict == "supported" and not report.decision.edits:
            sign = self._glyphs.of("supported")
            shown.append(f"\n\n{sign} all {len(report.judged)} references are supported", style="bold green")
        return shown

    def _finding(self, finding: Finding) -> None:
        from rich.text import Text

        width = self._out.width - 20 if self._out.is_terminal else None
        line = Text(f"{self._glyphs.of(finding.word)} ", style=STYLES[finding.word])
        line.append(f"{one_line(finding.label, 30) or finding.word:<11}")
        line.append(one_line(finding.text, width), style="bold")
        self._body(line)
        pieces = [(source, one_line(told)) for source, told in _evidence(finding)]
        if not self._out.is_terminal:
            for source, told in pieces:
                self._body(f"{source:<16}{told}", indent=4)
            return
        from rich.padding import Padding
        from rich.table import Table

        told_in = Table.grid(padding=(0, 1))
        told_in.add_column(width=15, no_wrap=True)
        told_in.add_column()
        for source, told in pieces:
            told_in.add_row(Text(source, style="dim"), Text(told, style="dim"))
        self._out.print(Padding(told_in, (0, 2, 0, 4)))

    def _sentences(self, outcome: Outcome) -> None:
        """Every sentence with a score per detector, and with the truth where the script knows it."""
        report = outcome.scored
        detectors = list(report.signatures)
        self._body(one_line(report.case.question))
        self._out.print()
        found = rows(report, detectors)
        truth = ["yes" if true else "no, made up" for true in outcome.true or ()]
        known = len(truth) == len(found)
        if not found:
            self._body("no sentence was found in this answer")
        elif self._out.is_terminal:
            from rich.padding import Padding

            more = ("true?", truth) if known else None
            self._out.print(Padding(sentence_table(report, detectors, self._glyphs, more), (0, 2, 0, 2)))
        else:
            top = tops(report, detectors)
            for place, row in enumerate(found):
                cells = [
                    f"{short(name)} {meter(one.score, top[name], self._glyphs)} {score_text(one):>4} "
                    f"{self._glyphs.of(one.word)}"
                    for name, one in zip(detectors, row.findings, strict=True)
                    if one is not None
                ]
                told = [f"true? {truth[place]:<11}"] if known else []
                self._body(f"{'  '.join([*cells, *told])}  {one_line(row.text)}")
                for why in against(row):
                    self._body(why, indent=4)
        if found:
            self._out.print()
            self._body(units(report, detectors))
        source = "written for this demo" if outcome.true is not None else "drawn from the model"
        self._body(f"compared with {_drawn(report)} other answers to the same question, {source}")

    def _cost(self, outcome: Outcome) -> None:
        first, second = outcome.annotated, outcome.regenerated
        settled = sum(_settled(finding) for finding in first.findings)
        asked = sum(1 for finding in first.findings) - settled
        calls, more = (
            sum(report.cost.alone.get(name, Cost()).calls for name in report.signatures)
            for report in (first, second)
        )
        each = f", {calls / asked:.0f} each" if asked else ""
        seconds = sum(r.cost.wall_seconds for r in (first, second, outcome.scored))
        self._body(
            f"{settled} of {len(first.findings)} references settled by the bibliography of {outcome.works} works, "
            f"no model call\n{calls:.0f} short questions about the other {asked}{each}; "
            f"{more:.0f} more for the regenerated answer; "
            f"{_drawn(outcome.scored)} answers drawn to score sentences\n"
            f"{seconds:.2f} s in the guard"
        )


def _drawn(report: Report) -> int:
    """How many answers the detectors drew; they share them."""
    own = (cost.calls for name, cost in report.cost.alone.items() if name in report.signatures)
    return round(max(own, default=0.0))


def _settled(finding: Finding) -> bool:
    return not any(piece.kind == "replies" for piece in finding.evidence)


def _evidence(finding: Finding) -> Iterator[tuple[str, str]]:
    """What the verdict rests on: whom it was asked of, and what came."""
    lookup = next((piece for piece in finding.evidence if piece.kind == "lookup"), None)
    if _settled(finding):
        yield "look-up", finding.reason
        if finding.mark and lookup is not None and lookup.status == "found":
            yield "", finding.mark
        return
    if lookup is not None:
        absent = "not in the bibliography: the model is asked afresh"
        yield "look-up", absent if lookup.status == "absent" else lookup.status
    answers = next((p for p in finding.evidence if p.kind == "replies" and p.query == "Who wrote it?"), None)
    agreement = next(
        (
            p.value
            for p in finding.evidence
            if p.kind == "measurement" and p.name == "the replies name the same authors"
        ),
        None,
    )
    if answers is not None and answers.texts:
        people = [text.removeprefix("AUTHORS:").strip() for text in answers.texts]
        if agreement is not None and agreement > SAME:
            people = [f"{people[0]} (the same people, {len(people)} times)"]
        for place, told in enumerate(people):
            yield "" if place else "who wrote it?", told
    votes = [p.read for p in finding.evidence if p.kind == "replies" and p.query.startswith("Does it exist?")]
    if votes:
        yield "does it exist?", ", ".join(vote or "unclear" for read in votes for vote in read)
    if finding.verdict == "unverified":
        yield "so", finding.reason
