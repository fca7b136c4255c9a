"""What is examined and what was found: the types that users read and that travel as JSON.

`Case` goes in, `Report` comes out. Both are pydantic models; `Report.model_json_schema(mode="serialization")` is the
published wire format (`guardrail schema`). Undefined is never zero: a score is a finite number or `None` with a reason.
"""

from __future__ import annotations

import importlib
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from enum import StrEnum
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, computed_field, model_validator

from guardrail._version import __version__
from guardrail._visible import one_line
from guardrail.engine.flow import Cost, Reason
from guardrail.errors import GuardrailError, InputError
from guardrail.given import content
from guardrail.given.accepted import Documents, Given, Prompt, Sayings
from guardrail.given.citations import citations_of
from guardrail.given.documents import gathered
from guardrail.given.recognition import shown
from guardrail.given.sources import Source
from guardrail.options import one_of
from guardrail.requests import Cited, Message, TokenLogprob, Untrusted

__all__ = [
    "Action",
    "Attribution",
    "Blocked",
    "Case",
    "Cited",
    "ComparedField",
    "CostBreakdown",
    "Decision",
    "DetectorFailure",
    "Edit",
    "Evidence",
    "Example",
    "Finding",
    "Lookup",
    "Measurement",
    "Passage",
    "Proof",
    "Replies",
    "Report",
    "Scale",
    "Signature",
    "Source",
    "Span",
    "Verdict",
    "Work",
    "worst",
]


_LISTS = (tuple, list)
_TEXTS = (
    Cited,
    Message,
    Source,
    TokenLogprob,
    Untrusted,
)  # not a union in the call: it would be made anew each time
_NO_TEXT = frozenset({int, float, bool, type(None)})
_HALF = re.compile("[\ud800-\udfff]")
_JOINED = r"[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"  # letters of scripts whose words are parted
_PLAIN = re.compile(r"[\w .,;:&/+%$€£¥°–'’-]{1,200}")
_LONGEST_NAME = 80  # characters of a document's name


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="null", allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _whole_characters(cls, data: Any) -> Any:
        """Half an emoji, cut by a token limit, has no form in JSON: one replacement character stands for it."""
        if not isinstance(data, dict):
            return data
        changed = {}
        for name, value in data.items():
            if type(value) not in _NO_TEXT and (new := _whole(value)) is not value:
                changed[name] = new
        return {**data, **changed} if changed else data


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        return value if value.isascii() else _HALF.sub("\ufffd", value)
    if isinstance(value, _LISTS):
        for part in value:
            if type(part) not in _NO_TEXT and _whole(part) is not part:
                return type(value)([_whole(part) for part in value])  # of named tuples there are none
        return value
    if isinstance(value, _TEXTS):
        parts = {field.name: getattr(value, field.name) for field in fields(value)}
        changed = {name: new for name, part in parts.items() if (new := _whole(part)) is not part}
        return replace(value, **changed) if changed else value
    return value


class Verdict(StrEnum):
    """Three states: "could not check" is never "clean"."""

    SUPPORTED = "supported"
    UNSUPPORTED = "unsupported"
    UNVERIFIED = "unverified"


_SEVERITY = {Verdict.SUPPORTED: 0, Verdict.UNVERIFIED: 1, Verdict.UNSUPPORTED: 2}


def worst(verdicts: Iterable[Verdict | None]) -> Verdict | None:
    """The most serious of some verdicts: unsupported, then unverified, then supported; `None` where nothing is claimed."""
    return max((one for one in verdicts if one is not None), key=_SEVERITY.__getitem__, default=None)


class Span(_Model):
    """A half-open range of Unicode code points of the answer: `answer[start:end]`."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)

    @model_validator(mode="after")
    def _ordered(self) -> Span:
        if self.end < self.start:
            raise ValueError(f"a span ends at or after its start, got {self.start}..{self.end}")
        return self

    def of(self, text: str) -> str:
        """The text that the span covers."""
        return text[self.start : self.end]

    def overlaps(self, other: Span) -> bool:
        """Whether the two share a character."""
        return self.start < other.end and other.start < self.end


class Scale(_Model):
    """What a detector's scores mean, said once on its class. Larger always means more likely made up.

    Attributes:
        least: the smallest score; `None` = no lower bound.
        most: the largest; `None` = no upper bound.
        unit: of the scores.
        meaning: what a larger score means.
        sentences: whether findings give a score to every sentence, so that pages and terminals show them as a table.
    """

    least: float | None = 0.0
    most: float | None = 1.0
    unit: str = ""
    meaning: str = "larger = more likely made up"
    sentences: bool = False


class Example(_Model):
    """One solved example of a few-shot prompt."""

    input: str
    label: str


class Case(_Model):
    """One answer to examine, with whatever the user already has; nothing given is generated again.

    Attributes:
        answer: the answer under test. Hostile input.
        messages: what was sent to the model, oldest first.
        context: documents that the answer should rest on.
        sources: where each of them came from; empty where nobody said so.
        unread: names of documents that came with the request and whose text could not be read (a PDF, an image).
        samples: other answers of the same model to the same messages.
        logprobs: the answer's tokens with their log-probabilities.
        examples: solved examples, for few-shot prompts.
        citations: those that the model's service gives apart from the text.
    """

    answer: str
    messages: tuple[Message, ...] = ()
    context: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    unread: tuple[str, ...] = ()
    samples: tuple[str, ...] = ()
    logprobs: tuple[TokenLogprob, ...] = ()
    examples: tuple[Example, ...] = ()
    citations: tuple[Cited, ...] = ()

    @model_validator(mode="after")
    def _each_has_a_source(self) -> Self:
        if self.sources and len(self.sources) != len(self.context):
            raise ValueError(
                f"expected a source for each of {len(self.context)} documents, or none, got {len(self.sources)}"
            )
        return self

    @model_validator(mode="before")
    @classmethod
    def _stored_form(cls, data: Any) -> Any:
        """What users have at hand is for `of`; nothing that is in the JSON of a report is refused here."""
        for name, value in data.items() if isinstance(data, dict) else ():
            alone = name in {"messages", "context", "samples"} and isinstance(value, str)
            if name == "prompt" or alone or (name == "answer" and value is None):
                argument = "" if name == "answer" else f"{'prompt' if name == 'messages' else name}="
                raise InputError(
                    f"a Case takes {', '.join(cls.model_fields)} in their stored form, got {name}={shown(value)}: "
                    f"write Case.of({f'answer, {argument}…' if argument else 'None'})"
                )
        return data

    @classmethod
    def of(
        cls,
        answer: Given,
        *,
        prompt: Prompt = None,
        context: Documents = None,
        samples: Sayings = None,
        logprobs: Sequence[TokenLogprob] | None = None,
        citations: Sequence[Cited] | None = None,
    ) -> Case:
        """Build a case from what users have at hand: texts, or objects of OpenAI and LangChain (see `Guard.check`).

        Documents that are given take the place of those that the prompt and the answer bring along (results of tools,
        document blocks, what a search found): with `context=()` there are none.

        Raises:
            InputError: something cannot be read; the message says what to write.
        """
        text, tokens = content.answer_of(answer)
        turns = content.turns(prompt)
        found = gathered(turns, response=answer) if context is None else content.documents(context)
        return cls(
            answer=text,
            messages=content.messages(turns),
            context=found.texts,
            sources=found.sources,
            unread=found.unread,
            samples=content.samples(samples),
            logprobs=tuple(logprobs or tokens),
            citations=citations_of(answer, text) if citations is None else tuple(citations),
        )

    @property
    def document_names(self) -> tuple[str, ...]:
        """What a person calls the documents: their number, and where they came from if that is known.

        Example:
            >>> Case.of("", context=["Yes.", {"text": "No.", "title": "manual.pdf"}]).document_names
            ('document 1', 'document 2 (manual.pdf)')
        """
        named = self.sources or (Source(),) * len(self.context)
        labels = [one_line(str(source), _LONGEST_NAME) for source in named]
        return tuple(f"document {i}" + (f" ({label})" if label else "") for i, label in enumerate(labels, 1))

    @property
    def question(self) -> str:
        """The last user message, or ""."""
        return next((m.text for m in reversed(self.messages) if m.role == "user"), "")


def _finite(value: float | None) -> float | None:
    if value is not None and not math.isfinite(value):
        raise ValueError("a score is a finite number, or None with a reason")
    return value


Finite: TypeAlias = Annotated[float | None, AfterValidator(_finite)]


class Measurement(_Model):
    """A named number, with its interval where one is known."""

    kind: Literal["measurement"] = "measurement"
    name: str
    value: Finite
    interval: tuple[float, float] | None = None
    note: str = ""


class Replies(_Model):
    """What a model replied to one question, and how each reply was read (`None`: not understood)."""

    kind: Literal["replies"] = "replies"
    query: str
    texts: tuple[str, ...]
    read: tuple[str | None, ...] = ()


class Work(_Model):
    """A real work, as a bibliography has it."""

    title: str
    authors: tuple[str, ...] = ()
    year: int | None = None
    venue: str = ""
    identifier: str = ""
    source: str = ""
    retracted: str = ""


class ComparedField(_Model):
    """One field of a quotation, compared with the real work.

    Attributes:
        field: its name ("authors", "year", "doi").
        outcome: `near` is not the same and no error, as a year between preprint and print.
        claimed: as quoted.
        found: what the work has; "" where that is not known.
        note: how the two compare, in a few words.
    """

    field: str
    outcome: Literal["confirmed", "near", "differs", "not compared"]
    claimed: str
    found: str = ""
    note: str = ""


class Lookup(_Model):
    """What a bibliography said: whether the work exists, and field by field what is quoted right.

    Attributes:
        status: `absent` only if every source asked answered.
        sources: who was asked.
        work: the one that was found, or the nearest.
        similarity: of the titles.
        exists: `None` where that is not known.
        fields: one for each that was claimed, compared with `work`.
        differences: of reports that were written before there were `fields`; empty in new ones.
    """

    kind: Literal["lookup"] = "lookup"
    status: Literal["found", "absent", "unreachable"]
    sources: tuple[str, ...] = ()
    work: Work | None = None
    similarity: Finite = None
    exists: bool | None = None
    fields: tuple[ComparedField, ...] = ()
    differences: tuple[str, ...] = ()


class Passage(_Model):
    """A text that speaks for or against the finding: a sample, a document, a retrieved sentence."""

    kind: Literal["passage"] = "passage"
    source: str
    text: str
    score: Finite = None


class Proof(_Model):
    """The steps from known facts to the verdict, in plain words."""

    kind: Literal["proof"] = "proof"
    steps: tuple[str, ...]


class Attribution(_Model):
    """A mark of citation, what it is for, and whether its source says so.

    Attributes:
        mark: as it is in the answer.
        span: where it is.
        claim: where the words are that it is for.
        support: of these by the source: "elsewhere" = another source of the answer says it; "not at hand" = it points to no document.
        documents: the names of those that it points to.
        says: the names of those that say it.
    """

    kind: Literal["attribution"] = "attribution"
    mark: str
    span: Span
    claim: Span
    support: Literal["yes", "in part", "contradicts", "elsewhere", "silent", "not at hand"]
    documents: tuple[str, ...] = ()
    says: tuple[str, ...] = ()


Evidence: TypeAlias = Annotated[
    Measurement | Replies | Lookup | Passage | Proof | Attribution, Field(discriminator="kind")
]


class Edit(_Model):
    """A replacement of one span of the examined answer."""

    span: Span
    replacement: str
    why: str = ""

    @classmethod
    def of_one(cls, said: str, known: str, *, within: Span, text: str, why: str) -> Edit | None:
        """The edit that puts one text in the place of another; `None` unless that occurs in a stretch of the answer exactly once.

        Only plain words are put in: neither markup nor what could end a string of JSON.

        Args:
            said: what is replaced.
            known: by what.
            within: where the stretch is in the answer.
            text: what is written there.
            why: of the edit.
        """
        if not said or said == known or not _PLAIN.fullmatch(known):
            return None
        at = text.find(said)
        if (
            at < 0
            or text.count(said) != 1
            or re.search(rf"(?<!{_JOINED}){re.escape(said)}(?!{_JOINED})", text) is None
        ):
            return None
        start = within.start + at
        return cls(span=Span(start=start, end=start + len(said)), replacement=known, why=why)


class Finding(_Model):
    """One span of the answer (or the whole), judged by one detector.

    Attributes:
        detector: its name.
        span: where in the answer; `None` means the whole answer.
        text: what is written there.
        score: in the detector's `Scale`, larger = more likely made up; `None` = could not be scored.
        verdict: supported, unsupported or unverified; `None` where nothing is claimed that could be either, such as a greeting. No
            policy touches that, and it does not count in the report's verdict.
        label: the detector's own word for what it found ("fabricated", "misquoted").
        mark: what an annotation says, without brackets ("no such work found").
        reason: one sentence for a person; says why where there is no score.
        evidence: what the verdict rests on.
        corrections: edits of the answer that put it right, where the evidence is one and certain; each is inside `span`.
    """

    detector: str
    span: Span | None = None
    text: str = ""
    score: Finite = None
    verdict: Verdict | None
    label: str = ""
    mark: str = ""
    reason: str = ""
    evidence: tuple[Evidence, ...] = ()
    corrections: tuple[Edit, ...] = ()

    @property
    def word(self) -> str:
        """The verdict in a word; "nothing claimed" where there is none."""
        return self.verdict.value if self.verdict is not None else "nothing claimed"

    @property
    def attribution(self) -> Attribution | None:
        """The mark of citation that the finding is about, with its claim and its sources; `None` if it is about something else."""
        return next((one for one in self.evidence if one.kind == "attribution"), None)

    @property
    def passages(self) -> tuple[Passage, ...]:
        """Of each document in the evidence its best passage: those that say the claim first, then those that support it most.

        Of a document that contradicts a claim it is the one that is quoted first, since that shows the contradiction.
        """
        attribution = self.attribution
        contradicts = attribution is not None and attribution.support == "contradicts"
        says = attribution.says if attribution is not None else ()
        best: dict[str, Passage] = {}
        for one in self.evidence:
            if one.kind == "passage":
                first = best.setdefault(one.source, one)
                if (one.score or 0.0) > (first.score or 0.0) and not contradicts:
                    best[one.source] = one
        return tuple(sorted(best.values(), key=lambda one: (one.source not in says, -(one.score or 0.0))))

    @model_validator(mode="after")
    def _says_why(self) -> Finding:
        if not self.reason and (self.verdict is Verdict.UNVERIFIED or self.score is None):
            raise ValueError("a finding that is unverified or has no score says why in `reason`")
        return self


class DetectorFailure(_Model):
    """A detector that could not finish; the answer and the other detectors' work are unharmed."""

    detector: str
    reason: Reason
    detail: str = ""
    traceback: str = ""


class Signature(_Model):
    """Where a score comes from; `str()` gives one line, `detector` and `parameters` re-create it."""

    detector: str
    version: str
    parameters: dict[str, Any] = {}
    package: str = __version__

    def __str__(self) -> str:
        options = "|".join(
            f"{k}:{json.dumps(v, ensure_ascii=False)}" for k, v in sorted(self.parameters.items())
        )
        return f"{self.detector}|version:{self.version}|{options}|guardrail:{self.package}".replace("||", "|")


class CostBreakdown(_Model):
    """What the guard call cost.

    Attributes:
        total: everything spent.
        paid: per owner; a shared request is split evenly, so these add up to `total`.
        alone: per owner, what it would have cost by itself.
        wall_seconds: time by the clock.
        elapsed: per detector, seconds from the start of the examination until it was done. Detectors run alongside each
            other, so these do not add up; the largest is what the examination took.
    """

    total: Cost = Cost()
    paid: dict[str, Cost] = {}
    alone: dict[str, Cost] = {}
    wall_seconds: float = 0.0
    elapsed: dict[str, float] = {}

    @property
    def detectors(self) -> Cost:
        """What detectors asked, without the answers that they examined: those are paid by `"guard"`."""
        return sum((cost for owner, cost in self.paid.items() if owner != "guard"), Cost())

    def line(self, *, model: str = "model") -> str:
        """Calls, tokens and time, in words.

        Args:
            model: what was asked.

        Example:
            >>> CostBreakdown(total=Cost(2, 30, 10), wall_seconds=0.5).line()
            '2 model calls, 40 tokens, 0.50 s'
        """
        calls = self.total.calls
        asked = f"{calls:,.0f} {model} call{'s' if calls != 1 else ''}" if calls else f"no {model} was asked"
        tokens = f", {self.total.tokens:,.0f} tokens" if self.total.tokens else ""
        return f"{asked}{tokens}, {self.wall_seconds:.2f} s"


class Action(StrEnum):
    """What a policy did, mildest first."""

    PASS = "pass"  # noqa: S105  # not a password
    FLAG = "flag"
    ANNOTATE = "annotate"
    CORRECT = "correct"
    REMOVE = "remove"
    REGENERATE = "regenerate"
    BLOCK = "block"


class Decision(_Model):
    """What the policy made of the answer.

    Attributes:
        action: the strongest thing done.
        answer: the text to show; a blocked answer's is the policy's refusal message.
        edits: in the order of the examined answer.
        attempts: how many answers were generated, the first included.
        note: one sentence for a person.
    """

    action: Action
    answer: str
    edits: tuple[Edit, ...] = ()
    attempts: int = 1
    note: str = ""


_FOLLOWING = frozenset({"answer", "verdict", "action"})  # the fields that a report computes
_SCHEMA_VERSION = 1


class Report(_Model):
    """The case, all findings, failures of detectors, cost, and what the policy did.

    `case.answer` is the text that was examined (the last one kept, if several were generated);
    `answer` is the text to show; `signatures` and `scales` say per detector where its scores come from and what
    they mean. `print(report)` is for people, and a notebook shows the page of `guardrail.html`.
    """

    case: Case
    findings: tuple[Finding, ...] = ()
    failures: tuple[DetectorFailure, ...] = ()
    cost: CostBreakdown = CostBreakdown()
    decision: Decision
    signatures: dict[str, str] = {}
    scales: dict[str, Scale] = {}
    schema_version: int = _SCHEMA_VERSION

    @model_validator(mode="before")
    @classmethod
    def _without_what_follows(cls, data: Any) -> Any:
        """JSON has the answer, the verdict and the action for whoever reads it; here they follow from the rest."""
        if not isinstance(data, dict):
            return data
        if (version := data.get("schema_version", _SCHEMA_VERSION)) != _SCHEMA_VERSION:
            raise ValueError(
                f"expected schema_version {_SCHEMA_VERSION}, got {version!r}: update guardrail-sdk to read this report"
            )
        return {name: value for name, value in data.items() if name not in _FOLLOWING}

    @computed_field  # type: ignore[prop-decorator]  # mypy knows no decorated property
    @property
    def answer(self) -> str:
        """The text to show, after the policy."""
        return self.decision.answer

    @computed_field  # type: ignore[prop-decorator]
    @property
    def verdict(self) -> Verdict | None:
        """The worst over findings and failures; `None` if nothing is claimed that a detector examines."""
        found = [finding.verdict for finding in self.findings]
        return worst([*found, Verdict.UNVERIFIED] if self.failures else found)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def action(self) -> Action:
        """What the policy did with the answer: the strongest thing done."""
        return self.decision.action

    @property
    def blocked(self) -> bool:
        """Whether the policy blocked the answer."""
        return self.action is Action.BLOCK

    @property
    def judged(self) -> tuple[Finding, ...]:
        """The findings with a verdict: those on what the answer claims."""
        return tuple(finding for finding in self.findings if finding.verdict is not None)

    @property
    def notes(self) -> tuple[Finding, ...]:
        """What detectors say of the whole answer without a verdict, such as how well it cites."""
        return tuple(one for one in self.findings if one.verdict is None and one.span is None)

    def with_verdict(self, verdict: Verdict) -> tuple[Finding, ...]:
        """The findings of one verdict.

        Raises:
            ConfigError: there is no such verdict.
        """
        one_of("verdict", verdict, tuple(Verdict))
        return tuple(finding for finding in self.findings if finding.verdict == verdict)

    def summary(self) -> dict[str, Any]:
        """What may travel with an edited answer: no text of it, so that nothing removed leaks.

        Verdict, action, number of documents, number of findings by verdict, scores and marks, cost of the check: the answers
        themselves are counted by `attempts`.
        """
        counts = Counter(finding.verdict for finding in self.findings)
        return {
            "verdict": self.verdict,
            "action": self.decision.action,
            "attempts": self.decision.attempts,
            "documents": len(self.case.context),
            "counts": {verdict.value: counts[verdict] for verdict in Verdict},
            "findings": [
                {"detector": f.detector, "score": f.score, "verdict": f.verdict, "label": f.label}
                for f in self.findings
            ],
            "failures": [{"detector": f.detector, "reason": f.reason} for f in self.failures],
            "calls": self.cost.detectors.calls,
            "tokens": self.cost.detectors.tokens,
            "seconds": self.cost.wall_seconds,
        }

    def __str__(self) -> str:
        """The verdict, a line per finding and failure, what the policy did, and the cost."""
        counts = [(len(self.with_verdict(verdict)), verdict.value) for verdict in _PRINTED]
        counted = ", ".join(f"{count} {word}" for count, word in counts if count)
        note = f" ({one_line(self.decision.note, 200)})" if self.decision.note else ""
        return "\n".join(
            [
                (self.verdict.value if self.verdict else "nothing to check")
                + (f" ({counted})" if counted else ""),
                *(f"- {_printed(finding)}" for finding in self.judged),
                *(
                    f"- {one_line(failure.detector, 40)} could not finish: {failure.reason} {one_line(failure.detail, 200)}".rstrip()
                    for failure in self.failures
                ),
                *(f"note: {one_line(finding.reason, 400)}" for finding in self.notes),
                *([f"not read: {one_line('; '.join(self.case.unread), 400)}"] if self.case.unread else []),
                f"policy: {self.decision.action}{note}",
                f"cost: {self.cost.line()}",
            ]
        )

    def __repr__(self) -> str:
        verdict = self.verdict.value if self.verdict else None
        return (
            f"<Report verdict={verdict!r} findings={len(self.findings)} failures={len(self.failures)} "
            f"action={self.decision.action.value!r}>"
        )

    def _repr_html_(self) -> str:
        """The page, for a notebook: in a frame of its own, so that neither changes the other."""
        # By name: the page knows the report, and is loaded by whoever looks at one.
        return str(importlib.import_module("guardrail.html").framed(self))


_PRINTED = (Verdict.UNSUPPORTED, Verdict.UNVERIFIED, Verdict.SUPPORTED)


def _printed(finding: Finding) -> str:
    """A finding in one line: its verdict, what it is about, the score and why."""
    text = one_line(finding.text, 80) or "the whole answer"
    score = "" if finding.score is None else f" ({finding.score:.2f})"
    words = dict.fromkeys(filter(None, (one_line(finding.mark, 80), one_line(finding.reason, 200))))
    return f"{finding.word}: {text}{score}" + (f": {'; '.join(words)}" if words else "")


class Blocked(GuardrailError):
    """The policy blocked the answer.

    Attributes:
        report: the report, with the findings that decided.
    """

    def __init__(self, message: str, *, report: Report) -> None:
        self.report = report
        super().__init__(message)
