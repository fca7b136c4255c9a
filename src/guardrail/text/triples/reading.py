"""Statements: which relation a sentence says to hold between which two names.

A sentence is a row of items (`items`). Ways of saying a relation are found in it (`Lexicon.saying`); for each, the
names that it stands between are looked for: a verb has one before and one behind it; a noun has one behind "of" or
before "'s", and the other behind or before a form of "be", or set off by a comma. Names joined by "and" are one
side of several statements.

What is not understood is left alone: a missing side, a question, words between that may change the meaning.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from guardrail.text.sentences import sentences
from guardrail.text.triples.items import Item, Known, items
from guardrail.text.triples.lexicon import Lexicon, Meaning
from guardrail.text.triples.model import Mention, Statement
from guardrail.text.triples.words import several

__all__ = ["Sentence", "read", "statements"]

_ENDS = frozenset(".;:?!()[]")
_RELATIVE = frozenset({"which", "who", "that", "whom"})
_PREPOSITIONS = several("in of by at on from to for with under over near as into onto during")
_BREAKS = several("because since although though while whereas but when where if than so until")
_OF = frozenset({"of", "for", "to", "in"})
_OWN = frozenset({"his", "her", "its", "their"})
_VAGUE = several("same different other another one somebody someone something nobody nothing else thing")
_LONG = 8  # words between a relation and a name that belongs to it
_MANY = 32  # names on one side


@dataclass(slots=True)
class Sentence:
    """One sentence, as a row of items, and who was spoken of before it."""

    row: list[Item]
    lexicon: Lexicon
    subjects: list[Mention] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Said:
    """A way of saying found in a row: from `first` to before `stop`."""

    first: int
    stop: int
    noun: bool
    meanings: tuple[Meaning, ...]


def statements(text: str, lexicon: Lexicon, *, about: Collection[str] = ()) -> list[Statement]:
    """What a text states, in order.

    Args:
        text: any text; its sentences are found here.
        lexicon: names and ways of saying.
        about: entities that are known to be spoken of (those of a question that the text answers), so that a part
            of a name ("Einstein") or "he" may stand for them.

    Example:
        >>> from guardrail.text.triples.lexicon import Saying
        >>> lexicon = Lexicon({"Emma": "Emma"}, [Saying("was written by", "author")])
        >>> [(s.subject.name, s.relation, s.object.name) for s in statements("Emma was written by Jane Austen.", lexicon)]
        [('Emma', 'author', 'Jane Austen')]
    """
    return [found for sentence in read(text, lexicon, about=about) for found in stated(sentence)]


def read(text: str, lexicon: Lexicon, *, about: Collection[str] = ()) -> Iterator[Sentence]:
    """The sentences of a text as rows of items; what one says of whom is known to those behind it."""
    known = Known(about)
    told = [Mention(name, 0, 0, name) for name in about]
    subjects = told if len(told) == 1 else []
    for span in sentences(text):
        row = items(text, span.start, span.end, lexicon, known)
        yield Sentence(row, lexicon, subjects)
        subjects = _subjects(row) or subjects


def _subjects(row: list[Item]) -> list[Mention]:
    """Whom a sentence is about: the names that it begins with."""
    for number, item in enumerate(row):
        if item.mention is not None:
            return _group(row, number, 1)[0]
    return []


def stated(sentence: Sentence) -> list[Statement]:
    """The statements of one sentence."""
    return list(_Reader(sentence).statements())


class _Reader:
    def __init__(self, sentence: Sentence) -> None:
        self.row = sentence.row
        self.before = sentence.subjects
        self.said = list(_sayings(self.row, sentence.lexicon))
        self.starts = {said.first for said in self.said}
        self.ends = {said.stop for said in self.said}
        self.subject: list[Mention] = []
        self.denied = _denied_as_a_whole(self.row)

    def statements(self) -> Iterator[Statement]:
        if any(item.key == "?" for item in self.row[-2:]):
            return
        for said in self.said:
            sides = self._noun(said) if said.noun else self._verb(said)
            if sides is None:
                continue
            first, second, denied = sides
            yield from self._made(said, first, second, denied != self.denied)

    def _made(
        self, said: _Said, first: list[Mention], second: list[Mention], denied: bool
    ) -> Iterator[Statement]:
        (relation, turned), *others = said.meanings
        alternatives = tuple((other, again != turned) for other, again in others)
        for one in first[:_MANY]:
            for two in second[:_MANY]:
                if one.name == two.name:
                    continue
                subject, object_ = (two, one) if turned else (one, two)
                places = [self.row[said.first].start, self.row[said.stop - 1].end]
                places += [place for m in (one, two) if m.end > m.start for place in (m.start, m.end)]
                yield Statement(
                    subject, relation, object_, denied, min(places), max(places), alternatives=alternatives
                )

    # --- the two sides -------------------------------------------------------------------------------------

    def _verb(self, said: _Said) -> tuple[list[Mention], list[Mention], bool] | None:
        active = self.row[said.first].key != "BE"
        before = said.first - 1
        if active and before >= 0 and self.row[before].key == "BE":
            if not self._passive(said):
                return None  # "was written in 1945" is not "wrote in 1945"
            before -= 1
        while before >= 0 and self.row[before].key == "have" and active:
            before -= 1
        denied = any(item.denied for item in self.row[before + 1 : said.stop])
        first = self._left(before)
        second, behind = self._right(said.stop)
        if not first or not second:
            return None
        self.subject = first
        denied = denied or any(
            item.denied for item in self.row if item.mention is not None and item.mention in first
        )
        return first, second, denied or (behind is not None and self.row[behind].denied)

    def _passive(self, said: _Said) -> bool:
        return self.row[said.stop - 1].key in {"by", "in", "at", "of", "to", "with", "after", "from", "on"}

    def _noun(self, said: _Said) -> tuple[list[Mention], list[Mention], bool] | None:
        """First is the noun of second."""
        row = self.row
        if said.stop < len(row) and row[said.stop].key in _OF:
            return self._noun_of(said)
        owner, before = self._owner(said.first - 1)
        if owner:
            return self._owned(said, owner, before)
        at = said.first - 1
        if at >= 0 and row[at].key == "have":  # "France has the capital Paris"
            owner = self._left(at - 1)
            found, _ = self._right(said.stop)
            if owner and found:
                self.subject = owner
                return found, owner, row[at].denied or row[said.first].denied
        return None

    def _noun_of(self, said: _Said) -> tuple[list[Mention], list[Mention], bool] | None:
        row = self.row
        second, behind = self._right(said.stop + 1)
        if not second or behind is None:
            return None
        at = said.first - 1
        while (
            at >= 0
            and said.first - at <= 3
            and row[at].kind == "word"
            and row[at].key not in {"BE", *_BREAKS}
        ):
            at -= 1
        if at >= 0 and row[at].key == "BE":  # "Paris is the capital of France"
            first = self._left(at - 1)
            if first:
                self.subject = first
                denied = any(item.denied for item in row[at : said.stop]) or row[behind].denied
                return first, second, denied
        _, stop = _group(row, behind, 1, self.starts)
        if stop < len(row) and row[stop].key == "BE":  # "The capital of France is Paris"
            first, place = self._right(stop + 1)
            if first and place is not None:
                return first, second, row[stop].denied or row[place].denied
        if (
            at >= 1 and row[at].key == "," and row[at - 1].mention is not None
        ):  # "Paris, the capital of France"
            first, _ = _group(row, at - 1, -1, self.ends)
            return first, second, False
        if stop + 1 < len(row) and row[stop].key == "," and row[stop + 1].mention is not None:
            return (
                _group(row, stop + 1, 1, self.starts)[0],
                second,
                False,
            )  # "The capital of France, Paris, …"
        return None

    def _owner(self, at: int) -> tuple[list[Mention], int]:
        """Whose the noun is that stands behind `at`, and what stands before that."""
        row, tries = self.row, 0
        while at >= 0 and tries < 2 and row[at].kind == "word" and row[at].key not in {"BE", "have"}:
            at, tries = at - 1, tries + 1  # "Australia's present capital"
        if at >= 0 and row[at].kind == "pronoun" and row[at].folded in _OWN:
            return self._antecedent(row[at]), at - 1
        if at >= 1 and row[at].kind == "'s" and row[at - 1].mention is not None:
            return _group(row, at - 1, -1, self.ends)[0][-1:], at - 2
        return [], at

    def _owned(
        self, said: _Said, owner: list[Mention], before: int
    ) -> tuple[list[Mention], list[Mention], bool] | None:
        row = self.row
        if before >= 0 and row[before].key == "BE":  # "Sydney is Australia's capital"
            first = self._left(before - 1)
            if first:
                self.subject = first
                return first, owner, any(item.denied for item in row[before : said.stop])
        at = said.stop
        denied = False
        if at < len(row) and row[at].key == "BE":
            denied, at = row[at].denied, at + 1
        elif at < len(row) and row[at].key == ",":
            at += 1
            if at >= len(row) or row[at].mention is None:
                return None
        elif at >= len(row) or row[at].mention is None:
            return None
        first, place = self._right(at)
        if not first or place is None:
            return None
        return first, owner, denied or row[place].denied

    # --- names beside an item ------------------------------------------------------------------------------

    def _left(self, at: int) -> list[Mention]:
        """The names before an item, the ones that it is said of."""
        row = self.row
        if at >= 0 and row[at].key in _RELATIVE:
            at -= 1
            if at >= 0 and row[at].key == ",":
                at -= 1
        if at < 0:
            return self.subject
        item = row[at]
        if item.mention is not None:
            found, _ = _group(row, at, -1, self.ends)
            return found
        if item.kind == "pronoun":
            if item.folded == "both" and at >= 1 and row[at - 1].mention is not None:
                return _group(row, at - 1, -1, self.ends)[0]
            return self._antecedent(item)
        if item.kind == "and" or item.key == ",":
            return self.subject or self._apposed(at) or self._first(at)
        for back in range(at, max(at - _LONG, -1), -1):
            if row[back].key in _ENDS or row[back].key in _BREAKS or row[back].kind == "pronoun":
                break
            if back + 1 in self.ends and row[back].mention is None:
                break
            named = row[back].mention
            if named is not None and named.entity is not None and at - back <= 2:
                return _group(row, back, -1, self.ends)[0]
        return self.subject or self._first(at)

    def _apposed(self, comma: int) -> list[Mention]:
        """The name before the comma, or before the words that commas set off."""
        row = self.row
        if row[comma].key != ",":
            return []
        if row[comma - 1].mention is not None and (comma < 2 or row[comma - 2].key != ","):
            earlier = [n for n in range(comma) if row[n].key == ","]
            if not earlier:
                return _group(row, comma - 1, -1, self.ends)[0]
        for back in range(comma - 1, max(comma - 2 * _LONG, 0), -1):
            if row[back].key == "," and row[back - 1].mention is not None:
                return _group(row, back - 1, -1, self.ends)[0]
        return []

    def _first(self, before: int) -> list[Mention]:
        """The names that the sentence begins with, if nothing else was said of them."""
        for number in range(min(before, _LONG)):
            if self.row[number].mention is not None:
                return _group(self.row, number, 1, self.starts)[0]
            if self.row[number].kind == "pronoun":
                return self._antecedent(self.row[number])
        return []

    def _antecedent(self, pronoun: Item) -> list[Mention]:
        """Whom a pronoun means: the one, or the several, that were spoken of before."""
        several = pronoun.folded in {"they", "them", "both", "their"}
        told = self.subject or self.before
        if len(told) != 1 and not several:
            return []
        return [Mention("", pronoun.start, pronoun.end, m.entity) if m.entity else m for m in told]

    def _right(self, at: int) -> tuple[list[Mention], int | None]:
        """The names behind an item, and where the first stands; a noun phrase where there is no name."""
        row, plain = self.row, []
        for number in range(at, min(at + _LONG, len(row))):
            item = row[number]
            if item.mention is not None:
                if self._describes(number):
                    continue
                return _group(row, number, 1, self.starts)[0], number
            if item.key in _ENDS or item.key in _BREAKS or item.key == "BE" or number in self.starts:
                break
            if item.kind in {"pronoun", "mark", "and", "'s"}:
                if item.folded == "both":
                    continue
                break
            plain.append(number)
        words: list[int] = []
        for number in plain:
            if row[number].key in _PREPOSITIONS:
                break
            words.append(number)
        if not words or any(row[number].folded in _VAGUE for number in words):
            return [], None
        text = " ".join(row[number].folded for number in words)
        return [Mention(text, row[words[0]].start, row[words[-1]].end, None)], words[0]

    def _describes(self, number: int) -> bool:
        """Whether an unknown name only describes the one behind: "the British author George Orwell"."""
        row = self.row
        item = row[number]
        if item.mention is None or item.mention.entity is not None or number + 2 >= len(row):
            return False
        ahead = number + 1
        while ahead < len(row) and row[ahead].kind == "word" and row[ahead].key not in _PREPOSITIONS | {"BE"}:
            ahead += 1
        return (
            ahead > number + 1 and ahead < len(row) and row[ahead].mention is not None and ahead - number <= 4
        )


def _sayings(row: list[Item], lexicon: Lexicon) -> Iterator[_Said]:
    """The ways of saying in a row, the longest first where several begin together; none within another."""
    keys = [item.key if item.kind in {"word", "and"} else "" for item in row]
    at = 0
    while at < len(row):
        found = _saying(row, keys, at, lexicon)
        if found is None:
            at += 1
            continue
        yield found
        at = found.stop


def _saying(row: list[Item], keys: list[str], at: int, lexicon: Lexicon) -> _Said | None:
    found = lexicon.saying(keys, at)
    if found is not None:
        length, verb, noun = found
        stop = at + length
        before = row[at - 1] if at else None
        owned = before is not None and (before.kind == "'s" or before.folded in _OWN)
        named = (stop < len(row) and row[stop].key in _OF) or owned
        if noun and (named or not verb):
            return _Said(at, stop, True, noun)
        return _Said(at, stop, False, verb)
    if keys[at] != "BE" or at + 1 >= len(row) or not row[at + 1].article:
        return None
    for ahead in range(at + 2, min(at + 5, len(row))):  # "is a mountain in Africa" as "is in Africa"
        if row[ahead - 1].kind != "word" or lexicon.saying(keys, ahead - 1) is not None:
            return None
        found = lexicon.saying(["BE", *keys[ahead : ahead + 3]], 0) if keys[ahead] in {"in", "by"} else None
        if found is not None and found[1]:
            return _Said(at, ahead + found[0] - 1, False, found[1])
    return None


def _group(
    row: list[Item], at: int, step: int, borders: Collection[int] | None = None
) -> tuple[list[Mention], int]:
    """The names joined to the one at `at`, in order of the text, and the place next to the last of them.

    Args:
        row: the items.
        at: where a name stands.
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


def _denied_as_a_whole(row: list[Item]) -> bool:
    """Whether a sentence begins with "It is not true that", "It is false that"."""
    head = row[:6]
    for number, item in enumerate(head):
        if item.folded == "that" and number >= 2 and head[0].folded == "it":
            keys = {one.folded for one in head[:number]}
            false = bool(keys & {"false", "wrong", "incorrect", "untrue"})
            return false != any(one.denied for one in head[:number])
    return False
