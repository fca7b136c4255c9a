"""Prompts that ask to match two lists, the same prompts in another order, and answers to them.

Recognised are, with a word that asks for a match: lines of JSON arrays of two texts, as in [memory] Table I; and two lists
of equal length, each item on a line of its own behind a number, a letter or a dash, or in a line behind "1)", "2)" or "a)", "b)".
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeAlias

from guardrail.memory.internal.chinese import chinese_name_key, text_key
from guardrail.memory.internal.replies import read_list, thought_end
from guardrail.report import Case
from guardrail.requests import Message, Untrusted
from guardrail.text.markup import blanked
from guardrail.text.splicing import spliced

Order: TypeAlias = tuple[int, ...]  # the i-th place has the partner that was shown at `order[i]`
_Block: TypeAlias = list[tuple[str, str, int]]  # label, name and place of each item

MOST = 100  # pairs of one question

_ASKS = re.compile(
    r"\b(?:match|pair|belong|correspond|connect|associat)\w*|匹配|配对|配對|对应|對應|连线|連線",
    re.IGNORECASE,
)
_STRING = r'"(?:[^"\\\n]|\\.)*"'
_ROW = re.compile(rf"^[ \t]*\[[ \t]*({_STRING})[ \t]*,[ \t]*({_STRING})[ \t]*\][ \t]*,?[ \t]*$", re.MULTILINE)
_ITEM = re.compile(r"^[ \t]*(?:[(（]?(\d{1,3}|[A-Za-z])[)）.．、:：]|[-•]|\*(?!\*))[ \t]*(\S.*)$")
_NUMBERED = re.compile(r"^[ \t]*[(（]?(\d{1,3})[ \t]*(?:[)）.．、:：=–—→-]|->)+[ \t]*(?=\S)")
_BULLET = re.compile(r"^[ \t]*(?:[-*•]|#{1,6})[ \t]+(?:[(（]?\d{1,3}[)）.．][ \t]+)?")
# behind no blank: a match begins where blanks begin, else many of them take time quadratic in their number
_BETWEEN = re.compile(r"(?<![ \t])[ \t]*(?:->|=>|→|[:：=|]|[–—]|[ \t]-[ \t])[ \t]*")
_CUT = re.compile(  # where another pair may begin in a line
    r"[,;:/|.，；：、][ \t]*(?:(?:and|&)[ \t]+)?|(?<=[ \t])(?:and|&)[ \t]+|(?<=[ \t])(?=[(（]?\d{1,3}[)）.．][ \t])"
)
_LABEL = re.compile(r"(?<![^\s:：,;(（])[(（]?(\d{1,3}|[A-Za-z])[)）][ \t]+(?=\S)")
_FIRST = ("1", "a", "A")
_END = re.compile(r"[.;；。\n]")
_EDGE = " \t\r\n,;.，；"
_JOINING = frozenset({"and", "with", "to", "&"})
_REMARK = re.compile(r"(?<![ \t])[ \t]*(?:[,;，；→|]|[–—]|[ \t]-[ \t]|:[ \t])")
_LABELLED = re.compile(r"[(（]?([A-Za-z])(?![A-Za-z])[\s.)）．、:：–-]*[(（]?(.*?)[)）]?")
_WRAPPED = " \t.。,，;；*_`|\"'“”"


@dataclass(frozen=True, slots=True)
class Task:
    """A question that asks to match two lists.

    Attributes:
        lefts: the items to find partners for.
        rights: the partners, in the order in which they are shown.
        labels: the letters before the partners, upper case; empty where they have none.
    """

    lefts: tuple[str, ...]
    rights: tuple[str, ...]
    labels: tuple[str, ...]
    _messages: tuple[Message, ...]
    _message: int
    _piece: int
    _spans: tuple[tuple[int, int], ...]
    _quoted: bool

    def again(self, order: Order) -> tuple[tuple[Message, ...], tuple[str, ...]]:
        """The same conversation with the partners in another order, and the partners in it.

        Args:
            order: the i-th place has the partner that is shown at `order[i]` now.
        """
        rights = tuple(self.rights[place] for place in order)
        written = [json.dumps(right, ensure_ascii=False) if self._quoted else right for right in rights]
        message = self._messages[self._message]
        pieces = list(_pieces(message))
        piece = pieces[self._piece]
        text = piece if isinstance(piece, str) else piece.text
        text = spliced(text, ((*span, right) for span, right in zip(self._spans, written, strict=True)))
        pieces[self._piece] = text if isinstance(piece, str) else Untrusted(text)
        whole = len(pieces) == 1 and isinstance(pieces[0], str)
        changed = replace(message, content=text if whole else tuple(pieces))
        before, after = self._messages[: self._message], self._messages[self._message + 1 :]
        return (*before, changed, *after), rights


@dataclass(frozen=True, slots=True)
class Match:
    """What an answer gives as the partner of one left.

    Attributes:
        name: the partner; a letter is resolved.
        start: where the answer says so.
        end: one past it; equal to `start` where the place was not found.
    """

    name: str
    start: int
    end: int


def recognised(case: Case) -> Task | None:
    """The matching task that the last user message sets; `None` if it sets none."""
    places = [i for i, message in enumerate(case.messages) if message.role == "user"]
    if not places or not _ASKS.search(case.messages[places[-1]].text):
        return None
    for number, piece in enumerate(_pieces(case.messages[places[-1]])):
        text = piece if isinstance(piece, str) else piece.text
        found = _rows(text) or _lists(text)
        if found is not None:
            return replace(found, _messages=case.messages, _message=places[-1], _piece=number)
    return None


def read_answer(
    answer: str, lefts: Sequence[str], rights: Sequence[str], labels: Sequence[str] = ()
) -> list[Match]:
    r"""The partners that an answer gives, in the order of the lefts; empty where it is no list of them.

    Read are lines with a left, or its number, and its partner ("France: Paris", "2 - B", "| France | **Paris** |"), or
    several of them in a line ("1) France – Paris; 2) Italy – Rome"), with any words before and behind; or lists of
    partners and nothing else, as `read_list` reads them. Every left must have one partner.

    Args:
        answer: the whole of it.
        lefts: of the question.
        rights: as the question showed them.
        labels: the letters before them.

    Raises:
        MissingExtra: Chinese text, and the extra [chinese] is not installed.

    Example:
        >>> [match.name for match in read_answer("2: Rome\n1: Oslo", ["Norway", "Italy"], ["Rome", "Oslo"])]
        ['Oslo', 'Rome']
    """
    begin = thought_end(answer)
    said = blanked(answer[begin:])
    found = _by_left(said, lefts) or list(_in_order(said, rights, labels))
    if len(found) != len(lefts):
        return []
    found = [replace(match, start=begin + match.start, end=begin + match.end) for match in found]
    by_label = dict(zip(labels, rights, strict=False))
    known = {chinese_name_key(right) for right in rights}
    resolved = [replace(match, name=_resolved(match.name, by_label, known)) for match in found]
    return resolved if any(chinese_name_key(match.name) in known for match in resolved) else []


def _resolved(name: str, by_label: Mapping[str, str], known: Collection[str]) -> str:
    """The partner without a remark behind it; or what a letter stands for, alone ("B") or beside it ("B. Rome")."""
    short = _REMARK.split(name, maxsplit=1)[0]
    if chinese_name_key(name) not in known and (
        chinese_name_key(short) in known or short.upper() in by_label
    ):
        name = short
    labelled = _LABELLED.fullmatch(name) if by_label else None
    if labelled is None or labelled[1].upper() not in by_label:
        return name
    rest = labelled[2].strip(_WRAPPED)
    if not rest:
        return by_label[labelled[1].upper()]
    return rest if chinese_name_key(rest) in known else name


def _by_left(answer: str, lefts: Sequence[str]) -> list[Match]:
    """Partners from the places that name a left or its number; empty unless there is one for each, and none twice."""
    places = {text_key(left): i for i, left in enumerate(lefts)}
    found: dict[int, Match] = {}
    start = 0
    for line in answer.splitlines(keepends=True):
        for place, begin, end in _pairs(line, places):
            name = line[begin:end].strip(_WRAPPED)
            if place in found:
                return []
            if name:
                at = start + begin + line[begin:end].find(name)
                found[place] = Match(" ".join(name.split()), at, at + len(name))
        start += len(line)
    return [found[i] for i in range(len(lefts))] if len(found) == len(lefts) else []


def _pairs(line: str, places: Mapping[str, int]) -> list[tuple[int, int, int]]:
    """Which lefts a line is about, and where the partner of each stands: up to the next left."""
    reach = 2 * max(map(len, places)) + 20  # of a left, with marks, blanks and spelling
    found: list[tuple[int, int, int]] = []
    for start, cut in ((0, 0), *(match.span() for match in _CUT.finditer(line))):
        last = found[-1][1] if found else 0
        left = _left(line[cut : cut + 2 * reach], places, reach) if start >= last else None
        if left is not None:
            found[-1:] = [(*one[:2], start) for one in found[-1:]]
            found.append((left[0], cut + left[1], len(line.rstrip("\r\n"))))
    return found


def _left(text: str, places: Mapping[str, int], reach: int) -> tuple[int, int] | None:
    """The left, or its number, that a text begins with, and where what follows begins."""
    numbered = _NUMBERED.match(text) or _BULLET.match(text)
    begin = numbered.end() if numbered else 0
    for between in _BETWEEN.finditer(text, begin):
        if between.start() - begin > reach:
            break
        key = text_key(text[begin : between.start()])
        if key in places:
            return places[key], between.end()
    number = int(numbered[1]) - 1 if numbered and numbered.re is _NUMBERED else -1
    return (number, begin) if 0 <= number < len(places) else None


def _in_order(answer: str, rights: Sequence[str], labels: Sequence[str]) -> Iterator[Match]:
    at = 0
    for name in read_list(answer, rights, right=labels):
        place = answer.find(name, at)
        start = at if place < 0 else place
        at = start if place < 0 else start + len(name)
        yield Match(name, start, at)


def _rows(text: str) -> Task | None:
    rows = list(islice(_ROW.finditer(text), MOST + 1))
    if not 2 <= len(rows) <= MOST:
        return None
    try:
        lefts, rights = zip(*((json.loads(row[1]), json.loads(row[2])) for row in rows), strict=True)
    except ValueError:  # a wrong escape in a string
        return None
    return Task(lefts, rights, (), (), 0, 0, tuple(row.span(2) for row in rows), _quoted=True)


def _lists(text: str) -> Task | None:
    """Two blocks of items, of one length: on lines of their own, or numbered within a line."""
    # the address of a link would stay where another name comes
    plain = text if "](" in text else blanked(text)
    blocks = _lines(plain) or _within(plain)
    if len(blocks) != 2 or len(blocks[0]) != len(blocks[1]) or len(blocks[0]) < 2:
        return None
    lefts, partners = blocks
    labels = tuple(label.upper() for label, _, _ in partners if label.isalpha())
    return Task(
        lefts=tuple(name for _, name, _ in lefts),
        rights=tuple(name for _, name, _ in partners),
        labels=labels if len(labels) == len(partners) else (),
        _messages=(),
        _message=0,
        _piece=0,
        _spans=tuple((start, start + len(name)) for _, name, start in partners),
        _quoted=False,
    )


def _lines(text: str) -> list[_Block]:
    """Items on lines of their own, each with its label and place; lines between are between two blocks."""
    blocks: list[_Block] = []
    at, inside = 0, False
    for line in text.splitlines(keepends=True):
        item = _ITEM.match(line.rstrip())
        if item is not None:
            if not inside:
                blocks.append([])
            if len(blocks) > 2 or len(blocks[-1]) > MOST:
                return blocks  # too many to be a question
            blocks[-1].append((item[1] or "", item[2], at + item.start(2)))
        inside = item is not None
        at += len(line)
    return blocks if len(blocks) > 1 else []


def _within(text: str) -> list[_Block]:
    """Items within lines: "1) Norway, 2) Italy. Capitals: a) Rome, b) Oslo"; none if anything is out of order."""
    blocks: list[_Block] = []
    marks = list(islice(_LABEL.finditer(text), 2 * MOST + 1))
    for number, mark in enumerate(marks):
        label, behind = mark[1], marks[number + 1] if number + 1 < len(marks) else None
        if label in _FIRST:
            blocks.append([])
        name = text[mark.end() : behind.start() if behind else len(text)]
        if behind is None or behind[1] in _FIRST:  # the last of its list
            name = _END.split(name, maxsplit=1)[0]
        name = name.rstrip(_EDGE)
        if name.rpartition(" ")[2] in _JOINING:
            name = name.rpartition(" ")[0].rstrip(_EDGE)
        place = len(blocks[-1]) if blocks else 0
        if not blocks or label not in {str(place + 1), *map(chr, (97 + place, 65 + place))}:
            return []
        if not name or ":" in name or "\n" in name:
            return []
        blocks[-1].append((label, name, mark.end()))
    return blocks


def _pieces(message: Message) -> tuple[str | Untrusted, ...]:
    return (message.content,) if isinstance(message.content, str) else message.content
