"""The rows on temporal logic, on small data written here."""

import json

import pytest
from benchmarks.logic import temporal
from benchmarks.logic.differential import compare, differential

from guardrail.errors import InputError, ParseError
from guardrail.logic.temporal.formula import Atom, Globally, Next, Not

FACTS = """event,name,begin,end
war,The War,1939-09-01,1945-09-02
peace,"Peace, at last",1946-01-01,1950-01-01
blitz,Blitz,1940-09-07,1941-05-11
"""


def case(qid, formula, year, *, answer, undated=()):
    events = [{"event": name, "begin": None if name in undated else "1900"} for name in formula.atoms()]
    return {"qid": qid, "ast": formula.to_json(), "year": year, "answer": answer, "events": events}


@pytest.fixture
def folder(tmp_path):
    """Four right answers and one wrong one; the third is nested, the fourth about an event without dates."""
    cases = [
        case("t1", Atom("war"), 1945, answer=True),
        case("t2", Not(Atom("war")), 2033, answer=False),
        case("t3", Next(Globally(Atom("war"), 0, 6)), 1938, answer=True),
        case("t4", Not(Atom("undated")), 1950, answer=True, undated=("undated",)),
        case("t5", Next(Next(Atom("war"))), 1940, answer=True),
    ]
    (tmp_path / "temporal_facts.csv").write_text(FACTS, encoding="utf-8")
    (tmp_path / "temporal.jsonl").write_text("\n".join(map(json.dumps, cases)), encoding="utf-8")
    return tmp_path


def by_quantity(rows):
    return {row.quantity.partition(": ")[2]: row for row in rows}


class TestPublished:
    def test_rows(self, folder):
        """Counted by hand; a file that is not there is said to be missing."""
        rows = temporal.published_rows(folder)
        found = by_quantity(row for row in rows if row.ok is not None)
        assert found["cases"].ours == 5
        assert found["cases with an event that has no dates"].ours == 1
        assert (found["ours equal to Definition 1"].ours, found["ours equal to Definition 1"].ok) == (
            1.0,
            True,
        )
        assert found["published answers equal to Definition 1"].ours == 0.8
        assert found["published answers that differ"].ours == "t2"
        # t3 as worded asks for 1938 … 1944, and the war began in 1939; t5 asks for 1941 either way.
        assert found["nested questions with another answer as they are worded"].ours == "1 of 2"
        (missing,) = [row for row in rows if row.ok is None]
        assert "temporal_extra.jsonl" in missing.reason

    def test_a_wrong_evaluator_misses_the_bar(self, folder, monkeypatch):
        """The row fails where an answer is not that of Definition 1."""
        monkeypatch.setattr(temporal, "holds", lambda *_: False)
        rows = temporal.published_rows(folder)[:3]  # those of the first file
        assert by_quantity(rows)["ours equal to Definition 1"].ok is False

    @pytest.mark.parametrize(("text", "error"), [("", InputError), ('{"qid": "t1"}\n{', ParseError)])
    def test_refuses_files(self, tmp_path, text, error):
        """With the line."""
        path = tmp_path / "cases.jsonl"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(error, match="expected"):
            temporal.read_cases(path)

    def test_worked_examples(self, tmp_path):
        """One as printed and one that is not."""
        victorian = {"op": "atom", "event": "victorian_era"}
        lines = [
            {"ast": {"op": "neg", "arg": victorian}, "year": 1800, "answer": True, "intervals_unclipped": [[0, 1836], [1902, 2024]]},
            {"ast": victorian, "year": 1800, "answer": False, "intervals_unclipped": [[1837, 1900]]},
        ]  # fmt: skip
        (tmp_path / "temporal_paper_examples.jsonl").write_text(
            "\n".join(map(json.dumps, lines)), encoding="utf-8"
        )
        (row,) = temporal.example_rows(tmp_path)
        assert (row.ours, row.ok) == (1, False)


class TestGeneration:
    def test_a_question_that_says_another_thing_misses_the_bar(self, folder, monkeypatch):
        """Reading back is what is measured."""
        from guardrail.logic.paper.temporal import generation

        monkeypatch.setattr(generation, "question", lambda *_: 'Was "Blitz" going on in 1900?')
        found = by_quantity(temporal.generation_rows(folder, count=50))
        assert found["questions read back as their formula"].ok is False
        assert found["duplicates"].ok is False
        assert found["contradictions"].ok is False


class TestDifferential:
    def test_is_seeded(self):
        """The same formulas again."""
        assert differential(50, 5).operators == differential(50, 5).operators != differential(50, 6).operators

    def test_sees_changes_outside_of_its_window(self):
        """A formula that looks further ahead than the window is not passed by."""
        disagreement, _ = compare(Globally(Atom("a"), 90, 90), {"a": [(5, 6)]})
        assert disagreement is not None
        assert disagreement.years == ()
