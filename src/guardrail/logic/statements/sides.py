"""Which names are next to an item of a sentence: before it, behind it, joined by "and", or meant by a pronoun."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from guardrail.logic.statements.items import Item
from guardrail.logic.statements.lexicon import Lexicon
from guardrail.logic.statements.model import Mention
from guardrail.logic.statements.words import several

_ENDS = frozenset(".;:?!()[]")
_RELATIVE = frozenset({"which", "who", "that", "whom"})
PREPOSITIONS = several("in of by at on from to for with under over near as into onto during")
BREAKS = several("because since although though while whereas but when where if than so until")
_VAGUE = several("same different other another one somebody someone something nobody nothing else thing")
_LONG = 8  # words between a relation and a name that belongs to it
_MANY = 32  # names on one side


@dataclass(slots=True)
class Sentence:
    """One sentence, as a row of items, and who was spoken of before it.

    Attributes:
        text: the text that it is of.
        row: the items.
        start, end: where it is in the text.
        lexicon: what they were read with.
        one: whom "he", "she" or "it" means; empty if that is not clear.
        several: whom "they" or "both" means.
    """

    text: str
    row: list[Item]
    start: int
    end: int
    lexicon: Lexicon
    one: list[Mention] = field(default_factory=list)
    several: list[Mention] = field(default_factory=list)


class Sides:
    """The names next to the items of one sentence.

    Args:
        sentence: the sentence.
        starts, ends: where relations begin, and the places right behind them: a name next to one belongs to it.
    """

    def __init__(self, sentence: Sentence, starts: Collection[int], ends: Collection[int]) -> None:
        self.text = sentence.text
        self.row = sentence.row
        self.one = sentence.one
        self.several = sentence.several
        self.starts = starts
        self.ends = ends
        self.subject: list[Mention] = []

    def key(self, at: int) -> str:
        """The key of an item; "" outside of the row."""
        return self.row[at].key if 0 <= at < len(self.row) else ""

    def mention(self, at: int) -> Mention | None:
        """The name at a place, if there is one."""
        return self.row[at].mention if 0 <= at < len(self.row) else None

    def left(self, at: int) -> list[Mention]:
        """The names before an item, the ones that it is said of."""
        row = self.row
        if self.key(at) in _RELATIVE:
            at -= 2 if self.key(at - 1) == "," else 1
        if at < 0:
            return self.subject
        item = row[at]
        if item.mention is not None:
            found, _ = group(row, at, -1, self.ends)
            return found
        if item.kind == "pronoun":
            if item.folded == "both" and self.mention(at - 1) is not None:
                return group(row, at - 1, -1, self.ends)[0]
            return [] if self.key(at - 1) == "of" else self.antecedent(item)  # "one of them"
        if item.kind == "and" or item.key == ",":
            return self.subject or self._apposed(at) or self._first(at)
        for back in range(at, max(at - _LONG, -1), -1):
            if row[back].key in _ENDS or row[back].key in BREAKS or row[back].kind == "pronoun":
                break
            if back + 1 in self.ends and row[back].mention is None:
                break
            named = row[back].mention
            if named is not None and named.entity is not None and at - back <= 2:
                return group(row, back, -1, self.ends)[0]
        return self.subject or self._first(at)

    def _apposed(self, comma: int) -> list[Mention]:
        """The name before the comma, or before the words that commas set off."""
        row = self.row
        if row[comma].key != ",":
            return []
        if row[comma - 1].mention is not None and (comma < 2 or row[comma - 2].key != ","):
            earlier = [n for n in range(comma) if row[n].key == ","]
            if not earlier:
                return group(row, comma - 1, -1, self.ends)[0]
        for back in range(comma - 1, max(comma - 2 * _LONG, 0), -1):
            if row[back].key == "," and row[back - 1].mention is not None:
                return group(row, back - 1, -1, self.ends)[0]
        return []

    def _first(self, before: int) -> list[Mention]:
        """The names that the sentence begins with, if nothing else was said of them."""
        for number in range(min(before, _LONG)):
            if self.row[number].mention is not None:
                return group(self.row, number, 1, self.starts)[0]
            if self.row[number].kind == "pronoun":
                return self.antecedent(self.row[number])
        return []

    def antecedent(self, pronoun: Item) -> list[Mention]:
        """Whom a pronoun means: the one, or the several, that were spoken of before."""
        if pronoun.folded in {"they", "them", "both", "their"}:
            told = self.subject if len(self.subject) > 1 else self.several
        else:
            told = self.subject or self.one
            if len(told) != 1:
                return []
        return [
            Mention(self.text[pronoun.start : pronoun.end], pronoun.start, pronoun.end, m.entity)
            if m.entity
            else m
            for m in told
        ]

    def right(self, at: int) -> tuple[list[Mention], int | None]:
        """The names behind an item, and where the first is; a noun phrase where there is no name."""
        row, plain = self.row, []
        for number in range(at, min(at + _LONG, len(row))):
            item = row[number]
            if item.mention is not None:
                if self._describes(number):
                    continue
                return group(row, number, 1, self.starts)[0], number
            if item.key in _ENDS or item.key in BREAKS or item.key == "BE":
                break
            if number in self.starts and self.mention(number + 1) is None:  # "by the author Jane Austen"
                break
            if item.kind in {"pronoun", "mark", "and", "'s"}:
                if item.folded == "both":
                    continue
                break
            plain.append(number)
        words: list[int] = []
        for number in plain:
            if row[number].key in PREPOSITIONS:
                break
            words.append(number)
        if not words or any(row[number].folded in _VAGUE for number in words):
            return [], None
        start, end = row[words[0]].start, row[words[-1]].end
        return [Mention(self.text[start:end], start, end, None)], words[0]

    def _describes(self, number: int) -> bool:
        """Whether an unknown name only describes the one behind: "the British author George Orwell"."""
        row = self.row
        item = row[number]
        if item.mention is None or item.mention.entity is not None or number + 2 >= len(row):
            return False
        ahead = number + 1
        while ahead < len(row) and row[ahead].kind == "word" and row[ahead].key not in PREPOSITIONS | {"BE"}:
            ahead += 1
        return number + 1 < ahead <= number + 4 and self.mention(ahead) is not None


def group(
    row: list[Item], at: int, step: int, borders: Collection[int] | None = None
) -> tuple[list[Mention], int]:
    """The names joined to the one at `at`, in order of the text, and the place next to the last of them.

    Args:
        row: the items.
        at: where a name is.
        step: 1 to go on behind it, -1 to go back before it.
        borders: going on, where relations are said: a name right before one belongs to that. Going back, the
            places behind relations: a name there belongs to the relation before it.
    """
    place, found, joined = at, [(at, row[at])], False
    while len(found) < _MANY:
        ahead = place + step
        marks: list[str] = []
        while 0 <= ahead < len(row) and len(marks) < 4 and _links(row[ahead]):
            marks.append(row[ahead].kind if row[ahead].kind == "and" else row[ahead].key)
            ahead += step
        if not marks or not {"and", ","} & set(marks) or not 0 <= ahead < len(row):
            break
        if row[ahead].mention is None or ("and" not in marks and len(marks) > 1):
            break
        if step > 0 and borders is not None and ahead + 1 < len(row):
            behind = row[ahead + 1]
            if behind.key in {"BE", "have"} or ahead + 1 in borders:
                break
        if step < 0 and borders is not None and ahead in borders:
            break
        joined = joined or "and" in marks
        found.append((ahead, row[ahead]))
        place = ahead
    if not joined:
        found, place = found[:1], at
    mentions = [item.mention for _, item in sorted(found, key=lambda one: one[0]) if item.mention is not None]
    return mentions, place + step


def _links(item: Item) -> bool:
    return item.kind == "and" or item.key == "," or item.folded in {"both", "of", "by", "in", "at"}
