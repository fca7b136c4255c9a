"""After a cut: nothing dangles."""

from __future__ import annotations

from guardrail.text.edits.cuts import Cut
from guardrail.text.edits.pairs import NESTED, matches

__all__ = ["tidy"]


def tidy(text: str, cut: Cut) -> Cut:
    """Take along what would dangle: brackets and quotes around nothing, spaces, commas, blank lines."""
    start, end = cut.start, cut.end
    for _ in range(NESTED):
        if start > 0 and end < len(text) and matches(text[start - 1], text[end]):
            start, end = start - 1, end + 1
    if start == 0 or text[start - 1] == "\n":
        end = _tidy_lines(text, start, end)
    else:
        start, end = _tidy_words(text, start, end)
    if end == len(text):
        while start > 0 and text[start - 1].isspace():
            start -= 1
    return Cut(start, end, cut.whys)


def _tidy_lines(text: str, start: int, end: int) -> int:
    """After a cut that begins a line: no indent is left, nor an empty line, nor two."""
    if text[end - 1] != "\n":
        while end < len(text) and text[end] in " \t\r":
            end += 1
        if end == len(text) or text[end] != "\n":
            return end
        end += 1
    if start == 0 or text.endswith(("\n\n", "\n\r\n"), 0, start):
        while end < len(text) and text[end] in "\r\n":
            end += 1
    return end


def _tidy_words(text: str, start: int, end: int) -> tuple[int, int]:
    """After a cut within a line: no doubled space or comma, no space before a full stop."""
    following = text[end] if end < len(text) else "\n"
    if following.isspace() or following in ".,;:!?)]}。，；：！？）":
        while text[start - 1] in " \t" and start > 1:
            start -= 1
    if following in ",;" and text[start - 1] in ",;:(（":
        end += 1
        while text[start - 1] in "(（" and end < len(text) and text[end] == " ":
            end += 1
    return start, end
