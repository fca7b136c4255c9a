"""Tasks with labels: which rows may be learnt, which are asked, and the pairs of one cell.

Rows are parted by a hash of their first text, so that the two questions that share one, or the same premise with
another hypothesis, never are on both sides.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import numpy as np

from guardrail.errors import InputError
from guardrail.report import Example

__all__ = ["TASKS", "Cell", "Rows", "draw", "read"]

TASKS = ("sst2", "subj", "agnews", "mqp", "rte", "wnli", "financial_phrasebank", "mrpc")
"""Files; the first six are those of the paper's figures."""

_APART = 5  # every fifth group of rows is kept for the evaluation


@dataclass(frozen=True, slots=True)
class Rows:
    """One task.

    Attributes:
        task: its file's name.
        learnt: what a vocabulary may be learnt from besides.
        asked: what contexts and queries are drawn from.
    """

    task: str
    learnt: tuple[Example, ...]
    asked: tuple[Example, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """What is asked at once: one training set, and all that is measured with it.

    Attributes:
        task: its file's name.
        n: size of the training set.
        seed: number of the set.
        train: D_train, response-balanced, in random order.
        evaluation: D_eval, drawn from what is left, whatever the labels.
        tests: queries with their true labels.
    """

    task: str
    n: int
    seed: int
    train: tuple[Example, ...]
    evaluation: tuple[Example, ...]
    tests: tuple[Example, ...]


def read(folder: Path, task: str) -> Rows:
    """The rows of one task, in the file's order.

    Raises:
        InputError: the file cannot be read, or a line is none of a labelled input.
    """
    path = folder / f"{task}.jsonl"
    learnt: list[Example] = []
    asked: list[Example] = []
    try:
        for line in path.read_text(encoding="utf-8").strip().split("\n"):  # others than \n are text
            row = json.loads(line)
            example = Example(input=row["input"], label=row["label"])
            group = " ".join(str(row.get("text1") or row["input"]).casefold().split())
            number = int.from_bytes(blake2b(group.encode(), digest_size=8).digest())
            (learnt if number % _APART else asked).append(example)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"expected one labelled input a line in {path.name!r}, got {error!r}") from error
    return Rows(task, tuple(learnt), tuple(asked))


def draw(rows: Rows, *, n: int, seed: int, horizon: int = 5, tests: int = 10) -> Cell:
    """The sets of one cell, without a row in two of them; they depend on the rows and these numbers alone.

    Args:
        rows: of the task.
        n: size of the training set. Each label is in it n/labels times; if that is no whole number, labels
            that are there once more are drawn.
        seed: number of the cell.
        horizon: size of the evaluation set, N − n.
        tests: how many queries.

    Raises:
        InputError: there are too few rows.
    """
    random = np.random.default_rng([zlib.crc32(rows.task.encode()), n, seed])
    labels = sorted({row.label for row in rows.asked})
    order = [int(i) for i in random.permutation(len(rows.asked))]
    chosen: list[int] = []
    for place, label in enumerate(random.permutation(len(labels)).tolist()):
        wanted = n // len(labels) + (place < n % len(labels))
        found = [i for i in order if rows.asked[i].label == labels[label]][:wanted]
        if len(found) < wanted:
            raise InputError(
                f"{rows.task}: expected {wanted} rows of the label {labels[label]!r}, got {len(found)}"
            )
        chosen += found
    taken = set(chosen)
    rest = [i for i in order if i not in taken]
    if not labels or len(rest) < horizon + tests:
        raise InputError(f"{rows.task}: expected {n + horizon + tests} rows, got {len(rows.asked)}")
    train = [chosen[i] for i in random.permutation(len(chosen)).tolist()]
    sets = (train, rest[:horizon], rest[horizon : horizon + tests])
    return Cell(rows.task, n, seed, *(tuple(rows.asked[i] for i in places) for places in sets))
