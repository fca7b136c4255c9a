"""The measurement: which pairs a model knows, and how often it confuses k of them ([memory] §III-B).

Flows over requests, so caching, retries, budgets, recording and replay are those of every detector.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from guardrail.engine.flow import Failed, Flow, Reply, each
from guardrail.memory.internal.estimates import Estimate, clustered, single
from guardrail.memory.internal.orders import Order, Shuffle, chosen, orders, shuffled, stream
from guardrail.memory.internal.pairs import Pair
from guardrail.memory.internal.questions import Wording
from guardrail.memory.internal.replies import FAULTS, Fault, read_list, read_name
from guardrail.options import number, one_of
from guardrail.requests import Ask, Completion

__all__ = [
    "TEMPERATURE",
    "Known",
    "Outcome",
    "Question",
    "Result",
    "Setting",
    "Strategy",
    "answers_rightly",
    "ask_pairs",
    "ask_questions",
    "plan",
    "setting",
]

TEMPERATURE = 0.95
"""Of every question, as in the paper."""
MAX_TOKENS = 1_000
"""Of a reply; one that is cut off is malformed."""

Strategy: TypeAlias = Literal["shuffle", "permutations"]
Result: TypeAlias = Literal["right", "wrong", "malformed", "failed"]


@dataclass(frozen=True, slots=True)
class Known:
    """What a model makes of the pairs, asked one by one.

    Attributes:
        pairs: the candidates; a known one shows the name that the model gave, where several are right.
        results: per pair; "right" is known.
        texts: the replies; the reason where one failed.
    """

    pairs: tuple[Pair, ...]
    results: tuple[Result, ...]
    texts: tuple[str, ...]

    @property
    def count(self) -> int:
        """How many are known."""
        return self.results.count("right")


@dataclass(frozen=True, slots=True)
class Question:
    """One question about k pairs.

    Attributes:
        combination: the number of the combination.
        draw: its number among the questions of a setting, so that each has a reply of its own.
        pairs: in the order of their lefts.
        order: the i-th left is shown with the right of pair `order[i]`.
    """

    combination: int
    draw: int
    pairs: tuple[Pair, ...]
    order: Order

    def shown(self) -> list[str]:
        """The rights as the question shows them."""
        return [self.pairs[place].right for place in self.order]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A question and what the model made of it.

    Attributes:
        result: "right" is h = 1 of eq. 4; "malformed" and "failed" are neither right nor wrong.
        fault: what a malformed reply lacks.
        names: as read.
        text: the reply; the reason where it failed.
    """

    question: Question
    result: Result
    fault: Fault | None
    names: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Setting:
    """What came of all questions of one k.

    Attributes:
        k: pairs per question.
        strategy: how the questions were made.
        estimate: P(hallucination) = 1 − mean h over the replies that could be read, with its interval; `None` where that
            is not known.
        counts: of each result.
        faults: of each fault of malformed replies.
        as_wrong: P with malformed replies counted as wrong.
    """

    k: int
    strategy: Strategy
    estimate: Estimate | None
    as_wrong: Estimate | None
    counts: Mapping[Result, int]
    faults: Mapping[Fault, int]


def ask_pairs(
    pairs: Sequence[Pair],
    wording: Wording,
    *,
    temperature: float = TEMPERATURE,
    max_tokens: int | None = MAX_TOKENS,
) -> Flow[Known]:
    """Ask for every pair singly."""
    replies = yield from each(
        Ask(wording.single(pair.left), temperature=temperature, max_tokens=max_tokens) for pair in pairs
    )
    found: list[tuple[Pair, Result, str]] = []
    for pair, reply in zip(pairs, replies, strict=True):
        if isinstance(reply, Failed):
            found.append((pair, "failed", str(reply)))
            continue
        name = read_name(reply.value.text)
        right = pair.named(name) if name is not None else None
        if right is None:
            found.append((pair, "malformed" if name is None else "wrong", reply.value.text))
        else:
            others = tuple(other for other in pair.rights if other != right)
            found.append((Pair(pair.left, right, others), "right", reply.value.text))
    return Known(
        tuple(pair for pair, _, _ in found),
        tuple(result for _, result, _ in found),
        tuple(text for _, _, text in found),
    )


def plan(
    known: Known,
    k: int,
    *,
    combinations: int = 100,
    strategy: Strategy = "shuffle",
    shuffle: Shuffle = "uniform",
    most_orders: int | None = None,
    seed: int = 0,
) -> list[Question]:
    """The questions of one setting: the same for the same arguments.

    Args:
        known: which pairs there are to combine.
        k: pairs per question; 2 or more.
        combinations: how many are drawn.
        strategy: "shuffle" asks each combination in one order, "permutations" in all k! ([memory] Table II).
        shuffle: which orders the first strategy draws from.
        most_orders: asks so many of a combination's orders, drawn uniformly, where it has more.
        seed: of combinations and orders.

    Raises:
        ConfigError: an option is not one of those above, fewer than k pairs are known, or k! is too many.
    """
    number("k", k, least=2, whole=True)
    number("combinations", combinations, least=1, whole=True)
    one_of("strategy", strategy, ("shuffle", "permutations"))
    one_of("shuffle", shuffle, ("uniform", "moved"))
    if most_orders is not None:
        number("orders", most_orders, least=1, whole=True)
    mask = np.array([result == "right" for result in known.results], dtype=np.bool_)
    found: list[Question] = []
    for combination in range(combinations):
        rng = stream(seed, k, combination)
        pairs = tuple(known.pairs[place] for place in chosen(rng, mask, k))
        if strategy == "shuffle":
            asked: Sequence[Order] = [shuffled(rng, k, shuffle)]
        else:
            asked = orders(k, most=most_orders, rng=rng)
        for i, order in enumerate(asked):
            found.append(Question(combination, combination * len(asked) + i, pairs, order))
    return found


def ask_questions(
    questions: Sequence[Question],
    wording: Wording,
    *,
    temperature: float = TEMPERATURE,
    max_tokens: int | None = MAX_TOKENS,
) -> Flow[list[Outcome]]:
    """Ask all; the outcomes come in their order."""
    replies = yield from each(
        Ask(
            wording.matching([pair.left for pair in question.pairs], question.shown()),
            temperature=temperature,
            max_tokens=max_tokens,
            draw=question.draw,
        )
        for question in questions
    )
    return [_outcome(question, reply) for question, reply in zip(questions, replies, strict=True)]


def answers_rightly(names: Sequence[str], pairs: Sequence[Pair]) -> bool:
    """Whether h of eq. 4 is 1: whether the list equals the right one in order, up to spelling; of several right names either one.

    Example:
        >>> answers_rightly(["Oslo", "ROME"], [Pair("Norway", "Oslo"), Pair("Italy", "Rome")])
        True
    """
    return len(names) == len(pairs) and all(
        pair.named(name) is not None for name, pair in zip(names, pairs, strict=True)
    )


def setting(outcomes: Sequence[Outcome], k: int, strategy: Strategy) -> Setting:
    """P(hallucination) over the outcomes of one k."""
    faults = Counter(one.fault for one in outcomes if one.fault is not None)
    return Setting(
        k=k,
        strategy=strategy,
        estimate=_estimate(outcomes, strategy, {"wrong"}, {"right", "wrong"}),
        as_wrong=_estimate(outcomes, strategy, {"wrong", "malformed"}, {"right", "wrong", "malformed"}),
        counts={
            result: sum(one.result == result for one in outcomes)
            for result in ("right", "wrong", "malformed", "failed")
        },
        faults={fault: faults[fault] for fault in FAULTS},
    )


def _estimate(
    outcomes: Sequence[Outcome], strategy: Strategy, bad: set[Result], read: set[Result]
) -> Estimate | None:
    if strategy == "shuffle":
        return single(sum(one.result in bad for one in outcomes), sum(one.result in read for one in outcomes))
    places = {
        combination: i for i, combination in enumerate({one.question.combination: 0 for one in outcomes})
    }
    wrong, sizes = np.zeros(len(places)), np.zeros(len(places))
    for one in outcomes:
        place = places[one.question.combination]
        wrong[place] += one.result in bad
        sizes[place] += one.result in read
    return clustered(wrong, sizes)


def _outcome(question: Question, reply: Reply[Completion]) -> Outcome:
    if isinstance(reply, Failed):
        return Outcome(question, "failed", None, (), str(reply))
    text = reply.value.text
    also = [name for pair in question.pairs for name in pair.also]
    read = read_list(text, question.shown(), right=also)
    if read.fault is not None:
        return Outcome(question, "malformed", read.fault, (), text)
    right = answers_rightly(read.names, question.pairs)
    return Outcome(question, "right" if right else "wrong", None, read.names, text)
