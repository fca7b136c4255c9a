"""Continuing texts that share their beginnings: what is computed of one serves all, now and in later calls."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import TYPE_CHECKING, Any

import numpy as np

from guardrail._log import log
from guardrail.backends.batching import batches
from guardrail.backends.language_model._decoding import DecodingBatch, Tip
from guardrail.backends.language_model._plain import PlainTextNodes
from guardrail.backends.language_model._prefixes import Path, Prefixes, shared
from guardrail.backends.language_model._rows import Buffer, Tree

if TYPE_CHECKING:
    from guardrail.backends.language_model._network import Causal

_CELLS = {"cpu": 2**24, "cuda": 2**27}  # of a mask, made at once
_PROBE = 8  # tokens on which sharing is tried
_COPY = 16  # pairs of tokens whose attention takes as long as loading a token's states, roughly


def possible(model: Causal) -> bool:
    """Whether what the model keeps of a text can be shared by texts that branch, tried on a few tokens.

    It cannot where states are summed up (state spaces) or thrown away (windows that slide within ours), nor where a model makes nothing
    of the places and masks it is given.
    """
    from transformers.cache_utils import DynamicCache, DynamicLayer, DynamicSlidingWindowLayer

    for layer in DynamicCache(config=model.network.config).layers:
        slides = type(layer) is DynamicSlidingWindowLayer and layer.sliding_window >= model.window
        if type(layer) is not DynamicLayer and not slides:  # a window that no text leaves throws nothing away
            return False
    store = Prefixes(0)
    base = np.arange(_PROBE, dtype=np.int64) % model.head.vocabulary
    texts = [base, np.concatenate([base[:3], base[5:2:-1]]), base[:4]]
    plain = PlainTextNodes(model)
    try:
        expected = plain.hidden(plain.open([tuple(text.tolist()) for text in texts]))
        for first, others in ((texts[2:], texts[:2]), (texts[:1], texts[1:])):
            store.clear()
            encode(model, store, first)  # then branches from what is known
            encode(model, store, others)
            ours = SharedTextNodes(model, store)
            found = ours.hidden(ours.open([tuple(text.tolist()) for text in texts]))
            if not _close(found, expected, model.precision):
                return False
            nodes = ours.open([tuple(base[:k].tolist()) for k in (3, 4)])
            grown = ours.extend(
                [(nodes[0], int(base[5])), (nodes[1], int(base[4])), (nodes[0], int(base[3]))]
            )
            grown = ours.extend([(grown[0], int(base[4])), (grown[1], int(base[5]))])
            [end] = ours.extend([(grown[0], int(base[3]))])
            if not _close(ours.hidden([end]), expected[1:2], model.precision):
                return False
    except (AttributeError, TypeError, ValueError, RuntimeError, IndexError) as error:
        log.info("prefixes_not_shared", model=model.name, error=repr(error))
        return False
    return True


def _close(found: Any, expected: Any, precision: str) -> bool:
    largest = float(expected.nan_to_num().abs().max()) or 1.0
    tolerance = (1e-4 if precision == "fp32" else 5e-2) * largest
    return bool(found.shape == expected.shape and found.allclose(expected, 0, tolerance, equal_nan=True))


def portions(
    model: Causal, paths: Sequence[Path], *, growth: Sequence[int] | None = None
) -> Iterator[list[int]]:
    """Texts that are worked on together, neighbours by their beginnings, so that their states fit into the bound.

    Args:
        model: whose memory it is.
        paths: the texts.
        growth: tokens that each may grow by; if given, each distinct text has its states for itself.
    """
    limit = model.memory // model.shape.bytes
    portion: list[int] = []
    size = 0
    for i in sorted(range(len(paths)), key=lambda i: _order(paths[i])):
        same = shared(paths[portion[-1]], paths[i]) if portion else 0
        alone = len(paths[i])
        more = alone - same
        if growth is not None:
            more = growth[i] + (alone if more else 0)
        if portion and size + more > limit:
            yield portion
            portion, size, more = [], 0, alone + (growth[i] if growth else 0)
        portion.append(i)
        size += more
    if portion:
        yield portion


def _order(path: Path) -> bytes:
    """Sorts texts by their tokens."""
    return path.astype(">i8").tobytes()


def encode(
    model: Causal, store: Prefixes, paths: Sequence[Path], *, given: Sequence[Sized] | None = None
) -> None:
    """Compute what is not known of some texts; then all of it is in the store.

    Args:
        model: computes it.
        store: keeps it.
        paths: the texts.
        given: the same, as often as they were asked for; for the count of what was reused.
    """
    given = paths if given is None else given
    started = time.perf_counter()
    waiting = [path for _, path in sorted({_order(path): path for path in paths}.items())]
    computed: list[tuple[int, int]] = []
    slots = 0
    while waiting:
        trees, waiting = _round(store, waiting)
        plan = batches([tree.new for tree in trees], budget=model.budget)
        for group in plan.groups:
            for part in _within(model, [trees[i] for i in group]):
                done, size = _compute(model, store, part)
                computed += done
                slots += size
    tokens = sum(size for size, _ in computed)
    model.book(
        seconds=time.perf_counter() - started,
        computed=computed,
        slots=slots,
        texts=len(given),
        reused=sum(map(len, given)) - tokens,
    )


def _round(store: Prefixes, paths: Sequence[Path]) -> tuple[list[Tree], list[Path]]:
    """Trees that may be computed at once, and the texts that wait for what these share with them."""
    groups: list[tuple[list[Path], list[int]]] = []
    later: list[Path] = []
    columns = new = 0  # of the last group
    for path in paths:
        known = store.known(path)
        if known == len(path):
            continue
        size = len(path)
        if groups:
            same = shared(groups[-1][0][-1], path)
            more, fresh = size - same, size - max(same, known)
            apart = new * columns + fresh * size + _COPY * size
            if (new + fresh) * (columns + more) <= apart:
                groups[-1][0].append(path)
                groups[-1][1].append(known)
                columns, new = columns + more, new + fresh
                continue
            if same > known:
                later.append(path)
                continue
        groups.append(([path], [known]))
        columns, new = size, size - known
    return [Tree(*group) for group in groups], later


def _within(model: Causal, trees: Sequence[Tree]) -> Iterator[list[Tree]]:
    """Parts whose states fit into the bound."""
    limit = model.memory // model.shape.bytes
    part: list[Tree] = []
    widest = 0
    for tree in trees:
        widest = max(widest, tree.held + tree.new)
        if part and widest * (len(part) + 1) > limit:
            yield part
            part, widest = [], tree.held + tree.new
        part.append(tree)
    yield part


def _compute(model: Causal, store: Prefixes, trees: Sequence[Tree]) -> tuple[list[tuple[int, int]], int]:
    """One batch; gives (tokens, columns that they see) per pass, and the tokens with padding."""
    import torch

    held, new = max(tree.held for tree in trees), max(tree.new for tree in trees)
    buffer = Buffer(model, len(trees), held + new)
    buffer.length = held
    ids, places = np.zeros((2, len(trees), new), dtype=np.int64)
    sights = []
    for row, tree in enumerate(trees):
        buffer.load(row, tree, store)
        for path, (start, stop, first) in zip(tree.paths, tree.fresh, strict=True):
            ids[row, first : first + stop - start] = path[start:stop]
            places[row, first : first + stop - start] = np.arange(start, stop)
        sights.append(tree.sight(held))
    step = max(1, model.budget // len(trees))
    step = max(1, min(step, _CELLS[model.device.partition(":")[0]] // (len(trees) * (held + new))))
    found, done = [], []
    for first in range(0, new, step):
        last = min(new, first + step)
        seen = np.zeros((len(trees), last - first, held + last), dtype=bool)
        seen[:, np.arange(last - first), held + np.arange(first, last)] = True  # padding sees itself
        for row, sight in enumerate(sights):
            part = sight[first:last, : held + last]
            seen[row, : part.shape[0], : part.shape[1]] |= part
        tokens = sum(max(0, min(last, tree.new) - first) for tree in trees)
        done.append((tokens, sum(int(sight[first:last].sum()) for sight in sights)))
        found.append(buffer.forward(ids[:, first:last], places[:, first:last], seen))
    hidden = torch.cat(found, 1)
    for row, tree in enumerate(trees):
        for path, (start, stop, first) in zip(tree.paths, tree.fresh, strict=True):
            end = first + stop - start
            states = buffer.states[:, :, row, :, held + first : held + end]
            store.put(path, start, states, hidden[row, first:end])
    return done, len(trees) * new


class SharedTextNodes:
    """Draws of some texts; see `Texts`. Called while nobody else uses the model."""

    def __init__(self, model: Causal, store: Prefixes) -> None:
        self._model = model
        self._store = store
        self._count = 0
        self._paths: dict[int, Path] = {}  # of the nodes that were given
        self._tips: dict[int, Tip] = {}  # of those that grow
        self._batches: list[DecodingBatch] = []

    def open(self, paths: Sequence[tuple[int, ...]]) -> list[int]:
        """See `TextNodes`."""
        known: dict[tuple[int, ...], int] = {}
        for path in paths:
            if path not in known:
                known[path] = self._add()
                self._paths[known[path]] = np.array(path, dtype=np.int64)
        encode(self._model, self._store, [self._paths[node] for node in known.values()], given=paths)
        return [known[path] for path in paths]

    def extend(self, moves: Sequence[tuple[int, int]]) -> list[int]:
        """See `TextNodes`."""
        if not self._batches:
            self._begin([node for node, _ in moves])
        started = time.perf_counter()
        numbers: dict[tuple[int, int], int] = {}
        tips = []
        for node, token in moves:
            if (node, token) not in numbers:
                numbers[node, token] = number = self._add()
                self._tips[number] = self._tips[node].next(token)
                tips.append(self._tips[number])
        computed, slots = [], 0
        for batch in self._batches:
            mine = [tip for tip in tips if tip.row.batch is batch]
            if mine:
                done, size = batch.step(mine)
                computed.append(done)
                slots += size
        self._model.book(seconds=time.perf_counter() - started, computed=computed, slots=slots)
        return [numbers[move] for move in moves]

    def hidden(self, nodes: Sequence[int]) -> Any:
        """See `TextNodes`."""
        import torch

        return torch.stack([self._behind(node) for node in nodes])

    def states(self, node: int, start: int) -> list[tuple[int, int, Any]]:
        """What the head reads behind the tokens of a given text from `start` on: each with a name that is its own."""
        path = self._paths[node]
        return [
            (id(segment), place, segment.hidden[place])
            for segment, first, last in self._store.slices(path, start, len(path))
            for place in range(first, last)
        ]

    def keep(self, nodes: Iterable[int]) -> None:
        """See `TextNodes`."""
        tips = [self._tips[node] for node in nodes if node in self._tips]
        for batch in self._batches:
            batch.keep({tip.row for tip in tips if tip.row.batch is batch}, self._store)

    def close(self) -> None:
        """Keep what was drawn, as far as the bound allows."""
        for batch in self._batches:
            batch.keep(set(), self._store)
        self._batches = []
        self._store.trim()

    def _begin(self, nodes: Sequence[int]) -> None:
        """A row for every text that goes on. Rows with as many continuations share a batch."""
        counts = {node: nodes.count(node) for node in nodes}
        distinct = list(counts)
        plan = batches([counts[node] for node in distinct], budget=self._model.budget)
        for group in plan.groups:
            batch = DecodingBatch(self._model, self._store, [self._paths[distinct[i]] for i in group])
            self._batches.append(batch)
            for i, row in zip(group, batch.rows, strict=True):
                self._tips[distinct[i]] = row.root

    def _behind(self, node: int) -> Any:
        path = self._paths.get(node)
        if path is None:
            return self._tips[node].hidden
        [(segment, place, _)] = self._store.slices(path, len(path) - 1, len(path))
        return segment.hidden[place]

    def _add(self) -> int:
        self._count += 1
        return self._count
