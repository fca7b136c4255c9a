"""All references once they are known: what to cut to remove one, identifiers behind its commentary, and which are lives."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from guardrail.references.citations.identifiers import Identifier, identifiers, with_identifiers
from guardrail.references.citations.lines import Line
from guardrail.references.citations.model import Citation
from guardrail.references.citations.named import named_before
from guardrail.references.citations.words import points
from guardrail.report import Span

__all__ = ["apart", "completed", "lives", "with_addresses", "with_full_stops", "with_places", "without_lives"]

_YEAR = r"(?<!\d)(?:1[0-9]|20)\d\d(?!\d)"
_LIFE = re.compile(
    rf"\((?:[^()\r\n]{{0,80}}?[\s,])?(?P<born>{_YEAR})[^()\r\n–—-]{{0,40}}[–—-][^()\r\n]{{0,60}}?(?P<died>{_YEAR})[^()\r\n]{{0,40}}\)"
)
_YOUNGEST, _OLDEST = 15, 110  # years
_IN_SENTENCES = {
    "line",
    "inline",
    "unmarked",
}  # styles in which brackets behind a name are taken for the year
_STRINGS = {"numbered", "bulleted", "line", "inline"}
_PLACE = re.compile(
    r"(?:\s[A-Z][a-z]{2}(?:\s\d{1,2})?)?;\s?(?P<volume>\d{1,4})(?:\((?P<issue>[\w\s-]{1,15})\))?:\s?(?P<pages>[a-zA-Z]?\d{1,6}(?:[-–]\d{1,6})?)(?!\w)"
)
_NEXT_TO = re.compile(  # 🔗 https://… or Link: <https://…> on the next line; [Read it](https://…; or , [arXiv:1901.00001](https://… behind names and a year
    r"(?:[ \t*_.)\]]{0,6}\r?\n[ \t>]{0,8}(?:[-*•][ \t])?(?:[\U0001f300-\U0001faff\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\ufe0f ]{1,6}|"
    r"[*_]{0,2}[^\W\d_]{2,12}(?:\s[^\W\d_]{2,8})?[*_]{0,2}:(?!//)[*_]{0,2} ?)?|(?P<beside>[,;] |[.。] ?(?=ISBN[ :：\d])))[<(]?(?:\[(?P<text>[^\[\]\r\n]{2,60})\]\()?\[?"
)
_CLOSED = re.compile(r"[>)\].]{0,3}(?:\([^()\s]{4,400}\)\.?)?[ \t]{0,8}(?:[\r\n]|\Z)")
_BRACKETS = re.compile(r"\){0,2}")
_ANOTHER = re.compile(r"(?:\bsee\b|\balso\b|\bcf\b|;\s?$)", re.IGNORECASE)


def with_addresses(
    text: str, found: Sequence[Citation], ids: Sequence[Identifier], taken: bytearray
) -> list[Citation]:
    """The citations with the address on the line below, "🔗 https://…", or right behind them: (Doe, 2020, arXiv:2001.00001)."""
    places = {i.start: i for i in ids}
    return [_with_address(text, citation, places, taken) for citation in found]


def _with_address(
    text: str, citation: Citation, places: Mapping[int, Identifier], taken: bytearray
) -> Citation:
    said, span = citation.reference, citation.span
    rest = places.get(span.end + 1) if text.startswith("](", span.end - 1) else None
    if rest and not taken[rest.start] and rest.value in (said.doi, said.arxiv, said.pmid):
        end = rest.end + len(_BRACKETS.match(text, rest.end)[0])  # type: ignore[index]  # (…, [arXiv:1](https://…))
        taken[span.end : end] = b"\x01" * (end - span.end)
        said = with_identifiers(said, [rest])
        return replace(citation, span=Span(start=span.start, end=end), reference=said)
    near = _NEXT_TO.match(text, span.end) if said.title else None
    i = places.get(near.end()) if near else None
    if (
        near
        and near["text"]
        and not (points(near["text"]) or identifiers(f"{near['text']} arXiv:{near['text']}"))
    ):
        return citation  # the title of another work
    if i is None or taken[i.start] or said.url or said.doi or said.arxiv or said.pmid or said.isbn:
        return citation
    closed = (_BRACKETS if near and near["beside"] else _CLOSED).match(text, i.end)
    if closed is None:
        return citation
    end = i.end + len(closed[0].rstrip(" \t\r\n."))
    taken[span.end : end] = b"\x01" * (end - span.end)
    item = citation.item and Span(start=citation.item.start, end=max(citation.item.end, end))
    return replace(
        citation,
        span=Span(start=citation.span.start, end=end),
        reference=with_identifiers(said, [i]),
        item=item,
    )


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
                if not reference.authors and named_before(text, i.start, citation.span.end):
                    continue
                kept = replace(kept, reference=with_identifiers(reference, [i]))
                taken[i.start : i.end] = b"\x01" * (i.end - i.start)
        result.append(kept)
    return result


def with_places(text: str, found: Sequence[Citation]) -> list[Citation]:
    """The citations with volume, issue and pages that follow their year: "Lancet. 2020;395(10231):1187-97"."""
    return [_placed(text, citation) if citation.style in _STRINGS else citation for citation in found]


def _placed(text: str, citation: Citation) -> Citation:
    place = _PLACE.match(text, citation.span.end)
    if place is None or not text[citation.span.start : citation.span.end].endswith(
        str(citation.reference.year)
    ):
        return citation
    volume, issue, pages = (place[name] or "" for name in ("volume", "issue", "pages"))
    reference = replace(citation.reference, volume=volume, issue=issue, pages=pages)
    return replace(citation, span=Span(start=citation.span.start, end=place.end()), reference=reference)


def with_full_stops(text: str, found: Sequence[Citation]) -> list[Citation]:
    """The citations with the full stop that ends their item, so that a mark comes behind it.

    Example:
        >>> from guardrail.references.bibliography.records import Reference
        >>> text = "1. Carson, R. Silent Spring."
        >>> one = Citation(Span(start=3, end=27), Reference("Silent Spring"), "numbered", item=Span(start=0, end=28))
        >>> [one.span.of(text) for one in with_full_stops(text, [one])]
        ['Carson, R. Silent Spring.']
    """
    return [_stopped(text, one) for one in found]


def _stopped(text: str, one: Citation) -> Citation:
    end, item = one.span.end, one.item
    if item is None or one.style not in _STRINGS or text[end : max(item.end, end + 1)].strip() != ".":
        return one
    return replace(one, span=Span(start=one.span.start, end=end + text[end:].index(".") + 1))


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


def lives(text: str) -> list[Span]:
    """Where somebody's years of birth and death are given in brackets: neither is the year of a work.

    Example:
        >>> text = "Carlos Arniches (Albacete, October 28, 1866 - Madrid, December 25, 1943) and others (1999-2003)."
        >>> [span.of(text) for span in lives(text)]
        ['(Albacete, October 28, 1866 - Madrid, December 25, 1943)']
    """
    return [
        Span(start=match.start(), end=match.end())
        for match in _LIFE.finditer(text)
        if _YOUNGEST <= int(match["died"]) - int(match["born"]) <= _OLDEST
    ]


def without_lives(text: str, found: Sequence[Citation]) -> list[Citation]:
    """The citations without those whose year is only that of somebody's birth or death."""
    spans = lives(text)
    starts = [span.start for span in spans]

    def lived(citation: Citation) -> bool:
        year = str(citation.reference.year or "")
        if not spans or not year or citation.style not in _IN_SENTENCES:
            return False
        places = [match.start() for match in re.finditer(year, citation.span.of(text))]
        before = [bisect_right(starts, citation.span.start + place) - 1 for place in places]
        return bool(places) and all(
            at >= 0 and citation.span.start + place < spans[at].end
            for at, place in zip(before, places, strict=True)
        )

    return [citation for citation in found if not lived(citation)]
