"""`guardrail demo`: see it work."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from guardrail._findings import against
from guardrail._visible import one_line, visible
from guardrail.cli._errors import Usage
from guardrail.cli._show import marked, score_text, units
from guardrail.cli._terminal import STYLES, Glyphs, console, json_text, patience

if TYPE_CHECKING:
    from rich.text import Text

    from guardrail.demo import Outcome
    from guardrail.report import Finding, Report

PAGE = "guardrail-demo.html"
SENTENCES = "guardrail-demo-sentences.html"
MODEL = "gpt-5-mini"
WIDEST = 100
BAR = 8  # letters


def demo(
    model: Annotated[
        str | None,
        typer.Option(metavar="NAME", help=f"Run on this live model. Default with a key: {MODEL}."),
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(metavar="URL", help="… at this OpenAI-compatible endpoint.")
    ] = None,
    scripted: Annotated[
        bool, typer.Option("--scripted", help="Use the script, also where OPENAI_API_KEY is set.")
    ] = False,
    out: Annotated[
        str | None,
        typer.Option(metavar="DIR", help=f"Folder for {PAGE} and {SENTENCES}. Default: the current one."),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print the question and the three reports as JSON.")
    ] = False,
) -> None:
    """Watch a LangChain chain being guarded: a model makes references up, and the guard notices.

    Then it scores the sentences of a second answer against other answers to the same question: by n-grams,
    by the packaged entailment model where it is installed, and by MiniLM with the extra "local".

    Without a key it runs on a scripted model, in a few seconds, off the network. With OPENAI_API_KEY set, or
    with --base-url, the same chains run on a live model (a few dozen short questions).

    Examples:
      guardrail demo
      guardrail demo --model llama3.2 --base-url http://localhost:11434/v1
    """
    folder = _folder(out)
    chat, told = _chat(model, base_url, scripted=scripted)
    from guardrail.cli._outputs import write_page, write_text
    from guardrail.demo.scenario import run

    with patience("asking the model, checking what it answers"):
        outcome = run(chat)
    pages = (str(folder / PAGE), str(folder / SENTENCES))
    for place, report in zip(pages, (outcome.annotated, outcome.scored), strict=True):
        write_page(place, report)
    if not json:
        _Stage().play(outcome, told, pages)
        return
    reports: dict[str, Any] = {
        "question": outcome.question,
        "model": told,
        "raw": outcome.annotated.case.answer,
        "annotated": outcome.annotated.model_dump(mode="json"),
        "regenerated": outcome.regenerated.model_dump(mode="json"),
        "scored": outcome.scored.model_dump(mode="json"),
        "page": pages[0],
        "sentences_page": pages[1],
    }
    write_text("-", json_text(reports))


def _folder(out: str | None) -> Path:
    folder = Path(out or ".").expanduser()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Usage(
            f"--out: {str(folder)!r} cannot be made: {error.strerror}; name another folder"
        ) from error
    if not os.access(folder, os.W_OK):
        raise Usage(f"{str(folder)!r} cannot be written; name another folder with --out DIR")
    return folder


def _chat(model: str | None, base_url: str | None, *, scripted: bool) -> tuple[Any, str]:
    """The live model that was asked for, else `None` for the script; and what to call it."""
    if scripted and (model or base_url):
        raise Usage("--scripted runs without a model: leave --model and --base-url out")
    live = model or base_url or os.environ.get("OPENAI_API_KEY")
    if scripted or not live:
        return None, "a scripted chat model: no key, no network"
    if base_url and not model:
        raise Usage("--base-url needs --model NAME: which of its models is to answer?")
    from guardrail.cli._guard import live_chat

    name = model or MODEL
    return live_chat(name, base_url), f"the live model {name}"


class _Stage:
    """Prints what the demo came to: wrapped on a terminal, line by line as it is into a pipe."""

    def __init__(self) -> None:
        self._out = console()
        self._out.width = min(self._out.width, WIDEST)
        self._glyphs = Glyphs(self._out)

    def play(self, outcome: Outcome, model: str, pages: Sequence[str]) -> None:
        """Everything, in order."""
        annotated, regenerated = outcome.annotated, outcome.regenerated
        self._say("guardrail demo", one_line(model))
        self._say("Question")
        self._body(outcome.question)
        self._say("1  what the model answers", "prompt | model")
        self._body(visible(annotated.case.answer.rstrip()))
        self._say("2  what the guard finds", "look up first, then ask the model")
        for finding in annotated.findings:
            self._finding(finding)
        if not annotated.findings:
            self._body("no reference was found in this answer")
        self._say("3  annotated", "prompt | model | GuardedOutput(guard)")
        self._body(marked(annotated, self._glyphs))
        attempts = regenerated.decision.attempts
        times = "not needed" if attempts == 1 else f"{attempts} attempts"
        self._say(f"4  regenerated, {times}", "guard_runnable(guard, prompt | model)")
        self._body(marked(regenerated, self._glyphs))
        if regenerated.verdict == "supported" and not regenerated.decision.edits:
            sign = self._glyphs.of("supported")
            self._body(f"\n{sign} all {len(regenerated.judged)} references are supported")
        self._say("5  another answer, sentence by sentence", "prompt | model | GuardedOutput(guard)")
        self._sentences(outcome)
        self._say("Cost")
        self._cost(outcome)
        self._say("Report")
        self._body("\n".join(map(one_line, pages)))
        self._say("Now yours")
        self._body(
            "guardrail check answer.md --bibliography refs.bib\nguardrail check answer.md --samples sample*.txt"
        )

    def _say(self, title: str, code: str = "") -> None:
        from rich.text import Text

        self._out.print(Text.assemble("\n", (title, "bold cyan"), (f"   {code}" if code else "", "dim")))

    def _body(self, text: str | Text, start: str = "  ") -> None:
        """Below what the first line starts with."""
        from rich.text import Text

        shown = text if isinstance(text, Text) else Text(text)
        width = self._out.width - len(start) if self._out.is_terminal else len(shown.plain) + 1
        for line in shown.wrap(self._out, width):
            line.rstrip()
            self._out.print(Text.assemble(start if line else "", line), soft_wrap=True)
            start = " " * len(start)

    def _finding(self, finding: Finding) -> None:
        from rich.text import Text

        name = f"{self._glyphs.of(finding.word)} {one_line(finding.label, 30) or finding.word:<11}"
        self._body(Text.assemble((name, STYLES[finding.word]), (one_line(finding.text), "bold")))
        for source, told in _evidence(finding):
            self._body(Text(one_line(told), style="dim"), start=f"    {source:<16}")

    def _sentences(self, outcome: Outcome) -> None:
        """Every sentence with a score per detector, and with the truth where the script knows it."""
        from rich.text import Text

        report = outcome.scored
        self._body(one_line(report.case.question))
        found: dict[tuple[int, int], list[Finding]] = {}
        for one in report.judged:
            if one.span is not None:
                found.setdefault((one.span.start, one.span.end), []).append(one)
        truth = outcome.true if len(outcome.true) == len(found) else ()
        for place, (_, scores) in enumerate(sorted(found.items())):
            self._body(f"\n{one_line(scores[0].text)}")
            line = Text()
            for one in scores:
                score = (
                    f"{self._glyphs.of(one.word)} {_short(one)} {self._bar(one, report)} {score_text(one)}   "
                )
                line.append(score, style=STYLES[one.word])
            line.append(f"true? {'yes' if truth[place] else 'no, made up'}" if truth else "")
            self._body(line, start="    ")
            for one in scores:
                if one.verdict == "unsupported":
                    told = "; ".join(filter(None, [one_line(one.reason, 400), against(one)]))
                    self._body(Text(f"{_short(one)}: {told}", style="dim"), start="    ")
        if not found:
            self._body("no sentence was found in this answer")
        source = "written for this demo" if outcome.true else "drawn from the model"
        compared = f"compared with {_drawn(report)} other answers to the same question, {source}"
        self._body("\n".join(["", *units(report), compared]))

    def _bar(self, finding: Finding, report: Report) -> str:
        """From 0 to the largest score there can be, else the largest there is."""
        full, rest = ("█", "░") if self._glyphs.rich else ("#", ".")
        seen = [
            one.score for one in report.judged if one.detector == finding.detector and one.score is not None
        ]
        top = report.scales[finding.detector].most or max(seen, default=0.0)
        filled = round(BAR * min(1.0, max(0.0, (finding.score or 0.0) / top))) if top > 0 else 0
        return full * filled + rest * (BAR - filled)

    def _cost(self, outcome: Outcome) -> None:
        first, second = outcome.annotated, outcome.regenerated
        asked = sum(map(_was_asked, first.findings))
        calls, more = (
            sum(report.cost.alone[name].calls for name in report.signatures if name in report.cost.alone)
            for report in (first, second)
        )
        each = f", {calls / asked:.0f} each" if asked else ""
        seconds = sum(report.cost.wall_seconds for report in (first, second, outcome.scored))
        self._body(
            f"{len(first.findings) - asked} of {len(first.findings)} references settled by the bibliography, no model call\n"
            f"{calls:.0f} short questions about the other {asked}{each}; {more:.0f} more for the regenerated answer; "
            f"{_drawn(outcome.scored)} answers drawn to score sentences\n{seconds:.2f} s in the guard"
        )


def _short(finding: Finding) -> str:
    """The detector's variant, or its whole name."""
    return finding.detector.partition("-")[2] or finding.detector


def _drawn(report: Report) -> int:
    """How many answers the detectors drew; they share them."""
    own = (cost.calls for name, cost in report.cost.alone.items() if name in report.signatures)
    return round(max(own, default=0.0))


def _was_asked(finding: Finding) -> bool:
    return any(piece.kind == "replies" for piece in finding.evidence)


def _evidence(finding: Finding) -> Iterator[tuple[str, str]]:
    """What the verdict rests on: whom it was asked of, and what came."""
    if not _was_asked(finding):
        yield "look-up", finding.reason
        if finding.mark:
            yield "", finding.mark
        return
    yield "look-up", "not in the bibliography: the model is asked afresh"
    replies = [piece for piece in finding.evidence if piece.kind == "replies"]
    for piece in replies:
        if piece.query == "Who wrote it?":
            for place, told in enumerate(piece.texts):
                yield "" if place else "who wrote it?", told.removeprefix("AUTHORS:").strip()
    votes = [
        vote or "unclear" for piece in replies if piece.query.startswith("Does it") for vote in piece.read
    ]
    if votes:
        yield "does it exist?", ", ".join(votes)
    if finding.verdict == "unverified":
        yield "so", finding.reason
