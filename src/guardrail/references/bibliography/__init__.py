"""Bibliographies: does a work exist, and is it quoted right? Records, an embedded index, and matching.

Names are imported when they are first used: records stay light where no index is opened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardrail._lazy import lazy

if TYPE_CHECKING:
    from guardrail.references.bibliography.formats import Format as Format
    from guardrail.references.bibliography.formats import read_records as read_records
    from guardrail.references.bibliography.formats.lines import Problem as Problem
    from guardrail.references.bibliography.importers import Imported as Imported
    from guardrail.references.bibliography.importers import import_files as import_files
    from guardrail.references.bibliography.index import Index as Index
    from guardrail.references.bibliography.index import Stats as Stats
    from guardrail.references.bibliography.opensearch import OpenSearch as OpenSearch
    from guardrail.references.bibliography.records import Bibliography as Bibliography
    from guardrail.references.bibliography.records import FieldCheck as FieldCheck
    from guardrail.references.bibliography.records import Match as Match
    from guardrail.references.bibliography.records import Outcome as Outcome
    from guardrail.references.bibliography.records import Record as Record
    from guardrail.references.bibliography.records import Reference as Reference
    from guardrail.references.bibliography.records import Status as Status
    from guardrail.references.bibliography.retractions import Retraction as Retraction

_HOMES = {
    "Bibliography": "guardrail.references.bibliography.records",
    "FieldCheck": "guardrail.references.bibliography.records",
    "Format": "guardrail.references.bibliography.formats",
    "Imported": "guardrail.references.bibliography.importers",
    "Index": "guardrail.references.bibliography.index",
    "Match": "guardrail.references.bibliography.records",
    "OpenSearch": "guardrail.references.bibliography.opensearch",
    "Outcome": "guardrail.references.bibliography.records",
    "Problem": "guardrail.references.bibliography.formats.lines",
    "Record": "guardrail.references.bibliography.records",
    "Reference": "guardrail.references.bibliography.records",
    "Retraction": "guardrail.references.bibliography.retractions",
    "Stats": "guardrail.references.bibliography.index",
    "Status": "guardrail.references.bibliography.records",
    "import_files": "guardrail.references.bibliography.importers",
    "read_records": "guardrail.references.bibliography.formats",
}

__all__ = [*_HOMES]  # noqa: PLE0604  # written once

__getattr__, __dir__ = lazy(__name__, _HOMES)
