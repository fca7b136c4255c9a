"""Marks of Markdown within a line: the text between them, and the text without them."""

from __future__ import annotations

import re

PAIRED = re.compile(
    r"!?\[(?P<link>(?=(?:(?![\[\]\n])[\W\d_])*[^\W\d_])[^\[\]\n]+)\](?:\([^()\s]*(?:\([^()\s]*\)[^()\s]*)?(?:[ \t]+\"[^\"\n]*\")?\)|\[[^\[\]\n]*\])"
    r"|(?P<ticks>`{1,3})(?P<code>[^`\n]+)(?P=ticks)"
    r"|<(?P<tag>b|i|u|em|strong|mark|span)\b[^<>\n]*>(?P<tagged>[^<>\n]+)</(?P=tag)>"
    r"|(?<![\w*\\])(?P<stars>\*{1,3})(?P<starred>(?! )[^*\n]+)(?<![ \\])(?P=stars)(?![\w*])"
    r"|(?<![\w\\])(?P<lines>_{1,3})(?P<lined>(?! )[^_\n]+)(?<![ \\])(?P=lines)(?!\w)"
)
"""Links, code, tags and emphasis; the last group that matched has the text between. Linear in the text."""

DEPTH = 4
"""Marks within marks that are read."""


def blanked(text: str, sign: str = " ") -> str:
    r"""The text with blanks, or another sign, in the place of marks and of the addresses of links, so that nothing moves.

    Example:
        >>> blanked("**Paris**: [Rome](x), 2*3*4, snake_case")
        '  Paris  :  Rome    , 2*3*4, snake_case'
    """

    def content(match: re.Match[str]) -> str:
        kind = match.lastgroup or ""
        return (
            sign * (match.start(kind) - match.start()) + match[kind] + sign * (match.end() - match.end(kind))
        )

    for _ in range(DEPTH):
        before, text = text, PAIRED.sub(content, text)
        if text == before:
            break
    return text
