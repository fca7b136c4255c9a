"""Which entity some words name: exactly by label or alias, else by spelling, where one name alone is near."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from rapidfuzz import fuzz, process

from guardrail.logic.statements.words import folded, words

LONGEST = 200  # characters of a name
_NEAR = 88.0  # similarity (0 to 100) of whole names
_NEAR_WORD = 85.0  # and of each word: "Albert" and "Alfred" have 67
_MARGIN = 5.0  # over the next entity
_SHORTEST = 5  # letters of a word that may be misspelt
_ROMAN = frozenset("ivxlcdm")


@dataclass(frozen=True, slots=True)
class EntityLink:
    """What some words name.

    Attributes:
        entity: the label; `None` where they name nothing known, or where that is not clear.
        how: "exact", "spelling", "ambiguous" or "unknown".
        several: the labels that the words may name where they are ambiguous.
    """

    entity: str | None
    how: str
    several: tuple[str, ...] = ()

    @property
    def reason(self) -> str:
        """Why there is no entity, as the end of a sentence about the name; empty where there is one."""
        if self.how == "ambiguous":
            return f"may be {' or '.join(map(repr, self.several[:3]))}"
        return "is not known to the knowledge base" if self.entity is None else ""


class Linker:
    """Names of entities, looked up by words of a text.

    Args:
        labels: the entities.
        aliases: other names → the labels that each may stand for.
    """

    def __init__(self, labels: Iterable[str], aliases: Mapping[str, Collection[str]]) -> None:
        self._known: defaultdict[str, set[str]] = defaultdict(set)
        self._spelt: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
        own = set()
        for label in labels:
            key = _key(label)
            own.add(key)
            self._add(key, label)
        for alias, several in aliases.items():
            key = _key(alias)
            if key not in own:  # a name of its own comes before somebody's other name
                for label in several:
                    self._add(key, label)

    def _add(self, key: str, label: str) -> None:
        if key and key not in self._known and len(key) <= LONGEST:
            self._spelt[key[0], key.count(" ")].append(key)
        self._known[key].add(label)

    def sharing(self, label: str) -> frozenset[str]:
        """The labels that read the same as this one but for case, accents and marks."""
        return frozenset(self._known.get(_key(label), ()))

    def find(self, name: str) -> EntityLink:
        """The entity that a name stands for."""
        key = _key(name) if len(name) <= LONGEST else ""
        if not key:
            return EntityLink(None, "unknown")
        if key in self._known:
            return _link(self._known[key], "exact")
        return self._near(key)

    def _near(self, key: str) -> EntityLink:
        """By spelling: the same first letter and number of words, every word near, and no second entity near.

        A single word is never misspelt: "Scrooged" is no error for "Scrooge".
        """
        if " " not in key:
            return EntityLink(None, "unknown")
        among = self._spelt.get((key[0], key.count(" ")), ())
        found = process.extract(key, among, scorer=fuzz.ratio, score_cutoff=_NEAR - _MARGIN, limit=4)
        near = [(name, score) for name, score, _ in found if score >= _NEAR and _words_alike(key, name)]
        if not near:
            return EntityLink(None, "unknown")
        best = self._known[near[0][0]]
        rivals = {
            label for name, score, _ in found if score > near[0][1] - _MARGIN for label in self._known[name]
        }
        return _link(best | rivals, "spelling")


def _link(labels: set[str], how: str) -> EntityLink:
    if len(labels) == 1:
        return EntityLink(next(iter(labels)), how)
    return EntityLink(None, "ambiguous", tuple(sorted(labels)))


def _key(name: str) -> str:
    """A name as it is compared: folded words without marks and a leading "the"."""
    spelt = [folded(word.text) for word in words(name) if word.spelt]
    return " ".join(spelt[1:] if len(spelt) > 1 and spelt[0] == "the" else spelt)


def _words_alike(one: str, two: str) -> bool:
    """Whether each word is the same or a near spelling, at least one the same; so are numbers and short words."""
    pairs = list(zip(one.split(), two.split(), strict=True))
    if not any(left == right for left, right in pairs):
        return False
    for left, right in pairs:
        if left == right:
            continue
        if min(len(left), len(right)) < _SHORTEST or not (left.isalpha() and right.isalpha()):
            return False
        if set(left) <= _ROMAN or set(right) <= _ROMAN or fuzz.ratio(left, right) < _NEAR_WORD:
            return False
    return True


def alike(one: str, two: str) -> bool:
    """Whether two names may be names of one thing: a part of the other, its initials, or a near spelling.

    Example:
        >>> alike("Guido", "Guido van Rossum"), alike("JFK", "John F. Kennedy"), alike("J. Austen", "Jane Austen")
        (True, True, True)
        >>> alike("Rome", "Florence"), alike("Emily Brontë", "Charlotte Brontë")
        (False, False)
    """
    left, right = _key(one).split(), _key(two).split()
    if not left or not right:
        return True
    for short, long in ((left, right), (right, left)):
        if all(any(word == part or (len(part) == 1 and word[0] == part) for word in long) for part in short):
            return True
        if len(short) == 1 and len(long) > 1 and short[0] == "".join(word[0] for word in long):
            return True
    return fuzz.ratio(" ".join(left), " ".join(right)) >= _NEAR_WORD
