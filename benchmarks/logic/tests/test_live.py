"""Questions in a model's own words."""

import pytest
from benchmarks.logic.live import rephrased

from guardrail.engine.flow import Failed, Reason
from guardrail.requests import Completion
from guardrail.testing import play


class TestRephrased:
    @staticmethod
    def answers(*texts):
        lines = iter(texts)
        return lambda _: Completion(next(lines))

    def flow(self):
        return rephrased("Is A B?", "A is B", "A is not B")

    def test_is_used_where_it_asks_the_same(self):
        assert play(self.flow(), self.answers("Would A be B?", "Yes", "No.")) == "Would A be B?"

    @pytest.mark.parametrize(
        "texts",
        [("Is A not B?", "No", "Yes"), ("Is A C?", "I don't know", "No"), ("A is B.",), ("Is A B?\nYes.",)],
    )
    def test_is_dropped_where_it_does_not(self, texts):
        assert play(self.flow(), self.answers(*texts)) == "Is A B?"

    def test_is_dropped_where_nobody_answers(self):
        assert play(self.flow(), lambda _: Failed(Reason.TIMEOUT)) == "Is A B?"
