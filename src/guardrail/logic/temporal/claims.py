"""What sentences of free text claim about time: "X happened within 10 years after 1900", "while", "until".

The exact sentences of `english` are read, too. Everything else is left alone: a sentence that is no such claim
gives `None`, and nothing is guessed. Which words name which event is for the caller to say (`link`).

What people write leaves room; each form is taken in its weakest sense, so that only what cannot be true comes out
false:

| sentence | claim |
| --- | --- |
| X happened in 1900 | X in 1900 |
| … within 10 years after (before, of) 1900 | F[0,10] X in 1900 (in 1890, F[0,20] X in 1890) |
| … between 1900 and 1910 | F[0,10] X in 1900 |
| … from 1900 to 1910, throughout 1900-1910 | G[0,10] X in 1900 |
| … 10 years after (before) 1900 | F[10,10] X in 1900 (X in 1890) |
| … while Y was going on, during Y | F (X & Y) |
| … throughout Y | F Y & G (Y -> X) |
| … before Y; after Y | F (X & F[1,…] Y); F (Y & F[1,…] X) |
| … within 10 years after Y | F (Y & F[0,10] X) |
| … until Y (began) | F (X & X U[0,…] Y) |
| … from 1900 until Y (began) | X & X U[0,…] Y in 1900 |

F and G without bounds go over all years of `over`; "did not happen" negates the whole. "Happened" and "took place"
mean: went on in at least a part of the year.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from guardrail.errors import ConfigError, InputError
from guardrail.logic.temporal.english_parse import read
from guardrail.logic.temporal.formula import And, Atom, Finally, Formula, Globally, Implies, Not, Until
from guardrail.logic.temporal.notation import read_name
from guardrail.logic.temporal.wording import quoted

__all__ = ["OVER", "Claim", "Link", "by_quotes", "read_claim"]

Link: TypeAlias = Callable[[str], str | None]

OVER = (-10_000, 10_000)  # years that "at some time" means; bounds this wide cost nothing
LONGEST = 600  # characters of a sentence that is read


@dataclass(frozen=True, slots=True)
class Claim:
    """What a sentence says.

    Attributes:
        formula: true exactly if the sentence is, in
        year: this year.
    """

    formula: Formula
    year: int


def by_quotes(words: str) -> str | None:
    r"""The link that takes what stands in double quotes as the name of an event, and nothing else.

    Example:
        >>> by_quotes('the "Blitz"'), by_quotes("the Blitz")
        ('Blitz', None)
    """
    match = _QUOTED.fullmatch(_THE.sub("", words.strip()))
    if match is None:
        return None
    try:
        name = read_name(f'"{match[1] or match[2]}"')
    except InputError:
        return None
    return name if name.strip() else None


def read_claim(sentence: str, *, link: Link = by_quotes, over: tuple[int, int] = OVER) -> Claim | None:
    """What a sentence claims about events and years.

    Args:
        sentence: one sentence; its first `LONGEST` characters have to hold it.
        link: the event that some words of the sentence name, `None` if they name none.
        over: first and last year of all that is spoken of.

    Returns:
        The claim, to be asked of `semantics.holds`; `None` if the sentence is none that is understood.

    Raises:
        ConfigError: `over` ends before it starts.

    Example:
        >>> claim = read_claim('The "Titanic" happened within 10 years after 1905.')
        >>> print(claim.formula, claim.year)
        F[0,10] Titanic 1905
        >>> read_claim("Nobody knows when it happened.") is None
        True
    """
    if over[0] > over[1]:
        raise ConfigError(f"expected over=(first, last) with first ≤ last, got {over!r}")
    text = sentence.strip()
    if len(text) > LONGEST:
        return None
    if exact := _exact(text, link):
        return exact
    body = text.removesuffix(".")
    for verb in _VERB.finditer(body):
        name = _in_quotes_closed(body[: verb.start()]) and link(body[: verb.start()].strip(" ,"))
        if not name:
            continue
        found = _claim(Atom(name), " ".join(body[verb.end() :].split()), link, over)
        if found is not None:
            return Claim(Not(found.formula), found.year) if verb["no"] else found
    return None


def _exact(text: str, link: Link) -> Claim | None:
    """A sentence of `english`, whose names are quoted; each must be an event to the caller."""
    try:
        reading = read(text)
    except InputError:
        return None
    names = {name: link(quoted(name)) for name in reading.formula.atoms()}
    if reading.asked or any(linked is None for linked in names.values()):
        return None
    return Claim(
        reading.formula.rename({name: linked for name, linked in names.items() if linked}), reading.year
    )


def _in_quotes_closed(words: str) -> bool:
    """Whether no quotation is open, as it is before "happened" in the name "What happened in 1900"."""
    return words.replace('\\"', "").count('"') % 2 == 0 and words.count("“") == words.count("”")


_QUOTED = re.compile(r'"((?:[^"\\]|\\.)+)"|“([^“”"\\]+)”', re.DOTALL)
_THE = re.compile(r"^the\s+", re.IGNORECASE)
_VERB = re.compile(
    r"(?<!\S)(?:(?P<no>did(?:n['’]t|\s+not)\s+(?:happen|occur|take\s+place|last|exist|go\s+on)"
    r"|(?:was|were)(?:n['’]t|\s+not)\s+(?:going\s+on|under\s+way|held|active|alive))"
    r"|happened|occurred|took\s+place|lasted|existed|went\s+on|continued|lived|ran"
    r"|(?:was|were)\s+(?:going\s+on|under\s+way|held|active|alive))(?!\S)",
    re.IGNORECASE,
)

_NUMBERS = {
    word: number
    for number, word in enumerate(
        ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
        start=1,
    )
} | {"a": 1}
_SPANS = {"year": 1, "years": 1, "decade": 10, "decades": 10, "century": 100, "centuries": 100}
_DIGITS = re.compile(r"-?\d+")
_YEAR = r"(?:the year )?-?\d{1,6}(?: ?(?:BCE?|CE|AD))?"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_DATE = rf"(?:{_DAY} (?:of )?)?{_MONTH}(?: {_DAY})?,? "
_MANY = rf"(?P<many>\d{{1,6}}|{'|'.join(_NUMBERS)}) (?P<unit>{'|'.join(_SPANS)})"
_BEGAN = r"(?: (?:was going on|was under way|was active|took place|happened|began|started|broke out))?"
_EVENT = rf"(?P<event>.+?){_BEGAN}"


def _claim(x: Atom, rest: str, link: Link, over: tuple[int, int]) -> Claim | None:
    for pattern, build in _FORMS:
        match = pattern.fullmatch(rest)
        if match is None:
            continue
        parts = match.groupdict()
        if "event" not in parts:
            return build(x, match, over)
        y = link(parts["event"])
        if y is not None:
            return build(x, Atom(y), match, over)
    return None


def _year(words: str) -> int:
    """A year as written: "1900", "the year 79", "44 BC" (the year -43: there is no year 0 before it)."""
    match = _DIGITS.search(words)
    if match is None:
        raise AssertionError(words)  # the pattern of a year has digits
    year = int(match[0])
    return 1 - year if words[match.end() :].strip().upper().startswith("B") else year


def _years(match: re.Match[str]) -> int:
    many = match["many"].lower()
    return (_NUMBERS.get(many) or int(many)) * _SPANS[match["unit"].lower()]


# --- about one event and years ---


def _in(x: Atom, match: re.Match[str], _: tuple[int, int]) -> Claim:
    return Claim(x, _year(match["year"]))


def _within(x: Atom, match: re.Match[str], _: tuple[int, int]) -> Claim:
    many, year, side = _years(match), _year(match["year"]), match["side"].lower()
    if side == "after":
        return Claim(Finally(x, 0, many), year)
    return Claim(Finally(x, 0, many if side == "before" else 2 * many), year - many)


def _at_distance(x: Atom, match: re.Match[str], _: tuple[int, int]) -> Claim:
    many, year = _years(match), _year(match["year"])
    return Claim(Finally(x, many, many), year) if match["side"].lower() == "after" else Claim(x, year - many)


def _range(x: Atom, match: re.Match[str], _: tuple[int, int], *, every: bool) -> Claim | None:
    first, last = _year(match["year"]), _year(match["last"])
    if first > last:
        return None
    return Claim((Globally if every else Finally)(x, 0, last - first), first)


# --- about two events ---


def _sometime(formula: Formula, over: tuple[int, int]) -> Claim:
    return Claim(Finally(formula, 0, over[1] - over[0]), over[0])


def _while(x: Atom, y: Atom, _: re.Match[str], over: tuple[int, int]) -> Claim:
    return _sometime(And(x, y), over)


def _throughout(x: Atom, y: Atom, _: re.Match[str], over: tuple[int, int]) -> Claim:
    width = over[1] - over[0]
    return Claim(And(Finally(y, 0, width), Globally(Implies(y, x), 0, width)), over[0])


def _before_after(x: Atom, y: Atom, match: re.Match[str], over: tuple[int, int]) -> Claim:
    first, second = (x, y) if match["side"].lower() == "before" else (y, x)
    return _sometime(And(first, Finally(second, 1, max(1, over[1] - over[0]))), over)


def _within_event(x: Atom, y: Atom, match: re.Match[str], over: tuple[int, int]) -> Claim:
    first, second = (x, y) if match["side"].lower() == "before" else (y, x)
    return _sometime(And(first, Finally(second, 0, _years(match))), over)


def _until(x: Atom, y: Atom, match: re.Match[str], over: tuple[int, int]) -> Claim:
    formula = And(x, Until(x, y, 0, over[1] - over[0]))
    year = match["year"]
    return Claim(formula, _year(year)) if year else _sometime(formula, over)


_Y = rf"(?P<year>{_YEAR})"
_TO = rf"{_Y}(?: (?:to|until|through|till) | ?[-–] ?)(?P<last>{_YEAR})"
_WRITTEN: list[tuple[str, Callable[..., Claim | None]]] = [
    (rf"(?:in|on) (?:{_DATE})?{_Y}", _in),
    (rf"within {_MANY} (?P<side>after|before|of) {_Y}", _within),
    (rf"{_MANY} (?P<side>after|before) {_Y}", _at_distance),
    (rf"(?:sometime |at some time )?between {_Y} and (?P<last>{_YEAR})", partial(_range, every=False)),
    (
        rf"(?:(?:every year |throughout )?from |throughout |in every year from ){_TO}",
        partial(_range, every=True),
    ),
    (rf"from (?P<year>{_YEAR}) until {_EVENT}", _until),
    (rf"(?P<year>)until {_EVENT}", _until),
    (rf"within {_MANY} (?P<side>after|before) {_EVENT}", _within_event),
    (rf"(?:while|during) {_EVENT}", _while),
    (rf"throughout {_EVENT}", _throughout),
    (rf"(?P<side>before|after) {_EVENT}", _before_after),
]
_FORMS = [(re.compile(pattern, re.IGNORECASE | re.DOTALL), build) for pattern, build in _WRITTEN]
