"""Cuts next to what must stay: a reference with its "and", where its sentence or item has another one."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

from guardrail.policies.edits.cuts import ALNUM, Cut, overlapped, past
from guardrail.policies.edits.pairs import REACH
from guardrail.report import Span

_NUMBER = r"(?:\(\d{1,3}\)|\([a-z]\)|\b\d{1,3}[.)])"
_AND = r"(?:\b(?:and|or|as well as)\b|&)"
_JOINT = re.compile(rf"(?:\s*[,;，；、](?:\s*{_AND})?|\s+{_AND})?\s*(?:{_NUMBER}\s*)?\Z")
_FIRST_JOINT = re.compile(rf"\s*(?:[,;，；、]\s*(?:{_AND}\s*)?|\s{_AND}\s*)")
_NUMBERED = re.compile(rf"{_NUMBER}\s*\Z")
_ITEM_END = re.compile(rf"[;；]|,?(?:\s+{_AND})?\s+{_NUMBER}\s|[.!?。]?\s*\Z")
_CLAUSE_END = re.compile(r"[,;，；]|[.!?。]?\s*\Z")
_LAST_CLAUSE = re.compile(r"\s*[,;，；][^,;，；()（）]{0,160}\Z")
_ASIDE = re.compile(r"\s*\([^()\n]{1,120}\)")
_QUOTED = re.compile(r"\([^()]*\)|\d+")


def between(staying: list[Cut], start: int, end: int) -> tuple[int, int | None]:
    """Where what stays ends before `start`, and where it begins again after `end`."""
    before = bisect_right(staying, start, key=lambda cut: cut.end) - 1
    after = bisect_left(staying, end, key=lambda cut: cut.start)
    return (
        staying[before].end if before >= 0 else 0,
        staying[after].start if after < len(staying) else None,
    )


def without(cut: Cut, staying: list[Cut]) -> list[Cut]:
    """The cut without what stays."""
    found, start = [], cut.start
    index = bisect_right(staying, cut.start, key=lambda kept: kept.end)
    while index < len(staying) and staying[index].start < cut.end:
        if staying[index].start > start:
            found.append(Cut(start, staying[index].start, dict(cut.whys)))
        start = max(start, staying[index].end)
        index += 1
    if start < cut.end:
        found.append(Cut(start, cut.end, dict(cut.whys)))
    return found


def narrowed(text: str, sentence: Span, piece: Span, staying: list[Cut]) -> tuple[int, int]:
    """What to cut for a piece of a sentence that must not go as a whole.

    Args:
        text: the text.
        sentence: the sentence, or the sentences, around the piece.
        piece: what to cut, with its quotes.
        staying: what must stay; the piece does not touch it.
    """
    low, high = between(staying, piece.start, piece.end)
    left = max(low, sentence.start, piece.start - REACH)
    right = min(sentence.end if high is None else min(high, sentence.end), piece.end + REACH)
    left, right = min(left, piece.start), max(right, piece.end)
    end = piece.end
    if (aside := _ASIDE.match(text, end, right)) is not None:
        end = aside.end()
    found = _clean(text, Span(start=left, end=right), Span(start=piece.start, end=end), low, high)
    for start, stop in (found, (piece.start, end)):
        if _is_balanced(text, start, stop) and not overlapped(staying, start, stop):
            return start, stop
    return piece.start, piece.end


def _clean(text: str, room: Span, piece: Span, low: int, high: int | None) -> tuple[int, int]:
    """The piece with its number and joint, its clause, or what leads from it to what stays."""
    before, after = text[room.start : piece.start], text[piece.end : room.end]
    joint = _JOINT.search(before)
    start = room.start + (joint.start() if joint is not None else len(before))
    follows = room.start == low and low > 0  # something that stays stands before it, in the sentence
    precedes = high is not None and room.end == high
    if _NUMBERED.search(before):
        return _item(text, room, piece, start)
    if not ALNUM.search(before) and not follows:  # it begins the sentence
        return piece.start, room.end if precedes else piece.end
    if before[start - room.start :].strip():
        if follows and not precedes and ALNUM.search(_QUOTED.sub("", text[room.start : start])):
            return start, piece.end + _until(_CLAUSE_END, after)
        return start, piece.end
    closes = _CLAUSE_END.match(after)
    if closes is not None and not (precedes and not closes.group().strip()):
        clause = _LAST_CLAUSE.search(before)
        if clause is not None and follows:
            return room.start + clause.start(), piece.end
    beside = _FIRST_JOINT.match(after)
    return (piece.start, piece.end + beside.end()) if beside is not None and precedes else (start, piece.end)


def _item(text: str, room: Span, piece: Span, start: int) -> tuple[int, int]:
    """An item of a list within a line: with the joint before it, or with the one after it if it is the first."""
    after = text[piece.end : room.end]
    end = piece.end + _until(_ITEM_END, after)
    number = past(text, start, piece.start)
    if text[start:number].strip() or text[number] in ",;，；、":
        return start, end
    if start == room.start or not ALNUM.search(text, start, piece.start) or text[number] in "(0123456789":
        joint = _FIRST_JOINT.match(text, end, room.end)
        return number, joint.end() if joint is not None else end
    return start, end


def _until(end: re.Pattern[str], text: str) -> int:
    match = end.search(text)
    return match.start() if match is not None else len(text)


def _is_balanced(text: str, start: int, end: int) -> bool:
    return (
        all(text.count(a, start, end) == text.count(b, start, end) for a, b in ("()", "[]", "“”", "（）"))
        and text.count('"', start, end) % 2 == 0
        and text.count("**", start, end) % 2 == 0
    )
