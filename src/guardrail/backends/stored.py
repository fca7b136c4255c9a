"""Weights as small files: matrices in 8 bits, with a scale for each 64 weights of a row.

A folder whose config.json says `"guardrail": {"weights": "int8-groups"}` has safetensors in which a matrix NAME is written
as NAME.whole, whole numbers from -127 to 127, and NAME.scale, float32 of shape (rows, groups): what is computed with is
their product. A group is 64 neighbours, or the whole row where its columns are no multiple of 64. Vectors, and matrices with
a side of 16 or less (the head of a classifier), stay as they are. That is little more than a quarter of the size.

A table of word vectors may have 4 bits: NAME.half, bytes of shape (rows, columns / 2), and NAME.scale, float16 of shape
(rows, columns / 32), one for 32 neighbours. The lower half of a byte is a number of the left half of the row, the upper one of
the right half; a weight is that number less 8, times its scale.

A scale for a whole row reaches to the row's largest weight, which is 1.3 to 1.9 times the largest of 64 in trained encoders;
answers are then nearly twice as far from the exact ones (docs/design/entailment.md, "In 8 bits").

A matrix is not written under its own name: a program that does not know the form would take the whole numbers for weights
and say nothing; so it finds none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from guardrail.errors import ConfigError

if TYPE_CHECKING:
    from torch import Tensor

INT8_GROUPS = "int8-groups"
"""The name of this form in a config.json."""

OWN = "guardrail"  # our entry in config.json; other programs read past it
WHOLE, HALF, SCALE = ".whole", ".half", ".scale"
ZERO = 8  # of 4 bits


def is_in_groups(config: Mapping[str, Any]) -> bool:
    """Whether a model's configuration says that its weights have this form.

    Raises:
        ConfigError: it names a form that is not known here.

    Example:
        >>> is_in_groups({"model_type": "bert"}), is_in_groups({"guardrail": {"weights": "int8-groups"}})
        (False, True)
    """
    own = config.get(OWN)
    if own is None:
        return False
    if not isinstance(own, Mapping) or own.get("weights") != INT8_GROUPS:
        raise ConfigError(
            f"expected {{'weights': {INT8_GROUPS!r}}} as {OWN!r} in the model's config.json, got {own!r}. "
            "Was it made for another version? pip install --upgrade guardrail-sdk, or install the model of this one"
        )
    return True


def read_groups(files: Sequence[Path]) -> dict[str, Tensor]:
    """The weights of safetensors files in this form, in float32.

    Raises:
        ConfigError: a file is damaged, or not in this form; the message says where.
    """
    stored = {name: tensor for path in files for name, tensor in _read(path).items()}
    found: dict[str, Tensor] = {}
    for name, tensor in stored.items():
        for kind in (WHOLE, HALF):
            matrix = name.removesuffix(kind)
            if matrix != name:
                found[matrix] = _product(matrix, kind, tensor, stored.get(f"{matrix}{SCALE}"))
                break
        else:
            matrix = name.removesuffix(SCALE)  # scales are read with their numbers
            if {f"{matrix}{WHOLE}", f"{matrix}{HALF}"}.isdisjoint(stored):
                found[name] = checked_finite(name, tensor)
    return found


def _product(name: str, kind: str, numbers: Tensor, scale: Tensor | None) -> Tensor:
    import torch

    if scale is None:
        raise ConfigError(
            f"expected the scales of {name!r} with its whole numbers, as '{name}{SCALE}', found none"
        )
    wanted = torch.int8 if kind == WHOLE else torch.uint8
    if numbers.dtype != wanted or numbers.dim() != 2:
        raise ConfigError(
            f"expected a matrix of {str(wanted).removeprefix('torch.')} as '{name}{kind}', got {numbers.dtype} of shape {list(numbers.shape)}"
        )
    if kind == HALF:
        numbers = torch.cat([numbers % 16, numbers // 16], dim=1).char() - ZERO
    rows, columns = numbers.shape
    fits = scale.dim() == 2 and len(scale) == rows and scale.shape[1] > 0 and columns % scale.shape[1] == 0
    if not scale.is_floating_point() or not fits:
        raise ConfigError(
            f"expected scales of float32 for {rows} rows as '{name}{SCALE}', in each as many as divide "
            f"{columns} columns into equal groups, got {scale.dtype} of shape {list(scale.shape)}"
        )
    scale = scale.float()
    checked_finite(f"{name}{SCALE}", scale * 128)  # so is the product, then
    groups = numbers.float().reshape(*scale.shape, columns // scale.shape[1])
    return groups.mul_(scale[:, :, None]).reshape(numbers.shape)


def checked_finite(name: str, tensor: Tensor) -> Tensor:
    """Floats in 32 bits, none of them NaN or infinite."""
    if not tensor.is_floating_point():
        return tensor
    tensor = tensor.float()  # first: a double may be too large for it
    if not tensor.isfinite().all():
        raise ConfigError(f"expected finite weights and scales, got NaN or infinity in {name!r}")
    return tensor


def _read(path: Path) -> dict[str, Tensor]:
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        tensors: dict[str, Tensor] = load_file(path)
    except (OSError, SafetensorError) as error:
        raise ConfigError(f"expected a safetensors file, got {error} from {str(path)!r}") from error
    return tensors
