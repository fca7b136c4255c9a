"""Clients' keys: only their hashes are kept, and comparing takes the same time for right and wrong ones."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable, Mapping

from guardrail.errors import ConfigError

_HASH = re.compile(r"(?:sha256:)?([0-9a-f]{64})")

OWN = "x-guardrail-key"
"""The header that a client's key may always come in; nothing of it goes upstream."""


def hashed(key: str) -> str:
    """SHA-256 of a key, in hexadecimal digits."""
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()


def hash_of(text: str) -> str:
    """A hash as it is written in a configuration; the message shows nothing of what may be a key.

    Raises:
        ConfigError: it is no such hash.
    """
    found = _HASH.fullmatch(text.lower())
    if found is None:
        raise ConfigError(
            "expected keys to be SHA-256 hashes of 64 hexadecimal digits, got something else. "
            'Make one: printf %s "$KEY" | sha256sum'
        )
    return found[1]


def shown(headers: Mapping[str, str], *, others: bool) -> str:
    """The key that a client shows, or "".

    Args:
        headers: of the request, by lower-case name.
        others: whether `Authorization` and `x-api-key` are meant for this server too, and not for the upstream.
    """
    if own := headers.get(OWN):
        return own
    if not others:
        return ""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else headers.get("x-api-key", "")


def known(key: str, hashes: Iterable[str]) -> bool:
    """Whether a key is one of those whose hashes are given; all are compared, whichever it is."""
    given = hashed(key)
    found = False
    for one in hashes:
        found |= hmac.compare_digest(given, one)
    return found and bool(key)
