"""The structure of the package in figures, of any checkout: `python scripts/structure.py [--root DIR] [--json]`.

It reads source and runs none of it, so the figures of two commits can be compared.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
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


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--root", type=Path, default=Path(__file__).parents[1], help="a checkout; default: this one"
    )
    parser.add_argument(
        "--json", action="store_true", help="everything, with the names that are defined more than once"
    )
    options = parser.parse_args()
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
