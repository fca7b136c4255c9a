"""BibTeX's grammar: the entries of a text, with their places; for files, and for answers that have entries in them.

Read as BibTeX reads: braces count wherever they are, "#" joins, an abbreviation is known from its definition on, a repeated field
is ignored. What BibTeX gives up on is read as far as it goes, and the entry says what is wrong with it. Time is linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

LONGEST_STRING = 2_000  # characters of an abbreviation: they may be built of each other
LONGEST_JOINED = 50_000  # characters of a value with "#"
LONGEST_OPEN = 4_000  # characters of an entry that nothing closes

START = re.compile(r"@[ \t]{0,8}([A-Za-z]\w{0,40})\s{0,8}[{(]")
KEY = re.compile(r"\s*+([^,={}\"#@]{0,300}+)(?:,|(?=[})]))")
NAME = re.compile(r"([A-Za-z][^\s\"#%'(),={}]{0,60}+)\s*+=\s*+")
BARE = re.compile(r"[^\s\"#%'(),={}]{1,100}+")
JOINED = re.compile(r"\s*+#\s*+")
BETWEEN = re.compile(r"[\s,]*+")
BRACE = re.compile(r"[{}]")
# BibTeX ends a value also at the sign of an accent, \"a, and then gives up; nothing is lost by reading on.
QUOTED = re.compile(r"\\\"(?!\s{0,9}[,#})])|[\"{}]")
_FIELD = r"[A-Za-z][\w-]{1,30}\s{0,9}=\s{0,9}[\"{\w]"
FURTHER = re.compile(rf"[,\n][ \t]{{0,40}}+(?={_FIELD})")
# A line with the next field within a value, in an entry that nothing closes: a brace is missing before it.
RUNAWAY = re.compile(rf"\n[ \t]{{0,40}}+(?={_FIELD})")
# Where an entry ends that nothing closes: at an empty line, the end of a block of code, the next entry.
BREAK = re.compile(r"\n[ \t]*+(?:\r?\n|@[ \t]*[A-Za-z])|```|~~~|@[A-Za-z]{2,30}[ \t]{0,8}[{(]")


@dataclass(slots=True)
class Entry:
    """An entry as it is written.

    Attributes:
        kind: the word behind "@", in lower case.
        key: its name, "" if it has none.
        start, end: where it is in the text.
        fields: raw values by names in lower case, joined and with abbreviations replaced.
        closed: whether its last brace or parenthesis is there.
        fault: what is wrong, "" if nothing is; `fields` are then those that could be read.
    """

    kind: str
    key: str
    start: int
    end: int
    fields: dict[str, str] = field(default_factory=dict)
    closed: bool = False
    fault: str = ""


def entries(text: str, strings: dict[str, str]) -> Iterator[Entry]:
    """The entries of a text, in order.

    Args:
        text: any text.
        strings: the abbreviations known so far, by names in lower case; those that the text defines are added.

    Example:
        >>> [one] = entries('@string{a = "Acta "} @book{k, title = a # {B}, year = 2001}', {})
        >>> one.kind, one.key, one.fields
        ('book', 'k', {'title': 'Acta B', 'year': '2001'})
    """
    starts = list(START.finditer(text))
    reader = _Reader(text, strings) if starts else None
    at = 0
    for match in starts:
        kind = match[1].lower()
        if reader is None or match.start() < at or kind in {"comment", "preamble"}:
            continue  # of a comment BibTeX passes over the word alone, and reads the entries in it
        entry = reader.entry(Entry(kind, "", match.start(), match.end()))
        at = entry.end
        if kind != "string":
            yield entry
        elif not entry.fault:
            strings.update((name, value[:LONGEST_STRING]) for name, value in entry.fields.items())


class _Reader:
    """Reads entries of one text."""

    def __init__(self, text: str, strings: dict[str, str]) -> None:
        self._text = text
        self._strings = strings
        self._closing: dict[int, int] = {}
        open_ones: list[int] = []
        for match in BRACE.finditer(text):
            if match[0] == "{":
                open_ones.append(match.start())
            elif open_ones:
                self._closing[open_ones.pop()] = match.start()

    def entry(self, entry: Entry) -> Entry:
        """Fill in what an entry says of which kind and beginning are known; its `end` is behind the first brace."""
        text, at = self._text, entry.end
        braced = text[at - 1] == "{"
        stop = self._closing.get(at - 1, -1) if braced else -1
        entry.closed = stop >= 0
        if not entry.closed:
            limit = min(len(text), at + LONGEST_OPEN)
            found = BREAK.search(text, at, limit)
            stop = found.start() if found else limit
        key = KEY.match(text, at, stop + 1) if entry.kind != "string" else None
        if key:
            entry.key, at = key[1].strip(), key.end()
        while (at := self._skipped(at, stop)) < stop:
            if not braced and text[at] == ")":
                entry.closed, stop = True, at
            elif name := NAME.match(text, at, stop):
                value, at = self._value(entry, name, stop)
                entry.fields.setdefault(name[1].lower(), value)
            else:
                got = " ".join(text[at : min(at + 40, stop)].split())
                entry.fault = entry.fault or f"expected a field, '=' and its value, got {got!r}."
                further = FURTHER.search(text, at, stop)
                at = further.end() if further else stop
        begin = entry.end
        entry.end = stop + 1 if entry.closed else begin + len(text[begin:stop].rstrip())
        return entry

    def _skipped(self, at: int, stop: int) -> int:
        found = BETWEEN.match(self._text, at, stop)
        return found.end() if found else at

    def _value(self, entry: Entry, name: re.Match[str], stop: int) -> tuple[str, int]:
        """The value behind a name, and the place after it."""
        text, at = self._text, name.end()
        parts: list[str] = []
        length = 0
        while length < LONGEST_JOINED:
            sign = text[at] if at < stop else ""
            if sign and sign in '{"':
                end = self._closing.get(at, -1) if sign == "{" else self._quote(at + 1, stop)
                runaway = (
                    None if entry.closed else RUNAWAY.search(text, at, min(end, stop) if end >= 0 else stop)
                )
                if not 0 <= end < stop or runaway:
                    entry.fault = (
                        entry.fault
                        or f"expected {'}' if sign == '{' else sign!r} after the value of {name[1]!r}."
                    )
                    end = runaway.start() if runaway else stop
                    return text[at + 1 : end].rstrip(' \t\r\n,"}'), end
                parts.append(text[at + 1 : end])
                at = end + 1
            elif word := BARE.match(text, at, stop):
                parts.append(word[0] if word[0][0].isdigit() else self._strings.get(word[0].lower(), ""))
                at = word.end()
            else:
                entry.fault = entry.fault or f"expected a value of {name[1]!r}, got {text[at : at + 20]!r}."
                break
            joined = JOINED.match(text, at, stop)
            if not joined:
                break
            at = joined.end()
            length += len(parts[-1]) + 1
        return "".join(parts), at

    def _quote(self, at: int, stop: int) -> int:
        """The quotation mark outside of braces that ends a value; -1 if there is none."""
        while found := QUOTED.search(self._text, at, stop):
            if found[0] == '"':
                return found.start()
            if found[0] == "}":
                break
            at = self._closing.get(found.start(), stop) + 1 if found[0] == "{" else found.end()
        return -1
