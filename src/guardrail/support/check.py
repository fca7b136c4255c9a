"""The detector: does each source say what the answer cites it for?"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

from guardrail.detector import Detector, Scope
from guardrail.engine.backend import Backend
from guardrail.engine.flow import Calls, Failed, Flow, compute, gather
from guardrail.options import option
from guardrail.report import Case, Citation, Edit, Evidence, Finding, Measurement, Scale, Span, Verdict
from guardrail.requests import Cited
from guardrail.selfcheck.grounding.check import FITS, GroundingCheck
from guardrail.selfcheck.grounding.premises import MOST
from guardrail.selfcheck.material import Judged, Material, corrections, has_text
from guardrail.support.sources import Sources
from guardrail.support.tying import Tie, ties
from guardrail.text.claims import Kind, Piece, pieces
from guardrail.text.plain import plain_text

__all__ = ["SupportCheck"]

Support: TypeAlias = Literal["yes", "in part", "contradicts", "elsewhere", "silent", "not at hand"]

_VERDICTS: Mapping[Support, Verdict] = {
    "yes": Verdict.SUPPORTED,
    "in part": Verdict.UNVERIFIED,
    "contradicts": Verdict.UNSUPPORTED,
    "elsewhere": Verdict.UNSUPPORTED,
    "silent": Verdict.UNVERIFIED,
    "not at hand": Verdict.UNVERIFIED,
}
_MARKS: Mapping[Support, str] = {
    "in part": "source says only part of this",
    "contradicts": "source says otherwise",
    "elsewhere": "another source says this",
    "silent": "source does not say this",
    "not at hand": "source not checked",
}
_FEW = 3  # words of a claim that are no claim
_SURE = 0.15  # by how much another source must bear a claim out more than the threshold asks
_MOST_NEW = 0.5  # share of words that a source lacks, above which it says nothing of a claim
_NEW_WORDS = "words in no document"


@dataclass(frozen=True, slots=True)
class _Group:
    """Marks in a row: one claim, and of each mark the documents, counted from 0, and whether these lack the words that the service quotes."""

    ties: tuple[Tie, ...]
    claims: tuple[Piece, ...]
    documents: tuple[tuple[int, ...], ...]
    misquoted: tuple[bool, ...]

    @property
    def together(self) -> tuple[int, ...]:
        """The documents of all its marks."""
        return tuple(sorted({number for own in self.documents for number in own}))


class SupportCheck(Detector):
    """Judges every mark of citation by the source that it points to (`case.context`): does it say what it is cited for?

    One finding for each mark. A source that says otherwise, and one that is silent where another source of the answer says it, is
    unsupported; one that is silent, or says only a part, is unverified: `selfcheck-grounding` says whether any document bears the claim
    out. A mark that points to nothing that is at hand is unverified.

    Marks in a row are for the same words; where all of them together bear these out, each counts as supporting.
    """

    name: ClassVar[str] = "support"
    scope: ClassVar[Scope] = "answer"
    scale: ClassVar[Scale] = Scale(unit="P(source does not say it)", sentences=True)

    fit: str = option(
        default="auto",
        choices=FITS,
        help="entailment = by the packaged entailment model and by words; words = by words, numbers and names alone; auto = the first "
        "where that model is installed",
    )
    threshold: float | None = option(
        default=None, least=0, most=1, help="not supported from this score on; None = the fit's threshold"
    )
    max_marks: int = option(
        default=200, least=1, help="marks to examine; the rest is unverified, and the report says so"
    )
    others: int = option(
        default=8,
        least=0,
        help="other sources that are read where a mark's own does not say it; 0 = none, so that no mark is called exchanged",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self._grounding = GroundingCheck(fit=self.fit, threshold=self.threshold)
        self.fit = self._grounding.fit

    @property
    def needs_documents(self) -> bool:
        """Always: they are the sources."""
        return True

    def backends(self) -> Mapping[str, Backend[Any]]:
        """The packaged entailment model, if its fit is used."""
        return self._grounding.backends()

    def cost(self, case: Case) -> Calls:
        """Calls of the entailment model: none where nothing is cited."""
        routes = self._grounding.cost(case)
        groups = len(_groups(case, self.max_marks)[0]) if routes else 0
        most = groups * MOST * (2 + min(self.others, len(case.context)))
        return dict.fromkeys(routes, (0, most)) if groups else {}

    def examine(self, case: Case) -> Flow[list[Finding]]:
        """One finding for each mark, in order."""
        groups, rest = yield from compute(_groups, case, self.max_marks)
        near = yield from self._judged(case, [(group, group.together) for group in groups])
        asked = [
            (group, own)
            for group, joint in zip(groups, near, strict=True)
            for own in self._farther(case, group, joint)
        ]
        far = iter((yield from self._judged(case, asked)))
        found: list[Finding] = []
        names = case.document_names
        for group, joint in zip(groups, near, strict=True):
            alone = {own: next(far) for own in self._farther(case, group, joint)}
            found += self._findings(case, group, joint, alone, names)
        if rest:
            reason = f"{rest} further marks were not examined (max_marks is {self.max_marks})"
            found.append(
                Finding(detector=self.name, verdict=Verdict.UNVERIFIED, label="not examined", reason=reason)
            )
        return found

    def _farther(self, case: Case, group: _Group, joint: Judged | None) -> list[tuple[int, ...]]:
        """What else is read for a group: each of its sources alone, or where they do not say it, other sources."""
        if joint is None or joint.score is None:
            return []
        own = [one for one in dict.fromkeys(group.documents) if one and one != group.together]
        if joint.score < joint.threshold:
            return own
        rest = [i for i, text in enumerate(case.context) if i not in group.together and has_text(text)]
        return own + [(i,) for i in rest[: self.others]]

    def _judged(
        self, case: Case, asked: Sequence[tuple[_Group, tuple[int, ...]]]
    ) -> Flow[list[Judged | None]]:
        """Each claim by some documents; `None` where there is none of them, or no claim."""
        flows = {
            place: self._grounding.judge(group.claims, _material(case, documents))
            for place, (group, documents) in enumerate(asked)
            if group.claims and any(has_text(case.context[i]) for i in documents)
        }
        replies = yield from gather(flows.values())
        found: list[Judged | None] = [None] * len(asked)
        for place, reply in zip(flows, replies, strict=True):
            found[place] = Judged(None, reason=str(reply)) if isinstance(reply, Failed) else _worst(reply)
        return found

    def _findings(
        self,
        case: Case,
        group: _Group,
        joint: Judged | None,
        alone: Mapping[tuple[int, ...], Judged | None],
        names: Sequence[str],
    ) -> Iterable[Finding]:
        for tie, own, misquoted in zip(group.ties, group.documents, group.misquoted, strict=True):
            judged = alone.get(own) or joint
            support, says = _support(own, judged, joint, alone, group)
            called = tuple(names[i] for i in own)
            shown = Citation(
                mark=tie.mark.of(case.answer),
                span=tie.mark,
                claim=tie.claim,
                support=support,
                documents=called,
                says=tuple(names[i] for i in says),
            )
            passages: tuple[Evidence, ...] = judged.evidence if judged is not None else ()
            span = Span(start=min(tie.claim.start, tie.mark.start), end=max(tie.claim.end, tie.mark.end))
            yield Finding(
                detector=self.name,
                span=span,
                text=tie.claim.of(case.answer),
                score=None if judged is None or support == "not at hand" else judged.score,
                verdict=_VERDICTS[support],
                label=support,
                mark=_MARKS.get(support, ""),
                reason=_reason(support, tie.mark.of(case.answer), called, [names[i] for i in says], judged)
                + ("; the words that the service quotes from it are not there" if misquoted else ""),
                evidence=(shown, *passages),
                corrections=()
                if _VERDICTS[support] is not Verdict.UNSUPPORTED
                else _corrections(case, tie, own, says, judged),
            )


def _groups(case: Case, most: int) -> tuple[list[_Group], int]:
    """The first marks of an answer, those in a row together, with the claim of each group and what they point to; and how many are left."""
    sources = Sources.of(case)
    given = [one for one in case.citations if one.end <= len(case.answer)]
    marks = {(one.start, one.end): one for one in given if not one.claims}
    places = sorted(marks)
    found: dict[int, list[_Cites]] = {}
    for tie in ties(case.answer, sources.cites, places):
        place = _given(tie.mark, places)
        cites = _Cites.of(tie, sources, marks[place] if place else None, tie.mark.of(case.answer))
        found.setdefault(tie.group, []).append(cites)
    groups = [*found.values(), *_of_blocks(case.answer, given, sources, len(found))]
    kept: list[_Group] = []
    left = most
    for group in groups:
        left -= len(group)
        if left < 0:
            break
        kept.append(
            _Group(
                tuple(one.tie for one in group),
                tuple(_claims(case.answer, group[0].tie)),
                tuple(one.documents for one in group),
                tuple(one.misquoted for one in group),
            )
        )
    return kept, sum(map(len, groups)) - sum(len(group.ties) for group in kept)


@dataclass(frozen=True, slots=True)
class _Cites:
    """A mark with its documents."""

    tie: Tie
    documents: tuple[int, ...]
    misquoted: bool = False

    @classmethod
    def of(cls, tie: Tie, sources: Sources, cited: Cited | None, mark: str = "") -> _Cites:
        """By what the service says of it, else by the mark itself."""
        own = sources.of_cited(cited) if cited is not None else ()
        if cited is None or not own:
            return cls(tie, sources.of_mark(mark))
        return cls(tie, own, not sources.have(cited.quoted, own))


def _given(mark: Span, places: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
    """The place that the service gave which touches a mark, if there is one."""
    at = bisect_left(places, (mark.end, 0))
    return next((one for one in places[max(0, at - 2) : at] if mark.start < one[1]), None)


def _of_blocks(answer: str, given: Sequence[Cited], sources: Sources, group: int) -> Iterator[list[_Cites]]:
    """The service's citations whose place is what they are for; those of one place are a group."""
    read = [piece.span for piece in pieces(answer)] if given else []
    found: dict[tuple[int, int], list[Cited]] = {}
    for one in given:
        if one.claims:
            found.setdefault((one.start, one.end), []).append(one)
    for number, ((start, end), cited) in enumerate(found.items(), group):
        claim, behind = Span(start=start, end=end), Span(start=end, end=end)
        sentences = tuple(span for span in read if span.overlaps(claim)) or (claim,)
        yield [_Cites.of(Tie(behind, claim, sentences, number), sources, one) for one in cited]


def _claims(answer: str, tie: Tie) -> Iterable[Piece]:
    """What is judged: the claim of a tie, sentence by sentence where it has several."""
    for sentence in tie.sentences:
        start, end = max(sentence.start, tie.claim.start), min(sentence.end, tie.claim.end)
        said = answer[start:end]
        read = [piece for piece in pieces(said) if piece.text]
        text = " ".join(piece.text for piece in read) or plain_text(said)
        if any(piece.kind is Kind.CLAIM for piece in read) or len(text.split()) >= _FEW:
            yield Piece(Span(start=start, end=end), Kind.CLAIM, text)


def _material(case: Case, documents: Sequence[int]) -> Material:
    """Some of the documents, with the names that people know them by."""
    return Material(
        tuple(case.context[i] for i in documents),
        "context",
        answer=case.answer,
        asked=tuple(message.text for message in case.messages),
        names=tuple(case.document_names[i] for i in documents),
    )


def _worst(judged: Sequence[Judged]) -> Judged | None:
    """The sentence that is borne out least; one without a score only where none has any."""
    scored = [one for one in judged if one.score is not None]
    if scored:
        return max(scored, key=lambda one: one.score or 0.0)
    return judged[0] if judged else None


def _fails(judged: Judged | None, margin: float = 0.0) -> bool:
    """Whether documents do not bear a claim out."""
    return judged is None or judged.score is None or judged.score >= judged.threshold - margin


def _support(
    own: tuple[int, ...],
    judged: Judged | None,
    joint: Judged | None,
    alone: Mapping[tuple[int, ...], Judged | None],
    group: _Group,
) -> tuple[Support, tuple[int, ...]]:
    """What a mark's source says of its claim, and which sources say it."""
    if not own or judged is None or judged.score is None:
        return "not at hand", ()
    if not _fails(judged):
        return "yes", own
    inside = [one for one in dict.fromkeys(group.documents) if one and not _fails(alone.get(one))]
    if not _fails(joint) and not inside:
        return "yes", group.together
    others = [one for one in alone if one not in group.documents and not _fails(alone[one], _SURE)]
    says = tuple(number for one in (*inside, *others) for number in one)
    if says:
        return "elsewhere", says
    if judged.contradicted:
        return "contradicts", ()
    new = next(
        (
            one.value
            for one in judged.evidence
            if isinstance(one, Measurement) and one.name == _NEW_WORDS and one.value is not None
        ),
        1.0,
    )
    return ("in part" if new <= _MOST_NEW else "silent"), ()


def _corrections(
    case: Case, tie: Tie, own: tuple[int, ...], says: tuple[int, ...], judged: Judged | None
) -> tuple[Edit, ...]:
    """The number of the one source that says it in the place of a mark's; without one what the source has in the place of the claim's."""
    if not says:
        return () if judged is None else corrections(judged, tie.claim, tie.claim.of(case.answer))
    if len(says) != 1 or len(own) != 1:
        return ()
    mark, old, new = tie.mark.of(case.answer), str(own[0] + 1), str(says[0] + 1)
    if Sources.of(case).of_mark(mark.replace(old, new)) != says:
        return ()
    why = f"{case.document_names[says[0]]} says it"
    edit = Edit.of_one(old, new, within=tie.mark, text=mark, why=why)
    return () if edit is None else (edit,)


def _reason(
    support: Support, mark: str, own: Sequence[str], says: Sequence[str], judged: Judged | None
) -> str:
    """One sentence for a person."""
    called = " and ".join(own)
    why = f" ({judged.reason})" if judged is not None and judged.reason and support != "yes" else ""
    if support == "not at hand":
        return (
            judged.reason
            if judged is not None and own
            else f"{mark or 'the citation'} points to no document that is at hand"
        )
    if support == "yes":
        return f"{called} says it" if set(own) >= set(says) else f"{' and '.join(says)} say it together"
    if support == "elsewhere":
        return f"{' and '.join(says)} says it, not {called}{why}"
    if support == "contradicts":
        return f"{called} says otherwise{why}"
    return (
        f"{called} says only a part of it{why}" if support == "in part" else f"{called} does not say it{why}"
    )
