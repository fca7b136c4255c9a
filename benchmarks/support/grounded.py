"""Answers over documents, with a mark behind each claim, and the same without marks by the detector of sentences."""

from __future__ import annotations

from benchmarks._rows import Row
from benchmarks._stats import auc
from benchmarks._table import Run
from benchmarks.grounding.sets import SETS, read, sample
from benchmarks.support.marked import case_of, new_words, scored, scored_without_marks
from guardrail.report import Case
from guardrail.statistics.decisions import balanced_accuracy

__all__ = ["grounding_rows"]


def grounding_rows(run: Run) -> list[Row]:
    """Nine sets; both detectors see the same rows, and both have learnt from these sets."""
    folder, most = run.data("grounding"), run.options.rows
    run.parameters["statements"] = most
    rows: list[Row] = []
    means: dict[str, list[float]] = {}
    for name in SETS:
        run.say(name)
        given = sample(read(folder, name), most)
        truth = [one.unsupported for one in given]
        marked = scored([case_of(one.answer, one.documents) for one in given], run.say)
        bare = scored_without_marks(
            [Case.of(one.answer, context=list(one.documents)) for one in given], run.say
        )
        found = {
            "marks": [one.score for one in marked],
            "selfcheck-grounding": [one.score for one in bare],
            "new words": [new_words(one.answer, one.documents) for one in given],
        }
        rows.append(Row.shown(f"{name}: answers", len(given)))
        for said, scores in found.items():
            area = auc(scores, truth)
            rows.append(Row.shown(f"{name}: AUROC, {said}", area))
            means.setdefault(said, []).extend([] if area is None else [area])
        for said, flags in (("marks", marked), ("selfcheck-grounding", bare)):
            accuracy = balanced_accuracy([one.flagged for one in flags], truth)
            rows.append(Row.shown(f"{name}: balanced accuracy, {said}", accuracy))
    return [
        *rows,
        *(Row.shown(f"mean of the sets: AUROC, {said}", sum(own) / len(own)) for said, own in means.items()),
    ]
