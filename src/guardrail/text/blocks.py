"""Blocks of a text that are not prose: code between fences, BibTeX entries, displayed formulas."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})")
_BIBTEX = re.compile(r"^[ \t]*@[A-Za-z]+\s*\{\s*+([^\s,{}\"]{0,200})\s*+,", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class VerbatimBlock:
    """Lines that are not prose: `text[start:end]`, without the last line's end."""

    start: int
    end: int
    kind: Literal["code", "bibtex", "math"]
    indent: str = ""
    key: str = ""
    closing: str = ""  # the fence that would close a code block which the text leaves open


def code_blocks(text: str, lines: Iterable[tuple[int, int]]) -> Iterator[VerbatimBlock]:
    """The content of fences; a fence that is never closed reaches to the end of the text."""
    opened: tuple[int, str, str] | None = None
    for start, end in lines:
        match = _FENCE.match(text, start, end)
        if match is None:
            continue
        fence = match.group(1)
        if opened is None:
            opened = (start, fence, text[start : match.start(1)])
        elif (
            fence[0] == opened[1][0] and len(fence) >= len(opened[1]) and not text[match.end() : end].strip()
        ):
            yield VerbatimBlock(opened[0], match.end(), "code", opened[2])
            opened = None
    if opened is not None:
        yield VerbatimBlock(opened[0], len(text), "code", opened[2], closing=opened[1])


def entries(text: str) -> Iterator[VerbatimBlock]:
    """BibTeX entries, wherever they are."""
    matches = list(_BIBTEX.finditer(text))
    for i, match in enumerate(matches):
        limit = matches[i + 1].start() if i + 1 < len(matches) else len(text)
        start = text.index("@", match.start())
        end = _balanced(text, text.index("{", start), limit)
        yield VerbatimBlock(start, end, "bibtex", text[match.start() : start], match.group(1))


def _balanced(text: str, start: int, limit: int) -> int:
    depth = 0
    for i in range(start, limit):
        if text[i] == "{":
            depth += 1
        elif text[i] == "}":
            depth -= 1
            if depth == 0:
                return i + 1
    blank = text.find("\n\n", start, limit)
    fence = text.find("\n```", start, limit)
    stops = [stop for stop in (blank, fence) if stop >= 0]
    return min(stops) if stops else start + len(text[start:limit].rstrip())


def formulas(text: str) -> Iterator[VerbatimBlock]:
    r"""Displayed formulas: `$$ … $$` and `\\[ … \\]`."""
    for opening, closing in (("$$", "$$"), ("\\[", "\\]")):
        start = text.find(opening)
        while start >= 0:
            end = text.find(closing, start + 2)
            if end < 0:
                break
            yield VerbatimBlock(start, end + 2, "math")
            start = text.find(opening, end + 2)


def outermost(blocks: Iterable[VerbatimBlock]) -> list[VerbatimBlock]:
    """The blocks in order, without those that begin inside an earlier one."""
    found: list[VerbatimBlock] = []
    for block in sorted(blocks, key=lambda block: block.start):
        if not found or found[-1].end <= block.start:
            found.append(block)
    return found


def overlaps(block: VerbatimBlock, others: list[VerbatimBlock]) -> bool:
    """Whether the block shares a character with one of `others`, which are disjoint and in order."""
    index = bisect_left(others, block.end, key=lambda other: other.start) - 1
    return index >= 0 and block.start < others[index].end
