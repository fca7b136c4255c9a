"""Which paths of OpenAI's and Anthropic's protocols are guarded, which carry no model's text, and which hand it out unexamined.

One table, an allowlist: what is in no row may return what a model said. The server passes on only the rows without text;
a client that is wrapped in its own process also reaches its account: files, audio, fine-tuning.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum


class RouteGroup(Enum):
    """What a path has to do with a model's text."""

    GUARDED = "guarded"  # answers that are examined
    NO_TEXT = "no text"  # lists of models, numbers
    ACCOUNT = "account"  # what an account stores, makes or deletes; no chat model's answer
    MODEL_TEXT = "model text"  # answers that nobody examined


@dataclass(frozen=True, slots=True)
class Row:
    """Paths that are treated alike.

    Attributes:
        group: what is in them.
        methods: upper case, separated by spaces; "*" = all.
        path: a regular expression of the whole path behind the base URL, without a slash at its start.
        name: what allows it where it is refused, or the protocol of a guarded one.
        reason: why it is refused.
    """

    group: RouteGroup
    methods: str
    path: str
    name: str = ""
    reason: str = ""

    def takes(self, method: str, path: str) -> bool:
        """Whether a request falls under it."""
        return (self.methods == "*" or method in self.methods.split()) and bool(re.fullmatch(self.path, path))


_MORE = "(/.+)?"
_STORED = "is returned as the model wrote it"
_HOLDS = "has answers as the model wrote them"

ROUTES = (
    Row(RouteGroup.GUARDED, "POST", "chat/completions", "chat"),
    Row(RouteGroup.GUARDED, "POST", "responses", "responses"),
    Row(RouteGroup.GUARDED, "POST", "messages", "messages"),
    Row(RouteGroup.NO_TEXT, "GET", f"models{_MORE}"),
    Row(RouteGroup.NO_TEXT, "POST", "embeddings|moderations"),
    Row(RouteGroup.NO_TEXT, "POST", "responses/input_tokens|messages/count_tokens"),
    Row(RouteGroup.ACCOUNT, "DELETE", f"models{_MORE}"),
    Row(RouteGroup.ACCOUNT, "DELETE", "(responses|chat/completions|conversations)/[^/]+"),
    Row(RouteGroup.ACCOUNT, "GET POST DELETE", "files(/[^/]+)?"),
    Row(RouteGroup.ACCOUNT, "POST", r"images/\w+"),
    Row(RouteGroup.ACCOUNT, "POST", "audio/(speech|voices|voice_consents|transcriptions|translations)"),
    Row(
        RouteGroup.ACCOUNT,
        "*",
        f"(uploads|vector_stores|videos){_MORE}|(fine_tuning|organization|projects)/.+",
    ),
    Row(
        RouteGroup.MODEL_TEXT,
        "*",
        f"responses/[^/]+{_MORE}",
        "responses.retrieve",
        f"a stored response {_STORED}",
    ),
    Row(
        RouteGroup.MODEL_TEXT,
        "*",
        f"chat/completions{_MORE}",
        "chat.completions.stored",
        f"a stored completion {_STORED}",
    ),
    Row(
        RouteGroup.MODEL_TEXT,
        "*",
        "completions",
        "completions",
        "legacy completions are not examined: use chat.completions",
    ),
    Row(RouteGroup.MODEL_TEXT, "*", f"batches{_MORE}", "batches", "what a batch answers is not examined"),
    Row(
        RouteGroup.MODEL_TEXT,
        "*",
        f"messages/batches{_MORE}",
        "messages.batches",
        "what a batch answers is not examined",
    ),
    Row(
        RouteGroup.MODEL_TEXT,
        "GET",
        "files/[^/]+/content",
        "files.content",
        "a file may have what a batch answered",
    ),
    Row(RouteGroup.MODEL_TEXT, "*", f"conversations{_MORE}", "conversations", f"a conversation {_HOLDS}"),
    Row(
        RouteGroup.MODEL_TEXT,
        "*",
        f"(assistants|threads){_MORE}",
        "assistants",
        "what assistants answer is not examined",
    ),
    Row(
        RouteGroup.MODEL_TEXT,
        "*",
        f"containers{_MORE}",
        "containers",
        "a container's files may have what the model wrote",
    ),
    Row(RouteGroup.MODEL_TEXT, "*", f"evals{_MORE}", "evals", f"an evaluation {_HOLDS}"),
    Row(
        RouteGroup.MODEL_TEXT,
        "*",
        f"chatkit{_MORE}",
        "chatkit",
        "what a ChatKit session answers is not examined",
    ),
    Row(
        RouteGroup.MODEL_TEXT,
        "*",
        f"(realtime|live){_MORE}",
        "realtime",
        "speech and WebSockets are not examined",
    ),
)
UNKNOWN = "it is not known whether it returns model text"


def row(method: str, path: str) -> Row:
    """The first row that a request falls under; a path that is in none, or climbs, may return model text.

    Args:
        method: upper case.
        path: behind the base URL, without a slash at its start.

    Example:
        >>> row("POST", "chat/completions").group, row("GET", "responses/r_1").name
        (<RouteGroup.GUARDED: 'guarded'>, 'responses.retrieve')
    """
    unknown = Row(RouteGroup.MODEL_TEXT, method, re.escape(path), path.partition("/")[0], UNKNOWN)
    if {"", ".", ".."} & set(path.split("/")):
        return unknown
    return next((one for one in ROUTES if one.takes(method, path)), unknown)
