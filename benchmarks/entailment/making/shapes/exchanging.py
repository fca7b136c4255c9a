"""One sentence of a document, changed: into one that the document still bears out, or into one that it does not.

Every change is made of what the document has: another of its numbers or names, a clause left out, two sentences joined. So
whether words are new does not decide.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from benchmarks.entailment.making.lessons import changed_number

__all__ = ["CHANGES", "COPIES", "Change", "joined", "names", "numbers"]

Change = Callable[[str, Sequence[str], random.Random], str | None]
"""Of a sentence, the sentences of its document, and what is drawn by; `None` = it cannot be changed so."""

_NUMBER = re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?![\w,])|(?<![\w.,])\d{1,4}(?:\.\d+)?(?!\w|[.,]\d)")
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*")
_DATES = (
    [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ],
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
)
_VERB = re.compile(
    r"\b(is|are|was|were|will|would|can|could|should|has|have|had|did|does|do)\b(?! not\b| n[o']| you| we)"
)
_NEGATED = re.compile(r"\b(is|are|was|were|will|would|could|should|has|have|had|did|does|do) not ")
_WEAK = {
    "may": "will", "might": "will", "could": "will", "some": "all", "many": "all", "most": "all", "often": "always",
    "sometimes": "always", "usually": "always", "probably": "certainly", "possibly": "certainly", "likely": "certain",
    "few": "no", "several": "all", "almost": "exactly", "about": "exactly", "believed": "proved", "suggests": "proves",
    "suggest": "prove", "plans": "has decided", "hopes": "is certain", "part": "all",
}  # fmt: skip
_WEAK_WORD = re.compile(rf"\b({'|'.join(_WEAK)})\b")
_BRACKETS = re.compile(r" ?\([^()]*\)")
_ASIDE = re.compile(
    r", (?:which|who|where|including|such as|as well as|a|an|the|according|with|after|when|while) [^,;]+,"
)
_TAIL = re.compile(
    r",? (?:which|who|where|while|after|when|because|although|including|such as|as well as|with) [^.;]+(?=[.!?]?$)"
)
_OPENING = re.compile(
    r"^(?:However|Moreover|Also|Then|Therefore|Thus|In addition|And|But|So|Furthermore|Meanwhile),? "
)
_LEAST = 5  # words that are left of a sentence


def numbers(text: str) -> list[str]:
    """The numbers of a text, as written."""
    return _NUMBER.findall(text)


def names(text: str) -> list[str]:
    """Capitalised words behind others of the same sentence, neighbours together."""
    return _NAME.findall(text)


def _other_number(sentence: str, document: Sequence[str], source: random.Random) -> str | None:
    places = list(_NUMBER.finditer(sentence))
    if not places:
        return None
    place = source.choice(places)
    every = dict.fromkeys(number for line in document for number in numbers(line))
    alike = [
        one for one in every if one != place[0] and _year(one) == _year(place[0]) and one not in sentence
    ]
    if not alike or source.random() < 0.3:
        return changed_number(sentence, source)
    return sentence[: place.start()] + source.choice(alike) + sentence[place.end() :]


def _year(number: str) -> bool:
    return number.isdigit() and 1_000 <= int(number) <= 2_100


def _other_name(sentence: str, document: Sequence[str], source: random.Random) -> str | None:
    places = list(_NAME.finditer(sentence))
    if not places:
        return None
    place = source.choice(places)
    own = set(place[0].split())
    others = [one for line in document for one in names(line) if one not in sentence]
    others = [one for one in dict.fromkeys(others) if not own & set(one.split())]
    if not others:
        return None
    return sentence[: place.start()] + source.choice(others) + sentence[place.end() :]


def _turned(sentence: str, document: Sequence[str], source: random.Random) -> str | None:
    """Two names of the sentence exchanged for each other."""
    del document, source
    places = list(_NAME.finditer(sentence))
    if len(places) < 2 or places[0][0] == places[-1][0]:
        return None
    first, last = places[0], places[-1]
    between = sentence[first.end() : last.start()]
    if between in (" and ", ", ", ", and ", " or "):
        return None
    return sentence[: first.start()] + last[0] + between + first[0] + sentence[last.end() :]


def _other_date(sentence: str, document: Sequence[str], source: random.Random) -> str | None:
    del document
    for words in _DATES:
        found = [word for word in words if re.search(rf"\b{word}\b(?!’|')", sentence)]
        if found:
            old = source.choice(found)
            return re.sub(rf"\b{old}\b", source.choice([w for w in words if w != old]), sentence, count=1)
    return None


def _negated(sentence: str, document: Sequence[str], source: random.Random) -> str | None:
    del document, source
    if _NEGATED.search(sentence):
        return _NEGATED.sub(r"\1 ", sentence, count=1)
    if not _VERB.search(sentence):
        return None
    return _VERB.sub(r"\1 not", sentence, count=1)


def _stronger(sentence: str, document: Sequence[str], source: random.Random) -> str | None:
    del document
    places = list(_WEAK_WORD.finditer(sentence))
    if not places:
        return None
    place = source.choice(places)
    return sentence[: place.start()] + _WEAK[place[0]] + sentence[place.end() :]


def _copy(sentence: str, document: Sequence[str], source: random.Random) -> str | None:
    del document, source
    return sentence


def _shorter(sentence: str, document: Sequence[str], source: random.Random) -> str | None:
    del document
    if re.search(r"\b(?:if|unless|not|no|never)\b", sentence):
        return None
    for pattern in source.sample((_BRACKETS, _ASIDE, _TAIL, _OPENING), 4):
        text = pattern.sub("", sentence, count=1)
        if text != sentence and len(text.split()) >= _LEAST:
            return text[0].upper() + text[1:]
    return None


def joined(first: str, second: str, source: random.Random) -> str:
    """Two sentences as one.

    Example:
        >>> joined("It rained.", "The match was cancelled.", random.Random(0))
        'It rained, and the match was cancelled.'
    """
    between = source.choice([", and ", ", and ", "; "])
    small = re.match(r"(?:The|A|An|It|He|She|They|There|This|These|In|At|On|His|Her|Their)\b", second)
    behind = second[0].lower() + second[1:] if small else second
    return first.rstrip(" .!?") + between + behind


def _together(sentence: str, document: Sequence[str], source: random.Random) -> str | None:
    others = [line for line in document if line != sentence and len(line.split()) < 25]
    return joined(sentence, source.choice(others), source) if others and len(sentence.split()) < 25 else None


COPIES: dict[str, Change] = {"copy": _copy, "shorter": _shorter, "together": _together}
"""The document bears it out."""

CHANGES: dict[str, Change] = {
    "number": _other_number,
    "name": _other_name,
    "turned": _turned,
    "date": _other_date,
    "negation": _negated,
    "stronger": _stronger,
}
"""It does not."""
