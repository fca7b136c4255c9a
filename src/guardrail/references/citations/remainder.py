"""What is left to read of a text with JSON in it: the prose around, and the strings that are no fields of a reference."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from guardrail.references.citations.keys import Field, meaning
from guardrail.references.citations.values import TEXTS
from guardrail.text.json_values import Value, decoded

__all__ = ["IDENTIFIERS", "Left", "prefix", "strings"]

IDENTIFIERS: dict[Field, str] = {"doi": "doi:", "arxiv": "arXiv:", "pmid": "PMID ", "isbn": "ISBN "}
"""What is written before an identifier, by the field that has it."""

_NAME = re.compile(r"[\w.:+-]{1,40}")  # a word or a code, which is no sentence


def strings(
    root: Value, references: Mapping[int, Any], told: Mapping[int, Value]
) -> Iterator[tuple[Value, str]]:
    """The strings outside of references, each with what introduces it: a list marker, or what kind of identifier it is.

    Args:
        root: the whole.
        references: the objects that are references.
        told: of those that say in one string what they cite, the string.
    """
    left = [root]
    while left:
        value = left.pop()
        if value.kind in TEXTS:
            yield value, _introduction(value)
        elif id(value) in told:
            yield told[id(value)], "References:\n- "
        elif id(value) not in references:
            left.extend(reversed(value.inner))


def _introduction(value: Value) -> str:
    if value.named >= 0:
        return prefix(value.key)
    row = value.parent
    if row is None or meaning(row.key).listing != "references":
        return ""
    return "References:\n- " if row.inner[0] is value else "- "


class Left:
    """What is left to read of a text, built up piece by piece."""

    def __init__(self, text: str) -> None:
        self.whole = text
        self.parts: list[str] = []
        self.pieces: list[tuple[int, Sequence[int]]] = []
        self.length = 0
        self.at = 0  # up to here the whole text was dealt with

    def skip(self, start: int, end: int) -> None:
        """Keeps the text before `start`, and leaves out what comes then, up to `end`."""
        if start > self.at or not self.pieces:
            self._add(self.whole[self.at : start], range(self.at, max(start, self.at) + 1))
        self._between("\n\n")
        self.at = max(end, self.at)

    def say(self, value: Value, introduction: str) -> None:
        """Adds a string as a paragraph, or as an item of a list; a single word says nothing."""
        if not introduction and _NAME.fullmatch(self.whole, value.start + 1, value.end - 1):
            return
        self._between(introduction)
        if value.kind == "word":
            self._add(self.whole[value.start : value.end], range(value.start, value.end + 1))
        else:
            string = decoded(self.whole, value.start, value.end)
            self._add(string.text, string.places)
        self._between("\n" if introduction.endswith("- ") else "\n\n")

    def _between(self, words: str) -> None:
        self.parts.append(words)
        self.length += len(words)

    def _add(self, words: str, places: Sequence[int]) -> None:
        self.pieces.append((self.length, places))
        self._between(words)


def prefix(key: str) -> str:
    """What is written before an identifier of the kind that a key names."""
    name = meaning(key).field
    return "" if name is None else IDENTIFIERS.get(name, "")
