"""NLI: do the sampled answers contradict the sentence?

Source: [manakul2023] §5.4, eqs. 9 and 10. Works with three-way classifiers and with two-way ones (no neutral).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar, Literal, TypeAlias

from guardrail._options import number, one_of
from guardrail.detectors.selfcheck.check import Against, Judged, Material, SelfCheck, Splitter
from guardrail.detectors.selfcheck.similar import nearest
from guardrail.flow import Answer, Flow, each, why
from guardrail.report import Scale
from guardrail.requests import Entail, Entailment

__all__ = ["Measure", "NliCheck", "Order", "contradiction", "not_entailed", "pair", "score", "selected"]

Measure: TypeAlias = Literal["contradiction", "not_entailed"]
Order: TypeAlias = Literal["sample_first", "sentence_first"]


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


def score(probabilities: Sequence[float | None]) -> float | None:
    """Eq. 10: the mean over the samples that have a probability; `None` of none."""
    known = [p for p in probabilities if p is not None]
    return math.fsum(known) / len(known) if known else None


def pair(sentence: str, passage: str, order: Order = "sample_first") -> Entail:
    """The request: "sample_first" has the sample as premise (the paper's text); "sentence_first" the sentence.

    Differs: the paper's own package, which made its figures, feeds the sentence first.
    """
    if order == "sentence_first":
        return Entail(premise=sentence, hypothesis=passage)
    return Entail(premise=passage, hypothesis=sentence)


def selected(sentence: str, passage: str, sentences: int) -> str:
    """The passage's sentences that are most like `sentence`, in their order, as a shorter premise."""
    return " ".join(text for text, _ in nearest(sentence, passage, sentences, in_order=True)) or passage


class NliCheck(SelfCheck):
    """Scores sentences by an entailment model; needs a backend for "entailment".

    The score is the mean over the samples, in [0, 1]; against documents, the smallest over the documents: one
    that entails the sentence is enough.

    Args:
        method: "nli".
        measure: "contradiction" (the paper's, neutral left out) or "not_entailed" (1 − P(entailment)).
        order: "sample_first" (sample as premise) or "sentence_first" (as the paper's package).
        premise: how many of a sample's sentences, those most like the sentence, make the premise; `None` = the
            whole sample, the paper's way.
        early_stop: a confidence: no more samples once every sentence's verdict is settled so surely; `None`
            uses all of them.
        samples: see `SelfCheck`, as for the rest.
        threshold: in [0, 1]; `None` = 0.5.
        against: "samples", "context" or "auto".
        max_sentences: the rest is unverified.
        splitter: where sentences stand.
        deadline: seconds per answer.
    """

    name: ClassVar[str] = "selfcheck-nli"
    scale: ClassVar[Scale] = Scale(unit="P(contradicted)")
    reads_context: ClassVar[bool] = True

    def __init__(
        self,
        method: Literal["nli"] = "nli",
        *,
        measure: Measure = "contradiction",
        order: Order = "sample_first",
        premise: int | None = None,
        early_stop: float | None = None,
        samples: int = 5,
        threshold: float | None = None,
        against: Against = "auto",
        max_sentences: int = 200,
        splitter: Splitter | None = None,
        deadline: float | None = None,
    ) -> None:
        one_of("method", method, ("nli",))
        one_of("measure", measure, ("contradiction", "not_entailed"))
        one_of("order", order, ("sample_first", "sentence_first"))
        if premise is not None:
            number("premise", premise, least=1, whole=True)
        self.method = method
        self.measure: Measure = measure
        self.order: Order = order
        self.premise = premise
        self._share(
            samples=samples,
            threshold=threshold,
            against=against,
            max_sentences=max_sentences,
            splitter=splitter,
            deadline=deadline,
            early_stop=early_stop,
        )

    def _judge(self, sentences: Sequence[str], material: Material) -> Flow[list[Judged]]:
        replies = yield from each([self._pair(s, text) for s in sentences for text in material.texts])
        read = contradiction if self.measure == "contradiction" else not_entailed
        values = [read(reply.value) if isinstance(reply, Answer) else None for reply in replies]
        size = len(material.texts)
        return [
            self._summed(
                sentence,
                values[i * size : (i + 1) * size],
                material,
                failures=why(replies[i * size : (i + 1) * size]),
                what=f"P({self.measure.replace('_', ' ')})",
            )
            for i, sentence in enumerate(sentences)
        ]

    def _pair(self, sentence: str, passage: str) -> Entail:
        text = passage if self.premise is None else selected(sentence, passage, self.premise)
        return pair(sentence, text, self.order)
