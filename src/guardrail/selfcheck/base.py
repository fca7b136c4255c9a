"""What the variants of SelfCheck share: sentences, samples, rounds, verdicts.

`SentenceCheck.examine` is the flow of all of them. Those that compare with other answers or documents are
`SampledCheck`s, and those that may stop drawing early `StoppingCheck`s.
"""

from __future__ import annotations

import math
import pkgutil
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal, TypeAlias, TypeVar

from guardrail import backends
from guardrail.detector import Detector, Resource, Scope
from guardrail.engine.flow import Answer, Calls, Failed, Flow, Request, compute, draws, each, why
from guardrail.errors import ConfigError, UnknownName
from guardrail.options import number, option
from guardrail.report import Case, Finding, Scale, Span, Verdict
from guardrail.requests import Ask
from guardrail.selfcheck.early import FIRST, asked_once, settled
from guardrail.selfcheck.material import (
    NOT_JUDGED,
    Judged,
    Material,
    claiming,
    clauses,
    corrections,
    has_text,
)
from guardrail.text.claims import Piece, pieces, spoken
from guardrail.text.kinds import Kind
from guardrail.text.plain import plain_text

T = TypeVar("T")

Against: TypeAlias = Literal["auto", "samples", "context"]
Splitter: TypeAlias = Callable[[str], Sequence[Span]]

METHODS: Mapping[str, str] = {
    "ngram": "guardrail.selfcheck.ngram:NgramCheck",
    "prompt": "guardrail.selfcheck.prompt:PromptCheck",
    "nli": "guardrail.selfcheck.nli.check:NliCheck",
    "bertscore": "guardrail.selfcheck.bertscore:BertScoreCheck",
    "qa": "guardrail.selfcheck.qa.check:QACheck",
    "greybox": "guardrail.selfcheck.greybox:GreyBoxCheck",
    "grounding": "guardrail.selfcheck.grounding.check:GroundingCheck",
    "ensemble": "guardrail.selfcheck.ensemble.check:EnsembleCheck",
}
"""The variants by name, each with its class."""
_NO_PROMPT = "there are no samples, and no prompt to draw them with"
_READERS = (
    "SelfCheck('grounding') reads documents, and so does SelfCheck() with the packaged entailment model: "
    + backends.MINI_INSTALL
)
_UNREAD = "the documents were not read: this method compares answers with each other"
SAMPLED = "chat:subject"
"""Who draws samples."""
_LONG = 5_000  # characters and pairs: some milliseconds of work


class SentenceCheck(Detector):
    """Scores every claim of an answer: what all variants of SelfCheck are.

    One finding per piece of the answer (`guardrail.text.claims`). Claims are judged by their plain text, without markup and
    marks of citation; a finding without a score says why. What claims nothing (a greeting, a question, a heading, "The
    documents do not say") has a finding without a verdict, and no model is asked about it. Program code is not examined,
    so it is unverified. Where there is nothing to compare with, one finding says so of the whole answer.

    Source: [manakul2023]; differs: `docs/design/selfcheck.md`.
    """

    scope: ClassVar[Scope] = "sentence"
    scale: ClassVar[Scale] = Scale(unit="inconsistency", sentences=True)
    reads_context = False
    """Whether documents can stand in for samples."""

    threshold: float | None = option(
        default=None, help="unsupported from this score on; None = the variant's threshold"
    )
    max_sentences: int = option(
        default=200,
        least=1,
        help="pieces of the answer to examine; the rest is unverified, and the report says so",
    )
    splitter: Splitter | None = option(
        default=None,
        help="a function from a text to the spans of its sentences, all of which are judged; None = guardrail.text.claims.pieces, "
        "which says what claims nothing",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.threshold is not None:
            least, most = self.scale.least, self.scale.most
            number(
                "threshold",
                self.threshold,
                least=-math.inf if least is None else least,
                most=math.inf if most is None else most,
            )

    @property
    def reach(self) -> Scope:
        """The whole answer where a function of the user's finds the sentences: nobody knows how far it looks."""
        return self.scope if self.splitter is None else "answer"

    @property
    def method(self) -> str:
        """What `SelfCheck` calls the variant."""
        return self.name.removeprefix("selfcheck-")

    def examine(self, case: Case) -> Flow[list[Finding]]:
        """One finding per piece of the answer, or one of the whole where there is nothing to compare its claims with."""
        read = yield from compute_if_long(len(case.answer), self._read, case.answer, case.question)
        examined = read[: self.max_sentences]
        claims = [i for i, piece in enumerate(examined) if piece.kind is Kind.CLAIM]
        found = {i: NOT_JUDGED[piece.kind] for i, piece in enumerate(read) if piece.kind is not Kind.CLAIM}
        material = Material()
        if claims:
            judged, material = yield from self._judge_case(case, [examined[i] for i in claims])
            if not material.texts and material.lacking:
                return [self._nothing_to_compare(material)]
            found |= zip(claims, judged, strict=True)
        reason = f"only the first {self.max_sentences} pieces of the answer are examined (max_sentences)"
        found |= dict.fromkeys(range(len(examined), len(read)), Judged(None, reason=reason))
        return (
            yield from compute_if_long(len(case.answer), self._findings, case.answer, read, found, material)
        )

    @abstractmethod
    def _judge_case(self, case: Case, claims: Sequence[Piece]) -> Flow[tuple[list[Judged], Material]]:
        """Judge the claims of a case, which has one at least. Returns by what, too."""

    def _read(self, answer: str, question: str = "") -> Sequence[Piece]:
        """The pieces of an answer; of a user's own splitter each sentence is a claim."""
        if self.splitter is None:
            return pieces(answer, question=question)
        return [Piece(span, Kind.CLAIM, plain_text(span.of(answer))) for span in self.splitter(answer)]

    def _claims(self, case: Case) -> list[str]:
        """The claims that are judged, as plain text."""
        read = self._read(case.answer, case.question)[: self.max_sentences]
        return [piece.text for piece in read if piece.kind is Kind.CLAIM]

    def _nothing_to_compare(self, material: Material) -> Finding:
        """What is said once, of the whole answer."""
        return Finding(
            detector=self.name, verdict=Verdict.UNVERIFIED, label="unknown", reason=material.lacking
        )

    def _findings(
        self, answer: str, read: Sequence[Piece], judged: Mapping[int, Judged], material: Material
    ) -> list[Finding]:
        return [
            self._finding(piece.span, piece.span.of(answer), judged[i], material)
            for i, piece in enumerate(read)
        ]

    def _finding(self, span: Span, text: str, judged: Judged, material: Material) -> Finding:
        other = "documents" if material.kind == "context" else "other answers"
        reason = judged.reason
        verdict: Verdict | None
        if judged.silent:
            verdict, label, mark = None, judged.label, ""
        elif judged.score is None:
            verdict, label, mark = Verdict.UNVERIFIED, judged.label or "unknown", ""
            reason = reason or "no score could be computed"
        elif judged.score >= judged.threshold:
            verdict, label = Verdict.UNSUPPORTED, "inconsistent"
            mark = self._mark(other)
            reason = reason or f"the {other} do not support it"
        else:
            verdict, label, mark = Verdict.SUPPORTED, "consistent", ""
            reason = reason or f"the {other} support it"
        if judged.score is not None and material.lacking:
            reason = f"{reason} ({material.lacking})"
        if judged.partial:
            reason = f"{reason} ({judged.partial})"
        return Finding(
            detector=self.name,
            span=span,
            text=text,
            score=judged.score,
            verdict=verdict,
            label=label,
            mark=mark,
            reason=reason,
            evidence=judged.evidence,
            corrections=corrections(judged, span, text) if verdict is Verdict.UNSUPPORTED else (),
        )

    def _mark(self, other: str) -> str:
        return f"not supported by {other}"


class SampledCheck(SentenceCheck):
    """Scores every sentence by other answers of the same model to the same question, or by documents.

    A variant says how sentences are judged by texts (`_judge`) and what that costs (`_asks`, `_asks_at_most`).
    """

    needs: ClassVar[frozenset[Resource]] = frozenset({"samples"})
    early_stop: ClassVar[float | None] = None

    samples: int = option(
        default=5, least=1, help="other answers to draw, at temperature 1, if the case has none"
    )
    against: Against = option(
        default="auto",
        help="what sentences are compared with; auto = the documents, if there are some and the variant reads "
        "documents, else samples",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self._must_read()

    def _must_read(self) -> None:
        """Refuse documents that nobody would read."""
        if self.against == "context" and not self.reads_context:
            raise ConfigError(
                f"expected a method that can read documents for against='context', got {self.name!r}: {_READERS}"
            )

    @property
    def needs_documents(self) -> bool:
        """Where it is to compare with documents alone."""
        return self.against == "context"

    # -- what a guard calls

    def ahead(self, case: Case) -> Flow[None]:
        """Draw the samples."""
        if self._given(case) is None and self._can_draw(case):
            yield from each(draws(Ask(case.messages, temperature=1.0), self.samples))

    def cost(self, case: Case) -> Calls:
        """Calls: the samples to draw, and what the variant asks about them."""
        claims = self._claims(case)
        given = self._given(case)
        if not claims or (given is None and not self._can_draw(case)):
            return {}
        if given is not None:
            asked = self._asks(claims, given.texts)
            stops = self.early_stop is not None
            return {
                route: (min(1, least) if stops else least, most) for route, (least, most) in asked.items()
            }
        least = self.samples if self.early_stop is None else min(FIRST, self.samples)
        judging = self._asks_at_most(len(claims), self.samples)
        return {SAMPLED: (least, self.samples)} | {route: (0, most) for route, most in judging.items()}

    # -- what a variant says: how it judges, and what that costs

    @abstractmethod
    def _judge(self, sentences: Sequence[str], material: Material) -> Flow[list[Judged]]:
        """Judge sentences by texts, of which there is at least one."""

    def _asks(self, sentences: Sequence[str], texts: Sequence[str]) -> Calls:
        """Calls of `_judge` on these."""
        del sentences, texts
        return {}

    def _asks_at_most(self, sentences: int, samples: int) -> Mapping[str, int]:
        """Calls of `_judge` on so many sentences and samples that are still to be drawn, by route."""
        del sentences, samples
        return {}

    # -- the steps of `examine`

    def _judge_case(self, case: Case, claims: Sequence[Piece]) -> Flow[tuple[list[Judged], Material]]:
        """Judge the claims; with `early_stop` by a sample more each round, until no verdict is likely to change."""
        sentences = [claim.text for claim in claims]
        if self.early_stop is None:
            return (yield from self._judge_by(case, sentences, self.samples))
        planned = len(given.texts) if (given := self._given(case)) else self.samples
        seen = min(FIRST, planned)
        failed: dict[Request[Any], Failed] = {}
        while True:  # requests made before are answered from memory, failures from this one
            judged, material = yield from asked_once(self._judge_by(case, sentences, seen), failed)
            if seen >= planned or material.kind == "context" or self._settled(judged, planned):
                return judged, material
            seen += 1

    def _judge_by(
        self, case: Case, sentences: Sequence[str], size: int
    ) -> Flow[tuple[list[Judged], Material]]:
        """Get the material, with `size` samples if they are drawn, and judge by it. Returns both."""
        material = yield from self._material(case, size)
        if not material.texts:
            return [Judged(None, reason=material.lacking)] * len(sentences), material
        return (yield from self._judge(sentences, material)), material

    def _settled(self, judged: Sequence[Judged], planned: int) -> bool:
        """Whether no verdict is likely to change; of a sentence without a score a further sample may give one."""
        sure = self.early_stop
        return sure is not None and all(
            one.score is not None
            and settled(one.score * one.used, one.used, planned, threshold=one.threshold, confidence=sure)
            for one in judged
        )

    def _material(self, case: Case, size: int) -> Flow[Material]:
        """The texts that the case brings, or so many answers drawn from the model."""
        material = self._given(case)
        if material is None:
            material = yield from self._drawn(case, size)
        elif self.early_stop is not None and material.kind == "samples":
            material = replace(material, texts=material.texts[:size])
        lacking = material.lacking
        if material.texts and material.kind == "samples" and self._leaves_unread(case):
            lacking = clauses(_UNREAD, lacking)
        asked = tuple(message.text for message in case.messages)
        return replace(material, lacking=lacking, answer=spoken(case.answer), asked=asked)

    def _drawn(self, case: Case, size: int) -> Flow[Material]:
        """Other answers of the model, where there is a prompt to draw them with."""
        if not self._can_draw(case):
            if self.against == "context":
                return Material(lacking="there are no documents")
            return Material(lacking=f"{_NO_PROMPT}; {_READERS}" if self._leaves_unread(case) else _NO_PROMPT)
        replies = yield from each(draws(Ask(case.messages, temperature=1.0), size))
        texts = tuple(spoken(reply.value.text) for reply in replies if isinstance(reply, Answer))
        material = claiming(Material(tuple(filter(has_text, texts))), of=size)
        lacking = [why(replies), material.lacking]
        if empty := sum(not has_text(text) for text in texts):
            lacking.insert(1, f"{empty} of {size} samples are empty")
        said = clauses(*lacking)
        return replace(material, lacking=said if material.texts else f"no sample could be had: {said}")

    def _given(self, case: Case) -> Material | None:
        """What the case brings; `None` if it brings nothing of the kind."""
        if self.against == "context" or (self.against == "auto" and self.reads_context and case.context):
            given = Material(case.context, "context", names=case.document_names)
        else:
            given = Material(tuple(map(spoken, case.samples)), "samples")
        if not given.texts:
            return None
        kept = tuple(filter(has_text, given.texts))
        empty = len(given.texts) - len(kept)
        if not kept:
            return replace(given, texts=(), lacking=f"every one of the {empty} {given.called} is empty")
        names = tuple(name for name, text in zip(given.names, given.texts, strict=False) if has_text(text))
        found = replace(given, texts=kept, lacking=f"{empty} of them empty" if empty else "", names=names)
        return claiming(found, of=len(given.texts)) if found.kind == "samples" else found

    def _leaves_unread(self, case: Case) -> bool:
        """Whether there are documents that a caller may believe the sentences to be held against."""
        return self.against == "auto" and not self.reads_context and any(map(has_text, case.context))

    def _can_draw(self, case: Case) -> bool:
        return self.against != "context" and bool(case.messages)


class StoppingCheck(SampledCheck):
    """Draws sample after sample, until no verdict is likely to change."""

    early_stop: float | None = option(  # type: ignore[misc]  # what cannot stop has the class's None
        default=None,
        above=0.5,
        most=1,
        help="stop drawing when the verdict of every sentence is settled with this confidence; None = draw all "
        "samples",
    )

    @property
    def reach(self) -> Scope:
        """The whole answer with `early_stop`: it draws until every sentence is settled."""
        return super().reach if self.early_stop is None else "answer"


def compute_if_long(size: int, function: Callable[..., T], *arguments: Any) -> Flow[T]:
    """Run a pure function: of long texts outside the event loop, of short ones here, since a thread would cost more.

    Args:
        size: how much there is to do: characters that are split, and pairs.
        function: a pure one.
        arguments: its.
    """
    if size > _LONG:
        return (yield from compute(function, *arguments))
    return function(*arguments)


def size_of(sentences: Sequence[object], texts: Sequence[str]) -> int:
    """For `compute_if_long`: of sentences that are each compared with all texts."""
    return sum(map(len, texts)) + len(sentences) * len(texts)


def variant(method: str = "") -> type[SentenceCheck]:
    """The class of a method; without one "ensemble" where a packaged model is installed, else "ngram".

    Raises:
        UnknownName: there is no such variant.
    """
    method = method or (
        "ensemble" if backends.entailment_installed() or backends.encoder_installed() else "ngram"
    )
    if str(method) not in METHODS:
        raise UnknownName("SelfCheck method", str(method), METHODS)
    found: type[SentenceCheck] = pkgutil.resolve_name(METHODS[method])
    return found
