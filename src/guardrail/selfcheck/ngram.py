"""n-gram: how rare are a sentence's words among all sampled answers?

A model of joint n-gram shares is counted over all samples and the answer itself; a sentence scores by the mean or
the largest −log p̃ of its n-grams, in nats. Unbounded above: the largest possible is log of the number of
n-grams counted, which an n-gram that occurs nowhere else has.

Source: [manakul2023] §5.3, eqs. 7 and 8. p̃ = count / all n-grams: *joint*, not conditional on the words before;
that is what Table 7 has (`docs/design/selfcheck.md`). Differs: punctuation and markup are no words; `tokens="paper"`
counts them, as the paper does.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ClassVar, Literal, NamedTuple, TypeAlias

from guardrail.detector import Scope
from guardrail.engine.flow import Flow, compute
from guardrail.options import option
from guardrail.report import Evidence, Measurement, Scale
from guardrail.selfcheck.base import SampledCheck
from guardrail.selfcheck.material import Judged, Material, mean
from guardrail.selfcheck.similar import quoted
from guardrail.selfcheck.tokens import plain_words, tokens
from guardrail.text.sentences import split_sentences

Gram: TypeAlias = tuple[str, ...]
Statistic: TypeAlias = Literal["max", "mean"]
Tokens: TypeAlias = Literal["words", "paper"]
"""What is counted: words and numbers alone, or the paper's tokens, punctuation included."""
Text: TypeAlias = str | Sequence[str]
"""A passage, or its sentences where somebody split it already."""

UNSEEN_COUNT = 0.5
"""What an n-gram counts that was never seen: less than any that was, and never log 0."""

LIMITS = {"max": 0.9, "mean": 0.6, "mean, n > 1": 0.88}
"""Default thresholds, as shares of the largest possible score, which grows with what was sampled: frozen on rows
0-118 of the WikiBio passages, where they had the best balanced accuracy for 5 to 20 samples. The ensemble measures n-gram scores by them: a fit made with other
limits is another fit."""

_CUT: Mapping[Tokens, Callable[[str], list[str]]] = {"words": plain_words, "paper": tokens}
_START = "\x02"  # no token: tokens hold no control characters of their own


class Counted(NamedTuple):
    """An n-gram of a sentence with its −log p̃ and how often it was counted."""

    gram: Gram
    surprisal: float
    times: int


class Model:
    """Joint n-gram shares: p̃(gram) = count / total.

    Args:
        n: words per n-gram; for n > 1 each sentence is padded on the left.
    """

    def __init__(self, n: int = 1) -> None:
        if n < 1:
            raise ValueError(f"expected n of at least 1, got {n!r}")
        self.n = n
        self.counts: Counter[Gram] = Counter()
        self.total = 0

    def add(self, sentence: Sequence[str]) -> None:
        """Count the n-grams of one sentence, given as tokens."""
        found = self.grams(sentence)
        self.counts.update(found)
        self.total += len(found)

    def grams(self, sentence: Sequence[str]) -> list[Gram]:
        """One n-gram per token, lower-cased."""
        padded = [_START] * (self.n - 1) + [token.lower() for token in sentence]
        return [tuple(padded[i : i + self.n]) for i in range(len(sentence))]

    @property
    def ceiling(self) -> float:
        """The −log p̃ of an n-gram counted once: the largest there is in a counted answer."""
        return math.log(self.total) if self.total else 0.0

    def measured(self, sentence: Sequence[str]) -> list[Counted]:
        """Every n-gram of a sentence, in order; none if nothing was counted."""
        if not self.total:
            return []
        whole, times = math.log(self.total), self.counts.get
        found = [(gram, times(gram, 0)) for gram in self.grams(sentence)]
        return [
            Counted(gram, max(0.0, whole - math.log(count or UNSEEN_COUNT)), count) for gram, count in found
        ]


def counted(texts: Iterable[Text], n: int = 1, *, tokens: Tokens = "words") -> Model:
    """A model of passages; a plain string is split into sentences first."""
    model, cut = Model(n), _CUT[tokens]
    for text in texts:
        for sentence in split_sentences(text) if isinstance(text, str) else text:
            model.add(cut(sentence))
    return model


def surprisals(
    sentences: Sequence[str],
    samples: Sequence[Text],
    *,
    n: int = 1,
    tokens: Tokens = "words",
) -> list[list[float]]:
    """−log p̃ of every n-gram of every sentence.

    Args:
        sentences: those of the answer.
        samples: the sampled answers; the answer is counted too, as the paper does.
        n: words per n-gram.
        tokens: what is counted; "paper" reproduces Table 7.

    Returns:
        One list per sentence, one finite value ≥ 0 per token (nats; larger = rarer); a sentence without
        tokens has an empty list, as has every sentence if there is nothing to count.
    """
    model = counted([*samples, sentences], n, tokens=tokens)
    return [[one.surprisal for one in model.measured(_CUT[tokens](s))] for s in sentences]


def sentence_score(values: Sequence[float], statistic: Statistic = "max") -> float | None:
    """A sentence's score from the −log p̃ of its n-grams, eqs. 7 and 8; `None` of nothing."""
    return max(values, default=None) if statistic == "max" else mean(values)


def scores(
    sentences: Sequence[str],
    samples: Sequence[Text],
    *,
    n: int = 1,
    statistic: Statistic = "max",
    tokens: Tokens = "words",
) -> list[float | None]:
    """The n-gram score of every sentence, in [0, log of all n-grams]; `None` for one without tokens.

    Example:
        >>> [round(score, 3) for score in scores(["a b", "a a"], ["a a b", "a"])]
        [1.386, 0.288]
    """
    return [
        sentence_score(values, statistic) for values in surprisals(sentences, samples, n=n, tokens=tokens)
    ]


class NgramCheck(SampledCheck):
    """Scores sentences by their rarest words among the sampled answers; needs no model but the one that samples.

    The score is −log p̃ in nats, from 0 to the log of all n-grams counted; the default threshold is `LIMITS` times the
    largest possible.
    """

    name: ClassVar[str] = "selfcheck-ngram"
    version: ClassVar[str] = "2"
    scope: ClassVar[Scope] = "answer"  # the answer's own words count too
    scale: ClassVar[Scale] = Scale(
        most=None, unit="nats", meaning="−log p̃ of words among all answers; larger = rarer", sentences=True
    )

    n: int = option(default=1, least=1, help="words per n-gram; the paper uses 1 to 5")
    statistic: Statistic = option(
        default="max", help="score of a sentence: max = its rarest n-gram, mean = over its n-grams"
    )
    tokens: Tokens = option(
        default="words", help="what is counted: words = words and numbers, paper = punctuation as well"
    )

    def _judge(self, sentences: Sequence[str], material: Material) -> Flow[list[Judged]]:
        return (yield from compute(self._judged, tuple(sentences), material))

    def _judged(self, sentences: Sequence[str], material: Material) -> list[Judged]:
        model = counted(material.texts, self.n, tokens=self.tokens)
        sampled = dict(model.counts)
        for sentence in sentences:
            model.add(_CUT[self.tokens](sentence))
        limit = self._limit(model)
        return [self._judge_one(sentence, model, sampled, limit, material) for sentence in sentences]

    def _limit(self, model: Model) -> float:
        if self.threshold is not None:
            return self.threshold
        return (
            model.ceiling
            * LIMITS["mean, n > 1" if self.statistic == "mean" and self.n > 1 else self.statistic]
        )

    def _judge_one(
        self, sentence: str, model: Model, sampled: Mapping[Gram, int], limit: float, material: Material
    ) -> Judged:
        found = _CUT[self.tokens](sentence)
        measured = model.measured(found)
        rarest = max(measured, key=lambda one: one.surprisal, default=None)  # the first of several
        if rarest is None or not any(map(str.isalnum, sentence)):
            return Judged(None, limit, "the sentence contains no word")
        value = sentence_score([one.surprisal for one in measured], self.statistic)
        if value is None or model.ceiling <= 0:
            return Judged(None, limit, "one word was counted in all, which shows nothing")
        gram = " ".join(rarest.gram).replace(_START, "").strip()
        others = rarest.times - 1
        evidence: list[Evidence] = [
            Measurement(name=f"−log p̃, {self.statistic}", value=value, note="nats; larger = rarer"),
            Measurement(
                name=f"other occurrences of {gram[:80]!r}",
                value=float(others),
                note=f"its rarest {self.n}-gram, in the {len(material.texts)} samples and the rest of the answer",
            ),
        ]
        reason = ""
        if value >= limit:
            evidence += quoted(sentence, material.texts)
            where = "hardly occurs in the" if sampled.get(rarest.gram) else "is in none of the"
            reason = f"{gram[:80]!r} {where} other answers"
        return Judged(value, limit, reason, tuple(evidence))
