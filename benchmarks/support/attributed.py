"""Statements of chatbots and encyclopedias with what they cite: each as an answer with a mark on its documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from benchmarks._places import json_lines
from benchmarks._rows import Row
from benchmarks._stats import auc
from benchmarks._table import Run
from benchmarks.answers.statements import SETS, Statement, read, sample
from benchmarks.entailment.making.shapes.labelled import LEARNT
from benchmarks.support.marked import Scored, case_of, new_words, scored
from guardrail.statistics.decisions import f1

__all__ = ["attribution_rows", "judges_agree", "macro_f1", "set_rows"]

BENCH = (
    "AttributedQA", "HAGRID", "Stanford GenSearch", "AttrScore", "ExpertQA of AttributionBench", "LFQA of AttributionBench",
)  # fmt: skip
"""The parts of AttributionBench."""
_PUBLISHED = 0.80  # macro-F1 of AttributionBench: GPT-3.5, tuned on it


def attribution_rows(run: Run) -> list[Row]:
    """All sets; those that the packaged model has learnt from are named so, and are in no mean."""
    folder, most = run.data("attribution"), run.options.rows
    run.parameters["statements"] = most
    rows: list[Row] = []
    areas: dict[str, tuple[float | None, float | None]] = {}
    decided: dict[str, float | None] = {}
    for name in SETS:
        run.say(name)
        given = [one for one in sample(read(folder, name), most) if one.unsupported is not None]
        found = scored([case_of(one.bare, one.documents, question=one.question) for one in given], run.say)
        truth = [bool(one.unsupported) for one in given]
        words = [new_words(one.bare, one.documents) for one in given]
        areas[name] = auc([one.score for one in found], truth), auc(words, truth)
        decided[name] = macro_f1([one.flagged for one in found], truth)
        rows += set_rows(name, given, found, areas[name], decided[name])
    unseen = [name for name in SETS if name not in LEARNT]
    for number, said in enumerate(("ours", "new words")):
        own = [areas[name][number] for name in unseen]
        rows.append(Row.shown(f"mean of {len(unseen)} sets not learnt from: AUROC, {said}", _mean(own)))
    bench = _mean([decided[name] for name in BENCH])
    rows.append(
        Row.shown(
            "AttributionBench, mean of its sets: macro-F1 at the shipped threshold",
            bench,
            published=_PUBLISHED,
        )
    )
    labels = [
        [label == "supported" for label in row["labels"]]
        for row in json_lines(folder / "lfqa_verification" / "pairs.jsonl")
        if len(row["labels"]) == 3
    ]
    rows.append(
        Row.shown("lfqa_verification: agreement of one judge with the other two", judges_agree(labels))
    )
    return rows


def set_rows(
    name: str,
    given: Sequence[Statement],
    found: Sequence[Scored],
    areas: tuple[float | None, float | None],
    decided: float | None,
) -> Iterator[Row]:
    """The figures of one set."""
    called = f"{name} (learnt from)" if name in LEARNT else name
    truth = [bool(one.unsupported) for one in given]
    yield Row.shown(f"{called}: statements", len(given))
    yield Row.shown(f"{called}: share not supported", sum(truth) / len(truth) if truth else None)
    yield Row.shown(f"{called}: AUROC, ours", areas[0])
    yield Row.shown(f"{called}: AUROC, new words", areas[1])
    yield Row.shown(f"{called}: macro-F1 at the shipped threshold", decided)
    if name == "lfqa_verification":
        same = [one.flagged is label for one, label in zip(found, truth, strict=True)]
        yield Row.shown(f"{called}: agreement with the majority", sum(same) / len(same) if same else None)


def macro_f1(flagged: Sequence[bool], truth: Sequence[bool]) -> float | None:
    """The mean of F1 of what is flagged and F1 of what is not.

    Example:
        >>> macro_f1([True, True, False, False], [True, False, False, False])
        0.7333333333333334
    """
    if not truth:
        return None
    both = [f1(flagged, truth), f1([not one for one in flagged], [not one for one in truth])]
    return _mean(both)


def judges_agree(labels: Sequence[Sequence[bool]]) -> float | None:
    """How often a judge says what the other two say, where these agree: each of three left out in turn.

    Example:
        >>> judges_agree([[True, True, True], [True, True, False]])
        0.75
    """
    same = [
        one[left] == one[a]
        for one in labels
        for a, b in combinations(range(3), 2)
        for left in set(range(3)) - {a, b}
        if one[a] == one[b]
    ]
    return sum(same) / len(same) if same else None


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
