"""What a guarded chain returns: the output after the change, in one piece or in those of a stream."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias, cast

from langchain_core.messages import AIMessage, BaseMessage

from guardrail.adapting import Change, Reading
from guardrail_langchain._messages import as_messages, chunks, pieces
from guardrail_langchain._reading import read

__all__ = ["Try", "decided", "prompt_messages", "released"]

Try: TypeAlias = tuple[Any, Any]
"""What the model said, and what the rest of the chain made of it."""


def decided(said: Any, output: Any, change: Change | None, key: str | None) -> tuple[Any, AIMessage | None]:
    """The output after the change, and the message that callbacks hear, where it can say the same."""
    reading = read(output, key) if change else None
    final = output if reading is None or change is None else reading.changed(change)
    if isinstance(final, AIMessage):
        return final, final
    if not isinstance(said, AIMessage) or not isinstance(output, str) or output != str(said.text):
        return final, None
    spoken: Reading | None = read(said)
    told = said if spoken is None or change is None else spoken.changed(change)
    return final, cast("AIMessage", told)


def released(output: Any) -> Iterator[Any]:
    """An output in pieces."""
    if isinstance(output, AIMessage):
        return chunks(output)
    return iter(pieces(output) if isinstance(output, str) else [output])


def prompt_messages(prompt: Any) -> list[BaseMessage]:
    """The prompt as messages, if it is anything that a model could be asked."""
    try:
        return as_messages(prompt)
    except (ValueError, TypeError, NotImplementedError):
        texts = [str(v) for v in prompt.values() if isinstance(v, str)] if isinstance(prompt, dict) else []
        return as_messages("\n\n".join(texts)) if texts else []
