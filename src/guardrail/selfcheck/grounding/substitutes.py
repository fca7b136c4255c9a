"""The one number of a sentence that no document has, where the place that says the same has one other number of its kind.

A sentence may have a number that follows from those of its documents: a sum, a difference, a share, a rounded value. Such a number is no error, so it is
left alone. Pure functions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

from guardrail.selfcheck.grounding.novelty import plain_words, telling_words
from guardrail.text.known_quantities import KnownQuantities
from guardrail.text.moments import Moment
from guardrail.text.numerals import in_digits, in_words
from guardrail.text.quantities import Quantity, quantities

_STEM = 5  # letters by which two forms of a word are one
_SHARED = 3  # words that the place must share with the sentence, at least
_SHARE = 0.5  # and of the weight of all its words that are in any document
_RIVAL = 0.75  # what has so much of the best place's weight may be meant instead
_TRIED = 4  # places
_MOST = 12  # numbers of one kind from which another may follow
# a number so near may be the other one in round figures, or where it is said to be about so much
_ROUNDED, _ABOUT_SO_MUCH = 0.1, 0.2
_FOLLOWS = 0.01
_BEFORE = 30  # characters before a number in which a word may say that it is about so much
# characters on each side of a number that say what it is of, and words of the clause that must be there
_CLOSE, _BY = 60, 2
_FEW = 5  # telling words that are enough of a clause
_CUT = re.compile(r"[,;:，；：、]\s|[()（）]|\s[–—]\s|[，；：、]")
_DIGITS = re.compile(r"\d+")
_YEARS, _OF_A_YEAR = range(1000, 2101), 4
_ABOUT = re.compile(
    r"(?:\b(?:about|around|roughly|nearly|almost|approximately|some|over|under|than|up to|rund|etwa|fast|knapp|gut|über|environ|près|presque|plus|unos|"
    r"unas|casi|más|menos|circa|quasi|oltre|quase|cerca|mais)\b|[约近逾約]|超过|ほぼ)\W{0,3}(?:[^\W\d]+ )?$",
    re.IGNORECASE,
)
_ORDINAL = re.compile(  # what only looks so is left alone, too
    r"(?:[^\W\d](?:st|nd|rd|th|te[nrs]?|i[eè]me)|first|premi[eè]re?|primer?[oa]?|prim[oa]|second[oa]?|segund[oa]|tercer[oa]?|terz[oa])$",
    re.IGNORECASE,
)
_AFTER = re.compile(r"[\s-]{0,2}([^\W\d_]{3,})")


@dataclass(frozen=True, slots=True)
class Substitute:
    """A number in the place of another.

    Attributes:
        said: in the sentence.
        known: in the document.
        document: which, counted from 1.
        passage: the sentence of the document.
    """

    said: str
    known: str
    document: int
    passage: str


@dataclass(frozen=True, slots=True)
class _Number:
    """A quantity as it can be exchanged: its figure without the unit, its value, and what it is a number of."""

    written: str
    value: float
    kind: tuple[str, ...]
    before: str


class Substitutes:
    """The sentences of documents, read once for any number of sentences.

    Args:
        sentences: each normalised, with its document, counted from 1.
        known: the quantities of all documents.
    """

    def __init__(self, sentences: Sequence[tuple[str, int]], known: KnownQuantities) -> None:
        self._sentences, self._known = sentences, known

    def of(self, sentence: str) -> Substitute | None:
        """The number of a normalised sentence that is surely another one; `None` where that is not certain.

        Example:
            >>> texts = ["The museum was built in 1904 for 3 million francs.", "Its dome is 40 m high."]
            >>> found = Substitutes([(texts[0], 1), (texts[1], 1)], KnownQuantities([" ".join(texts)]))
            >>> found.of("For 3 million francs, the museum was built in 1914.").known
            '1904'
            >>> found.of("The museum was built in 1904, for roughly 2.9 million francs.") is None
            True
        """
        if not any(map(str.isdecimal, sentence)) and not any(in_words(sentence)):
            return None
        found, when = quantities(sentence)
        numbers: list[Quantity | Moment] = [
            one for one in found if not one.listed and not self._known.has(one)
        ]
        moments = [one for one in when if not self._known.has_moment(one)]
        if len(numbers) + len(moments) != 1:
            return None
        gone = [*numbers, *moments][0]
        places = self._places(_clause(sentence, gone.start, gone.end))
        words = telling_words(_clause(sentence, gone.start, gone.end))
        rivals = [self._instead(sentence, gone, i, words) for i, _ in places]
        if not places or rivals[0] is None or len({one for one in rivals if one is not None}) != 1:
            return None
        said, known = rivals[0]
        text, document = self._sentences[places[0][0]]
        return Substitute(said, known, document, text)

    def _places(self, rest: str) -> list[tuple[int, float]]:
        """The sentences that say the same as the rest of one, the best first; none if none does."""
        own = [word for word in telling_words(rest) if word in self._owners]
        total = sum(1 / self._owners[word] for word in own)
        scores = [
            (i, sum(1 / self._owners[word] for word in own if word in words))
            for i, words in enumerate(self._words)
        ]
        best = sorted(scores, key=lambda one: -one[1])[:_TRIED]
        if (
            not best
            or best[0][1] < _SHARE * total
            or sum(word in self._words[best[0][0]] for word in own) < _SHARED
        ):
            return []
        return [one for one in best if one[1] >= _RIVAL * best[0][1]]

    def _instead(
        self, sentence: str, gone: Quantity | Moment, place: int, words: frozenset[str]
    ) -> tuple[str, str] | None:
        """What a place has in the stead of a number, as both are written; `None` where that is nothing, or not one thing."""
        text = self._sentences[place][0]
        every, whenever = quantities(text)
        found = [one for one in every if _is_near(one, text, words)]
        when = [one for one in whenever if _is_near(one, text, words)]
        if isinstance(gone, Moment):
            said = sentence[gone.start : gone.end].strip()
            told = {one for moment in quantities(sentence)[1] for one in (*moment.dates, *moment.times)}
            pairs = {
                pair
                for one in when
                if told.isdisjoint((*one.dates, *one.times))
                and (pair := _digit(said, text[one.start : one.end].strip()) or _part(gone, one, said))
            }
            return pairs.pop() if len(pairs) == 1 else None
        said_number = _number(sentence, gone)
        known = [number for one in found if not one.listed and (number := _number(text, one)) is not None]
        if said_number is None:
            return None
        own = {number.value for one in quantities(sentence)[0] if (number := _number(sentence, one))}
        alike = {one.value: one for one in known if one.kind == said_number.kind}
        digits = said_number.written[:1].isdecimal()
        left = [
            one for value, one in alike.items() if value not in own and one.written[:1].isdecimal() is digits
        ]
        if len(left) > 1:
            left = [one for one in left if said_number.before and one.before == said_number.before]
        about = _ABOUT.search(sentence[max(0, gone.start - _BEFORE) : gone.start]) is not None
        if len(left) != 1 or _may_follow(said_number, known, left[0], about=about):
            return None
        return said_number.written, left[0].written

    @cached_property
    def _words(self) -> list[frozenset[str]]:
        return [telling_words(text) for text, _ in self._sentences]

    @cached_property
    def _owners(self) -> Counter[str]:
        return Counter(word for words in self._words for word in words)


def _clause(sentence: str, start: int, end: int) -> str:
    """The words around a number: of its clause, or of the whole sentence where that has few."""
    cuts = [match.start() for match in _CUT.finditer(sentence)]
    first = max((one for one in cuts if one < start), default=0)
    last = min((one for one in cuts if one >= end), default=len(sentence))
    near, all_of_it = (
        f"{sentence[a:start]} {sentence[end:b]}" for a, b in ((first, last), (0, len(sentence)))
    )
    return near if len(telling_words(near)) >= _FEW else all_of_it


def _is_near(one: Quantity | Moment, text: str, words: frozenset[str]) -> bool:
    """Whether a number of a place is by the words of a clause, and not in another part of a long sentence."""
    around = f"{text[max(0, one.start - _CLOSE) : one.start]} {text[one.end : one.end + _CLOSE]}"
    return len(words & telling_words(around)) >= _BY


def _part(said: Moment, known: Moment, written: str) -> tuple[str, str] | None:
    """The day or the year in which two dates differ that say different things of one day."""
    if len(said.dates) != 1 or len(known.dates) != 1:
        return None
    both = [(a, b) for a, b in zip(said.dates[0], known.dates[0], strict=True) if a and b]
    differ = [(str(a), str(b)) for a, b in both if a != b]
    if len(differ) != 1 or len(both) < 2 or said.dates[0][1] != known.dates[0][1]:
        return None
    return differ[0] if _DIGITS.findall(written).count(differ[0][0]) == 1 else None


def _number(text: str, one: Quantity) -> _Number | None:
    """A quantity of a text; `None` of one that is read in several ways, or is no single number."""
    figures = [
        numeral
        for numeral in (*in_digits(text), *in_words(text))
        if one.start <= numeral.start < numeral.end <= one.end
    ]
    values = {reading.value for reading in one.readings}
    if len(figures) != 1:
        return None
    reading = one.readings[0]
    unit, written = reading.unit.name if reading.unit else "", text[figures[0].start : figures[0].end]
    order = "order" if _ORDINAL.search(written) else ""
    kind: tuple[str, ...] = (unit, str(reading.scale), order)
    before = "".join(plain_words(text[max(0, one.start - _BEFORE) : one.start])[-1:])
    if one.is_bare:
        year = written.isdecimal() and int(reading.value) in _YEARS and len(written) == _OF_A_YEAR
        after = _AFTER.match(text, one.end)
        form = _DIGITS.sub("#", written) if len(values) > 1 else ""  # "1.200" is 1200 or 1.2
        what = after[1].casefold()[:_STEM] if after else f"{before} #"
        kind = ("year",) if year else (what, form, order)
    return _Number(written, reading.value, kind, before)


def _digit(said: str, known: str) -> tuple[str, str] | None:
    """The one number in which two dates or times differ that are written alike."""
    own, other = _DIGITS.findall(said), _DIGITS.findall(known)
    if _DIGITS.sub("#", said).casefold() != _DIGITS.sub("#", known).casefold() or len(own) != len(other):
        return None
    differ = [pair for pair in zip(own, other, strict=True) if pair[0] != pair[1]]
    if len(differ) != 1:
        return None
    return (said, known) if own.count(differ[0][0]) > 1 else differ[0]


def _may_follow(said: _Number, known: Sequence[_Number], other: _Number, *, about: bool) -> bool:
    """Whether a number may be another one in round figures, or follow from two of a place."""
    value = said.value
    round_figures = len(said.written.strip("0.,")) < len(other.written.strip("0.,"))
    near = _ABOUT_SO_MUCH if about else _ROUNDED if round_figures else 0.0
    if abs(value - other.value) <= near * max(abs(value), abs(other.value)):
        return True
    return any(abs(one - value) <= _FOLLOWS * abs(value) for one in _following(said, known))


def _following(said: _Number, known: Sequence[_Number]) -> Iterator[float]:
    """Sums, differences and, of percentages, shares and changes of two numbers."""
    for one, other in permutations(known[:_MOST], 2):
        if one.kind == other.kind == said.kind:
            yield one.value + other.value
            yield one.value - other.value
        if said.kind[0] == "percent" and one.kind == other.kind and other.value:
            yield 100 * one.value / other.value
            yield 100 * abs(one.value - other.value) / abs(other.value)
