"""The benchmark of speed: its protocol, its rounds and its rows, with workers that only pretend."""

import asyncio
import json
import sys
import textwrap
from types import SimpleNamespace

import pytest
from benchmarks._memory import peak_memory
from benchmarks._rows import Expected
from benchmarks.performance.speed import bare, nli, prompt, run
from benchmarks.performance.speed.models import pair_flops
from benchmarks.performance.speed.serving import answer
from benchmarks.performance.speed.setting import (
    Setting,
    Texts,
    gap_row,
    loaded,
    ratio_row,
    texts_of,
    time_rows,
)
from benchmarks.performance.speed.timing import Timed, largest_gap, ratio, rounds
from benchmarks.performance.speed.workers import (
    CHECKOUT,
    Absent,
    Reply,
    Worker,
    WorkerFailed,
    settings,
    without_paths,
)

from guardrail.errors import InputError
from guardrail.testing.server import serve

EXPECTED = Expected.read(run.RECORDED.parent)
BARS = EXPECTED.values["cpu"]


class TestProtocol:
    def test_a_reply_has_value_seconds_and_memory(self):
        """What an operation returns, how long it took, and how much memory the process has held."""
        reply = answer({"add": lambda a, b: a + b}, '{"op": "add", "a": 1, "b": 2}')
        assert (reply["ok"], reply["value"]) == (True, 3)
        assert reply["seconds"] >= 0
        assert reply["peak"] > 2**20

    @pytest.mark.parametrize(
        ("line", "error"),
        [
            ('{"op": "fail"}', "ZeroDivisionError"),
            ('{"op": "none"}', "KeyError"),
            ("{", "JSONDecodeError"),
            ('{"op": "add", "c": 1}', "TypeError"),
        ],
    )
    def test_an_error_is_a_reply(self, line, error):
        """The process lives on, and the error has its name."""
        reply = answer({"fail": lambda: 1 / 0, "add": lambda a: a}, line)
        assert reply["ok"] is False
        assert reply["error"].startswith(error)

    def test_peak_memory_grows(self):
        """Bytes, not KiB: 64 MiB more are seen as about that."""
        before = peak_memory()
        held = bytearray(b"x") * (64 * 2**20)
        assert peak_memory() >= max(before, len(held))


def speaking(tmp_path, body):
    """A worker that runs our loop with operations of its own."""
    script = tmp_path / "script.py"
    script.write_text(
        "import os, sys, time\nfrom benchmarks.performance.speed.serving import serve\n"
        + textwrap.dedent(body),
        encoding="utf-8",
    )
    environment = {**settings(1, "cpu"), "PYTHONPATH": str(CHECKOUT)}
    return Worker("it", [sys.executable, str(script)], environment=environment, timeout=20.0)


class TestWorker:
    def test_prints_do_not_get_in_between(self, tmp_path):
        """Packages print when they start; the replies stay readable, in order, and errors do not end it."""
        body = """
            def hello(name):
                print("initialised"); os.write(1, b"raw\\n"); return f"hello {name}"
            def fail():
                raise ValueError("cannot read /home/somebody/models/a.bin now")
            serve({"hello": hello, "fail": fail})
        """
        with speaking(tmp_path, body) as worker:
            assert worker.ask("hello", name="é").value == "hello é"
            with pytest.raises(WorkerFailed, match=r"it: 'fail' failed: ValueError: cannot read … now"):
                worker.ask("fail")
            assert worker.ask("hello", name="b").value == "hello b"

    def test_a_death_is_told(self, tmp_path):
        """With what the process said last."""
        body = """
            def die():
                sys.stderr.write("out of luck"); sys.stderr.flush(); os._exit(3)
            serve({"die": die})
        """
        with speaking(tmp_path, body) as worker:
            with pytest.raises(WorkerFailed, match="the process ended at 'die': out of luck"):
                worker.ask("die")
            with pytest.raises(WorkerFailed, match="the process ended"):
                worker.ask("die")

    def test_a_hang_ends(self, tmp_path):
        """At the time limit, and the process with it."""
        with speaking(tmp_path, "time.sleep(60)") as worker:
            worker.timeout = 0.1
            with pytest.raises(WorkerFailed, match="took more than 0 s and was stopped"):
                worker.ask("x")
            assert worker._process.wait(timeout=5) != 0

    def test_all_have_as_many_threads(self):
        """And no GPU unless it is asked for, and no hub."""
        found = settings(3, "cpu", {"OMP_NUM_THREADS": "9", "HOME": "h"})
        assert (found["OMP_NUM_THREADS"], found["HOME"], found["HF_HUB_OFFLINE"]) == ("3", "h", "1")
        assert found["CUDA_VISIBLE_DEVICES"] == ""
        assert "CUDA_VISIBLE_DEVICES" not in settings(3, "cuda", {})

    def test_no_paths(self):
        """Reasons go into files that others read."""
        assert without_paths("no /usr/lib/x.so, and\n 1/2 of C:\\Users\\a b") == "no …, and 1/2 of … b"


def clock(times, seen, name, values=None):
    """A contender that takes given times."""
    queue = iter(times)

    def ask(given):
        seen.append((name, given))
        seconds = next(queue)
        if seconds is None:
            raise WorkerFailed(f"{name} is gone")
        return Reply(values, seconds, 100)

    return ask


class TestRounds:
    def test_in_turn(self):
        """A B A B, each with the same input; medians of the rounds."""
        seen = []
        found = rounds({"a": clock([1, 3, 2], seen, "a"), "b": clock([1, 1, 1], seen, "b")}, ["x", "y", "z"])
        assert seen == [(name, given) for given in "xyz" for name in "ab"]
        assert found["a"].median == 2
        assert found["b"].peak == 100

    def test_one_that_fails_is_left(self):
        """The others go on; it is not asked again."""
        seen = []
        found = rounds({"a": clock([1, None, 1], seen, "a"), "b": clock([1, 1, 1], seen, "b")}, "xyz")
        assert found["a"].failed == "a is gone"
        assert len(found["b"].seconds) == 3
        assert [name for name, _ in seen].count("a") == 2

    def test_ratio_is_by_rounds(self):
        """A round that was slow for both does not count: the ratio of the medians would be 1.5."""
        found = ratio([2.0, 40.0, 3.0], [1.0, 20.0, 2.0])
        assert (found.median, found.low, found.high) == (2.0, 1.5, 2.0)

    def test_gap(self):
        """The largest difference; a missing value or another shape is no agreement."""
        assert largest_gap([[1.0, 2.0]], [[1.0, 2.5]]) == 0.5
        for wrong in ([[1.0]], [[1.0, None]], [1.0]):
            with pytest.raises(ValueError, match=r"expected numbers|shorter|longer"):
                largest_gap([[1.0, 2.0]], wrong)


class Pretended:
    """A worker whose replies are made up: seconds by operation, values that agree but for `off`."""

    def __init__(self, seconds, off):
        self.seconds, self.off, self.precision = seconds, off, ""

    def ask(self, operation, **arguments):
        if operation == "lengths":
            return Reply([10] * len(arguments["sentences"]) * len(arguments["samples"]), 0.1, 1)
        if operation == "rate":
            return Reply(1e9, 0.1, 1)
        if operation == "work":
            return Reply({"padding": 0.25, "scored": 7, "asked": 9}, 0.1, 1)
        if operation.startswith("load"):
            self.precision = arguments.get("precision", "fp32")
            return Reply("", 0.1, 1)
        score = 0.5 + self.off.get(operation, self.off.get(self.precision, 0.0))
        rows = [[score] * len(arguments["samples"]) for _ in arguments["sentences"]]
        value = [score for _ in rows] if operation == "nli_detector" else rows
        return Reply(value, self.seconds.get(operation, 0.5), 2**20)

    def close(self):
        pass


class Pretending(Setting):
    """A setting whose workers pretend."""

    def own(self):
        return self.people()


def pretending(tmp_path, people, **options):
    (tmp_path / "config.json").write_text(
        json.dumps({"hidden_size": 4, "num_hidden_layers": 1, "intermediate_size": 16}), encoding="utf-8"
    )
    setting = Pretending(
        size="tiny",
        rounds=2,
        device="cpu",
        threads=1,
        texts=[Texts([f"s{i}", "t"], ["x", "y", "z"]) for i in range(3)],
        bars=BARS,
        models=tmp_path / "models",
        real_model=tmp_path,
        **options,
    )
    object.__setattr__(setting, "people", people)
    return setting


def rows_of(tmp_path, *, seconds=None, off=None, absent=False):
    def people():
        return Absent("ours", "ours: no torch") if absent else Pretended(seconds or {}, off or {})

    return {row.quantity: row for row in nli.nli_rows(pretending(tmp_path, people), "bf16")}


class TestNliRows:
    EXACT = "NLI: ours exact, times as fast as transformers, one pair at a time"
    FAST = "NLI: ours fast mode, times as fast as transformers, one pair at a time"
    GAP = "NLI: largest |Δ score| of ours exact and transformers"

    def test_ratio_and_gap(self, tmp_path):
        """Twice as fast: good in exact mode, not in fast mode."""
        rows = rows_of(tmp_path, seconds={"plain": 2.0, "nli": 1.0})
        assert (rows[self.EXACT].ours, rows[self.EXACT].ok) == (2.0, True)
        assert rows[self.FAST].ok is False
        assert (rows[self.GAP].ours, rows[self.GAP].ok) == (0.0, True)

    def test_other_scores_are_a_miss(self, tmp_path):
        """However fast."""
        rows = rows_of(tmp_path, off={"plain": 0.001})
        assert rows[self.GAP].ok is False
        assert rows[self.GAP].ours == pytest.approx(0.001)

    def test_without_workers_there_is_no_pass(self, tmp_path):
        """The rows have no figure and the reason, and the run has a fault."""
        rows = rows_of(tmp_path, absent=True)
        assert (rows[self.EXACT].ok, rows[self.EXACT].bar) == (None, "≥ 1.15")
        assert "no torch" in rows[self.EXACT].reason
        assert EXPECTED.faults(list(rows.values()))

    def test_share_of_the_rate(self, tmp_path):
        """6 pairs of 10 tokens: 6 · (2·10·(4·4² + 2·4·16) + 4·10²·4) = 32,640 operations, at 1 GFLOP/s in 1 s."""
        rows = rows_of(tmp_path, seconds={"nli": 1.0, "plain": 2.0})
        assert rows["NLI: ours exact, share of the fp32 rate"].ours == pytest.approx(32_640 / 1e9)

    def test_the_fast_mode_keeps_its_bars(self, tmp_path):
        """int8 where its error is small enough, else bf16; without a trained model the command that makes one."""
        off = {"fp32": 0.0, "bf16": 0.001, "int8": 0.2}

        def fast():
            return nli.error_rows(pretending(tmp_path, lambda: Pretended({}, off), nli_model=tmp_path))

        rows, chosen = fast()
        assert chosen == "bf16"
        assert all(row.ok for row in rows)
        off["int8"] = 0.002
        assert fast()[1] == "int8"
        off |= {"int8": 0.2, "bf16": 0.06}
        rows, chosen = fast()
        assert chosen == "bf16"
        assert [row.ok for row in rows[:2]] == [False, False]
        rows, chosen = nli.error_rows(pretending(tmp_path, None))
        assert chosen == "bf16"
        assert "python -m benchmarks.entailment train" in rows[0].reason
        assert not EXPECTED.faults(rows)


class TestModels:
    def test_flops_by_hand(self):
        """Width 2, inner 8, 3 tokens, 2 layers: 2·(288 + 72); with 2 terms over 4 distances 2·(2·2·3·4·2) more."""
        config = {"hidden_size": 2, "num_hidden_layers": 2, "intermediate_size": 8}
        assert pair_flops(config, [3]) == 720
        relative = {"relative_attention": True, "position_buckets": 2, "pos_att_type": ["c2p", "p2c"]}
        assert pair_flops({**config, **relative}, [3]) == 720 + 192


class TestRows:
    def test_undefined_is_not_a_pass(self):
        """A failed contender gives a row without a figure, with its bar."""
        row = ratio_row("q", Timed([1.0], [1]), Timed(failed="gone"), 2.0)
        assert (row.ok, row.ours, row.bar, row.reason) == (None, None, "≥ 2.00", "gone")
        assert gap_row("q", None, 1e-4, "gone").ok is None
        assert time_rows("p", {"a": Timed(failed="gone")})[0].reason == "gone"

    def test_ratio_with_its_spread(self):
        """The interval is the least and the most of the rounds."""
        row = ratio_row("q", Timed([3.0, 4.0, 8.0]), Timed([1.0, 2.0, 2.0]), 3.0)
        assert (row.ours, row.interval, row.ok) == (3.0, (2.0, 4.0), True)

    def test_loaded_or_why_not(self):
        """A worker that cannot load gives that reason for every request."""
        gone = loaded(Absent("a", "no torch"), "load")
        with pytest.raises(WorkerFailed, match="no torch"):
            gone.ask("nli")

    def test_texts(self):
        """Answers that have as much as is wanted; fewer are an error."""
        passages = [SimpleNamespace(sentences=("a", "b", "c")[:n], samples=("x",) * n) for n in (3, 1, 2)]
        assert texts_of(passages, answers=2, sentences=2, samples=2) == [Texts(["a", "b"], ["x", "x"])] * 2
        with pytest.raises(InputError, match="got 1"):
            texts_of(passages, answers=2, sentences=3, samples=3)


class TestPrompt:
    def test_the_judge_reads_the_question(self):
        """Yes or No by the sentence and the context; another shape is said."""
        ours = (
            "Context: a b\nSentence: c.\nIs the sentence supported by the context above?\nAnswer Yes or No:"
        )
        many = {prompt.judge(SimpleNamespace(text=ours.replace("c.", f"c{i}."))) for i in range(40)}
        assert many == {"Yes", "No"}
        assert "another shape" in prompt.judge(SimpleNamespace(text="Yes or no?"))

    def test_lost(self):
        """Values that no sample gave."""
        assert prompt.lost([(0.5, 20, ""), (None, 0, "why"), (0.1, 18, "")], 20) == 22

    def test_share_of_the_ideal(self):
        """160 questions of 50 ms, 16 at a time: half a second; .625 s is .8 of it."""
        row = prompt._ideal_row("q", [160, 160], Timed([0.625, 0.625]), 0.8)
        assert (row.ours, row.ok) == (pytest.approx(0.8), True)
        assert prompt._ideal_row("q", [160], Timed([0.7]), 0.8).ok is False
        assert prompt._ideal_row("q", [160], Timed([2.0]), concurrency=4).ours == pytest.approx(1)

    def test_bare_sockets(self):
        """They ask each question once, in the shape that the judge knows, and count good replies."""
        asked = []

        def reply(call):
            asked.append(call.text)
            return prompt.judge(call)

        questions = prompt._questions(Texts(["a.", "b.", "a."], [f"c {i}" for i in range(9)]))
        assert len(questions) == 18
        with serve(reply) as server:
            assert asyncio.run(bare.ask(server.base_url, questions, 4)) == 18
            assert server.service.most_running <= 4
        assert sorted(asked) == sorted(questions)
        assert not any("another shape" in prompt.judge(SimpleNamespace(text=text)) for text in questions)
        with serve(reply, faults={"server_error": 1.0}) as server:
            assert asyncio.run(bare.ask(server.base_url, questions, 4)) == 0
        with pytest.raises(OSError, match="onnect"):
            asyncio.run(bare.ask(server.base_url, questions, 4))


def test_recorded_figures_are_shown():
    """Each with its date and machine; none is judged."""
    rows = run.recorded_rows()
    assert len({row.quantity for row in rows}) == len(rows) == 9
    assert {(row.bar, row.ok) for row in rows} == {(None, True)}
    assert rows[0].quantity.startswith("recorded 2026-11-20, two cores: NLI")
