"""The published cases of [li2025] and their dated events. Oracle: Definition 1, read year by year."""

import pytest
from benchmarks._data import DataMissing, data_dir
from benchmarks.logic.temporal import example_rows, judge, read_cases, read_history

pytestmark = pytest.mark.data

DIFFERING = {
    "temporal.jsonl": ["t0045", "t0279", "t0934", "t1593", "t1756"],
    "temporal_extra.jsonl": ["x1115", "x1721", "x1759", "x2145"],
}


@pytest.fixture(scope="module")
def folder():
    try:
        return data_dir("drowzee")
    except DataMissing as error:
        pytest.skip(str(error).splitlines()[0])


@pytest.mark.parametrize(("file", "count"), [("temporal.jsonl", 900), ("temporal_extra.jsonl", 1113)])
class TestCases:
    def test_equal_the_definition(self, folder, file, count):
        """Every one; Definition 1 also as whoever collected the data evaluated it."""
        cases = read_cases(folder / file)
        judged = judge(cases, read_history(folder))
        assert len(judged) == count
        assert [one.qid for one in judged if one.ours != one.defined] == []
        assert [one.defined for one in judged] == [case["point_answer"] for case in cases]

    def test_published_answers_that_differ(self, folder, file, count):
        """Nine altogether: the years after 2024 are missing from the published complement."""
        cases = read_cases(folder / file)
        differing = [one.qid for one in judge(cases, read_history(folder)) if one.published != one.defined]
        assert differing == DIFFERING[file]
        wrong = [case for case in cases if case["qid"] in differing]
        assert all(case["outer"] == "neg" and case["year"] > 2024 and not case["answer"] for case in wrong)


def test_worked_examples(folder):
    """The nine of section 3.4, from the data."""
    (row,) = example_rows(folder)
    assert (row.ours, row.ok) == (9, True)
