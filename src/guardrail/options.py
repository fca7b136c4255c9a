"""Checking options where they are given, so that nonsense is refused before anything is asked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from guardrail.errors import ConfigError

__all__ = ["number", "one_of", "seconds"]


def number(
    name: str, value: Any, *, least: float = -math.inf, most: float = math.inf, whole: bool = False
) -> None:
    """Refuse what is no finite number within the limits.

    Raises:
        ConfigError: with what was expected.
    """
    kind = "a whole number" if whole else "a number"
    right = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
    if not right or not math.isfinite(value) or not least <= value <= most:
        limits = f" from {least:g}" if math.isfinite(least) else ""
        limits += f" to {most:g}" if math.isfinite(most) else ""
        raise ConfigError(f"expected {name} to be {kind}{limits}, got {value!r}")


def seconds(name: str, value: Any) -> None:
    """Refuse what is neither `None` nor a finite number of seconds, 0 or more.

    Raises:
        ConfigError: with what was expected.
    """
    if value is not None:
        number(name, value, least=0)


def one_of(name: str, value: Any, known: Sequence[str]) -> None:
    """Refuse what is none of the known values.

    Raises:
        ConfigError: with those that are known.
    """
    if value not in known:
        raise ConfigError(f"expected {name} to be one of {', '.join(known)}, got {value!r}")
