"""`ReferenceCheck`: finds the references in an answer and says which are made up."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Literal

from guardrail.detector import Detector, Scope
from guardrail.engine.backend import Backend
from guardrail.engine.flow import (
    Answer,
    Calls,
    Failed,
    Flow,
    Reason,
    Reply,
    compute,
    gather,
    one,
    why,
    within,
)
from guardrail.errors import ConfigError
from guardrail.given.recognition import shown
from guardrail.options import PathOption, option
from guardrail.references.authors.names import parse_name
from guardrail.references.bibliography.backend import BibliographyBackend
from guardrail.references.bibliography.claims import retraction, unexplained
from guardrail.references.bibliography.contradictions import contradictions
from guardrail.references.bibliography.normalise import normalise
from guardrail.references.bibliography.records import (
    Bibliography,
    FieldCheck,
    Find,
    Match,
    Outcome,
    Record,
    Reference,
    Status,
)
from guardrail.references.citations import Citation, asks_for_references, citations
from guardrail.references.citations.segmentation import readings
from guardrail.references.citations.silence import unread
from guardrail.references.citations.words import words
from guardrail.references.interrogate import Interrogation, Interviewer, Query
from guardrail.references.model_reader import added, reading
from guardrail.references.parsing import Parsing
from guardrail.references.quotation import Differences, accused, completed
from guardrail.references.wording import belongs, compared, corrected, impossible
from guardrail.report import (
    Case,
    ComparedField,
    Evidence,
    Finding,
    Lookup,
    Measurement,
    Replies,
    Scale,
    Span,
    Verdict,
    Work,
)

__all__ = ["Effort", "ReferenceCheck"]

Effort = Literal["paper", "fast", "adaptive"]

_DRAWS: dict[str, int] = {"paper": 10, "fast": 1, "adaptive": 10}
_LONG = 600  # characters, which take some 5 ms to read
_IN_MARKS = {"quoted", "bibtex", "ris", "json"}  # styles that say which words are the title
_STRINGS = {"numbered", "bulleted", "line", "inline"}  # styles in which the fields have to be told apart
_POSSIBLE, _SURE = 0.1, 0.9  # mass from which a reading may clear a work, and from which it admits no other
_AGREED = 0.5  # mass of the title from which a string that is not known may be called wrong
_DOUBTFUL = {"labelled", "unmarked", "model"}  # styles whose title may be none: never an accusation
_INITIALS = re.compile(r"\b[A-Z]{3,6}\b")  # Reno v. ACLU
_NAMES_SOMETHING = re.compile(  # a list, a long quotation or emphasis, a year, an address: more than "let me see"
    r"^[ \t]*(?:[-*•]|\W?\d{1,3}[.)\]:])[ \t]|[\"“«*_][^\"”»*_\n]{15,400}[\"”»*_]|(?<!\d)(?:1[5-9]|20)\d\d(?!\d)|https?:|doi",
    re.MULTILINE,
)
_MISQUOTED_AGREEMENT = 0.5  # witnesses who agree at least so much know the work
_MISQUOTED_CLAIM = 0.2  # and a claim that overlaps less than this is not what they know


class ReferenceCheck(Detector):
    """Judges every reference of an answer: by look-up first, then by asking the model about it.

    One finding per reference. `score` = 1 − groundedness in [0, 1]; a look-up that settles the matter gives 0
    (real) or 1 (an accusation). Labels: "verified", "grounded", "fabricated", "misquoted", "retracted", "unknown".
    A real work with a wrong detail is "misquoted": unsupported if the difference is an accusation (see
    `differences`), else unverified, with a mark that says what is right.

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
        help="an index of works that exist (`guardrail references index add` makes one), or its address in OpenSearch; it "
        "is searched before a model is asked",
    )
    differences: Differences = option(
        default="default",
        help="which differences from a work that exists are unsupported: default = another title, or authors who did "
        "not write it (a wrong venue, year, page or identifier and missing authors are unverified, with a mark); "
        "strict = all, also a year that differs by one and a venue that no list knows",
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
    reader: Literal["rules", "both"] = option(
        default="rules",
        help="who reads the references: rules = this program; both = also the judge model, once for each answer: what it "
        "finds beyond that can be cleared, and is never called wrong",
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
        cited = [one for one in self._citations(case) if one.means is None][: self.max_references]
        titles = [one.reference.title for one in cited if one.reference.title and one.style != "legal"]
        asked = dict(self._interviewer.calls(titles))
        read = int(self.reader == "both")
        looked_up = len({citation.reference for citation in cited if citation.style != "author-year"})
        if self._backend is not None:
            further = self.max_references - len(cited) if read else 0
            further += 3 * len({one.reference for one in cited if _is_plain(one, one.span.of(case.answer))})
            further += len({one.other for one in cited if one.other})
            asked = {route: (0, most) for route, (_, most) in asked.items()}
            asked = {Find.lane: (looked_up, looked_up + further)} | asked
        if read:
            least, most = asked.get("chat:judge", (0, 0))
            asked["chat:judge"] = (least + read, most + read)
        return asked

    def examine(self, case: Case) -> Flow[list[Finding]]:
        """One branch per reference, each at its own speed."""
        if len(case.answer) > _LONG:  # reading takes 1 ms for 100 characters: not on somebody's event loop
            cited, left_out = yield from compute(self._read, case)
        else:
            cited, left_out = self._read(case)
        failed = ""
        if self.reader == "both":
            cited, failed = yield from self._read_by_model(case, cited)
        silent = [
            self._not_read(span, case.answer, reason) for span, reason in left_out[: self.max_references]
        ]
        if failed:
            silent.append(self._not_read(None, case.answer, failed))
        if (
            not cited
            and not silent
            and _NAMES_SOMETHING.search(case.answer)
            and asks_for_references(case.question)
        ):
            reason = "references were asked for, and none was recognised in the answer"
            return [Finding(detector=self.name, verdict=Verdict.UNVERIFIED, label="unknown", reason=reason)]
        marks = [citation for citation in cited if citation.means]
        cited = [citation for citation in cited if not citation.means]
        titles = [citation.reference.title for citation in cited]
        shown = [title for title in titles if title]
        examined = cited[: self.max_references]
        results = yield from gather(
            self._check(citation, citation.span.of(case.answer), shown, len([t for t in titles[:i] if t]))
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
        entries = {finding.span: finding for finding in (*findings, *left)}
        meant = [self._of_its_entry(mark, entries.get(mark.means)) for mark in marks]
        return [*findings, *left, *silent, *meant]

    def _of_its_entry(self, mark: Citation, entry: Finding | None) -> Finding:
        """The finding on an author-year mark is that of the entry which it refers to."""
        if entry is None:
            return self._unverified(mark, "the reference that this mark refers to was not examined")
        reason = f"this refers to “{entry.text}”: {entry.reason}"
        return entry.model_copy(update={"span": mark.span, "reason": reason})

    def _not_read(self, span: Span | None, answer: str, reason: str) -> Finding:
        return Finding(
            detector=self.name,
            span=span,
            text="" if span is None else span.of(answer)[:200],
            verdict=Verdict.UNVERIFIED,
            label="unknown",
            reason=reason,
        )

    # -- one reference

    def _citations(self, case: Case) -> list[Citation]:
        return citations(case.answer, asked_for_references=asks_for_references(case.question))

    def _read(self, case: Case) -> tuple[list[Citation], list[tuple[Span, str]]]:
        """The references, and what looks like one and could not be read."""
        cited = self._citations(case)
        return cited, list(unread(case.answer, cited))

    def _read_by_model(self, case: Case, cited: list[Citation]) -> Flow[tuple[list[Citation], str]]:
        """With what the judge model finds beyond, and why it found nothing if it did not answer."""
        reply = yield from one(reading(case.answer))
        if isinstance(reply, Failed):
            return cited, f"the judge model did not read this answer: {reply}"
        further = added(reply.value.text, case.answer, cited)
        return sorted([*cited, *further], key=lambda citation: citation.span.start), ""

    def _check(self, citation: Citation, text: str, titles: Sequence[str], position: int) -> Flow[Finding]:
        if citation.style == "author-year":
            return self._unverified(
                citation, "no title is given, and no reference in the answer has these authors and this year"
            )
        evidence: list[Evidence] = []
        wrong = contradictions(citation.reference, today=_today())
        match = Match(Status.UNREACHABLE)
        before = ""
        if self._backend is not None:
            looked_up = yield from one(Find(citation.reference))
            match = Match(Status.UNREACHABLE) if isinstance(looked_up, Failed) else looked_up.value
            before = _why_open(looked_up)
            answered = (
                match.status is not Status.UNREACHABLE
            )  # who did not answer is not asked three times more
            if answered and citation.style in _STRINGS and not self._confirms(match):
                citation, match = yield from self._read_again(citation, text, match)
            if answered and citation.other and not self._confirms(match):
                citation, match = yield from self._read_otherwise(citation, citation.other, match)
        match = completed(match, wrong)
        title, alone = citation.reference.title, citation.style in _STRINGS and _by_title_alone(match)
        if alone and match.record and _says_more(text, title, match.record):
            reason = f"a work with this title exists, but “{_rest(text, title)[:200]}” could not be compared"
            return self._unverified(citation, reason, evidence=[_lookup(match)])
        settled = self._from_look_up(citation, text, match, wrong)
        if settled is not None:
            return settled
        if self._backend is not None or wrong:
            evidence.append(_lookup(match))
        if against := _against(match, wrong):
            before += f"{against}; "
        if citation.style == "legal":
            return self._unverified(
                citation,
                f"{before}court cases are looked up only: no model is asked about them",
                evidence=evidence,
            )
        if not citation.reference.title or citation.style in _DOUBTFUL:
            said = "its title could not be read reliably" if citation.reference.title else "no title is given"
            return self._unverified(citation, f"{before}{said}", evidence=evidence)
        asked = yield from within(
            self._interviewer.interrogate(citation.reference, titles, position),
            calls=self._interviewer.calls([citation.reference.title]),
        )
        if isinstance(asked, Failed):
            return self._unverified(citation, f"{before}{asked}", evidence=evidence)
        return self._judge(citation, asked, before, evidence, against)

    def _confirms(self, match: Match) -> bool:
        return match.status is Status.FOUND and not accused(match, self.differences)

    def _read_again(self, citation: Citation, text: str, match: Match) -> Flow[tuple[Citation, Match]]:
        """The other ways to read a string that the look-up does not confirm.

        One of them may clear the work, if it draws the bounds of the title otherwise, and an author or an identifier agrees as
        well. If none does, the trained reader must be sure of the title, and of the names if these differ, or the look-up alone
        is no accusation. What an incomplete bibliography does not have is asked about as it was read first.
        """
        plain, wrong = _is_plain(citation, text), {check.field for check in accused(match, self.differences)}
        if not plain and not (match.status is Status.FOUND and "authors" in wrong):
            return citation, match  # no other reading would change anything
        found = readings(text)
        said = citation.reference
        claimed = normalise(said.title)
        for way in found[:1] if found and found[0].mass >= _SURE else found:
            title = normalise(way.reference.title)
            if (
                not plain
                or way.mass < _POSSIBLE
                or title in {"", claimed}
                or not (
                    title in claimed or claimed in title
                )  # another part of the string may be its container
                or _drops_subtitle(said.title, way.reference.title)
            ):
                continue
            kept = {name: getattr(said, name) for name in ("doi", "arxiv", "isbn", "pmid", "url")}
            reply = yield from one(Find(replace(way.reference, **kept)))
            if isinstance(reply, Answer) and self._confirms(reply.value) and _corroborated(reply.value):
                return citation, reply.value
        if match.status is Status.FOUND:
            sure = "authors" not in wrong or any(_same_names(way.reference, said) for way in found[:1])
        else:
            sure = not (plain and match.exists is False) or any(
                normalise(way.reference.title) == claimed and way.mass >= _AGREED for way in found[:1]
            )
        return (citation if sure else replace(citation, style="labelled")), match

    def _read_otherwise(
        self, citation: Citation, other: Reference, match: Match
    ) -> Flow[tuple[Citation, Match]]:
        """What the model of passages reads at the same place, where the look-up does not confirm the rules' reading.

        It may clear the work, if an author or an identifier agrees as well and the work explains all that the rules took for the
        title. Only where this reading is wrong, too, is the look-up an accusation.
        """
        accusing = match.exists is False or accused(match, self.differences)
        doubted = replace(citation, style="labelled") if accusing else citation
        reply = yield from one(Find(other))
        if not isinstance(reply, Answer):
            return doubted, match
        if self._confirms(reply.value) and _corroborated(reply.value):
            left = _rest(citation.reference.title, other.title)
            work = reply.value.record
            if work is not None and not unexplained(left, work):
                return replace(citation, reference=other), reply.value
        wrong = reply.value.exists is False or accused(reply.value, self.differences)
        return (citation if wrong else doubted), match

    def _from_look_up(
        self, citation: Citation, text: str, match: Match, wrong: Sequence[FieldCheck]
    ) -> Finding | None:
        """The finding of a look-up that leaves nothing to ask."""
        if match.status is Status.FOUND and match.record is not None:
            return self._of_real(citation, match, match.record)
        owner = next((check for check in match.fields if check.how == "owner"), None)
        if citation.style in _DOUBTFUL and self._backend is not None:
            return self._unverified(citation, _doubtful(owner), evidence=[_lookup(match)])
        if citation.style == "legal" and _INITIALS.search(citation.reference.title):
            reason = "not found under this name, and its initials may be written out in the bibliography"
            return self._unverified(citation, reason, evidence=[_lookup(match)])
        if match.exists is False:
            reason = "not in a bibliography that is declared complete"
            if self.sources:
                reason = "in none of the sources for its kind of work"
            reason += f", and {belongs(owner)}" if owner else ""
            return self._accused(citation, "fabricated", "no such work found", reason, match)
        if owner is not None and (citation.style in _IN_MARKS or _in_marks(citation, text)):
            reason = f"the work is not known, and {belongs(owner)}"
            return self._accused(citation, "misquoted", belongs(owner), reason, match)
        impossibly = [check for check in wrong if check.outcome is Outcome.DIFFERS]
        if self.differences == "strict" and impossibly:
            reason = "whether the work exists is not known; what is said of it contradicts itself"
            return self._accused(citation, "misquoted", impossible(impossibly), reason, match)
        return None

    def _of_real(self, citation: Citation, match: Match, work: Record) -> Finding:
        """The finding on a work that exists: quoted right, quoted wrongly, or retracted."""
        reason, retracted = compared(match), retraction(work)
        if retracted:
            reason = f"the work was retracted ({retracted}); {reason}"
        if citation.style in _DOUBTFUL and match.differences:
            doubt = f"it may be “{work.title}”, but what the answer says about it could not be read reliably"
            return self._unverified(citation, doubt, evidence=[_lookup(match)])
        if wrong := accused(match, self.differences):
            return self._accused(citation, "misquoted", corrected(wrong, work), reason, match)
        if retracted and self.differences == "strict":
            return self._accused(citation, "retracted", "retracted", reason, match)
        label, mark, verdict = "verified", "", Verdict.SUPPORTED
        if match.differences:
            label, mark, verdict = "misquoted", corrected(match.differences, work), Verdict.UNVERIFIED
        if retracted:
            label, mark, verdict = (
                "retracted",
                "; ".join(filter(None, ["retracted", mark])),
                Verdict.UNVERIFIED,
            )
        return self._finding(
            citation, verdict, label, score=0.0, mark=mark, reason=reason, evidence=[_lookup(match)]
        )

    def _accused(self, citation: Citation, label: str, mark: str, reason: str, match: Match) -> Finding:
        return self._finding(
            citation,
            Verdict.UNSUPPORTED,
            label,
            score=1.0,
            mark=mark,
            reason=reason,
            evidence=[_lookup(match)],
        )

    def _judge(
        self,
        citation: Citation,
        asked: Interrogation,
        before: str,
        evidence: list[Evidence],
        against: str,
    ) -> Finding:
        evidence = [*evidence, *_told(asked)]
        grounded = asked.groundedness
        if grounded is None:
            reason = why(asked.failures) or "no reply could be understood"
            if asked.failures and all(failed.reason is Reason.MISSING for failed in asked.failures):
                return self._unverified(
                    citation, f"{before}no chat model was given to ask about it", evidence=evidence
                )
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
            Verdict.UNVERIFIED if unreachable or against else Verdict.SUPPORTED,
            "misquoted" if against else "grounded",
            mark=against,
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
            evidence=tuple(evidence),
        )

    def _unverified(self, citation: Citation, reason: str, *, evidence: Sequence[Evidence] = ()) -> Finding:
        return self._finding(
            citation, Verdict.UNVERIFIED, "unknown", score=None, reason=reason, evidence=evidence
        )


def _is_plain(citation: Citation, text: str) -> bool:
    """Whether it is a string in which the title has to be told from the rest.

    A title in quotation marks, emphasised or linked is the title in every reading.
    """
    title = len(citation.reference.title)
    return citation.style in _STRINGS and not _in_marks(citation, text) and 0 < title < len(text) - 4


def _against(match: Match, wrong: Sequence[FieldCheck]) -> str:
    """What speaks against a work that is not known: impossible fields, and an identifier of another work; "" if nothing does."""
    owner = next((check for check in match.fields if check.how == "owner"), None)
    said = impossible(check for check in wrong if check.outcome is Outcome.DIFFERS)
    return "; ".join(filter(None, (said, belongs(owner) if owner else "")))


def _in_marks(citation: Citation, text: str) -> bool:
    """Whether the title stands behind a quotation mark, emphasis or the bracket of a link."""
    at = text.find(citation.reference.title[:30])
    return at > 0 and text[at - 1] in "\"“„«‘'《『「*_["


def _drops_subtitle(said: str, title: str) -> bool:
    """Whether a reading leaves out what follows a colon or a dash of the title that was read first."""
    return re.match(rf"\W*{re.escape(title)}\s?(?:[:：—–]|-\s)", said) is not None


def _by_title_alone(match: Match) -> bool:
    """Whether a work was found, its fields were compared, and nothing but its title agrees."""
    agreeing = {check.field for check in match.fields if check.outcome in {Outcome.CONFIRMED, Outcome.NEAR}}
    return match.status is Status.FOUND and agreeing == {"title"}


def _rest(text: str, title: str) -> str:
    """What a citation says beside its title, without marks at the ends."""
    before, _, after = text.partition(title)
    return " ".join(f"{before} {after}".split()).strip(' .,;:!?"“”„«»*_()[]#-–—')


def _says_more(text: str, title: str, work: Record) -> bool:
    """Whether three words or more beside the title are none of the work's: they may belong to another title."""
    rest = _rest(text, title)
    return len(words(rest)) >= 3 and unexplained(rest, work)


def _same_names(one: Reference, other: Reference) -> bool:
    """Whether two readings name the same people, by their family names."""
    return _families(one) == _families(other)


def _families(said: Reference) -> list[str]:
    return [normalise(parse_name(name).family) for name in said.authors]


def _corroborated(match: Match) -> bool:
    """Whether an author or an identifier agrees beside the title."""
    return any(
        check.outcome is Outcome.CONFIRMED and check.field in {"authors", "doi", "arxiv", "isbn", "pmid"}
        for check in match.fields
    )


def _doubtful(owner: FieldCheck | None) -> str:
    """Why a name that may be no title is neither cleared nor called wrong."""
    if owner is None:
        return "not found, but its title could not be read reliably"
    return f"{belongs(owner)}; whether the answer gives another title could not be read reliably"


def _today() -> tuple[int, int]:
    """Year and month."""
    now = dt.datetime.now(tz=dt.UTC)
    return now.year, now.month


def _opened(bibliography: Bibliography | str | Path | None) -> Bibliography | None:
    if isinstance(bibliography, str | Path):
        from guardrail.references.bibliography.opening import open_bibliography

        return open_bibliography(bibliography)
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
    return "not in the bibliography, which may lack works; "


def _lookup(match: Match) -> Lookup:
    return Lookup(
        status=match.status.value,
        sources=match.sources,
        work=None if match.record is None else _work(match.record),
        similarity=None if match.record is None and match.status is Status.UNREACHABLE else match.similarity,
        exists=match.exists,
        fields=tuple(
            ComparedField(
                field=check.field,
                outcome=check.outcome.value,
                claimed=check.claimed,
                found=check.found,
                note=check.note,
            )
            for check in match.fields
        ),
    )


def _work(record: Record) -> Work:
    return Work(
        title=record.title,
        authors=(*record.authors, "et al.") if record.et_al else record.authors,
        year=record.year,
        venue=record.venue,
        identifier=record.doi or record.arxiv or record.isbn or record.pmid,
        source=record.source,
        retracted=retraction(record),
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
