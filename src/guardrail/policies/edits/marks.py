"""Marks: insertions that break nothing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from guardrail.policies.edits.application import merge, replacement
from guardrail.policies.edits.pairs import NESTED, PAIRS, REACH
from guardrail.policies.edits.wording import flattened, joined_once, plain
from guardrail.report import Edit, Span
from guardrail.text.blocks import VerbatimBlock
from guardrail.text.layout import Layout

_WORDS = re.compile(r"[^\w\s'’.-]")
_FILLED = re.compile(r"[^\S\n]*\S")
_CLOSING = re.compile(
    r"(?:\s|</(?:p|div|[uod]l|li|d[td]|table|tbody|t[rdh]|h[1-6]|blockquote|section|article)>)+\Z",
    re.IGNORECASE,
)
_JOINERS = "\u200d\ufe0e\ufe0f"  # zero-width joiner, text and emoji style
_CLOSERS = "\"'”’»›」』》〉*_~"


class Mark(NamedTuple):
    """What to say about a span, or about the whole text (`None`)."""

    span: Span | None
    text: str
    why: str = ""


def prose_insertions(text: str, marks: Sequence[Mark]) -> tuple[Edit, ...]:
    """Insert ` [mark]` after each span; nothing is deleted.

    A mark never lands inside a link, inline code, a formula, a word, a code block or a BibTeX entry, but after
    it; marks of a block are on lines of their own below it and name the entry. Marks of spans that are
    mostly the same are one mark. Marks of the whole text are one line at its end.
    """
    layout = Layout(text)
    places: dict[int, list[Mark]] = {}
    below: dict[int, tuple[VerbatimBlock, list[tuple[str, Mark]]]] = {}
    for span, group in _grouped(text, marks):
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


def _grouped(text: str, marks: Sequence[Mark]) -> Iterator[tuple[Span, list[Mark]]]:
    """Marks whose spans share at least half of what they cover together, with what that is."""
    located = [(_clip(text, mark.span), mark) for mark in marks if mark.span is not None]
    group: list[Mark] = []
    start = end = 0
    for span, mark in sorted(located, key=lambda one: (one[0].start, one[0].end)):
        shared = min(end, span.end) - max(start, span.start)
        if group and (
            2 * shared >= max(end, span.end) - min(start, span.start) > 0
            or (start, end) == (span.start, span.end)
        ):
            group.append(mark)
            end = max(end, span.end)
            continue
        if group:
            yield Span(start=start, end=end), group
        group, start, end = [mark], span.start, span.end
    if group:
        yield Span(start=start, end=end), group


def _after(layout: Layout, span: Span) -> tuple[int, VerbatimBlock | None]:
    text = layout.text
    place = span.start + len(_CLOSING.sub("", span.of(text)[-REACH:])) + max(len(span.of(text)) - REACH, 0)
    for _ in range(NESTED):
        block = layout.block_at(place)
        if block is not None and block.kind != "math":
            return block.end, block
        if block is not None and place < block.end:
            further = block.end
        elif (part := layout.inline_at(place)) is not None:
            further = part[1]
            if text.startswith("http", part[0]):
                further = place + len(text[place:further].rstrip(".,;:!?)"))
                if further < part[1]:
                    return further, None
        elif (word := layout.word_at(place)) is not None:
            further = word[1]
        else:
            further = _past(text, place)
        if further == place:
            break
        place = further
    return place, None


def _past(text: str, place: int) -> int:
    """Past the rest of a letter, and past quotes and emphasis that close here."""
    if not 0 < place < len(text):
        return place
    limit = min(len(text), place + REACH)
    end = place
    while end < limit and (unicodedata.combining(text[end]) or text[end] in _JOINERS):
        end += 1
    if end != place or text[place - 1].isspace():
        return end
    stop = place
    if text[stop] in ".,!?。，" and stop + 1 < limit and text[stop + 1] in _CLOSERS:
        stop += 1
    while stop < limit and text[stop] in _CLOSERS and _open(text, stop, text[stop]):
        run = text[stop]
        while stop < limit and text[stop] == run:
            stop += 1
        end = stop
    if place < end < len(text) and text[place - 1].isalnum() and text[end].isalnum() and text[end] < "\u0600":
        return place  # an apostrophe, a glob
    return end


def _open(text: str, place: int, closer: str) -> bool:
    """Whether what `closer` would close was opened on the line before `place`."""
    first = max(place - REACH, 0)
    line = text[max(text.rfind("\n", first, place) + 1, first) : place]
    for opener, partner in PAIRS.items():
        if partner == closer:
            return line.count(opener) > line.count(closer)
    return len(re.findall(re.escape(closer) + "+", line)) % 2 == 1


def _name(layout: Layout, span: Span) -> str:
    for entry in layout.entries_in(span.start, span.end):
        if entry.key:
            return plain(entry.key, 60)
    return flattened(_WORDS.sub(" ", span.of(layout.text)[:REACH]), 60)


def _inline(text: str, place: int, marks: list[Mark]) -> Edit:
    label = f" [{joined_once(plain(mark.text) for mark in marks)}]"
    glued = text[place : place + 1] in {"(", "[", ":", "{"}  # "[mark](" would make a link
    return _insert(place, label + " " * glued, marks)


def _below(text: str, place: int, block: VerbatimBlock, found: list[tuple[str, Mark]]) -> Edit:
    named: dict[str, list[Mark]] = {}
    for name, mark in found:
        named.setdefault(name, []).append(mark)
    labels = [
        f"[{name + ': ' if name else ''}{joined_once(plain(m.text) for m in marks)}]"
        for name, marks in named.items()
    ]
    indent = "".join(" " if c not in " \t>" else c for c in block.indent)
    newline = "\n" + indent
    before = newline + block.closing if block.closing else ""
    before += newline * 2 if block.kind == "code" else newline
    newline_at = text.find("\n", place)
    follows = newline_at >= 0 and _FILLED.match(text, newline_at + 1) is not None
    after = "\n" if follows and block.kind == "code" else ""
    if place < len(text) and text[place] not in "\r\n":
        after = "\n"
    return _insert(place, before + newline.join(labels) + after, [mark for _, mark in found])


def _note(layout: Layout, marks: list[Mark]) -> Edit:
    text = layout.text
    block = layout.blocks[-1] if layout.blocks else None
    closing = f"\n{block.indent}{block.closing}" if block is not None and block.closing else ""
    gap = "" if not text else "\n\n" if closing or not text.endswith("\n") else "\n"
    return _insert(
        len(text), f"{closing}{gap}[{joined_once(plain(mark.text, 240) for mark in marks)}]", marks
    )


def _insert(place: int, text: str, marks: Iterable[Mark]) -> Edit:
    return replacement(place, place, text, joined_once(mark.why for mark in marks))


def _clip(text: str, span: Span) -> Span:
    return Span(start=min(span.start, len(text)), end=min(span.end, len(text)))
