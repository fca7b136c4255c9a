"""Files as people have them: `file_cases.jsonl` has a file a line, what its records say, and which lines are lost.

Oracles: each case names the rule or the program that its expectation is from; written by hand, most before the reader.
"""

import json
from collections import Counter
from pathlib import Path

import pytest
from tests.effort import ends

from guardrail.references.bibliography.formats import Format, detect, read_records
from guardrail.references.bibliography.importers import import_files
from guardrail.references.bibliography.index import Index
from guardrail.references.bibliography.records import Reference, Status
from guardrail.references.citations.bibtex import bibtex

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "file_cases.jsonl").read_text(encoding="utf-8").splitlines()
]


def read(path, kind):
    problems = []
    records = list(read_records(path, format=kind, problems=problems))
    return records, [problem.line for problem in problems if not problem.passed]


class TestCases:
    @pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in CASES])
    def test_is_read_as_the_format_says(self, case, tmp_path):
        """Every field that is named, every record, every lost line."""
        path = tmp_path / "refs"
        path.write_bytes(case["file"].encode())
        records, lost = read(path, case["format"])
        said = [
            {
                name: list(value) if isinstance(value := getattr(record, name), tuple) else value
                for name in expected
            }
            for record, expected in zip(records, case["records"], strict=True)
        ]
        assert said == case["records"]
        assert lost == case["lost"]

    @pytest.mark.parametrize(
        "case", [pytest.param(case, id=case["name"]) for case in CASES if case["records"]]
    )
    def test_nobody_who_quotes_it_right_is_accused(self, case, tmp_path):
        """In a bibliography made of the file."""
        path = tmp_path / "refs"
        path.write_bytes(case["file"].encode())
        with Index.create(tmp_path / "index.sqlite") as index:
            import_files(index, [path], format=case["format"])
            for expected in case["records"]:
                said = {
                    name: tuple(value) if name == "authors" else value for name, value in expected.items()
                }
                match = index.find(Reference(**{"title": "A Title", **said}))
                assert (match.status, match.differences) == (Status.FOUND, ())

    def test_are_many(self):
        """At least eighty fields and breakages, and each says where its expectation is from."""
        fields = Counter(name for case in CASES for record in case["records"] for name in record)
        assert sum(fields.values()) + sum(len(case["lost"]) for case in CASES) >= 400
        assert all(case["source"] for case in CASES)


class TestDetected:
    @pytest.mark.parametrize(
        ("name", "kind"),
        [("EndNote", Format.ENDNOTE), ("PubMed", Format.PUBMED), ("Web of Science", Format.WEB_OF_SCIENCE),
         ("line ends of old Macs in RIS", Format.RIS)],
    )  # fmt: skip
    def test_by_content(self, tmp_path, name, kind):
        """Without a name that says it."""
        path = tmp_path / "export.txt"
        path.write_text(next(case["file"] for case in CASES if case["name"] == name), newline="")
        assert detect(path) is kind

    @pytest.mark.parametrize(
        ("name", "kind"),
        [("a.enw", Format.ENDNOTE), ("a.nbib", Format.PUBMED), ("a.ciw", Format.WEB_OF_SCIENCE)],
    )
    def test_by_name(self, tmp_path, name, kind):
        """As these services call their files."""
        (tmp_path / name).write_text("")
        assert detect(tmp_path / name) is kind


WORD = "word " * 100 + "\n"
HOSTILE = {
    "braces within each other": "@a{b, title={" + "{" * 500_000,
    "braces that close": "@a{b, title={" + "{" * 300_000 + "}" * 300_000 + "}}",
    "a megabyte without an end": "@a{b, title={" + WORD * 2_000,
    "beginnings alone": "@a{b,c={\n" * 50_000,
    "quotes without an end": '@a{b,title="' + "{}" * 300_000,
    "signs that join": "@a{b, title=" + "a#" * 300_000,
    "blanks between names": "@a{b, title={T}, author={A" + " " * 500_000 + "B}}",
    "strings that double": '@string{a0="0123456789"}\n'
    + "".join(f"@string{{a{n + 1} = a{n} # a{n}}}\n" for n in range(10_000)),
    "data of each other": "".join(
        f"@xdata{{x{n}, xdata={{{','.join(f'x{m}' for m in range(200))}}}}}\n" for n in range(200)
    )
    + "@misc{k, title={T}, xdata={x1}}",
    "a chain of crossrefs": "".join(
        f"@book{{x{n}, title={{T}}, crossref={{x{n + 1}}}}}\n" for n in range(5_000)
    ),
    "one name of many braces": "@misc{k, title={T}, author={{" + "}\n{" * 1_000_000 + "}}}",
    "footnotes in footnotes": "@misc{k, title={" + r"\footnote{" * 50_000 + "}" * 50_000 + "}}",
}


class TestHostile:
    @pytest.mark.parametrize("name", HOSTILE)
    def test_a_file_is_read_to_its_end(self, tmp_path, name):
        """In time that grows with its length alone; what is broken is named."""
        path = tmp_path / "x.bib"
        path.write_text(HOSTILE[name])
        with ends():
            read(path, Format.BIBTEX)

    @pytest.mark.parametrize("name", HOSTILE)
    def test_so_is_an_answer(self, name):
        with ends():
            bibtex(HOSTILE[name][:200_000])


class TestEntriesOfAnswers:
    @pytest.mark.parametrize(
        ("text", "title", "authors", "year"),
        [
            ("@misc{k,\n title={One,\n author={Roe, Ann},\n year={2001}\n}\nSo it is.", "One", ("Roe, Ann",), 2001),
            ("@misc{k,\n title={One}\n author={Roe, Ann}\n year=2001}", "One", ("Roe, Ann",), 2001),
            ("@misc{k, title={One}, author={Roe, Ann}, year={2001}", "One", ("Roe, Ann",), 2001),
            ("@misc{k, title={One} (sic), author={Roe, Ann}, year={2001}}", "One", ("Roe, Ann",), 2001),
            (r"@misc{k, title={\href{https://x.org}{One}}, author=family=Roe}", "One", (), None),
        ],
    )  # fmt: skip
    def test_are_read_as_far_as_they_go(self, text, title, authors, year):
        """What a file would lose, since nobody corrects an answer."""
        [found] = bibtex(text)
        said = found.reference
        assert (said.title, said.authors, said.year) == (title, authors, year)

    def test_program_code_is_none(self):
        """Decorators look like beginnings."""
        text = '@app.route("/")\n@app(route, methods={"GET"})\ndef f(): ...\n@dataclass(frozen=True)\nclass A: ...'
        assert bibtex(text) == []


class TestTagged:
    def test_an_entry_that_lost_its_beginning_is_none_of_the_next(self, tmp_path):
        """Nor of the entry before it; a beginning after other lines is of the same work."""
        file = tmp_path / "works.ris"
        file.write_text(
            "TY  - BOOK\nAU  - Ito, Bo\nTI  - Tides\nER  - \n"
            "AU  - Lost, Ann\nTI  - Rivers\nPY  - 1999\n\n"
            "TY  - BOOK\nAU  - Lee, Cy\nTI  - Lakes\nPY  - 2001\nER  - \n"
            "TI  - Seas\nTY  - BOOK\nAU  - Ode, Di\nPY  - 2002\nER  - \n",
            encoding="utf-8",
        )
        records, lost = read(file, Format.RIS)
        assert [(one.title, one.authors, one.year) for one in records] == [
            ("Tides", ("Ito, Bo",), None),
            ("Lakes", ("Lee, Cy",), 2001),
            ("Seas", ("Ode, Di",), 2002),
        ]
        assert lost == [5]

    def test_a_caption_is_no_author(self, tmp_path):
        """RIS has "CA" for it; PubMed and Web of Science call bodies so."""
        file = tmp_path / "works.ris"
        file.write_text("TY  - FIGURE\nAU  - Ito, Bo\nCA  - A river\nTI  - Tides\nER  - \n", encoding="utf-8")
        assert [one.authors for one in read(file, Format.RIS)[0]] == [("Ito, Bo",)]

    @pytest.mark.parametrize("each", ["   Lee, A.\n", "AU Lee, A.\n"])
    def test_a_work_with_too_many_values_is_lost_and_named(self, each, tmp_path, monkeypatch):
        """Whether or not each has its tag; a part of its authors would make strangers of the others. The next is read."""
        monkeypatch.setattr("guardrail.references.bibliography.formats.tagged.MOST_VALUES", 20)
        many = "PT J\nTI Tides\nAU Ito, B.\n" + 18 * each
        file = tmp_path / "works.txt"
        file.write_text(f"{many}{each}ER\nPT J\nTI Lakes\nAU Ode, D.\nER\n", encoding="utf-8")
        records, lost = read(file, Format.WEB_OF_SCIENCE)
        assert ([one.title for one in records], lost) == (["Lakes"], [1])
        file.write_text(f"{many[: -len(each)]}ER\n", encoding="utf-8")
        [record], lost = read(file, Format.WEB_OF_SCIENCE)
        assert (len(record.authors), lost) == (18, [])

    def test_a_list_of_fifteen_thousand_authors_is_read(self, tmp_path):
        """As the longest there is, with each name in full and cut short."""
        file = tmp_path / "works.txt"
        names = "".join(f"FAU - Lee, Ann{n}\nAU  - Lee A{n}\n" for n in range(15_000))
        file.write_text(f"PMID- 12345678\nTI  - Tides\n{names}", encoding="utf-8")
        [record], lost = read(file, Format.PUBMED)
        assert (len(record.authors), lost) == (15_000, [])


class TestComplete:
    BROKEN = "@misc{a, title={First}}\n@misc{b, title = }\n"

    def test_an_index_that_loses_an_entry_is_no_longer_complete(self, tmp_path):
        """A lost work would look made up."""
        (tmp_path / "x.bib").write_text(self.BROKEN)
        (tmp_path / "y.bib").write_text("@misc{a, title={First}}\n@misc{b, title = {Second}}\n")
        with Index.create(tmp_path / "i.sqlite", complete=True) as index:
            import_files(index, [tmp_path / "y.bib"])
            assert index.complete
            done = import_files(index, [tmp_path / "x.bib"])
            assert (index.complete, done.lost) == (False, 1)
            assert "x.bib:2: broken entry 'b': expected a value of 'title'" in done.left_out()[0]

    def test_what_was_lost_is_remembered(self, tmp_path):
        """The file is not read again, and still lacks the entry."""
        (tmp_path / "x.bib").write_text(self.BROKEN)
        with Index.create(tmp_path / "i.sqlite") as index:
            import_files(index, [tmp_path / "x.bib"])
            again = import_files(index, [tmp_path / "x.bib"])
        assert (again.skipped, again.broken, again.lost) == (1, 0, 1)
