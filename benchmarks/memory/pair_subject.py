"""A simulated subject: a chat model whose memory is known, so that an instrument can be held against it.

It knows a share of the pairs, and gets a whole list wrong with a probability that depends on k alone. It is asked in
words and answers in words, by turns in the ways that models do: by commas of both widths, or in numbered lines. It is no
model of any model.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterable, Mapping, Sequence

from benchmarks.memory.pairs import Pair
from guardrail.engine.backend import Backend
from guardrail.engine.flow import Answer, Cost, Failed, Reason, Reply
from guardrail.requests import Ask, Completion

__all__ = ["PairSubject"]

STRANGER = "nobody at all"
_PROSE = "I am not quite sure. Let me think: which of them was it?"


class PairSubject(Backend[Ask]):
    """Answers `Ask` requests; the same for the same seed, request and draw.

    Args:
        pairs: what there is to know.
        wrong: P(k), by k: how likely a list of k is answered wrongly.
        share: of the pairs, how many it knows.
        spread: in [0, 1], the correlation of errors among the questions about one combination: each combination has a
            probability of its own, by a beta distribution of mean P(k). 0: all errors are independent; 1: all
            questions about a combination go the same way.
        malformed: how likely a reply to a list is no list.
        seed: of its chances.
    """

    batch = 1_024
    instant = True

    def __init__(
        self,
        pairs: Iterable[Pair],
        *,
        wrong: Mapping[int, float],
        share: float = 1.0,
        spread: float = 0.0,
        malformed: float = 0.0,
        seed: int = 0,
    ) -> None:
        self._pairs = {pair.left: pair for pair in pairs}
        self._wrong = dict(wrong)
        self._share = share
        self._spread = spread
        self._malformed = malformed
        self._seed = seed

    @property
    def fingerprint(self) -> str:
        """What it is."""
        told = [self._wrong, self._share, self._spread, self._malformed, self._seed, len(self._pairs)]
        return f"simulated {json.dumps(told)}"

    def answer(self, requests: Sequence[Ask]) -> list[Reply[Completion]]:
        """One reply per request, at no cost."""
        return [self.reply(request) for request in requests]

    def reply(self, ask: Ask) -> Reply[Completion]:
        """What it says to one request."""
        data = _data(ask)
        pair = self._pairs.get(data)
        if pair is not None:
            return _said(pair.right if self.knows(pair) else STRANGER)
        try:
            pairs, shown = self._read(data)
        except (ValueError, KeyError):
            return Failed(Reason.REFUSED, f"a simulated subject knows pairs alone, not {data[:60]!r}")
        intent, rng = self._intent(pairs, shown, ask.draw)
        if intent == "malformed":
            return _said(rng.choice((_PROSE, "", "\n".join(shown[1:]))))
        names = [next((name for name in shown if pair.named(name)), pair.right) for pair in pairs]
        return _said(_written(_confused(names, pairs, rng) if intent == "wrong" else names, rng))

    def intent(self, ask: Ask) -> str:
        """Whether its reply to a list is meant to be "right", "wrong" or "malformed"."""
        return self._intent(*self._read(_data(ask)), ask.draw)[0]

    def knows(self, pair: Pair) -> bool:
        """Whether it knows the pair."""
        return self._chance("knows", pair.left).random() < self._share

    def probability(self, pairs: Sequence[Pair]) -> float:
        """How likely it gets a list of this combination wrong."""
        mean = self._wrong[len(pairs)]
        if self._spread == 0 or mean in {0.0, 1.0}:
            return mean
        rng = self._chance("combination", *sorted(pair.left for pair in pairs))
        if self._spread == 1:
            return float(rng.random() < mean)
        size = (1 - self._spread) / self._spread
        return rng.betavariate(mean * size, (1 - mean) * size)

    def _read(self, data: str) -> tuple[list[Pair], list[str]]:
        rows = [json.loads(line) for line in data.splitlines()]
        return [self._pairs[left] for left, _ in rows], [right for _, right in rows]

    def _intent(self, pairs: Sequence[Pair], shown: Sequence[str], draw: int) -> tuple[str, random.Random]:
        rng = self._chance("list", *(pair.left for pair in pairs), *shown, str(draw))
        if rng.random() < self._malformed:
            return "malformed", rng
        return "wrong" if rng.random() < self.probability(pairs) else "right", rng

    def _chance(self, *what: str) -> random.Random:
        text = "\x1f".join((str(self._seed), *what))
        return random.Random(hashlib.blake2b(text.encode(), digest_size=8).digest())


def _data(ask: Ask) -> str:
    return ask.messages[-1].text.partition("\n\n")[2]


def _confused(names: Sequence[str], pairs: Sequence[Pair], rng: random.Random) -> list[str]:
    """Two names change places; where that makes no list wrong, one is somebody else's."""
    places = list(range(len(names)))
    rng.shuffle(places)
    for i in places:
        for j in places:
            if pairs[i].named(names[j]) is None:
                changed = list(names)
                changed[i], changed[j] = names[j], names[i]
                return changed
    return [STRANGER, *names[1:]]


def _written(names: Sequence[str], rng: random.Random) -> str:
    """A list in one of the forms that are no fault."""
    return rng.choice(
        (
            ", ".join(names),
            "，".join(names) + "。",
            "、".join(names),
            "\n".join(f"{n}. {name}" for n, name in enumerate(names, 1)),
        )
    )


def _said(text: str) -> Answer[Completion]:
    return Answer(Completion(text, "simulated", "stop"), Cost())
