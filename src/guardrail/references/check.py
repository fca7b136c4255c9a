"""`ReferenceCheck`: finds the references in an answer and says which are made up."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal

from guardrail.detector import Detector, Scope
from guardrail.engine.backend import Backend
from guardrail.engine.flow import Answer, Calls, Failed, Flow, Reply, compute, gather, one, why, within
from guardrail.errors import ConfigError
from guardrail.given.recognition import shown
from guardrail.options import PathOption, option
from guardrail.references.bibliography.backend import BibliographyBackend
from guardrail.references.bibliography.records import Bibliography, Find, Match, Record, Reference, Status
from guardrail.references.citations import Citation, asks_for_references, citations
from guardrail.references.citations.silence import unread
from guardrail.references.interrogate import Interrogation, Interviewer, Query
from guardrail.references.parsing import Parsing
from guardrail.report import Case, Evidence, Finding, Lookup, Measurement, Replies, Scale, Span, Verdict, Work

__all__ = ["Effort", "ReferenceCheck"]

Effort = Literal["paper", "fast", "adaptive"]

_DRAWS: dict[str, int] = {"paper": 10, "fast": 1, "adaptive": 10}
_LONG = 5_000  # characters
_IN_MARKS = {"quoted", "bibtex"}  # styles in which nobody has to guess which words are the title
_NAMES_SOMETHING = re.compile(  # a list, a long quotation or emphasis, a year, an address: more than "let me see"
    r"^[ \t]*(?:[-*•]|\W?\d{1,3}[.)\]:])[ \t]|[\"“«*_][^\"”»*_\n]{15,400}[\"”»*_]|(?<!\d)(?:1[5-9]|20)\d\d(?!\d)|https?:|doi",
    re.MULTILINE,
)
_MISQUOTED_AGREEMENT = 0.5  # witnesses who agree at least so much know the work
_MISQUOTED_CLAIM = 0.2  # and a claim that overlaps less than this is not what they know


class ReferenceCheck(Detector):
    """Judges every reference of an answer: by look-up first, then by asking the model about it.

    One finding per reference. `score` = 1 − groundedness in [0, 1]; a look-up that settles the matter gives 0
    (real and quoted right) or 1. Labels: "verified", "grounded", "fabricated", "misquoted", "unknown".

    Raises:
        ConfigError: an option is not one of those above.
        IndexFault: the bibliography's file is no usable index.

    Source: [agrawal2024]; differs: exact parsing, fenced prompts, local agreement, look-up, the claim as witness.
    """

    name: ClassVar[str] = "references"
    version: ClassVar[str] = "1"
    scope: ClassVar[Scope] = "answer"
    scale: ClassVar[Scale] = Scale(unit="1 − groundedness")

    effort: Effort = option(
        default="fast",
        help="questions per reference: fast = 6 (3 for the authors, 3 direct), paper = 36 (3 for the authors, 3 "
        "comparisons, 30 direct), adaptive = as many as the decision needs",
    )
    bibliography: Bibliography | str | Path | None = option(
        default=None,
        path=PathOption.FILE,
        help="an index of works that exist (`guardrail references index add` makes one); it is searched before a "
        "model is asked",
    )
    sources: Sequence[str] = option(
        default=(),
        help="more to search, by name: crossref, openalex, semantic_scholar, arxiv, dblp, open_library, pubmed, "
        "courtlistener, doi (over the network, extra online), url (whether addresses answer), or the path of an index. The "
        "bibliography and indexes are searched first; what they settle is sent nowhere",
    )
    queries: Sequence[Query] = option(
        default=("iq", "dq1", "dq2", "dq3"),
        help="which questions: iq = who the authors are; dq1, dq2, dq3 = whether the work exists; year, venue",
    )
    agreement: Literal["local", "model"] | None = option(
        default=None,
        help="how author answers are compared: local = by name, model = by the judge model, as in the paper; None "
        "= model with effort paper, else local",
    )
    parsing: Parsing = option(default="exact", help="paper = the published substring rules")
    prompts: Literal["fenced", "paper"] = option(
        default="fenced", help="paper = the published prompts, unfenced"
    )
    threshold: float = option(
        default=0.5,
        least=0,
        most=1,
        help="unsupported from this score on; `guardrail.statistics.calibration.threshold_for_fdr` finds a "
        "threshold from labelled answers",
    )
    draws: int | None = option(default=None, least=1, help="replies per direct query; None = by effort")
    confidence: float = option(
        default=0.95, least=0.5, most=1, help="how sure adaptive must be before it stops"
    )
    witness: bool = option(
        default=True, help="also compare the authors that the answer names with those that the model names"
    )
    logprobs: int | None = option(
        default=None,
        least=1,
        most=20,
        help="alternatives per token to request; P(yes) then comes from one reply, if the model returns "
        "log-probabilities. None = request none",
    )
    max_references: int = option(
        default=50, least=1, help="references to examine; the rest is unverified, and the report says so"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.queries:
            raise ConfigError("expected one query or more, got none: leave queries out for the paper's four")
        self.bibliography = opened = _opened(self.bibliography)
        self.sources = tuple(self.sources)
        if self.sources:
            opened = _with_sources(opened, self.sources)
        self._backend = None if opened is None else BibliographyBackend(opened)
        self.queries = tuple(self.queries)
        self.agreement = self.agreement or ("model" if self.effort == "paper" else "local")
        self.draws = self.draws if self.draws is not None else _DRAWS[self.effort]
        self._interviewer = Interviewer(
            queries=self.queries,
            witnesses=3,
            draws=self.draws,
            agreement=self.agreement,
            parsing=self.parsing,
            fenced=self.prompts == "fenced",
            witness_claim=self.witness,
            logprobs=self.logprobs,
            stop_at=self.threshold if self.effort == "adaptive" else None,
            confidence=self.confidence,
        )

    def backends(self) -> Mapping[str, Backend[Any]]:
        """The bibliography, if there is one."""
        return {} if self._backend is None else {Find.lane: self._backend}

    def cost(self, case: Case) -> Calls:
        """Look-ups, and questions: the least if all is settled by look-up or at the first round."""
        cited = self._citations(case)[: self.max_references]
        titles = [citation.reference.title for citation in cited if citation.reference.title]
        asked = self._interviewer.calls(titles)
        if self._backend is None:
            return asked
        looked_up = len({citation.reference for citation in cited})
        return {Find.lane: (looked_up, looked_up)} | {route: (0, most) for route, (_, most) in asked.items()}

    def examine(self, case: Case) -> Flow[list[Finding]]:
        """One branch per reference, each at its own speed."""
        if len(case.answer) > _LONG:  # parsing takes milliseconds: not on somebody's event loop
            cited, marks = yield from compute(self._read, case)
        else:
            cited, marks = self._read(case)
        silent = [self._could_not_read(span, case.answer) for span in marks[: self.max_references]]
        if (
            not cited
            and not silent
            and _NAMES_SOMETHING.search(case.answer)
            and asks_for_references(case.question)
        ):
            reason = "references were asked for, and none was recognised in the answer"
            return [Finding(detector=self.name, verdict=Verdict.UNVERIFIED, label="unknown", reason=reason)]
        titles = [citation.reference.title for citation in cited]
        shown = [title for title in titles if title]
        examined = cited[: self.max_references]
        results = yield from gather(
            self._check(citation, shown, len([t for t in titles[:i] if t]))
            for i, citation in enumerate(examined)
        )
        findings = [
            self._unverified(citation, f"{result.reason}: {result.detail}")
            if isinstance(result, Failed)
            else result
            for citation, result in zip(examined, results, strict=True)
        ]
        reason = f"only the first {self.max_references} references are examined (max_references)"
        left = [self._unverified(citation, reason) for citation in cited[self.max_references :]]
        return [*findings, *left, *silent]

    def _could_not_read(self, span: Span, answer: str) -> Finding:
        return Finding(
            detector=self.name,
            span=span,
            text=span.of(answer),
            verdict=Verdict.UNVERIFIED,
            label="unknown",
            reason="it looks like a citation, and could not be read as one",
        )

    # -- one reference

    def _citations(self, case: Case) -> list[Citation]:
        return citations(case.answer, asked_for_references=asks_for_references(case.question))

    def _read(self, case: Case) -> tuple[list[Citation], list[Span]]:
        """The references, and what looks like one and could not be read."""
        cited = self._citations(case)
        return cited, list(unread(case.answer, cited))

    def _check(self, citation: Citation, titles: Sequence[str], position: int) -> Flow[Finding]:
        evidence: list[Evidence] = []
        before = ""
        if self._backend is not None:
            looked_up = yield from one(Find(citation.reference))
            settled = self._from_look_up(citation, looked_up)
            if settled is not None:
                return settled
            evidence.append(_lookup(looked_up))
            before = _why_open(looked_up)
        if not citation.reference.title or citation.style == "labelled":
            return self._unverified(
                citation, f"{before}the reference names no title to ask about", evidence=evidence
            )
        asked = yield from within(
            self._interviewer.interrogate(citation.reference, titles, position),
            calls=self._interviewer.calls([citation.reference.title]),
        )
        if isinstance(asked, Failed):
            return self._unverified(citation, f"{before}{asked}", evidence=evidence)
        return self._judge(citation, asked, before, evidence)

    def _from_look_up(self, citation: Citation, reply: Reply[Match]) -> Finding | None:
        """The finding of a look-up that leaves nothing to ask."""
        if isinstance(reply, Failed):
            return None
        match = reply.value
        settled = match.status is Status.FOUND and not match.differences
        if citation.style == "labelled" and not settled:
            return self._unverified(citation, _doubtful(match), evidence=[_lookup(reply)])
        if settled:
            return self._finding(
                citation,
                Verdict.SUPPORTED,
                "verified",
                score=0.0,
                reason=_agreed(citation.reference, match),
                lookup=match,
            )
        if match.status is Status.FOUND:
            differences = "; ".join(f"{d.field} differ{_s(d.field)}: {d.found}" for d in match.differences)
            wrong = " and ".join(d.field for d in match.differences)
            wrong += " differ" if len(match.differences) > 1 or wrong.endswith("s") else " differs"
            return self._finding(
                citation,
                Verdict.UNSUPPORTED,
                "misquoted",
                score=1.0,
                mark=differences,
                reason=f"the work is real, but its {wrong} from what the answer says",
                lookup=match,
            )
        if match.status is Status.ABSENT and match.complete:
            return self._finding(
                citation,
                Verdict.UNSUPPORTED,
                "fabricated",
                score=1.0,
                mark="no such work found",
                reason=(
                    "in none of the sources for its kind of work"
                    if self.sources
                    else "not in a bibliography that is declared complete"
                )
                + _owner(match),
                lookup=match,
            )
        if match.status is Status.ABSENT and match.record and match.detail and citation.style in _IN_MARKS:
            return self._finding(
                citation,
                Verdict.UNSUPPORTED,
                "misquoted",
                score=1.0,
                mark=f"the identifier is that of “{match.record.title}”",
                reason="the work is not known" + _owner(match),
                lookup=match,
            )
        return None

    def _judge(
        self, citation: Citation, asked: Interrogation, before: str, evidence: list[Evidence]
    ) -> Finding:
        evidence = [*evidence, *_told(asked)]
        grounded = asked.groundedness
        if grounded is None:
            reason = why(asked.failures) or "no reply could be understood"
            missing = asked.missing or "no score"
            return self._unverified(citation, f"{before}{missing}: {reason}", evidence=evidence)
        claim, title_alone = _mean(asked.claim), asked.without_claim
        if (
            claim is not None
            and claim < _MISQUOTED_CLAIM
            and (_mean([o for o in asked.overlaps if o is not None]) or 0.0) >= _MISQUOTED_AGREEMENT
            and title_alone is not None
            and 1 - title_alone < self.threshold
        ):
            return self._finding(
                citation,
                Verdict.UNSUPPORTED,
                "misquoted",
                score=1 - min(grounded, claim),
                mark="authors differ",
                reason=f"{before}asked apart, the model names other authors than the answer does",
                evidence=evidence,
            )
        score = min(1.0, max(0.0, 1 - grounded))
        if score >= self.threshold:
            return self._finding(
                citation,
                Verdict.UNSUPPORTED,
                "fabricated",
                score=score,
                mark="probably no such work",
                reason=f"{before}asked about this work, the model does not know it",
                evidence=evidence,
            )
        # a source that should have been asked and did not answer: the model alone does not clear the work
        unreachable = any(isinstance(e, Lookup) and e.status == "unreachable" for e in evidence)
        return self._finding(
            citation,
            Verdict.UNVERIFIED if unreachable else Verdict.SUPPORTED,
            "grounded",
            score=score,
            reason=f"{before}asked about this work, the model answers consistently",
            evidence=evidence,
        )

    def _finding(
        self,
        citation: Citation,
        verdict: Verdict,
        label: str,
        *,
        score: float | None,
        reason: str,
        mark: str = "",
        lookup: Match | None = None,
        evidence: Sequence[Evidence] = (),
    ) -> Finding:
        return Finding(
            detector=self.name,
            span=citation.span,
            text=citation.reference.title,
            score=score,
            verdict=verdict,
            label=label,
            mark=mark,
            reason=reason,
            evidence=tuple(evidence) if lookup is None else (*evidence, _lookup(Answer(lookup))),
        )

    def _unverified(self, citation: Citation, reason: str, *, evidence: Sequence[Evidence] = ()) -> Finding:
        return self._finding(
            citation, Verdict.UNVERIFIED, "unknown", score=None, reason=reason, evidence=evidence
        )


_SAID = ("title", "authors", "year", "venue")
_IDENTIFIERS = {"doi": "DOI", "arxiv": "arXiv number", "isbn": "ISBN", "pmid": "PubMed number"}


def _agreed(claimed: Reference, match: Match) -> str:
    """What of a work that was found agrees, what is near, and what was not compared."""
    other_year = match.record is not None and match.record.year != claimed.year
    said = [name for name in _SAID if getattr(claimed, name) and not (name == "year" and other_year)]
    fields = [name for name in said if name not in match.unchecked]
    fields += [
        word for name, word in _IDENTIFIERS.items() if getattr(claimed, name) and name not in match.unchecked
    ]
    *most, last = fields or ["title"]
    verb = "agree" if most or last == "authors" else "agrees"
    agreed = f"its {', '.join(most)} and {last} {verb}" if most else f"its {last} {verb}"
    if not said:
        agreed = "nothing but its identifier is given"
    unchecked = f"not compared: {', '.join(match.unchecked)}" if match.unchecked else ""
    return "; ".join(filter(None, ["the work exists", agreed, match.detail, unchecked]))


def _doubtful(match: Match) -> str:
    """Why a name that may be no title is neither cleared nor called wrong."""
    if match.record is None or not (match.detail or match.status is Status.FOUND):
        return "its identifier is not known, and its name could not be read reliably"
    return f"its identifier is that of “{match.record.title}”; whether another title is claimed could not be read reliably"


def _owner(match: Match) -> str:
    """Whose identifier it is that was given for a work that was not found."""
    if match.record is None or not match.detail:
        return ""
    return f", and the identifier that is given belongs to “{match.record.title}”"


def _opened(bibliography: Bibliography | str | Path | None) -> Bibliography | None:
    if isinstance(bibliography, str | Path):
        from guardrail.references.bibliography.index import Index

        return Index.open(bibliography)
    given: object = bibliography
    if given is not None and (isinstance(given, type) or not hasattr(given, "find_all")):
        raise ConfigError(
            f"bibliography= takes the path of an index or a Bibliography, got {shown(bibliography)}: "
            "write bibliography='refs.sqlite'"
        )
    return bibliography


def _with_sources(bibliography: Bibliography | None, names: Sequence[str]) -> Bibliography:
    from guardrail.references.sources.names import opened

    return opened(names, first=() if bibliography is None else (bibliography,))


def _why_open(reply: Reply[Match]) -> str:
    if isinstance(reply, Failed):
        return f"the bibliography did not answer ({reply}); "
    if reply.value.status is Status.UNREACHABLE:
        return f"the bibliography did not answer ({reply.value.detail}); "
    return "not in the bibliography, which does not claim to be complete; "


def _lookup(reply: Reply[Match]) -> Lookup:
    if isinstance(reply, Failed):
        return Lookup(status="unreachable")
    match = reply.value
    return Lookup(
        status=match.status.value,
        sources=match.sources,
        work=None if match.record is None else _work(match.record),
        similarity=match.similarity,
        differences=tuple(f"{d.field}: {d.claimed!r} here, {d.found!r} there" for d in match.differences),
    )


def _work(record: Record) -> Work:
    return Work(
        title=record.title,
        authors=(*record.authors, "et al.") if record.et_al else record.authors,
        year=record.year,
        venue=record.venue,
        identifier=record.doi or record.arxiv or record.isbn or record.pmid,
        source=record.source,
    )


def _told(asked: Interrogation) -> list[Evidence]:
    """What the model said, and the numbers it came to."""
    told: list[Evidence] = []
    for query, texts in asked.texts.items():
        read = asked.read[query] if query != "iq" else []
        told.append(Replies(query=query, texts=tuple(text[:1_000] for text in texts), read=tuple(read)))
    numbers = {"IQ": asked.indirect, "DQ": asked.direct, "IQ+DQ": asked.groundedness}
    if asked.claim:
        numbers["claim"] = _mean(asked.claim)
    told += [
        Measurement(name=name, value=value, note="groundedness, larger = more likely real")
        for name, value in numbers.items()
    ]
    return told


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _s(field: str) -> str:
    return "" if field.endswith("s") else "s"
