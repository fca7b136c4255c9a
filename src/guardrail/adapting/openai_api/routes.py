"""What a wrapped client of OpenAI does with a request: guarded, passed, or refused, by the table in `guardrail.adapting.routes`."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal, cast

from guardrail.adapting.routes import UNKNOWN, Group, row

__all__ = ["Route", "error_body", "route"]

_DEPLOYMENT = re.compile(r"deployments/[^/]+/")


@dataclass(frozen=True)
class Route:
    """What is done with a request.

    Attributes:
        kind: guarded as chat or as responses, passed on, or refused.
        name: what `allow` would have to name.
        reason: why it is refused.
    """

    kind: Literal["chat", "responses", "pass", "refuse"]
    name: str = ""
    reason: str = ""


def route(method: str, path: str, allow: Collection[str] = ()) -> Route:
    """What is done with a request.

    Args:
        method: upper case.
        path: behind the base URL, without the query.
        allow: names of paths that are passed on though they are not examined.

    Example:
        >>> route("POST", "/chat/completions").kind, route("GET", "/responses/r_1").kind
        ('chat', 'refuse')
    """
    path = _DEPLOYMENT.sub("", path.strip("/"), count=1)  # Azure names the deployment before
    found = row(method, path)
    if found.group is Group.GUARDED and found.name in {"chat", "responses"}:
        return Route(cast("Literal['chat', 'responses']", found.name))
    if found.group is not Group.GUARDED and (found.group is not Group.MODEL_TEXT or found.name in allow):
        return Route("pass")
    return Route("refuse", found.name, found.reason or UNKNOWN)  # Anthropic's paths are not this client's


def error_body(message: str, code: str) -> dict[str, Any]:
    """An error as the protocol writes it."""
    return {"error": {"message": message, "type": "guardrail_error", "param": None, "code": code}}
