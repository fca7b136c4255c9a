"""Questions as statements, and what questions about years ask."""

from __future__ import annotations

import re
from collections.abc import Iterator

from guardrail.logic.paper.oracles.truth import Truth
from guardrail.logic.statements.items import Known, items
from guardrail.logic.statements.sides import PREPOSITIONS
from guardrail.logic.temporal.claims import Link, read_claim
from guardrail.logic.temporal.formula import And, Formula, Not, Or
from guardrail.logic.temporal.notation import quoted
from guardrail.logic.temporal.senses import Claim

_DENIAL = re.compile(
    r"\b(?:not|never|no|neither|none|different|cannot|unlike|false|wrong)\b|n['’]t\b", re.IGNORECASE
)
_TRUE_THAT = re.compile(r"\s*(?:is|was) it (?:true|the case|correct|right) that ", re.IGNORECASE)
_FALSE_THAT = re.compile(r"\s*(?:is|was) it (?:false|wrong|untrue|incorrect) that ", re.IGNORECASE)
_EVERY = re.compile(r"\s*(?P<when>in every year from \S+ to \S+) (?P<rest>.+)", re.IGNORECASE | re.DOTALL)
_WHEN = re.compile(r"\s*((?:In|During|Between|Before|After|From|By) [^,]{1,80}),\s*(?=\w)")
_IDLE = re.compile(r"\b(?:still|already|actually|ever|indeed|really) ", re.IGNORECASE)
_OVER = re.compile(r"\bover in(?= (?:the year )?\d)", re.IGNORECASE)
_GOING_ON = re.compile(
    r"\b(?:underway|standing|in progress|on air|being fought|in power|in force|on the throne|running|in office)\b",
    re.IGNORECASE,
)
_VERBS = {
    "happen": "happened", "occur": "occurred", "take place": "took place", "end": "ended", "begin": "began",
    "start": "started", "last": "lasted", "exist": "existed", "live": "lived", "go on": "went on", "die": "died",
    "overlap": "overlapped", "run": "ran", "fall": "fell", "continue": "continued", "break out": "broke out",
    "reign": "reigned", "finish": "finished", "air": "ran",
}  # fmt: skip
_DID = re.compile(
    rf"\s*did (?P<x>.+?) (?P<no>not |n['’]t |never )?(?P<verb>{'|'.join(_VERBS)})(?P<rest>\b.*)",
    re.IGNORECASE | re.DOTALL,
)
_STATES = (
    r"(?:still |already )?(?:alive|going on|under way|underway|active|in existence|held|over|in progress|on air|born|being"
    r" fought|fought|in power|founded|established|dissolved)"
)
_WAS = re.compile(
    rf"\s*(?P<be>was|were|is|are) (?P<x>.+?) (?P<no>not )?(?P<state>{_STATES})(?P<rest>\b.*)",
    re.IGNORECASE | re.DOTALL,
)
_BE = re.compile(r"\s*(?:is|was|are|were|has|have|had|did|does|do|can)(?P<no>n['’]t)?\s+", re.IGNORECASE)
_NAMED = 4  # names and words that name one event: "the TV series 'Friends'"
_LONG = 400  # characters of a question that is read


def denies(text: str) -> bool:
    """Whether a sentence denies: whether the number of words such as "not", "never", "different" in it is odd."""
    return len(_DENIAL.findall(text)) % 2 == 1


def statement_form(question: str) -> str:
    """What a question asks, as far as that is said by taking off what makes it a question.

    Example:
        >>> statement_form("Is it true that Paris is in France?")
        'Paris is in France.'
        >>> statement_form("Did the war not happen in 1948?")
        'the war did not happen in 1948.'
    """
    text = question.strip().removesuffix("?").strip()
    if _TRUE_THAT.match(text):
        return _TRUE_THAT.sub("", text, count=1) + "."
    if len(text) <= _LONG and (did := _DID.fullmatch(text)):
        verb = did["verb"].lower()
        said = f"did not {verb}" if did["no"] else _VERBS[verb]
        return f"{did['x']} {said}{did['rest']}."
    if len(text) <= _LONG and (was := _WAS.fullmatch(text)):
        return f"{was['x']} {was['be'].lower()} {was['no'] or ''}{was['state']}{was['rest']}."
    bare = _BE.match(text)
    if bare is None:
        return text + "."
    return ("not " if bare["no"] else "") + text[bare.end() :] + "."


def year_claims(truth: Truth) -> Iterator[Claim]:
    """What a question about years may ask, the likeliest first."""
    link = _linker(truth)
    yield from _as_written(truth, link)
    yield from _by_words(truth)


def _as_written(truth: Truth, link: Link) -> Iterator[Claim]:
    text = " ".join(truth.question.strip().removesuffix("?").split())[:_LONG]
    text = (
        _GOING_ON.sub("going on", _IDLE.sub("", text))
        .replace(" when ", " while ")
        .replace(" no longer ", " not ")
    )
    text = _OVER.sub("over by", text)  # to be over in a year is to have ended by then
    false = _FALSE_THAT.match(text) is not None
    text = (_FALSE_THAT if false else _TRUE_THAT).sub("", text, count=1)
    when = _WHEN.match(text)
    body, moved = (text[when.end() :], f" {when[1][0].lower()}{when[1][1:]}") if when else (text, "")
    every = _EVERY.fullmatch(body)
    if every is not None:
        body, moved = every["rest"], f" {every['when'].lower()}"
    whole = _claim(body + moved, link)
    if whole is not None:
        yield whole.denied() if false else whole
    for word, join in ((" nor ", Or), (" or ", Or), (" and ", And)):
        before, between, after = body.partition(word)
        if not between:
            continue
        pair = _pair(before, after, moved, link)
        if pair is None:
            continue
        one, two = pair
        if one.year == two.year:
            both: Formula = join(one.formula, two.formula)
            if re.search(r"\bneither\b", before, re.IGNORECASE):
                both = And(Not(one.formula), Not(two.formula))
            yield Claim(both, one.year)


def _pair(before: str, after: str, moved: str, link: Link) -> tuple[Claim, Claim] | None:
    """Two claims of one sentence: each with its own verb, or one verb for two events ("Were both X and Y alive in …")."""
    one, two = _claim(before + moved, link), _claim(after + moved, link)
    if one is not None and two is not None:
        return one, two
    head = re.match(
        r"\s*(was|were|did|is it true that)?\s*(?:both|either|neither)?\s*(.+)", before, re.IGNORECASE
    )
    if head is None:
        return None
    verb = head[1] or ""
    second = _claim(f"{verb} {after}{moved}", link)
    state = _SAID.search(after)
    first = _claim(f"{verb} {head[2]}{after[state.start() :]}{moved}", link) if state else None
    return (first, second) if first is not None and second is not None else None


_SAID = re.compile(
    rf" (?:{'|'.join(_VERBS)}|{'|'.join(_VERBS.values())}|(?:was |were |is |are )?(?:both )?{_STATES})\b",
    re.IGNORECASE,
)


def _claim(text: str, link: Link) -> Claim | None:
    said = statement_form(text)
    return read_claim(said, link=link)


# In other words: what a question names, and one word that tells how it relates them.
_RELATES = (
    (re.compile(r"\b(?:same time|same years?|overlap\w*|while|when|during|contempora\w+|coexist\w*|met|meet)\b", re.IGNORECASE),
     "{x} was going on while {y} was going on."),
    (re.compile(r"\b(?:before|earlier|precede\w*|older)\b", re.IGNORECASE), "{x} happened before {y}."),
    (re.compile(r"\b(?:after|later|follow\w*|younger)\b", re.IGNORECASE), "{x} happened after {y}."),
)  # fmt: skip
_NUMBER = re.compile(r"(?<![\w-])\d{3,4}(?!\w)")
_THROUGHOUT = re.compile(r"\b(?:every|all|throughout|whole|entire)\b", re.IGNORECASE)


def _by_words(truth: Truth) -> Iterator[Claim]:
    """What a question asks that is worded otherwise: by the events and years that it names."""
    text = truth.question[:_LONG]
    row = items(text, 0, len(text), truth.lexicon, Known(truth.years))
    named = [item.mention.entity for item in row if item.mention and item.mention.entity]
    events = list(dict.fromkeys(event for event in named if event in truth.years))
    years = [int(number) for number in _NUMBER.findall(text)]
    said: list[str] = []
    if len(events) == 2 and not years:
        x, y = map(quoted, events)
        said = [form.format(x=x, y=y) for word, form in _RELATES if word.search(text)]
    elif len(events) == 1 and len(years) == 2:
        name = quoted(events[0])
        if _THROUGHOUT.search(text):
            said = [f"{name} was going on from {years[0]} to {years[1]}."]
        else:
            said = [f"{name} happened between {years[0]} and {years[1]}."]
    elif len(events) == 1 and len(years) == 1:
        said = [f"{quoted(events[0])} was going on in {years[0]}."]
    for sentence in said:
        found = read_claim(sentence)
        if found is not None:
            yield found.denied() if denies(text) else found


def _linker(truth: Truth) -> Link:
    """The event that some words name."""
    events = frozenset(truth.years)

    def link(words: str) -> str | None:
        known = Known(events)
        row = [item for item in items(words, 0, len(words), truth.lexicon, known) if item.kind != "mark"]
        found = [
            item.mention.entity for item in row if item.mention is not None and item.mention.entity in events
        ]
        if len(found) != 1 or len(row) > _NAMED or any(item.folded in PREPOSITIONS for item in row):
            return None
        return found[0]

    return link
