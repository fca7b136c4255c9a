"""A streamed answer that is handed out sentence by sentence: bytes of the upstream's stream in, bytes for the client out.

`SentenceExchange.pieces` is a generator, `apieces` its async twin. Text goes out as soon as it was examined; whatever else
the stream has (usage, tool calls, reasoning, how it ended) waits for the end, and goes out with the report. If the stream
breaks off, what was not examined is never released.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, Iterable, Iterator, Sequence

from guardrail.adapting.changes import Change
from guardrail.adapting.codec import Choice, Codec, Incoming, NotReadable
from guardrail.adapting.exchange import Exchange, Settled
from guardrail.adapting.reasoning import Reasoning
from guardrail.adapting.sentence_release import SentenceRelease
from guardrail.adapting.sentence_stream import WITHDRAWN, Withdrawn
from guardrail.adapting.sse import Event, written
from guardrail.given.accepted import Documents, Json
from guardrail.guard import Guard
from guardrail.report import Case, Report

_MOST_FOUND = 50
"""How often a stream may say that something was found; after that it is read with the whole body."""


def why_buffered(guard: Guard, codec: Codec, request: Json) -> str:
    """Why the answers to a request are released as a whole; "" if they may be by sentence."""
    return guard.why_whole or codec.why_whole(request)


class SentenceExchange:
    """One request whose answer is streamed, and the guard that looks at it meanwhile.

    Args:
        guard: the guard; its scope is "sentence".
        codec: of the protocol.
        request: the body that the application sent.
        context: as of an `Exchange`.
        users: likewise.
        longest: characters of an answer that is examined as a whole; `None` = any number.
        reasoning: as of an `Exchange`.

    Attributes:
        summary: the report, once the stream has ended.
        body: the whole upstream answer, likewise.
    """

    def __init__(
        self,
        guard: Guard,
        codec: Codec,
        request: Json,
        *,
        context: Documents = None,
        users: bool = False,
        longest: int | None = None,
        reasoning: Reasoning = "drop",
    ) -> None:
        self._longest = longest
        self.summary: Json | None = None
        self.body: Json | None = None
        self._codec = codec
        self._request = request
        self._exchange = Exchange(guard, codec, request, context=context, users=users, reasoning=reasoning)
        self._found: list[Json] = []  # by tools that the service ran, before there is a whole body
        self._release = SentenceRelease(guard, self._about(None))
        self._piecewise = codec.piecewise(request, silent=reasoning == "drop")
        self._incoming = Incoming(codec)
        self._events: list[Event] = []

    def start(self) -> None:
        """Have samples drawn while the upstream works; to be called when the request goes out."""
        self._release.start()

    def astart(self) -> None:
        """As `start`, on the running event loop. Call `aclose` in the end, whatever happens."""
        self._release.astart()

    async def aclose(self) -> None:
        """End what was started."""
        await self._release.aclose()

    @property
    def is_over(self) -> bool:
        """Whether the last event came: whatever the upstream still sends is dropped."""
        return self._incoming.ended

    # -- the two pumps

    def pieces(self, parts: Iterable[bytes]) -> Iterator[bytes]:
        """What the client gets, from what the upstream sends.

        Raises:
            NotReadable: the stream is not of the protocol, says that something failed, or broke off.
        """
        for part in parts:
            self._take(part)
            begun = bool(self._release.released)
            if text := self._release.examined():
                yield self._saying(text, begun=begun)
        body, last = self._ended()
        if last is None:
            settled = self._exchange.settle(body, _never)
        else:
            settled = self._exchange.closed(self._settled(body, last))
        yield self._closing(body, settled)

    async def apieces(self, parts: AsyncIterable[bytes]) -> AsyncGenerator[bytes]:
        """As `pieces`."""
        async for part in parts:
            self._take(part)
            begun = bool(self._release.released)
            if text := await self._release.aexamined():
                yield self._saying(text, begun=begun)
        body, last = self._ended()
        if last is None:
            settled = await self._exchange.asettle(body, _anever)
        else:
            settled = await self._exchange.aclosed(await self._asettled(body, last))
        yield self._closing(body, settled)

    # -- the steps

    def _take(self, part: bytes) -> None:
        for event in self._incoming.feed(part):
            self._events.append(event)
            found = self._codec.found(event) if len(self._found) < _MOST_FOUND else None
            if found is not None and found not in self._found:
                self._found.append(found)
                names = {name for one in self._found for name in one}
                parts = {name: [part for one in self._found for part in one.get(name, ())] for name in names}
                self._release.ask(self._about(parts))
            try:
                said = self._piecewise.said(event)
            except NotReadable:
                said = None
            self._release.feed(said)

    def _about(self, body: Json | None) -> Case:
        """What the answer is about, without the answer."""
        return Case.of("", prompt=self._codec.messages(self._request), context=self._exchange.documents(body))

    def _saying(self, text: str, *, begun: bool) -> bytes:
        opening = [] if begun else self._piecewise.begin()
        return written([*opening, *self._piecewise.saying(text)])

    def _ended(self) -> tuple[Json, Choice | None]:
        """The whole body, and the choice whose text was fed; without one it is as any other body.

        Raises:
            NotReadable: it is no body of the protocol.
        """
        if self._incoming.unfinished:
            raise NotReadable("expected a whole stream, got one that broke off")
        body = self.body = self._codec.whole(self._events)
        choices = self._codec.choices(body)
        if self._longest is not None and sum(len(choice.text) for choice in choices) > self._longest:
            raise NotReadable(f"expected an answer of at most {self._longest:,} characters, got a longer one")
        self._release.ask(self._about(body))
        is_fed = len(choices) == 1 and not choices[0].unread and self._release.is_of(choices[0].text)
        return body, choices[0] if is_fed else None

    def _settled(self, body: Json, last: Choice) -> Settled:
        try:
            report = self._release.concluded(last.text, last.logprobs, self._codec.tokens(body))
        except Exception as error:  # noqa: BLE001  # the fail mode says what becomes of the answer
            return self._exchange.unfinished(body, error)
        return self._decided(body, report)  # if this fails nothing is shown: there is a verdict

    async def _asettled(self, body: Json, last: Choice) -> Settled:
        try:
            report = await self._release.aconcluded(last.text, last.logprobs, self._codec.tokens(body))
        except Exception as error:  # noqa: BLE001  # as above
            return self._exchange.unfinished(body, error)
        return self._decided(body, report)

    def _decided(self, body: Json, report: Report) -> Settled:
        return self._exchange.decided(body, Change.of(report.case.answer, report))

    def _closing(self, body: Json, settled: Settled) -> bytes:
        """The end of the stream, with all that waited for it."""
        released = self._release.released
        if not released:
            self.summary = settled.summary
            return written(self._codec.events(settled.body, self._request))
        rest: str | None = None
        try:
            rest = self._release.rest(_first_text(self._codec.choices(settled.body)))
            shown, self.summary = settled.body, settled.summary
        except Withdrawn:
            self.summary = {**settled.summary, "action": "block", "note": WITHDRAWN}
            blocked = body
            for choice in self._codec.choices(body):  # nobody examined the others either
                blocked = self._codec.blocked(blocked, choice.index, "")
            shown = self._codec.reported(blocked, self.summary, [body.get("usage")])
        return written(self._piecewise.continued(shown, released, rest))


def _first_text(choices: Sequence[Choice]) -> str:
    """The first text block of the one choice."""
    if len(choices) != 1 or not choices[0].places:
        return ""
    start, end = choices[0].places[0]
    return choices[0].text[start:end]


def _never(wanted: Json) -> Json:
    del wanted
    raise NotReadable("expected an answer that is not asked for again, got a policy that does")


async def _anever(wanted: Json) -> Json:
    return _never(wanted)
