"""Whether a text still reads well after something was taken out of it or written into it, as far as a program can see."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

__all__ = ["flaws"]

_PAIRS = (("(", ")"), ("[", "]"), ("{", "}"), ("“", "”"), ("《", "》"), ("『", "』"))
_EMPTY_ITEM = re.compile(
    r"^[ \t]*(?:[-*•]|\d{1,3}[.)]|\[\^?\d{1,3}\]:?|\*\*[^*\n]{0,2}\*\*)[ \t]*$", re.MULTILINE
)
_SPACING = re.compile(r"(?<=\S)  +(?=\S)|(?<=\w) [,.;:](?=\s|$)|\n{4,}|\(\s*\)|,\s*,|\.\s\.(?!\.)")
_NUMBER = re.compile(r"^(?:\[(\d{1,2})\]|(\d{1,2})\.)[ \t]", re.MULTILINE)
_HEADING = re.compile(r"^(?:#{1,6} .+|\*\*[^*\n]{1,40}\*\*:?|References:?|[^\n]{3,80}:)$")
_NOTE, _NOTED = re.compile(r"\[\^(\w+)\](?!:)"), re.compile(r"^\[\^(\w+)\]:", re.MULTILINE)
_MARKER = re.compile(r"(?<=[\w.)]) \[(\d{1,2})\]")


def flaws(before: str, after: str) -> list[str]:
    """What is wrong with the text after that was not wrong before, in a few words each."""
    return list(_flaws(before, after))


def _flaws(before: str, after: str) -> Iterator[str]:
    if before.lstrip().startswith(("{", "[{")):
        try:
            json.loads(after)
        except ValueError as error:
            yield f"no JSON any more: {error}"
        return
    for opening, closing in _PAIRS:
        if after.count(opening) - after.count(closing) != before.count(opening) - before.count(closing):
            yield f"{opening} and {closing} do not match"
    for mark in ("**", '"', "```"):
        if after.count(mark) % 2 and not before.count(mark) % 2:
            yield f"{mark} does not close"
    for name, pattern in (("empty item", _EMPTY_ITEM), ("odd spacing", _SPACING)):
        if len(pattern.findall(after)) > len(pattern.findall(before)):
            yield name
    yield from _numbering(before, after)
    lines = [line for line in after.splitlines() if line.strip()]
    if lines and _HEADING.match(lines[-1].strip()):
        yield f"nothing below {lines[-1].strip()!r}"
    if {*_NOTE.findall(after)} != {*_NOTED.findall(after)}:
        yield "a footnote without its mark, or a mark without its footnote"
    entries = {one or two for one, two in _NUMBER.findall(after)}
    if entries and not {*_MARKER.findall(after)} <= entries:
        yield "a number that refers to no entry"


def _numbering(before: str, after: str) -> Iterator[str]:
    def numbers(text: str) -> list[int]:
        return [int(one or two) for one, two in _NUMBER.findall(text)]

    old, new = numbers(before), numbers(after)
    if old == [*range(1, len(old) + 1)] and new != [*range(1, len(new) + 1)]:
        yield f"numbers {new}"
