"""What an answer says that its documents do not: words, pairs of words, numbers and names. Pure functions.

Words are compared without case, punctuation and markdown: `**91**`, `"91"` and `91` are one word, as are `1,000` and `1000`.
Numbers are compared as values (`guardrail.text.quantities`).
"""

from __future__ import annotations

import calendar
import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from guardrail.text.known_quantities import KnownQuantities
from guardrail.text.quantities import quantities
from guardrail.text.typography import normalised

_IDEOGRAPHS = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_LETTER = rf"[^\W_{_IDEOGRAPHS}]"
_WORD = re.compile(
    rf"\d+(?:[.,]\d+)+|[{_IDEOGRAPHS}]|{_LETTER}(?:(?!(?<=[a-z])[A-Z]){_LETTER})*"  # WiFi is two words, as in Wi-Fi
)
_STEM = 5  # letters by which two forms of a word are one word
_TELLING = 4  # letters of a word that distinguishes texts
_NO_BLANKS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
# A word that says something by itself. Marks part the words of Indic scripts and Thai; particles of Japanese are in hiragana.
_SAYS = re.compile(r"[^\W\d_]{4}|[\u0900-\u109f\uac00-\ud7a3]{2}|[\u30a0-\u30ff\u3400-\u9fff]")
_COMPOUND = re.compile(r"\b([^\W\d_]+)-([^\W\d_]+)\b")
_POSSESSIVE = re.compile(r"['’]s\b", re.IGNORECASE)
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_DAYS_AND_MONTHS = frozenset([*map(str.casefold, calendar.day_name), *map(str.casefold, calendar.month_name)])
_NO_NAMES = frozenset(
    """
    a an the i he she it we you they this that these those his her its their our your my there here who what
    when where why how and or but if in on at by for from to of with as is are was were be not no yes so
    also however while although after before during since until because then thus overall additionally
    furthermore moreover finally according based please note some many most other another each all both
    """.split()  # noqa: SIM905  # a line of words reads better than ninety quoted ones
)


def plain_words(text: str) -> list[str]:
    """The words of a text: lower-cased, without punctuation, markdown and possessive endings.

    Chinese and Japanese characters are words of their own.

    Example:
        >>> plain_words("- **Score**: (91), about 1,000 of Ann's | 3.5 |")
        ['score', '91', 'about', '1000', 'of', 'ann', '3.5']
    """
    return [word for word, _ in words_with_places(text)]


@dataclass(frozen=True, slots=True)
class DocumentWords:
    """The words of some documents, and the pairs and triples that follow each other within one document.

    Attributes:
        words: of all documents, in order; `""` between two documents.
        single: the words.
        stems: their first letters, by which two forms of a word are one.
        pairs: of neighbouring words.
        triples: of three words in a row.
        quantities: numbers, dates and times of day, by value.
    """

    words: tuple[str, ...]
    single: Collection[str]
    stems: Collection[str]
    pairs: Collection[tuple[str, ...]]
    triples: Collection[tuple[str, ...]]
    quantities: KnownQuantities = field(repr=False)

    @classmethod
    def of(cls, documents: Iterable[str]) -> DocumentWords:
        """Read documents; each is any text."""
        texts = [normalised(text) for text in documents]
        each = [plain_words(text) for text in texts]
        words = [word for one in each for word in (*one, "")]
        return cls(
            tuple(words),
            frozenset(word for one in each for word in one),
            frozenset(word[:length] for one in each for word in one for length in (_STEM - 1, _STEM)),
            frozenset(gram for one in each for gram in _grams(one, 2)),
            frozenset(gram for one in each for gram in _grams(one, 3)),
            KnownQuantities(texts),
        )

    def rejoined(self, text: str) -> str:
        """A normalised text with the compounds that the documents have as one word written so: a broken line ate the hyphen."""
        return _COMPOUND.sub(lambda match: self._joined(*match.groups()) or match[0], text)

    def _joined(self, before: str, behind: str) -> str:
        whole, pair = before + behind, (before.casefold(), behind.casefold())
        return whole if whole.casefold() in self.single and pair not in self.pairs else ""


@dataclass(frozen=True, slots=True)
class Novelty:
    """How much of a text its documents lack; every share is in [0, 1], larger = more of it is new.

    Attributes:
        words: share of its words; those of a quantity that is there in another spelling are not new.
        pairs: share of its pairs of neighbouring words; that of the words where there is one word only.
        triples: share of its triples; that of the pairs where there are two words only.
        numbers: the numbers that no document has in any spelling, as written.
        names: the capitalised words that no document has, as written; neighbours are one name.
        strange: the words that say something of which no document has any form, as written.
        length: words.
    """

    words: float
    pairs: float
    triples: float
    numbers: tuple[str, ...]
    names: tuple[str, ...]
    strange: tuple[str, ...]
    length: int


def novelty(text: str, documents: DocumentWords) -> Novelty | None:
    """How much of a text its documents lack; `None` of a text without words.

    Example:
        >>> found = novelty("Ann Lee was born in 1842.", DocumentWords.of(["Ann Lee was born in **1824**."]))
        >>> round(found.words, 3), round(found.pairs, 3), found.numbers, found.names
        (0.167, 0.2, ('1842',), ())
    """
    text = normalised(text)
    own = plain_words(text)
    if not own:
        return None
    places = _known_places(text, documents.quantities)
    new = [
        (word, match[0])
        for word, match in words_with_places(text)
        if word not in documents.single and not _within(match, places)
    ]
    pairs = _share(list(_grams(own, 2)), documents.pairs)
    triples = _share(list(_grams(own, 3)), documents.triples)
    first = len(new) / len(own)
    second = first if pairs is None else pairs
    numbers, names = _unknown(text, documents, places)
    return Novelty(
        words=first,
        pairs=second,
        triples=second if triples is None else triples,
        numbers=numbers,
        names=names,
        strange=tuple(
            dict.fromkeys(
                written for word, written in new if _SAYS.match(word) and _stem(word) not in documents.stems
            )
        ),
        length=len(own),
    )


def telling_words(text: str) -> frozenset[str]:
    """The words that distinguish one text from another: numbers, the beginnings of words, pairs of characters of scripts without blanks.

    Args:
        text: as `normalised` has it.

    Example:
        >>> sorted(telling_words("It burnt down in 1950, burning for 3 days."))
        ['1950', '3', 'burni', 'burnt', 'days', 'down']
    """
    words = plain_words(text)
    found = {word[:_STEM] for word in words if len(word) >= _TELLING or any(map(str.isdigit, word))}
    pairs = {a + b for a, b in pairwise(words) if _NO_BLANKS.match(a) and _NO_BLANKS.match(b)}
    return frozenset(found | pairs)


def _stem(word: str) -> str:
    """The letters by which it is looked for: of a short one all but the last."""
    return word[: _STEM if len(word) > _STEM else _STEM - 1]


def _unknown(
    text: str, documents: DocumentWords, places: Sequence[tuple[int, int]]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The numbers and names of a normalised text that documents lack; each once, as written, in order.

    A number is a word with a digit; it is there if its value is, in whatever spelling. A name is a capitalised
    word that does not begin the sentence. Made for languages that capitalise names alone, as English does.
    """
    numbers: dict[str, None] = {}
    names: list[tuple[str, int, int]] = []
    begins = True
    for word, match in words_with_places(text):
        written = match[0]
        start, end = match.span()
        is_known = word in documents.single or _within(match, places)
        if any(map(str.isdigit, word)):
            if not is_known:
                numbers.setdefault(written)
        elif written[0].isupper() and not (begins or is_known or _is_known(word, documents.single)):
            if names and not text[names[-1][2] : start].strip(" -"):
                names[-1] = (text[names[-1][1] : end], names[-1][1], end)
            else:
                names.append((written, start, end))
        begins = _begins_after(text, end)
    return tuple(numbers), tuple(dict.fromkeys(name for name, _, _ in names))


def _within(match: re.Match[str], places: Sequence[tuple[int, int]]) -> bool:
    """Whether a word begins in one of the places, which are in order."""
    at = bisect_right(places, match.start(), key=lambda place: place[0]) - 1
    return at >= 0 and match.start() < places[at][1]


def _known_places(text: str, known: KnownQuantities) -> list[tuple[int, int]]:
    """Where quantities of a text are that documents have, in order; of those that overlap the longest."""
    found, when = quantities(text)
    places = [(one.start, one.end) for one in found if not one.listed and known.has(one)]
    places += [(one.start, one.end) for one in when if known.has_moment(one)]
    kept: list[tuple[int, int]] = []
    for start, end in sorted(places):
        if not kept or end > kept[-1][1]:
            kept.append((start, end))
    return kept


def _is_known(word: str, known: Collection[str]) -> bool:
    """Whether a name is known, or is none; a plural counts as its singular, a day or month as its abbreviation."""
    if word in known or word in _NO_NAMES or word.removesuffix("s") in known:
        return True
    return word in _DAYS_AND_MONTHS and any(short in known for short in (word[:2], word[:3]))


def _begins_after(text: str, end: int) -> bool:
    """Whether a sentence, a quotation or a list item ends right behind this place."""
    behind = text[end : end + 3].lstrip("*_`)]")
    return not behind or behind[0] in '.!?:\n"“”|'


def words_with_places(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    """The words as `plain_words` gives them, with where they are."""
    skipped = {match.start() + 1 for match in _POSSESSIVE.finditer(text)}
    for match in _WORD.finditer(text):
        if match.start() in skipped and len(match[0]) == 1:
            continue
        word = match[0].casefold()
        if "," in word and _THOUSANDS.fullmatch(word):
            word = word.replace(",", "")
        yield word, match


def _grams(words: Sequence[str], size: int) -> Iterator[tuple[str, ...]]:
    return zip(*(words[i:] for i in range(size)), strict=False)


def _share(parts: Sequence[object], known: Collection[object]) -> float | None:
    """The share that is not known."""
    return sum(part not in known for part in parts) / len(parts) if parts else None
