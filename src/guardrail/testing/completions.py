"""Chat completions and text completions as the test service writes them, whole and as a stream."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from guardrail.given.accepted import Json, JsonObject
from guardrail.requests import Completion, TokenLogprob

Cut: TypeAlias = Callable[[str], Sequence[str]]
"""How a text is cut into the pieces of a stream."""


def words(text: str) -> list[str]:
    """The words of a text, each with the blanks before it."""
    return re.findall(r"\s*\S+|\s+\Z", text)


def choice(index: int, one: Completion, body: JsonObject, *, chat: bool) -> Json:
    """One choice of a whole completion, with log-probabilities where they are asked for."""
    found: Json = {"index": index, "finish_reason": one.finish_reason or "stop", "logprobs": None}
    if chat:
        found["message"] = {"role": "assistant", "content": one.text, "refusal": None}
        if body.get("logprobs"):
            found["logprobs"] = {
                "content": [_token(token, body) for token in one.logprobs or _tokens(one.text)]
            }
    else:
        found["text"] = one.text
        if body.get("logprobs") is not None:
            tokens = one.logprobs or _tokens(one.text)
            found["logprobs"] = {
                "tokens": [token.token for token in tokens],
                "token_logprobs": [token.logprob for token in tokens],
                "top_logprobs": [dict(token.top[: int(body["logprobs"])]) for token in tokens],
            }
    return found


def _tokens(text: str) -> tuple[TokenLogprob, ...]:
    """Made-up log-probabilities, one per word with the space before it."""
    return tuple(
        TokenLogprob(word, -0.125, ((word, -0.125), ("?", -2.5))) for word in re.findall(r"\s*\S+", text)
    )


def _token(token: TokenLogprob, body: JsonObject) -> Json:
    most = int(body.get("top_logprobs") or 0)
    top = [{"token": text, "logprob": value, "bytes": None} for text, value in token.top[:most]]
    return {"token": token.token, "logprob": token.logprob, "bytes": None, "top_logprobs": top}


def completion_stream(
    head: JsonObject,
    completions: Sequence[Completion],
    messages: Sequence[JsonObject],
    usage: Mapping[str, int] | None,
    body: JsonObject,
    *,
    chat: bool,
    cut: Cut = words,
) -> Iterator[bytes]:
    """The events of a stream: the choices one after another.

    Args:
        head: id, time and model.
        completions: the choices.
        messages: what their messages have besides text, such as tool calls.
        usage: for a last event of its own; `None` sends none.
        body: of the request.
        chat: chat completions; else text completions.
        cut: how texts are cut into pieces.
    """
    kind = "chat.completion.chunk" if chat else "text_completion"

    def event(choices: list[Json], **more: Any) -> bytes:
        return b"data: " + json.dumps({**head, "object": kind, "choices": choices, **more}).encode() + b"\n\n"

    for index, one in enumerate(completions):
        if chat:
            yield event(
                [{"index": index, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}]
            )
        for piece in cut(one.text):
            yield event([_delta(index, piece, body, chat=chat)])
        more = {name: value for name, value in messages[index].items() if name not in {"role", "content"}}
        if more:
            more["tool_calls"] = [{**call, "index": i} for i, call in enumerate(more.get("tool_calls") or ())]
            yield event([{"index": index, "delta": more, "finish_reason": None}])
        last: Json = {"delta": {}} if chat else {"text": ""}
        yield event([{"index": index, **last, "finish_reason": one.finish_reason or "stop"}])
    if usage is not None:
        yield event([], usage=usage)
    yield b"data: [DONE]\n\n"


def _delta(index: int, piece: str, body: JsonObject, *, chat: bool) -> Json:
    said: Json = {"delta": {"content": piece}} if chat else {"text": piece}
    if chat and body.get("logprobs"):
        said["logprobs"] = {"content": [_token(TokenLogprob(piece, -0.125, ((piece, -0.125),)), body)]}
    return {"index": index, **said, "finish_reason": None}
