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
from guardrail.engine.flow import Answer, Calls, Failed, Flow, Reason, Reply, compute, each
from guardrail.errors import ConfigError
from guardrail.given.recognition import shown, written
from guardrail.options import option
from guardrail.report import Scale
from guardrail.requests import Embed, Entail, Entailment, Vector
from guardrail.selfcheck.base import StoppingCheck, compute_if_long, size_of
from guardrail.selfcheck.languages import Spoken, spoken_in
from guardrail.selfcheck.material import Judged, Material
from guardrail.selfcheck.nli.premise import Passages, Premise, passages
from guardrail.selfcheck.nli.reading import Order, Reading, read
from guardrail.selfcheck.nli.weighing import Kind, Measured, Seen, Weighing
from guardrail.text.language import language_name

Measure: TypeAlias = Literal["contradiction", "not_entailed", "unmentioned"]
Selection: TypeAlias = Literal["whole", "top"]
Likeness: TypeAlias = Literal["words", "embedding"]
Model: TypeAlias = Literal["guard", "packaged"]

DOCUMENTS = 0.5
"""Default threshold of 1 − P(entailment) by the packaged model, of sentences compared with documents."""

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
    not to be entailed are weighed by that. A two-way model does not distinguish them, and has `not_entailed`.

    Example:
        >>> round(unmentioned(Entailment(entailment=0.2, contradiction=0.5, neutral=0.3)), 9)
        0.775
    """
    if found.neutral is None:
        return not_entailed(found)
    if not math.isfinite(found.entailment + found.contradiction + found.neutral):
        return None
    return min(1.0, max(0.0, 1.0 - found.entailment - (1.0 - slip) * found.contradiction))


_SENTENCES = 100  # of a sample that is still to be drawn: an estimate of the cost reckons with as many
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


class NliCheck(StoppingCheck):
    """Scores sentences by an entailment model; needs a backend for "entailment", or `model="packaged"`.

    The score is the mean over the samples, in [0, 1]. Documents are read as one text: what one of them entails is
    supported, whatever the others say (`reading.pooled`). Of a sentence that they do not support, a three-way model says
    whether they contradict it or say nothing of it; so does the finding's reason.

    A text that the model cannot read at once is read in parts, cut between sentences, if the backend says how much it
    read (`Entailment.premise_read`, as `EntailmentModel` does). What was not read all the same, the finding says.

    The packaged model was made for English: with documents, an answer in another language, or with documents in
    others alone, is unverified. A model of yours is asked whatever the languages are.
    """

    name: ClassVar[str] = "selfcheck-nli"
    version: ClassVar[str] = "3"
    scale: ClassVar[Scale] = Scale(unit="P(contradicted), or P(not entailed)", sentences=True)
    reads_context = True

    model: Model = option(
        default="guard",
        help="guard = the guard's backend for entailment; packaged = a small model for English, which the detector "
        "loads at first use (extra local)",
    )
    measure: Measure = option(
        default="contradiction",
        help="contradiction = the paper's, without the neutral class; not_entailed = 1 − P(entailment); "
        "unmentioned = the same, but a contradiction counts only `slip`, so inventions score above slips "
        "(against documents it is not_entailed)",
    )
    slip: float = option(
        default=SLIP,
        least=0,
        most=1,
        help="weight of P(contradiction) in unmentioned, where P(neutral) has weight 1; the default was fitted to "
        "the packaged model, other models need .9 to .95",
    )
    order: Order = option(
        default="sample_first", help="which text is the premise; sentence_first as in the paper's package"
    )
    premise: Selection = option(
        default="whole",
        help="whole = the whole text, as in the paper; top = the sentences of the text that are most like the "
        "sentence",
    )
    top: int = option(default=3, least=1, help="number of sentences of top")
    similarity: Likeness = option(
        default="words",
        help="how top finds sentences: words = BM25, no model; embedding = by a backend for embedding",
    )
    max_parts: int = option(
        default=16,
        least=1,
        help="of a text that is too long for the model, the parts to read: those most like the sentence",
    )

    def __post_init__(self) -> None:
        if self.model not in get_args(Model):
            raise ConfigError(
                f"model= is guard or packaged, got {shown(self.model)}: write Guard([SelfCheck('nli')], "
                f"backends={{'entailment': EntailmentModel({written(self.model, '…')})}})"
            )
        super().__post_init__()

    def backends(self) -> Mapping[str, Backend[Any]]:
        """The packaged entailment model, if it is to be that."""
        return {EntailPackaged.lane: packaged_entailment()} if self.model == "packaged" else {}

    def _asks(self, sentences: Sequence[str], texts: Sequence[str]) -> Calls:
        distinct = len(set(sentences))
        pairs = distinct * len(set(texts))
        # what several texts have in common may be the premise of each
        least = pairs if self.premise == "whole" else distinct
        asked: Calls = {self._kind.lane: (least, pairs * self.max_parts)}
        if not self._embeds:
            return asked
        vectors = len({*sentences, *(own for one in _split(texts) for own in one.sentences)})
        return {**asked, Embed.lane: (vectors, vectors)}

    def _asks_at_most(self, sentences: int, samples: int) -> Mapping[str, int]:
        asked = {self._kind.lane: samples * sentences * self.max_parts}
        return asked | ({Embed.lane: sentences + samples * _SENTENCES} if self._embeds else {})

    @property
    def _embeds(self) -> bool:
        return self.premise == "top" and self.similarity == "embedding"

    @property
    def _kind(self) -> type[Entail]:
        return EntailPackaged if self.model == "packaged" else Entail

    def _judge(self, sentences: Sequence[str], material: Material) -> Flow[list[Judged]]:
        texts = material.texts
        found = None
        if self.model == "packaged" and material.kind == "context":
            found = yield from compute(spoken_in, material.answer, texts)
            if reason := found.apart or found.unlearnt:
                return [Judged(None, self._limit(material.kind), reason)] * len(sentences)
        rows = yield from self._premises(sentences, texts)
        if found is not None and found.left_out:
            rows = [_in_one_language(row, found) for row in rows]
        pairs = [
            (one.text, sentence)
            for sentence, row in zip(sentences, rows, strict=True)
            for one in row
            if isinstance(one, Premise)
        ]
        readings = iter((yield from read(pairs, order=self.order, most=self.max_parts, kind=self._kind)))
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
            yield from compute_if_long(size_of(sentences, texts), self._weighed, sentences, seen, material)
        )

    def _weighed(
        self, sentences: Sequence[str], seen: Sequence[Sequence[Seen]], material: Material
    ) -> list[Judged]:
        kind = material.kind
        weighing = Weighing(
            kind, _measured(self._measure(kind), self.slip), self._limit(kind), labels=material.labels
        )
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
        if not self._embeds:
            return (yield from compute_if_long(size, _by_words, sentences, texts, self.top))
        held = yield from compute_if_long(size, _split, texts)
        wanted = dict.fromkeys([*sentences, *(own for one in held for own in one.sentences)])
        replies = dict(zip(wanted, (yield from each([Embed(text) for text in wanted])), strict=True))
        return (yield from compute(_by_vectors, sentences, held, replies, self.top))


def _in_one_language(row: Sequence[Premise | Failed], found: Spoken) -> list[Premise | Failed]:
    """The premises of a sentence; of a document in another language than the answer's, that as a failure."""
    return [
        one if can else Failed(Reason.REFUSED, f"in {language_name(code)}, and the answer is not")
        for one, can, code in zip(row, found.compared, found.documents, strict=True)
    ]


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
