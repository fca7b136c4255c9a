"""What a model has computed of texts, kept by their beginnings: a tree of segments with a bound on its bytes."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Path: TypeAlias = NDArray[np.int64]


def shared(one: Path, other: Path) -> int:
    """How many tokens two texts have in common at their beginning.

    >>> shared(np.array([3, 1, 4]), np.array([3, 1, 5, 9]))
    2
    """
    size = min(len(one), len(other))
    apart = np.flatnonzero(one[:size] != other[:size])
    return int(apart[0]) if len(apart) else size


@dataclass(frozen=True, slots=True)
class Shape:
    """What a model keeps of a token.

    Attributes:
        layers: how many.
        heads: of keys and values, in each.
        size: dimensions of a key and of a value.
        width: dimensions of a hidden state.
        kind: torch's type of all of them.
    """

    layers: int
    heads: int
    size: int
    width: int
    kind: Any

    @property
    def bytes(self) -> int:
        """Per token."""
        return int((2 * self.layers * self.heads * self.size + self.width) * self.kind.itemsize)


@dataclass(slots=True, eq=False)
class Segment:
    """Some tokens behind those of its parent.

    Attributes:
        tokens: shape (n,).
        states: keys and values, shape (layers, 2, heads, n, size).
        hidden: what the head reads behind each token, shape (n, dimensions).
        parent: `None` of the root, which has no tokens.
        children: by their first token.
        used: when it was last asked for.
    """

    tokens: Path
    states: Any = None
    hidden: Any = None
    parent: Segment | None = None
    children: dict[int, Segment] = field(default_factory=dict)
    used: int = 0

    @property
    def bytes(self) -> int:
        """Of keys, values and hidden states."""
        return 0 if self.states is None else int(self.states.nbytes + self.hidden.nbytes)


class Prefixes:
    """The segments.

    Args:
        limit: bytes that `trim` leaves at the most.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self._root = Segment(np.zeros(0, dtype=np.int64))
        self._clock = 0
        self.bytes = 0

    def known(self, path: Path) -> int:
        """How many tokens of a text are there, from its beginning on; they are the last to be forgotten now."""
        self._clock += 1
        return sum(stop - start for _, start, stop in self._walk(path))

    def slices(self, path: Path, start: int, stop: int) -> list[tuple[Segment, int, int]]:
        """Where the tokens start..stop of a text are, all of which are there: segments and places in them."""
        found = []
        at = 0
        for segment, _, size in self._walk(path):
            first, last = max(0, start - at), min(size, stop - at)
            if first < last:
                found.append((segment, first, last))
            at += size
        return found

    def put(self, path: Path, start: int, states: Any, hidden: Any) -> None:
        """Keep what was computed of a text from token `start` on, before which all is there.

        What is there already is not replaced.

        Args:
            path: the whole text.
            start: its first token that is given.
            states: shape (layers, 2, heads, tokens, size); copied.
            hidden: shape (tokens, dimensions); copied.
        """
        way = self._walk(path)
        at = sum(size for _, _, size in way)
        if at == len(path):
            return
        parent = self._root
        if way:
            parent, _, size = way[-1]
            if size < len(parent.tokens):
                self._split(parent, size)
        rest = Segment(
            path[at:].copy(),
            states[:, :, :, at - start :].clone(),
            hidden[at - start :].clone(),
            parent,
            used=self._clock,
        )
        parent.children[int(path[at])] = rest
        self.bytes += rest.bytes

    def trim(self) -> None:
        """Forget what was not asked for the longest, ends first, until the bound is kept."""
        if self.bytes <= self.limit:
            return
        waiting = [(leaf.used, id(leaf), leaf) for leaf in self._segments() if not leaf.children]
        heapq.heapify(waiting)
        while waiting and self.bytes > self.limit:
            _, _, leaf = heapq.heappop(waiting)
            parent = leaf.parent
            if parent is None:
                return
            del parent.children[int(leaf.tokens[0])]
            self.bytes -= leaf.bytes
            if not parent.children:
                heapq.heappush(waiting, (parent.used, id(parent), parent))

    def _walk(self, path: Path) -> list[tuple[Segment, int, int]]:
        """The segments along a text, of the last perhaps only the beginning: (segment, 0, tokens)."""
        found = []
        at, segment = 0, self._root
        while at < len(path):
            below = segment.children.get(int(path[at]))
            if below is None:
                break
            below.used = self._clock
            size = shared(below.tokens, path[at:])
            found.append((below, 0, size))
            at += size
            if size < len(below.tokens):
                break
            segment = below
        return found

    def _split(self, segment: Segment, size: int) -> None:
        """Let a segment end after so many tokens; the others become its child."""
        rest = Segment(
            segment.tokens[size:].copy(),
            segment.states[:, :, :, size:].clone(),
            segment.hidden[size:].clone(),
            segment,
            segment.children,
            segment.used,
        )
        for below in rest.children.values():
            below.parent = rest
        segment.tokens = segment.tokens[:size].copy()
        segment.states = segment.states[:, :, :, :size].clone()
        segment.hidden = segment.hidden[:size].clone()
        segment.children = {int(rest.tokens[0]): rest}

    def _segments(self) -> list[Segment]:
        found, waiting = [], list(self._root.children.values())
        while waiting:
            segment = waiting.pop()
            found.append(segment)
            waiting += segment.children.values()
        return found
