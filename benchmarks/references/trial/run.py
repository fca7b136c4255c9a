"""Twenty answers in the shapes of chatbots', on the command line and through a guard: what happens to what is real and what is not?

Real works, theses, reports and web pages, which no catalogue lists whole, and invented works stand side by side. All nine
catalogues are asked, at a local server that has the real works. Each answer goes through `guardrail check --online` and through a
guard, once with `remove`, once with `annotate`. `python -m integrations.langchain.trial` is the same through an agent.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias
from unittest import mock

from benchmarks._rows import Row
from benchmarks._table import Run, bench
from benchmarks.references.sources.services import Services
from benchmarks.references.trial._answers import Trial, trials, works
from benchmarks.references.trial._reading import flaws
from guardrail import Guard, Report, Verdict, annotate, remove
from guardrail.detectors import ReferenceCheck
from guardrail.policies.texts import table
from guardrail.references.sources import CATALOGUES
from guardrail.references.sources.pace import Clock
from guardrail.report import Finding

__all__ = ["Answered", "guarded", "main", "tried"]

Answered: TypeAlias = Callable[[Trial, Guard], str]
"""What a user gets to read of an answer, given the guard that it goes through."""

HERE = Path(__file__).resolve().parent
POLICIES: dict[str, Any] = {"remove": remove, "annotate": annotate}
_MARKS = ("no_such_work", "probably_no_such_work", "unverified")
_WRITTEN = (
    "[real work",
    "[the DOI belongs",
    '"guardrail"',
    *(f"[{own[name]}" for own in table().values() for name in _MARKS if name in own),
)
"""How a mark begins, in each language that has texts."""
_KEY = re.compile(r"^@\w+\{(\w+),", re.MULTILINE)
_NEAR = 500  # characters behind a title in which its mark is expected


@dataclass(frozen=True, slots=True)
class Tried:
    """What became of one answer.

    Attributes:
        findings: of the command line.
        texts: what the user gets to read, by policy.
    """

    trial: Trial
    findings: tuple[Finding, ...]
    texts: dict[str, str]

    def verdicts(self, title: str) -> set[Verdict]:
        """What was said of a title."""
        start = self.trial.text.find(title)
        return {
            finding.verdict
            for finding in self.findings
            if finding.verdict
            and finding.span
            and finding.span.start < start + len(title)
            and start < finding.span.end
        }

    def accused(self) -> list[str]:
        """Real titles that are called made up or wrong."""
        known = (*self.trial.real, *self.trial.uncovered)
        return [title for title in known if Verdict.UNSUPPORTED in self.verdicts(title)]

    def missed(self) -> list[str]:
        """Invented titles that the command line does not mention, or clears."""
        return [
            title
            for title in self.trial.invented
            if not (found := self.verdicts(title)) or Verdict.SUPPORTED in found
        ]

    def lost(self) -> list[str]:
        """Real titles that a policy took out, with the policy."""
        known = (*self.trial.real, *self.trial.uncovered)
        return [
            f"{title} ({name})" for name, text in self.texts.items() for title in known if title not in text
        ]

    def passed(self) -> list[str]:
        """Invented titles that are in a text without a mark behind them, with the policy."""
        return [
            f"{title} ({name})"
            for name, text in self.texts.items()
            for title in self.trial.invented
            if title in text and not self._marked(text, title)
        ]

    def _marked(self, text: str, title: str) -> bool:
        """Whether a mark follows it before the next title; that of a BibTeX entry is below the block and names its key."""
        at = text.find(title)
        keys = _KEY.findall(text[:at])
        if keys:
            return f"[{keys[-1]}: " in text
        others = (*self.trial.real, *self.trial.uncovered, *self.trial.invented)
        ends = [text.find(other, at + len(title)) for other in others]
        end = min([at + _NEAR, *(end for end in ends if end > 0)])
        return any(mark in text[at:end] for mark in _WRITTEN)

    def flaws(self) -> list[str]:
        """What is wrong with the texts, with the policy."""
        return [
            f"{flaw} ({name})" for name, text in self.texts.items() for flaw in flaws(self.trial.text, text)
        ]


def compute(run: Run, *, answered: Answered) -> list[Row]:
    """Every row."""
    some = trials()[:: 4 if run.fast else 1]
    found = tried(some, answered)
    write(run, found)
    rows = [Row.shown("answers", len(found))]
    for one in found:
        rows += [Row.shown(f"{one.trial.name}: {what}", said) for what, said in _told(one)]
    known = sum(len(one.trial.real) + len(one.trial.uncovered) for one in found)
    invented = sum(len(one.trial.invented) for one in found)
    verified = sum(one.verdicts(title) == {Verdict.SUPPORTED} for one in found for title in one.trial.real)
    caught = sum(Verdict.UNSUPPORTED in one.verdicts(title) for one in found for title in one.trial.invented)
    return [
        *rows,
        Row.shown("real works", known),
        Row.shown("real works verified", verified),
        Row.equal("real works accused", sum(len(one.accused()) for one in found), 0),
        Row.equal("real works removed", sum(len(one.lost()) for one in found), 0),
        Row.shown("invented works", invented),
        Row.shown("invented works accused", caught),
        Row.equal("invented works not found, or verified", sum(len(one.missed()) for one in found), 0),
        Row.equal("invented works left without a mark", sum(len(one.passed()) for one in found), 0),
        Row.equal("flaws in the texts", sum(len(one.flaws()) for one in found), 0),
    ]


def _told(one: Tried) -> Iterator[tuple[str, str]]:
    """A few words on one answer: what was said of real works, of those that nobody lists, of invented ones; what is wrong."""
    for what in ("real", "uncovered", "invented"):
        titles = getattr(one.trial, what)
        said = [" and ".join(sorted(one.verdicts(title))) or "not found" for title in titles]
        if said:
            yield what, ", ".join(f"{said.count(word)} {word}" for word in dict.fromkeys(said))
    wrong = [*one.lost(), *one.passed(), *one.flaws()]
    yield "wrong with the texts", "; ".join(wrong) or "nothing"


def tried(some: Sequence[Trial], answered: Answered) -> list[Tried]:
    """All answers on the command line, and as the user gets to read them, at a local server."""
    with tempfile.TemporaryDirectory() as folder, Services(works()) as services, _at(services, folder):
        checks = {name: ReferenceCheck(sources=[*CATALOGUES]) for name in POLICIES}
        guards = {
            name: Guard([check], policy=POLICIES[name](), on_unverified="annotate")
            for name, check in checks.items()
        }
        try:
            return [
                Tried(
                    one,
                    _checked(one).findings,
                    {name: answered(one, guard) for name, guard in guards.items()},
                )
                for one in some
            ]
        finally:
            for name, guard in guards.items():
                guard.close()
                opened: Any = checks[name].backends()["bibliography"]
                opened.close()  # a guard leaves open what it was given


@contextlib.contextmanager
def _at(services: Services, folder: str) -> Iterator[None]:
    """The catalogues' addresses lead to the local server, replies are kept in the folder, and nobody waits."""
    addresses = {f"GUARDRAIL_{name.upper()}_URL": services.address(name) for name in CATALOGUES}
    keys = {one.key_variable: "key" for one in CATALOGUES.values() if one.key_variable}

    def hurried(_clock: Clock, _seconds: float, _stop: threading.Event) -> None:
        return None

    with (
        mock.patch.dict(os.environ, {**addresses, **keys, "XDG_CACHE_HOME": folder}),
        mock.patch.object(Clock, "sleep", hurried),
    ):
        yield


def _checked(one: Trial) -> Report:
    """The report of `guardrail check answer.md --online --prompt … --json …`."""
    from guardrail.cli import main as command_line

    with tempfile.TemporaryDirectory() as folder:
        prompt, report = Path(folder) / "question.txt", Path(folder) / "report.json"
        answer = Path(folder) / "answer.md"
        prompt.write_text(one.question, encoding="utf-8")
        answer.write_text(one.text, encoding="utf-8")
        words = ["check", str(answer), "--online", "--prompt", str(prompt), "--json", str(report)]
        with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):
            command_line(words)
        return Report.model_validate(json.loads(report.read_text(encoding="utf-8")))


def guarded(one: Trial, guard: Guard) -> str:
    """What a guard makes of an answer."""
    return guard.check(one.text, prompt=one.question).answer


def write(run: Run, found: Sequence[Tried]) -> None:
    """The texts before and after, one file for each answer, into the folder that was asked for."""
    if run.out is None:
        return
    for number, one in enumerate(found, 1):
        parts = [f"# {one.trial.name}", f"Question: {one.trial.question}", "## Before", one.trial.text]
        for name, text in one.texts.items():
            parts += [f"## After {name}()", text]
        parts += ["## Findings"]
        for finding in one.findings:
            said = finding.span.of(one.trial.text)[:120] if finding.span else ""
            parts.append(f"- {finding.verdict} {finding.label}: {said!r}: {finding.reason}")
        name = "-".join(one.trial.name.replace(",", "").split()).lower()
        (run.out / f"{number:02}-{name}.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def main(
    argv: Sequence[str] | None = None, *, answered: Answered = guarded, packages: Sequence[str] = ()
) -> int:
    """The command line; returns the exit code.

    Args:
        argv: the command line without the program; `sys.argv[1:]` by default.
        answered: how the guard is used.
        packages: that this needs.
    """
    return bench(
        "references.trial",
        partial(compute, answered=answered),
        argv,
        folder=HERE,
        doc=__doc__ or "",
        packages=("hishel", "httpx", *packages),
    )
