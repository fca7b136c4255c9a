"""The measurement: which pairs a model knows, and how often it confuses k of them ([memory] §III-B).

Flows over requests, so caching, retries, budgets, recording and replay are those of every detector.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Literal, TypeAlias

import numpy as np

from benchmarks.memory.pairs import Pair
from guardrail.engine.flow import Failed, Flow, Reply, each
from guardrail.errors import ConfigError
from guardrail.memory.internal.replies import read_list
from guardrail.requests import Ask, Completion, Message, Untrusted, system, user
from guardrail.statistics.clusters import Estimate, clustered
from guardrail.statistics.intervals import wilson
from guardrail.text.fence import FENCE_RULE

__all__ = [
    "Known",
    "Outcome",
    "Question",
    "Result",
    "Setting",
    "Strategy",
    "Wording",
    "ask_pairs",
    "ask_questions",
    "plan",
    "setting",
]

TEMPERATURE = 0.95  # of every question, as in the paper
MAX_TOKENS = 1_000  # of a reply; one that is cut off is malformed

Order: TypeAlias = tuple[int, ...]
Strategy: TypeAlias = Literal["shuffle", "permutations"]
Result: TypeAlias = Literal["right", "wrong", "malformed", "failed"]

_SINGLE = {
    "en": "Which {right} belongs to this {left}? Reply with the {right} alone, without an explanation.",
    "zh": "与下面的「{left}」对应的「{right}」是什么？只回答「{right}」，不要解释，也不要输出任何其他内容。",
}
_LIST = {
    "en": "Each line below holds one {left} and one {right}, and the {right} entries may have changed places. Which "
    "{right} belongs to each {left}? Reply with the {right} entries alone, in the order in which the {left} entries "
    "stand, separated by commas.",
    "zh": "下面每一行有一个「{left}」和一个「{right}」，但「{right}」的位置可能被打乱了。请按「{left}」的先后顺序，"
    "依次给出与之对应的「{right}」。只输出「{right}」，用逗号分隔，不要输出任何其他内容。",
}
_SYSTEM = {"en": "You say what you remember.", "zh": "请根据你的记忆作答。"}


@dataclass(frozen=True, slots=True)
class Wording:
    """How questions are worded.

    Attributes:
        language: English or Chinese.
        left: what the first halves are ("country", "诗句").
        right: what the second halves are ("capital", "作者").
    """

    language: Literal["en", "zh"]
    left: str
    right: str

    def single(self, left: str) -> tuple[Message, ...]:
        """Asks for the right of one left."""
        return self._messages(_SINGLE, left)

    def matching(self, lefts: Sequence[str], rights: Sequence[str]) -> tuple[Message, ...]:
        """Asks for the rights in the order of the lefts; the rights come in a shuffled one ([memory] Table I)."""
        pairs = zip(lefts, rights, strict=True)
        return self._messages(_LIST, "\n".join(json.dumps(pair, ensure_ascii=False) for pair in pairs))

    def _messages(self, asked: Mapping[str, str], data: str) -> tuple[Message, ...]:
        text = asked[self.language].format(left=self.left, right=self.right)
        return (system(f"{_SYSTEM[self.language]} {FENCE_RULE}"), user(f"{text}\n\n", Untrusted(data)))


@dataclass(frozen=True, slots=True)
class Known:
    """What a model makes of the pairs, asked one by one.

    Attributes:
        pairs: the candidates; a known one shows the name that the model gave, where several are right.
        results: per pair; "right" is known, "wrong" is any other reply.
    """

    pairs: tuple[Pair, ...]
    results: tuple[Result, ...]

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
        order: the i-th left is shown with the right of pair `order[i]` ([memory] eq. 1).
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
        text: the reply; the reason where it failed.
    """

    question: Question
    result: Result
    text: str


@dataclass(frozen=True, slots=True)
class Setting:
    """What came of all questions of one k.

    Attributes:
        estimate: P(hallucination) = 1 − mean h over the replies that could be read, with its interval; `None` where that
            is not known.
        counts: of each result.
    """

    estimate: Estimate | None
    counts: Mapping[Result, int]


def ask_pairs(pairs: Sequence[Pair], wording: Wording) -> Flow[Known]:
    """Ask for every pair singly."""
    replies = yield from each(
        Ask(wording.single(pair.left), temperature=TEMPERATURE, max_tokens=MAX_TOKENS) for pair in pairs
    )
    found: list[Pair] = []
    results: list[Result] = []
    for pair, reply in zip(pairs, replies, strict=True):
        said = () if isinstance(reply, Failed) else read_list(reply.value.text, [pair.right], right=pair.also)
        right = pair.named(said[0]) if said else None
        results.append("right" if right else "failed" if isinstance(reply, Failed) else "wrong")
        others = tuple(other for other in pair.rights if other != right)
        found.append(Pair(pair.left, right, others) if right else pair)
    return Known(tuple(found), tuple(results))


def plan(
    known: Known,
    k: int,
    *,
    combinations: int = 100,
    strategy: Strategy = "shuffle",
    most_orders: int | None = None,
    seed: int = 0,
) -> list[Question]:
    """The questions of one setting: the same for the same arguments.

    Args:
        known: which pairs there are to combine.
        k: pairs per question; 2 or more.
        combinations: how many are drawn.
        strategy: "shuffle" asks each combination in one order, drawn from all k!, the right one among them;
            "permutations" in all k! ([memory] Table II).
        most_orders: asks so many of a combination's orders, drawn uniformly, where it has more.
        seed: of combinations and orders.

    Raises:
        ConfigError: fewer than k pairs are known.
    """
    if known.count < k:
        raise ConfigError(f"expected at least {k} known pairs for questions of {k}, got {known.count}")
    mask = np.array([result == "right" for result in known.results], dtype=np.bool_)
    found: list[Question] = []
    for combination in range(combinations):
        rng = np.random.default_rng((seed, k, combination))
        # of a random order of all pairs the first known ones: one more known pair changes few questions
        everyone = rng.permutation(mask.size)
        pairs = tuple(known.pairs[place] for place in everyone[mask[everyone]][:k])
        asked = [_shuffled(rng, k)] if strategy == "shuffle" else _orders(rng, k, most_orders)
        for i, order in enumerate(asked):
            found.append(Question(combination, combination * len(asked) + i, pairs, order))
    return found


def _shuffled(rng: np.random.Generator, k: int) -> Order:
    return tuple(rng.permutation(k).tolist())


def _orders(rng: np.random.Generator, k: int, most: int | None) -> list[Order]:
    """All k! orders, or `most` different ones drawn uniformly where there are more."""
    if most is None or math.factorial(k) <= most:
        return list(permutations(range(k)))
    found: dict[Order, None] = {}
    while len(found) < most:
        found[_shuffled(rng, k)] = None
    return list(found)


def ask_questions(questions: Sequence[Question], wording: Wording) -> Flow[list[Outcome]]:
    """Ask all; the outcomes come in their order."""
    replies = yield from each(
        Ask(
            wording.matching([pair.left for pair in question.pairs], question.shown()),
            temperature=TEMPERATURE,
            max_tokens=MAX_TOKENS,
            draw=question.draw,
        )
        for question in questions
    )
    return [_outcome(question, reply) for question, reply in zip(questions, replies, strict=True)]


def _outcome(question: Question, reply: Reply[Completion]) -> Outcome:
    """Right is the list that equals the right one in order (h = 1 of eq. 4), up to spelling; of several right names either one."""
    if isinstance(reply, Failed):
        return Outcome(question, "failed", str(reply))
    also = [name for pair in question.pairs for name in pair.also]
    names = read_list(reply.value.text, question.shown(), right=also)
    if not names:
        return Outcome(question, "malformed", reply.value.text)
    right = all(pair.named(name) is not None for name, pair in zip(names, question.pairs, strict=True))
    return Outcome(question, "right" if right else "wrong", reply.value.text)


def setting(outcomes: Sequence[Outcome], strategy: Strategy) -> Setting:
    """P(hallucination) over the outcomes of one k.

    Questions about different combinations are independent: Wilson's interval. The orders of one combination are not, so
    there the combinations are the units.
    """
    results: tuple[Result, ...] = ("right", "wrong", "malformed", "failed")
    counts = {result: sum(one.result == result for one in outcomes) for result in results}
    if strategy == "shuffle":
        wrong, read = counts["wrong"], counts["wrong"] + counts["right"]
        return Setting(Estimate(wrong / read, wilson(wrong, read), read) if read else None, counts)
    numbers = dict.fromkeys(one.question.combination for one in outcomes)
    groups = [[one.result for one in outcomes if one.question.combination == number] for number in numbers]
    wrongs = [group.count("wrong") for group in groups]
    return Setting(
        clustered(wrongs, [group.count("right") + bad for group, bad in zip(groups, wrongs, strict=True)]),
        counts,
    )
