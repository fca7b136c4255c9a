"""The two pumps: on a loop or none, in several threads, cancelled, interrupted, forked."""

import asyncio
import gc
import itertools
import os
import signal
import subprocess
import sys
import textwrap
import threading
import warnings
from pathlib import Path
from unittest.mock import ANY

import pytest
from tests.effort import ends
from tests.unit.engine.toys import (
    PATIENT,
    AsyncEcho,
    AsyncStuck,
    Buy,
    Echo,
    Look,
    Roll,
    Stuck,
    drive,
    hub,
    wait_until,
)

from guardrail.cache import Cache
from guardrail.engine.drivers import run_async, run_sync
from guardrail.engine.flow import Answer, Branch, Compute, Cost, Failed, Reason, draws, each, gather, one
from guardrail.engine.hub import Hub
from guardrail.engine.run import Run
from guardrail.requests import Completion, Generate

ROOT = Path(__file__).parents[3]
PUMPS = pytest.mark.parametrize("pump", ["sync", "async"])
LANES = pytest.mark.parametrize(("kind", "stuck"), [(Echo, Stuck), (AsyncEcho, AsyncStuck)])


def asks(*requests):
    return (yield from each(requests))


@PUMPS
class TestBothPumps:
    def test_carry_a_flow_to_its_end(self, pump):
        """Through steps, branches and computations."""

        def flow():
            (first,) = yield from each([Look(1)])
            found = yield from gather(one(Look((first.value, i))) for i in range(3))
            total = yield from one(Compute(len, (found,)))
            return total.value

        assert drive(pump, flow(), hub(Echo())) == 3

    def test_a_flow_without_requests_is_done_at_once(self, pump):
        """No backend needed."""

        def flow():
            yield from ()
            return "done"

        assert drive(pump, flow(), Hub({})) == "done"

    @pytest.mark.parametrize("kind", [Stuck, AsyncStuck])
    def test_a_deadline_ends_the_wait_for_a_hung_backend(self, pump, kind):
        """Though the backend itself has no limit."""
        backend = kind()
        found = drive(pump, asks(Look(1), Look(2)), hub(backend), seconds=0.05)
        assert [reply.reason for reply in found] == [Reason.DEADLINE] * 2
        backend.let_go.set()

    def test_a_deadline_passes_though_replies_are_always_at_hand(self, pump):
        """An instant backend leaves nothing to wait for."""

        def flow():
            i = 0
            while True:
                i += 1
                reply = yield from one(Look(i))
                if isinstance(reply, Failed):
                    return reply.reason

        assert drive(pump, flow(), hub(Echo(instant=True)), seconds=0.05) is Reason.DEADLINE

    def test_a_detector_that_raises_ends_nothing_but_itself(self, pump):
        """With its traceback."""

        def bug():
            yield from one(Look(1))
            raise KeyError("a bug")

        failed, fine = drive(pump, gather([bug(), asks(Look(2))]), hub(Echo()))
        assert (failed.reason, fine) == (Reason.BUG, [Answer("re 2")])


class TestHandlers:
    @PUMPS
    def test_answer_a_lane_for_one_run(self, pump):
        """The framework's own model."""
        found = drive(
            pump,
            asks(Generate("try again")),
            Hub({}),
            handlers={"generate": lambda request: Answer(Completion(request.feedback))},
        )
        assert found[0].value.text == "try again"

    def test_are_called_in_the_callers_thread(self):
        """A framework's model may be bound to it."""
        names = []
        handler = {"generate": lambda _: Answer(names.append(threading.current_thread()))}
        run_sync(Run(one(Generate())), Hub({}), handlers=handler)
        assert names == [threading.current_thread()]

    def test_may_be_coroutines(self):
        """And the loop goes on meanwhile."""

        async def handler(request):
            await asyncio.sleep(0)
            return Answer(Completion("awaited"))

        assert (
            drive("async", one(Generate()), Hub({}), handlers={"generate": handler}).value.text == "awaited"
        )

    @PUMPS
    @pytest.mark.parametrize("wrong", [lambda _: 1 / 0, lambda _: "a bare text"])
    def test_that_raise_or_give_nonsense_are_failures(self, pump, wrong):
        """The flow decides."""
        assert drive(pump, one(Generate()), Hub({}), handlers={"generate": wrong}).reason is Reason.BACKEND

    def test_coroutines_that_raise_are_failures(self):
        """With the exception itself."""

        async def handler(_):
            raise ZeroDivisionError

        found = drive("async", one(Generate()), Hub({}), handlers={"generate": handler})
        assert isinstance(found.error, ZeroDivisionError)

    def test_a_coroutine_that_was_cancelled_by_its_framework_is_a_failure(self):
        """Nobody may wait for it for ever."""

        async def handler(_):
            raise asyncio.CancelledError

        found = drive("async", one(Generate()), Hub({}), handlers={"generate": handler})
        assert isinstance(found.error, asyncio.CancelledError)

    def test_a_deadline_cancels_a_coroutine(self):
        """The framework's model stops working for nobody."""
        ended = []

        async def handler(_):
            try:
                await asyncio.sleep(PATIENT)
            finally:
                ended.append(True)

        async def main():
            run = Run(gather([Branch(one(Generate()), seconds=0.02)]))
            (found,) = await run_async(run, Hub({}), handlers={"generate": handler})
            await asyncio.sleep(0)
            return found

        assert asyncio.run(main()).reason is Reason.DEADLINE
        assert ended == [True]

    def test_a_coroutine_that_is_cancelled_before_it_begins_leaves_no_warning(self):
        """All tasks of a loop are cancelled in the turn in which the framework's model would have been called."""
        asked = []

        async def handler(_):
            asked.append(True)

        async def main():
            running = asyncio.create_task(
                run_async(Run(one(Generate())), Hub({}), handlers={"generate": handler})
            )
            await asyncio.sleep(0)
            (handling,) = asyncio.all_tasks() - {running, asyncio.current_task()}
            handling.cancel()
            assert (await running).reason is Reason.BACKEND

        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            asyncio.run(main())
            gc.collect()
        assert asked == []
        assert [str(one.message) for one in warned] == []

    def test_do_not_keep_the_other_requests_of_the_step_waiting(self):
        """They are on their way before the framework's model is called."""
        backend = Echo()

        def handler(_):
            return Answer(wait_until(lambda: backend.asked == [Look(1)]))

        found = drive("sync", asks(Generate(), Look(1)), hub(backend), handlers={"generate": handler})
        assert found == [Answer(True), Answer("re 1")]


class Weighty(Echo):
    """Has a fingerprint that takes long to read, like that of a model whose weights are hashed."""

    def __init__(self, read=lambda: "weights"):
        super().__init__()
        self._read, self.readers = read, []

    @property
    def fingerprint(self):
        self.readers.append(threading.current_thread().name)
        return self._read()


def nobody_reads():
    return all(thread.name != "guardrail-fingerprint" for thread in threading.enumerate())


class TestFingerprints:
    def test_are_first_read_in_a_thread_of_their_own(self, tmp_path):
        """So that a loop goes on while weights are hashed; what waits for it is sent in one batch, and stored."""
        backend = Weighty()
        backend.batch, backend.concurrency = 2, 1
        backends = hub(backend, store=Cache(tmp_path / "cache.db"))
        assert drive("async", asks(Look(1), Look(2)), backends) == [Answer("re 1", ANY), Answer("re 2", ANY)]
        assert backend.readers[0] == "guardrail-fingerprint"
        assert backend.batches == [[Look(1), Look(2)]]
        backend.readers.clear()
        assert [r.value for r in drive("async", asks(Look(1), Look(2)), backends)] == ["re 1", "re 2"]
        assert len(backend.batches) == 1
        assert "guardrail-fingerprint" not in backend.readers

    def test_are_not_read_without_a_store(self):
        """Nobody needs them."""
        backend = Weighty()
        assert drive("async", one(Look(1)), hub(backend)).value == "re 1"
        assert backend.readers == []

    def test_that_cannot_be_read_cost_no_answer(self, tmp_path):
        """The memory fails, the backend does not."""

        def read():
            raise RuntimeError("no weights")

        backends = hub(Weighty(read), store=Cache(tmp_path / "cache.db"))
        assert drive("async", one(Look(1)), backends).value == "re 1"

    def test_that_hang_do_not_outlast_a_deadline(self, tmp_path):
        """Nothing is asked for a run that has ended, though the fingerprint comes later."""
        reading, go_on = threading.Event(), threading.Event()

        def read():
            reading.set()
            return "weights" if go_on.wait(PATIENT) else ""

        backend = Weighty(read)
        backends = hub(backend, store=Cache(tmp_path / "cache.db"))

        async def main():
            run = Run(one(Look(1)), seconds=0.05)
            found = await run_async(run, backends)
            assert reading.is_set()
            go_on.set()
            assert await asyncio.to_thread(wait_until, nobody_reads)
            await asyncio.sleep(0)
            return found

        assert asyncio.run(main()).reason is Reason.DEADLINE
        assert backend.batches == []
        assert backends.queued() == 0

    def test_of_a_loop_that_has_closed(self, tmp_path):
        """Its thread ends without a word."""
        go_on = threading.Event()
        backends = hub(Weighty(lambda: str(go_on.wait(PATIENT))), store=Cache(tmp_path / "cache.db"))

        async def main():
            await asyncio.wait_for(run_async(Run(one(Look(1))), backends), 0.01)

        with pytest.raises(asyncio.TimeoutError):
            asyncio.run(main())
        go_on.set()
        assert wait_until(nobody_reads)


class TestSyncPump:
    @LANES
    def test_works_inside_a_running_loop(self, kind, stuck):
        """A notebook: the backend is called in threads, and no second loop is made."""
        backend = kind()

        async def notebook():
            return run_sync(Run(asks(*map(Look, range(60)))), hub(backend))

        assert len(asyncio.run(notebook())) == 60
        assert backend.threads <= {"guardrail-lane"}

    def test_serves_sixteen_threads_at_once(self):
        """Each gets its own replies, every paid call is counted once."""
        backend = Echo(batch=4)
        backends = hub(backend)
        found = {}

        def work(n):
            run = Run(asks(*(Buy((n, i)) for i in range(25)), *(Buy(("all", i)) for i in range(5))))
            found[n] = ([reply.value for reply in run_sync(run, backends)], run.ledger.total.calls)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENT)
        shared = [f"re {('all', i)}" for i in range(5)]
        assert {n: values for n, (values, _) in found.items()} == {
            n: [f"re {(n, i)}" for i in range(25)] + shared for n in range(16)
        }
        assert sum(calls for _, calls in found.values()) == len(backend.asked) == backends.spent.calls
        assert backends.queued() == 0

    def test_an_interrupt_withdraws_what_is_queued(self):
        """As Ctrl-C does: raised in the thread that waits."""
        backend = Stuck(lambda look: look.key == 0, concurrency=1)
        backends = hub(backend)

        def handler(_):
            assert backend.reached.wait(PATIENT)
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            run_sync(Run(asks(*map(Look, range(9)), Generate())), backends, handlers={"generate": handler})
        backend.let_go.set()
        assert backends.queued() == 0
        run_sync(Run(one(Look("after"))), backends)
        assert backend.asked == [Look(0), Look("after")]


class TestCancellation:
    @LANES
    def test_leaves_nothing_queued_and_stops_queued_work(self, kind, stuck):
        """Of fifty callers twenty-five go; the others are all served."""
        backend = stuck(lambda buy: buy.key == (0, 0), concurrency=1)
        backends = hub(backend)

        async def main():
            tasks = [
                asyncio.create_task(run_async(Run(asks(Buy((n, 0)), Buy((n, 1)))), backends))
                for n in range(50)
            ]
            await asyncio.sleep(0)
            assert await asyncio.to_thread(backend.reached.wait, PATIENT)
            for task in tasks[:25]:
                task.cancel()
            await asyncio.wait(tasks[:25])
            backend.let_go.set()
            done = await asyncio.gather(*tasks, return_exceptions=True)
            return done, backends.queued()

        done, queued = asyncio.run(main())
        assert [type(found) for found in done] == [asyncio.CancelledError] * 25 + [list] * 25
        assert queued == 0
        assert {buy.key[0] for buy in backend.asked} == {0, *range(25, 50)}

    def test_on_a_loop_cancels_the_call_under_way(self):
        """The provider may stop writing."""
        backend = AsyncStuck()

        async def main():
            task = asyncio.create_task(run_async(Run(one(Look(1))), hub(backend)))
            while not backend.reached.is_set():  # noqa: ASYNC110  # set on this loop
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
            await asyncio.sleep(0)
            return backend.cancelled

        assert asyncio.run(main()) == 1

    def test_reaches_a_pump_that_never_has_to_wait(self):
        """Replies that are always at hand must not keep the loop from everybody else."""

        def busy():
            for i in itertools.count():
                asked.append(i)
                yield from one(Look(i))

        async def main():
            task = asyncio.create_task(run_async(Run(busy()), hub(Echo(instant=True))))
            while len(asked) < 100:  # noqa: ASYNC110  # whether there are turns is what is tested
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
            return task.cancelled()

        asked = []
        with ends():
            assert asyncio.run(main())


class TestLoops:
    @LANES
    def test_may_follow_each_other(self, kind, stuck):
        """A script that calls asyncio.run again and again, with one guard."""
        backend = kind()
        backends = hub(backend)
        for i in range(5):
            assert asyncio.run(run_async(Run(one(Look(i))), backends)) == Answer(f"re {i}")
        assert backends.queued() == 0

    @LANES
    def test_may_run_beside_each_other(self, kind, stuck):
        """In four threads; the same requests, so that what can be joined is."""
        backend = kind()
        backends = hub(backend)
        found = []

        def work():
            for _ in range(10):
                found.append(asyncio.run(run_async(Run(asks(*map(Look, range(5)))), backends)))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENT)
        assert found == [[Answer(f"re {i}") for i in range(5)]] * 40

    def test_work_in_flight_is_not_shared_between_loops(self):
        """One that hangs would otherwise hold up the callers of the other."""
        backend = AsyncStuck(lambda _: threading.current_thread() is not threading.main_thread())
        backends = hub(backend)
        other = threading.Thread(
            target=lambda: asyncio.run(run_async(Run(one(Look(1)), seconds=0.3), backends)), daemon=True
        )
        other.start()
        assert backend.reached.wait(PATIENT)
        assert asyncio.run(run_async(Run(one(Look(1))), backends)) == Answer("re 1")
        other.join(PATIENT)

    @LANES
    def test_may_end_in_the_middle(self, kind, stuck):
        """asyncio.run cancels what is left: nothing stays queued, and the next loop finds all in order."""
        backend = stuck(lambda look: look.key == "hang", concurrency=1)
        backends = hub(backend)

        async def leaves_early():
            task = asyncio.create_task(run_async(Run(asks(Look("hang"), Look("queued"))), backends))
            await asyncio.sleep(0)
            while not backend.reached.is_set():  # noqa: ASYNC110  # set in a thread or here
                await asyncio.sleep(0.001)
            return task

        task = asyncio.run(leaves_early())
        assert task.cancelled()
        assert backends.queued() == 0
        backend.let_go.set()
        assert asyncio.run(run_async(Run(one(Look(1))), backends)) == Answer("re 1")
        assert Look("queued") not in backend.asked

    @pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
    @LANES
    def test_may_be_closed_without_a_word(self, kind, stuck):
        """A loop closed by hand never resumes its tasks; another loop is served all the same."""
        backend = stuck(lambda look: look.key == "hang", concurrency=2)
        backends = hub(backend)
        loop = asyncio.new_event_loop()
        task = loop.create_task(run_async(Run(asks(Look("hang"), Look(1))), backends))
        while not backend.reached.is_set():
            loop.run_until_complete(asyncio.sleep(0.001))
        loop.close()
        backend.let_go.set()
        assert asyncio.run(run_async(Run(asks(Look(1), Look(2))), backends)) == [
            Answer("re 1"),
            Answer("re 2"),
        ]
        task._log_destroy_pending = False
        del task, loop
        gc.collect()

    @pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
    def test_closed_without_a_word_do_not_keep_a_reply_from_who_joined(self):
        """The first who waits is on a loop that is gone; the second has the reply all the same."""
        backend = Stuck()
        backends = hub(backend)
        loop = asyncio.new_event_loop()
        task = loop.create_task(run_async(Run(one(Look(1))), backends))
        while not backend.reached.is_set():
            loop.run_until_complete(asyncio.sleep(0.001))
        loop.close()
        found = []
        joined = threading.Thread(
            target=lambda: found.append(run_sync(Run(one(Look(1)), seconds=PATIENT / 3), backends))
        )
        joined.start()
        (job,) = backends.thread_lane(backend)._open
        assert wait_until(lambda: len(job.listeners) == 2)
        backend.let_go.set()
        joined.join(PATIENT)
        assert found == [Answer("re 1")]
        task._log_destroy_pending = False

    def test_return_at_once_though_a_thread_hangs(self):
        """asyncio.to_thread would keep asyncio.run waiting for it; our threads are daemons of their own."""
        backend, left = Stuck(), threading.Event()
        backend.answer = lambda _: [left.wait(6 * PATIENT)]
        with ends(3 * PATIENT):
            found = asyncio.run(run_async(Run(one(Look(1)), seconds=0.05), hub(backend)))
        assert found.reason is Reason.DEADLINE
        left.set()


def python(code, *, ends_with=None):
    """Run code in a process of its own; what it printed."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=4 * PATIENT,
        check=False,
        cwd=ROOT,
    )
    if ends_with is None:
        assert done.returncode == 0, done.stderr
    else:
        assert done.returncode == ends_with, done.stderr
    return done.stdout


class TestCtrlC:
    CODE = """
        import os, signal, sys, threading
        from tests.unit.engine.toys import Buy, Echo, hub, Stuck, wait_until
        from guardrail.engine.drivers import run_sync
        from guardrail.engine.flow import each
        from guardrail.engine.run import Run

        backend = Stuck(concurrency=2)
        backends = hub(backend)

        def press():
            wait_until(lambda: (len(backend.asked), backends.queued()) == (2, 100))
            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=press, daemon=True).start()
        try:
            run_sync(Run(each([Buy(i) for i in range(100)])), backends)
        except KeyboardInterrupt:
            at_the_time = len(backend.asked)
            backend.let_go.set()
            wait_until(lambda: backends.spent.calls == 2)
            print(at_the_time, len(backend.asked), backends.queued(), int(backends.spent.calls))
    """

    def test_ends_a_sync_call_and_pays_for_nothing_more(self):
        """The two calls under way end by themselves; the other 98 are never made."""
        assert python(self.CODE).split() == ["2", "2", "0", "2"]

    def test_ends_a_process_that_does_not_catch_it(self):
        """No thread keeps it alive."""
        code = self.CODE.replace("except KeyboardInterrupt:", "except ValueError:")
        python(code, ends_with=-signal.SIGINT)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
class TestFork:
    CODE = """
        import os, sys, threading
        from tests.unit.engine.toys import Buy, Echo, Look, Stuck, hub
        from guardrail.engine.drivers import run_sync
        from guardrail.engine.flow import each, one
        from guardrail.engine.run import Run

        backend = Stuck(lambda look: look.key == "hang", timeout=60, concurrency=2)
        backends = hub(backend)
        run_sync(Run(each(map(Look, range(10)))), backends)
        if {busy}:
            threading.Thread(target=run_sync, args=(Run(each([Look("hang")])), backends), daemon=True).start()
            backend.reached.wait()
        child = os.fork()
        if child == 0:
            found = run_sync(Run(each(map(Look, range(20, 30)))), backends)
            os._exit(0 if [r.value for r in found] == [f"re {{i}}" for i in range(20, 30)] else 1)
        _, status = os.waitpid(child, 0)
        backend.let_go.set()
        print(os.waitstatus_to_exitcode(status), len(run_sync(Run(each(map(Look, range(40, 50)))), backends)))
    """

    @pytest.mark.parametrize("busy", [False, True])
    def test_child_and_parent_both_go_on(self, busy):
        """Lane threads are dead in the child, also those in the middle of a call: it begins its own."""
        assert python(self.CODE.format(busy=busy)).split() == ["0", "10"]


class TestSpeed:
    def test_branches_do_not_wait_for_each_other(self):
        """Ten chains of three calls, one slow call each in a different place: as long as the slowest chain.

        Counted, not timed: in lock-step every round would wait for its slowest call.
        """
        clock = {"now": 0}
        finished = {}

        def chain(i):
            for k in range(3):
                yield from one(Look((i, k)))
            finished[i] = clock["now"]

        def seconds(look):
            return 10 if look.key[0] % 3 == look.key[1] else 1

        run = Run(gather(chain(i) for i in range(10)))
        due = [(seconds(look), look) for look in run.start(0)]
        while due:
            due.sort(key=lambda item: item[0])
            clock["now"], look = due.pop(0)
            due += [(clock["now"] + seconds(q), q) for q in run.deliver([(look, Answer(""))], 0)]
        assert set(finished.values()) == {12}

    def test_samples_are_all_asked_at_once(self):
        """As many as the backend takes."""
        waiting = threading.Barrier(5, timeout=PATIENT)

        def reply(request):
            waiting.wait()
            return Answer("", Cost(1))

        assert len(drive("sync", asks(*draws(Roll(), 5)), hub(Echo(reply, concurrency=5)))) == 5
