"""What every adapter of an endpoint shares: bodies of services that do not keep to the protocol."""

import pytest

from guardrail.chat._endpoint import read
from guardrail.flow import Answer, Cost


def choice(found, _model, cost):
    return Answer(found["text"], cost)


class TestUsage:
    @pytest.mark.parametrize(
        "usage",
        [None, "many", [], {}, {"prompt_tokens": "12"}, {"prompt_tokens": -3}, {"prompt_tokens": [1]}],
    )
    def test_a_strange_count_costs_no_reply(self, usage):
        """The reply is there; its tokens are unknown."""
        found = read({"choices": [{"text": "yes"}], "usage": usage}, 1, Cost(calls=1), choice)
        assert found == [Answer("yes", Cost(calls=1))]

    def test_counts_are_booked(self):
        """Split over the choices."""
        body = {
            "choices": [{"text": "a"}, {"text": "b"}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 4},
        }
        found = read(body, 2, Cost(calls=1), choice)
        assert sum(one.cost.tokens for one in found) == 14
