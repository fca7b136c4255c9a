"""Flows run by hand."""

import pytest

from guardrail.engine.flow import Answer, Branch, Failed, Reason, compute, draws, each, gather, one, values
from guardrail.requests import Ask, Completion, Embed, user
from guardrail.testing import play

ASK = Ask((user("q"),))


def texts():
    replies = yield from each(draws(ASK, 2))
    return [completion.text for completion in values(replies)]


class TestPlay:
    def test_gives_the_result(self):
        """Bare values become answers."""
        assert play(texts(), lambda ask: Completion(str(ask.draw))) == ["0", "1"]
        assert play(Branch(texts()), lambda ask: Answer(Completion(str(ask.draw)))) == ["0", "1"]

    def test_failures_are_passed_on(self):
        """As values."""
        assert play(one(ASK), lambda _: Failed(Reason.BUDGET)) == Failed(Reason.BUDGET)

    def test_a_list_is_a_value(self):
        """A vector, say."""
        assert play(one(Embed("a")), lambda _: (0.5, 1.0)) == Answer((0.5, 1.0))

    def test_asks_each_request_once(self):
        """As the guard's memo does."""
        asked = []

        def twice():
            first = yield from one(ASK)
            second = yield from each([ASK, ASK])
            return [first, *second]

        play(twice(), lambda ask: asked.append(ask) or Completion("x"))
        assert asked == [ASK]

    def test_runs_branches_in_branches(self):
        """To any depth; what raises is a failure in its place."""

        def outer():
            return (yield from gather([inner(1), inner(0)]))

        def inner(n):
            found = yield from gather([leaf(n)])
            return found

        def leaf(n):
            yield from one(ASK)
            return 1 / n

        [[good], [bad]] = play(outer(), lambda _: Completion("x"))
        assert good == 1.0
        assert (bad.reason, bad.detail) == (Reason.BUG, "ZeroDivisionError: division by zero")

    def test_computes(self):
        """And raises what a computation raises."""
        assert play(compute(max, 1, 2), pytest.fail) == 2
        with pytest.raises(ZeroDivisionError):
            play(compute(lambda: 1 / 0), pytest.fail)

    def test_what_the_answers_raise_comes_out(self):
        """A failed assertion of a test is no bug of a detector, not even inside a branch."""

        def answer(_):
            raise AssertionError("unexpected question")

        with pytest.raises(AssertionError, match="unexpected question"):
            play(gather([texts()]), answer)

    def test_what_the_flow_raises_comes_out(self):
        """Of the outermost one."""

        def broken():
            yield from one(ASK)
            raise KeyError("x")

        with pytest.raises(KeyError):
            play(broken(), lambda _: Completion("x"))
