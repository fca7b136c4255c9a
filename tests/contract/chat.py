"""What every adapter of the chat port keeps to. Subclass `ChatContract` and give it a `chat`."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from guardrail.engine.backend import Backend
from guardrail.engine.flow import Answer, draws
from guardrail.requests import Ask, Completion, Untrusted, user

QUESTION = "What is 2 + 2?"
ANSWER = "It is four."


def ask(**fields):
    return Ask((user("Answer this: ", Untrusted(QUESTION)),), **fields)


class ChatContract:
    """The `chat` fixture answers `QUESTION` with `ANSWER`, whatever the draw."""

    calls = 1  # what a reply costs

    @pytest.fixture
    def chat(self):
        raise NotImplementedError

    def test_is_a_backend(self, chat):
        """It has all that a lane reads."""
        assert isinstance(chat, Backend)
        assert chat.batch >= 1
        assert chat.concurrency >= 1

    def test_answers(self, chat):
        """A completion with the text, and what it cost."""
        [reply] = chat.answer([ask()])
        assert isinstance(reply, Answer)
        assert isinstance(reply.value, Completion)
        assert reply.value.text == ANSWER
        assert reply.cost.calls == self.calls

    def test_gives_one_reply_per_request(self, chat):
        """As many as a lane may hand over at once, in order."""
        requests = draws(ask(), chat.batch)
        assert [reply.value.text for reply in chat.answer(requests)] == [ANSWER] * len(requests)

    def test_takes_every_field(self, chat):
        """Temperature, length, log-probabilities, role and draw."""
        [reply] = chat.answer([ask(temperature=0.0, max_tokens=20, logprobs=2, role="judge", draw=3)])
        assert reply.value.text == ANSWER

    def test_has_a_fingerprint(self, chat):
        """One line that stays the same."""
        assert chat.fingerprint
        assert chat.fingerprint == chat.fingerprint
        assert "\n" not in chat.fingerprint

    def test_serves_many_threads(self, chat):
        """At once."""
        with ThreadPoolExecutor(8) as pool:
            replies = list(pool.map(lambda request: chat.answer([request])[0], draws(ask(), 24)))
        assert [reply.value.text for reply in replies] == [ANSWER] * 24

    def test_serves_one_loop_after_another(self, chat):
        """The asynchronous form, if there is one, with a synchronous call in between."""
        if chat.aanswer is None:
            pytest.skip("this adapter is called in threads")

        async def several():
            return await asyncio.gather(*(chat.aanswer([one]) for one in draws(ask(), 4)))

        for _ in range(2):
            replies = [reply for replies in asyncio.run(several()) for reply in replies]
            assert [reply.value.text for reply in replies] == [ANSWER] * 4
            assert chat.answer([ask()])[0].value.text == ANSWER
