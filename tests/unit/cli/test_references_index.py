"""`guardrail references index`: add, find, stats."""

import json

import pytest


@pytest.fixture
def library(run):
    assert run("references", "index", "add", "library.sqlite", "refs.bib").exit_code == 0
    return "library.sqlite"


class TestAdd:
    def test_again(self, run, library):
        """What is there is left out."""
        result = run("references", "index", "add", library, "refs.bib")
        assert (
            result.stdout == "library.sqlite: 0 added, 0 there already, 1 file imported before; 2 works now\n"
        )

    def test_broken_entry(self, run, folder):
        """A broken entry is named, the rest is added."""
        (folder / "b.bib").write_text((folder / "refs.bib").read_text() + "@book{x, title = }\n")
        result = run("references", "index", "add", "library.sqlite", "b.bib")
        assert result.exit_code == 0
        assert "2 works now" in result.stdout
        assert "b.bib:" in result.stderr

    def test_format(self, run, folder):
        """A file without a telling name."""
        (folder / "export").write_text((folder / "refs.bib").read_text())
        assert (
            run("references", "index", "add", "library.sqlite", "export", "--format", "bibtex").exit_code == 0
        )


class TestFind:
    def test_found(self, run, library):
        """0, with the whole record."""
        result = run("references", "index", "find", library, "Attention is all you ned")
        assert result.exit_code == 0
        assert "Vaswani, Ashish" in result.stdout

    def test_misquoted(self, run, library):
        """1, with what is wrong."""
        result = run(
            "references",
            "index",
            "find",
            library,
            "Attention is all you need",
            "--author",
            "Bengio",
            "--year",
            1999,
        )
        assert result.exit_code == 1
        assert "authors: quoted 'Bengio'" in result.stdout

    def test_absent(self, run, library):
        """1."""
        assert run("references", "index", "find", library, "Recursive pruning of everything").exit_code == 1

    def test_json(self, process, library):
        """The match, as JSON."""
        found = json.loads(
            process("references", "index", "find", library, "Attention is all you need", "--json").stdout
        )
        assert (found["status"], found["record"]["year"]) == ("found", 2017)


class TestStats:
    def test_text(self, run, library):
        """How many works, and whether it claims to hold all."""
        result = run("references", "index", "stats", library)
        assert "2 works" in result.stdout
        assert "not declared complete" in result.stdout

    def test_json(self, run, library):
        """The same as JSON."""
        run("references", "index", "add", library, "refs.bib", "--complete")
        found = json.loads(run("references", "index", "stats", library, "--json").stdout)
        assert (found["records"], found["complete"]) == (2, True)
