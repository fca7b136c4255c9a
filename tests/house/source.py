"""What the house tests know of the source: modules, and who imports whom."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src"
ADAPTERS = {folder.name: folder for folder in sorted(ROOT.glob("integrations/*/src/*")) if folder.is_dir()}


@dataclass(frozen=True)
class Import:
    """One import: `module` is what is loaded; `name` what is taken from it, if anything."""

    module: str
    name: str | None
    line: int
    lazy: bool  # inside a function: loaded when that runs
    typing: bool  # under TYPE_CHECKING: never loaded


def modules(folder: Path, base: Path) -> dict[str, str]:
    """The source of the Python files below a folder, by module name."""
    found = {}
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(base).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = path.read_text(encoding="utf-8")
    return found


def guardrail_modules() -> dict[str, str]:
    return modules(SRC / "guardrail", SRC)


# Rules are tried on many planted violations, each among the same thousand sources: these are read once.


@cache
def imports(source: str) -> tuple[Import, ...]:
    """All imports of a source, wherever they are."""
    return tuple(_imports(ast.parse(source), lazy=False, typing=False))


def _imports(node: ast.AST, *, lazy: bool, typing: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            for alias in child.names:
                yield Import(alias.name, None, child.lineno, lazy, typing)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, f"relative import in line {child.lineno}: write the whole name"
            for alias in child.names:
                yield Import(child.module or "", alias.name, child.lineno, lazy, typing)
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            for part in child.body:
                yield from _imports(ast.Module([part], []), lazy=lazy, typing=True)
            for part in child.orelse:
                yield from _imports(ast.Module([part], []), lazy=lazy, typing=typing)
        else:
            inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from _imports(child, lazy=lazy or inside, typing=typing)


def loaded(found: Import, known: Mapping[str, str]) -> str:
    """The module that an import loads: `from guardrail import cache` loads guardrail.cache."""
    whole = f"{found.module}.{found.name}"
    return whole if found.name and whole in known else found.module


@cache
def strings(source: str) -> tuple[tuple[str, int], ...]:
    """Every string of a source with its line, docstrings left out."""
    tree = ast.parse(source)
    spoken = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    return tuple(
        (node.value, node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in spoken
    )


@cache
def attributes(source: str) -> tuple[tuple[str, int], ...]:
    """Every attribute of a source, written out (`guardrail.chat.openai`), with its line."""
    nodes = ast.walk(ast.parse(source))
    return tuple((ast.unparse(node), node.lineno) for node in nodes if isinstance(node, ast.Attribute))
