"""Statements: which relation a sentence asserts between which two names.

A sentence is a row of items (`items`). Ways of saying a relation are found in it (`Lexicon.saying`); for each, the
names around it are looked for: a verb has one before and one behind it; a noun has one behind "of" or
before "'s", and the other behind or before a form of "be", or set off by a comma. Names joined by "and" are one
side of several statements.

What is not understood is left alone: a missing side, a question, words between that may change the meaning.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from guardrail.logic.statements.items import Item, Known, items
from guardrail.logic.statements.lexicon import Lexicon, Meaning
from guardrail.logic.statements.marks import unmarked
from guardrail.logic.statements.model import Mention, Statement
from guardrail.logic.statements.sides import BREAKS, Sentence, Sides, group
from guardrail.text.sentences import sentences

_OF = frozenset({"of", "for", "to", "in"})
_OWN = frozenset({"his", "her", "its", "their"})
_SHORT = 3  # letters of what may be an abbreviation
_MANY = 32  # names on one side


@dataclass(frozen=True, slots=True)
class _Said:
    """A way of saying found in a row: from `first` to before `stop`."""

    first: int
    stop: int
    noun: bool
    meanings: tuple[Meaning, ...]


def statements(text: str, lexicon: Lexicon) -> list[Statement]:
    """What a text states, in order.

    Args:
        text: any text; its sentences are found here.
        lexicon: names and ways of saying.

    Example:
        >>> from guardrail.logic.statements.lexicon import Saying
        >>> lexicon = Lexicon({"Emma": "Emma"}, [Saying("was written by", "author")])
        >>> [(s.subject.name, s.relation, s.object.name) for s in statements("Emma was written by Jane Austen.", lexicon)]
        [('Emma', 'author', 'Jane Austen')]
    """
    return [found for sentence in read(text, lexicon) for found in stated(sentence)]


def read(text: str, lexicon: Lexicon, *, about: Collection[str] = ()) -> Iterator[Sentence]:
    """The sentences of a text as rows of items; what one says of whom is known to those behind it.

    Args:
        text: any text.
        lexicon: names and ways of saying.
        about: entities that are known to be spoken of (those of a question that the text answers), which may then be
            called by a part of their names ("Einstein") or "he".
    """
    known = Known(about)
    told = [Mention(name, 0, 0, name) for name in about]
    one = told if len(told) == 1 else []
    several = told if len(told) == 2 else []
    last: list[Mention] = []
    spans = sentences(text)
    text = unmarked(text, spans, lexicon)
    for span in spans:
        start = span.start
        for row in _parted(text, items(text, span.start, span.end, lexicon, known)):
            end = row[-1].end if row else span.end
            yield Sentence(text, row, start, end, lexicon, one, several)
            start = end
            found = _subjects(row)
            if len(found) > 1:
                several = found
            elif found and last and last[0].name != found[0].name:
                several = [*last, *found]
            one = found or one
            last = found[:1] or last


def _parted(text: str, row: list[Item]) -> Iterator[list[Item]]:
    """The rows of a sentence and of those that the splitter left joined to it ("It is rich. Both are …")."""
    first = 0
    for at in range(1, len(row) - 1):
        short = row[at - 1].kind == "word" and len(row[at - 1].folded) <= _SHORT
        if row[at].key == "." and not short and text[row[at + 1].start].isupper():
            yield row[first : at + 1]
            first = at + 1
    yield row[first:]


def _subjects(row: list[Item]) -> list[Mention]:
    """Whom a sentence is about: the names that it begins with."""
    for number, item in enumerate(row):
        if item.mention is not None:
            return group(row, number, 1)[0]
    return []


def stated(sentence: Sentence) -> list[Statement]:
    """The statements of one sentence."""
    return list(_Reader(sentence).statements())


class _Reader(Sides):
    def __init__(self, sentence: Sentence) -> None:
        self.said = list(_sayings(sentence.row, sentence.lexicon))
        super().__init__(sentence, {said.first for said in self.said}, {said.stop for said in self.said})
        self.denied = _denied_as_a_whole(self.row)
        self.denied_names = {item.mention for item in self.row if item.mention is not None and item.denied}

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
        if active and self.key(before) == "BE":
            if not self._passive(said):
                return None  # "was written in 1945" is not "wrote in 1945"
            before -= 1
        while active and self.key(before) == "have":
            before -= 1
        denied = any(item.denied for item in self.row[before + 1 : said.stop])
        first = self.left(before)
        second, behind = self.right(said.stop)
        if not first or not second:
            return None
        self.subject = first
        denied = denied or not self.denied_names.isdisjoint(first)
        return first, second, denied or (behind is not None and self.row[behind].denied)

    def _passive(self, said: _Said) -> bool:
        return self.row[said.stop - 1].key in {"by", "in", "at", "of", "to", "with", "after", "from", "on"}

    def _noun(self, said: _Said) -> tuple[list[Mention], list[Mention], bool] | None:
        """First is the noun of second."""
        row = self.row
        if self.key(said.stop) in _OF:
            return self._noun_of(said)
        owner, before = self._owner(said.first - 1)
        if owner:
            return self._owned(said, owner, before)
        at = said.first - 1
        if self.key(at) == "have":  # "France has the capital Paris"
            owner = self.left(at - 1)
            found, _ = self.right(said.stop)
            if owner and found:
                self.subject = owner
                return found, owner, row[at].denied or row[said.first].denied
        return None

    def _noun_of(self, said: _Said) -> tuple[list[Mention], list[Mention], bool] | None:
        row = self.row
        second, behind = self.right(said.stop + 1)
        if not second or behind is None:
            return None
        at = said.first - 1
        while (
            at >= 0 and said.first - at <= 3 and row[at].kind == "word" and row[at].key not in {"BE", *BREAKS}
        ):
            at -= 1
        if self.key(at) == "BE":  # "Paris is the capital of France"
            first = self.left(at - 1)
            if first:
                self.subject = first
                denied = any(item.denied for item in row[at : said.stop]) or row[behind].denied
                return first, second, denied
        _, stop = group(row, behind, 1, self.starts)
        if self.key(stop) == "BE":  # "The capital of France is Paris"
            first, place = self.right(stop + 1)
            if first and place is not None:
                return first, second, row[stop].denied or row[place].denied
        if self.key(at) == "," and self.mention(at - 1) is not None:  # "Paris, the capital of France"
            return group(row, at - 1, -1, self.ends)[0], second, False
        if self.key(stop) == "," and self.mention(stop + 1) is not None:  # "The capital of France, Paris, …"
            return group(row, stop + 1, 1, self.starts)[0], second, False
        return None

    def _owner(self, at: int) -> tuple[list[Mention], int]:
        """Whose the noun is that stands behind `at`, and what stands before that."""
        row, tries = self.row, 0
        while at >= 0 and tries < 2 and row[at].kind == "word" and row[at].key not in {"BE", "have"}:
            at, tries = at - 1, tries + 1  # "Australia's present capital"
        if at >= 0 and row[at].kind == "pronoun" and row[at].folded in _OWN:
            return self.antecedent(row[at]), at - 1
        if self.key(at) == "'s" and self.mention(at - 1) is not None:
            return group(row, at - 1, -1, self.ends)[0][-1:], at - 2
        return [], at

    def _owned(
        self, said: _Said, owner: list[Mention], before: int
    ) -> tuple[list[Mention], list[Mention], bool] | None:
        row = self.row
        if self.key(before) == "BE":  # "Sydney is Australia's capital"
            first = self.left(before - 1)
            if first:
                self.subject = first
                return first, owner, any(item.denied for item in row[before : said.stop])
        at = said.stop
        denied = False
        if self.key(at) == "BE":
            denied, at = row[at].denied, at + 1
        else:
            at += self.key(at) == ","
            if self.mention(at) is None:
                return None
        first, place = self.right(at)
        if not first or place is None:
            return None
        return first, owner, denied or row[place].denied


def _sayings(row: list[Item], lexicon: Lexicon) -> Iterator[_Said]:
    """The ways of saying in a row, the longest first where several begin together; none within another."""
    keys = [item.key if item.kind in {"word", "and", "pronoun"} else "" for item in row]
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


def _denied_as_a_whole(row: list[Item]) -> bool:
    """Whether a sentence begins with "It is not true that", "It is false that"."""
    head = row[:6]
    for number, item in enumerate(head):
        if item.folded == "that" and number >= 2 and head[0].folded == "it":
            keys = {one.folded for one in head[:number]}
            false = bool(keys & {"false", "wrong", "incorrect", "untrue"})
            return false != any(one.denied for one in head[:number])
    return False
