"""What an edit says: on one line, bounded, and harmless wherever it lands."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_UNSAFE = re.compile(
    r"[\[\]<>`*_|{}\\@#!\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]"
)


def flattened(text: str, limit: int = 120) -> str:
    r"""Text on one line without control characters, cut at `limit`.

    Example:
        >>> flattened("a  b\n\nc\x00", 4)
        'a b…'
    """
    kept = "".join(c if unicodedata.category(c)[0] != "C" else " " for c in text[: limit * 4])
    flat = " ".join(kept.split())
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"


def plain(mark: str, limit: int = 120) -> str:
    """A mark that can neither end its brackets nor be read as Markdown, HTML or BibTeX.

    Example:
        >>> plain("authors differ: [x](http://a) <b>")
        'authors differ: x (http://a) b'
    """
    return flattened(_UNSAFE.sub(" ", mark), limit)


def joined_once(parts: Iterable[str]) -> str:
    """Each of the parts once, between semicolons."""
    return "; ".join(dict.fromkeys(part for part in parts if part))
