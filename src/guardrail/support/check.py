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
from guardrail.report import Attribution, Case, Edit, Evidence, Finding, Scale, Span, Verdict
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


@dataclass(frozen=True, slots=True)
class _Cites:
    """A mark with the documents that it points to, counted from 0, and whether these lack the words that the service quotes from them."""

    tie: Tie
    documents: tuple[int, ...]
    misquoted: bool = False


@dataclass(frozen=True, slots=True)
class _Group:
    """Marks in a row, which are for one claim."""

    cites: tuple[_Cites, ...]
    claims: tuple[Piece, ...]

    @property
    def together(self) -> tuple[int, ...]:
        """The documents of all its marks."""
        return tuple(sorted({number for one in self.cites for number in one.documents}))


class SupportCheck(Detector):
    """Judges every mark of citation by the source that it points to (`case.context`): does it say what it is cited for?

    One finding for each mark. A source that says otherwise is unsupported, and so is a mark whose source is silent where another source of
    the answer says it; a source that is silent, or says only a part, is unverified: `selfcheck-grounding` says whether any document
    supports the claim. A mark that points to nothing that is at hand is unverified.

    Marks in a row are for the same words; where only all of them together support these, each counts.
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
        groups = _groups(case, self.max_marks)[0] if routes else []
        rounds = (len(group.claims) * (1 + len(group.cites) + self.others) for group in groups)
        most = MOST * sum(rounds)
        return dict.fromkeys(routes, (0, most)) if most else {}

    def examine(self, case: Case) -> Flow[list[Finding]]:
        """One finding for each mark, in order."""
        groups, rest = yield from compute(_groups, case, self.max_marks)
        names, asked = case.document_names, tuple(message.text for message in case.messages)

        def material(documents: Sequence[int]) -> Material:
            texts, called = (tuple(own[i] for i in documents) for own in (case.context, names))
            return Material(texts, "context", answer=case.answer, asked=asked, names=called)

        def judged(wanted: Sequence[tuple[_Group, tuple[int, ...]]]) -> Flow[list[Judged | None]]:
            """Each claim by some documents; `None` where there is none of them with text, or no claim."""
            flows = {
                place: self._grounding.judge(group.claims, material(documents))
                for place, (group, documents) in enumerate(wanted)
                if group.claims and any(has_text(case.context[i]) for i in documents)
            }
            replies = yield from gather(flows.values())
            found: list[Judged | None] = [None] * len(wanted)
            for place, reply in zip(flows, replies, strict=True):
                found[place] = Judged(None, reason=str(reply)) if isinstance(reply, Failed) else _worst(reply)
            return found

        near = yield from judged([(group, group.together) for group in groups])
        farther = [self._farther(case, *row) for row in zip(groups, near, strict=True)]
        far = iter(
            (
                yield from judged(
                    [(group, own) for group, rows in zip(groups, farther, strict=True) for own in rows]
                )
            )
        )
        sources = Sources.of(case)
        found: list[Finding] = []
        for group, joint, rows in zip(groups, near, farther, strict=True):
            alone = {own: next(far) for own in rows}
            found += [self._finding(sources, group, one, joint, alone, names) for one in group.cites]
        if rest:
            reason = f"{rest} further marks were not examined (max_marks is {self.max_marks})"
            found.append(
                Finding(detector=self.name, verdict=Verdict.UNVERIFIED, label="not examined", reason=reason)
            )
        return found

    def _farther(self, case: Case, group: _Group, joint: Judged | None) -> list[tuple[int, ...]]:
        """What else is read for a group: each of its sources alone, and where they do not say it, other sources."""
        if joint is None or joint.score is None:
            return []
        each = dict.fromkeys(one.documents for one in group.cites)
        own = [one for one in each if one and one != group.together]
        if not _fails(joint):
            return own
        rest = [i for i, text in enumerate(case.context) if i not in group.together and has_text(text)]
        return own + [(i,) for i in rest[: self.others]]

    def _finding(  # noqa: PLR0917  # what is known of one mark
        self,
        sources: Sources,
        group: _Group,
        one: _Cites,
        joint: Judged | None,
        alone: Mapping[tuple[int, ...], Judged | None],
        names: Sequence[str],
    ) -> Finding:
        answer, mark, claim = sources.answer, one.tie.mark, one.tie.claim
        judged = alone.get(one.documents, joint)
        support, says = _support(one.documents, judged, joint, alone, group)
        own, others = [names[i] for i in one.documents], [names[i] for i in says]
        shown = Attribution(
            mark=mark.of(answer),
            span=mark,
            claim=claim,
            support=support,
            documents=tuple(own),
            says=tuple(others),
        )
        only_the_mark = support == "elsewhere" and mark.end > mark.start
        span = (
            mark if only_the_mark else Span(start=min(claim.start, mark.start), end=max(claim.end, mark.end))
        )
        passages: tuple[Evidence, ...] = judged.evidence if judged is not None else ()
        reason = _reason(support, mark.of(answer), own, others, judged)
        return Finding(
            detector=self.name,
            span=span,
            text=claim.of(answer),
            score=None if judged is None or support == "not at hand" else judged.score,
            verdict=_VERDICTS[support],
            label=support,
            mark=_MARKS.get(support, ""),
            reason=reason
            + ("; the words that the service quotes from it are not there" if one.misquoted else ""),
            evidence=(shown, *passages),
            corrections=_corrections(sources, group, one, support, says, judged, names),
        )


# -- what is cited


def _groups(case: Case, most: int) -> tuple[list[_Group], int]:
    """The first marks of an answer, those in a row together; and how many are left."""
    sources = Sources.of(case)
    given = [one for one in case.citations if 0 <= one.start < one.end <= len(case.answer)]
    places: dict[tuple[int, int], list[Cited]] = {}
    for one in given:
        if not one.claims:
            places.setdefault((one.start, one.end), []).append(one)
    starts = sorted(places)
    found: dict[int, list[_Cites]] = {}
    for tie in ties(case.answer, sources.cites, starts):
        told = [one for place in _touching(tie.mark, starts) for one in places[place]]
        found.setdefault(tie.group, []).append(_cited(tie, sources, told))
    groups: list[_Group] = []
    left = most
    for cites in [*found.values(), *_of_blocks(case.answer, given, sources, len(found))]:
        if left <= 0:
            break
        kept = tuple(cites[:left])
        left -= len(kept)
        groups.append(_Group(kept, tuple(_claims(case.answer, kept[0].tie))))
    every = sum(map(len, found.values())) + sum(one.claims for one in given)
    return groups, every - sum(len(group.cites) for group in groups)


def _cited(tie: Tie, sources: Sources, told: Sequence[Cited]) -> _Cites:
    """By what the service says of a mark, which is trusted to say which document it means; else by the mark itself."""
    if not told:
        return _Cites(tie, sources.of_mark(tie.mark.of(sources.answer)))
    documents = tuple(dict.fromkeys(number for one in told for number in sources.of_cited(one)))
    misquoted = any(not sources.have(one.quoted, documents) for one in told) if documents else False
    return _Cites(tie, documents, misquoted)


def _touching(mark: Span, starts: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The places that the service gave which touch a mark."""
    at = bisect_left(starts, (mark.end, 0))
    return [one for one in starts[max(0, at - 8) : at] if mark.start < one[1]]


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
        yield [_cited(Tie(behind, claim, sentences, number), sources, [one]) for one in cited]


def _claims(answer: str, tie: Tie) -> Iterable[Piece]:
    """What is judged: the claim of a tie, sentence by sentence where it has several."""
    for sentence in tie.sentences:
        start, end = max(sentence.start, tie.claim.start), min(sentence.end, tie.claim.end)
        said = answer[start:end]
        read = [piece for piece in pieces(said) if piece.text]
        text = " ".join(piece.text for piece in read) or plain_text(said)
        if any(piece.kind is Kind.CLAIM for piece in read) or len(text.split()) >= _FEW:
            yield Piece(Span(start=start, end=max(start, end)), Kind.CLAIM, text)


# -- what is said of it


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
    inside = [one.documents for one in group.cites if one.documents and not _fails(alone.get(one.documents))]
    if not _fails(joint) and not inside:
        return "yes", group.together
    if judged.contradicted and inside:
        return "contradicts", tuple(dict.fromkeys(number for one in inside for number in one))
    if inside:  # a mark too many
        return "silent", tuple(dict.fromkeys(number for one in inside for number in one))
    others = [one for one in alone if not set(one) & set(group.together) and not _fails(alone[one], _SURE)]
    if others:
        return "elsewhere", tuple(number for one in others for number in one)
    if judged.contradicted:
        return "contradicts", ()
    return ("in part" if judged.new_words <= _MOST_NEW else "silent"), ()


def _corrections(  # noqa: PLR0917  # as above
    sources: Sources,
    group: _Group,
    one: _Cites,
    support: Support,
    says: tuple[int, ...],
    judged: Judged | None,
    names: Sequence[str],
) -> tuple[Edit, ...]:
    """What the source has in the place of the claim's; or the number of the one source that says it in the place of a plain mark's."""
    answer, claim = sources.answer, one.tie.claim
    if judged is None or support not in {"contradicts", "elsewhere"}:
        return ()
    if support == "contradicts":
        return () if says else corrections(judged, claim, claim.of(answer))
    mark = one.tie.mark.of(answer)
    if judged.contradicted or len(says) != 1 or len(one.documents) != 1 or "(" in mark or "^" in mark:
        return ()  # sources that disagree, a link, a footnote
    old, new = str(one.documents[0] + 1), str(says[0] + 1)
    if says[0] in group.together or sources.of_mark(mark.replace(old, new)) != says:
        return ()
    edit = Edit.of_one(old, new, within=one.tie.mark, text=mark, why=f"{names[says[0]]} says it")
    return () if edit is None else (edit,)


def _reason(
    support: Support, mark: str, own: Sequence[str], says: Sequence[str], judged: Judged | None
) -> str:
    """One sentence for a person."""
    if not own:
        return f"{mark or 'the citation'} points to no document that is at hand"
    if support == "not at hand":
        return (judged.reason if judged is not None else "") or "there is nothing to compare"
    why = f" ({judged.reason})" if judged is not None and judged.reason and support != "yes" else ""
    partial = f" ({judged.partial})" if judged is not None and judged.partial else ""
    do, does = ("say", "do not say") if len(own) > 1 else ("says", "does not say")
    called, others = " and ".join(own), " and ".join(says)
    told = "say" if len(says) > 1 else "says"
    if support == "yes":
        said = f"{called} {do} it" if set(says) <= set(own) else f"{others} {told} it together"
    elif support == "elsewhere":
        said = f"{others} {told} it, not {called}{why}"
    elif support == "contradicts":
        said = f"{called} {do} otherwise{why}"
    elif support == "in part":
        said = f"{called} {do} only a part of it{why}"
    else:
        said = f"{called} {does} it" + (f", {others} {told} it" if says else "") + why
    return said + partial
