"""P(yes) and P(no) at the first word of a reply. Oracles: by hand."""

import math

import pytest

from guardrail.requests import TokenLogprob
from guardrail.text.yes_no import probability_of


class TestProbability:
    def test_sums_the_spellings(self):
        """P(yes) = .5 + .1, P(no) = .2, so .75 and .25."""
        top = (("Yes", math.log(0.5)), (" yes", math.log(0.1)), ("No", math.log(0.2)), ("I", math.log(0.2)))
        reply = [TokenLogprob("Yes", math.log(0.5), top)]
        assert probability_of("yes", reply) == pytest.approx(0.75)
        assert probability_of("no", reply) == pytest.approx(0.25)

    def test_skips_what_stands_before_the_word(self):
        """White space and a quote are tokens of their own in some vocabularies."""
        word = TokenLogprob("no", math.log(0.9), (("no", math.log(0.9)), ("yes", math.log(0.1))))
        before = [TokenLogprob("\n", 0.0, (("\n", 0.0),)), TokenLogprob('"', 0.0)]
        assert probability_of("yes", [*before, word]) == pytest.approx(0.1)

    def test_without_alternatives(self):
        """What was said is all there is."""
        assert probability_of("no", [TokenLogprob("No", 0.0)]) == 1.0

    def test_is_undefined_where_neither_is_likely(self):
        """The model means to say something else; minus infinity and NaN are no probabilities."""
        assert probability_of("yes", []) is None
        assert probability_of("yes", [TokenLogprob("I", -0.1, (("I", -0.1), ("As", -3.0)))]) is None
        assert probability_of("yes", [TokenLogprob("Yes", -math.inf, (("Yes", -math.inf),))]) is None
        assert probability_of("no", [TokenLogprob("no", math.nan)]) is None
