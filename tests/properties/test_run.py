"""Whatever flows are made of: every branch gets one result, the ledger adds up, the budget holds."""

import asyncio
import random
from collections import Counter

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from tests.unit.engine.toys import AsyncEcho, Buy, Echo, Look, hub

from guardrail.engine.budget import Budget
from guardrail.engine.drivers import run_async, run_sync
from guardrail.engine.flow import Answer, Branch, Cost, Failed, Reason, Request, each, gather
from guardrail.engine.run import Run

KEYS = st.integers(0, 5)  # few, so that requests are shared
REQUESTS = st.builds(Look, KEYS) | st.builds(Buy, KEYS)
LEAVES = st.tuples(st.just("each"), st.lists(REQUESTS, max_size=4)) | st.just(("raise", None))


def branches(plans):
    options = st.fixed_dictionaries(
        {
            "owner": st.none() | st.sampled_from("abc"),
            "calls": st.none() | st.integers(0, 4).map(lambda most: {"buy": (0, most)}),
            "seconds": st.none() | st.integers(1, 9),
        }
    )
    return st.tuples(st.just("gather"), st.lists(st.tuples(plans, options), max_size=4))


PLANS = st.recursive(
    LEAVES,
    lambda plans: branches(plans) | st.tuples(st.just("then"), st.lists(plans, max_size=4)),
    max_leaves=25,
)
BUDGETS = st.builds(Budget, calls=st.none() | st.integers(0, 12), tokens=st.none() | st.integers(0, 2000))
OUTCOMES = st.sampled_from(["fine", "free", "late tokens", "failed", "passing"])


def flow(plan):
    """A tree of flows from its description; its result has the same form."""
    kind, content = plan
    if kind == "raise":
        yield from ()
        raise ValueError("as planned")
    if kind == "each":
        return (yield from each(content))
    if kind == "gather":
        return (yield from gather(Branch(flow(part), **options) for part, options in content))
    found = []
    for part in content:
        found.append((yield from flow(part)))
    return found


def has_the_form_of(found, plan):
    """Whether every branch and every request got exactly one result."""
    kind, content = plan
    if isinstance(found, Failed):
        return True
    if kind == "raise":
        return False
    if kind == "each":
        return len(found) == len(content) and all(isinstance(reply, Answer | Failed) for reply in found)
    parts = [part for part, _ in content] if kind == "gather" else content
    return len(found) == len(parts) and all(map(has_the_form_of, found, parts))


def reply(request, outcome):
    calls = float(not request.free)
    return {
        "fine": Answer("fine", Cost(calls, 20, 5)),
        "free": Answer("free"),
        "late tokens": Answer("long", Cost(calls, 900, 100)),
        "failed": Failed(Reason.REFUSED, "no", cost=Cost(calls)),
        "passing": Failed(Reason.BACKEND, "429", retryable=True, cost=Cost(calls)),
    }[outcome]


class World:
    """Answers what a run wants, in any order, some of it never, while time passes."""

    def __init__(self, plan, outcomes, seed, **options):
        self.run = Run(flow(plan), **options)
        self.outcomes = outcomes
        self.dice = random.Random(seed)
        self.out: list[Request] = []
        self.sent: list[Request] = []
        self.gone: list[Request] = []
        self.booked = 0.0
        self.tokens: list[float] = []
        self.now = 0.0

    def play(self):
        self._send(self.run.start(self.now))
        while not self.run.done:
            assert self.out or self.run.next_due() is not None, "the run waits for nothing"
            self._step()
        return self

    def _step(self):
        due = self.run.next_due()
        if due is not None and (not self.out or self.dice.random() < 0.2):
            self.now = due
            self._send(self.run.expire(self.now))
            return
        self.now += self.dice.choice([0, 0, 0.5])
        self.dice.shuffle(self.out)
        many = self.dice.randint(1, 3)
        taken, self.out = self.out[:many], self.out[many:]
        items = [(request, self._reply(request)) for request in taken]
        self._send(self.run.deliver(items, self.now))

    def _reply(self, request):
        found = reply(request, self.outcomes[hash(request) % len(self.outcomes)])
        self.booked += found.cost.calls
        self.tokens.append(found.cost.tokens * (not request.free))
        return found

    def _send(self, requests):
        for gone in self.run.take_abandoned():
            if gone in self.out:
                self.out.remove(gone)
            self.gone.append(gone)
            self.run.withdrawn(gone, Cost(calls=float(not gone.free)))
            self.booked += not gone.free
        self.out += requests
        self.sent += requests


class TestAnyTree:
    @given(
        plan=PLANS,
        outcomes=st.lists(OUTCOMES, min_size=1, max_size=5),
        seed=st.integers(0, 2**16),
        budget=BUDGETS,
        seconds=st.none() | st.integers(1, 20),
    )
    @settings(deadline=None, max_examples=300)
    def test_ends_with_one_result_per_branch_a_ledger_that_adds_up_and_a_budget_that_held(
        self, plan, outcomes, seed, budget, seconds
    ):
        """Whatever is answered in whatever order, or not at all."""
        world = World(plan, outcomes, seed, budget=budget, seconds=seconds).play()
        run, total = world.run, world.run.ledger.total
        assert has_the_form_of(run.result, plan)
        # the ledger
        assert total.calls == pytest.approx(world.booked)
        for field in ("calls", "prompt_tokens", "completion_tokens", "seconds"):
            shares = sum(getattr(cost, field) for cost in run.ledger.paid().values())
            assert shares == pytest.approx(getattr(total, field))
        for owner, paid in run.ledger.paid().items():
            assert paid.calls <= run.ledger.alone()[owner].calls + 1e-9
        # the budget
        assert budget.calls is None or total.calls <= budget.calls
        # nothing is left
        assert run.close() == []
        assert not run._pending
        assert not run._parked
        assert not run._live
        purse = run._root.purse
        assert purse.reserved == 0
        if budget.calls is not None:
            assert purse.calls == pytest.approx(budget.calls - total.calls)
        if budget.tokens is not None:
            paid_tokens = sum(world.tokens)
            assert purse.tokens == pytest.approx(budget.tokens - paid_tokens)

    @given(plan=PLANS, seed=st.integers(0, 2**16), budget=BUDGETS)
    @settings(deadline=None, max_examples=100)
    def test_asks_the_same_in_the_same_order_again(self, plan, seed, budget):
        """Given the same replies in the same order."""
        first, second = (World(plan, ["fine", "failed"], seed, budget=budget).play() for _ in range(2))
        assert first.sent == second.sent
        assert str(first.run.result) == str(second.run.result)
        assert first.run.ledger.paid() == second.run.ledger.paid()

    @given(plan=PLANS)
    @settings(deadline=None, max_examples=100)
    def test_asks_nothing_twice(self, plan):
        """Where every reply may be remembered, and unless it was given up in between."""
        world = World(plan, ["fine", "failed"], 0).play()
        asked = Counter(world.sent) - Counter(world.gone)
        assert all(times == 1 for times in asked.values())

    @given(plan=PLANS, seed=st.integers(0, 2**16), moves=st.integers(0, 6))
    @settings(deadline=None, max_examples=100)
    def test_can_be_closed_at_any_moment(self, plan, seed, moves):
        """What is out comes back, once, and nothing is wanted after that."""
        world = World(plan, ["fine"], seed, seconds=9)
        world._send(world.run.start(0.0))
        for _ in range(moves):
            if world.run.done:
                break
            world._step()
        pending = {entry.request for entry in world.run._pending}
        assert set(world.run.close()) == pending
        assert world.run.close() == []
        assert world.run.deliver([(request, Answer("late")) for request in pending], 1.0) == []


class TestBothPumps:
    @given(plan=PLANS, kind=st.sampled_from([Echo, AsyncEcho]), batch=st.integers(1, 4))
    @settings(deadline=None, max_examples=40)
    def test_agree(self, plan, kind, batch):
        """On results and cost; and nothing stays in a lane."""
        backends = [hub(kind(batch=batch)) for _ in range(2)]
        runs = [Run(flow(plan)) for _ in range(2)]
        found = [run_sync(runs[0], backends[0]), asyncio.run(run_async(runs[1], backends[1]))]
        assert str(found[0]) == str(found[1])
        assert runs[0].ledger.total == runs[1].ledger.total
        assert [backend.queued() for backend in backends] == [0, 0]
