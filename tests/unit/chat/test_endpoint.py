"""What every adapter of an endpoint shares: bodies of services that do not keep to the protocol."""

import asyncio
import importlib.util

import openai
import pytest

from guardrail.chat import _endpoint
from guardrail.chat._endpoint import read
from guardrail.engine.flow import Answer, Cost


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

    def test_a_service_that_counts_the_first_choice_alone(self):
        """As llama.cpp's server answered to `n=3`; without `n` the three take about 64 tokens."""
        texts = [
            "The cheerful green is the most pleasing choice.",
            "My favourite color is blue. It's bright and easy to see. I prefer it because it's a classic shade that has a rich, calming aura.",
            "Red is a beautiful and calming colour. It creates a calming atmosphere that enhances the quality of life and makes people feel refreshed and happy.",
        ]
        usage = {"completion_tokens": 10, "prompt_tokens": 43, "total_tokens": 53}
        for choices in (
            [{"text": text} for text in texts],
            [{"message": {"content": text}, "text": ""} for text in texts],
        ):
            found = read({"choices": choices, "usage": usage}, 3, Cost(calls=1), choice)
            assert 55 < sum(one.cost.completion_tokens for one in found) < 75
            assert sum(one.cost.prompt_tokens for one in found) == 43


class TestTransport:
    """Which HTTP library carries asynchronous requests."""

    @staticmethod
    def made():
        async def make():
            client = _endpoint._patient("DefaultAsyncHttpxClient")
            await client.aclose()
            return type(client)

        return asyncio.run(make())

    def test_aiohttp_where_it_is(self):
        """The extra brings it."""
        assert self.made() is openai.DefaultAioHttpClient

    def test_httpx_without_it(self, monkeypatch):
        """As before."""
        monkeypatch.setattr(_endpoint, "find_spec", lambda _name: None)
        assert self.made() is openai.DefaultAsyncHttpxClient

    def test_httpx_where_openai_lacks_its_part(self, monkeypatch):
        """openai before 3 needs another package for it, and says so by an exception."""

        def missing(**_options):
            raise RuntimeError("must have installed the package with the `aiohttp` extra")

        monkeypatch.setattr(openai, "DefaultAioHttpClient", missing)
        assert importlib.util.find_spec("aiohttp")
        assert self.made() is openai.DefaultAsyncHttpxClient
