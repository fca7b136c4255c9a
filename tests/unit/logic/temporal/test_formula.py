"""Formulas: the tree, its JSON and its notation."""

import pickle

import pytest
from benchmarks.logic.temporal import from_json

from guardrail.errors import InputError
from guardrail.logic.temporal.formula import (
    MOST_DEPTH,
    MOST_NODES,
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
from guardrail.logic.temporal.notation import parse

A, B, C = Atom("a"), Atom("b"), Atom("c")
ALL = [
    A,
    Not(A),
    Next(A),
    Finally(A, 0, 40),
    Globally(A, 3, 3),
    And(A, B),
    Or(A, B),
    Implies(A, B),
    Until(A, B, 0, 9),
]
HOSTILE = ['say "no", and (c) | d', "back\\slash", "N", "F", "G", "U", "new\nline", "\u2028\u202eright", "1914", "'", "é", "F[1,2]",
           "x" * 10_000, "\x00", "halt.", "\ud800"]  # fmt: skip


class TestFormula:
    @pytest.mark.parametrize("bounds", [(-1, 2), (3, 2), (0.0, 1), (0, None), (True, 2), ("0", "1")])
    @pytest.mark.parametrize("operator", [Finally, Globally])
    def test_refuses_bounds(self, operator, bounds):
        """0 ≤ a ≤ b in whole years; a bool is no number of years."""
        with pytest.raises(InputError, match="bounds"):
            operator(A, *bounds)
        with pytest.raises(InputError, match="bounds"):
            Until(A, B, *bounds)

    @pytest.mark.parametrize("name", ["", "  \n", None, 1914])
    def test_refuses_names(self, name):
        """An event has a name."""
        with pytest.raises(InputError, match="name"):
            Atom(name)

    def test_refuses_what_is_no_formula(self):
        """A bare name is a common slip."""
        with pytest.raises(InputError, match="Atom"):
            Not("a")

    def test_operators_differ(self):
        """The same parts under another operator are another formula."""
        assert len(set(ALL)) == len(ALL)
        assert Not(A) != Next(A)
        assert And(A, B) != Or(A, B)
        assert Finally(A, 1, 2) == Finally(Atom("a"), 1, 2) != Finally(A, 1, 3)

    def test_measures(self):
        """Counted by hand for (a & !b) U[0,1] a."""
        formula = Until(And(A, Not(B)), A, 0, 1)
        assert (formula.depth, formula.nodes, formula.atoms()) == (3, 6, ("a", "b"))
        assert [part.op for part in formula.walk()] == ["until", "conj", "atom", "neg", "atom", "atom"]

    @pytest.mark.parametrize("formula", ALL)
    def test_does_not_change(self, formula):
        """Formulas are keys; they are copied through pickle unchanged."""
        with pytest.raises(AttributeError):
            formula.depth = 0
        assert pickle.loads(pickle.dumps(formula)) == formula


class TestTooLarge:
    def test_depth(self):
        """One level too many is refused where it is made, with what to do."""
        formula = A
        for _ in range(MOST_DEPTH):
            formula = Not(formula)
        assert hash(formula) == hash(from_json(formula.to_json()))
        assert parse(str(formula)) == formula
        with pytest.raises(InputError, match="depth at most 100, got 101: split it"):
            Not(formula)

    def test_size(self):
        """x & x of x & x, and so on, has 2^n events."""
        formula = A
        while formula.nodes < MOST_NODES / 2:
            formula = And(formula, formula)
        with pytest.raises(InputError, match="size"):
            And(formula, formula)

    @pytest.mark.parametrize(
        "text",
        [
            "!" * 100_000 + "a",
            "(" * 100_000 + "a" + ")" * 100_000,
            "a -> " * 100_000 + "a",
            "a U[0,1] " * 10_000 + "a",
            "a & " * 100_000 + "a",
        ],
    )
    def test_text(self, text):
        """However it nests, an error of ours and no RecursionError."""
        with pytest.raises(InputError, match=r"deep|depth"):
            parse(text)


class TestJson:
    @pytest.mark.parametrize("formula", ALL)
    def test_comes_back(self, formula):
        """Alone and nested."""
        assert from_json(formula.to_json()) == formula
        nested = Until(Or(formula, B), Not(formula), 0, 3)
        assert from_json(nested.to_json()) == nested

    def test_as_published(self):
        """The form of the published cases."""
        assert Until(A, Not(B), 1, 8).to_json() == {
            "op": "until",
            "interval": [1, 8],
            "left": {"op": "atom", "event": "a"},
            "right": {"op": "neg", "arg": {"op": "atom", "event": "b"}},
        }


class TestNotation:
    @pytest.mark.parametrize(
        ("text", "formula"),
        [
            ("F[0,40] victorian_era", Finally(Atom("victorian_era"), 0, 40)),
            ("a & b | c -> a", Implies(Or(And(A, B), C), A)),
            ("a & b & c", And(And(A, B), C)),
            ("a -> b -> c", Implies(A, Implies(B, C))),
            ("a U[1,2] b U[3,4] c", Until(A, Until(B, C, 3, 4), 1, 2)),
            ("!a U[1,2] b & c", And(Until(Not(A), B, 1, 2), C)),
            ("N N!F [ 1 , 2 ](a|b)", Next(Next(Not(Finally(Or(A, B), 1, 2))))),
            ("((a))", A),
            ('"World War II" & Ünïcode_1', And(Atom("World War II"), Atom("Ünïcode_1"))),
            ("Nobody & Fx & F_ & Go", And(And(And(Atom("Nobody"), Atom("Fx")), Atom("F_")), Atom("Go"))),
        ],
    )
    def test_reads(self, text, formula):
        """Bindings as documented."""
        assert parse(text) == formula
        assert parse(str(formula)) == formula

    @pytest.mark.parametrize("name", HOSTILE)
    def test_names_are_lossless(self, name):
        """Whatever a name holds."""
        formula = And(Atom(name), Finally(Atom(name), 0, 1))
        assert parse(str(formula)) == formula

    @pytest.mark.parametrize(
        "text",
        ["", " ", "a b", "a &", "& a", "(a", "a)", "F a", "F[1] a", "F[2,1] a", "F[-1,2] a", "N", "!", "a U b", '"a', '"\\q"', '" "',
         "a # b", "a => b", "F[0," + "9" * 5000 + "] a", "1914", "U[1,2] a"],
    )  # fmt: skip
    def test_refuses(self, text):
        """With the place, or with what is wrong there."""
        with pytest.raises(InputError, match="expected"):
            parse(text)
