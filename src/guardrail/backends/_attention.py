"""Attention within texts that follow one another, in the plain way and in DeBERTa's."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, TypeAlias

from guardrail.backends._linear import has_any

if TYPE_CHECKING:
    from torch import Tensor

    Span: TypeAlias = tuple[int, int]

_BLOCK = 96  # queries at once: what is computed of them stays in the cache


class PlainAttention:
    """Soft-max of the products of queries and keys; the queries are scaled already."""

    def __init__(self, heads: int) -> None:
        self.heads = heads
        self._has_tiles = has_any("amx_bf16")

    def __call__(
        self, query: Tensor, key: Tensor, value: Tensor, *, asking: Sequence[Span], spans: Sequence[Span]
    ) -> Tensor:
        """The context of each query: as many rows as there are queries.

        Args:
            query: of all texts that ask, one behind the other.
            key: of all texts.
            value: of all texts.
            asking: where each text's queries begin and end.
            spans: where its keys and values do.
        """
        import torch

        parts = []
        for number, (a, b), (c, d) in _runs(asking, spans):
            q, k, v = (
                some.unflatten(0, (number, -1)).unflatten(-1, (self.heads, -1)).transpose(1, 2)
                for some in (query[a:b], key[c:d], value[c:d])
            )
            if q.dtype == torch.float32 or self._has_tiles:
                found = torch.nn.functional.scaled_dot_product_attention(q, k, v, scale=1)
            else:  # that function is half as fast as this in bfloat16, where no unit for matrices makes up for it
                found = (q @ k.transpose(-1, -2)).float().softmax(dim=-1).to(v.dtype) @ v
            parts.append(found.transpose(1, 2).reshape(b - a, -1))
        return torch.cat(parts)


class Distances:
    """DeBERTa's relative positions: which row of the model's table belongs to which distance of two tokens."""

    def __init__(self, encoder: Any) -> None:
        own = encoder.layer[0].attention.self
        self._span: int = own.pos_ebd_size
        self._buckets: int = own.position_buckets
        self._farthest: int = own.max_relative_positions
        self._last: tuple[int, Tensor] | None = None
        self.rows: Tensor = encoder.get_rel_embedding()[: 2 * self._span]

    def order(self, longest: int) -> Tensor:
        """The rows for the distances query - key = 1 - longest, …, longest - 1."""
        import torch
        from transformers.models.deberta_v2.modeling_deberta_v2 import make_log_bucket_position

        if self._last is None or self._last[0] != longest:
            steps = torch.arange(1 - longest, longest)
            if self._buckets > 0:
                steps = make_log_bucket_position(steps, self._buckets, self._farthest).long()
            self._last = longest, (steps + self._span).clamp(0, 2 * self._span - 1)
        return self._last[1]


class Disentangled:
    """Soft-max of q·k + q·K[δ] + k·Q[δ], δ = query - key; [he2021] eq. 4, with δ as transformers has it.

    Of m queries and n keys there are m + n - 1 distances, and as many columns has a product with the table, put
    in their order. Each further query reads one column further left, each further key one further right: the
    strides of the views. (The table for the queries is turned round, since strides are not negative.)

    Args:
        own: the library's attention of one layer.
        distances: shared by all layers.
        kind: of numbers.
    """

    def __init__(self, own: Any, distances: Distances, kind: Any) -> None:
        self.heads: int = own.num_attention_heads
        self.distances = distances
        self.scale = 1 / math.sqrt(own.query_proj.out_features / self.heads * (1 + len(own.pos_att_type)))
        self._keys = self._queries = None
        if "c2p" in own.pos_att_type:
            place = own.key_proj if own.share_att_key else own.pos_key_proj
            self._keys = self._split(place(distances.rows)).to(kind)
        if "p2c" in own.pos_att_type:
            place = own.query_proj if own.share_att_key else own.pos_query_proj
            self._queries = self._split(place(distances.rows) * self.scale).to(kind)

    def __call__(
        self, query: Tensor, key: Tensor, value: Tensor, *, asking: Sequence[Span], spans: Sequence[Span]
    ) -> Tensor:
        """As `PlainAttention`."""
        import torch

        longest = max(end - start for start, end in spans)
        order = self.distances.order(longest)
        keys = None if self._keys is None else self._keys[:, order.flip(0)].transpose(1, 2)
        queries = None if self._queries is None else self._queries[:, order].transpose(1, 2)
        context = torch.empty_like(query)
        for (a, b), (c, d) in zip(asking, spans, strict=True):
            k, v, n = self._split(key[c:d]), self._split(value[c:d]), d - c
            for top in range(0, b - a, _BLOCK):
                m = min(_BLOCK, b - a - top)
                shape, width = (self.heads, m, n), m + n - 1
                q = self._split(query[a + top : a + top + m])
                scores = torch.bmm(q, k.transpose(1, 2)).float()
                if keys is not None:
                    left = longest - top - m
                    some = torch.bmm(q, keys[:, :, left : left + width])
                    scores += some.as_strided(shape, (m * width, width - 1, 1), m - 1).float()
                if queries is not None:
                    left = longest - n + top
                    some = torch.bmm(k, queries[:, :, left : left + width])
                    scores += some.as_strided(shape, (n * width, 1, width - 1), n - 1).float()
                found = torch.bmm(scores.softmax(dim=-1).to(v.dtype), v)
                context[a + top : a + top + m] = found.transpose(0, 1).flatten(1)
        return context

    def _split(self, values: Tensor) -> Tensor:
        """Tokens x dimensions to heads x tokens x dimensions of a head, laid out anew once, not in each product."""
        return values.unflatten(-1, (self.heads, -1)).transpose(0, 1).contiguous()


def _runs(asking: Sequence[Span], spans: Sequence[Span]) -> Iterator[tuple[int, Span, Span]]:
    """Neighbours of the same length: how many, and where their queries and keys are."""
    for _, same in groupby(zip(asking, spans, strict=True), key=lambda both: both[1][1] - both[1][0]):
        run = list(same)
        yield len(run), (run[0][0][0], run[-1][0][1]), (run[0][1][0], run[-1][1][1])
