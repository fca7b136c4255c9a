"""What a guarded chain returns: the output after the change, in one piece or in those of a stream."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias, cast

from langchain_core.messages import AIMessage, BaseMessage

from guardrail.adapting import Change
from guardrail.adapting.residue import GONE, sentences_of, unrepeated
from guardrail_langchain._attempts import messages_in
from guardrail_langchain._chains import branch
from guardrail_langchain._messages import as_messages, chunks, pieces
from guardrail_langchain._reading import read
from guardrail_langchain._validity import must_fit

_COUNTED = ("model_name", "model_provider", "service_tier")  # by which usage is counted

Try: TypeAlias = tuple[Any, Any]
"""What the model said, and what the rest of the chain made of it."""


def decided(output: Any, change: Change | None, key: str | None = None, schemas: Iterable[Any] = ()) -> Any:
    """The output after the change.

    Args:
        output: of the chain.
        change: what the policy did.
        key: the entry of a dict that has the answer.
        schemas: that the model was given.

    Raises:
        Blocked: it has no place for a refusal, or would not be valid any more.
    """
    reading = read(output, key) if change else None
    if reading is None or change is None:
        return output
    new = reading.changed(change)
    must_fit(output, new, schemas, change)
    return new


def accepted(said: Any, output: Any, change: Change | None) -> AIMessage | None:
    """The message that is returned, or whose text is; `None` if something else was made of what the model said."""
    is_its_text = isinstance(said, AIMessage) and isinstance(output, str) and output == str(said.text)
    message = said if is_its_text else output
    return cast("AIMessage", decided(message, change)) if isinstance(message, AIMessage) else None


def counts(
    said: Any, output: Any, change: Change | None, *, given: Any, model: Any
) -> Iterator[tuple[AIMessage, Any]]:
    """Of each message of a model what it cost, and nothing of what it says; with the model, as far as that is known.

    Args:
        said: what the model said; `None` if no step is known to be one.
        output: what was made of it.
        change: what the policy did.
        given: the input; its messages were paid for before.
        model: the step that said it.
    """
    known = {id(message) for message in messages_in(given)}
    parts = said if isinstance(said, Mapping) else {None: output if said is None else said}
    for name, part in parts.items():
        for message in messages_in(part):
            if id(message) not in known:
                yield _count(message, change), branch(model, name)


def _count(message: AIMessage, change: Change | None) -> AIMessage:
    taken = [*sentences_of(str(message.text)), *(change.taken if change else ())]
    found = {name: unrepeated(message.response_metadata.get(name), taken) for name in _COUNTED}
    metadata = {name: value for name, value in found.items() if value is not GONE and value is not None}
    if change:
        metadata["guardrail"] = change.summary
    return AIMessage("", name=message.name, usage_metadata=message.usage_metadata, response_metadata=metadata)


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
