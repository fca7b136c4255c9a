"""After a cut: nothing dangles."""

from __future__ import annotations

import re

from guardrail.policies.edits.cuts import Cut
from guardrail.policies.edits.pairs import NESTED, matches
from guardrail.text.layout import Layout

_BREAK = re.compile(r"[ \t]*<br[ \t]*/?>", re.IGNORECASE)
_BREAK_BEFORE = re.compile(r"<br[ \t]*/?>\s*\Z", re.IGNORECASE)
_TAG_BEFORE = re.compile(r">\s*\Z|\n\Z|\A\Z")
_MARGIN = 40  # characters before a cut in which a line break of HTML is looked for
_BLANK = re.compile(r"\s{0,600}")


def tidy(layout: Layout, cut: Cut) -> Cut:
    """Take along what would dangle: brackets and quotes around nothing, spaces, commas, blank lines."""
    text = layout.text
    start, end = cut.start, cut.end
    for _ in range(NESTED):
        if start > 0 and end < len(text) and matches(text[start - 1], text[end]):
            start, end = start - 1, end + 1
    if layout.html is not None:
        start, end = _tidy_breaks(text, start, end)
    if start == 0 or text[start - 1] == "\n":
        end = _tidy_lines(text, start, end)
        start, end = _tidy_code(layout, start, end)
    else:
        start, end = _tidy_words(text, start, end)
    if end == len(text):
        while start > 0 and text[start - 1].isspace():
            start -= 1
    return Cut(start, end, cut.whys)


def _tidy_breaks(text: str, start: int, end: int) -> tuple[int, int]:
    """A line of HTML goes with one `<br>`: the one behind it, or, at the end of its element, the one before it."""
    before = text[max(start - _MARGIN, 0) : start]
    behind = _BREAK.match(text, end)
    if behind is not None and _TAG_BEFORE.search(before):
        return start, behind.end()
    found = _BREAK_BEFORE.search(before)
    if found is not None and (text[end : end + 1] in {"", "\r", "\n"} or text.startswith("</", end)):
        return start - len(before) + found.start(), end
    return start, end


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


def _tidy_code(layout: Layout, start: int, end: int) -> tuple[int, int]:
    """Within a code block: no blank lines at its beginning or end."""
    text = layout.text
    block = layout.block_at(start)
    if block is None or block.kind != "code" or end > block.end:
        return start, end
    body = text.find("\n", block.start, block.end) + 1
    closing = block.end if block.closing else text.rfind("\n", block.start, block.end) + 1
    if _blank_end(text, body) >= start >= body:
        while end < closing and text[end] in "\r\n":
            end += 1
    if start > body and _blank_end(text, end) >= closing >= end:
        start = body + len(text[body:start].rstrip())
        start += 1 if start > body else 0
    return start, end


def _blank_end(text: str, start: int) -> int:
    match = _BLANK.match(text, start)
    return match.end() if match else start


def _tidy_words(text: str, start: int, end: int) -> tuple[int, int]:
    """After a cut within a line: no doubled space or comma, no space before a full stop."""
    following = text[end] if end < len(text) else "\n"
    if following.isspace() or following in ".,;:!?)]}。，；：！？）" or text.startswith("</", end):
        while text[start - 1] in " \t" and start > 1:
            start -= 1
    if following in ",;" and text[start - 1] in ",;:(（":
        end += 1
        while text[start - 1] in "(（" and end < len(text) and text[end] == " ":
            end += 1
    return start, end
