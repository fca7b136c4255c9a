"""What the house tests know of the source: modules, and who imports whom."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
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


def modules(folder: Path, base: Path) -> dict[str, Path]:
    """The Python files below a folder by module name."""
    found = {}
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(base).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def guardrail_modules() -> dict[str, Path]:
    return modules(SRC / "guardrail", SRC)


def imports(path: Path) -> Iterator[Import]:
    """All imports of a file, wherever they stand."""
    yield from _imports(ast.parse(path.read_text(encoding="utf-8")), lazy=False, typing=False)


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


def loaded(found: Import, known: dict[str, Path]) -> str:
    """The module that an import loads: `from guardrail import codec` loads guardrail.engine.codec."""
    whole = f"{found.module}.{found.name}"
    return whole if found.name and whole in known else found.module
