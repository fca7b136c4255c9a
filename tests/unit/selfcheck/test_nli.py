"""The NLI kernel. Oracle: the soft-max of eq. 9 by hand."""

import math

import pytest

from guardrail.errors import ConfigError
from guardrail.requests import Entail, Entailment
from guardrail.selfcheck.nli import check as nli
from guardrail.selfcheck.nli.reading import pair


def soft_max(*logits):
    total = sum(math.exp(z) for z in logits)
    return [math.exp(z) / total for z in logits]


class TestContradiction:
    @pytest.mark.parametrize(("z_e", "z_n", "z_c"), [(1.0, 0.0, -1.0), (-2.0, 5.0, 0.5), (0.0, 0.0, 0.0)])
    def test_neutral_is_left_out(self, z_e, z_n, z_c):
        """Three probabilities give what eq. 9 gives on the two logits."""
        e, n, c = soft_max(z_e, z_n, z_c)
        by_hand = math.exp(z_c) / (math.exp(z_e) + math.exp(z_c))
        assert nli.contradiction(Entailment(e, c, n)) == pytest.approx(by_hand)

    def test_two_way(self):
        """A model without neutral gives its own probability."""
        assert nli.contradiction(Entailment(0.25, 0.75)) == 0.75

    @pytest.mark.parametrize(
        "found", [Entailment(0.0, 0.0, 1.0), Entailment(math.nan, 0.5), Entailment(0.5, math.inf)]
    )
    def test_undefined(self, found):
        """No mass on either, or no number."""
        assert nli.contradiction(found) is None

    def test_not_entailed(self):
        """Neutral counts against the sentence."""
        assert nli.not_entailed(Entailment(0.25, 0.25, 0.5)) == 0.75
        assert nli.not_entailed(Entailment(math.nan, 0.5)) is None

    def test_unmentioned(self):
        """Neutral counts for more than a contradiction, and only entailment for nothing."""
        assert nli.unmentioned(Entailment(0.0, 0.0, 1.0)) == 1.0
        assert nli.unmentioned(Entailment(0.0, 1.0, 0.0)) == pytest.approx(nli.SLIP)
        assert nli.unmentioned(Entailment(1.0, 0.0, 0.0)) == 0.0
        assert nli.unmentioned(Entailment(0.25, 0.25, 0.5)) == pytest.approx(0.5 + nli.SLIP * 0.25)

    def test_unmentioned_by_another_weight(self):
        """.5 + .8 of .25; no weight is above that of silence."""
        assert nli.unmentioned(Entailment(0.25, 0.25, 0.5), 0.8) == pytest.approx(0.7)
        with pytest.raises(ConfigError, match="slip"):
            nli.NliCheck(measure="unmentioned", slip=1.5)

    def test_unmentioned_two_way(self):
        """A model that has no neutral class cannot weigh it: what is not entailed counts in full."""
        assert nli.unmentioned(Entailment(0.25, 0.75)) == 0.75

    @pytest.mark.parametrize(
        "found",
        [Entailment(math.nan, 0.5, 0.5), Entailment(0.5, math.inf, 0.1), Entailment(0.4, 0.4, math.nan)],
    )
    def test_unmentioned_undefined(self, found):
        """No number, no score."""
        assert nli.unmentioned(found) is None


class TestScore:
    def test_orders(self):
        """The sample is the premise, or the hypothesis as in the paper's package."""
        assert pair("r", "s") == Entail(premise="s", hypothesis="r")
        assert pair("r", "s", "sentence_first") == Entail(premise="r", hypothesis="s")
