"""What a guard makes of answers that somebody else generates."""

import pytest

from guardrail import Detector, Finding, Guard, Span, Verdict, regenerate
from guardrail.chat import ScriptedChat
from guardrail.engine.flow import Answer, Cost, one
from guardrail.errors import InputError
from guardrail.requests import Ask, Completion, user


class Watcher(Detector):
    """Finds the word "bad"."""

    name = "watcher"

    def cost(self, case):
        del case
        return {}

    def examine(self, case):
        yield from ()
        at = case.answer.find("bad")
        if at < 0:
            return []
        return [
            Finding(
                detector="watcher", span=Span(start=at, end=at + 3), score=1.0, verdict=Verdict.UNSUPPORTED
            )
        ]


class Asker(Watcher):
    """Asks one question about each answer."""

    name = "asker"

    def cost(self, case):
        del case
        return {"chat:judge": (1, 1)}

    def examine(self, case):
        yield from one(Ask((user(case.answer),), role="judge"))
        return (yield from super().examine(case))


@pytest.fixture
def guard():
    return Guard([Watcher()], policy=regenerate(3))


def answers(*texts):
    left = list(texts)
    return lambda _feedback: left.pop(0)


class TestSupervise:
    def test_an_empty_attempt_is_no_better(self, guard):
        """A model that falls silent when it is corrected does not win by saying nothing."""
        report = guard.supervise(answers("bad and good", "", "good"))
        assert report.answer == "bad and good"
        assert report.decision.attempts == 1

    def test_an_empty_first_answer_passes(self, guard):
        """There is nothing to examine."""
        report = guard.supervise(answers(""))
        assert (report.answer, report.verdict) == ("", None)

    def test_what_generating_cost_is_booked(self, guard):
        """Rejected attempts included."""
        said = [Answer(Completion("bad"), Cost(1, 10, 5)), Answer(Completion("good"), Cost(1, 20, 5))]
        report = guard.supervise(answers(*said))
        assert report.answer == "good"
        assert report.cost.total == Cost(2, 30, 10)

    def test_what_the_check_cost_is_told_apart_from_it(self, caplog):
        """Two answers are generated, and each is judged by one question: log and summary count the questions."""
        caplog.set_level("INFO", logger="guardrail")
        said = [Answer(Completion("bad"), Cost(1, 10, 5)), Answer(Completion("good"), Cost(1, 20, 5))]
        report = Guard([Asker()], chat=ScriptedChat("yes"), policy=regenerate(3)).supervise(answers(*said))
        assert (report.cost.total.calls, report.cost.detectors.calls) == (4, 2)
        assert (report.summary()["calls"], report.summary()["attempts"]) == (2, 2)
        assert [record.calls for record in caplog.records if record.msg == "guarded"] == [2]

    def test_the_first_answer_is_not_the_guards_expense(self):
        """A budget of nothing still lets the user have an answer, and no second one."""
        guard = Guard([Watcher()], policy=regenerate(3), budget=0)
        report = guard.supervise(answers("bad", "good"))
        assert (report.answer, report.decision.attempts) == ("bad", 1)

    def test_nor_is_it_when_the_guard_asks(self):
        """The same through the guard's own chat model."""
        chat = ScriptedChat(["bad", "good"])
        assert Guard([Watcher()], chat=chat, policy=regenerate(3), budget=0).generate("?").answer == "bad"
        chat = ScriptedChat(["bad", "good"])
        assert Guard([Watcher()], chat=chat, policy=regenerate(3), budget=1).generate("?").answer == "good"

    def test_something_else_than_an_answer_is_refused(self, guard):
        """With what was expected."""
        with pytest.raises(InputError, match="the function must return a text, or a message or response"):
            guard.supervise(lambda _feedback: 42)
