"""The scheduler of one guard call, driven by hand: no thread, no loop, no clock."""

import pytest
from tests.unit.engine.toys import Buy, Look, Roll, price

from guardrail.engine.budget import Budget
from guardrail.engine.flow import (
    Answer,
    Branch,
    Compute,
    Cost,
    Failed,
    Reason,
    Stop,
    draws,
    each,
    gather,
    one,
)
from guardrail.engine.run import Run


def reply(request):
    """What a good backend says."""
    return Answer(f"re {getattr(request, 'key', '')}", price(request))


def finish(run, answer=reply):
    """Answer whatever the run wants until it is done; the requests, step by step."""
    steps = []
    outgoing = run.start(0.0)
    while not run.done:
        assert outgoing, "the run waits for nothing"
        steps.append(list(outgoing))
        outgoing = run.deliver([(request, answer(request)) for request in outgoing], 0.0)
    return steps


def result(flow, answer=reply, **options):
    run = Run(flow, **options)
    finish(run, answer)
    return run.result


def asks(*requests):
    return (yield from each(requests))


def one_by_one(requests):
    replies = []
    for request in requests:
        replies.append((yield from one(request)))
    return replies


def failing():
    yield from one(Look("before"))
    raise ZeroDivisionError("a bug")


ONE = {"buy": (1, 1)}


class TestFailures:
    def test_a_failed_reply_is_a_value(self):
        """The flow reads it; nothing is thrown."""
        failed = Failed(Reason.BACKEND, "500")
        assert result(asks(Look(1)), lambda _: failed) == [failed]

    def test_a_flow_that_raises_is_a_failure_with_its_exception(self):
        """For the traceback in the report."""
        found = result(failing())
        assert (found.reason, found.detail) == (Reason.BUG, "ZeroDivisionError: a bug")
        assert found.error.__traceback__.tb_next.tb_frame.f_code.co_name == "failing"

    def test_one_that_raises_leaves_its_siblings_alone(self):
        """Before and after."""
        first, failed, last = result(gather([asks(Look(1)), failing(), asks(Look(2))]))
        assert (first, last) == ([Answer("re 1")], [Answer("re 2")])
        assert failed.reason is Reason.BUG

    @pytest.mark.parametrize("thing", [None, 3, "a question", object(), {"a": 1}.keys()])
    def test_a_flow_that_yields_nonsense_learns_it_where_it_yields(self, thing):
        """And nobody else is harmed."""

        def confused():
            return (yield thing)

        found = result(gather([confused(), asks(Look(1))]))
        wrong = found[0] if isinstance(found[0], Failed) else found[0][0]
        assert wrong.reason is Reason.BUG
        assert "is a helper missing?" in wrong.detail
        assert found[1] == [Answer("re 1")]

    def test_an_unhashable_request_is_a_bug_of_its_flow(self):
        """A list in a frozen dataclass, say."""
        (found,) = result(asks(Look([1, 2])))
        assert found.reason is Reason.BUG
        assert "a request can be hashed, got Look" in found.detail

    def test_a_branch_that_is_no_generator_is_a_bug_of_its_flow(self):
        """A list of findings handed to gather."""
        found = result(gather([["a", "list"], asks(Look(1))]))
        assert (found[0].reason, found[1]) == (Reason.BUG, [Answer("re 1")])

    def test_exits_and_interrupts_are_nobodys_failure(self):
        """They end the program, as everywhere."""

        def leaves():
            yield from ()
            raise SystemExit(3)

        with pytest.raises(SystemExit):
            Run(leaves()).start(0.0)

    def test_what_comes_unasked_is_passed_over(self):
        """A reply to nothing that was sent."""
        run = Run(asks(Look(1)))
        run.start(0.0)
        assert run.deliver([(Look(99), Answer("?"))], 0.0) == []
        assert not run.done


class TestIdentity:
    def test_equal_requests_are_sent_once(self):
        """In one step, in two branches, and later."""
        steps = finish(run := Run(gather([asks(Look(1), Look(1)), one_by_one([Look(2), Look(1)])])))
        assert steps == [[Look(1), Look(2)]]
        assert run.result[1] == [Answer("re 2"), Answer("re 1")]

    def test_draws_are_sent_each(self):
        """Five samples are five calls, and three more of the same are three of them."""
        steps = finish(Run(gather([asks(*draws(Roll(), 5)), asks(*draws(Roll(), 3))])))
        assert steps == [draws(Roll(), 5)]

    def test_two_computations_are_two(self):
        """They are equal in nothing but their kind."""
        tasks = [Compute(len, ("a",)), Compute(len, ("bcd",))]
        found = result(asks(*tasks), lambda task: Answer(task.function(*task.arguments)))
        assert found == [Answer(1), Answer(3)]


class TestMemo:
    def test_knows_what_an_earlier_run_learned(self):
        """One memo serves all checks of a stream."""
        memo = {}
        finish(Run(asks(Look(1)), memo=memo))
        steps = finish(run := Run(asks(Look(1), Look(2)), memo=memo))
        assert steps == [[Look(2)]]
        assert run.ledger.total == Cost()

    def test_remembers_a_lasting_failure(self):
        """It would fail again."""
        gone = Failed(Reason.REFUSED, "no")
        steps = finish(Run(one_by_one([Look(1), Look(1)])), lambda _: gone)
        assert steps == [[Look(1)]]

    def test_never_remembers_a_passing_failure(self):
        """The next who asks may be luckier."""
        replies = iter([Failed(Reason.TIMEOUT, retryable=True), Answer("at last")])
        memo = {}
        steps = finish(run := Run(one_by_one([Look(1), Look(1)]), memo=memo), lambda _: next(replies))
        assert steps == [[Look(1)], [Look(1)]]
        assert run.result[1] == Answer("at last")
        assert memo == {Look(1): Answer("at last")}

    def test_never_remembers_a_computation(self):
        """A memo that lives as long as a stream must not hold its arguments."""
        memo = {}
        finish(Run(asks(Compute(len, ("a",))), memo=memo))
        assert memo == {}


class TestBudget:
    def test_refuses_what_is_beyond_it(self):
        """As a value, at once."""
        found = result(asks(*[Buy(i) for i in range(5)]), budget=Budget(calls=3))
        assert [isinstance(reply, Answer) for reply in found] == [True] * 3 + [False] * 2
        assert found[4] == Failed(Reason.BUDGET, "the budget is used up")

    def test_free_requests_do_not_count(self):
        """A look-up in a local file."""
        assert all(isinstance(r, Answer) for r in result(asks(*map(Look, range(9))), budget=Budget(calls=0)))

    def test_calls_count_where_the_route_is_paid_for(self):
        """Whoever answers decides; so do tokens."""

        def priced(request):
            return Answer("yes", Cost(calls=1, prompt_tokens=4))

        def asked(requests, **budget):
            return result(
                one_by_one(requests), priced, budget=Budget(**budget), paid=lambda route: route == "buy"
            )

        first, second, third = asked([Buy(1), Buy(2), Buy(3)], calls=2)
        assert (first.value, second.value, third.reason) == ("yes", "yes", Reason.BUDGET)
        first, second = asked([Buy(1), Buy(2)], tokens=4)
        assert (first.value, second.reason) == ("yes", Reason.BUDGET)
        free = result(asks(*map(Buy, range(3))), priced, budget=Budget(calls=0), paid=lambda route: False)
        assert [reply.value for reply in free] == ["yes"] * 3

    def test_a_reply_that_cost_nothing_gives_its_call_back(self):
        """From a cache, or joined to somebody else's."""
        requests = [Buy(i) for i in range(5)]
        found = result(one_by_one(requests), lambda _: Answer("cached"), budget=Budget(calls=1))
        assert [reply.value for reply in found] == ["cached"] * 5

    def test_retries_count(self):
        """A reply that took three calls leaves that much less."""
        found = result(one_by_one(map(Buy, range(3))), lambda _: Answer("", Cost(3)), budget=Budget(calls=4))
        assert [type(reply) for reply in found] == [Answer, Answer, Failed]

    def test_tokens_stop_new_calls_when_used_up(self):
        """They are known only afterwards, so the last call may pass the bound."""
        found = result(
            one_by_one(map(Buy, range(5))), lambda _: Answer("", Cost(1, 60, 40)), budget=Budget(tokens=150)
        )
        assert [type(reply) for reply in found] == [Answer, Answer, Failed, Failed, Failed]

    def test_what_was_known_is_given_when_the_budget_is_out(self):
        """A memory costs nothing."""
        found = result(one_by_one([Buy(1), Buy(2), Buy(1)]), budget=Budget(calls=1))
        assert [type(reply) for reply in found] == [Answer, Failed, Answer]


def reference(i, calls=3):
    """As a reference is checked: one question after another."""
    return (yield from one_by_one([Buy((i, k)) for k in range(calls)]))


class TestReservations:
    def test_fewer_branches_are_finished_rather_than_all_begun(self):
        """Breadth-first, thirty calls over eight references finished none."""
        flows = [Branch(reference(i, 10), calls={"buy": (10, 10)}) for i in range(8)]
        finish(run := Run(gather(flows), budget=Budget(calls=30)))
        whole = [r for r in run.result if isinstance(r, list) and all(isinstance(x, Answer) for x in r)]
        assert len(whole) == 3
        assert [str(r) for r in run.result[3:]] == ["budget: needs 10 calls, 0 left in the budget"] * 5

    def test_breadth_first_finishes_none(self):
        """The same work without reservations: the experiment behind the rule."""
        found = result(gather(reference(i, 10) for i in range(8)), budget=Budget(calls=30))
        assert not any(all(isinstance(x, Answer) for x in r) for r in found)

    def test_a_branch_waits_for_calls_that_siblings_may_give_back(self):
        """A reference that a look-up settles needs none of the calls it reserved."""

        def thrifty(i):
            yield from one(Look(i))
            return "settled"

        flows = [
            Branch(thrifty(1), calls={"buy": (3, 3)}),
            Branch(thrifty(2), calls={"buy": (3, 3)}),
            Branch(reference(3), calls={"buy": (3, 3)}),
        ]
        finish(run := Run(gather(flows), budget=Budget(calls=3)))
        assert run.result[:2] == ["settled", "settled"]
        assert all(isinstance(reply, Answer) for reply in run.result[2])

    def test_without_a_budget_a_reservation_binds_nobody(self):
        """An estimate that was too low costs nothing then."""
        found = result(gather([Branch(reference(1, 5), calls={"buy": (2, 2)})]))
        assert all(isinstance(reply, Answer) for reply in found[0])

    def test_a_branch_may_use_more_if_nobody_has_reserved_it(self):
        """Of five calls it may have five, though it reserved two; the sixth is refused."""
        found = result(gather([Branch(reference(1, 6), calls={"buy": (2, 2)})]), budget=Budget(calls=5))
        assert [type(reply) for reply in found[0]] == [Answer] * 5 + [Failed]

    def test_a_branch_may_not_use_what_others_have_reserved(self):
        """Both reserved all there is together."""
        flows = [
            Branch(reference(1, 4), calls={"buy": (2, 2)}),
            Branch(reference(2, 2), calls={"buy": (2, 2)}),
        ]
        greedy, modest = result(gather(flows), budget=Budget(calls=4))
        assert [type(reply) for reply in greedy] == [Answer, Answer, Failed, Failed]
        assert [type(reply) for reply in modest] == [Answer, Answer]

    def test_retries_do_not_keep_a_branch_from_finishing(self):
        """They are paid by the whole, so the last branch is the one that is not begun."""
        flows = [Branch(reference(i), calls={"buy": (3, 3)}) for i in range(2)]
        finish(run := Run(gather(flows), budget=Budget(calls=6)), lambda _: Answer("", Cost(2)))
        assert [len([r for r in found if isinstance(r, Answer)]) for found in run.result] == [3, 3]

    def test_branches_reserve_within_their_parents_reservation(self):
        """A detector's six calls, two for each of three questions."""
        inner = [Branch(reference(i, 2), calls={"buy": (2, 2)}) for i in range(3)]
        (found,) = result(
            gather([Branch(gather(inner), calls={"buy": (6, 6)})]), budget=Budget(calls=6, tokens=10_000)
        )
        assert all(isinstance(reply, Answer) for replies in found for reply in replies)

    def test_nested_reservations_work_without_any_budget(self):
        """The bound of the parent's tokens is nobody's concern then."""
        inner = [Branch(reference(i, 2), calls={"buy": (2, 2)}) for i in range(3)]
        (found,) = result(gather([Branch(gather(inner), calls={"buy": (6, 6)})]))
        assert all(isinstance(reply, Answer) for replies in found for reply in replies)

    def test_no_branch_starts_when_the_tokens_are_out_but_one_that_started_finishes(self):
        """Half an examination is worth nothing."""
        flows = [Branch(reference(i), calls={"buy": (3, 3)}) for i in range(3)]
        finish(run := Run(gather(flows), budget=Budget(tokens=800)), lambda _: Answer("", Cost(1, 400, 400)))
        assert [type(found) for found in run.result] == [list, Failed, Failed]
        assert all(isinstance(reply, Answer) for reply in run.result[0])

    def test_tokens_to_be_expected_are_learned_from_replies(self):
        """Ten tokens a call leave room for all, though the first guess did not."""
        flows = [Branch(reference(i), calls={"buy": (3, 3)}) for i in range(5)]
        finish(run := Run(gather(flows), budget=Budget(tokens=800)), lambda _: Answer("", Cost(1, 5, 5)))
        assert [type(found) for found in run.result] == [list] * 5

    def test_reserves_for_a_route_only_where_it_is_paid_for(self):
        """A model on this machine takes nothing from the budget of calls, one behind an API does."""

        def branches():
            return gather(
                [Branch(asks(Look(1), Look(2)), calls={"look": (2, 2)}), Branch(asks(Buy(1)), calls=ONE)]
            )

        free, bought = result(branches(), budget=Budget(calls=1), paid=lambda route: route == "buy")
        assert (free, bought) == ([Answer("re 1"), Answer("re 2")], [Answer("re 1", Cost(calls=1))])
        refused, bought = result(branches(), budget=Budget(calls=1))
        assert (refused.reason, bought) == (Reason.BUDGET, [Answer("re 1", Cost(calls=1))])
        assert refused.detail == "needs 2 calls, 1 left in the budget"

    def test_a_branch_that_is_refused_never_runs(self):
        """Not even to its first line."""
        ran = []

        def flow():
            ran.append(True)
            yield from ()

        assert (
            result(gather([Branch(flow(), calls={"buy": (2, 2)})]), budget=Budget(calls=1))[0].reason
            is Reason.BUDGET
        )
        assert ran == []


class TestBranches:
    def test_each_goes_on_at_its_own_speed(self):
        """One slow reply does not hold up the others: no lock-step."""
        run = Run(gather(one_by_one([Look((i, 0)), Look((i, 1))]) for i in range(3)))
        slow, second, third = run.start(0.0)
        assert run.deliver([(second, reply(second))], 0.0) == [Look((1, 1))]
        assert run.deliver([(third, reply(third))], 0.0) == [Look((2, 1))]
        assert run.deliver([(slow, reply(slow))], 0.0) == [Look((0, 1))]

    def test_ten_thousand_nested_branches_need_no_stack(self):
        """Neither to begin nor to end them."""

        def nested(depth):
            if depth == 0:
                return "bottom"
            yield from one(Look(depth))
            (found,) = yield from gather([nested(depth - 1)])
            return found

        assert result(nested(10_000)) == "bottom"


class TestDeadlines:
    def test_what_is_late_fails_and_the_flow_goes_on(self):
        """It still can make findings of what it has."""
        run = Run(asks(Look(1), Look(2)), seconds=5)
        run.start(100.0)
        run.deliver([(Look(1), Answer("in time"))], 104.0)
        run.expire(105.0)
        assert run.result == [Answer("in time"), Failed(Reason.DEADLINE, "the time is up")]
        assert run.take_abandoned() == [Look(2)]

    def test_tells_when_it_wants_to_be_called(self):
        """The nearest deadline of all."""
        run = Run(gather([Branch(asks(Look(1)), seconds=9), Branch(asks(Look(2)), seconds=3)]), seconds=5)
        run.start(100.0)
        assert run.next_due() == 103.0
        run.expire(103.0)
        assert run.next_due() == 105.0

    def test_a_detectors_deadline_leaves_the_others_alone(self):
        """Each counts its own time."""
        run = Run(gather([Branch(asks(Look(1)), seconds=1), asks(Look(2))]))
        run.start(0.0)
        run.expire(1.0)
        run.deliver([(Look(2), Answer("fine"))], 50.0)
        assert run.result == [[Failed(Reason.DEADLINE, "the time is up")], [Answer("fine")]]

    def test_a_branch_cannot_outlive_its_parent(self):
        """A longer deadline inside a shorter one is the shorter one."""
        run = Run(gather([Branch(gather([Branch(asks(Look(1)), seconds=9)]), seconds=2)]))
        run.start(0.0)
        run.expire(2.0)
        assert run.result == [[[Failed(Reason.DEADLINE, "the time is up")]]]

    def test_a_steady_stream_of_replies_does_not_keep_time_from_passing(self):
        """A pump that always has something to deliver never gets to call `expire`."""
        run = Run(gather([Branch(asks(Look("slow")), seconds=1), asks(*map(Look, range(3)))]))
        run.start(0.0)
        run.deliver([(Look(0), Answer(""))], 2.0)
        assert run.take_abandoned() == [Look("slow")]

    def test_who_is_late_does_not_join_somebody_elses_request(self):
        """It would wait for it without end."""

        def late():
            yield from one(Look("own"))
            return (yield from one(Look("other's")))

        run = Run(gather([Branch(late(), seconds=1), asks(Look("other's"))]))
        run.start(0.0)
        run.expire(1.0)
        run.deliver([(Look("other's"), Answer(""))], 9.0)
        assert run.result[0].reason is Reason.DEADLINE

    def test_who_is_late_still_gets_what_is_known(self):
        """It costs neither time nor money."""

        def late():
            yield from one(Look("own"))
            return (yield from one(Look("known")))

        run = Run(gather([Branch(late(), seconds=1), asks(Look("known"))]))
        run.start(0.0)
        run.deliver([(Look("known"), Answer("here"))], 0.5)
        run.expire(1.0)
        assert run.result[0] == Answer("here")

    def test_a_shared_request_waits_for_the_more_patient(self):
        """It is withdrawn only when the last has gone."""
        run = Run(gather([Branch(asks(Look(1)), seconds=1), Branch(asks(Look(1)), seconds=2)]))
        run.start(0.0)
        run.expire(1.0)
        assert run.take_abandoned() == []
        run.expire(2.0)
        assert run.take_abandoned() == [Look(1)]

    def test_what_was_given_up_and_is_wanted_again_is_not_sent_twice(self):
        """Between giving up and withdrawing."""

        def patient():
            yield from gather([Branch(asks(Look("slow")), seconds=1)])
            return (yield from one(Look(1)))

        run = Run(gather([Branch(asks(Look(1)), seconds=1), patient()]))
        run.start(0.0)
        assert run.expire(1.0) == []
        assert run.take_abandoned() == [Look("slow")]
        run.deliver([(Look(1), Answer("here"))], 1.5)
        assert run.result[1] == Answer("here")

    def test_a_waiting_branch_is_refused_when_its_parents_time_is_up(self):
        """It waits for calls that may come back, but not beyond its time."""
        flows = [Branch(reference(1), calls={"buy": (3, 3)}), Branch(reference(2), calls={"buy": (3, 3)})]
        run = Run(gather([Branch(gather(flows), seconds=1)]), budget=Budget(calls=3))
        run.start(0.0)
        run.expire(1.0)
        assert run.done
        assert run.result[0][1] == Failed(Reason.DEADLINE, "the time is up")


class TestRunaways:
    def test_who_is_refused_again_and_again_is_stopped(self):
        """Nothing else would end it: every refusal is immediate."""

        def stubborn():
            i = 0
            while True:
                i += 1
                yield from one(Buy(i))

        found = result(gather([stubborn(), asks(Look(1))]), budget=Budget(calls=0))
        assert found[0] == Failed(Reason.BUG, "refused 1001 times and still asking")
        assert found[1] == [Answer("re 1")]

    def test_who_asks_the_same_for_ever_is_stopped(self):
        """A loop "until the reply can be parsed" without a new draw has its reply from memory for ever."""

        def same():
            while True:
                yield from one(Look(1))

        assert "without asking anything new" in result(same()).detail

    def test_who_steps_without_asking_is_stopped(self):
        """An empty step is answered at once."""

        def idle():
            while True:
                yield from each([])

        assert result(idle()).reason is Reason.BUG

    def test_who_calls_itself_without_asking_is_stopped(self):
        """Recursion through branches."""

        def deeper():
            yield from gather([deeper()])

        assert result(gather([deeper(), asks(Look(1))]))[1] == [Answer("re 1")]

    def test_who_swallows_the_stop_is_closed(self):
        """Catching it does not save it."""

        def deaf():
            while True:
                try:
                    yield from one(Look(1))
                except Stop:
                    continue

        assert "without asking anything new" in result(deaf()).detail

    def test_who_gives_a_result_when_stopped_keeps_it(self):
        """The stop may be caught, once."""

        def polite():
            try:
                while True:
                    yield from one(Look(1))
            except Stop:
                return "what I have"

        assert result(polite()) == "what I have"

    def test_long_work_is_no_runaway(self):
        """Thirty thousand steps that each ask something, by themselves or in branches."""

        def long():
            for i in range(15_000):
                yield from one(Look(i))
            for i in range(15_000):
                yield from gather([asks(Look((1, i)))])
            return "done"

        assert result(long()) == "done"


class TestLedger:
    def test_one_owner_pays_for_what_it_asks(self):
        """Calls, tokens and seconds."""
        finish(run := Run(asks(Buy(1)), owner="a"), lambda _: Answer("", Cost(1, 2, 3, 4.0)))
        assert run.ledger.paid() == run.ledger.alone() == {"a": Cost(1, 2, 3, 4.0)}

    def test_a_shared_request_is_split_evenly(self):
        """By itself each would have paid the whole."""
        flows = [Branch(asks(Buy(1)), owner="a"), Branch(asks(Buy(1), Buy(2)), owner="b")]
        finish(run := Run(gather(flows)))
        assert run.ledger.total == Cost(2)
        assert run.ledger.paid() == {"a": Cost(0.5), "b": Cost(1.5)}
        assert run.ledger.alone() == {"a": Cost(1), "b": Cost(2)}

    def test_who_asks_later_shares_the_bill(self):
        """Though the reply was there already."""
        flows = [Branch(asks(Buy(1)), owner="a"), Branch(one_by_one([Look(1), Buy(1)]), owner="b")]
        finish(run := Run(gather(flows)))
        assert run.ledger.paid() == {"a": Cost(0.5), "b": Cost(0.5)}

    def test_one_owner_who_asks_twice_pays_once(self):
        """And has one share."""
        flows = [Branch(asks(Buy(1), Buy(1)), owner="a"), Branch(asks(Buy(1)), owner="b")]
        finish(run := Run(gather(flows)))
        assert run.ledger.paid() == {"a": Cost(0.5), "b": Cost(0.5)}

    def test_branches_inherit_their_owner(self):
        """A detector pays for its references."""
        finish(run := Run(gather([Branch(gather([asks(Buy(1))]), owner="a")])))
        assert run.ledger.paid() == {"a": Cost(1)}

    def test_a_late_reply_is_booked(self):
        """The call was made, though nobody waits any more."""
        run = Run(gather([Branch(asks(Buy(1)), seconds=1, owner="a"), asks(Look(2))]))
        run.start(0.0)
        run.expire(1.0)
        (gone,) = run.take_abandoned()
        run.withdrawn(gone, Cost(1))
        run.deliver([(gone, Answer("late", Cost(0, 7, 3)))], 2.0)
        assert run.ledger.paid() == {"a": Cost(1, 7, 3)}

    def test_a_late_reply_is_remembered(self):
        """Whoever asks after that has it for nothing."""

        def later():
            yield from one(Look("wait"))
            return (yield from one(Buy(1)))

        run = Run(gather([Branch(asks(Buy(1)), seconds=1), later()]))
        run.start(0.0)
        run.expire(1.0)
        run.take_abandoned()
        run.deliver([(Buy(1), Answer("late", Cost(1)))], 2.0)
        assert run.deliver([(Look("wait"), Answer(""))], 3.0) == []
        assert run.result[1] == Answer("late", Cost(1))

    def test_a_failure_may_have_cost_something(self):
        """A refusal after a long prompt."""
        finish(run := Run(asks(Buy(1))), lambda _: Failed(Reason.REFUSED, cost=Cost(1, 500)))
        assert run.ledger.total == Cost(1, 500)


class TestClose:
    def test_gives_back_what_is_still_out(self):
        """For the pump to withdraw."""
        run = Run(asks(Look(1), Look(2)))
        run.start(0.0)
        run.deliver([(Look(1), Answer(""))], 0.0)
        assert run.close() == [Look(2)]
        assert run.close() == []

    def test_flows_may_clean_up(self):
        """Inner ones first."""
        closed = []

        def tidy(name, inner=()):
            try:
                yield from gather(inner) if inner else one(Look(1))
            finally:
                closed.append(name)

        run = Run(tidy("outer", [tidy("inner")]))
        run.start(0.0)
        run.close()
        assert closed == ["inner", "outer"]

    def test_a_flow_that_will_not_close_keeps_nobody(self):
        """Everything else is closed and withdrawn all the same."""

        def clings():
            try:
                yield from one(Look(1))
            finally:
                raise RuntimeError("not yet")

        closed = []

        def tidy():
            try:
                yield from one(Look(2))
            finally:
                closed.append(True)

        run = Run(gather([tidy(), clings(), tidy()]))
        run.start(0.0)
        assert run.close() == [Look(2), Look(1)]
        assert closed == [True, True]
