"""Whether the address in a reference answers. That says nothing about the work: a page may show whatever title it was sent."""

from __future__ import annotations

from guardrail.references.bibliography.records import Reference
from guardrail.references.sources.client import agent
from guardrail.references.sources.faults import SourceFault
from guardrail.references.sources.guarded import Guarded

_GONE = {404, 410}


class Address:
    """Asks addresses, of public hosts only; a remark in the report, never a verdict."""

    name = "url"
    title = "the address that is quoted"

    def __init__(self, guarded: Guarded | None = None) -> None:
        self._guarded = guarded or Guarded(agent=agent())

    def remark(self, reference: Reference) -> str:
        """One clause about the address of a reference; "" if it has none."""
        if not reference.url:
            return ""
        try:
            page = self._guarded.fetch(reference.url)
        except SourceFault as fault:
            return f"whether it answers is not known ({fault})"
        if 200 <= page.status < 300:  # success
            return "it answers"
        if page.status in _GONE:
            return f"there is nothing (HTTP {page.status})"
        return f"whether it answers is not known (HTTP {page.status})"

    def close(self) -> None:
        """Close the connections."""
        self._guarded.close()
