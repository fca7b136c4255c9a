"""`guardrail references index`: add, find, stats."""

import json
import subprocess
import sys

import pytest
from tests.opensearch import opensearch

from guardrail.references.bibliography import Index


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

    def test_complete_with_a_broken_entry(self, run, folder):
        """What was read is kept, and not declared complete, also when the file is added again; a corrected one is."""
        whole = (folder / "refs.bib").read_text()
        (folder / "b.bib").write_text(whole + "@book{x, title = }\n")
        for _ in range(2):
            result = run("references", "index", "add", "library.sqlite", "b.bib", "--complete")
            assert result.exit_code == 2
            assert "1 entry was left out of 'library.sqlite'" in result.stderr
            with Index.open("library.sqlite") as known:
                assert (len(known), known.complete) == (2, False)
        (folder / "b.bib").write_text(whole + "@book{x, title = {On Cups}}\n")
        assert run("references", "index", "add", "library.sqlite", "b.bib", "--complete").exit_code == 0

    def test_completeness_is_not_lost_in_silence(self, run, folder, library):
        """An entry that is left out says so of an index that was declared complete."""
        assert run("references", "index", "add", library, "refs.bib", "--complete").exit_code == 0
        (folder / "b.bib").write_text("@book{x, title = }\n@book{y, title = {On Cups}, author = {Ann Lee}}\n")
        result = run("references", "index", "add", library, "b.bib")
        assert result.exit_code == 0
        assert "was declared complete, and no longer is" in result.stderr

    def test_format(self, run, folder):
        """A file without a telling name."""
        (folder / "export").write_text((folder / "refs.bib").read_text())
        assert (
            run("references", "index", "add", "library.sqlite", "export", "--format", "bibtex").exit_code == 0
        )


USELESS = {
    "words.tsv": b"x\n",
    "latin.bib": b"@book{a, title = {Caf\xe9}}\n",
    "open.json": b"{\n",
    "notes.txt": b"hello\n",
    "empty.bib": b"",
    "prose.bib": b"no entries here\n",
    "broken.bib": b"@book{x, title = }\n",
}


def interrupted(*_arguments, **_options):
    raise KeyboardInterrupt


class TestAddOfNothing:
    @pytest.mark.parametrize("name", USELESS)
    def test_makes_no_index(self, run, folder, name):
        """No file that looks like an index, no folder for it, and the exit code says so."""
        (folder / name).write_bytes(USELESS[name])
        before = sorted(folder.rglob("*"))
        result = run("references", "index", "add", "new/library.sqlite", name, "--complete")
        assert result.exit_code == 2
        assert result.stdout == ""
        assert name in result.stderr or "found none in 1 file" in result.stderr
        assert sorted(folder.rglob("*")) == before

    @pytest.mark.parametrize("name", ["words.tsv", "latin.bib", "open.json", "notes.txt"])
    def test_leaves_an_index_that_was_there_as_it_was(self, run, folder, library, name):
        """Also not declared complete by a command that failed."""
        (folder / name).write_bytes(USELESS[name])
        with Index.open(library) as known:
            before = known.fingerprint
        assert run("references", "index", "add", library, name, "--complete").exit_code == 2
        with Index.open(library) as known:
            assert known.fingerprint == before

    def test_interrupted_before_the_first_record(self, run, folder, monkeypatch):
        """Ctrl-C while the first file is read leaves nothing, and says so."""
        monkeypatch.setattr(Index, "add_batch", interrupted)
        result = run("references", "index", "add", "library.sqlite", "refs.bib")
        assert (result.exit_code, result.stderr) == (130, "guardrail: interrupted; nothing was added\n")
        assert not (folder / "library.sqlite").exists()

    def test_keeps_what_came_before_a_file_that_cannot_be_read(self, run, folder):
        """The works of the first file are kept, and it says so; the index is not declared complete."""
        (folder / "words.tsv").write_bytes(USELESS["words.tsv"])
        result = run("references", "index", "add", "library.sqlite", "refs.bib", "words.tsv", "--complete")
        assert result.exit_code == 2
        assert "note: 2 records were read before, 2 of them added, and are kept" in result.stderr
        with Index.open("library.sqlite") as known:
            assert (known.stats().records, known.stats().complete) == (2, False)


KILLED = """
import os, sys
from guardrail.references.bibliography import Index
Index.add_batch = lambda *_, **__: os.kill(os.getpid(), 9)
from guardrail.cli import main
sys.argv = ["guardrail", "references", "index", "add", "library.sqlite", "refs.bib", "--complete"]
main()
"""


class TestAddThatFails:
    def test_killed_before_the_first_record(self, run, folder):
        """What is left is no usable index; the same command makes one of it."""
        process = subprocess.run([sys.executable, "-c", KILLED], check=False, timeout=60)
        assert process.returncode == -9
        assert (folder / "library.sqlite").exists()
        for command in (("references", "index", "find", "library.sqlite", "A title"), ("check", "answer.md")):
            given = () if "find" in command else ("--bibliography", "library.sqlite")
            result = run(*command, *given)
            assert (result.exit_code, "found none: its import failed" in result.stderr) == (2, True)
        assert run("references", "index", "add", "library.sqlite", "refs.bib").exit_code == 0
        assert (
            run("references", "index", "find", "library.sqlite", "Attention is all you need").exit_code == 0
        )

    @pytest.mark.skipif(sys.platform == "win32", reason="needs limits of a process")
    def test_the_disk_is_full_before_the_first_record(self, process, folder):
        """No file is left, and the error names the index."""
        import resource

        def small():
            resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))

        rows = "".join(f"Title number {n} of the things that there are\n" for n in range(6_000))
        (folder / "many.tsv").write_text(f"title\n{rows}")
        before = sorted(folder.rglob("*"))
        result = process("references", "index", "add", "new/library.sqlite", "many.tsv", preexec_fn=small)
        assert result.returncode == 2
        assert "library.sqlite" in result.stderr
        assert sorted(folder.rglob("*")) == before


class TestAddOfSourcesOfWorks:
    def test_says_what_was_passed_over_and_which_works_are_retracted(self, run, folder):
        """And names the broken entries, the first five."""
        columns = "Title,Author,RetractionDate,OriginalPaperDOI,OriginalPaperPubMedID,RetractionNature\n"
        rows = "Attention Is All You Need,A. Vaswani,1/2/2020 0:00,10.1000/x,0,Retraction\n"
        rows += "Other,B,1/2/2020 0:00,10.1000/y,0,Correction\n" * 3 + "broken\n" * 7
        (folder / "watch.csv").write_text(columns + rows)
        result = run("references", "index", "add", "library.sqlite", "watch.csv")
        assert result.stdout == "library.sqlite: 1 added, 0 there already, 1 retracted; 1 works now\n"
        assert result.stderr.splitlines() == [
            "guardrail: note: 7 entries were left out of the bibliography; the first: watch.csv:6: expected 6 fields, got 1.",
            *[
                f"guardrail: note: left out: watch.csv:{line}: expected 6 fields, got 1."
                for line in (7, 8, 9, 10)
            ],
            "guardrail: note: left out: 2 more",
            "guardrail: note: passed over 3 entries that describe no work: correction 3",
        ]
        found = run("references", "index", "find", "library.sqlite", "Attention is all you need")
        assert "retracted: 2020-01-02" in found.stdout
        assert (
            "identifiers of retracted works: 1\n"
            in run("references", "index", "stats", "library.sqlite").stdout
        )


class TestOpenSearch:
    def test_add_find_and_check(self, run):
        """An address in the place of the file."""
        with opensearch() as (_, address):
            added = run("references", "index", "add", address, "refs.bib", "--complete")
            assert (added.exit_code, added.stdout) == (
                0,
                f"{address}: 2 added, 0 there already; 2 works now\n",
            )
            again = run("references", "index", "add", address, "refs.bib")
            assert again.stdout.endswith("0 added, 0 there already, 1 file imported before; 2 works now\n")
            assert run("references", "index", "find", address, "Attention is all you ned").exit_code == 0
            checked = run("check", "answer.md", "--bibliography", address)
            labels = [line.split("\t")[1] for line in checked.stdout.splitlines() if "\t" in line]
            assert labels == ["verified", "misquoted", "fabricated"]
            assert run("references", "index", "stats", address).exit_code == 2
            assert (
                run("check", "answer.md", "--bibliography", address, "--bibliography", "refs.bib").exit_code
                == 2
            )

    def test_an_address_in_a_configuration_file_is_no_path(self, run, folder):
        """It is not taken for a file beside it."""
        with opensearch() as (_, address):
            run("references", "index", "add", address, "refs.bib")
            (folder / "g.toml").write_text(
                f'[[detectors]]\nname = "references"\nbibliography = "{address}"\n'
            )
            assert "verified" in run("check", "answer.md", "--config", "g.toml").stdout


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
            2017,
        )
        assert result.exit_code == 1
        assert "found, but quoted wrongly" in result.stdout
        assert "authors, differs: quoted 'Bengio'" in result.stdout

    def test_another_work_of_that_title(self, run, library):
        """1, and whose it is."""
        title = "Attention is all you need"
        result = run("references", "index", "find", library, title, "--author", "Bengio", "--year", 1999)
        assert result.exit_code == 1
        assert "only another work with this title was found, by Vaswani" in result.stdout

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


class TestAbstracts:
    WORKS = """@article{smith, author = {Smith, Anna and Lee, Bo}, title = {Rivers of northern towns}, year = 2020,
      doi = {10.1000/rivers}, abstract = {Floods rose by 12 percent.}}"""

    @pytest.fixture(autouse=True)
    def cited(self, folder):
        (folder / "works.bib").write_text(self.WORKS)
        (folder / "cited.md").write_text("Floods rose by 30 percent (https://doi.org/10.1000/rivers).")

    def test_are_kept_or_left_out(self, run):
        """An import without them is made up for by another one."""
        assert run("references", "index", "add", "w.sqlite", "works.bib", "--no-abstracts").exit_code == 0
        assert "abstracts" not in run("references", "index", "stats", "w.sqlite").stdout
        assert "0 added, 1 there already" in run("references", "index", "add", "w.sqlite", "works.bib").stdout
        assert "abstracts: 1" in run("references", "index", "stats", "w.sqlite").stdout

    def test_are_sources_of_marks(self, run):
        """With an index alone, by either option; no document is given."""
        run("references", "index", "add", "w.sqlite", "works.bib")
        for option in (
            ("--bibliography", "w.sqlite"),
            ("--bibliography", "works.bib"),
            ("--backend", "bibliography=index:path=w.sqlite"),
        ):
            result = run("check", "cited.md", "--detector", "support:fit=words", *option)
            assert result.exit_code == 1
            assert "the documents say 12, not 30" in result.stdout
            assert "the abstract of “Rivers of northern towns”" in result.stdout

    def test_nothing_at_hand(self, run, folder):
        """What to add is said, and what was given is not."""
        (folder / "rain.txt").write_text("It rained for days.")
        (note,) = (
            line
            for line in run(
                *("check", "-", "--context", "rain.txt", "--detector", "support:fit=words"),
                input="It rained for weeks [3].",
            ).stdout.splitlines()
            if "at hand; add" in line
        )
        assert "1 citation points to nothing that is at hand" in note
        assert "--bibliography PATH" in note
