"""Reference lists: which lines are items, which items belong together, and whether they are references."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from guardrail.bibliography.records import Reference
from guardrail.report import Span
from guardrail.text.citations.evidence import lead_in, weigh
from guardrail.text.citations.fields import Parsed, clean_title, parse
from guardrail.text.citations.identifiers import identifiers, with_identifiers
from guardrail.text.citations.model import Citation
from guardrail.text.citations.people import people
from guardrail.text.citations.words import YEAR

__all__ = ["Line", "lines", "listed"]

_LINE = re.compile(r"([\r\n]{3,}+)|([^\r\n]*+)(?:\r\n|\n|\r|\Z)")
_FENCE = re.compile(r"[ \t]{0,8}(?:```|~~~)")
_MARKER = re.compile(
    r"(?P<indent>[ \t]{0,16})(?:>[ \t]?)?(?P<bold>\*\*|__)?"
    r"(?P<marker>\[\d{1,4}\]|\(\d{1,3}\)|\d{1,4}(?:[.)、．])|[-*•‣◦▪●–—·+])(?(bold)(?:\*\*|__)?)"
    r"(?:[ \t]{1,8}|(?<=[.、．\]])(?=[^\W\d_]|[\"“«《*]))(?=\S)"
)
_LABELLED = re.compile(
    r"[ \t]{0,16}(?:[-*•+–◦][ \t]{1,8})?(?:\*\*|__|\*|_)?"
    r"(?P<label>[^\W\d_][^\W\d_ ()/]{0,15}(?:[ /()][^\W\d_()]{1,12}){0,2}\)?)(?:\*\*|__|\*|_)?[ \t]?[:：](?:\*\*|__|\*|_)?[ \t]*(?P<value>\S.*)?"
)
_LABELS = {
    "title": "title", "paper": "title", "book": "title",
    "author": "authors", "authors": "authors", "author(s)": "authors", "by": "authors", "written by": "authors",
    "year": "year", "date": "year", "published": "year", "publication date": "year", "publication year": "year",
    "year of publication": "year",
    "journal": "venue", "venue": "venue", "conference": "venue", "published in": "venue", "publisher": "venue",
    "publication": "venue", "source": "venue", "booktitle": "venue",
    "doi": "id", "isbn": "id", "pmid": "id", "arxiv": "id", "url": "id", "link": "id", "available at": "id",
}  # fmt: skip
_ENDED = re.compile(r"[.!?:;\"”»)\]*]$")
_CLOSING_WORDS = re.compile(r"(?:I|Let|Please|Note|These|This|Hope|If|You|All|Each|Feel|Here)\b")


class Line(NamedTuple):
    """A line at `text[start:end]`; the next one begins at `stop`."""

    start: int
    end: int
    stop: int
    text: str
    code: bool = False

    @property
    def blank(self) -> bool:
        """Whether nothing stands on it."""
        return not self.text.strip()


@dataclass(slots=True)
class _Item:
    marker: str
    kind: str
    indent: int
    first: int
    last: int
    content: int
    parsed: Parsed | None = None
    score: float = 0.0


@dataclass(slots=True)
class _Group:
    items: list[_Item] = field(default_factory=list)
    lead: str = ""


def lines(text: str) -> list[Line]:
    r"""The lines of a text; those of fenced code are marked.

    Example:
        >>> [(line.text, line.stop) for line in lines("a\r\nb")]
        [('a', 3), ('b', 4)]
    """
    result: list[Line] = []
    code = False
    for match in _LINE.finditer(text):
        if match.end() == match.start():
            continue
        if match[1]:  # a run of empty lines is kept as one
            result.append(Line(match.start(), match.start(), match.end(), match[1], code))
            continue
        fence = _FENCE.match(match[2]) is not None
        result.append(Line(match.start(), match.end(2), match.end(), match[2], code or fence))
        code ^= fence
    return result


def listed(rows: Sequence[Line], *, asked: bool) -> list[Citation]:
    """The references among the list items of a text."""
    found: list[Citation] = []
    for group in _groups(rows):
        lenient = asked or lead_in(group.lead) > 0
        for item in group.items:
            _read(rows, item, lenient=lenient)
        named = sum(bool(i.parsed and i.parsed.reference.authors) for i in group.items)
        if len(group.items) > 2 and named < len(group.items) / 2:  # "Learning by Doing" among plain titles
            doubtful = [i for i in group.items if i.parsed and "by" in i.parsed.marks]
            doubtful = [i for i in doubtful if i.parsed and not i.parsed.reference.year]
            for item in doubtful:
                _read(rows, item, lenient=lenient, by=False)
        found += [_citation(rows, item, item.parsed) for item in _accepted(group, asked=asked) if item.parsed]
    return found


def _groups(rows: Sequence[Line]) -> Iterator[_Group]:
    group = _Group()
    lead = ""
    for item in _items(rows):
        previous = group.items[-1] if group.items else None
        if (
            previous
            and item.kind == previous.kind
            and item.indent == previous.indent
            and _near(rows, previous, item)
        ):
            group.items.append(item)
            continue
        if group.items:
            yield group
        lead = _lead(rows, item.first)
        group = _Group([item], lead)
    if group.items:
        yield group


def _near(rows: Sequence[Line], one: _Item, other: _Item) -> bool:
    """Whether an item goes on with the list of another: next line, or next number after some prose."""
    between = [row for row in rows[one.last + 1 : other.first] if not row.blank]
    if not between:
        return True
    numbers = [re.sub(r"\D", "", item.marker) for item in (one, other)]
    return all(numbers) and int(numbers[1]) == int(numbers[0]) + 1 and len(between) <= 12


def _lead(rows: Sequence[Line], first: int) -> str:
    """What introduces a list: the nearest lines before it that say something."""
    before = [row.text.strip() for row in rows[max(0, first - 4) : first] if not row.blank]
    return before[-1][-400:] if before else ""


def _items(rows: Sequence[Line]) -> Iterator[_Item]:
    current: _Item | None = None
    gap = 0
    for number, row in enumerate(rows):
        if row.code:
            gap = 9
            continue
        if row.blank:
            gap += 2 if row.text[:1] in ("\r", "\n") else 1
            continue
        marker = _MARKER.match(row.text)
        if current and gap <= 1 and _continues(rows, current, number, marker, gap):
            current.last, gap = number, 0
            continue
        if current:
            yield current
        current = None
        if marker:
            indent = len(marker["indent"].expandtabs(4))
            kind = re.sub(r"\d+", "1", marker["marker"])
            current = _Item(marker["marker"], kind, indent, number, number, row.start + marker.end())
            gap = 0
    if current:
        yield current


def _continues(
    rows: Sequence[Line], item: _Item, number: int, marker: re.Match[str] | None, gap: int
) -> bool:
    """Whether a line still belongs to the item above it."""
    text = rows[number].text
    indent = len(text[:40].expandtabs(4)) - len(text[:40].expandtabs(4).lstrip())
    parent = rows[item.first].text.rstrip()
    if number - item.first > 30:
        return False
    if marker:
        if indent >= item.indent + 2:
            return not parent.endswith(":") or _label(text) is not None
        return item.marker[-1:] not in "-*•+–◦" and marker["marker"] in "-*•+–◦" and _label(text) is not None
    if indent >= item.indent + 2:
        return True
    if gap:
        return False
    if _label(text):
        return True
    before = rows[number - 1].text.rstrip()
    if text[:1].islower():
        return True
    return len(before) >= 66 and not _ENDED.search(before) and not _CLOSING_WORDS.match(text)


def _label(text: str) -> tuple[str, str] | None:
    """The field and value of a line such as "- **Authors:** A. Author"."""
    match = _LABELLED.match(text)
    if match is None:
        return None
    kind = _LABELS.get(" ".join(match["label"].lower().split()))
    return (kind, match["value"] or "") if kind else None


def _read(rows: Sequence[Line], item: _Item, *, lenient: bool, by: bool = True) -> None:
    """Parse an item: its head, then the labelled lines below it."""
    first = rows[item.first]
    offset = item.content
    pieces = [first.text[item.content - first.start :]]
    end = first.end
    reached = item.first
    for number in range(item.first + 1, item.last + 1):
        row = rows[number]
        if row.blank or _LABELLED.match(row.text) or _MARKER.match(row.text):
            break
        wrapped = len(rows[number - 1].text) >= 60 or row.text.lstrip()[:1].islower()
        gap = row.start - end
        pieces += [(" " if wrapped else "|") * gap, row.text]
        end, reached = row.end, number
    parsed = parse("".join(pieces), by=by)
    fields: dict[str, str] = {}
    last = 0
    for number in range(reached + 1, item.last + 1):
        label = _label(rows[number].text)
        if label and label[1]:
            fields.setdefault(*label)
            last = len(rows[number].text.rstrip()) + rows[number].start - offset
    item.score = weigh("".join(pieces), parsed, lenient=lenient)
    if fields:
        parsed = _labelled(parsed, fields, max(last, parsed.end))
        item.score += 1.0 + 0.5 * len(fields)
    item.parsed = parsed


def _labelled(parsed: Parsed, fields: dict[str, str], end: int) -> Parsed:
    reference = parsed.reference
    names = people(fields["authors"]) if "authors" in fields else None
    year = YEAR.search(fields.get("year", "")) or YEAR.search(fields.get("venue", ""))
    if "title" in fields:
        reference = replace(reference, title=clean_title(fields["title"]))
    if names:
        reference = replace(reference, authors=names[0], et_al=names[1])
    if year:
        reference = replace(reference, year=int(year[0]))
    if "venue" in fields:
        reference = replace(reference, venue=fields["venue"].strip(' *_."“”'))
    written = " ".join(f"doi {value}" if value.startswith("10.") else value for value in fields.values())
    reference = with_identifiers(reference, identifiers(written))
    return replace(parsed, reference=reference, end=end)


def _accepted(group: _Group, *, asked: bool) -> list[_Item]:
    """The items of a group that are references: by what they are, what introduces them, and each other."""
    lead = lead_in(group.lead) + (2.0 if asked else 0.0)
    scores = sorted(item.score for item in group.items)
    typical = scores[len(scores) // 2] if len(scores) % 2 else sum(scores[len(scores) // 2 - 1 :][:2]) / 2
    if typical + min(lead, 2.0) >= 2.0:
        least = 0.5 if typical + min(lead, 2.0) >= 2.5 else 1.0  # one odd item among many that are sure
        return [item for item in group.items if item.score + min(lead, 2.0) >= least and _named(item)]
    least = 3.5 if lead > -3 else 6.0
    return [item for item in group.items if item.score >= least and _named(item)]


def _named(item: _Item) -> bool:
    reference = item.parsed.reference if item.parsed else Reference()
    return bool(reference.title or reference.doi or reference.arxiv or reference.pmid or reference.isbn)


def _citation(rows: Sequence[Line], item: _Item, parsed: Parsed) -> Citation:
    style: Literal["numbered", "bulleted"] = (
        "numbered" if any(c.isdigit() for c in item.marker) else "bulleted"
    )
    span = Span(start=item.content + parsed.start, end=item.content + parsed.end)
    whole = Span(start=rows[item.first].start, end=max(rows[item.last].stop, span.end))
    return Citation(span, parsed.reference, style, whole, item.marker)
