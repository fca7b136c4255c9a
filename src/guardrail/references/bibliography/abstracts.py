"""Abstracts: as plain text of bounded length, and in a table of their own, which no look-up of a reference reads."""

from __future__ import annotations

import html
import json
import re
import sqlite3
import zlib
from collections.abc import Mapping, Sequence

from guardrail.references.authors.words import word_set

LONGEST = 5_000
"""Characters of an abstract that are kept; the median has 1,300."""

_READ = 10 * LONGEST  # characters that are looked at: markup is several times as long as the words
_WORDS = 2_000  # of an abstract that comes as words with their positions
_NAME = r"[A-Za-z][\w:.-]{0,40}"
_VALUE = r"(?:\"[^\"<>]{0,500}\"|'[^'<>]{0,500}'|[^\s\"'<>]{1,500})"
_TAG = re.compile(
    rf"</?(?P<name>{_NAME})(?:\s{{1,9}}[\w:.-]{{1,40}}\s{{0,9}}=\s{{0,9}}{_VALUE}){{0,20}}\s{{0,9}}/?>|<!\[CDATA\[|\]\]>"
)
_PARAGRAPHS = re.compile(r"\n\s*\n")
_BLOCKS = word_set("abstract br dd div dt h1 h2 h3 h4 label li list list-item p sec title")
_HEADING = re.compile(
    r"\s{0,9}(?:abstract|summary)\s{0,9}(?:[.:—–\n]|-\s)[\s.:—–-]{0,9}(?=\S)", re.IGNORECASE
)


def plain_abstract(text: object) -> str:
    r"""An abstract without tags of HTML and JATS and without its heading, a block a line; the first `LONGEST` characters; "" of what is no text.

    Example:
        >>> plain_abstract("<jats:title>Abstract</jats:title><jats:p>H<jats:sub>2</jats:sub>O &amp; ice, p &lt; 0.05.</jats:p>")
        'H2O & ice, p < 0.05.'
    """
    if not isinstance(text, str):
        return ""
    text = text[:_READ]
    if "<" not in text and "&" in text:  # markup that was escaped once more: "&lt;p&gt;We …"
        text = html.unescape(text)
    text = "\n".join(" ".join(part.split()) for part in _PARAGRAPHS.split(text))  # lines may be wrapped
    text = html.unescape(_TAG.sub(_instead, text))
    return bounded(_HEADING.sub("", text, count=1) if _HEADING.match(text) else text)


def _instead(match: re.Match[str]) -> str:
    name = (match["name"] or "").rpartition(":")[2].lower()
    return "\n" if name in _BLOCKS else ""


def from_positions(index: object) -> str:
    """An abstract that OpenAlex gives as words with their positions; "" for anything else.

    Example:
        >>> from_positions({"water": [1], "Heat": [0], "boils": [2]})
        'Heat water boils'
    """
    if not isinstance(index, Mapping):
        return ""
    placed: list[tuple[int, str]] = []
    for word, places in index.items():
        if isinstance(word, str) and isinstance(places, list):
            placed += [(place, word) for place in places[:_WORDS] if type(place) is int and place >= 0]
        if len(placed) > 10 * _WORDS:  # of a hostile file: nobody has so many words
            break
    return plain_abstract(" ".join(word for _, word in sorted(placed)[:_WORDS]))


def bounded(text: str) -> str:
    """A text in lines of single blanks, without what cannot be printed; the first `LONGEST` characters."""
    shown = "".join(one if one.isprintable() or one == "\n" else " " for one in text[:_READ])
    lines = (" ".join(line.split()) for line in shown.split("\n"))
    return "\n".join(line for line in lines if line)[:LONGEST].rstrip()


def store_abstracts(connection: sqlite3.Connection, abstracts: Mapping[int, str]) -> int:
    """Enter the abstracts of works that have none yet, by the identities of the works; returns how many were new.

    The table is made with the first: an index without abstracts has none, and older versions read one that has it.
    """
    if not abstracts:
        return 0
    connection.execute("CREATE TABLE IF NOT EXISTS abstracts (work INTEGER PRIMARY KEY, text BLOB NOT NULL)")
    rows = connection.execute(
        "SELECT id, identity FROM works WHERE identity IN (SELECT value FROM json_each(?))",
        (json.dumps(list(abstracts)),),
    ).fetchall()
    before = connection.total_changes
    connection.executemany(
        "INSERT OR IGNORE INTO abstracts VALUES (?, ?)",
        ((number, zlib.compress(abstracts[identity].encode())) for number, identity in sorted(rows)),
    )
    return connection.total_changes - before


def read(connection: sqlite3.Connection, works: Sequence[int]) -> dict[int, str]:
    """The abstracts of those works, given by their numbers, that have one."""
    there = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'abstracts'").fetchone()
    if not there:
        return {}
    rows = connection.execute(
        "SELECT work, text FROM abstracts WHERE work IN (SELECT value FROM json_each(?))",
        (json.dumps(list(works)),),
    )
    return {number: _unpacked(packed) for number, packed in rows}


def _unpacked(packed: bytes) -> str:
    """What was stored, "" if it is damaged; bounded, since a file may have been made by somebody else."""
    try:
        text = zlib.decompressobj().decompress(packed, 8 * LONGEST)
    except zlib.error:
        return ""
    return text.decode("utf-8", "replace")[:LONGEST]
