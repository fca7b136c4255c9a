"""The scripted chat keeps the contract."""

import pytest
from tests.contract.chat import ANSWER, ChatContract

from guardrail.chat import ScriptedChat


class TestScriptedChatKeepsTheContract(ChatContract):
    @pytest.fixture
    def chat(self):
        return ScriptedChat(ANSWER)
