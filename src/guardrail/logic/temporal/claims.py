"""What sentences of free text claim about time: "X happened within 10 years after 1900", "while", "until".

Everything else is left alone: a sentence that is no such claim gives `None`, and nothing is guessed. Which words name
which event is for the caller to say (`link`).

What people write leaves room; each form is taken in its weakest sense, so that only what cannot be true comes out
false, and also in its strongest, so that only what must be true is called true (`senses`). In the weakest:

| sentence | claim |
| --- | --- |
| X happened in 1900 | X in 1900 |
| X began (ended) in 1900 | !X & N X in 1899 (X & !N X in 1900) |
| … within 10 years after (before, of) 1900 | F[0,10] X in 1900 (in 1890, F[0,20] X in 1890) |
| … between 1900 and 1910 | F[0,10] X in 1900 |
| … before 1900, after 1900, by 1900 | F X over the years before, after, until then |
| X was going on from 1900 to 1910, … throughout 1900-1910 | G[0,10] X in 1900 |
| X lasted from 1900 to 1910 | !X & G[1,11] X & F[12,12] !X in 1899 |
| X lasted until 1910 | X & !N X in 1910 |
| … 10 years after (before) 1900 | F[10,10] X in 1900 (X in 1890) |
| … while Y was going on, during Y; X and Y … at the same time | F (X & Y) |
| … throughout Y | F Y & G (Y -> X) |
| … before Y, X preceded Y; … after Y, X followed Y | F (X & F Y); F (Y & F X) |
| X lasted 6 years | F (begin of X & F[5,7] end of X) |
| … within 10 years after Y | F (Y & F[0,10] X) |
| … 10 years after Y | F (Y & F[9,11] X) |
| … until Y (began) | F (X & X U[0,…] Y) |
| … from 1900 until Y (began) | X & X U[0,…] Y in 1900 |

"Began", "was born", "the end of Y", "when Y fell" stand for the year of the beginning or the end. F and G without bounds
go over all years (`senses.FIRST` to `senses.LAST`); "did not happen" negates the whole. "Happened" and "took place" mean: went on in at
least a part of the year.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from guardrail.errors import InputError
from guardrail.logic.temporal import senses
from guardrail.logic.temporal.formula import Finally
from guardrail.logic.temporal.notation import read_name
from guardrail.logic.temporal.senses import Aspect, Claim, Term

Link: TypeAlias = Callable[[str], str | None]

LONGEST = 600  # characters of a sentence that is read


def by_quotes(words: str) -> str | None:
    r"""The link that takes what is in double quotes as the name of an event, and nothing else.

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


def read_claim(sentence: str, *, link: Link = by_quotes) -> Claim | None:
    """What a sentence claims about events and years.

    Args:
        sentence: one sentence; its first `LONGEST` characters have to contain it.
        link: the event that some words of the sentence name, `None` if they name none.

    Returns:
        The claim, to be asked of `semantics.holds`; `None` if the sentence is not understood.

    Example:
        >>> claim = read_claim('The "Titanic" happened within 10 years after 1905.')
        >>> print(claim.formula, claim.year)
        F[0,10] Titanic 1905
        >>> read_claim("Nobody knows when it happened.") is None
        True
    """
    text = sentence.strip()
    if len(text) > LONGEST:
        return None
    body = " ".join(_moved_back(text.removesuffix(".")).split())
    if both := _BOTH.fullmatch(body):
        x, y = link(both["x"]), link(both["y"])
        return senses.together(Term(x), Term(y)) if x and y else None
    for verb in _VERB.finditer(body):
        name = _in_quotes_closed(body[: verb.start()]) and link(body[: verb.start()].strip(" ,"))
        if not name:
            continue
        rest = body[verb.end() :].strip()
        found = _ordered(name, verb, rest, link) if verb["order"] else _claim(_said(name, verb), rest, link)
        if found is not None:
            return found.denied() if verb["no"] else found
    return None


def _moved_back(text: str) -> str:
    """What "In 1900, X happened" says, as "X happened in 1900"."""
    match = _LEADING.match(text)
    return f"{text[match.end() :]} {match['when'][0].lower()}{match['when'][1:]}" if match else text


def _in_quotes_closed(words: str) -> bool:
    """Whether no quotation is open, as it is before "happened" in the name "What happened in 1900"."""
    return words.replace('\\"', "").count('"') % 2 == 0 and words.count("“") == words.count("”")


_QUOTED = re.compile(r'"((?:[^"\\]|\\.)+)"|“([^“”"\\]+)”', re.DOTALL)
_THE = re.compile(r"^the\s+", re.IGNORECASE)

# --- verbs ---
# What happened is all there at once, so "during" may mean all of it; what went on may reach beyond.

_BE = r"(?:was|were)"
_HAPPENED = r"happened|occurred|took place"
_LASTED = r"lasted|existed|lived|ran|reigned|stood|aired"
_ORDER = r"preceded|predated|came before|followed|came after|outlived|outlasted"
_WENT_ON = (
    rf"went on|continued|{_BE} (?:still |already )?(?:going on|under way|held|active|alive|in existence)"
)
_BEGAN = (
    rf"began|started|broke out|erupted|premiered|debuted|came into existence"
    rf"|{_BE} (?:born|founded|established|built|launched|begun|started|created|formed)"
)
_ENDED = (
    rf"ended|died|fell|collapsed|concluded|finished|came to an end|ceased to exist|{_BE} over"
    rf"|{_BE} (?:dissolved|abolished|ended|disbanded|demolished)"
)
_DENIED = (
    r"did(?:n['’]t| not) (?P<plain>happen|occur|take place|last|exist|go on|(?P<begin_no>begin|start|break out)"
    r"|(?P<end_no>end|die|fall|collapse))"
    rf"|{_BE}(?:n['’]t| not) (?:going on|under way|held|active|alive|(?P<born_no>born|founded))"
)
_VERB = re.compile(
    rf"(?<!\S)(?:(?P<no>{_DENIED})|(?P<happened>{_HAPPENED})|(?P<begin>{_BEGAN})|(?P<end>{_ENDED})|(?P<lasted>{_LASTED})|(?P<order>{_ORDER})|{_WENT_ON})"
    r"(?!\S)",
    re.IGNORECASE,
)
_PERSONAL = re.compile(r"born|died|die", re.IGNORECASE)
_BOTH = re.compile(
    r"(?:both )?(?P<x>.+?) and (?P<y>.+?)(?: (?:(?:both )?(?:were (?:both )?(?:alive|going on|under way)|existed|lived|happened"
    r"|took place|occurred) at the same time|overlapped|coexisted|were contemporaries))",
    re.IGNORECASE,
)
_LEADING = re.compile(
    r"(?P<when>(?:In|On|During|Between|Before|After|By|Within|Throughout|From)\s[^,\"“]{1,80}),\s+(?=\S)"
)


def _said(name: str, verb: re.Match[str]) -> Term:
    """What a verb says of an event."""
    aspect: Aspect = "whole"
    if verb["begin"] or verb["begin_no"] or verb["born_no"]:
        aspect = "begin"
    elif verb["end"] or verb["end_no"]:
        aspect = "end"
    return Term(
        name,
        aspect,
        elliptic=_PERSONAL.search(verb[0]) is not None,
        at_once=verb["happened"] is not None,
        bounded=bool(verb["happened"] or verb["lasted"]),
    )


def _ordered(name: str, verb: re.Match[str], rest: str, link: Link) -> Claim | None:
    """What "preceded", "followed" and "outlived" say of two events."""
    other = link(rest)
    if not other:
        return None
    x, y, word = Term(name), Term(other), verb["order"].lower()
    if word in {"outlived", "outlasted"}:
        return senses.outlasting(x, y)
    return senses.first_of(y, x) if word in {"followed", "came after"} else senses.first_of(x, y)


# --- the rest of the sentence ---

_NUMBERS = {
    word: number
    for number, word in enumerate(
        ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
        start=1,
    )
} | {"a": 1, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "hundred": 100}
_SPANS = {"year": 1, "years": 1, "decade": 10, "decades": 10, "century": 100, "centuries": 100}
_DIGITS = re.compile(r"-?\d+")
_YEAR = r"(?:the year )?-?\d{1,6}(?: ?(?:BCE?|CE|AD))?"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_DATE = rf"(?:{_DAY} (?:of )?)?{_MONTH}(?: {_DAY})?,? "
_MANY = rf"(?P<many>\d{{1,6}}|{'|'.join(_NUMBERS)}) (?P<unit>{'|'.join(_SPANS)})"
_EVENT = r"(?P<event>.+)"
_POINT = re.compile(
    r"(?:the )?(?:(?P<begin>beginning|start|outbreak|birth|founding)|(?P<end>end|fall|death|collapse|dissolution)) of (?P<name>.+)"
    rf"|(?P<named>.+?)(?:['’]s (?:(?P<s_begin>birth)|(?P<s_end>death))"
    rf"| (?:(?P<v_begin>{_BEGAN})|(?P<v_end>{_ENDED})|(?P<v_on>{_HAPPENED}|{_LASTED}|{_WENT_ON})))",
    re.IGNORECASE,
)


def _claim(x: Term, rest: str, link: Link) -> Claim | None:
    for form, of_years in _ABOUT_YEARS:
        if match := form.fullmatch(rest):
            return of_years(x, match)
    for form, of_events in _ABOUT_EVENTS:
        if (match := form.fullmatch(rest)) and (y := _term(match["event"], x, link)):
            return of_events(x, y, match)
    return None


def _term(words: str, x: Term, link: Link) -> Term | None:
    """The event that some words name, or its beginning or end."""
    match = _POINT.fullmatch(words)
    if match is not None and (name := link(match["name"] or match["named"])):
        if match["begin"] or match["s_begin"] or match["v_begin"]:
            return Term(name, "begin")
        return Term(name, "whole" if match["v_on"] else "end")
    name = link(words)
    if not name:
        return None
    return Term(name, x.aspect if x.elliptic and not _THE.match(words) else "whole")


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


# --- claims: x is the event of the sentence, y the second event, m the match of the words ---


_Y = rf"(?P<year>{_YEAR})"
_TO = rf"{_Y}(?: (?:to|until|through|till) | ?[-–] ?)(?P<last>{_YEAR})"
_AboutYears: TypeAlias = Callable[[Term, re.Match[str]], Claim | None]
_AboutEvents: TypeAlias = Callable[[Term, Term, re.Match[str]], Claim | None]


def _within(x: Term, m: re.Match[str]) -> Claim | None:
    many, year, side = _years(m), _year(m["year"]), m["side"].lower()
    first, last = (year, year + many) if side == "after" else (year - many, year + many)
    return senses.between(x, first, year if side == "before" else last)


def _at_distance(x: Term, m: re.Match[str]) -> Claim | None:
    many, year = _years(m), _year(m["year"])
    if _is_after(m):
        return Claim(Finally(x.formula, many, many), year - x.lag)
    return Claim(x.formula, year - many - x.lag)


def _range(x: Term, m: re.Match[str]) -> Claim | None:
    first, last = _year(m["year"]), _year(m["last"])
    return senses.exactly(x, first, last) if x.bounded else senses.throughout(x, first, last)


def _until_year(x: Term, m: re.Match[str]) -> Claim | None:
    year = _year(m["year"])
    return senses.between(Term(x.event, "end"), year, year) if x.bounded else None


def _since(x: Term, m: re.Match[str]) -> Claim | None:
    year, whole = _year(m["year"]), x.aspect == "whole" and not x.at_once
    return senses.between(Term(x.event, "begin"), year, year) if whole else None


def _lasting(x: Term, m: re.Match[str]) -> Claim | None:
    bound = (m["bound"] or "").lower()
    least, most = bound in {"more than", "over", "at least"}, bound in {"less than", "under", "at most"}
    return senses.lasting(x, _years(m), least=least, most=most)


def _is_after(m: re.Match[str]) -> bool:
    return m["side"].lower() == "after"


_OF_YEARS: list[tuple[str, _AboutYears]] = [
    (rf"(?:in|on) (?:{_DATE})?{_Y}",
     lambda x, m: senses.between(x, _year(m["year"]), _year(m["year"]), inside=x.at_once)),
    (rf"within {_MANY} (?P<side>after|before|of) {_Y}", _within),
    (rf"{_MANY} (?P<side>after|before) {_Y}", _at_distance),
    (rf"(?:sometime |at some time )?between {_Y} and (?P<last>{_YEAR})",
     lambda x, m: senses.between(x, _year(m["year"]), _year(m["last"]), inside=x.at_once)),
    (rf"from {_TO}", _range),
    (rf"(?:every year from |throughout |in every year from ){_TO}",
     lambda x, m: senses.throughout(x, _year(m["year"]), _year(m["last"]))),
    (rf"(?P<side>before|by) (?:{_DATE})?{_Y}",
     lambda x, m: senses.before(x, _year(m["year"]) + (m["side"].lower() == "by"))),
    (rf"after (?:{_DATE})?{_Y}", lambda x, m: senses.after(x, _year(m["year"]))),
    (rf"(?:until|till) (?:{_DATE})?{_Y}", _until_year),
    (rf"since (?:{_DATE})?{_Y}", _since),
    (rf"(?:for )?(?:(?P<bound>more than|over|at least|less than|under|at most|exactly) )?{_MANY}", _lasting),
    (r"(?:at (?:the )?age (?:of )?|aged )(?P<age>\d{1,3})", lambda x, m: senses.aged(x, int(m["age"]))),
]  # fmt: skip
_OF_EVENTS: list[tuple[str, _AboutEvents]] = [
    (rf"(?:from (?P<year>{_YEAR}) )?until {_EVENT}",
     lambda x, y, m: senses.lasting_until(x, y, since=_year(m["year"]) if m["year"] else None)),
    (rf"within {_MANY} (?P<side>after|before) {_EVENT}",
     lambda x, y, m: senses.within(x, y, _years(m), after=_is_after(m))),
    (rf"{_MANY} (?P<side>after|before) {_EVENT}",
     lambda x, y, m: senses.apart(x, y, _years(m), after=_is_after(m))),
    (rf"(?:while|when|during|at the same time as) {_EVENT}",
     lambda x, y, _: senses.together(x, y, inside=x.at_once)),
    (rf"throughout {_EVENT}", lambda x, y, _: senses.all_through(x, y)),
    (rf"(?P<side>before|after) {_EVENT}",
     lambda x, y, m: senses.first_of(y, x) if _is_after(m) else senses.first_of(x, y)),
]  # fmt: skip
_ABOUT_YEARS = [(re.compile(form, re.IGNORECASE | re.DOTALL), claim) for form, claim in _OF_YEARS]
_ABOUT_EVENTS = [(re.compile(form, re.IGNORECASE | re.DOTALL), claim) for form, claim in _OF_EVENTS]
