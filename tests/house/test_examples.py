"""Every example runs, and is short enough to read at a glance."""

import json
import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from tests.house.source import ROOT

FOLDER = ROOT / "examples"
SCRIPTS = sorted(FOLDER.glob("*.py"))
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
SHOWN = {
    "any_language.py": "[real work, wrong authors: it is by Vaswani and Shazeer]",
    "chatbot_citations.py": "Journal of Nothing, 3, 1-9. [no such work found]",
    "documents.py": "'Hofmann Services' is in no document",
    "sources_anthropic.py": "Visitors pay 5 euros.  ['visit.pdf']",
    "sources_langchain.py": "burnt down in 1950 [1]. Visitors pay 5 euros [2].",
    "sources_openai.py": "visit.pdf is cited behind 'Visitors pay 5 euros.'",
    "own_detector.py": "9.99 € [price not in our list]",
    "test_answers.py": "2 passed",
}


@pytest.fixture(autouse=True)
def _commands(monkeypatch):
    """`guardrail` is the one of this environment, also in a notebook's shell."""
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_scripts_show_what_they_promise(path, tmp_path):
    """Each is run as a reader would, in an empty folder."""
    tool = ["-m", "pytest", "-p", "no:cacheprovider", "-q"] if path.name.startswith("test_") else []
    command = [sys.executable, *tool, str(path)]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=180, check=False)
    assert found.returncode == 0, found.stdout + found.stderr
    assert SHOWN[path.name] in found.stdout


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebooks_run(path, tmp_path):
    """In a kernel of their own; a cell that fails raises."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=180, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert any(
        "text/html" in output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", ())
    ), "a report shows itself as a page"


@pytest.mark.parametrize("path", [*SCRIPTS, *NOTEBOOKS], ids=lambda path: path.name)
def test_are_short(path):
    """Under 60 lines (of cells, in a notebook), listed in the README, without outputs."""
    lines = path.read_text(encoding="utf-8").splitlines()
    if path.suffix == ".ipynb":
        cells = json.loads("\n".join(lines))["cells"]
        assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells)
        lines = [line for cell in cells for line in cell["source"]]
    assert len(lines) < 60
    assert f"]({path.name})" in (FOLDER / "README.md").read_text(encoding="utf-8")
