"""The picture of the structure shows the package as it is."""

import ast
import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PICTURE = (ROOT / "docs" / "images" / "structure.svg").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def structure():
    spec = importlib.util.spec_from_file_location("structure", ROOT / "scripts" / "structure.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_picture_has_every_folder_and_arrow(structure):
    """Drawn again it differs in sizes only, and in none by more than a tenth: `python scripts/structure.py --svg docs/images/structure.svg`."""
    again = structure.drawn(ROOT)
    arrows = r'data-from="([^"]+)" data-to="([^"]+)"'
    assert re.findall(arrows, PICTURE) == re.findall(arrows, again)
    sizes = r'data-folder="([^"]+)" data-lines="(\d+)"'
    shown, real = (dict(re.findall(sizes, text)) for text in (PICTURE, again))
    assert shown.keys() == real.keys()
    assert {name: int(shown[name]) for name in real} == pytest.approx(
        {name: int(lines) for name, lines in real.items()}, rel=0.1
    )


def test_rows_are_above_what_they_import(structure):
    """By hand: a imports b and c, c imports b; d stands for itself."""
    lines = {"a": 1, "b": 2, "c": 3, "d": 4}
    assert structure.rows(lines, {("a", "b"), ("a", "c"), ("c", "b")}) == [["a"], ["c"], ["d", "b"]]


TABLED = sorted(
    path
    for path in (ROOT / "src" / "guardrail").rglob("__init__.py")
    if "| file | what it has |" in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("path", TABLED, ids=lambda path: path.parent.name)
def test_a_package_lists_its_modules(path):
    """Where its docstring has a table of files, each is there, and each that is there is in it."""
    doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    listed = [
        name
        for row in re.findall(r"^\| (`[^|]+`) \|", doc, re.MULTILINE)
        for name in re.findall(r"`(\w+)", row)
    ]
    there = {file.stem for file in path.parent.glob("*.py")} - {"__init__"}
    assert {name for name in listed if not (path.parent / name).is_dir()} == {
        name for name in there if name[0] != "_"
    }
