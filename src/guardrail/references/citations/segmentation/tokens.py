"""The tokens of a reference string: words with the punctuation around them, each with its place in the text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

__all__ = ["LONGEST", "Token", "tokenise"]

LONGEST = 2000
"""Characters of a string that are read; a longer string is no reference."""

_EAST = "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_CHUNK = re.compile(r"[^\s\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\x00-\x1f\x7f]+")
_ADDRESS = re.compile(r"https?://|www\.|doi:|10\.\d{4,9}/", re.IGNORECASE)
_BORDER = re.compile(
    r"(?<=[\d)][;:,])(?=[\d(])"  # 2019;381:1995
    r"|(?<=\d)(?=\(\d)|(?=\((?:1[4-9]|20)\d\d\))|(?<=年)(?=第)"  # 12(3), 철수(2010), 2003年第5期
    r"|(?=\[[A-Z]{1,2}(?:/OL)?\])"  # GB/T 7714: a title[J]
    r"|(?<=\]\.)(?=\w)|(?<=//)(?=\w)|(?<=\])(?=\()|(?<=^\[\d\])(?=\w)|(?<=^\[\d\d\])(?=\w)"  # [J].Journal, [title](address), [1]A
    r"|(?<=[，。；：、．》』」）】])(?=[^，。；：、．,.;:])|(?=[《『「（【])"
    rf"|(?<=[{_EAST}][.,;:])(?=\S)|(?<=[A-Za-z\d][.,])(?=[{_EAST}])"
)


@dataclass(frozen=True, slots=True)
class Token:
    """`text` stands at `start:end` of the string."""

    text: str
    start: int
    end: int


def tokenise(text: str) -> list[Token]:
    """Words at blanks, and where signs part fields without a blank: 2019;381:1995, 综述[J], 『…』岩波書店.

    Args:
        text: of which the first `LONGEST` characters are read.

    Example:
        >>> [token.text for token in tokenise("刘峤, 等. 知识图谱综述[J]. 软件学报, 2016,53(3):582.")]
        ['刘峤,', '等.', '知识图谱综述', '[J].', '软件学报,', '2016,', '53', '(3):', '582.']
    """
    tokens = []
    for chunk in _CHUNK.finditer(text[:LONGEST]):
        word, start = chunk[0], chunk.start()
        address = _ADDRESS.search(word)
        whole = address.start() if address else len(word) - 1  # from here on nothing is parted
        edges = [
            0,
            *(at for border in _BORDER.finditer(word) if 0 < (at := border.start()) <= whole),
            len(word),
        ]
        tokens += [Token(word[a:b], start + a, start + b) for a, b in pairwise(edges) if b > a]
    return tokens
