"""Pairs that a model may know: what belongs to what, and which names are right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from rapidfuzz.distance import Levenshtein

from guardrail.memory.internal.chinese import chinese_name_key, text_key

__all__ = ["Candidates", "Pair", "candidates"]

UNKNOWN = frozenset({"", "不详", "无名氏", "佚名", "unknown", "anonymous", "various"})
"""Keys of names that name nobody."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A pair (a, b).

    Attributes:
        left: a, what is asked about.
        right: b, the name that lists show.
        also: other names that are right too.
    """

    left: str
    right: str
    also: tuple[str, ...] = ()

    @property
    def rights(self) -> tuple[str, ...]:
        """Every right name, the shown one first."""
        return (self.right, *self.also)

    def named(self, name: str) -> str | None:
        """The right name that this is a spelling of; `None` if there is none.

        Example:
            >>> Pair("Bolivia", "Sucre", ("La Paz",)).named("LA PAZ.")
            'La Paz'
        """
        key = chinese_name_key(name)
        return next((right for right in self.rights if chinese_name_key(right) == key), None) if key else None


@dataclass(frozen=True, slots=True)
class Candidates:
    """Pairs that can be asked about, each left once.

    Attributes:
        pairs: in the order in which their lefts first came.
        merged: rows whose left was there already.
        nameless: rows without a name to ask for ("anonymous"), left out.
    """

    pairs: tuple[Pair, ...]
    merged: int
    nameless: int

    @property
    def ambiguous(self) -> tuple[Pair, ...]:
        """Those with several right names."""
        return tuple(pair for pair in self.pairs if pair.also)


def candidates(rows: Iterable[Pair], *, alike: float | None = None) -> Candidates:
    """Rows of data as candidates: where one left has several names, each of them is right.

    Args:
        rows: pairs as they come; lefts may repeat.
        alike: in (0, 1]; lefts whose letters agree so far (1 − edit distance ÷ the longer length) are one left too, for
            verses that collections print with other characters. `None` takes equal letters only: short names that
            look alike (Niger, Nigeria) are not the same.

    Raises:
        MissingExtra: Chinese text, and the extra [chinese] is not installed.
    """
    found: dict[str, Pair] = {}
    merged = nameless = 0
    for row in rows:
        rights = [right for right in row.rights if chinese_name_key(right) not in UNKNOWN]
        if not rights or not text_key(row.left):
            nameless += 1
            continue
        key = _place(text_key(row.left), found, alike)
        if key in found:
            merged += 1
            found[key] = _joined(found[key], rights)
        else:
            found[key] = _joined(Pair(row.left, rights[0]), rights[1:])
    return Candidates(tuple(found.values()), merged, nameless)


def _place(key: str, found: Iterable[str], alike: float | None) -> str:
    """The key that stands for this left."""
    if alike is None:
        return key
    similar = ((Levenshtein.normalized_similarity(key, other), other) for other in found)
    best, other = max(similar, default=(0.0, key), key=lambda one: one[0])
    return other if best >= alike - 1e-9 else key


def _joined(pair: Pair, names: Sequence[str]) -> Pair:
    for name in names:
        if pair.named(name) is None:
            pair = replace(pair, also=(*pair.also, name))
    return pair
