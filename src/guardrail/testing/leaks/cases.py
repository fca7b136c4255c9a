"""The cases of the matrix: what is asked, what the upstream says to it, and what goes wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

from guardrail.errors import ConfigError
from guardrail.given.accepted import Json, JsonObject

APIS = ("chat", "responses", "messages")
"""Chat completions, OpenAI's Responses, Anthropic's Messages."""
SHAPES = ("text", "tools", "structured", "many", "logprobs", "reasoning")
"""A text; text with a tool call; an object by a JSON Schema; three choices; with log-probabilities; with reasoning and citations."""
DELIVERIES = ("whole", "words", "characters", "halves", "bytes")
"""One body; streams in words, in characters, in two halves of every forbidden text, and in words that come byte by byte."""
POLICIES = ("remove", "regenerate", "block", "annotate")
FAULTS = (
    "clean",
    "stubborn",
    "rate_limit",
    "server_error",
    "cut",
    "malformed",
    "empty",
    "content_type",
    "detector",
)
"""Nothing forbidden is said, and the answer must come; the model says it again when asked again; 429; 500; the connection closes, or
the body ends, after three quarters; no choices; a web page with status 200; the guard's own check raises an error that quotes the answer."""

CLEAN = "Rivers flow to the sea."
_PATHS = {"chat": "chat/completions", "responses": "responses", "messages": "messages"}
_SHAPES = {
    "chat": SHAPES,
    "responses": tuple(s for s in SHAPES if s != "many"),
    "messages": ("text", "tools", "structured", "reasoning"),
}
_SCHEMA = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "claims": {"type": "array", "items": {"type": "string"}},
        "count": {"type": "integer"},
    },
    "required": ["title", "claims", "count"],
    "additionalProperties": False,
}
_CALL = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": '{"q": "rivers"}'}}
_PARAMETERS = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}


@dataclass(frozen=True, slots=True)
class Case:
    """One request.

    Attributes:
        api: of `APIS`.
        shape: of `SHAPES`.
        delivery: of `DELIVERIES`.
        policy: of `POLICIES`: what the guard does about what it finds.
        fault: of `FAULTS`, or "" for none.
    """

    api: str
    shape: str
    delivery: str
    policy: str
    fault: str = ""

    @property
    def streams(self) -> bool:
        """Whether a stream is asked for."""
        return self.delivery != "whole"

    @property
    def path(self) -> str:
        """Of the request, below the base URL."""
        return _PATHS[self.api]

    def __str__(self) -> str:
        return " ".join(
            part for part in (self.api, self.shape, self.delivery, self.policy, self.fault) if part
        )


@dataclass(frozen=True, slots=True)
class Axes:
    """Which cases to run.

    Raises:
        ConfigError: a name is unknown.
    """

    apis: Sequence[str] = APIS
    shapes: Sequence[str] = SHAPES
    deliveries: Sequence[str] = DELIVERIES
    policies: Sequence[str] = POLICIES
    faults: Sequence[str] = FAULTS

    def __post_init__(self) -> None:
        for field in fields(self):
            name, given = field.name, getattr(self, field.name)
            known: Any = field.default  # all
            if isinstance(given, str):
                raise ConfigError(f"expected names in a list, got {name}={given!r}: write {name}=[{given!r}]")
            if unknown := next((one for one in given if one not in known), None):
                raise ConfigError(f"no name {unknown!r} in {name}. Available: {', '.join(known)}.")

    def cases(self, policy: str, *, broken: bool) -> Iterator[Case]:
        """Those of one policy.

        Faults come with the first shape that is wanted, whole and as one stream; a stubborn model, where it is asked again, in every
        shape.

        Args:
            policy: of `policies`.
            broken: those in which the guard's own check raises, in every shape; else all others.
        """
        few = [one for one in self.deliveries if one in {"whole", "words"}] or self.deliveries[:1]
        for api in self.apis:
            shapes = [shape for shape in self.shapes if shape in _SHAPES[api]]
            if broken:
                yield from (Case(api, s, d, policy, "detector") for s in shapes for d in few)
                continue
            yield from (Case(api, s, d, policy) for s in shapes for d in self.deliveries)
            for fault in self.faults:
                everywhere = fault == "stubborn" and policy == "regenerate"
                if fault != "detector":
                    some = shapes if everywhere else shapes[:1]
                    yield from (Case(api, s, d, policy, fault) for s in some for d in few)


def request(case: Case, model: str = "stub") -> Json:
    """The body to send."""
    asked = [{"role": "user", "content": "Tell me about rivers."}]
    body: Json = {"model": model, "stream": case.streams}
    body |= {"input": asked} if case.api == "responses" else {"messages": asked}
    if case.api == "messages":
        body["max_tokens"] = 500
    more = {"tools": _tools, "structured": _structured, "logprobs": _logprobs}.get(case.shape)
    if case.shape == "many":
        body |= {"n": 3} | ({"stream_options": {"include_usage": True}} if case.streams else {})
    return {**body, **(more(case.api) if more else {})}


def _tools(api: str) -> Json:
    about = {"name": "look", "description": "Looks something up."}
    if api == "chat":
        return {"tools": [{"type": "function", "function": {**about, "parameters": _PARAMETERS}}]}
    if api == "responses":
        return {"tools": [{"type": "function", **about, "parameters": _PARAMETERS}]}
    return {"tools": [{**about, "input_schema": _PARAMETERS}]}


def _structured(api: str) -> Json:
    if api == "chat":
        wanted = {"name": "rivers", "schema": _SCHEMA, "strict": True}
        return {"response_format": {"type": "json_schema", "json_schema": wanted}}
    if api == "responses":
        return {"text": {"format": {"type": "json_schema", "name": "rivers", "schema": _SCHEMA}}}
    return {"output_config": {"format": {"type": "json_schema", "schema": _SCHEMA}}}


def _logprobs(api: str) -> Json:
    if api == "chat":
        return {"logprobs": True, "top_logprobs": 2}
    return {"include": ["message.output_text.logprobs"], "top_logprobs": 2}


def said(case: Case, forbidden: Sequence[str], choice: int, *, clean: bool) -> JsonObject:
    """The assistant's message, as chat completions write it: the forbidden texts inside it and at its very end.

    Args:
        case: which.
        forbidden: the texts.
        choice: the number of the choice; of several the first is clean.
        clean: asked again: without forbidden texts, and without calling the tool again.
    """
    if case.fault == "empty":
        return {"content": ""}
    texts = (
        () if clean or case.fault == "clean" or (case.shape == "many" and choice == 0) else tuple(forbidden)
    )
    claims = [CLEAN, *(f"Ask {text}, who maps them." for text in texts)]
    if case.shape == "structured":
        return {"content": json.dumps({"title": "Rivers", "claims": claims, "count": len(claims)})}
    ending = f" Write to {texts[-1]}" if texts else ""
    content = " ".join([*claims, "Some end in lakes \N{WATER WAVE}."]) + ending
    found: Json = {"content": content}
    if case.shape == "tools" and not clean:
        found["tool_calls"] = [_CALL]
    if case.shape == "reasoning" and texts:
        cited = {"title": f"By {texts[0]}", "url": "https://x.test", "start_index": 0, "end_index": 9}
        found["reasoning_content"] = f"I could name {', '.join(texts)}."
        found["annotations"] = [{"type": "url_citation", "url_citation": cited}]
    return found
