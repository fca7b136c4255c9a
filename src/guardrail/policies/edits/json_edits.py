"""Edits of an answer that is JSON or has JSON in it: it stays JSON, with the same values for what is not edited.

What is cut of an array goes with one comma; the value of a key becomes null, or "" where it was a string; of a string, what a text
would lose. A mark on an object becomes a key of it, one on a part of a string is in the string. The prose around is edited as
any prose.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import TypeAlias

from guardrail.policies.edits.application import apply, merge, replacement
from guardrail.policies.edits.cuts import Cut, inside, overlapped, united
from guardrail.policies.edits.extents import trim
from guardrail.policies.edits.marks import Mark, prose_insertions
from guardrail.policies.edits.removing import SHORTEST_ECHO, Cutting, named, prose_removals
from guardrail.policies.edits.wording import joined_once, plain
from guardrail.report import Edit, Span
from guardrail.text.json_values import Decoded, Value, all_of_it, decoded, json_values, value_at, written

KEY = "guardrail"
"""The key of marks in objects."""

_COMMA_AFTER = re.compile(r"\s*+,\s*+")
_COMMA_BEFORE = re.compile(r"\s*,\s*\Z")
_BLANK = re.compile(r"\s*+")
_LINE = re.compile(r"[^\S\n]*\n?")
_Gone: TypeAlias = tuple[Value, str]  # with its reason


def told(message: str) -> str:
    """A message as an object."""
    return json.dumps({KEY: message}, ensure_ascii=False)


def message_in_json(answer: str, message: str) -> str:
    """A message in the place of an answer: an object, if the answer is JSON and nothing else."""
    return told(message) if all_of_it(answer, json_values(answer)) else message


def json_merged(text: str, first: Sequence[Edit], second: Sequence[Edit]) -> tuple[Edit, ...]:
    """As `application.merge`; a mark in a value of JSON that is cut goes with it."""
    cuts = sorted((e.span.start, e.span.end) for e in (*first, *second) if e.span.end > e.span.start)
    roots = json_values(text) if first and second and cuts else []

    def stays(edit: Edit) -> bool:
        index = bisect_left(cuts, (edit.span.start, 0)) - 1
        if edit.span.end > edit.span.start or index < 0 or cuts[index][1] <= edit.span.start:
            return True
        value = value_at(roots, edit.span.start, edit.span.start)
        start, end = cuts[index]
        return value is None or (value.kind == "string" and value.start < start and end < value.end)

    return merge(list(filter(stays, first)), list(filter(stays, second))) if roots else merge(first, second)


# -- marks


def json_insertions(text: str, marks: Sequence[Mark]) -> tuple[Edit, ...]:
    """As `marks.prose_insertions`, and JSON stays JSON: a mark is a key of its object, or is in its string.

    A mark on a number or on the whole of an array that is in no object has no place, and no edit.
    """
    roots = json_values(text)
    if not roots:
        return prose_insertions(text, marks)
    whole = roots[0] if all_of_it(text, roots) else None
    prose: list[Mark] = []
    strings: dict[int, tuple[Value, list[Mark]]] = {}
    objects: dict[int, tuple[Value, list[Mark]]] = {}
    for mark in marks:
        span = None if mark.span is None else trim(text, mark.span)
        value = whole if span is None else value_at(roots, span.start, span.end)
        if value is None:
            prose.append(mark)
        elif value.kind == "string" and span is not None:
            strings.setdefault(id(value), (value, []))[1].append(mark._replace(span=span))
        elif (owner := _object(value)) is not None:
            objects.setdefault(id(owner), (owner, []))[1].append(mark)
    edits = [_key(text, owner, found) for owner, found in objects.values()]
    edits += chain.from_iterable(_in_string(text, value, found) for value, found in strings.values())
    return merge(prose_insertions(_masked(text, roots), prose) if prose else (), edits)


def _object(value: Value) -> Value | None:
    """The object that a value is, or is in."""
    at: Value | None = value
    while at is not None and at.kind != "object":
        at = at.parent
    return at


def _key(text: str, owner: Value, marks: Sequence[Mark]) -> Edit:
    """A key with the marks, behind the last one; at the beginning of what breaks off."""
    taken = {inner.key for inner in owner.inner}
    name, number = KEY, 1
    while name in taken:
        number += 1
        name = f"{KEY}_{number}"
    entry = f'"{name}": "{written(joined_once(plain(mark.text, 240) for mark in marks))}"'
    place = owner.start + 1
    if owner.inner:
        blank = text[place : owner.inner[0].named]
        blank = blank if blank.isspace() else " "
        if owner.closed:
            place, entry = owner.inner[-1].end, f",{blank}{entry}"
        else:
            entry = f"{blank}{entry},"
    return replacement(place, place, entry, joined_once(mark.why for mark in marks))


def _in_string(text: str, value: Value, marks: Sequence[Mark]) -> Iterator[Edit]:
    string = decoded(text, value.start, value.end)
    local = [mark._replace(span=_local(string, mark.span)) for mark in marks if mark.span is not None]
    for edit in prose_insertions(string.text, local):
        place = string.places[edit.span.start]
        yield replacement(place, place, written(edit.replacement), edit.why)


# -- cuts


def json_removals(text: str, spans: Sequence[tuple[Span, str]], how: Cutting) -> tuple[Edit, ...]:
    """As `removing.prose_removals`, and JSON stays JSON: what is cut goes with its comma, or becomes null.

    An answer that is an object, and is cut as a whole, becomes an object that says so; an array becomes an empty one.
    """
    roots = json_values(text)
    if not roots:
        return prose_removals(text, spans, how)
    staying = _staying(text, spans, how.kept)
    removing = _Removing(text, roots, how, staying)
    prose: list[tuple[Span, str]] = []
    for given, why in spans:
        span = trim(text, given)
        touched = _touched(roots, span)
        for root in touched:
            removing.cut(root, span, why)
        prose += _outside(touched, span, why)
    gone = [span.of(text).strip() for span, _ in spans]
    edits = removing.edits(gone)
    gone = [one for one in gone if one[:1] not in {"{", "["}]  # objects that are the same were cut with them
    prose += removing.prose_echoes(gone)
    if prose:
        other = [*how.kept, *(Span(start=root.start, end=root.end) for root in roots)]
        edits += prose_removals(_masked(text, roots), prose, replace(how, kept=other))
    edits.sort(key=lambda edit: edit.span.start)
    left = apply(text, edits)
    quoted = [text[cut.start : cut.end] for cut in staying]
    if any(len(one) >= SHORTEST_ECHO and one in left and not any(one in k for k in quoted) for one in gone):
        return (
            replacement(0, len(text), message_in_json(text, how.empty), joined_once(why for _, why in spans)),
        )
    return tuple(edits)


def _staying(text: str, spans: Sequence[tuple[Span, str]], kept: Sequence[Span]) -> list[Cut]:
    """What must stay, and is not to be cut itself."""
    wanted = united(Cut(span.start, span.end) for span, _ in spans if span.of(text).strip())
    return united(Cut(span.start, span.end) for span in kept if not overlapped(wanted, span.start, span.end))


class _Removing:
    """What is to be cut of the JSON in a text: whole values, and parts of strings."""

    def __init__(self, text: str, roots: Sequence[Value], how: Cutting, kept: list[Cut]) -> None:
        self.text = text
        self.roots = roots
        self.how = how
        self.kept = kept
        self.lines = len(roots) > 1 and all_of_it(text, roots)  # one object a line
        self.values: dict[int, _Gone] = {}
        self.parts: dict[int, tuple[Value, list[tuple[Span, str]]]] = {}

    def cut(self, root: Value, span: Span, why: str) -> None:
        """Everything that a span covers; where that is nothing, the smallest value around it."""
        before = len(self.values) + len(self.parts)
        left = [root]
        while left:
            value = left.pop()
            if span.start <= value.start and value.end <= span.end:
                self.values.setdefault(id(value), (value, why))
            elif value.kind == "string":
                self._part(value, span, why)
            else:
                left += _touched(value.inner, span)
        if len(self.values) + len(self.parts) == before:
            around = value_at([root], max(root.start, span.start), min(root.end, span.end)) or root
            self.values.setdefault(id(around), (around, why))

    def _part(self, value: Value, span: Span, why: str) -> None:
        self.parts.setdefault(id(value), (value, []))[1].append((span, why))

    def edits(self, gone: Sequence[str]) -> list[Edit]:
        """The edits of the JSON."""
        self._echo(gone)
        edits: list[Edit] = []
        for value, wanted in list(self.parts.values()):
            if self._is_gone(value):
                continue
            string, found = self._of_string(value, wanted)
            if string:
                edits += found
            else:
                self.values[id(value)] = value, joined_once(why for _, why in wanted)
        cut = [
            one for one in self.values.values() if one[0].parent is None or not self._is_gone(one[0].parent)
        ]
        rows: dict[int, list[_Gone]] = {}
        for value, why in sorted(cut, key=lambda one: one[0].start):
            if value.parent is not None and value.parent.kind == "array":
                rows.setdefault(id(value.parent), []).append((value, why))
            elif value.parent is not None:
                edits.append(
                    replacement(value.start, value.end, '""' if value.kind == "string" else "null", why)
                )
            else:
                edits.append(self._without_root(value, why))
        return edits + [edit for row in rows.values() for edit in _without(self.text, row)]

    def _without_root(self, root: Value, why: str) -> Edit:
        if self.lines:
            end = _LINE.match(self.text, root.end)
            return replacement(root.start, end.end() if end else root.end, "", why)
        words = "[]" if root.kind == "array" else told(self.how.empty)
        return replacement(root.start, root.end, words, why)

    def _is_gone(self, value: Value) -> bool:
        at: Value | None = value
        while at is not None:
            if id(at) in self.values:
                return True
            at = at.parent
        return False

    def _of_string(self, value: Value, wanted: Sequence[tuple[Span, str]]) -> tuple[str, list[Edit]]:
        """What is left of a string, and the edits that leave it."""
        string = decoded(self.text, value.start, value.end)
        spans = [(_local(string, span), why) for span, why in wanted]
        kept = [
            _local(string, Span(start=cut.start, end=cut.end))
            for cut in self.kept
            if value.start <= cut.start and cut.end <= value.end
        ]
        edits = prose_removals(string.text, spans, replace(self.how, empty="", kept=kept))
        placed = [
            replacement(string.places[e.span.start], string.places[e.span.end], written(e.replacement), e.why)
            for e in edits
        ]
        return apply(string.text, edits).strip(), placed

    def _echo(self, gone: Sequence[str]) -> None:
        """Also cuts what is the same as what is cut, and what says it again in another string."""
        again = self._pattern(gone)
        same = {one for one in gone if one[:1] in {"{", "["}}
        for value in chain.from_iterable(root.within() for root in self.roots):
            if inside(self.kept, value.start, value.end) or self._is_gone(value):
                continue
            if value.kind != "string":
                if same and self.text[value.start : value.end] in same:
                    self.values[id(value)] = value, "occurs again"
                continue
            if again is None:
                continue
            string = decoded(self.text, value.start, value.end)
            for match in again.finditer(string.text):
                start, end = string.places[match.start()], string.places[match.end()]
                if not overlapped(self.kept, start, end):
                    self._part(value, Span(start=start, end=end), "occurs again")

    def prose_echoes(self, gone: Sequence[str]) -> list[tuple[Span, str]]:
        """Where the prose around says again what is cut."""
        again = self._pattern(gone)
        found = again.finditer(_masked(self.text, self.roots)) if again is not None else ()
        spans = [Span(start=match.start(), end=match.end()) for match in found]
        return [(span, "occurs again") for span in spans if not overlapped(self.kept, span.start, span.end)]

    def _pattern(self, gone: Sequence[str]) -> re.Pattern[str] | None:
        strings = [
            re.escape(one) for one in dict.fromkeys(gone) if len(one) >= SHORTEST_ECHO and one[0] not in "{["
        ]
        said = [re.escape(one) for one in self._said()]
        patterns = [*strings, *said, *named(self.how.titles)]
        return re.compile("|".join(patterns), re.IGNORECASE) if patterns else None

    def _said(self) -> Iterator[str]:
        """The strings that are cut as they read, where they are long enough to be known again."""
        for value, wanted in self.parts.values():
            string = decoded(self.text, value.start, value.end)
            for span, _ in wanted:
                said = _local(string, span).of(string.text).strip()
                if len(said) >= SHORTEST_ECHO:
                    yield said


def _without(text: str, row: Sequence[_Gone]) -> Iterator[Edit]:
    """Elements of one array, each run of them with one comma."""
    runs: list[list[_Gone]] = []
    for value, why in row:
        touches = runs and not text[runs[-1][-1][0].end : value.start].strip().strip(",").strip()
        if touches:
            runs[-1].append((value, why))
        else:
            runs.append([(value, why)])
    for run in runs:
        start, end = run[0][0].start, run[-1][0].end
        after = _COMMA_AFTER.match(text, end)
        before = _COMMA_BEFORE.search(text, _left(text, start), start)
        if after is not None and text[after.end() : after.end() + 1] not in {"]", ""}:
            end = after.end()
        elif before is not None:
            start = before.start()
        else:  # all there is
            opened = row[0][0].parent
            start = opened.start + 1 if opened is not None else start
            blank = _BLANK.match(text, after.end() if after is not None else end)
            end = blank.end() if blank is not None and text[blank.end() : blank.end() + 1] == "]" else end
        yield replacement(start, end, "", joined_once(why for _, why in run))


def _left(text: str, end: int) -> int:
    """Where the blanks and the comma before a place begin to be looked for."""
    at = end
    while at > 0 and (text[at - 1].isspace() or text[at - 1] == ","):
        at -= 1
    return at


def _touched(values: Sequence[Value], span: Span) -> Sequence[Value]:
    """Those that share something with a span."""
    first = bisect_right(values, span.start, key=lambda value: value.end)
    return values[first : max(bisect_left(values, span.end, key=lambda value: value.start), first)]


def _outside(roots: Sequence[Value], span: Span, why: str) -> Iterator[tuple[Span, str]]:
    """The parts of a span that are not JSON."""
    at = span.start
    for root in roots:
        if root.end > at and root.start < span.end:
            if root.start > at:
                yield Span(start=at, end=root.start), why
            at = root.end
    if at < span.end:
        yield Span(start=at, end=span.end), why


def _masked(text: str, roots: Iterable[Value]) -> str:
    """The text with a word in the place of each piece of JSON, so that nothing in it is taken for prose."""
    pieces, at = [], 0
    for root in roots:
        pieces += [text[at : root.start], "x" * (root.end - root.start)]
        at = root.end
    return "".join([*pieces, text[at:]])


def _local(string: Decoded, span: Span) -> Span:
    """Where a span of the whole text lies in what a string says."""
    start, end = (min(string.position(place), len(string.text)) for place in (span.start, span.end))
    return Span(start=start, end=end)
