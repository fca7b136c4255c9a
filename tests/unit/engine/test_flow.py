"""Requests, replies, and the helpers that flows are made of."""

import pytest
from tests.unit.engine.toys import Buy, Look, Roll, ask

from guardrail.engine.flow import (
    Answer,
    Branch,
    Compute,
    Cost,
    Failed,
    Keep,
    Reason,
    Stop,
    compute,
    draws,
    each,
    gather,
    one,
    values,
    why,
)
from guardrail.requests import Ask, Completion, Generate, Untrusted, user
from guardrail.testing import play


class TestCost:
    def test_adds_field_by_field(self):
        """Calls, both kinds of tokens, and seconds."""
        assert Cost(1, 2, 3, 4.0) + Cost(10, 20, 30, 40.0) == Cost(11, 22, 33, 44.0)

    def test_shares_add_up_to_the_whole(self):
        """A call shared by four is a quarter of a call for each."""
        share = Cost(1, 10, 2, 0.5).split(4)
        assert share + share + share + share == Cost(1, 10, 2, 0.5)

    def test_tokens_are_prompt_and_completion(self):
        """Together."""
        assert Cost(1, 10, 5).tokens == 15


class TestFailed:
    def test_reads_as_reason_and_detail(self):
        """The reason alone where there is no detail."""
        assert str(Failed(Reason.TIMEOUT, "no reply in 60 s")) == "timeout: no reply in 60 s"
        assert str(Failed(Reason.BUDGET)) == "budget"

    def test_is_equal_whatever_exception_is_behind_it(self):
        """Two exceptions are never equal, two failures of one kind are."""
        assert Failed(Reason.BUG, "x", error=ValueError()) == Failed(Reason.BUG, "x", error=ValueError())


class TestIdentity:
    def test_equal_requests_are_one(self):
        """By their fields, not as objects."""
        assert len({ask("a"), ask("a"), Look(1), Look(1)}) == 2

    def test_kinds_are_told_apart(self):
        """Two kinds with the same fields are two requests."""
        assert Look("a") != Buy("a")

    def test_draws_are_different_requests(self):
        """Without their number, de-duplication would make one sample of five."""
        assert len(set(draws(ask("a"), 5))) == 5

    def test_the_first_draw_is_the_request_itself(self):
        """So five of one detector and three of another share three."""
        assert draws(ask("a"), 1) == [ask("a")]
        assert len({*draws(ask("a"), 5), *draws(ask("a"), 3)}) == 5

    def test_what_has_no_draw_cannot_be_drawn(self):
        """The same reply n times would be no n samples."""
        with pytest.raises(TypeError):
            draws(Look("a"), 2)

    def test_untrusted_text_is_another_request_than_the_same_words(self):
        """A fence is drawn around it when it is rendered; equality needs no salt."""
        assert Ask((user("Judge ", Untrusted("x")),)) == Ask((user("Judge ", Untrusted("x")),))
        assert Ask((user("Judge ", Untrusted("x")),)) != Ask((user("Judge ", "x"),))

    def test_computations_are_never_equal(self):
        """Functions of the same arguments may be two."""
        assert Compute(len, ("a",)) != Compute(len, ("a",))


class TestKeep:
    def test_only_a_reply_at_temperature_0_is_kept_for_ever(self):
        """Any other is a sample, the unset temperature too."""
        assert ask("a", temperature=0).keep is Keep.ALWAYS
        assert [ask("a").keep, ask("a", temperature=0.1).keep] == [Keep.SAMPLED] * 2

    def test_computed_and_regenerated_replies_are_never_kept(self):
        """They are new each time."""
        assert [Compute(len).keep, Generate().keep] == [Keep.NEVER] * 2


class TestEach:
    def test_replies_come_in_the_order_of_the_requests(self):
        """Failed ones in their place."""

        def answer(request):
            return Failed(Reason.TIMEOUT) if request.key == 2 else request.key

        assert play(each(Look(i) for i in (3, 2, 1)), answer) == [
            Answer(3),
            Failed(Reason.TIMEOUT),
            Answer(1),
        ]

    def test_nothing_to_ask_is_no_error(self):
        """An answer without sentences, say."""
        assert play(each([]), pytest.fail) == []

    def test_one_gives_the_reply_itself(self):
        """Not a list."""
        assert play(one(Look(1)), lambda _: "found") == Answer("found")

    def test_a_forgotten_yield_from_asks_nothing_and_says_nothing(self):
        """Why an AST test looks for it (`test_detector_style`)."""

        def forgetful():
            each([Look(1)])
            yield from ()
            return "done"

        assert play(forgetful(), pytest.fail) == "done"


class TestGather:
    @staticmethod
    def double(n):
        reply = yield from one(Look(n))
        if n == 2:
            raise ValueError("two")
        return reply.value * 2

    def test_results_come_in_order_and_one_bug_stays_alone(self):
        """The one that raised is a failure in its place."""
        first, failed, last = play(gather(self.double(n) for n in (1, 2, 3)), lambda look: look.key)
        assert (first, last) == (2, 6)
        assert failed.reason is Reason.BUG
        assert isinstance(failed.error, ValueError)

    def test_takes_flows_and_branches(self):
        """A branch carries owner, reservation and deadline."""
        assert play(
            gather([self.double(1), Branch(self.double(3), owner="x", calls={"buy": (2, 2)})]),
            lambda q: q.key,
        ) == [2, 6]


class TestCompute:
    def test_gives_the_value(self):
        """Not a reply."""
        assert play(compute(max, 1, 3, 2), pytest.fail) == 3

    def test_raises_what_the_function_raised(self):
        """At the place where it was called, so that a detector may catch it."""

        def flow():
            try:
                yield from compute(int, "x")
            except ValueError as error:
                return str(error)

        assert "invalid literal" in play(flow(), pytest.fail)

    def test_a_failure_without_an_exception_is_raised_too(self):
        """A deadline that has passed."""
        flow = compute(len, "x")
        next(flow)
        with pytest.raises(RuntimeError, match="deadline: the time is up"):
            flow.send([Failed(Reason.DEADLINE, "the time is up")])


class TestReading:
    def test_values_leave_failures_out(self):
        """In order."""
        assert values([Answer(1), Failed(Reason.BUDGET), Answer(2)]) == [1, 2]

    def test_why_counts_the_most_frequent_first(self):
        """Each distinct failure once."""
        replies = [Failed(Reason.BUDGET, "out"), *[Failed(Reason.TIMEOUT, "late")] * 3, Answer(1)]
        assert why(replies) == "timeout: late (×3); budget: out"

    def test_why_is_empty_where_nothing_failed(self):
        """Nothing is invented."""
        assert why([Answer(Completion("x"))]) == ""


def test_the_stop_passes_every_except_exception():
    """A flow that swallows all errors is stopped all the same."""
    assert not issubclass(Stop, Exception)


def test_rolls_are_samples():
    """The toys of the other tests are what they say."""
    assert (Roll().keep, Buy().keep, Look().keep) == (Keep.SAMPLED, Keep.ALWAYS, Keep.ALWAYS)
