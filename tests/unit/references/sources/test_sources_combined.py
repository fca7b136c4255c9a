"""Several catalogues as one bibliography: found, absent and unreachable, each only where it is true."""

import threading
from dataclasses import replace

import pytest
from benchmarks.references.sources.services import NAMES, Services, Work
from tests.contract.source import FakeClock
from tests.looping import each

from guardrail.errors import ConfigError, MissingExtra, UnknownName
from guardrail.references.bibliography.index import Index
from guardrail.references.bibliography.records import Record, Reference, Status
from guardrail.references.sources import CATALOGUES, Manners, Sources, available, opened
from guardrail.references.sources.address import Address

ARTICLE = Work(
    "Teapots and Their Theory", ("Ada Lovelace", "Alan Turing"), 2011, "Journal of Tests", doi="10.1234/jt.1"
)
BOOK = Work("The Book of Kettles", ("Grace Hopper",), 2001, "Test University Press", isbn="9780306406157")
PREPRINT = Work("Cups Are All You Need", ("Barbara Liskov",), 2019, "arXiv", arxiv="1901.00001")
CASE = Work("Cup v. Saucer", (), 1954, case=("347", "U.S.", "483"))
QUOTED = {
    "article": Reference(title=ARTICLE.title, authors=ARTICLE.authors, year=2011, venue=ARTICLE.venue),
    "book": Reference(title=BOOK.title, authors=BOOK.authors, year=2001, isbn=BOOK.isbn),
    "preprint": Reference(title=PREPRINT.title, authors=PREPRINT.authors, year=2019, arxiv=PREPRINT.arxiv),
    "case": Reference(title="Cup v. Saucer, 347 U.S. 483", year=1954),
}
MADE_UP = {
    "article": Reference(
        title="On Nothing at All", authors=("N. Body",), year=2012, venue="Journal of Tests"
    ),
    "book": Reference(title="The Book of Nothing", year=2012, isbn="9780131103627"),
    "preprint": Reference(title="Nothing Is All You Need", year=2019, arxiv="1902.00002"),
    "case": Reference(title="Nobody v. Nothing, 999 U.S. 1", year=1999),
}
UNDECIDABLE = {
    "thesis": Reference(title="On Nothing at All", year=2012, venue="PhD thesis, Nowhere"),
    "report": Reference(title="On Nothing at All", year=2012, venue="Technical Report"),
    "web page": Reference(title="On Nothing at All", url="https://nothing.test/"),
    "unknown": Reference(title="On Nothing at All", authors=("N. Body",), year=2012),
}


@pytest.fixture
def services():
    with Services([ARTICLE, BOOK, PREPRINT, CASE]) as services:
        yield services


@pytest.fixture
def make(services):
    made = []

    def make(names=NAMES, *, attempts=None, **options):
        clock = FakeClock()
        resolvers = [
            CATALOGUES[name](
                base_url=services.address(name), key="k", clock=clock, manners=quick(name), timeout=5.0
            )
            for name in names
        ]
        made.append(Sources(resolvers, clock=clock, **options))
        return made[-1]

    yield make
    services.released.set()
    for sources in made:
        sources.close()


def quick(name):
    return replace(CATALOGUES[name].manners, seconds=0.0)


class TestFound:
    def test_as_quoted(self, make):
        """Articles, books, preprints and cases; nothing differs."""
        sources = make()

        def check(kind):
            match = sources.find(QUOTED[kind])
            assert (match.status, match.differences) == (Status.FOUND, ())

        each(list(QUOTED), check)

    def test_with_a_difference(self, make):
        """Every source answered, and none has it otherwise."""
        match = make().find(replace(QUOTED["article"], authors=("Somebody Else",)))
        assert match.status is Status.FOUND
        assert [difference.field for difference in match.differences] == ["authors"]

    def test_the_others_are_not_waited_for(self, make, services):
        """One that confirms is enough."""
        services.fault = lambda asked: None if asked.service == "crossref" else "slow"
        assert make().find(QUOTED["article"]).status is Status.FOUND

    def test_a_title_that_was_cut_out_wrongly(self, make):
        """It is read again, as in an index."""
        match = make().find(replace(QUOTED["article"], title=f"The paper “{ARTICLE.title}”"))
        assert match.status is Status.FOUND

    def test_several_in_order(self, make):
        """All at once, each with its own answer."""
        asked = [QUOTED["book"], MADE_UP["article"], QUOTED["article"]]
        statuses = [match.status for match in make().find_all(asked * 5)]
        assert statuses == [Status.FOUND, Status.ABSENT, Status.FOUND] * 5


class TestAbsent:
    def test_complete_where_all_that_cover_it_answered(self, make):
        """Then it is made up."""
        sources = make()

        def check(kind):
            match = sources.find(MADE_UP[kind])
            assert (match.status, match.complete) == (Status.ABSENT, True)

        each(list(MADE_UP), check)

    def test_never_complete_where_nobody_covers_it(self, make):
        """Theses, reports, web pages, and what is of no known kind."""
        sources = make()

        def check(kind):
            match = sources.find(UNDECIDABLE[kind])
            assert (match.status, match.complete) == (Status.ABSENT, False)

        each(list(UNDECIDABLE), check)

    def test_not_complete_where_one_that_covers_it_was_not_asked(self, make):
        """Crossref alone does not list all articles."""
        assert make(["crossref", "dblp"]).find(MADE_UP["article"]).complete is False

    def test_a_case_at_the_place_of_another_name(self, make):
        """Names are cut and spelt out in many ways: no accusation."""
        match = make().find(replace(QUOTED["case"], title="Kup Co. v. Saucerman, 347 U.S. 483"))
        assert (match.status, match.complete) == (Status.ABSENT, False)


class TestUnreachable:
    def test_any_fault_of_any_source(self, make, services):
        """Whatever the others say, it is never absent."""
        names = ("crossref", "openalex", "semantic_scholar", "dblp", "pubmed")
        faults = ("rate", "error", "html", "empty", "cut", "400", "404")

        def check(name, fault):
            services.fault = lambda asked: fault if asked.service == name else None
            match = make().find(replace(MADE_UP["article"], title=f"On Nothing by {name} {fault}"))
            if (name, fault) == ("semantic_scholar", "404"):  # which is how it says "no such title"
                assert match.status is Status.ABSENT
            else:
                assert match.status is Status.UNREACHABLE
                assert name in match.detail

        each([(name, fault) for name in names for fault in faults], check)

    def test_a_source_that_takes_too_long(self, make, services):
        """The rest of the patience is over."""
        services.fault = lambda asked: "slow" if asked.service == "dblp" else None
        match = make(patience=0.5).find(MADE_UP["article"])
        assert match.status is Status.UNREACHABLE
        assert "dblp: no answer within 0.5 s" in match.detail

    def test_a_source_with_a_bug(self, make):
        """It is a fault of the source."""
        sources = make(["crossref", "openalex"])
        sources._resolvers["crossref"].lookup = lambda reference: 1 / 0
        match = sources.find(MADE_UP["article"])
        assert match.status is Status.UNREACHABLE
        assert "ZeroDivisionError" in match.detail


WRONG = replace(QUOTED["article"], authors=("Somebody Else",))
STOLEN = replace(MADE_UP["article"], doi="10.1234/jt.1")


def breaks(*_):
    raise ZeroDivisionError


class TestWhatOthersFound:
    """A source that gives no answer erases nothing: neither a difference, nor the work, nor whose identifier it is."""

    def check(self, match, why):
        assert match.status is Status.FOUND
        assert [difference.field for difference in match.differences] == ["authors"]
        assert match.record.title == ARTICLE.title
        assert "not every source answered (" in match.detail
        assert why in match.detail

    @pytest.mark.parametrize("fault", ["rate", "error", "html", "empty", "cut", "400", "slow"])
    def test_a_difference_stays(self, make, services, fault):
        """Whatever the fault, and whoever has it."""

        def check(name):
            services.fault = lambda asked: fault if asked.service == name else None
            match = make(["crossref", "openalex"], patience=1.0 if fault == "slow" else 60.0).find(WRONG)
            self.check(match, name)

        each(["crossref", "openalex"], check)

    def test_a_difference_in_an_index_stays(self, make, services, tmp_path):
        """Where the network is down altogether."""
        services.fault = lambda asked: "error"
        with Index.create(tmp_path / "own.sqlite") as index:
            index.add([Record(ARTICLE.title, ARTICLE.authors, year=2011, venue=ARTICLE.venue)])
            match = make(["crossref", "openalex"], first=[index]).find(WRONG)
        self.check(match, "openalex")
        assert match.sources[0] == "index own.sqlite"

    @pytest.mark.parametrize("method", ["lookup", "searches"])
    def test_a_bug_in_a_source(self, make, method):
        sources = make(["crossref", "openalex"])
        setattr(sources._resolvers["crossref"], method, breaks)
        self.check(sources.find(WRONG), "ZeroDivisionError")

    def test_a_bug_in_a_bibliography(self, make):
        """One of somebody's own, which raises although it should not."""

        class Broken:
            fingerprint = "broken"
            find = find_all = breaks

        self.check(make(["crossref", "openalex"], first=[Broken()]).find(WRONG), "Broken: ZeroDivisionError")

    def test_an_index_that_cannot_be_read(self, make, tmp_path):
        """What the catalogues found stays."""
        path = tmp_path / "own.sqlite"
        with Index.create(path) as index:
            index.add([Record("Something")])
        index = Index.open(path)
        path.write_bytes(b"nothing" * 10_000)
        self.check(make(["crossref", "openalex"], first=[index]).find(WRONG), "cannot be read")

    def test_the_nearest_work_is_shown(self, make, services):
        """And whose DOI it is; but the work is not absent."""
        services.fault = lambda asked: "error" if asked.service == "dblp" else None
        match = make(["crossref", "openalex", "dblp"]).find(STOLEN)
        assert (match.status, match.exists, match.complete) == (Status.UNREACHABLE, None, False)
        assert match.record.title == ARTICLE.title
        assert [(check.field, check.how) for check in match.differences][-1] == ("doi", "owner")
        assert "dblp: HTTP 503" in match.detail

    def test_a_complete_index_that_lacks_it_decides_nothing_then(self, make, services, tmp_path):
        """A catalogue that covers such works may have it."""
        services.fault = lambda asked: "error"
        with Index.create(tmp_path / "own.sqlite", complete=True) as index:
            index.add([Record("Something")])
            match = make(["crossref", "openalex"], first=[index]).find(MADE_UP["article"])
        assert (match.status, match.exists) == (Status.UNREACHABLE, None)


class TestWithAnIndex:
    @pytest.fixture
    def index(self, tmp_path):
        with Index.create(tmp_path / "own.sqlite") as index:
            index.add([Record(title="Only in This Index", authors=("Ada Lovelace",), year=1999)])
            yield index

    def test_what_it_settles_is_sent_nowhere(self, make, services, index):
        """It is asked first."""
        match = make(first=[index]).find(
            Reference(title="Only in This Index", authors=("Ada Lovelace",), year=1999)
        )
        assert match.status is Status.FOUND
        assert services.asked == []
        assert match.sources == ("index own.sqlite",)

    def test_what_it_does_not_have_is_asked_elsewhere(self, make, index):
        """And the answer names everybody who was asked."""
        match = make(["crossref", "openalex"], first=[index]).find(QUOTED["article"])
        assert match.status is Status.FOUND
        assert match.sources == (
            "index own.sqlite",
            "Crossref (127.0.0.1: title, first author, year, DOI)",
            "OpenAlex (127.0.0.1: title, DOI, PubMed number)",
        )

    def test_a_work_of_no_kind_that_a_complete_index_lacks(self, make, index):
        """The index was declared to have everything."""
        index.declare_complete()
        match = make(first=[index]).find(UNDECIDABLE["unknown"])
        assert (match.status, match.complete) == (Status.ABSENT, True)

    def test_a_difference_in_the_index(self, make, index):
        """Stays one, if no catalogue knows better."""
        match = make(first=[index]).find(
            Reference(title="Only in This Index", authors=("Someone",), year=1999)
        )
        assert [difference.field for difference in match.differences] == ["authors"]


class TestAddresses:
    def test_a_dead_address_is_a_remark(self, make):
        """And changes nothing else."""

        class Dead(Address):
            def remark(self, reference):
                return "there is nothing (HTTP 404)"

        match = make(["crossref", "openalex"], address=Dead()).find(UNDECIDABLE["web page"])
        assert (match.status, match.complete) == (Status.ABSENT, False)
        assert match.sources == ("the address that is quoted: there is nothing (HTTP 404)",)
        assert match.detail == ""


class TestOpened:
    @pytest.fixture(autouse=True)
    def environment(self, monkeypatch, services):
        for name, catalogue in CATALOGUES.items():
            monkeypatch.setenv(f"GUARDRAIL_{name.upper()}_URL", services.address(name))
            if catalogue.key_variable:
                monkeypatch.delenv(catalogue.key_variable, raising=False)

    def test_by_name(self, services, tmp_path):
        """Base addresses come from the environment; an index is its path."""
        with Index.create(tmp_path / "own.sqlite") as index:
            index.add([Record(title="Only in This Index")])
        sources = opened(["crossref", "openalex", str(tmp_path / "own.sqlite")], folder=tmp_path / "kept")
        assert sources.find(QUOTED["article"]).status is Status.FOUND
        assert sources.find(Reference(title="Only in This Index")).status is Status.FOUND
        assert sources.counts["crossref"].calls <= 1
        sources.close()

    def test_without_keys(self, monkeypatch):
        """Those that need one are left out, until it is there."""
        assert available() == ["crossref", "openalex", "arxiv", "dblp", "open_library", "pubmed", "doi"]
        monkeypatch.setenv("COURTLISTENER_API_TOKEN", "t")
        assert "courtlistener" in available()

    def test_a_name_that_is_none(self):
        """The nearest is offered."""
        with pytest.raises(UnknownName, match="Did you mean 'crossref'"):
            opened(["crosref"])

    def test_a_key_that_is_missing(self):
        """The message says which variable."""
        with pytest.raises(ConfigError, match="COURTLISTENER_API_TOKEN"):
            opened(["courtlistener"])

    def test_twice(self, tmp_path):
        """Each source once."""
        with pytest.raises(ConfigError, match="once"):
            opened(["crossref", "crossref"], folder=tmp_path)

    def test_a_bad_base_address(self, monkeypatch, tmp_path):
        """Named, with an example."""
        monkeypatch.setenv("GUARDRAIL_CROSSREF_URL", "file:///etc")
        with pytest.raises(ConfigError, match=r"api\.crossref\.org"):
            opened(["crossref"], folder=tmp_path)

    def test_a_missing_extra(self, monkeypatch, tmp_path):
        """The command that installs it."""
        import sys

        monkeypatch.setitem(sys.modules, "hishel", None)
        with pytest.raises(MissingExtra, match=r"pip install 'guardrail-sdk\[online\]'"):
            opened(["crossref"], folder=tmp_path)

    def test_a_folder_that_cannot_be_used(self, tmp_path, services):
        """Nothing is kept, and everything is asked."""
        (tmp_path / "file").write_text("")
        sources = opened(["crossref", "openalex"], folder=tmp_path / "file" / "below")
        assert sources.find(QUOTED["article"]).status is Status.FOUND
        sources.close()


class TestClosing:
    def test_while_something_waits(self, make, services):
        """Nobody waits for ever."""
        services.fault = lambda asked: "slow"
        sources = make(["crossref"], patience=30)
        found = []
        thread = threading.Thread(
            target=lambda: found.append(sources.find_all([MADE_UP["article"]] * 3)), daemon=True
        )
        thread.start()
        services.released.set()
        thread.join(20)
        sources.close()
        assert [match.status for match in found[0]] == [Status.UNREACHABLE] * 3

    def test_manners_are_the_catalogues_own(self):
        """But where they are replaced."""
        assert CATALOGUES["arxiv"].manners == Manners(seconds=3.0, concurrency=1)
