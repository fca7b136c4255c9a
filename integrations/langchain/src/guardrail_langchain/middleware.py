"""The door for agents: `create_agent(..., middleware=[GuardrailMiddleware(guard)])`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from langchain.agents.middleware import AgentMiddleware
from langchain.agents.middleware.types import ExtendedModelResponse, ModelRequest, ModelResponse
from langchain.agents.structured_output import AutoStrategy, ProviderStrategy, ToolStrategy
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langgraph.types import Command

from guardrail.adapting import Change, Reading
from guardrail.errors import ConfigError
from guardrail.given.accepted import Documents
from guardrail.given.content import messages as conversation
from guardrail.guard import Guard
from guardrail.requests import TokenLogprob
from guardrail_langchain._attempts import Attempts
from guardrail_langchain._composition import documents_of, refuse_guarded, refuse_listeners, refuse_no_guard
from guardrail_langchain._messages import documents, with_feedback
from guardrail_langchain._parsed import Told
from guardrail_langchain._quiet import asay, current, say, unheard
from guardrail_langchain._reading import read, told
from guardrail_langchain._reasoning import Asked, Thinking
from guardrail_langchain._validity import must_fit

_Response: TypeAlias = ModelResponse[Any]
_Result: TypeAlias = "ModelResponse[Any] | AIMessage | ExtendedModelResponse[Any]"


class GuardrailMiddleware(AgentMiddleware[Any, Any, Any]):
    """Guards every answer of an agent's model, before anything of it is stored or streamed.

    The attempts run without callbacks and with the tag "nostream"; the accepted answer is then reported to all
    callbacks and streams. Tool calls without text pass untouched; text next to one is examined, and the
    call stays. Arguments of tools and refusals are not examined.
    The report's summary travels in `response_metadata["guardrail"]`; whole reports go to the guard's
    `on_report`.

    A structured answer (`response_format`) is examined as the strings in it, or as JSON where it contains references. If it is
    blocked, the agent ends with the policy's message and no `structured_response`.

    Args:
        guard: the guard.
        context: documents the answer should rest on, from the request; default: those that the conversation brings along, such as
            results of tools, attached documents, and what a system prompt delimits.
        reasoning: what becomes of reasoning that can be read: "drop" leaves it out; "check" has the guard examine it as a text
            of its own, and shows it if the policy would show it as it is; "pass" shows it unless text was cut from the answer.
        strict: refuse a model that carries callbacks of its own, which hear every attempt.
        name: needed where an agent has two of these.

    Raises:
        ConfigError: it is given no guard; in strict mode, when such a model is called; under a policy that edits or blocks, when an
            answer cannot be read (speech, a content block of unknown kind); `context` raised, which is the cause.
        Blocked: an edited structured answer would not be valid any more.
    """

    def __init__(
        self,
        guard: Guard,
        *,
        context: Callable[[ModelRequest[Any]], Documents] | None = None,
        reasoning: Literal["drop", "check", "pass"] = "drop",
        strict: bool = False,
        name: str = "GuardrailMiddleware",
    ) -> None:
        refuse_no_guard(guard, "GuardrailMiddleware", context)
        self._thinking = Thinking(guard, reasoning)
        super().__init__()
        self.guard = guard
        self._context = context
        self._strict = strict
        self._name = name
        self.tools = []

    @property
    def name(self) -> str:
        """The name of this instance."""
        return self._name

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], _Response]
    ) -> _Result:
        """Guard one call of the model."""
        config, silent = current(), self._silent(request)

        def ask(feedback: str) -> _Response:
            with unheard(config):
                return _response(handler(_again(silent, feedback)))

        response, change = self._attempts(request).settle(ask)
        asked = self._asked(request, response)
        result = self._thinking.shown(_decided(request, response, change), asked)
        message = _answer(result)
        if message is None:
            return result
        return _with(result, message, say(message, _prompt(request), config, model=request.model))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[_Response]]
    ) -> _Result:
        """As `wrap_model_call`."""
        config, silent = current(), self._silent(request)

        async def ask(feedback: str) -> _Response:
            with unheard(config):
                return _response(await handler(_again(silent, feedback)))

        response, change = await self._attempts(request).asettle(ask)
        asked = self._asked(request, response)
        result = await self._thinking.ashown(_decided(request, response, change), asked)
        message = _answer(result)
        if message is None:
            return result
        return _with(result, message, await asay(message, _prompt(request), config, model=request.model))

    def _attempts(self, request: ModelRequest[Any]) -> Attempts[_Response]:
        return Attempts(
            self.guard,
            lambda response: _read(response, whole=self.guard.policy.edits),
            said=lambda response: response.result,
            prompt=lambda: conversation(_prompt(request)),
            context=lambda response: self._documents(request, response),
        )

    def _asked(self, request: ModelRequest[Any], response: _Response) -> Asked:
        return Asked(
            prompt=lambda: conversation(_prompt(request)),
            context=lambda: self._documents(request, response),
        )

    def _documents(self, request: ModelRequest[Any], response: _Response) -> Documents:
        if self._context is not None:
            return documents_of(self._context, request)
        said = [message for message in response.result if isinstance(message, AIMessage)]
        return documents([*_prompt(request), *said])

    def _silent(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        """The request for a copy of the model that no message stream listens to."""
        model: Any = request.model
        refuse_guarded(model)
        if self._strict:
            refuse_listeners(model, "the agent's config")
        if not isinstance(model, BaseChatModel):  # one that is chosen by the call's config, say
            return request.override(model=model.with_config(tags=["nostream"]))
        tags = [*(model.tags or []), "nostream"]
        return request.override(model=model.model_copy(update={"tags": tags}))


@dataclass(frozen=True)
class _WithStructure:
    """The text of a message, if it has any besides, and of the structured answer made from it."""

    response: _Response
    told: Told

    @property
    def text(self) -> str:
        return self.told.text

    @property
    def logprobs(self) -> tuple[TokenLogprob, ...]:
        return ()

    def changed(self, change: Change) -> _Response:
        if change.report.blocked:
            return ModelResponse(result=[self.told.refused(change)])
        message, structured = self.told.changed(change)
        result: list[BaseMessage] = [message]
        for other in self.response.result[self.response.result.index(self.told.message) + 1 :]:
            if change.changed and isinstance(other, ToolMessage):
                update = {"content": f"Returning structured response: {structured}"}
                result.append(other.model_copy(update=update))
            else:
                result.append(other)
        return ModelResponse(result=result, structured_response=structured)


@dataclass(frozen=True)
class _OfResponse:
    response: _Response
    message: AIMessage
    inner: Reading

    @property
    def text(self) -> str:
        return self.inner.text

    @property
    def logprobs(self) -> tuple[TokenLogprob, ...]:
        return self.inner.logprobs

    def changed(self, change: Change) -> _Response:
        new = self.inner.changed(change)
        result = [new if message is self.message else message for message in self.response.result]
        return ModelResponse(result=result, structured_response=self.response.structured_response)


def _read(response: _Response, *, whole: bool = False) -> Reading | None:
    messages = [message for message in response.result if isinstance(message, AIMessage)]
    if not messages:
        return None
    if whole and any(str(message.text) for message in messages[:-1]):
        raise ConfigError(
            f"expected one message of the model, got {len(messages)}: only the last would be examined. "
            "Have the middleware behind this one return one."
        )
    message = messages[-1]
    if response.structured_response is not None:
        results = [other for other in response.result if isinstance(other, ToolMessage)]
        call = results[0].tool_call_id if results else None
        both = told(message, response.structured_response, call=call, whole=whole)
        return _WithStructure(response, both) if both else None
    spoken = read(message, whole=whole)
    return _OfResponse(response, message, spoken) if spoken else None


def _response(result: Any) -> _Response:
    """What a handler returned; inner middleware may return a bare message."""
    return ModelResponse(result=[result]) if isinstance(result, AIMessage) else result


def _again(request: ModelRequest[Any], feedback: str) -> ModelRequest[Any]:
    return request.override(messages=with_feedback(request.messages, feedback)) if feedback else request


def _decided(request: ModelRequest[Any], response: _Response, change: Change | None) -> _Result:
    if change is None:
        return response
    reading = _read(response)
    guarded: _Response = response if reading is None else reading.changed(change)
    before, after = response.structured_response, guarded.structured_response
    if isinstance(before, dict) and after is not None:
        must_fit(before, after, _schemas(request.response_format), change)
    message = _answer(guarded)
    ended = request.response_format is not None and message is not None and not message.tool_calls
    if change.report.blocked and ended:
        # Without a structured answer the agent would ask the model again, for ever.
        return ExtendedModelResponse(guarded, Command(update={"jump_to": "end"}))
    return guarded


def _schemas(wanted: Any) -> list[Any]:
    """Those of a `response_format`: a schema, several, or either in a strategy."""
    schema = wanted.schema if isinstance(wanted, AutoStrategy | ProviderStrategy | ToolStrategy) else wanted
    return [one.schema for one in ToolStrategy(schema).schema_specs]


def _answer(result: _Result) -> AIMessage | None:
    if isinstance(result, ExtendedModelResponse):
        result = result.model_response
    messages = [result] if isinstance(result, AIMessage) else result.result
    return next((m for m in reversed(messages) if isinstance(m, AIMessage)), None)


def _with(result: _Result, old: AIMessage, new: AIMessage) -> _Result:
    """The result with another message in the place of one."""
    if new is old:
        return result
    if isinstance(result, AIMessage):
        return new
    if isinstance(result, ExtendedModelResponse):
        inner = _with(result.model_response, old, new)
        return ExtendedModelResponse(inner, result.command) if isinstance(inner, ModelResponse) else result
    messages = [new if message is old else message for message in result.result]
    return ModelResponse(result=messages, structured_response=result.structured_response)


def _prompt(request: ModelRequest[Any]) -> list[BaseMessage]:
    return [request.system_message, *request.messages] if request.system_message else list(request.messages)
