"""Which of OpenAI's paths are guarded, which pass, and which are refused, since they hand out text that nobody examined.

What is not listed is refused: a path that is new may return what a model said.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["NAMES", "Route", "error_body", "route"]

_PASS = re.compile(
    r"(?:GET|DELETE) models(/.+)?|POST embeddings|POST moderations|(?:GET|POST|DELETE) files(/[^/]+)?"
    r"|POST images/\w+|POST audio/(speech|voices|voice_consents|transcriptions|translations)|\w+ uploads(/.+)?"
    r"|\w+ vector_stores(/.+)?|\w+ fine_tuning/.+|\w+ organization/.+|\w+ projects/.+|\w+ videos(/.+)?"
    r"|POST responses/input_tokens|DELETE responses/[^/]+|DELETE chat/completions/[^/]+|DELETE conversations/[^/]+"
)
_REFUSED = (
    (
        "responses.retrieve",
        r"\w+ responses/[^/]+(/.+)?",
        "a stored response is returned as the model wrote it",
    ),
    (
        "chat.completions.stored",
        r"\w+ chat/completions(/.+)?",
        "a stored completion is returned as the model wrote it",
    ),
    ("completions", r"\w+ completions", "legacy completions are not examined: use chat.completions"),
    ("batches", r"\w+ batches(/.+)?", "what a batch answers is not examined"),
    ("files.content", r"GET files/[^/]+/content", "a file may hold what a batch answered"),
    ("conversations", r"\w+ conversations(/.+)?", "a conversation holds answers as the model wrote them"),
    ("assistants", r"\w+ (assistants|threads)(/.+)?", "what assistants answer is not examined"),
    ("containers", r"\w+ containers(/.+)?", "a container's files may hold what the model wrote"),
    ("evals", r"\w+ evals(/.+)?", "an evaluation holds answers as the model wrote them"),
    ("chatkit", r"\w+ chatkit(/.+)?", "what a ChatKit session answers is not examined"),
    ("realtime", r"\w+ (realtime|live)(/.+)?", "speech and WebSockets are not examined"),
)
NAMES = tuple(name for name, _, _ in _REFUSED)
"""What `allow=` may name; any other path is named by its first part."""

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
    asked = f"{method} {path}"
    if asked == "POST chat/completions":
        return Route("chat")
    if asked == "POST responses":
        return Route("responses")
    if _PASS.fullmatch(asked):
        return Route("pass")
    for name, pattern, reason in _REFUSED:
        if re.fullmatch(pattern, asked):
            return Route("pass") if name in allow else Route("refuse", name, reason)
    name = path.partition("/")[0]
    return (
        Route("pass")
        if name in allow
        else Route("refuse", name, "it is not known whether it returns model text")
    )


def error_body(message: str, code: str) -> dict[str, Any]:
    """An error as the protocol writes it."""
    return {"error": {"message": message, "type": "guardrail_error", "param": None, "code": code}}
