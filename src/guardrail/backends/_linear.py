"""Linear layers as fast as a processor allows: weights laid out once, and what follows fused in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from guardrail.backends._int8 import in_8_bits

if TYPE_CHECKING:
    from torch import Tensor

    Layer: TypeAlias = Callable[[Tensor], Tensor]

_FUSED = {"": ("none", ""), "gelu": ("gelu", "none"), "relu": ("relu", "")}
_NARROW = 16  # inputs or outputs: too few for 8 bits


def can_pack() -> bool:
    """Whether this torch has oneDNN's linear layer with weights laid out in advance.

    torch's own linear layer in float32 calls the MKL, which uses half the width of an AMD processor's registers:
    190 GFLOP/s instead of 430 on two cores, measured with 1,024 tokens and 1,024 to 4,096 dimensions.
    """
    import torch

    wanted = ("_reorder_linear_weight", "_linear_pointwise")
    return torch.backends.mkldnn.is_available() and all(hasattr(torch.ops.mkldnn, name) for name in wanted)


def has_any(*abilities: str) -> bool:
    """Whether this processor has one of the abilities that torch knows ("amx_bf16", "avx512_bf16")."""
    import torch

    told: dict[str, Any] = getattr(torch.cpu, "get_capabilities", dict)()  # older versions do not tell
    return any(told.get(name, False) for name in abilities)


def linear(layers: Sequence[Any], *, precision: str, activation: str = "", scale: float = 1.0) -> Layer:
    """One function for linear layers that read the same input: their outputs side by side.

    Args:
        layers: `torch.nn.Linear`, all with a bias or none of them.
        precision: "fp32", "bf16" or "int8". Input and output are bfloat16 in "bf16", else float32.
        activation: of the outputs: none, "gelu" or "relu".
        scale: of the outputs, before the activation.
    """
    import torch

    weight = torch.cat([one.weight for one in layers]).detach() * scale
    bias = None if layers[0].bias is None else torch.cat([one.bias for one in layers]).detach() * scale
    if precision == "int8" and min(weight.shape) > _NARROW:
        return _activated(in_8_bits(weight, bias), activation)
    kind = torch.bfloat16 if precision == "bf16" else torch.float32
    return _packed(weight.to(kind), None if bias is None else bias.to(kind), activation)


def arithmetic(network: Any) -> tuple[int, int]:
    """Floating-point operations of a plain forward pass, per token and per token squared of a text.

    Of a matrix with n entries 2n per token, of the attention 4 x dimensions x layers per pair of tokens; what DeBERTa
    does with relative positions, norms, soft-max and a head are left out.
    """
    import torch

    entries = sum(
        weight.numel()
        for name, module in network.base_model.named_modules()
        if "pooler" not in name and not isinstance(module, torch.nn.Embedding)
        for weight in module.parameters(recurse=False)
        if weight.dim() == 2
    )
    own = network.config
    return 2 * entries, 4 * int(getattr(own, "hidden_size", 0)) * int(getattr(own, "num_hidden_layers", 0))


def _packed(weight: Tensor, bias: Tensor | None, activation: str) -> Layer:
    import torch

    ready = torch.ops.mkldnn._reorder_linear_weight(weight)  # noqa: SLF001  # has no public name
    multiply = torch.ops.mkldnn._linear_pointwise  # noqa: SLF001
    name, variant = _FUSED[activation]

    def forward(values: Tensor) -> Tensor:
        found: Tensor = multiply(values, ready, bias, name, [], variant)
        return found

    return forward


def _activated(layer: Layer, activation: str) -> Layer:
    import torch

    if not activation:
        return layer
    function = {"gelu": torch.nn.functional.gelu, "relu": torch.nn.functional.relu}[activation]
    return lambda values: function(layer(values))
