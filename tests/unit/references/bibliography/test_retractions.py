"""Works that were retracted are marked, whenever they were added; what retracts nothing marks nothing."""

import pytest

from guardrail.errors import ParseError
from guardrail.references.bibliography.formats import Format, detect, read_records
from guardrail.references.bibliography.importers import import_files
from guardrail.references.bibliography.index import Index
from guardrail.references.bibliography.records import Record, Reference, Status
from guardrail.references.bibliography.retractions import Retraction

HEADER = (
    "Record ID,Title,Subject,Institution,Journal,Publisher,Country,Author,URLS,ArticleType,RetractionDate,"
    "RetractionDOI,RetractionPubMedID,OriginalPaperDate,OriginalPaperDOI,OriginalPaperPubMedID,RetractionNature,"
    "Reason,Paywalled,Notes\n"
)


def row(title, nature="Retraction", *, date="2/2/2010 0:00", doi="unavailable", pmid=0, notice="unavailable"):
    return (
        f'7,"{title}",(HSC) Medicine;,"Royal Free, London;",The Lancet,Elsevier,United Kingdom,A J Wakefield;S H Murch,'
        f"https://retractionwatch.com/x,Research Article;,{date},{notice},0,2/28/1998 0:00,{doi},{pmid},{nature},"
        '"+Misconduct by Author;",No,\n'
    )


ILEAL = "10.1016/s0140-6736(97)11096-0"
SAID = "2010-02-02, notice 10.1016/s0140-6736(10)60175-4"
RETRACTED = row("Ileal hyperplasia", doi=ILEAL.upper(), pmid=9500320, notice="10.1016/S0140-6736(10)60175-4")
WORK = Record("Ileal hyperplasia", ("A J Wakefield", "S H Murch"), year=1998, venue="Lancet", doi=ILEAL)


@pytest.fixture
def csv(tmp_path):
    def made(*rows, name="retraction_watch.csv"):
        path = tmp_path / name
        path.write_bytes(b"".join(r if isinstance(r, bytes) else r.encode() for r in (HEADER, *rows)))
        return path

    return made


@pytest.fixture
def index(tmp_path):
    with Index.create(tmp_path / "i.sqlite") as made:
        yield made


def said_of(index, **fields):
    match = index.find(Reference(**fields))
    assert match.status is Status.FOUND
    return match.record.retracted


class TestRetractionWatch:
    def test_reads_retractions_alone(self, csv):
        """No concern, no correction, nothing that was taken back; a title in two lines, a broken row.

        Oracle: the rows, read by hand.
        """
        rows = [
            RETRACTED,
            row("A concern", "Expression of concern", doi="10.1000/c"),
            row("A correction", "Correction", doi="10.1000/d"),
            row("Taken\nback", doi="10.1000/e"),
            row("Taken\nback", "Reinstatement", date="2/2/2011 0:00", doi="10.1000/e"),
            "1,2,3\n",
        ]
        problems = []
        records = list(read_records(csv(*rows), problems=problems))
        assert [(record.title, record.retracted) for record in records] == [
            ("Ileal hyperplasia", SAID),
            ("Taken back", ""),
        ]
        assert records[0] == Record(
            "Ileal hyperplasia",
            ("A J Wakefield", "S H Murch"),
            year=1998,
            venue="The Lancet",
            doi=ILEAL,
            pmid="9500320",
            source="Retraction Watch",
            retracted=SAID,
        )
        assert [(p.line, p.message, p.passed) for p in problems] == [
            (3, "expression of concern", True),
            (4, "correction", True),
            (6, "retraction that was taken back later", True),
            (9, "expected 20 fields, got 3.", False),
        ]

    def test_damaged_bytes_survive(self, csv):
        """The row is read, with a mark where the byte was; a zero byte as well."""
        rows = [row("Caf~ studies", doi="10.1000/x").encode().replace(b"~", b"\xe9\x00"), RETRACTED]
        titles = [record.title for record in read_records(csv(*rows))]
        assert titles == ["Caf\ufffd\0 studies", "Ileal hyperplasia"]

    def test_a_retraction_after_a_reinstatement_stands(self, csv):
        """The latest counts."""
        rows = [row("W", "Reinstatement", date="1/1/2009 0:00", doi="10.1000/x"), row("W", doi="10.1000/x")]
        assert [r.retracted for r in read_records(csv(*rows))] == ["", "2010-02-02"]

    def test_is_told_by_its_header(self, csv):
        """Any other CSV is refused."""
        assert detect(csv(RETRACTED)) is Format.RETRACTION_WATCH
        other = csv(name="other.csv")
        other.write_text("Title,Year\nA,1\n")
        with pytest.raises(ParseError, match="Retraction Watch's columns"):
            list(read_records(other, format="retraction-watch"))

    def test_a_quote_that_is_never_closed(self, csv):
        """Is a broken row, and costs no memory."""
        problems = []
        rows = [RETRACTED, '8,"never closed\n' + "x,y\n" * 100_000]
        assert len(list(read_records(csv(*rows), problems=problems))) == 1
        assert problems[0].message.startswith("expected")


class TestMark:
    @pytest.mark.parametrize("order", [0, 1])
    def test_works_added_before_and_after(self, index, csv, order):
        """By DOI and by PMID; the record is the index's own where there is one."""
        steps = [lambda: import_files(index, [csv(RETRACTED)]), lambda: index.add([WORK])]
        for step in steps[:: -1 if order else 1]:
            step()
        assert said_of(index, title="Ileal hyperplasia", doi=ILEAL) == SAID
        assert said_of(index, pmid="9500320") == SAID if not order else True

    def test_a_work_that_is_there_is_not_added_again(self, index, csv):
        """One that is not there is."""
        index.add([WORK])
        more = [row("Another work", doi="10.1000/y"), row("Another Work (paper)", doi="10.1000/y")]
        done = import_files(index, [csv(RETRACTED, *more)])
        assert (done.read, done.added, len(index)) == (3, 1, 2)
        assert said_of(index, title="Another work") == "2010-02-02"

    def test_importing_again_changes_nothing(self, index, csv):
        """Also from another file with the same rows."""
        import_files(index, [csv(RETRACTED)])
        before = index.fingerprint
        done = import_files(index, [csv(RETRACTED, row("A concern", "Correction"))])
        assert (done.added, done.retractions, index.fingerprint) == (0, 0, before)

    def test_the_fingerprint_is_also_of_retractions(self, index, csv):
        """A report's bibliography is another one once it knows of a retraction."""
        index.add([WORK])
        before = index.fingerprint
        import_files(index, [csv(RETRACTED)])
        assert index.fingerprint != before

    @pytest.mark.parametrize("order", [1, -1])
    def test_a_later_file_takes_a_retraction_back(self, index, csv, order):
        """In whichever order the files come."""
        files = [
            csv(RETRACTED, name="old.csv"),
            csv(
                RETRACTED,
                row("Ileal hyperplasia", "Reinstatement", date="1/1/2020 0:00", doi=ILEAL),
                name="new.csv",
            ),
        ]
        import_files(index, files[::order])
        assert said_of(index, doi=ILEAL) == ""

    def test_a_work_without_identifiers_is_marked_as_the_same_work(self, index, csv):
        """Title to the letter, authors and year agree; otherwise it is another work."""
        index.add(
            [
                Record("Ileal Hyperplasia.", ("Wakefield, A. J.",), True, 1998, "Lancet, The (print)"),
                Record("Ileal hyperplasia", ("Somebody Else",), year=1998),
                Record("Ileal hyperplasia", ("A J Wakefield", "S H Murch"), year=2005),
            ]
        )
        import_files(index, [csv(RETRACTED)])
        assert (
            said_of(index, title="Ileal hyperplasia", authors=("A. J. Wakefield",), et_al=True, year=1998)
            == SAID
        )
        assert said_of(index, title="Ileal hyperplasia", authors=("Somebody Else",), year=1998) == ""
        assert (
            said_of(index, title="Ileal hyperplasia", authors=("A J Wakefield", "S H Murch"), year=2005) == ""
        )

    def test_a_retracted_work_without_identifiers_is_marked(self, index, csv):
        """Retraction Watch has some of which it knows the title alone."""
        import_files(index, [csv(row("A work that nobody numbered"))])
        assert said_of(index, title="A work that nobody numbered") == "2010-02-02"

    def test_a_record_that_says_so_marks_others_of_its_doi(self, index):
        """As OpenAlex and Crossref do."""
        index.add([WORK, Record("Ileal-hyperplasia", doi=ILEAL, retracted="retracted, says OpenAlex")])
        assert (
            said_of(index, title="Ileal hyperplasia", doi=ILEAL, authors=WORK.authors)
            == "retracted, says OpenAlex"
        )

    @pytest.mark.parametrize("mark", ["RETRACTED: ", "RETRACTED ARTICLE: ", "Retracted: ", "WITHDRAWN: "])
    def test_the_publisher_s_mark_in_a_title_is_read(self, index, mark):
        """The plain title is found, and so is the marked one."""
        index.add([Record(f"{mark}Ileal hyperplasia of some kind", doi="10.1000/x")])
        for quoted in ("Ileal hyperplasia of some kind", f"{mark}Ileal hyperplasia of some kind"):
            assert said_of(index, title=quoted) == "marked as retracted in its title"

    def test_a_notice_is_a_work_of_its_own(self, index):
        """ "Retraction: …" is not retracted itself."""
        index.add([Record("Retraction: Ileal hyperplasia of some kind")])
        assert said_of(index, title="Retraction: Ileal hyperplasia of some kind") == ""

    def test_stats_count_them(self, index, csv):
        """By identifiers, reinstated ones left out."""
        index.add_batch([], retractions=[Retraction("10.1000/x", "7", "2020-01-01", "2020-01-01")])
        import_files(index, [csv(row("B", "Reinstatement", doi="10.1000/y"))])
        assert index.stats().retractions == 2
