"""A guard behind a single runnable that LangChain does not show it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from langchain_core.runnables import Runnable, RunnableConfig

from guardrail.guard import Guard
from guardrail_langchain._attempts import Attempts
from guardrail_langchain._composition import (
    refuse_a_prompt,
    refuse_asking_alone,
    refuse_documents_alone,
    refuse_late,
)
from guardrail_langchain._messages import documents
from guardrail_langchain._outputs import Try, decided, released
from guardrail_langchain._reading import read
from guardrail_langchain._reasoning import Thinking


class Alone(Runnable[Any, Any]):
    """A guard that sees an output, and not what it came from."""

    def __init__(self, guard: Guard, options: dict[str, Any]) -> None:
        self.guard = guard
        self.options = options
        self._thinking = Thinking(guard, options["reasoning"])

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
        yield from released(self.invoke(input, config, **kwargs))

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
        for piece in released(await self.ainvoke(input, config, **kwargs)):
            yield piece

    def atransform(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        """As `transform`."""
        self._refuse_asking()
        return super().atransform(*args, **kwargs)

    def _invoke(self, given: Any, run_manager: Any, config: RunnableConfig) -> Any:
        del run_manager
        self._refuse(given, config)
        (_, output), change = self._attempts().settle(lambda _: (None, given))
        return self._thinking.shown(decided(output, change, self.options["key"]))

    async def _ainvoke(self, given: Any, run_manager: Any, config: RunnableConfig) -> Any:
        del run_manager
        self._refuse(given, config)

        async def ask(_: str) -> Try:
            return None, given

        (_, output), change = await self._attempts().asettle(ask)
        return await self._thinking.ashown(decided(output, change, self.options["key"]))

    def _refuse(self, given: Any, config: RunnableConfig) -> None:
        refuse_a_prompt(given)
        self._refuse_asking()
        refuse_late(given, config, self.guard.policy)

    def _refuse_asking(self) -> None:
        refuse_documents_alone(self.options["context"])
        refuse_asking_alone(self.guard.policy, strict=bool(self.options["strict"]))

    def _attempts(self) -> Attempts[Try]:
        return Attempts(
            self.guard,
            lambda attempt: read(attempt[1], self.options["key"], whole=self.guard.policy.edits),
            said=lambda attempt: attempt[1],
            prompt=tuple,
            context=lambda attempt: documents([], attempt[1]),
        )
