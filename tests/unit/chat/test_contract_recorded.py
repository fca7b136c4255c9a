"""The recorded chat keeps the contract, recording and replaying."""

import pytest
from tests.contract.chat import ANSWER, ChatContract, ask

from guardrail.chat import RecordedChat, ScriptedChat


class TestRecordedChatKeepsTheContract(ChatContract):
    @pytest.fixture
    def chat(self, tmp_path):
        return RecordedChat(tmp_path / "a.jsonl", record_from=ScriptedChat(ANSWER))


class TestReplayedChatKeepsTheContract(ChatContract):
    calls = 0

    @pytest.fixture
    def chat(self, tmp_path):
        made = RecordedChat(tmp_path / "a.jsonl", record_from=ScriptedChat(ANSWER), key=lambda _: "all")
        made.answer([ask()])
        return RecordedChat(tmp_path / "a.jsonl", key=lambda _: "all")
