"""What to cut in order to remove a reference, once all are known; identifiers behind its commentary."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace

from guardrail.references.citations.identifiers import Identifier, with_identifiers
from guardrail.references.citations.lines import Line
from guardrail.references.citations.model import Citation
from guardrail.report import Span

__all__ = ["apart", "completed"]

_ANOTHER = re.compile(r"(?:\bsee\b|\balso\b|\bcf\b|;\s?$)", re.IGNORECASE)


def completed(
    text: str, found: Sequence[Citation], ids: Sequence[Identifier], taken: bytearray
) -> list[Citation]:
    """The citations with the identifiers that follow in the same item: "Title by X. A classic. doi:…".

    An identifier that another work's mention introduces ("see also arXiv:…"), or of which the reference has
    one, stays by itself. The places of the others are marked as taken.
    """
    places = [i.start for i in ids]
    spans = sorted(c.span.start for c in found)
    result: list[Citation] = []
    for citation in found:
        kept = citation
        item = citation.item
        if item is not None and citation.style not in {"bibtex", "ris"}:
            after = bisect_right(spans, citation.span.start)
            end = min(item.end, spans[after]) if after < len(spans) else item.end
            for i in ids[bisect_left(places, citation.span.end) : bisect_left(places, end)][:8]:
                reference = kept.reference
                lacks = i.kind != "url" and not (
                    reference.doi or reference.arxiv or reference.pmid or reference.isbn
                )
                between = text[max(citation.span.end, i.start - 40) : i.start]
                if not lacks or taken[i.start] or _ANOTHER.search(between):
                    continue
                kept = replace(kept, reference=with_identifiers(reference, [i]))
                taken[i.start : i.end] = b"\x01" * (i.end - i.start)
        result.append(kept)
    return result


def apart(found: Sequence[Citation], rows: Sequence[Line]) -> Iterator[Citation]:
    """The citations, none with another one in what is cut with it.

    Where two stand on one line, neither has an item: they are cut as in running prose.
    """
    begins = [row.start for row in rows]
    edge = 0  # up to here the text belongs to the citations before
    for number, citation in enumerate(found):
        item = citation.item
        if item is None:
            yield citation
            edge = citation.span.end
            continue
        after = found[number + 1].span.start if number + 1 < len(found) else item.end
        line = bisect_right(begins, after) - 1
        end = item.end if after >= item.end else begins[line] if line >= 0 else 0
        if item.start < edge or end < citation.span.end:
            yield replace(citation, item=None)
            edge = citation.span.end
        else:
            yield replace(citation, item=Span(start=item.start, end=end))
            edge = end
