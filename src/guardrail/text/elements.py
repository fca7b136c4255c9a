"""Elements of HTML in a text, and the stretches of words between their tags."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

TAG = re.compile(
    r"<(?P<closes>/?)(?P<name>p|div|[uod]l|li|d[td]|table|thead|tbody|tfoot|t[rdh]|h[1-6]|blockquote|section|article|br|hr)\b[^<>]{0,400}>",
    re.IGNORECASE,
)
"""Tags that part words, unlike those of emphasis."""

_EMPTY = frozenset(["br", "hr"])
_ENDED_BY: Mapping[str, Collection[str]] = {
    **dict.fromkeys(["td", "th"], ("td", "th", "tr")),
    **dict.fromkeys(["dt", "dd"], ("dt", "dd")),
    **{name: (name,) for name in ("p", "li", "tr")},
}
"""Elements that need no closing tag: they end where one of these begins, or where their parent ends."""


@dataclass(slots=True, eq=False)
class Element:
    """An element, at `text[start:end]` with its tags, and what it is in; `content` is where its first tag ends."""

    name: str
    start: int
    content: int
    end: int = -1
    parent: Element | None = None
    inner: list[Element] = field(default_factory=list)

    def within(self, *names: str) -> Element | None:
        """It, or the innermost element around it, that has one of the names."""
        at: Element | None = self
        while at is not None and at.name not in names:
            at = at.parent
        return at


class Elements:
    """The elements of a text that are closed, in order, and what is between tags. Linear in the text.

    Example:
        >>> text = "<ul><li>One.<li>Two.</ul>Use <p> for more."
        >>> [text[one.start : one.end] for one in Elements(text).all]
        ['<ul><li>One.<li>Two.</ul>', '<li>One.', '<li>Two.']
    """

    def __init__(self, text: str) -> None:
        self.all: list[Element] = []
        bounds: list[tuple[int, int]] = []
        opened: list[Element] = []
        names: Counter[str] = Counter()
        for tag in TAG.finditer(text):
            name = tag["name"].lower()
            if name in _EMPTY:
                bounds.append(tag.span())
            elif not tag["closes"]:
                while opened and name in _ENDED_BY.get(opened[-1].name, ()):
                    self._close(opened.pop(), tag.start(), names)
                opened.append(Element(name, tag.start(), tag.end()))
                names[name] += 1
            elif names[name]:
                while opened[-1].name != name:
                    inner = opened.pop()
                    if inner.name in _ENDED_BY:
                        self._close(inner, tag.start(), names)
                    else:
                        names[inner.name] -= 1
                self._close(opened.pop(), tag.end(), names)
                bounds.append(tag.span())
        self._nest()
        bounds = sorted([*bounds, *((one.start, one.content) for one in self.all)])
        self._parted = list(self._segments(bounds, text))

    def _close(self, element: Element, end: int, names: Counter[str]) -> None:
        element.end = end
        names[element.name] -= 1
        self.all.append(element)

    def _nest(self) -> None:
        self.all.sort(key=lambda one: one.start)
        around: list[Element] = []
        for one in self.all:
            while around and around[-1].end <= one.start:
                around.pop()
            if around:
                one.parent = around[-1]
                around[-1].inner.append(one)
            around.append(one)

    @property
    def parts(self) -> bool:
        """Whether there is anything but one stretch of words."""
        return len(self._parted) > 1 or bool(self.all)

    def segments(self, start: int, end: int) -> Iterator[tuple[int, int, Element | None]]:
        """The stretches between tags, blank ones aside, that touch `text[start:end]`, each with the innermost element that it is in."""
        index = bisect_right(self._parted, start, key=lambda one: one[1])
        while index < len(self._parted) and self._parted[index][0] < end:
            yield self._parted[index]
            index += 1

    def before(self, position: int) -> tuple[int, int] | None:
        """The last stretch that ends before a position."""
        index = bisect_right(self._parted, position, key=lambda one: one[1]) - 1
        return self._parted[index][:2] if index >= 0 else None

    def _segments(
        self, bounds: list[tuple[int, int]], text: str
    ) -> Iterator[tuple[int, int, Element | None]]:
        at, index = 0, 0
        around: Element | None = None
        for first, last in [*bounds, (len(text), len(text))]:
            if first > at:
                while index < len(self.all) and self.all[index].start <= at:
                    around = self.all[index]
                    index += 1
                while around is not None and around.end <= at:
                    around = around.parent
                if text[at:first].strip():
                    yield at, first, around
            at = max(at, last)
