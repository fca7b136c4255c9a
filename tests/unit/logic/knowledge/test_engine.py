import multiprocessing
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from guardrail.logic.knowledge import EngineFault, LimitReached, Triple
from guardrail.logic.knowledge import prolog as module


class TestCall:
    def test_only_services(self, prolog):
        """Nothing of Prolog's own can be called by name."""
        for name in ("halt", "shell", "consult", "call", "served", "lists:append"):
            with pytest.raises(EngineFault, match="existence_error"):
                prolog.call(name, "true")
        assert prolog.call("version") > 80_000

    def test_time_limit(self, prolog):
        """Stopped, said so, and the next call works."""
        with pytest.raises(LimitReached, match=r"0\.2 seconds"):
            prolog.call("spin", seconds=0.2)
        assert prolog.call("version") > 0

    def test_starts_once(self, prolog):
        """Threads that ask for the engine together get one."""
        with ThreadPoolExecutor(8) as pool:
            assert set(pool.map(lambda _: module.engine(), range(32))) == {prolog}

    def test_leaves_the_interpreter_alone(self):
        """sys.exit and the hook for exceptions stay as they were; the process ends with its own code."""
        script = (
            "import sys\nbefore = sys.exit, sys.excepthook\n"
            "from guardrail.logic.knowledge.prolog import engine\nengine()\n"
            "assert before == (sys.exit, sys.excepthook)\nsys.exit(7)"
        )
        assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 7

    def test_arguments_that_are_no_text(self):
        """pyswip encodes the arguments of the program, which need not be UTF-8."""
        script = (
            "import sys\nsys.argv.append('\\udcff')\n"
            "from guardrail.logic.knowledge.prolog import engine\nengine()\nassert sys.argv[-1] == '\\udcff'"
        )
        assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0

    def test_works_beside_pyswip(self):
        """Somebody else may have started Prolog in another thread."""
        script = (
            "from pyswip import Prolog\nassert list(Prolog().query('X = a'))\n"
            "from guardrail.logic.knowledge.prolog import engine\nassert engine().call('version') > 0\n"
            "assert list(Prolog().query('X = a'))"
        )
        done = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


class TestThreads:
    def test_eight_callers_get_their_own_answers(self, opened):
        """Each asks for its own; nobody gets another's."""
        base = opened(*((f"s{i}", "genre", f"o{i}") for i in range(400)))

        def ask(number):
            return [base.objects(f"s{i}", "genre") == [f"o{i}"] for i in range(number, 400, 8)]

        with ThreadPoolExecutor(8) as pool:
            assert all(all(one) for one in pool.map(ask, range(8)))

    def test_a_slow_call_does_not_lose_the_others(self, opened, prolog):
        """They wait and are answered."""
        base = opened(("a", "genre", "b"))
        stopped = []

        def slow():
            try:
                prolog.call("spin", seconds=0.3)
            except LimitReached:
                stopped.append(True)

        thread = threading.Thread(target=slow)
        thread.start()
        assert base.objects("a", "genre") == ["b"]
        thread.join()
        assert stopped == [True]


def _asked_in_child(base, queue):
    try:
        queue.put(base.about("a"))
    except Exception as error:
        queue.put(error)


class TestFork:
    @pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
    @pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
    def test_a_forked_child_is_told(self, opened):
        """It does not hang: every call is an error that says what to do; the parent goes on."""
        base = opened(("a", "genre", "b"))
        context = multiprocessing.get_context("fork")
        queue = context.SimpleQueue()
        child = context.Process(target=_asked_in_child, args=(base, queue))
        child.start()
        found = queue.get()
        child.join(10)
        assert isinstance(found, EngineFault)
        assert "spawn" in str(found)
        assert child.exitcode == 0
        assert base.about("a") == [Triple("a", "genre", "b")]

    def test_a_spawned_child_works(self, opened):
        """The base travels as its path."""
        base = opened(("a", "genre", "b"))
        context = multiprocessing.get_context("spawn")
        with context.Pool(1) as pool:
            assert pool.apply(base.__class__.about, (base, "a")) == [Triple("a", "genre", "b")]


class TestInjection:
    @pytest.mark.parametrize(
        "text",
        [
            "halt", "halt.", "x')), halt, b(('", "a'), shell('touch ran'), b('", ":- initialization(shell('touch ran')).",
            "\n:- shell('touch ran').\n", "\0", "a\0b", "'", "\\", "'\\''", "x" * 10_000, "()" * 5_000, "שלום",
            "\u202eevil\u202c", "😀👩‍👩‍👧", "[]", "{}", "!", "_", "X", "%s%p~w", "r:r", "predicate_of", "transitive",
            "\x1b[2J", "\u2028", "\ufeff", "\U000d8000", "same director", " ", "1", "-1.5e3",
        ],
    )  # fmt: skip
    def test_names_stay_names(self, opened, tmp_path, monkeypatch, text):
        """Through building, rules and questions: exact, nothing runs, nothing falls over."""
        monkeypatch.chdir(tmp_path)
        base = opened((text, text, "o" + text), (text, "spouse", "o" + text), ("o" + text, "subclass of", text),
                      (text, "subclass of", "end" + text), ("a", text, text))  # fmt: skip
        assert base.ask(Triple(text, text, "o" + text)).state == "entailed"
        assert base.ask(Triple("o" + text, "spouse", text)).proof.rule == "symmetric"
        assert base.ask(Triple("o" + text, "subclass of", "end" + text)).proof.rule == "transitive"
        assert base.ask(Triple(text, text, "something else")).state == "unknown"
        assert base.objects(text, text) == ["o" + text]
        assert base.subjects(text, text) == ["a"]
        assert Triple(text, "spouse", "o" + text) in base.about(text)
        assert set(base.facts(text)) == {Triple(text, text, "o" + text), Triple("a", text, text)}
        assert not (tmp_path / "ran").exists()
        assert base.closure("subclass of", "o" + text) == sorted(["end" + text, text])
