"""Rates and gaps of other runtimes, by workers whose replies are made up."""

import random

import pytest
from benchmarks.performance.speed.libraries import Libraries
from benchmarks.performance.speed.runtimes import _gaps, _pair, _people, _rates
from benchmarks.performance.speed.workers import Reply, WorkerFailed


class Pretended:
    """Takes as long as its table says, and answers every pair alike."""

    def __init__(self, seconds, broken=()):
        self.seconds, self.broken = seconds, broken

    def ask(self, operation, **given):
        if operation.startswith("load"):
            if given["name"] in self.broken:
                raise WorkerFailed("no such model")
            return Reply(given["name"], 0.1, 1)
        rows = [[0.2, 0.3, 0.5]] * len(given["pairs"])
        return Reply({"seconds": self.seconds.get(given["name"], 1.0), "rows": rows}, 9.0, 1)


class Rounds:
    rounds = 2


@pytest.fixture
def everybody():
    exports = dict.fromkeys(("onnx", "onnx int8", "openvino"), "there") | {"onnx O3": "error: not known"}
    seconds = {"ours fp32": 2.0, "CrossEncoder ONNX": 4.0, "ours bf16": 1.0}
    own, library = Pretended(seconds), Pretended(seconds, broken={"transformers"})
    return _people(own, library, "folder", exports, "shape")


class TestPeople:
    def test_who_cannot_be_loaded_is_a_row(self, everybody):
        """Neither one without an export nor one that fails ends the run."""
        people, rows = everybody
        assert {row.quantity for row in rows} == {"shape: CrossEncoder ONNX O3", "shape: transformers"}
        assert "transformers" not in people
        assert "ours bf16" in people


class TestRates:
    def test_are_of_the_processor(self, everybody):
        """By hand: 8 pairs in 2 s of the processor are 4 a second; 4 s are half as fast."""
        rows = {row.quantity: row.ours for row in _rates(Rounds, everybody[0], "x", 64, 8)}
        assert rows["x: ours fp32"] == 4.0
        assert rows["x: CrossEncoder ONNX, times as fast as ours fp32"] == 0.5
        assert rows["x: CrossEncoder torch bf16, times as fast as ours bf16"] == 1.0

    def test_a_pair_has_the_tokens_that_it_should(self):
        """Words are tokens; three are special."""
        first, second = _pair(random.Random(0), 64)
        assert (len(first.split()), len(second.split())) == (45, 16)


class TestGaps:
    def test_to_exact_numbers_and_to_the_pair_alone(self):
        """A contender that adds .1 in a batch, and nothing to a pair alone."""

        def shifted(pairs):
            return 1.0, [[0.5 + 0.1 * (len(pairs) > 1), 0.5]] * len(pairs)

        people = {"transformers": lambda pairs: (1.0, [[0.5, 0.5]] * len(pairs)), "other": shifted}
        rows = {row.quantity: row.ours for row in _gaps(people, "x", [("a", "b")] * 3)}
        assert rows["x: other, mean |Δ| to fp32"] == pytest.approx(0.05)
        assert rows["x: other, largest |Δ| to fp32"] == pytest.approx(0.1)
        assert rows["x: other, largest |Δ| of a pair alone and in a batch"] == pytest.approx(0.1)


class TestLibraries:
    def test_one_that_was_not_loaded(self):
        with pytest.raises(KeyError):
            Libraries().score("onnx", [("a", "b")])
