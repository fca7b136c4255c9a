"""Packages whose names are imported when they are first used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The `__getattr__` and `__dir__` of a package that hands on names of other modules.

    Args:
        package: its `__name__`.
        homes: by name, the module that defines it.
    """

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        # Looked up each time, so that what a test puts in its place there is found.
        return getattr(import_module(homes[name]), name)

    return get, lambda: sorted(homes)
