"""Answers of models that cite nothing: how often does one of them "look like a citation", and is anything in them called made up?

The answers are those of RAGTruth (questions on passages, summaries, descriptions of restaurants), biographies of WikiBio-GPT3 and its
samples, summaries of news and turns of dialogue, and some that were written to cite nothing. Against an index of one other work, declared
complete, everything that is taken for a reference with certainty is called made up.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks._rows import Row
from benchmarks._table import Run, bench
from benchmarks.references.answers.run import add_reader
from benchmarks.references.silence.written import written
from guardrail import Guard, Verdict
from guardrail.detectors import ReferenceCheck
from guardrail.references.bibliography.index import Index
from guardrail.references.bibliography.records import Record
from guardrail.report import Finding

__all__ = ["main"]

HERE = Path(__file__).resolve().parent
SAMPLES = 6  # of GPT-3 for each person; the first three were looked at, the rest was not
PASSED_BY = ("looks like a citation", "none was recognised")
_NAMES_A_WORK = re.compile(
    r"\b(?:books?|novels?|memoirs?|autobiograph(?:y|ies)|biograph(?:y|ies)|textbooks?|monographs?|papers?|articles?|essays?|"
    r"treatises?|poems?|poetry|plays?|stor(?:y|ies)|works?|volumes?|wr(?:ote|iter|iting|itings|itten)|publish(?:ed|es)?|publications?|edited|"
    r"(?:co-?)?author(?:s|ed)?)\b[^\n]{0,200}?(?:(?<!\w)[\"“'‘*_«](?=\s?[A-Z])|[A-Z][^()\n]{3,150}\s\((?:1[4-9]|20)\d\d\))"
)
"""A word for written works, and within 200 characters a title in marks, or capitals with a year in brackets."""


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer and what was asked, if that is known."""

    group: str
    text: str
    question: str = ""


def compute(run: Run) -> list[Row]:
    """Every row."""
    everything = list(answers(run.data("grounding"), run.data("wikibio_gpt3")))[:: 6 if run.fast else 1]
    silent = [one for one in everything if not _NAMES_A_WORK.search(one.text)]
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "one.sqlite"
        with Index.create(path, complete=True) as index:
            index.add([Record(title="A Work That No Answer Is About", authors=("Nora Body",), year=1999)])
        check = ReferenceCheck(bibliography=path, reader=run.options.reader)
        run.parameters["reader"] = check.reader
        guard = Guard([check])
        try:
            found = [(one, guard.check(one.text, prompt=one.question).findings) for one in silent]
        finally:
            guard.close()
    show(run, found)
    return [Row.shown("answers", len(everything)), *rows(found)]


def answers(grounding: Path, people: Path) -> Iterator[Answered]:
    """All answers, with the question where it is known."""
    for name in ("qa", "summary", "data2txt"):
        for row in _lines(grounding / f"ragtruth_{name}.jsonl"):
            question = row["source"]["question"] if name == "qa" else ""
            yield from (Answered(f"RAGTruth, {name}", one["response"], question) for one in row["responses"])
    for row in _lines(people / "dataset.jsonl"):
        yield Answered("biographies", row["gpt3_text"])
        yield from (Answered("biographies, samples", one) for one in row["gpt3_text_samples"][:SAMPLES])
    for row in _lines(people / "gpt35_samples.jsonl"):
        yield from (Answered("biographies, gpt-3.5", one) for one in row["gpt35_text_samples"][:2])
    for name in ("xsumfaith", "factcc", "begin_wow_dev"):
        for row in _lines(grounding / f"{name}.jsonl"):
            yield Answered("summaries and dialogue", row["claim"])
    yield from (Answered("written to cite nothing", text) for text in written("unseen"))


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as stream:
        yield from map(json.loads, stream)


def rows(found: Sequence[tuple[Answered, Sequence[Finding]]]) -> list[Row]:
    """Shares of the answers that name no work."""
    number = len(found)
    passed = [_passed_by(findings) for _, findings in found]
    cited = [any(finding.span and not _passed_by([finding]) for finding in findings) for _, findings in found]
    accused = sum(finding.verdict is Verdict.UNSUPPORTED for _, findings in found for finding in findings)
    table = [
        Row.at_least("answers that name no work", number, 500 if number > 1000 else 1, digits=0),
        Row.at_most("looks like a citation, could not be read", sum(passed) / number, 0.01, digits=4),
        Row.at_most("with a false citation", sum(cited) / number, 0.01, digits=4),
        Row.shown("false citations that a complete index calls made up", accused),
        Row.at_most("called made up, of the answers", accused / number, 0.005, digits=4),
    ]
    for group in dict.fromkeys(one.group for one, _ in found):
        some = [false for (one, _), false in zip(found, cited, strict=True) if one.group == group]
        table.append(Row.shown(f"{group}: answers", len(some)))
        table.append(Row.shown(f"{group}: with a false citation", sum(some)))
    return table


def _passed_by(findings: Sequence[Finding]) -> bool:
    return any(part in finding.reason for finding in findings for part in PASSED_BY)


def show(run: Run, found: Sequence[tuple[Answered, Sequence[Finding]]]) -> None:
    """Write the findings into the folder that was asked for."""
    if run.out is None:
        return
    lines = []
    for one, findings in found:
        for finding in findings:
            said = "" if finding.span is None else finding.span.of(one.text)
            lines.append(f"{one.group}: {finding.verdict} {finding.label}: {said!r} {finding.reason}")
    (run.out / "silence.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    return bench("references.silence", compute, argv, folder=HERE, doc=__doc__ or "", add_options=add_reader)
