"""Reading the notation of formulas, the inverse of `str(formula)`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from guardrail.errors import InputError
from guardrail.logic.temporal.formula import (
    MOST_DEPTH,
    And,
    Atom,
    Finally,
    Formula,
    Globally,
    Implies,
    Next,
    Not,
    Or,
    Until,
)

_TOKEN = re.compile(
    r"""\s*(?: (?P<name>"(?:[^"\\]|\\.)*")
      | (?P<timed>[FGU]) \s*\[\s*(?P<least>\d+)\s*,\s*(?P<most>\d+)\s*\]
      | (?P<word>[^\W\d]\w*)
      | (?P<sign>->|[!&|()]) )""",
    re.VERBOSE | re.DOTALL,
)
_LONGEST_BOUND = 1000  # digits; far below where Python refuses to read a number


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str  # "name", "F", "G", "U", "N" or the sign; "end" after the last
    at: int
    name: str = ""
    bounds: tuple[int, int] = (0, 0)


def parse(text: str) -> Formula:
    """Read a formula. `!`, `N`, `F` and `G` bind tightest, then `U`, `&`, `|`, `->`.

    `&` and `|` group to the left, `U` and `->` to the right; `str` writes the brackets out.

    Args:
        text: the notation; blanks between signs do not matter.

    Raises:
        InputError: it is no formula (with the place), or is nested more than `MOST_DEPTH` deep.

    Example:
        >>> parse("F[0,40] victorian_era & !charles_dickens")
        And(left=Finally(arg=Atom(name='victorian_era'), least=0, most=40), right=Not(arg=Atom(name='charles_dickens')))
        >>> print(parse('G[1,2] ("World War II" -> blitz)'))
        G[1,2] ("World War II" -> blitz)
    """
    reader = _Reader(text)
    formula = reader.implication(0)
    reader.take("end", "an operator or the end")
    return formula


def quoted(name: str) -> str:
    r"""A name between double quotes, with JSON's escapes, so that nothing in it can end it.

    Example:
        >>> print(quoted('The "Blitz", and until 1941'))
        "The \"Blitz\", and until 1941"
    """
    return json.dumps(name, ensure_ascii=False)


def read_name(quoted: str) -> str:
    """The name in a JSON string.

    Raises:
        InputError: the string is not one.
    """
    try:
        name: str = json.loads(quoted, strict=False)
    except ValueError as error:
        raise InputError(
            f"expected a name in quotes with JSON's escapes, got {quoted!r:.200}: {error}"
        ) from error
    return name


def read_bound(digits: str) -> int:
    """A number of years.

    Raises:
        InputError: it has more digits than any span of time needs.
    """
    if len(digits) > _LONGEST_BOUND:
        raise InputError(f"expected a bound of at most {_LONGEST_BOUND} digits, got {len(digits)}")
    return int(digits)


class _Reader:
    """Recursive descent, one method per level of binding; `depth` counts brackets and prefix operators."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = _tokens(text)
        self.position = 0

    @property
    def next(self) -> _Token:
        return self.tokens[self.position]

    def take(self, kind: str, wanted: str) -> _Token:
        token = self.next
        if token.kind != kind:
            raise self.fault(wanted)
        self.position += 1
        return token

    def fault(self, wanted: str) -> InputError:
        rest = self.text[self.next.at : self.next.at + 40] or "the end"
        return InputError(f"expected {wanted} at character {self.next.at + 1} of a formula, got {rest!r}")

    def implication(self, depth: int) -> Formula:
        if depth > MOST_DEPTH:
            raise InputError(
                f"expected a formula nested at most {MOST_DEPTH} deep, got a deeper one: split it"
            )
        left = self.chain("|", Or, lambda: self.chain("&", And, lambda: self.until(depth)))
        if self.next.kind == "->":
            self.position += 1
            return Implies(left, self.implication(depth + 1))
        return left

    def chain(
        self, sign: str, operator: Callable[[Formula, Formula], Formula], part: Callable[[], Formula]
    ) -> Formula:
        left = part()
        while self.next.kind == sign:
            self.position += 1
            left = operator(left, part())
        return left

    def until(self, depth: int) -> Formula:
        left = self.unary(depth)
        if self.next.kind != "U":
            return left
        if depth > MOST_DEPTH:
            raise InputError(
                f"expected a formula nested at most {MOST_DEPTH} deep, got a deeper one: split it"
            )
        bounds = self.take("U", "U").bounds
        return Until(left, self.until(depth + 1), *bounds)

    def unary(self, depth: int) -> Formula:
        waiting: list[_Token] = []  # prefix operators are read in a loop: a million of them need no stack
        while self.next.kind in {"!", "N", "F", "G"}:
            waiting.append(self.next)
            self.position += 1
        if self.next.kind == "(":
            self.position += 1
            formula = self.implication(depth + 1)
            self.take(")", "')' or an operator")
        else:
            formula = Atom(self.take("name", "the name of an event, an operator or '('").name)
        for token in reversed(waiting):
            formula = _PREFIX[token.kind](formula, token.bounds)
        return formula


_PREFIX: Mapping[str, Callable[[Formula, tuple[int, int]], Formula]] = {
    "!": lambda arg, _: Not(arg),
    "N": lambda arg, _: Next(arg),
    "F": lambda arg, bounds: Finally(arg, *bounds),
    "G": lambda arg, bounds: Globally(arg, *bounds),
}


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    end = len(text.rstrip())
    at = 0
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None:
            rest = text[at:].lstrip()[:40]
            raise InputError(
                f"expected a name, an operator or a bracket at character {at + 1} of a formula, got {rest!r}: "
                "names that are no plain words go in double quotes, F, G and U have bounds like [0,10]"
            )
        found.append(_token(match))
        at = match.end()
    return [*found, _Token("end", end)]


def _token(match: re.Match[str]) -> _Token:
    start = match.end() - len(match[0].lstrip())
    if match["name"]:
        return _Token("name", start, name=read_name(match["name"]))
    if match["timed"]:
        return _Token(match["timed"], start, bounds=(read_bound(match["least"]), read_bound(match["most"])))
    word: str = match["word"]
    if word in {"F", "G", "U"}:
        raise InputError(f"expected bounds like [0,10] behind {word!r} at character {start + 1} of a formula")
    if word:
        return _Token("N", start) if word == "N" else _Token("name", start, name=word)
    return _Token(match["sign"], start)
