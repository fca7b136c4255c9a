"""What the test service says: OpenAI's protocol, and its faults."""

from __future__ import annotations

import json
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from typing import Any, TypeAlias

from guardrail.engine.backend import Backend
from guardrail.errors import ConfigError
from guardrail.given.accepted import Json, JsonObject
from guardrail.requests import Completion
from guardrail.testing.completions import Cut, choice, completion_stream, words
from guardrail.testing.continuation import ModelRefused, choices
from guardrail.testing.http import HttpExchange
from guardrail.testing.messages import anthropic_message, asked_message, message_stream
from guardrail.testing.responses import asked, response, response_stream
from guardrail.testing.writing import DAMAGES, FAULTS, misbehave, write_stream, write_whole

REFUSABLE = ("n", "temperature", "max_tokens", "logprobs", "echo", "seed")
IGNORABLE = ("logprobs", "echo", "stop")


@dataclass(frozen=True, slots=True)
class ScriptedChoice:
    """One choice that a client asked for.

    Attributes:
        body: the request as it came.
        messages: role and text, with the marks around untrusted text taken off.
        draw: how many choices of these messages were asked for before.
    """

    body: JsonObject
    messages: tuple[tuple[str, str], ...]
    draw: int

    @property
    def text(self) -> str:
        """The last message."""
        return self.messages[-1][1] if self.messages else ""


Said: TypeAlias = str | Completion | JsonObject
"""A text, a completion, or an assistant message as chat completions write it: with tool calls, a refusal, and the like.

A message may also have the items of a response (`output`), or Anthropic's blocks (`content`, a list), which are sent as they are.
"""
Replies: TypeAlias = Callable[[ScriptedChoice], Said]


def echo(call: ScriptedChoice) -> str:
    """Say the last message again."""
    return call.text


@dataclass(slots=True)
class Behaviour:
    """How the service behaves.

    Attributes:
        replies: what it says.
        latency: seconds before it answers.
        pace: seconds between the pieces of a stream.
        cut: cuts texts into the pieces of a stream; words by default.
        size: bytes of a piece of the network; `None` leaves them as they are.
        damage: how whole answers break off after three quarters, of `DAMAGES`; `None` leaves them whole.
        faults: kind → rate in [0, 1]; kinds in `FAULTS`.
        seed: of the faults.
        retry_after: what a 429 says, seconds or an HTTP date.
        refuses: parameters that the model does not take (400); of `REFUSABLE`.
        ignores: parameters of `/completions` that have no effect; of `IGNORABLE`.
        most_choices: choices given at most, however many were asked for.
        most_logprobs: alternatives per token of `/completions` at most; more are refused (400).
        key: the credential that it wants; `None` takes any.
        model: a backend for "language_model" that answers `/completions` in place of `replies`.
        chat_only: there is no `/completions` (404), as OpenAI says it of a chat model.
    """

    replies: Replies = echo
    latency: float = 0.0
    pace: float = 0.0
    cut: Cut = words
    size: int | None = None
    damage: str | None = None
    faults: Mapping[str, float] = field(default_factory=dict)
    seed: int = 0
    retry_after: str = "1"
    refuses: Sequence[str] = ()
    ignores: Sequence[str] = ()
    most_choices: int = 128
    most_logprobs: int | None = None
    key: str | None = None
    model: Backend[Any] | None = None
    chat_only: bool = False

    def __post_init__(self) -> None:
        if unknown := sorted(set(self.faults) - set(FAULTS)):
            raise ConfigError(f"no fault named {unknown[0]!r}. Available: {', '.join(FAULTS)}.")
        if self.damage is not None and self.damage not in DAMAGES:
            raise ConfigError(f"no damage named {self.damage!r}. Available: {', '.join(DAMAGES)}.")
        for verb, given, known in (("refuse", self.refuses, REFUSABLE), ("ignore", self.ignores, IGNORABLE)):
            if unknown := sorted(set(given) - set(known)):
                raise ConfigError(f"no parameter to {verb} named {unknown[0]!r}: {', '.join(known)}.")


class ChatService:
    """The protocol: OpenAI's paths, and `/__stats` with what was asked and which faults were sent."""

    def __init__(self, behaviour: Behaviour) -> None:
        self.behaviour = behaviour
        self.requests: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.drawn: Counter[str] = Counter()
        self.keys: Counter[str] = Counter()
        self.running = 0
        self.most_running = 0
        self._chance = random.Random(behaviour.seed)  # noqa: S311  # faults, not secrets
        self._created = int(time.time())

    def __call__(self, exchange: HttpExchange) -> None:
        """Answer one HTTP request."""
        path = exchange.path
        if path == "/__stats":
            exchange.send(json.dumps(self.stats()).encode())
        elif self.behaviour.key and exchange.headers.get("authorization") != f"Bearer {self.behaviour.key}":
            _refuse(exchange, 401, "Incorrect API key provided.", code="invalid_api_key")
        elif path.endswith("/models"):
            exchange.send(b'{"object":"list","data":[{"id":"test","object":"model","owned_by":"guardrail"}]}')
        elif self.behaviour.chat_only and path.endswith("/completions") and "/chat/" not in path:
            _refuse(exchange, 404, _CHAT_ONLY, param="model")
        elif path.endswith("/completions") and exchange.method == "POST":
            self._completions(exchange, chat=path.endswith("/chat/completions"))
        elif path.endswith("/responses") and exchange.method == "POST":
            self._completions(exchange, chat=True, read=asked)
        elif path.endswith("/messages") and exchange.method == "POST":
            self._completions(exchange, chat=True, read=asked_message)
        else:
            _refuse(exchange, 404, f"Unknown request URL: {exchange.method} {path}")

    def stats(self) -> Json:
        """What `/__stats` shows; requests by a hash of their messages."""
        return {
            "requests": sum(self.requests.values()),
            "by_key": dict(self.requests),
            "choices": sum(self.drawn.values()),
            "faults": dict(self.faults),
            "most_running": self.most_running,
        }

    def _completions(self, exchange: HttpExchange, *, chat: bool, read: Callable[[Any], Json] = dict) -> None:
        try:
            body = read(json.loads(exchange.body))
            messages = _messages(body) if chat else (("user", str(body.get("prompt", ""))),)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            _refuse(exchange, 400, f"We could not parse the JSON body of your request: {error!r}")
            return
        key = blake2b(json.dumps(messages).encode(), digest_size=8).hexdigest()
        self.requests[key] += 1
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        fault = self._fault()
        if fault is None:
            answer = partial(self._answer, exchange, body, messages, key, chat=chat)
        else:
            self.faults[fault] += 1
            answer = partial(
                misbehave, exchange, fault, self.behaviour.retry_after, stream=bool(body.get("stream"))
            )

        def finish() -> None:
            self.running -= 1
            answer()

        exchange.later(self.behaviour.latency, finish)

    def _fault(self) -> str | None:
        if not self.behaviour.faults:
            return None
        chance = self._chance.random()
        for kind, rate in self.behaviour.faults.items():
            if chance < rate:
                return kind
            chance -= rate
        return None

    def _answer(
        self,
        exchange: HttpExchange,
        body: JsonObject,
        messages: tuple[tuple[str, str], ...],
        key: str,
        *,
        chat: bool,
    ) -> None:
        if (refused := next((p for p in self.behaviour.refuses if _wants(body, p)), None)) is not None:
            instead = " Use 'max_completion_tokens' instead." if refused == "max_tokens" else ""
            text = f"Unsupported parameter: '{refused}' is not supported with this model.{instead}"
            _refuse(exchange, 400, text, param=refused, code="unsupported_parameter")
            return
        count = min(int(body.get("n") or 1), self.behaviour.most_choices)
        first = self.drawn[key]
        self.drawn[key] += count
        if not chat and self.behaviour.model is not None:
            self._continue(exchange, self.behaviour.model, body, first, count)
            return
        try:
            said = [self.behaviour.replies(ScriptedChoice(body, messages, first + i)) for i in range(count)]
        except LookupError as error:
            _refuse(exchange, 404, f"no reply for {messages!r}: {error}", code="not_recorded")
            return
        completions = [_completion(reply) for reply in said]
        messages_said = [reply if isinstance(reply, Mapping) else {} for reply in said]
        head = {
            "id": f"chatcmpl-{key}-{first}",
            "object": "chat.completion" if chat else "text_completion",
            "created": self._created,
            "model": body.get("model", "test"),
        }
        usage = _usage(messages, completions)
        if "responses" in body or "anthropic" in body:
            answer, events = _other(head, completions[0], messages_said[0], usage, body)
            if body.get("stream"):
                self._stream(exchange, events(answer, self.behaviour.cut))
            else:
                self._whole(exchange, answer)
            return
        if body.get("stream"):
            counted = usage if _wants_usage(body) else None
            cut = self.behaviour.cut
            self._stream(
                exchange,
                completion_stream(head, completions, messages_said, counted, body, chat=chat, cut=cut),
            )
            return
        choices = [choice(i, one, body, chat=chat) for i, one in enumerate(completions)]
        for found, extra in zip(choices, messages_said, strict=True):
            if chat and extra:
                found["message"].update(extra)
        self._whole(exchange, {**head, "choices": choices, "usage": usage})

    def _whole(self, exchange: HttpExchange, body: JsonObject) -> None:
        how = self.behaviour
        write_whole(exchange, json.dumps(body).encode(), size=how.size, damage=how.damage)

    def _stream(self, exchange: HttpExchange, events: Iterator[bytes]) -> None:
        how = self.behaviour
        write_stream(exchange, events, pace=how.pace, size=how.size, damage=how.damage)

    def _continue(
        self, exchange: HttpExchange, model: Backend[Any], body: JsonObject, first: int, count: int
    ) -> None:
        most = self.behaviour.most_logprobs
        if most is not None and int(body.get("logprobs") or 0) > most:
            text = f"Invalid value for 'logprobs': must be less than or equal to {most}."
            _refuse(exchange, 400, text, param="logprobs")
            return
        try:
            found, spent = choices(model, body, first, count, self.behaviour.ignores)
        except ModelRefused as error:
            _refuse(exchange, 400, str(error))
            return
        asked = len(str(body.get("prompt", "")).split())
        said = {
            "id": f"cmpl-{first}",
            "object": "text_completion",
            "created": self._created,
            "model": body.get("model", "test"),
            "choices": found,
            "usage": {"prompt_tokens": asked, "completion_tokens": spent, "total_tokens": asked + spent},
        }
        exchange.send(json.dumps(said).encode())


def _other(
    head: JsonObject,
    said: Completion,
    given: JsonObject,
    usage: Mapping[str, int],
    body: JsonObject,
) -> tuple[Json, Callable[[JsonObject, Cut], Iterator[bytes]]]:
    """An answer of the Responses API or of the Messages API, and how it streams."""
    own: Json
    if "responses" in body:
        own = {"output": given["output"]} if "output" in given else {}
        return {**response(head, said, given, usage, body), **own}, response_stream
    own = {"content": given["content"]} if isinstance(given.get("content"), list) else {}
    return {**anthropic_message(head, said, given, usage), **own}, message_stream


_CHAT_ONLY = "This is a chat model and not supported in the v1/completions endpoint. Did you mean to use v1/chat/completions?"


def _wants(body: JsonObject, parameter: str) -> bool:
    value = body.get(parameter)
    if parameter in {"n", "temperature"}:
        return value not in {None, 1}
    return value is not None and value is not False


def _wants_usage(body: JsonObject) -> bool:
    return bool((body.get("stream_options") or {}).get("include_usage"))


_FENCE = re.compile(r"<(data-[0-9a-f]{16})>(.*?)</\1>", re.DOTALL)


def _messages(body: JsonObject) -> tuple[tuple[str, str], ...]:
    found = []
    for message in body["messages"]:
        content = message.get("content") or ""
        if not isinstance(content, str):
            content = "".join(part.get("text", "") for part in content)
        found.append((message["role"], _FENCE.sub(r"\2", content) if "<data-" in content else content))
    return tuple(found)


def _usage(messages: tuple[tuple[str, str], ...], completions: Sequence[Completion]) -> dict[str, int]:
    asked = sum(len(text.split()) for _, text in messages)
    said = sum(len(one.text.split()) for one in completions)
    return {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}


def _completion(reply: Said) -> Completion:
    if isinstance(reply, Completion):
        return reply
    if isinstance(reply, str):
        return Completion(reply, finish_reason="stop")
    return Completion(
        str(reply.get("content") or ""), finish_reason="tool_calls" if reply.get("tool_calls") else "stop"
    )


def _refuse(
    exchange: HttpExchange, status: int, message: str, *, param: str | None = None, code: str | None = None
) -> None:
    error = {"message": message, "type": "invalid_request_error", "param": param, "code": code}
    exchange.send(json.dumps({"error": error}).encode(), status=status)
