"""Reading past what a reader does not see, so that it hides no reference: control and invisible characters."""

from __future__ import annotations

import re
from dataclasses import replace

from guardrail.references.citations.model import Citation
from guardrail.report import Span

__all__ = ["placed", "visible"]

_UNSEEN = re.compile(
    r"\x1b\[[0-9;?]{0,32}[ -/]?[@-~]"  # a terminal's control sequence
    r"|[\x00-\x08\x0e-\x1f\x7f\x80-\x84\x86-\x9f]"  # control characters, but for blanks and line ends
    # default-ignorable code points (Unicode, DerivedCoreProperties), and the annotation marks
    r"|[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    r"\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    r"\U000e0000-\U000e0fff]"
    # an emoji's variation selector is seen, it belongs to the sign before it
    r"|(?<![\u2190-\u2bff\U0001f000-\U0001faff])[\ufe0e\ufe0f]"
)


def visible(text: str) -> tuple[str, list[int] | None]:
    r"""The text without what is not seen, and where each of its characters stood; `None` if nothing was.

    Example:
        >>> visible("A\u200bB")
        ('AB', [0, 2])
    """
    if _UNSEEN.search(text) is None:
        return text, None
    pieces, places, end = [], list[int](), 0
    for match in _UNSEEN.finditer(text):
        pieces.append(text[end : match.start()])
        places.extend(range(end, match.start()))
        end = match.end()
    pieces.append(text[end:])
    places.extend(range(end, len(text)))
    return "".join(pieces), places


def placed(citation: Citation, places: list[int]) -> Citation:
    """A citation of the visible text, where it stands in the whole one."""

    def back(span: Span) -> Span:
        if span.start == span.end:
            start = places[span.start] if span.start < len(places) else len(places)
            return Span(start=start, end=start)
        return Span(start=places[span.start], end=places[span.end - 1] + 1)

    means = None if citation.means is None else back(citation.means)
    return replace(citation, span=back(citation.span), means=means)
