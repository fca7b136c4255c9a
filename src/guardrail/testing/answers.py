"""Assertions about answers: what the pytest fixture `guardrail_check` is, for any other test runner too."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, Self

from guardrail._findings import against, why
from guardrail._visible import one_line
from guardrail.errors import ConfigError
from guardrail.given.accepted import Documents, Given, Prompt, Sayings
from guardrail.options import one_of
from guardrail.report import Case, Finding, Report, Verdict

__all__ = ["AnswerCheck"]

_SHOWN = 20  # findings in a message


class AnswerCheck:
    """Examines answers in tests; call it for a report, or `assert_supported`.

    Which detectors run depends on what an answer comes with, as with `guardrail check`: documents, other answers, or neither, and then
    its references are looked up.

    Args:
        options: what examines, as on the command line of `guardrail mcp`: `["--bibliography", "refs.bib"]`.
        folder: that relative paths in the options begin at.

    Models are loaded by the first answer that needs them. Use it as a context manager, or call `close`.

    Raises:
        ConfigError: an option is unknown, or its value is wrong.
    """

    def __init__(self, options: Sequence[str] = (), *, folder: str | Path = ".") -> None:
        from guardrail.cli._application import choice_of
        from guardrail.cli._errors import Usage
        from guardrail.cli._guard import Guards

        self._folder = Path(folder)
        try:
            self._guards = Guards(choice_of(options))
        except Usage as error:
            raise ConfigError(str(error)) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """Close models and files."""
        self._guards.close()

    def __call__(
        self, answer: Given, *, prompt: Prompt = None, context: Documents = None, samples: Sayings = None
    ) -> Report:
        """Examine an answer.

        Args:
            answer: a text, or a message or response of OpenAI or LangChain.
            prompt: what it answers.
            context: documents that it should be based on.
            samples: other answers of the model to the same prompt.

        Raises:
            GuardrailError: something of these cannot be read, or a file or a model that the options name is not there.
        """
        return self._examined(answer, prompt, context, samples)[0]

    def assert_supported(
        self,
        answer: Given,
        *,
        prompt: Prompt = None,
        context: Documents = None,
        samples: Sayings = None,
        unverified: Literal["fail", "pass"] = "fail",
    ) -> Report:
        """Fail unless all that an answer claims is supported. With documents or samples, an answer that claims nothing ("I do not know.") passes.

        Args:
            answer: a text, or a message or response of OpenAI or LangChain.
            prompt: what it answers.
            context: documents that it should be based on.
            samples: other answers of the model to the same prompt.
            unverified: what becomes of claims that could not be checked.

        Returns:
            The report, for further assertions.

        Raises:
            AssertionError: something is unsupported, or could not be checked, or nothing was examined at all; the message has each
                sentence, why, and the nearest passage.
            GuardrailError: as when it is called.
        """
        __tracebackhide__ = True
        one_of("unverified", unverified, ("fail", "pass"))
        report, notes = self._examined(answer, prompt, context, samples)
        bad = [Verdict.UNSUPPORTED, *([Verdict.UNVERIFIED] if unverified == "fail" else [])]
        wrong = [finding for verdict in bad for finding in report.with_verdict(verdict)]
        if wrong or report.failures:
            raise AssertionError(_message(report, wrong, notes))
        if not report.findings:
            raise AssertionError(_nothing(report))
        return report

    def _examined(
        self, answer: Given, prompt: Prompt, context: Documents, samples: Sayings
    ) -> tuple[Report, list[str]]:
        from guardrail.cli._errors import Usage

        case = Case.of(answer, prompt=prompt, context=context, samples=samples)
        given = {"context": case.context, "samples": case.samples}
        try:
            with contextlib.chdir(self._folder):
                built = self._guards.of(frozenset(name for name, found in given.items() if found))
        except Usage as error:
            raise ConfigError(str(error)) from error
        report = built.guard.check(case)
        return report, [*built.warnings, *built.notes(report)]


def _message(report: Report, wrong: Sequence[Finding], notes: Sequence[str]) -> str:
    """What is wrong, each finding with why and the nearest passage."""
    counts = {verdict.value: len(report.with_verdict(verdict)) for verdict in (*Verdict,)}
    counted = ", ".join(f"{number} {verdict}" for verdict, number in reversed(counts.items()) if number)
    lines = [f"the answer is not supported: {counted or 'a check could not finish'}", ""]
    for finding in wrong[:_SHOWN]:
        lines += _lines(finding)
    if len(wrong) > _SHOWN:
        lines.append(f"and {len(wrong) - _SHOWN} more")
    lines += [
        one_line(f"{one.detector} could not finish: {one.reason} {one.detail}", 300)
        for one in report.failures
    ]
    return "\n".join([*lines, *(f"note: {one_line(note, 400)}" for note in notes)])


def _lines(finding: Finding) -> Iterator[str]:
    label = f" ({one_line(finding.label, 40)})" if finding.label else ""
    yield f"{finding.word}{label}: {one_line(finding.text, 400) or 'the whole answer'}"
    yield f"    why: {why(finding)}"
    best = next(iter(finding.passages), None)
    nearest = against(finding, 400) or (
        f"{one_line(best.source, 40)}: {one_line(best.text, 400)}" if best else ""
    )
    if nearest:
        yield f"    nearest: {nearest}"


def _nothing(report: Report) -> str:
    """Why an answer in which nothing was examined does not pass."""
    if not report.case.answer.strip():
        return "the answer is empty"
    names = one_line(", ".join(report.signatures)) or "no detector"
    said = f"nothing was checked: {names} found nothing to examine"
    if report.case.context or report.case.samples:
        return f"{said}. Name a detector in the options that compares an answer with documents or samples, or name none"
    return (
        f"{said} in an answer with neither documents nor samples. Pass context= (documents that it should be based on) or samples= "
        "(other answers), or name a detector in the options"
    )
