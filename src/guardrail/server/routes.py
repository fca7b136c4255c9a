"""Which requests are answered, which are passed on, and which are refused: an allowlist.

Whatever makes or returns a model's text without an examination is refused by 501, unless the operator names it. A path is
plain segments: no `..`, no escapes, no empty segment, no URL. So what is passed on can only be below the upstream's base URL.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from guardrail.errors import ConfigError

_SEGMENT = r"[A-Za-z0-9_~@:+,=-][A-Za-z0-9._~@:+,=-]*"  # begins with no dot
_PATH = re.compile(rf"(?:/{_SEGMENT})+".encode())
_ROUTE = re.compile(rf"([A-Z]+) (/v1(?:/(?:{_SEGMENT}|\*))+)")
PREFIX = "/v1"


class Kind(Enum):
    """What is done with a request."""

    OPEN = "open"  # answered here, without a key
    OWN = "own"  # answered here
    GUARDED = "guarded"  # asked upstream and examined
    THROUGH = "through"  # passed on, since no model's text is in it
    REFUSED = "refused"  # 501


@dataclass(frozen=True, slots=True)
class Through:
    """A route that is passed on; `*` at its end stands for one or more segments, elsewhere for one."""

    method: str
    pattern: re.Pattern[str]

    def takes(self, method: str, path: str) -> bool:
        """Whether a request falls under it."""
        return method == self.method and self.pattern.fullmatch(path) is not None


FIXED = {
    ("GET", "/healthz"): Kind.OPEN,
    ("GET", "/readyz"): Kind.OPEN,
    ("GET", "/metrics"): Kind.OWN,
    ("POST", "/v1/guardrail/check"): Kind.OWN,
    ("POST", "/v1/guardrail/estimate"): Kind.OWN,
    ("POST", "/beta/litellm_basic_guardrail_api"): Kind.OWN,
    ("POST", "/v1/chat/completions"): Kind.GUARDED,
    ("POST", "/v1/responses"): Kind.GUARDED,
    ("POST", "/v1/messages"): Kind.GUARDED,
}


def passed_through(text: str) -> Through:
    """A route as it is written in `passthrough`: "GET /v1/files/*".

    Raises:
        ConfigError: it is written otherwise, or names a route that is guarded.
    """
    found = _ROUTE.fullmatch(text)
    if found is None:
        raise ConfigError(
            f"expected a passthrough route as method and path below /v1, got {text!r:.80}: write 'GET /v1/files/*'"
        )
    method, path = found[1], found[2]
    *parts, last = path.split("/")[1:]
    one, more = _SEGMENT, rf"{_SEGMENT}(?:/{_SEGMENT})*"
    written = [one if part == "*" else re.escape(part) for part in parts]
    written.append(more if last == "*" else re.escape(last))
    made = Through(method, re.compile("/" + "/".join(written)))
    for guarded in (path for (_, path), kind in FIXED.items() if kind is not Kind.OPEN):
        if made.takes("POST", guarded):
            raise ConfigError(
                f"{text!r} would pass {guarded} on unguarded: name narrower routes, or use --mode monitor"
            )
    return made


HARMLESS = tuple(
    passed_through(text)
    for text in (
        "GET /v1/models",
        "GET /v1/models/*",
        "POST /v1/embeddings",
        "POST /v1/moderations",
        "POST /v1/messages/count_tokens",
    )
)


def plain(path: bytes) -> str | None:
    """A path as it came over the wire, as text; `None` if it is not plain segments."""
    return path.decode("ascii") if _PATH.fullmatch(path) else None


def kind_of(method: str, path: str, through: tuple[Through, ...]) -> Kind:
    """What is done with a request for a plain path."""
    if (found := FIXED.get((method, path))) is not None:
        return found
    if any(one.takes(method, path) for one in (*HARMLESS, *through)):
        return Kind.THROUGH
    return Kind.REFUSED
