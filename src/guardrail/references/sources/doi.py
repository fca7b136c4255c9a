"""doi.org: whether a DOI is registered, and with which work, whoever its agency is (https://www.doi.org/doi-handbook).

The registry of handles says whether there is such a DOI. Its metadata is at the agency, which doi.org redirects to; those
redirects are followed to public hosts only (`guarded`).
"""

from __future__ import annotations

from typing import Any

from guardrail.references.bibliography.normalise import normalise_doi
from guardrail.references.bibliography.records import Record, Reference
from guardrail.references.sources.client import Manners, Query, agent
from guardrail.references.sources.crossref import csl_record
from guardrail.references.sources.escaping import segment
from guardrail.references.sources.guarded import Guarded
from guardrail.references.sources.resolver import Resolver, Searches, loaded

_CSL = "application/vnd.citationstyles.csl+json"


class Doi(Resolver):
    """A registered DOI whose agency gives no metadata is a fault: it is not known which work it is."""

    name = "doi"
    title = "doi.org"
    home = "https://doi.org"
    sends = "DOI"
    manners = Manners(seconds=0.2, concurrency=3)

    def __init__(self, *, elsewhere: Guarded | None = None, **options: Any) -> None:
        super().__init__(elsewhere=elsewhere or Guarded(agent=agent()), **options)

    def searches(self, reference: Reference) -> Searches:
        """Whether it is registered, then as what."""
        doi = normalise_doi(reference.doi)
        if not doi:
            return
        registered: list[str] = []

        def read(body: bytes) -> list[Record]:
            if loaded(body)["responseCode"] != 1:
                raise ValueError("neither registered nor not")
            registered.append(doi)
            return []

        yield Query(f"/api/handles/{segment(doi)}", may_miss=True), read
        if registered:
            yield Query(f"/{segment(doi)}", headers={"Accept": _CSL}), _work

    def close(self) -> None:
        """As its own, and what fetches from agencies."""
        super().close()
        if self.elsewhere is not None:
            self.elsewhere.close()


def _work(body: bytes) -> list[Record]:
    return [csl_record(loaded(body), "doi.org")]
