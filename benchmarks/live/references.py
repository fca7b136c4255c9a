"""Made-up references: what the model invents, what it says when it is asked about them, and what asking again brings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchmarks._rows import Row
from benchmarks._stats import auc, delong_interval, resampled, wilson_interval
from benchmarks._table import Run
from benchmarks.live.asked import Asked
from benchmarks.live.labels import Labels
from guardrail import Guard, Report, Verdict, flag, regenerate
from guardrail.detectors import ReferenceCheck
from guardrail.references.bibliography.normalise import normalise
from guardrail.references.evidence import NUMBERS
from guardrail.report import Finding, Measurement

__all__ = ["again_rows", "asked_rows", "question"]

REPLICATES = 1_000
SURNAME = 3  # letters of a name that may be one
_SIGNS = re.compile(r"[\W_]+")
NEAR = 200  # characters on either side of a title in which its authors are looked for


@dataclass(frozen=True, slots=True)
class Read:
    """A reference of an answer.

    Attributes:
        invented: whether no such work is known.
        scores: by query ("iq", "dq", "iq+dq"), how likely the model's replies make it that it was made up.
        flagged: whether the detector calls it so.
        words: of its title.
    """

    invented: bool
    scores: Mapping[str, float]
    flagged: bool
    words: int


def question(topic: str) -> str:
    """What is asked."""
    return f"Name three published papers or books about {topic}. Give the authors, the title, the year and where it was published. Nothing else."


class Known:
    """The works that exist, as far as is known: those of the bibliographies, and what people found otherwise."""

    def __init__(self, run: Run, labels: Labels) -> None:
        self._authors = _bibliography(run.data("biblio"))
        self._labelled = labels.real

    def invented(self, report: Report) -> dict[str, bool]:
        """Of each reference of an answer, by its text, whether no such work is known.

        A work is known if there is its title, whole or without its subtitle, and one of its authors is named near it.
        """
        answer = report.case.answer
        found = {}
        for one in report.findings:
            if one.text and one.span is not None:
                near = answer[max(0, one.span.start - NEAR) : one.span.end + NEAR]
                found[one.text] = not self._exists(one.text, near)
        return found

    def _exists(self, title: str, near: str) -> bool:
        name = _plain(title)
        if name in self._labelled:
            return True
        words = set(normalise(near).split())
        authors = normalise(self._authors.get(name, "").replace(";", " ")).split()
        return any(len(one) >= SURNAME and one in words for one in authors)


@cache
def _bibliography(folder: Path) -> Mapping[str, str]:
    """Authors by title; also by the title without its subtitle."""
    found: dict[str, str] = {}
    for path in sorted(folder.glob("titles-*.tsv")):
        for line in path.read_text(encoding="utf-8").splitlines()[1:]:
            title, authors, _ = line.split("\t", 2)
            for part in {title, title.partition(":")[0]}:
                name = _plain(part)
                found[name] = f"{found[name]}; {authors}" if name in found else authors
    return found


def _plain(title: str) -> str:
    return _SIGNS.sub("", title.casefold())


def asked_rows(
    run: Run, asked: Asked, topics: Sequence[str], works: Sequence[str], labels: Labels
) -> Iterator[Row]:
    """Row 1: how many are invented, and what the model's own replies say of them."""
    guard = Guard([ReferenceCheck()], chat=asked, policy=flag())
    reports = asked.each("references", topics, lambda topic: guard.generate(question(topic)))
    spent = asked.spent()
    known = Known(run, labels)
    read = [one for report in reports for one in _read(report, known)]
    yield Row.shown("references: questions", len(topics))
    yield Row.shown("references: read", len(read))
    if not read:
        return
    invented = [one.invented for one in read]
    share = sum(invented) / len(read)
    yield Row.shown("references: share invented", share, interval=wilson_interval(sum(invented), len(read)))
    yield from _asking_rows(asked, guard, works, [one for one in read if one.invented])
    flagged = [one for one in read if one.flagged]
    if flagged:
        right = sum(one.invented for one in flagged)
        yield Row.shown(
            "references: share flagged",
            len(flagged) / len(read),
            interval=wilson_interval(len(flagged), len(read)),
        )
        yield Row.shown(
            "references: of the flagged, invented (all flagged: the share above)",
            right / len(flagged),
            interval=wilson_interval(right, len(flagged)),
        )
    yield Row.shown("references: calls a question, the answer included", spent.calls / len(topics), digits=1)
    yield Row.shown(
        "references: seconds of the model a question (four at once)",
        spent.seconds / len(topics),
        unit="s",
        digits=1,
    )


def _asking_rows(asked: Asked, guard: Guard, works: Sequence[str], invented: Sequence[Read]) -> Iterator[Row]:
    """Do the model's own replies distinguish what it invented from works that it must have met?

    Of what small models name next to nothing exists, so the real ones are well-known works.
    """
    reports = asked.each("well-known works", works, guard.check)
    asked.spent()
    real = [_of_finding(one, invented=False) for report in reports for one in report.findings[:1]]
    together = [*real, *invented]
    yield Row.shown("references: well-known works read", len(real))
    for name, title in (("iq", "indirect"), ("dq", "direct"), ("iq+dq", "both")):
        rows = [(one.scores[name], one.invented) for one in together if name in one.scores]
        yield _auc_row(f"references: invented or well known, {title} ({len(rows)}), AUC", rows)
    lengths = [(float(one.words), one.invented) for one in together]
    yield _auc_row("references: the same by the length of the title, AUC", lengths)
    if real:
        wrong = sum(one.flagged for one in real)
        yield Row.shown(
            "references: well-known works flagged",
            wrong / len(real),
            interval=wilson_interval(wrong, len(real)),
        )


def again_rows(run: Run, asked: Asked, topics: Sequence[str], labels: Labels) -> Iterator[Row]:
    """Row 6: `regenerate(2)` on some of these questions: are the answers better afterwards?"""
    guard = Guard([ReferenceCheck()], chat=asked, policy=regenerate(2))
    first = Guard([ReferenceCheck()], chat=asked, policy=flag())
    before = asked.each("first answers", topics, lambda topic: first.generate(question(topic)))
    asked.spent()
    after = asked.each("regenerate", topics, lambda topic: guard.generate(question(topic)))
    spent = asked.spent()
    known = Known(run, labels)
    changes = [
        _share(known.invented(two)) - _share(known.invented(one))
        for one, two in zip(before, after, strict=True)
    ]
    total = len(changes)
    bare = sum(not two.findings for two in after)
    yield Row.shown(f"regenerate(2): answers without a reference afterwards, of {total}", bare)
    for name, wanted in (
        ("better", lambda x: x < 0),
        ("equal", lambda x: x == 0),
        ("worse", lambda x: x > 0),
    ):
        count = sum(map(wanted, changes))
        yield Row.shown(
            f"regenerate(2): {name} of {total}", count / total, interval=wilson_interval(count, total)
        )
    mean = resampled(
        range(total), lambda rows: float(sum(changes[i] for i in rows) / len(rows)), replicates=REPLICATES
    )
    yield Row.shown(
        "regenerate(2): change of the share invented (0 without it)", sum(changes) / total, interval=mean
    )
    yield Row.shown("regenerate(2): further calls a question", spent.calls / total, digits=1)


def _share(found: Mapping[str, bool]) -> float:
    """The share of an answer's references that are invented; of none, 0: nothing is made up."""
    return sum(found.values()) / len(found) if found else 0.0


def _read(report: Report, known: Known) -> Iterator[Read]:
    truth = known.invented(report)
    for finding in report.findings:
        if finding.text in truth:
            yield _of_finding(finding, invented=truth[finding.text])


def _of_finding(finding: Finding, *, invented: bool) -> Read:
    told = {one.name: one.value for one in finding.evidence if isinstance(one, Measurement)}
    scores = {name: 1 - value for name, number in NUMBERS.items() if (value := told.get(number)) is not None}
    return Read(invented, scores, finding.verdict is Verdict.UNSUPPORTED, len(finding.text.split()))


def _auc_row(name: str, rows: Sequence[tuple[float, bool]]) -> Row:
    scores, labels = [score for score, _ in rows], [label for _, label in rows]
    value = auc(scores, labels) if rows else None
    if value is None:
        return Row.missing(name, "they are all alike")
    return Row.shown(name, value, interval=delong_interval(scores, labels))
