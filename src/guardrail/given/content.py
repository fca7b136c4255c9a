"""Prompts, answers, documents and samples from what users have at hand: plain values, or objects of OpenAI and LangChain.

The objects are read, never changed. What cannot be read is refused with an `InputError` that says what to write instead.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from numbers import Number
from typing import Any, cast, get_args

from guardrail.errors import InputError
from guardrail.given.accepted import (
    Documents,
    Given,
    JsonObject,
    LangChainDocument,
    Prompt,
    PromptValue,
    Sayings,
)
from guardrail.given.advice import instead, refusal
from guardrail.given.recognition import fields_of, is_file, is_missing, is_of, is_table, shown
from guardrail.given.sources import Document, Gathered, source_from
from guardrail.requests import Completion, Message, Role, TokenLogprob, Untrusted, user

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
LANGCHAIN = "langchain_core.messages.base:BaseMessage"
_TEXTS = {"text", "output_text", "input_text"}  # the kinds of blocks that hold text
_WORDLESS = {
    "tool_calls",
    "function_call",
    "refusal",
    "audio",
}  # what a message may have in the place of its content
_DOCUMENT = "langchain_core.documents.base:Document"
_CONTENTS = ("page_content", "text", "content", "snippet")  # where documents as JSON have their text
_PIECES = ("langchain_core.messages.base:BaseMessageChunk", "openai.types.chat:ChatCompletionChunk")
_ANSWER = "the answer must be a text"


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
    found = (_message(one, number) for number, one in enumerate(turns(prompt), 1))
    return tuple(message for message in found if message is not None)


def turns(prompt: Prompt) -> list[Any]:
    """The messages of a prompt as they were given, one by one; what can be read but once can be read again from these.

    Raises:
        InputError: it is no prompt.
    """
    if prompt is None:
        return []
    if isinstance(prompt, str):
        return [user(prompt)] if prompt else []
    if is_of(prompt, "langchain_core.prompts.base:BasePromptTemplate"):
        raise InputError(
            "prompt= takes messages, got a template that is not filled in: write prompt=template.invoke({…})"
        )
    if is_of(prompt, "langchain_core.prompt_values:PromptValue"):
        return list(cast("PromptValue", prompt).to_messages())
    if _is_message(prompt):
        return [prompt]
    listed = listed_in(prompt)
    if listed is None:
        raise refusal(
            "prompt= takes a text or messages", prompt, "prompt", f"prompt='the text' or prompt=[{_PAIR}]"
        )
    return list(listed)


def _is_message(given: object) -> bool:
    """Whether something is one message by itself, and not several."""
    if isinstance(given, tuple):
        return (
            len(given) == 2 and all(isinstance(part, str) for part in given) and role_of(given[0]) is not None
        )
    return isinstance(as_plain(given), Message | Mapping) or is_of(given, LANGCHAIN)


def _message(given: object, number: int) -> Message | None:
    """One message; `None` where it has no text."""
    where = f"message {number} of prompt="
    if isinstance(given, Message):
        return given
    if is_of(given, LANGCHAIN):
        said = cast("Any", given)
        role = said.role if said.type in {"chat", "ChatMessageChunk"} else said.type
        return _said(role_of(role) or "user", str(said.text), said.name)
    plain = as_plain(given)
    if isinstance(plain, Mapping):
        return _of_mapping(plain, where)
    if isinstance(given, tuple | list) and len(given) == 2 and isinstance(given[0], str):
        return _said(_known_role(given[0], where), _text(given[1], where))
    if isinstance(given, tuple | list):
        parts = ", ".join(shown(part) for part in given[:3]) + ("," if len(given) == 1 else "")
        raise InputError(f"{where} needs a role and a text, got ({parts}): write {_PAIR}")
    raise InputError(f"prompt= takes messages, got {shown(given)} as message {number}: write {_PAIR}")


def _of_mapping(given: JsonObject, where: str) -> Message | None:
    """A message of OpenAI's chat completions, an item of its Responses API, or a message of LangChain as JSON."""
    kind = given.get("type", "message")
    if "role" in given:
        role = _known_role(given["role"], where)
        if "content" not in given and not _WORDLESS & given.keys():
            raise InputError(
                f"{where} has no 'content', got {shown(given)}: write {{'role': {role!r}, 'content': '…'}}"
            )
        return _said(role, _text(given.get("content"), where), given.get("name"))
    if kind == "constructor" and isinstance(given.get("kwargs"), Mapping):
        return _of_mapping(given["kwargs"], where)
    if (role_of_kind := role_of(kind)) is not None:
        data = given["data"] if isinstance(given.get("data"), Mapping) else given
        return _said(role_of_kind, _text(data.get("content"), where), data.get("name"))
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


def role_of(given: object) -> Role | None:
    """The role that a name means; `None` if it means none."""
    name = _ALIASES.get(given, given) if isinstance(given, str) else given
    return next((role for role in get_args(Role) if role == name), None)


def _known_role(given: object, where: str) -> Role:
    role = role_of(given)
    if role is None:
        known = ", ".join(map(repr, get_args(Role)))
        raise InputError(f"{where} has an unknown role, got {shown(given)}: write one of {known}")
    return role


def _text(content: Any, where: str) -> str:
    """The text of a message's content: a string, or blocks of which some are text."""
    if content is None or isinstance(content, str):
        return content or ""
    blocks = listed_in([content] if isinstance(content, Mapping) else content)
    if blocks is None:
        raise InputError(f"{where} has no text as its content, got {shown(content)}: write {_PAIR}")
    return "\n".join(filter(None, map(_block, blocks)))


def _block(block: Any) -> str:
    """A content block's text; thoughts, calls and pictures have none that was said."""
    block = fields_of(block) or block
    if isinstance(block, str):
        return block
    if not isinstance(block, Mapping) or block.get("type", "text") not in _TEXTS:
        return ""
    return block["text"] if isinstance(block.get("text"), str) else ""


# -- answers


def answer_of(given: Given, *, takes: str = _ANSWER) -> tuple[str, tuple[TokenLogprob, ...]]:
    """An answer's text, and its tokens with their log-probabilities where it brings them.

    The text is "" where there is none: `None`, or a response that only calls a tool.

    Args:
        given: the answer.
        takes: what a message says of what may be given.

    Raises:
        InputError: it is no answer, or several.
    """
    if given is None:
        return "", ()
    if isinstance(given, str):
        return given, ()
    if isinstance(given, Completion):
        return given.text, given.logprobs
    if is_of(given, LANGCHAIN):
        said = cast("Any", given)
        return str(said.text), tokens_of(said.response_metadata.get("logprobs"))
    if is_of(given, "langchain_core.outputs.generation:Generation"):
        said = cast("Any", given)
        return answer_of(said.message, takes=takes) if hasattr(said, "message") else (said.text, ())
    if is_of(given, "langchain_core.outputs.chat_result:ChatResult"):
        return answer_of(_only(cast("Any", given).generations, "result.generations[0]", takes), takes=takes)
    plain = as_plain(given)
    if isinstance(plain, Mapping):
        return _of_response(plain, takes)
    raise _no_answer(given, takes)


def _of_response(given: JsonObject, takes: str) -> tuple[str, tuple[TokenLogprob, ...]]:
    """A chat completion, a choice of one, a response of the Responses API, or a message of either."""
    stored = given.get("data") if role_of(given.get("type")) is not None else given.get("kwargs")
    if isinstance(stored, Mapping):  # a message of LangChain as JSON
        return answer_of(stored, takes=takes)
    if isinstance(given.get("choices"), list):
        return answer_of(_only(given["choices"], "response.choices[0]", takes), takes=takes)
    if isinstance(given.get("message"), Mapping):
        return _text(given["message"].get("content"), takes), tokens_of(given.get("logprobs"))
    if isinstance(given.get("output"), list):
        said = [
            item for item in given["output"] if isinstance(item, Mapping) and item.get("type") == "message"
        ]
        return _of_blocks([block for item in said for block in item.get("content") or ()])
    if given.get("type") == "message" and isinstance(given.get("content"), list):
        return _of_blocks(given["content"])
    if "content" in given:
        return _text(given["content"], takes), ()
    if isinstance(given.get("text"), str):
        return given["text"], ()
    if isinstance(given.get("messages"), list):
        raise InputError(f"{takes}, got {shown(given)}: write result['messages'][-1]")
    raise _no_answer(given, takes)


def _of_blocks(blocks: Sequence[Any]) -> tuple[str, tuple[TokenLogprob, ...]]:
    """A message of the Responses API; log-probabilities only where each text has them."""
    spoken = [block for block in blocks if _block(block)]
    told = [block.get("logprobs") if isinstance(block, Mapping) else None for block in spoken]
    tokens = [token for one in told if one for token in one] if all(told) else []
    return "".join(map(_block, spoken)), tokens_of(tokens)


def _only(choices: Sequence[Any], first: str, takes: str) -> Any:
    """The one choice of a response."""
    if len(choices) == 1:
        return choices[0]
    if not choices:
        raise InputError(f"{takes}, got a response without choices: write the text that is to be checked")
    others = first.replace("[0]", "[1:]")
    raise InputError(
        f"{takes}, got a response with {len(choices)} choices: write check({first}, samples={others})"
    )


def tokens_of(given: Any) -> tuple[TokenLogprob, ...]:
    """Tokens as OpenAI's protocols write them; none where they are of a service's own form: the text can be checked all the same.

    Args:
        given: a list of them, or `logprobs` of a choice.
    """
    from guardrail.chat import token_logprobs

    try:
        return token_logprobs((given.get("content") if isinstance(given, Mapping) else given) or ())
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
        return ()


def _no_answer(given: object, takes: str) -> InputError:
    if _is_stream(given):
        return InputError(
            f"{takes}, got a stream ({type(given).__name__}): join its pieces to one text first"
        )
    if instead(given, "result"):
        return refusal(takes, given, "result", "")
    listed = listed_in(given)
    if listed and len(listed) > 1 and _has_role(listed[-1]):
        return InputError(
            f"{takes}, got {len(listed)} messages: write messages[-1], with prompt=messages[:-1]"
        )
    if listed is not None:
        return InputError(f"{takes}, got {shown(given)}: give them one at a time")
    otherwise = "str(…) of it" if type(given) in {int, float} else "its text"
    if is_missing(given):
        otherwise = "None where there is no answer"
    elif is_of(given, "pydantic:BaseModel"):
        otherwise = "result.model_dump_json()"
    elif isinstance(given, Mapping):
        otherwise = "json.dumps(result)"
    return refusal(f"{takes}, or a message or response of OpenAI or LangChain", given, "result", otherwise)


def _has_role(given: object) -> bool:
    """Whether something is a message for sure."""
    plain = as_plain(given)
    return is_of(given, LANGCHAIN) or (isinstance(plain, Mapping) and "role" in plain)


def _is_stream(given: object) -> bool:
    alike = isinstance(given, Iterator | AsyncIterator) or is_of(given, "openai:Stream", "openai:AsyncStream")
    return alike and not is_file(given)


# -- documents and samples


def documents(context: Documents) -> Gathered:
    """Documents with where they came from: strings, documents of LangChain, or dicts with a text and a title, a URL and the like.

    Raises:
        InputError: it is no such thing.
    """
    if context is None or isinstance(context, Gathered):
        return context or Gathered()
    alone = text_of(context) is not None
    listed = (context,) if alone else listed_in(context)
    if listed is None:
        raise refusal("context= takes texts or documents", context, "context", "context=['the text']")
    return Gathered(tuple(map(_document, listed)))


def _document(given: Any) -> Document:
    text = text_of(given)
    if text is None:
        takes = "each of context= must be a text or a document"
        raise refusal(takes, given, "document", _document_to_write(given))
    return given if isinstance(given, Document) else Document(text, source_from(metadata_of(given)))


def text_of(given: Any) -> str | None:
    """The text of a document: of a string itself, of LangChain's or a dict the content; `None` of anything else."""
    if isinstance(given, str):
        return given
    if isinstance(given, Document):
        return given.text
    if is_of(given, _DOCUMENT):
        return cast("LangChainDocument", given).page_content
    known = given if isinstance(given, Mapping) and "role" not in given else {}  # a message is none
    return next((known[name] for name in _CONTENTS if isinstance(known.get(name), str)), None)


def metadata_of(given: Any) -> dict[str, Any]:
    """What is known of a document besides its text."""
    if is_of(given, _DOCUMENT):
        return {"id": given.id, **given.metadata}
    if not isinstance(given, Mapping):
        return {}
    inner = given.get("metadata")
    return {**given, **(inner if isinstance(inner, Mapping) else {})}


def _document_to_write(given: Any) -> str:
    """What to write in the place of something of which no text is known."""
    if is_missing(given):
        return "the list without it"
    if isinstance(given, int | float):
        return "str(…) of it"
    if isinstance(given, tuple):
        return "document[0], if that is the document"  # with its score behind it
    return "its texts into the one list" if listed_in(given) is not None else "its text"


def samples(given: Sayings) -> tuple[str, ...]:
    """The texts of other answers to the same prompt; each may be what `answer_of` reads.

    Raises:
        InputError: it is no such thing.
    """
    if given is None:
        return ()
    if isinstance(given, Number) and not isinstance(given, bool):
        raise InputError(
            f"samples= takes texts (other answers to the same prompt), got {given}: "
            f"a number is an option of the detector, write SelfCheck(…, samples={given})"
        )
    listed = (given,) if isinstance(given, str) else listed_in(given)
    if listed is None:
        takes, answers = "samples= takes texts", _answers_of(given)
        if answers:
            raise InputError(f"{takes}, got {shown(given)}: write samples={answers}")
        raise refusal(takes, given, "samples", "samples=['another answer']")
    if isinstance(given, Iterator) and any(is_of(one, *_PIECES) for one in listed):
        raise InputError(
            f"samples= takes texts, got a stream ({type(given).__name__}): join its pieces to one text first"
        )
    return tuple(answer_of(one, takes="each of samples= must be a text")[0] for one in listed)


def _answers_of(given: Any) -> str:
    """How the answers of a response, or the one of a message, are written as a list; "" of anything else."""
    plain = as_plain(given)
    if isinstance(plain, Mapping) and isinstance(plain.get("choices"), list):
        return "response.choices"
    return "[message]" if _has_role(given) else ""


# -- helpers


def as_plain(given: Any) -> Any:
    """An object of OpenAI, or a message as anybody's pydantic models and dataclasses have it, as a dict; else as it is."""
    if isinstance(given, dict | list | str):
        return given
    if is_of(given, _OPENAI):
        return given.model_dump(warnings=False)
    found = fields_of(given)
    return found if found is not None and {"role", "content"} <= found.keys() else given


def listed_in(given: object) -> tuple[Any, ...] | None:
    """The parts of a list or the like; `None` of a text, a mapping, a file, a table, or a model whose parts are its fields."""
    if isinstance(given, list):
        return tuple(given)
    if isinstance(given, str | bytes | bytearray | Mapping) or is_file(given) or is_table(given):
        return None
    if not isinstance(given, Iterable) or is_of(given, "pydantic:BaseModel"):
        return None
    try:
        return tuple(given)
    except TypeError:  # an array of no dimension, say
        return None
