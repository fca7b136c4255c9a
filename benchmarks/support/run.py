"""Marks of citation: which words they are for, and whether their sources say so."""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks._rows import Row
from benchmarks._stats import auc
from benchmarks._table import Run, bench
from benchmarks.support.abstracts import abstract_rows
from benchmarks.support.answers import HALVES, Answer, Labelled, answers
from benchmarks.support.attributed import attribution_rows
from benchmarks.support.corrected import correction_rows
from benchmarks.support.grounded import grounding_rows
from benchmarks.support.latency import latency_rows
from guardrail.guard import Guard
from guardrail.policies import remove
from guardrail.report import Attribution, Finding, Report
from guardrail.selfcheck.grounding.novelty import DocumentWords, novelty
from guardrail.statistics.decisions import balanced_accuracy, f1
from guardrail.support import Sources, SupportCheck, Tie, citation_quality, ties
from guardrail.text.plain import plain_text

__all__ = ["main"]

HERE = Path(__file__).resolve().parent
_SAME = 0.9  # token-F1 of sentences that are the same
_CLAUSE = 0.8
_KINDS = ("number", "entity", "overclaim", "wrong mark", "silent", "two sources")
_ROWS = 40  # of a set, one after the other from different sources
_ACTED_ON = ("number", "entity", "wrong mark")  # kinds that `remove` is for


@dataclass(frozen=True, slots=True)
class _Seen:
    """A labelled mark, its tie and its finding, where there are any."""

    answer: Answer
    mark: Labelled
    tie: Tie | None
    finding: Finding | None

    @property
    def borne_out(self) -> bool:
        """Whether its source says the claim, or the sources of all marks of this claim together do."""
        together = {
            name for other in self.answer.marks if other.claim == self.mark.claim for name in other.documents
        }
        jointly = self.mark.kind == "two sources" and set(self.mark.says) <= together
        return self.mark.label == "supports" or jointly


def support_rows(run: Run) -> list[Row]:
    """Ties, verdicts and what is removed."""
    half = run.options.half
    given = answers(half, run.data("attribution"), run.data("real_answers"))
    if run.fast:
        given = given[::6]
    rows = [Row.shown("answers", len(given)), Row.shown("marks", sum(len(one.marks) for one in given))]
    rows += tie_rows(given)
    detector = SupportCheck()
    guard = Guard(detectors=[detector], policy=remove())
    found: list[_Seen] = []
    reports: list[tuple[Answer, Report]] = []
    for number, answer in enumerate(given):
        run.say(f"{number} of {len(given)} answers")
        report = guard.check(answer.case)
        reports.append((answer, report))
        found += _seen(answer, report)
    rows += list(judged_rows(found))
    for name, wanted in (("written", False), ("ExpertQA", True)):
        rows += list(binary_rows(f"{name}: ", [one for one in found if one.answer.real is wanted]))
    rows += list(removal_rows(reports))
    rows += list(quality_rows(reports))
    return rows


def tie_rows(given: Sequence[Answer]) -> list[Row]:
    """How many marks are tied to the words that a person ties them to."""
    rows = []
    for name, own in (
        ("", given),
        ("written: ", [one for one in given if not one.real]),
        ("ExpertQA: ", [one for one in given if one.real]),
    ):
        total, same, clause, right = 0, 0, 0, 0
        for answer in own:
            sources = Sources.of(answer.case)
            read = ties(answer.text, sources.cites)
            for mark in answer.marks:
                tie = _tie(read, mark)
                total += 1
                if tie is None:
                    continue
                said = " ".join(one.of(answer.text) for one in tie.sentences)
                same += _token_f1(said, " ".join(dict.fromkeys(mark.sentences))) >= _SAME
                clause += _token_f1(tie.claim.of(answer.text), mark.claim) >= _CLAUSE
                names = list(answer.documents)
                own_documents = {names[i] for i in sources.of_mark(tie.mark.of(answer.text))}
                right += own_documents == set(mark.documents)
        if total:
            rows += [
                Row.shown(f"{name}ties: same sentences", same / total),
                Row.shown(f"{name}ties: clause, token-F1 of .8 at least", clause / total),
                Row.shown(f"{name}marks: right documents", right / total),
            ]
    return rows


def judged_rows(found: Sequence[_Seen]) -> Iterator[Row]:
    """By kind, how many marks that are not right are called so, and how sure "contradicts" is."""
    yield from binary_rows("", found)
    for kind in _KINDS:
        own = [one for one in found if one.mark.kind == kind]
        if own:
            told = sum(_flagged(one) is not one.borne_out for one in own)
            yield Row.shown(f"judged right: {kind} ({len(own)})", told / len(own))
    true = [one for one in found if one.mark.kind == "true"]
    if true:
        yield Row.shown(f"true marks flagged ({len(true)})", sum(map(_flagged, true)) / len(true))
    said = [one for one in found if _support(one) == "contradicts"]
    right = [one for one in said if one.mark.label == "contradicts" or one.mark.kind in ("number", "entity")]
    if said:
        yield Row.shown(f"precision: contradicts ({len(said)})", len(right) / len(said))
    moved = [one for one in found if _support(one) == "elsewhere"]
    if moved:
        exact = [one for one in moved if one.mark.kind == "wrong mark"]
        yield Row.shown(f"precision: another source says it ({len(moved)})", len(exact) / len(moved))
    named = [one for one in found if one.mark.kind == "wrong mark"]
    if named:
        told = sum(_support(one) == "elsewhere" for one in named)
        yield Row.shown("wrong marks called so", told / len(named))


def binary_rows(name: str, found: Sequence[_Seen]) -> Iterator[Row]:
    """Supported against not, by us and by counting new words."""
    truth = [not one.borne_out for one in found]
    if not any(truth) or all(truth):
        return
    ours = [_flagged(one) for one in found]
    scores = [1.0 if one.finding is None or one.finding.score is None else one.finding.score for one in found]
    words = [_new_words(one) for one in found]
    yield Row.shown(f"{name}share not supported", sum(truth) / len(truth))
    yield Row.shown(f"{name}supported against not: balanced accuracy", balanced_accuracy(ours, truth))
    yield Row.shown(f"{name}supported against not: F1", f1(ours, truth))
    yield Row.shown(f"{name}supported against not: AUROC", auc(scores, truth))
    best = max(
        balanced_accuracy([value >= limit for value in words], truth) or 0.0 for limit in sorted(set(words))
    )
    yield Row.shown(f"{name}new words: balanced accuracy at its best threshold", best)
    yield Row.shown(f"{name}new words: AUROC", auc(words, truth))


def removal_rows(reports: Sequence[tuple[Answer, Report]]) -> Iterator[Row]:
    """What `remove()` does to answers in which all is true, and to what contradicts or has the wrong mark."""
    kept, true, gone, wrong = 0, 0, 0, 0
    for answer, report in reports:
        cut = [edit.span for edit in report.decision.edits]
        for mark in answer.marks:
            touched = any(span.start < mark.end and mark.start < span.end for span in cut)
            if mark.kind == "true":
                true, kept = true + 1, kept + (not touched)
            elif mark.kind in _ACTED_ON:
                wrong, gone = wrong + 1, gone + touched
    if true and wrong:
        yield Row.shown("remove(): true marks that stay", kept / true)
        yield Row.shown("remove(): contradicted claims and wrong marks that go", gone / wrong)


def quality_rows(reports: Sequence[tuple[Answer, Report]]) -> Iterator[Row]:
    """Citation recall and precision, means over answers; by the labels, the share of marks whose sources say it."""
    found = [quality for _, report in reports if (quality := citation_quality(report)) is not None]
    for said in ("recall", "precision"):
        values = [value for one in found if (value := getattr(one, said)) is not None]
        if values:
            quantity = f"citation {said}, mean of {len(values)} answers (by {found[0].by})"
            yield Row.shown(quantity, sum(values) / len(values))
    labelled = [[one.borne_out for one in _seen(*row)] for row in reports]
    shares = [sum(own) / len(own) for own in labelled if own]
    if shares:
        yield Row.shown(
            "by the labels: marks whose sources say it, mean of answers", sum(shares) / len(shares)
        )


def _seen(answer: Answer, report: Report) -> Iterator[_Seen]:
    read = ties(answer.text, Sources.of(report.case).cites)
    by_mark: dict[tuple[int, int], Finding] = {}
    for finding in report.findings:
        for one in finding.evidence:
            if isinstance(one, Attribution):
                by_mark[one.span.start, one.span.end] = finding
    for mark in answer.marks:
        tie = _tie(read, mark)
        judged = by_mark.get((tie.mark.start, tie.mark.end)) if tie else None
        yield _Seen(answer, mark, tie, judged)


def _tie(read: Sequence[Tie], mark: Labelled) -> Tie | None:
    return next((one for one in read if one.mark.start < mark.end and mark.start < one.mark.end), None)


def _support(one: _Seen) -> str:
    return one.finding.label if one.finding is not None else "not at hand"


def _flagged(one: _Seen) -> bool:
    return _support(one) != "yes"


def _new_words(one: _Seen) -> float:
    texts = [text for name, (_, _, text) in one.answer.documents.items() if name in one.mark.documents]
    found = novelty(plain_text(one.mark.claim), DocumentWords.of(texts or [""]))
    return 1.0 if found is None else found.words


def _token_f1(one: str, other: str) -> float:
    """F1 of words; of scripts without blanks, of characters."""
    a, b = Counter(_tokens(one)), Counter(_tokens(other))
    return 2 * sum((a & b).values()) / max(1, sum(a.values()) + sum(b.values()))


def _tokens(text: str) -> list[str]:
    return re.findall(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+", text.lower())


PARTS: Mapping[str, Callable[[Run], list[Row]]] = {
    "support": support_rows,
    "corrections": correction_rows,
    "abstracts": abstract_rows,
    "attribution": attribution_rows,
    "grounding": grounding_rows,
    "latency": latency_rows,
}
"""Makes the rows of a part, by its name."""


def compute(run: Run) -> list[Row]:
    """All rows of the table, or those of some parts."""
    parts = run.options.only or list(PARTS)
    run.parameters |= {"half": run.options.half, "parts": parts}
    return [row for part in parts for row in PARTS[part](run)]


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", nargs="+", choices=tuple(PARTS), help="these parts of the table")
    parser.add_argument("--half", choices=HALVES, default="seen", help="of the labelled answers (seen)")
    parser.add_argument(
        "--rows",
        type=int,
        default=_ROWS,
        metavar="N",
        help=f"of each set of statements at most so many ({_ROWS})",
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Run it from a command line."""
    return bench("support", compute, argv, folder=HERE, doc=__doc__ or "", add_options=_add_options)
