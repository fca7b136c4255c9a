"""What may be concluded from a relation, and how it reads in a sentence: the reviewed table `relations.toml`.

A relation that the table does not know has no property: its facts can be looked up, and no rule applies to them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from guardrail.errors import ConfigError
from guardrail.logic.knowledge.facts import label
from guardrail.logic.knowledge.phrases import Phrase

Kind: TypeAlias = Literal["noun phrase", "active verb phrase", "passive verb phrase"]

SAME = "same "
"""Before a relation's name: what two subjects with one object have in common."""

_FLAGS = ("symmetric", "asymmetric", "transitive", "functional", "complete")
_LISTS = ("also", "nouns", "inverse_of", "implies")
_MIRRORED = ("symmetric", "asymmetric", "transitive")


@dataclass(frozen=True, slots=True)
class Relation:
    """One relation; the fields are those of the table, explained at its top.

    Attributes:
        name: as in the facts.
        says: what comes after the subject, with `{o}` where the object does not come last.
        kind: the paper's kind of phrase.
        also: other ways to say it, for reading only; as `says`, or "{o} … {s}" with the object first.
        nouns: what the object is called: "author" in "the author of S is O".
        same: what two subjects that share an object do ("have the same director"); empty: no joint rule.
        wikidata: the id of the property there, empty for relations of ours and unknown ones.
        inverse: the relation that says the same with the sides exchanged.
        inverse_of: relations whose converse implies this one.
        implies: broader relations.
        chains: pairs of relations that lead, one after the other, to this one.
        reason: why it has these properties and no others.
    """

    name: str
    says: str
    kind: Kind = "noun phrase"
    also: tuple[str, ...] = ()
    nouns: tuple[str, ...] = ()
    same: str = ""
    wikidata: str = ""
    inverse: str = ""
    inverse_of: tuple[str, ...] = ()
    implies: tuple[str, ...] = ()
    chains: tuple[tuple[str, str], ...] = ()
    symmetric: bool = False
    asymmetric: bool = False
    transitive: bool = False
    functional: bool = False
    complete: bool = False
    temporal: bool = False
    reason: str = ""

    def __post_init__(self) -> None:
        label(self.name, what="name of a relation")
        if self.kind not in get_args(Kind):
            raise ConfigError(f"{self.name!r}: expected a kind of {get_args(Kind)!r}, got {self.kind!r}.")
        Phrase(self.says)
        if self.symmetric and self.asymmetric:
            raise ConfigError(f"{self.name!r}: expected symmetric or asymmetric, got both.")

    @classmethod
    def unknown(cls, name: str) -> Relation:
        """A relation without properties, for facts whose relation no table knows."""
        return cls(name, f"has the {name}", reason="Not reviewed.")

    @property
    def negatable(self) -> bool:
        """Whether it can be concluded that the relation does not hold."""
        return self.functional or self.complete or self.asymmetric

    @property
    def phrase(self) -> Phrase:
        """How it reads."""
        return Phrase(self.says)

    @property
    def same_phrase(self) -> Phrase:
        """How the joint relation of two subjects reads; the subject is both, the object empty."""
        if not self.same:
            raise ConfigError(f"{self.name!r}: expected a relation with a joint rule; the table gives none.")
        return Phrase(self.same + " {o}", plural=True)


class Relations(Mapping[str, Relation]):
    """A table of relations; a mapping from names, in the order they were given.

    Raises:
        ConfigError: two entries of one name, an entry that names a relation that is not there, or properties
            that contradict each other.
    """

    def __init__(self, relations: Iterable[Relation]) -> None:
        self._relations: dict[str, Relation] = {}
        for relation in relations:
            if relation.name in self._relations:
                raise ConfigError(f"expected one entry for each relation, got two for {relation.name!r}.")
            self._relations[relation.name] = relation
        self._check()
        self._implications = self._closed()

    def __getitem__(self, name: str) -> Relation:
        return self._relations[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._relations)

    def __len__(self) -> int:
        return len(self._relations)

    def of(self, name: str) -> Relation:
        """The relation of that name, one without properties if the table does not have it."""
        return self._relations.get(name) or Relation.unknown(name)

    def joint(self, name: str) -> Relation | None:
        """The relation that a joint relation ("same director") is made from."""
        found = self._relations.get(name.removeprefix(SAME)) if name.startswith(SAME) else None
        return found if found is not None and found.same and name not in self._relations else None

    def by_property(self, identifier: str) -> Relation | None:
        """The relation with that id of Wikidata."""
        return next((r for r in self.values() if r.wikidata == identifier), None)

    def without(self, name: str, *properties: str) -> Relations:
        """The same table, where a relation lacks these properties; its inverse loses what the two share."""
        lost: dict[str, Any] = dict.fromkeys(properties, False)
        shared: dict[str, Any] = {key: False for key in properties if key in _MIRRORED}
        changes = {self[name].inverse: shared, name: lost}
        return Relations(replace(r, **changes.get(r.name, {})) for r in self.values())

    def properties(self) -> Iterator[tuple[str, ...]]:
        """The table as the rules read it: the name of a property and the relations it is about."""
        for relation in self.values():
            yield from ((flag, relation.name) for flag in _FLAGS if getattr(relation, flag))
            yield from self._chains(relation)
            if relation.same and self.joint(SAME + relation.name) is relation:
                yield "composite", SAME + relation.name, relation.name
        for broader, narrower, turned in sorted(self._implications):
            yield "inverse" if turned else "implied", broader, narrower

    def _chains(self, relation: Relation) -> Iterator[tuple[str, ...]]:
        for first, second in relation.chains:
            yield "chain", relation.name, first, second
            turned = (relation.inverse, self[second].inverse, self[first].inverse)
            if all(turned):
                yield "chain", *turned

    # --- made from the entries -----------------------------------------------------------------------------

    def _check(self) -> None:
        for relation in self.values():
            named = [relation.inverse, *relation.inverse_of, *relation.implies]
            named += [one for chain in relation.chains for one in chain]
            for other in filter(None, named):
                if other not in self:
                    raise ConfigError(f"{relation.name!r} names {other!r}, which has no entry in the table.")
            if not relation.inverse:
                continue
            other_way = self[relation.inverse]
            if other_way.inverse != relation.name or relation.inverse == relation.name:
                raise ConfigError(
                    f"expected {relation.name!r} and {relation.inverse!r} to name each other as inverse, the "
                    f"second names {other_way.inverse!r}. A relation that is its own inverse is symmetric."
                )
            for flag in _MIRRORED:
                if getattr(relation, flag) != getattr(other_way, flag):
                    raise ConfigError(
                        f"expected {relation.name!r} and its inverse to be both {flag} or neither."
                    )

    def _closed(self) -> frozenset[tuple[str, str, bool]]:
        """Which relation follows from which single other, and whether with the sides exchanged."""
        found = {(r.inverse, r.name, True) for r in self.values() if r.inverse}
        found |= {(broader, r.name, False) for r in self.values() for broader in r.implies}
        found |= {(r.name, narrower, True) for r in self.values() for narrower in r.inverse_of}
        while True:
            further = {
                (one, three, turned != again)
                for one, two, turned in found
                for also_two, three, again in found
                if two == also_two and (one, turned != again) != (three, False)
            }
            if further <= found:
                break
            found |= further
        for broader, narrower, _ in found:
            if broader == narrower:
                raise ConfigError(
                    f"the table makes {broader!r} its own converse; declare it symmetric if it is."
                )
        return frozenset(found)


@cache
def reviewed() -> Relations:
    """The table of this package."""
    table = tomllib.loads(Path(__file__).with_name("relations.toml").read_text(encoding="utf-8"))
    return Relations(relation for name, entry in table.items() for relation in _entries(name, entry))


def _entries(name: str, entry: dict[str, Any]) -> Iterator[Relation]:
    """A relation, and its inverse where that is written inside it."""
    other = entry.pop("inverse", "")
    inverse = other if isinstance(other, str) else other["name"]
    lists: dict[str, Any] = {key: tuple(entry.pop(key, ())) for key in _LISTS}
    chains = tuple((first, second) for first, second in entry.pop("chains", ()))
    relation = Relation(name=name, inverse=inverse, chains=chains, **lists, **entry)
    yield relation
    if isinstance(other, dict):
        mirrored = {flag: getattr(relation, flag) for flag in (*_MIRRORED, "temporal")}
        reading = {key: tuple(other.pop(key, ())) for key in ("also", "nouns")}
        yield Relation(inverse=name, **{"reason": f"Converse of {name}.", **mirrored, **reading, **other})
