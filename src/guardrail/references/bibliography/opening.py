"""A bibliography by its place: a file, or an address in OpenSearch."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from guardrail._log import log

if TYPE_CHECKING:
    from guardrail.references.bibliography.index import Index
    from guardrail.references.bibliography.opensearch import OpenSearch


def is_address(place: object) -> bool:
    """Whether a place is an index in OpenSearch rather than a file."""
    return isinstance(place, str) and place.startswith(
        ("opensearch:", "opensearch+", "elasticsearch:", "elasticsearch+")
    )


def open_bibliography(place: str | os.PathLike[str]) -> Index | OpenSearch:
    """Open the index at a place for look-ups; of another file (`refs.bib`) an index is made, once, and remembered.

    Raises:
        ConfigError: it is no place.
        IndexFault: there is no index with works, or it cannot be used.
        InputError: the file is of no known format, or has no works.
    """
    if isinstance(place, str) and is_address(place):
        from guardrail.references.bibliography.opensearch import OpenSearch

        return OpenSearch.open(place)
    from guardrail.references.bibliography.index import Index
    from guardrail.references.bibliography.remembered import is_index, remembered

    given: object = place  # which may be anything: the index says what is wrong with it
    file = Path(given) if isinstance(given, str | os.PathLike) else None
    if file is None or not file.is_file() or is_index(file):
        return Index.open(place)
    made, warnings = remembered([file])
    for warning in warnings:
        log.warning("bibliography_entries_left_out", file=str(file), detail=warning)
    return Index.open(made, called=file.name)


def create_bibliography(place: str | os.PathLike[str]) -> Index | OpenSearch:
    """Make an index at a place, or open the one that is there, for adding records.

    Raises:
        ConfigError: it is no place.
        IndexFault: it cannot be made or used.
    """
    if isinstance(place, str) and is_address(place):
        from guardrail.references.bibliography.opensearch import OpenSearch

        return OpenSearch.create(place)
    from guardrail.references.bibliography.index import Index

    return Index.create(place)
