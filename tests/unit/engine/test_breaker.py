"""An endpoint at which nobody is: it is given up together, and asked again by one call."""

import asyncio
import socket
import threading

import pytest
from tests.unit.engine.toys import PATIENT, AsyncEcho, Buy, Echo, drive, hub, wait_until

from guardrail import Guard
from guardrail.chat import OpenAIChat
from guardrail.detectors import ReferenceCheck
from guardrail.engine.breaker import PATIENCE, unreachable
from guardrail.engine.drivers import run_async, run_sync
from guardrail.engine.flow import Answer, Cost, Failed, Reason, each, one
from guardrail.engine.jobs import Retry
from guardrail.engine.run import Run
from guardrail.errors import BackendError

BOTH = pytest.mark.parametrize(("pump", "kind"), [("sync", Echo), ("async", Echo), ("async", AsyncEcho)])
ATTEMPTS = Retry().attempts
FINE = Answer("fine", Cost(1))
MANY = [Buy(i) for i in range(100)]
REFERENCES = "\n".join(
    f"{i}. Smith, J., Brown, T. (20{10 + i}). A Study Number {word} of Language Models. NeurIPS."
    for i, word in enumerate(["One", "Two", "Three", "Four", "Five", "Six"], 1)
)


def refused(words="Connection refused"):
    """What a backend says whose connection was refused."""
    error = BackendError(words, retryable=True)
    error.__cause__ = ConnectionRefusedError(111, words)
    return Failed(Reason.BACKEND, words, retryable=True, cost=Cost(1), error=error)


class Switch:
    """Nobody is there until `on`, or until so many calls have come."""

    def __init__(self, silent=None):
        self.on, self.calls, self.silent = False, 0, silent
        self._lock = threading.Lock()

    def __call__(self, _):
        with self._lock:
            self.calls += 1
            there = self.on or (self.silent is not None and self.calls > self.silent)
        return FINE if there else refused()


class Slow(Echo):
    """Nobody is there; then it hangs once; then it answers two calls at a time, never one alone."""

    def __init__(self):
        super().__init__(concurrency=1, timeout=0.3)
        self.turn, self.two, self.let_go = iter(range(100)), threading.Barrier(2), threading.Event()

    def answer(self, requests):
        turn = next(self.turn)
        if turn < PATIENCE:
            return [refused()]
        if turn == PATIENCE:
            self.concurrency = 2
            self.let_go.wait(PATIENT)
        else:
            self.two.wait(PATIENT)
        return [FINE]


class AsyncSlow(Slow):
    """The same on a loop."""

    def __init__(self):
        super().__init__()
        self.two = asyncio.Barrier(2)

    async def aanswer(self, requests):
        turn = next(self.turn)
        if turn < PATIENCE:
            return [refused()]
        if turn == PATIENCE:
            self.concurrency = 2
            await asyncio.sleep(PATIENT)
        await self.two.wait()
        return [FINE]


@BOTH
class TestNobodyIsThere:
    def test_is_found_out_by_a_few_calls(self, pump, kind):
        """Those that were under way, and the attempts of one; not five of each."""
        backend = kind(Switch(), concurrency=4)
        backends = hub(backend)
        found = drive(pump, each(MANY), backends)
        assert len(backend.asked) <= 4 + PATIENCE + ATTEMPTS
        assert all(isinstance(reply, Failed) and reply.retryable for reply in found)
        assert {reply.detail.partition(" (")[0] for reply in found} == {"Connection refused"}
        assert "given up: nobody was there in" in found[-1].detail
        assert backends.spent.calls == sum(reply.cost.calls for reply in found) == len(backend.asked)
        assert backends.queued() == 0

    def test_one_request_has_all_its_attempts(self, pump, kind):
        """Alone there is nobody to wait for it."""
        backend = kind(Switch())
        found = drive(pump, one(Buy()), hub(backend))
        assert (len(backend.asked), found.detail) == (
            ATTEMPTS,
            f"Connection refused (asked {ATTEMPTS} times)",
        )

    def test_all_go_on_when_somebody_comes(self, pump, kind):
        """An endpoint that starts up while it is asked loses nothing."""
        for silent in (1, PATIENCE, ATTEMPTS - 1):
            backend = kind(Switch(silent), concurrency=2)
            found = drive(pump, each(MANY), hub(backend))
            assert [reply for reply in found if isinstance(reply, Failed)] == []
            assert len(backend.asked) == len(MANY) + silent

    def test_a_service_that_refuses_is_there(self, pump, kind):
        """Too many requests, or an error of its own: each request has its attempts."""
        for words in ("HTTP 429", "HTTP 500"):
            busy = Failed(Reason.BACKEND, words, retryable=True, cost=Cost(1), error=OSError("broken pipe"))
            backend = kind(lambda _, busy=busy: busy)
            drive(pump, each(MANY[:10]), hub(backend))
            assert len(backend.asked) == 10 * ATTEMPTS

    def test_a_few_that_are_answered_keep_all_going(self, pump, kind):
        """One reply in three: nobody is given up."""
        turn = iter(range(10_000))
        backend = kind(lambda _: FINE if next(turn) % PATIENCE == 0 else refused(), concurrency=1)
        found = drive(pump, each(MANY[:12]), hub(backend, retry=Retry(base=0, attempts=50)))
        assert [reply for reply in found if isinstance(reply, Failed)] == []


class TestTheNextCall:
    @pytest.mark.parametrize("kind", [Echo, AsyncEcho])
    def test_asks_once(self, kind):
        """As long as nobody is there, a whole guard call costs one call, whatever it would ask."""
        switch = Switch()

        async def main():
            backends = hub(kind(switch, concurrency=1))
            await run_async(Run(each(MANY)), backends)
            before = switch.calls
            found = await run_async(Run(each(MANY)), backends)
            return switch.calls - before, found

        calls, found = asyncio.run(main())
        assert calls < PATIENCE  # one; two if a thread was there before all had been queued
        assert all(isinstance(reply, Failed) for reply in found)

    def test_finds_out_that_somebody_is_there_again(self):
        """And then all is as it was, five attempts included."""
        switch = Switch()
        backends = hub(Echo(switch))
        drive("sync", each(MANY), backends)
        switch.on = True
        assert drive("sync", each(MANY), backends) == [FINE] * len(MANY)
        switch.on, before = False, switch.calls
        drive("sync", one(Buy("later")), backends)
        assert switch.calls == before + ATTEMPTS

    def test_calls_beside_each_other_are_given_up_together(self):
        """A hub that is shared by threads: none of them asks for itself."""
        switch = Switch()
        backends = hub(Echo(switch, concurrency=2))
        found = []
        threads = [
            threading.Thread(target=lambda n=n: found.extend(drive("sync", each([Buy((n, i)) for i in range(20)]), backends)))
            for n in range(8)
        ]  # fmt: skip
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == 160
        assert switch.calls < 160  # five times as many, if each asked for itself
        assert backends.queued() == 0


class TestWhoAsksForAll:
    def test_may_leave(self):
        """Its guard call is over before it knows; the next in the queue asks in its place."""
        switch = Switch()
        backends = hub(Echo(switch, concurrency=1), retry=Retry(base=1000, longest=1000))
        late = run_sync(Run(each(MANY[:PATIENCE + 3]), seconds=0.1), backends)  # fmt: skip
        assert {reply.reason for reply in late} == {Reason.DEADLINE}
        assert wait_until(lambda: backends.queued() == 0)
        switch.on = True
        assert run_sync(Run(one(Buy("after"))), backends) == FINE

    def test_may_be_cancelled_on_a_loop(self):
        """The same there."""
        switch = Switch()

        async def main():
            backends = hub(AsyncEcho(switch, concurrency=1), retry=Retry(base=1000, longest=1000))
            await run_async(Run(each(MANY[: PATIENCE + 3]), seconds=0.1), backends)
            switch.on = True
            return await run_async(Run(one(Buy("after"))), backends), backends.queued()

        assert asyncio.run(main()) == (FINE, 0)

    def test_may_leave_while_its_call_is_under_way(self):
        """Its attempts are not used up: another asks in its place, and meets somebody."""
        reached, go = threading.Event(), threading.Event()
        turn = iter(range(1, 100))

        def reply(_):
            number = next(turn)
            if number == PATIENCE:
                reached.set()
                go.wait(PATIENT)
            return FINE if number > PATIENCE + 1 else refused()

        backends = hub(Echo(reply, concurrency=1))
        found = {}

        def ask(name, **options):
            found[name] = run_sync(Run(one(Buy(name)), **options), backends)

        first = threading.Thread(target=ask, args=("first",), kwargs={"seconds": 0.1})
        second = threading.Thread(target=ask, args=("second",))
        first.start()
        assert reached.wait(PATIENT)
        second.start()
        first.join()
        assert wait_until(lambda: backends.queued() == 1)
        go.set()
        second.join()
        assert found["first"].reason is Reason.DEADLINE
        assert found["second"] == Answer("fine", Cost(2))

    @pytest.mark.parametrize(("pump", "kind"), [("sync", Slow), ("async", AsyncSlow)])
    def test_may_meet_one_who_does_not_reply_in_time(self, pump, kind):
        """Then somebody is there: the others are called beside each other again."""
        backend = kind()
        late, *others = drive(pump, each(MANY[:5]), hub(backend))
        backend.let_go.set()
        assert late.reason is Reason.TIMEOUT
        assert others == [FINE] * 4


class TestUnreachable:
    @pytest.mark.parametrize("error", [ConnectionRefusedError(), socket.gaierror(), None])
    def test_is_told_by_the_cause(self, error):
        """However deep it is wrapped; a failure without an exception tells nothing."""
        outer = RuntimeError("the client failed")
        outer.__cause__ = error
        assert unreachable(Failed(Reason.BACKEND, error=outer)) is (error is not None)

    def test_is_not_told_by_what_was_tried_before(self):
        """A client that tries a second time, and is answered, hides the first failure."""
        answered = RuntimeError("HTTP 429")
        answered.__context__, answered.__suppress_context__ = ConnectionRefusedError(), True
        assert not unreachable(Failed(Reason.BACKEND, error=answered))

    def test_a_broken_connection_is_none(self):
        """Somebody was there."""
        for error in (ConnectionResetError(), TimeoutError(), BrokenPipeError()):
            assert not unreachable(Failed(Reason.BACKEND, error=error))
        assert not unreachable(FINE)


class TestAnEndpointThatIsOff:
    @pytest.mark.parametrize("asynchronous", [False, True])
    @pytest.mark.parametrize("concurrency", [1, 32])
    def test_a_check_of_six_references_soon_gives_up(self, asynchronous, concurrency):
        """36 questions: 180 calls if each were asked five times. The second check asks hardly at all."""
        with socket.socket() as taken:  # bound and not listening: nobody is there
            taken.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
            chat = OpenAIChat("m", base_url=url, api_key="k", concurrency=concurrency)
            guard = Guard([ReferenceCheck()], chat=chat, retry=Retry(base=0))

            def check():
                report = guard.check(REFERENCES)
                chat.close()
                return report

            async def acheck():
                report = await guard.acheck(REFERENCES)
                await chat.aclose()
                return report

            report = asyncio.run(acheck()) if asynchronous else check()
            assert report.cost.total.calls <= concurrency + PATIENCE + 2 * ATTEMPTS
            assert len(report.findings) == 6
            assert any("nobody was there" in finding.reason for finding in report.findings)
            if not asynchronous:
                assert check().cost.total.calls < 36 / 2
