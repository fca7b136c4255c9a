"""Which names and which ways of saying a relation a reader of sentences knows; made once, used for any text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from guardrail.errors import ConfigError
from guardrail.logic.statements.words import ADVERBS, ARTICLES, BE, DO, HAVE, folded, stem, words

Meaning = tuple[str, bool]

_LINKS = frozenset({"of", "in", "for"})
_HEAD = 8  # words of a name that may stand before such a one


@dataclass(frozen=True, slots=True)
class Saying:
    """One way to say a relation.

    Attributes:
        words: what comes between the first and the second ("was written by"); of a noun, the noun alone ("author").
        relation: what it says.
        turned: whether the first that is named is the relation's object, not its subject.
        noun: then it says "first is the `words` of second", in all ways to say that ("second's author is first").

    Example:
        >>> Saying("was written by", "author")  # Emma was written by Austen
        Saying(words='was written by', relation='author', turned=False, noun=False)
        >>> Saying("author", "author", turned=True, noun=True)  # Austen is the author of Emma
        Saying(words='author', relation='author', turned=True, noun=True)
    """

    words: str
    relation: str
    turned: bool = False
    noun: bool = False

    def __post_init__(self) -> None:
        if not phrase(self.words):
            raise ConfigError(f"expected words that say {self.relation!r}, got {self.words!r}.")


@lru_cache(maxsize=65_536)
def phrase(text: str) -> tuple[str, ...]:
    """Words of a way of saying as they are compared: stems, any form of "be" as "BE", no articles or adverbs."""
    found: list[str] = []
    for word in words(text):
        key = word.key
        if not word.spelt or key in ARTICLES or key in ADVERBS or key in DO:
            continue
        if key in BE:
            if found and found[-1] == "have":
                found.pop()
            if not found or found[-1] != "BE":
                found.append("BE")
        else:
            found.append("have" if key in HAVE else stem(key))
    if len(found) > 1 and found[0] == "have" and text.split()[1].endswith("ed"):
        del found[0]  # "has worked for": the perfect of "worked for"
    return tuple(found)


class Lexicon:
    """Names and ways of saying.

    Args:
        entities: name or alias → the entity's own name. Case and accents do not matter, but a name of one
            capitalised word is only found capitalised ("Friends", "friends").
        sayings: where several have the same words, the earlier meaning is the likelier one.

    Raises:
        ConfigError: a way of saying has no words.
    """

    def __init__(self, entities: Mapping[str, str], sayings: Iterable[Saying]) -> None:
        self._names: dict[tuple[str, ...], tuple[str, bool]] = {}
        self._heads: set[tuple[str, ...]] = set()
        lengths: defaultdict[tuple[str, ...], set[int]] = defaultdict(set)
        for name, entity in entities.items():
            key, capital = _name(name)
            if not key or (key in self._names and name != entity):
                continue
            self._names[key] = entity, capital and len(key) == 1
            self._heads.update(key[: at + 1] for at, word in enumerate(key[:_HEAD]) if at and word in _LINKS)
            lengths[key[:2]].add(len(key))
        self._lengths = {key: sorted(some, reverse=True) for key, some in lengths.items()}
        self._verbs: defaultdict[tuple[str, ...], dict[Meaning, None]] = defaultdict(dict)
        self._nouns: defaultdict[tuple[str, ...], dict[Meaning, None]] = defaultdict(dict)
        for saying in sayings:
            self._add(saying)
        self._reach: defaultdict[str, int] = defaultdict(int)
        for key in (*self._verbs, *self._nouns):
            self._reach[key[0]] = max(self._reach[key[0]], len(key))

    def _add(self, saying: Saying) -> None:
        key, meaning = phrase(saying.words), (saying.relation, saying.turned)
        if saying.noun:
            self._nouns[key].setdefault(meaning)
            return
        self._verbs[key].setdefault(meaning)
        if key[0] != "BE":
            return
        rest = key[1:]
        if len(rest) > 1 and rest[-1] == "of":  # "is a student of" makes "student" a noun
            self._nouns[rest[:-1]].setdefault(meaning)
        elif len(rest) > 1:
            self._verbs[rest].setdefault(meaning)  # "written by Austen"

    def goes_on(self, keys: list[str]) -> bool:
        """Whether a name of the lexicon begins with these words, the last of which is "of", "in" or "for"."""
        return tuple(keys) in self._heads

    def entity(self, name: str) -> str | None:
        """The entity of that name, whatever the case; `None` if there is none."""
        found = self._names.get(_name(name)[0])
        return found[0] if found else None

    def longest(self, keys: list[str], at: int) -> list[tuple[int, str, bool]]:
        """The names that begin at a word, longest first: words, entity, whether it has to be capitalised."""
        found = []
        for first in (tuple(keys[at : at + 2]), tuple(keys[at : at + 1])):
            for length in self._lengths.get(first, ()):
                hit = self._names.get(tuple(keys[at : at + length]))
                if hit is not None and at + length <= len(keys):
                    found.append((length, *hit))
        return found

    def begins(self, word: str) -> bool:
        """Whether a way of saying begins with this word."""
        return stem(word) in self._reach

    def saying(
        self, stems: list[str], at: int
    ) -> tuple[int, tuple[Meaning, ...], tuple[Meaning, ...]] | None:
        """The longest way of saying that begins at a word: how many words, its meanings as a verb and as a noun."""
        for length in range(min(self._reach.get(stems[at], 0), len(stems) - at), 0, -1):
            key = tuple(stems[at : at + length])
            verb, noun = self._verbs.get(key, {}), self._nouns.get(key, {})
            if verb or noun:
                return length, tuple(verb), tuple(noun)
        return None


def _name(name: str) -> tuple[tuple[str, ...], bool]:
    """A name as it is compared: folded words without a leading "the"; and whether its first is capitalised."""
    spelt = [word for word in words(name) if word.spelt]
    if len(spelt) > 1 and folded(spelt[0].text) == "the":
        spelt = spelt[1:]
    if not spelt:  # a name of marks only
        marks = tuple(word.text for word in words(name))
        return marks, False
    return tuple(word.key for word in spelt), spelt[0].capital
