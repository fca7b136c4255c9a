"""Chat models behind OpenAI's protocol: OpenAI itself, Azure, vLLM, llama.cpp, Ollama and other servers."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from guardrail._log import log
from guardrail.chat._endpoint import Body, EndpointBackend, Exchange, read, unsupported
from guardrail.chat.logprobs import token_logprobs
from guardrail.engine.flow import Answer, Cost, Failed, Reason, Reply
from guardrail.requests import Ask, Completion
from guardrail.text.fence import render, unfenced

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI

_Exchange: TypeAlias = Exchange[Completion]

_DROPPABLE = ("max_completion_tokens", "max_tokens", "temperature", "top_logprobs", "logprobs", "n")
_MOST_CHOICES = 16


class OpenAIChat(EndpointBackend[Ask]):
    """A chat model behind OpenAI's protocol.

    Args:
        model: its name there.
        base_url: where; default `OPENAI_BASE_URL`, else OpenAI. A server that wants no key needs none.
        api_key: default `OPENAI_API_KEY`.
        client: an `OpenAI` (or `AzureOpenAI`) of yours. Given alone there is no asynchronous form, and
            asynchronous guards call it in threads.
        async_client: an `AsyncOpenAI` of yours. It is only ever used on the loop that calls; given alone, a
            synchronous check gets `Failed(Reason.MISSING)`.
        timeout: seconds for one HTTP request, for given clients too. Their own retries stay as they are:
            give them `max_retries=0`, the guard retries.
        concurrency: how many requests may run at once, per event loop.
        coalesce: send several draws of one prompt as one request with `n`, which saves its tokens. A service
            that refuses `n`, or gives fewer choices, is asked one by one from then on.
        options: further fields of every request ("seed", "top_p", "reasoning_effort", …).

    A model that refuses `temperature`, `max_tokens` (renamed to `max_completion_tokens` first), `logprobs` or
    `n` as unsupported is asked again without it; the instance remembers, and logs it once.

    Raises:
        MissingExtra: openai is not installed.
        ConfigError: no credential, or something cannot be used; the message says what to write.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        client: OpenAI | None = None,
        async_client: AsyncOpenAI | None = None,
        timeout: float = 60.0,
        concurrency: int = 32,
        coalesce: bool = False,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(
            "chat/completions",
            model=model,
            base_url=base_url,
            api_key=api_key,
            client=client,
            async_client=async_client,
            timeout=timeout,
            concurrency=concurrency,
            options=options,
        )
        self.batch = _MOST_CHOICES if coalesce else 1
        self._refused: frozenset[str] = frozenset()

    def group(self, request: Ask) -> Ask:
        """Draws of one prompt may share a request."""
        return request.undrawn()

    def _exchange(self, asks: Sequence[Ask]) -> _Exchange:
        """Which bodies to send; gets parsed replies or exceptions. The same for both clients."""
        if len(asks) == 1:
            return (yield from self._ask(asks[0], 1))
        replies: list[Reply[Completion]] = []
        while len(replies) < len(asks):
            rest = asks[len(replies) :]
            found = yield from self._ask(rest[0], 1 if "n" in self._refused else self._alike(rest))
            replies += found
        return replies

    def _ask(self, ask: Ask, n: int) -> _Exchange:
        """One prompt, `n` choices; asked again without what the model refuses to take."""
        cost = Cost()
        while True:
            body = self._body(ask, n)
            begun = time.perf_counter()
            reply = yield body
            cost += Cost(calls=1, seconds=time.perf_counter() - begun)
            if isinstance(reply, Exception):
                refused = unsupported(reply, body.keys() - self._options.keys(), _DROPPABLE)
                if refused is not None:
                    n = 1 if refused == "n" else n
                    self._refuse(refused)
                    continue
                return [self._failure(reply, cost.split(n))] * n
            replies = read(reply, n, cost, partial(_reply, ask))
            if len(replies) < n:
                self._refuse("n")
            return replies

    def _body(self, ask: Ask, n: int) -> Body:
        body = self._base | {
            "messages": [{"role": message.role, "content": render(message)} for message in ask.messages]
        }
        refused = self._refused
        if ask.temperature is not None and "temperature" not in refused:
            body["temperature"] = ask.temperature
        if ask.max_tokens is not None and "max_completion_tokens" not in refused:
            body["max_completion_tokens" if "max_tokens" in refused else "max_tokens"] = ask.max_tokens
        if ask.logprobs is not None and "logprobs" not in refused:
            body["logprobs"] = True
            if ask.logprobs > 0 and "top_logprobs" not in refused:
                body["top_logprobs"] = ask.logprobs
        if n > 1:
            body["n"] = n
        return body

    def _refuse(self, parameter: str) -> None:
        if parameter not in self._refused:
            self._refused |= {parameter}
            log.info("chat_parameter_dropped", model=self.model, parameter=parameter)
        if parameter == "n":
            self.batch = 1


def _reply(ask: Ask, choice: Mapping[str, Any], model: str, cost: Cost) -> Reply[Completion]:
    message = choice["message"]
    text = message.get("content")
    finish = choice.get("finish_reason") or ""
    if finish == "content_filter":
        return Failed(Reason.REFUSED, "the content filter took the reply", cost=cost)
    if not text and (refusal := message.get("refusal")):
        return Failed(Reason.REFUSED, f"the model refused: {str(refusal)[:200]}", cost=cost)
    if isinstance(text, list):
        text = "".join(part.get("text") or "" for part in text)
    tokens = token_logprobs((choice.get("logprobs") or {}).get("content") or ())
    return Answer(Completion(unfenced(text or "", ask), model, finish, tokens), cost)
