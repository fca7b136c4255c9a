"""The structure of the package in figures, of any checkout: `python scripts/structure.py [--root DIR] [--tokens] [--json]`.

It reads source and runs none of it, so the figures of two commits can be compared.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import re
import tokenize
from collections import defaultdict
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
        tree = self.trees.get(module)
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.ImportFrom) and any((a.asname or a.name) == name for a in node.names):
                return self._home(node.module or "", name) if node.module in self.trees else module
        return module

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
    options = parser.parse_args()
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
