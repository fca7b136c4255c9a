"""A request's body as JSON that every reader understands in the same way, and that takes no time to read."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from guardrail.adapting.strict_json import TooDeep, read_json
from guardrail.given.accepted import Json
from guardrail.server.refusals import Refused

_MOST = 50_000
"""Objects in one body, and texts in its lists. A long chat has some thousands; reading a million keeps all other clients waiting."""
_MARKS = {b"[": 500_000, b":": 500_000, b",": 2_000_000}
"""Lists, names and numbers cannot be counted while they are read, so their marks are, also those in texts."""
_READ = frozenset(
    [
        "model",
        "messages",
        "input",
        "stream",
        "stream_options",
        "n",
        "logprobs",
        "top_logprobs",
        "modalities",
        "background",
        "response_format",
        "text",
        "tools",
        "system",
        "instructions",
        "output_config",
        "output_format",
        "answer",
        "prompt",
        "context",
        "documents",
        "guardrail",
        "samples",
    ]
)
"""Names that change what the guard does."""


def request_object(body: bytes) -> Json:
    """The object that a body is.

    Raises:
        Refused: it is something else; it has too many parts; or a name is there twice or in capitals, so that readers differ in what it says.
    """
    parts = _Parts()
    try:
        if any(body.count(mark) > most for mark, most in _MARKS.items()):
            raise _too_many()
        if json.detect_encoding(body) not in {"utf-8", "utf-8-sig"}:
            raise Refused(400, "bad_json", "expected the request's body in UTF-8, got UTF-16 or UTF-32")
        found = read_json(body, pairs=parts.made)
    except TooDeep as error:
        raise Refused(400, "bad_json", f"the request's body is nested too deep: {error}") from None
    except ValueError as error:
        raise Refused(400, "bad_json", f"the request's body is not JSON: {type(error).__name__}") from None
    if not isinstance(found, dict):
        raise Refused(400, "bad_json", f"expected a JSON object, got {type(found).__name__}")
    if body.count(b",") > _MOST and _texts(found) > _MOST:
        raise _too_many()
    for name in found:
        if name not in _READ and name.casefold() in _READ:
            said = f"expected the name {name.casefold()!r}, got {name!r}: some services read it in any case"
            raise Refused(400, "bad_json", said)
    return found


class _Parts:
    """Makes the objects of a body, and counts them."""

    def __init__(self) -> None:
        self._made = 0

    def made(self, pairs: list[tuple[str, Any]]) -> Json:
        """An object of these pairs."""
        self._made += 1
        if self._made > _MOST:
            raise _too_many()
        found = dict(pairs)
        if len(found) < len(pairs):
            twice = next(name for name, times in Counter(name for name, _ in pairs).items() if times > 1)
            said = f"the request's body has a name twice in one object: {twice!r:.80}"
            raise Refused(400, "bad_json", said)
        return found


def _texts(value: Any) -> int:
    """How many texts are in lists: each may be taken for a message. Numbers, as in a text of tokens, are none."""
    if isinstance(value, dict):
        return sum(_texts(one) for one in value.values() if isinstance(one, dict | list))
    return sum(
        1 if isinstance(one, str) else _texts(one) for one in value if isinstance(one, dict | list | str)
    )


def _too_many() -> Refused:
    return Refused(
        413,
        "too_many_parts",
        f"expected a request's body of at most {_MOST:,} objects, as many texts in lists, {_MARKS[b'[']:,} lists, "
        f"{_MARKS[b':']:,} names and {_MARKS[b',']:,} numbers, got more: send fewer messages",
    )
