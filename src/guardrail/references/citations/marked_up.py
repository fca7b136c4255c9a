"""XML within a text, and literals of Python in code fences, as the values that JSON has.

<book><title>Rivers, Lakes</title><author>Ann Roe</author></book>, {'title': 'Rivers, Lakes', 'authors': ('Ann Roe',)}
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import accumulate

from guardrail.text.json_values import Value

__all__ = ["marked_up"]

_TAG = re.compile(
    r"<(?P<closing>/)?(?P<name>[A-Za-z][\w:.-]{0,40})"
    r"(?:\s{1,8}[\w:.-]{1,40}=(?:\"[^\"<>]{0,300}\"|'[^'<>]{0,300}')){0,8}\s{0,8}(?P<empty>/)?>"
)
_TITLED = re.compile(r"</(?:\w{1,20}:)?\w{0,12}title>", re.IGNORECASE)
_PYTHON = re.compile(
    r"^[ \t]*(?:```|~~~)[ \t]*(?:python3?|py)?[ \t]*\r?\n(?P<code>(?:(?!```|~~~).*\n){1,400})", re.MULTILINE
)
_VOID = frozenset(
    [
        "area",
        "base",
        "br",
        "col",
        "embed",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "source",
        "track",
        "wbr",
        "i",
        "b",
        "em",
        "sub",
        "sup",
        "strong",
        "sc",
    ]
)
_NO_WORKS = frozenset(
    [
        "rss",
        "channel",
        "item",
        "feed",
        "urlset",
        "video",
        "movie",
        "film",
        "song",
        "album",
        "cd",
        "game",
        "product",
        "podcast",
    ]
)
_LINES = re.compile(r"[^\n]*\n|[^\n]+")
_MOST_TAGS = 5_000  # that are looked at
_LONGEST_CODE, _LONGEST_LINE = 20_000, 2_000  # characters; a place in a line costs time in proportion to it
_DEEPEST = 12


def marked_up(text: str) -> Iterator[Value]:
    """The outermost elements with titles in them, and the literals with keys that are assigned or stand alone.

    Example:
        >>> (book,) = marked_up("<book><title>Rivers</title><author>Ann Roe</author></book>")
        >>> [(one.key, one.kind) for one in book.inner]
        [('title', 'word'), ('author', 'word')]
    """
    if _TITLED.search(text):
        for root in _elements(text):
            keys = {one.key.lower() for one in root.within()}
            if any(key.endswith("title") for key in keys) and keys.isdisjoint(_NO_WORKS):
                yield root
    for fence in _PYTHON.finditer(text) if "```" in text or "~~~" in text else ():
        code = fence["code"]
        # an escape is not written as what it means: places in the text would be wrong
        if "title" in code.lower() and len(code) <= _LONGEST_CODE and "\\" not in code:
            yield from _literals(code, fence.start("code"))


# -- XML


def _elements(text: str) -> Iterator[Value]:
    open_: list[Value] = []
    for _, tag in zip(range(_MOST_TAGS), _TAG.finditer(text), strict=False):
        name = tag["name"].rpartition(":")[2]
        if tag["empty"] or name.lower() in _VOID:
            continue
        if not tag["closing"]:
            if len(open_) < _DEEPEST:
                open_.append(Value("word", tag.start(), tag.end(), key=name, named=tag.start()))
            continue
        if not any(one.key == name for one in open_):
            continue
        while open_[-1].key != name:
            lost = open_.pop()  # never closed
            _adopt(open_[-1], lost.inner)
        value = open_.pop()
        _close(value, tag)
        if open_:
            _adopt(open_[-1], [value])
        elif value.inner:
            yield value
    yield from (value for lost in open_ for value in lost.inner if value.inner)


def _adopt(parent: Value, inner: Sequence[Value]) -> None:
    for value in inner:
        value.parent = parent
        parent.inner.append(value)


def _close(value: Value, tag: re.Match[str]) -> None:
    if not value.inner:
        value.start, value.end = value.end, tag.start()
        return
    value.end = tag.end()
    by_key: dict[str, list[Value]] = {}
    for one in value.inner:
        by_key.setdefault(one.key, []).append(one)
    if len(by_key) == 1 and (len(value.inner) > 1 or value.key in {f"{value.inner[0].key}s", "references"}):
        value.kind = "array"
        return
    value.kind = "object"
    value.inner = [ones[0] if len(ones) == 1 else _together(value, key, ones) for key, ones in by_key.items()]


def _together(parent: Value, key: str, ones: list[Value]) -> Value:
    """Elements of one name as an array: <author>Ann Roe</author><author>Bob Poe</author>."""
    return Value(
        "array", ones[0].start, ones[-1].end, key=key, named=ones[0].named, parent=parent, inner=ones
    )


# -- Python


def _literals(code: str, start: int) -> Iterator[Value]:
    lines = _LINES.findall(code)  # as the parser counts them: other signs end no line there
    if max(map(len, lines)) > _LONGEST_LINE:
        return
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    begins = [0, *accumulate(map(len, lines))]
    for statement in tree.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign | ast.Expr) and statement.value is not None:
            value = _value(statement.value, code, lines, begins, _DEEPEST)
            if value is not None and any(one.kind == "object" for one in value.within()):
                for one in value.within():
                    one.start, one.end = one.start + start, one.end + start
                    one.named += start if one.named >= 0 else 0
                yield value


def _value(
    node: ast.expr, code: str, lines: Sequence[str], begins: Sequence[int], deepest: int
) -> Value | None:
    """A literal of dicts, sequences, texts and whole numbers; `None` of what is not in the text as it is said, such as joined texts."""
    if not deepest:
        return None

    def at(line: int | None, column: int | None) -> int:
        said = lines[(line or 1) - 1]
        known = column or 0 if said.isascii() else len(said.encode()[: column or 0].decode(errors="ignore"))
        return begins[(line or 1) - 1] + known

    start, end = at(node.lineno, node.col_offset), at(node.end_lineno, node.end_col_offset)
    if isinstance(node, ast.Constant):
        plain = isinstance(node.value, str) and code[start + 1 : end - 1] == node.value
        number = type(node.value) is int and code[start:end] == str(node.value)
        return Value("word", start, end) if plain or number else None
    pairs: list[tuple[str, ast.expr]]
    if isinstance(node, ast.Dict):
        pairs = [
            (key.value, one)
            for key, one in zip(node.keys, node.values, strict=True)
            if isinstance(key, ast.Constant) and isinstance(key.value, str)
        ]
    elif isinstance(node, ast.List | ast.Tuple | ast.Set):
        pairs = [("", one) for one in node.elts]
    else:
        return None
    value = Value("object" if isinstance(node, ast.Dict) else "array", start, end)
    for key, one in pairs:
        inner = _value(one, code, lines, begins, deepest - 1)
        if inner is not None:
            inner.key, inner.parent, inner.named = key, value, inner.start if key else -1
            value.inner.append(inner)
    return value if value.inner else None
