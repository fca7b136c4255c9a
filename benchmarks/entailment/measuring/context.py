"""Answers against documents, on a labelled set: chosen on the tuning half; the unseen half with --unseen only."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from benchmarks._recording import agreement_row, same_arithmetic
from benchmarks._rows import Value
from benchmarks._stats import auc, resampled
from benchmarks._table import Row
from benchmarks.entailment.measuring.checked import Remembered, scores
from benchmarks.entailment.measuring.choices import CONTEXT, Choice, cheapest
from benchmarks.entailment.setting import KEEP, LABELLED, Floats, Setting
from guardrail import Case
from guardrail.errors import InputError
from guardrail.selfcheck.nli.check import DOCUMENTS
from guardrail.statistics.decisions import f1

__all__ = [
    "Answered",
    "Scored",
    "best_threshold",
    "by_kind",
    "read",
    "rows",
    "scores_by_choice",
]

TUNING, UNSEEN = "tuning", "unseen"
_REPLICATES = 2_000
_CHECKED = 16  # where scores are recorded, one answer in so many is scored anew

Truth: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Answered:
    """A row of the labelled set; see its README."""

    half: str
    kind: str
    documents: tuple[str, ...]
    answer: str
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scored:
    """All sentences of some answers.

    Attributes:
        scores: larger = rather not supported.
        wrong: contradicted or extrinsic.
        groups: a number per set of documents.
        kinds: of the row that a sentence stands in.
    """

    scores: Floats
    wrong: Truth
    groups: NDArray[np.int64]
    kinds: tuple[str, ...]


def read(path: Path = LABELLED, *, half: str) -> list[Answered]:
    """The rows of one half; the other's are passed over.

    Raises:
        InputError: the file is absent or of another form.
    """
    try:
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        return [
            Answered(half, row["kind"], tuple(row["documents"]), row["answer"], tuple(row["labels"]))
            for row in lines
            if row["half"] == half
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"expected labelled answers, got {error!r} from {path.name}") from error


def rows(setting: Setting) -> list[Row]:
    """The choices on the tuning half, then its figures, and with --unseen those of the other half."""
    model = {"entailment": Remembered(setting.model("mini", precision="auto"))}
    tuning = read(half=TUNING)
    agreed = _agreement(setting, tuning, model)
    if setting.run.fast and any(row.ok is None for row in agreed):
        return agreed
    tried = {choice: _tried(setting, tuning, choice, model) for choice in CONTEXT}
    areas = {choice: auc(one.scores, one.wrong) for choice, one in tried.items()}
    found = [Row.shown(f"context, tuning half, {choice}: AUROC", area) for choice, area in areas.items()]
    chosen = cheapest([(choice, 100.0 * (area or 0.0)) for choice, area in areas.items()])
    limit = best_threshold(tried[chosen].scores, tried[chosen].wrong)
    found += [
        Row.shown("context: the options chosen on the tuning half", str(chosen)),
        Row.shown("context: the threshold chosen on the tuning half", limit),
        Row.shown("context: the default threshold of not_entailed", DOCUMENTS),
        *_half_rows(TUNING, tried[chosen], limit),
        *agreed,
    ]
    if not getattr(setting.run.options, "unseen", False):
        return [*found, Row.missing("context, unseen half: all rows", "scored with --unseen only")]
    unseen = read(half=UNSEEN)
    return found + _half_rows(UNSEEN, _scored(unseen, _scores(unseen, chosen, model)), limit)


def scores_by_choice(setting: Setting) -> dict[str, Floats]:
    """What is recorded of this part: of every choice the scores of all sentences of the tuning half."""
    model = {"entailment": Remembered(setting.model("mini", precision="auto"))}
    tuning = read(half=TUNING)
    return {_name(choice): _tried(setting, tuning, choice, model).scores for choice in CONTEXT}


def _name(choice: Choice) -> str:
    return f"context, {choice}"


def _tried(
    setting: Setting, answers: Sequence[Answered], choice: Choice, model: dict[str, Remembered]
) -> Scored:
    kept = setting.kept(_name(choice))
    if kept is None:
        return _scored(answers, _scores(answers, choice, model))
    ends = np.cumsum([len(one.labels) for one in answers])[:-1]
    return _scored(answers, [part.tolist() for part in np.split(kept, ends)])


def _agreement(setting: Setting, answers: Sequence[Answered], model: dict[str, Remembered]) -> list[Row]:
    """Whether what is recorded is what the model says now, by every choice: of a few answers with --fast, else of all."""
    if setting.recording is None or (outdated := setting.outdated("context")):
        return [] if setting.recording is None else outdated
    starts = np.cumsum([0, *(len(one.labels) for one in answers)])
    some = range(0, len(answers), _CHECKED if setting.run.fast else 1)
    kept, now = list[float](), list[float]()
    for choice in CONTEXT:
        values = setting.recording.scores[_name(choice)]
        kept += [value for i in some for value in values[starts[i] : starts[i + 1]].tolist()]
        now += [value for one in _scores([answers[i] for i in some], choice, model) for value in one]
    return [
        agreement_row(
            "context: recorded scores, largest |Δ| to those computed now",
            kept,
            now,
            exact=same_arithmetic(setting.recording.made.get("auto", ""), model["entailment"].fingerprint),
            command=KEEP,
        )
    ]


def _scores(answers: Sequence[Answered], choice: Choice, model: dict[str, Remembered]) -> list[list[float]]:
    cases = [Case(answer=one.answer, context=one.documents) for one in answers]
    return scores(choice.detector(against="context"), cases, model)


def _scored(answers: Sequence[Answered], values: Sequence[Sequence[float]]) -> Scored:
    if [len(one.labels) for one in answers] != [len(one) for one in values]:
        raise InputError("expected a label of every sentence of the labelled answers")
    numbers = {documents: i for i, documents in enumerate(dict.fromkeys(one.documents for one in answers))}
    each = [one for one in answers for _ in one.labels]
    return Scored(
        np.concatenate([np.asarray(one, dtype=np.float64) for one in values]),
        np.array([label != "supported" for one in answers for label in one.labels]),
        np.array([numbers[one.documents] for one in each]),
        tuple(one.kind for one in each),
    )


def best_threshold(scores: Floats, wrong: Truth) -> float:
    """The threshold of the best F1: half-way between the two scores that it parts.

    Example:
        >>> best_threshold(np.array([0.25, 0.5, 0.75]), np.array([False, False, True]))
        0.625
    """
    values = np.unique(scores)
    cuts: list[float] = [float(values[0]), *((values[1:] + values[:-1]) / 2).tolist()]
    return max(cuts, key=lambda cut: f1(scores >= cut, wrong) or 0.0)


def _half_rows(half: str, one: Scored, limit: float) -> list[Row]:
    title = f"context, {half} half"
    area = resampled(one.groups, lambda rows: auc(one.scores[rows], one.wrong[rows]), replicates=_REPLICATES)
    at = resampled(
        one.groups, lambda rows: f1(one.scores[rows] >= limit, one.wrong[rows]), replicates=_REPLICATES
    )
    return [
        Row.shown(f"{title}: sentences", len(one.wrong)),
        Row.shown(f"{title}: AUROC, supported against the rest", auc(one.scores, one.wrong), interval=area),
        Row.shown(f'{title}: F1 of "not supported"', f1(one.scores >= limit, one.wrong), interval=at),
        *_default_rows(title, one),
        *(Row.shown(f"{title}, {kind}: right", value) for kind, value in by_kind(one, limit).items()),
    ]


def _default_rows(title: str, one: Scored) -> list[Row]:
    """At the threshold that ships, which was not chosen on these sentences."""
    flagged = one.scores >= DOCUMENTS
    return [
        Row.shown(
            f'{title}, default threshold: F1 of "not supported"', f1(one.scores >= DOCUMENTS, one.wrong)
        ),
        *(
            Row.shown(
                f"{title}, default threshold: flagged of the {name}", f"{sum(flagged & own)} of {sum(own)}"
            )
            for name, own in (("supported ones", ~one.wrong), ("others", one.wrong))
        ),
    ]


def by_kind(one: Scored, limit: float) -> dict[str, Value]:
    """By kind of row, how many sentences are on their side of the threshold ("5 of 6")."""
    good = (one.scores >= limit) == one.wrong
    found: dict[str, Value] = {}
    for kind in sorted(set(one.kinds)):
        own = np.array([each == kind for each in one.kinds])
        found[kind] = f"{int(good[own].sum())} of {int(own.sum())}"
    return found
