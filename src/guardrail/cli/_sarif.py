"""Findings where they are in their files: as SARIF 2.1.0, which code hosts and editors show in place, and as lines of a compiler."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from guardrail._findings import against, suggestion, why
from guardrail._version import __version__
from guardrail._visible import one_line
from guardrail.report import Finding, Report, Span, Verdict

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {Verdict.UNSUPPORTED: "error", Verdict.UNVERIFIED: "warning"}


@dataclass(frozen=True, slots=True)
class Checked:
    """A file, and the report on its text.

    Attributes:
        place: its path as it was given; "-" is the standard input.
        report: on the text of the file, line ends as they are there.
    """

    place: str
    report: Report

    @property
    def wrong(self) -> Iterator[Finding]:
        """What is unsupported or unverified, in the order of the text."""
        found = [one for one in self.report.findings if one.verdict in _LEVELS]
        yield from sorted(found, key=lambda one: one.span.start if one.span else 0)


def region(text: str, span: Span | None) -> dict[str, int]:
    r"""Lines and columns of a span, from 1; columns count UTF-16 code units, and the end is the column behind the last one.

    Only \n and \r\n end a line. White space at either end of the span is left out, so that no region ends on a line of its own.

    Example:
        >>> region("a\r\n😀 bc\r\n", Span(start=3, end=9))
        {'startLine': 2, 'startColumn': 1, 'endLine': 2, 'endColumn': 6}
    """
    if span is None:
        return {"startLine": 1}
    said = span.of(text)
    start = span.start + len(said) - len(said.lstrip()) if said.strip() else span.start
    end = start + len(said.strip())
    (first, left), (last, right) = _at(text, start), _at(text, end)
    return {"startLine": first, "startColumn": left, "endLine": last, "endColumn": right}


def _at(text: str, place: int) -> tuple[int, int]:
    """Line and column of a character."""
    begin = text.rfind("\n", 0, place) + 1
    units = len(text[begin:place].encode("utf-16-le", "surrogatepass")) // 2
    return text.count("\n", 0, place) + 1, units + 1


def sarif(files: Sequence[Checked], unread: Iterable[str] = ()) -> dict[str, Any]:
    """A log of one run: a result for each finding that is unsupported (error) or unverified (warning).

    Args:
        files: those that were checked, also where nothing was found.
        unread: why others could not be read.
    """
    rules: dict[str, dict[str, Any]] = {}
    results = [
        _result(one, finding, rules, index) for index, one in enumerate(files) for finding in one.wrong
    ]
    failed = [
        f"{failed.detector} could not finish: {failed.reason} {failed.detail}"
        for one in files
        for failed in one.report.failures
    ]
    failures = [{"level": "error", "message": {"text": _plain(text)}} for text in (*unread, *failed)]
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {"name": "guardrail", "version": __version__, "rules": list(rules.values())}
                },
                "columnKind": "utf16CodeUnits",
                "artifacts": [{"location": {"uri": uri(one.place)}} for one in files],
                "invocations": [
                    {"executionSuccessful": not failures, "toolExecutionNotifications": failures}
                ],
                "results": results,
            }
        ],
    }


def _result(one: Checked, finding: Finding, rules: dict[str, dict[str, Any]], index: int) -> dict[str, Any]:
    word = finding.label or finding.word
    name = one_line(f"{finding.detector}/{word}".replace(" ", "-"), 80)
    rules.setdefault(name, _rule(name, one_line(word, 40), one_line(finding.detector, 40)))
    return {
        "ruleId": name,
        "ruleIndex": list(rules).index(name),
        "level": _LEVELS[finding.verdict] if finding.verdict else "none",
        "message": {"text": _plain(". ".join(_said(finding, one.report.case.answer)))},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": uri(one.place), "index": index},
                    "region": region(one.report.case.answer, finding.span),
                }
            }
        ],
    }


def _rule(name: str, word: str, detector: str) -> dict[str, Any]:
    return {
        "id": name,
        "shortDescription": {"text": word},
        "fullDescription": {"text": f"{word}, by the detector {detector}."},
        "help": {
            "text": "An error is unsupported: evidence speaks against it. A warning could not be checked."
        },
    }


def _said(finding: Finding, answer: str) -> Iterator[str]:
    """What a reader gets to know, in sentences."""
    yield f"{one_line(finding.text, 160) or 'the whole text'}: {why(finding)}"
    if better := suggestion(finding, answer):
        yield f"Suggestion: {better}"
    if passage := against(finding):
        yield f"The source says: {passage}"


def _plain(text: str) -> str:
    """A message on one line in which no link can be hidden: SARIF reads "[text](address)" as one."""
    return one_line(text, 1000).replace("](", "] (")


def uri(place: str) -> str:
    """A file's address: relative to the working directory if it is below that."""
    if place == "-":
        return "stdin"
    path = Path(place).expanduser().absolute()
    try:
        return quote(path.relative_to(Path.cwd()).as_posix())
    except ValueError:
        return path.as_uri()


def lines(files: Iterable[Checked]) -> Iterator[str]:
    """A line for each finding, as compilers write them: FILE:LINE:COLUMN, what, and why."""
    for one in files:
        for finding in one.wrong:
            at = region(one.report.case.answer, finding.span)
            place = "stdin" if one.place == "-" else one_line(one.place)
            label = f" ({one_line(finding.label, 40)})" if finding.label else ""
            said = ". ".join(_said(finding, one.report.case.answer))
            yield f"{place}:{at['startLine']}:{at.get('startColumn', 1)}: {finding.word}{label}: {said}"
        for failed in one.report.failures:
            yield one_line(
                f"{one.place}: {failed.detector} could not finish: {failed.reason} {failed.detail}", 300
            )
