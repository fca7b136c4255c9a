"""Chat models behind OpenAI's protocol: OpenAI itself, Azure, vLLM, llama.cpp, Ollama and other servers.

Clients that are created here send through the client's own `post`, which spares the typed layer (about a
third of its time per request). A client that is given is used through `chat.completions.create`, so that
whatever was arranged around it (tracing, retries, transports) stays in force.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import secrets
import threading
import time
import weakref
from collections.abc import AsyncGenerator, Callable, Collection, Coroutine, Generator, Mapping, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, TypeAlias, cast
from urllib.parse import urlsplit

from guardrail._log import log
from guardrail.chat._failures import failure
from guardrail.errors import ConfigError, MissingExtra
from guardrail.flow import Answer, Cost, Failed, Reason, Reply
from guardrail.requests import Ask, Completion, TokenLogprob
from guardrail.text.fence import render

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI

__all__ = ["OpenAIChat"]


_Body: TypeAlias = dict[str, Any]
_Exchange: TypeAlias = Generator[_Body, Any, list[Reply[Completion]]]

_OPTIONS = {
    "key_variable": "OPENAI_API_KEY",
    "key_option": "`api_key=`",
    "model_option": "the model's name",
    "url_option": "`base_url=`",
}
_MOST_CHOICES = 16


class OpenAIChat:
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
        ConfigError: no credential.
    """

    capacity: int | None = None
    instant: bool = False
    aanswer: Callable[[Sequence[Ask]], Coroutine[Any, Any, list[Reply[Completion]]]] | None

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
        given = client if client is not None else async_client
        if given is not None and (base_url is not None or api_key is not None):
            raise ConfigError("a client was given: set `base_url` and `api_key` on it, not here")
        self.model = model
        self.timeout: float | None = 2 * timeout + 1  # the client's own limit comes first
        self.concurrency = concurrency
        self.batch = _MOST_CHOICES if coalesce else 1
        self._limit = timeout
        self._options = dict(options or {})
        self._base: _Body = {"model": model, **self._options}
        self._refused: frozenset[str] = frozenset()
        self._given, self._async_given = client, async_client
        if given is None:
            _require_openai()
            self._url = base_url or os.environ.get("OPENAI_BASE_URL") or "https://api.openai.com/v1"
            self._key = api_key or os.environ.get("OPENAI_API_KEY") or _keyless(self._url)
            credential = self._key
        else:
            self._url, self._key = str(getattr(given, "base_url", "")), _text(getattr(given, "api_key", ""))
            credential = _credential(given)
        self.fingerprint = _fingerprint(model, self._url, credential, self._options)
        self._own = _Clients(self._url, self._key, timeout)
        self.aanswer = None if given is not None and async_client is None else self._aanswer

    def answer(self, requests: Sequence[Ask]) -> list[Reply[Completion]]:
        """One reply per request; draws of one prompt may go as one."""
        if self._given is None and self._async_given is not None:
            detail = "only an asynchronous client was given: pass `client=OpenAI(…)` too, or use `await guard.acheck`"
            return [Failed(Reason.MISSING, detail)] * len(requests)
        exchange = self._exchange(requests)
        try:
            body = next(exchange)
            while True:
                try:
                    reply = self._post(body)
                except Exception as error:  # noqa: BLE001  # mapped by the table, once
                    reply = error
                body = exchange.send(reply)
        except StopIteration as stop:
            return cast("list[Reply[Completion]]", stop.value)

    async def _aanswer(self, requests: Sequence[Ask]) -> list[Reply[Completion]]:
        exchange = self._exchange(requests)
        try:
            body = next(exchange)
            while True:
                try:
                    reply = await self._apost(body)
                except Exception as error:  # noqa: BLE001  # mapped by the table, once
                    reply = error
                body = exchange.send(reply)
        except StopIteration as stop:
            return cast("list[Reply[Completion]]", stop.value)

    def group(self, request: Ask) -> Ask:
        """Draws of one prompt may share a request."""
        return request.undrawn()

    def weight(self, request: Ask) -> int:
        """All weigh the same."""
        del request
        return 1

    def close(self) -> None:
        """Close the synchronous client, if it was created here; a later request makes a new one."""
        self._own.close()

    async def aclose(self) -> None:
        """Close this loop's client, if it was created here. The end of `asyncio.run` does so too."""
        await self._own.aclose()

    def _post(self, body: _Body) -> Any:
        if self._given is None:
            return self._own.sync().post("/chat/completions", cast_to=object, body=body)
        return _plain(self._given.chat.completions.create(**self._arguments(body)))

    async def _apost(self, body: _Body) -> Any:
        if self._async_given is None:
            client = self._own.on_this_loop() or await self._own.open()
            return await client.post("/chat/completions", cast_to=object, body=body)
        return _plain(await self._async_given.chat.completions.create(**self._arguments(body)))

    def _arguments(self, body: _Body) -> _Body:
        """A body as arguments of `create`, which knows not every server's fields."""
        known = {name: value for name, value in body.items() if name not in self._options}
        further = {name: body[name] for name in self._options}
        return {**known, "extra_body": further or None, "timeout": self._limit}

    def _exchange(self, asks: Sequence[Ask]) -> _Exchange:
        """Which bodies to send; gets parsed replies or exceptions. The same for both clients."""
        if len(asks) == 1:
            return (yield from self._ask(asks[0], 1))
        replies: list[Reply[Completion]] = []
        while len(replies) < len(asks):
            first = asks[len(replies)]
            alike = 1
            if "n" not in self._refused:
                same = first.undrawn()
                rest = asks[len(replies) + 1 :]
                alike += next((i for i, ask in enumerate(rest) if ask.undrawn() != same), len(rest))
            found = yield from self._ask(first, alike)
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
                refused = _unsupported(reply, body.keys() - self._options.keys())
                if refused is not None:
                    n = 1 if refused == "n" else n
                    self._refuse(refused)
                    continue
                failed = failure(
                    reply, options=_OPTIONS, cost=cost.split(n), secret=self._key, timeout=self._limit
                )
                return [failed] * n
            replies = _read(reply, n, cost)
            if len(replies) < n:
                self._refuse("n")
            return replies

    def _body(self, ask: Ask, n: int) -> _Body:
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


class _Clients:
    """The clients that we create: one for all threads, one per event loop; none survives a fork."""

    def __init__(self, url: str, key: str, timeout: float) -> None:
        self._arguments: dict[str, Any] = {
            "base_url": url,
            "api_key": key,
            "timeout": timeout,
            "max_retries": 0,
        }
        self._lock = threading.Lock()
        self._process = os.getpid()
        self._sync: OpenAI | None = None
        self._loops: weakref.WeakKeyDictionary[
            asyncio.AbstractEventLoop, tuple[AsyncOpenAI, AsyncGenerator[AsyncOpenAI, None]]
        ] = weakref.WeakKeyDictionary()

    def sync(self) -> OpenAI:
        """The synchronous client."""
        if self._sync is None or self._process != os.getpid():
            from openai import OpenAI

            with self._lock:
                if self._sync is None or self._process != os.getpid():
                    self._sync, self._process = OpenAI(**self._arguments), os.getpid()
        return self._sync

    def on_this_loop(self) -> AsyncOpenAI | None:
        """The running loop's client, if there is one yet."""
        found = self._loops.get(asyncio.get_running_loop())
        return found[0] if found else None

    async def open(self) -> AsyncOpenAI:
        """Make the running loop's client."""
        loop = asyncio.get_running_loop()
        keeper = self._keep()
        client = await anext(keeper)
        with self._lock:
            for other in [other for other in self._loops if other.is_closed()]:
                del self._loops[other]
            self._loops[loop] = (client, keeper)
        return client

    async def _keep(self) -> AsyncGenerator[AsyncOpenAI, None]:
        """Holds a client until it is closed, or the loop shuts its asynchronous generators down."""
        from openai import AsyncOpenAI

        client = AsyncOpenAI(**self._arguments)
        try:
            yield client
        finally:
            with self._lock:
                self._loops.pop(asyncio.get_running_loop(), None)
            await client.close()

    def close(self) -> None:
        """Close the synchronous one."""
        with self._lock:
            client, self._sync = self._sync, None
        if client is not None:
            client.close()

    async def aclose(self) -> None:
        """Close the running loop's."""
        found = self._loops.get(asyncio.get_running_loop())
        if found is not None:
            await found[1].aclose()


def _require_openai() -> None:
    try:
        import openai  # noqa: F401  # only whether it is there
    except ImportError as error:
        raise MissingExtra("openai", extra="openai") from error


def _keyless(url: str) -> str:
    """What stands for a key where none is known; OpenAI itself wants one."""
    if urlsplit(url).hostname == "api.openai.com":
        raise ConfigError("no credential for https://api.openai.com: set OPENAI_API_KEY or pass `api_key=`")
    return "none"


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _credential(client: Any) -> str:
    """All that a client says about who asks; of one that fetches its credential, a word of its own."""
    key = _text(getattr(client, "api_key", "")) or secrets.token_hex(8)
    headers = getattr(client, "default_headers", None) or {}
    mine = sorted(
        f"{name}: {value}"
        for name, value in headers.items()
        if isinstance(value, str)
        and not name.lower().startswith(("x-stainless", "user-agent", "accept", "content-type"))
    )
    return "\n".join([key, *mine])


def _fingerprint(model: str, url: str, credential: str, options: Mapping[str, Any]) -> str:
    parts = urlsplit(url)
    place = f"{parts.hostname or url}{f':{parts.port}' if parts.port else ''}{parts.path.rstrip('/')}"
    secret = blake2b(f"{url}\n{credential}".encode(), digest_size=12).hexdigest()
    more = f" {json.dumps(options, sort_keys=True, default=repr)}" if options else ""
    return f"openai {model} at {place} as {secret}{more}"


def _plain(completion: Any) -> Any:
    """A typed completion as plain data; what a server sent instead of one stays what it is."""
    if hasattr(completion, "model_dump"):
        return completion.model_dump(warnings=False)
    return completion


_SAYS_UNSUPPORTED = re.compile(
    r"unsupported|not support|n't support|unrecognized|unknown (?:parameter|field|argument)|unexpected"
    r"|not permitted|not allowed|not available|deprecated",
    re.IGNORECASE,
)
_DROPPABLE = ("max_completion_tokens", "max_tokens", "temperature", "top_logprobs", "logprobs", "n")


def _unsupported(error: Exception, sent: Collection[str]) -> str | None:
    """The field that the model does not take, if that is what the error says.

    A value that is out of range is the caller's mistake: dropping the field would hide it.
    """
    if getattr(error, "status_code", 0) not in {400, 422}:
        return None
    text = str(error)
    if "unsupported" not in str(getattr(error, "code", "")) and not _SAYS_UNSUPPORTED.search(text):
        return None
    named = getattr(error, "param", None)
    if named in _DROPPABLE:
        return str(named) if named in sent else None
    return next((name for name in _DROPPABLE if name in sent and _names(text, name)), None)


def _names(text: str, field: str) -> bool:
    """Whether a message names a field: as a word, or in quotes if it has one letter."""
    return re.search(rf"['\"`]{field}['\"`]" if len(field) == 1 else rf"\b{field}\b", text) is not None


def _read(data: Any, n: int, cost: Cost) -> list[Reply[Completion]]:
    """The choices of a parsed body as replies, at most `n`; of a body without any, `n` failures."""
    if isinstance(data, str | bytes):  # the content type was not JSON's
        with contextlib.suppress(ValueError):
            data = json.loads(data)
    choices = data.get("choices") if isinstance(data, dict) else None
    if not choices or not isinstance(choices, list):
        return [_unreadable(data, cost.split(n))] * n
    usage = data.get("usage") or {}
    cost += Cost(0, usage.get("prompt_tokens") or 0, usage.get("completion_tokens") or 0)
    model = _text(data.get("model"))
    share = cost if n == 1 else cost.split(min(n, len(choices)))
    try:
        return [_reply(choice, model, share) for choice in choices[:n]]
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        return [Failed(Reason.BACKEND, f"no completion: {error!r}", retryable=True, cost=cost.split(n))] * n


def _unreadable(data: Any, cost: Cost) -> Failed:
    if isinstance(data, dict) and (error := data.get("error")):  # some proxies send errors as successes
        code = error.get("code") if isinstance(error, dict) else None
        passing = isinstance(code, int) and (code in {408, 429} or code >= 500)
        return Failed(Reason.BACKEND, f"the service failed: {str(error)[:200]}", retryable=passing, cost=cost)
    if isinstance(data, dict):
        detail = "the reply holds no choices"
    else:
        detail = f"expected JSON of a chat completion, got {data!r:.120}: check `base_url=`"
    return Failed(Reason.BACKEND, detail, retryable=True, cost=cost)


def _reply(choice: Mapping[str, Any], model: str, cost: Cost) -> Reply[Completion]:
    message = choice["message"]
    text = message.get("content")
    finish = choice.get("finish_reason") or ""
    if finish == "content_filter":
        return Failed(Reason.REFUSED, "the content filter took the reply", cost=cost)
    if not text and (refusal := message.get("refusal")):
        return Failed(Reason.REFUSED, f"the model refused: {str(refusal)[:200]}", cost=cost)
    if isinstance(text, list):
        text = "".join(part.get("text") or "" for part in text)
    logprobs = choice.get("logprobs")
    tokens = _logprobs(logprobs) if logprobs else ()
    return Answer(Completion(text or "", model, finish, tokens), cost)


def _logprobs(found: Mapping[str, Any]) -> tuple[TokenLogprob, ...]:
    return tuple(
        TokenLogprob(
            token["token"],
            float(token["logprob"]),
            tuple((other["token"], float(other["logprob"])) for other in token.get("top_logprobs") or ()),
        )
        for token in found.get("content") or ()
    )
