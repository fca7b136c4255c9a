"""The layers of BERT, RoBERTa and DeBERTa (v2, v3) on a processor: the library's numbers in less time.

Why not the library's own forward pass? Measured on two AMD cores, a pair of 215 tokens, DeBERTa-v3-large:

- Linear layers are nearly all of the arithmetic. torch hands them to the MKL, which uses half the width of an AMD
  processor's registers; oneDNN, with weights laid out once, takes 2.3 times less time (`_linear`).
- Texts follow one another in one matrix. Nothing is masked, and nothing masked computed; one text of filler behind
  them makes sizes of matrices occur again (`batching.matrix_rows`).
- Only the first token's output is read by a classifier: of the last layer, only the first token is computed.
- DeBERTa projects its 512 relative positions anew in every layer and batch, gathers from them by an index as large
  as the scores, once per text and head. Here they are projected once per model; per layer the rows are put in the
  order of the distance between tokens, so that each diagonal of the scores is a column of a product, and a strided
  view of that product is the gathered matrix.
- In "bf16" only products are in bfloat16; sums over layers, norms and soft-max stay in float32, which is more exact,
  and faster, for torch's kernels for those are written for float32.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from guardrail._log import log
from guardrail.backends._attention import Disentangled, Distances, PlainAttention
from guardrail.backends._linear import can_pack, linear
from guardrail.backends.batching import matrix_rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Encoding
    from torch import Tensor

    Span: TypeAlias = tuple[int, int]

_KINDS = {"bert", "roberta", "xlm-roberta", "deberta-v2"}
_ACTIVATIONS = {"gelu", "relu"}
AGREES = {"fp32": 1e-4, "bf16": 0.1, "int8": 0.2}  # how far a probe may be from the library


def trunk(network: Any, *, precision: str, head: bool) -> Trunk | None:
    """The network for a processor, or `None` where only the library's own forward pass will do.

    That is so for other architectures, for options that are not known here, for a torch without oneDNN, and
    where a probe gives other vectors than the library. The layers' own weights are let go: they are here.

    Args:
        network: a classifier or an encoder of transformers, in float32 on the processor.
        precision: "fp32", "bf16" or "int8".
        head: whether it is a classifier.
    """
    import torch

    if not (can_pack() and _is_known(network.config)):
        return None
    with torch.inference_mode():
        try:
            found = Trunk(network, precision=precision, head=head)
            distance = probe(found)
        except (AttributeError, TypeError, ValueError, LookupError, RuntimeError, ImportError) as error:
            _give_up(network, f"{type(error).__name__}: {error}")
            return None
        if not distance < AGREES[precision]:
            _give_up(network, f"the vectors of a probe are off by {distance:.2g}")
            return None
    for layer in network.base_model.encoder.layer.modules():
        if isinstance(layer, torch.nn.Linear):
            layer.weight = torch.nn.Parameter(layer.weight[:0].clone(), requires_grad=False)
    return found


def _give_up(network: Any, why: str) -> None:
    log.warning("slow_forward", architecture=network.config.model_type, note=why)


def _is_known(config: Any) -> bool:
    if config.model_type not in _KINDS or config.hidden_act not in _ACTIVATIONS:
        return False
    if config.model_type == "deberta-v2":
        return bool(config.relative_attention) and set(config.pos_att_type or ()) <= {"c2p", "p2c"}
    absolute = getattr(config, "position_embedding_type", None) in {None, "absolute"}
    return absolute and not getattr(config, "is_decoder", False)


def probe(found: Trunk) -> float:
    """How far the vectors of two texts of unlike length are from the library's: of the difference, relative."""
    import torch

    lengths = (7, 4)
    ids = torch.arange(sum(lengths)) * 7_919 % max(1, found.base.config.vocab_size - 10) + 10
    padded = torch.zeros(len(lengths), max(lengths), dtype=torch.long)
    mask = torch.zeros_like(padded)
    for row, (start, end) in enumerate(_spans(lengths)):
        padded[row, : end - start], mask[row, : end - start] = ids[start:end], 1
    theirs = found.base(input_ids=padded, attention_mask=mask).last_hidden_state
    theirs = theirs[:, 0] if found.head else theirs[mask.bool()]
    return float((found.vectors(ids, None, lengths) - theirs).norm() / theirs.norm())


class Trunk:
    """Embeddings, layers and head of a transformer; see the module and `trunk`."""

    def __init__(self, network: Any, *, precision: str, head: bool) -> None:
        base = network.base_model
        own = base.config
        self.network, self.base, self.head = network, base, head
        distances = Distances(base.encoder) if own.model_type == "deberta-v2" else None
        # RoBERTa's places begin behind the padding's.
        self.first_place = getattr(base.embeddings, "padding_idx", -1) + 1
        self.layers = [_Layer(one, own.hidden_act, precision, distances) for one in base.encoder.layer]
        self.convolution = getattr(base.encoder, "conv", None)

    def __call__(self, inputs: Sequence[Encoding], *, typed: bool) -> Iterator[NDArray[np.float32]]:
        """The logits of each text, or its matrix tokens x dimensions."""
        import torch

        lengths = [len(one) for one in inputs]
        ids = torch.tensor([token for one in inputs for token in one.ids])
        types = torch.tensor([kind for one in inputs for kind in one.type_ids]) if typed else None
        found = self.vectors(ids, types, lengths)
        if self.head:
            pooler = getattr(self.network, "pooler", None) or getattr(self.base, "pooler", None)
            rows = found[:, None]  # a head reads the first of a text's vectors
            yield from self.network.classifier(rows if pooler is None else pooler(rows)).numpy()
            return
        matrix = found.numpy()
        for start, end in _spans(lengths):
            yield matrix[start:end].copy()  # not a view: it would keep the whole batch alive

    def vectors(self, ids: Tensor, types: Tensor | None, lengths: Sequence[int]) -> Tensor:
        """Of texts whose tokens follow one another: tokens x dimensions.

        For a head only those of the first tokens: texts x dimensions.
        """
        import torch

        count, tokens = len(lengths), sum(lengths)
        places = torch.cat([torch.arange(length) for length in lengths])
        if filler := matrix_rows(tokens) - tokens:
            ids, places = (torch.nn.functional.pad(one, (0, filler)) for one in (ids, places))
            types = None if types is None else torch.nn.functional.pad(types, (0, filler))
            lengths = [*lengths, filler]
        spans = _spans(lengths)
        places = places[None] + self.first_place
        kinds = None if types is None else types[None]
        start = self.base.embeddings(input_ids=ids[None], token_type_ids=kinds, position_ids=places)[0]
        hidden, convolution = start, self.convolution
        for layer in self.layers:
            firsts = self.head and layer is self.layers[-1] and convolution is None
            hidden = layer(hidden, spans, firsts=firsts)
            if convolution is not None:
                parts = [convolution(start[None, a:b], hidden[None, a:b], _ones(b - a))[0] for a, b in spans]
                hidden, convolution = torch.cat(parts), None
        if self.head and len(self.layers) == 1 and self.convolution is not None:
            hidden = hidden[[begin for begin, _ in spans]]
        return hidden[: count if self.head else tokens]


def _ones(length: int) -> Tensor:
    import torch

    return torch.ones(1, length, dtype=torch.long)


class _Layer:
    """One layer; `distances` makes it one of DeBERTa."""

    def __init__(self, layer: Any, activation: str, precision: str, distances: Distances | None) -> None:
        import torch

        own, out = layer.attention.self, layer.attention.output
        self.kind = torch.bfloat16 if precision == "bf16" else torch.float32
        self.attention: PlainAttention | Disentangled
        if distances is None:
            query, key, value = own.query, own.key, own.value
            self.attention = PlainAttention(own.num_attention_heads)
            scale = 1 / math.sqrt(query.out_features / own.num_attention_heads)
        else:
            query, key, value = own.query_proj, own.key_proj, own.value_proj
            self.attention = Disentangled(own, distances, self.kind)
            scale = self.attention.scale
        self.query = linear([query], precision=precision, scale=scale)
        self.key_value = linear([key, value], precision=precision)
        self.out = linear([out.dense], precision=precision)
        self.up = linear([layer.intermediate.dense], precision=precision, activation=activation)
        self.down = linear([layer.output.dense], precision=precision)
        self.out_norm, self.down_norm = out.LayerNorm, layer.output.LayerNorm

    def __call__(self, hidden: Tensor, spans: Sequence[Span], *, firsts: bool) -> Tensor:
        """The next hidden states; of the texts' first tokens alone, and some rows of filler behind them, if so asked."""
        import torch

        rough = hidden.to(self.kind)
        key, value = self.key_value(rough).chunk(2, dim=-1)
        asking, count = spans, len(rough)
        if firsts:
            count, asking = len(spans), _spans([1] * len(spans))
            filler = [0] * (matrix_rows(count) - count)  # of these sizes few, too
            starts = [start for start, _ in spans] + filler
            hidden, rough = hidden[starts], rough[starts]
        context = self.attention(self.query(rough)[:count], key, value, asking=asking, spans=spans)
        if len(context) < len(rough):
            context = torch.nn.functional.pad(context, (0, 0, 0, len(rough) - len(context)))
        hidden = self.out_norm(hidden + self.out(context))
        found: Tensor = self.down_norm(hidden + self.down(self.up(hidden.to(self.kind))))
        return found


def _spans(lengths: Sequence[int]) -> list[Span]:
    ends = [0]
    for length in lengths:
        ends.append(ends[-1] + length)
    return list(pairwise(ends))
