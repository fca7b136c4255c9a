"""Documents agree with the code: cited works exist, blocks run, versions match, help is as printed.

A fenced block in a Markdown file is tried where a comment stands on the line before it:

    <!-- runs -->              python: run, in one namespace per file, and what it prints compared with the comment
                               behind or below each `print`, if all have one; console: each `$ command` run in a
                               shell, its output compared (`...` stands for anything)
    <!-- file: refs.bib -->    written under that name for the blocks that run
    <!-- help: guardrail check -->   compared with what `guardrail check --help` prints

A table behind `<!-- options: module:Class -->` has a row for every option of that class, with its default.

Blocks run in an empty folder that holds the files of `tests/house/files`, without network and keys.
"""

import inspect
import json
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import ClassVar

import pytest
from tests.house.blocks import BLOCK, blocks, run, same
from tests.house.source import ROOT

import guardrail
from guardrail.references.bibliography.formats.bibtex_entries import entries
from guardrail.registry import DETECTORS

SOURCES = [
    path
    for folder in ("src", "benchmarks", "integrations", "tests")
    for path in (ROOT / folder).rglob("*.py")
]
PAGES = sorted(
    path
    for pattern in (
        "*.md",
        "docs/**/*.md",
        "examples/*.md",
        "integrations/*/README.md",
        "benchmarks/**/README.md",
        "src/**/README.md",
    )
    for path in ROOT.glob(pattern)
)
CITED = re.compile(r"\[([a-z]+(?:[12][0-9]{3})[a-z]?)(?=[],; ])")
NAME = re.compile(r"`(guardrail(?:\.\w+)*\.[A-Z]\w+)`")
OPTIONS = re.compile(r"^<!-- options: (.+?) -->\n((?:\|.*\n)+)", re.MULTILINE)
OPTION = re.compile(r"^\| `(\w+)` \| `(.+?)` \|", re.MULTILINE)
FILES = Path(__file__).parent / "files"


def cited_works():
    return list(entries((ROOT / "docs" / "references.bib").read_text(encoding="utf-8"), {}))


class TestCitedWorks:
    def test_exist(self):
        """Every work cited in sources and documents (name and year in brackets) is in docs/references.bib."""
        works = cited_works()
        assert not [entry.key for entry in works if entry.fault]
        known = {entry.key for entry in works}
        for path in [*SOURCES, *PAGES]:
            for key in CITED.findall(path.read_text(encoding="utf-8")):
                assert key in known, (
                    f"{path.relative_to(ROOT)} cites [{key}], which docs/references.bib lacks"
                )

    def test_are_whole(self):
        """Who, what, when and where."""
        for entry in cited_works():
            fields = set(entry.fields)
            assert {"author", "title"} <= fields, entry.key
            assert fields & {"year", "note"}, entry.key
            assert fields & {"journal", "booktitle", "eprint", "note"}, entry.key

    def test_are_listed(self):
        """On a page of their own, to which citations on the site lead."""
        script = pkgutil.resolve_name("scripts.papers")
        page = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
        assert page == script.page(), "run python scripts/papers.py"


class TestVersion:
    def test_changelog(self):
        """The newest entry is the version that the package says it is; what comes after it stands above."""
        text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
        entries = re.findall(r"^## (\S+)", text, re.MULTILINE)
        assert "Unreleased" not in entries[1:]
        assert entries[entries[0] == "Unreleased"] == guardrail.__version__


def named(path):
    return str(path.relative_to(ROOT))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder with the example files, and the commands of this environment on the path."""
    if FILES.is_dir():
        shutil.copytree(FILES, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    return tmp_path


def helps(commands):
    """What `guardrail … --help` prints, by command; all in one process of its own, which loads the program once."""
    code = """if True:
        import json, sys
        from contextlib import redirect_stdout
        from io import StringIO
        from guardrail.cli import main

        found = {}
        for command in json.loads(sys.stdin.read()):
            sys.argv = [*command.split(), "--help"]
            with redirect_stdout(StringIO()) as printed:
                try:
                    main()
                except SystemExit as end:
                    assert not end.code, (command, end.code)
            found[command] = printed.getvalue()
        print(json.dumps(found))
    """
    found = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(sorted(commands)), capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    return json.loads(found.stdout)


class TestBlocks:
    @pytest.mark.parametrize("path", [one for one in PAGES if any(blocks(one, "runs"))], ids=named)
    def test_run(self, path, folder):
        """Blocks marked as running do, and print what the page says they print."""
        assert run(path, named(path))

    def test_help(self, folder):
        """Help texts on a page are those that the command prints."""
        marked = [(path, *block) for path in PAGES for block in blocks(path, "help")]
        printed = helps({command for _, _, command, _, _ in marked})
        wrong = [
            f"{named(path)}:{line} differs from {command} --help:\n{printed[command]}"
            for path, line, command, _, body in marked
            if not same(body, printed[command])
        ]
        assert marked
        assert not wrong, "\n".join(wrong)

    def test_marks_are_read(self):
        """A mark that is misspelt would leave its block untried."""
        for path in PAGES:
            text = path.read_text(encoding="utf-8")
            marks = len(re.findall(r"^<!-- (?:runs|file:|help:)", text, re.MULTILINE))
            assert marks == len(BLOCK.findall(text)), (
                f"{named(path)}: a marked block that is not a fenced one"
            )

    def test_links(self):
        """Links to files of the checkout lead somewhere."""
        for path in PAGES:
            for target in re.findall(r"\]\(([^)#\s]+)", path.read_text(encoding="utf-8")):
                if "://" not in target and not target.startswith("mailto:"):
                    assert (path.parent / target).exists(), (
                        f"{named(path)} links to {target}, which is not there"
                    )


def takes(kind):
    """The options of a class by name, each with its default as it is written."""
    found = inspect.signature(kind.__init__).parameters.values()
    return {one.name: repr(one.default) for one in found if one.kind is one.KEYWORD_ONLY}


class TestOptions:
    """docs/library.md lists what can be set."""

    TABLES: ClassVar[dict[str, dict[str, str]]] = {
        name: dict(OPTION.findall(rows))
        for name, rows in OPTIONS.findall((ROOT / "docs" / "library.md").read_text(encoding="utf-8"))
    }

    @pytest.mark.parametrize("name", sorted(TABLES))
    def test_each(self, name):
        """No option is left out, none is made up, and defaults are those of the code."""
        assert self.TABLES[name] == takes(pkgutil.resolve_name(name))

    def test_marks_are_read(self):
        """A table that is not found would not be compared."""
        text = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")
        assert text.count("<!-- options:") == len(self.TABLES)
        assert "guardrail:Guard" in self.TABLES

    def test_names(self):
        """What a page calls by its full name is there."""
        said = {
            (named(path), name) for path in PAGES for name in NAME.findall(path.read_text(encoding="utf-8"))
        }
        assert [one for one in sorted(said) if not self.is_there(one[1])] == []

    @staticmethod
    def is_there(name):
        module, _, own = name.rpartition(".")
        try:
            return bool(pkgutil.resolve_name(f"{module}:{own}"))
        except (ImportError, AttributeError):
            return False

    def test_detectors(self):
        """Their tables are what the declarations say."""
        script = pkgutil.resolve_name("scripts.options")
        assert (ROOT / "docs" / "options.md").read_text(encoding="utf-8") == script.page()

    def test_methods(self):
        """The page of each method has the options of its detectors, as declared."""
        script = pkgutil.resolve_name("scripts.options")
        pages = sorted((ROOT / "docs" / "methods").glob("*.md"))
        names = {name for page in pages for _, name in script.TABLE.findall(page.read_text("utf-8"))}
        assert {"references", "memory", "pairs", "phr", "logic"} <= names
        for page in pages:
            text = page.read_text(encoding="utf-8")
            assert text == script.filled(text), f"{page.name}: run python scripts/options.py --write"

    def test_every_way_agrees(self, tmp_path):
        """Constructor, configuration file, command line and documents say the same of every option of every detector."""
        script = pkgutil.resolve_name("scripts.options")
        wrong = [row for row in [*script.rows(tmp_path), *script.flags()] if row["ok"] is False]
        assert not wrong, wrong

    def test_extras(self):
        """docs/quick-start.md lists each extra that users install, and no other."""
        text = (ROOT / "docs" / "quick-start.md").read_text(encoding="utf-8")
        listed = re.findall(
            r"^\| `(\w+)` \|", text.partition("## Extras")[2].partition("\n## ")[0], re.MULTILINE
        )
        declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        assert sorted(listed) == sorted(
            set(declared["optional-dependencies"]).difference({"all", "dev", "docs"})
        )

    def test_all_detectors(self):
        """Each stands in the list."""
        text = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")
        for name in DETECTORS._targets:
            assert f"| `{name}` |" in text, name


class TestTheSite:
    def test_has_every_page_of_the_documents(self):
        """A page that the navigation lacks is found by nobody. `make docs` checks the links."""
        listed = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
        for path in sorted([*(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "methods").glob("*.md")]):
            assert f": {named(path)}\n" in listed, f"{named(path)} is not in the navigation of mkdocs.yml"
