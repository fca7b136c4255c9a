"""Reasons: that they are right, and how they read."""

import random
from math import inf

import pytest
from benchmarks.logic.differential import random_case
from benchmarks.logic.temporal import history

from guardrail.logic.paper.temporal.explanation import explain, in_words
from guardrail.logic.paper.temporal.points import Points
from guardrail.logic.temporal.intervals import IntervalSet
from guardrail.logic.temporal.notation import parse

EVENTS = history(
    [
        ("a", 1890, 1903),
        ("b", 1905, 1930),
        ("c", 1901, 1901),
        ("late", 1950, inf),
        ("old", -inf, 1500),
        ("nie", 1, 1),
    ]
)

INTERRUPTED = (
    'False: "a" was going on in every year after 1900 until there came, from 1 to 9 years after 1900, a year in which '
    '"b" was going on. Interrupted in 1904, before 1905, the first year that could end it.'
)


class TestText:
    @pytest.mark.parametrize(
        ("text", "lines"),
        [
            (
                "F[0,9] b",
                [
                    'True: "b" was going on in some year from 0 to 9 years after 1900. So it was in 1905.',
                    '  True: "b" was going on in 1905. It was from 1905 to 1930.',
                    "Years:",
                    "  F[0,9] b: 1896-1930",
                    "  b: 1905-1930",
                ],
            ),
            (
                "a U[1,9] b",
                [
                    INTERRUPTED,
                    '  False: "a" was going on in 1904. Its years: 1890-1903.',
                    "Years:",
                    "  a U[1,9] b: 1904-1929",
                    "  a: 1890-1903",
                    "  b: 1905-1930",
                ],
            ),
        ],
    )
    def test_whole(self, text, lines):
        """Two explanations, as a reader gets them."""
        assert str(explain(parse(text), 1900, EVENTS)).splitlines() == lines

    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ("late", "Its years: from 1950 on."),
            ("old", "Its years: until 1500."),
            ("N c", "The year after 1900 is 1901."),
            ("!a", "The opposite is true."),
            ("a & c", "One part is false."),
            ("b & c", "Neither part is true."),
            ("a | b", "One part is enough."),
            ("b | c", "Neither part is true."),
            ("c -> b", "The condition is false, so nothing is asked."),
            ("a -> a", "What follows is true."),
            ("a -> b", "The condition is true and what should follow is not."),
            ("F[0,4] b", "No year of 1900 to 1904 is among those of b: 1905-1930."),
            ("G[0,3] a", "All of 1900 to 1903 is among the years of a: 1890-1903."),
            ("G[0,5] a", "Not so in 1904."),
            ("a U[2,2] b", "Nothing ended it. No year of 1902 is among those of b: 1905-1930."),
            ("b U[0,1] c", "It ended in 1901, and no year lies between."),
            ("a U[2,3] a", "It ended in 1902. All of 1901 is among the years of a: 1890-1903."),
        ],
    )
    def test_reason(self, text, reason):
        """One for each way to be true or false."""
        assert explain(parse(text), 1900, EVENTS).step.because == reason

    @pytest.mark.parametrize(
        ("spans", "words"),
        [
            ([], "never"),
            ([(-inf, inf)], "always"),
            ([(-5, 3)], "-5 to 3"),
            ([(2 * n, 2 * n) for n in range(8)], "0, 2, 4, 6, 8, 10, and 2 more spans"),
        ],
    )
    def test_sets_in_words(self, spans, words):
        """Short also where there are many spans."""
        assert in_words(IntervalSet(spans)) == words


def test_every_step_is_true():
    """Of 2,000 random proofs, each line says what Definition 1 says in its year, and rests on parts of its formula."""
    rng = random.Random(7)
    for number in range(2000):
        formula, spans = random_case(rng, depth=number % 5)
        events = {name: IntervalSet(several) for name, several in spans.items()}
        waiting = [explain(formula, rng.randint(-5, 25), events).step]
        while waiting:
            step = waiting.pop()
            assert step.holds == Points(step.formula, spans).at(step.year)
            assert all(below.formula in step.formula.parts for below in step.rests_on)
            waiting.extend(step.rests_on)
