"""The bibliography as a backend of the guard."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from guardrail.engine.backend import Backend
from guardrail.engine.flow import Answer, Reply
from guardrail.options import PathOption
from guardrail.references.bibliography.records import Bibliography, Find
from guardrail.references.cited_works import cited_works
from guardrail.references.opened import opened, with_sources
from guardrail.requests import CitedWorks


class BibliographyBackend(Backend[Find | CitedWorks]):
    """Answers `Find` and `CitedWorks` from any `Bibliography`; look-ups of several references share a batch."""

    paid = False
    batch = 64
    concurrency = 2

    def __init__(self, bibliography: Bibliography) -> None:
        self._bibliography = bibliography

    @property
    def fingerprint(self) -> str:
        """The bibliography's."""
        return self._bibliography.fingerprint

    def answer(self, requests: Sequence[Find | CitedWorks]) -> Sequence[Reply[Any]]:
        """One match or one list of works per request, at no cost."""
        finds = [request.reference for request in requests if isinstance(request, Find)]
        whole = [request for request in requests if isinstance(request, CitedWorks)]
        matches = iter(self._bibliography.find_all(finds) if finds else ())
        works = iter(cited_works(self._bibliography, whole) if whole else ())
        return [Answer(next(matches if isinstance(request, Find) else works)) for request in requests]

    def close(self) -> None:
        """Close the bibliography, if it can be closed."""
        close = getattr(self._bibliography, "close", None)
        if close is not None:
            close()


class IndexBackend(BibliographyBackend):
    """The works of an index, for detectors that ask for what an answer cites.

    Args:
        path: an index, its address in OpenSearch, or a file of which one is made (`refs.bib`).
        sources: catalogues that are asked for what it does not have; see `ReferenceCheck`.

    Raises:
        ConfigError: it is no place, or there is no such catalogue.
        IndexFault: the file is no usable index.
    """

    paths: ClassVar[Mapping[str, PathOption]] = {"path": PathOption.FILE}

    def __init__(self, path: str | os.PathLike[str], *, sources: Sequence[str] = ()) -> None:
        place = path if isinstance(path, str) else os.fspath(path)
        known = opened(place)
        super().__init__(with_sources(known, sources) if sources or known is None else known)
