"""Bibliography files become records; what is broken is reported with its line."""

import json

import pytest

from guardrail.errors import InputError, ParseError
from guardrail.references.bibliography.formats import Format, detect, read_records
from guardrail.references.bibliography.importers import import_files
from guardrail.references.bibliography.index import Index
from guardrail.references.bibliography.records import Record

BIBTEX = r"""% a comment with an @ sign
@string{neurips = "Advances in Neural Information Processing Systems"}
@inproceedings{a,
  title = {{A}ttention Is {All} You Need},
  author = {Vaswani, Ashish and Shazeer, Noam and others},
  booktitle = neurips,
  year = 2017,
  eprint = {1706.03762v5}, archivePrefix = {arXiv},
}
@article{broken, title = {Never closed,
@book{b, title = "{\"U}ber die {R}\"aume", author = {Erd{\H{o}}s, P{\'a}l and {World Health and Food Organization}},
  isbn = {0-262-03384-4}, date = {1999-05}}
@misc{none, author = {Nobody}}
@book{b, title = {Repeated Key}, doi = {10.1000/ABC}}
"""


def write(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


class TestBibtex:
    def test_reads_entries_and_reports_broken_ones(self, tmp_path):
        """Oracle: the entries above, read by hand."""
        problems = []
        found = list(read_records(write(tmp_path / "x.bib", BIBTEX), problems=problems))
        assert found == [
            Record(
                "Attention Is All You Need",
                ("Vaswani, Ashish", "Shazeer, Noam"),
                True,
                2017,
                "Advances in Neural Information Processing Systems",
                arxiv="1706.03762",
            ),
            Record(
                "Über die Räume",
                ("Erdős, Pál", "World Health and Food Organization"),
                year=1999,
                isbn="9780262033848",
            ),
            Record("Repeated Key", doi="10.1000/abc"),
        ]
        assert [problem.line for problem in problems] == [10, 13]

    def test_raises_at_the_first_problem_unless_told_to_collect(self, tmp_path):
        """With file and line."""
        with pytest.raises(ParseError, match=r"x\.bib:10: "):
            list(read_records(write(tmp_path / "x.bib", BIBTEX)))

    def test_many_entries_are_read_in_pieces(self, tmp_path):
        """Strings defined at the start hold in every piece."""
        text = '@string{j = "Journal"}\n' + "".join(
            f"@article{{k{n}, title={{Title {n}}}, journal=j}}\n" for n in range(1200)
        )
        found = list(read_records(write(tmp_path / "x.bib", text)))
        assert len(found) == 1200
        assert {record.venue for record in found} == {"Journal"}


class TestCsl:
    def test_reads_items(self, tmp_path):
        """Oracle: the CSL-JSON schema's fields, read by hand."""
        items = [
            {
                "title": ["A Title"],
                "author": [
                    {"family": "Berg", "given": "Anna", "non-dropping-particle": "van den"},
                    {"literal": "WHO"},
                ],
                "issued": {"date-parts": [[2020, 5]]},
                "container-title": "Journal",
                "DOI": "10.1000/XYZ",
            },
            {"title": "Another", "issued": {"raw": "May 1999"}, "author": "nonsense"},
        ]
        expected = [
            Record("A Title", ("van den Berg, Anna", "WHO"), year=2020, venue="Journal", doi="10.1000/xyz"),
            Record("Another", year=1999),
        ]
        assert expected == list(read_records(write(tmp_path / "x.json", json.dumps(items))))
        lines = "\n".join(map(json.dumps, items))
        assert expected == list(read_records(write(tmp_path / "y.json", lines)))

    def test_broken_items_are_left_out_and_broken_json_is_refused(self, tmp_path):
        """An item that is none is a problem of its own; a cut file is one of the file."""
        problems = []
        path = write(tmp_path / "x.json", '[{"title": "Good"},\n 3,\n {"author": []}]')
        assert [r.title for r in read_records(path, problems=problems)] == ["Good"]
        assert [problem.line for problem in problems] == [2, 3]
        with pytest.raises(ParseError, match=":2: expected JSON"):
            list(read_records(write(tmp_path / "y.json", '[{"title": "Good"},\n {"title": "Cut')))


class TestTsv:
    def test_reads_rows(self, tmp_path):
        """Columns by their names; "et al." marks a cut list."""
        text = (
            "\ufefftitle\tauthors\tyear\tvenue\tsource\r\nA Title\tA. One; B. Two; et al.\t2001\tVenue\t7\r\n"
        )
        expected = [Record("A Title", ("A. One", "B. Two"), True, 2001, "Venue", source="7")]
        assert expected == list(read_records(write(tmp_path / "x.tsv", text)))

    def test_reports_broken_rows(self, tmp_path):
        """Too few fields; no title."""
        problems = []
        path = write(tmp_path / "x.tsv", "title\tauthors\nGood\tA\nbad\n\tB\n")
        assert len(list(read_records(path, problems=problems))) == 1
        assert [problem.line for problem in problems] == [3, 4]

    def test_refuses_other_encodings(self, tmp_path):
        """With line and remedy, no traceback of Unicode."""
        path = write(tmp_path / "x.tsv", "title\nÜber\n".encode("latin-1"))
        with pytest.raises(ParseError, match=r"x\.tsv:2: expected UTF-8.*iconv"):
            list(read_records(path))

    def test_refuses_a_header_that_names_a_column_twice(self, tmp_path):
        """Which of the two would be the title?"""
        with pytest.raises(ParseError, match="every name of the header once"):
            list(read_records(write(tmp_path / "x.tsv", "title\ttitle\nA\tB\n")))

    def test_refuses_another_header(self, tmp_path):
        """A file without titles."""
        with pytest.raises(ParseError, match="header"):
            list(read_records(write(tmp_path / "x.tsv", "name\tage\n")))


class TestDetect:
    @pytest.mark.parametrize(
        ("text", "kind"),
        [(BIBTEX, Format.BIBTEX), (' [{"title": "x"}]', Format.CSL_JSON), ("title\tyear\n", Format.TSV)],
    )
    def test_by_content(self, tmp_path, text, kind):
        """Where the name tells nothing."""
        assert detect(write(tmp_path / "refs", text)) is kind

    def test_the_unknown_is_refused(self, tmp_path):
        """The message lists the formats."""
        with pytest.raises(InputError, match="bibtex, csl-json, tsv"):
            detect(write(tmp_path / "refs", "Dear diary,"))

    def test_a_file_that_is_not_there(self, tmp_path):
        """An input error with the path."""
        with pytest.raises(InputError, match="nowhere"):
            list(read_records(tmp_path / "nowhere.bib"))

    def test_an_explicit_format_wins(self, tmp_path):
        """Whatever the name says; a wrong word is refused."""
        path = write(tmp_path / "x.json", "title\nA Title\n")
        assert [Record("A Title")] == list(read_records(path, format="tsv"))
        with pytest.raises(InputError, match="xml"):
            list(read_records(path, format="xml"))


class TestImport:
    def test_a_file_is_imported_once(self, tmp_path):
        """Known by its content, under any name."""
        one = write(tmp_path / "one.bib", BIBTEX)
        two = write(tmp_path / "two.bib", BIBTEX)
        seen = []
        with Index.create(tmp_path / "i.sqlite") as index:
            first = import_files(index, [one], progress=lambda read, added: seen.append((read, added)))
            second = import_files(index, [one, two])
        assert (first.read, first.added, first.broken, first.skipped) == (3, 3, 2, 0)
        assert (second.read, second.added, second.skipped) == (0, 0, 2)
        assert seen == [(3, 3)]

    def test_a_file_that_grew_adds_what_is_new(self, tmp_path):
        """Other content is another file; equal records are stored once."""
        path = write(tmp_path / "x.tsv", "title\nFirst\n")
        with Index.create(tmp_path / "i.sqlite") as index:
            assert import_files(index, [path]).added == 1
            write(path, "title\nFirst\nSecond\n")
            assert import_files(index, [path]).added == 1
