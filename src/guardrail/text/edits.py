"""Edits of an answer: marks that break nothing, and cuts that leave clean text.

Pure functions from a text and spans to `Edit`s on that text; `apply` makes the new text. All of them accept any
string and any spans (spans are clipped to the text), and all are linear in the text apart from sorting.

`insertions` only inserts. `removals` cuts what the spans stand for (a list item, a BibTeX entry, a
parenthesis, a sentence), numbers the lists again, and lets the markers in the text (`[3]`) follow.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from guardrail.report import Edit, Span
from guardrail.text.layout import Block, Item, ItemList, Layout, Region

__all__ = ["EMPTY", "LIST_GONE", "Mark", "apply", "insertions", "merge", "one_line", "plain", "removals"]

EMPTY = "Nothing of this answer could be confirmed, so nothing of it is shown."
"""What stands in for an answer of which nothing is left."""

LIST_GONE = "(The entries of this list could not be confirmed and were removed.)"
"""What stands in for a list of which nothing is left."""

SHORTEST_ECHO = 8
"""A removed text of at least so many characters is removed wherever it occurs again, word for word."""

_UNSAFE = re.compile(
    r"[\[\]<>`*_|{}\\@#!\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]"
)
_WORDS = re.compile(r"[^\w\s'’.-]")
_CLOSERS = "\"'”’»›」』》〉*_~"
_PAIRS = {
    "(": ")",
    "[": "]",
    "（": "）",
    "“": "”",
    "‘": "’",
    "«": "»",
    "‹": "›",
    "「": "」",
    "『": "』",
    "《": "》",
}
_PARENTHESES = {"(": ")", "（": "）"}
_LISTED = re.compile(r"[\s,;，、]*(?:\band\b|\bor\b|&)?[\s]*")
_MARKER = re.compile(r"\[[ \t]*\d{1,4}(?:[ \t]*[,;–—-][ \t]*\d{1,4})*[ \t]*\](?:\([^()\s]*\))?")
_PART = re.compile(r"(\d+)(?:[ \t]*([–—-])[ \t]*(\d+))?")
_NESTED = 8  # how many quotes and brackets are looked for around one piece
_REACH = 600  # how far a parenthesis or quotation may reach


class Mark(NamedTuple):
    """What to say about a span, or about the whole text (`None`)."""

    span: Span | None
    text: str
    why: str = ""


def apply(text: str, edits: Iterable[Edit]) -> str:
    """The text after the edits. An edit that overlaps an earlier one is left out."""
    pieces, position = [], 0
    for edit in sorted(edits, key=lambda edit: (edit.span.start, edit.span.end)):
        if edit.span.start < position or edit.span.end > len(text):
            continue
        pieces += [text[position : edit.span.start], edit.replacement]
        position = edit.span.end
    return "".join([*pieces, text[position:]])


def merge(first: Sequence[Edit], second: Sequence[Edit]) -> tuple[Edit, ...]:
    """Edits of one text together: an insertion into what is cut moves to where the cut begins.

    Of two replacements that overlap, the first stays; insertions at one place are joined.
    """
    taken = sorted((edit for edit in first if edit.span.end > edit.span.start), key=lambda e: e.span.start)
    starts = [edit.span.start for edit in taken]
    fresh: list[Edit] = []
    for edit in second:
        index = bisect_left(starts, edit.span.end) - 1
        if edit.span.end > edit.span.start and (index < 0 or taken[index].span.end <= edit.span.start):
            fresh.append(edit)
    taken += fresh
    taken.sort(key=lambda edit: edit.span.start)
    starts = [edit.span.start for edit in taken]
    inserted: dict[int, Edit] = {}
    for edit in (*first, *second):
        if edit.span.end > edit.span.start:
            continue
        place = edit.span.start
        index = bisect_left(starts, place) - 1
        if index >= 0 and place < taken[index].span.end:
            place = taken[index].span.start
        other = inserted.get(place)
        if other is None:
            inserted[place] = edit.model_copy(update={"span": Span(start=place, end=place)})
        elif edit.replacement not in other.replacement:
            inserted[place] = Edit(
                span=other.span,
                replacement=other.replacement + edit.replacement,
                why=_joined([other.why, edit.why]),
            )
    return tuple(sorted((*taken, *inserted.values()), key=lambda edit: (edit.span.start, edit.span.end)))


def one_line(text: str, limit: int = 120) -> str:
    r"""Text on one line without control characters, cut at `limit`.

    Example:
        >>> one_line("a  b\n\nc\x00", 4)
        'a b…'
    """
    kept = "".join(c if unicodedata.category(c)[0] != "C" else " " for c in text[: limit * 4])
    flat = " ".join(kept.split())
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"


def plain(mark: str, limit: int = 120) -> str:
    """A mark that can neither end its brackets nor be read as Markdown, HTML or BibTeX.

    Example:
        >>> plain("authors differ: [x](http://a) <b>")
        'authors differ: x (http://a) b'
    """
    return one_line(_UNSAFE.sub(" ", mark), limit)


# --- marks ---------------------------------------------------------------------------------------------------


def insertions(text: str, marks: Sequence[Mark]) -> tuple[Edit, ...]:
    """Insert ` [mark]` after each span; nothing is deleted.

    A mark never lands inside a link, inline code, a formula, a word, a code block or a BibTeX entry, but after
    it; marks of a block stand on lines of their own below it and name the entry. Marks of spans that are
    mostly the same are one mark. Marks of the whole text are one line at its end.
    """
    layout = Layout(text)
    places: dict[int, list[Mark]] = {}
    below: dict[int, tuple[Block, list[tuple[str, Mark]]]] = {}
    for group in _grouped(text, [mark for mark in marks if mark.span is not None]):
        span = Span(start=min(_span(m).start for m in group), end=max(_span(m).end for m in group))
        place, block = _after(layout, span)
        if block is None:
            places.setdefault(place, []).extend(group)
        else:
            below.setdefault(place, (block, []))[1].extend((_name(layout, span), mark) for mark in group)
    edits = [_inline(text, place, found) for place, found in places.items()]
    edits += [_below(text, place, block, found) for place, (block, found) in below.items()]
    whole = [mark for mark in marks if mark.span is None]
    if whole:
        edits.append(_note(layout, whole))
    return merge(edits, ())


def _grouped(text: str, marks: list[Mark]) -> Iterator[list[Mark]]:
    """Marks whose spans share at least half of what they cover together."""
    group: list[Mark] = []
    start = end = 0
    for mark in sorted(marks, key=lambda m: (_span(m).start, _span(m).end)):
        span = _clip(text, _span(mark))
        shared = min(end, span.end) - max(start, span.start)
        if group and (
            2 * shared >= max(end, span.end) - min(start, span.start) > 0
            or (start, end) == (span.start, span.end)
        ):
            group.append(mark)
            end = max(end, span.end)
            continue
        if group:
            yield group
        group, start, end = [mark], span.start, span.end
    if group:
        yield group


def _after(layout: Layout, span: Span) -> tuple[int, Block | None]:
    text = layout.text
    span = _clip(text, span)
    place = span.end
    while place > span.start and text[place - 1].isspace():
        place -= 1
    for _ in range(8):
        if (block := layout.block_at(place)) is not None and block.kind != "math":
            return block.end, block
        if block is not None and place < block.end:
            place = block.end
        elif (part := layout.inline_at(place)) is not None:
            url = text.startswith("http", part[0])
            place = (
                part[1] - (len(text[place : part[1]]) - len(text[place : part[1]].rstrip(".,;:!?)"))) * url
            )
            if text[place : part[1]] == "" or not url:
                continue
            break
        elif (further := _past(text, place)) != place:
            place = further
        else:
            break
    return place, None


def _past(text: str, place: int) -> int:
    """Past the rest of a word or letter, and past quotes and emphasis that close here."""
    if not 0 < place < len(text):
        return place
    end = place
    if _same_word(text[place - 1], text[place]):
        while end < len(text) and _same_word(text[end - 1], text[end]):
            end += 1
        return end
    while end < len(text) and (unicodedata.combining(text[end]) or text[end] in "\u200d\ufe0e\ufe0f"):
        end += 1
    if end != place or text[place - 1].isspace():
        return end
    stop = place
    if text[stop] in ".,!?。，" and stop + 1 < len(text) and text[stop + 1] in _CLOSERS:
        stop += 1
    while stop < len(text) and text[stop] in _CLOSERS and _open(text, stop, text[stop]):
        run = text[stop]
        while stop < len(text) and text[stop] == run:
            stop += 1
        end = stop
    if end < len(text) and end > place and _same_word(text[place - 1], text[end]):
        return place  # an apostrophe, a glob
    return end


def _open(text: str, place: int, closer: str) -> bool:
    """Whether what `closer` would close was opened on the line before `place`."""
    line = text[max(text.rfind("\n", 0, place) + 1, place - _REACH) : place]
    for opener, partner in _PAIRS.items():
        if partner == closer:
            return line.count(opener) > line.count(closer)
    return len(re.findall(re.escape(closer) + "+", line)) % 2 == 1


def _same_word(a: str, b: str) -> bool:
    return all((c.isalnum() or unicodedata.combining(c)) and c < "\u0600" for c in (a, b))


def _name(layout: Layout, span: Span) -> str:
    for entry in layout.entries_in(span.start, span.end):
        if entry.key:
            return plain(entry.key, 60)
    return one_line(_WORDS.sub(" ", span.of(layout.text)), 60)


def _inline(text: str, place: int, marks: list[Mark]) -> Edit:
    label = f" [{_joined(plain(mark.text) for mark in marks)}]"
    glued = text[place : place + 1] in {"(", "[", ":", "{"}  # "[mark](" would make a link
    return _insert(place, label + " " * glued, marks)


def _below(text: str, place: int, block: Block, found: list[tuple[str, Mark]]) -> Edit:
    named: dict[str, list[Mark]] = {}
    for name, mark in found:
        named.setdefault(name, []).append(mark)
    labels = [
        f"[{name + ': ' if name else ''}{_joined(plain(m.text) for m in marks)}]"
        for name, marks in named.items()
    ]
    indent = "".join(" " if c not in " \t>" else c for c in block.indent)
    newline = "\n" + indent
    before = newline + block.closing if block.closing else ""
    before += newline * 2 if block.kind == "code" else newline
    follows = text[place:].partition("\n")[2][:200].partition("\n")[0].strip() if place < len(text) else ""
    after = "\n" if follows and block.kind == "code" else ""
    if place < len(text) and text[place] not in "\r\n":
        after = "\n"
    return _insert(place, before + newline.join(labels) + after, [mark for _, mark in found])


def _note(layout: Layout, marks: list[Mark]) -> Edit:
    text = layout.text
    block = layout.blocks[-1] if layout.blocks else None
    closing = f"\n{block.indent}{block.closing}" if block is not None and block.closing else ""
    gap = "" if not text else "\n\n" if closing or not text.endswith("\n") else "\n"
    return _insert(len(text), f"{closing}{gap}[{_joined(plain(mark.text, 240) for mark in marks)}]", marks)


def _insert(place: int, text: str, marks: Iterable[Mark]) -> Edit:
    return Edit(span=Span(start=place, end=place), replacement=text, why=_joined(mark.why for mark in marks))


# --- cuts ----------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Cut:
    start: int
    end: int
    whys: list[str] = field(default_factory=list)
    replacement: str = ""


def removals(text: str, spans: Sequence[tuple[Span, str]], *, empty: str = EMPTY) -> tuple[Edit, ...]:
    """Cut what each span stands for; each comes with its reason, which must not quote it.

    Args:
        text: the text.
        spans: what to cut, and why.
        empty: what to show where nothing is left.

    Returns:
        Cuts, new numbers of list items and of the markers that point to them, and a sentence in the place of
        a list that is gone. A span is cut wherever its text occurs again (from eight characters on; a
        quoted title in it from twelve); if it still survives where two cuts meet, the whole text is replaced.
    """
    layout = Layout(text)
    wanted = [(clipped, why) for span, why in spans if (clipped := _trim(text, span)).end > clipped.start]
    if not wanted:
        return ()
    needles = _needles(text, [span for span, _ in wanted])
    known = _united(_Cut(span.start, span.end) for span, _ in wanted)
    wanted += [(s, "occurs again") for s in _echoes(text, needles) if not _inside(known, s.start, s.end)]
    cuts = _united(cut for span, why in wanted for cut in _cuts(layout, span, why))
    cuts = _emptied(layout, cuts)
    numbers, dropped = _renumbered(layout, cuts)
    cuts = _united(_tidy(text, cut) for cut in _united([*cuts, *dropped]))
    _say_what_lists_lost(layout, cuts)
    edits = [
        Edit(span=Span(start=c.start, end=c.end), replacement=c.replacement, why=_joined(c.whys))
        for c in cuts
    ]
    edits += [edit for edit in numbers if not _inside(cuts, edit.span.start, edit.span.end)]
    edits.sort(key=lambda edit: edit.span.start)
    left = apply(text, edits)
    bare = left.replace(LIST_GONE, "")
    if not any(c.isalnum() for c in bare) or any(needle in left for needle in needles):
        why = _joined(why for cut in cuts for why in cut.whys)
        return (Edit(span=Span(start=0, end=len(text)), replacement=empty, why=why),)
    return tuple(edits)


def _needles(text: str, spans: list[Span]) -> list[str]:
    found: dict[str, None] = {}
    for span in spans:
        piece = span.of(text)
        if len(piece) >= SHORTEST_ECHO:
            found[piece] = None
        for match in re.finditer(r"[\"“«《「*_]([^\"”»》」*_\n]{12,400})[\"”»》」*_]", piece):
            found[match.group(1).strip(" .,")] = None
    return [needle for needle in found if len(needle) >= SHORTEST_ECHO]


def _echoes(text: str, needles: list[str]) -> Iterator[Span]:
    for needle in needles:
        at = text.find(needle)
        while at >= 0:
            yield Span(start=at, end=at + len(needle))
            at = text.find(needle, at + len(needle))


def _cuts(layout: Layout, span: Span, why: str) -> Iterator[_Cut]:
    regions = layout.regions
    index = max(bisect_right(regions, span.start, key=lambda region: region.start) - 1, 0)
    while index < len(regions) and regions[index].start < span.end:
        region = regions[index]
        index += 1
        piece = _trim(
            layout.text,
            Span(start=max(span.start, region.start), end=max(region.start, min(span.end, region.end))),
        )
        if piece.end > piece.start and region.start <= piece.start:
            start, end = _extent(layout, region, piece)
            yield _Cut(start, end, [why])


def _extent(layout: Layout, region: Region, piece: Span) -> tuple[int, int]:
    if region.kind == "line":
        return region.start, region.end
    if region.kind == "block":
        return _block_extent(layout, piece)
    if region.item is not None and _covers(layout.text, region.item, piece):
        return region.item.start, region.item.end
    start = region.item.content if region.item is not None else region.start
    return _prose_extent(layout, Span(start=min(start, piece.start), end=region.end), piece)


def _block_extent(layout: Layout, piece: Span) -> tuple[int, int]:
    entries = layout.entries_in(piece.start, piece.end)
    start = min([piece.start, *(entry.start for entry in entries)])
    end = max([piece.end, *(entry.end for entry in entries)])
    return _whole_lines(layout.text, start, end)


def _whole_lines(text: str, start: int, end: int) -> tuple[int, int]:
    stop = text.find("\n", max(end - 1, start))
    return text.rfind("\n", 0, start) + 1, len(text) if stop < 0 else stop + 1


def _covers(text: str, item: Item, piece: Span) -> bool:
    """Whether an item is about the piece: begins with it, or is half of it."""
    lead = text[item.content : min(piece.start, item.content + _REACH)]
    if not any(c.isalnum() for c in lead):
        return True
    own = _letters(
        text[item.content : min(item.own_end, item.content + 8 * (piece.end - piece.start) + _REACH)]
    )
    return 2 * _letters(piece.of(text)) >= own


def _letters(text: str) -> int:
    return sum(not c.isspace() for c in text)


def _prose_extent(layout: Layout, region: Span, piece: Span) -> tuple[int, int]:
    text = layout.text
    start, end = _unwrapped(layout, region, piece.start, piece.end)
    if (found := _parenthesis(text, region, start, end)) is not None:
        return found
    if re.fullmatch(r"\[\d[\d,;\s–—-]*\]", text[start:end]):
        return start, end
    if (found := _series(text, region, start, end)) is not None:
        return found
    ends = layout.sentence_ends(region.start, region.end)
    index = bisect_right(ends, start)
    first = ends[index - 1] if index else region.start
    last = ends[min(bisect_left(ends, end), len(ends) - 1)]
    while first < start and text[first].isspace():
        first += 1
    return min(first, start), max(last, end)


def _unwrapped(layout: Layout, region: Span, start: int, end: int) -> tuple[int, int]:
    """With the links that it cuts in two and the quotes and emphasis around it."""
    text = layout.text
    for place in (start + 1, end):
        if (part := layout.inline_at(place)) is not None:
            start, end = min(start, part[0]), max(end, part[1])
    for _ in range(_NESTED):
        if start <= region.start or end >= region.end:
            break
        opener, closer = text[start - 1], text[end]
        if (
            closer in ".,"
            and end + 1 < region.end
            and _matches(opener, text[end + 1])
            and opener not in "([（"
        ):
            start, end = start - 1, end + 2
        elif _matches(opener, closer) and opener not in "([（":
            start, end = start - 1, end + 1
        else:
            break
    return start, end


def _matches(opener: str, closer: str) -> bool:
    return _PAIRS.get(opener) == closer or (opener == closer and opener in "\"'*_~")


def _parenthesis(text: str, region: Span, start: int, end: int) -> tuple[int, int] | None:
    """The parenthesis around the piece, or its part between semicolons, if it is there for the piece."""
    left = _opening(text, max(region.start, start - _REACH), start)
    if left is None:
        return (
            (start, end) if text[start] in _PARENTHESES and text[end - 1] in _PARENTHESES.values() else None
        )
    right = _closing(text, end, min(region.end, end + _REACH))
    if right is None:
        return None
    before, after = text[left + 1 : start], text[end:right]
    head, semicolon, _ = before.rpartition(";")
    tail_semicolon = after.find(";")
    lead = before[len(head) + 1 :] if semicolon else before
    rest = after if tail_semicolon < 0 else after[:tail_semicolon]
    around = len(re.findall(r"[^\W\d_]", lead + rest))
    if around > max(12, end - start):
        return None
    if semicolon:
        return left + 1 + len(head), right if tail_semicolon < 0 else end + tail_semicolon
    if tail_semicolon >= 0:
        stop = end + tail_semicolon + 1
        while stop < right and text[stop].isspace():
            stop += 1
        return left + 1, stop
    return left, right + 1


def _opening(text: str, start: int, end: int) -> int | None:
    depth = 0
    for i in range(end - 1, start - 1, -1):
        if text[i] in _PARENTHESES.values():
            depth += 1
        elif text[i] in _PARENTHESES:
            if depth == 0:
                return i
            depth -= 1
    return None


def _closing(text: str, start: int, end: int) -> int | None:
    depth = 0
    for i in range(start, end):
        if text[i] in _PARENTHESES:
            depth += 1
        elif text[i] in _PARENTHESES.values():
            if depth == 0:
                return i
            depth -= 1
    return None


def _series(text: str, region: Span, start: int, end: int) -> tuple[int, int] | None:
    """One of several quoted titles in a row, with the comma or "and" that joins it to its neighbour."""
    quotes = '"”»》」』’'
    if text[end - 1] not in quotes or text[start] not in '"“«《「『‘':
        return None
    following = _LISTED.match(text, end, region.end)
    if following and following.end() > end and text[following.end() : following.end() + 1] == text[start]:
        return start, following.end()
    before = text[max(region.start, start - 12) : start]
    joined = re.search(r"[\s,;，、]*(?:\band\b|\bor\b|&)?\s*$", before)
    if joined and joined.group() and before[: joined.start()][-1:] == text[end - 1]:
        return start - len(joined.group()), end
    return None


def _united(cuts: Iterable[_Cut]) -> list[_Cut]:
    """Cuts in order, those that overlap or touch as one."""
    united: list[_Cut] = []
    for cut in sorted(cuts, key=lambda cut: (cut.start, cut.end)):
        if united and cut.start <= united[-1].end:
            united[-1].end = max(united[-1].end, cut.end)
            united[-1].whys += cut.whys
        else:
            united.append(_Cut(cut.start, cut.end, list(cut.whys)))
    return united


def _inside(cuts: list[_Cut], start: int, end: int) -> bool:
    index = bisect_right(cuts, start, key=lambda cut: cut.start) - 1
    return index >= 0 and end <= cuts[index].end


def _left(text: str, cuts: list[_Cut], start: int, end: int) -> bool:
    """Whether a letter or digit of `text[start:end]` is left."""
    index = max(bisect_right(cuts, start, key=lambda cut: cut.start) - 1, 0)
    position = start
    while position < end:
        stop = end
        if index < len(cuts):
            stop = min(end, max(cuts[index].start, position))
        if any(c.isalnum() for c in text[position:stop]):
            return True
        if index >= len(cuts):
            return False
        position = max(stop, cuts[index].end)
        index += 1
    return False


def _emptied(layout: Layout, cuts: list[_Cut]) -> list[_Cut]:
    """Also cut the items and code blocks in which nothing is left."""
    text = layout.text
    more: list[_Cut] = []
    for owner in layout.lists:
        more += [
            _Cut(item.start, item.end)
            for item in owner.items
            if not _left(text, cuts, item.content, item.end) and not _inside(cuts, item.start, item.end)
        ]
    for block in layout.blocks:
        first = text.find("\n", block.start, block.end)
        last = text.rfind("\n", block.start, block.end)
        if block.kind == "code" and first >= 0 and _touched(cuts, block):
            body_end = block.end if block.closing or last <= first else last
            if not _left(text, cuts, first, body_end):
                more.append(_Cut(*_whole_lines(text, block.start, block.end)))
    return _united([*cuts, *more]) if more else cuts


def _touched(cuts: list[_Cut], block: Block) -> bool:
    index = bisect_left(cuts, block.end, key=lambda cut: cut.start) - 1
    return index >= 0 and cuts[index].end > block.start


def _tidy(text: str, cut: _Cut) -> _Cut:
    """Take along what would dangle: brackets and quotes around nothing, spaces, commas, blank lines."""
    start, end = cut.start, cut.end
    for _ in range(_NESTED):
        if start > 0 and end < len(text) and _matches(text[start - 1], text[end]):
            start, end = start - 1, end + 1
    if start == 0 or text[start - 1] == "\n":
        end = _tidy_lines(text, start, end)
    else:
        start, end = _tidy_words(text, start, end)
    if end == len(text):
        while start > 0 and text[start - 1].isspace():
            start -= 1
    return _Cut(start, end, cut.whys)


def _tidy_lines(text: str, start: int, end: int) -> int:
    """After a cut that begins a line: no indent is left, nor an empty line, nor two."""
    if text[end - 1] != "\n":
        while end < len(text) and text[end] in " \t\r":
            end += 1
        if end == len(text) or text[end] != "\n":
            return end
        end += 1
    if start == 0 or text.endswith(("\n\n", "\n\r\n"), 0, start):
        while end < len(text) and text[end] in "\r\n":
            end += 1
    return end


def _tidy_words(text: str, start: int, end: int) -> tuple[int, int]:
    """After a cut within a line: no doubled space or comma, no space before a full stop."""
    following = text[end] if end < len(text) else "\n"
    if following.isspace() or following in ".,;:!?)]}。，；：！？）":
        while text[start - 1] in " \t" and start > 1:
            start -= 1
    if following in ",;" and text[start - 1] in ",;:(（":
        end += 1
        while text[start - 1] in "(（" and end < len(text) and text[end] == " ":
            end += 1
    return start, end


def _say_what_lists_lost(layout: Layout, cuts: list[_Cut]) -> None:
    for owner in layout.lists:
        first, last = owner.items[0], owner.items[-1]
        if owner.nested or not all(_inside(cuts, item.start, item.content) for item in owner.items):
            continue
        cut = cuts[bisect_right(cuts, first.start, key=lambda c: c.start) - 1]
        final = cuts[bisect_right(cuts, last.start, key=lambda c: c.start) - 1]
        before = "" if cut.start == 0 or layout.text[cut.start - 1] == "\n" else "\n\n"
        following = layout.text[final.end : final.end + 1]
        after = "\n\n" if following.strip() else "\n" if following else ""
        cut.replacement = before + LIST_GONE + after


# --- numbers -------------------------------------------------------------------------------------------------


def _renumbered(layout: Layout, cuts: list[_Cut]) -> tuple[list[Edit], list[_Cut]]:
    """New numbers for the items that are left, and for the markers that point to them."""
    edits: list[Edit] = []
    pointed = _pointed(layout)
    dropped: list[_Cut] = []
    for owner in layout.lists:
        numbers = _numbers(owner, cuts)
        if numbers is None:
            continue
        for item in owner.items:
            new = numbers.get(item.number or 0)
            if new is not None and new != item.number:
                edits.append(_number(item.digits, str(new)))
        if owner is pointed:
            known: dict[str, str | None] = {}
            for match in _markers(layout):
                if match.group() not in known:
                    known[match.group()] = _remapped(match.group(), numbers)
                text = known[match.group()]
                if text is None:
                    dropped.append(_Cut(match.start(), match.end()))
                elif text != match.group():
                    edits.append(_number(match.span(), text))
    return edits, dropped


def _number(where: tuple[int, int], text: str) -> Edit:
    return Edit(span=Span(start=where[0], end=where[1]), replacement=text, why="numbered again")


def _numbers(owner: ItemList, cuts: list[_Cut]) -> dict[int, int | None] | None:
    """Old number → new number (`None`: gone), or `None` where nothing changes or numbers repeat."""
    old = [item.number for item in owner.items]
    gone = [_inside(cuts, item.start, item.content) for item in owner.items]
    if None in old or len(set(old)) < len(old) or not any(gone):
        return None
    numbers: dict[int, int | None] = {}
    following = old[0] or 0
    for number, is_gone in zip(old, gone, strict=True):
        numbers[number or 0] = None if is_gone else following
        following += not is_gone
    return numbers


def _pointed(layout: Layout) -> ItemList | None:
    """The list that markers like [3] point to: the last of the form "[3] …", else the last numbered one."""
    numbered = [owner for owner in layout.lists if owner.items[0].number is not None and not owner.nested]
    bracketed = [owner for owner in numbered if owner.style.startswith("[]")]
    found = bracketed or numbered
    return found[-1] if found else None


def _markers(layout: Layout) -> Iterator[re.Match[str]]:
    starts = {
        item.digits[0] - 1 for owner in layout.lists for item in owner.items if item.style.startswith("[]")
    }
    for match in _MARKER.finditer(layout.text):
        block = layout.block_at(match.start() + 1)
        if match.start() not in starts and (block is None or block.kind == "math"):
            yield match


def _remapped(marker: str, numbers: dict[int, int | None]) -> str | None:
    """The marker after renumbering; `None` if all that it points to is gone.

    Example:
        >>> _remapped("[1, 3]", {1: 1, 2: None, 3: 2})
        '[1, 2]'
    """
    inner, bracket, link = marker[1:].partition("]")
    kept: list[int] = []
    ranged = ""
    for match in _PART.finditer(inner):
        low, high = int(match.group(1)), int(match.group(3) or match.group(1))
        if low not in numbers or high not in numbers:
            return marker
        ranged = ranged or match.group(2) or ""
        found = [numbers.get(old) for old in range(low, min(high, low + 1000) + 1)]
        kept += [new for new in found if new is not None]
    if not kept:
        return None
    joint = ", " if re.search(r"[,;]\s", inner) or ranged else ","
    return "[" + joint.join(_runs(kept, ranged)) + bracket + link


def _runs(numbers: list[int], dash: str) -> Iterator[str]:
    index = 0
    while index < len(numbers):
        stop = index
        while dash and stop + 1 < len(numbers) and numbers[stop + 1] == numbers[stop] + 1:
            stop += 1
        if stop - index >= 2 or (dash and stop - index == 1 and len(numbers) == 2):
            yield f"{numbers[index]}{dash}{numbers[stop]}"
            index = stop + 1
        else:
            yield str(numbers[index])
            index += 1


# --- small things --------------------------------------------------------------------------------------------


def _span(mark: Mark) -> Span:
    return mark.span if mark.span is not None else Span(start=0, end=0)


def _clip(text: str, span: Span) -> Span:
    return Span(start=min(span.start, len(text)), end=min(span.end, len(text)))


def _trim(text: str, span: Span) -> Span:
    start, end = min(span.start, len(text)), min(span.end, len(text))
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start=start, end=end)


def _joined(parts: Iterable[str]) -> str:
    return "; ".join(dict.fromkeys(part for part in parts if part))
