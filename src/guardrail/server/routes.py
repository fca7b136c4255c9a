"""Which requests are answered, which are passed on, and which are refused: an allowlist (`guardrail.adapting.routes`).

Whatever is not known to be free of a model's text is refused by 501, unless the operator names it. A path is
plain segments: no `..`, no escapes, no empty segment, no URL. So what is passed on can only be below the upstream's base URL.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from enum import Enum

from guardrail.adapting.routes import UNKNOWN, RouteGroup, row
from guardrail.errors import ConfigError

_SEGMENT = r"[A-Za-z0-9_~@:+,=-][A-Za-z0-9._~@:+,=-]*"  # begins with no dot
_PATH = re.compile(rf"(?:/{_SEGMENT})+|/".encode())
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


OURS = {
    ("GET", "/healthz"): Kind.OPEN,
    ("GET", "/readyz"): Kind.OPEN,
    ("GET", "/openapi.json"): Kind.OPEN,
    ("GET", "/metrics"): Kind.OWN,
    ("POST", "/v1/guardrail/check"): Kind.OWN,
    ("POST", "/v1/guardrail/estimate"): Kind.OWN,
    ("POST", "/beta/litellm_basic_guardrail_api"): Kind.OWN,
}
GUARDED = ("/v1/chat/completions", "/v1/responses", "/v1/messages")
_LABELS = frozenset({*OURS, *(("POST", path) for path in GUARDED)})


def label(method: str, path: str) -> str:
    """What the metrics and the log call a request's path: a path that is written here, else "other"."""
    return path if (method, path) in _LABELS else "other"


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
    for guarded in (*GUARDED, *(path for (_, path), kind in OURS.items() if kind is not Kind.OPEN)):
        if made.takes("POST", guarded):
            raise ConfigError(
                f"{text!r} would pass {guarded} on unguarded: name narrower routes, or use --mode monitor"
            )
    return made


def plain(path: bytes) -> str | None:
    """A path as it came over the wire, as text; `None` if it is not plain segments."""
    return path.decode("ascii") if _PATH.fullmatch(path) else None


def kind_of(method: str, path: str, through: tuple[Through, ...]) -> Kind:
    """What is done with a request for a plain path."""
    if (found := OURS.get((method, path))) is not None:
        return found
    group = row(method, path.removeprefix(f"{PREFIX}/")).group if path.startswith(f"{PREFIX}/") else None
    if group is RouteGroup.GUARDED:
        return Kind.GUARDED
    if group is RouteGroup.NO_TEXT or any(one.takes(method, path) for one in through):
        return Kind.THROUGH
    return Kind.REFUSED


def unguarded(method: str, path: str) -> str:
    """Why a path below /v1 is not passed on, and what may have been meant."""
    why = row(method, path.removeprefix(f"{PREFIX}/")).reason
    said = f": {why}." if why else "."
    if why == UNKNOWN:
        said += _meant(path)
    return (
        f"{method} {path} is not passed on{said} The server examines chat completions, responses and messages. "
        f'The operator can pass others on unexamined: passthrough = ["{method} {path}"] below [server] in guardrail.toml.'
    )


def nowhere(method: str, path: str, through: tuple[Through, ...]) -> str:
    """What a client gets whose path is not below /v1."""
    below = f"{PREFIX}{path}"
    if path != "/" and (kind_of(method, below, through) is not Kind.REFUSED or below in _KNOWN):
        return f"nothing is at {path}: write {below}"
    return f"nothing is at {path}: paths begin with {PREFIX}, such as {GUARDED[0]}"


_KNOWN = (*GUARDED, *(f"{PREFIX}/{name}" for name in ("models", "embeddings", "moderations")))


def _meant(path: str) -> str:
    near = difflib.get_close_matches(path, _KNOWN, n=1, cutoff=0.8)
    return f" Did you mean {near[0]}?" if near and near[0] != path else ""
