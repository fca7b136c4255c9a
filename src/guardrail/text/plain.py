r"""The plain text of an answer, with the place of each of its characters: without marks of citation, Markdown and HTML.

Everything is first written over in a text of the same length, with `GONE` in the place of what goes and `BORDER` where a
block of HTML begins or ends; so places never move.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from guardrail.text.citation_marks import citation_marks
from guardrail.text.markup import blanked
from guardrail.text.splicing import spliced

GONE, BORDER = "\x00", "\x1e"

_BLOCKS = (
    "address article aside blockquote body caption center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 "
    "head header hr html legend li main nav ol p pre section summary table tbody tfoot thead title tr ul"
)
_INLINE = (
    "a abbr b bdi bdo big cite code data del dfn em font i img ins kbd label mark q s samp small span strike strong sub sup td th time tt u var wbr "
    "answer response output result final"
)
_TAG = re.compile(
    rf"</?(?:(?P<block>{'|'.join(_BLOCKS.split())})|(?P<line>br)|(?P<cell>t[dh])|(?P<inline>{'|'.join(_INLINE.split())}))\b[^<>]*>",
    re.IGNORECASE,
)
_HIDDEN = re.compile(r"<!--.*?-->|<(script|style)\b[^<>]*>.*?</\1\s*>", re.IGNORECASE | re.DOTALL)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_HYPHENATED = re.compile(r"(?<=[^\W\d_])[-‐]\n[ \t]*(?=[^\W\d_A-Z])|\u00ad\n?[ \t]*|[\u200b\u2060\ufeff]")
_QUOTED = re.compile(r"^[ \t]*(?:>[ \t]?)+", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Plain:
    """A plain text, and where each of its characters is written; `places` is as long as `text`."""

    text: str
    places: Sequence[int]


def overwritten(text: str) -> str:
    """A text of the same length with `GONE` over everything that is no word of it.

    Example:
        >>> overwritten("**1904** [1]").replace(GONE, "_")
        '__1904__ ___'
    """
    if "<" in text:
        text = _HIDDEN.sub(_gone, text)
    text = spliced(text, ((start, end, GONE * (end - start)) for start, end in citation_marks(text)))
    if "<" in text:
        text = _TAG.sub(_tag, text)
    if "&" in text:
        text = _ENTITY.sub(_entity, text)
    return _QUOTED.sub(_gone, _HYPHENATED.sub(_gone, blanked(text, GONE)))


def _gone(match: re.Match[str]) -> str:
    return GONE * len(match[0])


def _tag(match: re.Match[str]) -> str:
    sign = BORDER if match["block"] or match["line"] else GONE
    if match["cell"] and match[0][1] != "/":
        sign = "|"
    return sign + GONE * (len(match[0]) - 1)


def _entity(match: re.Match[str]) -> str:
    said = html.unescape(match[0])
    return (
        said + GONE * (len(match[0]) - len(said))
        if len(said) <= len(match[0]) and said != match[0]
        else match[0]
    )


def plain(over: str, start: int = 0, end: int | None = None) -> Plain:
    """What is left of `over[start:end]`, a part of an overwritten text; a mark that goes takes the blank before it."""
    places: list[int] = []
    for place in range(start, len(over) if end is None else end):
        sign = over[place]
        if sign == GONE:
            continue
        if sign in ".,;:!?)]。，" and places and over[places[-1]].isspace() and over[place - 1] == GONE:
            places.pop()
        places.append(place)
    return Plain("".join(map(over.__getitem__, places)), places)


def plain_text(text: str) -> str:
    """A whole text without marks and markup, for comparing.

    Example:
        >>> plain_text("<p>It was **built** in 1904 [1].</p>")
        'It was built in 1904.'
    """
    return plain(overwritten(text)).text.replace(BORDER, "\n").strip()
