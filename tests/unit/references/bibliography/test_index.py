"""The embedded index: what it finds, what it refuses, and that it survives threads, forks and kills."""

import itertools
import multiprocessing
import os
import pickle
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading

import pytest
from tests.effort import ends, lines_run

from guardrail.cache import Cache
from guardrail.errors import IndexFault, InputError
from guardrail.references.bibliography.formats import read_records
from guardrail.references.bibliography.index import Index
from guardrail.references.bibliography.normalise import normalise
from guardrail.references.bibliography.records import Record, Reference, Status

WORKS = [
    Record(
        "Attention Is All You Need",
        ("Ashish Vaswani", "Noam Shazeer"),
        True,
        2017,
        "NeurIPS",
        arxiv="1706.03762",
    ),
    Record("Jeannie: granting java native interface developers their wishes", ("Martin Hirzel",), year=2007),
    Record("Introduction to Algorithms", ("Thomas H. Cormen",), year=2009, isbn="978-0-262-03384-8"),
    Record(
        "ZoomBoard: a diminutive qwerty soft keyboard using iterative zooming", ("Stephen Oney",), year=2013
    ),
    Record("Deep Learning", ("Ian Goodfellow", "Yoshua Bengio"), year=2016, doi="10.1000/DL"),
    Record("Deep Learning", ("Yann LeCun", "Yoshua Bengio", "Geoffrey Hinton"), year=2015),
]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "index.sqlite"


@pytest.fixture
def index(path):
    with Index.create(path) as made:
        made.add(WORKS)
    with Index.open(path) as opened:
        yield opened


def titles(match):
    return match.record.title if match.record else None


class TestFind:
    @pytest.mark.parametrize(
        "quoted",
        [
            "attention is all you need",
            "ATTENTION IS ALL YOU NEED!",
            r"{A}ttention is \emph{all} you need",
            "Atention is all you need",
            "Attentlon ls all you need",
        ],
    )
    def test_finds_a_title_through_noise(self, index, quoted):
        """Case, mark-up, a slip and a scanner's mistakes keep the work."""
        match = index.find(Reference(quoted))
        assert (match.status, titles(match)) == (Status.FOUND, "Attention Is All You Need")

    def test_finds_a_slip_in_a_single_word(self, index):
        """No other word leads there: the vocabulary does."""
        match = index.find(Reference("ZoomBaord", ("S. Oney",)))
        assert match.status is Status.ABSENT  # a slip in a main title alone is too little
        assert index.find(Reference("ZoomBoard", ("S. Oney",))).status is Status.FOUND

    def test_does_not_take_a_near_miss(self, index):
        """Another word is another title; the near one is shown."""
        match = index.find(Reference("Attention is all they need"))
        assert (match.status, titles(match)) == (Status.ABSENT, "Attention Is All You Need")

    @pytest.mark.parametrize(
        "reference",
        [
            Reference(arxiv="1706.03762v2"),
            Reference(doi="10.48550/arXiv.1706.03762"),
            Reference(isbn="0262033844"),
            Reference(doi="https://doi.org/10.1000/dl"),
        ],
    )
    def test_finds_identifiers(self, index, reference):
        """In any of their spellings."""
        assert index.find(reference).status is Status.FOUND

    def test_chooses_the_work_that_agrees(self, index):
        """Two works of one title are told apart by authors."""
        match = index.find(Reference("Deep learning", ("LeCun",), year=2015))
        assert (match.record.year, match.differences) == (2015, ())

    def test_says_who_was_asked_and_whether_absence_is_evidence(self, path):
        """`complete` is stored with the index."""
        with Index.create(path, complete=True) as made:
            made.add(WORKS)
        with Index.open(path) as opened:
            match = opened.find(Reference("Cooking pasta at high altitude"))
        assert (match.status, match.complete, match.sources) == (Status.ABSENT, True, ("index index.sqlite",))

    def test_without_title_and_identifier_nothing_can_be_said(self, index):
        """Never absent without having looked."""
        assert index.find(Reference(authors=("A",))).status is Status.UNREACHABLE

    @pytest.mark.parametrize(
        "title",
        [
            '"; DROP TABLE works; --',
            'a" OR "b NEAR(x y) * ^col:',
            "titles : words",
            "NEAR AND OR NOT",
            "\0nul\0 in title",
            "lone \ud800 surrogate \udfff",
            "§3 §4",
            "x" * 100_000,
            "word " * 20_000,
            "{" * 50_000 + "\\" * 50_000,
            "<a " * 30_000,
            "\u0301" * 10_000 + "z",
            "'); SELECT 1",
        ],
    )
    def test_hostile_titles_are_titles(self, index, title):
        """Each is answered, and nothing in the index changes."""
        before = index.fingerprint
        with ends():
            found = index.find(Reference(title))
        assert found.status is (Status.ABSENT if normalise(title) else Status.UNREACHABLE)
        assert before == index.fingerprint

    def test_hostile_authors_cost_little(self, index):
        """Long names are cut before they are compared, and read once: ten times the length adds no line of Python."""

        def lines_for(length):
            authors = tuple(f"{n} x" * length for n in range(1_000))
            return lines_run(lambda: index.find(Reference("Deep learning", authors)))

        short = lines_for(1_000)
        assert lines_for(10_000) <= short < 1_000_000

    def test_find_all_keeps_the_order(self, index):
        """One match each, in order."""
        found = index.find_all([Reference("Deep Learning"), Reference("No such thing at all")])
        assert [match.status for match in found] == [Status.FOUND, Status.ABSENT]

    def test_threads_that_ended_leave_no_connections(self, index):
        """A server that makes a thread for every request does not run out of files."""
        for _ in range(30):
            thread = threading.Thread(target=index.find, args=(Reference("Deep learning"),))
            thread.start()
            thread.join()
        assert len(index._connections) <= 3

    def test_travels_to_another_process(self, index):
        """By its path; the connection is made there."""
        copy = pickle.loads(pickle.dumps(index))
        assert copy.find(Reference("Deep learning")).status is Status.FOUND
        copy.close()


class TestAdd:
    def test_adding_again_adds_nothing(self, path):
        """Equal records are stored once, also within one call."""
        with Index.create(path) as made:
            assert made.add(WORKS + WORKS) == len(WORKS)
            fingerprint = made.fingerprint
            assert made.add(reversed(WORKS)) == 0
            assert made.fingerprint == fingerprint
            assert len(made) == len(WORKS)

    def test_the_fingerprint_is_of_the_records(self, tmp_path):
        """Equal for equal records in any order, else different."""
        prints = []
        for name, works in (("a", WORKS), ("b", WORKS[::-1]), ("c", WORKS[1:])):
            with Index.create(tmp_path / name) as made:
                made.add(works)
                prints.append(made.fingerprint)
        assert prints[0] == prints[1] != prints[2]

    def test_keeps_every_field(self, path):
        """Volume, issue and pages as well; two that differ in one of them are two."""
        works = [
            Record(
                "A Title",
                ("A. B.",),
                False,
                2001,
                "V",
                "10.1000/x",
                "1706.03762",
                "9780262033848",
                "7",
                "u",
                "s",
                *rest,
            )
            for rest in (("1", "2", "3-4"), ("1", "2", "5-6"))
        ]
        with Index.create(path) as made:
            assert made.add(works) == 2
            assert made.find(Reference("A Title")).record in works

    def test_leaves_one_file(self, path):
        """No log stays beside the index once it is closed."""
        with Index.create(path) as made:
            made.add(WORKS)
        assert [path.name] == [file.name for file in path.parent.iterdir()]

    def test_refuses_a_record_that_could_never_be_found(self, path):
        """Neither title nor identifier; the batch is not stored."""
        with Index.create(path) as made:
            with pytest.raises(InputError, match="title or an identifier"):
                made.add([WORKS[0], Record("?!")])
            assert len(made) == 0

    def test_keeps_text_that_no_encoding_holds(self, path):
        """Surrogates and control characters become blanks."""
        with Index.create(path) as made:
            made.add([Record("Odd \ud800 title of works", ("N\0ame",), source="\udfff")])
            assert made.find(Reference("Odd title of works")).record.authors == ("N ame",)

    def test_keeps_no_numbers_of_homonyms(self, path):
        """DBLP writes "Wei Wang 0001", quotations do not."""
        with Index.create(path) as made:
            made.add(
                [Record("A study of names and numbers", ("Wei Wang 0001", "John Doe Jr. 0002", "Agent 007"))]
            )
            match = made.find(
                Reference("A study of names and numbers", ("Wei Wang", "J. Doe Jr.", "Agent 007"))
            )
        assert match.record.authors == ("Wei Wang", "John Doe Jr.", "Agent 007")
        assert match.differences == ()

    def test_reading_only_cannot_write(self, index):
        """The error says how to open it."""
        with pytest.raises(IndexFault, match="readonly=False"):
            index.add(WORKS)


class TestFaults:
    def test_no_file(self, path):
        """The message has the path and the command."""
        with pytest.raises(IndexFault, match="guardrail references index add") as caught:
            Index.open(path)
        assert str(path) in str(caught.value)

    @pytest.mark.parametrize(
        "content", [b"not a database, just some text\n" * 50, b"SQLite format 3\0" + b"\xff" * 5000]
    )
    def test_a_file_that_is_no_database(self, path, content):
        """Refused on opening and on creating."""
        path.write_bytes(content)
        for make in (Index.open, Index.create):
            with pytest.raises(IndexFault, match="guardrail references index add"):
                make(path)
        assert content == path.read_bytes()

    def test_another_program_s_database(self, path):
        """A SQLite file that is not ours stays untouched."""
        connection = sqlite3.connect(path)
        connection.execute("CREATE TABLE works (id)")
        connection.commit()
        connection.close()
        with pytest.raises(IndexFault, match="another kind of SQLite file"):
            Index.create(path)

    def test_says_in_its_header_what_it_is(self, path):
        """So that other programs, the cache among them, can tell an index from files of their own."""
        with Index.create(path):
            pass
        assert (
            path.read_bytes()[68:72] == b"GRBI"
        )  # the header's application id, see sqlite.org/fileformat2.html

    def test_a_cache_is_no_index(self, path):
        """It is refused, and stays as it is."""
        Cache(path).close()
        before = path.read_bytes()
        for make in (Index.open, Index.create):
            with pytest.raises(IndexFault, match="another kind of SQLite file"):
                make(path)
        assert before == path.read_bytes()

    def test_another_version(self, index, path):
        """The versions are named."""
        index.close()
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA user_version = 99")
        connection.close()
        with pytest.raises(IndexFault, match="version 99"):
            Index.open(path)

    def test_a_find_on_a_damaged_index_is_unreachable(self, index, path):
        """Pages overwritten behind its back: an answer, no exception, and never absent."""
        index.close()
        size = path.stat().st_size
        with path.open("r+b") as stream:
            stream.seek(8192)
            stream.write(b"\xa5" * (size - 8192))
        match = index.find(Reference("Attention is all you need"))
        assert match.status is Status.UNREACHABLE
        assert str(path) in match.detail
        assert isinstance(index.fingerprint, str)

    def test_a_find_on_a_deleted_index_is_unreachable(self, index, path):
        """The file is gone when a new connection is made."""
        index.close()
        path.unlink()
        assert index.find(Reference("Deep learning")).status is Status.UNREACHABLE

    def test_a_second_writer_is_told_to_wait(self, path, monkeypatch):
        """Locked is not corrupt."""
        monkeypatch.setattr("guardrail.references.bibliography.connections.BUSY", 0.05)
        with (
            Index.create(path) as one,
            Index.create(path) as two,
            one._connections.writing(),
            pytest.raises(IndexFault, match="another writer"),
        ):
            two.add(WORKS)


@pytest.fixture
def first_version(index, path):
    """The index as version 1 of the file had it: without volume, issue, pages and retractions."""
    index.close()
    connection = sqlite3.connect(path)
    for column in ("volume", "issue", "pages", "retracted"):
        connection.execute(f"ALTER TABLE works DROP COLUMN {column}")
    connection.execute("DROP TABLE retractions")
    connection.execute("PRAGMA user_version = 1")
    connection.commit()
    connection.close()
    return path


class TestFirstVersion:
    def test_is_read_as_it_is(self, first_version):
        """Look-ups work, and the file is not changed by them."""
        before = first_version.read_bytes()
        with Index.open(first_version) as opened:
            assert opened.find(Reference("Deep Learning", ("Yann LeCun",), et_al=True)).record == WORKS[5]
            assert opened.find(Reference("Atention is all you need")).status is Status.FOUND
            assert opened.stats().retractions == 0
        assert first_version.read_bytes() == before

    def test_is_brought_up_to_date_when_records_are_added(self, first_version):
        """What is there stays, is not added again, and new records keep their pages."""
        with Index.create(first_version) as grown:
            assert grown.add([*WORKS, Record("A newer work", volume="1", issue="2", pages="3-4")]) == 1
            assert grown.find(Reference("A newer work")).record.pages == "3-4"
        with Index.open(first_version) as opened:
            assert len(opened) == len(WORKS) + 1


class TestEmpty:
    def test_is_refused_for_looking_up(self, path):
        """Its import failed, or never came to its first record: nothing follows from it."""
        Index.create(path, complete=True).close()
        with pytest.raises(IndexFault, match="found none: its import failed"):
            Index.open(path)

    def test_accuses_nobody_while_it_is_filled(self, path):
        """Also one that is declared complete."""
        with Index.create(path, complete=True) as made:
            assert made.find(Reference("Deep learning")).status is Status.UNREACHABLE


class TestTogether:
    def test_threads_share_an_index(self, index):
        """Every thread gets the right answer from a connection of its own."""
        wrong = []

        def ask(work):
            for _ in range(20):
                if index.find(Reference(work.title)).status is not Status.FOUND:
                    wrong.append(work)

        threads = [threading.Thread(target=ask, args=(work,)) for work in WORKS]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == []

    def test_the_working_directory_may_change(self, path, monkeypatch, tmp_path_factory):
        """A thread that asks later opens the same file."""
        with Index.create(path) as writer:
            writer.add(WORKS)
        monkeypatch.chdir(path.parent)
        found = []
        with Index.open(path.name) as index:
            monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
            thread = threading.Thread(
                target=lambda: found.append(index.find(Reference(WORKS[0].title)).status)
            )
            thread.start()
            thread.join()
        assert found == [Status.FOUND]

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
    def test_a_forked_child_uses_a_connection_of_its_own(self, index):
        """And the parent's goes on working."""
        assert index.find(Reference("Deep learning")).status is Status.FOUND
        context = multiprocessing.get_context("fork")
        with context.Pool(2) as pool:
            found = pool.map(index.find, [Reference(work.title) for work in WORKS])
        assert {match.status for match in found} == {Status.FOUND}
        assert index.find(Reference("Deep learning")).status is Status.FOUND

    def test_others_read_while_one_writes(self, path):
        """Readers in another process see the old records or the new ones, never an error."""
        with Index.create(path) as writer:
            writer.add(WORKS)
            code = textwrap.dedent("""
                import sys, threading
                from guardrail.references.bibliography.index import Index
                from guardrail.references.bibliography.records import Reference
                stop = threading.Event()
                threading.Thread(target=lambda: (sys.stdin.read(), stop.set())).start()
                index = Index.open(sys.argv[1])
                print("ready", flush=True)
                statuses = set()
                while not stop.is_set():
                    statuses.add(index.find(Reference("Attention is all you need")).status)
                print(*statuses)
            """)
            readers = [
                subprocess.Popen(
                    [sys.executable, "-c", code, str(path)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
                for _ in range(2)
            ]
            for reader in readers:
                assert reader.stdout.readline() == "ready\n"
            for number in range(60):
                writer.add([Record(f"Paper number {number} of batch {k} on things") for k in range(20)])
            for reader in readers:
                reader.stdin.close()
            outputs = [reader.stdout.read() for reader in readers]
            for reader in readers:
                reader.stdout.close()
        assert [reader.wait(timeout=30) for reader in readers] == [0, 0]
        assert outputs == ["found\n", "found\n"]


class TestKilled:
    @pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
    def test_an_import_goes_on_where_it_was_killed(self, tmp_path, path):
        """Killed in the middle, then run again: every record once, and what was read is not read again.

        Oracle: an index made of the same file without interruption.
        """
        source = tmp_path / "many.tsv"
        rows = "".join(
            f"Title number {n} about subject {n % 97}\tA. Author\t2001\t\tx\n" for n in range(60_000)
        )
        source.write_text("title\tauthors\tyear\tvenue\tsource\n" + rows, encoding="utf-8")
        code = textwrap.dedent("""
            import sys
            from guardrail.references.bibliography.importers import import_files
            from guardrail.references.bibliography.index import Index
            with Index.create(sys.argv[1]) as index:
                done = import_files(index, [sys.argv[2]], progress=lambda read, added: print(read, flush=True))
                print("done", done.read, done.added, done.resumed)
        """)
        command = [sys.executable, "-c", code, str(path), str(source)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        for line in process.stdout:
            if int(line) >= 20_000:
                process.send_signal(signal.SIGKILL)
                break
        process.wait(timeout=30)
        process.stdout.close()
        with Index.open(path) as half:
            already = len(half)
            assert half.stats().unfinished == 1
        assert 20_000 <= already < 60_000
        again = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
        assert again.stdout.splitlines()[-1] == f"done {60_000 - already} {60_000 - already} 1"
        with Index.create(tmp_path / "whole.sqlite") as whole, Index.open(path) as resumed:
            whole.add(
                Record(f"Title number {n} about subject {n % 97}", ("A. Author",), year=2001)
                for n in range(60_000)
            )
            assert whole.fingerprint == resumed.fingerprint


@pytest.mark.data
class TestRealTitles:
    def test_finds_every_title_of_the_data(self, tmp_path):
        """Four thousand real titles, each found again; oracle: the file itself."""
        from benchmarks._data import data_dir

        records = list(itertools.islice(read_records(data_dir("biblio") / "titles-08.tsv"), 4000))
        with Index.create(tmp_path / "i.sqlite") as index:
            index.add(records)
            lost = [
                r.title
                for r in records
                if index.find(Reference(r.title, r.authors, r.et_al, r.year)).status != "found"
            ]
        assert lost == []


def test_a_short_title_without_its_article_is_found(tmp_path):
    """Footnotes leave out articles and subtitles."""
    with Index.create(tmp_path / "works.sqlite", complete=True) as index:
        index.add([Record("The Slave Road: A Human History", ("Ada Quill",), year=2007)])
    with Index(tmp_path / "works.sqlite") as index:
        assert index.find(Reference("Slave Road", ("Quill",))).status is Status.FOUND
        assert index.find(Reference("Slave Road", ("Marsh",))).status is Status.ABSENT
