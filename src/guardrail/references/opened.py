"""What a detector searches: the bibliography as it was given, and the catalogues behind it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from guardrail.errors import ConfigError
from guardrail.given.recognition import shown
from guardrail.references.bibliography.records import Bibliography


def opened(bibliography: Bibliography | str | Path | None) -> Bibliography | None:
    """A bibliography by its place, or as it is.

    Raises:
        ConfigError: it is neither.
        IndexFault: the file is no usable index.
    """
    if isinstance(bibliography, str | Path):
        from guardrail.references.bibliography.opening import open_bibliography

        return open_bibliography(bibliography)
    given: object = bibliography
    if given is not None and (isinstance(given, type) or not hasattr(given, "find_all")):
        raise ConfigError(
            f"bibliography= takes the path of an index or a Bibliography, got {shown(bibliography)}: "
            "write bibliography='refs.sqlite'"
        )
    return bibliography


def with_sources(bibliography: Bibliography | None, names: Sequence[str]) -> Bibliography:
    """A bibliography that asks these catalogues for what it does not have."""
    from guardrail.references.sources.names import opened as all_of

    return all_of(names, first=() if bibliography is None else (bibliography,))
