"""Linear layers in 8 bits on a processor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_NARROW = 16  # outputs; a layer that decides on so few is not quantised
_LEAST = 1e-12  # of a scale: a row of zeros divides by something


def quantise(network: Any) -> None:
    """Make the linear layers compute in 8 bits; see `in_8_bits`."""
    import torch

    for layer in network.modules():
        if isinstance(layer, torch.nn.Linear) and min(layer.in_features, layer.out_features) > _NARROW:
            bias = None if layer.bias is None else layer.bias.detach()
            layer.forward = in_8_bits(layer.weight.detach(), bias)
            layer.weight = torch.nn.Parameter(layer.weight[:0], requires_grad=False)


def in_8_bits(weight: Any, bias: Any) -> Callable[[Any], Any]:
    """A linear layer: weights have one scale per output, activations a middle and a scale per token.

    (The usual dynamic quantisation takes one per batch, and so every reply would depend on its neighbours.) Sums
    of products of whole numbers are exact; what is left is that the last bit of a float, which depends on the
    batch's shape, may tip a rounding.

    Args:
        weight: outputs x inputs.
        bias: one per output, or `None`.
    """
    import torch

    scale = weight.abs().amax(dim=1).clamp_min(_LEAST) / 127
    whole_weight = (weight / scale[:, None]).round().to(torch.int8).T.contiguous()
    sums = whole_weight.sum(dim=0, dtype=torch.float32).mul_(scale)

    def forward(values: Any) -> Any:
        rows = values.reshape(-1, values.shape[-1])
        low, high = rows.amin(dim=1, keepdim=True), rows.amax(dim=1, keepdim=True)
        middle, step = (low + high) / 2, (high - low).clamp_min(_LEAST) / 254
        whole = torch._int_mm(((rows - middle) / step).round_().to(torch.int8), whole_weight)  # noqa: SLF001  # no other does
        result = whole.to(values.dtype).mul_(step).mul_(scale).addcmul_(middle, sums)
        if bias is not None:
            result.add_(bias)
        return result.reshape(*values.shape[:-1], -1)

    return forward
