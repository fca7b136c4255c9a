"""The rows of a run as arrays: numbers only, so that a million rows fit in some tens of megabytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from guardrail.evaluation.rows import BATCH, ResultRow, read_columns

__all__ = ["Rows", "Units", "answers", "findings", "gather"]

Array: TypeAlias = NDArray[Any]
Batches: TypeAlias = Iterable[Mapping[str, Sequence[Any]]]

NUMBERS = (
    *(
        "file",
        "row",
        "source",
        "detector",
        "finding",
        "start",
        "end",
        "score",
        "verdict",
        "label",
        "answer_label",
    ),
    *("calls", "tokens", "seconds"),
)
"""The columns that are needed."""

FLAGGED, SOUND, UNVERIFIED, NOTHING = 1, 0, -1, -2
_VERDICTS = {"unsupported": FLAGGED, "supported": SOUND, "unverified": UNVERIFIED, None: NOTHING}
_LABELS = {True: 1, False: 0, None: -1}


@dataclass(frozen=True)
class Rows:
    """Every row, in order; text as whole numbers.

    Attributes:
        detectors: their names, in the order in which they first occur.
        detector: index into those.
        answer: the same number for rows of the same answer.
        place: the same number for findings about the same span of the same answer.
        source: the same number for rows of the same source.
        finding: as in `ResultRow`.
        score: NaN where there is none; never leaves this package as such.
        verdict: FLAGGED, SOUND, UNVERIFIED or NOTHING.
        label: 1 made up, 0 sound, -1 unknown.
        answer_label: the same of the whole answer.
        cost: shape (n, 3): calls, tokens, seconds.
    """

    detectors: tuple[str, ...]
    detector: Array
    answer: Array
    place: Array
    source: Array
    finding: Array
    score: Array
    verdict: Array
    label: Array
    answer_label: Array
    cost: Array


@dataclass(frozen=True)
class Units:
    """What one detector is judged by: findings, or whole answers.

    Attributes:
        kind: "finding" or "answer".
        key: identifies the unit in any run of the same file (within one process).
        row: where it is in the file of rows; of an answer the row with its highest score.
        source: the cluster, numbered from 0.
        score: NaN = could not be scored.
        verdict: of an answer the worst of its findings.
        label: 1, 0 or -1.
        cost: as in `Rows`.
    """

    kind: str
    key: Array
    row: Array
    source: Array
    score: Array
    verdict: Array
    label: Array
    cost: Array

    def only(self, mask: Array) -> Units:
        """Some of them, in the order of an index or where a mask is true."""
        return Units(
            self.kind,
            self.key[mask],
            self.row[mask],
            _numbered(self.source[mask]),
            self.score[mask],
            self.verdict[mask],
            self.label[mask],
            self.cost[mask],
        )


def batches(rows: Iterable[ResultRow]) -> Iterator[dict[str, list[Any]]]:
    """Rows in memory as batches of columns."""
    listed: list[ResultRow] = []
    for row in rows:
        listed.append(row)
        if len(listed) == BATCH:
            yield {name: [getattr(one, name) for one in listed] for name in NUMBERS}
            listed = []
    if listed:
        yield {name: [getattr(one, name) for one in listed] for name in NUMBERS}


def gather(source: Path | Iterable[ResultRow]) -> Rows:
    """All rows of a file, or of memory."""
    columns = read_columns(source, NUMBERS) if isinstance(source, Path) else batches(source)
    names: dict[str, int] = {}
    chunks: list[tuple[Array, ...]] = []
    for batch in columns:
        answers_of = [hash(pair) for pair in zip(batch["file"], batch["row"], strict=True)]
        spans = zip(answers_of, batch["start"], batch["end"], strict=True)
        cost = [np.asarray(batch[name], dtype=np.float32) for name in ("calls", "tokens", "seconds")]
        chunks.append(
            (
                np.asarray(
                    [names.setdefault(name, len(names)) for name in batch["detector"]], dtype=np.int16
                ),
                np.asarray(answers_of, dtype=np.int64),
                np.asarray([hash(one) for one in spans], dtype=np.int64),
                np.asarray([hash(one) for one in batch["source"]], dtype=np.int64),
                np.asarray(batch["finding"], dtype=np.int32),
                np.asarray(batch["score"], dtype=np.float64),  # None becomes NaN
                np.asarray([_VERDICTS[one] for one in batch["verdict"]], dtype=np.int8),
                np.asarray([_LABELS[one] for one in batch["label"]], dtype=np.int8),
                np.asarray([_LABELS[one] for one in batch["answer_label"]], dtype=np.int8),
                np.stack(cost, axis=1),
            )
        )
    if not chunks:
        kinds = (np.int16, *[np.int64] * 3, np.int32, np.float64, *[np.int8] * 3)
        empty: list[Array] = [np.zeros(0, dtype=kind) for kind in kinds]
        return Rows((), *[*empty, np.zeros((0, 3), dtype=np.float32)])
    whole = [np.concatenate(parts) for parts in zip(*chunks, strict=True)]
    whole[3] = _numbered(whole[3])
    return Rows(tuple(names), *whole)


def findings(rows: Rows, detector: int) -> Units:
    """The findings of a detector; answers without any are left out."""
    mine = np.flatnonzero((rows.detector == detector) & (rows.finding >= 0))
    return Units(
        "finding",
        rows.place[mine],
        mine,
        _numbered(rows.source[mine]),
        rows.score[mine],
        rows.verdict[mine],
        rows.label[mine],
        rows.cost[mine],
    )


def answers(rows: Rows, detector: int) -> Units:
    """The answers that a detector examined: its highest score, and the worst of its verdicts, for each.

    Unsupported is worse than unverified, which is worse than supported; the rows of an answer are neighbours.
    """
    mine = np.flatnonzero(rows.detector == detector)
    if not mine.size:
        return findings(rows, detector)
    key = rows.answer[mine]
    starts = np.flatnonzero(np.append(True, key[1:] != key[:-1]))
    score = rows.score[mine]
    filled = np.where(np.isnan(score), -np.inf, score)
    highest = np.maximum.reduceat(filled, starts)
    lengths = np.diff(np.append(starts, mine.size))
    top = np.flatnonzero(filled == np.repeat(highest, lengths))
    which = np.repeat(np.arange(starts.size), lengths)[top]
    best = top[np.unique(which, return_index=True)[1]]
    severity = np.select([rows.verdict[mine] == v for v in (FLAGGED, UNVERIFIED, SOUND)], [3, 2, 1], 0)
    worst = np.maximum.reduceat(severity, starts)
    return Units(
        "answer",
        key[starts],
        mine[best],
        _numbered(rows.source[mine][starts]),
        np.where(np.isinf(highest), np.nan, highest),
        np.array([NOTHING, SOUND, UNVERIFIED, FLAGGED], dtype=np.int8)[worst],
        rows.answer_label[mine][starts],
        np.add.reduceat(rows.cost[mine], starts, axis=0),
    )


def _numbered(values: Array) -> Array:
    """The same numbers for the same values, from 0 without gaps."""
    return np.unique(values, return_inverse=True)[1].astype(np.int64)
