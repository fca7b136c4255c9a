"""What a model thinks aloud before it answers: what of it can be read, and what its service needs back in the next turn.

Services encrypt or sign reasoning, and want it back with the results of tools. Both are single words that say nothing to
a reader. All else in reasoning is readable, whatever a service calls it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from guardrail.adapting.residue import GONE, Field, is_wordless, stripped, whole, word

__all__ = ["BLOCKS", "NAMES", "REASONING", "Reasoning", "readable", "sealed", "sealed_list"]

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
_SEALS = ("signature", "data", "encrypted_content")
_KEPT = ("type", "id", "format", "index", "status", *_SEALS)
_SEALED: Mapping[str, Field] = dict.fromkeys(_KEPT, word)
_SPOKEN = ("thinking", "text")  # empty, as Anthropic's API writes them with `display: "omitted"`


def sealed(block: Any, taken: Sequence[str] = ()) -> Any:
    """A block of reasoning with nothing in it but what its service needs back; `GONE` if there is no such thing.

    Example:
        >>> sealed({"type": "thinking", "thinking": "Hm.", "signature": "c2ln"})
        {'type': 'thinking', 'thinking': '', 'signature': 'c2ln'}
    """
    if not isinstance(block, Mapping):
        return GONE
    blank = {name: "" if name in _SPOKEN else value for name, value in block.items()}
    fields = {**_SEALED, **dict.fromkeys(_SPOKEN, whole)}
    kept = stripped({name: value for name, value in blank.items() if name in fields}, fields, taken)
    return kept if any(kept.get(name) for name in _SEALS) else GONE


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
