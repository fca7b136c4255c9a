"""The LangChain chat keeps the contract."""

import pytest
from langchain_core.language_models import FakeListChatModel
from tests.contract.chat import ANSWER, ChatContract

from guardrail.chat import LangChainChat


class TestLangChainChatKeepsTheContract(ChatContract):
    @pytest.fixture
    def chat(self):
        return LangChainChat(FakeListChatModel(responses=[ANSWER]))
