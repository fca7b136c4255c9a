"""What one imagined context says about responses: by whole distributions, or by draws as in the paper."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from guardrail.engine.flow import Answer, Failed, Flow, Reply, compute, each, gather, values, why
from guardrail.errors import InputError
from guardrail.options import number, one_of
from guardrail.phr.estimators import aligned, entropy, entropy_of_draws, quantile, rate
from guardrail.phr.pairs import Form
from guardrail.requests import Distribution, LogProb, Outcomes, Sample

Floats: TypeAlias = NDArray[np.float64]

_LARGE = 2_000  # outcomes; more take some milliseconds
_FOLLOWED = 4  # outcomes whose probability is followed along the contexts
_LEAST = 0.01  # the smallest probability of those
_LONGEST = 1_000  # characters of a label that are looked at; no token has so many


@dataclass(frozen=True, slots=True)
class Settings:
    """How PHR is estimated.

    Attributes:
        contexts: M, how many are imagined at the most.
        horizon: N − n, pairs imagined in each.
        epsilon: in [0, 1].
        estimator: "exact" (a distribution over the whole next token per context and query) or "drawn" (the paper's).
        draws: K, for "drawn".
        until_se: stop as soon as the standard error is no larger.
        retries: how often a pair that cannot be read is drawn again.
        max_tokens: of an imagined pair.
        top_p: of an imagined pair; responses are drawn with 1.
        response_tokens: of a drawn response, which ends with its line; 1 draws labels by their first token, as the
            paper does.

    Raises:
        ConfigError: a number is out of range.
    """

    contexts: int = 10
    horizon: int = 5
    epsilon: float = 0.75
    estimator: Literal["exact", "drawn"] = "exact"
    draws: int = 50
    until_se: float | None = None
    retries: int = 3
    max_tokens: int = 200
    top_p: float = 0.9
    response_tokens: int = 16

    def __post_init__(self) -> None:
        for name, least in (
            ("contexts", 1),
            ("horizon", 1),
            ("draws", 1),
            ("retries", 0),
            ("max_tokens", 1),
            ("response_tokens", 1),
        ):
            number(name, getattr(self, name), least=least, whole=True)
        number("epsilon", self.epsilon, least=0, most=1)
        number("top_p", self.top_p, least=1e-6, most=1)
        if self.until_se is not None:
            number("until_se", self.until_se, least=0)
        one_of("estimator", self.estimator, ("exact", "drawn"))


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked, with the answer that was given; `None` = only the rate is wanted."""

    text: str
    answer: str | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """One context, one query.

    Attributes:
        rate: THR of the context, in [0, 1].
        unlikely: whether the given answer lies below the quantile; `None` without an answer, and where both lie among what
            the model does not list.
        total: H(Y|x, D_n), in nats; an estimate for draws.
        known: H(Y|x, D).
        means: numbers in [0, 1] that keep their mean over the contexts if the model is a martingale.
        kept: those means.
        left_out: drawn responses that are not in it, for they were empty or did not come.
    """

    rate: float
    unlikely: bool | None
    total: float | None
    known: float | None
    means: tuple[float, ...] = ()
    kept: tuple[float, ...] = ()
    left_out: int = 0


def lost(failed: Failed) -> str:
    """Why a branch has no result; its bug is raised, so that the report shows it as one."""
    if failed.error is not None:
        raise failed.error
    return str(failed)


@dataclass(slots=True)
class Whole:
    """By distributions: exact sums, no draws of responses. A longer label counts by its first token.

    An answer that is one of `labels` has to begin otherwise than the others: in some vocabularies all numbers, or all labels
    of a script, begin with the same lone blank.
    """

    settings: Settings
    form: Form
    base: str
    labels: tuple[str, ...] = ()
    other: float = 0.0
    _given: dict[Query, Outcomes] = field(default_factory=dict)

    def begin(self, queries: Sequence[Query]) -> Flow[list[str]]:
        """Ask for p(·|x, D_n) of every query; says per query why it cannot be read, or ""."""
        replies = yield from each([self._ask(self.base, query) for query in queries])
        faults = []
        for query, reply in zip(queries, replies, strict=True):
            fault = why([reply])
            if not isinstance(reply, Failed):
                self._given[query] = reply.value
                # with itself: is it a distribution at all?
                reading = yield from self._compare(query, reply.value)
                fault = reading if isinstance(reading, str) else self._alike(query, reply.value)
            faults.append(fault)
        return faults

    def read(self, context: str, number: int, queries: Sequence[Query]) -> Flow[list[Reading | str]]:
        """What this context says, or why it says nothing, per query."""
        del number
        replies = yield from each([self._ask(context, query) for query in queries])
        found: list[Reading | str] = []
        for query, reply in zip(queries, replies, strict=True):
            if isinstance(reply, Failed):
                found.append(why([reply]))
            else:
                found.append((yield from self._compare(query, reply.value)))
        return found

    def _ask(self, context: str, query: Query) -> Distribution:
        asked = () if query.answer is None else (query.answer, *self._others(query))
        # the first token is all that counts
        begun = tuple(self.form.response(label)[:_LONGEST] for label in asked)
        return Distribution(context, self.form.query(query.text), begun)

    def _others(self, query: Query) -> list[str]:
        """The labels that the answer could have been, if it is one."""
        return [one for one in self.labels if one != query.answer] if query.answer in self.labels else []

    def _alike(self, query: Query, given: Outcomes) -> str:
        """Which label the answer cannot be told from, in words; "" without one."""
        for other, begun in zip(self._others(query), given.begun[1:], strict=False):
            if begun is not None and begun == given.begun[0]:
                return (
                    f"the labels {query.answer!r:.60} and {other!r:.60} begin with the same token of the model, and exact "
                    'estimates judge by the first: take estimator="drawn"'
                )
        return ""

    def _compare(self, query: Query, under: Outcomes) -> Flow[Reading | str]:
        given, epsilon = self._given[query], self.settings.epsilon
        if len(under.names) > _LARGE:
            reading = yield from compute(_whole, under, given, query, epsilon)
        else:
            reading = _whole(under, given, query, epsilon)
        if isinstance(reading, Reading):
            self.other = max(self.other, under.other, given.other)
        return reading


def _whole(under: Outcomes, given: Outcomes, query: Query, epsilon: float) -> Reading | str:
    begun = under.begun[0] if under.begun else None
    if query.answer is not None and not (under.begun and (begun is None or 0 <= begun < len(under.names))):
        return "the model's distribution does not say with which outcome the answer begins"
    try:
        rank, p, q = aligned(under, given)
    except InputError as error:
        return f"the model returned no usable probabilities: {error}"
    limit = float(quantile(rank, epsilon, weights=p))
    share = min(1.0, math.fsum(q[rank < limit].tolist()))
    unlikely = None
    if query.answer is not None:
        own = rank[-1 if begun is None else begun]
        hidden = own == limit == rank[-1]  # both among what is not told: which is the lower one?
        unlikely = None if hidden else bool(own < limit)
    means, kept = _followed(under, given)
    return Reading(share, unlikely, float(entropy(q)), float(entropy(p)), means, kept)


def _followed(under: Outcomes, given: Outcomes) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The likeliest outcomes given D_n, under D: which they are depends on D_n alone."""
    q = np.asarray(given.probabilities, dtype=np.float64)
    chosen = [i for i in np.argsort(-q, kind="stable")[:_FOLLOWED].tolist() if q[i] >= _LEAST]
    same = under.names is given.names or under.names == given.names
    names = [given.names[i] for i in chosen]
    places = chosen if same else [under.names.index(one) if one in under.names else None for one in names]
    values = [0.0 if place is None else min(1.0, under.probabilities[place]) for place in places]
    return tuple(values), tuple(min(1.0, given.probabilities[i]) for i in chosen)


@dataclass(slots=True)
class Drawn:
    """By draws, as in the paper (Algorithms 2 and 3): also for labels that are numbers, or longer than a token.

    Every context has responses of its own, so the contexts' rates are independent given D_n.
    """

    settings: Settings
    form: Form
    base: str
    labels: tuple[str, ...] = ()
    other: float = 0.0

    def begin(self, queries: Sequence[Query]) -> Flow[list[str]]:
        """Draw and score one response per query, which the first context asks for too; says what cannot be had."""
        drawn = yield from each([self._draw(self.base, query, 1) for query in queries])
        faults = [why([reply]) for reply in drawn]
        texts = [self.form.read_response(r.value) if isinstance(r, Answer) else "" for r in drawn]
        asked = [i for i, text in enumerate(texts) if text]
        scored = yield from each([self._score(self.base, queries[i], texts[i]) for i in asked])
        for i, reply in zip(asked, scored, strict=True):
            faults[i] = why([reply])
        return faults

    def read(self, context: str, number: int, queries: Sequence[Query]) -> Flow[list[Reading | str]]:
        """What this context says, or why it says nothing, per query."""
        results = yield from gather(self._read(context, number, query) for query in queries)
        return [lost(result) if isinstance(result, Failed) else result for result in results]

    def _read(self, context: str, number: int, query: Query) -> Flow[Reading | str]:
        size = self.settings.draws
        first = number * size
        own = [self._draw(context, query, 2 * (first + k)) for k in range(size)]
        given = [self._draw(self.base, query, 2 * (first + k) + 1) for k in range(size)]
        replies = yield from each([*own, *given])
        likely, responses = self._labels(replies[:size]), self._labels(replies[size:])
        if not likely or not responses:
            return why(replies) or "the model drew only empty responses"
        answer = [] if query.answer is None else [query.answer]
        asked = [self._score(context, query, label) for label in [*likely, *responses, *answer]]
        asked += [self._score(self.base, query, label) for label in responses]
        scores = yield from each(asked)
        if failures := why(scores):
            return failures
        logs = np.array([score.value for score in scores if isinstance(score, Answer)], dtype=np.float64)
        if np.isnan(logs).any() or (logs == np.inf).any():
            return "the model returned a log-probability that is not a number (NaN or infinity)"
        parts = np.split(logs, np.cumsum([len(likely), len(responses), len(answer)]))
        limit = quantile(parts[0], self.settings.epsilon)
        return Reading(
            float(rate(parts[0], parts[1], self.settings.epsilon)),
            bool(parts[2][0] < limit) if answer else None,
            _entropy(parts[3]),
            _entropy(parts[0]),
            (_above(likely, responses),),
            (0.5,),
            len(replies) - len(likely) - len(responses),
        )

    def _draw(self, context: str, query: Query, draw: int) -> Sample:
        text = context + self.form.query(query.text)
        return Sample(text, draw, max_tokens=self.settings.response_tokens, stop=("\n",))

    def _score(self, context: str, query: Query, label: str) -> LogProb:
        return LogProb(context + self.form.query(query.text), self.form.response(label))

    def _labels(self, replies: Sequence[Reply[str]]) -> list[str]:
        return [label for text in values(replies) if (label := self.form.read_response(text))]


def _entropy(logs: Floats) -> float | None:
    return float(entropy_of_draws(logs)) if np.isfinite(logs).all() else None


def _above(first: Sequence[str], second: Sequence[str]) -> float:
    """P(a > b) + ½ P(a = b) of drawn responses, as numbers if all are, else as texts: ½ on average if both are alike.

    >>> _above(["2", "10"], ["9"])
    0.5
    """
    together: Sequence[Any] = [*first, *second]
    try:
        numbers = [float(text) for text in together]
    except ValueError:
        numbers = []
    if numbers and all(map(math.isfinite, numbers)):
        together = numbers
    pairs = [
        (one > other) + 0.5 * (one == other)
        for one in together[: len(first)]
        for other in together[len(first) :]
    ]
    return float(sum(pairs) / len(pairs))
