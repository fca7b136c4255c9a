"""How many bytes of forbidden texts are in what was released, also where they are escaped or come in parts."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Sequence
from urllib.parse import unquote

from guardrail.errors import ConfigError

FORBIDDEN = ("Zyxwick Vörblatt", "qwumbo.jaxterby@kyptholm.org")
"""Two texts that nobody writes by chance: one with a letter beyond ASCII, and an e-mail address."""

_ESCAPE = re.compile(r"(?:\\+u[0-9a-fA-F]{4})+")


class Forbidden:
    """Texts that must not be released.

    Args:
        texts: which; each has at least `fragment` characters.
        fragment: how many characters in a row count as a part that got out.

    Raises:
        ConfigError: a text is shorter than a fragment, or there is none.
    """

    def __init__(self, texts: Sequence[str] = FORBIDDEN, fragment: int = 6) -> None:
        if isinstance(texts, str) or not texts:
            raise ConfigError(f"expected a list of forbidden texts, got {texts!r}: write [{texts!r}]")
        if short := next((text for text in texts if len(text) < fragment), None):
            raise ConfigError(
                f"expected texts of at least {fragment} characters, got {short!r}: give a longer one"
            )
        self.texts = tuple(texts)
        self._fragment = fragment

    @property
    def size(self) -> int:
        """Bytes of all texts together, in UTF-8."""
        return sum(len(text.encode()) for text in self.texts)

    def disclosed(self, view: str) -> frozenset[tuple[int, int]]:
        """The characters that a text gives away, each as (which forbidden text, place in it)."""
        found: set[tuple[int, int]] = set()
        for written in variants(view):
            for number, text in enumerate(self.texts):
                for start in range(len(text) - self._fragment + 1):
                    if text[start : start + self._fragment] in written:
                        found.update((number, start + i) for i in range(self._fragment))
        return frozenset(found)

    def counted(self, disclosed: frozenset[tuple[int, int]]) -> int:
        """Bytes of these characters, in UTF-8."""
        return sum(len(self.texts[number][place].encode()) for number, place in disclosed)


def variants(text: str) -> Iterator[str]:
    """A text as it is and without escapes: of JSON (also twice escaped), of URLs and of HTML."""
    yield text
    if "\\u" in text:
        yield _ESCAPE.sub(_unescaped, text)
    if "%" in text:
        yield unquote(text)
    if "&" in text:
        yield html.unescape(text)


def _unescaped(found: re.Match[str]) -> str:
    try:
        return str(json.loads('"' + re.sub(r"\\+u", r"\\u", found[0]) + '"'))
    except ValueError:  # half of a character
        return found[0]
