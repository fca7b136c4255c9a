"""Laws of sets of years and of temporal formulas, whatever the history."""

from contextlib import suppress
from math import inf

from benchmarks.logic.differential import WINDOW, compare, differential
from benchmarks.logic.english import read
from benchmarks.logic.temporal import from_json
from hypothesis import given, settings
from hypothesis import strategies as st

from guardrail.errors import InputError
from guardrail.logic.paper.temporal.english import question, statement
from guardrail.logic.temporal.formula import (
    And,
    Atom,
    Finally,
    Globally,
    Implies,
    Next,
    Not,
    Or,
    Until,
)
from guardrail.logic.temporal.intervals import IntervalSet
from guardrail.logic.temporal.notation import parse
from guardrail.logic.temporal.semantics import until, value

LOW, HIGH = 0, 16

ends = st.integers(LOW, HIGH)
spans = st.one_of(
    st.tuples(ends, st.integers(0, 5)).map(lambda pair: (pair[0], pair[0] + pair[1])),
    st.tuples(st.just(-inf), ends),
    st.tuples(ends, st.just(inf)),
)
years = st.lists(spans, max_size=4)
sets = years.map(IntervalSet)
bounds = st.tuples(st.integers(0, 3), st.integers(0, 4)).map(lambda pair: (pair[0], pair[0] + pair[1]))
names = st.sampled_from("abc")
histories = st.fixed_dictionaries(dict.fromkeys("abc", years))


def formulas(atoms, depth):
    """Of this depth at most, each operator as likely."""
    if depth == 0:
        return atoms.map(Atom)
    below = formulas(atoms, depth - 1)
    return st.one_of(
        atoms.map(Atom),
        st.builds(Not, below),
        st.builds(Next, below),
        st.builds(lambda arg, ab: Finally(arg, *ab), below, bounds),
        st.builds(lambda arg, ab: Globally(arg, *ab), below, bounds),
        st.builds(And, below, below),
        st.builds(Or, below, below),
        st.builds(Implies, below, below),
        st.builds(lambda left, right, ab: Until(left, right, *ab), below, below, bounds),
    )


def members(found):
    """The years of a set, far enough to both sides."""
    return {year for year in range(-60, 80) if year in found}


class TestDefinition:
    """The set of years of a formula is what Definition 1 says, year by year."""

    @settings(max_examples=1000)
    @given(formulas(names, 4), histories)
    def test_found_by_shrinking(self, formula, history):
        """Hypothesis looks for the smallest disagreement."""
        disagreement, _ = compare(formula, history)
        assert disagreement is None

    def test_many(self):
        """5,000 more, of every depth to 4; the benchmark takes 100,000."""
        found = differential(5000, seed=20240213)
        assert found.found == ()
        assert min(found.operators.values()) > 500
        assert found.sometimes > 2500

    def test_a_wrong_rule_is_found(self, monkeypatch):
        """The comparison is sharp: Until that asks for the left side in the year itself is caught."""
        from guardrail.logic.temporal import semantics

        right = semantics.until
        monkeypatch.setattr(
            semantics, "until", lambda a, b, *, least, most: right(a, b, least=least, most=most) & a
        )
        assert len(differential(500, seed=1).found) > 20


class TestSets:
    @given(sets, sets, bounds)
    def test_operations(self, a, b, ab):
        """Each is what it is year by year."""
        least, most = ab
        everything = set(range(-60, 80))
        assert members(a | b) == members(a) | members(b)
        assert members(a & b) == members(a) & members(b)
        assert members(~a) == everything - members(a)
        inner = range(-40, 60)
        assert {t for t in inner if t in a.shift(-1)} == {t for t in inner if t + 1 in a}
        steps = range(least, most + 1)
        assert {t for t in inner if t in a.dilate(*ab)} == {
            t for t in inner if any(t + d in a for d in steps)
        }
        assert {t for t in inner if t in a.erode(*ab)} == {t for t in inner if all(t + d in a for d in steps)}

    @given(sets, sets, bounds)
    def test_results_are_normal(self, a, b, ab):
        """Sorted, disjoint, not adjacent: so equal sets are equal spans."""
        for found in (a | b, a & b, ~a, a.dilate(*ab), a.erode(*ab), until(a, b, least=ab[0], most=ab[1])):
            assert IntervalSet(found.spans) == found
            assert all(first <= last for first, last in found)
            assert all(
                last + 1 < first for (_, last), (first, _) in zip(found.spans, found.spans[1:], strict=False)
            )

    @given(sets, sets, sets)
    def test_laws(self, a, b, c):
        """De Morgan, double complement, distribution."""
        assert ~(a | b) == ~a & ~b
        assert ~~a == a
        assert a & (b | c) == (a & b) | (a & c)
        assert hash(a | b) == hash(b | a)


class TestLaws:
    """Of formulas, between their values."""

    @settings(max_examples=200)
    @given(formulas(names, 2), formulas(names, 2), histories, bounds, bounds)
    def test_hold(self, phi, psi, history, ab, cd):
        """Dual operators, operators in one another, and Until without conditions."""
        events = {name: IntervalSet(several) for name, several in history.items()}

        def same(one, other):
            assert value(one, events) == value(other, events)

        same(Not(Finally(phi, *ab)), Globally(Not(phi), *ab))
        same(Finally(Finally(phi, *ab), *cd), Finally(phi, ab[0] + cd[0], ab[1] + cd[1]))
        same(Globally(Globally(phi, *ab), *cd), Globally(phi, ab[0] + cd[0], ab[1] + cd[1]))
        same(Next(phi), Finally(phi, 1, 1))
        same(Implies(phi, psi), Or(Not(phi), psi))
        same(Until(Or(phi, Not(phi)), psi, *ab), Finally(psi, *ab))
        same(Until(phi, psi, 0, 1), Finally(psi, 0, 1))
        a, b = ab
        same(Until(phi, psi, a, b + 1), Or(Until(phi, psi, a, b), Until(phi, psi, b + 1, b + 1)))


texts = st.text(min_size=1, max_size=12).filter(str.strip)


class TestWriting:
    @settings(max_examples=300)
    @given(formulas(texts, 3), st.integers(-5000, 5000))
    def test_comes_back(self, formula, year):
        """From JSON, from the notation, from English, whatever the names hold."""
        assert from_json(formula.to_json()) == formula
        assert parse(str(formula)) == formula
        for sentence in (question(formula, year), statement(formula, year)):
            reading = read(sentence)
            assert (reading.formula, reading.year) == (formula, year)

    @settings(max_examples=300)
    @given(st.text(alphabet='FGUN![]0123456789, ()&|->"\\ab', max_size=40))
    def test_any_text_is_read_or_refused(self, text):
        """With the package's own error."""
        for reader in (parse, read):
            with suppress(InputError):
                assert reader(text) is not None


def test_window():
    """No formula of the comparison can change outside its window: hand-counted, 4 × (3 + 4) years ahead of 0 … 21."""
    assert WINDOW[0] < LOW - 28
    assert WINDOW[-1] > 21
