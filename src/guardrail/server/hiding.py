"""The server's own upstream key is made unreadable in everything that is handed on, however it is cut into pieces."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import Any

HIDDEN = "[key]"
_SHORTEST = 8
"""Shorter keys are placeholders of local servers ("none", "EMPTY"), which would be found inside ordinary words."""
_ESCAPE = 6
"""Bytes of a character as JSON may spell it: a backslash, "u" and four digits."""


class Hiding:
    """Replaces one key.

    Args:
        key: what nobody may see; `None` or a placeholder hides nothing.
    """

    def __init__(self, key: str | None) -> None:
        self._key = key if key is not None and len(key) >= _SHORTEST else ""
        self._bytes = self._key.encode()
        self._spelt = [(one.encode(), b"\\u%04x" % ord(one)) for one in self._key]
        either = (b"(?:%b|(?i:%b))" % (re.escape(plain), re.escape(escape)) for plain, escape in self._spelt)
        self._escaped = re.compile(b"".join(either))

    def written(self, text: bytes) -> bytes:
        """Without the key, also where JSON's escapes spell it."""
        if not self._bytes:
            return text
        text = text.replace(self._bytes, HIDDEN.encode())
        return self._escaped.sub(HIDDEN.encode(), text) if b"\\u" in text else text

    def json(self, value: Any) -> Any:
        """The same value without the key in any of its texts and names."""
        if not self._key:
            return value
        if isinstance(value, str):
            return value.replace(self._key, HIDDEN)
        if isinstance(value, list):
            return [self.json(one) for one in value]
        if isinstance(value, dict):
            return {self.json(name): self.json(one) for name, one in value.items()}
        return value

    async def parts(self, parts: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """The same bytes without the key; an end that may be the start of one waits for what follows."""
        kept = b""
        async for part in parts:
            kept = self.written(kept + part)
            cut = len(kept) - self._begun(kept)
            if cut:
                yield kept[:cut]
            kept = kept[cut:]
        if kept:
            yield kept

    def _begun(self, text: bytes) -> int:
        """How many bytes at the end of a text may be the start of a key."""
        longest = min(len(text), max(0, (_ESCAPE if b"\\" in text else 1) * len(self._bytes) - 1))
        starts = {self._bytes[:1], b"\\"}
        return next(
            (n for n in range(longest, 0, -1) if text[-n:][:1] in starts and self._begins(text[-n:])), 0
        )

    def _begins(self, text: bytes) -> bool:
        """Whether a text may be the start of a key."""
        for plain, escape in self._spelt:
            if text.startswith(plain):
                text = text[len(plain) :]
            elif text[:_ESCAPE].lower() == escape:
                text = text[_ESCAPE:]
            else:
                return escape.startswith(text.lower())
        return False
