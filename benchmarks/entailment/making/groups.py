"""Weights as small files: what writes the form that `guardrail.backends.stored` describes and reads."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from guardrail.backends.stored import HALF, INT8_GROUPS, OWN, SCALE, WHOLE, ZERO, checked_finite

if TYPE_CHECKING:
    from torch import Tensor

_GROUP, _SMALL_GROUP = 64, 32  # neighbours with one scale, in 8 and in 4 bits
_NARROW = 16  # of a matrix with so few rows or columns nothing is gained
_MOST = 127


def with_stored_form(config: Mapping[str, Any]) -> dict[str, Any]:
    """A model's configuration that says that its weights have this form.

    Example:
        >>> with_stored_form({"model_type": "bert"})
        {'model_type': 'bert', 'guardrail': {'weights': 'int8-groups'}}
    """
    return {**config, OWN: {"weights": INT8_GROUPS}}


def in_groups(tensors: Mapping[str, Tensor], *, coarse: Collection[str] = ()) -> dict[str, Tensor]:
    """Weights in this form: to the nearest whole number of 1/127 of the largest of a group, and so within half of that.

    Args:
        tensors: by name; of any kind of float, none of them NaN or infinite. Where the columns of a matrix are no
            multiple of 64, a row is one group.
        coarse: names of matrices that get 4 bits; the columns are a multiple of 32. What was in 4 bits once, with 8 as
            the zero and the largest of a group as 0, is not rounded farther.

    Raises:
        ConfigError: a weight is no finite number.
    """
    found: dict[str, Tensor] = {}
    for name, tensor in tensors.items():
        weight = checked_finite(name, tensor.detach())
        if not weight.is_floating_point() or weight.dim() != 2 or min(weight.shape) <= _NARROW:
            found[name] = weight
            continue
        if name in coarse:
            found[f"{name}{HALF}"], found[f"{name}{SCALE}"] = _halves(weight)
            continue
        groups = weight.reshape(len(weight), -1, _GROUP if weight.shape[1] % _GROUP == 0 else weight.shape[1])
        scale = groups.abs().amax(dim=2) / _MOST
        step = scale.where(scale > 0, 1.0)[:, :, None]  # a group of zeros divides by something
        whole = (groups / step).round().clamp(-_MOST, _MOST).char()
        found[f"{name}{WHOLE}"] = whole.reshape(weight.shape)
        found[f"{name}{SCALE}"] = scale
    return found


def _halves(weight: Tensor) -> tuple[Tensor, Tensor]:
    """Bytes, each with two numbers of 4 bits, and scales."""
    groups = weight.reshape(len(weight), -1, _SMALL_GROUP)
    largest = groups.gather(2, groups.abs().argmax(dim=2, keepdim=True))
    scale = (largest / -ZERO).half()
    step = scale.float().where(scale != 0, 1.0)
    numbers = (groups / step + ZERO).round().clamp(0, 2 * ZERO - 1).byte().reshape(weight.shape)
    left, right = numbers.chunk(2, dim=1)
    return left + right * 16, scale[:, :, 0]
