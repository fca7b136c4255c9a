"""Weights as small files: matrices in 8 bits, with a scale for each row.

A folder whose config.json says `"guardrail": {"weights": "int8-rows"}` holds safetensors in which a matrix NAME stands
as NAME.rows, whole numbers from -127 to 127, and NAME.scale, one float32 per row: what is computed with is their product.
Vectors, and matrices with a side of 16 or less (the head of a classifier), stand as they are. That is a quarter of the size.

A matrix does not stand under its own name: a program that does not know the form would take the whole numbers for weights
and say nothing; so it finds none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from guardrail.errors import ConfigError

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["INT8_ROWS", "in_rows", "is_in_rows", "marked", "read_rows"]

INT8_ROWS = "int8-rows"
"""The name of this form in a config.json."""

_OWN = "guardrail"  # our entry in config.json; other programs read past it
_ROWS, _SCALE = ".rows", ".scale"
_NARROW = 16  # of a matrix with so few rows or columns nothing is gained
_MOST = 127


def marked(config: Mapping[str, Any]) -> dict[str, Any]:
    """A model's configuration that says that its weights have this form.

    Example:
        >>> marked({"model_type": "bert"})
        {'model_type': 'bert', 'guardrail': {'weights': 'int8-rows'}}
    """
    return {**config, _OWN: {"weights": INT8_ROWS}}


def is_in_rows(config: Mapping[str, Any]) -> bool:
    """Whether a model's configuration says that its weights have this form.

    Raises:
        ConfigError: it names a form that is not known here.

    Example:
        >>> is_in_rows({"model_type": "bert"}), is_in_rows(marked({"model_type": "bert"}))
        (False, True)
    """
    own = config.get(_OWN)
    if own is None:
        return False
    if not isinstance(own, Mapping) or own.get("weights") != INT8_ROWS:
        raise ConfigError(
            f"expected {{'weights': {INT8_ROWS!r}}} as {_OWN!r} in the model's config.json, got {own!r}. "
            "Was it made for a later version? pip install --upgrade guardrail-sdk"
        )
    return True


def in_rows(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Weights in this form: to the nearest whole number of 1/127 of the largest of a row, and so within half of that.

    Args:
        tensors: by name; of any kind of float, none of them NaN or infinite.

    Raises:
        ConfigError: a weight is no finite number.
    """
    found: dict[str, Tensor] = {}
    for name, tensor in tensors.items():
        weight = _finite(name, tensor.detach())
        if not weight.is_floating_point() or weight.dim() != 2 or min(weight.shape) <= _NARROW:
            found[name] = weight
            continue
        scale = weight.abs().amax(dim=1) / _MOST
        step = scale.where(scale > 0, 1.0)[:, None]  # a row of zeros divides by something
        found[f"{name}{_ROWS}"] = (weight / step).round().clamp(-_MOST, _MOST).char()
        found[f"{name}{_SCALE}"] = scale
    return found


def read_rows(files: Sequence[Path]) -> dict[str, Tensor]:
    """The weights of safetensors files in this form, in float32.

    Raises:
        ConfigError: a file is damaged, or not in this form; the message says where.
    """
    stored = {name: tensor for path in files for name, tensor in _read(path).items()}
    found: dict[str, Tensor] = {}
    for name, tensor in stored.items():
        whole = name.removesuffix(_ROWS)
        if whole != name:
            found[whole] = _product(whole, tensor, stored.get(f"{whole}{_SCALE}"))
        elif f"{name.removesuffix(_SCALE)}{_ROWS}" not in stored:  # scales are read with their rows
            found[name] = _finite(name, tensor)
    return found


def _product(name: str, rows: Tensor, scale: Tensor | None) -> Tensor:
    import torch

    if scale is None:
        raise ConfigError(f"expected the scales of {name!r} beside its rows, as '{name}{_SCALE}', found none")
    if rows.dtype != torch.int8 or rows.dim() != 2:
        raise ConfigError(
            f"expected a matrix of int8 as '{name}{_ROWS}', got {rows.dtype} of shape {list(rows.shape)}"
        )
    if not scale.is_floating_point() or scale.shape != rows.shape[:1]:
        raise ConfigError(
            f"expected {len(rows)} scales of float32 as '{name}{_SCALE}', one per row, got {scale.dtype} of shape "
            f"{list(scale.shape)}"
        )
    return rows.float().mul_(_finite(f"{name}{_SCALE}", scale)[:, None])


def _finite(name: str, tensor: Tensor) -> Tensor:
    if not tensor.is_floating_point():
        return tensor
    if not tensor.isfinite().all():
        raise ConfigError(f"expected finite weights and scales, got NaN or infinity in {name!r}")
    return tensor.float()


def _read(path: Path) -> dict[str, Tensor]:
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        tensors: dict[str, Tensor] = load_file(path)
    except (OSError, SafetensorError) as error:
        raise ConfigError(f"expected a safetensors file, got {error} from {str(path)!r}") from error
    return tensors
