"""Runs of files: exactly once, resumable, within a budget, shared between processes."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace

import pytest
from tests.unit.evaluation.conftest import answers

from guardrail import Guard
from guardrail.chat import ScriptedChat
from guardrail.engine.budget import Budget
from guardrail.errors import ConfigError, InputError
from guardrail.evaluation import read_rows, read_run
from guardrail.evaluation.folder import Folder, RunCosts
from guardrail.evaluation.inputs import Mapped, survey
from guardrail.evaluation.library import info_of
from guardrail.evaluation.running import run
from guardrail.selfcheck import NgramCheck, PromptCheck

NGRAM = ("--detector", "selfcheck-ngram")
KILLED = """
import sys, time
from guardrail.cli import main
from guardrail.selfcheck.ngram import NgramCheck
whole = NgramCheck.examine
def slow(self, case):
    time.sleep(0.002)
    return (yield from whole(self, case))
NgramCheck.examine = slow
main(sys.argv[1:])
"""


def plain(folder):
    """The rows without time and cost."""
    return [replace(row, calls=0.0, tokens=0.0, seconds=0.0) for row in read_rows(folder)]


class TestKilledRun:
    def test_resumed_equals_uninterrupted(self, file, evaluate, tmp_path):
        """Killed at random moments and started again, a run has the rows of one that nobody disturbed."""
        path, drawn = file(answers(400)), random.Random(5)
        command = [
            "evaluate",
            str(path),
            *NGRAM,
            "--out",
            str(tmp_path / "killed"),
            "--part-rows",
            "40",
            "-q",
        ]
        kills = 0
        for _ in range(6):
            process = subprocess.Popen(
                [sys.executable, "-c", KILLED, *command], env=os.environ | {"OMP_NUM_THREADS": "1"}
            )
            try:
                process.wait(timeout=0.9 + drawn.random())
                break
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.wait()
                kills += 1
        code, _ = evaluate(path, *NGRAM, "--out", tmp_path / "killed", "-q")
        assert code == 0
        assert kills >= 1
        evaluate(path, *NGRAM, "--out", tmp_path / "whole", "-q", "--part-rows", "40")
        assert plain(tmp_path / "killed") == plain(tmp_path / "whole")
        assert len(plain(tmp_path / "killed")) == 400

    def test_interrupted(self, file, evaluate, tmp_path):
        """Ctrl-C leaves results that can be read, with how far they go, and the same command goes on."""
        path, out = file(answers(2000)), tmp_path / "run"
        command = ["evaluate", str(path), *NGRAM, "--out", str(out), "--part-rows", "20", "-q"]
        process = subprocess.Popen(
            [sys.executable, "-c", KILLED, *command], stderr=subprocess.PIPE, text=True
        )
        while not any((out / "parts").glob("[!.]*.parquet")):
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
        assert process.returncode == 130
        assert "of 2,000 answers are done" in said
        summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
        assert summary["complete"] is False
        assert 0 < summary["answers"] == len(plain(out)) < 2000
        assert "not complete" in (out / "report.html").read_text(encoding="utf-8")
        assert evaluate(path, *NGRAM, "--out", out, "-q")[0] == 0
        assert len(plain(out)) == 2000

    def test_torn_part_is_not_there(self, file, evaluate, tmp_path):
        """A part that a kill left half written is made again."""
        path, out = file(answers(30)), tmp_path / "run"
        evaluate(path, *NGRAM, "--out", out, "--part-rows", 10, "-q")
        before = plain(out)
        part = sorted((out / "parts").iterdir())[1]
        part.rename(part.with_name(".1-" + part.name))
        evaluate(path, *NGRAM, "--out", out, "-q")
        assert plain(out) == before

    def test_answers_paid_for_are_kept(self, file, tmp_path):
        """Of a part that was not whole, answers that were written down are not asked about again."""
        asked = []
        path = file(answers(6))
        folder, info, guard = opened(tmp_path, path, asked, stop_after=4)
        with pytest.raises(KeyboardInterrupt):
            run(folder, info, guard, [path], parallel=1)
        folder.close()
        assert len(asked) == 4
        folder, info, guard = opened(tmp_path, path, asked)
        run(folder, info, guard, [path], parallel=1)
        folder.close()
        assert len(asked) == 4 + 3  # the one in flight is asked again
        assert folder.results(info)[1] == 6

    def test_line_cut_short_is_left_out(self, file, tmp_path):
        """A line that a kill cut is no answer."""
        path = file(answers(6))
        folder, info, guard = opened(tmp_path, path, [], stop_after=4)
        with pytest.raises(KeyboardInterrupt):
            run(folder, info, guard, [path], parallel=1)
        (journal,) = (tmp_path / "run" / "open").iterdir()
        with journal.open("ab") as end:
            end.write(b'[3, [{"file": "half')
        assert sorted(folder.noted(folder.parts(info)[0])) == [0, 1, 2]
        folder.close()


def opened(tmp_path, path, asked, *, stop_after=None):
    """A folder, a run and a guard whose model counts its questions, and is interrupted after some."""

    def reply(_):
        asked.append(1)
        if stop_after is not None and len(asked) >= stop_after:
            raise KeyboardInterrupt
        return "Yes"

    guard = Guard([PromptCheck()], chat=ScriptedChat(reply))
    folder = Folder(tmp_path / "run")
    files = (survey(path, Mapped()).file,)
    info = info_of(guard, files=files, part_rows=100, rows_format="jsonl", made="")
    return folder, folder.begin(info), guard


class TestRefusals:
    def test_changed_file(self, file, evaluate, tmp_path):
        """Other answers are no continuation, and nothing of the run is touched."""
        out = tmp_path / "run"
        evaluate(file(answers(5)), *NGRAM, "--out", out, "-q")
        before = plain(out)
        code, said = evaluate(file(answers(5, seed=2)), *NGRAM, "--out", out, "-q")
        assert code == 2
        assert "the files of answers" in said
        assert "another --out" in said
        assert plain(out) == before

    def test_another_key_goes_on(self, file, tmp_path):
        """A key that was exchanged asks the same model; another model does not go on."""
        path = file(answers(3))
        guard = Guard([NgramCheck()])

        def begin(asked: str):
            files = (survey(path, Mapped()).file,)
            folder = Folder(tmp_path / "run")
            info = info_of(guard, files=files, part_rows=100, rows_format="jsonl", made="")
            folder.begin(replace(info, backends={"chat": f"https://a.example/v1 {asked}"}))
            folder.close()

        begin("model as " + "a" * 24)
        begin("model as " + "b" * 24)
        with pytest.raises(ConfigError, match="the models"):
            begin("larger as " + "b" * 24)

    def test_changed_options(self, file, evaluate, tmp_path):
        """Other options of a detector are another run."""
        path = file(answers(5))
        evaluate(path, *NGRAM, "--out", tmp_path / "run", "-q")
        code, said = evaluate(path, "--detector", "selfcheck-ngram:n=2", "--out", tmp_path / "run", "-q")
        assert code == 2
        assert "the detectors, their options" in said

    def test_strange_folder(self, file, evaluate, tmp_path):
        """A folder with other things in it is not written into."""
        (tmp_path / "mine").mkdir()
        (tmp_path / "mine" / "thesis.tex").write_text("x", encoding="utf-8")
        code, said = evaluate(file(answers(5)), *NGRAM, "--out", tmp_path / "mine", "-q")
        assert code == 2
        assert "thesis.tex" in said

    def test_row_that_cannot_be_read(self, file, evaluate, tmp_path):
        """It is named before anything is examined."""
        rows = [*answers(3), {"answer": "So.", "label": "perhaps"}]
        code, said = evaluate(file(rows), *NGRAM, "--out", tmp_path / "run", "-q")
        assert code == 2
        assert "answers.jsonl, row 4" in said
        assert "'perhaps'" in said
        assert not (tmp_path / "run").exists()

    def test_same_file_twice(self, file, evaluate, tmp_path):
        """Rows would not be told apart."""
        path = file(answers(3))
        code, said = evaluate(path, path, *NGRAM, "--out", tmp_path / "run", "-q")
        assert code == 2
        assert "same content" in said


class TestBudget:
    def test_stops_and_goes_on(self, file, tmp_path):
        """A run ends cleanly at its bound, which counts what earlier processes spent; with a higher one it goes on."""
        path, asked = file(answers(10)), []
        for bound, expected in ((4, 4), (4, 4), (7, 7), (20, 10)):
            folder, info, guard = opened(tmp_path, path, asked)
            outcome = run(folder, info, guard, [path], budget=Budget(calls=bound), parallel=3)
            folder.close()
            assert len(asked) == expected
            assert outcome.calls == expected
            assert bool(outcome.stopped) is (expected < 10)
        folder.results(info)
        found = list(read_rows(tmp_path / "run"))
        assert [row.row for row in found] == list(range(10))
        assert {row.verdict for row in found} == {"supported"}
        assert sum(row.calls for row in found) == 10

    def test_in_flight_counts(self, tmp_path):
        """What was set aside and never settled, because of a kill, counts as spent."""
        first = RunCosts(tmp_path / "spent.log", calls=10)
        assert first.reserve(4)
        assert first.reserve(4)
        first.settle(4, 3, 50)
        first.close()
        second = RunCosts(tmp_path / "spent.log", calls=10)
        assert second.calls == 7
        assert not second.reserve(4)
        second.most_calls = 11
        assert second.reserve(4)
        second.close()

    def test_tokens(self, tmp_path):
        """A bound on tokens ends a run after they are used up."""
        ledger = RunCosts(tmp_path / "spent.log", tokens=100)
        assert ledger.reserve(1)
        ledger.settle(1, 1, 120)
        assert not ledger.reserve(1)
        assert ledger.reserve(0)
        ledger.close()


class TestParallel:
    def test_several_in_flight(self, file, tmp_path):
        """Answers wait for their model together."""
        lock, now, most = threading.Lock(), 0, 0

        def reply(_):
            nonlocal now, most
            with lock:
                now += 1
                most = max(most, now)
            time.sleep(0.02)
            with lock:
                now -= 1
            return "Yes"

        class Slow(ScriptedChat):
            instant = False
            concurrency = 8
            aanswer = None

        path = file(answers(40))
        guard = Guard([PromptCheck()], chat=Slow(reply))
        folder = Folder(tmp_path / "run")
        info = folder.begin(
            info_of(guard, files=(survey(path, Mapped()).file,), part_rows=10, rows_format="jsonl", made="")
        )
        run(folder, info, guard, [path], parallel=8)
        folder.close()
        folder.results(info)
        assert most > 1
        assert [row.row for row in read_rows(tmp_path / "run")] == list(range(40))


class TestShards:
    def test_one_folder(self, file, evaluate, tmp_path):
        """Shards in one folder: whoever is last has all rows, and the others write none of the results."""
        path, out = file(answers(50)), tmp_path / "run"
        code, said = evaluate(path, *NGRAM, "--out", out, "--part-rows", 10, "--shards", 2, "--shard", 0)
        assert code == 0
        assert "shard 0 of 2 is done" in said
        assert not list(out.glob("*results*"))
        assert not (out / "summary.json").exists()
        code, _ = evaluate(path, *NGRAM, "--out", out, "--shards", 2, "--shard", 1, "-q")
        assert code == 0
        evaluate(path, *NGRAM, "--out", tmp_path / "whole", "-q")
        assert plain(out) == plain(tmp_path / "whole")

    def test_folders_are_merged(self, file, evaluate, tmp_path):
        """Shards in folders of their own are put together, and nothing is examined again."""
        path = file(answers(50))
        for shard in (0, 1):
            out = tmp_path / f"shard{shard}"
            evaluate(path, *NGRAM, "--out", out, "--part-rows", 10, "--shards", 2, "--shard", shard, "-q")
        words = [word for shard in (0, 1) for word in ("--merge", tmp_path / f"shard{shard}")]
        code, _ = evaluate(path, *NGRAM, "--out", tmp_path / "run", "--part-rows", 10, "-q", *words)
        assert code == 0
        evaluate(path, *NGRAM, "--out", tmp_path / "whole", "-q")
        assert plain(tmp_path / "run") == plain(tmp_path / "whole")
        seconds = [row.seconds for row in read_rows(tmp_path / "run")]
        parts = [part for shard in (0, 1) for part in (tmp_path / f"shard{shard}" / "parts").iterdir()]
        halves = {row.row: row.seconds for part in parts for row in read_rows(part)}
        assert seconds == [halves[row] for row in range(50)]

    def test_a_journal_of_another_shard_is_left_as_it_is(self, file, tmp_path):
        """Its owner may be writing the line that has no end yet."""
        path = file(answers(40))
        guard = Guard([PromptCheck()], chat=ScriptedChat(lambda _: "yes"))
        one, other = Folder(tmp_path / "run"), Folder(tmp_path / "run", shard=1, shards=2)
        info = one.begin(
            info_of(guard, files=(survey(path, Mapped()).file,), part_rows=10, rows_format="jsonl", made="")
        )
        first = one.parts(info)[0]
        place = tmp_path / "run" / "open" / f"{first.name}.jsonl"
        place.write_text("[0, []]\n[1, [", encoding="utf-8")
        assert list(other.noted(first)) == [0]
        assert place.read_text(encoding="utf-8").endswith("[1, [")
        assert list(one.noted(first)) == [0]
        assert place.read_text(encoding="utf-8") == "[0, []]\n"
        one.close()

    def test_foreign_shard(self, file, evaluate, tmp_path):
        """The shard of another run is refused."""
        evaluate(file(answers(9, seed=3), "other.jsonl"), *NGRAM, "--out", tmp_path / "other", "-q")
        code, said = evaluate(
            file(answers(5)), *NGRAM, "--out", tmp_path / "run", "--merge", tmp_path / "other", "-q"
        )
        assert code == 2
        assert "no shard of this run" in said

    def test_number(self, file, evaluate, tmp_path):
        """Shards are counted from 0."""
        code, said = evaluate(
            file(answers(5)), *NGRAM, "--out", tmp_path / "run", "--shards", 2, "--shard", 2
        )
        assert code == 2
        assert "below --shards 2" in said


class TestManifest:
    def test_says_what_the_run_was(self, file, evaluate, tmp_path):
        """Files, signatures, columns and the model that answered."""
        path = file({"said": row["answer"], **row} for row in answers(5))
        words = ("--map", "answer=said", "--group", "domain", "--answering-model", "m1")
        evaluate(path, *NGRAM, "--out", tmp_path / "run", *words, "-q")
        info = read_run(tmp_path / "run")
        assert info.files[0].rows == 5
        assert info.signatures["selfcheck-ngram"].startswith("selfcheck-ngram|")
        assert info.mapping == {"answer": "said"}
        assert info.answering_model == "m1"
        assert {row.groups["domain"] for row in read_rows(tmp_path / "run")} == {"x"}
        assert {row.file for row in read_rows(tmp_path / "run")} == {info.files[0].key}

    def test_no_run(self, tmp_path):
        """A folder without a run says what to do."""
        with pytest.raises(InputError, match="guardrail evaluate"):
            read_run(tmp_path)


class TestSeconds:
    def test_shares_add_up_to_the_clock(self):
        """Of eight answers in flight each gets an eighth of the time, so that the sum is what the run took."""
        from guardrail.evaluation import evaluate as evaluated

        class Slow(ScriptedChat):
            instant = False
            concurrency = 8
            aanswer = None

        def reply(_):
            time.sleep(0.02)
            return "Yes"

        cases = [f"Ada wrote number {i}." for i in range(16)]
        from guardrail import Case

        given = [Case.of(text, samples=["Ada wrote it."]) for text in cases]
        begin = time.perf_counter()
        found = evaluated(given, Guard([PromptCheck()], chat=Slow(reply)), parallel=8)
        took = time.perf_counter() - begin
        total = sum(row.seconds for row in found.rows)
        assert 0.04 <= total <= took
