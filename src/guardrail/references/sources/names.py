"""Sources by name, as they are written in `sources=[…]`."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from guardrail._log import log
from guardrail.errors import ConfigError, UnknownName
from guardrail.references.bibliography.records import Bibliography
from guardrail.references.bibliography.remembered import INDEX_NAMES, cache_folder
from guardrail.references.sources.address import Address
from guardrail.references.sources.arxiv import Arxiv
from guardrail.references.sources.combined import Sources
from guardrail.references.sources.courtlistener import CourtListener
from guardrail.references.sources.crossref import Crossref
from guardrail.references.sources.dblp import Dblp
from guardrail.references.sources.doi import Doi
from guardrail.references.sources.memory import Memory
from guardrail.references.sources.open_library import OpenLibrary
from guardrail.references.sources.openalex import OpenAlex
from guardrail.references.sources.pace import Clock
from guardrail.references.sources.pubmed import PubMed
from guardrail.references.sources.resolver import Resolver
from guardrail.references.sources.semantic_scholar import SemanticScholar

CATALOGUES: dict[str, type[Resolver]] = {
    one.name: one
    for one in (
        Crossref,
        OpenAlex,
        SemanticScholar,
        Arxiv,
        Dblp,
        OpenLibrary,
        PubMed,
        CourtListener,
        Doi,
    )
}
"""Every catalogue by name."""


def available() -> list[str]:
    """The catalogues that need no key, and those whose key is in the environment."""
    return [
        name for name, one in CATALOGUES.items() if not one.key_needed or os.environ.get(one.key_variable)
    ]


def opened(
    names: Sequence[str],
    *,
    first: Sequence[Bibliography] = (),
    folder: Path | None = None,
    clock: Clock | None = None,
) -> Sources:
    """A bibliography of the sources that are named. Nothing is sent before a reference is looked up.

    Args:
        names: catalogues, such as "crossref"; "url" asks whether addresses answer; anything else is the path of an index.
        first: bibliographies that are asked before the indexes that are named.
        folder: where replies are kept; in the user's cache by default.
        clock: the time; tests give their own.

    Raises:
        UnknownName: there is no such source.
        ConfigError: one is named twice, or has no key and needs one.
        MissingExtra: the extra "online" is not installed.
        IndexFault: an index cannot be opened.
    """
    from guardrail.references.bibliography.index import Index

    for name in names:
        _known(name)
    used = [name for name in names if name in CATALOGUES]
    for name in used:
        variable = CATALOGUES[name].key_variable
        if not CATALOGUES[name].keyless and not os.environ.get(variable):
            raise ConfigError(
                f"the source {name!r} needs a key, and ${variable} is not set: export {variable}=…, or leave the source out"
            )
    memory = _memory(folder or cache_folder("sources"), clock or Clock()) if used else None
    return Sources(
        [CATALOGUES[name](memory=memory, clock=clock) for name in used],
        first=[*first, *(Index.open(Path(name).expanduser()) for name in names if _is_index(name))],
        address=Address() if Address.name in names else None,
        memory=memory,
        clock=clock,
    )


def _known(name: str) -> None:
    if name not in CATALOGUES and name != Address.name and not _is_index(name):
        raise UnknownName("source", name, [*CATALOGUES, Address.name, "the path of an index"])


def _is_index(name: str) -> bool:
    if name in CATALOGUES or name == Address.name:
        return False
    return Path(name).suffix.lower() in INDEX_NAMES or Path(name).expanduser().is_file()


def _memory(folder: Path, clock: Clock) -> Memory | None:
    """What keeps replies; `None` where the folder cannot be used, and everything is then asked anew."""
    try:
        return Memory(folder, clock)
    except (OSError, sqlite3.Error) as error:
        log.warning("sources_keep_nothing", folder=str(folder), error=repr(error))
        return None
