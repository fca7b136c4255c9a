"""CSV, YAML, XML and literals of Python within a text, as the values that JSON has: an object a row, or an entry.

title,author,year
"Rivers, Lakes",Ann Roe,1999
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from guardrail.references.citations.keys import meaning
from guardrail.references.citations.marked_up import marked_up
from guardrail.references.citations.people import surnames_alone
from guardrail.text.json_values import Value

__all__ = ["block_values", "unquoted"]

_LINE = re.compile(r"[^\r\n]*")
_HEAD = re.compile(r"[ \t]{0,8}[\"']?[^\W\d_][^,;\t\r\n]{0,40}(?:[,;\t][^,;\t\r\n]{0,40}){1,30}")
_LEAST_FIELDS = 3  # columns whose heads name fields of a reference, from which a line is the head of a table
_MOST_CELLS = 40
_MOST_COMMAS = 5  # within a title without quotation marks
_YEAR = re.compile(r"[\"']?(?:c\.\s?|ca\.\s?)?(?:1[0-9]|20)\d\d(?!\d)|[\"']?n\.?d\b|$")
_SURNAMES = re.compile(r"[^\s,;&\"][^,;&\"]{0,80}")
_YAML = re.compile(r"^[ \t]*(?:```|~~~)[ \t]*ya?ml[ \t]*\r?\n", re.MULTILINE | re.IGNORECASE)
_FENCE_END = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
_DASH = re.compile(r"-(?:[ ]+|$)")
_KEY = re.compile(r"[\"']?(?P<key>[^\W_][\w .-]{0,40})[\"']?:(?:[ \t]+|$)")
_FLOW = re.compile(r"\s*(?P<said>\"[^\"\r\n]*+\"|'[^'\r\n]*+'|[^,\[\]\r\n]+)\s*(?:,|$)")
_DEEPEST = 20


def block_values(text: str) -> list[Value]:
    r"""The tables of comma-separated values, the YAML and Python in code fences, and XML, in order.

    Example:
        >>> (table,) = block_values('title,author,year\n"Rivers, Lakes",Ann Roe,1999\n')
        >>> [(cell.key, cell.kind) for cell in table.inner[0].inner]
        [('title', 'word'), ('author', 'word'), ('year', 'word')]
    """
    return sorted([*_csv(text), *_yaml(text), *marked_up(text)], key=lambda value: value.start)


def unquoted(written: str) -> str:
    """A cell or a scalar of YAML without its quotation marks.

    Example:
        >>> unquoted('"The ""New"" River"')
        'The "New" River'
    """
    written = written.strip()
    for mark in "\"'":
        if len(written) > 1 and written[0] == mark == written[-1]:
            return written[1:-1].replace(mark * 2, mark)
    return written


# -- comma-separated values


def _csv(text: str) -> Iterator[Value]:
    table: Value | None = None
    heads: list[str] = []
    sign = ","
    at = 0
    while at < len(text):
        line = _LINE.match(text, at)
        end = line.end() if line else at
        row = None
        if table is not None:
            row = _row(text, at, end, heads, sign)
        if table is not None and row is None:
            yield from _whole(text, table)
            table = None
        if table is not None and row is not None:
            row.parent = table
            table.inner.append(row)
            table.end = row.end
        elif table is None and _HEAD.fullmatch(text, at, end):
            sign = max(",;\t", key=lambda one: text.count(one, at, end))
            heads = [_head(text[a:b]) for a, b in _cells(text, at, end, sign)]
            if _names_fields(heads):
                table = Value("array", at, end)
        at = end + (2 if text.startswith("\r\n", end) else 1)
    if table is not None:
        yield from _whole(text, table)


def _whole(text: str, table: Value) -> Iterator[Value]:
    """A table with rows, its surnames apart: "Roe, Poe"."""
    cells = [cell for row in table.inner for cell in row.inner if meaning(cell.key).field == "authors"]
    if surnames_alone(unquoted(text[cell.start : cell.end]) for cell in cells):
        for cell in cells:
            parts = _SURNAMES.finditer(text, cell.start, cell.end)
            cell.kind, cell.inner = "array", [Value("word", *part.span(), parent=cell) for part in parts]
    if table.inner:
        yield table


def _head(written: str) -> str:
    head = unquoted(written)
    said = meaning(head)
    return "venue" if said.spare and said.field is None else head


def _names_fields(heads: list[str]) -> bool:
    """Whether the heads of columns are those of references: a title, and two further fields."""
    fields = {meaning(head).field for head in heads} - {None}
    return len(fields) >= _LEAST_FIELDS and bool(fields & {"title", "name"}) and 2 * len(fields) >= len(heads)


def _cells(text: str, start: int, end: int, sign: str) -> Iterator[tuple[int, int]]:
    """Where the cells of a line are, with their quotation marks, without blanks around them."""
    at = start
    for _ in range(_MOST_CELLS):
        begin = at + len(text[at : at + 8]) - len(text[at : at + 8].lstrip(" "))
        close = _closed(text, begin, end) if text.startswith('"', begin) else begin
        stop = text.find(sign, close, end)
        stop = end if stop < 0 else stop
        yield begin, begin + len(text[begin:stop].rstrip(" "))
        if stop == end:
            return
        at = stop + 1


def _closed(text: str, at: int, end: int) -> int:
    """Where a quoted cell ends, in which two quotation marks are one."""
    stop = text.find('"', at + 1, end)
    while stop >= 0 and text.startswith('""', stop):
        stop = text.find('"', stop + 2, end)
    return at if stop < 0 else stop


def _row(text: str, start: int, end: int, heads: list[str], sign: str) -> Value | None:
    """A line as an object; commas too many without quotation marks are in its title."""
    cells = list(_cells(text, start, end, sign))
    fields = [meaning(head).field for head in heads]
    title = next((n for n, field in enumerate(fields) if field in ("title", "name")), 0)
    if "year" in fields:
        year = fields.index("year")
        years = (
            n
            for n in range(year, min(len(cells), year + _MOST_COMMAS))
            if _YEAR.match(text[slice(*cells[n])])
        )
        more = next(years, -1) - year
    else:
        more = len(cells) - len(heads)
    if len(cells) < 2 or not 0 <= more <= _MOST_COMMAS:
        return None
    if more and title + more < len(cells):
        cells[title : title + more + 1] = [(cells[title][0], cells[title + more][1])]
    said = [(head, *cell) for head, cell in zip(heads, cells, strict=False) if cell[1] > cell[0]]
    if len(said) < 2:
        return None
    row = Value("object", said[0][1], said[-1][2])
    row.inner = [Value("word", a, b, key=head, named=a, parent=row) for head, a, b in said]
    return row


# -- YAML


def _yaml(text: str) -> Iterator[Value]:
    for fence in _YAML.finditer(text):
        end = _FENCE_END.search(text, fence.end())
        root = _block(text, fence.end(), end.start() if end else len(text))
        if root.inner:
            yield root


def _block(text: str, start: int, end: int) -> Value:
    """What a block of YAML holds: mappings and sequences by their columns, scalars as they are written."""
    root = Value("array", start, end)
    open_: list[tuple[int, Value, bool]] = [(-1, root, True)]  # column, value, whether it has a key
    for line in re.finditer(r"(?m)^(?P<indent>[ ]*)(?P<said>[^\s#][^\r\n]*)", text[start:end]):
        at, stop = start + line.start("said"), start + line.end("said")
        stop = at + len(text[at:stop].rstrip())
        column, begun = len(line["indent"]), False
        while dash := _DASH.match(text, at, stop):
            while len(open_) > 1 and (open_[-1][0] > column or (open_[-1][0] == column and not open_[-1][2])):
                open_.pop()
            open_.append((column, _under(open_[-1][1], "array", dash.end()), False))
            column, at, begun = column + dash.end() - dash.start(), dash.end(), True
            if len(open_) > _DEEPEST:
                return root
        if key := _KEY.match(text, at, stop):
            while len(open_) > 1 and open_[-1][0] >= column:
                open_.pop()
            owner = open_[-1][1]
            if not owner.inner and owner is not root:
                owner.start = at
            value = _under(owner, "object", key.end(), key["key"], at)
            open_.append((column, value, True))
            at, begun = key.end(), True
        value = open_[-1][1]
        if at < stop and value is not root and (begun or not value.inner):
            _say(text, value, at, stop, fresh=begun)
        for _, value, _ in open_[1:]:
            value.end = max(value.end, stop)
    if (
        root.kind == "object"
    ):  # what stands under no key and in no sequence is that of the file: title: My notes
        root.inner = [inner for inner in root.inner if inner.kind != "word"]
    root.end = max((inner.end for inner in root.inner), default=end)
    root.start = min(
        (inner.named if inner.named >= 0 else inner.start for inner in root.inner), default=start
    )
    return root


def _under(owner: Value, kind: str, at: int, key: str = "", named: int = -1) -> Value:
    """A new value in another, which is a sequence or a mapping from then on."""
    owner.kind = "object" if kind == "object" else "array"
    value = Value("word", at, at, key=key, named=named, parent=owner)
    owner.inner.append(value)
    return value


def _say(text: str, value: Value, at: int, stop: int, *, fresh: bool) -> None:
    """Text of a scalar, which may go on over lines, or a sequence in brackets: [Roe, Poe]."""
    if fresh and text[at] == "[" and text[stop - 1] == "]":
        value.kind, value.start = "array", at
        for flow in _FLOW.finditer(text, at + 1, stop - 1):
            value.inner.append(Value("word", *flow.span("said"), parent=value))
        return
    if fresh and text[at:stop] in (">", "|", ">-", "|-"):
        return
    if fresh or value.start >= value.end:
        value.start = at
    value.end = stop
