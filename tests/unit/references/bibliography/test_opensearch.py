"""A bibliography in OpenSearch finds what the embedded one finds, and what does not answer is never absent."""

import json
import pickle

import pytest
from tests.opensearch import opensearch

from guardrail import Guard
from guardrail.detectors import ReferenceCheck
from guardrail.errors import ConfigError, IndexFault
from guardrail.references.bibliography.importers import import_files
from guardrail.references.bibliography.index import Bookmark, Index
from guardrail.references.bibliography.opensearch import OpenSearch
from guardrail.references.bibliography.records import Record, Reference, Status
from guardrail.references.bibliography.retractions import Retraction

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
    Record("Deep Learning", ("Ian Goodfellow", "Yoshua Bengio"), year=2016, doi="10.1000/DL", volume="1"),
    Record("Deep Learning", ("Yann LeCun", "Yoshua Bengio", "Geoffrey Hinton"), year=2015),
    Record("", doi="10.1000/untitled"),
]
QUOTED = [
    Reference("attention is all you need"),
    Reference(r"{A}ttention is \emph{all} you need", ("A. Vaswani",), et_al=True, year=2017),
    Reference("Atention is all you need"),
    Reference("Attention is all they need"),
    Reference("Attention is all you need", ("Somebody Else",), year=1999),
    Reference("Jeannie", ("M. Hirzel",)),
    Reference("Deep learning", ("LeCun, Y.",), et_al=True, year=2015),
    Reference("The paper: Attention Is All You Need", ("A. Vaswani",), et_al=True),
    Reference(arxiv="1706.03762v2"),
    Reference(doi="https://doi.org/10.1000/untitled"),
    Reference("Cooking pasta at high altitude"),
    Reference("Cooking pasta at high altitude", doi="10.1000/dl"),
    Reference(authors=("A",)),
]


@pytest.fixture(autouse=True)
def _no_credentials(monkeypatch):
    for name in ("OPENSEARCH_USERNAME", "OPENSEARCH_PASSWORD", "OPENSEARCH_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def service():
    with opensearch() as running:
        yield running


@pytest.fixture
def engine(service):
    return service[0]


@pytest.fixture
def address(service):
    return service[1]


@pytest.fixture
def index(address):
    with OpenSearch.create(address) as made:
        made.add_batch(WORKS)
        made.optimise()
    with OpenSearch.open(address, timeout=5, wait=0) as opened:
        yield opened


class TestFind:
    def test_answers_as_the_embedded_index_does(self, index, tmp_path):
        """Status, work and differences of every reference. Oracle: `Index` with the same works."""
        with Index.create(tmp_path / "i.sqlite") as embedded:
            embedded.add(WORKS)
            expected = embedded.find_all(QUOTED)
        found = index.find_all(QUOTED)
        assert [(m.status, m.record, m.differences, m.unchecked) for m in found] == [
            (m.status, m.record, m.differences, m.unchecked) for m in expected
        ]
        assert {m.status for m in found} == {Status.FOUND, Status.ABSENT, Status.UNREACHABLE}

    def test_one_by_one_or_together_is_the_same(self, index):
        """And in order, also over several requests."""
        many = QUOTED * 3
        assert index.find_all(many) == [index.find(reference) for reference in many]

    def test_says_who_was_asked_and_whether_absence_is_evidence(self, index, address):
        """The declaration is stored with the index."""
        index.declare_complete()
        with OpenSearch.open(address) as opened:
            match = opened.find(Reference("Cooking pasta at high altitude"))
        assert (match.status, match.complete) == (Status.ABSENT, True)
        assert match.sources == (f"index {address.removeprefix('opensearch+http://')}",)

    def test_few_requests_for_many_references(self, index, engine):
        """Five at most for sixteen: candidates, words, parts of titles, and twice retractions."""
        before = len(engine.seen)
        index.find_all(QUOTED)
        assert len(engine.seen) - before <= 5

    def test_few_requests_where_nobody_answers(self, index, engine):
        """Three attempts for all together, not for each."""
        before = len(engine.seen)
        engine.fault = lambda _path: (503, {}, b"")
        assert {match.status for match in index.find_all(QUOTED)} == {Status.UNREACHABLE}
        assert len(engine.seen) - before == 3

    @pytest.mark.parametrize(
        "title",
        [
            '"}\n{"delete": {}}',
            "_all/_search?q=*",
            "* OR 1",
            "x" * 100_000,
            "lone \ud800 surrogate",
            "{" * 50_000,
            "\0",
        ],
    )
    def test_hostile_titles_travel_in_bodies(self, index, engine, title):
        """Every path is one of ours, every line of every body is an object of ours."""
        before = dict(engine.written)
        index.find(Reference(title, (title,), venue=title, url=title))
        assert {path for _, path, _, _ in engine.seen[4:]} <= {
            f"/works/{call}" for call in ("_mapping", "_count", "_msearch", "_bulk", "_refresh")
        }
        for _, path, _, body in engine.seen:
            if path.endswith("_msearch"):
                kinds = [set(json.loads(line)) for line in body.splitlines()]
                assert all(kind <= {"index", "allow_partial_search_results"} for kind in kinds[::2])
                assert all(kind <= {"query", "size", "aggs"} for kind in kinds[1::2])
        assert engine.written == before

    def test_is_opened_by_its_address(self, index, address):
        """In a detector, as a file is."""
        with Guard([ReferenceCheck(bibliography=address)]) as guard:
            report = guard.check('1. Vaswani, A., et al. (2017). "Attention Is All You Need". NeurIPS.')
        assert [finding.label for finding in report.findings] == ["verified"]

    def test_travels_to_another_process(self, index):
        """By its address."""
        with pickle.loads(pickle.dumps(index)) as copy:
            assert copy.find(QUOTED[0]).status is Status.FOUND


def status(code, body=b"{}", **headers):
    return lambda path: (code, headers, body) if path.endswith("_msearch") else None


def search_reply(**change):
    reply = {"timed_out": False, "_shards": {"failed": 0}, "hits": {"hits": []}} | change
    return json.dumps({"responses": [reply, reply]}).encode()


FAULTS = {
    "too many requests": status(429, **{"Retry-After": "0"}),
    "overloaded": status(503),
    "no rights": status(403, b'{"error": {"reason": "no permissions"}}'),
    "a page of a proxy": status(200, b"<html>Sign in</html>"),
    "an empty page": status(200, b""),
    "another object": status(200, b'{"took": 1}'),
    "a list": status(200, b"[]"),
    "a body that is cut": status(200, b'{"responses": [', **{"Content-Length": "5000"}),
    "too few replies": status(200, b'{"responses": []}'),
    "replies without hits": status(200, b'{"responses": [{}, {}]}'),
    "time ran out": status(200, search_reply(timed_out=True)),
    "shards that failed": status(200, search_reply(_shards={"total": 5, "failed": 1})),
    "a search that failed": status(200, search_reply(error={"type": "x"}, status=400)),
    "a document that is none": status(200, search_reply(hits={"hits": [{"_source": {"record": 3}}]})),
}


class TestFaults:
    @pytest.mark.parametrize("name", FAULTS)
    def test_are_unreachable_and_never_absent(self, index, engine, name):
        """Whatever goes wrong, alone or among others; and once it is over, the work is found."""
        healthy, engine.fault = engine.fault, FAULTS[name]
        assert [m.status for m in index.find_all(QUOTED[:3])] == [Status.UNREACHABLE] * 3
        assert index.find(Reference("Cooking pasta at high altitude")).detail
        engine.fault = healthy
        assert index.find(QUOTED[0]).status is Status.FOUND

    def test_one_fault_is_tried_again(self, index, engine):
        """A 429 that is over after the time that it names."""
        left = [429, 503]
        engine.fault = lambda _path: (left.pop(), {"Retry-After": "0"}, b"") if left else None
        assert index.find(QUOTED[0]).status is Status.FOUND

    def test_a_search_that_cannot_be_answered_spoils_no_other(self, index, engine):
        """The others are asked for again, one by one."""
        last = engine.answer

        def answer(method, path, body):
            code, reply = last(method, path, body)
            if "altitude" in body and "responses" in reply:
                reply["responses"][0] = {"error": {"type": "too_many_clauses"}, "status": 400}
            return code, reply

        engine.answer = answer
        found = index.find_all([QUOTED[0], Reference("Pasta at high altitude"), QUOTED[2]])
        assert [m.status for m in found] == [Status.FOUND, Status.UNREACHABLE, Status.FOUND]

    def test_nobody_there(self, index, engine):
        """Refused connections are a fault of the index, and unreachable in a look-up."""
        gone = OpenSearch("opensearch+http://127.0.0.1:1/works", wait=0)
        assert gone.find(QUOTED[0]).status is Status.UNREACHABLE
        assert gone.fingerprint == "opensearch:unreadable"
        with pytest.raises(IndexFault, match="does not answer"):
            OpenSearch.open("opensearch+http://127.0.0.1:1/works", wait=0)

    def test_no_such_index_or_an_empty_one(self, address):
        """Refused with the command that fills it."""
        with pytest.raises(
            IndexFault, match=r"found none\. Build it with: guardrail references index add opensearch"
        ):
            OpenSearch.open(address)
        OpenSearch.create(address).close()
        with pytest.raises(IndexFault, match="expected works"):
            OpenSearch.open(address)

    def test_another_kind_of_index(self, engine, address):
        """Nothing is written into it."""
        engine.mappings["works"] = {"properties": {}}
        for make in (OpenSearch.open, OpenSearch.create):
            with pytest.raises(IndexFault, match="another kind of index"):
                make(address)

    @pytest.mark.parametrize(
        "address",
        [
            "opensearch://host",
            "opensearch://host/UPPER",
            "opensearch://host/_all",
            "opensearch://host/a/../b",
            "opensearch://host/a?q=1",
            "opensearch://host:port/a",
            "https://host/a",
        ],
    )
    def test_no_address(self, address):
        """Refused where it is given, with an example."""
        with pytest.raises(ConfigError, match="expected"):
            OpenSearch(address)

    def test_a_password_in_an_address(self):
        """Is refused and not repeated."""
        with pytest.raises(ConfigError, match="OPENSEARCH_PASSWORD") as caught:
            OpenSearch("opensearch://me:hunter2@host/a")
        assert "hunter2" not in str(caught.value)


class TestCredentials:
    def test_come_from_the_environment(self, address, engine, monkeypatch):
        """A name with a password, or a key."""
        monkeypatch.setenv("OPENSEARCH_API_KEY", "a-key")
        OpenSearch.create(address).close()
        assert engine.seen[-1][2]["Authorization"] == "ApiKey a-key"
        monkeypatch.setenv("OPENSEARCH_USERNAME", "me")
        monkeypatch.setenv("OPENSEARCH_PASSWORD", "secret")
        OpenSearch.create(address).close()
        assert engine.seen[-1][2]["Authorization"] == "Basic bWU6c2VjcmV0"  # base64 of "me:secret"


class TestAdd:
    def test_adding_again_adds_nothing(self, index):
        """Equal records are one document."""
        assert index.add_batch([*WORKS, *WORKS, Record("A newer work")]).works == 1

    def test_files_go_on_where_they_stopped(self, address, engine, tmp_path):
        """Known by their content, as with the embedded index."""
        path = tmp_path / "x.tsv"
        path.write_text("title\n" + "".join(f"Title number {n}\n" for n in range(12_000)))
        with OpenSearch.create(address, wait=0) as made:
            engine.fault = lambda p: (
                (403, {}, b"") if p.endswith("_bulk") and len(engine.written) > 5000 else None
            )
            with pytest.raises(IndexFault, match="403"):
                import_files(made, [path])
            engine.fault = lambda _path: None
            done = import_files(made, [path])
            assert (done.read, done.added, done.resumed, len(made)) == (7000, 7000, 1, 12_000)
            assert import_files(made, [path]).skipped == 1

    def test_a_refused_document_is_an_error(self, index, engine):
        """With the engine's reason."""
        engine.mappings["works"]["properties"] = {}
        with pytest.raises(IndexFault, match="strict_dynamic_mapping_exception"):
            index.add_batch([Record("A newer work")])

    def test_bookmarks(self, index):
        """Nothing, then how far."""
        assert index.bookmark("x") is None
        index.add_batch([], bookmark=Bookmark("x", 7, done=True))
        assert index.bookmark("x") == Bookmark("x", 7, done=True)

    def test_retractions_mark_works_added_before_and_after(self, index):
        """A work that is there is not added again; the latest notice counts."""
        work = Record("Deep Learning", doi="10.1000/dl")
        said = [Retraction("10.1000/dl", "", "2020-01-02", "2020-01-02, notice x", work)]
        said += [
            Retraction(
                "10.1000/later", "", "2020-01-02", "2020-01-02", Record("Another", doi="10.1000/later")
            )
        ]
        assert index.add_batch([], retractions=said) == (1, 2)
        index.add_batch([Record("A full title of another work", year=2001, doi="10.1000/later")])
        index.optimise()
        assert index.find(Reference(doi="10.1000/dl")).record.retracted == "2020-01-02, notice x"
        for quoted in ("A full title of another work", "The paper: A full title of another work"):
            match = index.find(Reference(quoted, year=2001))
            assert match.record.retracted == "2020-01-02"
        index.add_batch([], retractions=[Retraction("10.1000/dl", "", "2021-01-01", "")])
        index.optimise()
        assert index.find(Reference(doi="10.1000/dl")).record.retracted == ""
