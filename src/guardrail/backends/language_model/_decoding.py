"""Texts that grow token by token in one batch, a row for each beginning."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from guardrail.backends.language_model._prefixes import Path, Prefixes
from guardrail.backends.language_model._rows import Buffer, Tree

if TYPE_CHECKING:
    from guardrail.backends.language_model._network import Causal

Flags: TypeAlias = NDArray[np.bool_]


@dataclass(slots=True, eq=False)
class Tip:
    """The end of a text in a row; equal texts have one.

    Attributes:
        row: where it is.
        before: the tip that it continues; `None` of the row's beginning.
        token: what it adds to that.
        place: of this token in the text.
        column: where its states are; −1 until they are computed.
        seen: columns of its text; of the text before it until its own states are computed.
        hidden: what the head reads behind it.
        ended: whether nothing continues it.
    """

    row: _Row
    before: Tip | None
    token: int
    place: int
    seen: Flags
    column: int = -1
    hidden: Any = None
    ended: bool = True

    def next(self, token: int) -> Tip:
        """Its continuation."""
        self.ended = False
        return Tip(self.row, self, token, self.place + 1, self.seen)


@dataclass(slots=True, eq=False)
class _Row:
    """A beginning and all that grows from it.

    Attributes:
        batch: where it is computed.
        path: the beginning.
        number: of the row in its batch.
        tips: all but the beginning.
        root: the beginning's.
    """

    batch: DecodingBatch
    path: Path
    number: int
    tips: list[Tip] = field(default_factory=list)
    root: Tip = field(init=False)


class DecodingBatch:
    """Rows that go on together.

    Args:
        model: whose they are.
        store: where the beginnings are; all of them.
        paths: the beginnings.
    """

    def __init__(self, model: Causal, store: Prefixes, paths: Sequence[Path]) -> None:
        self._model = model
        held = max(map(len, paths))
        self._buffer = Buffer(model, len(paths), held + 16)
        self._buffer.length = held
        self.rows: list[_Row] = []
        for number, path in enumerate(paths):
            self._buffer.load(number, Tree([path], [len(path)]), store)
            seen = np.zeros(held, dtype=bool)
            seen[: len(path)] = True
            row = _Row(self, path, number)
            row.root = Tip(row, None, int(path[-1]), len(path) - 1, seen)
            self.rows.append(row)

    def step(self, tips: Sequence[Tip]) -> tuple[tuple[int, int], int]:
        """Compute new tips; gives their number and the columns that they see, and the number with padding."""
        buffer = self._buffer
        start = buffer.length
        rows: list[list[Tip]] = [[] for _ in self.rows]
        for tip in tips:
            tip.column = start + len(rows[tip.row.number])
            rows[tip.row.number].append(tip)
        most = max(map(len, rows))
        ids, places = np.zeros((2, len(rows), most), dtype=np.int64)
        sight = np.zeros((len(rows), most, start + most), dtype=bool)
        sight[:, np.arange(most), start + np.arange(most)] = True
        for number, own in enumerate(rows):
            for i, tip in enumerate(own):
                ids[number, i], places[number, i] = tip.token, tip.place
                sight[number, i, : len(tip.seen)] = tip.seen
                tip.seen = sight[number, i].copy()
        hidden = buffer.forward(ids, places, sight)
        for number, own in enumerate(rows):
            self.rows[number].tips += own
            for i, tip in enumerate(own):
                tip.hidden = hidden[number, i]
        seen = int(sum(tip.seen.sum() for tip in tips))
        return (len(tips), seen), len(rows) * most

    def keep(self, rows: AbstractSet[_Row], store: Prefixes) -> None:
        """Let the others go as soon as they are half of all; what they computed goes into the store."""
        if 2 * len(rows) > len(self.rows) or not self.rows:
            return
        for row in self.rows:
            if row not in rows:
                self._save(row, store)
        self.rows = [row for row in self.rows if row in rows]
        if self.rows:
            self._buffer.select([row.number for row in self.rows])
        for number, row in enumerate(self.rows):
            row.number = number

    def _save(self, row: _Row, store: Prefixes) -> None:
        import torch

        for tip in row.tips:
            if not tip.ended:
                continue
            way: list[Tip] = []
            one: Tip | None = tip
            while one is not None and one.before is not None:
                way.append(one)
                one = one.before
            way.reverse()
            path = np.concatenate([row.path, np.array([step.token for step in way], dtype=np.int64)])
            columns = torch.tensor([step.column for step in way], device=self._buffer.states.device)
            states = self._buffer.states[:, :, row.number].index_select(3, columns)
            store.put(path, len(row.path), states, torch.stack([step.hidden for step in way]))
        row.tips = []
