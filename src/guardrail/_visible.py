"""Text for people, from whom nothing may be hidden: what an answer contains steers no terminal."""

from __future__ import annotations

import re

# Control characters, writing direction, line separators, tags, halves of surrogate pairs: whatever can move the
# cursor, hide text or show it in another order.
STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    r"""The text with what could steer a terminal written out; line ends and tabs stay.

    Example:
        >>> visible("a\x1b[31mb\r\nc")
        'a\\x1b[31mb\nc'
    """
    return STEERING.sub(lambda found: _named(found[0]), text.replace("\r\n", "\n"))


def one_line(text: str, longest: int | None = None) -> str:
    """The text on one line, cut with an ellipsis if it is longer than `longest`."""
    line = " ".join(visible(text).split())
    return line if longest is None or len(line) <= longest else line[: longest - 1].rstrip() + "…"


def _named(letter: str) -> str:
    code = ord(letter)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
