"""`ReferenceCheck`: finds the references in an answer and says which are made up."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Literal

from guardrail._log import log, notice
from guardrail.backends import MINI_INSTALL
from guardrail.detector import Detector, Scope
from guardrail.engine.backend import Backend
from guardrail.engine.flow import (
    Calls,
    Failed,
    Flow,
    Reply,
    compute,
    gather,
    one,
    within,
)
from guardrail.errors import ConfigError
from guardrail.options import PathOption, option
from guardrail.references.bibliography.backend import BibliographyBackend
from guardrail.references.bibliography.claims import unexplained, words_of
from guardrail.references.bibliography.comparison import as_written
from guardrail.references.bibliography.contradictions import contradictions
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
from guardrail.references.citations.eastern import SCRIPT
from guardrail.references.citations.kinds import is_page
from guardrail.references.citations.model import FIRM
from guardrail.references.citations.silence import may_cite, unread
from guardrail.references.citations.structured import holds_references
from guardrail.references.citations.tagging import packaged_tagger, tagger_installed
from guardrail.references.correcting import with_numbers
from guardrail.references.evidence import lookup_of
from guardrail.references.findings import DOUBTFUL, Findings
from guardrail.references.interrogate import Interrogation, Interviewer, Query
from guardrail.references.model_reader import added, reading
from guardrail.references.opened import opened, with_sources
from guardrail.references.parsing import Parsing
from guardrail.references.quotation import Differences, completed
from guardrail.references.second_reading import (
    STRINGS,
    TRIED,
    exchanged,
    goes_on,
    name_beside,
    read_between,
    read_exchanged,
    rest,
    says_more,
    takes_in_more,
    title_beside,
    unexplained_link,
    with_names_before,
)
from guardrail.references.wording import another, belongs, impossible
from guardrail.report import (
    Case,
    Evidence,
    Finding,
    Scale,
    Signature,
    Span,
    Verdict,
)

Effort = Literal["paper", "fast", "adaptive"]

_DRAWS: dict[str, int] = {"paper": 10, "fast": 1, "adaptive": 10}
# styles of identifiers that names may lead to
_BEFORE_IDENTIFIERS = frozenset({"doi", "arxiv", "pmid", "inline", "unmarked"})
_PARTED = frozenset({*STRINGS, "quoted", "emphasised"})  # styles whose title may have other bounds
_LINE = 120  # characters behind a case that show whether a title begins as it does
_BEHIND = 20  # characters behind a title that show whether it goes on
_NUMBERS = re.compile(r"\d+")
_WORDS_OF_HAN = 6  # characters of East Asian text that say as much as three words
_GOES_ON = re.compile(
    r"\s[a-z][^.;!?\n]{0,80}?\((?P<year>(?:1[5-9]|20)\d\d)"
)  # a title that begins as a case
_LONG = 600  # characters, which take some 5 ms to read
_NAMES_SOMETHING = re.compile(  # a list, a long quotation or emphasis, a year, an address: more than "let me see"
    r"^[ \t]*(?:[-*•]|\W?\d{1,3}[.)\]:])[ \t]|[\"“«*_][^\"”»*_\n]{15,400}[\"”»*_]|(?<!\d)(?:1[5-9]|20)\d\d(?!\d)|https?:|doi",
    re.MULTILINE,
)
_UNREAD = "references in sentences and lists were not read, since "
_NO_NETWORK = f"the network that reads them is not installed: {MINI_INSTALL}"
_BY_GRAMMARS = 'the network that reads them is switched off (reader="grammars")'
_NOBODY = (
    "guardrail: ReferenceCheck() has nothing to look references up in, and this guard no chat model to ask about them, so none can be "
    "verified: write ReferenceCheck(bibliography='refs.bib') or ReferenceCheck(sources=['crossref', 'openalex', 'arxiv']), or "
    "Guard(…, chat=OpenAIChat('gpt-5-mini')). Shown once"
)


class ReferenceCheck(Detector):
    """Judges every reference of an answer: by look-up first, then by asking the model about it.

    One finding per reference. `score` = 1 − groundedness in [0, 1]; a look-up that settles the matter gives 0
    (real) or 1 (an accusation). Labels: "verified", "grounded", "fabricated", "misquoted", "retracted", "unknown".
    A real work with a wrong detail is "misquoted": unsupported if the difference is an accusation (see
    `differences`), else unverified, with a mark that says what is right.

    Without a bibliography and sources the guard's chat model is asked. Without that, too, references are "unknown", and the log says so once.

    Raises:
        ConfigError: an option is not one of those above.
        IndexFault: the bibliography's file is no usable index.
        MissingExtra, WeightsMissing: `reader="network"`, and the network or what runs it is not installed.

    Source: [agrawal2024]; differs: exact parsing, fenced prompts, local agreement, look-up, the claim as witness.
    """

    name: ClassVar[str] = "references"
    version: ClassVar[str] = "1"
    scope: ClassVar[Scope] = "answer"
    scale: ClassVar[Scale] = Scale(unit="1 − groundedness")
    elsewhere: ClassVar[Mapping[str, str]] = {
        "complete": "An index says so itself: run guardrail references index add library.sqlite refs.bib --complete, and write "
        "bibliography='library.sqlite'.",
        "online": "Catalogues are named: write sources=['crossref', 'openalex', 'arxiv'].",
    }

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
        help="unsupported from this score on; `guardrail calibrate` finds a threshold from labelled answers",
    )
    draws: int | None = option(default=None, least=1, help="replies per direct query; None = by effort")
    logprobs: int | None = option(
        default=None,
        least=1,
        most=20,
        help="alternatives per token to request; P(yes) then comes from one reply, if the model returns "
        "log-probabilities. None = request none",
    )
    reader: Literal["auto", "network", "grammars", "model"] = option(
        default="auto",
        help="who reads the references: network = a small network, and grammars; grammars = alone, so only links, "
        "identifiers, BibTeX and other structured entries, law, and titles in Chinese, Japanese and Korean brackets are read, and a "
        "finding says that the rest was not; auto = the network if guardrail-citations-mini is installed; model = as auto, and also "
        "the judge model, once for each answer: what it finds beyond that can be cleared, and is never called wrong",
    )
    max_references: int = option(
        default=50, least=1, help="references to examine; the rest is unverified, and the report says so"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.queries:
            raise ConfigError("expected one query or more, got none: leave queries out for the paper's four")
        self.bibliography = searched = opened(self.bibliography)
        self.sources = tuple(self.sources)
        if self.sources:
            searched = with_sources(searched, self.sources)
        self._backend = None if searched is None else BibliographyBackend(searched)
        self.queries = tuple(self.queries)
        by_network = self.reader == "network" or (self.reader != "grammars" and tagger_installed())
        if self.reader == "auto":
            self.reader = "network" if by_network else "grammars"
        self._tagger = packaged_tagger() if by_network else None
        self._has_warned = False
        self.agreement = self.agreement or ("model" if self.effort == "paper" else "local")
        self.draws = self.draws if self.draws is not None else _DRAWS[self.effort]
        self._findings = Findings(
            self.name, self.differences, self.threshold, self._backend is not None, bool(self.sources)
        )
        self._interviewer = Interviewer(
            queries=self.queries,
            draws=self.draws,
            agreement=self.agreement,
            parsing=self.parsing,
            fenced=self.prompts == "fenced",
            logprobs=self.logprobs,
            stop_at=self.threshold if self.effort == "adaptive" else None,
        )

    def signature(self) -> Signature:
        """See the base class; with `reader="model"`, whether the network read, too."""
        made = super().signature()
        if self.reader != "model" or self._tagger is not None:
            return made
        return made.model_copy(update={"parameters": made.parameters | {"reader": "model, no network"}})

    @property
    def needs_models(self) -> bool:
        """Never: some references are wrong in themselves, and a look-up settles more."""
        return False

    def backends(self) -> Mapping[str, Backend[Any]]:
        """The bibliography, if there is one."""
        return {} if self._backend is None else {Find.lane: self._backend}

    def reads_record(self, text: str) -> bool:
        """Where there are references in it: their fields belong together."""
        return holds_references(text)

    def cost(self, case: Case) -> Calls:
        """Look-ups, and questions: the least if all is settled by look-up or at the first round."""
        cited = [one for one in self._citations(case) if one.means is None][: self.max_references]
        titles = [one.reference.title for one in cited if one.reference.title and one.style != "legal"]
        asked = dict(self._interviewer.calls(titles))
        read = int(self.reader == "model")
        looked_up = len({citation.reference for citation in cited if citation.style != "author-year"})
        if self._backend is not None:
            further = self.max_references - len(cited) if read else 0
            further += TRIED * len({one.reference for one in cited if one.style in _PARTED})
            further += sum(len(exchanged(one)) for one in cited)
            asked = {route: (0, most) for route, (_, most) in asked.items()}
            asked = {Find.lane: (looked_up, looked_up + further)} | asked
        if read:
            least, most = asked.get("chat:judge", (0, 0))
            asked["chat:judge"] = (least + read, most + read)
        return asked

    def examine(self, case: Case) -> Flow[list[Finding]]:
        """One branch per reference, each at its own speed."""
        if (
            self._tagger or len(case.answer) > _LONG
        ):  # 1 ms or more for 100 characters: not on somebody's event loop
            cited, left_out = yield from compute(self._read, case)
        else:
            cited, left_out = self._read(case)
        failed = ""
        if self.reader == "model":
            cited, failed = yield from self._read_by_model(case, cited)
        silent = [
            self._findings.not_read(span, case.answer, reason)
            for span, reason in left_out[: self.max_references]
        ]
        if failed:
            silent.append(self._findings.not_read(None, case.answer, failed))
        if self._tagger is None and (may_cite(case.answer, cited) or asks_for_references(case.question)):
            why = _BY_GRAMMARS if tagger_installed() else _NO_NETWORK
            silent.append(self._findings.not_read(None, case.answer, _UNREAD + why))
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
            self._check(citation, case.answer, shown, len([t for t in titles[:i] if t]))
            for i, citation in enumerate(examined)
        )
        findings = [
            self._findings.unverified(citation, f"{result.reason}: {result.detail}")
            if isinstance(result, Failed)
            else result
            for citation, result in zip(examined, results, strict=True)
        ]
        reason = f"only the first {self.max_references} references are examined (max_references)"
        left = [self._findings.unverified(citation, reason) for citation in cited[self.max_references :]]
        entries = {finding.span: finding for finding in (*findings, *left)}
        meant = [self._findings.of_its_entry(mark, entries.get(mark.means)) for mark in marks]
        return [*findings, *left, *silent, *meant]

    # -- one reference

    def _citations(self, case: Case) -> list[Citation]:
        asked = asks_for_references(case.question)
        question = case.question or ""
        return citations(case.answer, asked_for_references=asked, tagger=self._tagger, question=question)

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

    def _check(self, citation: Citation, answer: str, titles: Sequence[str], position: int) -> Flow[Finding]:
        text = citation.span.of(answer)
        if citation.style == "author-year":
            return self._findings.unverified(
                citation, "no title is given, and no reference in the answer has these authors and this year"
            )
        evidence: list[Evidence] = []
        wrong = contradictions(citation.reference, today=_today())
        match = Match(Status.UNREACHABLE)
        before = ""
        if self._backend is not None:
            looked_up = yield from one(Find(citation.reference))
            match = Match(Status.UNREACHABLE) if isinstance(looked_up, Failed) else looked_up.value
            if citation.style in FIRM:
                match = as_written(citation.reference, match)
            before = _why_open(looked_up, by_sources=bool(self.sources))
            if match.status is not Status.UNREACHABLE:  # who did not answer is not asked three times more
                citation, match = yield from self._other_readings(citation, answer, match)
        match = with_numbers(completed(match, wrong), citation, text)
        if doubt := _doubt(citation, answer, match):
            return self._findings.unverified(citation, doubt, evidence=[lookup_of(match)])
        settled = self._findings.from_look_up(citation, text, match, wrong)
        if settled is not None:
            return settled
        if self._backend is not None or wrong:
            evidence.append(lookup_of(match))
        if against := _against(match, wrong):
            before += f"{against}; "
        if citation.style == "legal":
            return self._findings.unverified(
                citation,
                f"{before}cases and laws are looked up only: no model is asked about them",
                evidence=evidence,
            )
        title = citation.reference.title
        if not title or citation.style in DOUBTFUL or is_page(citation.reference):
            said = "its title could not be read reliably" if title else "no title is given"
            said = said if not title or citation.style in DOUBTFUL else "it may be a page of the web"
            return self._findings.unverified(citation, f"{before}{said}", evidence=evidence)
        asked = yield from self._ask(citation.reference, titles, position)
        if isinstance(asked, Failed):
            return self._findings.unverified(citation, f"{before}{asked}", evidence=evidence)
        return self._findings.from_replies(citation, asked, before, evidence, against)

    def _ask(
        self, reference: Reference, titles: Sequence[str], position: int
    ) -> Flow[Interrogation | Failed]:
        """What the model says of a work."""
        asked = yield from within(
            self._interviewer.interrogate(reference, titles, position),
            calls=self._interviewer.calls([reference.title]),
        )
        nobody = self._backend is None and not isinstance(asked, Failed) and asked.nobody_asked
        if nobody and not self._has_warned:  # no sooner: this detector does not know its guard
            self._has_warned = True
            log.warning("nobody_to_ask", detector=self.name)
            notice(_NOBODY)
        return asked

    def _other_readings(self, citation: Citation, answer: str, match: Match) -> Flow[tuple[Citation, Match]]:
        """Other readings of a reference, as long as the look-up confirms none."""
        how = self.differences
        if citation.style in STRINGS and takes_in_more(citation, match, how):
            citation = replace(citation, style="labelled")
        if citation.style in _PARTED and match.exists is False:
            citation, match = yield from read_between(citation, answer, match, how)
        if match.exists is False:
            citation, match = yield from read_exchanged(citation, match, how)
        return citation, with_names_before(citation, answer, match)


def _against(match: Match, wrong: Sequence[FieldCheck]) -> str:
    """What speaks against a work that is not known: impossible fields, and an identifier of another work; "" if nothing does."""
    owner = next((check for check in match.fields if check.how == "owner"), None)
    said = impossible(check for check in wrong if check.outcome is Outcome.DIFFERS)
    return "; ".join(filter(None, (said, belongs(owner) if owner else "")))


def _by_others(citation: Citation, work: Record) -> bool:
    """Whether none of the names before an identifier is an author's: "Llama & Mistral 2023: arXiv:…" names no authors, perhaps."""
    said = citation.reference
    if (
        citation.style not in _BEFORE_IDENTIFIERS
        or not said.authors
        or not (said.doi or said.arxiv or said.pmid)
    ):
        return False
    return bool(work.authors) and words_of(said.authors).isdisjoint(words_of(work.authors))


def _doubt(citation: Citation, answer: str, match: Match) -> str:
    """Why a title of which nothing else agrees, or an identifier without one, does not verify its work; "" where nothing speaks against it."""
    work = match.record
    if work is None:
        return ""
    text, title, behind = citation.span.of(answer), citation.reference.title, answer[citation.span.end :]
    named, legal = f"“{work.title[:200]}”", citation.style == "legal"
    if not title and (unread := title_beside(citation, answer, work)):
        return f"a work with this identifier exists, {named}, but “{unread}” could not be compared"
    if not title and _by_others(citation, work):
        names = "; ".join(citation.reference.authors)[:100]
        return f"a work with this identifier exists, {named}, but “{names}” did not write it, or is no name"
    if legal and match.status is Status.FOUND and (unread := name_beside(citation, answer, work)):
        return f"a law with this number exists, {named}, but “{unread}” could not be compared"
    if legal and _may_be_another(citation, match, work, behind[:_LINE]):
        what = "it has authors, as no case or law has"
        if not work.authors:
            what = f"“{citation.reference.venue[:60]}” could not be compared, and others may have this name"
        return f"{named} exists, but {what}"
    if not _by_title_alone(match):
        return ""
    left = ""
    if citation.style == "unmarked" and SCRIPT.search(
        title
    ):  # 宮本常一が1960年に未來社から出した『材料力学』
        left = rest(text, title)
        left = left if len(left) >= _WORDS_OF_HAN and unexplained(left, work) else ""
    left = left or unexplained_link(text, title, work)
    if not left and citation.style in STRINGS:
        if says_more(text, title, work):
            left = rest(text, title)
        elif goes_on(text, behind[:_BEHIND], match):
            return f"it may be “{work.title}”, but what follows the title may be another subtitle"
    return f"a work with this title exists, but “{left[:200]}” could not be compared" if left else ""


def _may_be_another(citation: Citation, match: Match, work: Record, behind: str) -> bool:
    """Whether a work of the name of a case or a law may be another one: it has authors, or is reported in another place, as far as that can be told.

    A year is a part of the place: R v Smith [1974] QB 354 and [1974] QB 999 are two cases.
    """
    longer = _GOES_ON.match(behind)
    cited = citation.reference
    # A volume ends what is said of a case: 5 U.S. 137 (1803) and strengthened in Cooper (1958)
    if longer and not cited.volume and cited.year and int(longer["year"]) != cited.year:
        return True
    if work.authors or cited.volume:
        return bool(work.authors)
    said, known = (set(_NUMBERS.findall(place)) for place in (cited.venue, work.venue))
    if said and known:
        return not (said <= known or known <= said)
    reported = any(check.field == "venue" and check.outcome is Outcome.OPEN for check in match.fields)
    return reported and _by_title_alone(match)


def _by_title_alone(match: Match) -> bool:
    """Whether a work was found, its fields were compared, and nothing but its title agrees."""
    agreeing = {check.field for check in match.having(Outcome.CONFIRMED, Outcome.NEAR)}
    return match.status is Status.FOUND and agreeing == {"title"}


def _today() -> tuple[int, int]:
    """Year and month."""
    now = dt.datetime.now(tz=dt.UTC)
    return now.year, now.month


def _why_open(reply: Reply[Match], *, by_sources: bool) -> str:
    silent = "a source" if by_sources else "the bibliography"
    if isinstance(reply, Failed):
        return f"{silent} did not answer ({reply}); "
    other = another(reply.value)
    if reply.value.status is Status.UNREACHABLE:
        return f"{f'{other}, and ' if other else ''}{silent} did not answer ({reply.value.detail}); "
    if other:
        return f"{other}, and {'the sources' if by_sources else 'the bibliography'} may lack this one; "
    return "not in the bibliography, which may lack works; "
