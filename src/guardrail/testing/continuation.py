"""What `/v1/completions` of the test service says where it has a model: texts that go on, and probabilities.

The model is a backend for "language_model", `guardrail.phr.BernoulliModel` for example. A token is a word
with the blanks before it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from guardrail.engine.backend import Backend
from guardrail.engine.flow import Failed, Reply
from guardrail.given.accepted import Json, JsonObject
from guardrail.requests import Distribution, LogProb, Outcomes, Sample

_TOKEN = re.compile(r"\s*\S+|\s+\Z")
_UNKNOWN = -1.0  # the log-probability of a token that the model has no word on


class ModelRefused(Exception):  # what a client is told
    """The model does not answer this."""


def choices(
    model: Backend[Any], body: JsonObject, first: int, count: int, ignored: Sequence[str] = ()
) -> tuple[list[Json], int]:
    """The choices, and how many tokens they have together. What is echoed does not go on.

    Args:
        model: answers `Sample`, `Distribution` and `LogProb`.
        body: of the request. With a seed, choice i is draw seed + i of the model.
        first: the draw of the first choice where there is no seed.
        count: how many.
        ignored: fields that have no effect: "logprobs", "echo", "stop".

    Raises:
        Refused: with the model's words.
    """
    prompt = str(body.get("prompt", ""))
    told = None if "logprobs" in ignored else body.get("logprobs")
    most = body.get("max_tokens", 16)
    seed = first if body.get("seed") is None else int(body["seed"])
    found, spent = [], 0
    for i in range(count):
        logprobs: Json | None
        echoes = bool(body.get("echo")) and "echo" not in ignored
        if told is not None and most == 1 and not echoes:
            text, finish, logprobs = _next(model, prompt, int(told))
        elif most and not echoes:
            text, finish = _continued(model, body, prompt, seed + i, ignored)
            logprobs = None if told is None else _scored(model, prompt, text)
        else:
            text, finish, logprobs = "", "length", None if told is None else _scored(model, prompt, "")
        spent += len(_TOKEN.findall(text))
        if echoes:
            text = prompt + text
            if logprobs is not None:
                logprobs = {
                    name: [*echoed, *logprobs[name]] for name, echoed in _scored(model, "", prompt).items()
                }
        found.append({"index": i, "text": text, "finish_reason": finish, "logprobs": logprobs})
    return found, spent


def _continued(
    model: Backend[Any], body: JsonObject, prompt: str, draw: int, ignored: Sequence[str]
) -> tuple[str, str]:
    given = () if "stop" in ignored else body.get("stop") or ()
    stops = (given,) if isinstance(given, str) else tuple(given)
    temperature, top_p = body.get("temperature"), body.get("top_p")
    request = Sample(
        prompt,
        draw,
        body.get("max_tokens"),
        stops,
        1.0 if temperature is None else float(temperature),
        1.0 if top_p is None else float(top_p),
    )
    text = str(_value(model.answer([request])[0]))
    end = next((stop for stop in stops if stop and text.endswith(stop)), None)
    return (text, "length") if end is None else (text[: len(text) - len(end)], "stop")


def _next(model: Backend[Any], prompt: str, most: int) -> tuple[str, str, Json]:
    """The likeliest token, with the `most` likeliest."""
    outcomes: Outcomes = _value(model.answer([Distribution(prompt, "")])[0])
    ranked = sorted(zip(outcomes.probabilities, outcomes.names, strict=True), reverse=True)
    top = {name: math.log(p) if p > 0 else -9999.0 for p, name in ranked[: max(1, most)]}
    name = ranked[0][1]
    logprobs = {
        "tokens": [name],
        "token_logprobs": [top[name]],
        "top_logprobs": [dict(list(top.items())[:most])],
        "text_offset": [len(prompt)],
    }
    return name, "length", logprobs


def _scored(model: Backend[Any], context: str, text: str) -> Json:
    """The tokens of a text, each after all before it; the first of everything has no log-probability."""
    tokens = [(found[0], len(context) + found.start()) for found in _TOKEN.finditer(text)]
    logs: list[float | None] = []
    for token, offset in tokens:
        reply = model.answer([LogProb((context + text)[:offset], token)])[0] if offset else None
        known = _UNKNOWN if reply is None or isinstance(reply, Failed) else float(reply.value)
        logs.append(known if offset else None)
    return {
        "tokens": [token for token, _ in tokens],
        "token_logprobs": logs,
        "top_logprobs": [
            None if log is None else {token: log} for (token, _), log in zip(tokens, logs, strict=True)
        ],
        "text_offset": [offset for _, offset in tokens],
    }


def _value(reply: Reply[Any]) -> Any:
    if isinstance(reply, Failed):
        raise ModelRefused(str(reply))
    return reply.value
