"""Sets of years."""

import pickle
from math import inf, nan

import pytest
from tests.effort import ends, lines_run

from guardrail.errors import InputError
from guardrail.logic.temporal.intervals import IntervalSet


class TestIntervalSet:
    @pytest.mark.parametrize(
        ("given", "spans"),
        [
            ([], ()),
            ([(3, 3)], ((3, 3),)),
            ([(5, 9), (1, 2)], ((1, 2), (5, 9))),
            ([(1, 4), (5, 9)], ((1, 9),)),  # adjacent years leave no gap
            ([(1, 4), (6, 9)], ((1, 4), (6, 9))),
            ([(1, 9), (2, 3)], ((1, 9),)),
            ([(4, inf), (-inf, 2)], ((-inf, 2), (4, inf))),
            ([(3, inf), (-inf, 2)], ((-inf, inf),)),
            ([(-inf, 5), (-inf, 2), (1, 1)], ((-inf, 5),)),
        ],
    )
    def test_has_one_form(self, given, spans):
        """Sorted, disjoint, not adjacent."""
        assert IntervalSet(given).spans == spans
        assert IntervalSet(reversed(given)) == IntervalSet(spans)

    @pytest.mark.parametrize(
        "span",
        [(2, 1), (inf, inf), (-inf, -inf), (inf, 3), (1.5, 2), (nan, 2), (True, 2), (None, 2), ("1", "2")],
    )
    def test_refuses(self, span):
        """Whole years, forwards; infinity at its own end only."""
        with pytest.raises(InputError, match="expected a span"):
            IntervalSet([span])

    def test_contains(self):
        """At and beside every end."""
        years = IntervalSet([(-inf, -5), (0, 0), (10, 12)])
        assert [year for year in range(-7, 15) if year in years] == [-7, -6, -5, 0, 10, 11, 12]
        assert (years.around(11), years.around(1), years.around(-9)) == ((10, 12), None, (-inf, -5))
        assert (years.first_from(-9), years.first_from(-4), years.first_from(13)) == (-9, 0, None)

    def test_operations_by_hand(self):
        """Each once, with infinite ends."""
        a, b = IntervalSet([(-inf, 3), (6, 8)]), IntervalSet([(2, 6), (9, inf)])
        assert a | b == ~IntervalSet()
        assert a & b == IntervalSet([(2, 3), (6, 6)])
        assert ~a == IntervalSet([(4, 5), (9, inf)])
        assert ~IntervalSet() == ~IntervalSet()
        assert not ~~IntervalSet()
        assert a.shift(-2) == IntervalSet([(-inf, 1), (4, 6)])
        assert a.dilate(1, 3) == IntervalSet([(-inf, 7)])  # [-inf, 2] and [3, 7] touch
        assert a.erode(0, 2) == IntervalSet([(-inf, 1), (6, 6)])
        assert a.erode(0, 3) == IntervalSet([(-inf, 0)])

    def test_numbers_beyond_floats(self):
        """An infinite end moves nowhere, however far."""
        far = 10**400
        assert IntervalSet([(0, inf)]).dilate(0, far) == IntervalSet([(-far, inf)])

    def test_does_not_change(self):
        """A set can be a key, and is copied as it is."""
        years = IntervalSet([(1, 2)])
        with pytest.raises(AttributeError, match="does not change"):
            years.spans = ()
        assert pickle.loads(pickle.dumps(years)) == years
        assert len({years, IntervalSet([(1, 1), (2, 2)])}) == 1
        assert years != ((1, 2),)

    def test_is_linear(self):
        """Four times the spans take about four times the lines of Python."""

        def work(size):
            a = IntervalSet((3 * n, 3 * n) for n in range(size))
            b = IntervalSet((3 * n + 1, 3 * n + 1) for n in range(size))
            assert len(a | b) == size
            assert not a & b
            assert len(~a) == size + 1

        assert lines_run(lambda: work(4_000)) < 6 * lines_run(lambda: work(1_000))
        with ends(60):  # a quadratic merge would take minutes
            work(80_000)
