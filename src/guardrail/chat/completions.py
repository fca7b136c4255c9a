"""A language model that can be read, behind `/completions` of OpenAI's protocol: vLLM, llama.cpp, SGLang, OpenAI's own.

What a service returns decides what can be asked of it: a text that goes on (`Sample`), the k likeliest next tokens
(`Distribution`), a prompt's own log-probabilities (`LogProb`). A chat service has none of the three.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Generator, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from guardrail._log import log
from guardrail.chat._choices import distribution, mean_logprob, stopped
from guardrail.chat._endpoint import Body, EndpointBackend, Exchange, T, read
from guardrail.chat._failures import service_words
from guardrail.engine.codec import key
from guardrail.engine.flow import Answer, Cost, Failed, Reason, Reply, Request
from guardrail.options import number
from guardrail.requests import Distribution, LogProb, Outcomes, Sample

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI

Tokenize: TypeAlias = Callable[[str], Sequence[str]]
_Sent: TypeAlias = Generator[Body, Any, tuple[Any, Cost]]

_MOST_CHOICES = 16
_TOPS = (20, 5)  # what vLLM gives at most if it is not told otherwise, and OpenAI
_NOT_THERE = {404, 405, 501}
_TAKEN_BACK = {400, 422}
_ONE: Body = {"max_tokens": 1, "temperature": 0, "top_p": 1.0}
"""The likeliest token. One where none is needed, too: not every service takes 0, and some take it for "no bound"."""
_WHOLE: Body = {"top_k": 0, "min_p": 0.0, "repetition_penalty": 1.0}
"""Draws are cut by none of these, which services set by themselves (llama.cpp: top_k 40; vLLM: what the model's makers
chose). OpenAI has and knows none."""
_SAYS_CHAT = re.compile(r"chat model|chat/completions|does not work with the specified model", re.IGNORECASE)
_INSTEAD = (
    "this needs /completions with log-probabilities: serve the model with vLLM or llama.cpp, or run it on this machine "
    "(CausalModel)"
)


def derived_seed(request: Sample, seed: int) -> int:
    """What is sent with a draw: 31 bits that depend on the request and the model's seed alone."""
    return int(key(request, f"seed {seed}")[:8], 16) & 0x7FFFFFFF


class CompletionsModel(EndpointBackend[Request[Any]]):
    """Answers "language_model" by a service's `/completions`.

    Args:
        model: its name there.
        base_url: where; default `OPENAI_BASE_URL`, else OpenAI. A server that wants no key needs none.
        api_key: default `OPENAI_API_KEY`.
        client: an `OpenAI` of yours; given alone there is no asynchronous form, and asynchronous guards call it in
            threads.
        async_client: an `AsyncOpenAI` of yours, only ever used on the loop that calls; given alone, a synchronous
            check gets `Failed(Reason.MISSING)`.
        timeout: seconds for one HTTP request.
        concurrency: how many requests may run at once, per event loop.
        top: how many of the likeliest next tokens are asked for. A service that refuses so many is asked for 20, then
            for 5; the instance remembers.
        seed: sent with every draw (`derived_seed`), which then depends on the request and the seed alone, as far as the
            service keeps that. `None` = draws of one context go as one request with `n`; a service that refuses `n`, or
            gives fewer choices, is asked one by one from then on.
        tokenize: the model's own tokenizer, if it is at hand: from a label to the texts of its tokens.
        paid: whether what is asked counts against a guard's budget of calls; say no for a server of your own.
        options: further fields of every request. By default top_k, min_p and repetition_penalty are sent so that they do
            nothing, but to OpenAI itself, which has none: other services set them unasked, and a draw is then none from
            the model's distribution. What a service refuses of them is left out from then on, and logged.

    `Sample`: a service does not send the stop; it is put back where the service says that it stopped at it. Of most
    services that cannot be distinguished from a model that ended the text, which here counts as the stop (vLLM and SGLang say which).
    Several stops are not sent but looked for here.

    `Distribution`: the k likeliest tokens; the rest is not listed. A label begins with the longest listed token that it starts
    with. That is its first token if this is listed; if not, a shorter token may be taken for it, unless `tokenize`
    knows better. Tokens that a service spells alike, and lists without bytes, are one outcome, the likeliest of them.

    `LogProb`: by `echo`, which vLLM has, OpenAI for few models, llama.cpp not. Refused where a token reaches over the
    border between context and continuation.

    What a service cannot do is `Failed(Reason.MISSING)` with what to do about it.

    Raises:
        MissingExtra: openai is not installed.
        ConfigError: no credential, or an option is out of range.
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
        top: int = 20,
        seed: int | None = None,
        tokenize: Tokenize | None = None,
        paid: bool = True,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(
            "completions",
            model=model,
            base_url=base_url,
            api_key=api_key,
            client=client,
            async_client=async_client,
            timeout=timeout,
            concurrency=concurrency,
            options=options,
            elsewhere=_WHOLE,
        )
        number("top", top, least=1, whole=True)
        if seed is not None:
            number("seed", seed, whole=True)
        self.seed = seed
        self.batch = _MOST_CHOICES if seed is None else 1
        self.paid = paid
        self._top = top
        self._tokenize = tokenize
        self._whole = self._options.keys() - (options or {}).keys()
        self.fingerprint += f" completions, top {top}, seed {seed}"

    def group(self, request: Request[Any]) -> Hashable:
        """Draws of one context may share an HTTP request."""
        return replace(request, draw=0) if isinstance(request, Sample) else request

    # -- the three requests

    def _exchange(self, requests: Sequence[Request[Any]]) -> Exchange[Any]:
        replies: list[Reply[Any]] = []
        while len(replies) < len(requests):
            rest = requests[len(replies) :]
            request = rest[0]
            if isinstance(request, Sample):
                replies += yield from self._draw(request, 1 if self.batch == 1 else self._alike(rest))
            elif isinstance(request, Distribution):
                replies.append((yield from self._likeliest(request)))
            elif isinstance(request, LogProb):
                replies.append((yield from self._score(request)))
            else:
                detail = (
                    f"CompletionsModel answers Sample, Distribution and LogProb, not {type(request).__name__}"
                )
                replies.append(Failed(Reason.MISSING, detail))
        return replies

    def _draw(self, request: Sample, n: int) -> Exchange[str]:
        body = self._base | {
            "prompt": request.context,
            "temperature": request.temperature,
            "top_p": request.top_p,
        }
        if request.max_tokens is not None:
            body["max_tokens"] = request.max_tokens
        if len(request.stop) == 1:
            body["stop"] = [*request.stop]
        if self.seed is not None:
            body["seed"] = derived_seed(request, self.seed)
        if n > 1:
            body["n"] = n
        reply, cost = yield from self._send(body)
        if isinstance(reply, Failed):
            return [replace(reply, cost=cost.split(n))] * n
        if "n" not in body:  # refused just now
            n = 1
        found = read(reply, n, cost, lambda choice, _, share: Answer(stopped(choice, request.stop), share))
        if len(found) < n:
            self._one_by_one()
        return found

    def _likeliest(self, request: Distribution) -> Generator[Body, Any, Reply[Outcomes]]:
        body = self._base | _ONE | {"prompt": request.context + request.query, "logprobs": self._top}

        def told(choice: Mapping[str, Any], _: str, share: Cost) -> Reply[Outcomes]:
            found = distribution(choice, self._top, request.labels, self._tokenize)
            return self._silent(share) if found is None else Answer(found, share)

        return (yield from self._asked(body, told))

    def _score(self, request: LogProb) -> Generator[Body, Any, Reply[float]]:
        prompt = request.context + request.continuation
        body = self._base | _ONE | {"prompt": prompt, "logprobs": 1, "echo": True}

        def told(choice: Mapping[str, Any], _: str, share: Cost) -> Reply[float]:
            found = mean_logprob(choice, request.context, request.continuation)
            if found is None:
                return self._silent(share, " of the prompt (`echo`)")
            if isinstance(found, str):
                return Failed(Reason.REFUSED, found, cost=share)
            return Answer(found, share)

        return (yield from self._asked(body, told))

    # -- what a service does not take, or not have

    def _asked(
        self, body: Body, told: Callable[[Mapping[str, Any], str, Cost], Reply[T]]
    ) -> Generator[Body, Any, Reply[T]]:
        reply, cost = yield from self._send(body)
        if isinstance(reply, Failed):
            return replace(reply, cost=cost)
        return read(reply, 1, cost, told)[0]

    def _send(self, body: Body) -> _Sent:
        """A parsed reply or a failure, with what it cost; asked again without what is too much."""
        cost, several = Cost(), "n" in body
        while True:
            begun = time.perf_counter()
            reply = yield body
            cost += Cost(calls=1, seconds=time.perf_counter() - begun)
            if not isinstance(reply, Exception):
                if several and "n" not in body:
                    self._one_by_one()
                return reply, cost
            if getattr(reply, "status_code", 0) in _TAKEN_BACK and (field := self._refused(reply, body)):
                del body[field]
            elif "logprobs" in body and (fewer := _fewer(reply, body["logprobs"])) is not None:
                self._top = body["logprobs"] = min(self._top, fewer)
                log.info("completions_top_lowered", model=self.model, top=fewer)
            else:
                return self._failed(reply, cost), cost

    def _refused(self, error: Exception, body: Body) -> str:
        """A field that was sent of our own accord and that may be what the service does not take; "" if there is none."""
        field = next(
            (name for name in self._whole & body.keys() if re.search(rf"\b{name}\b", _said(error))), ""
        )
        if field in self._base:  # else another request was told before, and this one was under way
            self._base = {name: value for name, value in self._base.items() if name != field}
            log.info("chat_parameter_dropped", model=self.model, parameter=field)
        return field or ("n" if "n" in body else "")

    def _one_by_one(self) -> None:
        if self.batch > 1:
            self.batch = 1
            log.info("chat_parameter_dropped", model=self.model, parameter="n")

    def _failed(self, error: Exception, cost: Cost) -> Failed:
        failed = self._failure(error, cost)
        status, said = getattr(error, "status_code", 0), _said(error)
        unknown_model = getattr(error, "code", None) == "model_not_found"
        lacking = status in _NOT_THERE or (
            status in _TAKEN_BACK and (_SAYS_CHAT.search(said) or re.search(r"\b(?:logprobs|echo)\b", said))
        )
        if lacking and not unknown_model:
            return replace(
                failed, reason=Reason.MISSING, detail=f"{failed.detail}; {_INSTEAD}", retryable=False
            )
        return failed

    def _silent(self, cost: Cost, of: str = "") -> Failed:
        detail = f"the service returned no log-probabilities{of} of {self.model!r}; {_INSTEAD}"
        return Failed(Reason.MISSING, detail, cost=cost)


def _said(error: Exception) -> str:
    return f"{error} {service_words(error)}"


def _fewer(error: Exception, asked: int) -> int | None:
    """How many alternatives to ask for in place of so many, if those were too many."""
    if getattr(error, "status_code", 0) not in _TAKEN_BACK or "logprobs" not in _said(error):
        return None
    return next((top for top in _TOPS if top < asked), None)
