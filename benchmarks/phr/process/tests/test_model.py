"""The neural process: what it sees, what it remembers, the port, and a training that is killed."""

import json
import math
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from benchmarks.phr.accuracy import rate_exact
from tests.unit.backends.models import needs_local

from guardrail.phr import Form, Query, Settings, survey
from guardrail.report import Example
from guardrail.requests import Distribution, LogProb, Sample
from guardrail.testing import play

needs_local()

from benchmarks.phr.process.model import Contexts, NeuralProcess, Shape  # noqa: E402
from benchmarks.phr.process.model.network import attention, build, tokens  # noqa: E402

ROOT = Path(__file__).parents[4]
SHAPE = Shape(width=16, layers=2, heads=2, inner=32, bins=40)
FORM = Form()


@pytest.fixture(scope="module")
def network():
    """Random weights, large enough that predictions depend on what was read."""
    import torch

    found = build(SHAPE, seed=3).eval()
    with torch.no_grad():
        for weight in found.parameters():
            weight.mul_(4.0)
        found["head"].weight.mul_(0.3)
    return found


@pytest.fixture(scope="module")
def folder(network, tmp_path_factory):
    """The same as files."""
    from safetensors.torch import save_file

    path = tmp_path_factory.mktemp("process")
    weights = {name: one for name, one in network.named_parameters() if one.requires_grad}
    save_file({name: one.detach().clone() for name, one in weights.items()}, path / "model.safetensors")
    (path / "config.json").write_text(json.dumps(SHAPE.to_dict()))
    return path


@pytest.fixture(scope="module")
def process(folder):
    return NeuralProcess(folder)


@pytest.fixture
def pairs():
    """Seven pairs of three contexts."""
    random = np.random.default_rng(0)
    return random.uniform(-2, 2, (3, 7)), random.normal(size=(3, 7))


def whole(network, x, y):
    """P(next number) behind every token, without a memory: shape (B, 2n + 1, bins)."""
    import torch

    with torch.no_grad():
        inputs = tokens(torch.tensor(x, dtype=torch.float32), torch.tensor(y, dtype=torch.float32))
        return network["head"](attention(network, inputs)).softmax(dim=-1).numpy()


def text(x, y):
    numbers = zip(map(float, x), map(float, y), strict=True)
    return FORM.context([Example(input=repr(a), label=repr(b)) for a, b in numbers])


class TestNetwork:
    def test_sees_neither_itself_nor_the_future(self, network, pairs):
        """What is said of y_3 depends on x_3 and all before, and on nothing behind."""
        x, y = pairs
        before = whole(network, x, y)
        for change in ("y", "later"):
            other_x, other_y = x.copy(), y.copy()
            other_y[:, 3] += 1.0
            if change == "later":
                other_x[:, 4:] += 0.5
                other_y[:, 4:] -= 2.0
            after = whole(network, other_x, other_y)
            assert after[:, :8] == pytest.approx(before[:, :8], abs=1e-6)  # start, three pairs, x_3
            assert np.abs(after[:, 8:] - before[:, 8:]).max() > 1e-3

    def test_sees_what_was_before(self, network, pairs):
        """The query, and each number of the context."""
        x, y = pairs
        before = whole(network, x, y)[:, 7]
        for array, place in ((x, 3), (x, 0), (y, 0), (y, 2)):
            array[:, place] += 0.7
            assert np.abs(whole(network, x, y)[:, 7] - before).max() > 1e-4
            array[:, place] -= 0.7


class TestContexts:
    def test_memory(self, network, pairs):
        """Read at once, pair by pair, or without a memory: the same to 1e-4."""
        x, y = pairs
        plain = whole(network, x, y)
        assert plain[:, -1].std() > 1e-3
        stepwise = Contexts(network, SHAPE, x[:, :2], y[:, :2], room=5)
        for i in range(2, 7):
            asked = stepwise.labels(x[:, i : i + 1])[:, 0]
            assert asked == pytest.approx(plain[:, 2 * i + 1], abs=1e-4)
            assert stepwise.next_input() == pytest.approx(plain[:, 2 * i], abs=1e-4)
            stepwise.add(x[:, i], y[:, i])
        assert stepwise.next_input() == pytest.approx(plain[:, -1], abs=1e-4)
        assert Contexts(network, SHAPE, x, y).next_input() == pytest.approx(plain[:, -1], abs=1e-4)

    def test_queries_do_not_see_each_other(self, network, pairs):
        """Together as one by one, and more of them than are asked at once."""
        contexts = Contexts(network, SHAPE, *pairs, room=2)
        queries = np.linspace(-2, 2, 21)
        together = contexts.labels(queries)
        alone = np.concatenate([contexts.labels([query]) for query in queries], axis=1)
        assert together == pytest.approx(alone, abs=1e-5)
        assert np.abs(np.diff(together, axis=1)).max() > 1e-3

    def test_copies_go_their_own_ways(self, network, pairs):
        """What is imagined is remembered as if it had been read, and the first context stays what it was."""
        contexts = Contexts(network, SHAPE, *pairs, room=6)
        before = contexts.labels([0.5])
        copies = contexts.repeat(4)
        copies.imagine(6, np.random.default_rng(2))
        assert copies.x.shape == (12, 13)
        assert copies.x[:4, :7] == pytest.approx(pairs[0][:1].repeat(4, axis=0))
        assert len(np.unique(copies.y[:, 7])) == 12
        read = Contexts(network, SHAPE, copies.x, copies.y)
        assert copies.labels([0.5]) == pytest.approx(read.labels([0.5]), abs=1e-4)
        assert contexts.labels([0.5]) == pytest.approx(before, abs=1e-6)

    def test_draws_follow_the_distribution(self, network, pairs):
        """The first imagined input of many copies, in bins: χ² of 39 degrees is 62.4 at 1 %."""
        contexts = Contexts(network, SHAPE, pairs[0][:1], pairs[1][:1], room=1)
        expected = 4000 * contexts.next_input()[0]
        copies = contexts.repeat(4000)
        copies.imagine(1, np.random.default_rng(4))
        seen = np.bincount(SHAPE.bars.bin(copies.x[:, -1]), minlength=40)
        assert ((seen - expected) ** 2 / expected).sum() < 62.4


class TestPort:
    def test_log_density(self, process, network, pairs):
        """That of the bin behind the query: log mass less the logarithm of a width of .2."""
        x, y = pairs[0][0], pairs[1][0]
        reply = process.answer([LogProb(text(x[:6], y[:6]) + FORM.query(str(x[6])), " 0.33")])[0]
        mass = whole(network, x[None], y[None])[0, 13, 21]
        assert reply.value == pytest.approx(math.log(mass / 0.2), abs=1e-4)

    def test_distribution(self, process, network, pairs):
        """All bins, with the one that a label lies in; what is no number begins none."""
        x, y = pairs[0][0], pairs[1][0]
        labels = (" 0.33", " -77", " nine")
        told = process.answer([Distribution(text(x[:6], y[:6]), FORM.query(str(x[6])), labels)])[0].value
        assert np.array(told.probabilities) == pytest.approx(
            whole(network, x[None], y[None])[0, 13], abs=1e-4
        )
        assert told.begun == (21, 0, None)
        assert told.names[21] == "[0.2, 0.4)"
        assert told.names[0] == "[-inf, -3.8)"
        assert told.other == 0.0

    @pytest.mark.parametrize("estimator", ["exact", "drawn"])
    def test_survey(self, process, estimator):
        """The flow of the detector runs on it, and finds what arrays find in the same imagined contexts."""
        given = [Example(input="-1.0", label="0.5"), Example(input="1.0", label="-0.25")]
        settings = Settings(contexts=3, horizon=4, epsilon=0.4, estimator=estimator, draws=60, top_p=1.0)
        found = play(
            survey(given, [Query("0.5", "0.1")], settings=settings),
            lambda request: process.answer([request])[0],
        )
        measured = found.measured[0]
        assert not measured.fault
        assert len({one.pairs for one in found.contexts}) == 3
        for context, reading in zip(found.contexts, measured.readings, strict=True):
            longer = [*given, *context.pairs]
            x, y = ([[float(getattr(p, name)) for p in longer]] for name in ("input", "label"))
            under = process.contexts(x, y).labels([0.5])[0, 0]
            short = process.contexts([[-1.0, 1.0]], [[0.5, -0.25]]).labels([0.5])[0, 0]
            expected = float(rate_exact(under, short, 0.4))
            # 60 draws for the quantile and 60 for the share: about .1 each
            assert reading.rate == pytest.approx(expected, abs=1e-4 if estimator == "exact" else 0.4)

    def test_batches(self, process, pairs):
        """Replies do not depend on what is asked beside, nor on the order."""
        starts = [text(x[:n], y[:n]) for x, y in zip(*pairs, strict=True) for n in (1, 4, 4, 6)]
        requests = [Sample(start, draw=i, stop=("\n\n",)) for i, start in enumerate(starts)]
        requests += [LogProb(start + FORM.query("0.25"), " 0.5") for start in starts]
        together = process.answer(requests)
        alone = [process.answer([request])[0] for request in reversed(requests)][::-1]
        assert [r.value for r in together[:12]] == [r.value for r in alone[:12]]
        assert [r.value for r in together[12:]] == pytest.approx([r.value for r in alone[12:]], abs=1e-4)
        assert len({r.value for r in together[:12]}) == 12

    def test_nucleus(self, process):
        """top_p leaves unlikely bins out, temperature 0 all but the likeliest."""
        start = text([0.0, 1.0], [0.5, 0.7]) + FORM.query("0.5")
        told = process.answer([Distribution(start, "")])[0].value
        order = np.argsort(told.probabilities)[::-1]
        kept = order[: int(np.searchsorted(np.cumsum(np.array(told.probabilities)[order]), 0.5)) + 1]

        def bins(**options):
            replies = process.answer([Sample(start, draw=i, **options) for i in range(200)])
            return {int(process.bars.bin(float(reply.value))) for reply in replies}

        assert bins(top_p=0.5) <= set(kept.tolist())
        assert not bins() <= set(kept.tolist())
        assert bins(temperature=0.0) == {int(order[0])}


RECIPE = """
import os, sys
from pathlib import Path
from benchmarks.phr.process.training import Recipe, Training
from benchmarks.phr.process.model import Shape

recipe = Recipe(
    Shape(width=16, layers=1, heads=2, inner=16, bins=20), stages=((6, 5), (6, 9)), batch=2, sequences=8, length=20, warmup=3
)
def train(folder, stop=None):
    for told in Training(recipe, Path(folder), every=5).run():
        if told["step"] == stop:
            os.kill(os.getpid(), 9)
"""


def child(code):
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, "-c", RECIPE + code],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


class TestTraining:
    def test_killed(self, tmp_path):
        """kill -9 at step 8 and again at 9, then on to the end: weights and curve are those of a run in peace."""
        for stop in (8, 9):
            killed = child(f"train({str(tmp_path / 'killed')!r}, stop={stop})")
            assert killed.returncode == -signal.SIGKILL, killed.stderr
            assert len((tmp_path / "killed" / "curve.jsonl").read_text().splitlines()) == stop
            assert not (tmp_path / "killed" / "model.safetensors").exists()
        # the kill came while the next checkpoint was written
        (tmp_path / "killed" / "checkpoint.safetensors.part").write_bytes(b"half")
        done = child(f"train({str(tmp_path / 'killed')!r}); train({str(tmp_path / 'peace')!r})")
        assert done.returncode == 0, done.stderr
        for name in ("model.safetensors", "checkpoint.safetensors", "curve.jsonl", "config.json"):
            assert (tmp_path / "killed" / name).read_bytes() == (tmp_path / "peace" / name).read_bytes(), name
        assert len((tmp_path / "peace" / "curve.jsonl").read_text().splitlines()) == 12
        assert NeuralProcess(tmp_path / "peace").contexts([[0.0]], [[0.0]]).labels([1.0]).shape == (1, 1, 20)

    def test_loss(self):
        """Uniform bins cost log(width of the range) whatever the numbers, and cost is in nats."""
        import torch
        from benchmarks.phr.process.training import losses

        flat = build(SHAPE)
        with torch.no_grad():
            flat["head"].weight.zero_()
            flat["head"].bias.zero_()
        x, y = torch.rand(2, 5), torch.rand(2, 5)
        assert [loss.item() for loss in losses(flat, SHAPE, x, y)] == pytest.approx(
            [math.log(8)] * 2, abs=1e-5
        )
