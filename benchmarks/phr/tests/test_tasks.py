"""Tasks with labels: which rows are asked, and the sets of one cell."""

import json
from collections import Counter

import pytest
from benchmarks.phr.tasks import Rows, draw, read

from guardrail.errors import InputError
from guardrail.report import Example


def rows(task="sst2", size=60, labels=("no", "yes")):
    """Inputs a and b, labels by turns."""
    found = tuple(Example(input="ab"[i // 2 % 2], label=labels[i % len(labels)]) for i in range(size))
    return Rows(task, (), found)


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
        """They go to any label, and labels come in any order."""
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
