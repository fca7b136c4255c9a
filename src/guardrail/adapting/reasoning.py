"""What a model thinks aloud before it answers: what of it can be read, and what its service needs back in the next turn.

Services encrypt or sign reasoning, and want it back with the results of tools. Both are single words that say nothing to
a reader. All else in reasoning is readable, whatever a service calls it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from guardrail.adapting.residue import GONE, Field, is_wordless, present, stripped, whole, word
from guardrail.given.accepted import Json, JsonObject

Reasoning: TypeAlias = Literal["drop", "check", "pass"]
"""What becomes of readable reasoning: it is left out, shown if the guard has nothing against it, or shown with its answer."""
REASONING: tuple[Reasoning, ...] = ("drop", "check", "pass")

NAMES = frozenset(
    [
        *("reasoning", "reasoning_content", "reasoning_details", "reasoning_summary", "reasoning_text"),
        *("thinking", "thinking_blocks", "thought", "thoughts"),
    ]
)
"""Fields of a chat completion's message: each service has a name of its own."""
BLOCKS = frozenset(["thinking", "redacted_thinking", "reasoning"])
"""Types of content blocks."""
_ANSWER = frozenset(
    ["content", "tool_calls", "function_call"]
)  # fields that are no reasoning, whatever is in them
_SEALS = ("signature", "data", "encrypted_content", "redacted_content")
_KEPT = ("type", "id", "format", "index", "status", *_SEALS)
_SEALED: Mapping[str, Field] = dict.fromkeys(_KEPT, word)
_SPOKEN = ("thinking", "reasoning", "text")  # empty, as Anthropic's API writes them with `display: "omitted"`
_INNER = ("extras", "reasoning_content")  # objects in which LangChain and Bedrock have the signature
_MADE_HERE = "lc_"  # how ids begin that LangChain made: no service knows them


def sealed(block: Any, taken: Sequence[str] = (), *, ids: bool = False) -> Any:
    """A block of reasoning with nothing in it but what its service needs back; `GONE` if there is no such thing.

    Args:
        block: as the service wrote it.
        taken: texts that may not turn up anywhere.
        ids: whether a service needs the id alone, as OpenAI does for the items of responses.

    Example:
        >>> sealed({"type": "thinking", "thinking": "Hm.", "signature": "c2ln"})
        {'type': 'thinking', 'thinking': '', 'signature': 'c2ln'}
        >>> sealed({"type": "reasoning", "id": "rs_1", "summary": ["Hm."]}, ids=True)
        {'type': 'reasoning', 'id': 'rs_1', 'summary': []}
    """
    if not isinstance(block, Mapping):
        return GONE
    blank = {name: "" if name in _SPOKEN else value for name, value in block.items()}
    fields = {**_SEALED, **dict.fromkeys(_SPOKEN, whole)}
    kept = stripped({name: value for name, value in blank.items() if name in fields}, fields, taken)
    kept |= present({name: sealed(block[name], taken) for name in _INNER if name in block})
    if ids and "summary" in block:
        kept["summary"] = []
    known = ids and not str(kept.get("id") or _MADE_HERE).startswith(_MADE_HERE)
    return kept if known or any(kept.get(name) for name in (*_SEALS, *_INNER)) else GONE


def sealed_list(blocks: Any, taken: Sequence[str] = ()) -> Any:
    """A list of such blocks; `GONE` if nothing is left of it."""
    found = [sealed(block, taken) for block in blocks] if isinstance(blocks, list) else []
    return [block for block in found if block is not GONE] or GONE


def readable(value: Any) -> Iterator[str]:
    """The texts that can be read in reasoning: all but those that `sealed` keeps."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            if name not in _KEPT or not is_wordless(inner, ()):
                yield from readable(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from readable(inner)


def thoughts(message: JsonObject, blocks: Collection[str] = BLOCKS) -> Iterator[str]:
    """The texts of a message's reasoning that can be read, which services write down twice.

    Args:
        message: with fields of the names of `NAMES`, and content blocks.
        blocks: types of content blocks that are reasoning.
    """
    for name, value in message.items():
        if name in NAMES:
            yield from readable(value)
        elif name == "content" and isinstance(value, list):
            yield from readable([block for block in value if kind_of(block) in blocks])
        elif name not in _ANSWER and isinstance(value, Mapping):
            yield from thoughts(value, blocks)


def silent(
    message: JsonObject, *, gone: Any = None, blocks: Collection[str] = BLOCKS, ids: bool = False
) -> Json:
    """A message, or an object in it, without the reasoning that can be read.

    Args:
        message: as for `thoughts`.
        gone: what becomes of a field of which nothing is left: null, for clients that expect it, or `GONE`.
        blocks: as for `thoughts`.
        ids: as for `sealed`.

    Example:
        >>> silent({"content": "Yes.", "reasoning": "Hm."})
        {'content': 'Yes.', 'reasoning': None}
    """
    found: Json = {}
    for name, value in message.items():
        if name in NAMES:
            kept = sealed_list(value) if isinstance(value, list) else sealed(value, ids=ids)
            found[name] = gone if kept is GONE else kept
        elif name == "content" and isinstance(value, list):
            inner = (sealed(block, ids=ids) if kind_of(block) in blocks else block for block in value)
            found[name] = [block for block in inner if block is not GONE]
        else:
            is_more = name not in _ANSWER and isinstance(value, Mapping)
            found[name] = silent(value, gone=gone, blocks=blocks, ids=ids) if is_more else value
    return present(found)


def kind_of(block: Any) -> str:
    """The type of a content block; "" if it is no such block."""
    return str(block.get("type")) if isinstance(block, Mapping) else ""
