"""Where a model is reached by OpenAI's protocol: clients that are created here, or the user's own.

Clients that are created here send through the client's own `post`, which spares the typed layer (about a
third of its time per request). A client that is given is used through its `create`, so that whatever was arranged
around it (tracing, retries, transports) stays in force.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import json
import os
import re
import secrets
import threading
import weakref
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Generator, Mapping, Sequence
from hashlib import blake2b
from importlib.util import find_spec
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast
from urllib.parse import urlsplit

from guardrail.chat._arguments import refuse_wrong
from guardrail.chat._failures import provider_failure, service_words
from guardrail.engine.backend import Backend, Q_contra
from guardrail.engine.flow import Cost, Failed, Reason, Reply
from guardrail.errors import ConfigError, MissingExtra

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI

T = TypeVar("T")

Body: TypeAlias = dict[str, Any]
Exchange: TypeAlias = Generator[Body, Any, list[Reply[T]]]
"""Which bodies to send; is sent parsed replies or exceptions."""

_OPTIONS = {
    "key_variable": "OPENAI_API_KEY",
    "key_option": "`api_key=`",
    "model_option": "the model's name",
    "url_option": "`base_url=`",
}


_OPENAI = "api.openai.com"
_IDLE = 60.0  # seconds for which a connection that nobody uses is kept
_CLOSING = 5.0  # seconds that another thread's loop has for closing a client


def driven(exchange: Generator[Body, Any, T], send: Callable[[Body], Any]) -> T:
    """Carry an exchange to its end: what it asks for is sent, and it is given the reply, or the exception."""
    try:
        asked = next(exchange)
        while True:
            try:
                reply = send(asked)
            except Exception as error:  # noqa: BLE001  # mapped by the table, once
                reply = error
            asked = exchange.send(reply)
    except StopIteration as stop:
        return cast("T", stop.value)


async def adriven(exchange: Generator[Body, Any, T], send: Callable[[Body], Awaitable[Any]]) -> T:
    """As `driven`, on the running loop."""
    try:
        asked = next(exchange)
        while True:
            try:
                reply = await send(asked)
            except Exception as error:  # noqa: BLE001  # as above
                reply = error
            asked = exchange.send(reply)
    except StopIteration as stop:
        return cast("T", stop.value)


class EndpointBackend(Backend[Q_contra]):
    """What the models behind an endpoint have in common; each says by `_exchange` what is sent.

    Args:
        path: below the base URL, "chat/completions" or "completions".
        model: its name there.
        base_url: where; default `OPENAI_BASE_URL`, else OpenAI. A server that wants no key needs none.
        api_key: default `OPENAI_API_KEY`.
        client: the user's `OpenAI`.
        async_client: the user's `AsyncOpenAI`; it is only ever used on the loop that calls.
        timeout: seconds for one HTTP request.
        concurrency: how many requests may run at once, per event loop.
        options: further fields of every request.
        elsewhere: fields that are sent as well, but not to OpenAI itself.

    Attributes:
        fingerprint: model, place, options, and a hash of the credential.

    Raises:
        MissingExtra: openai is not installed.
        ConfigError: no credential, clients together with what belongs to them, or an argument is wrong.
    """

    fingerprint: str

    def __init__(
        self,
        path: str,
        *,
        model: str,
        base_url: str | None,
        api_key: str | None,
        client: OpenAI | None,
        async_client: AsyncOpenAI | None,
        timeout: float,
        concurrency: int,
        options: Mapping[str, Any] | None,
        elsewhere: Body | None = None,
    ) -> None:
        refuse_wrong(
            type(self).__name__,
            model=model,
            base_url=base_url,
            api_key=api_key,
            client=client,
            async_client=async_client,
            timeout=timeout,
            concurrency=concurrency,
            options=options,
        )
        given = client if client is not None else async_client
        if given is not None and (base_url is not None or api_key is not None):
            raise ConfigError("a client was given: set `base_url` and `api_key` on it, not here")
        self._given, self._async_given = client, async_client
        if given is None:
            try:
                import openai  # noqa: F401  # only whether it is there
            except ImportError as error:
                raise MissingExtra("openai", extra="openai") from error
            url = base_url or os.environ.get("OPENAI_BASE_URL") or f"https://{_OPENAI}/v1"
            self._key = credential = api_key or os.environ.get("OPENAI_API_KEY") or _keyless(url)
        else:
            url, self._key = str(getattr(given, "base_url", "")), _text_of(getattr(given, "api_key", ""))
            credential = _credential(given)
        known = {} if given is None and urlsplit(url).hostname == _OPENAI else elsewhere or {}
        self._options: Body = {**known, **(options or {})}
        self._base: Body = {"model": model, **self._options}
        self._path = f"/{path}"
        self._create = attrgetter(f"{path.replace('/', '.')}.create")
        self._limit = timeout
        self._clients = _Clients(url, self._key, timeout)
        self.model = model
        self.timeout: float | None = 2 * timeout + 1  # the client's own limit comes first
        self.concurrency = concurrency
        self.fingerprint = _fingerprint(model, url, credential, self._options)
        # Else its synchronous client is used in threads.
        self.aanswer = self._aanswer if given is None or async_client is not None else None

    def _exchange(self, requests: Sequence[Q_contra]) -> Exchange[Any]:
        """Which bodies to send; gets parsed replies or exceptions. The same for both clients."""
        raise NotImplementedError

    def _alike(self, requests: Sequence[Q_contra]) -> int:
        """How many requests, from the first on, are draws of one prompt."""
        same = self.group(requests[0])
        return next((i for i, other in enumerate(requests) if self.group(other) != same), len(requests))

    def answer(self, requests: Sequence[Q_contra]) -> list[Reply[Any]]:
        """One reply per request; draws of one prompt may go as one."""
        if self._given is None and self._async_given is not None:
            detail = "only an asynchronous client was given: pass `client=OpenAI(…)` too, or use `await guard.acheck`"
            return [Failed(Reason.MISSING, detail)] * len(requests)
        return driven(self._exchange(requests), self._post)

    async def _aanswer(self, requests: Sequence[Q_contra]) -> list[Reply[Any]]:
        return await adriven(self._exchange(requests), self._apost)

    def _failure(self, error: BaseException, cost: Cost) -> Failed:
        """An exception of the client, as a value."""
        return provider_failure(error, options=_OPTIONS, cost=cost, secret=self._key, timeout=self._limit)

    def _post(self, body: Body) -> Any:
        if self._given is None:
            return self._clients.sync().post(self._path, cast_to=object, body=body)
        return _plain(self._create(self._given)(**self._arguments(body)))

    async def _apost(self, body: Body) -> Any:
        if self._async_given is None:
            client = self._clients.on_this_loop() or await self._clients.open()
            return await client.post(self._path, cast_to=object, body=body)
        return _plain(await self._create(self._async_given)(**self._arguments(body)))

    def _arguments(self, body: Body) -> Body:
        """A body as arguments of `create`, which knows not every server's fields."""
        known = {name: value for name, value in body.items() if name not in self._options}
        further = {name: body[name] for name in self._options if name in body}
        return {**known, "extra_body": further or None, "timeout": self._limit}

    def close(self) -> None:
        """Close the clients that were created here, of every event loop; a later request makes new ones."""
        self._clients.close()

    async def aclose(self) -> None:
        """As `close`, from a coroutine. The end of `asyncio.run` closes its loop's client by itself."""
        await self._clients.aclose()


_Keeper: TypeAlias = "AsyncGenerator[AsyncOpenAI, None]"
_Loops: TypeAlias = "dict[asyncio.AbstractEventLoop, tuple[AsyncOpenAI, _Keeper]]"


class _Clients:
    """The clients that we create: one for all threads, one per event loop; none survives a fork, or `close`."""

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
        self._loops: _Loops = {}
        self._inherited: list[Any] = []  # a parent process's: to close them here would harm it

    def sync(self) -> OpenAI:
        """The synchronous client."""
        self._look_for_fork()
        if (client := self._sync) is None:
            from openai import OpenAI

            with self._lock:
                if (client := self._sync) is None:
                    connections = _patient("DefaultHttpxClient")
                    client = self._sync = OpenAI(**self._arguments, http_client=connections)
                    weakref.finalize(client, connections.close)  # openai's own would close itself, too
        return client

    def on_this_loop(self) -> AsyncOpenAI | None:
        """The running loop's client, if there is one yet."""
        found = self._loops.get(asyncio.get_running_loop())
        return found[0] if found else None

    async def open(self) -> AsyncOpenAI:
        """Make the running loop's client."""
        self._look_for_fork()
        loop, keeper = asyncio.get_running_loop(), self._keep()
        client = await anext(keeper)  # does not wait: who asks beside this one finds the client
        with self._lock:
            closed = [self._loops.pop(other) for other in [*self._loops] if other.is_closed()]
            self._loops[loop] = (client, keeper)
        for _, left in closed:
            await left.aclose()
        return client

    async def _keep(self) -> AsyncGenerator[AsyncOpenAI, None]:
        """Holds a client until it is closed, or the loop shuts its asynchronous generators down."""
        from openai import AsyncOpenAI

        loop = asyncio.get_running_loop()
        client = AsyncOpenAI(**self._arguments, http_client=_patient("DefaultAsyncHttpxClient"))
        try:
            yield client
        finally:
            with self._lock:
                if self._loops.get(loop, (None,))[0] is client:  # there may be another by now
                    del self._loops[loop]
            with contextlib.suppress(
                RuntimeError
            ):  # its loop was closed before, and with that the connections
                await client.close()

    def close(self) -> None:
        """Close all of them, each on its own loop; a later request makes new ones."""
        self._look_for_fork()
        with self._lock:
            client, self._sync = self._sync, None
            loops, self._loops = self._loops, {}
        if client is not None:
            client.close()
        for loop, (_, keeper) in loops.items():
            _ended(loop, keeper)

    async def aclose(self) -> None:
        """The same, from a coroutine."""
        with self._lock:
            _, keeper = self._loops.pop(asyncio.get_running_loop(), (None, None))
        if keeper is not None:
            await keeper.aclose()
        await asyncio.to_thread(self.close)

    def _look_for_fork(self) -> None:
        if self._process != os.getpid():
            self._inherited += [self._sync, self._loops]
            self._sync, self._loops, self._process = None, {}, os.getpid()


def _ended(loop: asyncio.AbstractEventLoop, keeper: _Keeper) -> None:
    """Close a client on the loop that it belongs to: one that runs, that waits to be run, or that is closed."""

    async def close() -> None:
        await keeper.aclose()

    if loop.is_running():
        closing = asyncio.run_coroutine_threadsafe(close(), loop)
        if asyncio._get_running_loop() is not loop:  # noqa: SLF001  # as `get_running_loop`, but raises nothing
            with contextlib.suppress(TimeoutError):
                closing.result(_CLOSING)
        return
    run = asyncio.run if loop.is_closed() else loop.run_until_complete
    thread = threading.Thread(
        target=lambda: run(close()), name="guardrail-close"
    )  # a loop may run in this one
    thread.start()
    thread.join()


def _patient(kind: str) -> Any:
    """The HTTP client of openai's own kind, but for how long it keeps connections that nobody uses.

    A chatbot asks in bursts, once per turn: with openai's five seconds nearly every burst began with a handshake per
    connection. A connection that the server has closed meanwhile is noticed before it is used.
    """
    import openai

    client = getattr(openai, kind)
    library = importlib.import_module(client.__mro__[1].__module__.partition(".")[0])  # httpx, or httpx2
    limits = library.Limits(max_connections=1_000, max_keepalive_connections=100, keepalive_expiry=_IDLE)
    if kind == "DefaultAsyncHttpxClient" and find_spec("aiohttp") is not None:
        # Parses HTTP in C: two thirds of the processor time per reply. openai says so where it lacks a part for it.
        with contextlib.suppress(RuntimeError):
            return openai.DefaultAioHttpClient(limits=limits)
    return client(limits=limits)


def _keyless(url: str) -> str:
    """What stands for a key where none is known; OpenAI itself wants one."""
    if urlsplit(url).hostname == _OPENAI:
        raise ConfigError("no credential for https://api.openai.com: set OPENAI_API_KEY or give `api_key`")
    return "none"


def _text_of(value: object) -> str:
    """A text, or "" for anything else."""
    return value if isinstance(value, str) else ""


def _credential(client: Any) -> str:
    """All that a client says about who asks; of one that fetches its credential, a word of its own."""
    key = _text_of(getattr(client, "api_key", "")) or secrets.token_hex(8)
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


def unsupported(error: Exception, sent: Collection[str], droppable: Collection[str]) -> str | None:
    """Which of the fields that can be left out the model does not take, if that is what the error says.

    A value that is out of range is the caller's mistake: dropping the field would hide it.
    """
    if getattr(error, "status_code", 0) not in {400, 422}:
        return None
    text = f"{error} {service_words(error)}"
    if "unsupported" not in str(getattr(error, "code", "")) and not _SAYS_UNSUPPORTED.search(text):
        return None
    named = getattr(error, "param", None)
    if named in droppable:
        return str(named) if named in sent else None
    return next((name for name in droppable if name in sent and _names(text, name)), None)


def _names(text: str, field: str) -> bool:
    """Whether a message names a field: as a word, or in quotes if it has one letter."""
    return re.search(rf"['\"`]{field}['\"`]" if len(field) == 1 else rf"\b{field}\b", text) is not None


def read(
    data: Any, n: int, cost: Cost, reply: Callable[[Mapping[str, Any], str, Cost], Reply[T]]
) -> list[Reply[T]]:
    """The choices of a parsed body as replies, at most `n`; of a body without any, `n` failures.

    Args:
        data: the body.
        n: how many choices were asked for.
        cost: of the call; usage is added, and all is split.
        reply: makes a reply of a choice, the model's name and its share of the cost.
    """
    if isinstance(data, str | bytes):  # the content type was not JSON's
        with contextlib.suppress(ValueError):
            data = json.loads(data)
    choices = data.get("choices") if isinstance(data, dict) else None
    if not choices or not isinstance(choices, list):
        return [_unreadable(data, cost.split(n))] * n
    cost += Cost(0, _used(data, "prompt_tokens"), _written(data, choices))
    model = _text_of(data.get("model"))
    share = cost if n == 1 else cost.split(min(n, len(choices)))
    try:
        return [reply(choice, model, share) for choice in choices[:n]]
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        return [Failed(Reason.BACKEND, f"no completion: {error!r}", retryable=True, cost=cost.split(n))] * n


def _used(data: Mapping[str, Any], name: str) -> int:
    """Tokens by the service's own count; 0 where it tells none, or no number: that costs no reply."""
    usage = data.get("usage")
    count = usage.get(name) if isinstance(usage, dict) else None
    return count if isinstance(count, int) and count > 0 else 0


def _written(data: Mapping[str, Any], choices: Sequence[Any]) -> int:
    """Tokens of all choices. llama.cpp counts those of the first alone, which shows where there are more words than tokens."""
    told = _used(data, "completion_tokens")
    texts = [_said(choice) for choice in choices]
    if len(texts) > 1 and texts[0] and told < sum(len(text.split()) for text in texts):
        return round(told * sum(map(len, texts)) / len(texts[0]))
    return told


def _said(choice: Any) -> str:
    given = choice if isinstance(choice, dict) else {}
    message = given.get("message")
    return _text_of(message.get("content") if isinstance(message, dict) else given.get("text"))


def _unreadable(data: Any, cost: Cost) -> Failed:
    if isinstance(data, dict) and (error := data.get("error")):  # some proxies send errors as successes
        code = error.get("code") if isinstance(error, dict) else None
        passing = isinstance(code, int) and (code in {408, 429} or code >= 500)
        return Failed(Reason.BACKEND, f"the service failed: {str(error)[:200]}", retryable=passing, cost=cost)
    if isinstance(data, dict):
        detail = "the reply has no choices"
    else:
        detail = f"expected JSON of a completion, got {data!r:.120}: check `base_url=`"
    return Failed(Reason.BACKEND, detail, retryable=True, cost=cost)
