"""The fields of chat completions, and what becomes of them once text was taken out of a choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from guardrail.adapting.reasoning import sealed_list
from guardrail.adapting.residue import Field, one_of, present, stripped, unrepeated, whole, word
from guardrail.given.accepted import Json, JsonObject

_BODY: Mapping[str, Field] = {
    "id": word,
    "object": one_of("chat.completion"),
    "created": word,
    "model": unrepeated,
    "system_fingerprint": word,
    "service_tier": word,
    "usage": word,
    "choices": whole,
}
_CHOICE: Mapping[str, Field] = {
    "index": word,
    "finish_reason": one_of("stop"),
    "message": whole,
    "logprobs": whole,
}
_MESSAGE: Mapping[str, Field] = {
    "role": one_of("assistant"),
    "content": whole,
    "refusal": whole,
    "tool_calls": whole,
    "function_call": whole,
    "reasoning_details": sealed_list,
    "thinking_blocks": sealed_list,
}
kind_of_text = one_of("text")
"""The type of a text block."""


def stripped_choice(choice: JsonObject, taken: Sequence[str]) -> Json:
    """A choice of whose text something was taken out."""
    return stripped({**choice, "message": stripped(choice["message"], _MESSAGE, taken)}, _CHOICE, taken)


def stripped_body(body: JsonObject, taken: Sequence[str]) -> Json:
    """A body that says by no field what was taken out of one of its choices."""
    return {**stripped(body, _BODY, taken), "choices": [_told(one, taken) for one in body["choices"]]}


def _told(choice: JsonObject, taken: Sequence[str]) -> Json:
    """A choice that stays as it is, though text of another was taken out: it says by no field what that was."""
    rules = {name: _CHOICE[name] for name in ("index", "finish_reason") if name in choice}
    role = {"role": _MESSAGE["role"](choice["message"]["role"], taken)} if "role" in choice["message"] else {}
    kept = {name: rule(choice[name], taken) for name, rule in rules.items()}
    return present({**choice, **kept, "message": {**choice["message"], **role}})
