import json
import os
from pathlib import Path

import pytest
from benchmarks.logic.synthetic import RELATIONS, cyclic_facts, skewed_facts
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from guardrail.errors import InputError
from guardrail.logic.knowledge import DatedEvent, KnowledgeBase, Triple, build
from guardrail.logic.knowledge.sources.files import read_facts
from guardrail.logic.knowledge.sources.reading import year_of

ESCAPED = str.maketrans({"\t": "\\t", "\n": "\\n", "\r": "\\r", "\0": "\\0", "\\": "\\\\"})
LABELS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)


def written(triples, suffix):
    rows = [{"subject": one.subject, "relation": one.relation, "object": one.object} for one in triples]
    if suffix == "jsonl":
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    lines = ["\t".join(part.translate(ESCAPED) for part in row.values()) for row in rows]
    return "".join(f"{line}\n" for line in ["subject\trelation\tobject", *lines])


class TestTriples:
    @pytest.mark.parametrize("suffix", ["tsv", "jsonl"])
    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(triples=st.lists(st.builds(Triple, LABELS, LABELS, LABELS), max_size=8))
    def test_there_and_back(self, tmp_path, suffix, triples):
        """Every label comes back exactly, tabs, line breaks, NUL and backslashes too."""
        path = tmp_path / f"facts.{suffix}"
        path.write_text(written(triples, suffix), encoding="utf-8", newline="\n")
        found = read_facts(path)
        assert (found.facts, found.problems) == (triples, [])

    def test_bad_lines_are_named_and_the_rest_goes_on(self, tmp_path):
        """With file and line, each of them."""
        path = tmp_path / "facts.tsv"
        path.write_bytes(b"a\tr\tb\nonly two\tcolumns\n\n\tr\tb\nc\tr\t\xff\nx\\q\tr\tb\nd\tr\te")
        found = read_facts(path)
        assert found.facts == [Triple("a", "r", "b"), Triple("d", "r", "e")]
        assert [(p.source, p.line) for p in found.problems] == [(str(path), n) for n in (2, 4, 5, 6)]

    def test_bad_json_lines(self, tmp_path):
        """No JSON, no object, a number for a label, a lone surrogate."""
        path = tmp_path / "facts.jsonl"
        good = '{"subject": "a", "predicate": "r", "object": "b", "category": "x"}'
        bad = ["{", "[1]", '{"subject": "a", "relation": "r"}', '{"subject": 1, "relation": "r", "object": "b"}',
               '{"subject": "\\ud800", "relation": "r", "object": "b"}']  # fmt: skip
        bad.append("[" * 100_000)
        path.write_text("\n".join([good, *bad, good]))
        found = read_facts(path)
        assert len(found.facts) == 2
        assert [p.line for p in found.problems] == [2, 3, 4, 5, 6, 7]

    def test_a_header_and_a_mark_of_byte_order_are_no_facts(self, tmp_path):
        """As spreadsheets write them."""
        path = tmp_path / "facts.tsv"
        path.write_bytes(b"\xef\xbb\xbfsubject\trelation\tobject\r\na\tr\tb\r\n")
        assert read_facts(path).facts == [Triple("a", "r", "b")]

    def test_files_that_cannot_be_read(self, tmp_path):
        """Absent, or of another kind."""
        with pytest.raises(InputError, match="could not read"):
            read_facts(tmp_path / "absent.tsv")
        with pytest.raises(InputError, match=r"\.tsv, \.jsonl"):
            read_facts(tmp_path / "facts.xlsx")


class TestEvents:
    def test_dates_to_years(self, tmp_path):
        """And what is none is named."""
        path = tmp_path / "events.csv"
        path.write_text(
            "event,name,begin,end\nw,War,1914-07-28,1918-11-11\nx,X,soon,1918\ny,Y,1920,1910\nz,Z\n"
        )
        found = read_facts(path)
        assert found.events == [DatedEvent("War", [(1914, 1918)])]
        assert [p.line for p in found.problems] == [3, 4, 5]

    def test_other_columns(self, tmp_path):
        """Another file is refused."""
        (tmp_path / "e.csv").write_text("a,b\n")
        with pytest.raises(InputError, match="columns"):
            read_facts(tmp_path / "e.csv")


@pytest.mark.data
class TestReleasedData:
    def test_whole_data_into_a_base_and_back(self, prolog, tmp_path):
        """Every triple and event is read, kept and entailed."""
        found = read_facts(Path(os.environ["GUARDRAIL_DATA"]) / "drowzee")
        assert (len(found.facts), len(found.events), found.problems) == (17_196, 1_514, [])
        build(tmp_path / "base", found.facts, events=found.events)
        with KnowledgeBase.open(tmp_path / "base") as base:
            assert set(base.facts()) == set(found.facts)
            assert len(base.events()) == len({event.name for event in found.events})
            assert all(base.ask(fact).state == "entailed" for fact in found.facts[::7])
            assert set(base.manifest.withdrawn) == {"father", "mother"}


class TestSynthetic:
    def test_skewed(self):
        """Distinct, reproducible, and skewed: the first relation has a quarter and more, one object many facts."""
        facts = list(skewed_facts(5000, seed=1))
        assert facts == list(skewed_facts(5000, seed=1))
        assert len(set(facts)) == 5000
        shares = [sum(f.relation == name for f in facts) / 5000 for name in RELATIONS]
        assert shares[0] > 0.25 > shares[1] > shares[5] > shares[19] > 0
        assert max(sum(f.object == o for f in facts) for o in {f.object for f in facts}) > 200

    def test_cyclic(self):
        """As many edges as asked for, over all nodes."""
        edges = cyclic_facts(500, nodes=100)
        assert len(set(edges)) == 500
        assert len({edge.subject for edge in edges}) == 100


class TestYears:
    @pytest.mark.parametrize(
        ("date", "year"),
        [("1837-06-20", 1837), ("79", 79), ("-0043-03-15", -43), ("+2001-01-01T00:00:00Z", 2001)],
    )
    def test_year(self, date, year):
        """ISO 8601, as Wikidata writes it, too."""
        assert year_of(date) == year

    @pytest.mark.parametrize("date", ["", "June 1837", "1837-06-20-1", "20.6.1837", "9" * 50])
    def test_refuses_dates(self, date):
        """No guess."""
        with pytest.raises(InputError, match="ISO date"):
            year_of(date)
