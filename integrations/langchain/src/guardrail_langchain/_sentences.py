"""A model's stream that is handed out sentence by sentence: chunks in, chunks out.

Text goes out as soon as it was examined. Whatever else a message has (tool calls, usage, metadata, blocks behind its first
text) comes with the last chunks, and so does the report. If a block that is no text comes first, the message waits for its end;
but for reasoning that is left out, of which only what its service needs back goes out before the text.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk, message_chunk_to_message
from langchain_core.output_parsers import StrOutputParser
from langchain_core.runnables import RunnableConfig, RunnableParallel

from guardrail.adapting import Change, Reading
from guardrail.adapting.sentence_release import SentenceRelease
from guardrail.adapting.sentence_stream import WITHDRAWN, Withdrawn
from guardrail.errors import InputError
from guardrail.given.accepted import Documents
from guardrail.guard import Guard
from guardrail.report import Case
from guardrail.requests import Message
from guardrail_langchain._attempts import Attempts, tokens
from guardrail_langchain._chains import Chain
from guardrail_langchain._messages import chunks
from guardrail_langchain._outputs import decided
from guardrail_langchain._quiet import apart, aquietly, quietly, unheard
from guardrail_langchain._reading import read
from guardrail_langchain._reasoning import Asked, Thinking, is_reasoning


def why_buffered(guard: Guard, steps: Chain, key: str | None) -> str:
    """Why the streams of a chain are released as a whole; "" if they may be by sentence."""
    if guard.why_whole:
        return guard.why_whole
    if steps.model is None or steps.textual or isinstance(steps.model, RunnableParallel):
        return "no chat model is a step of the chain"
    if key is not None or type(steps.tail) not in {type(None), StrOutputParser}:
        return "the chain makes something else than a text of the answer"
    return ""


class Sentences:
    """One answer of a chat model that is released sentence by sentence.

    Args:
        guard: the guard; its scope is "sentence".
        prompt: what was asked.
        context: documents the answer should rest on, given the answer, or `None` before there is one.
        config: of the run that the model's is a part of; its callbacks do not hear the model.
        thinking: says what becomes of reasoning; by default it is left out.
    """

    def __init__(
        self,
        guard: Guard,
        prompt: Sequence[Message],
        context: Callable[[AIMessage | None], Documents],
        config: RunnableConfig | None = None,
        thinking: Thinking | None = None,
    ) -> None:
        self._guard = guard
        self._thinking = thinking or Thinking(guard, "drop")
        self._config = config or RunnableConfig()
        self._prompt, self._context = tuple(prompt), context
        self._found = context(None)
        self._asked = Case.of("", prompt=self._prompt, context=self._found)
        self._release = SentenceRelease(guard, self._asked, apart=apart)
        self._came: list[AIMessageChunk] = []
        self._id: str | None = None
        self._index: Any = None  # of the text block; `None` = the content is a string
        self._thoughts: list[AIMessageChunk] = []  # with which the answer began

    def of(self, model: Any, prompt: Any, options: Mapping[str, Any]) -> Iterator[AIMessageChunk]:
        """What may be shown of a model's answer."""
        with unheard(self._config) as quiet:
            coming = model.stream(prompt, quiet, **options)
        return self.chunks(quietly(coming, self._config))

    async def aof(
        self, model: Any, prompt: Any, options: Mapping[str, Any]
    ) -> AsyncGenerator[AIMessageChunk]:
        """As `of`."""
        with unheard(self._config) as quiet:
            coming = model.astream(prompt, quiet, **options)
        async with (
            aclosing(aquietly(coming, self._config)) as heard,
            aclosing(self.achunks(heard)) as found,
        ):
            async for chunk in found:
                yield chunk

    def chunks(self, coming: Iterator[Any]) -> Iterator[AIMessageChunk]:
        """What may be shown, while the model's chunks come."""
        self._release.start()
        for chunk in coming:
            self._come(chunk)
            begun = bool(self._release.released)
            if text := self._release.examined():
                yield from self._pieces(text, begun=begun)
        message, reading = self._message()
        if reading is None or not self._release.is_of(reading.text):
            message, change = self._attempts().settle(lambda _: message)
        else:
            report = self._release.concluded(reading.text, reading.logprobs, tokens(message))
            change = Change.of(reading.text, report)
        yield from self._closing(self._thinking.shown(decided(message, change), self._about()), change)

    async def achunks(self, coming: AsyncIterator[Any]) -> AsyncGenerator[AIMessageChunk]:
        """As `chunks`."""
        self._release.astart()
        try:
            async for chunk in coming:
                self._come(chunk)
                begun = bool(self._release.released)
                if text := await self._release.aexamined():
                    for piece in self._pieces(text, begun=begun):
                        yield piece
            message, reading = self._message()
            if reading is None or not self._release.is_of(reading.text):

                async def ask(_: str) -> AIMessage:
                    return message

                message, change = await self._attempts().asettle(ask)
            else:
                report = await self._release.aconcluded(reading.text, reading.logprobs, tokens(message))
                change = Change.of(reading.text, report)
            final = await self._thinking.ashown(decided(message, change), self._about())
            for piece in self._closing(final, change):
                yield piece
        finally:
            await self._release.aclose()

    # -- while it comes

    def _come(self, said: Any) -> None:
        if not isinstance(said, AIMessage):
            raise InputError(f"expected chunks of a chat model's message, got {type(said).__name__}")
        for chunk in [said] if isinstance(said, AIMessageChunk) else chunks(said):  # one that cannot stream
            self._take(chunk)

    def _take(self, chunk: AIMessageChunk) -> None:
        is_first = not any(one.content for one in self._came[len(self._thoughts) :])
        self._came.append(chunk)
        if chunk.id and (self._id is None or (not self._release.released and not chunk.id.startswith("lc_"))):
            self._id = chunk.id
        logprobs = chunk.response_metadata.get("logprobs")
        if is_first and not logprobs and self._thinking.reasoning == "drop" and _is_thought(chunk):
            self._thoughts = list(self._came)
            return
        if logprobs or not self._is_text(chunk.content, is_first=is_first):
            self._release.feed(None)
        self._release.feed(str(chunk.text))

    def _is_text(self, content: str | list[Any], *, is_first: bool) -> bool:
        """Whether all that a chunk adds to the content is text, of one and the same block."""
        if not content:
            return True
        if isinstance(content, str):
            return self._index is None
        blocks = [block if isinstance(block, Mapping) else {} for block in content]
        if is_first:
            self._index = blocks[0].get("index")
        is_named = self._index is not None
        return is_named and all(
            block.get("type") == "text" and block.get("index") == self._index for block in blocks
        )

    def _pieces(self, text: str, *, begun: bool) -> Iterator[AIMessageChunk]:
        """A text, and before the first one what is left of the reasoning that led to it."""
        if self._thoughts and not begun:
            first, *others = self._thoughts
            opening = self._thinking.shown(first + others if others else first)
            if opening.content:
                yield AIMessageChunk(content=opening.content, id=self._id)
        yield AIMessageChunk(content=self._content(text), id=self._id)

    def _content(self, text: str) -> Any:
        return text if self._index is None else [{"type": "text", "text": text, "index": self._index}]

    # -- at its end

    def _message(self) -> tuple[AIMessage, Reading | None]:
        """The whole message, and what of it is examined."""
        first, *others = self._came or [AIMessageChunk(content="")]
        message = message_chunk_to_message(first + others if others else first)
        assert isinstance(message, AIMessage)  # noqa: S101  # made of its chunks
        if not isinstance(message.content, str):  # its service may have searched
            self._found = self._context(message)
            self._asked = Case.of("", prompt=self._prompt, context=self._found)
            self._release.ask(self._asked)
        return message, read(message, whole=self._guard.policy.edits)

    def _attempts(self) -> Attempts[AIMessage]:
        """For a message that is not the text that was fed: it is examined as any other one."""
        return Attempts(
            self._guard,
            lambda message: read(message, whole=self._guard.policy.edits),
            said=lambda message: message,
            prompt=lambda: self._asked.messages,
            context=self._context,
        )

    def _about(self) -> Asked:
        return Asked(prompt=lambda: self._asked.messages, context=lambda: self._found)

    def _closing(self, final: AIMessage, change: Change | None) -> Iterator[AIMessageChunk]:
        """What of the message is still to be shown, and the report."""
        final = final.model_copy(update={"id": self._id or final.id})
        if not self._release.released:
            yield from chunks(final, words=False)
            return
        try:
            left = final.model_copy(update={"content": self._rest(final.content)})
            yield from chunks(left, words=False)
        except Withdrawn:
            summary = {**(change.summary if change else {}), "action": "block", "note": WITHDRAWN}
            told = {"finish_reason": "content_filter", "guardrail": summary}
            nothing: Any = "" if self._index is None else []
            yield AIMessageChunk(content=nothing, id=self._id, response_metadata=told, chunk_position="last")

    def _rest(self, content: Any) -> Any:
        """The content without what was released of its first text.

        Raises:
            Withdrawn: it does not begin with it.
        """
        if isinstance(content, str):
            return self._release.rest(content)
        kinds = [block if isinstance(block, Mapping) else {} for block in content]
        found = (
            i
            for i, block in enumerate(kinds)
            if (block.get("type"), block.get("index")) == ("text", self._index)
        )
        at = next(found, len(content))
        block = kinds[at] if at < len(kinds) else {}
        rest = self._release.rest(str(block.get("text") or ""))
        return [{**block, "text": rest, "index": self._index}, *content[at + 1 :]]


def _is_thought(chunk: AIMessageChunk) -> bool:
    """Whether all that a chunk adds to the content is reasoning."""
    return isinstance(chunk.content, list) and bool(chunk.content) and all(map(is_reasoning, chunk.content))
