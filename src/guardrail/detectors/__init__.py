"""The detectors; each imports only when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from guardrail.detectors.references import ReferenceCheck as ReferenceCheck

__all__ = ["ReferenceCheck"]

_HOMES = {"ReferenceCheck": "guardrail.detectors.references"}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
