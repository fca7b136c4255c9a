"""The documents of a request: what tools gave, what was attached or searched, what a prompt delimits. Every door asks here.

Read are OpenAI's chat completions and Responses API, Anthropic's messages, LangChain's messages, and what LiteLLM, Bedrock, vLLM, Cohere,
Azure and OpenRouter add to them. Nothing that a user or the assistant said is a document: else a claim would support itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from guardrail._log import log
from guardrail._visible import one_line
from guardrail.given import content
from guardrail.given.accepted import JsonObject
from guardrail.given.delimited import delimited
from guardrail.given.recognition import is_of
from guardrail.given.sources import NAMES, Document, Gathered, Source, first_field, source_from
from guardrail.requests import Message, Untrusted

MOST = 200
"""Documents of one request; of more the latest are kept."""
LONGEST = 200_000
"""Characters of one document that are read."""
TOGETHER = 1_000_000
"""Characters of all documents; of more the latest are kept."""
_UNREAD = 20  # names of what was not read
_NAME = 120  # characters of a name
_ECHO = (
    8  # words of a call's argument that are cut from its result: in shorter ones may lie what was looked up
)
_SAID = (
    3  # words; an argument has as many at least, and what is left of a result without its arguments has more
)
_LINES = 50  # of arguments

_FIELDS = ("documents", "context")
_TEXTS = {"text", "input_text", "output_text", "text-plain", "guarded_text", "query"}
_CALLS = {
    "tool_use",
    "server_tool_use",
    "mcp_tool_use",
    "function_call",
    "custom_tool_call",
    "tool_call",
    "server_tool_call",
}
_HOSTED = {"file_search_call", "mcp_call", "code_interpreter_call", "web_search_call"}
_CALL_IDS = ("call_id", "tool_call_id", "tool_use_id", "id")
_PICTURES = ("image", "input_image", "image_url", "audio", "input_audio", "video")
_FILES = ("file", "input_file", "document", "media")
_BY_MODEL = {"thinking", "redacted_thinking", "reasoning", "refusal"}
_STRUCTURED = (
    "Returning structured response:"  # how LangChain repeats, as a tool's result, what the model said
)
_QUOTED = re.compile(r"\"([^\"\n]{20,2000})\"|'([^'\n]{20,2000})'")

TOOL, PROMPT, FIELD, FILE, WEB, BLOCK, SEARCH = (
    "a tool's result",
    "the system prompt",
    "the request's field",
    "a file search",
    "a web page",
    "a document of the request",
    "a search result",
)


def gathered(
    messages: Iterable[Any] = (),
    *,
    request: JsonObject | None = None,
    response: Any = None,
    users: bool = False,
) -> Gathered:
    """The documents of a request, in the order of the conversation; a text that comes twice is read once.

    Args:
        messages: the conversation: messages, or items of the Responses API, of any kind that prompts may have.
        request: the body of a request with the conversation in it.
        response: what the model's service answered: its tools may have found something.
        users: whether documents count that are delimited in a user's message, as templates of RAG chains write them. Only where
            users cannot write such a message themselves: else what they claim is evidence.
    """
    reader = _Reader(users=users)
    try:
        if request is not None:
            reader.request(request)
        for message in messages:
            reader.message(message)
        if response is not None:
            reader.response(response)
    except Exception as error:  # noqa: BLE001  # a request is its client's: whatever it is, its answer must be examined
        log.warning("documents_not_read", error=type(error).__name__)
    return reader.gathered()


@dataclass(slots=True)
class _Reader:
    """What was found so far.

    Attributes:
        users: as of `gathered`.
        found: by text without its white space, so that each is there once.
        unread: names of what has no text.
        calls: the name and the arguments of each call, by its id.
    """

    users: bool
    found: dict[str, Document] = field(default_factory=dict)
    unread: dict[str, None] = field(default_factory=dict)
    calls: dict[str, tuple[str, Any]] = field(default_factory=dict)

    def gathered(self) -> Gathered:
        """The documents within bounds; what is beyond is named as not read."""
        kept: list[Document] = []
        left = TOGETHER
        for document in reversed(self.found.values()):
            text = document.text[: min(LONGEST, left)]
            if len(kept) == MOST or not text:
                break
            left -= len(text)
            kept.append(replace(document, text=text))
            if len(text) < len(document.text):
                name = str(document.source) or "a document"
                self._not_read(f"{name}, from character {len(text):,} on")
        if len(kept) < len(self.found):
            self._not_read(f"{len(self.found) - len(kept)} earlier documents: there are too many")
        names = list(self.unread)
        if len(names) > _UNREAD:
            names = [*names[:_UNREAD], f"{len(names) - _UNREAD} more"]
        return Gathered(tuple(reversed(kept)), tuple(names))

    # -- whole requests and responses

    def request(self, body: JsonObject) -> None:
        """A request's body: its prompt, its conversation, and fields that hold documents."""
        for name in ("system", "instructions"):
            self._content(body.get(name), role="system")
        for name in ("messages", "input"):
            said = body.get(name)
            for one in [{"role": "user", "content": said}] if isinstance(said, str) else _items(said):
                self.message(one)
        for name in _FIELDS:
            self._field(body.get(name), f"{FIELD} {name!r}")

    def response(self, given: Any) -> None:
        """A response of any of the services: what its tools found."""
        body = _plain(given)
        for choice in _items(body.get("choices")):
            said = _plain(_plain(choice).get("message"))
            self.message({"role": "assistant", **said})
            self._field(_plain(said.get("context")).get("citations"), WEB)  # of Azure's "on your data"
        if isinstance(body.get("message"), Mapping):
            self.message({"role": "assistant", **body["message"]})
        for item in _items(body.get("output")):
            self.message(item)
        if not body.get("choices") and "content" in body:
            self.message({**body, "role": "assistant"})
        self._field(body.get("search_results"), WEB)

    def message(self, given: Any) -> None:
        """One message, or an item of the Responses API."""
        if isinstance(given, Message) and given.role == "assistant":
            return self._results_in(given)
        message = _turn(given)
        role = content.role_of(message.get("role")) or content.role_of(message.get("type"))
        self._called(message)
        if role is None:
            return self._block(message, role="assistant")
        if role == "tool":
            return self._tool(message)
        self._content(message.get("content"), role="system" if role == "developer" else role)
        if role == "assistant":
            for note in _items(message.get("annotations")):
                page = _plain(_plain(note).get("url_citation")) or _plain(note)
                self._add(page.get("content"), source_from(page, WEB))  # of OpenRouter
        return None

    def _results_in(self, message: Message) -> None:
        """The results of tools in a message that `content.messages` made."""
        parts = () if isinstance(message.content, str) else message.content
        before = ""
        for part in parts:
            if isinstance(part, Untrusted):
                name = before.removeprefix("Result of ").removesuffix(":\n")
                self._add(part.text, Source(TOOL, "" if name == "a tool" else name))
            before = part if isinstance(part, str) else ""

    # -- tools

    def _called(self, message: JsonObject) -> None:
        """Note the calls of a message: what they were called with is the assistant's own words."""
        for call in _items(message.get("tool_calls")):
            known = _plain(call)
            function = _plain(known.get("function")) or known
            self._call(known, function.get("name"), function.get("arguments", function.get("args")))

    def _call(self, known: JsonObject, name: Any, arguments: Any) -> None:
        self.calls[first_field(known, _CALL_IDS)] = (str(name or ""), arguments)

    def _tool(self, message: JsonObject, value: Any = None) -> None:
        """The result of a tool: the documents in it, or its text, without what the call itself said."""
        called = first_field(message, _CALL_IDS)
        name, arguments = self.calls.get(called, ("", None))
        source = Source(TOOL, first_field(message, ("name", "tool_name")) or name, identifier=called)
        if value is None:
            value = message.get("content")
        given = _documents_in(message.get("artifact"))
        texts = self._result(value, source)
        if given and all(
            _squeezed(text) in _squeezed("\n".join(texts)) for text in map(content.text_of, given) if text
        ):
            texts = []  # what the model saw are these documents, which have names of their own
        for text in texts:
            if not text.startswith(_STRUCTURED):
                self._add(_without_echo(text, arguments), source)
        for document in given:
            self._add(content.text_of(document), source_from(content.metadata_of(document), TOOL))

    def _result(self, value: Any, source: Source) -> list[str]:
        """The texts of a result; blocks in it that are documents are added."""
        if isinstance(value, str):
            return [value]
        texts: list[str] = []
        for block in _items(value):
            known = block if isinstance(block, Mapping) else {}
            if isinstance(block, str) or known.get("type") in _TEXTS:
                texts.append(block if isinstance(block, str) else str(known.get("text") or ""))
            elif known.get("type"):
                self._block(known, role="tool", call=source)
            elif known:
                texts.append(_as_text(known))
        return ["\n".join(filter(None, texts))] if texts else []

    # -- contents

    def _content(self, value: Any, *, role: str) -> None:
        if isinstance(value, str):
            return self._said(value, role)
        for block in _items(value):
            if isinstance(block, str):
                self._said(block, role)
            elif isinstance(block, Mapping):
                self._block(block, role=role)
        return None

    def _said(self, text: str, role: str) -> None:
        """What a prompt delimits. A user's is read only if that is wanted, and else named."""
        if role == "system" or (role == "user" and self.users):
            place = PROMPT if role == "system" else "the user's message"
            for one in delimited(text, by_user=role == "user"):
                self._add(one.text, replace(one.source, place=place))
        elif role == "user" and delimited(text, by_user=True):
            self._not_read("what is delimited in a user's message: it may be the user's own claim")

    def _block(self, block: JsonObject, *, role: str, call: Source | None = None) -> None:
        """A content block, or an item of the Responses API. Of the assistant's only what services put there is read."""
        kind = str(block.get("type") or "")
        if not self._of_service(kind, block, call) and role != "assistant":
            self._of_prompt(kind, block, role)

    def _of_service(self, kind: str, block: JsonObject, call: Source | None) -> bool:
        """A call of a tool, its result, or what a service found; whether it is one of these."""
        if kind in _CALLS:
            self._call(
                block, block.get("name"), block.get("input", block.get("arguments", block.get("args")))
            )
        elif kind.endswith(("tool_result", "call_output")):
            value = block.get("output", block.get("content"))
            self._tool({**block, "artifact": None}, [value] if isinstance(value, Mapping) else value)
        elif kind in _HOSTED:
            self._hosted(kind, block)
        elif kind in {"web_search_result", "web_fetch_result"}:
            self._page(block, call)
        elif kind == "text" and isinstance(block.get("citations"), list):
            self._cited(block["citations"])
            return False
        else:
            return kind in _BY_MODEL
        return True

    def _of_prompt(self, kind: str, block: JsonObject, role: str) -> None:
        """What an application puts into a message."""
        guarded = _plain(_plain(block.get("guardContent")).get("text"))  # of Bedrock's Converse
        if kind == "grounding_source" or "grounding_source" in _items({**block, **guarded}.get("qualifiers")):
            self._add({**block, **guarded}.get("text"), source_from(block, "a grounding source"))
        elif kind == "search_result":
            text = "\n".join(self._result(block.get("content"), Source(SEARCH)))
            self._add(text, source_from(block, SEARCH))
        elif kind == "document" or (kind == "text-plain" and role != "tool"):
            self._attached(block)
        elif kind in _TEXTS:
            self._said(str(block.get("text") or ""), role)
        elif kind in _PICTURES or kind in _FILES:
            self._not_read(_file_name(block, kind))

    def _attached(self, block: JsonObject) -> None:
        """A document block: plain text, or blocks of text; whatever else is named as not read."""
        inner = _plain(block.get("source"))
        source = replace(
            source_from({**block, "source": None}, BLOCK), identifier=first_field(inner, ("file_id",))
        )
        value = block.get("text") if inner == {} else inner.get("content", inner.get("data"))
        kind = inner.get("type", "text")
        if kind in {"text", "content"} and isinstance(value, str | list):
            texts = self._result(value, source)
            context = block.get("context")  # what the application says of the document
            said = [context] if isinstance(context, str) and texts else []
            return self._add("\n".join([*said, *texts]), source)
        if inner.get("url") and not source.url:
            source = replace(source, url=str(inner["url"]))
        named = str(source) if source.name or source.url else "a document"
        return self._not_read(f"{named} ({inner.get('media_type') or kind})")

    def _hosted(self, kind: str, item: JsonObject) -> None:
        """A call of a tool that the service ran: its item has what came back."""
        if kind == "file_search_call":
            results = _items(item.get("results"))
            for one in map(_plain, results):
                self._add(
                    one.get("text"),
                    replace(source_from(one, FILE), identifier=first_field(one, ("file_id",))),
                )
            if not results:
                self._not_read(
                    'what a file search found: ask for it with include=["file_search_call.results"]'
                )
            return None
        if kind == "web_search_call":
            return self._field(item.get("results"), WEB)
        self._call(item, item.get("name"), item.get("arguments", item.get("code")))
        logs = [_plain(one).get("logs") for one in _items(item.get("outputs"))]
        output = item.get("output") or "\n".join(one for one in logs if isinstance(one, str))
        return self._tool(
            {**item, "artifact": None, "name": item.get("name") or kind.removesuffix("_call")}, output or ""
        )

    def _page(self, block: JsonObject, call: Source | None) -> None:
        """A page of a web search or a fetch; of Anthropic's searches the text is encrypted."""
        source = source_from(block, WEB)
        inner = _plain(block.get("content"))
        if inner:
            named = {**inner, "title": inner.get("title") or str(source)}
            return self._block({"url": source.url, **named}, role="tool", call=call)
        text = block.get("text", block.get("page_content"))
        if isinstance(text, str) and text.strip():
            return self._add(text, source)
        if block.get("encrypted_content"):
            self._not_read(f"{source} (its text is encrypted)")
        return None

    def _cited(self, citations: Iterable[Any]) -> None:
        """What an answer cites of pages whose text is encrypted: the service quotes it, not the model."""
        for one in map(_plain, citations):
            if one.get("type") == "web_search_result_location":
                self._add(one.get("cited_text"), source_from(one, WEB))

    def _field(self, value: Any, place: str) -> None:
        """A field with documents: texts, or dicts with a text."""
        for one in [value] if isinstance(value, str | Mapping) else _items(value):
            inner = _plain(one).get("data")
            known = inner if isinstance(inner, Mapping) else one
            self._add(content.text_of(known), source_from(content.metadata_of(known), place))

    # -- what is kept

    def _add(self, text: Any, source: Source) -> None:
        key = _squeezed(text) if isinstance(text, str) else ""
        if not key:
            return
        named = replace(source, name=one_line(source.name, _NAME), url=source.url[: 4 * _NAME])
        self.found.setdefault(key, Document(str(text), named))

    def _not_read(self, name: str) -> None:
        self.unread.setdefault(one_line(name, 2 * _NAME))


# -- helpers


def _items(value: Any) -> Sequence[Any]:
    """The parts of a list; a dict is one part, and of anything else there are none."""
    if isinstance(value, Mapping):
        return (value,)
    return value if isinstance(value, list | tuple) else ()


def _plain(value: Any) -> dict[str, Any]:
    """A dict, or the fields of an object; nothing of anything else."""
    if isinstance(value, Mapping):
        return dict(value)
    if is_of(value, content.LANGCHAIN):
        return _turn(value)
    if value is None or isinstance(value, str | list | tuple):
        return {}
    plain = content.as_plain(value)
    if isinstance(plain, Mapping):
        return dict(plain)
    message = getattr(value, "message", None)  # a generation of LangChain
    return _turn(message) if is_of(message, content.LANGCHAIN) else {}


def _turn(given: Any) -> dict[str, Any]:
    """A message of any kind as a dict with a role; an item as it is."""
    if isinstance(given, Message):
        return {"role": given.role, "content": given.text}
    if is_of(given, content.LANGCHAIN):
        role = given.role if given.type in {"chat", "ChatMessageChunk"} else given.type
        names = ("content", "name", "tool_call_id", "artifact", "tool_calls")
        return {"role": role, **{name: getattr(given, name, None) for name in names}}
    if isinstance(given, tuple | list) and len(given) == 2:
        return {"role": given[0], "content": given[1]}
    known = _plain(given)
    inner = known.get("kwargs" if known.get("type") == "constructor" else "data")
    if isinstance(inner, Mapping) and "content" in inner:  # a message of LangChain as JSON
        return {"role": inner.get("type", known.get("type")), **inner}
    return known


def _documents_in(artifact: Any) -> list[Any]:
    """The documents that a tool of LangChain gives besides its text."""
    listed = artifact.get("documents") if isinstance(artifact, Mapping) else artifact
    document = "langchain_core.documents.base:Document"
    return [
        one
        for one in _items(listed)
        if is_of(one, document) or (isinstance(one, Mapping) and "page_content" in one)
    ] or ([artifact] if is_of(artifact, document) else [])


def _as_text(value: JsonObject) -> str:
    """A result that is neither a text nor blocks: what a command printed, or a record."""
    printed = [value[name] for name in ("stdout", "stderr", "text") if isinstance(value.get(name), str)]
    if printed:
        return "\n".join(filter(None, printed))
    kept = {name: one for name, one in value.items() if not str(name).startswith("encrypted")}
    return json.dumps(kept, ensure_ascii=False, default=str)


def _file_name(block: JsonObject, kind: str) -> str:
    inner = _plain(block.get("file"))
    known = {**block, **inner, **_plain(block.get("source"))}
    name = first_field(known, (*NAMES, "file_id", "url", "file_url"))
    of = "an image" if "image" in kind else "a recording" if kind in _PICTURES else "a file"
    return (
        f"{name} ({first_field(known, ('media_type', 'mime_type')) or kind})"
        if name and "://" not in name
        else of
    )


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def _without_echo(text: str, arguments: Any) -> str:
    """A result without what the call itself said: a tool that repeats its arguments gives no evidence for them.

    Long arguments are cut out, line by line, also where the call's code prints them; a result that is hardly more than its
    arguments is none.
    """
    said = [one for one in _leaves(arguments) if one.strip()]
    said += [part for one in said for found in _QUOTED.finditer(one) for part in found.groups() if part]
    lines = {line.strip() for one in said for line in one.split("\n") if len(line.split()) >= _SAID}
    before, rest = text, text
    for line in sorted(lines, key=len, reverse=True)[:_LINES]:
        rest = rest.replace(line, " ")
        text = text.replace(line, " ") if len(line.split()) >= _ECHO else text
    return text if len(re.findall(r"\w+", rest)) > _SAID or rest == before else ""


def _leaves(value: Any) -> Iterable[str]:
    """The texts in the arguments of a call, which may be JSON."""
    if isinstance(value, str):
        try:
            read = json.loads(value) if value[:1] in {"{", "["} else value
        except (ValueError, RecursionError):
            read = value
        if isinstance(read, str):
            yield read
            return
        value = read
    stack = [value]
    while stack:
        one = stack.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, Mapping | list | tuple):
            stack += one.values() if isinstance(one, Mapping) else one
