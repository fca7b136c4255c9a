"""The door for chains and bare models: `guard_runnable(guard, chain)`, `chain | GuardedOutput(guard)`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import aclosing
from copy import copy
from typing import Any, Literal, cast

from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable, RunnableConfig, RunnablePassthrough, RunnableSequence
from langchain_core.runnables.base import coerce_to_runnable
from langchain_core.runnables.config import merge_configs
from langchain_core.runnables.utils import ConfigurableFieldSpec
from langchain_core.utils.pydantic import TypeBaseModel

from guardrail.adapting import Change
from guardrail.adapting.sentence_release import warn_if_buffered
from guardrail.errors import ConfigError
from guardrail.given.accepted import Documents
from guardrail.given.content import messages as conversation
from guardrail.guard import Guard
from guardrail.options import one_of
from guardrail_langchain._alone import Alone
from guardrail_langchain._attempts import Attempts
from guardrail_langchain._chains import Enclosing, schemas, split
from guardrail_langchain._composition import (
    documents_of,
    refuse,
    refuse_model_behind,
    refuse_no_guard,
    refuse_unseen,
)
from guardrail_langchain._messages import as_messages, documents, with_feedback
from guardrail_langchain._outputs import Try, accepted, counts, decided, prompt_messages, released
from guardrail_langchain._quiet import (
    asay,
    is_heard,
    is_protocol,
    is_streamed,
    say,
    unheard,
)
from guardrail_langchain._reading import read
from guardrail_langchain._reasoning import Asked, Thinking
from guardrail_langchain._sentences import Sentences, why_buffered
from guardrail_langchain._stand_ins import stand_in, stand_in_text

Context = Callable[[Any], Documents]
Options = dict[str, Any]


def guard_runnable(
    guard: Guard,
    chain: Any,
    *,
    key: str | None = None,
    context: Context | None = None,
    strict: bool = False,
    streaming: Literal["buffer", "sentence"] = "buffer",
    reasoning: Literal["drop", "check", "pass"] = "drop",
) -> GuardedRunnable:
    """A chain or chat model whose answers are guarded; it is called as before.

    Args:
        guard: the guard.
        chain: any runnable, or what LangChain makes one of; `model.invoke` is taken as `model`.
        key: the entry of the output that has the answer, if it is a dict; by default all its strings.
        context: documents the answer should rest on, from the chain's input; default: those that the model's input brings along,
            such as results of tools, and what a system prompt delimits.
        strict: refuse what cannot be guarded: a model with callbacks of its own, a chain in which no model is
            recognised (no feedback could reach it).
        streaming: "buffer" keeps a stream back until the verdict; "sentence" releases each sentence once it was examined, if
            the guard judges by sentence and the chain ends in a chat model's message or its text. Other streams are kept back.
        reasoning: what becomes of reasoning that can be read: "drop" leaves it out; "check" has the guard examine it as a text
            of its own, and shows it if the policy would show it as it is; "pass" shows it unless text was cut from the answer.

    Raises:
        ConfigError: the chain stores what it said before it could be examined (a graph, a history); it has no
            answer yet (a prompt); the first argument is no guard; the policy may ask again, and feedback does not reach the model;
            in strict mode, as above. When it is called: the output has parts that cannot be read, and the policy edits
            or blocks; or `context` raised, which is the cause.
    """
    refuse_no_guard(guard, "guard_runnable", context)
    owner = getattr(chain, "__self__", None)
    if isinstance(owner, Runnable) and chain.__name__ in {"invoke", "ainvoke"}:
        chain = owner  # which can be asked again
    return GuardedRunnable(
        guard,
        coerce_to_runnable(chain),
        key=key,
        context=context,
        strict=strict,
        streaming=streaming,
        reasoning=reasoning,
    )


class GuardedRunnable(Enclosing):
    """What `guard_runnable` and `chain | GuardedOutput(guard)` return.

    The steps before the chain's last language model run once; the model, and the steps after it, run again with
    the guard's feedback appended to the model's messages. Streams are held back until the verdict and then
    released piece by piece; with `streaming="sentence"` a sentence is released as soon as it was examined.
    """

    name: str | None = "Guarded"

    def __init__(
        self,
        guard: Guard,
        chain: Runnable[Any, Any],
        *,
        key: str | None = None,
        context: Context | None = None,
        strict: bool = False,
        streaming: Literal["buffer", "sentence"] = "buffer",
        reasoning: Literal["drop", "check", "pass"] = "drop",
    ) -> None:
        one_of("streaming", streaming, ("buffer", "sentence"))
        self._thinking = Thinking(guard, reasoning)
        self.guard = guard
        self._key = key
        self._context = context
        self._strict = strict
        self._streaming = streaming
        self._why_buffered = ""
        self._enclose(chain)

    def _enclose(self, chain: Runnable[Any, Any]) -> None:
        self.chain = chain
        self._steps = split(chain)
        self._schemas = schemas(self._steps.model)
        refuse(chain, self._steps, self.guard.policy)
        if self._strict:
            refuse_unseen(chain, self._steps)
        self._by_sentence = False
        if self._streaming == "sentence":
            why = why_buffered(self.guard, self._steps, self._key)
            self._by_sentence = not why
            warn_if_buffered(why if why != self._why_buffered else "")
            self._why_buffered = why

    def __or__(self, other: Any) -> Any:
        if isinstance(other, GuardedOutput):
            return other.__ror__(self)
        if not isinstance(other, GuardedRunnable):
            refuse_model_behind(self.chain, other)
        return super().__or__(other)

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> GuardedRunnable:
        """The guarded model with tools: it can take the place of a chat model in a graph.

        Raises:
            ConfigError: the guarded runnable is a chain; bind the tools to its model before you guard it.
        """
        if not hasattr(self.chain, "bind_tools"):
            raise ConfigError(
                f"expected a guarded chat model to bind tools to, got a guarded {type(self.chain).__name__}: "
                "write prompt | guard_runnable(guard, model.bind_tools(tools))"
            )
        return self._around(self.chain.bind_tools(tools, **kwargs))

    def with_structured_output(self, schema: Any = None, **kwargs: Any) -> GuardedRunnable:
        """The guarded model with structured answers, which are guarded as well.

        Raises:
            ConfigError: the guarded runnable is a chain; give its model the schema before you guard it.
        """
        if not hasattr(self.chain, "with_structured_output"):
            raise ConfigError(
                f"expected a guarded chat model to give a schema to, got a guarded {type(self.chain).__name__}: "
                "write guard_runnable(guard, prompt | model.with_structured_output(schema))"
            )
        return self._around(self.chain.with_structured_output(schema, **kwargs))

    def _around(self, chain: Runnable[Any, Any]) -> GuardedRunnable:
        """Another chain, guarded alike; what the log has said of this one is not said again."""
        found = copy(self)
        found._enclose(chain)  # noqa: SLF001  # its own copy
        return found

    # -- what LangChain asks of a runnable

    @property
    def InputType(self) -> Any:  # noqa: N802  # LangChain's name
        """As the chain's."""
        return self.chain.InputType

    @property
    def OutputType(self) -> Any:  # noqa: N802  # LangChain's name
        """As the chain's."""
        return self.chain.OutputType

    def get_input_schema(self, config: RunnableConfig | None = None) -> TypeBaseModel:
        """As the chain's."""
        return self.chain.get_input_schema(config)

    @property
    def config_specs(self) -> list[ConfigurableFieldSpec]:
        """As the chain's."""
        return self.chain.config_specs

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:  # noqa: A002
        """The guarded output."""
        return self._call_with_config(self._invoke, input, self._config(config), **kwargs)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:  # noqa: A002
        """As `invoke`."""
        return await self._acall_with_config(self._ainvoke, input, self._config(config), **kwargs)

    def stream(
        self,
        input: Any,  # noqa: A002  # LangChain's name
        config: RunnableConfig | None = None,
        **kwargs: Any,
    ) -> Iterator[Any]:
        """The guarded output in pieces, once it is accepted."""
        yield from self._transform_stream_with_config(
            iter([input]), self._stream, self._config(config), **kwargs
        )

    async def astream(
        self,
        input: Any,  # noqa: A002  # LangChain's name
        config: RunnableConfig | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[Any]:
        """As `stream`."""

        async def inputs() -> AsyncIterator[Any]:
            yield input

        async for piece in self._atransform_stream_with_config(
            inputs(), self._astream, self._config(config), **kwargs
        ):
            yield piece

    # -- one call

    def _invoke(self, given: Any, run_manager: Any, config: RunnableConfig, **kwargs: Any) -> Any:
        del run_manager
        steps = self._steps
        prompt, options = self._prepared(given, config, kwargs)
        if self._by_sentence and is_streamed(config):
            coming = self._sentences(given, prompt, config).of(steps.model, prompt, options)
            return self._made(stand_in(None, steps.model, coming).invoke(as_messages(prompt), config))

        def ask(feedback: str) -> Try:
            with unheard(config) as quiet:
                if steps.model is None:
                    return None, cast("Any", steps.tail).invoke(prompt, quiet, **options)
                told = with_feedback(prompt, feedback, textual=steps.textual)
                said = steps.model.invoke(told, quiet, **options)
                return said, said if steps.tail is None else steps.tail.invoke(said, quiet)

        (said, output), change = self._attempts(given, prompt).settle(ask)
        asked = self._asked(given, prompt, said)
        if (answer := accepted(said, output, change)) is not None:
            message = self._thinking.shown(answer, asked)
            told = say(message, as_messages(prompt), config, model=steps.model)
            return told if isinstance(output, AIMessage) else self._decided(output, change)
        for speaker, asking in self._speakers(said, output, change, prompt, config):
            speaker.invoke(asking, config)
        return self._thinking.shown(self._decided(output, change), asked)

    async def _ainvoke(self, given: Any, run_manager: Any, config: RunnableConfig, **kwargs: Any) -> Any:
        del run_manager
        steps = self._steps
        prompt, options = await self._aprepared(given, config, kwargs)
        if self._by_sentence and is_streamed(config):
            coming = self._sentences(given, prompt, config).aof(steps.model, prompt, options)
            said = await stand_in(None, steps.model, coming).ainvoke(as_messages(prompt), config)
            return self._made(said)

        async def ask(feedback: str) -> Try:
            with unheard(config) as quiet:
                if steps.model is None:
                    return None, await cast("Any", steps.tail).ainvoke(prompt, quiet, **options)
                told = with_feedback(prompt, feedback, textual=steps.textual)
                said = await steps.model.ainvoke(told, quiet, **options)
                return said, said if steps.tail is None else await steps.tail.ainvoke(said, quiet)

        (said, output), change = await self._attempts(given, prompt).asettle(ask)
        asked = self._asked(given, prompt, said)
        if (answer := accepted(said, output, change)) is not None:
            message = await self._thinking.ashown(answer, asked)
            told = await asay(message, as_messages(prompt), config, model=steps.model)
            return told if isinstance(output, AIMessage) else self._decided(output, change)
        for speaker, asking in self._speakers(said, output, change, prompt, config):
            await speaker.ainvoke(asking, config)
        return await self._thinking.ashown(self._decided(output, change), asked)

    def _speakers(
        self, said: Any, output: Any, change: Change | None, prompt: Any, config: RunnableConfig
    ) -> Iterator[tuple[Runnable[Any, Any], Any]]:
        """Models that report to the callbacks what something else was made of, each with what it is asked."""
        model = self._steps.model
        if not is_heard(config):
            return
        if isinstance(said, str):  # of a text model
            text = self._decided(output, change) if isinstance(output, str) and output == said else ""
            yield stand_in_text(text, model), prompt
        for one, of in counts(said, output, change, given=prompt, model=model):
            yield stand_in(one, of, silent=True), prompt_messages(prompt)  # which no message stream has

    def _prepared(self, given: Any, config: RunnableConfig, options: Options) -> tuple[Any, Options]:
        """The model's input, and the options that go with it: the first step takes those of the call."""
        head = self._steps.head
        if head is None:
            return given, options
        if self._steps.heard:
            return head.invoke(given, config, **options), {}
        with unheard(config) as quiet:
            return head.invoke(given, quiet, **options), {}

    async def _aprepared(self, given: Any, config: RunnableConfig, options: Options) -> tuple[Any, Options]:
        head = self._steps.head
        if head is None:
            return given, options
        if self._steps.heard:
            return await head.ainvoke(given, config, **options), {}
        with unheard(config) as quiet:
            return await head.ainvoke(given, quiet, **options), {}

    def _stream(
        self, inputs: Iterator[Any], run_manager: Any, config: RunnableConfig, **kwargs: Any
    ) -> Iterator[Any]:
        for given in inputs:
            if not self._by_sentence or is_protocol(config):
                yield from released(self._invoke(given, run_manager, config, **kwargs))
                continue
            steps = self._steps
            prompt, options = self._prepared(given, config, kwargs)
            coming = self._sentences(given, prompt, config).of(steps.model, prompt, options)
            if is_heard(config):  # callbacks hear the chunks of one model's call
                coming = stand_in(None, steps.model, coming).stream(as_messages(prompt), config)
            for chunk in coming:
                yield self._made(chunk)

    async def _astream(
        self, inputs: AsyncIterator[Any], run_manager: Any, config: RunnableConfig, **kwargs: Any
    ) -> AsyncIterator[Any]:
        async for given in inputs:
            if not self._by_sentence or is_protocol(config):
                for piece in released(await self._ainvoke(given, run_manager, config, **kwargs)):
                    yield piece
                continue
            steps = self._steps
            prompt, options = await self._aprepared(given, config, kwargs)
            coming = self._sentences(given, prompt, config).aof(steps.model, prompt, options)
            live: Any = coming
            if is_heard(config):
                live = stand_in(None, steps.model, coming).astream(as_messages(prompt), config)
            async with aclosing(coming), aclosing(live):
                async for chunk in live:
                    yield self._made(chunk)

    # -- sentence by sentence

    def _sentences(self, given: Any, prompt: Any, config: RunnableConfig) -> Sentences:
        def about(said: Any) -> Documents:
            return self._documents(given, prompt, said)

        return Sentences(self.guard, conversation(prompt_messages(prompt)), about, config, self._thinking)

    def _made(self, message: AIMessage) -> Any:
        """What the rest of the chain makes of a message, or of a chunk: itself, or its text."""
        return message if self._steps.tail is None else str(message.text)

    def _attempts(self, given: Any, prompt: Any) -> Attempts[Try]:
        return Attempts(
            self.guard,
            lambda attempt: read(attempt[1], self._key, whole=self.guard.policy.edits),
            said=lambda attempt: attempt[1] if attempt[0] is None else attempt[0],
            prompt=lambda: conversation(self._messages(given, prompt)),
            context=lambda attempt: self._documents(given, prompt, attempt[0]),
        )

    def _asked(self, given: Any, prompt: Any, said: Any) -> Asked:
        """What an answer is about: the prompt, and documents."""
        return Asked(
            prompt=lambda: conversation(self._messages(given, prompt)),
            context=lambda: self._documents(given, prompt, said),
        )

    def _messages(self, given: Any, prompt: Any) -> Any:
        return prompt_messages(prompt if self._steps.model is not None else given)

    def _decided(self, output: Any, change: Change | None) -> Any:
        return decided(output, change, self._key, self._schemas)

    def _documents(self, given: Any, prompt: Any, said: Any = None) -> Documents:
        """As `Guard.check` takes them: a text alone is one."""
        if self._context is not None:
            return documents_of(self._context, given)
        return documents(self._messages(given, prompt), said)

    def _config(self, config: RunnableConfig | None) -> RunnableConfig | None:
        return merge_configs(self._steps.config, config) if self._steps.config else config


class GuardedOutput(RunnableSequence[Any, Any]):
    """The last step of a guarded chain: `prompt | model | GuardedOutput(guard)`.

    It takes in all steps before it, so that the answer can be asked for again and nothing of an attempt is
    heard; what comes out is a `GuardedRunnable`. That works after a chain of two steps or more. After a single
    runnable (`model | GuardedOutput(guard)`) and in `chain.pipe(…)` LangChain does not pass on what it follows:
    there it edits or blocks the text or message that it is given, and the model's callbacks and event streams have
    heard it already. The first call is refused if the policy may ask again, inside a graph, and where it is given a
    prompt or a structure. Write `guard_runnable(guard, model)` there.

    It is a sequence because Python asks the right operand of `|` first only if its type derives from the left
    one's.

    Args:
        guard: the guard.
        key: as in `guard_runnable`.
        context: as in `guard_runnable`.
        strict: as in `guard_runnable`; refuses to follow a single runnable, too.
        streaming: as in `guard_runnable`; behind a single runnable streams are always held back.
        reasoning: as in `guard_runnable`.

    Raises:
        ConfigError: it is given no guard; when it is composed, as `guard_runnable`.
    """

    def __init__(
        self,
        guard: Guard,
        *,
        key: str | None = None,
        context: Context | None = None,
        strict: bool = False,
        streaming: Literal["buffer", "sentence"] = "buffer",
        reasoning: Literal["drop", "check", "pass"] = "drop",
    ) -> None:
        refuse_no_guard(guard, "GuardedOutput", context)
        one_of("streaming", streaming, ("buffer", "sentence"))
        options: Options = {"key": key, "context": context, "strict": strict}
        options |= {"streaming": streaming, "reasoning": reasoning}
        super().__init__(RunnablePassthrough(), Alone(guard, options))

    def __ror__(self, other: Any) -> Any:
        alone = cast("Alone", self.last)
        return guard_runnable(alone.guard, other, **alone.options)
