"""The rows of a run as numbers: the same from Parquet, from JSON lines and from memory."""

import dataclasses

import numpy as np
import pytest

from guardrail.evaluation.rows import BATCH, ResultRow, RowWriter, rows_at
from guardrail.evaluation.table import gather
from guardrail.statistics import calibration


def rows(count):
    """Rows of two detectors with everything that may be missing."""
    for i in range(count):
        yield ResultRow(
            file=f"file {i % 2}",
            row=i // 4,
            source=f"source {i // 8}",
            detector=("words", "nli")[i // 2 % 2],
            finding=i % 2 - (i % 5 == 0),
            start=None if i % 3 == 0 else i % 7,
            end=None if i % 3 == 0 else 9,
            text=f"text {i}",
            score=None if i % 4 == 0 else i / count,
            verdict=(None, "supported", "unverified", "unsupported")[i % 4],
            word="",
            reason="",
            label=(None, True, False)[i % 3],
            answer_label=(True, None)[i % 2],
            groups={"domain": f"d{i}"},
            calls=float(i),
        )


def written(path, listed):
    """A file of rows, of several row groups."""
    writer = RowWriter(path)
    for first in range(0, len(listed), 700):
        writer.write(listed[first : first + 700])
    writer.close()
    return path


LISTED = list(rows(BATCH + 10))


class TestGather:
    """All rows as arrays."""

    @pytest.mark.parametrize("name", ["rows.parquet", "rows.jsonl"])
    def test_a_file_gives_what_memory_gives(self, tmp_path, name):
        """Keys too, so that a run in memory can be compared with one on the disk."""
        mine, theirs = gather(LISTED), gather(written(tmp_path / name, LISTED))
        for one in dataclasses.fields(mine):
            assert np.array_equal(
                getattr(mine, one.name), getattr(theirs, one.name), equal_nan=one.name == "score"
            ), one.name

    def test_sources_are_numbered_as_they_come(self):
        """By nothing that differs between processes: folds, and what is fitted on them, depend on the numbers."""
        assert gather(LISTED).source.tolist() == [i // 8 for i in range(len(LISTED))]

    def test_keys_are_those_of_answers_and_spans(self):
        """Two rows share a key exactly where they share the file and row, or the span as well."""
        found = gather(LISTED)
        answers = {(row.file, row.row) for row in LISTED}
        spans = {(row.file, row.row, row.start, row.end) for row in LISTED}
        assert len(set(found.answer.tolist())) == len(answers) == found.answers
        assert len(set(found.place.tolist())) == len(spans)
        assert len(set(found.source.tolist())) == len({row.source for row in LISTED})

    def test_nothing(self):
        """No rows are no detectors."""
        assert gather([]).detectors == ()
        assert gather([]).cost.shape == (0, 3)


class TestRowsAt:
    """Some rows of many."""

    @pytest.mark.parametrize("name", ["rows.parquet", "rows.jsonl", None])
    def test_are_those_with_these_numbers(self, tmp_path, name):
        """In order, whole, whatever they are read from."""
        source = LISTED if name is None else written(tmp_path / name, LISTED)
        places = [0, 699, 700, 2_101, len(LISTED) - 1]
        assert [(place, LISTED[place]) for place in places] == list(rows_at(source, places))


class TestFit:
    """The logistic fit of many rows."""

    def test_ends_where_rounding_hides_the_rest(self, monkeypatch):
        """A fit takes few looks at the rows: each costs as much as all other figures of a million rows."""
        looks = []
        exact = np.logaddexp
        monkeypatch.setattr(np, "logaddexp", lambda *of: looks.append(1) or exact(*of))
        drawn = np.random.default_rng(1)
        scores = drawn.normal(size=5_000)
        labels = drawn.random(5_000) < 1 / (1 + np.exp(1 - 2 * scores))
        curve = calibration.fit_logistic(scores, labels)
        assert len(looks) < 15
        probabilities = curve.probabilities(scores)
        # at the optimum of the cross-entropy the residuals are orthogonal to the score and to 1 (its gradient is 0)
        target = np.where(labels, (labels.sum() + 1) / (labels.sum() + 2), 1 / ((~labels).sum() + 2))
        assert np.abs(np.mean(probabilities - target)) < 1e-9
        assert np.abs(np.mean((probabilities - target) * scores)) < 1e-9
