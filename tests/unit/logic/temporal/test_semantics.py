"""When formulas are true. Oracles: section 3.4 of the paper, hand derivations, and Definition 1 read year by year."""

from math import inf

import pytest
from benchmarks.logic.temporal import history
from tests.effort import lines_run

from guardrail.errors import InputError
from guardrail.logic.paper.temporal.points import Points
from guardrail.logic.temporal.formula import And, Atom, Finally, Globally, Not, Until
from guardrail.logic.temporal.intervals import IntervalSet
from guardrail.logic.temporal.notation import parse
from guardrail.logic.temporal.semantics import holds, until, value

FIGURE_10 = history([("dickens", 1812, 1870), ("victorian", 1837, 1901)])
CLIPPED = IntervalSet([(0, 2024)])  # the years that the paper takes for all


class TestWorkedExamples:
    @pytest.mark.parametrize(
        ("text", "year", "years", "answer"),
        [
            ("dickens", 1800, [(1812, 1870)], False),
            ("victorian", 1900, [(1837, 1901)], True),
            ("F[0,40] victorian", 1800, [(1797, 1901)], True),
            ("G[30,50] victorian", 1800, [(1807, 1851)], False),
            ("N victorian", 1836, [(1836, 1900)], True),
            ("dickens U[10,20] victorian", 1800, [(1817, 1861)], False),
            ("!victorian", 1800, [(0, 1836), (1902, 2024)], True),
            ("dickens & victorian", 1900, [(1837, 1870)], False),
            ("dickens | victorian", 1900, [(1812, 1870), (1837, 1901)], True),  # printed unmerged
        ],
    )
    def test_as_printed(self, text, year, years, answer):
        """The nine of [li2025] section 3.4: years after clipping and merging, and answers."""
        formula = parse(text)
        assert value(formula, FIGURE_10) & CLIPPED == IntervalSet(years)
        assert holds(formula, year, FIGURE_10) == answer
        assert Points(formula, FIGURE_10).at(year) == answer


class TestWhereThePublishedRulesFail:
    """Each by hand; each is also checked against Definition 1."""

    @pytest.mark.parametrize(
        ("text", "years"),
        [
            ("!x", [(-inf, 1899), (1905, inf)]),  # the complement does not end in 2024
            ("G[0,6] split", [(1900, 1903)]),  # two adjacent spans of one event are one
            ("G[0,4] (x | next)", [(1900, 1905)]),  # a union is merged before it is asked for gaps
            ("one U[2,2] z", [(1949, 1949)]),  # one year between: 1950, then z in 1951
            ("one U[2,9] z", [(1949, 1949)]),  # 1950 is the only year that may lie between
            ("one U[0,0] z", [(1951, 1960)]),  # d = 0 asks nothing of the left
            ("one U[1,1] z", [(1950, 1959)]),  # nor does d = 1
            ("one U[0,5] z", [(1949, 1960)]),  # both together
            ("two U[2,100] w", [(1899, 1908), (1968, 1968)]),  # several spans on both sides
        ],
    )
    def test_exact(self, text, years):
        """In every year."""
        events = history(
            [
                ("x", 1900, 1904), ("next", 1905, 1909), ("split", 1900, 1904), ("split", 1905, 1909),
                ("one", 1950, 1950), ("z", 1951, 1960),
                ("two", 1900, 1909), ("two", 1969, 1969), ("w", 1910, 1910), ("w", 1970, 1972),
            ]
        )  # fmt: skip
        formula = parse(text)
        assert value(formula, events) == IntervalSet(years)
        points = Points(formula, events)
        assert [year for year in range(1850, 2050) if points.at(year)] == [
            year for year in range(1850, 2050) if any(first <= year <= last for first, last in years)
        ]


class TestUntil:
    def test_infinite_ends(self):
        """A left side that never ends, a right side that never ends."""
        always, late = ~IntervalSet(), IntervalSet([(100, inf)])
        assert until(always, late, least=0, most=10) == IntervalSet([(90, inf)])
        assert until(always, IntervalSet([(-inf, 0)]), least=3, most=4) == IntervalSet([(-inf, -3)])
        assert until(IntervalSet([(-inf, 50)]), late, least=2, most=100) == IntervalSet()
        assert until(IntervalSet([(-inf, 99)]), late, least=2, most=100) == IntervalSet([(0, 98)])

    def test_takes_wide_bounds(self):
        """A million years are no slower than ten."""
        left = IntervalSet((100 * n, 100 * n + 90) for n in range(2000))
        right = IntervalSet((100 * n + 50, 100 * n + 50) for n in range(2000))
        found = until(left, right, least=2, most=10**6)
        wide, narrow = (
            lines_run(lambda most=most: until(left, right, least=2, most=most)) for most in (10**6, 10)
        )
        assert wide < 2 * narrow
        # Up to the year before each single year of the right side, back to one year before its span began; the
        # last solution is two years before 50 (least = 2).
        assert found == IntervalSet((100 * n - 1, 100 * n + 48) for n in range(2000))


class TestUnknown:
    @pytest.mark.parametrize(
        "evaluate", [holds, lambda formula, year, events: Points(formula, events).at(year)]
    )
    def test_is_not_false(self, evaluate):
        """An event that nobody knows has no answer; one that never was has."""
        with pytest.raises(InputError, match="nobody knows"):
            evaluate(Finally(Atom("nobody knows"), 0, 1), 1900, FIGURE_10)
        assert not evaluate(Atom("never"), 1900, {"never": IntervalSet()})


class TestPoints:
    """Definition 1, clause by clause, on the years 1 to 3 of an event."""

    @pytest.mark.parametrize(
        ("formula", "years"),
        [
            (Atom("e"), {1, 2, 3}),
            (Not(Atom("e")), {-3, -2, -1, 0, 4, 5}),
            (Finally(Atom("e"), 1, 2), {-1, 0, 1, 2}),
            (Globally(Atom("e"), 1, 2), {0, 1}),
            (parse("N e"), {0, 1, 2}),
            (parse("e -> f"), {-3, -2, -1, 0, 3, 4, 5}),
            (parse("e | f"), {1, 2, 3, 4, 5}),
            (And(Atom("e"), Atom("f")), {3}),
            (
                Until(Atom("e"), Atom("f"), 2, 5),
                {0, 1, 2},
            ),  # in 2: f in 4, e in 3; in 3, f in 5 would need e in 4
        ],
    )
    def test_clause(self, formula, years):
        """By hand; f is in 3 to 5."""
        events = {"e": [(1, 3)], "f": [(3, 5)]}
        assert {t for t in range(-3, 6) if Points(formula, events).at(t)} == years
