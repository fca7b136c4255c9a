"""The lines of an answer, and what stands for lines: HTML items, and several numbered references in a row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

__all__ = ["Line", "lines"]

_LINE = re.compile(r"([\r\n]{3,}+)|([^\r\n]*+)(?:\r\n|\n|\r|\Z)")
_FENCE = re.compile(r"[ \t]*+(?:>[ \t]?)?(?:```|~~~)`{0,8}[ \t]{0,8}(?P<tag>[\w+#.-]{0,20})")
_READABLE = frozenset(
    ["", "text", "txt", "plaintext", "plain", "markdown", "md", "html", "bibtex", "bib", "latex", "tex"]
)
_CODE = re.compile(
    r"\s*+(?:(?:import|from|def|class|for|while|if|return|print|const|let|var|function|SELECT|sudo|pip|npm|git|cd)\s"
    r"|[$>%]\s|//|/\*|[{}\[\]()]+$)|[^\r\n]{0,200}?(?:[;{}]\s*$|\b\w+\s?=\s?\S|\w\([^()]{0,80}\)\s*$)"
)
_TAG = re.compile(r"</?(?P<tag>li|ol|ul|br|p|div|td|th|tr|table|tbody|thead)\b[^<>]{0,200}>", re.IGNORECASE)
_NUMBER = re.compile(
    r"(?<!\S)(?:\[(?P<square>\d{1,3})\]|\((?P<round>\d{1,3})\)|(?P<dot>\d{1,3})\.|(?P<half>\d{1,3})\))"
    r"[ \t]{1,8}(?=[^\W\d_a-z]|[\"“«《*'‘_\[])"
)
_TWO_DIGITS = re.compile(r"[0-9][^0-9]*[0-9]")
_BEFORE_NUMBER = re.compile(r"(?:[.)\]\"”»?!;,:*_])\s*$")
_COUNTED = re.compile(
    r"\b(?:vol|no|pp?|ed|eds|ch|chap|part|pt|chapter|volume|book|issue|series|fig|sec)\.?\s*$", re.IGNORECASE
)


class Line(NamedTuple):
    """A line at `text[start:end]`; the next one begins at `stop`."""

    start: int
    end: int
    stop: int
    text: str
    code: bool = False

    @property
    def blank(self) -> bool:
        """Whether nothing stands on it."""
        return not self.text.strip()


def lines(text: str) -> list[Line]:
    r"""The lines of a text; those of fenced code are marked, unless the fence holds plain text.

    Example:
        >>> [(line.text, line.stop) for line in lines("a\r\nb")]
        [('a', 3), ('b', 4)]
        >>> [line.text for line in lines("<ol><li>One</li><li>Two</li></ol>")]
        ['<li>One', '<li>Two']
        >>> [line.text for line in lines("References: [1] One. [2] Two.")]
        ['References: ', '[1] One. ', '[2] Two.']
    """
    rows: list[Line] = []
    for match in _LINE.finditer(text):
        if match.end() == match.start():
            continue
        if match[1]:  # a run of empty lines is kept as one
            rows.append(Line(match.start(), match.start(), match.end(), match[1]))
        else:
            rows.append(Line(match.start(), match.end(2), match.end(), match[2]))
    rows = _without_code(rows)
    result: list[Line] = []
    for number, row in enumerate(rows):
        following = rows[number + 1].text if number + 1 < len(rows) else ""
        result += [row] if row.code else _split(row, following)
    return result


def _without_code(rows: Sequence[Line]) -> list[Line]:
    result = list(rows)
    opened: int | None = None
    for number, row in enumerate(rows):
        if _FENCE.match(row.text) is None:
            continue
        result[number] = row._replace(code=True)
        if opened is None:
            opened = number
        else:
            _mark(result, opened, number)
            opened = None
    if opened is not None:
        _mark(result, opened, len(rows))
    return result


def _mark(rows: list[Line], opened: int, closed: int) -> None:
    """Mark the lines of a fence as code, unless they are plain text."""
    fence = _FENCE.match(rows[opened].text)
    inner = [row for row in rows[opened + 1 : closed] if not row.blank]
    readable = fence is not None and fence["tag"].lower() in _READABLE
    coded = sum(_CODE.match(row.text) is not None for row in inner)
    if readable and (fence is None or fence["tag"] or coded <= 0.25 * len(inner)):
        return
    for number in range(opened + 1, closed):
        rows[number] = rows[number]._replace(code=True)


def _split(row: Line, following: str) -> list[Line]:
    """A line in its parts, where HTML or numbers divide it."""
    parts = _by_tags(row) if "<" in row.text else [row]
    return [piece for part in parts for piece in _by_numbers(part, following)]


def _by_tags(row: Line) -> list[Line]:
    pieces: list[tuple[int, int]] = []
    at = 0
    for tag in _TAG.finditer(row.text):
        if tag.start() > at:
            pieces.append((at, tag.start()))
        at = tag.start() if tag["tag"].lower() == "li" and tag[0][1] != "/" else tag.end()
    if at == 0:
        return [row]
    if at < len(row.text):
        pieces.append((at, len(row.text)))
    return _pieces(row, [piece for piece in pieces if row.text[slice(*piece)].strip()])


def _by_numbers(row: Line, following: str) -> list[Line]:
    """The references of a line such as "References: [1] … [2] …"."""
    if not _TWO_DIGITS.search(row.text, 0, 2000):
        return [row]
    cuts = list(_chain(row.text))
    if len(cuts) < 2:
        return [row]
    after = _NUMBER.match(following.lstrip())
    if after and after[0].strip() == _NUMBER.match(row.text, cuts[1])[0].strip():  # type: ignore[index]
        return [row]  # the list goes on below: the number in this line is part of its item
    edges = [0, *[cut for cut in cuts if cut], len(row.text)]
    return _pieces(row, list(pairwise(edges)))


def _chain(text: str) -> Iterator[int]:
    """Where the numbers 1, 2, 3 … of one kind stand."""
    kind, last = "", 0
    for match in _NUMBER.finditer(text):
        value = int(match[match.lastgroup or ""])
        before = text[max(0, match.start() - 12) : match.start()]
        if not kind:
            if value == 1 or not text[: match.start()].strip():
                kind, last = match.lastgroup or "", value
                yield match.start()
            continue
        sure = match.lastgroup != "dot" or _BEFORE_NUMBER.search(before)
        if match.lastgroup == kind and value == last + 1 and sure and not _COUNTED.search(before):
            last = value
            yield match.start()


def _pieces(row: Line, pieces: Sequence[tuple[int, int]]) -> list[Line]:
    """Parts of a line as lines; each goes on to where the next begins."""
    result: list[Line] = []
    for number, (start, end) in enumerate(pieces):
        stop = row.start + pieces[number + 1][0] if number + 1 < len(pieces) else row.stop
        result.append(Line(row.start + start, row.start + end, stop, row.text[start:end]))
    return result
