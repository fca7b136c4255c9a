"""Fits as files: one form for all that is learnt here. Pure functions over dataclasses.

A fit is a frozen dataclass of numbers, names and mappings. `backends` has the origins of the models that made its scores,
`provenance` what people want to know of its data. Its file is JSON: the number of the form, and the fields that are not empty tuples.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from guardrail.errors import ConfigError, InputError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")

_FORMAT = 1


def read(kind: type[T], text: str, source: str | Path) -> T:
    """A fit from the text of its file.

    Args:
        kind: the dataclass.
        text: JSON.
        source: the name of the file, for messages.

    Raises:
        ConfigError: the text has no such fit, or one of another form.
    """
    try:
        content = json.loads(text)
        if not isinstance(content, dict):
            raise ConfigError(f"expected a fit in {str(source)!r}, got {type(content).__name__}")
        if (came := content.pop("format", None)) != _FORMAT:
            raise ConfigError(
                f"expected format {_FORMAT} in {str(source)!r}, got {came!r}: update guardrail-sdk, or make the fit again"
            )
        return TypeAdapter(kind).validate_json(json.dumps(content))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        fault = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
        raise ConfigError(f"expected a fit in {str(source)!r}, got {fault}") from error
    except (ValueError, KeyError, TypeError, AttributeError, InputError) as error:
        raise ConfigError(
            f"expected a fit in {str(source)!r}, got {type(error).__name__}: {error}"
        ) from error


def write_fit(fit: DataclassInstance, path: str | Path) -> None:
    """Write a fit as JSON."""
    Path(path).write_text(json.dumps(_content(fit), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def fingerprint_of(fit: DataclassInstance) -> str:
    """A hash of all that scores depend on; provenance and the version that made it are left out."""
    content = {key: value for key, value in _content(fit).items() if key not in {"provenance", "package"}}
    return blake2b(json.dumps(content, sort_keys=True).encode(), digest_size=8).hexdigest()


def must_be_columns(
    center: Sequence[float], spread: Sequence[float], weights: Sequence[float], bias: float, *, size: int
) -> None:
    """Refuse the numbers of a curve over standardised features that are not whole.

    Raises:
        InputError: a column has another length, a number is not finite, or a spread is not above 0.
    """
    columns = (center, spread, weights)
    if any(len(column) != size for column in columns):
        raise InputError(f"expected {size} numbers in each of center, spread and weights, got {columns!r}")
    if not all(map(math.isfinite, [bias, *center, *spread, *weights])) or min(spread, default=1.0) <= 0:
        raise InputError(f"expected finite numbers and spreads above 0, got {columns!r} and {bias!r}")


def _content(fit: DataclassInstance) -> dict[str, Any]:
    return {"format": _FORMAT, **{name: value for name, value in asdict(fit).items() if value != ()}}
