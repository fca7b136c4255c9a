"""What else of a message may repeat a text that was taken out of it.

Log-probabilities spell the answer out token by token, reasoning drafts it, search metadata quotes it. Once text
has been removed, of a message's side data only that remains which cannot be prose: numbers, and single words
such as ids, model names and finish reasons. Tool calls stay: they are no answer, and the agent needs them whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from guardrail.given.accepted import Json, JsonObject

Field: TypeAlias = Callable[[Any, Sequence[str]], Any]
"""What becomes of a known field once some texts were taken out: its value, another one, or `GONE`."""
GONE: Any = object()
"""In place of the value of a field that is left out."""

_CALL_FIELDS = {"tool_calls", "function_call"}
_ECHOES = {
    "annotations",
    "audio",
    "citations",
    "grounding_metadata",
    "logprobs",
    "parsed",
    "reasoning",
    "reasoning_content",
    "refusal",
    "search_results",
    "thinking",
    "thoughts",
}
_TOKEN = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_KNOWN = frozenset(
    [
        "assistant",
        "message",
        "response",
        "chat.completion",
        "text",
        "output_text",
        "stop",
        "length",
        "tool_calls",
        "function_call",
        "content_filter",
        "end_turn",
        "max_tokens",
        "stop_sequence",
        "tool_use",
        "pause_turn",
        "refusal",
        "completed",
        "incomplete",
        "failed",
        "cancelled",
        "in_progress",
    ]
)
"""Values that protocols list: they say nothing, even if the same word was taken out of an answer."""
_ENDS = re.compile(r"(?<=[.!?。！？…])\s*|\n+")
_MOST_STEPS = 10**8  # characters that are looked through for one field: about a tenth of a second


def clean(found: JsonObject, taken: Sequence[str]) -> Json:
    """The entries that cannot repeat the text."""
    kept: Json = {}
    for name, value in found.items():
        if not is_wordless(name, taken):
            continue
        if name in _CALL_FIELDS:
            kept[name] = value
        elif name in _ECHOES:
            continue
        elif isinstance(value, Mapping):
            kept[name] = clean(value, taken)
        elif is_wordless(value, taken):
            kept[name] = value
    return kept


def is_wordless(value: Any, taken: Sequence[str]) -> bool:
    """Whether a value cannot be prose: a number, a flag, or one ASCII word without a text that was taken out.

    A list of numbers can: vLLM and llama.cpp write down the tokens of an answer so.
    """
    if value is None or isinstance(value, bool | int | float):
        return True
    if isinstance(value, str):
        prose = not value.isascii() or any(character.isspace() for character in value)
        return not prose and not _has_any(taken, value)
    if isinstance(value, Mapping):
        return all(is_wordless(item, taken) for pair in value.items() for item in pair)
    return isinstance(value, list | tuple) and not value


# -- known fields


def stripped(given: JsonObject, fields: Mapping[str, Field], taken: Sequence[str]) -> Json:
    """Known fields, each by its own rule, and of the others those that cannot be prose.

    Example:
        >>> stripped({"role": "Oslo is in Peru.", "n": 1}, {"role": one_of("assistant")}, ["Oslo is in Peru."])
        {'role': 'assistant', 'n': 1}
    """
    rest = clean({name: value for name, value in given.items() if name not in fields}, taken)
    return present(
        {
            name: fields[name](value, taken) if name in fields else rest.get(name, GONE)
            for name, value in given.items()
        }
    )


def present(fields: JsonObject) -> Json:
    """The fields that are not left out."""
    return {name: value for name, value in fields.items() if value is not GONE}


def unspoken(head: JsonObject, request: JsonObject) -> Json:
    """Of what goes out before any text was examined: what repeats the request, and what can be no prose."""
    return {
        name: value
        for name, value in head.items()
        if is_wordless(value, ()) or (name in request and request[name] == value)
    }


def whole(value: Any, taken: Sequence[str]) -> Any:
    """What was edited already, and what is never touched."""
    del taken
    return value


def one_of(otherwise: Any) -> Field:
    """A field with one of some short values, of which new ones may come; anything else is replaced.

    Example:
        >>> one_of("stop")("a_new_reason", []), one_of("stop")("The town is in Peru.", [])
        ('a_new_reason', 'stop')
    """

    def field(value: Any, taken: Sequence[str]) -> Any:
        if value is None:
            return None
        is_token = isinstance(value, str) and _TOKEN.fullmatch(value) is not None
        return value if is_token and (value in _KNOWN or is_wordless(value, taken)) else otherwise

    return field


def word(value: Any, taken: Sequence[str]) -> Any:
    """An id, a number, an object of them: no prose, whatever was taken out."""
    if isinstance(value, Mapping):
        return present({name: word(one, taken) for name, one in value.items() if is_wordless(name, ())})
    return value if is_wordless(value, ()) else GONE


def unrepeated(value: Any, taken: Sequence[str]) -> Any:
    """A field that may have prose, such as the instructions of the request: as it is, unless it repeats a text of several words."""
    if is_wordless(value, ()):
        return value
    several = [_plain(text) for text in taken if not is_wordless(text, ())]
    return GONE if _has_any(several, _plain("\n".join(_strings(value)))) else value


def sentences_of(text: str) -> list[str]:
    """The texts that may not turn up once all of a text is taken out: the whole, and each of its sentences."""
    return [text, *_ENDS.split(text)]


def _has_any(taken: Sequence[str], value: str) -> bool:
    """Whether one of some texts is in a value; also where finding that out would keep other clients waiting."""
    return len(value) * len(taken) > _MOST_STEPS or any(text in value for text in taken)


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _strings(value: Any) -> Iterator[str]:
    """All texts in a value, and all names."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield str(name)
            yield from _strings(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _strings(inner)
