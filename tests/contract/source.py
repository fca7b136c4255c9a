"""What every catalogue keeps to. Subclass `SourceContract`, name the catalogue, and say what finds its work."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from benchmarks.references.sources.services import Services, Work

from guardrail.references.bibliography.records import Record, Reference
from guardrail.references.sources import CATALOGUES, Fault, Manners, SourceFault
from guardrail.references.sources.memory import Memory
from guardrail.references.sources.pace import Clock

WORK = Work(
    title="Structure & Function of <Imaginary> Teapots",
    authors=("Ada B. Lovelace", "Charles Babbage"),
    year=2011,
    venue="Journal of Tests",
    doi="10.1234/jt.2011(5);7",
    arxiv="1106.01234",
    isbn="9780306406157",
    pmid="21345678",
    case=("347", "U.S.", "483"),
)
OTHER = Work(title="Quite Another Matter", authors=("Grace Hopper",), doi="10.1234/other", arxiv="1201.00001")
HOSTILE = (
    '" OR 1=1 --',
    'x") OR all:* OR (ti:"y',
    "{!lucene df=text}a:* AND *:* /* ~ ^4 [* TO *] \\",
    "line\r\nX-Injected: yes\n\nGET / HTTP/1.1",
    "nul\x00 bell\x07 del\x7f sep\u2028 zero\u200b",
    "a,b|c:d!e&f=g#h?i%2Fj/../k;l+m$n",
    "teapots " * 5_000,
    "teapot" * 2_000,
)


class FakeClock(Clock):
    """Time that passes only while somebody waits."""

    def __init__(self):
        self.now = 1_800_000_000.0
        self.slept = []

    def time(self):
        return self.now

    def sleep(self, seconds, stop):
        self.slept.append(seconds)
        self.now += seconds


class SourceContract:
    """`known` is quoted as the catalogue has it; `unknown` has nothing that it knows."""

    name: str
    key = ""
    known = Reference(title=WORK.title, authors=WORK.authors, year=2011)
    by_identifier: Reference | None = None
    unknown = Reference(title="A Theory of Nothing at All", authors=("Nobody",), year=2012)
    rate = "rate"  # how it says "slower"
    kept = True  # GET requests are
    expected = WORK.title

    @pytest.fixture
    def services(self):
        with Services([OTHER, WORK]) as services:
            yield services

    @pytest.fixture
    def clock(self):
        return FakeClock()

    @pytest.fixture
    def make(self, services, clock, monkeypatch):
        monkeypatch.delenv("GUARDRAIL_CONTACT", raising=False)
        made = []

        def make(**options):
            kind = CATALOGUES[self.name]
            of_its_own = kind.manners
            settings = {
                "base_url": services.address(self.name),
                "key": self.key,
                "clock": clock,
                "timeout": 5.0,
            }
            source = kind(**{**settings, **options})
            assert source.client.manners in {of_its_own, options.get("manners")}
            made.append(source)
            return source

        yield make
        for source in made:
            source.close()

    def fault_of(self, source, reference=None):
        with pytest.raises(SourceFault) as caught:
            source.lookup(reference or self.known)
        assert caught.value.source == self.name
        assert self.name in str(caught.value)
        return caught.value.kind

    # -- answers

    def test_finds_a_work_by_what_is_quoted(self, make):
        """Title, year and source are the catalogue's."""
        works = make().lookup(self.known)
        found = next(work for work in works if work.title == self.expected)
        assert isinstance(found, Record)
        assert found.year == WORK.year
        assert found.source.startswith(self.name)

    def test_finds_a_work_by_an_identifier(self, make, services):
        """At the first request: nothing is searched."""
        if self.by_identifier is None:
            pytest.skip("it has no identifiers of its own")
        works = make().lookup(self.by_identifier)
        assert [work.title for work in works] == [self.expected]
        assert not [asked for asked in services.asked if "search" in json.dumps(asked.query)]

    def test_has_nothing_of_a_work_that_it_does_not_know(self, make):
        """That is an answer, no fault."""
        works = make().lookup(self.unknown)
        assert [work for work in works if "Nothing" in work.title] == []

    def test_asks_nothing_of_a_reference_that_says_nothing(self, make, services):
        """No title, no identifier: no request."""
        assert make().lookup(Reference()) == []
        assert services.asked == []

    # -- faults

    @pytest.mark.parametrize("fault", ["html", "empty", "cut", "error", "rate"])
    def test_a_passing_fault_is_overcome(self, make, services, fault):
        """The second attempt answers."""
        wrong = [self.rate if fault == "rate" else fault]
        services.fault = lambda asked: wrong.pop() if wrong else None
        assert self.expected in [work.title for work in make().lookup(self.known)]

    @pytest.mark.parametrize(
        ("fault", "kind"),
        [
            ("html", Fault.UNREADABLE),
            ("empty", Fault.UNREADABLE),
            ("cut", Fault.UNREACHABLE),
            ("error", Fault.UNREACHABLE),
            ("rate", Fault.TOO_FAST),
            ("400", Fault.REFUSED),
            ("401", Fault.REFUSED),
        ],
    )
    def test_a_lasting_fault_is_raised(self, make, services, fault, kind):
        """Typed, after three attempts where another may help; never an empty answer."""
        services.fault = lambda asked: self.rate if fault == "rate" else fault
        assert self.fault_of(make()) is kind
        assert len(services.asked) == (1 if kind is Fault.REFUSED else 3)

    def test_a_service_that_is_too_slow(self, make, services):
        """Unreachable."""
        services.fault = lambda asked: "slow"
        assert self.fault_of(make(timeout=0.05)) is Fault.UNREACHABLE

    def test_a_service_that_is_not_there(self, make):
        """Unreachable."""
        assert self.fault_of(make(base_url="http://127.0.0.1:9")) is Fault.UNREACHABLE

    def test_a_wrong_address_is_no_absence(self, make, services):
        """The page for people of somebody else's server is a fault, where a search cannot miss."""
        services.fault = lambda asked: "404"
        source = make()
        [query, _], *_ = source.searches(self.known)
        if not query.may_miss:
            assert self.fault_of(source) is Fault.REFUSED

    def test_an_allowance_that_is_spent(self, make, services, clock):
        """Hours to wait: it is not asked again before that, and says so."""
        services.fault, services.retry_after = (lambda asked: "429"), "7200"
        source = make()
        assert self.fault_of(source) is Fault.SPENT
        assert self.fault_of(source) is Fault.SPENT
        assert len(services.asked) == 1
        services.fault = lambda asked: None
        clock.now += 7_201
        assert self.expected in [work.title for work in source.lookup(self.known)]

    def test_a_redirect_to_another_host_is_refused(self, make, services):
        """The service may move its pages, and send nobody elsewhere."""
        services.redirect = lambda asked: "http://127.0.0.2:1/latest/meta-data/"
        assert self.fault_of(make()) is Fault.REFUSED

    # -- what is sent

    def test_hostile_words_stay_words(self, make, services):
        """No operator, no second header, no other path, and an address of bearable length."""
        for text in HOSTILE:
            services.asked.clear()
            identifiers = {
                "doi": f"10.1234/{text[:200]}",
                "arxiv": text[:200],
                "pmid": text[:200],
                "isbn": text[:200],
            }
            reference = Reference(title=text, authors=(text,), venue=text[:500], **identifiers)
            make().lookup(reference)
            for asked in services.asked:
                self.assert_harmless(asked)

    def assert_harmless(self, asked):
        sent = " ".join([*asked.query.values(), *asked.form.values()])
        assert len(asked.path) + len(sent) < 2_500
        assert "X-Injected" not in asked.headers
        assert not any(ord(sign) < 32 or 127 <= ord(sign) < 160 for sign in sent)
        assert "/../" not in asked.path
        for value in asked.query.values():
            self.assert_no_operator(value)

    def assert_no_operator(self, value):
        assert not set('"*{}\\^~|!') & set(value)

    def test_the_key_goes_where_it_belongs(self, make, services, tmp_path, clock):
        """Into the request, and on no disk: neither in the clear nor with what is kept."""
        memory = Memory(tmp_path / "kept", clock)
        source = make(key="secret-k3y", memory=memory)
        source.lookup(self.known)
        manners = source.client.manners
        if manners.header or manners.parameter:
            sent = services.asked[0]
            assert "secret-k3y" in f"{sent.headers} {sent.query}"
        files = [file for file in (tmp_path / "kept").rglob("*") if file.is_file()]
        assert files
        assert not [file.name for file in files if b"k3y" in file.read_bytes()]
        memory.close()
        assert not [file.name for file in files if file.exists() and b"k3y" in file.read_bytes()]
        assert "k3y" not in repr(source)

    # -- what is kept

    def test_a_reply_is_kept(self, make, services, tmp_path, clock):
        """The second time nothing is sent."""
        memory = Memory(tmp_path, clock)
        first = make(memory=memory).lookup(self.known)
        sent = len(services.asked)
        again = make(memory=memory)
        assert again.lookup(self.known) == first
        assert len(services.asked) == (sent if self.kept else 2 * sent)
        assert again.count.calls == (0 if self.kept else sent)

    def test_an_absence_is_kept_for_a_day(self, make, services, tmp_path, clock):
        """Works are added to catalogues."""
        source = make(memory=Memory(tmp_path, clock))
        source.lookup(self.unknown)
        sent = len(services.asked)
        source.lookup(self.unknown)
        assert len(services.asked) == (sent if self.kept else 2 * sent)
        services.asked.clear()
        clock.now += 86_401
        source.lookup(self.unknown)
        assert len(services.asked) == sent

    @pytest.mark.parametrize("fault", ["html", "empty", "error", "cut"])
    def test_a_fault_is_never_kept(self, make, services, tmp_path, clock, fault):
        """What went wrong once is asked again."""
        source = make(memory=Memory(tmp_path, clock))
        services.fault = lambda asked: fault
        self.fault_of(source)
        services.fault = lambda asked: None
        assert self.expected in [work.title for work in source.lookup(self.known)]

    def test_a_disk_that_fails_costs_requests_and_no_answers(self, make, services, tmp_path, clock):
        """Here the notes are closed under it."""
        memory = Memory(tmp_path, clock)
        memory._notes.close()
        source = make(memory=memory)
        assert self.expected in [work.title for work in source.lookup(self.known)]
        source.lookup(self.unknown)

    # -- pace

    def test_requests_keep_their_distance(self, make, clock):
        """As far apart as the service asks."""
        source = make()
        for at in range(3):
            source.lookup(Reference(title=f"Number {at} of three", venue="347 U.S. 483"))
        calls = source.count.calls
        assert sum(clock.slept) >= (calls - 1) * source.client.manners.seconds * 0.999

    def test_serves_many_threads(self, make):
        """At once."""
        source = make(manners=Manners(seconds=0.0))
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda _: source.lookup(self.known), range(12)))
        assert all(self.expected in [work.title for work in works] for works in found)
