"""The structure of the package in figures, of any checkout: `python scripts/structure.py [--root DIR] [--tokens] [--json] [--svg FILE]`.

It reads source and runs none of it, so the figures of two commits can be compared.
"""

from __future__ import annotations

import argparse
import ast
import graphlib
import io
import json
import re
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SHARED = (
    "guard",
    "flow",
    "run",
    "drivers",
    "policies",
    "text.sentences",
    "text.fence",
    "text.layout",
    "text.bm25",
)
SHARED_FOLDERS = ("engine", "backends", "chat")
"""What serves every method, with all that it imports; left out of a detector's own lines."""


class Package:
    """The modules below `src/guardrail`, and which of them each imports, wherever in a file it does so."""

    def __init__(self, root: Path) -> None:
        source = root / "src"
        self.trees: dict[str, ast.Module] = {}
        self.lines: dict[str, int] = {}
        for path in sorted((source / "guardrail").rglob("*.py")):
            parts = path.relative_to(source).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            text = path.read_text(encoding="utf-8")
            self.trees[name], self.lines[name] = ast.parse(text), text.count("\n")
        # Of a package's `__init__`, where each name comes from
        self._passed_on = {
            module: {
                alias.asname or alias.name: node.module or ""
                for node in reversed([*ast.walk(tree)])
                if isinstance(node, ast.ImportFrom)
                for alias in node.names
            }
            for module, tree in self.trees.items()
        }
        self.imports = {name: set(self._imported(tree)) for name, tree in self.trees.items()}

    def _imported(self, tree: ast.Module) -> Iterator[str]:
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names if alias.name in self.trees)
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    whole = f"{node.module}.{alias.name}"
                    found = whole if whole in self.trees else self._home(node.module or "", alias.name)
                    if found in self.trees:
                        yield found
            elif isinstance(node, ast.Constant) and isinstance(
                node.value, str
            ):  # "module:Class", loaded by name
                place, _, name = node.value.partition(":")
                if name and place in self.trees:
                    yield place

    def _home(self, module: str, name: str) -> str:
        """Where a package takes a name from, if its `__init__` only passes it on."""
        source = self._passed_on.get(module, {}).get(name)
        return self._home(source, name) if source in self.trees else module

    def reached(self, starts: list[str]) -> set[str]:
        """The modules that loading these may load, functions and types included; no package's `__init__` by itself."""
        found: set[str] = set()
        todo = [name for name in starts if name in self.trees]
        while todo:
            name = todo.pop()
            if name not in found:
                found.add(name)
                todo += self.imports[name] - {"guardrail", "guardrail.registry"}
        return found

    def detectors(self) -> dict[str, str]:
        """By registered name, the module that defines the detector's class."""
        text = ast.unparse(self.trees["guardrail.registry"])
        block = re.split(r"^(?:DETECTORS|CHATS)\b", text, flags=re.MULTILINE)[1]
        found = {}
        for name, place, kind in re.findall(r"'([\w-]+)': '([\w.]+):(\w+)'", block):
            homes = [m for m in self.trees if m.startswith(place) and kind in dict(public(self.trees[m]))]
            found[name] = min(homes, key=len)
        return found


def public(tree: ast.Module) -> Iterator[tuple[str, ast.stmt]]:
    """Public classes and functions that a module defines."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.name[0] != "_":
            yield node.name, node


def figures(root: Path) -> dict[str, Any]:
    """Everything that is counted."""
    package = Package(root)
    adapters = list(root.glob("integrations/*/src/**/*.py"))
    folders = tuple(f"guardrail.{name}" for name in SHARED_FOLDERS)
    shared = package.reached([f"guardrail.{name}" for name in SHARED])
    shared |= {name for name in package.trees if name.startswith(folders)}
    own = {}
    for name, module in package.detectors().items():
        modules = package.reached([module]) - shared
        own[name] = {"modules": len(modules), "lines": sum(package.lines[m] for m in modules)}
    homes: dict[str, list[str]] = defaultdict(list)
    for module, tree in package.trees.items():
        for name, _ in public(tree):
            homes[name].append(module)
    more = {name: places for name, places in sorted(homes.items()) if len(places) > 1}
    top = [
        name
        for name in package.trees
        if name.count(".") == 1 and not (root / "src" / Path(*name.split("."))).is_dir()
    ]
    return {
        "wheel": {
            "modules": len(package.trees) + len(adapters),
            "lines": sum(package.lines.values()) + sum(p.read_text("utf-8").count("\n") for p in adapters),
        },
        "modules in the root": len(top),
        "modules under 60 lines": sum(
            n < 60 and not (root / "src" / Path(*name.split("."))).is_dir()
            for name, n in package.lines.items()
        ),
        "imported by a detector": own,
        "names defined more than once": {"count": len(more), "names": more},
    }


_LAYOUT = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE),
    *(tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER, tokenize.ENCODING),
}
_KNOWLEDGE = ("*.toml", "*.json", "*.txt")
_WORD = re.compile(r"\w+")


def sizes(root: Path) -> dict[str, dict[str, int]]:
    """By package: tokens of Python without comments and docstrings, characters of regular expressions, words of knowledge.

    Wider lines, fewer docstrings and words moved from Python into tables do not make it less. Words of knowledge are those of tables that
    ship, and of strings in Python that are neither docstrings nor patterns nor messages with a place to fill in.
    """
    source = root / "src" / "guardrail"
    found: dict[str, dict[str, int]] = defaultdict(lambda: {"tokens": 0, "patterns": 0, "words": 0})
    for path in sorted(source.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for package in _packages(path.relative_to(source)):
            one = found[package]
            for name, count in zip(one, (_tokens(text), *_strings(ast.parse(text))), strict=True):
                one[name] += count
    for pattern in _KNOWLEDGE:
        for path in sorted(source.rglob(pattern)):
            words = len(_WORD.findall(path.read_text(encoding="utf-8")))
            for package in _packages(path.relative_to(source)):
                found[package]["words"] += words
    return dict(found)


def _packages(path: Path) -> Iterator[str]:
    """The package itself and those below it that hold a file, two levels deep."""
    yield "src"
    for depth in range(1, min(len(path.parts), 3)):
        yield "/".join(path.parts[:depth])


def _docstrings(tree: ast.Module) -> set[ast.Constant]:
    """The docstrings of a module, of its attributes too: strings that are statements."""
    return {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    }


def _tokens(text: str) -> int:
    """Tokens without comments, docstrings and layout."""
    documented = {(node.lineno, node.col_offset) for node in _docstrings(ast.parse(text))}
    return sum(
        token.type not in _LAYOUT and not (token.type == tokenize.STRING and token.start in documented)
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
    )


def _strings(tree: ast.Module) -> tuple[int, int]:
    """Characters of the patterns that a module compiles, and words of its other strings of several words."""
    compiled = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in {"re.compile", "compile"}
    ]
    within = {id(part) for call in compiled for part in ast.walk(call)}
    filled = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    documented = {id(node) for node in _docstrings(tree)}
    patterns = words = 0
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documented:
            if id(node) in within:
                patterns += len(node.value)
            elif id(node) not in filled:
                count = len(_WORD.findall(node.value))
                words += count if count > 1 else 0
    return patterns, words


def print_sizes(found: dict[str, dict[str, int]]) -> None:
    """A line for each package, the largest first."""
    print(f"{'':<34}{'tokens':>10}{'characters of patterns':>26}{'words of knowledge':>22}")
    for name, one in sorted(found.items(), key=lambda item: -item[1]["tokens"]):
        print(f"{name:<34}{one['tokens']:>10,}{one['patterns']:>26,}{one['words']:>22,}")


def folders(root: Path) -> tuple[dict[str, int], set[tuple[str, str]]]:
    """Lines of each folder of the package, and which imports which; modules loose in the root count as one, "guardrail".

    The parts of the command line that methods have count as one, too: they import it, and it imports no method. Of two that import
    each other, the one that does so more often is the one that imports.
    """
    package = Package(root)
    home = {name: name.split(".")[1] if name.count(".") else "guardrail" for name in package.trees}
    home |= {name: "their commands" for name in home if ".commands" in name}
    with_modules = {place for name, place in home.items() if name.count(".") > 1}
    home = {name: place if place in with_modules else "guardrail" for name, place in home.items()}
    lines: dict[str, int] = defaultdict(int)
    for name, count in package.lines.items():
        lines[home[name]] += count
    times = Counter((home[name], home[other]) for name, found in package.imports.items() for other in found)
    return dict(lines), {
        (a, b) for a, b in times if a != b and "guardrail" not in {a, b} and times[a, b] >= times[b, a]
    }


def rows(lines: dict[str, int], edges: set[tuple[str, str]]) -> list[list[str]]:
    """Folders in rows: each above all that it imports, as low as that permits.

    Raises:
        graphlib.CycleError: folders import each other in a circle.
    """
    below: dict[str, set[str]] = {name: {b for a, b in edges if a == name} for name in lines}
    height: dict[str, int] = {}
    for name in graphlib.TopologicalSorter(below).static_order():
        height[name] = 1 + max((height[other] for other in below[name]), default=0)
    top = max(height.values())
    return [
        sorted((n for n in lines if height[n] == level), key=lambda n: -lines[n])
        for level in range(top, 0, -1)
    ]


_UNIT = 0.034  # pixels of width for a line of source
_LEAST, _TALL, _GAP, _STEP = 104, 40, 14, 96


def drawn(root: Path) -> str:
    """The folders as boxes as wide as they have lines, above what they import; an arrow that others imply is left out."""
    lines, edges = folders(root)
    loose = lines.pop("guardrail")
    order = rows(lines, edges)
    reach = {name: _reached(name, edges) for name in lines}
    direct = {(a, b) for a, b in edges if not any(b in reach[c] for x, c in edges if x == a and c != b)}
    widths = {name: max(_LEAST, _UNIT * count) for name, count in lines.items()}
    whole = max(sum(widths[n] + _GAP for n in row) for row in order) + _GAP
    place: dict[str, tuple[float, float]] = {}
    for level, row in enumerate(order):
        x = (whole - sum(widths[n] for n in row) - _GAP * (len(row) - 1)) / 2
        for name in row:
            place[name] = (x, 16 + level * _STEP)
            x += widths[name] + _GAP
    tall = 16 + len(order) * _STEP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole:.0f} {tall:.0f}" font-family="sans-serif" font-size="14">',
        f"<title>{sum(lines.values()) + loose:,} lines of source by folder; an arrow leads to what a folder imports</title>",
        '<defs><marker id="to" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#667"/></marker></defs>',
        f'<rect width="{whole:.0f}" height="{tall:.0f}" fill="#fff"/>',
    ]
    for a, b in sorted(direct):
        (ax, ay), (bx, by) = place[a], place[b]
        x, y, u, v = ax + widths[a] / 2, ay + _TALL, bx + widths[b] / 2, by
        bend = (v - y) / 2
        parts.append(
            f'<path data-from="{a}" data-to="{b}" d="M{x:.0f} {y:.0f}C{x:.0f} {y + bend:.0f} {u:.0f} {v - bend:.0f} {u:.0f} {v:.0f}" '
            'fill="none" stroke="#667" stroke-opacity=".55" marker-end="url(#to)"/>'
        )
    for name, (x, y) in place.items():
        middle = x + widths[name] / 2
        parts.append(
            f'<g data-folder="{name}" data-lines="{lines[name]}"><rect x="{x:.0f}" y="{y:.0f}" width="{widths[name]:.0f}" height="{_TALL}" rx="4" '
            f'fill="#e8eef7" stroke="#446"/><text x="{middle:.0f}" y="{y + 17:.0f}" text-anchor="middle">{name}</text>'
            f'<text x="{middle:.0f}" y="{y + 33:.0f}" text-anchor="middle" fill="#556" font-size="11">{lines[name]:,}</text></g>'
        )
    parts.append(
        f'<text x="{_GAP}" y="{tall - 12:.0f}" fill="#556">“their commands”: what methods add to the command line; modules loose in the root (types, errors, the guard): {loose:,} lines</text></svg>'
    )
    return "\n".join(parts) + "\n"


def _reached(name: str, edges: set[tuple[str, str]]) -> set[str]:
    """All that a folder imports by way of others."""
    found: set[str] = set()
    todo = [b for a, b in edges if a == name]
    while todo:
        other = todo.pop()
        if other not in found:
            found.add(other)
            todo += [b for a, b in edges if a == other]
    return found


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--root", type=Path, default=Path(__file__).parents[1], help="a checkout; default: this one"
    )
    parser.add_argument(
        "--json", action="store_true", help="everything, with the names that are defined more than once"
    )
    parser.add_argument(
        "--tokens",
        action="store_true",
        help="tokens, characters of patterns and words of knowledge, by package",
    )
    parser.add_argument(
        "--svg", type=Path, metavar="FILE", help="draw the folders, their sizes and who imports whom"
    )
    options = parser.parse_args()
    if options.svg is not None:
        options.svg.write_text(drawn(options.root), encoding="utf-8")
        return
    if options.tokens:
        measured = sizes(options.root)
        print(json.dumps(measured, indent=2)) if options.json else print_sizes(measured)
        return
    found = figures(options.root)
    if options.json:
        print(json.dumps(found, indent=2))
        return
    print(f"wheel: {found['wheel']['lines']:,} lines in {found['wheel']['modules']} modules")
    print(
        f"modules loose in the root: {found['modules in the root']}; under 60 lines: {found['modules under 60 lines']}"
    )
    for name, one in found["imported by a detector"].items():
        print(f"detector {name}: {one['lines']:,} lines in {one['modules']} modules beside the shared ones")
    print(f"names defined more than once: {found['names defined more than once']['count']}")


if __name__ == "__main__":
    main()
