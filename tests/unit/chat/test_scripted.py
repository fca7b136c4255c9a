"""The scripted chat."""

import asyncio
import re
import threading

import pytest

from guardrail.chat import ScriptedChat
from guardrail.engine.flow import Answer, Cost, Failed, Reason, draws
from guardrail.requests import Ask, Completion, user

ASK = Ask((user("What is the capital of France?"),))


def say(script, ask=ASK):
    return ScriptedChat(script).answer([ask])[0]


class TestScripts:
    @pytest.mark.parametrize(
        "script",
        [
            "Paris",
            lambda ask: "Paris",
            {"Spain": "Madrid", "France": "Paris"},
            {re.compile(r"capital of F\w+"): "Paris"},
            ["Paris"],
            [Completion("Paris", "scripted", "stop")],
            [Answer(Completion("Paris", "scripted", "stop"), Cost(1, 6, 1, 0.0))],
        ],
    )
    def test_say_it(self, script):
        """A text, a function, a mapping, a list; made-up costs are a token per word."""
        assert say(script) == Answer(Completion("Paris", "scripted", "stop"), Cost(1, 6, 1, 0.0))

    def test_lists_are_in_the_order_of_asking(self):
        """And end."""
        chat = ScriptedChat(["a", "b"])
        replies = [chat.answer([ASK])[0] for _ in range(3)]
        assert [reply.value.text for reply in replies[:2]] == ["a", "b"]
        assert replies[2].reason is Reason.MISSING

    def test_lists_in_a_mapping_are_by_draw(self):
        """Whatever the order of asking."""
        chat = ScriptedChat({"France": ["a", "b"]})
        replies = [chat.answer([ask])[0] for ask in reversed(draws(ASK, 3))]
        assert replies[0].reason is Reason.MISSING
        assert [reply.value.text for reply in replies[1:]] == ["b", "a"]

    def test_failures_are_replies_and_exceptions_are_raised(self):
        """To test what comes after."""
        failed = Failed(Reason.TIMEOUT, "slow", retryable=True)
        assert say([failed]) is failed
        for error in (ValueError, ValueError("x")):
            with pytest.raises(ValueError, match=r"x|^$"):
                say({"France": error})

    def test_the_unforeseen_is_named(self):
        """So that a test says what it lacks."""
        assert str(say({"Spain": "Madrid"})) == (
            "missing: no scripted reply to 'What is the capital of France?', draw 0: no key of the script is in it"
        )


class TestScriptedChat:
    def test_remembers_what_it_was_asked(self):
        """From every thread."""
        chat = ScriptedChat("x")
        threads = [threading.Thread(target=chat.answer, args=([ask],)) for ask in draws(ASK, 8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(ask.draw for ask in chat.asked) == list(range(8))

    def test_a_delay_takes_its_time(self):
        """In both forms; without one it is instant."""
        chat = ScriptedChat("x", delay=0.01)
        assert not chat.instant
        assert ScriptedChat("x").instant
        assert chat.answer([ASK])[0].cost.seconds == 0.01
        assert asyncio.run(chat.aanswer([ASK]))[0].value.text == "x"
