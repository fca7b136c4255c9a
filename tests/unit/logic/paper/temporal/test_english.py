"""Questions and statements, and reading them back."""

import random
import re

import pytest
from benchmarks.logic.differential import random_case
from benchmarks.logic.english import read

from guardrail.errors import InputError
from guardrail.logic.paper.temporal.english import question, statement
from guardrail.logic.temporal.formula import MOST_DEPTH, And, Atom, Finally, Next, Not, Until
from guardrail.logic.temporal.notation import parse, quoted

NAMES = ["World War II", 'say "x" in 1900, until (2) or \\', "the year after 1900", "both", "a\nb\u2028", "Ünï “quoted”", '"', "\\", "year Y", "1900", "\u202ertl", "\x00", "x" * 5000]  # fmt: skip


class TestWording:
    """One sentence for each kind of clause, judged by a reader."""

    @pytest.mark.parametrize(
        ("text", "asked"),
        [
            ("a", 'Was "a" going on in 1900?'),
            ("!a", 'Was "a" not going on in 1900?'),
            ("a & b", 'Were both "a" and "b" going on in 1900?'),
            ("a | b", 'Was at least one of "a" and "b" going on in 1900?'),
            ("a & !b", 'Was "a" but not "b" going on in 1900?'),
            ("!a & !b", 'Was neither "a" nor "b" going on in 1900?'),
            ("!(a & b)", 'Were "a" and "b" not both going on in 1900?'),
            ("N a", 'Was "a" going on in the year after 1900?'),
            ("N N a", 'Was "a" going on in the year after the year after 1900?'),
            ("F[0,40] a", 'Was "a" going on in some year from 0 to 40 years after 1900?'),
            ("F[1,1] a", 'Was "a" going on in some year exactly 1 year after 1900?'),
            ("G[0,1] a", 'Was "a" going on in every year from 0 to 1 year after 1900?'),
            ("!F[2,4] a", 'Was "a" going on in no year from 2 to 4 years after 1900?'),
            ("!G[2,4] a", 'Was it false that "a" was going on in every year from 2 to 4 years after 1900?'),
            ("F[2,4] !a", 'Was there a year from 2 to 4 years after 1900 in which "a" was not going on?'),
            ("G[2,4] (a | b)", 'Was it true in every year from 2 to 4 years after 1900 that at least one of "a" and "b" was going on?'),
            ("F[5,8] G[0,3] a", 'Was there a year Y from 5 to 8 years after 1900 such that "a" was going on in every year from 0 to 3 years after year Y?'),
            ("G[5,8] F[0,3] a", 'Was it true for every year Y from 5 to 8 years after 1900 that "a" was going on in some year from 0 to 3 years after year Y?'),
            ("N F[1,4] a", 'Was "a" going on in some year from 1 to 4 years after the year after 1900?'),
            ("a U[2,9] b", 'Was "a" going on in every year after 1900 until there came, from 2 to 9 years after 1900, a year in which "b" was going on?'),
            ("!a U[2,9] b", 'Was it true in every year after 1900 that "a" was not going on, until there came, from 2 to 9 years after 1900, a year in which "b" was going on?'),
            ("F[1,2] a U[2,9] N b", 'Was it true for every year Y after 1900 that (1) "a" was going on in some year from 1 to 2 years after year Y, until there came, from 2 to 9 years after 1900, a year Z such that (2) "b" was going on in the year after year Z?'),
            ("(a | b) & F[1,3] c", 'Were both of these true: (1) at least one of "a" and "b" was going on in 1900; (2) "c" was going on in some year from 1 to 3 years after 1900?'),
            ("a & (b | F[1,2] c)", 'Were both of these true: (1) "a" was going on in 1900; (2) at least one of these was true: (2.1) "b" was going on in 1900; (2.2) "c" was going on in some year from 1 to 2 years after 1900?'),
            ("a -> N b", 'Was it true that if (1) "a" was going on in 1900, then (2) "b" was going on in the year after 1900?'),
            ("N (a -> b)", 'Was the year after 1900 a year Y such that if (1) "a" was going on in year Y, then (2) "b" was going on in year Y?'),
            ("!F[1,8] (a & N b)", 'Was there no year Y from 1 to 8 years after 1900 such that both of these were true: (1) "a" was going on in year Y; (2) "b" was going on in the year after year Y?'),
        ],
    )  # fmt: skip
    def test_question(self, text, asked):
        """And it is read back."""
        formula = parse(text)
        assert question(formula, 1900) == asked
        assert (read(asked).formula, read(asked).year, read(asked).asked) == (formula, 1900, True)

    @pytest.mark.parametrize(
        ("text", "year", "said"),
        [
            ("a & b", 1900, 'Both "a" and "b" were going on in 1900.'),
            ("a -> b", 1900, 'If (1) "a" was going on in 1900, then (2) "b" was going on in 1900.'),
            ("F[0,10] a", 79, '"a" was going on in some year from 0 to 10 years after the year 79.'),
            ("N (a -> b)", -43, 'The year after the year -43 was a year Y such that if (1) "a" was going on in year Y, then (2) "b" was going on in year Y.'),
            ("!(a U[1,2] b)", 1900, 'It was false that "a" was going on in every year after 1900 until there came, from 1 to 2 years after 1900, a year in which "b" was going on.'),
        ],
    )  # fmt: skip
    def test_statement(self, text, year, said):
        """And it is read back."""
        formula = parse(text)
        assert statement(formula, year) == said
        assert (read(said).formula, read(said).year, read(said).asked) == (formula, year, False)


class TestReadingBack:
    @pytest.mark.parametrize("name", NAMES)
    def test_names_hold_anything(self, name):
        """Alone, beside another one, and nested."""
        for formula in (
            Atom(name),
            And(Atom(name), Not(Atom("b"))),
            Until(Atom(name), Next(Atom(name)), 0, 3),
        ):
            for text in (question(formula, 1900), statement(formula, 1900)):
                assert read(text).formula == formula

    def test_random_formulas(self):
        """4,000 of all shapes, at depths to 6, for years of all eras."""
        rng = random.Random(11)
        for number in range(4000):
            formula = random_case(rng, depth=number % 7)[0]
            names = dict(zip("abc", map(quoted, rng.sample(NAMES[:-1], 3)), strict=True))
            formula = parse(re.sub(r"\b[abc]\b", lambda name: names[name[0]], str(formula)))  # noqa: B023
            year = rng.randint(-3000, 4000)
            for write in (question, statement):
                reading = read(write(formula, year))
                assert (reading.formula, reading.year) == (formula, year)

    @pytest.mark.parametrize(
        "wrap",
        [
            Not,
            Next,
            lambda f: Finally(f, 0, 1),
            lambda f: Until(f, f if f.depth == 0 else Atom("b"), 0, 2),
            lambda f: And(Atom("b"), f),
        ],
    )
    def test_deepest(self, wrap):
        """As deep as formulas can be."""
        formula = Atom("a")
        for _ in range(MOST_DEPTH):
            formula = wrap(formula)
        assert read(question(formula, 1900)).formula == formula

    @pytest.mark.parametrize(
        "text",
        [
            "", "?", "Was?", 'Was "a" going on?', 'Was "a" going on in 1900', "Was a going on in 1900?", 'Was "a" going on in Y?',
            'Was "a going on in 1900?', 'Was "a" going on in 1900 and in 1901?', 'Were both "a" going on in 1900?',
            'Was "a" not both going on in 1900?', 'Were "a" and "b" going on in 1900?',
            'Was "a" going on in some year from 3 to 1 years after 1900?',
            'Were both of these true: (1) "a" was going on in 1900; (2) "b" was going on in 1901?',
            'Were both of these true: (1) "a" was going on in 1900; (3) "b" was going on in 1900?',
            'Was there a year Y from 1 to 2 years after 1900 such that "a" was going on in year Z?',
            'Was there a year Y from 1 to 2 years after 1900 such that "a" was going on in 1900?',
            'Was "a" going on in every year after 1900 until there came, from 1 to 2 years after 1901, a year in which "b" was going on?',
            'Was "a" going on in 99999999999999?', 'Was "" going on in 1900?', 'Was "\\q" going on in 1900?',
            "Was it false that " * 5000 + '"a" was going on in 1900?',
            'Was "a" going on in ' + "the year after " * 5000 + "1900?",
        ],
    )  # fmt: skip
    def test_refuses_the_rest(self, text):
        """A sentence that says something else, or speaks of another year, is not read as this."""
        with pytest.raises(InputError, match="expected"):
            read(text)
