"""BERTScore: is there a sentence like it in every sampled answer?

Source: [manakul2023] §5.1, eq. 1; [zhang2020] for B. With a rescaling baseline B may be negative, so the score
has no upper bound.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal

from guardrail.backends import ComparePackaged, packaged_encoder
from guardrail.engine.backend import Backend
from guardrail.engine.flow import Answer, Calls, Flow, each, why
from guardrail.options import option
from guardrail.report import Evidence, Measurement, Passage, Scale
from guardrail.requests import Compare
from guardrail.selfcheck.base import SampledCheck, compute_if_long, size_of
from guardrail.selfcheck.material import Judged, Material, clauses
from guardrail.selfcheck.similar import most_like
from guardrail.selfcheck.tokens import tokens
from guardrail.text.sentences import split_sentences

SHORTEST = 4
"""Tokens that a sample's sentence must have to be compared with ([manakul2023]'s package drops those of ≤ 3)."""

MOST = 100
"""Sentences of one sample that a sentence is compared with: those that share most words with it."""


def score(similarities: Sequence[Sequence[float]]) -> float | None:
    """Eq. 1: 1 − mean over samples of the best similarity to one of its sentences.

    Args:
        similarities: per sample, B of the sentence with each of the sample's sentences (F1, at most 1).

    Returns:
        0 or more, larger = no sample has such a sentence. Samples without a finite similarity are left out;
        `None` if none is left.

    Example:
        >>> score([[0.5, 0.25], [0.25]]), score([[], [1.0]]), score([[]])
        (0.625, 0.0, None)
    """
    best = [max(finite) for sample in similarities if (finite := [b for b in sample if math.isfinite(b)])]
    return max(0.0, 1.0 - math.fsum(best) / len(best)) if best else None


def candidates(sample: str) -> list[str]:
    """The sentences of a sample that are long enough to be compared with."""
    return [text for text in split_sentences(sample) if len(tokens(text)) >= SHORTEST]


def _compared(sentences: Sequence[str], texts: Sequence[str]) -> tuple[list[list[list[str]]], int]:
    """Per sentence and sample, what it is compared with; and how many samples are too long for all of it."""
    held = [candidates(text) for text in texts]
    rows = [
        [own if len(own) <= MOST else [text for text, _ in most_like(sentence, own, MOST)] for own in held]
        for sentence in sentences
    ]
    return rows, sum(len(own) > MOST for own in held)


class BertScoreCheck(SampledCheck):
    """Scores sentences by the most similar sentence of each sample; needs a backend for "similarity".

    Of a sample with more than 100 sentences those that share most words with the sentence are compared, so that long answers
    cost no more than they contribute; the finding says so.
    """

    name: ClassVar[str] = "selfcheck-bertscore"
    scale: ClassVar[Scale] = Scale(
        most=None, unit="1 − BERTScore", meaning="larger = no sample has such a sentence", sentences=True
    )

    encoder: Literal["guard", "packaged"] = option(
        default="guard",
        help="guard = the guard's backend for similarity; packaged = all-MiniLM-L6-v2, which comes with the "
        "detector and is loaded at first use (extra local)",
    )

    def backends(self) -> Mapping[str, Backend[Any]]:
        """The packaged encoder, if it is to be that."""
        return {ComparePackaged.lane: packaged_encoder()} if self.encoder == "packaged" else {}

    def _asks(self, sentences: Sequence[str], texts: Sequence[str]) -> Calls:
        rows, _ = _compared(sentences, texts)
        pairs = {(s, text) for s, row in zip(sentences, rows, strict=True) for held in row for text in held}
        return {self._kind.lane: (len(pairs), len(pairs))}

    def _asks_at_most(self, sentences: int, samples: int) -> Mapping[str, int]:
        return {self._kind.lane: samples * sentences * MOST}

    @property
    def _kind(self) -> type[Compare]:
        return ComparePackaged if self.encoder == "packaged" else Compare

    def _judge(self, sentences: Sequence[str], material: Material) -> Flow[list[Judged]]:
        rows, long = yield from compute_if_long(
            size_of(sentences, material.texts), _compared, sentences, material.texts
        )
        if not any(map(any, rows)):
            return [Judged(None, reason=f"no sample has a sentence of {SHORTEST} tokens")] * len(sentences)
        pairs = [
            self._kind(s, text)
            for s, row in zip(sentences, rows, strict=True)
            for held in row
            for text in held
        ]
        replies = iter((yield from each(pairs)))
        left_out = (
            f"of {long} of {len(material.texts)} samples only the {MOST} sentences most like it"
            if long
            else ""
        )
        judged = []
        for row in rows:
            of_sentence = [next(replies) for held in row for _ in held]
            f1 = [r.value.f1 if isinstance(r, Answer) else math.nan for r in of_sentence]
            one = self._judge_one(row, f1, why(of_sentence))
            judged.append(replace(one, partial=clauses(one.partial, left_out)))
        return judged

    def _judge_one(self, samples: Sequence[Sequence[str]], f1: Sequence[float], failures: str) -> Judged:
        limit = 0.5 if self.threshold is None else self.threshold
        similarities, best, start = [], [], 0
        for number, sample in enumerate(samples, 1):
            values = f1[start : start + len(sample)]
            start += len(sample)
            similarities.append(values)
            known = [(v, text) for v, text in zip(values, sample, strict=True) if math.isfinite(v)]
            if known:
                value, text = max(known, key=lambda one: one[0])
                best.append((value, number, text))
        value_of = score(similarities)
        if value_of is None:
            return Judged(None, limit, failures or "no similarity is a number")
        evidence: list[Evidence] = [
            Measurement(name="1 − BERTScore", value=value_of, note="larger = more likely made up"),
            Measurement(name="samples used", value=float(len(best))),
        ]
        if value_of >= limit:
            evidence += [
                Passage(source=f"sample {number}", text=text[:500], score=value)
                for value, number, text in sorted(best, key=lambda one: (-one[0], one[1]))[:3]
            ]
        compared = sum(map(math.isfinite, f1))
        partial = f"{compared} of the samples' {len(f1)} sentences: {failures}" if failures else ""
        return Judged(value_of, limit, evidence=tuple(evidence), partial=partial)
