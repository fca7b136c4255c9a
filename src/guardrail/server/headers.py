"""Which headers go upstream, and which come back: of the client's all but ours, of the upstream's only known ones."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

_HOP = "connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade"
_DROPPED = frozenset(
    f"{_HOP} host content-length accept-encoding content-encoding cookie expect origin forwarded x-http-method "
    "x-http-method-override x-method-override x-original-url x-rewrite-url".split()
)
_CREDENTIALS = frozenset(
    [
        "authorization",
        "x-api-key",
        "api-key",
        "x-goog-api-key",
        "ocp-apim-subscription-key",
        "openai-organization",
        "openai-project",
        "x-goog-user-project",
    ]
)
"""A client's keys, and whose account pays: with the server's key, both are the operator's."""
_STEERING = ("helicone-", "x-portkey-", "cf-aig-", "x-litellm-")
"""By these a gateway is asked to go to another host with the key that it got, or to answer from a cache that others filled."""
_PRIVATE = ("x-guardrail-", "x-forwarded-", "x-vsr-", "access-control-")
_THEIRS = frozenset(
    [
        "content-type",
        "content-language",
        "content-disposition",
        "cache-control",
        "retry-after",
        "retry-after-ms",
        "x-should-retry",
        "x-request-id",
        "request-id",
        "openai-processing-ms",
        "openai-version",
        "openai-model",
        "azureml-model-session",
    ]
)
_FAMILIES = ("x-ratelimit-", "anthropic-ratelimit-")
_NAME = re.compile(r"[a-z0-9!#$%&'*+.^_`|~-]+")
_NEVER = frozenset(
    {*_HOP.split(), "content-length", "content-encoding", "set-cookie", "set-cookie2", "location"}
)


def going_up(pairs: Iterable[tuple[str, str]], *, own_key: bool) -> list[tuple[str, str]]:
    """A client's headers without what is meant for this server or for one connection, also spelt with underscores.

    A service behind CGI or WSGI cannot tell `x_forwarded_for` from `x-forwarded-for`.

    Args:
        pairs: names in lower case.
        own_key: whether the server shows a key of its own, so that the client's are left out, as is whom to bill, and where a
            gateway is to take that key.
    """
    pairs = list(pairs)
    hop = {
        _dashed(one.strip().lower())
        for name, value in pairs
        if name == "connection"
        for one in value.split(",")
    }
    dropped = _DROPPED | hop | (_CREDENTIALS if own_key else set())
    private = (*_PRIVATE, *_STEERING) if own_key else _PRIVATE
    return [(n, v) for n, v in pairs if (name := _dashed(n)) not in dropped and not name.startswith(private)]


def _dashed(name: str) -> str:
    return name.replace("_", "-")


def handed_on(
    pairs: Iterable[tuple[bytes, bytes]], further: Collection[str] = ()
) -> list[tuple[bytes, bytes]]:
    """An upstream's headers that a client gets, as bytes: a value need not be text in any encoding.

    Args:
        pairs: as they came.
        further: names in lower case that the operator added.
    """
    kept = []
    for raw, value in pairs:
        name = raw.decode("latin-1").lower()
        if name in _THEIRS or name.startswith(_FAMILIES) or (name in further and is_name(name)):
            kept.append((name.encode("latin-1"), value))
    return kept


def is_name(text: str) -> bool:
    """Whether an operator may have this header handed on: it says nothing about a connection, and is not one of ours."""
    return bool(_NAME.fullmatch(text)) and text not in _NEVER and not text.startswith(_PRIVATE)


def as_bytes(pairs: Iterable[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    """Names and values as they go over the wire."""
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in pairs]
