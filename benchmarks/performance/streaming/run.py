"""A stub upstream that streams twelve sentences at a fixed pace, and a guard: when does the first text arrive?"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import httpx

from benchmarks._table import Row, Run, bench
from guardrail import Guard, remove
from guardrail.adapting.openai_api import ChatCompletions, Exchange, SentenceExchange, why_buffered
from guardrail.adapting.sse import Reader, written
from guardrail.backends import entailment_installed
from guardrail.chat import ScriptedChat
from guardrail.detector import Detector
from guardrail.detectors import SelfCheck
from guardrail.requests import Ask
from guardrail.testing.server import serve

__all__ = ["compute", "main"]

PACE, FAST_PACE = 0.04, 0.01  # seconds a word
ROUNDS = 3
DRAWING, JUDGING = (
    25,
    2.5,
)  # how long the model that draws samples takes, and the judge, in words of the stream
MOST_OF_BUFFER = 0.5
QUESTION = "What is known of the library?"
MADE_UP = "It was founded in 1742 by the Duke of Marlborough and his brother Theodore."
ANSWER = (
    "The library stands on the north bank of the river. It was built between 1901 and 1904. "
    "The architect was Anna Lindqvist. Its reading room has space for two hundred people. "
    f"{MADE_UP} A fire destroyed the east wing in 1938. The wing was rebuilt after the war. "
    "Today the library has four hundred thousand books. It lends music and maps as well. "
    "Entrance is free for everybody. The building is closed on Mondays. Guided tours begin at noon."
)
DOCUMENTS = (
    """The library stands on the north bank of the river. It was built between 1901 and 1904 after plans of the architect Anna
    Lindqvist. The architect was Anna Lindqvist. Its reading room has space for two hundred people.""",
    """A fire destroyed the east wing of the library in 1938. The wing was rebuilt after the war. Today the library has four
    hundred thousand books.""",
    """The library lends books, music and maps. Entrance is free for everybody. The building is closed on Mondays. Guided tours
    of the library begin at noon.""",
)


@dataclass(frozen=True)
class Heard:
    """One streamed answer: seconds to its first text and to its end, and the text."""

    first: float
    end: float
    text: str


def _asking(detector: Detector, pace: float) -> Guard:
    """With one model that draws samples slowly, and one that judges them fast and says no to what is made up."""
    drawn = ANSWER.replace(f"{MADE_UP} ", "")
    return Guard(
        [detector],
        chat=ScriptedChat(drawn, delay=DRAWING * pace),
        judge=ScriptedChat(_judgement, delay=JUDGING * pace),
        policy=remove(),
    )


def _judgement(ask: Ask) -> str:
    return "No" if "Marlborough" in ask.messages[-1].text else "Yes"


def compute(run: Run) -> list[Row]:
    """Every row."""
    pace = FAST_PACE if run.fast else PACE
    rounds = 1 if run.fast else ROUNDS
    run.parameters |= {"pace": pace, "rounds": rounds}
    rows = [
        Row.shown("sentences", 12),
        Row.shown("words", len(ANSWER.split())),
        Row.shown("pace", pace * 1000, unit="ms/word", digits=0),
    ]
    with serve(lambda _: ANSWER, pace=pace) as service:
        for name, make in _guards(pace):
            run.say(name)
            rows += _rows(name, make, service.base_url, rounds)
    return rows


def _guards(pace: float) -> Iterator[tuple[str, Callable[[], Guard] | None]]:
    def grounded(fit: str) -> Guard:
        return Guard([SelfCheck("grounding", fit=fit)], policy=remove())

    yield "documents, words", partial(grounded, "words")
    yield "documents, entailment", partial(grounded, "entailment") if entailment_installed() else None
    yield "samples, judge", lambda: _asking(SelfCheck("prompt", samples=3, against="samples"), pace)
    yield "n-gram", lambda: _asking(SelfCheck("ngram", samples=3), pace)


def _rows(name: str, make: Callable[[], Guard] | None, url: str, rounds: int) -> list[Row]:
    quantity = f"{name}: first text, sentence / buffer"
    if make is None:
        return [Row.missing(quantity, "the packaged entailment model is not installed")]
    heard: dict[str, list[Heard]] = {"buffer": [], "sentence": []}
    scope = make().scope
    for mode in heard:
        with make() as guard:
            _asked(guard, url, mode)  # loads what the guard needs; not counted
    for _ in range(rounds):
        for mode, found in heard.items():
            with make() as guard:
                found.append(_asked(guard, url, mode))
    first = {mode: statistics.median(one.first for one in found) for mode, found in heard.items()}
    end = {mode: statistics.median(one.end for one in found) for mode, found in heard.items()}
    texts = {one.text for found in heard.values() for one in found}
    ratio = first["sentence"] / first["buffer"]
    return [
        *(
            Row.shown(f"{name}: first text, {mode}", value, unit="s", digits=2)
            for mode, value in first.items()
        ),
        *(Row.shown(f"{name}: end, {mode}", value, unit="s", digits=2) for mode, value in end.items()),
        Row.at_most(quantity, ratio, MOST_OF_BUFFER, digits=2)
        if scope == "sentence"
        else Row.shown(quantity, ratio, digits=2),
        Row.equal(f"{name}: different texts released", len(texts), 1),
        Row.equal(f"{name}: texts with what is made up", sum("Marlborough" in one for one in texts), 0),
    ]


def _asked(guard: Guard, url: str, mode: str) -> Heard:
    """What the server and the adapters do with a stream, over a plain HTTP client."""
    codec, reader = ChatCompletions(), Reader()
    heard = codec.piecewise({})
    request = {"model": "m", "messages": [{"role": "user", "content": QUESTION}], "stream": True}
    by_sentence = None
    if mode == "sentence" and not why_buffered(guard, codec, request):
        by_sentence = SentenceExchange(guard, codec, request, context=DOCUMENTS)
    started, first, parts = time.perf_counter(), 0.0, []
    if by_sentence is not None:
        by_sentence.start()
    with (
        httpx.Client(trust_env=False, timeout=60) as client,
        client.stream("POST", f"{url}/chat/completions", json=request) as response,
    ):
        given = response.iter_bytes()
        for piece in by_sentence.pieces(given) if by_sentence else _held(guard, codec, request, given):
            text = "".join(heard.said(event) or "" for event in reader.feed(piece))
            first = first or (time.perf_counter() - started if text else 0.0)
            parts.append(text)
    return Heard(first, time.perf_counter() - started, "".join(parts))


def _held(
    guard: Guard, codec: ChatCompletions, request: dict[str, Any], given: Iterator[bytes]
) -> Iterator[bytes]:
    """A stream that is held back until the verdict."""
    reader = Reader()
    body = codec.whole([event for piece in given for event in reader.feed(piece)])
    settled = Exchange(guard, codec, request, context=DOCUMENTS).settle(body, lambda wanted: wanted)
    yield written(codec.events(settled.body, request))


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    return bench(
        "performance.streaming",
        compute,
        argv,
        folder=Path(__file__).parent,
        doc=__doc__ or "",
    )
