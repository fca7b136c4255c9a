"""What a protocol of a chat service is for a guard: its choices, what a codec and its streams can do, and summed usage."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from guardrail.adapting.changes import Change
from guardrail.adapting.residue import is_wordless
from guardrail.adapting.sse import Event, Reader
from guardrail.adapting.strict_json import read_json
from guardrail.errors import GuardrailError
from guardrail.given import content
from guardrail.given.accepted import Json, JsonObject
from guardrail.requests import Message, TokenLogprob, user

_MOST_TOKENS = 2**53  # beyond, a number of an upstream is no count, and a float may not hold it


class NotReadable(GuardrailError):
    """A body or a stream is not what the protocol says, broke off, or says that something failed.

    Attributes:
        error: the error that the stream ended with, if it said one.
    """

    def __init__(self, message: str, *, error: Any = None) -> None:
        self.error = error
        super().__init__(message)


@dataclass(frozen=True)
class Choice:
    """One answer of a response.

    Attributes:
        index: which.
        text: what the model said, all its text blocks and its refusal; "" for a turn that only calls tools.
        places: where each text block is in `text`.
        logprobs: the tokens of the text, where they are known.
        calls: whether it calls tools.
        refused: whether it holds the model's own refusal.
        unread: what in it is an answer and no text, so that nobody can examine it; "" if nothing is.
    """

    index: int
    text: str
    places: tuple[tuple[int, int], ...] = ()
    logprobs: tuple[TokenLogprob, ...] = ()
    calls: bool = False
    refused: bool = False
    unread: str = ""


class Piecewise(ABC):
    """One stream whose text is released in pieces: reads what the upstream says, and writes what may be shown.

    It is used once, in the order of its methods. Only the answer's first text block is released in pieces; what follows it goes
    out at the end.
    """

    @abstractmethod
    def said(self, event: Event) -> str | None:
        """The text that an event adds to the answer; `None` if more may depend on it than text.

        Raises:
            NotReadable: it cannot be read.
        """

    @abstractmethod
    def begin(self) -> list[Event]:
        """What comes before the first text."""

    @abstractmethod
    def saying(self, text: str) -> list[Event]:
        """A piece of text as events of the stream."""

    @abstractmethod
    def continued(self, body: JsonObject, released: str, rest: str | None) -> list[Event]:
        """The end of the stream of a whole body, of which the beginning of the first text block went out.

        Args:
            body: what is shown, with the report.
            released: the text that went out.
            rest: of the first text block, what did not; `None` = nothing more of the answer may be shown.

        Raises:
            NotReadable: the body is not what its stream was.
        """


class Codec(ABC):
    """Reads and writes one protocol; bodies are never changed in place."""

    name: str
    counted: ClassVar[tuple[str, str]] = ("input_tokens", "output_tokens")
    """What a usage calls the tokens of the prompt, and those of the answers."""
    one_report: ClassVar[bool] = False
    """Whether only the last of the events that can carry the report has it; else all have it, so that none passes on a service's own."""

    @abstractmethod
    def messages(self, request: JsonObject) -> tuple[Message, ...]:
        """What was asked."""

    def refusal(self, request: JsonObject) -> str:
        """Why answers to a request cannot be guarded; "" if they can."""
        del request
        return ""

    @abstractmethod
    def form(self, request: JsonObject) -> Any:
        """The JSON Schema that answers must have; `True` for any JSON, `None` for text."""

    @abstractmethod
    def again(self, request: JsonObject, feedback: str) -> Json:
        """The request that asks for one other answer, not streamed.

        Raises:
            InputError: asking again would do something twice.
        """

    @abstractmethod
    def choices(self, body: JsonObject) -> list[Choice]:
        """The answers in a body.

        Raises:
            NotReadable: it is no body of this protocol.
        """

    def tokens(self, body: JsonObject) -> tuple[int, int]:
        """Tokens of the prompt and of the answers, as the body says; 0 where it does not."""
        usage = body.get("usage")
        found = usage if isinstance(usage, Mapping) else {}
        asked, said = (found.get(name) for name in self.counted)
        return _count(asked), _count(said)

    @abstractmethod
    def edited(
        self, body: JsonObject, index: int, parts: Sequence[Change], taken: Sequence[str] | None
    ) -> Json:
        """A body with other texts in one choice, and without what points into what is gone.

        Args:
            body: of this protocol.
            index: of the choice.
            parts: the change of each text block.
            taken: texts that may not turn up anywhere; `None` if none went away.
        """

    @abstractmethod
    def blocked(self, body: JsonObject, index: int, message: str) -> Json:
        """A body in which one choice is nothing but a message, and says that it was filtered."""

    @abstractmethod
    def thoughts(self, body: JsonObject) -> list[str]:
        """The reasoning that can be read, of each choice; "" where there is none."""

    @abstractmethod
    def silent(self, body: JsonObject, heard: Collection[int] = ()) -> Json:
        """A body without the reasoning that can be read.

        Args:
            body: of this protocol.
            heard: numbers of choices that keep theirs.
        """

    @abstractmethod
    def substituted(self, body: JsonObject, index: int, other: JsonObject) -> Json:
        """A body in which one choice is the first one of another body."""

    @abstractmethod
    def whole(self, events: Sequence[Event]) -> Json:
        """The body that a stream would have been.

        Raises:
            NotReadable: the stream broke off, or says that something failed.
        """

    @abstractmethod
    def events(self, body: JsonObject, request: JsonObject) -> list[Event]:
        """A whole body as a stream."""

    @abstractmethod
    def ends(self, event: Event) -> bool:
        """Whether an event is the last one of its stream: whatever comes after it is no part of the answer."""

    @abstractmethod
    def is_last(self, event: Event) -> bool:
        """Whether an event of a stream may be the one that carries the report, or comes after it."""

    def place_of_report(self, told: Json) -> Json | None:
        """The object of an event that takes the report; `None` of an event that does not end the answer."""
        del told
        return None

    def reporting(self, events: Sequence[Event], summary: JsonObject) -> list[Event]:
        """The last events of a stream that passes as it is, with the report."""
        found = list(events)
        for at, event in reversed([*enumerate(events)]):
            told = self.peeked(event)
            place = self.place_of_report(told)
            if place is not None:
                place["guardrail"] = dict(summary)
                found[at] = Event(json.dumps(told), event.name)
                if self.one_report:
                    break
        return found

    def told(self, event: Event) -> Json:
        """What an event says.

        Raises:
            NotReadable: it is malformed, or says that something failed.
        """
        return object_of(event)

    def peeked(self, event: Event) -> Json:
        """As `told`; nothing where that cannot be read."""
        try:
            return self.told(event)
        except NotReadable:
            return {}

    def found(self, event: Event) -> Json | None:
        """What the service's own tools have found, where an event of a stream has it: as it would be in a whole body."""
        del event
        return None

    # -- sentence by sentence; a protocol that cannot do it says why

    def why_whole(self, request: JsonObject) -> str:
        """Why the answer to a request is released as a whole; "" if it may be by sentence."""
        if type(self).piecewise is Codec.piecewise:
            return f"{self.name} are released as a whole"
        return "" if self.form(request) is None else "a structured output was asked for"

    def piecewise(self, request: JsonObject, *, silent: bool = False) -> Piecewise:
        """How one stream is read and written by pieces of text.

        Args:
            request: the body that the application sent; `why_whole` has nothing against it.
            silent: whether its bodies are `silent`, so that reasoning need not wait for the verdict.
        """
        raise NotImplementedError

    def alone(self, body: JsonObject) -> JsonObject:
        """A body in which the answer is in one place: elsewhere some clients would read another one, which nobody examined."""
        return body

    def reported(self, body: JsonObject, summary: JsonObject, usages: Sequence[Any]) -> Json:
        """A body with the report, and with the usage of all attempts."""
        found = {**self.alone(body), "guardrail": dict(summary)}
        told = [usage for usage in usages if isinstance(usage, Mapping)]
        if len(told) > 1:
            found["usage"] = summed(told)
        return found


class Incoming:
    """Reads the events of one answer. What comes after its end is nobody's answer, and is dropped.

    Args:
        codec: of the protocol; it knows which event is the last one.

    Attributes:
        ended: whether the last event came.
    """

    def __init__(self, codec: Codec) -> None:
        self.ended = False
        self._codec = codec
        self._reader = Reader()

    @property
    def unfinished(self) -> bool:
        """Whether the stream broke off within an event."""
        return not self.ended and self._reader.unfinished

    def feed(self, piece: bytes) -> Iterator[Event]:
        """The events that end in this piece."""
        if self.ended:
            return
        for event in self._reader.feed(piece):
            self.ended = self._codec.ends(event)
            yield event
            if self.ended:
                return


def read_stream(codec: Codec, body: bytes) -> list[Event]:
    """The events of a stream that is there as a whole.

    Raises:
        NotReadable: it broke off within an event.
    """
    incoming = Incoming(codec)
    events = list(incoming.feed(body))
    if incoming.unfinished:
        raise NotReadable("expected a whole stream, got one that broke off")
    return events


def summed(usages: Sequence[JsonObject]) -> Json:
    """The sum of some usages, field by field.

    Example:
        >>> summed([{"total_tokens": 2, "details": {"cached": 1}}, {"total_tokens": 3}])
        {'total_tokens': 5, 'details': {'cached': 1}}
    """
    found: Json = {}
    for usage in usages:
        for name, value in usage.items():
            if isinstance(value, Mapping):
                before = found.get(name)
                found[name] = summed([before, value] if isinstance(before, Mapping) else [value])
            elif isinstance(value, int | float) and not isinstance(value, bool):
                found[name] = value + (found.get(name) or 0)
            elif is_wordless(value, ()):
                found.setdefault(name, value)
    return found


def messages(listed: Any) -> tuple[Message, ...]:
    """The messages of a request; one of a service's own form is read as the user's, if it has a text.

    A request is its client's: whatever it is, this must not fail, or the answer would not be examined.
    """
    found: list[Message] = []
    for one in [listed] if isinstance(listed, str) else items(listed):
        if not isinstance(one, Mapping | str):
            continue
        try:
            found += content.messages([one] if isinstance(one, Mapping) else one)
        except Exception:  # noqa: BLE001  # as above
            said = one.get("content") if isinstance(one, Mapping) else None
            found += [user(said)] if isinstance(said, str) and said else []
    return tuple(found)


def items(listed: Any) -> Sequence[Any]:
    """A list of a request; nothing where there is something else: no request may keep its answer from being examined."""
    return listed if isinstance(listed, list) else ()


def _count(value: Any) -> int:
    return value if isinstance(value, int) and 0 < value < _MOST_TOKENS else 0


def object_of(event: Event) -> Json:
    """What an event says, in any of the protocols.

    Raises:
        NotReadable: it is no object of JSON.
    """
    try:
        told = read_json(event.data)
    except ValueError:
        raise NotReadable("expected events of JSON, got a stream that broke off or is malformed") from None
    if not isinstance(told, dict):
        raise NotReadable("expected events that are objects, got something else")
    return told
