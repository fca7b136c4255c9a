"""Generated cases: over a small history written here."""

import json
import math
from collections import Counter

import pytest
from benchmarks.logic.english import read
from benchmarks.logic.temporal import from_json, history

from guardrail.errors import ConfigError, InputError
from guardrail.logic.paper.temporal import generation as module
from guardrail.logic.paper.temporal.generation import OPERATORS, Disagreement, generate
from guardrail.logic.paper.temporal.points import Points
from guardrail.logic.temporal.formula import Not
from guardrail.logic.temporal.intervals import IntervalSet
from guardrail.logic.temporal.notation import parse
from guardrail.logic.temporal.semantics import value

EVENTS = history((f'event "{n}", and until {n}', 1800 + 7 * n, 1800 + 7 * n + n % 11) for n in range(30))


@pytest.fixture(scope="module")
def cases():
    return generate(EVENTS, count=600, seed=3)


class TestGenerate:
    def test_is_even(self, cases):
        """Half Yes in each operator at each depth, and as many of each."""
        cells = Counter((case.formula.op, case.formula.depth) for case in cases)
        assert set(cells) == {("atom", 0)} | {(one.op, depth) for one in OPERATORS for depth in (1, 2, 3)}
        assert set(cells.values()) == {24}
        assert set(
            Counter((case.formula.op, case.formula.depth) for case in cases if case.answer).values()
        ) == {12}

    def test_never_asks_twice(self, cases):
        """No duplicates, so no contradictions."""
        assert (
            len({case.question for case in cases})
            == len({(case.formula, case.year) for case in cases})
            == 600
        )

    def test_answers_are_right(self, cases):
        """By Definition 1, and by the years of the case."""
        for case in cases:
            assert Points(case.formula, EVENTS).at(case.year) == case.answer == (case.year in case.value)
            assert case.explanation.startswith("True: " if case.answer else "False: ")

    def test_asks_close_to_the_change(self, cases):
        """Within three years of a year with the other answer."""
        for case in cases:
            near = range(case.year - 4, case.year + 5)
            assert len({year in case.value for year in near}) == 2, case

    def test_every_part_matters(self, cases):
        """No part is always or never true, as "x and y" is for events that never met."""
        for case in cases:
            for part in case.formula.walk():
                assert value(part, EVENTS) not in (IntervalSet(), ~IntervalSet())

    def test_reads_back(self, cases):
        """All of them."""
        assert all(
            (read(case.question).formula, read(case.question).year) == (case.formula, case.year)
            for case in cases
        )

    def test_json(self, cases):
        """As objects that hold everything; infinite ends are null."""
        for case in cases:
            data = json.loads(json.dumps(case.to_json(), allow_nan=False))
            assert from_json(data["ast"]) == parse(data["formula"]) == case.formula
            assert (
                IntervalSet(
                    (-math.inf if first is None else first, math.inf if last is None else last)
                    for first, last in data["intervals"]
                )
                == case.value
            )
            assert (data["answer"], data["year"]) == (case.answer, case.year)

    def test_is_seeded(self, cases):
        """The same again, in whatever order the history comes; others for another seed."""
        again = generate(dict(reversed(EVENTS.items())), count=600, seed=3)
        assert again == cases
        assert generate(EVENTS, count=600, seed=4) != cases

    def test_leaves_out_what_has_no_end(self):
        """And what has no year."""
        events = {**EVENTS, "ever": IntervalSet([(1850, math.inf)]), "never": IntervalSet()}
        assert not {"ever", "never"} & {
            name for case in generate(events, count=200) for name in case.formula.atoms()
        }

    def test_refuses_no_cases(self):
        """With what was expected."""
        with pytest.raises(ConfigError, match="expected count"):
            generate(EVENTS, count=0)

    def test_refuses_too_few_events(self, monkeypatch):
        """With how far they reach."""
        with pytest.raises(InputError, match="two events"):
            generate({"a": IntervalSet([(1, 2)])})
        monkeypatch.setattr(module, "DEPTHS", (1,))
        monkeypatch.setattr(module, "OPERATORS", (Not,))
        with pytest.raises(InputError, match="enough for"):
            generate(history([("a", 1, 2), ("b", 2, 3)]), count=1000)

    def test_a_wrong_answer_is_no_case(self, monkeypatch):
        """Where the two proofs differ, generation stops."""
        monkeypatch.setattr(module.Points, "at", lambda *_: None)
        with pytest.raises(Disagreement, match="year by year"):
            generate(EVENTS, count=1)
