"""CourtListener: cases of courts of the United States, by volume, reporter and page.

https://www.courtlistener.com/help/api/rest/citation-lookup/ needs a token, and looks up 60 citations a minute. It is asked by
the citation alone; the names of the parties are compared here.
"""

from __future__ import annotations

from typing import Any

from guardrail.references.bibliography.records import Record, Reference
from guardrail.references.sources.client import Manners, Query
from guardrail.references.sources.kinds import case_citation
from guardrail.references.sources.resolver import Resolver, Searches, loaded, text, year


class CourtListener(Resolver):
    """One citation a request, one request a second."""

    name = "courtlistener"
    title = "CourtListener"
    home = "https://www.courtlistener.com"
    sends = "volume, reporter, page"
    key_variable = "COURTLISTENER_API_TOKEN"
    key_needed = True
    keyless = False
    manners = Manners(seconds=1.0, concurrency=1, header="Authorization", prefix="Token ")

    def searches(self, reference: Reference) -> Searches:
        """By volume, reporter and page."""
        if cited := case_citation(reference):
            form = {"volume": cited.volume, "reporter": cited.reporter, "page": cited.page}
            yield Query("/api/rest/v4/citation-lookup/", form=form), _cases


def _cases(body: bytes) -> list[Record]:
    found: list[Record] = []
    for cited in loaded(body):
        if cited["status"] in {200, 300}:  # one case, several
            found += [_record(case, text(cited["citation"])) for case in cited["clusters"]]
        elif cited["status"] != 404:  # 400: no such reporter; 429: too many
            raise ValueError(cited["status"])
    return found


def _record(case: dict[str, Any], citation: str) -> Record:
    return Record(
        title=text(case["case_name"]),
        year=year(case.get("date_filed")),
        venue=citation,
        url=f"https://www.courtlistener.com{text(case.get('absolute_url'))}",
        source="courtlistener",
    )
