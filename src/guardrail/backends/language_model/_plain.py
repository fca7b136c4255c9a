"""Continuing texts without sharing anything: every text is read from its beginning for every token.

It is slow and right for every causal model, whatever it keeps of what it has read.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from guardrail.backends.batching import batches
from guardrail.backends.language_model._head import hidden_states

if TYPE_CHECKING:
    from guardrail.backends.language_model._network import Causal

Path: TypeAlias = tuple[int, ...]


class TextNodes(Protocol):
    """Texts as tokens, each a node: what comes next, and what it becomes by one more token."""

    def open(self, paths: Sequence[Path]) -> list[int]:
        """A node per text; equal texts are one node."""
        ...

    def extend(self, moves: Sequence[tuple[int, int]]) -> list[int]:
        """A node per pair of node and token; equal ones are one node."""
        ...

    def hidden(self, nodes: Sequence[int]) -> Any:
        """What the head reads behind each text, shape (nodes, dimensions)."""
        ...

    def keep(self, nodes: Iterable[int]) -> None:
        """Only these will be asked for again."""
        ...


class PlainTextNodes:
    """See the module. Called while nobody else uses the model."""

    def __init__(self, model: Causal) -> None:
        self._model = model
        self._paths: list[Path] = []
        self._nodes: dict[Path, int] = {}

    def open(self, paths: Sequence[Path]) -> list[int]:
        """See `TextNodes`."""
        return [self._node(path) for path in paths]

    def extend(self, moves: Sequence[tuple[int, int]]) -> list[int]:
        """See `TextNodes`."""
        return [self._node((*self._paths[node], token)) for node, token in moves]

    def hidden(self, nodes: Sequence[int]) -> Any:
        """See `TextNodes`."""
        import torch

        started = time.perf_counter()
        model = self._model
        paths = [self._paths[node] for node in nodes]
        plan = batches([len(path) for path in paths], budget=model.budget)
        found: list[Any] = [None] * len(paths)
        for group in plan.groups:
            states = hidden_states(model.network, *model.padded([paths[i] for i in group]))
            for row, i in enumerate(group):
                found[i] = states[row, len(paths[i]) - 1]
        sizes = [[len(paths[i]) for i in group] for group in plan.groups]
        computed = [(sum(group), sum(size * size for size in group)) for group in sizes]
        model.book(seconds=time.perf_counter() - started, computed=computed, slots=plan.slots)
        return torch.stack(found)

    def keep(self, nodes: Iterable[int]) -> None:
        """See `TextNodes`; nothing is kept that could be let go."""

    def _node(self, path: Path) -> int:
        known = self._nodes.get(path)
        if known is None:
            known = self._nodes[path] = len(self._paths)
            self._paths.append(path)
        return known
