"""The detector: does each source say what the answer cites it for?"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from typing import Any, ClassVar, Literal, TypeAlias

from guardrail.detector import Detector, Scope
from guardrail.engine.backend import Backend
from guardrail.engine.flow import Calls, Failed, Flow, compute, gather
from guardrail.options import option
from guardrail.report import Attribution, Case, Edit, Evidence, Finding, Scale, Span, Verdict
from guardrail.selfcheck.grounding.check import FITS, GroundingCheck
from guardrail.selfcheck.grounding.premises import MOST
from guardrail.selfcheck.material import Judged, Material, corrections, has_text
from guardrail.support import judge
from guardrail.support.cited import Cites, Group, groups_of
from guardrail.support.exchanged import Exchange, documents_by_words, exchanges, telling_words_of
from guardrail.support.quality import Judgement, note
from guardrail.support.sources import Sources
from guardrail.support.works import look_up, names_of, with_abstracts
from guardrail.text.claims import Piece

By: TypeAlias = Literal["local", "judge"]
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
_LACKING = frozenset[Support](("in part", "silent", "elsewhere"))
_TWO, _LEFT_OUT = 2, 5  # sources of one claim, between which it is looked at whether one is too many
_SURE = 0.15  # by how much another source must bear a claim out more than the threshold asks
_MOST_NEW = 0.5  # share of words that a source lacks, above which it says nothing of a claim


class SupportCheck(Detector):
    """Judges every mark of citation by the source that it points to: does it say what it is cited for?

    Sources are the documents (`case.context`) and, where the guard has a bibliography (a `ReferenceCheck` with one, or a backend of the
    lane "bibliography"), the abstracts of works that the answer cites and that were found. A document goes before an abstract.

    One finding for each mark. A source that says otherwise is unsupported, and so is a mark whose source is silent where another source of
    the answer says it; a source that is silent, or says only a part, is unverified: `selfcheck-grounding` says whether any document
    supports the claim. A mark that points to nothing that is at hand is unverified.

    Marks in a row are for the same words; where only all of them together support these, each counts.

    An abstract, of the bibliography or given as one (`{"text": …, "abstract": True}`), decides what it says: its silence is unverified, whatever another
    source says. A note without a verdict (`report.notes`) has citation recall and precision, the claims without a citation, and the
    sources that are never cited; see `citation_quality`.
    """

    name: ClassVar[str] = "support"
    scope: ClassVar[Scope] = "answer"
    scale: ClassVar[Scale] = Scale(unit="P(source does not say it)", sentences=True)

    by: By = option(
        default="local",
        help="local = no chat model is asked, see fit; judge = a chat model (role judge) is asked about each claim, which needs calls",
    )
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
        default=2,
        least=0,
        help="how many other sources are read where the cited one does not say it, those first that share most words with the claim; 0 = none, so that no mark is called exchanged",
    )
    expected: Literal["auto"] | bool = option(
        default="auto",
        help="whether claims are expected to have citations; the note counts those without: auto = where the answer cites anything; "
        "true = always, as where your prompt asks for citations; false = never, and there is no note",
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
        return {} if self.by == "judge" else self._grounding.backends()

    def cost(self, case: Case) -> Calls:
        """Calls of the entailment model, or of the judge: none where nothing is cited. What a bibliography adds is not known before it is asked."""
        documents = any(map(has_text, case.context))
        routes = (
            self._grounding.cost(case) if self.by == "local" else {judge.ROUTE: (0, 0)} if documents else {}
        )
        groups = groups_of(case, self.max_marks)[0] if routes else []
        rounds = (len(group.claims) * (1 + 2 * len(group.cites) + self.others) for group in groups)
        most = (MOST if self.by == "local" else 1) * sum(rounds)
        return dict.fromkeys(routes, (0, most)) if most else {}

    def examine(self, case: Case) -> Flow[list[Finding]]:
        """One finding for each mark, in order, and the note."""
        found = yield from look_up(case)
        given, case = case, with_abstracts(case, found.works)
        groups, rest = yield from compute(groups_of, case, self.max_marks, found.works)
        sources = Sources.of(case, found.works)
        names, asked = names_of(given, found.works), tuple(message.text for message in case.messages)
        moved: list[Exchange | None] = [None] * len(groups)
        words = (yield from compute(telling_words_of, sources)) if self.others else []
        if self.by == "local":
            moved = yield from compute(exchanges, sources, names, groups, words)

        def material(documents: Sequence[int]) -> Material:
            texts, called = (tuple(own[i] for i in documents) for own in (case.context, names))
            return Material(texts, "context", answer=case.answer, asked=asked, names=called)

        def judged(wanted: Sequence[tuple[Group, tuple[int, ...]]]) -> Flow[list[Judged | None]]:
            """Each claim by some documents; `None` where there is none of them with text, or no claim."""
            places: dict[tuple[int, ...], list[int]] = {}  # documents are read once for all their claims
            for place, (group, documents) in enumerate(wanted):
                if group.claims and any(has_text(case.context[i]) for i in documents):
                    places.setdefault(documents, []).append(place)
            replies = yield from gather(
                self._judge([claim for i in own for claim in wanted[i][0].claims], material(documents))
                for documents, own in places.items()
            )
            said: list[Judged | None] = [None] * len(wanted)
            for own, reply in zip(places.values(), replies, strict=True):
                left = iter(()) if isinstance(reply, Failed) else iter(reply)
                for place in own:
                    count = len(wanted[place][0].claims)
                    said[place] = (
                        Judged(None, reason=str(reply))
                        if isinstance(reply, Failed)
                        else _worst(list(islice(left, count)))
                    )
            return said

        near = yield from judged([(group, group.together) for group in groups])
        farther = [self._farther(case, *row, words) for row in zip(groups, near, strict=True)]
        far = iter(
            (
                yield from judged(
                    [(group, own) for group, rows in zip(groups, farther, strict=True) for own in rows]
                )
            )
        )
        findings: list[Finding] = []
        judgements: list[Judgement] = []
        for group, joint, rows, other in zip(groups, near, farther, moved, strict=True):
            alone = {own: next(far) for own in rows}
            own = [
                self._finding(sources, group, one, joint, alone, names, other, found.said)
                for one in group.cites
            ]
            supported = None if joint is None or joint.score is None else not _fails(joint)
            judgements.append(Judgement(group, supported, tuple(one.label for one in own)))
            findings += own
        if not rest and (self.expected is True or (self.expected and groups)):
            findings += note(self.name, case, judgements, by=self._judged_by, sources=sources)
        if rest:
            reason = f"{rest} further marks were not examined (max_marks is {self.max_marks})"
            findings.append(
                Finding(detector=self.name, verdict=Verdict.UNVERIFIED, label="not examined", reason=reason)
            )
        return findings

    def _judge(self, claims: Sequence[Piece], material: Material) -> Flow[list[Judged]]:
        """By the entailment model and words, or by the judge."""
        if self.by == "judge":
            return judge.judge(claims, material)
        return self._grounding.judge(claims, material)

    @property
    def _judged_by(self) -> str:
        if self.by == "judge":
            return "a judge model"
        model = "entailment-mini and words" if self.fit == "entailment" else "words alone"
        return f"{model}, fit {self._grounding.digest:.8}"

    def _farther(
        self, case: Case, group: Group, joint: Judged | None, words: Sequence[Collection[str]]
    ) -> list[tuple[int, ...]]:
        """What else is read for a group: each of its sources alone, and where they do not say it, the other sources that have most of its words."""
        if joint is None or joint.score is None:
            return []
        each = dict.fromkeys(one.documents for one in group.cites)
        own = [one for one in each if one and one != group.together]
        if not _fails(joint):
            many = len(own) > _TWO and len(own) <= _LEFT_OUT
            return list(dict.fromkeys(own + [_without(group, one) for one in own if many]))
        rest = [i for i in documents_by_words(case.answer, group, words) if has_text(case.context[i])]
        return own + [(i,) for i in rest[: self.others]]

    def _finding(  # noqa: PLR0917  # what is known of one mark
        self,
        sources: Sources,
        group: Group,
        one: Cites,
        joint: Judged | None,
        alone: Mapping[tuple[int, ...], Judged | None],
        names: Sequence[str],
        other: Exchange | None,
        nowhere: str,
    ) -> Finding:
        answer, mark, claim = sources.answer, one.tie.mark, one.tie.claim
        judged = alone.get(one.documents, joint)
        support, says = _support(one.documents, judged, joint, alone, group)
        if other is not None and support != "yes":
            support, says = "elsewhere", (other.document,)
        of_abstracts = bool(one.documents) and all(sources.documents[i][1].abstract for i in one.documents)
        partial = support in _LACKING and of_abstracts
        if partial:  # the whole text may say it
            support = "not at hand"
        if support == "yes" and _fails(judged):  # all of them together say it
            judged = joint
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
        by = [judged, *(alone.get((i,)) for i in says if support != "yes")]  # and what those say that say it
        passages: tuple[Evidence, ...] = tuple(
            one for known in by if known is not None for one in known.evidence
        )
        called, saying = (
            [f"the abstract of {names[i]}" if sources.documents[i][1].abstract else names[i] for i in numbers]
            for numbers in (one.documents, says)
        )
        reason = (
            _of_abstracts(own, saying)
            if partial
            else _reason(support, mark.of(answer), called, saying, judged)
        )
        if not own and nowhere:
            reason += f" {nowhere}"
        elif (
            support == "not at hand"
            and own
            and not any(has_text(sources.documents[i][0]) for i in one.documents)
        ):
            reason = f"no text of {' and '.join(own)} is at hand"
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
            corrections=() if of_abstracts else _corrections(answer, one, support, says, judged, other),
        )


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
    group: Group,
) -> tuple[Support, tuple[int, ...]]:
    """What a mark's source says of its claim, and which sources say it."""
    if not own or judged is None or judged.score is None:
        return "not at hand", ()
    if not _fails(judged):
        return "yes", own
    inside = [one.documents for one in group.cites if one.documents and not _fails(alone.get(one.documents))]
    if not _fails(joint) and not inside:
        rest = _without(group, own)
        needed = rest not in alone or _fails(alone[rest])
        return ("yes", group.together) if needed else ("silent", rest)
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


def _without(group: Group, own: tuple[int, ...]) -> tuple[int, ...]:
    """The documents of a group's other marks."""
    return tuple(number for number in group.together if number not in own)


def _corrections(  # noqa: PLR0917  # as above
    answer: str,
    one: Cites,
    support: Support,
    says: tuple[int, ...],
    judged: Judged | None,
    other: Exchange | None,
) -> tuple[Edit, ...]:
    """What the source has in the place of the claim's; or the mark of the one source that says it, where words alone show that."""
    if support == "contradicts" and judged is not None and not says:
        return corrections(judged, one.tie.claim, one.tie.claim.of(answer))
    edit = other.edit if support == "elsewhere" and other is not None else None
    return () if edit is None else (edit,)


def _of_abstracts(own: Sequence[str], says: Sequence[str]) -> str:
    """Why the silence of abstracts decides nothing."""
    said = f"only the abstract of {' and '.join(own)} is at hand, and it does not say all of this"
    return said + (f"; {' and '.join(says)} {'say' if len(says) > 1 else 'says'} it" if says else "")


def _reason(
    support: Support, mark: str, own: Sequence[str], says: Sequence[str], judged: Judged | None
) -> str:
    """One sentence for a person."""
    if not own:
        return f"{mark or 'the citation'} points to no document that is at hand"
    if support == "not at hand":
        return (judged.reason if judged is not None else "") or "there is nothing to compare"
    why = (
        f" ({_of_own(judged.reason, len(own))})"
        if judged is not None and judged.reason and support != "yes"
        else ""
    )
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


def _of_own(reason: str, documents: int) -> str:
    """What was said of all documents that were read, which are those of the mark: others may have the words."""
    before, where, behind = reason.rpartition(" in no document")
    ends = not behind or behind == " in this form"
    return f"{before} not in {'them' if documents > 1 else 'it'}{behind}" if where and ends else reason
