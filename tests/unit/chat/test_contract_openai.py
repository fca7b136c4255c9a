"""The OpenAI chat keeps the contract, with clients of its own and with given ones."""

import openai
import pytest
from tests.contract.chat import ANSWER, ChatContract

from guardrail.chat import OpenAIChat
from guardrail.testing.server import serve


@pytest.fixture
def server():
    with serve(lambda _: ANSWER) as served:
        yield served


class TestOpenAIChatKeepsTheContract(ChatContract):
    @pytest.fixture(params=[False, True])
    def chat(self, server, request):
        made = OpenAIChat("m", base_url=server.base_url, coalesce=request.param)
        yield made
        made.close()


class TestGivenClientsKeepTheContract(ChatContract):
    @pytest.fixture
    def chat(self, server):
        with openai.OpenAI(base_url=server.base_url, api_key="k", max_retries=0) as client:
            yield OpenAIChat("m", client=client)
