"""What the page shows, worked out from a report: pieces of text with the findings on them, words, counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from guardrail.engine.flow import Cost
from guardrail.html.sentences import ScoreTable, scored
from guardrail.html.sources import CitedMark, cited_marks
from guardrail.report import (
    Action,
    Attribution,
    Edit,
    Evidence,
    Finding,
    Lookup,
    Measurement,
    Passage,
    Proof,
    Replies,
    Report,
    Span,
    Verdict,
)

ICONS: dict[Verdict | None, str] = {Verdict.SUPPORTED: "✓", Verdict.UNVERIFIED: "?", Verdict.UNSUPPORTED: "✕"}

SIGNS = {"confirmed": "✓", "near": "≈", "differs": "✕", "not compared": "–"}  # of one field of a look-up

_SEVERITY: dict[Verdict | None, int] = {Verdict.SUPPORTED: 0, Verdict.UNVERIFIED: 1, Verdict.UNSUPPORTED: 2}
_OUTCOMES = {
    Verdict.UNSUPPORTED: ("is not supported", "are not supported"),
    Verdict.UNVERIFIED: ("is unverified", "are unverified"),
    Verdict.SUPPORTED: ("is supported", "are supported"),
}
_ACTIONS = {
    Action.PASS: "The answer is shown as it came.",
    Action.FLAG: "The answer is shown as it came, and flagged.",
    Action.ANNOTATE: "The answer is shown with marks.",
    Action.CORRECT: "The answer is shown with corrections.",
    Action.REMOVE: "The answer is shown without what was removed.",
    Action.REGENERATE: "The answer was generated again.",
    Action.BLOCK: "The answer is withheld; a message is shown in its place.",
}
_NOUNS: dict[type[Evidence], str] = {
    Measurement: "measurement",
    Replies: "question",
    Lookup: "look-up",
    Passage: "passage",
    Proof: "proof",
    Attribution: "attribution",
}


@dataclass(frozen=True, slots=True)
class MarkedPiece:
    """A stretch of text under the same findings.

    Attributes:
        text: the stretch; empty where there are only badges.
        findings: numbers (from 1) of the findings that cover it.
        main: the number of the most serious of them.
        verdict: its verdict.
        begins: numbers of the findings that begin here.
        ends: numbers of those that end with it.
        change: "cut" or "put" where an edit touched it.
        is_mark: whether it is a mark of citation, or a part of one.
    """

    text: str
    findings: tuple[int, ...] = ()
    main: int = 0
    verdict: Verdict | None = None
    begins: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()
    change: str = ""
    is_mark: bool = False


def marked_pieces(text: str, findings: Iterable[Finding], edits: Iterable[Edit] = ()) -> list[MarkedPiece]:
    """Split a text where findings, marks of citation and cuts begin and end; every character is in exactly one piece."""
    located = {n: (f, _clip(f.span, len(text))) for n, f in enumerate(findings, 1) if f.span is not None}
    cuts = [_clip(edit.span, len(text)) for edit in edits if edit.span.end > edit.span.start]
    begins: dict[int, list[int]] = {}
    ends: dict[int, list[int]] = {}
    for n, (_, span) in located.items():
        begins.setdefault(span.start, []).append(n)
        ends.setdefault(span.end, []).append(n)
    marks = {n: _clip(f.attribution.span, len(text)) for n, (f, _) in located.items() if f.attribution}
    edges = {0, len(text), *begins, *ends}.union(*((one.start, one.end) for one in [*cuts, *marks.values()]))
    marked = {span.start: (n, span.end) for n, span in reversed(marks.items()) if span.end > span.start}
    cut_starts, cut_ends = Counter(c.start for c in cuts), Counter(c.end for c in cuts)
    active: dict[int, Finding] = {}
    cutting, found, order = 0, list[MarkedPiece](), sorted(edges)
    own, until = 0, 0  # whose mark this is, and where it ends
    for start, end in zip(order, [*order[1:], len(text)], strict=True):
        active.update((n, located[n][0]) for n in begins.get(start, ()))
        for n in ends.get(start, ()):
            active.pop(n, None)
        cutting += cut_starts[start] - cut_ends[start]
        empty = [n for n in begins.get(start, ()) if located[n][1].start == located[n][1].end]
        if empty:
            found.append(MarkedPiece("", begins=tuple(empty), ends=tuple(empty)))
        own, until = marked.get(start, (own, until))
        if end > start:
            is_mark = start < until and own in active
            main = (
                own if is_mark else max(active, key=lambda n: (_SEVERITY[active[n].verdict], -n), default=0)
            )
            found.append(
                MarkedPiece(
                    text[start:end],
                    tuple(active),
                    main,
                    active[main].verdict if main else None,
                    tuple(n for n in begins.get(start, ()) if n not in empty),
                    tuple(n for n in ends.get(end, ()) if located[n][1].end > located[n][1].start),
                    "cut" if cutting else "",
                    is_mark,
                )
            )
    return found


def shown_pieces(report: Report) -> list[MarkedPiece]:
    """The text that is shown, with what the edits put in or cut out; one plain piece if they do not explain it."""
    text, position, found = report.case.answer, 0, list[MarkedPiece]()
    for edit in report.decision.edits:
        if edit.span.start < position or edit.span.end > len(text):
            break
        found.append(MarkedPiece(text[position : edit.span.start]))
        put = edit.replacement
        core = put.strip()
        if not core:
            found.append(MarkedPiece(put, change="" if put else "cut"))
        else:
            before, _, after = put.partition(core)
            found += [MarkedPiece(before), MarkedPiece(core, change="put"), MarkedPiece(after)]
        position = edit.span.end
    found.append(MarkedPiece(text[position:]))
    if "".join(piece.text for piece in found) != report.answer:
        return [MarkedPiece(report.answer)]
    return [piece for piece in found if piece.text or piece.change]


@dataclass(frozen=True)
class View:
    """A report in the words of the page."""

    report: Report

    icons = ICONS
    signs = SIGNS
    verdicts = (Verdict.UNSUPPORTED, Verdict.UNVERIFIED, Verdict.SUPPORTED)

    @cached_property
    def counts(self) -> dict[Verdict, int]:
        """Findings by verdict."""
        return {verdict: len(self.report.with_verdict(verdict)) for verdict in self.verdicts}

    @property
    def status(self) -> str:
        """The verdict as a word for style sheets; "nothing" where there is none."""
        return self.report.verdict.value if self.report.verdict is not None else "nothing"

    @property
    def icon(self) -> str:
        """Of the whole report."""
        return ICONS[self.report.verdict] if self.report.verdict is not None else "–"

    @property
    def headline(self) -> str:
        """What was found, in one sentence, with all that is unverified."""
        total, failed, told = len(self.report.findings), len(self.report.failures), list[str]()
        for verdict, count in self.counts.items():
            if not count or (told and verdict is Verdict.SUPPORTED):
                continue
            subject = "The finding" if total == 1 else str(count) if told else f"{count} of {total} findings"
            told.append(f"{subject} {_OUTCOMES[verdict][count > 1]}")
        if failed:
            told.append(f"{failed} {'detector' if failed == 1 else 'detectors'} could not finish")
        return ", ".join(told) or "Nothing in this answer could be examined"

    @property
    def action(self) -> str:
        """What the policy did, in one sentence."""
        attempts = self.report.decision.attempts
        return _ACTIONS[self.report.decision.action] + (
            f" It is the best of {attempts}." if attempts > 1 else ""
        )

    @cached_property
    def examined(self) -> list[MarkedPiece]:
        """The examined answer."""
        return marked_pieces(self.report.case.answer, self.report.findings, self.report.decision.edits)

    @cached_property
    def shown(self) -> list[MarkedPiece]:
        """The answer that is shown."""
        return shown_pieces(self.report)

    @cached_property
    def scored(self) -> ScoreTable:
        """The sentences with their scores; empty where nobody scored sentences."""
        return scored(self.report)

    @cached_property
    def cited(self) -> dict[int, CitedMark]:
        """The marks of citation with what their sources say, by the number of the finding; empty where nobody looked at them."""
        return cited_marks(self.report)

    def place_of(self, number: int) -> str:
        """Where on the page a finding (from 1) is explained: with its source, if it is about a mark of citation."""
        return f"#{'source' if number in self.cited else 'finding'}-{number}"

    def hover(self, numbers: Iterable[int]) -> str:
        """What the findings (from 1) on a piece of text say, in a line each."""
        told = []
        for number in numbers:
            finding = self.report.findings[number - 1]
            score = "" if finding.score is None else f" {finding.score:.3g}"
            told.append(f"{number}. {finding.word}{score}: {finding.reason or finding.detector}")
        return "\n".join(told)

    @property
    def cuts(self) -> bool:
        """Whether anything was cut or replaced."""
        return any(edit.span.end > edit.span.start for edit in self.report.decision.edits)

    @property
    def unchanged(self) -> bool:
        """Whether the examined answer is shown as it is."""
        return self.report.answer == self.report.case.answer

    @cached_property
    def bar(self) -> list[tuple[Verdict, float, float]]:
        """Verdict, start and width, in percent, of a bar of all findings."""
        total, start, parts = len(self.report.findings), 0.0, []
        for verdict in self.verdicts:
            if self.counts[verdict]:
                width = 100 * self.counts[verdict] / total
                parts.append((verdict, start, width))
                start += width
        return parts

    @cached_property
    def costs(self) -> list[tuple[str, Cost, Cost | None]]:
        """Owner, paid and alone, of those that asked for anything."""
        cost = self.report.cost
        owners = dict.fromkeys([*cost.paid, *cost.alone])
        found = [(owner, cost.paid.get(owner, Cost()), cost.alone.get(owner)) for owner in owners]
        return [each for each in found if any(one not in (None, Cost()) for one in each[1:])]

    def verdict_of(self, number: int) -> Verdict | None:
        """Of the finding with a number (from 1)."""
        return self.report.findings[number - 1].verdict

    def existence(self, lookup: Lookup) -> str:
        """Whether the work of a look-up exists, in words."""
        if lookup.status == "unreachable" and lookup.work is not None:
            return "not known, since a source did not reply"
        if lookup.status == "unreachable":
            return "no reply" if lookup.sources or not lookup.fields else "none; the quotation by itself"
        if lookup.status == "found":
            return "the work exists"
        return "no such work" if lookup.exists is False else "not found"

    def evidence(self, finding: Finding) -> list[str]:
        """The kinds of evidence, counted: "2 measurements"."""
        kinds = Counter(_NOUNS[type(item)] for item in finding.evidence)
        return [f"{n} {noun}{'s' if n > 1 else ''}" for noun, n in kinds.items()]

    def rows(self, replies: Replies) -> Iterator[tuple[str, str | None, bool]]:
        """Each reply, how it was read, and whether that is known."""
        for i, text in enumerate(replies.texts):
            yield text, replies.read[i] if i < len(replies.read) else None, i < len(replies.read)


def _clip(span: Span, length: int) -> Span:
    return Span(start=min(span.start, length), end=min(span.end, length))
