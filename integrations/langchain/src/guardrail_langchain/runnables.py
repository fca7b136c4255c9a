"""The door for chains and bare models: `guard_runnable(guard, chain)`, `chain | GuardedOutput(guard)`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any, cast

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import Runnable, RunnableConfig, RunnablePassthrough, RunnableSequence
from langchain_core.runnables.base import coerce_to_runnable
from langchain_core.runnables.config import merge_configs
from langchain_core.runnables.utils import ConfigurableFieldSpec
from langchain_core.utils.pydantic import TypeBaseModel

from guardrail.adapting import Change, Reading
from guardrail.errors import ConfigError
from guardrail.guard import Guard
from guardrail_langchain._attempts import Attempts
from guardrail_langchain._chains import Enclosing, split
from guardrail_langchain._composition import (
    refuse,
    refuse_a_prompt,
    refuse_asking_alone,
    refuse_late,
    refuse_model_behind,
    refuse_no_guard,
    refuse_unseen,
)
from guardrail_langchain._messages import as_messages, chunks, conversation, pieces, with_feedback
from guardrail_langchain._quiet import asay, say, unheard
from guardrail_langchain._reading import read

__all__ = ["GuardedOutput", "GuardedRunnable", "guard_runnable"]

Context = Callable[[Any], Sequence[str]]
_Try = tuple[Any, Any]  # what the model said, and what the rest of the chain made of it


def guard_runnable(
    guard: Guard, chain: Any, *, key: str | None = None, context: Context | None = None, strict: bool = False
) -> GuardedRunnable:
    """A chain or chat model whose answers are guarded; it is called as before.

    Args:
        guard: the guard.
        chain: any runnable, or what LangChain makes one of; `model.invoke` is taken as `model`.
        key: the entry of the output that has the answer, if it is a dict; by default all its strings.
        context: documents the answer should rest on, from the chain's input.
        strict: refuse what cannot be guarded: a model with callbacks of its own, a chain in which no model is
            recognised (no feedback could reach it).

    Raises:
        ConfigError: the chain stores what it said before it could be examined (a graph, a history); it has no
            answer yet (a prompt); its first step is no guard; the policy may ask again, and feedback does not reach the model;
            in strict mode, as above. When it is called: the output has parts that cannot be read, and the policy edits
            or blocks.
    """
    refuse_no_guard(guard, "guard_runnable", context)
    owner = getattr(chain, "__self__", None)
    if isinstance(owner, Runnable) and chain.__name__ in {"invoke", "ainvoke"}:
        chain = owner  # which can be asked again
    return GuardedRunnable(guard, coerce_to_runnable(chain), key=key, context=context, strict=strict)


class GuardedRunnable(Enclosing):
    """What `guard_runnable` and `chain | GuardedOutput(guard)` return.

    The steps before the chain's last language model run once; the model, and the steps after it, run again with
    the guard's feedback appended to the model's messages. Streams are held back until the verdict and then
    released piece by piece.
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
    ) -> None:
        self.guard = guard
        self.chain = chain
        self._key = key
        self._context = context
        self._strict = strict
        self._steps = split(chain)
        refuse(chain, self._steps, guard.policy)
        if strict:
            refuse_unseen(chain, self._steps)

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
        bound = self.chain.bind_tools(tools, **kwargs)
        return GuardedRunnable(self.guard, bound, key=self._key, context=self._context, strict=self._strict)

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
        structured = self.chain.with_structured_output(schema, **kwargs)
        return GuardedRunnable(
            self.guard, structured, key=self._key, context=self._context, strict=self._strict
        )

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
        prompt, options = given, kwargs
        if steps.head is not None:
            prompt, options = self._prepared(steps.head, given, config, kwargs), {}

        def ask(feedback: str) -> _Try:
            with unheard(config) as quiet:
                if steps.model is None:
                    return None, cast("Any", steps.tail).invoke(prompt, quiet, **options)
                told = with_feedback(prompt, feedback, textual=steps.textual)
                said = steps.model.invoke(told, quiet, **options)
                return said, said if steps.tail is None else steps.tail.invoke(said, quiet)

        (said, output), change = self._attempts(given, prompt).settle(ask)
        output, message = _decided(said, output, change, self._key)
        if message is None:
            return output
        told = say(message, as_messages(prompt), config, model=steps.model)
        return told if output is message else output

    async def _ainvoke(self, given: Any, run_manager: Any, config: RunnableConfig, **kwargs: Any) -> Any:
        del run_manager
        steps = self._steps
        prompt, options = given, kwargs
        if steps.head is not None:
            prompt, options = await self._aprepared(steps.head, given, config, kwargs), {}

        async def ask(feedback: str) -> _Try:
            with unheard(config) as quiet:
                if steps.model is None:
                    return None, await cast("Any", steps.tail).ainvoke(prompt, quiet, **options)
                told = with_feedback(prompt, feedback, textual=steps.textual)
                said = await steps.model.ainvoke(told, quiet, **options)
                return said, said if steps.tail is None else await steps.tail.ainvoke(said, quiet)

        (said, output), change = await self._attempts(given, prompt).asettle(ask)
        output, message = _decided(said, output, change, self._key)
        if message is None:
            return output
        told = await asay(message, as_messages(prompt), config, model=steps.model)
        return told if output is message else output

    def _prepared(self, head: Runnable[Any, Any], given: Any, config: RunnableConfig, kwargs: Any) -> Any:
        if self._steps.heard:
            return head.invoke(given, config, **kwargs)
        with unheard(config) as quiet:
            return head.invoke(given, quiet, **kwargs)

    async def _aprepared(
        self, head: Runnable[Any, Any], given: Any, config: RunnableConfig, kwargs: Any
    ) -> Any:
        if self._steps.heard:
            return await head.ainvoke(given, config, **kwargs)
        with unheard(config) as quiet:
            return await head.ainvoke(given, quiet, **kwargs)

    def _stream(
        self, inputs: Iterator[Any], run_manager: Any, config: RunnableConfig, **kwargs: Any
    ) -> Iterator[Any]:
        for given in inputs:
            yield from _released(self._invoke(given, run_manager, config, **kwargs))

    async def _astream(
        self, inputs: AsyncIterator[Any], run_manager: Any, config: RunnableConfig, **kwargs: Any
    ) -> AsyncIterator[Any]:
        async for given in inputs:
            for piece in _released(await self._ainvoke(given, run_manager, config, **kwargs)):
                yield piece

    def _attempts(self, given: Any, prompt: Any) -> Attempts[_Try]:
        return Attempts(
            self.guard,
            lambda attempt: read(attempt[1], self._key, whole=self.guard.policy.edits),
            said=lambda attempt: attempt[1] if attempt[0] is None else attempt[0],
            prompt=lambda: conversation(_messages(prompt if self._steps.model is not None else given)),
            context=lambda: tuple(self._context(given)) if self._context else (),
        )

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
    ) -> None:
        refuse_no_guard(guard, "GuardedOutput", context)
        options: dict[str, Any] = {"key": key, "context": context, "strict": strict}
        super().__init__(RunnablePassthrough(), _Alone(guard, options))

    def __ror__(self, other: Any) -> Any:
        alone = cast("_Alone", self.last)
        return guard_runnable(alone.guard, other, **alone.options)


class _Alone(Runnable[Any, Any]):
    """A guard that sees an output, and not what it came from."""

    def __init__(self, guard: Guard, options: dict[str, Any]) -> None:
        self.guard = guard
        self.options = options

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:  # noqa: A002
        del kwargs
        return self._call_with_config(self._invoke, input, config)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:  # noqa: A002
        del kwargs
        return await self._acall_with_config(self._ainvoke, input, config)

    def stream(
        self,
        input: Any,  # noqa: A002  # LangChain's name
        config: RunnableConfig | None = None,
        **kwargs: Any,
    ) -> Iterator[Any]:
        yield from _released(self.invoke(input, config, **kwargs))

    def transform(self, *args: Any, **kwargs: Any) -> Iterator[Any]:
        """Refuses when a stream is set up: before the model is asked."""
        self._refuse_asking()
        return super().transform(*args, **kwargs)

    async def astream(
        self,
        input: Any,  # noqa: A002  # LangChain's name
        config: RunnableConfig | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[Any]:
        for piece in _released(await self.ainvoke(input, config, **kwargs)):
            yield piece

    def atransform(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        """As `transform`."""
        self._refuse_asking()
        return super().atransform(*args, **kwargs)

    def _invoke(self, given: Any, run_manager: Any, config: RunnableConfig) -> Any:
        del run_manager
        self._refuse(given, config)
        (_, output), change = self._attempts().settle(lambda _: (None, given))
        return _decided(None, output, change, self.options["key"])[0]

    async def _ainvoke(self, given: Any, run_manager: Any, config: RunnableConfig) -> Any:
        del run_manager
        self._refuse(given, config)

        async def ask(_: str) -> _Try:
            return None, given

        (_, output), change = await self._attempts().asettle(ask)
        return _decided(None, output, change, self.options["key"])[0]

    def _refuse(self, given: Any, config: RunnableConfig) -> None:
        refuse_a_prompt(given)
        self._refuse_asking()
        refuse_late(given, config, self.guard.policy)

    def _refuse_asking(self) -> None:
        refuse_asking_alone(self.guard.policy, strict=bool(self.options["strict"]))

    def _attempts(self) -> Attempts[_Try]:
        return Attempts(
            self.guard,
            lambda attempt: read(attempt[1], self.options["key"], whole=self.guard.policy.edits),
            said=lambda attempt: attempt[1],
            prompt=tuple,
        )


def _decided(said: Any, output: Any, change: Change | None, key: str | None) -> tuple[Any, AIMessage | None]:
    """The output after the change, and the message to tell callbacks of, where it can say the same."""
    reading = read(output, key) if change else None
    final = output if reading is None or change is None else reading.changed(change)
    if isinstance(final, AIMessage):
        return final, final
    if not isinstance(said, AIMessage) or not isinstance(output, str) or output != str(said.text):
        return final, None
    spoken: Reading | None = read(said)
    told = said if spoken is None or change is None else spoken.changed(change)
    return final, cast("AIMessage", told)


def _released(output: Any) -> Iterator[Any]:
    if isinstance(output, AIMessage):
        return chunks(output)
    return iter(pieces(output) if isinstance(output, str) else [output])


def _messages(prompt: Any) -> list[BaseMessage]:
    """The prompt as messages, if it is anything that a model could be asked."""
    try:
        return as_messages(prompt)
    except (ValueError, TypeError, NotImplementedError):
        texts = [str(v) for v in prompt.values() if isinstance(v, str)] if isinstance(prompt, dict) else []
        return as_messages("\n\n".join(texts)) if texts else []
