"""What a sentence changed that copies one of a document: a number, a weekday, a month, a word; or two numbers exchanged.

A model that reads meaning passes many of these. A number in the place of another one in the same words is surely wrong; a word
may be a synonym. Pure functions.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal, TypeAlias

from guardrail.selfcheck.grounding.novelty import words_with_places
from guardrail.text.moments import calendar_names, moments
from guardrail.text.numerals import in_digits, in_words

_ALIKE = 0.6  # share of its words, in order, from which on a sentence copies another
_FEWEST = 4  # words of a sentence that can be a copy
_TRIED = 3  # sentences of the documents with which a sentence is compared
_STEM = 5  # characters by which two forms of a word are one word
_CONTENT = 4  # letters of a word that says something by itself
_OWNER = 3  # the same for a word that says whose a number is
_IDEOGRAPH = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_ROW = re.compile(
    r"\|?[ \t]*(?P<cell>[^|\n:]{1,60}?)[ \t]*\||[^:,\n]{1,40}: (?P<value>[^,:\n]{1,60}), [^:,\n]{1,40}: "
)
_ROUND = 1_000  # from here on a number may be a rounded one


Kind: TypeAlias = Literal["value", "exchanged", "row", "name", "word"]


@dataclass(frozen=True, slots=True)
class Change:
    """What a sentence has in the place of something that a document has in the same words.

    Attributes:
        kind: "value" = a number, weekday or month; "exchanged" = each of two numbers is said of the other's owner; "row" = a number
            of another row of a table than the one that is named; "name" = of two capitalised words; "word" = any other, perhaps a synonym.
        said: in the sentence.
        known: in the document.
        document: which, counted from 1.
        passage: the sentence of the document.
    """

    kind: Kind
    said: str
    known: str
    document: int
    passage: str


@dataclass(frozen=True, slots=True)
class _Token:
    """A word, or a number of any length, as written; `values` are those of a number, `day` that of a weekday or month."""

    word: str
    written: str
    values: frozenset[float] = frozenset()
    day: str = ""

    def is_same(self, other: _Token) -> bool:
        return bool(self.values & other.values) or (self.day != "" and self.day == other.day)

    def is_of(self, other: _Token) -> bool:
        """Whether both are numbers, both weekdays or both months."""
        return bool(self.values and other.values) or (self.day[:1] == other.day[:1] != "")


class Copies:
    """The sentences of documents, read once for any number of sentences of an answer.

    Args:
        sentences: each normalised, with its document, counted from 1.
    """

    def __init__(self, sentences: Sequence[tuple[str, int]]) -> None:
        self.sentences = self._sentences = sentences
        self._tokens = [_read(text) for text, _ in sentences]
        self._words = [[one.word for one in tokens] for tokens in self._tokens]
        self._sets = [set(words) for words in self._words]
        self._numbers = [
            (i, found) for i, tokens in enumerate(self._tokens) if len(found := _numbers(tokens)) > 1
        ]
        self._rows = {i: key for i, (text, _) in enumerate(sentences) if (key := _first_cell(text))}
        self._stems = {word[:_STEM] for words in self._sets for word in words}

    def changes(self, sentence: str) -> list[Change]:
        """What a normalised sentence changed; numbers should be spelt as the documents spell them.

        Example:
            >>> copies = Copies([("Ann owns three dogs and Bo owns one.", 1), ("The shop is open on Monday until five.", 1)])
            >>> [(one.kind, one.said, one.known) for one in copies.changes("The shop is open on Friday until five.")]
            [('value', 'Friday', 'Monday')]
            >>> [(one.kind, one.said, one.known) for one in copies.changes("Ann owns one dog and Bo owns three.")]
            [('exchanged', 'one … three', 'three … one')]
        """
        tokens = _read(sentence)
        surely = [*self._of_another_row(tokens), *self._exchanged(tokens)][:1]
        return surely or list(self._replaced(tokens))

    def _replaced(self, tokens: Sequence[_Token]) -> Iterator[Change]:
        """The words in the place of others, where the sentence copies the one of the documents that is most like it."""
        words = [one.word for one in tokens]
        if len(words) < _FEWEST:
            return
        own = set(words)
        tried = sorted(range(len(self._sets)), key=lambda i: -len(own & self._sets[i]))[:_TRIED]
        tried = [i for i in tried if len(own & self._sets[i]) >= _ALIKE * len(own) - 1]
        compared = [(i, SequenceMatcher(None, words, self._words[i], autojunk=False)) for i in tried]
        shared = [(sum(block.size for block in pair.get_matching_blocks()), i, pair) for i, pair in compared]
        count, i, pair = max(shared, key=lambda one: one[0], default=(0, 0, None))
        if pair is None or count < _ALIKE * len(words):
            return
        stems = {word[:_STEM] for word in words}
        for tag, a, b, c, d in pair.get_opcodes():
            if tag == "replace" and b - a == 1:
                kind = self._kind(tokens[a], self._tokens[i][c:d], self._tokens[i], stems, first=a == 0)
                if kind:
                    known = " ".join(one.written for one in self._tokens[i][c:d])
                    yield self._change(kind, tokens[a].written, known, i)

    def _kind(
        self, said: _Token, known: Sequence[_Token], around: Sequence[_Token], stems: set[str], *, first: bool
    ) -> Kind | None:
        """What was changed, if it is a change: what is new in the place of what is lost."""
        if len(known) == 1 and said.is_of(known[0]):
            rounded = any(_rounds(x, y) for x in said.values for y in known[0].values)
            return None if rounded or any(said.is_same(one) for one in around) else "value"
        if (
            len(known) > 2
            or said.values
            or said.word[:_STEM] in self._stems
            or not _says(said.word, _CONTENT)
        ):
            return None
        if any(one.values or one.word[:_STEM] in stems or not _says(one.word, _CONTENT) for one in known):
            return None
        if any(said.word in one.word or one.word in said.word for one in known):  # a compound, another form
            return None
        named = not first and said.written[:1].isupper() and all(one.written[:1].isupper() for one in known)
        return "name" if named else "word"

    def _exchanged(self, tokens: Sequence[_Token]) -> Iterator[Change]:
        """Two numbers of which each is by the words that a document has by the other."""
        own = _numbers(tokens)
        for i, known in self._numbers if len(own) > 1 else ():
            for x, (number, *beside) in enumerate(own):
                for other, *besides in own[x + 1 :]:
                    first = [row for row in known if row[0].is_same(number)]
                    second = [row for row in known if row[0].is_same(other)]
                    if number.is_same(other) or len(first) != 1 or len(second) != 1:
                        continue
                    sides = zip(beside, besides, first[0][1:], second[0][1:], strict=True)
                    if any(_crossed(*side) for side in sides):
                        said = f"{number.written} … {other.written}"
                        yield self._change("exchanged", said, f"{other.written} … {number.written}", i)

    def _of_another_row(self, tokens: Sequence[_Token]) -> Iterator[Change]:
        """The numbers of other rows than the one whose first cell is named; of several the one with the longest."""
        own = {one.word for one in tokens}
        named = [(len(key), i) for i, key in self._rows.items() if key <= own]
        longest = [i for size, i in named if size == max(named)[0]]
        if len(longest) != 1:
            return
        row, document = longest[0], self._sentences[longest[0]][1]
        others = [
            one
            for i in self._rows
            if i != row and self._sentences[i][1] == document
            for one in self._tokens[i]
        ]
        for one in tokens:
            if one.values and one.word not in self._rows[row]:
                here = any(one.is_same(cell) for cell in self._tokens[row])
                if not here and any(one.is_same(cell) for cell in others):
                    yield self._change("row", one.written, f"'{self._sentences[row][0]}'", row)

    def _change(self, kind: Kind, said: str, known: str, i: int) -> Change:
        return Change(kind, said, known, self._sentences[i][1], self._sentences[i][0])


def _first_cell(text: str) -> set[str]:
    """The words of the first cell of a row; none of what is no row."""
    match = _ROW.match(text)
    return {one.word for one in _read(match["cell"] or match["value"])} if match else set()


def _read(text: str) -> list[_Token]:
    numbers = sorted((*in_digits(text), *in_words(text)), key=lambda one: one.start)
    clock = [one.start for one in moments(text)]
    tokens: list[_Token] = []
    until = 0
    for word, match in words_with_places(text):
        start = match.start()
        if start < until:
            continue  # the second word of a number
        index = bisect_right(numbers, start, key=lambda one: one.start) - 1
        number = numbers[index] if index >= 0 and numbers[index].start == start else None
        if number is not None and number.values and start not in clock:
            until = number.end
            written = text[start:until]
            tokens.append(_Token(written.casefold(), written, frozenset(number.values)))
        else:
            tokens.append(_Token(word, match[0], day=calendar_names().get(word, "")))
    return tokens


def _numbers(tokens: Sequence[_Token]) -> list[tuple[_Token, set[str], set[str]]]:
    """The numbers, each with the words between it and the one before, and between it and the next one."""
    between: list[set[str]] = [set()]
    found: list[_Token] = []
    for one in tokens:
        if one.values:
            found.append(one)
            between.append(set())
        elif _says(one.word, _OWNER):
            between[-1].add(one.word[:_STEM])
    return list(zip(found, between, between[1:], strict=False))


def _crossed(one: set[str], other: set[str], known: set[str], of_other: set[str]) -> bool:
    """Whether each of two numbers has words of the other's in a document, and none of its own; what both have counts for neither."""
    one, other, known, of_other = one - other, other - one, known - of_other, of_other - known
    return bool(one & of_other and other & known and not one & known and not other & of_other)


def _says(word: str, letters: int) -> bool:
    return len(word) >= letters or _IDEOGRAPH.match(word) is not None


def _rounds(said: float, known: float) -> bool:
    """Whether a number is a known one rounded to at least two digits."""
    digits = len(f"{said:.9g}".replace(".", "").strip("0"))
    return known >= _ROUND and digits > 1 and float(f"{known:.{digits}g}") == said
