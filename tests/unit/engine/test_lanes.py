"""Lanes: joining, batching, retries, and what becomes of backends that misbehave; in threads and on a loop."""

import asyncio
import gc
import threading

import pytest
from tests.unit.engine.toys import (
    PATIENT,
    AsyncEcho,
    AsyncStuck,
    Buy,
    Echo,
    Look,
    Roll,
    Stuck,
    ask,
    chat,
    drive,
    hub,
    wait_until,
)

from guardrail.engine import jobs, lanes
from guardrail.engine.drivers import run_async, run_sync
from guardrail.engine.flow import (
    Answer,
    Branch,
    Compute,
    Cost,
    Failed,
    Keep,
    Reason,
    draws,
    each,
    gather,
    one,
)
from guardrail.engine.hub import Hub
from guardrail.engine.jobs import Retry, checked, failure
from guardrail.engine.run import Run
from guardrail.engine.watchdog import Watchdog
from guardrail.errors import BackendError
from guardrail.requests import Ask, Completion

BOTH = pytest.mark.parametrize(("pump", "kind"), [("sync", Echo), ("async", Echo), ("async", AsyncEcho)])
"""A thread lane under each pump, and a loop lane."""


@pytest.fixture
def naps(monkeypatch):
    """The waits between attempts, none of which is waited."""
    found = []

    async def sleep(seconds):
        found.append(seconds)
        await asyncio.sleep(0)

    monkeypatch.setattr(lanes, "_sleep", sleep)
    monkeypatch.setattr(jobs.Batch, "nap", lambda _, seconds: found.append(seconds))
    return found


def script(*replies):
    """A backend's `reply` that goes through a list; the last is said for ever."""
    left = list(replies)

    def reply(_):
        said = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(said, BaseException):
            raise said
        return said

    return reply


PASSING = Failed(Reason.BACKEND, "429", retryable=True, cost=Cost(1))
FINE = Answer("fine", Cost(1))


@BOTH
class TestAnswers:
    def test_come_back_in_order(self, pump, kind):
        """However they were batched."""
        found = drive(pump, each(map(Look, range(50))), hub(kind(batch=7)))
        assert found == [Answer(f"re {i}") for i in range(50)]

    def test_leave_nothing_behind(self, pump, kind):
        """No job stays open."""
        backends = hub(kind())
        drive(pump, each(map(Look, range(50))), backends)
        assert backends.queued() == 0

    def test_are_counted_over_the_hubs_life(self, pump, kind):
        """Over all runs."""
        backends = hub(kind())
        for i in range(3):
            drive(pump, each([Buy((i, 0)), Buy((i, 1))]), backends)
        assert backends.spent == Cost(6)


@BOTH
class TestBatches:
    def test_hold_no_more_than_the_backend_takes(self, pump, kind):
        """And are full where there is enough."""
        backend = kind(batch=8, concurrency=1)
        drive(pump, each(map(Look, range(40))), hub(backend))
        assert [len(batch) for batch in backend.batches] == [8] * 5

    def test_follow_each_other_whole(self, pump, kind):
        """Flows in step stay in step: the replies of a batch come together, and so do the next requests."""

        def chain(i):
            for k in range(20):
                yield from one(Look((i, k)))

        backend = kind(batch=16, concurrency=1)
        drive(pump, gather(chain(i) for i in range(16)), hub(backend))
        assert [len(batch) for batch in backend.batches] == [16] * 20

    def test_hold_one_group_each(self, pump, kind):
        """Draws of one prompt, say."""
        backend = kind(batch=8, concurrency=1)
        drive(pump, each(Look(i, kind="ab"[i % 2]) for i in range(12)), hub(backend))
        assert [{look.kind for look in batch} for batch in backend.batches] == [{"a"}, {"b"}]

    def test_keep_like_weights_together(self, pump, kind):
        """Padding is work for nothing."""
        backend = kind(batch=4, concurrency=1)
        drive(pump, each(Look(i, size=1 if i % 2 else 100) for i in range(8)), hub(backend))
        assert [{look.size for look in batch} for batch in backend.batches] == [{100}, {1}]

    def test_stay_within_the_capacity_padding_included(self, pump, kind):
        """Every text of a batch is as long as its longest."""
        backend = kind(batch=100, capacity=100, concurrency=1)
        drive(pump, each(Look(i, size=1 + i % 40) for i in range(200)), hub(backend))
        assert max(len(batch) * max(look.size for look in batch) for batch in backend.batches) <= 100
        assert len(backend.asked) == 200

    def test_take_alone_what_is_heavier_than_the_capacity(self, pump, kind):
        """It must be asked somehow."""
        backend = kind(batch=8, capacity=10, concurrency=1)
        drive(pump, each([Look(1, size=99), Look(2), Look(3)]), hub(backend))
        assert [len(batch) for batch in backend.batches] == [1, 2]

    def test_a_weight_that_cannot_be_told_fails_its_request_alone(self, pump, kind):
        """And not the lane."""

        class Picky(kind):
            def weight(self, request):
                if request.key == 1:
                    raise ValueError("no weight")
                return 1

        bad, good = drive(pump, each([Look(1), Look(2)]), hub(Picky(batch=4)))
        assert (bad.reason, good) == (Reason.BACKEND, Answer("re 2"))


class Wire(AsyncEcho):
    """As HTTP clients do: what is prepared goes out when the loop comes round, and replies come together."""

    def __init__(self):
        super().__init__(concurrency=4)
        self.seen = []

    async def aanswer(self, requests):
        self.seen.append("prepared")
        await asyncio.create_task(self._send())
        await asyncio.sleep(0.01)
        return await super().aanswer(requests)

    async def _send(self):
        self.seen.append("sent")


def test_a_call_is_on_its_way_before_the_next_is_prepared():
    """Otherwise the last of many prepared at once delays the first, and their replies come together for good."""
    backend = Wire()
    found = drive("async", each(map(Look, range(12))), hub(backend))
    assert found == [Answer(f"re {i}") for i in range(12)]
    assert backend.seen == ["prepared", "sent"] * 12


def test_who_waits_for_a_turn_ends_with_the_loop(caplog):
    """A loop that ends, or is closed by hand after the last reply, leaves no task that is pending."""
    stuck = AsyncStuck(concurrency=4)
    backends = hub(stuck)
    tasks = []

    async def leaves_early():
        tasks.append(asyncio.create_task(run_async(Run(each(map(Look, range(12)))), backends)))
        while not stuck.reached.is_set():  # noqa: ASYNC110  # set on this loop
            await asyncio.sleep(0)

    asyncio.run(leaves_early())
    assert tasks[0].cancelled()
    assert backends.queued() == 0
    loop = asyncio.new_event_loop()
    flow = Run(each(map(Look, range(12))))
    loop.run_until_complete(run_async(flow, hub(AsyncEcho())))
    left = asyncio.all_tasks(loop)
    loop.close()
    gc.collect()
    assert not left
    assert not caplog.records


def test_a_call_that_is_withdrawn_before_its_turn_is_never_made():
    """Four may run at once, and one has begun; those behind them have their turns."""
    backend = Wire()
    backends = hub(backend)

    async def main():
        leaving = asyncio.create_task(run_async(Run(each(map(Look, "abcd"))), backends))
        staying = asyncio.create_task(run_async(Run(each(map(Look, range(8)))), backends))
        while not backend.seen:  # noqa: ASYNC110  # set on this loop
            await asyncio.sleep(0)
        leaving.cancel()
        return await staying

    assert asyncio.run(main()) == [Answer(f"re {i}") for i in range(8)]
    assert 9 <= backend.seen.count("prepared") <= 10


def test_who_waits_for_a_turn_counts_as_about_to_take():
    """As many workers as batches, though sixteen may run and half of the requests come while workers wait."""
    made = []

    def factory(loop, coroutine, **options):
        made.append(coroutine.__name__)
        return asyncio.Task(coroutine, loop=loop, **options)

    async def main():
        asyncio.get_running_loop().set_task_factory(factory)
        backends = hub(AsyncEcho(concurrency=16))
        flows = [Run(each(map(Look, keys))) for keys in ("abcd", "efgh")]
        first = asyncio.create_task(run_async(flows[0], backends))
        while "_worker" not in made:  # noqa: ASYNC110  # begun on this loop
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        await asyncio.gather(first, run_async(flows[1], backends))

    asyncio.run(main())
    assert made.count("_worker") == 8


class TestSharing:
    def test_callers_on_one_loop_share_batches(self):
        """Ten guard calls with four pairs each."""
        backend = AsyncEcho(batch=16, concurrency=1)
        backends = hub(backend)

        async def main():
            return await asyncio.gather(
                *(run_async(Run(each([Look((c, i)) for i in range(4)])), backends) for c in range(10))
            )

        assert all(len(found) == 4 for found in asyncio.run(main()))
        assert len(backend.asked) == 40
        assert len(backend.batches) <= 6

    def test_callers_in_threads_share_batches(self):
        """While the only worker is busy, the rest gathers."""
        backend = Stuck(lambda look: look.key == "first", batch=16, concurrency=1)
        backends = hub(backend)
        keys = ["first", *range(10)]
        threads = [threading.Thread(target=run_sync, args=(Run(one(Look(k))), backends)) for k in keys]
        threads[0].start()
        assert backend.reached.wait(PATIENT)
        for thread in threads[1:]:
            thread.start()
        assert wait_until(lambda: backends.queued() == 11)
        backend.let_go.set()
        for thread in threads:
            thread.join(PATIENT)
        assert [len(batch) for batch in backend.batches] == [1, 10]

    def test_a_loop_lane_begins_no_more_tasks_than_there_are_batches(self):
        """A request after another needs one task each, though eight may run at once."""
        backend, made = AsyncEcho(concurrency=8), []

        def factory(loop, coroutine, **options):
            made.append(coroutine.__name__)
            return asyncio.Task(coroutine, loop=loop, **options)

        def flow():
            for i in range(20):
                yield from one(Look(i))

        async def main():
            asyncio.get_running_loop().set_task_factory(factory)
            await run_async(Run(flow()), hub(backend))

        asyncio.run(main())
        assert len(backend.asked) == 20
        assert made.count("_worker") == 20


class TestJoining:
    @pytest.mark.parametrize("kind", [Echo, AsyncEcho])
    def test_equal_requests_in_flight_are_one_call(self, kind):
        """The first who asked pays, the others have it for nothing."""
        backend = kind()
        backends = hub(backend)

        async def main():
            runs = [Run(each([Buy(1)])) for _ in range(10)]
            found = await asyncio.gather(*(run_async(run, backends) for run in runs))
            return found, [run.ledger.total.calls for run in runs]

        # A thread may have answered the first before the last asks: the lane joins, it does not remember.
        found, calls = asyncio.run(main())
        assert found == [[Answer("re 1", Cost(c))] for c in calls]
        assert sum(calls) == len(backend.asked) == backends.spent.calls
        if kind is AsyncEcho:
            assert calls == [1] + [0] * 9

    @pytest.mark.parametrize("kind", [Echo, AsyncEcho])
    def test_samples_of_two_calls_are_two_samples(self, kind):
        """Ten callers who ask the same question at once get ten answers, not one ten times."""
        backend = kind()

        async def main(backends):
            return await asyncio.gather(*(run_async(Run(each([Roll(1)])), backends) for _ in range(10)))

        asyncio.run(main(hub(backend)))
        assert len(backend.asked) == 10

    def test_samples_are_joined_where_the_store_shares_them(self):
        """The user has said so."""
        backend = AsyncEcho()

        async def main(backends):
            return await asyncio.gather(*(run_async(Run(each([Roll(1)])), backends) for _ in range(10)))

        asyncio.run(main(hub(backend, store=Memory(samples=True))))
        assert len(backend.asked) == 1

    def test_if_the_first_leaves_the_next_pays(self):
        """The call was made for whoever is left."""
        backend = Stuck()
        backends = hub(backend)

        async def main():
            first, second = Run(each([Buy(1)])), Run(each([Buy(1)]))
            leaving = asyncio.create_task(run_async(first, backends))
            staying = asyncio.create_task(run_async(second, backends))
            await asyncio.to_thread(backend.reached.wait, PATIENT)
            leaving.cancel()
            await asyncio.wait([leaving])
            backend.let_go.set()
            await staying
            return first.ledger.total.calls, second.ledger.total.calls

        assert asyncio.run(main()) == (0, 1)


@BOTH
class TestRetry:
    def test_a_passing_failure_is_asked_again(self, pump, kind, naps):
        """And every attempt is paid for."""
        run = each([Buy(1)])
        found = drive(pump, run, hub(kind(script(PASSING, PASSING, FINE))))
        assert found == [Answer("fine", Cost(3))]
        assert len(naps) == 2

    def test_the_service_says_how_long_to_wait(self, pump, kind, naps):
        """`Retry-After` beats the back-off."""
        busy = Failed(Reason.BACKEND, "429", retryable=True, retry_after=7.5)
        drive(pump, each([Buy(1)]), hub(kind(script(busy, FINE)), retry=Retry()))
        assert naps == [7.5]

    def test_else_the_waits_grow_and_are_random(self, pump, kind, naps):
        """Within [0, base · 2ⁿ⁻¹], so that callers do not come back all at once."""
        drive(pump, each([Buy(1)]), hub(kind(script(PASSING)), retry=Retry(attempts=8, base=0.5, longest=4)))
        assert len(naps) == 7
        assert all(0 <= nap <= min(4, 0.5 * 2**i) for i, nap in enumerate(naps))
        assert len(set(naps)) == 7

    @pytest.mark.parametrize("seconds", [31.0, float("inf"), float("nan")])
    def test_who_asks_for_too_long_a_wait_is_not_waited_for(self, pump, kind, naps, seconds):
        """An hour's pause is a failure now."""
        busy = Failed(Reason.BACKEND, "quota", retryable=True, retry_after=seconds)
        (found,) = drive(pump, each([Buy(1)]), hub(kind(script(busy, FINE)), retry=Retry(longest=30)))
        assert found.detail == "quota"
        assert naps == []

    def test_a_time_in_the_past_is_now(self, pump, kind, naps):
        """A clock that runs behind."""
        busy = Failed(Reason.BACKEND, "429", retryable=True, retry_after=-5)
        drive(pump, each([Buy(1)]), hub(kind(script(busy, FINE))))
        assert naps == [0.0]

    def test_ends_after_so_many_attempts(self, pump, kind, naps):
        """With the last failure, and what all of them cost."""
        (found,) = drive(pump, each([Buy(1)]), hub(kind(script(PASSING)), retry=Retry(attempts=3)))
        assert (found.detail, found.cost) == ("429 (asked 3 times)", Cost(3))
        assert len(naps) == 2

    def test_a_lasting_failure_is_not_asked_again(self, pump, kind, naps):
        """A refusal stays one."""
        backend = kind(script(Failed(Reason.REFUSED, "no"), FINE))
        (found,) = drive(pump, each([Buy(1)]), hub(backend))
        assert (found.detail, len(backend.asked), naps) == ("no", 1, [])

    def test_only_the_failed_ones_of_a_batch_are_asked_again(self, pump, kind, naps):
        """The others are given back at once."""
        failed_once = set()

        def reply(look):
            if look.key % 3 == 0 and look.key not in failed_once:
                failed_once.add(look.key)
                return PASSING
            return Answer(look.key)

        backend = kind(reply, batch=9, concurrency=1)
        found = drive(pump, each(map(Look, range(9))), hub(backend))
        assert [reply.value for reply in found] == list(range(9))
        assert [sorted(look.key for look in batch) for batch in backend.batches] == [
            list(range(9)),
            [0, 3, 6],
        ]
        assert len(naps) == 1

    def test_an_exception_may_say_that_it_passes(self, pump, kind, naps):
        """And that a call was made, which cost one."""
        broken = BackendError("503", retryable=True, retry_after=2)
        found = drive(pump, each([Buy(1)]), hub(kind(script(broken, FINE))))
        assert found == [Answer("fine", Cost(2))]
        assert naps == [2]


@BOTH
class TestFaultyBackends:
    """Whatever they do becomes a value for those who wait; the lane goes on."""

    @pytest.mark.parametrize(
        ("wrong", "detail"),
        [
            (lambda _: 1 / 0, "ZeroDivisionError: division by zero"),
            (lambda _: "a bare text", "expected an Answer or a Failed"),
            (lambda _: None, "expected an Answer or a Failed"),
        ],
    )
    def test_wrong_replies_fail(self, pump, kind, wrong, detail):
        """With what was wrong about them."""
        backend = kind(wrong)
        backends = hub(backend)
        (found,) = drive(pump, each([Look(1)]), backends)
        assert found.reason is Reason.BACKEND
        assert detail in found.detail
        backend._reply = lambda _: Answer("well again")
        assert drive(pump, each([Look(1)]), backends) == [Answer("well again")]

    @pytest.mark.parametrize("given", [None, [], [Answer(1)] * 3, 5])
    def test_too_few_or_too_many_replies_fail_the_batch(self, pump, kind, given):
        """Nobody knows which is whose."""

        class Wrong(kind):
            def answer(self, requests):
                return given

            async def aanswer(self, requests):
                return given

        Wrong.aanswer = Wrong.aanswer if kind is AsyncEcho else None
        found = drive(pump, each([Look(1), Look(2)]), hub(Wrong(batch=2)))
        assert [reply.reason for reply in found] == [Reason.BACKEND] * 2

    def test_a_failed_call_counts_as_one_where_it_is_paid_for(self, pump, kind):
        """Else a backend that always raises could be asked without end."""
        backends = hub(kind(script(ZeroDivisionError())))
        (found,) = drive(pump, each([Buy(1)]), backends)
        assert (found.cost, backends.spent) == (Cost(1), Cost(1))

    def test_a_route_that_raises_fails_its_request_alone(self, pump, kind):
        """A plug-in's request kind may have bugs too."""

        class Lost(Look):
            @property
            def route(self):
                raise KeyError("where?")

        bad, good = drive(pump, each([Lost(1), Look(2)]), hub(kind()))
        assert (bad.reason, good) == (Reason.BACKEND, Answer("re 2"))

    def test_a_store_that_raises_costs_nobody_an_answer(self, pump, kind):
        """Neither when it is read nor when it is written."""

        class Broken(Memory):
            def get(self, request, fingerprint):
                raise OSError("disk")

            def put(self, request, fingerprint, answer):
                raise ValueError("not JSON")

        assert drive(pump, each([Look(1)]), hub(kind(), store=Broken())) == [Answer("re 1")]

    def test_a_backend_without_a_fingerprint_still_answers(self, pump, kind):
        """It cannot be remembered, that is all."""

        class Nameless(kind):
            @property
            def fingerprint(self):
                raise AttributeError("no name")

        assert drive(pump, each([Look(1)]), hub(Nameless(), store=Memory())) == [Answer("re 1")]

    def test_an_unknown_lane_is_missing(self, pump, kind):
        """With what to do about it."""
        (found,) = drive(pump, each([Look(1)]), Hub({}))
        assert found.reason is Reason.MISSING
        assert "no backend for 'look'" in found.detail


@pytest.mark.parametrize("pump", ["sync", "async"])
@pytest.mark.parametrize("leaving", [SystemExit, GeneratorExit, KeyboardInterrupt])
def test_leaving_its_thread_is_a_failure_of_a_backend(pump, leaving):
    """A library that ends its thread must not leave its caller waiting."""
    backends = hub(Echo(script(leaving("gone"), Answer("well again")), concurrency=1))
    (found,) = drive(pump, each([Look(1)]), backends)
    assert leaving.__name__ in found.detail
    assert drive(pump, each([Look(1)]), backends) == [Answer("well again")]


def test_a_call_that_is_cancelled_by_its_own_library_is_a_failure():
    """A cancel scope gone astray in a client must not leave its caller waiting."""
    backend = AsyncEcho(script(asyncio.CancelledError(), Answer("well again")))
    backends = hub(backend)

    async def main():
        return [await run_async(Run(one(Look(1))), backends) for _ in range(2)]

    cancelled, fine = asyncio.run(main())
    assert (cancelled.reason, cancelled.detail) == (Reason.BACKEND, "the call was cancelled from outside")
    assert (fine, backends.queued()) == (Answer("well again"), 0)


class Memory:
    """A store in a dictionary."""

    def __init__(self, *, samples=False):
        self.samples = samples
        self.held = {}

    def get(self, request, fingerprint):
        return self.held.get((request, fingerprint))

    def put(self, request, fingerprint, answer):
        if request.keep is Keep.ALWAYS or self.samples:
            self.held[request, fingerprint] = Answer(answer.value)


@BOTH
class TestStore:
    def test_what_is_stored_is_not_asked(self, pump, kind):
        """And costs nothing."""
        backend, store = kind(), Memory()
        for expected in (Cost(1), Cost()):
            assert drive(pump, each([Buy(1)]), hub(backend, store=store)) == [Answer("re 1", expected)]
        assert len(backend.asked) == 1

    def test_failures_are_never_stored(self, pump, kind):
        """Passing or lasting."""
        store = Memory()
        drive(pump, each([Buy(1)]), hub(kind(script(Failed(Reason.REFUSED))), store=store))
        drive(pump, each([Buy(1)]), hub(kind(script(PASSING)), store=store))
        assert store.held == {}

    def test_computations_are_never_stored(self, pump, kind):
        """Nor looked for."""
        store = Memory(samples=True)
        drive(pump, each([Compute(len, ("ab",))]), hub(kind(), store=store))
        assert store.held == {}


class TestHanging:
    def test_a_hung_thread_is_written_off(self):
        """Its caller has a failure; the next one is served, though one call at a time may run."""
        backend = Stuck(lambda look: look.key == "hang", concurrency=1, timeout=0.05)
        backends = hub(backend)
        hung, fine = drive("sync", each([Look("hang"), Look(1)]), backends)
        assert hung == Failed(Reason.TIMEOUT, "no reply in 0.05 s", retryable=True)
        assert fine == Answer("re 1")
        assert backends.queued() == 0
        backend.let_go.set()

    def test_a_hung_call_to_who_is_paid_is_one_call(self):
        """Of one that is not paid for it is none."""
        backend = Stuck(concurrency=1, timeout=0.05, paid=True)
        (hung,) = drive("sync", each([Buy("hang")]), hub(backend))
        assert (hung.reason, hung.cost) == (Reason.TIMEOUT, Cost(calls=1))
        backend.let_go.set()

    def test_a_hung_call_on_a_loop_is_cancelled(self):
        """And not repeated: it has had its time."""
        backend = AsyncStuck(lambda look: look.key == "hang", concurrency=1, timeout=0.05)
        hung, fine = drive("async", each([Look("hang"), Look(1)]), hub(backend))
        assert (hung.reason, fine) == (Reason.TIMEOUT, Answer("re 1"))
        assert (backend.cancelled, len(backend.asked)) == (1, 2)

    @BOTH
    def test_a_timeout_that_the_backend_tells_is_repeated(self, pump, kind, naps):
        """A connection that could not be made, within the limit."""
        found = drive(pump, each([Buy(1)]), hub(kind(script(TimeoutError("connect"), FINE), timeout=60)))
        assert found == [Answer("fine", Cost(2))]

    def test_the_limit_holds_for_each_attempt_anew(self, monkeypatch):
        """An alarm of the first attempt must not end the second."""
        alarms = []
        monkeypatch.setattr(Watchdog, "watch", lambda _, seconds, act: alarms.append(act) or Quiet())
        calls = []
        backend = Echo(lambda _: PASSING if not calls.append(True) and len(calls) == 1 else FINE, timeout=1)
        answered = backend.answer

        def answer(requests):
            if len(calls) == 1:  # the second attempt is under way when the first one's alarm rings
                alarms[0]()
            return answered(requests)

        backend.answer = answer
        assert drive("sync", each([Buy(1)]), hub(backend)) == [Answer("fine", Cost(2))]

    def test_a_late_reply_is_stored_and_booked(self):
        """It was paid for; the run is told what it came to, tokens included."""
        store = Memory()
        backend = Stuck(lambda q: q.key == "slow", timeout=0.05, concurrency=1)
        backend._reply = lambda q: Answer("late" if q.key == "slow" else "ok", Cost(1, 10, 5))
        backends = hub(backend, store=store)

        def flow():
            late = yield from one(Buy("slow"))
            backend.let_go.set()
            wait_until(lambda: backends.spent.tokens >= 15)
            yield from one(Buy("next"))
            return late

        run = Run(flow(), owner="a")
        assert run_sync(run, backends).reason is Reason.TIMEOUT
        assert store.held[Buy("slow"), "echo"] == Answer("late")
        assert backends.spent == run.ledger.total == Cost(2, 20, 10)

    def test_a_call_that_was_given_up_is_booked_once(self):
        """At its withdrawal one call, later what is left of its cost."""
        backend = Stuck(lambda q: q.key == "slow")
        backend._reply = lambda q: Answer("", Cost(1, 10, 5))
        backends = hub(backend)

        def flow():
            yield from gather([Branch(each([Buy("slow")]), seconds=0.05)])
            backend.let_go.set()
            wait_until(lambda: backends.spent.tokens >= 15)
            return (yield from one(Buy("next")))

        run = Run(flow())
        run_sync(run, backends)
        assert backends.spent == run.ledger.total == Cost(2, 20, 10)


class Quiet:
    def cancel(self):
        pass


class TestWithdrawal:
    def test_what_was_queued_is_never_sent(self):
        """The worker passes it over."""
        backend = Stuck(lambda look: look.key == 0, concurrency=1)
        backends = hub(backend)
        run = Run(each(map(Look, range(20))), seconds=0.05)
        found = run_sync(run, backends)
        assert {reply.reason for reply in found} == {Reason.DEADLINE}
        assert backends.queued() == 0
        backend.let_go.set()
        assert run_sync(Run(one(Look("after"))), backends) == Answer("re after")
        assert backend.asked == [Look(0), Look("after")]

    def test_a_wait_for_the_next_attempt_is_cut_short(self):
        """Nobody wants the reply any more, so the worker is free again."""
        busy = Failed(Reason.BACKEND, "429", retryable=True, retry_after=PATIENT)
        backend = Echo(lambda q: busy if q.key == "busy" else FINE, concurrency=1)
        backends = hub(backend, retry=Retry(longest=PATIENT))
        (late,) = run_sync(Run(each([Buy("busy")]), seconds=0.05), backends)
        assert late.reason is Reason.DEADLINE
        assert run_sync(Run(one(Buy(2))), backends) == FINE
        assert len(backend.asked) == 2

    def test_a_batch_goes_on_while_somebody_wants_a_part_of_it(self):
        """Only all of it together can be cancelled."""
        backend = AsyncStuck(batch=2, concurrency=1)

        async def aanswer(requests):
            backend.batches.append(list(requests))
            reached.set()
            await gate.wait()
            return [Answer(look.key) for look in requests]

        backend.aanswer = aanswer

        async def main():
            nonlocal gate, reached
            gate, reached = asyncio.Event(), asyncio.Event()
            backends = hub(backend)
            leaving = asyncio.create_task(run_async(Run(one(Look(1))), backends))
            staying = asyncio.create_task(run_async(Run(one(Look(2))), backends))
            await reached.wait()
            leaving.cancel()
            await asyncio.wait([leaving])
            gate.set()
            return await staying

        gate = reached = None
        assert asyncio.run(main()) == Answer(2)


class TestRouting:
    def test_a_judge_of_its_own_is_asked_instead(self):
        """`chat:judge` comes before `chat`."""
        backends = Hub({"chat": chat("subject"), "chat:judge": chat("judge")})
        found = drive("sync", each([ask("a"), ask("a", role="judge"), ask("a", role="x")]), backends)
        assert [reply.value.text for reply in found] == ["subject", "judge", "subject"]

    def test_instant_backends_are_called_where_they_stand(self):
        """No thread."""
        backend = Echo(instant=True, batch=3)
        drive("sync", each(map(Look, range(7))), hub(backend))
        assert backend.threads == {threading.current_thread().name}
        assert [len(batch) for batch in backend.batches] == [3, 3, 1]

    def test_an_instant_backend_that_raises_fails_one_batch(self):
        """Not everything that was asked together."""

        def reply(look):
            if look.key == 1:
                raise ValueError("one")
            return Answer(look.key)

        found = drive("sync", each(map(Look, range(3))), hub(Echo(reply, instant=True)))
        assert [type(r) for r in found] == [Answer, Failed, Answer]

    def test_long_computations_leave_the_loop_alone(self):
        """They run in threads there, and inline without a loop."""
        names = [
            drive(pump, one(Compute(lambda: threading.current_thread().name)), Hub({})).value
            for pump in ("sync", "async")
        ]
        assert names == [threading.current_thread().name, "guardrail-lane"]

    def test_draws_of_two_detectors_are_shared_in_one_call(self):
        """Five and three are five."""
        backend = chat()
        drive("sync", gather([each(draws(ask("q"), 5)), each(draws(ask("q"), 3))]), Hub({"chat": backend}))
        assert len(backend.asked) == 5


class TestHelpers:
    def test_exceptions_become_failures_of_their_kind(self):
        """What a provider's error says about itself is kept."""
        error = BackendError("429", retryable=True, retry_after=3)
        assert failure(error) == Failed(Reason.BACKEND, "429", retryable=True, retry_after=3)
        assert failure(TimeoutError()) == Failed(Reason.TIMEOUT, "no reply in time", retryable=True)
        assert failure(KeyError("x")) == Failed(Reason.BACKEND, "KeyError: 'x'")

    def test_checked_takes_any_sequence_of_replies(self):
        """A tuple or a generator as well."""
        assert checked((Answer(1) for _ in range(2)), 2) == [Answer(1)] * 2

    def test_a_watchdog_goes_on_after_a_bad_alarm(self):
        """And its thread ends when nothing is left."""
        dog, rung = Watchdog(), threading.Event()
        dog.watch(0.0, lambda: 1 / 0)
        dog.watch(0.01, rung.set)
        assert rung.wait(PATIENT)
        assert wait_until(lambda: not dog._alive)

    def test_a_cancelled_alarm_does_not_ring(self):
        """Though a later one does."""
        dog, rung, heard = Watchdog(), threading.Event(), []
        dog.watch(0.0, lambda: heard.append("cancelled")).cancel()
        dog.watch(0.02, rung.set)
        assert rung.wait(PATIENT)
        assert heard in ([], ["cancelled"][:0])

    def test_completions_are_what_chat_models_give(self):
        """The toy chat model is a chat model."""
        assert drive("sync", one(Ask(())), Hub({"chat": chat("hi")})).value == Completion("hi")
