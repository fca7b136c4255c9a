"""XML within a text, and literals of Python in code fences, as the values that JSON has.

<book><title>Rivers, Lakes</title><author>Ann Roe</author></book>, {'title': 'Rivers, Lakes', 'authors': ('Ann Roe',)}
"""

from __future__ import annotations

import ast
import re
import warnings
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
_MOST_TAGS = 5_000
_LONGEST_CODE = 20_000
_DEEPEST = 12


def marked_up(text: str) -> Iterator[Value]:
    """The outermost elements with titles in them, and the literals with keys.

    Example:
        >>> (book,) = marked_up("<book><title>Rivers</title><author>Ann Roe</author></book>")
        >>> [(one.key, one.kind) for one in book.inner]
        [('title', 'word'), ('author', 'word')]
    """
    if _TITLED.search(text):
        yield from (
            root for root in _elements(text) if any(_TITLED.match(f"</{one.key}>") for one in root.within())
        )
    for fence in _PYTHON.finditer(text) if "```" in text or "~~~" in text else ():
        if "title" in fence["code"].lower() and len(fence["code"]) <= _LONGEST_CODE:
            yield from _literals(fence["code"], fence.start("code"))


# -- XML


def _elements(text: str) -> Iterator[Value]:
    open_: list[Value] = []
    for _, tag in zip(range(_MOST_TAGS), _TAG.finditer(text), strict=False):
        name = tag["name"].rpartition(":")[2]
        if tag["empty"]:
            continue
        if not tag["closing"]:
            if len(open_) < _DEEPEST:
                open_.append(Value("word", tag.start(), tag.end(), key=name, named=tag.start()))
            continue
        if not any(one.key == name for one in open_):
            continue
        while open_[-1].key != name:
            open_.pop()  # never closed
        value = open_.pop()
        _close(value, tag)
        if open_:
            value.parent = open_[-1]
            open_[-1].inner.append(value)
        elif value.inner:
            yield value


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
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    lines = code.splitlines(keepends=True)
    begins = [start, *(start + end for end in accumulate(map(len, lines)))]
    left: list[ast.AST] = [tree]
    while left:
        node = left.pop()
        value = _value(node, lines, begins, _DEEPEST) if isinstance(node, ast.expr) else None
        if value is not None and any(one.kind == "object" for one in value.within()):
            yield value
        else:
            left.extend(ast.iter_child_nodes(node))


def _value(node: ast.expr, lines: Sequence[str], begins: Sequence[int], deepest: int) -> Value | None:
    if not deepest:
        return None

    def at(line: int | None, column: int | None) -> int:
        said = lines[(line or 1) - 1].encode()[: column or 0]
        return begins[(line or 1) - 1] + len(said.decode(errors="ignore"))

    start, end = at(node.lineno, node.col_offset), at(node.end_lineno, node.end_col_offset)
    if isinstance(node, ast.Constant):
        return Value("word", start, end) if isinstance(node.value, str | int) else None
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
    value = Value("array" if isinstance(node, ast.List | ast.Tuple | ast.Set) else "object", start, end)
    for key, one in pairs:
        inner = _value(one, lines, begins, deepest - 1)
        if inner is not None:
            inner.key, inner.parent, inner.named = key, value, inner.start if key else -1
            value.inner.append(inner)
    return value if value.inner else None
