"""Checking options where they are given, so that nonsense is refused before anything is asked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from guardrail.errors import ConfigError

__all__ = ["PathOption", "number", "one_of", "seconds"]


class PathOption(StrEnum):
    """How a configuration file reads a text that is given for an option; a class lists such options as `paths`."""

    FILE = "file"
    """A path, relative to the configuration file."""
    FILE_OR_NAME = "file or name"
    """The same if something is there, else a name."""


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
