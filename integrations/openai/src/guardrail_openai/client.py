"""`guard_openai`: a client of OpenAI's library whose answers are examined before the application sees them."""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection
from typing import Any, Literal, NoReturn, TypeVar

from openai import AsyncOpenAI, OpenAI

from guardrail.errors import ConfigError
from guardrail.given.accepted import Documents, JsonObject
from guardrail.guard import Guard
from guardrail_openai._sending import Settings
from guardrail_openai._transport import guarded, library

ClientT = TypeVar("ClientT", bound=OpenAI | AsyncOpenAI)


def guard_openai(
    client: ClientT,
    guard: Guard,
    *,
    streaming: Literal["buffer", "sentence", "observe"] = "buffer",
    context: Callable[[JsonObject], Documents] | None = None,
    reasoning: Literal["drop", "check", "pass"] = "drop",
    allow: Collection[str] = (),
) -> ClientT:
    """The same client, guarded: chat completions and responses are examined, and the guard's policy acts on them.

    The report is at `completion.guardrail`, and in the `x-guardrail-*` headers of a raw response. The client that was given is
    not changed and stays open; both share its connections.

    Args:
        client: of `openai`, sync or async (also Azure's); of httpx and httpx2.
        guard: the guard.
        streaming: "buffer" keeps a stream back until the verdict; "sentence" releases each sentence once it was examined, where
            the guard and the request allow it, and else keeps the stream back; "observe" passes it on and reports at its end.
        context: a function that gives the documents the answer should rest on, from the body of the request; by default those that
            the request and the response bring along: results of tools, attached documents, what a search found. A request may
            also bring them as `extra_body={"guardrail": {"context": […]}}`, which is not sent on.
        reasoning: "drop" leaves out reasoning that can be read; "check" has the guard examine it by itself, and shows it unless
            the policy would change it; "pass" shows it where the answer lost no text. With `streaming="observe"` it passes.
        allow: paths that return model text and are passed on unexamined all the same, such as "batches"; by default they are
            refused.

    Raises:
        ConfigError: it is no such client, it is guarded already, or an option is wrong.
    """
    if not isinstance(client, OpenAI | AsyncOpenAI):
        raise ConfigError(
            f"expected a client of openai, got {type(client).__name__}: write guard_openai(OpenAI(), guard)"
        )
    if isinstance(client, _Guarded):
        raise ConfigError(
            "expected a client that is not guarded, got a guarded one: give one guard all the detectors"
        )
    if not isinstance(guard, Guard):
        raise ConfigError(
            f"expected a Guard, got {type(guard).__name__}: write guard_openai(client, Guard([…]))"
        )
    base = str(client.base_url)
    settings = Settings(
        guard, base=base, streaming=streaming, context=context, reasoning=reasoning, allow=allow
    )
    inner: Any = client._client  # noqa: SLF001  # the only place where a client keeps its transport
    lent = copy.copy(inner)

    def around(transport: Any) -> Any:
        return guarded(transport, settings, library(inner), keep=client)

    mounts = inner._mounts.items()  # noqa: SLF001  # transports of proxies
    lent._transport = around(inner._transport)  # noqa: SLF001  # httpx has no public way
    lent._mounts = {pattern: one and around(one) for pattern, one in mounts}  # noqa: SLF001
    kind = type(client)
    of_kind = type(kind.__name__, (_Guarded, kind), {"__module__": kind.__module__})
    like: Any = object.__new__(of_kind)
    like.__dict__.update(
        client.__dict__
    )  # `copy` makes a client of the class and with the options of this one
    made: ClientT = kind.copy(like, http_client=lent)
    return made


class _Guarded:
    """What a guarded client refuses, since the transport would not see it."""

    def copy(self, **options: Any) -> Any:
        """As the client's, but for the transport.

        Raises:
            ConfigError: `http_client` is given.
        """
        if options.get("http_client") is not None:
            raise ConfigError(
                "a guarded client keeps its transport, got http_client= that would go past the guard: "
                "write guard_openai(OpenAI(http_client=…), guard)"
            )
        made: Any = super().copy(**options)  # type: ignore[misc]  # the client's own class comes next
        made._client._transport.settings.know(str(made.base_url))  # noqa: SLF001  # ours, which both share
        return made

    with_options = copy

    @property
    def realtime(self) -> Any:
        """Refused."""
        return _Refused("realtime")

    @property
    def live(self) -> Any:
        """Refused."""
        return _Refused("live")

    @property
    def responses(self) -> Any:
        """The client's, but for WebSockets."""
        return _without_sockets(super().responses)  # type: ignore[misc]

    @property
    def beta(self) -> Any:
        """The client's, but for WebSockets."""
        found = super().beta  # type: ignore[misc]
        found.__dict__["realtime"] = _Refused("beta.realtime")
        if hasattr(type(found), "responses"):
            _without_sockets(found.responses)
        return found


class _Refused:
    """In the place of a resource that speaks over WebSockets."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> NoReturn:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        raise ConfigError(
            f"a guarded client does not speak over WebSockets, got {self._name}.{attribute}: "
            "nothing of it would be examined; use the client that is not guarded"
        )


def _without_sockets(resource: Any) -> Any:
    def connect(*_: Any, **__: Any) -> NoReturn:
        _Refused("responses").connect  # noqa: B018  # raises
        raise AssertionError

    resource.__dict__["connect"] = connect
    return resource
