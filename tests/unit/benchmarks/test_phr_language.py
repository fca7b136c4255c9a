"""PHR of a language model on tasks with labels: rows, cells, the grid and its memory, tables and figures."""

import json
import math
import os
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from benchmarks._progress import progress
from benchmarks.phr.language import cells, figures, tables
from benchmarks.phr.language.cells import Found, Point, Store
from benchmarks.phr.language.evaluation import Plan, evaluate
from benchmarks.phr.language.tasks import Rows, draw, read
from scipy import stats
from sklearn.linear_model import LinearRegression
from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score

from guardrail.errors import InputError
from guardrail.phr import BernoulliModel, Query, Settings, survey
from guardrail.report import Example
from guardrail.testing import play

ROOT = Path(__file__).parents[3]


def rows(task="sst2", size=60, labels=("no", "yes")):
    """Inputs a and b, labels by turns."""
    found = tuple(Example(input="ab"[i // 2 % 2], label=labels[i % len(labels)]) for i in range(size))
    return Rows(task, (), found)


def plan(**options):
    settings = Settings(contexts=4, horizon=3)
    return Plan(
        **{"tasks": [rows()], "sizes": (2, 5), "sets": 2, "tests": 3, "settings": settings, **options}
    )


class Counting(BernoulliModel):
    """Counts what it is asked."""

    asked = 0

    def answer(self, requests):
        self.asked += len(requests)
        return super().answer(requests)


def model():
    return Counting(["a", "b"], prior=(0.7, 0.4))


class TestRows:
    def write(self, folder, lines):
        text = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
        (folder / "sst2.jsonl").write_text(text + "\n", encoding="utf-8")
        return read(folder, "sst2")

    def test_nothing_on_both_sides(self, tmp_path):
        """What shares its first text stays together, however it is spelt; about a fifth is asked."""
        lines = [
            {"input": f"Q {i} and {k}", "label": "x", "text1": f"{'Q' if k else ' q '} {i}"}
            for i in range(400)
            for k in range(2)
        ]
        found = self.write(tmp_path, lines)
        numbers = [{one.input.split()[1] for one in side} for side in (found.learnt, found.asked)]
        assert numbers[0] & numbers[1] == set()
        assert len(numbers[0] | numbers[1]) == 400
        assert 50 < len(numbers[1]) < 110  # 80 ± 4 standard deviations

    def test_odd_line_ends(self, tmp_path):
        """Only a line feed ends a row: inputs hold other signs that Python takes for one."""
        found = self.write(tmp_path, [{"input": "one\x85two\u2028three", "label": "x"}])
        assert [one.input for one in (*found.learnt, *found.asked)] == ["one\x85two\u2028three"]

    def test_another_format(self, tmp_path):
        """Is named."""
        with pytest.raises(InputError, match="one labelled input a line"):
            self.write(tmp_path, [{"text": 1}])

    def test_long_inputs(self):
        """Are neither asked nor shown; the number is kept."""
        found = rows(size=8).short(lambda text: 117 if text == "b" else 116)
        assert {one.input for one in found.asked} == {"a"}
        assert found.dropped == 4


class TestDraw:
    @pytest.mark.parametrize("n", [1, 2, 3, 4, 8, 11, 32])
    @pytest.mark.parametrize("labels", [("no", "yes"), tuple("wxyz")])
    def test_balanced(self, n, labels):
        """Labels are as often as each other, up to one."""
        for seed in range(5):
            counts = Counter(one.label for one in draw(rows(size=80, labels=labels), n=n, seed=seed).train)
            assert sum(counts.values()) == n
            assert {counts[label] for label in labels} <= {n // len(labels), -(-n // len(labels))}

    def test_spare_places(self):
        """Go to any label, and labels stand in any order."""
        found = [draw(rows(), n=3, seed=seed).train for seed in range(60)]
        assert {Counter(one.label for one in train)["yes"] for train in found} == {1, 2}
        assert {train[0].label for train in found} == {"no", "yes"}

    def test_no_row_twice(self):
        """Training set, evaluation set and queries share nothing."""
        named = Rows("rte", (), tuple(Example(input=str(i), label=("no", "yes")[i % 2]) for i in range(47)))
        cell = draw(named, n=32, seed=0)
        assert [len(one) for one in (cell.train, cell.evaluation, cell.tests)] == [32, 5, 10]
        assert len({one.input for one in (*cell.train, *cell.evaluation, *cell.tests)}) == 47

    def test_numbers_alone(self):
        """The same numbers draw the same; another task, n or seed draws otherwise."""
        cell = draw(rows(), n=8, seed=1)
        assert cell == draw(rows(), n=8, seed=1)
        others = [draw(rows(), n=8, seed=2), draw(rows("rte"), n=8, seed=1), draw(rows(), n=9, seed=1)]
        assert all(other.tests != cell.tests or other.train != cell.train for other in others)

    @pytest.mark.parametrize("n", [32, 40, 70])
    def test_too_few_rows(self, n):
        """Are told."""
        with pytest.raises(InputError, match="sst2: expected"):
            draw(rows(size=46), n=n, seed=0)


class TestEvaluate:
    def test_is_what_the_estimators_say(self, tmp_path):
        """MHR and error rate by the posterior's counts; PHR is that of a survey, for each ε."""
        wanted = plan()
        found = evaluate(wanted, model(), Store(tmp_path / "cells"))
        assert [(one.task, one.n, one.seed) for one in found] == [
            ("sst2", n, seed) for seed in range(2) for n in (2, 5)
        ]
        for cell, one in zip(wanted.cells(), found, strict=True):
            for test, point in zip(cell.tests, one.points, strict=True):
                before, after = (
                    self.chances(pairs, test.input) for pairs in (cell.train, cell.train + cell.evaluation)
                )
                assert point.error == pytest.approx(1 - before[test.label])
                assert point.entropy == pytest.approx(-sum(p * math.log(p) for p in before.values()))
                lesser = min(after, key=after.get)
                assert point.mhr["0.75"] == pytest.approx(before[lesser])
                assert point.mhr["0.05"] == (pytest.approx(before[lesser]) if after[lesser] < 0.05 else 0.0)
                for epsilon in wanted.epsilons:
                    direct = play(
                        survey(
                            cell.train,
                            [Query(test.input)],
                            settings=replace(wanted.settings, epsilon=epsilon),
                        ),
                        lambda request: model().answer([request])[0],
                    ).measured[0]
                    assert point.phr[f"{epsilon:g}"] == pytest.approx(direct.rate.value)
                assert point.information == pytest.approx(direct.information.value)

    def chances(self, pairs, query):
        """The posterior mean of each label, by hand: Beta(.7, .4), yes counts for the first."""
        labels = [pair.label for pair in pairs if pair.input == query]
        yes = (0.7 + labels.count("yes")) / (1.1 + len(labels))
        return {"yes": yes, "no": 1 - yes}

    def test_labels_that_begin_alike(self, tmp_path):
        """No rate, and why: by the first token alone they are one outcome, so the rate would be nearly 0."""

        class Blank(BernoulliModel):
            def _spread(self, pairs, query, labels):
                found = super()._spread(pairs, query, labels)
                return replace(found, value=replace(found.value, begun=(0,) * len(labels)))

        backend = Blank(["a", "b"])
        found = evaluate(plan(), backend, Store(tmp_path / "cells"))[0]
        assert [(point.error, point.entropy) for point in found.points] == [(None, None)] * len(found.points)
        assert "'no' and 'yes' begin with the same token" in found.faults[0]

    def test_counts(self, tmp_path):
        """Pairs that were read and those whose label is the task's; contexts that were given up."""

        class Sloppy(BernoulliModel):
            def _imagine(self, pairs, random):
                found = super()._imagine(pairs, random)
                if len(pairs) < 4:
                    return found
                return Example(input=found.input, label="maybe" if random.random() < 0.5 else " ")

        wanted = plan(sizes=(2,), sets=1, settings=Settings(contexts=6, horizon=3, retries=0))
        (found,) = evaluate(wanted, Sloppy(["a", "b"]), Store(tmp_path / "cells"))
        assert found.imagined == 6
        assert found.sound == 12  # two pairs of each, before the third spoils it
        assert found.pairs == 12 + 6 - found.given_up
        assert 0 < found.given_up < 6
        assert all(point.contexts < 6 for point in found.points)
        assert any("could be read" in fault for fault in found.faults)

    def test_drawn(self, tmp_path):
        """The paper's estimator gives about the same."""
        exact, drawn = (
            evaluate(
                plan(sets=1, settings=Settings(contexts=4, horizon=3, estimator=name, draws=400)),
                model(),
                Store(tmp_path / name),
            )
            for name in ("exact", "drawn")
        )
        for one, other in zip(exact, drawn, strict=True):
            for point, same in zip(one.points, other.points, strict=True):
                assert same.error == pytest.approx(point.error, abs=0.12)
                assert same.mhr["0.75"] == pytest.approx(point.mhr["0.75"], abs=0.12)


class TestStore:
    def test_nothing_twice(self, tmp_path):
        """A second run asks nothing; a larger one only what is new, whatever else is in the grid."""
        path = tmp_path / "deep" / "cells.sqlite"
        first, second, third = model(), model(), model()
        found = evaluate(plan(), first, Store(path))
        assert evaluate(plan(), second, Store(path)) == found
        assert (first.asked > 0, second.asked) == (True, 0)
        told = []
        more = plan(tasks=[rows("rte"), rows()], sets=3)
        again = evaluate(more, third, Store(path), tell=lambda done, words: told.append((done, words)))
        assert [one for one in again if one.task == "sst2" and one.seed < 2] == found
        assert [done for done, _ in told] == list(range(5, 13))

    @pytest.mark.parametrize(
        "change",
        [
            {"settings": Settings(contexts=5, horizon=3)},
            {"epsilons": (0.05, 0.75)},
            {"tests": 4},
            {"tasks": [rows(labels=("no", "yes", "other"))]},
        ],
    )
    def test_other_questions(self, tmp_path, change):
        """Are other cells."""
        store = Store(tmp_path / "cells")
        evaluate(plan(), model(), store)
        other = model()
        evaluate(plan(**change), other, store)
        assert other.asked > 0

    def test_other_models(self, tmp_path):
        """Too."""
        store = Store(tmp_path / "cells")
        evaluate(plan(), model(), store)
        other = Counting(["a", "b"], prior=(0.7, 0.4), seed=1)
        evaluate(plan(), other, store)
        assert other.asked > 0

    def test_no_such_file(self, tmp_path):
        """Cannot be made below a file."""
        (tmp_path / "file").write_text("x")
        with pytest.raises(InputError, match="can be written"):
            Store(tmp_path / "file" / "cells")

    @pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
    def test_killed(self, tmp_path):
        """kill -9 in the middle of a cell loses that cell and no other."""
        path = tmp_path / "cells.sqlite"
        script = (
            "import sys\n"
            "from pathlib import Path\n"
            "from tests.unit.benchmarks.test_phr_language import Counting, Store, evaluate, plan\n"
            "told = []\n"
            "class Stuck(Counting):\n"
            "    def answer(self, requests):\n"
            "        if told == [1, 2, 3]:\n"
            "            print('in the fourth', flush=True)\n"
            "            sys.stdin.read()\n"
            "        return super().answer(requests)\n"
            "evaluate(plan(), Stuck(['a', 'b'], prior=(0.7, 0.4)), Store(Path(sys.argv[1])),\n"
            "    tell=lambda done, words: (told.append(done), print(done, flush=True)))\n"
        )
        process = subprocess.Popen(
            [sys.executable, "-c", script, str(path)],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        told = [process.stdout.readline().strip() for _ in range(4)]
        process.send_signal(signal.SIGKILL)
        assert process.communicate()[0] == ""
        assert process.returncode == -signal.SIGKILL
        assert told == ["1", "2", "3", "in the fourth"]
        asked = []
        evaluate(plan(), model(), Store(path), tell=lambda done, words: asked.append(done))
        assert asked == [4]


def point(x, mhr, error):
    half = None if x is None else x / 2
    known = x is not None
    return Point({"0.05": x, "0.75": half}, {"0.05": mhr, "0.75": mhr}, error, half, half, 10 * known)


def cell(points, task="sst2", n=2, seed=0):
    return Found(task, n, seed, 2, tuple(points), 10, 3, 1, 47, 40, ("fault",), 1.5)


def noisy(size=40, seed=0):
    random = np.random.default_rng(seed)
    x = random.random(size)
    return x, 0.2 + 0.5 * x + 0.1 * random.standard_normal(size)


class TestFit:
    def test_as_scipy_and_sklearn(self):
        """Line, R², MAE and MSE are sklearn's; p is that of scipy's correlation."""
        x, y = noisy()
        found = tables.fit(x, y)
        line = LinearRegression().fit(x[:, None], y)
        told = line.predict(x[:, None])
        assert (found.slope, found.intercept) == pytest.approx((line.coef_[0], line.intercept_))
        assert found.r2 == pytest.approx(r2_score(y, told))
        assert found.mae == pytest.approx(mean_absolute_error(y, told))
        assert found.mse == pytest.approx(mean_squared_error(y, told))
        assert found.gap == pytest.approx(mean_absolute_error(y, x))
        assert found.p == pytest.approx(stats.pearsonr(x, y).pvalue)
        assert found.size == 40

    @pytest.mark.parametrize(
        ("x", "y"), [([], []), ([0.1, 0.2], [0.3, 0.4]), ([0.5] * 4, [0, 1, 0, 1]), ([0, 1, 0, 1], [0.5] * 4)]
    )
    def test_undefined(self, x, y):
        """Too few, or all alike: no line, and not an R² of 0 or 1."""
        assert tables.fit(x, y) is None

    @pytest.mark.parametrize(("x", "y"), [([1.0, math.nan, 2.0], [1, 2, 3]), ([1.0, 2.0], [1.0, 2.0, 3.0])])
    def test_refused(self, x, y):
        """NaN and unequal lengths."""
        with pytest.raises(InputError, match="rows of finite numbers"):
            tables.fit(x, y)


class TestTables:
    def grid(self):
        x, y = noisy()
        points = [point(a, b, 1 - b) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
        points.append(point(None, 0.1, 0.2))
        return [
            cell(points[:20]),
            cell(points[20:], n=4),
            cell([point(0.5, 0.5, 0.5)], task="wnli"),
        ]

    def test_points(self):
        """Those that have both numbers, under the target's ε."""
        x, y = tables.points(self.grid()[:2], "mhr")
        assert len(x) == len(y) == 40
        assert tables.points([cell([point(0.4, 0.1, 0.9)])], "error") == ([0.2], [0.9])
        assert tables.points([cell([point(0.4, 0.1, 0.9)])], "mhr", epsilon="0.75") == ([0.2], [0.1])

    def test_rows(self):
        """The paper's figures stand beside ours where it prints some, without a bar."""
        found = {row.quantity: row for row in tables.table_rows(self.grid(), model="a toy")}
        own = found["language: SST2, PHR (ε = 0.05) and MHR: R² (published: Llama-2-7B)"]
        x, y = noisy()
        assert own.ours == pytest.approx(stats.pearsonr(x, y).statistic ** 2)
        assert (own.published, own.bar, own.ok) == (0.618, None, True)
        published = {row.published for row in found.values()} - {None}
        assert published == {0.039, 0.618, 0.041, 0.702}
        assert found["language: model"].ours == "a toy"
        undefined = found["language: WNLI, PHR (ε = 0.05) and MHR: MAE, R²"]
        assert undefined.ok is None
        assert found["language: SST2: queries with PHR"].ours == 40
        assert found["language: SST2: imagined pairs that could not be read"].ours == pytest.approx(6 / 100)
        assert found["language: SST2: imagined contexts given up"].ours == pytest.approx(2 / 20)
        assert found["language: SST2: imagined labels that are the task's"].ours == pytest.approx(80 / 94)

    def test_document(self):
        """Both tables, with all that the paper prints, and whose numbers are whose."""
        settings = {"horizon": 5, "contexts": 10, "draws": "exact", "parameters": "2.6M"}
        text = tables.document(self.grid(), model="a toy trained here", settings=settings)
        lines = text.splitlines()
        assert "Ours: a toy trained here." in text
        assert "| SST2, published | 0.039 | 0.618 | 0.041 | 0.702 | 5 | 10 | 50 | 7B |" in lines
        assert sum(line.startswith("| SST2, published") for line in lines) == 8
        assert "| WNLI, ours | – | – | – | – | 5 | 10 | exact | 2.6M |" in lines
        (small,) = [line for line in lines if line.startswith("| SST2 | 4 |")]
        assert small.endswith("| 3 | 1 |")
        widths = {line.count("|") for line in lines if line.startswith("| SST2 |")}
        (head,) = [line for line in lines if line.startswith("| task | n")]
        assert widths == {head.count("|")}


class TestFigures:
    def test_curve(self):
        """Means over queries; intervals over the means of the sets; what has no value is left out."""
        grid = [
            cell([point(0.1, 0, 0.2), point(0.1, 0, 0.4)], seed=0),
            cell([point(0.1, 0, 0.9), point(0.1, 0, None)], seed=1),
            cell([point(0.1, 0, None)], n=8),
            cell([point(0.1, 0, 0.7)], n=4),
        ]
        found = figures.curve(grid, lambda one: one.error)
        assert found.sizes == (2, 4)
        assert found.means == pytest.approx((0.5, 0.7))
        assert found.halves == pytest.approx((1.96 * 0.3, 0.0))  # means .3 and .9: s = .6/√2, over √2
        assert figures.curve([], lambda one: one.error) == figures.Curve((), (), ())

    def test_all_are_drawn(self, tmp_path):
        """Each as SVG and PNG, also of a grid with holes."""
        grid = [cell([point(0.1 * n, 0.2, 0.1 * n)], task, n) for task in ("sst2", "rte") for n in (2, 4)]
        grid.append(cell([point(None, None, None)], "wnli"))
        written = figures.draw(grid, tmp_path, model="a toy", epsilons=(0.05, 0.75))
        names = [f"phr-language-figure-{n}" for n in ("4", "5", "6", "17", "18", "19a", "19b", "19c")]
        assert sorted(path.name for path in written) == sorted(
            f"{name}.{kind}" for name in names for kind in ("svg", "png")
        )
        assert all(path.stat().st_size > 1_000 for path in written)


class TestProgress:
    def test_lines(self, capsys, monkeypatch):
        """Where there is no terminal: how many, and how long it will take; what was done before is not timed."""
        clock = iter([0.0, 10.0, 40.0, 41.0])
        monkeypatch.setattr("benchmarks._progress.time.monotonic", lambda: next(clock))
        with progress("cells", 10, done=4) as tell:
            tell(5, "early")
            tell(6, "sst2")
            tell(10, "last")
        lines = capsys.readouterr().err.splitlines()
        assert lines == ["cells: 6 of 10, 1.3 min left, sst2", "cells: 10 of 10, 0.0 min left, last"]

    def test_keys(self):
        """A cell's name is that of all it depends on."""
        one = draw(rows(), n=2, seed=0)
        assert cells.key(one, {"a": 1}) == cells.key(one, {"a": 1})
        assert (
            len({cells.key(one, {"a": 1}), cells.key(one, {"a": 2}), cells.key(replace(one, n=3), {"a": 1})})
            == 3
        )
