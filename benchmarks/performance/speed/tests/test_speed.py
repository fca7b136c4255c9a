"""The benchmark of speed: its protocol, its rounds, its environments and its rows, with workers that only pretend."""

import asyncio
import json
import sys
import textwrap
from types import SimpleNamespace

import pytest
from benchmarks._rows import Expected, Row
from benchmarks.performance.speed import bare, environments, figures, models, ngram, nli, prompt, run
from benchmarks.performance.speed.environments import PEERS, EnvironmentFailed, installed, python
from benchmarks.performance.speed.models import Heads, heads, pair_flops
from benchmarks.performance.speed.nursery import AVAILABLE, Nursery
from benchmarks.performance.speed.peer import answer, peak_bytes
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
from benchmarks.performance.speed.workers import Absent, Reply, Worker, WorkerFailed, settings, without_paths

from guardrail.errors import InputError
from guardrail.testing.server import serve

BARS = json.loads((run.Path(run.__file__).parent / "expected.json").read_text(encoding="utf-8"))["values"][
    "cpu"
]


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
        before = peak_bytes()
        held = bytearray(b"x") * (64 * 2**20)
        assert peak_bytes() >= max(before, len(held))


def speaking(tmp_path, body):
    """A worker that runs our loop with operations of its own."""
    script = tmp_path / "script.py"
    script.write_text(
        "import os, sys, time\nfrom benchmarks.performance.speed.peer import serve\n" + textwrap.dedent(body),
        encoding="utf-8",
    )
    environment = {**settings(1, "cpu"), "PYTHONPATH": str(run.Path(run.__file__).parents[3])}
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

    def test_nonsense_is_told(self, tmp_path):
        """A line that is no reply."""
        with speaking(
            tmp_path, 'sys.stdin.readline(); print("nonsense", flush=True); time.sleep(5)'
        ) as worker:
            with pytest.raises(WorkerFailed, match="expected a reply to 'x', got 'nonsense'"):
                worker.ask("x")
            worker._process.kill()

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


@pytest.mark.skipif(not AVAILABLE, reason="needs fork")
class TestNursery:
    BODY = """
        import os, sys
        from benchmarks.performance.speed.peer import nurse

        def die():
            sys.stderr.write("out of luck"); sys.stderr.flush(); os._exit(3)

        facts = lambda: [os.getpid(), os.getcwd(), "json" in sys.modules]
        nurse(int(sys.argv[1]), lambda: {"facts": facts, "die": die}, ["json", "no_such_module"])
    """

    def test_workers_are_apart(self, tmp_path):
        """Each has a process and a folder of its own; what one does leaves the other alone, and a death is told."""
        script = tmp_path / "nurse.py"
        script.write_text(textwrap.dedent(self.BODY), encoding="utf-8")
        environment = {**settings(1, "cpu"), "PYTHONPATH": str(run.Path(run.__file__).parents[3])}
        nursery = Nursery([sys.executable, str(script)], environment, tmp_path)
        made = [
            Worker("it", [], environment={}, folder=folder, timeout=20.0, nursery=nursery)
            for folder in (tmp_path, tmp_path.parent)
        ]
        (one, here, known), (other, there, _) = (worker.ask("facts").value for worker in made)
        assert one != other
        assert (here, there) == (str(tmp_path), str(tmp_path.parent))
        assert known
        with pytest.raises(WorkerFailed, match="the process ended at 'die': out of luck"):
            made[0].ask("die")
        assert made[1].ask("facts").value[0] == other
        for worker in made:
            worker.close()
        nursery.close()
        with pytest.raises(OSError, match=r"ended|closed|Bad file"):
            Worker("it", [], environment={}, nursery=nursery)


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


class TestEnvironments:
    def make(self, place):
        python(place).parent.mkdir(parents=True)
        python(place).touch()

    def test_made_once(self, tmp_path):
        """While nothing changes; another version is made anew."""
        commands, said = [], []

        def ran(command):
            commands.append(command)
            return 0, ""

        def get(peer, **options):
            return installed(peer, tmp_path, run=ran, make=self.remade, say=said.append, **options)

        first = get(PEERS["selfcheckgpt"])
        assert get(PEERS["selfcheckgpt"]) == first == python(tmp_path / "selfcheckgpt")
        assert len(commands) == 1
        assert len(said) == 2
        assert {"torch==2.13.0", "selfcheckgpt==0.1.7"} <= set(commands[0])
        get(PEERS["selfcheckgpt"], torch="torch==2.14.0")
        assert "torch==2.14.0" in commands[1]

    def remade(self, place):
        if not place.exists():
            self.make(place)

    @pytest.mark.parametrize("broken", ["pip", "venv"])
    def test_a_failure_says_how_to_mend_it(self, tmp_path, broken):
        """What failed, the command, no path, and nothing that would count as installed."""

        def make(place):
            if broken == "venv":
                raise OSError(28, "No space left on device", str(place))
            self.make(place)

        def ran(_):
            return 1, f"Collecting\nERROR: no matching distribution in {tmp_path}/files/x\n"

        for _ in range(2):
            with pytest.raises(EnvironmentFailed) as caught:
                installed(PEERS["uqlm"], tmp_path, run=ran, make=make, say=str)
            text = str(caught.value)
            assert ("no matching distribution" if broken == "pip" else "No space left") in text
            assert "pip install --only-binary=:all: torch==2.13.0 uqlm==0.6.7" in text
            assert str(tmp_path) not in text
            if (tmp_path / "uqlm").exists():
                assert not (tmp_path / "uqlm" / "stamp.json").exists()
                python(tmp_path / "uqlm").unlink()
                python(tmp_path / "uqlm").parent.rmdir()


class Pretended:
    """A worker whose replies are made up: seconds by operation, values that agree."""

    def __init__(self, name, seconds, value, log):
        self.name, self.seconds, self.value, self.log = name, seconds, value, log

    def ask(self, operation, **arguments):
        self.log.append((self.name, operation))
        if operation == "lengths":
            return Reply([10] * len(arguments["sentences"]) * len(arguments["samples"]), 0.1, 1)
        if operation == "rate":
            return Reply(1e9, 0.1, 1)
        if operation == "work":
            return Reply({"padding": 0.25, "scored": 7, "asked": 9}, 0.1, 1)
        return Reply(self.value(operation, arguments), self.seconds.get(operation, 0.5), 2**20)

    def close(self):
        pass


class Pretending(Setting):
    """A setting whose workers pretend."""

    def peer(self, name, folder=None):
        return self.people(name)

    def own(self, imports="models"):
        return self.people("ours")


def pretending(tmp_path, people, **options):
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("a\n", encoding="utf-8")
    setting = Pretending(
        size="tiny",
        rounds=2,
        device="cpu",
        threads=1,
        texts=[Texts([f"s{i}", "t"], ["x", "y", "z"]) for i in range(3)],
        bars=BARS,
        envs=tmp_path,
        models=tmp_path / "models",
        corpus=corpus,
        **options,
    )
    object.__setattr__(setting, "people", people)
    return setting


def nli_value(operation, arguments, off=0.0):
    if operation in {"make_classifier", "relabel"}:
        folder = run.Path(arguments["target"])
        folder.mkdir(parents=True, exist_ok=True)
        config = arguments.get("config", {})
        labels = {"0": "contradiction", "1": "neutral", "2": "entailment"}
        small = {"hidden_size": 4, "num_hidden_layers": 1, "intermediate_size": 16}
        (folder / "config.json").write_text(
            json.dumps({**small, **config, "id2label": labels}), encoding="utf-8"
        )
        (folder / "model.safetensors").write_bytes(b"x")
        return str(folder)
    if operation == "nli_pairs":
        return []
    return [0.5 + off for _ in arguments.get("sentences", ())]


def rows_of(tmp_path, *, own=1.0, peer=2.0, off=0.0, absent=None):
    log = []

    def ours(operation, arguments):
        if operation == "nli":
            return [[0.5 + off] * len(arguments["samples"]) for _ in arguments["sentences"]]
        return nli_value(operation, arguments, off)

    def people(name):
        if name == absent:
            return Absent(name, f"{name}: pip said: no")
        if name == "ours":
            return Pretended(name, {"nli": own, "nli_detector": own}, ours, log)
        return Pretended(name, {"nli": peer, "claims": peer, "both": 2 * peer}, nli_value, log)

    found = nli.nli_rows(pretending(tmp_path, people), "bf16")
    return {row.quantity: row for row in found}, log


class TestNliRows:
    EXACT = "NLI: ours exact, times as fast as selfcheckgpt"
    BOTH = "NLI: ours exact, times as fast as uqlm, both directions"
    FAST = "NLI: ours fast mode, times as fast as selfcheckgpt"
    GAP = "NLI: largest |Δ score| of ours exact and selfcheckgpt"

    def test_faster(self, tmp_path):
        """Twice as fast: good in exact mode, not in fast mode; four times beside both directions."""
        rows, log = rows_of(tmp_path)
        assert rows[self.EXACT].ours == 2.0
        assert rows[self.EXACT].ok
        assert rows[self.BOTH].ours == 4.0
        assert rows[self.BOTH].ok
        assert rows[self.FAST].ok is False
        assert rows[self.GAP].ours == 0.0
        assert rows[self.GAP].ok
        timed = [pair for pair in log if pair[1] in {"nli", "claims", "both", "nli_detector"}]
        turn = [("selfcheckgpt", "nli"), ("uqlm", "claims"), ("uqlm", "both"), ("ours", "nli")]
        assert timed[:4] == timed[7:11] == turn  # the warm-up, and the first round

    def test_slower_is_a_miss(self, tmp_path):
        """A bar that is missed is not a pass."""
        rows, _ = rows_of(tmp_path, own=2.0)
        assert rows[self.EXACT].ok is False
        assert rows[self.EXACT].ours == 1.0

    def test_other_scores_are_a_miss(self, tmp_path):
        """However fast."""
        rows, _ = rows_of(tmp_path, off=0.001)
        assert rows[self.GAP].ok is False
        assert rows[self.GAP].ours == pytest.approx(0.001)

    @pytest.mark.parametrize("absent", ["selfcheckgpt", "uqlm", "ours"])
    def test_an_absent_one_is_no_pass(self, tmp_path, absent):
        """Its rows have no figure and the reason, and the run has a fault."""
        rows, _ = rows_of(tmp_path, absent=absent)
        row = rows[self.BOTH]
        assert row.ok is None
        assert "pip said: no" in row.reason
        assert row.bar == "≥ 2.00"
        assert Expected.read(run.Path(run.__file__).parent).faults(list(rows.values()))
        if absent == "uqlm":
            assert rows[self.EXACT].ok

    def test_share_of_the_rate(self, tmp_path):
        """6 pairs of 10 tokens: 6 · (2·10·(4·4² + 2·4·16) + 4·10²·4) = 32,640 operations, at 1 GFLOP/s in 1 s."""
        rows, _ = rows_of(tmp_path)
        assert rows["NLI: ours exact, share of the fp32 rate"].ours == pytest.approx(32_640 / 1e9)
        assert rows["NLI: uqlm, both directions, share of the fp32 rate"].ours == pytest.approx(
            2 * 32_640 / 4e9
        )

    def test_the_fast_mode_keeps_its_bars(self, tmp_path):
        """int8 where its error is small enough, else bf16; without a trained model the command that makes one."""
        off = {"fp32": 0.0, "bf16": 0.001, "int8": 0.2}

        def fast():
            log = []

            def people(_):
                said = {}

                def value(operation, arguments):
                    if operation == "load_nli":
                        said["precision"] = arguments["precision"]
                        return ""
                    return [[0.5 + off[said["precision"]]] * 3 for _ in arguments["sentences"]]

                return Pretended("ours", {}, value, log)

            return nli.error_rows(pretending(tmp_path, people, nli_model=tmp_path))

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
        assert not Expected.read(run.Path(run.__file__).parent).faults(rows)


class TestModels:
    def test_flops_by_hand(self):
        """Width 2, inner 8, 3 tokens, 2 layers: 2·(288 + 72); with 2 terms over 4 distances 2·(2·2·3·4·2) more."""
        config = {"hidden_size": 2, "num_hidden_layers": 2, "intermediate_size": 8}
        assert pair_flops(config, [3]) == 720
        relative = {"relative_attention": True, "position_buckets": 2, "pos_att_type": ["c2p", "p2c"]}
        assert pair_flops({**config, **relative}, [3]) == 720 + 192

    def test_heads(self, tmp_path):
        """The rows of the head that each package takes for granted, made once; a two-way model has no neutral."""
        asked = []

        def make(operation, **arguments):
            asked.append((operation, arguments["rows"], arguments["labels"]))
            run.Path(arguments["target"]).mkdir(parents=True)

        source = tmp_path / "model"
        source.mkdir()
        (source / "model.safetensors").write_bytes(b"weights")
        for labels, rows in (
            (["entailment", "neutral", "contradiction"], ([2, 1, 0], [0, 2])),
            (["entailment", "contradiction"], ([1, None, 0], [0, 1])),
        ):
            names = {str(i): name for i, name in enumerate(labels)}
            (source / "config.json").write_text(json.dumps({"id2label": names}), encoding="utf-8")
            for _ in range(2):
                found = heads(lambda: SimpleNamespace(ask=make), tmp_path, source)
            assert isinstance(found, Heads)
            assert [one[1] for one in asked] == [*rows]
            assert asked[1][2] == ["entailment", "contradiction"]
            asked.clear()

    def test_layer_17_is_there(self):
        """bert_score reads layer 17 and cuts the rest off."""
        assert all(size.encoder[1] >= 17 for size in models.SIZES.values())


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

    def test_memory(self):
        """In MiB."""
        rows = time_rows("p", {"a": Timed([1.0], [0], 3 * 2**20)})
        assert [(row.ours, row.unit) for row in rows] == [(1.0, "s"), (3.0, "MiB")]

    def test_loaded_or_why_not(self):
        """A worker that cannot load stands for its reason from then on."""
        gone = loaded(Absent("a", "no torch"), "load")
        with pytest.raises(WorkerFailed, match="no torch"):
            gone.ask("nli")

    def test_texts(self):
        """Answers that have as much as is wanted; fewer are an error."""
        passages = [SimpleNamespace(sentences=("a", "b", "c")[:n], samples=("x",) * n) for n in (3, 1, 2)]
        assert texts_of(passages, answers=2, sentences=2, samples=2) == [Texts(["a", "b"], ["x", "x"])] * 2
        with pytest.raises(InputError, match="got 1"):
            texts_of(passages, answers=2, sentences=3, samples=3)

    def test_bars_are_there_for_both_devices(self):
        """Each part finds its own."""
        values = Expected.read(run.Path(run.__file__).parent).values
        assert set(values["cpu"]) == set(values["cuda"]) == set(BARS)


class TestNgramRows:
    def test_equal_and_faster(self, tmp_path):
        """Both statistics are compared; the function is judged, the detector shown."""

        def value(operation, arguments):
            size = len(arguments.get("sentences", ()))
            if operation == "split":
                return [[text] for text in arguments["texts"]]
            if operation == "ngram":
                return {"mean": [0.5] * size, "max": [1.0] * size}
            return [1.0] * size

        def people(name):
            slow = 1.1 if name == "selfcheckgpt" else 0.1
            return Pretended(name, {"ngram": slow, "ngram_detector": 0.2}, value, [])

        rows = {row.quantity: row for row in ngram.ngram_rows(pretending(tmp_path, people))}
        assert rows["n-gram, n = 1: function, times as fast as selfcheckgpt"].ours == pytest.approx(11)
        assert rows["n-gram, n = 3: function, times as fast as selfcheckgpt"].ok
        assert rows["n-gram, n = 1: whole detector, times as fast as selfcheckgpt"].bar is None
        assert rows["n-gram, n = 1: largest |Δ score|, mean"].ours == 0

    def test_blanks_are_no_words(self):
        """The package's tokenizer makes a word of two blanks or a line's end; the timed texts have none."""
        assert ngram.evened(Texts(["a  b"], ["c\n\nd e "])) == Texts(["a b"], ["c d e"])


class TestPrompt:
    def test_both_prompts_get_one_reply(self):
        """The judge sees the sentence and the context, not the wording around them."""
        theirs = "Context: a  b\n\nSentence: c.\n\nIs the sentence supported by the context above? Answer Yes or No.\n\nAnswer: "
        ours = (
            "Context: a b\nSentence: c.\nIs the sentence supported by the context above?\nAnswer Yes or No:"
        )
        replies = {prompt.judge(SimpleNamespace(text=text)) for text in (theirs, ours)}
        assert replies <= {"Yes", "No"}
        assert len(replies) == 1
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


class TestChart:
    ROWS = (
        Row.at_least(
            "NLI: ours exact, times as fast as selfcheckgpt", 1.3, 1.15, interval=(1.2, 1.4), digits=2
        ),
        Row.at_least("BERTScore: ours exact, times as fast as selfcheckgpt", 3.0, 8.0, digits=2),
        Row.shown("NLI: ours int8, times as fast as selfcheckgpt", 3.5),
        Row.missing("n-gram: function, times as fast as selfcheckgpt", "gone", bar="≥ 10.00"),
        Row.shown("NLI: ours exact, median of a round", 1.0),
    )

    def test_bars(self):
        """Read from the rows, so that there is one place that says them."""
        assert [figures.bar_of(row) for row in self.ROWS] == [1.15, 8.0, None, 10.0, None]

    def test_the_same_bytes_every_time(self, tmp_path):
        """SVG and PNG; nothing without a ratio."""
        first, again = (figures.ratio_chart(self.ROWS, tmp_path / name) for name in "ab")
        assert [path.name for path in first] == ["speed-ratios.svg", "speed-ratios.png"]
        assert [path.read_bytes() for path in first] == [path.read_bytes() for path in again]
        assert figures.ratio_chart(self.ROWS[3:], tmp_path / "c") == []


def test_the_environments_are_not_among_the_data():
    """They would be taken for a data set."""
    assert environments.folder().name == "speed"
    assert environments.folder().parent.name == "guardrail"
