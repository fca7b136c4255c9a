"""Members of their own for short texts. Oracle: the knot that has them, by itself."""

from dataclasses import replace

import pytest

from guardrail.errors import InputError
from guardrail.selfcheck.ensemble.fits import packaged_fits
from guardrail.selfcheck.ensemble.stack import probabilities

FIT = packaged_fits()["wikibio-entailment"]
SCORES = {"ngram": [3.0], "nli": [0.4], "bertscore": [0.3]}
KNOT = next(knot for knot in FIT.knots if knot.samples == 5 and knot.stack.members == FIT.short)


class TestShort:
    def test_less_text_than_the_fit_has_seen(self):
        """The members for short texts judge, by their own knot."""
        [found] = FIT.predict(SCORES, 5, {"ngram": 3.5})
        assert (found.members, found.short) == (("ngram", "nli"), True)
        [expected] = probabilities([KNOT], {n: SCORES[n] for n in FIT.short}, 5, {"ngram": 3.5})
        assert found.probability == pytest.approx(expected)

    def test_usual_text(self):
        """All members judge."""
        [found] = FIT.predict(SCORES, 5, {"ngram": KNOT.ranges["ngram"].usual})
        assert (found.members, found.short) == (FIT.names, False)

    def test_a_member_that_fails(self):
        """The others stand in, as everywhere."""
        [found] = FIT.predict({**SCORES, "nli": [None]}, 5, {"ngram": 3.5})
        assert (found.members, found.short) == (("ngram", "bertscore"), False)

    def test_needs_a_knot(self):
        """Members that were never fitted together cannot judge."""
        with pytest.raises(InputError, match="knot with the members"):
            replace(FIT, short=("nli", "ngram"))

    def test_changes_the_fingerprint(self):
        """It changes what scores mean."""
        assert replace(FIT, short=()).fingerprint != FIT.fingerprint
