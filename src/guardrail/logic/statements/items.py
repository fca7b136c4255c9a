"""A sentence as a row of items: names, pronouns, words, marks; small words that change nothing left out.

Names are those of the lexicon, the longest first; then titles between quotation marks; then capitalised words, so
that what the lexicon does not know still is a name. Parts of names ("Einstein", "the war") stand for the one
entity of the text, or of those that the reader was given, whose name they are a part of.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal, TypeAlias

from guardrail.logic.statements.lexicon import Lexicon
from guardrail.logic.statements.model import Mention
from guardrail.logic.statements.words import (
    ADVERBS,
    ARTICLES,
    BE,
    DO,
    HAVE,
    NEGATIONS,
    PARTICLES,
    Word,
    folded,
    several,
    stem,
    words,
)

Kind: TypeAlias = Literal["name", "pronoun", "word", "mark", "and", "'s"]

_GAP = 3  # characters between two words of one name
_TITLE = 200  # characters of a title between quotation marks
_OPEN_WORDS = 12  # words of a name that the lexicon does not have
_NOBODY: frozenset[str] = frozenset()
_PRONOUNS = several("he she it they him her them his hers its their both")
_AND = frozenset({"and", "or", "&"})
_AROUND = frozenset("*_`~()[]\"'“”‘’")  # marks that may stand around one word
_QUOTES = {"“": "”", "«": "»", "„": "“", '"': '"', "'": "'", "‘": "’", "*": "*", "_": "_"}
# Words that begin a sentence with a capital and name nothing.
_NO_NAMES = (
    ARTICLES
    | ADVERBS
    | BE
    | DO
    | HAVE
    | NEGATIONS
    | _PRONOUNS
    | _AND
    | several(
        "i we you this that these those there here so but because since although though while when where who what "
        "which why how if as at by for from in into on to with without within after before between during until "
        "under over about against through yes true false correct wrong right incorrect according given none each "
        "every all any some one two three neither either such other another only even just well additionally "
        "furthermore moreover similarly for let my our your can could would should may might must will per "
        "whether than known today nothing nobody everybody also january february march april june july august "
        "september october november december"
    )
)


@dataclass(slots=True)
class Item:
    """One piece of a sentence.

    Attributes:
        kind: what it is.
        key: its stem, "BE" for any form of "be", "have" for any of "have"; the mark itself.
        start, end: where it is in the text.
        mention: of a name.
        denied: whether "not", "never", "no" … comes right before it.
        folded: the word without case and accents.
        article: whether "a" or "the" comes right before it.
    """

    kind: Kind
    key: str
    start: int
    end: int
    mention: Mention | None = None
    denied: bool = False
    folded: str = ""
    article: bool = False


class Known:
    """The entities that a text has spoken of so far, by the words of their names."""

    def __init__(self, names: Collection[str] = ()) -> None:
        self._of: dict[str, set[str]] = {}
        self._seen: set[str] = set()
        for name in names:
            self.add(name)

    def add(self, entity: str) -> None:
        """From here on, a part of this name may stand for it."""
        if entity in self._seen or len(entity) > 10 * _TITLE:
            return
        self._seen.add(entity)
        for word in words(entity):
            if word.spelt and word.key not in _NO_NAMES:
                self._of.setdefault(word.key, set()).add(entity)

    def one(self, parts: list[str]) -> str | None:
        """The one entity whose name has all these words; `None` if there is none or there are several."""
        found: AbstractSet[str] | None = None
        for part in parts:
            here = self._of.get(part, _NOBODY)
            found = here if found is None else found & here
        return next(iter(found)) if found and len(found) == 1 else None

    def ends(self, word: str) -> str | None:
        """The one entity whose name ends in this word, as "the war" is the "Second World War"."""
        found = {
            entity
            for entity in self._of.get(word, ())
            if folded(words(entity)[-1].text) == word and len(words(entity)) > 1
        }
        return next(iter(found)) if len(found) == 1 else None


def items(text: str, start: int, end: int, lexicon: Lexicon, known: Known) -> list[Item]:
    """The items of one sentence, which is at `start` to `end`."""
    row = words(text, start, end)
    names = _names(text, row, lexicon, known)
    found: list[Item] = []
    denied = article = False
    at = 0
    while at < len(row):
        word = row[at]
        if at in names:
            at, mention = names[at]
            found.append(Item("name", mention.name, mention.start, mention.end, mention, denied))
            denied = False
            continue
        at += 1
        key = word.key
        if key in NEGATIONS:
            denied = True
            if key == "nor":
                found.append(Item("and", key, word.start, word.end))
        elif key == "cannot":
            denied = True
            found.append(Item("word", "can", word.start, word.end, folded=key))
        elif key in ARTICLES:
            article = True
            continue
        elif _changes_nothing(row, at, names):
            continue
        else:
            if key == "found" and at > 1 and _plain(row, at - 2):
                key = "founded"  # "did not found" is of the verb whose past is "founded"
            item = _item(word, key)
            item.article = article
            if item.key == "BE" and found and found[-1].key in {"have", "BE"}:
                item.denied = found.pop().denied  # "has been", "was being"
            item.denied = item.denied or (denied and item.kind != "mark")
            denied = (
                denied and word.text in _AROUND
            )  # "No, Paris is …" denies nothing, "(not)" what is behind it
            found.append(item)
        article = False
    return found


def _changes_nothing(row: list[Word], at: int, names: Collection[int]) -> bool:
    """Whether the word that ends before `at` is left out: "do", adverbs, a hyphen."""
    key = row[at - 1].key
    if key == "both" and _stands_alone(row, at, names):
        return False
    return key in DO or key in ADVERBS or (key == "-" and _hyphen(row, at - 1))


def _stands_alone(row: list[Word], at: int, names: Collection[int]) -> bool:
    """Whether "both", which ends before `at`, is said instead of names: "Both are …", "… , both are …"."""
    alone = at == 1 or not row[at - 2].spelt or row[at - 2].key in _AND
    return alone and at not in names and at + 1 not in names


def _hyphen(row: list[Word], at: int) -> bool:
    """Whether a mark joins two words to one: "half-brother", but not "1950-1953"."""
    if not 0 < at < len(row) - 1:
        return False
    joined = row[at - 1].end == row[at].start and row[at].end == row[at + 1].start
    return joined and row[at - 1].text[-1].isalpha() and row[at + 1].text[0].isalpha()


def _plain(row: list[Word], at: int) -> bool:
    """Whether "do" stands at a word, or right before a "not" there: what follows is a verb's plain form."""
    return row[at].key in DO or (at > 0 and row[at].key in NEGATIONS and row[at - 1].key in DO)


def _item(word: Word, key: str) -> Item:
    kind: Kind = "word"
    if word.text in {"'s", "’s"} or (word.text in {"'", "’"}):
        return Item("'s", "'s", word.start, word.end)
    if not word.spelt and key not in _AND:
        return Item("mark", word.text, word.start, word.end)
    if key in _AND:
        kind = "and"
    elif key in _PRONOUNS:
        kind = "pronoun"
    stemmed = "BE" if key in BE else "have" if key in HAVE else stem(key)
    return Item(kind, stemmed, word.start, word.end, folded=key)


def _names(text: str, row: list[Word], lexicon: Lexicon, known: Known) -> dict[int, tuple[int, Mention]]:
    """Where names begin: the word behind each, and the name."""
    spelt = [number for number, word in enumerate(row) if word.spelt]
    keys = [row[number].key for number in spelt]
    found: dict[int, tuple[int, Mention]] = {}
    quotes = dict(_quoted(text, row))
    at = 0
    while at < len(spelt):
        number = spelt[at]
        if number - 1 in quotes:  # a title: all that stands between the marks
            last = quotes[number - 1]
            first, stop = row[number].start, row[last - 1].end
            title = text[first:stop]
            entity = lexicon.entity(title) or known.one([w.key for w in row[number:last] if w.spelt])
            found[number - 1] = last + 1, Mention(title, first, stop, entity)
            if entity:
                known.add(entity)
            while at < len(spelt) and spelt[at] < last:
                at += 1
            continue
        length, entity = _listed(row, spelt, keys, at, lexicon)
        if not length:
            length, entity = _open(row, spelt, at, lexicon, known, first=at == 0)
        if not length:
            at += 1
            continue
        first, stop = row[number].start, row[spelt[at + length - 1]].end
        if entity is not None:
            known.add(entity)
        found[number] = spelt[at + length - 1] + 1, Mention(text[first:stop], first, stop, entity)
        at += length
    return found


def _quoted(text: str, row: list[Word]) -> Iterator[tuple[int, int]]:
    """The first and the last mark around each title."""
    at = 0
    while at < len(row):
        close = _QUOTES.get(row[at].text)
        free = at == 0 or not text[row[at].start - 1].isalnum()
        if close is None or not free or at + 1 >= len(row) or row[at + 1].start != row[at].end:
            at += 1
            continue
        last = at + 2
        while last < len(row) and row[last].start - row[at].start <= _TITLE:
            here = row[last]
            if here.text == close and (here.end >= len(text) or not text[here.end].isalnum()):
                break
            last += 1
        else:
            at += 1
            continue
        yield at, last
        at = last + 1


def _joined(row: list[Word], spelt: list[int], at: int, length: int) -> bool:
    """Whether words stand close enough to each other to be one name."""
    for one, two in zip(spelt[at : at + length - 1], spelt[at + 1 : at + length], strict=True):
        if row[two].start - row[one].end > _GAP or two - one > 3:
            return False
        if any(mark.text in ";:!?()" for mark in row[one + 1 : two]):
            return False
    return True


def _listed(
    row: list[Word], spelt: list[int], keys: list[str], at: int, lexicon: Lexicon
) -> tuple[int, str | None]:
    for length, entity, capital in lexicon.longest(keys, at):
        word = row[spelt[at]]
        if capital and not (word.capital or word.text[0].isdigit()):
            continue
        if length == 1 and keys[at] in _NO_NAMES and not (word.capital and at):
            continue
        if _joined(row, spelt, at, length):
            return length, entity
    return 0, None


def _open(
    row: list[Word], spelt: list[int], at: int, lexicon: Lexicon, known: Known, *, first: bool
) -> tuple[int, str | None]:
    """A capitalised name, or a common word for an entity the text speaks of."""
    word = row[spelt[at]]
    key = word.key
    if not word.capital:
        article = spelt[at] > 0 and row[spelt[at] - 1].key == "the"
        entity = known.ends(key) if article else None
        return (1, entity) if entity else (0, None)
    if (key in _NO_NAMES and (first or len(key) > 1)) or (first and lexicon.begins(key)):
        return 0, None
    length = 1
    while at + length < len(spelt) and length < _OPEN_WORDS:
        ahead = length
        while at + ahead < len(spelt) and row[spelt[at + ahead]].key in PARTICLES and ahead < length + 3:
            ahead += 1
        if at + ahead >= len(spelt):
            break
        here = row[spelt[at + ahead]]
        if not (here.capital or (here.text.isdigit() and ahead == length)) or not _close(
            row, spelt, at, ahead
        ):
            break
        if here.key in _NO_NAMES or _starts(row, spelt, at + ahead, lexicon):
            break
        length = ahead + 1
    parts = [row[number].key for number in spelt[at : at + length] if row[number].key not in PARTICLES]
    if at + length + 1 < len(spelt):
        # "Nobel Prize in Physics" is no "Nobel Prize" where the lexicon has one in Chemistry: it is another of its kind
        leading = [row[number].key for number in spelt[at : at + length + 1]]
        if row[spelt[at + length + 1]].capital and lexicon.goes_on(leading):
            return length + 2, None
    return length, known.one(parts)


def _starts(row: list[Word], spelt: list[int], at: int, lexicon: Lexicon) -> bool:
    """Whether a listed name begins here; an open one then ends before it."""
    keys = [row[number].key for number in spelt[at : at + 6]]
    return any(length > 1 for length, _, _ in lexicon.longest(keys, 0))


def _close(row: list[Word], spelt: list[int], at: int, ahead: int) -> bool:
    """Whether only blanks, full stops of initials or hyphens stand between the words of an open name."""
    for one, two in zip(spelt[at : at + ahead], spelt[at + 1 : at + ahead + 1], strict=True):
        if row[two].start - row[one].end > _GAP:
            return False
        for mark in row[one + 1 : two]:
            initial = mark.text == "." and len(row[one].text) <= 3
            if not initial and mark.text not in {"-", "'", "’", "&"}:
                return False
    return True
