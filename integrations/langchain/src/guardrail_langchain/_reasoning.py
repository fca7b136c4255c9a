"""What becomes of a model's reasoning in what is released: in messages, wherever they are, and in what callbacks hear."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from langchain_core.messages import AIMessage, BaseMessage
from pydantic import BaseModel

from guardrail.adapting.changes import JOINT
from guardrail.adapting.hearing import Heard, Reports, achecked, checked
from guardrail.adapting.reasoning import (
    BLOCKS,
    REASONING,
    Reasoning,
    sealed,
    silent,
    thoughts,
)
from guardrail.adapting.residue import GONE
from guardrail.errors import ConfigError
from guardrail.given.accepted import Documents
from guardrail.guard import Guard
from guardrail.options import one_of
from guardrail.report import Case
from guardrail.requests import Message
from guardrail_langchain._quiet import apart

T = TypeVar("T")
KINDS = BLOCKS | {"reasoning_content"}
"""Types of content blocks that are reasoning; the last one is Bedrock's."""
_NO_COPY = (
    "expected an output of which a copy without the model's reasoning can be made, got {!r} with a message in it. Guard the part "
    "of the chain that has the model, or write reasoning='pass'"
)
_LEAVES = (str, bytes, bytearray, int, float, type(None))


class Asked(NamedTuple):
    """What an answer is about: what was asked, and the documents that it should rest on."""

    prompt: Callable[[], tuple[Message, ...]] = tuple
    context: Callable[[], Documents] = lambda: None


_NOTHING = Asked()


class Thinking:
    """Takes the reasoning that can be read out of what is released, or has it examined.

    Args:
        guard: examines it.
        reasoning: "drop" leaves it out, "check" shows it if the policy would show it as it is, "pass" shows it.

    Raises:
        ConfigError: it is another word.
    """

    def __init__(self, guard: Guard, reasoning: Reasoning) -> None:
        one_of("reasoning", reasoning, REASONING)
        self.reasoning = reasoning
        self._guard = guard

    def shown(self, output: T, asked: Asked = _NOTHING) -> T:
        """What is released of an output, after the policy.

        Args:
            output: a message, or anything with messages in it.
            asked: what it is about.

        Raises:
            ConfigError: a message is in an object that cannot be made again without its reasoning.
        """
        spoken = self._spoken(output)
        return self._quiet(output, spoken, checked(self._guard, self._cases(spoken, asked), apart))

    async def ashown(self, output: T, asked: Asked = _NOTHING) -> T:
        """As `shown`."""
        spoken = self._spoken(output)
        reports = await achecked(self._guard, self._cases(spoken, asked), apart)
        return self._quiet(output, spoken, reports)

    def _spoken(self, output: Any) -> dict[int, AIMessage]:
        """The messages whose reasoning may have to go."""
        return {} if self.reasoning == "pass" else {id(one): one for one in _messages(output)}

    def _cases(self, spoken: Mapping[int, AIMessage], asked: Asked) -> Iterator[tuple[int, Case]]:
        if self.reasoning != "check":
            return
        for name, message in spoken.items():
            if text := JOINT.join(dict.fromkeys(_thoughts(message))):
                yield name, Case.of(text, prompt=asked.prompt(), context=asked.context())

    def _quiet(self, output: T, spoken: Mapping[int, AIMessage], reports: Reports[int]) -> T:
        heard = Heard.of(self._guard, reports)
        new = {name: _told(message, name, heard) for name, message in spoken.items()}
        changed = {name: message for name, message in new.items() if message is not spoken[name]}
        try:
            found: T = _with(output, changed) if changed else output
        except RecursionError:  # it contains itself: a copy would still have the old message in it
            raise ConfigError(_NO_COPY.format(type(output).__name__)) from None
        return found


def is_reasoning(block: Any) -> bool:
    """Whether a content block is reasoning, also one that LangChain has wrapped."""
    inner = _unwrapped(block)
    return isinstance(inner, Mapping) and inner.get("type") in KINDS


def kept_of(block: Any, taken: Sequence[str] = ()) -> Any:
    """What of a block of reasoning its service needs back; `GONE` if that is nothing."""
    inner = _unwrapped(block)
    found = sealed(inner, taken, ids=True)
    return found if found is GONE or inner is block else {**block, "value": found}


def _unwrapped(block: Any) -> Any:
    wraps = isinstance(block, Mapping) and block.get("type") == "non_standard"
    return block.get("value") if wraps else block


def _told(message: AIMessage, name: int, heard: Heard[int]) -> AIMessage:
    """A message with its reasoning if it may be heard, and the calls of that examination in its report."""
    told = message if name in heard.passed else _silent(message)
    calls, summary = heard.calls.get(name, 0), told.response_metadata.get("guardrail")
    if not calls or not isinstance(summary, Mapping):
        return told
    summary = {**summary, "calls": summary.get("calls", 0) + calls}
    return told.model_copy(update={"response_metadata": {**told.response_metadata, "guardrail": summary}})


def _thoughts(message: AIMessage) -> Iterator[str]:
    content = message.content if isinstance(message.content, list) else []
    yield from thoughts({"content": [_unwrapped(block) for block in content]}, KINDS)
    yield from thoughts(message.additional_kwargs, KINDS)
    yield from thoughts(message.response_metadata, KINDS)


def _silent(message: AIMessage) -> AIMessage:
    """A message without the reasoning that can be read: the same one if there is none."""
    new = {
        "content": _content(message.content),
        "additional_kwargs": silent(message.additional_kwargs, gone=GONE, blocks=KINDS, ids=True),
        "response_metadata": silent(message.response_metadata, gone=GONE, blocks=KINDS, ids=True),
    }
    changed = {name: value for name, value in new.items() if value != getattr(message, name)}
    return message.model_copy(update=changed) if changed else message


def _content(content: Any) -> Any:
    if not isinstance(content, list) or not any(map(is_reasoning, content)):
        return content
    found = [kept_of(block) if is_reasoning(block) else block for block in content]
    return [block for block in found if block is not GONE]


# -- messages in an output


def _messages(item: Any) -> Iterator[AIMessage]:
    """Those of the model, in order, also in what is deep or contains itself."""
    left, seen = [item], dict[int, Any]()
    while left:
        one = left.pop()
        if isinstance(one, AIMessage):
            yield one
        elif not isinstance(one, (BaseMessage, *_LEAVES)) and id(one) not in seen:
            seen[id(one)] = one  # kept, so that no other object gets its id
            left += [inner for _, inner in _places(one)][::-1]


def _places(item: Any) -> Collection[tuple[Any, Any]]:
    """What is inside something that may have messages in it, each with its place."""
    if isinstance(item, (*_LEAVES, type)):
        return ()
    if isinstance(item, Mapping):
        return item.items()
    if isinstance(item, Sequence) and not isinstance(item, memoryview):
        return list(enumerate(item))
    if isinstance(item, BaseModel):
        return list(item)  # fields, and what else it has
    if dataclasses.is_dataclass(item):
        return [(one.name, getattr(item, one.name, None)) for one in dataclasses.fields(item)]
    return ()


def _with(item: Any, new: Mapping[int, AIMessage]) -> Any:
    """The same with other messages; what has none of them is the same object."""
    if isinstance(item, BaseMessage):
        return new.get(id(item), item)
    places = _places(item)
    values = {place: _with(inner, new) for place, inner in places}
    if all(values[place] is inner for place, inner in places):
        return item
    try:
        return _made(item, values)
    except Exception:  # noqa: BLE001  # whatever it is, its message may repeat the text
        raise ConfigError(_NO_COPY.format(type(item).__name__)) from None


def _made(item: Any, values: Mapping[Any, Any]) -> Any:
    if isinstance(item, Mapping):
        return dict(values) if type(item) is dict else type(item)(values)  # type: ignore[call-arg]
    if isinstance(item, BaseModel):
        return item.model_copy(update=dict(values))
    if dataclasses.is_dataclass(item):
        found = copy.copy(item)
        for name, value in values.items():
            object.__setattr__(found, name, value)
        return found
    listed = list(values.values())
    make: Any = getattr(type(item), "_make", type(item))
    return listed if type(item) is list else make(listed)
