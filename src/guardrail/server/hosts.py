"""By which name a client called the server: a web page can point a name of its own here (DNS rebinding), but no address."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Collection

__all__ = ["is_called_right"]

_HOST = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?")


def is_called_right(host: str, names: Collection[str]) -> bool:
    """Whether a `Host` header names this machine: an IP address, localhost, or one of the names.

    Args:
        host: the header.
        names: in lower case; the address that is listened on and what the operator named.
    """
    found = _HOST.fullmatch(host.strip().lower())
    if found is None:
        return False
    name = found["name"]
    return name == "localhost" or name in names or _is_address(name.strip("[]"))


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
