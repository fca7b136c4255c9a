"""Prompts, answers, documents and samples from what users have at hand: plain values, or objects of OpenAI and LangChain.

The objects are read, never changed. What cannot be read is refused with an `InputError` that says what to write instead.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeAlias, cast, get_args

from guardrail.errors import InputError
from guardrail.given.recognition import is_of, shown
from guardrail.requests import Completion, Message, Role, TokenLogprob, Untrusted, user


class Said(Protocol):
    """A message of OpenAI or LangChain."""

    @property
    def content(self) -> Any:
        """Its text, or blocks of which some are text."""
        ...


class PromptValue(Protocol):
    """What a LangChain prompt template makes."""

    def to_messages(self) -> Sequence[Any]:
        """Its messages."""
        ...


class Chosen(Protocol):
    """A chat completion of OpenAI."""

    @property
    def choices(self) -> Sequence[Any]:
        """Its answers."""
        ...


class Produced(Protocol):
    """A response of OpenAI's Responses API."""

    @property
    def output(self) -> Any:
        """Messages, calls of tools and thoughts."""
        ...


class Holder(Protocol):
    """A choice of a chat completion, or a generation of LangChain."""

    @property
    def message(self) -> Any:
        """The answer."""
        ...


class Generated(Protocol):
    """A result of a LangChain chat model."""

    @property
    def generations(self) -> Sequence[Any]:
        """Its answers."""
        ...


class Document(Protocol):
    """A document of LangChain."""

    @property
    def page_content(self) -> str:
        """Its text."""
        ...


Turn: TypeAlias = Message | Mapping[str, Any] | tuple[str, str] | Said
Prompt: TypeAlias = str | Turn | PromptValue | Sequence[Turn] | None
"""A text, a message or messages: pairs, dicts, or those of OpenAI and LangChain."""
Given: TypeAlias = str | Completion | Mapping[str, Any] | Said | Chosen | Produced | Holder | Generated | None
"""An answer: a text, or a message or response of OpenAI or LangChain. `None` is no text, as beside a tool call."""
Documents: TypeAlias = str | Document | Iterable[str | Document] | None
Sayings: TypeAlias = str | Iterable[Given] | None

_PAIR = "('user', 'the text')"
_ALIASES = {
    "human": "user",
    "HumanMessageChunk": "user",
    "ai": "assistant",
    "AIMessageChunk": "assistant",
    "SystemMessageChunk": "system",
    "function": "tool",
    "ToolMessageChunk": "tool",
}
_OPENAI = "openai:BaseModel"
_LANGCHAIN = "langchain_core.messages.base:BaseMessage"
_TEXTS = {"text", "output_text", "input_text"}  # the kinds of blocks that hold text


# -- prompts


def messages(prompt: Prompt) -> tuple[Message, ...]:
    """The messages of a prompt, oldest first.

    A message without text (a call of a tool, a picture) is left out. A tool's result becomes untrusted text of the assistant:
    chat APIs accept a "tool" message only together with the call that it answers.

    Raises:
        InputError: it is no prompt.

    Example:
        >>> messages([("system", "Be brief."), {"role": "user", "content": "Hi"}])[1].text
        'Hi'
    """
    if prompt is None:
        return ()
    if isinstance(prompt, str):
        return (user(prompt),) if prompt else ()
    if is_of(prompt, "langchain_core.prompts.base:BasePromptTemplate"):
        raise InputError(
            "prompt= takes messages, got a template that is not filled in: write prompt=template.invoke({…})"
        )
    if is_of(prompt, "langchain_core.prompt_values:PromptValue"):
        prompt = cast("PromptValue", prompt).to_messages()
    elif _is_message(prompt):
        prompt = [cast("Turn", prompt)]
    listed = _listed(prompt)
    if listed is None:
        raise InputError(
            f"prompt= takes a text or messages, got {shown(prompt)}: write prompt='the text' or prompt=[{_PAIR}]"
        )
    found = (_message(one, number) for number, one in enumerate(listed, 1))
    return tuple(message for message in found if message is not None)


def _is_message(given: object) -> bool:
    """Whether something is one message by itself, and not several."""
    if isinstance(given, tuple):
        return (
            len(given) == 2 and all(isinstance(part, str) for part in given) and _role(given[0]) is not None
        )
    return isinstance(given, Message | Mapping) or is_of(given, _OPENAI, _LANGCHAIN)


def _message(given: object, number: int) -> Message | None:
    """One message; `None` where it has no text."""
    where = f"message {number} of prompt="
    if isinstance(given, Message):
        return given
    if is_of(given, _LANGCHAIN):
        said = cast("Any", given)
        role = said.role if said.type in {"chat", "ChatMessageChunk"} else said.type
        return _said(_role(role) or "user", str(said.text), said.name)
    if is_of(given, _OPENAI):
        given = _plain(given)
    if isinstance(given, Mapping):
        return _of_mapping(given, where)
    if isinstance(given, tuple | list) and len(given) == 2 and isinstance(given[0], str):
        return _said(_known_role(given[0], where), _text(given[1], where))
    if isinstance(given, tuple | list):
        parts = ", ".join(shown(part) for part in given[:3]) + ("," if len(given) == 1 else "")
        raise InputError(f"{where} needs a role and a text, got ({parts}): write {_PAIR}")
    raise InputError(f"prompt= takes messages, got {shown(given)} as message {number}: write {_PAIR}")


def _of_mapping(given: Mapping[str, Any], where: str) -> Message | None:
    """A message of OpenAI's chat completions or an item of its Responses API."""
    kind = given.get("type", "message")
    if "role" in given:
        name = given.get("name")
        return _said(_known_role(given["role"], where), _text(given.get("content"), where), name)
    if isinstance(kind, str) and kind.endswith("call_output"):
        return _said("tool", _text(given.get("output"), where))
    if kind != "message":  # a call, a thought, a reference to an item: nothing was said
        return None
    if "messages" in given:
        raise InputError(f"{where} is {shown(given)}: write prompt=state['messages']")
    raise InputError(f"{where} has no 'role', got {shown(given)}: write {{'role': 'user', 'content': '…'}}")


def _said(role: Role, text: str, name: str | None = None) -> Message | None:
    if not text:
        return None
    if role == "tool":
        return Message("assistant", (f"Result of {name or 'a tool'}:\n", Untrusted(text)))
    return Message(role, text)


def _role(given: object) -> Role | None:
    name = _ALIASES.get(given, given) if isinstance(given, str) else given
    return cast("Role", name) if name in get_args(Role) else None


def _known_role(given: object, where: str) -> Role:
    role = _role(given)
    if role is None:
        known = ", ".join(map(repr, get_args(Role)))
        raise InputError(f"{where} has an unknown role, got {shown(given)}: write one of {known}")
    return role


def _text(content: Any, where: str) -> str:
    """The text of a message's content: a string, or blocks of which some are text."""
    if content is None or isinstance(content, str):
        return content or ""
    blocks = _listed([content] if isinstance(content, Mapping) else content)
    if blocks is None:
        raise InputError(f"{where} has no text as its content, got {shown(content)}: write {_PAIR}")
    return "\n".join(filter(None, map(_block, blocks)))


def _block(block: Any) -> str:
    """A content block's text; thoughts, calls and pictures have none that was said."""
    block = _plain(block)
    if isinstance(block, str):
        return block
    if not isinstance(block, Mapping) or block.get("type", "text") not in _TEXTS:
        return ""
    return block["text"] if isinstance(block.get("text"), str) else ""


# -- answers


def answer(given: Given, *, name: str = "the answer") -> tuple[str, tuple[TokenLogprob, ...]]:
    """An answer's text, and its tokens with their log-probabilities where it brings them.

    The text is "" where there is none: `None`, or a response that only calls a tool.

    Raises:
        InputError: it is no answer, or several.
    """
    if given is None:
        return "", ()
    if isinstance(given, str):
        return given, ()
    if isinstance(given, Completion):
        return given.text, given.logprobs
    if is_of(given, _LANGCHAIN):
        return _of_langchain(given)
    if is_of(given, "langchain_core.outputs.generation:Generation"):
        said = cast("Any", given)
        return answer(said.message, name=name) if hasattr(said, "message") else (said.text, ())
    if is_of(given, "langchain_core.outputs.chat_result:ChatResult"):
        return answer(_only(cast("Any", given).generations, "result.generations[0]", name), name=name)
    given = _plain(given)
    if isinstance(given, Mapping):
        return _of_response(given, name)
    raise InputError(_no_answer(given, name))


def _of_langchain(said: Any) -> tuple[str, tuple[TokenLogprob, ...]]:
    told = said.response_metadata.get("logprobs")
    return str(said.text), _logprobs(told.get("content") if isinstance(told, Mapping) else None)


def _of_response(given: Mapping[str, Any], name: str) -> tuple[str, tuple[TokenLogprob, ...]]:
    """A chat completion, a choice of one, a response of the Responses API, or a message of either."""
    if isinstance(given.get("choices"), list):
        return answer(_only(given["choices"], "response.choices[0]", name), name=name)
    if isinstance(given.get("message"), Mapping):
        told = given.get("logprobs")
        text = _text(given["message"].get("content"), name)
        return text, _logprobs(told.get("content") if isinstance(told, Mapping) else None)
    if isinstance(given.get("output"), list):
        said = [
            item for item in given["output"] if isinstance(item, Mapping) and item.get("type") == "message"
        ]
        return _of_blocks([block for item in said for block in item.get("content") or ()])
    if given.get("type") == "message" and isinstance(given.get("content"), list):
        return _of_blocks(given["content"])
    if "content" in given:
        return _text(given["content"], name), ()
    if isinstance(given.get("text"), str):
        return given["text"], ()
    if isinstance(given.get("messages"), list):
        raise InputError(f"{name} is a text or a response, got {shown(given)}: write result['messages'][-1]")
    raise InputError(_no_answer(given, name))


def _of_blocks(blocks: Sequence[Any]) -> tuple[str, tuple[TokenLogprob, ...]]:
    """A message of the Responses API; log-probabilities only where each text has them."""
    spoken = [block for block in blocks if _block(block)]
    told = [block.get("logprobs") if isinstance(block, Mapping) else None for block in spoken]
    tokens = [token for one in told if one for token in one] if all(told) else []
    return "".join(map(_block, spoken)), _logprobs(tokens)


def _only(choices: Sequence[Any], first: str, name: str) -> Any:
    """The one choice of a response."""
    if len(choices) == 1:
        return choices[0]
    if not choices:
        raise InputError(f"{name} is a response without choices: write the text that is to be checked")
    others = first.replace("[0]", "[1:]")
    raise InputError(f"{name} is one of {len(choices)} choices: write check({first}, samples={others})")


def _logprobs(told: Any) -> tuple[TokenLogprob, ...]:
    from guardrail.chat import token_logprobs

    try:
        return token_logprobs(told or ())
    except (KeyError, TypeError, ValueError):  # a service's own form: the text can be checked all the same
        return ()


def _no_answer(given: object, name: str) -> str:
    if isinstance(given, bytes | bytearray):
        return f"{name} is a text, got {shown(given)}: write answer.decode()"
    if inspect.isawaitable(given):
        if inspect.iscoroutine(given):
            given.close()  # or Python says that nobody awaited it
        return f"{name} is a text, got a call that was not awaited: write await before it"
    if isinstance(given, Iterator | AsyncIterator) or is_of(given, "openai:Stream", "openai:AsyncStream"):
        return f"{name} is a text, got a stream ({type(given).__name__}): join its pieces to one text first"
    if isinstance(given, Iterable) and _listed(given) is not None:
        return f"{name} is one text, got {shown(given)}: check them one at a time"
    return f"{name} is a text, or a message or response of OpenAI or LangChain, got {shown(given)}: write its text"


# -- documents and samples


def texts(context: Documents) -> tuple[str, ...]:
    """The texts of documents: strings, or documents of LangChain.

    Raises:
        InputError: it is no such thing.
    """
    if context is None:
        return ()
    alone = isinstance(context, str) or is_of(context, "langchain_core.documents.base:Document")
    listed = (context,) if alone else _listed(context)
    if listed is None:
        raise InputError(
            f"context= takes texts or documents, got {shown(context)}: write context=['the text']"
        )
    return tuple(map(_document, listed))


def _document(given: Any) -> str:
    if isinstance(given, str):
        return given
    text = given.page_content if is_of(given, "langchain_core.documents.base:Document") else None
    if not isinstance(text, str):
        raise InputError(
            f"context= takes texts or documents, got {shown(given)} among them: write str(…) of it"
        )
    return text


def samples(given: Sayings) -> tuple[str, ...]:
    """The texts of other answers to the same prompt; each may be what `answer` reads.

    Raises:
        InputError: it is no such thing.
    """
    if given is None:
        return ()
    if isinstance(given, int | float) and not isinstance(given, bool):
        raise InputError(
            f"samples= takes texts (other answers to the same prompt), got {given!r}: "
            f"a number is an option of the detector, write SelfCheck(…, samples={given!r})"
        )
    listed = (given,) if isinstance(given, str) else _listed(given)
    if listed is None:
        raise InputError(f"samples= takes texts, got {shown(given)}: write samples=['another answer']")
    return tuple(answer(one, name="one of the texts of samples=")[0] for one in listed)


# -- helpers


def _plain(given: Any) -> Any:
    """An object of OpenAI as a dict; anything else as it is."""
    return given.model_dump(warnings=False) if is_of(given, _OPENAI) else given


def _listed(given: object) -> tuple[Any, ...] | None:
    """The parts of a list or the like; `None` of a text, a mapping, or a model whose parts are its fields."""
    if isinstance(given, str | bytes | bytearray | Mapping) or hasattr(given, "model_fields"):
        return None
    return tuple(given) if isinstance(given, Iterable) else None
