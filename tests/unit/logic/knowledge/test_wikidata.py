import pytest
from tests.unit.logic.knowledge.wikidata_server import WikidataServer, text

from guardrail.errors import BackendError, ConfigError, InputError
from guardrail.logic.knowledge import DatedEvent, Entity, Triple
from guardrail.logic.knowledge.sources.sparql import Sparql
from guardrail.logic.knowledge.sources.wikidata import State, Wikidata

LABELS = {"Q1": "SKF", "Q2": "Texaco", "Q3": "Sven Wingquist", "Q4": 'Joe "the :- halt." O\'Neill', "Q5": "Springfield",
          "Q6": "Springfield", "Q7": "First World War", "Q8": "Renaissance"}  # fmt: skip
FACTS = {"P112": [("Q1", "Q3"), ("Q2", "Q4"), ("Q2", "Q9")], "P159": [("Q1", "Q5"), ("Q2", "Q6")]}
DATES = [("Q7", "1914-07-28T00:00:00Z", 11, "1918-11-11T00:00:00Z", 11),
         ("Q8", "1300-01-01T00:00:00Z", 7, "1600-01-01T00:00:00Z", 7)]  # fmt: skip


@pytest.fixture
def waits():
    return []


@pytest.fixture
def load(tmp_path, waits):
    """Run an import against a server; `waits` collects the seconds it would have slept."""

    def run(server, properties=("P112", "P159"), *, state="state.jsonl", **options):
        with Sparql(server.address, contact="tests@example.org", pause=0.5, sleep=waits.append) as service:
            chosen = {"instances_of": "Q43229", "page": 2, **options}
            return Wikidata(service, properties, **chosen).load(tmp_path / state)

    return run


class TestImport:
    def test_facts_with_labels(self, load):
        """Over several pages; relations by the name of the reviewed table."""
        with WikidataServer(facts=FACTS, labels=LABELS) as server:
            found = load(server)
        assert found.facts[:3] == [
            Triple("SKF", "founded by", "Sven Wingquist"),
            Triple("Texaco", "founded by", LABELS["Q4"]),
            Triple("Texaco", "founded by", "Q9"),  # it has no label
        ]
        assert found.problems == []

    def test_shared_labels_are_told_apart(self, load):
        """By the id; the label becomes an alias of both."""
        with WikidataServer(facts=FACTS, labels=LABELS, aliases={"Q2": ["The Texas Company"]}) as server:
            found = load(server)
        assert found.facts[3:] == [
            Triple("SKF", "headquarters location", "Springfield (Q5)"),
            Triple("Texaco", "headquarters location", "Springfield (Q6)"),
        ]
        entities = {entity.identifier: entity for entity in found.entities}
        assert entities["Q5"] == Entity("Springfield (Q5)", ("Springfield",), "Q5")
        assert entities["Q2"] == Entity("Texaco", ("The Texas Company",), "Q2")

    def test_dates_by_precision(self, load):
        """Known to the year at least; vaguer ones are reported and not guessed."""
        with WikidataServer(facts={}, labels=LABELS, dates=DATES) as server:
            found = load(server, ())
        assert found.events == [DatedEvent("First World War", [(1914, 1918)])]
        assert [(p.source, p.line) for p in found.problems] == [("dates", 2)]
        assert "'7'" in str(found.problems[0])

    def test_a_point_in_time_is_a_year(self, load):
        """As battles have it, in place of start and end; also before our era."""
        moments = [("Q8", date, 11, date, 11) for date in ("1815-06-18T00:00:00Z", "-0043-03-15T00:00:00Z")]
        with WikidataServer(labels=LABELS, moments=moments) as server:
            assert load(server, ()).events == [DatedEvent("Renaissance", [(1815, 1815), (-43, -43)])]

    def test_several_spans(self, load):
        """Wikidata sends every beginning with every end; as many of both go together in order."""
        begins, ends = (
            ("1914-01-01T00:00:00Z", "1939-01-01T00:00:00Z"),
            ("1918-01-01T00:00:00Z", "1945-01-01T00:00:00Z"),
        )
        dates = [("Q7", begin, 9, end, 9) for begin in begins for end in ends]
        with WikidataServer(labels=LABELS, dates=dates) as server:
            assert load(server, ()).events == [DatedEvent("First World War", [(1914, 1918), (1939, 1945)])]
        with WikidataServer(labels=LABELS, dates=dates[:2]) as server:
            found = load(server, (), state="other.jsonl")
        assert found.events == []
        assert "1 beginnings and 2 ends" in str(found.problems[0])

    def test_literals_and_blank_nodes(self, load):
        """A literal is an object by its text; "some value" is none and is reported."""
        facts = {
            "P1448": [("Q1", text("Svenska Kullagerfabriken")), ("Q2", {"type": "bnode", "value": "t1"})]
        }
        with WikidataServer(facts=facts, labels=LABELS) as server:
            found = load(server, ("P1448",))
        assert found.facts == [Triple("SKF", "P1448", "Svenska Kullagerfabriken")]
        assert len(found.problems) == 1

    def test_chosen_items(self, load):
        """Only the subjects that were named."""
        with WikidataServer(facts=FACTS, labels=LABELS) as server:
            found = load(server, ("P112",), items=["Q1"], instances_of="")
        assert found.facts == [Triple("SKF", "founded by", "Sven Wingquist")]

    @pytest.mark.parametrize(
        "options",
        [
            {"properties": ["P1} SELECT"]},
            {"properties": ["Q1"]},
            {"properties": ["P1"], "instances_of": "Q1 }"},
            {"properties": ["P1"], "items": ["Q1", "x"], "instances_of": ""},
            {"properties": ["P1"], "language": 'en" }'},
            {"properties": ["P1"], "instances_of": ""},
            {"properties": ["P1"], "items": ["Q1"]},
        ],
    )
    def test_nothing_else_gets_into_a_query(self, options):
        """Ids and languages are checked; what is asked of is named once."""
        with Sparql("http://127.0.0.1:9/") as service, pytest.raises(ConfigError):
            Wikidata(service, options.pop("properties"), **{"instances_of": "Q5", **options})


class TestPolite:
    def test_says_who_it_is_and_pauses(self, load, waits):
        """A User-Agent with a contact, half a second between requests, no more lag than they can bear."""
        with WikidataServer(facts=FACTS, labels=LABELS) as server:
            load(server, ("P112",))
        assert all(
            agent.startswith("guardrail-sdk/") and "tests@example.org" in agent for agent in server.agents
        )
        assert all(one["maxlag"] == ["5"] for one in server.parameters)
        assert waits == [0.5] * (len(server.queries) - 1)

    @pytest.mark.parametrize(
        ("fault", "seconds"),
        [
            ((429, {"Retry-After": "17"}), 17),
            ((503, {"Retry-After": "3"}), 3),
            ("maxlag", 5),
            ((429, {"Retry-After": "9999"}), 300),
        ],
    )
    def test_waits_as_long_as_it_is_told(self, load, waits, fault, seconds):
        """Then asks again; never longer than five minutes."""
        with WikidataServer(facts=FACTS, labels=LABELS, faults=[fault]) as server:
            assert len(load(server, ("P112",)).facts) == 3
        assert waits[0] == seconds

    @pytest.mark.parametrize("fault", ["cut", (500, {}), (504, {})])
    def test_backs_off_when_it_is_told_nothing(self, load, waits, fault):
        """Half a reply (a query that timed out) and errors of the server are tried again."""
        with WikidataServer(facts=FACTS, labels=LABELS, faults=[fault] * 3) as server:
            assert len(load(server, ("P112",)).facts) == 3
        assert len(waits) == 3 + len(server.queries) - 1

    def test_gives_up_on_a_refusal(self, load):
        """A malformed query is not asked again."""
        with (
            WikidataServer(facts=FACTS, faults=[(400, {})]) as server,
            pytest.raises(BackendError, match="400"),
        ):
            load(server)
        assert len(server.agents) == 1

    def test_gives_up_at_last(self, load):
        """After eight attempts."""
        with WikidataServer(facts=FACTS, faults=[(500, {})] * 20) as server, pytest.raises(BackendError):
            load(server)
        assert len(server.agents) == 8


class TestResume:
    def test_goes_on_behind_the_last_page(self, load, tmp_path):
        """What arrived is not asked for again, and the result is as if nothing had happened."""
        with WikidataServer(facts=FACTS, labels=LABELS, dates=DATES) as server:
            whole = load(server, state="whole.jsonl")
            total = len(server.queries)
            server.queries.clear()
            server.faults = [None, None, (400, {})]
            with pytest.raises(BackendError):
                load(server)
            assert len(server.queries) == 2
            resumed = load(server)
            assert len(server.queries) == total
            assert resumed == whole
            load(server)
            assert len(server.queries) == total

    def test_a_line_that_was_cut_off_is_asked_for_again(self, load, tmp_path):
        """Killed while it wrote."""
        path = tmp_path / "state.jsonl"
        with WikidataServer(facts=FACTS, labels=LABELS) as server:
            whole = load(server)
            content = path.read_bytes()
            total = len(server.queries)
            for cut in (len(content) - 1, len(content) - 30, 10):
                path.write_bytes(content[:cut])
                assert load(server) == whole
                assert path.read_bytes() == content
            assert len(server.queries) > total

    def test_the_state_of_another_import_is_refused(self, load, tmp_path):
        """Not mixed with this one."""
        with WikidataServer(facts=FACTS, labels=LABELS) as server:
            load(server, ("P112",))
            with pytest.raises(InputError, match="another one"):
                load(server, ("P159",))

    def test_a_damaged_line_is_named(self, tmp_path):
        """Before the last one: with its number."""
        path = tmp_path / "state.jsonl"
        State(path, "options").put("P1", 0, [])
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(lines[0] + b"{broken\n" + lines[1])
        with pytest.raises(InputError, match=r"state\.jsonl:2"):
            State(path, "options")
