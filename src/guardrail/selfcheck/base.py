"""`SelfCheck`: scores every sentence of an answer against other answers of the same model.

What the variants share: sentences, samples, rounds, verdicts. `SelfCheck.examine` is the flow of all of them. A variant
says how sentences are judged by texts (`_judge`) and what that costs (`_asks`, `_asks_per_sample`).
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, ClassVar, Literal, Self, TypeAlias, TypeVar

from guardrail import backends
from guardrail.detector import Detector, Resource, Scope
from guardrail.engine.flow import Answer, Failed, Flow, Request, compute, draws, each, why
from guardrail.errors import ConfigError, UnknownName
from guardrail.options import PathOption, number, one_of, seconds
from guardrail.report import Case, Evidence, Finding, Scale, Span, Verdict
from guardrail.requests import Ask
from guardrail.selfcheck.early import FIRST, asked_once, settled
from guardrail.text.sentences import sentences as split

__all__ = ["Against", "Judged", "Material", "SelfCheck", "Splitter", "compute_if_long", "size_of"]

T = TypeVar("T")

Against: TypeAlias = Literal["auto", "samples", "context"]
Splitter: TypeAlias = Callable[[str], Sequence[Span]]

_HOMES: Mapping[str, str] = {
    "ngram": "guardrail.selfcheck.ngram:NgramCheck",
    "prompt": "guardrail.selfcheck.prompt:PromptCheck",
    "nli": "guardrail.selfcheck.nli.check:NliCheck",
    "bertscore": "guardrail.selfcheck.bertscore:BertScoreCheck",
    "qa": "guardrail.selfcheck.qa.check:QACheck",
    "greybox": "guardrail.selfcheck.greybox:GreyBoxCheck",
    "ensemble": "guardrail.selfcheck.ensemble.check:EnsembleCheck",
}
_NO_PROMPT = "there are no samples, and no prompt to draw them with"
_READERS = f"prompt, nli and qa read documents, and so does SelfCheck() with the packaged entailment model: {backends.ENTAILMENT_INSTALL}"
_UNREAD = "the documents were not read: this method compares answers with each other"
_LONG = 5_000  # characters and pairs: some milliseconds of work


@dataclass(frozen=True, slots=True)
class Judged:
    """What a variant found about one sentence.

    Attributes:
        score: in the variant's scale; `None` = undefined, and `reason` says why.
        threshold: a score of at least this is unsupported.
        reason: one sentence for a person.
        evidence: numbers, and what speaks against the sentence.
        used: texts that gave a value, for variants whose score is a mean over texts.
        partial: what the score lacks, where some texts gave no value.
    """

    score: float | None
    threshold: float = 0.5
    reason: str = ""
    evidence: tuple[Evidence, ...] = ()
    used: int = 0
    partial: str = ""


@dataclass(frozen=True, slots=True)
class Material:
    """What sentences are compared with.

    Attributes:
        texts: not blank.
        kind: "samples" or "context".
        lacking: why some that were asked for are not there, or why there is none.
        answer: whose sentences they are.
    """

    texts: tuple[str, ...] = ()
    kind: Literal["samples", "context"] = "samples"
    lacking: str = ""
    answer: str = ""

    @property
    def called(self) -> str:
        """What a person calls the texts."""
        return "documents" if self.kind == "context" else "samples"


class SelfCheck(Detector):
    """Scores every sentence of an answer against other answers of the same model to the same question.

    `SelfCheck(method, …)` makes the variant of that name: "ngram" (no model), "prompt" (the judge model), "nli"
    (needs a backend for "entailment"), "bertscore" (one for "similarity"), "qa" (for "questions" and "answers"),
    "greybox" (the answer's own log-probabilities; no samples), "ensemble" (several of them, fitted). One finding per
    sentence; a finding without a score says why.

    `SelfCheck()` without a method needs no model of yours. Where the extra `local` is installed it is "ensemble" with a
    packaged fit: other answers are compared by n-grams, an encoder and an entailment model, which it brings along and
    loads at first use; and if the case has documents, each sentence is held against them instead, by the entailment model
    alone. (Without that model, which is a distribution of its own: n-gram and encoder, and no documents, which findings then
    say.) Elsewhere it is "ngram". The signature says which it was.

    Args:
        method: which variant; left out: as above.
        options: those of all variants, below, and of the variant's own class.

    Options of all variants:
        samples: how many answers to draw, at temperature 1, where the case brings none.
        threshold: a score of at least this is unsupported; `None` = the variant's default.
        against: "samples", "context" (the case's documents; only "prompt", "nli", "qa", and an ensemble with one of them
            can), or "auto": the documents where the variant can use them and there are some, else samples.
        max_sentences: the rest is unverified, and says so.
        splitter: where sentences stand; default: `guardrail.text.sentences.sentences`.
        deadline: seconds per answer.

    Raises:
        UnknownName: there is no such variant.
        ConfigError: an option does not exist, or has no such value.

    Source: [manakul2023]; differs: `docs/design/selfcheck.md`.
    """

    paths: ClassVar[Mapping[str, PathOption]] = {"fit": PathOption.FILE_OR_NAME}

    name: ClassVar[str] = "selfcheck"
    version: ClassVar[str] = "1"
    scope: ClassVar[Scope] = "sentence"
    scale: ClassVar[Scale] = Scale(unit="inconsistency", sentences=True)
    needs: ClassVar[frozenset[Resource]] = frozenset({"samples"})
    reads_context: bool = False
    """Whether documents can stand in for samples."""

    def __new__(cls, method: str = "", **options: Any) -> Self:
        """The variant's own class."""
        if cls is not SelfCheck:
            return super().__new__(cls)
        method = method or ("ensemble" if backends.encoder_installed() else "ngram")
        if method not in _HOMES:
            raise UnknownName("SelfCheck method", method, _HOMES)
        module, _, name = _HOMES[method].partition(":")
        variant: type[Self] = getattr(import_module(module), name)
        known = list(inspect.signature(variant.__init__).parameters)[1:]
        if unknown := sorted(set(options) - set(known)):
            raise ConfigError(
                f"SelfCheck({method!r}) has no option {unknown[0]!r}. It takes: {', '.join(known[1:])}."
            )
        return super().__new__(variant)

    def __init__(self, method: str = "", **options: Any) -> None:
        # variants have their own; only for what type checkers and `inspect` see here
        raise NotImplementedError(f"{type(self).__name__} has no constructor, got {method!r}, {options!r}")

    def _share(
        self,
        *,
        samples: int,
        threshold: float | None,
        against: Against,
        max_sentences: int,
        splitter: Splitter | None,
        deadline: float | None,
        early_stop: float | None = None,
    ) -> None:
        """Keep the options of all variants."""
        one_of("against", against, ("auto", "samples", "context"))
        if against == "context" and not self.reads_context:
            raise ConfigError(
                f"expected a method that can read documents for against='context', got {self.name!r}: {_READERS}"
            )
        number("samples", samples, least=1, whole=True)
        number("max_sentences", max_sentences, least=1, whole=True)
        if threshold is not None:
            least, most = self.scale.least, self.scale.most
            number(
                "threshold",
                threshold,
                least=-math.inf if least is None else least,
                most=math.inf if most is None else most,
            )
        seconds("deadline", deadline)
        number_given = isinstance(early_stop, int | float) and not isinstance(early_stop, bool)
        if early_stop is not None and not (number_given and 0.5 < early_stop <= 1):
            raise ConfigError(
                f"expected early_stop to be None or a confidence in (0.5, 1], got {early_stop!r}"
            )
        self.samples = samples
        self.early_stop = early_stop
        self.threshold = threshold
        self.against = against
        self.max_sentences = max_sentences
        self.splitter = splitter
        self.deadline = deadline

    # -- what a guard calls

    def cost(self, case: Case) -> tuple[int, int]:
        """Paid calls: the samples to draw, and what the variant asks about them."""
        spans = self._split(case.answer)[: self.max_sentences]
        if not spans:
            return 0, 0
        given = self._given(case)
        if given is not None:
            texts = [span.of(case.answer) for span in spans]
            least, most = self._asks(texts, given.texts)
            return (least if self.early_stop is None else min(1, least)), most
        if not self._can_draw(case):
            return 0, 0
        least = self.samples if self.early_stop is None else min(FIRST, self.samples)
        return least, self.samples * (1 + self._asks_per_sample(len(spans)))

    def examine(self, case: Case) -> Flow[list[Finding]]:
        """One finding per sentence."""
        spans = yield from compute_if_long(len(case.answer), self._split, case.answer)
        if not spans:
            return []
        examined = spans[: self.max_sentences]
        texts = [span.of(case.answer) for span in examined]
        judged, material = yield from self._judge_case(case, texts, examined)
        findings = [
            self._finding(span, text, one, material)
            for span, text, one in zip(examined, texts, judged, strict=True)
        ]
        reason = f"only the first {self.max_sentences} sentences are examined (max_sentences)"
        rest = [(span, span.of(case.answer)) for span in spans[self.max_sentences :]]
        return findings + [self._finding(s, t, Judged(None, reason=reason), material) for s, t in rest]

    # -- what a variant says: how it judges, and what that costs

    def _judge(self, sentences: Sequence[str], material: Material) -> Flow[list[Judged]]:
        """Judge sentences by texts, of which there is at least one."""
        raise NotImplementedError

    def _asks(self, sentences: Sequence[str], texts: Sequence[str]) -> tuple[int, int]:
        """Paid calls of `_judge` on these, least and most."""
        del sentences, texts
        return 0, 0

    def _asks_per_sample(self, sentences: int) -> int:
        """Paid calls of `_judge` per sample at the most."""
        del sentences
        return 0

    # -- the steps of `examine`

    def _judge_case(
        self, case: Case, sentences: Sequence[str], spans: Sequence[Span]
    ) -> Flow[tuple[list[Judged], Material]]:
        """Judge the sentences; with `early_stop` by a sample more each round, until no verdict is likely to change."""
        del spans
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
            lacking = "; ".join(filter(None, (_UNREAD, lacking)))
        return replace(material, lacking=lacking, answer=case.answer)

    def _drawn(self, case: Case, size: int) -> Flow[Material]:
        """Other answers of the model, where there is a prompt to draw them with."""
        if not self._can_draw(case):
            if self.against == "context":
                return Material(lacking="there are no documents")
            return Material(lacking=f"{_NO_PROMPT}; {_READERS}" if self._leaves_unread(case) else _NO_PROMPT)
        replies = yield from each(draws(Ask(case.messages, temperature=1.0), size))
        texts = tuple(reply.value.text for reply in replies if isinstance(reply, Answer))
        drawn = tuple(filter(_has_text, texts))
        lacking = why(replies)
        if empty := len(texts) - len(drawn):
            lacking = "; ".join(filter(None, (lacking, f"{empty} of {size} samples are empty")))
        return Material(drawn, "samples", lacking if drawn else f"no sample could be had: {lacking}")

    def _given(self, case: Case) -> Material | None:
        """What the case brings; `None` if it brings nothing of the kind."""
        if self.against == "context" or (self.against == "auto" and self.reads_context and case.context):
            given = Material(case.context, "context")
        else:
            given = Material(case.samples, "samples")
        if not given.texts:
            return None
        kept = tuple(filter(_has_text, given.texts))
        empty = len(given.texts) - len(kept)
        if not kept:
            return replace(given, texts=(), lacking=f"every one of the {empty} {given.called} is empty")
        return replace(given, texts=kept, lacking=f"{empty} of them empty" if empty else "")

    def _leaves_unread(self, case: Case) -> bool:
        """Whether there are documents that a caller may believe the sentences to be held against."""
        return self.against == "auto" and not self.reads_context and any(map(_has_text, case.context))

    def _can_draw(self, case: Case) -> bool:
        return self.against != "context" and bool(case.messages)

    def _split(self, answer: str) -> list[Span]:
        return list((self.splitter or split)(answer))

    def _finding(self, span: Span, text: str, judged: Judged, material: Material) -> Finding:
        other = "documents" if material.kind == "context" else "other answers"
        reason = judged.reason
        if judged.score is None:
            verdict, label, mark = Verdict.UNVERIFIED, "unknown", ""
            reason = reason or "no score could be computed"
        elif judged.score >= judged.threshold:
            verdict, label = Verdict.UNSUPPORTED, "inconsistent"
            mark = self._mark(other)
            reason = reason or f"the {other} do not bear it out"
        else:
            verdict, label, mark = Verdict.SUPPORTED, "consistent", ""
            reason = reason or f"the {other} bear it out"
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
        )

    def _mark(self, other: str) -> str:
        return f"not borne out by {other}"


def _has_text(text: str) -> bool:
    """Whether there is anything to see in it: neither blanks nor characters without width alone."""
    return any(character.isprintable() and not character.isspace() for character in text)


def compute_if_long(size: int, function: Callable[..., T], *arguments: Any) -> Flow[T]:
    """Run a pure function: of long texts beside the event loop, of short ones here, since a thread would cost more.

    Args:
        size: how much there is to do: characters that are split, and pairs.
        function: a pure one.
        arguments: its.
    """
    if size > _LONG:
        return (yield from compute(function, *arguments))
    return function(*arguments)


def size_of(sentences: Sequence[str], texts: Sequence[str]) -> int:
    """For `compute_if_long`: of sentences that are each compared with all texts."""
    return sum(map(len, texts)) + len(sentences) * len(texts)
