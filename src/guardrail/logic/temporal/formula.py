"""Formulas of metric temporal logic over events: an immutable tree, its JSON and its notation.

```
e          the event e is going on                    ! φ       not
φ & ψ      and                                        φ | ψ     or (or both)
φ -> ψ     if … then                                  N φ       in the next year
F[a,b] φ   in some year from a to b years on          G[a,b] φ  in every year from a to b years on
φ U[a,b] ψ in some year from a to b years on ψ, and φ in every year strictly between now and then
```

Time is whole years; 0 ≤ a ≤ b. Names of events are any text: in the notation a name that is no plain word is
written as a JSON string. `guardrail.logic.temporal.notation.parse` reads the notation back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

from guardrail.errors import InputError

# Everything that walks a formula recurses; these keep it far from Python's own limit, whoever built the formula,
# and keep a formula that shares its parts (x & x, and that with itself, and so on) from being endless.
MOST_DEPTH = 100
MOST_NODES = 10_000

_WORD = re.compile(r"[^\W\d]\w*")
_OPERATORS = frozenset("NFGU")


@dataclass(frozen=True, slots=True)
class _Node:
    """What all formulas have.

    Attributes:
        depth: operators on the longest way from the root to an event, 0 for an event alone.
        nodes: operators and events altogether, 1 for an event alone.
    """

    op: ClassVar[str]
    depth: int = field(init=False, repr=False, compare=False)
    nodes: int = field(init=False, repr=False, compare=False)

    @property
    def parts(self) -> tuple[Formula, ...]:
        """The formulas directly below, left to right."""
        return ()

    def _measure(self, *parts: Formula) -> None:
        for part in parts:
            if not isinstance(part, _Node):
                raise InputError(f"expected a formula, got {part!r}: write Atom(name) for an event")
        depth = 1 + max((part.depth for part in parts), default=-1)
        nodes = 1 + sum(part.nodes for part in parts)
        for what, found, most in (("depth", depth, MOST_DEPTH), ("size", nodes, MOST_NODES)):
            if found > most:
                raise InputError(
                    f"expected a formula of {what} at most {most}, got {found}: split it, or give its parts names"
                )
        object.__setattr__(self, "depth", depth)
        object.__setattr__(self, "nodes", nodes)

    def atoms(self) -> tuple[str, ...]:
        """The names of the events, each once, in order of appearance."""
        return tuple(dict.fromkeys(node.name for node in self.walk() if isinstance(node, Atom)))

    def walk(self) -> Iterator[Formula]:
        """This formula and all below it, each before its parts."""
        waiting: list[Any] = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.parts))

    def to_json(self) -> dict[str, Any]:
        """Nested objects as in the published cases of [li2025]: `op`, `event`, `arg`, `left`, `right`, `interval`."""
        names = ("left", "right") if len(self.parts) > 1 else ("arg",)
        below = {name: part.to_json() for name, part in zip(names, self.parts, strict=True)}
        interval = {"interval": [self.least, self.most]} if isinstance(self, _Within | Until) else {}
        return {"op": self.op, **interval, **below}


@dataclass(frozen=True, slots=True)
class Atom(_Node):
    """An event: true in the years in which it is going on.

    Raises:
        InputError: the name is no text or blank.
    """

    op: ClassVar[str] = "atom"
    name: str

    def __post_init__(self) -> None:
        name: Any = self.name
        if not isinstance(name, str) or not name.strip():
            raise InputError(f"expected the name of an event, got {name!r:.200}: blanks name nothing")
        self._measure()

    def to_json(self) -> dict[str, Any]:
        """`{"op": "atom", "event": name}`."""
        return {"op": self.op, "event": self.name}

    def __str__(self) -> str:
        is_word = _WORD.fullmatch(self.name) and self.name not in _OPERATORS
        return self.name if is_word else json.dumps(self.name, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Unary(_Node):
    """An operator with one formula below it."""

    sign: ClassVar[str]
    arg: Formula

    def __post_init__(self) -> None:
        self._measure(self.arg)

    @property
    def parts(self) -> tuple[Formula, ...]:
        """The one formula."""
        return (self.arg,)

    def __str__(self) -> str:
        return f"{self.sign}{_operand(self.arg)}"


class Not(Unary):
    """True where the formula is not."""

    __slots__ = ()
    op, sign = "neg", "!"


class Next(Unary):
    """True in the year before each year in which the formula is true."""

    __slots__ = ()
    op, sign = "next", "N "


@dataclass(frozen=True, slots=True)
class _Within(Unary):
    least: int
    most: int

    def __post_init__(self) -> None:
        _check_bounds(self.least, self.most)
        self._measure(self.arg)

    def __str__(self) -> str:
        return f"{self.sign}[{self.least},{self.most}] {_operand(self.arg)}"


class Finally(_Within):
    """True where the formula is true in some year from `least` to `most` years on, both included.

    Raises:
        InputError: the bounds are not whole numbers with 0 ≤ least ≤ most.
    """

    __slots__ = ()
    op, sign = "finally", "F"


class Globally(_Within):
    """True where the formula is true in every year from `least` to `most` years on, both included.

    Raises:
        InputError: the bounds are not whole numbers with 0 ≤ least ≤ most.
    """

    __slots__ = ()
    op, sign = "globally", "G"


@dataclass(frozen=True, slots=True)
class Binary(_Node):
    """An operator with two formulas below it."""

    sign: ClassVar[str]
    left: Formula
    right: Formula

    def __post_init__(self) -> None:
        self._measure(self.left, self.right)

    @property
    def parts(self) -> tuple[Formula, ...]:
        """The two formulas."""
        return (self.left, self.right)

    def __str__(self) -> str:
        return f"{_operand(self.left)} {self.sign} {_operand(self.right)}"


class And(Binary):
    """True where both formulas are."""

    __slots__ = ()
    op, sign = "conj", "&"


class Or(Binary):
    """True where at least one of the formulas is."""

    __slots__ = ()
    op, sign = "disj", "|"


class Implies(Binary):
    """True where the left formula is not, or the right one is."""

    __slots__ = ()
    op, sign = "implies", "->"


@dataclass(frozen=True, slots=True)
class Until(Binary):
    """True at t where `right` is true in some year t + d, least ≤ d ≤ most, and `left` in all years strictly between.

    Nothing is asked of `left` in the years t and t + d themselves ([li2025] Definition 1), so d = 0 and d = 1
    ask nothing of it at all.

    Raises:
        InputError: the bounds are not whole numbers with 0 ≤ least ≤ most.
    """

    op: ClassVar[str] = "until"
    sign: ClassVar[str] = "U"
    least: int
    most: int

    def __post_init__(self) -> None:
        _check_bounds(self.least, self.most)
        self._measure(self.left, self.right)

    def __str__(self) -> str:
        return f"{_operand(self.left)} U[{self.least},{self.most}] {_operand(self.right)}"


Formula: TypeAlias = Atom | Not | Next | Finally | Globally | And | Or | Implies | Until


def _check_bounds(least: Any, most: Any) -> None:
    if any(not isinstance(bound, int) or isinstance(bound, bool) for bound in (least, most)):
        raise InputError(f"expected bounds in whole years, got [{least!r}, {most!r}]")
    if not 0 <= least <= most:
        raise InputError(
            f"expected bounds [a, b] with 0 ≤ a ≤ b, got [{least}, {most}]: time only looks ahead"
        )


def _operand(part: Formula) -> str:
    return f"({part})" if isinstance(part, Binary) else str(part)
