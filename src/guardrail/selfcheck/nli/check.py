"""NLI: do the sampled answers contradict the sentence?

Source: [manakul2023] §5.4, eqs. 9 and 10. Works with three-way classifiers and with two-way ones (no neutral).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Literal, TypeAlias, get_args

from guardrail.backends import EntailPackaged, packaged_entailment
from guardrail.engine.backend import Backend
from guardrail.engine.flow import Answer, Failed, Flow, Reason, Reply, compute, each
from guardrail.options import number, one_of
from guardrail.report import Scale
from guardrail.requests import Embed, Entail, Entailment, Vector
from guardrail.selfcheck.base import (
    Against,
    Judged,
    Material,
    SelfCheck,
    Splitter,
    compute_if_long,
    size_of,
)
from guardrail.selfcheck.nli.premise import Passages, Premise, passages
from guardrail.selfcheck.nli.reading import Order, Reading, pair, read
from guardrail.selfcheck.nli.weighing import Kind, Measured, Seen, Weighing

__all__ = [
    "DOCUMENTS",
    "SLIP",
    "Likeness",
    "Measure",
    "Model",
    "NliCheck",
    "Order",
    "Selection",
    "contradiction",
    "not_entailed",
    "pair",
    "score",
    "unmentioned",
]

Measure: TypeAlias = Literal["contradiction", "not_entailed", "unmentioned"]
Selection: TypeAlias = Literal["whole", "top"]
Likeness: TypeAlias = Literal["words", "embedding"]
Model: TypeAlias = Literal["guard", "packaged"]

DOCUMENTS = 0.5
"""Default threshold of 1 − P(entailment) by the packaged model, of sentences beside documents."""

SLIP = 0.95
"""What P(contradiction) weighs in `unmentioned`, where P(neutral) weighs 1; chosen for the packaged model on rows 0-118 of
WikiBio, see docs/design/selfcheck.md."""


def contradiction(found: Entailment) -> float | None:
    """P(contradict) without the neutral class, eq. 9: in [0, 1], larger = contradicted.

    From probabilities: the soft-max of two logits is the ratio of the two probabilities. `None` where both are
    0 or one is no number.

    Example:
        >>> contradiction(Entailment(entailment=0.125, contradiction=0.375, neutral=0.5))
        0.75
        >>> contradiction(Entailment(0.0, 0.0, 1.0)) is None
        True
    """
    total = found.entailment + found.contradiction
    if not math.isfinite(total) or total <= 0:
        return None
    return min(1.0, max(0.0, found.contradiction / total))


def not_entailed(found: Entailment) -> float | None:
    """1 − P(entailment) with the neutral class: in [0, 1]; `None` where it is no number."""
    if not math.isfinite(found.entailment):
        return None
    return min(1.0, max(0.0, 1.0 - found.entailment))


def unmentioned(found: Entailment, slip: float = SLIP) -> float | None:
    """P(neutral) + slip P(contradiction), of a three-way model: in [0, 1]; `None` where one is no number.

    What a sample puts differently is more often a slip, what it does not speak of more often an invention: the two ways
    not to be entailed are weighed by that. A two-way model does not tell them apart, and has `not_entailed`.

    Example:
        >>> round(unmentioned(Entailment(entailment=0.2, contradiction=0.5, neutral=0.3)), 9)
        0.775
    """
    if found.neutral is None:
        return not_entailed(found)
    if not math.isfinite(found.entailment + found.contradiction + found.neutral):
        return None
    return min(1.0, max(0.0, 1.0 - found.entailment - (1.0 - slip) * found.contradiction))


def score(probabilities: Sequence[float | None]) -> float | None:
    """Eq. 10: the mean over the samples that have a probability; `None` of none."""
    known = [p for p in probabilities if p is not None]
    return math.fsum(known) / len(known) if known else None


_MEASURES: Mapping[str, Measured] = {
    "contradiction": Measured("P(contradiction)", contradiction, by_contradiction=True),
    "not_entailed": Measured("P(not entailed)", not_entailed, by_contradiction=False),
}


def _measured(measure: Measure, slip: float) -> Measured:
    if measure != "unmentioned":
        return _MEASURES[measure]
    return Measured(
        f"P(neutral) + {slip:g} P(contradiction)", partial(unmentioned, slip=slip), by_contradiction=False
    )


class NliCheck(SelfCheck):
    """Scores sentences by an entailment model; needs a backend for "entailment", or `model="packaged"`.

    The score is the mean over the samples, in [0, 1]. Documents are read as one text: what one of them entails is borne
    out, whatever the others say (`reading.pooled`). Of a sentence that they do not bear out a three-way model tells
    whether they contradict it or say nothing of it; the finding's reason does.

    A text that the model cannot read at once is read in parts, cut between sentences, if the backend says how much it
    read (`Entailment.premise_read`, as `EntailmentModel` does). What was not read all the same, the finding says.

    Args:
        method: "nli".
        model: "guard" (the guard's backend for "entailment") or "packaged" (the packaged small model for English, which
            the detector brings along and loads at first use; needs the extra `local`).
        measure: "contradiction" (the paper's, neutral left out), "not_entailed" (1 − P(entailment)) or "unmentioned":
            what samples contradict counts for a little less than what they do not speak of, which puts inventions before
            slips, and verdicts on it settle later (`early_stop`). Documents make no slips, so beside them "unmentioned"
            is "not_entailed".
        slip: for "unmentioned", what P(contradiction) weighs, in [0, 1], where P(neutral) weighs 1; contradictions alone
            come to no more. The default is the packaged model's; others have theirs (.9 to .95 so far), which labelled
            answers tell.
        order: "sample_first" (sample as premise) or "sentence_first" (as the paper's package).
        premise: "whole" (the whole sample or document, the paper's way) or "top": those of its sentences that are most
            like the sentence, in their order.
        top: how many.
        similarity: of sentences, for "top": "words" (BM25, no model) or "embedding" (needs a backend for "embedding").
        max_parts: parts of one text that are read beside one sentence, those most like it by their words, where the
            text is too long for the model. A part is about as long as the model reads.
        early_stop: a confidence: no more samples once every sentence's verdict is settled so surely; `None`
            uses all of them.
        samples: see `SelfCheck`, as for the rest.
        threshold: in [0, 1]; `None` = 0.5, or `DOCUMENTS` where that is what is measured.
        against: "samples", "context" or "auto".
        max_sentences: the rest is unverified.
        splitter: where sentences stand.
        deadline: seconds per answer.
    """

    name: ClassVar[str] = "selfcheck-nli"
    version: ClassVar[str] = "3"
    scale: ClassVar[Scale] = Scale(unit="P(contradicted), or P(not entailed)", sentences=True)
    reads_context = True

    def __init__(
        self,
        method: Literal["nli"] = "nli",
        *,
        model: Model = "guard",
        measure: Measure = "contradiction",
        slip: float = SLIP,
        order: Order = "sample_first",
        premise: Selection = "whole",
        top: int = 3,
        similarity: Likeness = "words",
        max_parts: int = 16,
        early_stop: float | None = None,
        samples: int = 5,
        threshold: float | None = None,
        against: Against = "auto",
        max_sentences: int = 200,
        splitter: Splitter | None = None,
        deadline: float | None = None,
    ) -> None:
        one_of("method", method, ("nli",))
        one_of("model", model, ("guard", "packaged"))
        one_of("measure", measure, get_args(Measure))
        number("slip", slip, least=0, most=1)
        one_of("order", order, ("sample_first", "sentence_first"))
        one_of("premise", premise, ("whole", "top"))
        number("top", top, least=1, whole=True)
        one_of("similarity", similarity, ("words", "embedding"))
        number("max_parts", max_parts, least=1, whole=True)
        self.method = method
        self.model: Model = model
        self.measure: Measure = measure
        self.slip = slip
        self.order: Order = order
        self.premise: Selection = premise
        self.top = top
        self.similarity: Likeness = similarity
        self.max_parts = max_parts
        self._share(
            samples=samples,
            threshold=threshold,
            against=against,
            max_sentences=max_sentences,
            splitter=splitter,
            deadline=deadline,
            early_stop=early_stop,
        )

    def backends(self) -> Mapping[str, Backend[Any]]:
        """The packaged entailment model, if it is to be that."""
        return {EntailPackaged.lane: packaged_entailment()} if self.model == "packaged" else {}

    def _judge(self, sentences: Sequence[str], material: Material) -> Flow[list[Judged]]:
        texts = material.texts
        rows = yield from self._premises(sentences, texts)
        pairs = [
            (one.text, sentence)
            for sentence, row in zip(sentences, rows, strict=True)
            for one in row
            if isinstance(one, Premise)
        ]
        kind = EntailPackaged if self.model == "packaged" else Entail
        readings = iter((yield from read(pairs, order=self.order, most=self.max_parts, kind=kind)))
        seen = [
            [
                Seen(Premise(""), Reading(failures=[one]))
                if isinstance(one, Failed)
                else Seen(one, next(readings))
                for one in row
            ]
            for row in rows
        ]
        return (
            yield from compute_if_long(
                size_of(sentences, texts), self._weighed, sentences, seen, material.kind
            )
        )

    def _weighed(self, sentences: Sequence[str], seen: Sequence[Sequence[Seen]], kind: Kind) -> list[Judged]:
        weighing = Weighing(kind, _measured(self._measure(kind), self.slip), self._limit(kind))
        return [weighing.judged(s, row) for s, row in zip(sentences, seen, strict=True)]

    def _measure(self, kind: Kind) -> Measure:
        return "not_entailed" if (self.measure, kind) == ("unmentioned", "context") else self.measure

    def _limit(self, kind: Kind) -> float:
        """The threshold; by default, where one was chosen for what is measured, that."""
        if self.threshold is not None:
            return self.threshold
        chosen = (self.model, self._measure(kind), kind) == ("packaged", "not_entailed", "context")
        return DOCUMENTS if chosen else 0.5

    def _premises(
        self, sentences: Sequence[str], texts: Sequence[str]
    ) -> Flow[Sequence[Sequence[Premise | Failed]]]:
        """A premise per sentence and text."""
        if self.premise == "whole":
            return [[Premise(text) for text in texts]] * len(sentences)
        size = size_of(sentences, texts)
        if self.similarity == "words":
            return (yield from compute_if_long(size, _by_words, sentences, texts, self.top))
        held = yield from compute_if_long(size, _split, texts)
        wanted = dict.fromkeys([*sentences, *(own for one in held for own in one.sentences)])
        replies = dict(zip(wanted, (yield from each([Embed(text) for text in wanted])), strict=True))
        return (yield from compute(_by_vectors, sentences, held, replies, self.top))


def _split(texts: Sequence[str]) -> list[Passages]:
    return [passages(text) for text in texts]


def _by_words(sentences: Sequence[str], texts: Sequence[str], top: int) -> list[list[Premise]]:
    held = _split(texts)
    return [[one.by_words(sentence, top) for one in held] for sentence in sentences]


def _by_vectors(
    sentences: Sequence[str],
    held: Sequence[Passages],
    replies: Mapping[str, Reply[Vector]],
    top: int,
) -> list[list[Premise | Failed]]:
    """Premises by vectors; where a sentence has none, or no sentence of a text, that failure."""
    vectors = {text: reply.value for text, reply in replies.items() if isinstance(reply, Answer)}
    size = next((len(vector) for vector in vectors.values()), 0)  # one of another length is of no use
    vectors = {text: vector for text, vector in vectors.items() if len(vector) == size}
    columns: list[list[Premise | Failed]] = []
    for one in held:
        own = [vectors.get(text) for text in one.sentences]
        if one.sentences and not any(own):
            columns.append([_failure(replies, one.sentences)] * len(sentences))
            continue
        chosen = iter(one.by_vectors([vectors[s] for s in sentences if s in vectors], own, top))
        columns.append([next(chosen) if s in vectors else _failure(replies, [s]) for s in sentences])
    return [list(row) for row in zip(*columns, strict=True)]


def _failure(replies: Mapping[str, Reply[Vector]], texts: Sequence[str]) -> Failed:
    """Why there is no vector of some texts."""
    failed = (reply for text in texts if isinstance(reply := replies[text], Failed))
    return next(failed, Failed(Reason.BACKEND, "vectors of different lengths"))
