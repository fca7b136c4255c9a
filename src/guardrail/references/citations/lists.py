"""Reference lists: which lines are items, which items belong together, and whether they are references."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal
from unicodedata import normalize

from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.eastern import SCRIPT
from guardrail.references.citations.evidence import lead_in, sure, weigh
from guardrail.references.citations.fields import Parsed, parse, with_labels
from guardrail.references.citations.identifiers import identifiers
from guardrail.references.citations.inline import doubtless
from guardrail.references.citations.lines import Line
from guardrail.references.citations.markers import (
    Marker,
    field_of,
    is_labelled,
    lettered,
    marker_of,
    pictured,
)
from guardrail.references.citations.model import Citation
from guardrail.references.citations.names_first import IN_BOLD, LED, names_follow
from guardrail.references.citations.people import people
from guardrail.references.citations.words import YEAR, is_comment
from guardrail.report import Span

__all__ = ["Listed", "listed"]

_ENDED = re.compile(r"[.!?:;\"”»)\]*]$")
_CLOSING_WORDS = re.compile(r"(?:I|Let|Please|Note|These|This|Hope|If|You|All|Each|Feel|Here)\b")
_NEXT = re.compile(r"(?:;\s|[Ss]ee also\b|[Ss]ee:?\s|[Aa]lso:?\s|cf\.\s|[Cc]ompare\s)[\s,:]*$")
_JOINED = re.compile(
    r"[\s.]{0,4}(?:;\s*(?:and\s|see also\s)?|(?:[Ss]ee also|[Ss]ee|[Aa]lso|[Cc]f\.|[Cc]ompare)\b[\s:,]*)(?=\S)"
)
_PLACE = re.compile(
    r"(?:[;:.?!)\]|]|\s[-–—]|\b(?:[Ss]ee|[Aa]lso|[Cc]f\.|[Cc]ompare|and|en|et|und|e|och|og|on|of|extends|by|in|with):?)[\s|]{1,8}\(?"
    r"(?:(?:[Ss]ee\s)?also:?\s)?(?=[^\W\d_a-z]|[\"“«*_\[])"
)
_FULL_STOP = re.compile(r"(?:\w{3}|\d|\))\.\s{0,8}$")
_PAIR = re.compile(
    r"(?P<left>[^\W\d_a-z][^–—|\n]{2,150}?)(?:\s(?:[–—-]|by)\s|\s?—\s?)(?P<right>[^\W\d_a-z][^–—|\n]{2,100}[^.!?:;,])"
)
_LAST_NAMES = re.compile(r"\s[–—/-]\s(?P<names>[^–—\n]{3,120})$")
_CHAIN = re.compile(r"[→➡]\ufe0f?\s*(?:\d\S{0,3}\s)?[*_\"“《『]")
_LAST_YEAR = re.compile(r"\((?:1[4-9]|20)\d\d\)[*_]{0,3}$")
_HEADING = re.compile(r"[ \t]*#{1,6}[ \t]+")
_YEAR_LEADS = re.compile(
    r"[*_]{0,3}\(?(?P<year>(?:1[4-9]|20)\d\d)\)?[*_]{0,3}\s?[:–—|-]\s+(?=[*_\"“]{0,3}[^\W\d])"
)
_ABOUT = re.compile(r"\s*\*\*[^*\n]{2,60}:\*\*\s+(?P<marked>[*_\"“«„『《\[])?(?=\S)")
"""What an item is about, before a work or something else: **For beginners:** *Walden*; **Communities:** the local library."""
_BULLETS = "-*•‣◦▪●–—·+・"
_LONGEST_ITEM = 30
_SURE, _OWN = (
    3.0,
    1.5,
)  # score of references that need no words for them, and of items that have something of a reference


@dataclass(slots=True, eq=False)
class _Item:
    """An item: its own lines, and those of the items below it up to `reach`."""

    marker: str
    kind: str
    indent: int
    content: int
    lines: list[int]
    parent: _Item | None = None
    reach: int = 0
    below: list[_Group] = field(default_factory=list)
    parsed: Parsed | None = None
    score: float = 0.0
    more: list[Citation] = field(default_factory=list)
    accepted: bool = False
    topic: bool = False
    """Whether there are references among the items below it."""
    lead: re.Match[str] | None = None
    """The year before it, in a timeline."""

    @property
    def first(self) -> int:
        """Its first line."""
        return self.lines[0]


@dataclass(slots=True, eq=False)
class _Group:
    items: list[_Item] = field(default_factory=list)
    lead: str = ""


@dataclass(frozen=True, slots=True)
class Listed:
    """The references of the lists, and the lines that belong to them."""

    citations: list[Citation]
    rows: frozenset[int]


def listed(rows: Sequence[Line], begun: Sequence[int], *, asked: bool) -> Listed:
    """The references among the list items of a text.

    Args:
        rows: the lines of the text.
        begun: where references begin that show themselves by their form; none reads past such a place.
        asked: whether the prompt asked for references.
    """
    groups = _groups(rows)
    for group in groups:
        _read_group(rows, group, begun, lenient=asked or lead_in(group.lead) > 0)
    found: list[Citation] = []
    covered: set[int] = set()
    answered = len(begun) > 1 or any(
        _typical(group.items) >= _SURE and len(group.items) > 1 for group in groups
    )
    for group in reversed(groups):  # items below others are decided before those
        plain = (
            answered and max(item.score for item in group.items) < _OWN
        )  # beside references that show themselves: what to mind, to do
        for item in _accepted(group, asked=1.0 if asked and plain else 2.0 * asked):
            item.accepted = True
            above = item.parent
            while above is not None and not above.topic:
                above.topic = True
                above = above.parent
    for group in groups:
        for item in group.items:
            if item.accepted and item.parsed:
                found += [_citation(rows, item, item.parsed), *item.more]
                covered.update(item.lines)
    return Listed(found, frozenset(covered))


def _read_group(rows: Sequence[Line], group: _Group, begun: Sequence[int], *, lenient: bool) -> None:
    starts = [
        _YEAR_LEADS.match(rows[item.first].text, item.content - rows[item.first].start)
        for item in group.items
    ]
    timeline = len(starts) > 2 and all(starts) and _in_order([int(lead["year"]) for lead in starts if lead])
    for item, lead in zip(group.items, starts, strict=True):
        item.lead = lead if timeline else None
        _read(rows, item, begun, lenient=lenient)
    named = sum(bool(i.parsed and i.parsed.reference.authors) for i in group.items)
    if len(group.items) > 2 and named < len(group.items) / 2:  # "Learning by Doing" among plain titles
        doubtful = [i for i in group.items if i.parsed and "by" in i.parsed.marks]
        for item in [i for i in doubtful if i.parsed and not i.parsed.reference.year]:
            _read(rows, item, begun, lenient=lenient, by=False)
    for item in _led(rows, group) or _parted(group):
        _read(rows, item, begun, lenient=lenient, led=True)
    _part_names(rows, group)


def _in_order(years: Sequence[int]) -> bool:
    """Whether they rise or fall, as in a timeline; not in titles such as 1984 and 2001."""
    return list(years) in (sorted(years), sorted(years, reverse=True))


def _part_names(rows: Sequence[Line], group: _Group) -> None:
    """Authors behind the last comma of plain titles, if most items have them: "City of the Century, Donald L. Miller"."""
    parted, sure = list[tuple[_Item, Parsed]](), 0
    named = sum(_names_follow(rows, item) for item in group.items)
    for item in group.items:
        said = item.parsed.reference if item.parsed else Reference()
        title, _, last = said.title.rpartition(", ")
        names = people(last) if title and not said.authors and " " in last.strip() else None
        if item.parsed and names:
            sure += people(title) is None  # not: Boss, Mike Royko; but where the others are so, it is
            read = replace(said, title=title, authors=names[0], et_al=names[1])
            parted.append((item, replace(item.parsed, reference=read, marks=item.parsed.marks | {"people"})))
    if (sure >= 3 or named > 1) and 3 * (len(parted) + named) >= 2 * len(group.items):
        for item, parsed in parted:
            item.parsed = parsed
            item.score += 1.5


def _names_follow(rows: Sequence[Line], item: _Item) -> bool:
    """Whether an item was read with names behind its title and a comma."""
    said = item.parsed.reference if item.parsed else Reference()
    if not said.title or not said.authors:
        return False
    text = rows[item.first].text
    at = text.find(said.title) + len(said.title)
    return text.find(f", {said.authors[0]}", at, at + 10) >= 0


def _led(rows: Sequence[Line], group: _Group) -> list[_Item]:
    """The items that begin with names and a dash, if most do and fewer have names behind it: "Edward Aldwell – Harmony and Voice Leading"; or names in bold."""
    led, trailed = list[_Item](), 0
    for item in group.items:
        text = rows[item.first].text[item.content - rows[item.first].start :]
        head = IN_BOLD.match(text) or LED.match(text)
        names = people(head["names"]) if head else None
        if head is None or names is None or not all(" " in name for name in names[0]):
            continue
        led.append(item)
        behind = people(re.split(r"[(.|]", text[head.end() :])[0])
        named = behind is not None and all(" " in name for name in behind[0])
        trailed += named or names_follow(text[head.end() :])
    return led if len(led) >= 3 and 2 * len(led) > len(group.items) and 2 * trailed < len(led) else []


def _parted(group: _Group) -> list[_Item]:
    """The items without names, if several others are read with names before a colon or comma: **Jana Lis: Das Ufer** (Beck, 1990)."""
    read = [item.parsed for item in group.items if item.parsed]
    sure = sum(one.other is not None and one.other.title != one.reference.title for one in read)
    return [i for i in group.items if i.parsed and not i.parsed.reference.authors] if sure >= 2 else []


def _groups(rows: Sequence[Line]) -> list[_Group]:
    """The lists, each before the lists inside it."""
    groups: list[_Group] = []
    latest: dict[int, _Group] = {}
    for item in _items(rows):
        group = latest.get(id(item.parent))
        previous = group.items[-1] if group else None
        if group and previous and _same_list(previous, item) and _near(rows, previous, item):
            group.items.append(item)
            continue
        group = _Group([item], _lead(rows, item))
        latest[id(item.parent)] = group
        groups.append(group)
        if item.parent:
            item.parent.below.append(group)
    return groups


def _same_list(one: _Item, other: _Item) -> bool:
    return one.kind == other.kind and abs(one.indent - other.indent) <= 1


def _near(rows: Sequence[Line], one: _Item, other: _Item) -> bool:
    """Whether an item goes on with the list of another: next line, or next number after some prose."""
    if other.first - one.reach > 60:
        return False
    between = [row for row in rows[one.reach + 1 : other.first] if not row.blank]
    if not between:
        return True
    numbers = [re.sub(r"\D", "", normalize("NFKC", item.marker)) for item in (one, other)]  # ② is 2
    return all(numbers) and int(numbers[1]) == int(numbers[0]) + 1 and len(between) <= 12


def _lead(rows: Sequence[Line], item: _Item) -> str:
    """What introduces a list: the nearest lines before it that say something, or else the list around it."""
    if item.parent is not None:
        own = rows[item.parent.first].text.strip()[-400:]
        around = item.parent.below and item.parent.below[0].lead
        return own if lead_in(own) or not around else around
    before = [
        row.text.strip()
        for row in rows[max(0, item.first - 4) : item.first]
        if not row.blank and not row.code
    ]
    return before[-1][-400:] if before else ""


def _items(rows: Sequence[Line]) -> Iterator[_Item]:
    """The items in order, each with the item above it; complete once all are drawn."""
    stack: list[_Item] = []
    done: list[_Item] = []
    letters = _bare(rows) | lettered(rows) | pictured(rows)
    gap = 0
    for number, row in enumerate(rows):
        if row.code:
            gap, stack = 9, []
            continue
        if row.blank:
            gap += 2 if row.text[:1] in ("\r", "\n") else 1
            continue
        marker = letters.get(number) or marker_of(row.text) or _above_labels(rows, number)
        if marker and marker.kind in ("–", "—") and row.text.lstrip().startswith(">"):
            marker = None  # > — Ann Roe, speaking in 1925: who said what is quoted
        if _CHAIN.search(row.text) or row.text.count("→") > 1:
            marker = None  # an order of reading: *Wild Swans* → *The Search for Modern China*
        if marker and not marker.text and stack and _begins_with_authors(rows, stack[-1], number):
            marker = None  # 1. Author: Jane Roe, and below it: Title: Trees
        owner = _owner(rows, stack, number, marker, gap)
        if owner:
            owner.lines.append(number)
            while stack[-1] is not owner and not marker:
                stack.pop()
        elif marker:
            while stack and not _inside(stack[-1], marker, gap):
                stack.pop()
            parent = stack[-1] if stack else None
            content = row.start + marker.end
            item = _Item(marker.text, marker.kind, marker.indent, content, [number], parent)
            stack.append(item)
            done.append(item)
        else:
            stack = []
            continue
        gap = 0
        for item in stack:
            item.reach = number
    return iter(done)


def _begins_with_authors(rows: Sequence[Line], item: _Item, number: int) -> bool:
    """Whether the item that ends right before a line says nothing yet but who the authors are."""
    first = rows[item.first]
    label = field_of(first.text[item.content - first.start :])
    return item.lines == [number - 1] and label is not None and label[0] == "authors"


def _bare(rows: Sequence[Line]) -> dict[int, Marker]:
    """Lines of a list without markers, three or more below each other: "Walkable City — Jeff Speck"."""
    found: dict[int, Marker] = {}
    run: list[int] = []
    for number in range(len(rows) + 1):
        if number < len(rows) and _is_pair(rows[number]):
            run.append(number)
            continue
        if len(run) >= 3:
            found |= {one: Marker("", "", 0, 0) for one in run}
        run = []
    return found


def _is_pair(row: Line) -> bool:
    """Whether a line is a title and its authors, with nothing but a dash or "by" between them."""
    pair = _PAIR.fullmatch(row.text.strip()) if len(row.text) < 200 and not row.code else None
    if pair is None:
        return False
    sides = [people(pair[name]) for name in ("left", "right")]
    return any(side and all(" " in name for name in side[0]) for side in sides)


def _above_labels(rows: Sequence[Line], number: int) -> Marker | None:
    """A title of which the next line names the authors: "### Deep Learning", "**Authors:** …"."""
    label = field_of(rows[number + 1].text) if number + 1 < len(rows) else None
    text = rows[number].text
    if label is None or label[0] != "authors" or is_labelled(text):
        return None
    start = _HEADING.match(text)
    return Marker("", "", 0, start.end() if start else 0)


def _inside(item: _Item, marker: Marker, gap: int) -> bool:
    """Whether a marker stands below an item rather than beside it."""
    if gap > 3:
        return False
    if marker.indent >= item.indent + 2:
        return True
    if item.kind == "":  # a title above "- Authors: …"
        return marker.kind != "" and marker.kind in _BULLETS and marker.indent >= item.indent and not gap
    return (
        item.kind[-1:] not in _BULLETS
        and marker.kind in _BULLETS
        and marker.indent >= item.indent
        and gap <= 1
    )


def _owner(
    rows: Sequence[Line], stack: Sequence[_Item], number: int, marker: Marker | None, gap: int
) -> _Item | None:
    """The open item that a line without an item of its own belongs to."""
    text = rows[number].text
    if not stack or gap > 1:
        return None
    label = field_of(text)
    indent = _indent(text)
    if marker:
        if label is None or label[0] == "title" or marker.kind == "":
            return None
        if _begins(rows, stack[-1], marker):
            return stack[-1]
        owners = [i for i in stack[-8:] if _inside(i, marker, gap)]
        owner = owners[-1] if owners else None
        while (
            owner
            and owner.parent
            and field_of(rows[owner.first].text[:200]) is None
            and _is_remark(rows, owner)
        ):
            owner = owner.parent
        return owner if owner and number - owner.first <= _LONGEST_ITEM else None
    current = stack[-1]
    if number - current.first > _LONGEST_ITEM:
        return None
    for item in reversed(stack[-8:]):
        if indent >= item.indent + 2:
            return item
    if gap and not (label and current.kind.startswith("#")):
        return None
    if label:
        return None if label[0] == "title" and current.kind == "" else current
    before = rows[number - 1].text.rstrip()
    if text[:1].islower() or (
        len(before) >= 66 and not _ENDED.search(before) and not _CLOSING_WORDS.match(text)
    ):
        return current
    return None


def _begins(rows: Sequence[Line], item: _Item, marker: Marker) -> bool:
    """Whether an item is a title, and bullets of the same kind say the rest, as in "- Title: …", "- Authors: …"."""
    label = field_of(rows[item.first].text)
    return (
        label is not None and label[0] == "title" and (marker.indent, marker.kind) == (item.indent, item.kind)
    )


def _is_remark(rows: Sequence[Line], item: _Item) -> bool:
    """Whether an item is a label that names no field ("Summary: …")."""
    return is_labelled(rows[item.first].text)


def _indent(text: str) -> int:
    bare = text.lstrip(" \t")
    return len(text[: len(text) - len(bare)].expandtabs(4))


def _read(
    rows: Sequence[Line],
    item: _Item,
    begun: Sequence[int],
    *,
    lenient: bool,
    by: bool = True,
    led: bool = False,
) -> None:
    """Parse an item: its head, then the labelled lines below it; what follows is looked at again."""
    text, reached = _head(rows, item)
    text = _unlabelled(text[: _cut(text, item.content, begun)])
    lead = item.lead
    skipped = len(lead[0]) if lead else 0
    parsed = parse(text[skipped:], by=by, led=led)
    if lead:  # 1963: Eichmann in Jerusalem (Hannah Arendt)
        said = replace(parsed.reference, year=parsed.reference.year or int(lead["year"]))
        parsed = replace(
            parsed, reference=said, start=0, end=parsed.end + skipped, marks=parsed.marks | {"year"}
        )
    head = field_of(text)  # Author: Jane Roe, with the title on the next line
    fields: dict[str, str] = dict([head]) if head and head[0] == "authors" and head[1] else {}
    last = 0
    for number in item.lines[reached:]:
        label = field_of(rows[number].text)
        if label and label[1]:
            fields.setdefault(*label)
            last = len(rows[number].text.rstrip()) + rows[number].start - item.content
    if by and "authors" in fields:
        parsed = parse(text, by=False)
    item.score = weigh(text, parsed, lenient=lenient)
    if (about := _ABOUT.match(text)) and not (about["marked"] or parsed.marks or fields):
        item.score -= _SURE  # no title goes on behind bold type and a colon
    if fields:
        reference = with_labels(parsed.reference, fields)
        parsed = replace(parsed, reference=reference, end=max(last, parsed.end))
        item.score += 1.0 + 0.5 * len(fields)
    item.parsed = parsed
    item.more = [] if fields else list(_remainder(text, parsed, item))
    for number in item.lines[reached:]:
        item.more += doubtless(rows[number]) if field_of(rows[number].text) is None else []


def _unlabelled(text: str) -> str:
    """The text of an item with blanks for a label that says it is the title (书名：《…》), or what it is about, before a title in marks."""
    if (about := _ABOUT.match(text)) and about["marked"]:
        return text[about.start("marked") :].rjust(len(text))
    label = field_of(text) if SCRIPT.search(text, 0, 12) else None
    return text if label is None or label[0] != "title" or not label[1] else label[1].rjust(len(text))


def _head(rows: Sequence[Line], item: _Item) -> tuple[str, int]:
    """The text of an item up to its labelled lines or a line that is a reference of its own."""
    first = rows[item.first]
    pieces = [first.text[item.content - first.start :]]
    end = first.end
    for count, number in enumerate(item.lines[1:], 1):
        row = rows[number]
        if number != item.lines[count - 1] + 1 or is_labelled(row.text) or marker_of(row.text):
            return "".join(pieces), count
        before = "".join(pieces[-3:])
        open_quote = before.count('"') % 2 == 1 or before.count("“") > before.count("”")
        wrapped = open_quote or _wraps(rows[number - 1].text, row.text) or row.text.lstrip()[:1].islower()
        if not open_quote and _is_another(before, row.text):
            return "".join(pieces), count
        pieces += [(" " if wrapped else "|") * (row.start - end), row.text]
        end = row.end
    return "".join(pieces), len(item.lines)


def _wraps(line: str, following: str) -> bool:
    """Whether a line is likely to go on in the next: it is long, neither a sentence nor a list of names ends with it."""
    begins = following.lstrip()
    if len(line) < 60 or (begins[:1].isupper() and (_FULL_STOP.search(line) or is_comment(begins))):
        return False
    names = _LAST_NAMES.search(line)  # **Dirt** — David R. Montgomery; … et al. (2020)
    ended = _LAST_YEAR.search(line) or (names and people(names["names"]))
    return not (ended and begins[:1].isupper())


def _is_another(before: str, line: str) -> bool:
    """Whether a line below an item is another reference, and no further part of the same."""
    if len(line) > 1000 or not (YEAR.search(line) or '"' in line or "“" in line or "*" in line):
        return False
    parsed = parse(line.lstrip())
    reference = parsed.reference
    if not reference.title or people(before) is not None:
        return False
    return sure(line.lstrip(), parsed) and parse(before).reference.title != ""


def _cut(text: str, offset: int, begun: Sequence[int]) -> int:
    """Where the next reference begins in the text of an item, or else its end."""
    for place in begun[bisect_right(begun, offset + 2) :][:6]:
        at = place - offset
        if at >= len(text):
            break
        head = text[:at].rstrip(" \t|")
        if YEAR.search(head) or identifiers(head[-300:]) or _NEXT.search(text[max(0, at - 20) : at]):
            over = _NEXT.search(text[max(0, at - 20) : at])
            return at - (len(over[0]) if over else 0)
    return len(text)


def _remainder(text: str, parsed: Parsed, item: _Item) -> Iterator[Citation]:
    """References that follow in the same item: behind a semicolon or "see also", or within the commentary."""
    at = parsed.end
    while joint := _JOINED.match(text, at):
        rest = text[joint.end() :]
        further = parse(rest)
        reference = further.reference
        if weigh(rest, further) < 2.0 or not reference.title or not (reference.authors or reference.year):
            break
        yield _further(further, item.content + joint.end())
        at = joint.end() + max(further.end, 1)
    tried = 0
    while tried < 12 and YEAR.search(text, at) and (place := _PLACE.search(text, at)):
        tried += 1
        rest = text[place.end() :]
        at = place.end()
        if not YEAR.search(rest, 0, 400):
            continue
        further = parse(rest)
        if sure(rest, further):
            yield _further(further, item.content + place.end())
            at += further.end


def _further(parsed: Parsed, offset: int) -> Citation:
    return Citation(
        Span(start=offset + parsed.start, end=offset + parsed.end),
        parsed.reference,
        "inline",
        other=parsed.other,
    )


def _typical(items: Sequence[_Item]) -> float:
    """The score in the middle."""
    scores = sorted(item.score for item in items)
    return scores[len(scores) // 2] if len(scores) % 2 else sum(scores[len(scores) // 2 - 1 :][:2]) / 2


def _accepted(group: _Group, *, asked: float) -> Iterable[_Item]:
    """The items of a group that are references: by what they are, what introduces them, and each other.

    A topic with references below it is none, unless it shows on its own that it is.
    """
    parent = group.items[0].parent
    inside = parent is not None and (_own(parent) or _addressed(parent))
    lead = -1.0 if inside else lead_in(group.lead) + asked
    # headings have other things below them, letters stand before the options of a question, too
    doubted = group.items[0].kind.startswith("#") or group.items[0].kind in ("a)", "A.", "一、")
    lead = min(lead, 1.0 if doubted else 2.0)
    items = [item for item in group.items if not item.topic]
    topics = [item for item in group.items if item.topic and _own(item)]
    if not items:
        return topics
    typical = _typical(items)
    items = [item for item in items if not (item.parsed and _is_plain(item.parsed, items, asked=asked > 0))]
    if inside and typical < 2.5:  # remarks on the work above, with an odd reference among them
        return [*topics, *(item for item in items if item.score >= 3.5 and _named(item))]
    if typical + lead >= 2.0:
        least = 0.5 if typical + lead >= 2.5 else 1.0  # one odd item among many that are sure
        return [*topics, *(item for item in items if item.score + lead >= least and _named(item))]
    least = 3.5 if lead > -3 else 6.0
    return [*topics, *(item for item in items if item.score >= least and _named(item))]


def _is_plain(parsed: Parsed, items: Sequence[_Item], *, asked: bool) -> bool:
    """Whether nothing shows a title in Chinese, Japanese or Korean: 활동: 자료와 소설 비교하기.

    Nearly all writers set such titles in marks; if references were asked for, only what the other items do counts.
    """
    if parsed.marks or not SCRIPT.search(parsed.reference.title):
        return False
    return not asked or 2 * sum("quoted" in item.parsed.marks for item in items if item.parsed) >= len(items)


def _addressed(item: _Item) -> bool:
    """Whether an item has a title and the address where it is, so that what stands below it is said of it."""
    return bool(item.parsed and item.parsed.reference.url and item.parsed.reference.title)


def _own(item: _Item) -> bool:
    """Whether an item shows by itself that it is a reference."""
    return item.score >= 2.5 and _named(item)


def _named(item: _Item) -> bool:
    reference = item.parsed.reference if item.parsed else Reference()
    return bool(reference.title or reference.doi or reference.arxiv or reference.pmid or reference.isbn)


def _citation(rows: Sequence[Line], item: _Item, parsed: Parsed) -> Citation:
    style: Literal["numbered", "bulleted", "line"] = (
        "line" if not item.marker else "bulleted" if item.kind in _BULLETS or item.kind == "<" else "numbered"
    )
    span = Span(start=item.content + parsed.start, end=item.content + parsed.end)
    last = item.lines[-1] if item.topic else item.reach
    whole = Span(start=rows[item.first].start, end=max(rows[last].stop, span.end))
    return Citation(span, parsed.reference, style, whole, item.marker, other=parsed.other)
