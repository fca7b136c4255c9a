"""Pairs of any length for entailment models: what a model cannot read at once it reads in parts, which are pooled.

Only the model knows how much it reads, so it is asked for the whole first. Its reply says where it stopped; the rest is
cut between sentences into parts of a little less than that, and asked for. A text that is far longer than models usually
read is tried with one sentence before the others are asked about its parts. Nothing here asks for what was read already.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from guardrail.engine.flow import Failed, Flow, Reply, each
from guardrail.requests import Entail, Entailment
from guardrail.selfcheck.base import compute_if_long
from guardrail.selfcheck.nli.premise import Part, nearest_parts, parts

Order: TypeAlias = Literal["sample_first", "sentence_first"]

_TRIED = 16_000  # characters; a longer text is tried with one sentence first
_SHARE = 0.9  # of what was read of a text's beginning: other places may hold more tokens per character
_SHORTEST = 16  # characters; a model that reads less at once cannot judge by it
_ROUNDS = 4  # the whole, its parts, and parts of those that hold more tokens than the beginning did


def pair(
    sentence: str, passage: str, order: Order = "sample_first", *, kind: type[Entail] = Entail
) -> Entail:
    """The request: "sample_first" has the sample as premise (the paper's text); "sentence_first" the sentence.

    Its `kind` says which model is asked. Differs: the paper's own package, which made its figures, feeds the sentence
    first.
    """
    if order == "sentence_first":
        return kind(premise=sentence, hypothesis=passage)
    return kind(premise=passage, hypothesis=sentence)


def pooled(found: Iterable[Entailment]) -> Entailment | None:
    """What a text says, from what its parts say: one that entails is enough, and one that is about something else changes nothing.

    P(entailment) is the largest of the parts'. P(contradiction) is the largest too, but at most what P(entailment)
    leaves: what one part supports no other part contradicts, however sure a model is of it. One part is itself.

    Returns:
        Probabilities that add up to 1 if those of the parts do; `None` where no part has numbers.

    Example:
        >>> pooled([Entailment(0.75, 0.25, 0.0), Entailment(0.0, 1.0, 0.0)])
        Entailment(entailment=0.75, contradiction=0.25, neutral=0.0, premise_read=None, hypothesis_read=None)
        >>> pooled([Entailment(0.25, 0.0, 0.75), Entailment(0.0, 0.5, 0.5)])
        Entailment(entailment=0.25, contradiction=0.5, neutral=0.25, premise_read=None, hypothesis_read=None)
    """
    given = list(found)
    if len(given) < 2:
        return given[0] if given else None
    known = [one for one in given if math.isfinite(one.entailment) and math.isfinite(one.contradiction)]
    if not known:
        return None
    entailment = max(one.entailment for one in known)
    contradiction = min(max(one.contradiction for one in known), max(0.0, 1.0 - entailment))
    if any(one.neutral is None for one in known):
        return Entailment(entailment, contradiction)
    return Entailment(entailment, contradiction, max(0.0, 1.0 - entailment - contradiction))


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text that a model has read with a sentence.

    Attributes:
        start: its first character's place.
        end: where it ends, exclusive.
        found: what the model said.
    """

    start: int
    end: int
    found: Entailment


@dataclass(slots=True)
class Reading:
    """What a model said of one text and one sentence.

    Attributes:
        pieces: what was read, in the text's order; one, the whole, where the model reads it at once.
        of: pieces that there are; more than were asked for where those most like the sentence stand for the rest.
        asked: pieces that were asked about.
        unread: whether some of the text could not be brought into a form that the model reads.
        sentence_read: characters of the sentence that were read with every piece; `None` = all.
        failures: replies without a value.
    """

    pieces: list[Piece] = field(default_factory=list)
    of: int = 0
    asked: int = 0
    unread: bool = False
    sentence_read: int | None = None
    failures: list[Failed] = field(default_factory=list)

    @property
    def found(self) -> Entailment | None:
        """The pieces' together; `None` where there is none."""
        return pooled(piece.found for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class _Ask:
    """A pair's part that is to be asked about; the text is the same object for all pairs that share it."""

    pair: int
    start: int
    text: str


@dataclass(slots=True)
class _Progress:
    """Pairs, what has been read of them, and who waits until a long text has been tried."""

    pairs: Sequence[tuple[str, str]]
    order: Order
    most: int
    readings: list[Reading]
    waiting: dict[int, list[int]] = field(default_factory=dict)


def read(
    pairs: Sequence[tuple[str, str]],
    *,
    order: Order = "sample_first",
    most: int = 16,
    kind: type[Entail] = Entail,
) -> Flow[list[Reading]]:
    """Ask what texts say of sentences, in parts where they are too long.

    Args:
        pairs: (text, sentence).
        order: which of the two is the premise.
        most: pieces of a text that are read with one sentence, those most like it by their words.
        kind: of the requests.

    Returns:
        One reading per pair.
    """
    progress = _Progress(pairs, order, most, [Reading() for _ in pairs])
    asks = _first(progress)
    for turn in range(_ROUNDS):
        replies = yield from each([pair(pairs[ask.pair][1], ask.text, order, kind=kind) for ask in asks])
        last = turn == _ROUNDS - 1
        size = max(len(asks), *(len(ask.text) for ask in asks)) if asks else 0
        asks = yield from compute_if_long(size, _next, progress, asks, replies, last)
        if not asks:
            break
    for reading in progress.readings:
        reading.pieces.sort(key=lambda piece: (piece.start, piece.end))
    return progress.readings


def _first(progress: _Progress) -> list[_Ask]:
    """Every pair as a whole, but of a very long text only one, whose sentence is of usual length."""
    asks: list[_Ask] = []
    long: dict[str, list[int]] = {}
    for number, (text, _) in enumerate(progress.pairs):
        if len(text) > _TRIED:
            long.setdefault(text, []).append(number)
        else:
            asks.append(_whole(progress, number, text))
    for text, numbers in long.items():
        tried = sorted(numbers, key=lambda number: len(progress.pairs[number][1]))[len(numbers) // 2]
        asks.append(_whole(progress, tried, text))
        progress.waiting[tried] = [number for number in numbers if number != tried]
    return asks


def _whole(progress: _Progress, number: int, text: str) -> _Ask:
    progress.readings[number].of = progress.readings[number].asked = 1
    return _Ask(number, 0, text)


def _next(
    progress: _Progress, asks: Sequence[_Ask], replies: Sequence[Reply[Entailment]], last: bool
) -> list[_Ask]:
    """Record the replies, and say what is to be asked for besides."""
    cut: dict[tuple[str, int], list[tuple[int, int]]] = {}
    found: list[_Ask] = []
    for ask, reply in zip(asks, replies, strict=True):
        length = _record(progress, ask, reply)
        others = progress.waiting.pop(ask.pair, [])
        if length is None:
            found += (_whole(progress, other, ask.text) for other in others)
        else:
            rest = cut.setdefault((ask.text, ask.start), [])
            rest += [(ask.pair, length), *((other, 0) for other in others)]
    for (text, start), stops in cut.items():
        found += _parts(progress, text, start, stops)
    if last:
        for ask in found:
            progress.readings[ask.pair].unread = True
        return []
    return found


def _record(progress: _Progress, ask: _Ask, reply: Reply[Entailment]) -> int | None:
    """Characters of the text that were read; `None` = all, or nothing came back."""
    reading = progress.readings[ask.pair]
    if isinstance(reply, Failed):
        reading.failures.append(reply)
        return None
    text, sentence = reply.value.premise_read, reply.value.hypothesis_read
    if progress.order == "sentence_first":
        text, sentence = sentence, text
    length = None if text is None or text >= len(ask.text) else max(0, text)
    if length != 0:
        end = len(ask.text) if length is None else length
        reading.pieces.append(Piece(ask.start, ask.start + end, reply.value))
    if sentence is not None and sentence < len(progress.pairs[ask.pair][1]):
        before = reading.sentence_read
        reading.sentence_read = max(0, sentence if before is None else min(sentence, before))
    return length


def _parts(progress: _Progress, text: str, start: int, stops: Sequence[tuple[int, int]]) -> list[_Ask]:
    """The parts of a text of which some pairs have read only the beginning, up to their stops."""
    known = [stop for _, stop in stops if stop]
    size = int(_SHARE * statistics.median_high(known)) if known else 0
    if size < _SHORTEST:
        for number, _ in stops:
            progress.readings[number].unread = True
        return []
    there = parts(text, size)
    texts = [text[part.start : part.end] for part in there]
    left = {number: [i for i, part in enumerate(there) if part.end > stop] for number, stop in stops}
    room = {number: max(0, progress.most - progress.readings[number].asked) for number in left}
    ranked = _ranked(progress, text, there, [number for number in left if len(left[number]) > room[number]])
    found: list[_Ask] = []
    for number, rest in left.items():
        progress.readings[number].of += len(rest)
        wanted = set(rest)
        taken = [i for i in ranked.get(number, rest) if i in wanted][: room[number]]
        progress.readings[number].asked += len(taken)
        found += (_Ask(number, start + there[i].start, texts[i]) for i in sorted(taken))
    return found


def _ranked(
    progress: _Progress, text: str, there: Sequence[Part], numbers: Sequence[int]
) -> Mapping[int, list[int]]:
    if not numbers:
        return {}
    ranks = nearest_parts([progress.pairs[number][1] for number in numbers], text, there)
    return dict(zip(numbers, ranks, strict=True))
