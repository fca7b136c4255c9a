"""What a wrapped client of OpenAI does with a request: guarded, passed, or refused, by the table in `guardrail.adapting.routes`."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, cast

from guardrail.adapting.routes import ROUTES, UNKNOWN, RouteGroup, row
from guardrail.errors import ConfigError, UnknownName
from guardrail.given.accepted import Json

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
    if found.group is RouteGroup.GUARDED and found.name in {"chat", "responses"}:
        return Route(cast("Literal['chat', 'responses']", found.name))
    if found.group is not RouteGroup.GUARDED and (
        found.group is not RouteGroup.MODEL_TEXT or found.name in allow
    ):
        return Route("pass")
    return Route("refuse", found.name, found.reason or UNKNOWN)  # Anthropic's paths are not this client's


_NAMES = frozenset(one.name for one in ROUTES if one.group is RouteGroup.MODEL_TEXT)


def allowed(names: Collection[str]) -> frozenset[str]:
    """The names of paths that are passed on unexamined; a path in no table has its first part as its name.

    Raises:
        ConfigError: a name is no text.
        UnknownName: it has no effect, or is nearly that of a path in the table.

    Example:
        >>> sorted(allowed(["rerank", "batches"]))
        ['batches', 'rerank']
    """
    for name in names:
        if not isinstance(name, str):
            raise ConfigError(f"expected names of paths, got {name!r:.80} in allow=: write allow=['batches']")
        known = row("GET", name.removeprefix("beta.").replace(".", "/"))
        meant = known.name if known.group is RouteGroup.MODEL_TEXT and known.reason != UNKNOWN else ""
        if name in _NAMES:
            continue
        if meant or "." in name or "/" in name or difflib.get_close_matches(name, _NAMES, n=1, cutoff=0.8):
            raise UnknownName("refused path", name, _NAMES, meant=meant)
    return frozenset(names)


def error_body(message: str, code: str) -> Json:
    """An error as the protocol writes it."""
    return {"error": {"message": message, "type": "guardrail_error", "param": None, "code": code}}
