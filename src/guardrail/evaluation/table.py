"""The rows of a run as arrays: numbers only, so that a million rows fit in some tens of megabytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from guardrail.evaluation.rows import MEASURED, ResultRow, column_batches

Array: TypeAlias = NDArray[Any]

NUMBERS = (
    *("file", "row", "source", "detector", "finding", "start", "end", "score", "verdict", "label", "answer_label"),
    *MEASURED,
)  # fmt: skip
"""The columns that are needed."""

FLAGGED, SOUND, UNVERIFIED, NOTHING = 1, 0, -1, -2
_VERDICTS = {"unsupported": FLAGGED, "supported": SOUND, "unverified": UNVERIFIED, None: NOTHING}


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

    @property
    def answers(self) -> int:
        """How many answers there are."""
        return int(np.unique(self.answer).size)


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
        if mask.dtype == np.bool_ and mask.all():
            return self
        kept = {one.name: getattr(self, one.name)[mask] for one in fields(self) if one.name != "kind"}
        return Units(self.kind, **kept | {"source": _numbered(kept["source"])})


def gather(source: Path | Iterable[ResultRow]) -> Rows:
    """All rows of a file, or of memory; only numbers are kept, a batch of texts at a time."""
    names: dict[str, int] = {}
    chunks: list[list[Array]] = [[] for _ in _KINDS]
    for batch in column_batches(source, NUMBERS):
        for chunk, values, kind in zip(chunks, _numbers(batch, names), _KINDS, strict=True):
            chunk.append(values.astype(kind, copy=False))
    found: list[Array] = []
    for chunk, kind in zip(chunks, _KINDS, strict=True):
        empty = np.zeros((0, 3) if kind is np.float32 else 0, dtype=kind)
        found.append(np.concatenate(chunk) if chunk else empty)
        chunk.clear()  # one column is there twice, never all
    # in the order of the input, for folds depend on it, and hashes of texts differ between processes
    _, first, which = np.unique(found[3], return_index=True, return_inverse=True)
    found[3] = _numbered(first[which])
    return Rows(tuple(names), *found)


_KINDS = (np.int16, *[np.int64] * 3, np.int32, np.float64, *[np.int8] * 3, np.float32)


def _numbers(batch: Mapping[str, Any], names: dict[str, int]) -> list[Array]:
    """A batch of columns as arrays, in the order of `Rows`; detectors that are new get the next number."""
    answer = _hashed(batch["file"]) + _mixed(_filled(batch["row"], -1))
    place = answer + _mixed(_filled(batch["start"], -1) + 1) + _mixed(~_filled(batch["end"], -1))
    return [
        _mapped(batch["detector"], lambda name: names.setdefault(name, len(names))),
        answer.view(np.int64),
        _mixed(place).view(np.int64),
        _hashed(batch["source"]).view(np.int64),
        _filled(batch["finding"], -1),
        _filled(batch["score"], np.nan).astype(np.float64),
        _mapped(batch["verdict"], _VERDICTS.__getitem__),
        _filled(batch["label"], -1),
        _filled(batch["answer_label"], -1),
        np.stack([_filled(batch[name], 0.0).astype(np.float32) for name in MEASURED], axis=1),
    ]


def _filled(column: Any, empty: float) -> Array:
    """A column of numbers or truth values, with something in place of what is missing."""
    if isinstance(column, list):
        return np.asarray([empty if value is None else value for value in column])
    if str(column.type) == "bool":
        column = column.cast("int8")
    filled = column.fill_null(empty) if column.null_count else column
    found: Array = filled.to_numpy(zero_copy_only=False)
    return found


def _mapped(column: Any, number: Callable[[Any], int]) -> Array:
    """A number for each value; every different value of the batch is asked for once."""
    if isinstance(column, list):
        known: dict[Any, int] = {}
        codes = np.asarray([known.setdefault(value, len(known)) for value in column], dtype=np.int64)
        values = list(known)
    else:
        coded = column.dictionary_encode("encode")
        codes, values = coded.indices.to_numpy(), coded.dictionary.to_pylist()
    return np.asarray([number(value) for value in values], dtype=np.int64)[codes]


def _hashed(column: Any) -> Array:
    """Hashes of texts, the same within this process."""
    return _mapped(column, hash).view(np.uint64)


def _mixed(values: Array) -> Array:
    """Whole numbers scattered over 64 bits, different ones differently (the last steps of SplitMix64)."""
    z = values.astype(np.int64, copy=False).view(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


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
    return np.unique(values, return_inverse=True)[1].astype(np.int32)
