"""Bibliographies: does a work exist, and is it quoted right? Records, an embedded index, and matching.

Names are imported when they are first used: records stay light where no index is opened.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from guardrail.bibliography.formats import Format as Format
    from guardrail.bibliography.formats import Problem as Problem
    from guardrail.bibliography.formats import read_records as read_records
    from guardrail.bibliography.importers import Imported as Imported
    from guardrail.bibliography.importers import import_files as import_files
    from guardrail.bibliography.index import Index as Index
    from guardrail.bibliography.index import Stats as Stats
    from guardrail.bibliography.records import Bibliography as Bibliography
    from guardrail.bibliography.records import Difference as Difference
    from guardrail.bibliography.records import Match as Match
    from guardrail.bibliography.records import Record as Record
    from guardrail.bibliography.records import Reference as Reference
    from guardrail.bibliography.records import Status as Status

_HOMES = {
    "Bibliography": "records",
    "Difference": "records",
    "Format": "formats",
    "Imported": "importers",
    "Index": "index",
    "Match": "records",
    "Problem": "formats",
    "Record": "records",
    "Reference": "records",
    "Stats": "index",
    "Status": "records",
    "import_files": "importers",
    "read_records": "formats",
}

__all__ = [
    "Bibliography",
    "Difference",
    "Format",
    "Imported",
    "Index",
    "Match",
    "Problem",
    "Record",
    "Reference",
    "Stats",
    "Status",
    "import_files",
    "read_records",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(f"guardrail.bibliography.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
