"""The lasting memory: one SQLite file for threads and processes."""

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
from tests.unit.engine.toys import PATIENT, AsyncEcho, Buy, Echo, Look, Roll, ask, chat, drive, hub

from guardrail import Cache
from guardrail._sqlite import Connection
from guardrail.engine.drivers import run_async
from guardrail.engine.flow import Answer, Compute, Cost, Failed, Reason, Request, draws, each, one
from guardrail.engine.hub import Hub
from guardrail.engine.run import Run
from guardrail.errors import ConfigError
from guardrail.requests import Completion, Generate

ROOT = Path(__file__).parents[2]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "deep" / "cache.sqlite"


def start(code, *arguments):
    """Code in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )


class TestConnection:
    def test_ends_with_its_owner(self, tmp_path):
        """What Python calls when nobody uses it any more; since 3.13 one that is open then warns."""
        connection = sqlite3.connect(tmp_path / "one.sqlite", factory=Connection)
        connection.__del__()
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            connection.execute("SELECT 1")

    def test_may_never_have_been_open(self, tmp_path):
        """Its end raises nothing that would hide why."""
        with pytest.raises(sqlite3.OperationalError):
            sqlite3.connect(tmp_path / "no" / "folder.sqlite", factory=Connection)


class TestMemory:
    def test_gives_back_what_was_put_at_no_cost(self, path):
        """In a folder that it made."""
        Cache(path).put(Buy(1), "model", Answer("one", Cost(1, 10, 5)))
        assert Cache(path).get(Buy(1), "model") == Answer("one")

    def test_keeps_whole_values(self, path):
        """A completion with its log-probabilities, non-ASCII text and half a surrogate pair."""
        said = Answer(Completion("né \ud800 是", "m", "stop"))
        cache = Cache(path)
        cache.put(ask("q", temperature=0), "m", said)
        assert cache.get(ask("q", temperature=0), "m") == said

    def test_knows_nothing_of_what_was_not_put(self, path):
        """Another request, another kind."""
        cache = Cache(path)
        cache.put(Buy(1), "model", Answer("one"))
        assert [cache.get(Buy(2), "model"), cache.get(Look(1), "model")] == [None, None]

    def test_tells_backends_apart_by_their_fingerprint(self, path):
        """Model, endpoint and credential: nobody is served through another's key."""
        cache = Cache(path)
        cache.put(Buy(1), "model|key A", Answer("one"))
        assert cache.get(Buy(1), "model|key B") is None

    def test_forgets_what_is_too_old(self, path):
        """Where the user says what that is."""
        Cache(path).put(Buy(1), "m", Answer("one"))
        assert Cache(path, max_age=3600).get(Buy(1), "m") == Answer("one")
        assert Cache(path, max_age=-1).get(Buy(1), "m") is None

    def test_samples_are_not_kept_unless_asked_for(self, path):
        """A regenerated answer must not be an old one."""
        for samples, expected in ((False, None), (True, Answer("six"))):
            cache = Cache(path, samples=samples)
            cache.put(Roll(1), "m", Answer("six"))
            assert cache.get(Roll(1), "m") == expected
        assert Cache(path).get(Roll(1), "m") is None

    @pytest.mark.parametrize("request_", [Generate("again"), Compute(len, ("a",))])
    def test_what_must_be_new_is_never_kept(self, path, request_):
        """Not even with `samples=True`."""
        cache = Cache(path, samples=True)
        cache.put(request_, "m", Answer("old"))
        assert cache.get(request_, "m") is None
        assert len(cache) == 0


class TestInAGuardCall:
    @pytest.mark.parametrize(("pump", "kind"), [("sync", Echo), ("async", Echo), ("async", AsyncEcho)])
    def test_the_second_run_costs_nothing(self, path, pump, kind):
        """And asks nobody."""
        backend = kind()
        for expected in (3, 0):
            store = hub(backend, store=Cache(path))
            found = drive(pump, each(map(Buy, range(3))), store)
            assert [reply.value for reply in found] == ["re 0", "re 1", "re 2"]
            assert store.spent.calls == expected
        assert len(backend.asked) == 3

    def test_samples_are_drawn_anew_by_default(self, path):
        """And resumed for nothing where the user wants that."""
        backend = Echo()
        for samples, expected in ((False, 5), (False, 10), (True, 15), (True, 15)):
            drive("sync", each(draws(Roll(), 5)), hub(backend, store=Cache(path, samples=samples)))
            assert len(backend.asked) == expected

    def test_failures_are_never_remembered(self, path):
        """The next call may be luckier."""
        drive("sync", one(Buy(1)), hub(Echo(lambda _: Failed(Reason.REFUSED, "no")), store=Cache(path)))
        assert drive("sync", one(Buy(1)), hub(Echo(), store=Cache(path))).value == "re 1"

    def test_another_credential_is_asked_itself(self, path):
        """The same model behind another key."""
        for key in ("A", "B"):
            backend = Echo(fingerprint=f"model|{key}")
            drive("sync", one(Buy(1)), hub(backend, store=Cache(path)))
            assert len(backend.asked) == 1

    def test_an_answer_is_stored_before_anybody_acts_on_it(self, path):
        """So that a process killed by what it does next finds it again."""
        seen = []

        def flow():
            yield from one(Buy(1))
            seen.append(Cache(path).get(Buy(1), "echo"))

        drive("sync", flow(), hub(Echo(), store=Cache(path)))
        assert seen == [Answer("re 1")]

    def test_what_has_no_json_form_is_answered_all_the_same(self, path):
        """It is only not remembered."""

        class Odd:
            pass

        cache, odd = Cache(path), Odd()
        found = drive("sync", one(Buy(1)), hub(Echo(lambda _: Answer(odd)), store=cache))
        assert found.value is odd
        assert len(cache) == 0

    def test_what_does_not_fit_any_more_is_asked_again(self, path):
        """Written by another version: unknown, not an error."""
        cache = Cache(path)
        cache.put(Number(1), "echo", Answer("not a number"))  # type: ignore[arg-type]
        found = drive("sync", one(Number(1)), Hub({"number": Echo(lambda _: Answer(7))}, store=cache))
        assert found == Answer(7)
        assert cache.get(Number(1), "echo") == Answer(7)

    def test_whole_guard_calls_can_be_replayed(self, path):
        """Async and sync find each other's replies."""
        backend = chat("said")
        first = asyncio.run(
            run_async(Run(one(ask("q"))), Hub({"chat": backend}, store=Cache(path, samples=True)))
        )
        second = drive("sync", one(ask("q")), Hub({"chat": backend}, store=Cache(path, samples=True)))
        assert (second.value, second.cost, len(backend.asked)) == (first.value, Cost(), 1)


@dataclass(frozen=True, slots=True)
class Number(Request[int]):
    lane: ClassVar[str] = "number"
    reply_type: ClassVar[Any] = int

    key: int


class TestTrouble:
    @pytest.mark.parametrize(
        "content",
        [b"This is a text. " * 100, bytes(range(255, 0, -1)) * 20, b"SQLite format 3\0" + b"?" * 4000],
        ids=["text", "bytes", "torn header"],
    )
    def test_a_file_that_is_no_cache_is_refused(self, tmp_path, content):
        """With its name, and what to do."""
        path = tmp_path / "cache.sqlite"
        path.write_bytes(content)
        with pytest.raises(
            ConfigError, match=r"expected a cache file .*cache\.sqlite.* Delete it or name another"
        ):
            Cache(path)
        assert path.read_bytes() == content

    def test_another_programs_database_is_refused(self, tmp_path):
        """Whatever it means by replies."""
        other = sqlite3.connect(tmp_path / "other.sqlite")
        other.execute("CREATE TABLE replies (id INTEGER)")
        other.close()
        with pytest.raises(ConfigError, match="no such column"):
            Cache(tmp_path / "other.sqlite")

    def test_a_folder_is_refused(self, tmp_path):
        """It cannot be written."""
        with pytest.raises(ConfigError, match="expected a cache file"):
            Cache(tmp_path)

    def test_a_file_where_a_folder_must_be_is_refused(self, tmp_path):
        """Its folder cannot be made."""
        (tmp_path / "file").write_text("")
        with pytest.raises(ConfigError, match="expected a cache file"):
            Cache(tmp_path / "file" / "cache.sqlite")

    def test_a_file_that_breaks_later_costs_money_and_no_answers(self, path):
        """It is damaged while in use."""
        cache = Cache(path)
        backends = hub(Echo(), store=cache)
        drive("sync", each(map(Buy, range(3))), backends)
        cache.close()
        for found in path.parent.iterdir():
            found.write_bytes(b"ruined" * 1000)
        assert [reply.value for reply in drive("sync", each(map(Buy, range(3))), backends)] == [
            "re 0",
            "re 1",
            "re 2",
        ]

    def test_may_be_used_after_it_was_closed(self, path):
        """It opens again."""
        cache = Cache(path)
        cache.put(Buy(1), "m", Answer("one"))
        cache.close()
        assert cache.get(Buy(1), "m") == Answer("one")


class TestSharing:
    def test_sixteen_threads_may_write_at_once(self, path):
        """Nothing is lost."""
        cache = Cache(path)

        def work(n):
            for i in range(20):
                cache.put(Buy((n, i)), "m", Answer(f"{n} {i}"))

        threads = [threading.Thread(target=work, args=(n,)) for n in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENT)
        assert len(cache) == 320

    WRITER = """
        import sys
        from tests.unit.engine.toys import Buy
        from guardrail import Cache
        from guardrail.engine.flow import Answer

        cache = Cache(sys.argv[1])
        for i in range(200):
            cache.put(Buy((int(sys.argv[2]), i)), "m", Answer("x"))
    """

    def test_processes_that_begin_together_share_one_file(self, path):
        """None waits for the other's end, and nothing is lost."""
        path.parent.mkdir()
        writers = [start(self.WRITER, path, n) for n in range(4)]
        for writer in writers:
            writer.communicate(timeout=4 * PATIENT)
        assert [writer.returncode for writer in writers] == [0] * 4
        assert len(Cache(path)) == 800

    KILLED = """
        import sys
        from tests.unit.engine.toys import Buy, Echo, hub
        from guardrail import Cache
        from guardrail.engine.drivers import run_sync
        from guardrail.engine.flow import each, one
        from guardrail.engine.run import Run

        def flow():
            for i in range(1_000_000):  # until a pipe that nobody reads is full
                yield from one(Buy(i))
                print(i, flush=True)

        run_sync(Run(flow()), hub(Echo(), store=Cache(sys.argv[1])))
    """

    def test_what_was_answered_survives_a_kill(self, path):
        """Every reply that the flow has seen is there, and the file is whole."""
        process = start(self.KILLED, path)
        assert process.stdout is not None
        seen = [int(process.stdout.readline()) for _ in range(25)]
        process.send_signal(signal.SIGKILL)
        process.wait(PATIENT)
        process.stdout.close()
        cache = Cache(path)
        assert all(cache.get(Buy(i), "echo") == Answer(f"re {i}") for i in seen)
        with closing(sqlite3.connect(path)) as database:
            assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)

    FORKED = """
        import os, sys, threading
        from tests.unit.engine.toys import Buy
        from guardrail import Cache
        from guardrail.engine.flow import Answer

        cache = Cache(sys.argv[1])
        stop = threading.Event()

        def write():
            i = 0
            while not stop.is_set():
                i += 1
                cache.put(Buy(("parent", i)), "m", Answer("x"))

        writer = threading.Thread(target=write, daemon=True)
        writer.start()
        for child in range(20):
            pid = os.fork()
            if pid == 0:
                if cache._connection is not None:
                    os._exit(2)  # the parent's
                cache.put(Buy(("child", child)), "m", Answer("x"))
                os._exit(0 if cache.get(Buy(("child", child)), "m") == Answer("x") else 1)
            assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        stop.set()
        writer.join()
        print(sum(cache.get(Buy(("child", child)), "m") is not None for child in range(20)))
    """

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
    def test_a_fork_in_the_middle_of_writing_harms_neither_side(self, path):
        """A connection is never carried into a child: SQLite would take the parent's locks for its own."""
        process = start(self.FORKED, path)
        assert process.communicate(timeout=4 * PATIENT)[0].split() == ["20"]
        with closing(sqlite3.connect(path)) as database:
            assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


class TestAnotherDatabase:
    def test_is_left_alone(self, tmp_path):
        """A bibliography index named by mistake keeps its content, and the message names a table."""
        from guardrail.references.bibliography import Index, Record

        with Index.create(tmp_path / "refs.sqlite") as index:
            index.add([Record("On Nothing")])
        before = (tmp_path / "refs.sqlite").read_bytes()
        with pytest.raises(ConfigError, match="another database"):
            Cache(tmp_path / "refs.sqlite")
        assert (tmp_path / "refs.sqlite").read_bytes() == before
        with Index.open(tmp_path / "refs.sqlite") as index:
            assert len(index) == 1
