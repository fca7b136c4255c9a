"""Shards as tasks of Ray: what is asked of Ray, by a double of it that runs tasks in this process."""

import sys
import types
from dataclasses import replace

import pytest
from tests.unit.evaluation.conftest import answers

from guardrail.evaluation import read_rows

NGRAM = ("--detector", "selfcheck-ngram", "--quiet")


class Ray(types.ModuleType):
    """What `guardrail.cli._ray` uses of Ray; tasks run when they are waited for."""

    def __init__(self, processors=3):
        super().__init__("ray")
        self.exceptions = types.ModuleType("ray.exceptions")
        self.exceptions.RayError = type("RayError", (Exception,), {})
        self.processors, self.options, self.asked, self.started = processors, {}, [], []
        self.dies = False

    def is_initialized(self):
        return bool(self.started)

    def init(self, **options):
        self.started.append(options)

    def cluster_resources(self):
        return {"CPU": float(self.processors)}

    def remote(self, **options):
        self.options = options

        def made(function):
            def put(*given):
                self.asked.append(given)
                return lambda: function(*given)

            return types.SimpleNamespace(remote=put)

        return made

    def get(self, waiting):
        if self.dies:
            raise self.exceptions.RayError("a worker died")
        return [one() for one in waiting]


@pytest.fixture
def ray(monkeypatch):
    """The double in the library's place."""
    double = Ray()
    monkeypatch.setitem(sys.modules, "ray", double)
    monkeypatch.setitem(sys.modules, "ray.exceptions", double.exceptions)
    return double


def plain(folder):
    """The rows without time and cost."""
    return [replace(row, calls=0.0, tokens=0.0, seconds=0.0) for row in read_rows(folder)]


class TestRay:
    """`guardrail evaluate --engine ray`."""

    def test_equals_the_local_run(self, ray, file, evaluate, tmp_path, monkeypatch):
        """As many shards as processors, each once; the rows are those of one process."""
        path = file(answers(90))
        monkeypatch.chdir(tmp_path)
        code, said = evaluate(
            "answers.jsonl", *NGRAM, "--out", "shared", "--part-rows", 10, "--engine", "ray"
        )
        assert (code, said) == (0, "")
        evaluate(path, *NGRAM, "--out", tmp_path / "whole", "--part-rows", 10)
        assert plain(tmp_path / "shared") == plain(tmp_path / "whole")
        assert [words[-1] for words, _ in ray.asked] == ["0", "1", "2"]
        assert all(str(path) in words for words, _ in ray.asked)  # whole paths: a worker may be elsewhere

    def test_ray_repeats_nothing(self, ray, file, evaluate, tmp_path):
        """What a task asked may have been paid for; and a task asks for less than a processor, or it may wait for ever."""
        evaluate(file(answers(4)), *NGRAM, "--out", tmp_path / "run", "--engine", "ray", "--shards", 2)
        assert ray.options["max_retries"] == 0
        assert 0 < ray.options["num_cpus"] < 1
        assert len(ray.asked) == 2

    def test_a_shard_that_fails_says_why(self, ray, file, evaluate, tmp_path, monkeypatch):
        """Its message is the command's."""
        monkeypatch.setattr("guardrail.cli._ray.one_shard", lambda words, folder: (2, "the disk is full\n"))
        code, said = evaluate(file(answers(4)), *NGRAM, "--out", tmp_path / "run", "--engine", "ray")
        assert code != 0
        assert "a shard failed: the disk is full" in said

    def test_a_worker_that_dies_loses_nothing(self, ray, file, evaluate, tmp_path):
        """The message says that the same command goes on."""
        ray.dies = True
        path = file(answers(4))
        code, said = evaluate(path, *NGRAM, "--out", tmp_path / "run", "--engine", "ray")
        assert code != 0
        assert "the same command goes on" in said
        ray.dies = False
        assert evaluate(path, *NGRAM, "--out", tmp_path / "run", "--engine", "ray")[0] == 0

    def test_a_budget_names_its_shards(self, ray, file, evaluate, tmp_path):
        """It bounds each of them, so their number may not depend on the machine."""
        code, said = evaluate(
            file(answers(4)), *NGRAM, "--out", tmp_path / "run", "--engine", "ray", "--budget", 5
        )
        assert code == 2
        assert "--shards" in said


class TestWithoutRay:
    """Ray is not installed."""

    def test_says_what_to_install(self, file, evaluate, tmp_path, monkeypatch):
        """The command that installs it."""
        monkeypatch.setitem(sys.modules, "ray", None)
        code, said = evaluate(file(answers(4)), *NGRAM, "--out", tmp_path / "run", "--engine", "ray")
        assert code == 2
        assert "pip install 'guardrail-sdk[ray]'" in said

    def test_is_not_missed_by_others(self, file, evaluate, tmp_path, monkeypatch):
        """Nothing imports it that was not asked to: importing it here would raise."""
        monkeypatch.setitem(sys.modules, "ray", None)
        assert evaluate(file(answers(4)), *NGRAM, "--out", tmp_path / "run")[0] == 0
