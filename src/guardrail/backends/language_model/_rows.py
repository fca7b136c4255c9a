"""Texts with a common beginning as one row of a batch: every token is in it once, and sees only those before it.

A row is a tree of tokens, one column each: first those that are known, then those that are computed. The mask says which
columns a token sees, so texts that branch need no copies of what they share.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from guardrail.backends.language_model._prefixes import Path, Prefixes, shared
from guardrail.backends.networks import memory_name

if TYPE_CHECKING:
    from guardrail.backends.language_model._network import Causal

Flags: TypeAlias = NDArray[np.bool_]


class Tree:
    """The columns of texts that share one row.

    Args:
        paths: the texts, in order of their tokens, each once.
        known: how many tokens of each are known.

    Attributes:
        loaded: per text the tokens (start, stop) whose states are loaded, and the first's column.
        fresh: per text the tokens (start, stop) that are computed, and the number of the first among all that are.
        held: how many columns are loaded.
        new: how many tokens are computed.
    """

    def __init__(self, paths: Sequence[Path], known: Sequence[int]) -> None:
        self.paths = paths
        self.loaded: list[tuple[int, int, int]] = []
        self.fresh: list[tuple[int, int, int]] = []
        self.held = self.new = 0
        self._columns: list[NDArray[np.int64]] = []
        for i, (path, there) in enumerate(zip(paths, known, strict=True)):
            same = shared(paths[i - 1], path) if i else 0
            first = max(same, there)
            columns = np.empty(len(path), dtype=np.int64)
            if i:
                columns[:same] = self._columns[i - 1][:same]
            columns[same:first] = self.held + np.arange(first - same)
            columns[first:] = -1 - self.new - np.arange(len(path) - first)  # told apart until `columns`
            self._columns.append(columns)
            self.loaded.append((same, first, self.held))
            self.fresh.append((first, len(path), self.new))
            self.held += first - same
            self.new += len(path) - first

    def columns(self, i: int, held: int) -> NDArray[np.int64]:
        """Where the tokens of a text are, if what is computed begins at column `held`."""
        own = self._columns[i]
        return np.where(own < 0, held - 1 - own, own)

    def sight(self, held: int) -> Flags:
        """Which columns each token that is computed sees, shape `(new, held + new)`."""
        found = np.zeros((self.new, held + self.new), dtype=bool)
        for i, (start, stop, first) in enumerate(self.fresh):
            columns = self.columns(i, held)
            rows = slice(first, first + stop - start)
            found[rows, columns[:start]] = True
            found[rows, held + first : held + first + stop - start] = np.tri(stop - start, dtype=bool)
        return found


class Buffer:
    """Keys and values of a batch of rows; grows by a column per token that is computed.

    Args:
        model: whose they are.
        rows: how many.
        columns: for how many there is room at first.
    """

    def __init__(self, model: Causal, rows: int, columns: int) -> None:
        import torch
        from transformers.cache_utils import Cache

        self._model = model
        shape = model.shape
        self.states = torch.zeros(
            (shape.layers, 2, rows, shape.heads, max(1, columns), shape.size),
            dtype=shape.kind,
            device=model.device,
        )  # zeros: what is not seen is multiplied by 0, and must be a number
        self.length = 0
        self._cache = Cache(layers=[_layer()(self, i) for i in range(shape.layers)])

    @property
    def rows(self) -> int:
        """How many."""
        return int(self.states.shape[2])

    def load(self, row: int, tree: Tree, store: Prefixes) -> None:
        """Put what is known into a row."""
        for path, (start, stop, column) in zip(tree.paths, tree.loaded, strict=True):
            at = column
            for segment, first, last in store.slices(path, start, stop):
                end = at + last - first
                self.states[:, :, row, :, at:end] = segment.states[:, :, :, first:last]
                at = end

    def forward(self, ids: NDArray[np.int64], places: NDArray[np.int64], sight: Flags) -> Any:
        """Compute one or more tokens per row; gives hidden states, shape (rows, tokens, dimensions).

        Args:
            ids: shape (rows, tokens).
            places: of each token in its text, the same shape.
            sight: which columns it sees, its own included, shape (rows, tokens, length + tokens).
        """
        import torch

        self._reserve(self.length + ids.shape[1])
        device = self._model.device
        seen = torch.from_numpy(sight).to(device)[:, None]
        kind = self._model.shape.kind
        mask = torch.zeros(seen.shape, dtype=kind, device=device).masked_fill_(~seen, torch.finfo(kind).min)
        trunk = self._model.network.base_model
        found = trunk(
            input_ids=torch.from_numpy(ids).to(device),
            attention_mask=mask,
            position_ids=torch.from_numpy(places).to(device),
            use_cache=True,
            **{memory_name(trunk): self._cache},
        ).last_hidden_state
        self.length += ids.shape[1]
        return found

    def select(self, rows: Sequence[int]) -> None:
        """Only these go on."""
        import torch

        self.states = self.states.index_select(2, torch.tensor(rows, device=self.states.device))

    def _reserve(self, columns: int) -> None:
        import torch

        room = self.states.shape[4]
        if columns > room:
            more = torch.zeros(
                (*self.states.shape[:4], max(columns, room + room // 2 + 16) - room, self.states.shape[5]),
                dtype=self.states.dtype,
                device=self.states.device,
            )
            self.states = torch.cat([self.states, more], 4)


@cache
def _layer() -> type[Any]:
    """The class of a layer's view of the buffer; made when transformers is there."""
    from transformers.cache_utils import DynamicLayer

    class Layer(DynamicLayer):  # type: ignore[misc, unused-ignore]  # untyped where transformers is not installed
        """One layer's keys and values: writes in place, where transformers' own copies all at every token."""

        def __init__(self, buffer: Buffer, number: int) -> None:
            super().__init__()
            self._buffer = buffer
            self._number = number

        def update(self, key_states: Any, value_states: Any, *_: Any, **__: Any) -> tuple[Any, Any]:
            start = self._buffer.length
            end = start + key_states.shape[-2]
            keys, values = self._buffer.states[self._number]
            keys[:, :, start:end] = key_states
            values[:, :, start:end] = value_states
            return keys[:, :, :end], values[:, :, :end]

        def get_seq_length(self) -> int:
            return self._buffer.length

    return Layer
