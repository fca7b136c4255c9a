"""One sentence of a document whose quantities, directions, relations or quotations are changed, or are only spelt otherwise.

As in `exchanging`, what is put in is as far as possible what the document has elsewhere: its other numbers, its other words.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path

from benchmarks.entailment.making.shapes.exchanging import Change
from guardrail.text.quantities import Quantity, quantities
from guardrail.text.typography import normalised

__all__ = ["CHANGES", "COPIES", "QUOTED"]

_DIGITS = re.compile(r"\d[\d.,]*")
_THOUSANDS = re.compile(r"(?<![\w.,])(\d{1,3})((?:,\d{3})+)(?![\w,]|\.\d)")
_PLAIN = re.compile(r"(?<![\w.,$€£-])([1-9]\d{3,8})(?![\w,]|\.\d)")
_SMALL = re.compile(
    r"(?<![\w.,$€£/:-])([1-9]|1[0-2])(?= [a-z]{3,})(?! (?:million|billion|trillion|percent|per))"
)
_MONEY = re.compile(r"\$(\d+(?:\.\d+)?)(?![\d,.]*\d| (?:million|billion|trillion|thousand))")
_MILLIONS = re.compile(r"(?<![\w.,])(\d{1,3}(?:\.\d)?) (thousand|million|billion)\b")
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_DATE = re.compile(rf"\b(\d{{1,2}}) ({_MONTHS}) (\d{{4}})\b")
_HYPHEN = re.compile(r"\b([a-z]{3,})-([a-z]{3,})\b")
_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9}
_THOUSAND, _YEAR = 1_000, 2_100  # between these a number may be a year
_BETWEEN = 4, 14  # words of a quotation
_SAID = (
    'The text says that "{}".', 'It says: "{}"', 'According to the document, "{}".', 'As it is put there, "{}".',
    '"{}", the source says.', "The text reads “{}”.", "Im Text heißt es: „{}“", "Selon le texte, « {} ».",
    "Según el texto, «{}».", "文中写道：“{}”", "文書には「{}」とある。",
)  # fmt: skip


@cache
def _table() -> Mapping[str, list[list[str]]]:
    return tomllib.loads((Path(__file__).parent / "exclusions.toml").read_text(encoding="utf-8"))


@cache
def _others(kind: str) -> Mapping[str, tuple[str, ...]]:
    """For each word, the words that may replace it."""
    found: dict[str, list[str]] = {}
    for group in _table()[kind]:
        for word in group:
            found.setdefault(word, []).extend(one for one in group if one != word)
    return {word: tuple(dict.fromkeys(others)) for word, others in found.items()}


@cache
def _words(kind: str) -> re.Pattern[str]:
    """Any of a kind's words, as whole words where the script has such."""
    longest = sorted(_others(kind), key=len, reverse=True)
    latin = [re.escape(word) for word in longest if word[0].isascii() and word[0].isalpha()]
    rest = [re.escape(word) for word in longest if not (word[0].isascii() and word[0].isalpha())]
    return re.compile("|".join([rf"(?<![\w-])(?:{'|'.join(latin)})(?![\w-])", *rest]))


def _exchanged(kind: str, text: str, source: random.Random, *, near: bool = False) -> str | None:
    """The text with one word of a kind for another that it excludes; `near`: only where it belongs to a quantity."""
    places = list(_words(kind).finditer(text))
    if near:
        spans = [(one.start, one.end) for one in quantities(text)[0]]
        places = [one for one in places if any(a <= one.start() and one.end() <= b for a, b in spans)]
    if not places:
        return None
    place = source.choice(places)
    return text[: place.start()] + source.choice(_others(kind)[place[0]]) + text[place.end() :]


def _other(
    kind: str, sentence: str, document: Sequence[str], source: random.Random, *, near: bool = False
) -> str | None:
    del document
    return _exchanged(kind, normalised(sentence), source, near=near)


def _shifted(sentence: str, document: Sequence[str], source: random.Random) -> str | None:
    """Another magnitude, by word or by moving the decimal point."""
    text = normalised(sentence)
    by_word = _other("magnitudes", text, document, source, near=True)
    if by_word is not None:
        return by_word
    big = [
        one
        for one in quantities(text)[0]
        if one.readings[0].unit is not None or one.readings[0].value > _YEAR
    ]
    places = [match for one in big if (match := _DIGITS.search(text, one.start, one.end))]
    if not places:
        return None
    place = source.choice(places)
    number = place[0].rstrip(".,")
    if "." in number:
        whole, _, rest = number.partition(".")
        new = whole + rest[:1] + ("." + rest[1:] if rest[1:] else "")
    else:
        new = number + source.choice(["0", "0", "00"]) if "," not in number else number + ",000"
    return text[: place.start()] + new + text[place.start() + len(number) :]


def _kind(one: Quantity) -> tuple[str, bool]:
    reading = one.readings[0]
    return (
        reading.unit.dimension if reading.unit else ""
    ), reading.unit is None and _THOUSAND <= reading.value <= _YEAR


def _written(text: str) -> list[Quantity]:
    """The quantities of a text that are in digits and no part of a word."""
    found = [one for one in quantities(text)[0] if not text[one.end : one.end + 1].isalnum()]
    return [one for one in found if any(map(str.isdigit, one.of(text)))]


def _owner(sentence: str, document: Sequence[str], source: random.Random) -> str | None:
    """The quantity of another sentence, or two of this one in each other's place: each is there, but of something else."""
    text = normalised(sentence)
    own = _written(text)
    if not own:
        return None
    pairs = [
        (a, b)
        for i, a in enumerate(own)
        for b in own[i + 1 :]
        if _kind(a) == _kind(b) and a.of(text) != b.of(text) and a.end <= b.start
    ]
    if pairs and source.random() < 0.6:
        a, b = source.choice(pairs)
        return (
            text[: a.start]
            + text[b.start : b.end]
            + text[a.end : b.start]
            + text[a.start : a.end]
            + text[b.end :]
        )
    place = source.choice(own)
    lines = [normalised(line) for line in document if line != sentence]
    others = [
        one.of(line) for line in lines for one in _written(line)
        if _kind(one) == _kind(place) and one.of(line) not in text
    ]  # fmt: skip
    if not others:
        return None
    return text[: place.start] + source.choice(others) + text[place.end :]


def _quoted(sentence: str, document: Sequence[str], source: random.Random, *, right: bool) -> str | None:
    """Some words of the sentence in quotation marks, as they are or one of them for another of the document."""
    words = sentence.rstrip(" .!?。").replace('"', "").split(" ")
    low, high = _BETWEEN
    if len(words) < low:
        return None
    size = min(len(words), source.randint(low, high))
    start = source.randrange(len(words) - size + 1)
    said = words[start : start + size]
    if not right:
        own = {word.casefold() for word in words}
        others = [
            word
            for line in document
            for word in re.findall(r"[^\W\d_]{4,}", line)
            if word.casefold() not in own
        ]
        places = [i for i, word in enumerate(said) if re.fullmatch(r"[^\W\d_]{4,}", word)]
        if not places or not others:
            return None
        said[source.choice(places)] = source.choice(others)
    return source.choice(_SAID).format(" ".join(said).rstrip(","))


def _spelt(sentence: str, document: Sequence[str], source: random.Random) -> str | None:
    """A number, date, unit or short form in another spelling; two of them where there are as many."""
    del document
    text, found = sentence, 0
    for respelt in source.sample(_SPELLINGS, len(_SPELLINGS)):
        other = respelt(text, source)
        if other != text:
            text, found = other, found + 1
        if found == 2:
            break
    return text if found else None


def _short(text: str, source: random.Random) -> str:
    places = list(_words("spellings").finditer(text))
    places = [one for one in places if len(one[0]) > 1]  # a lone m, % or & may be anything
    if not places:
        return text
    place = source.choice(places)
    return text[: place.start()] + source.choice(_others("spellings")[place[0]]) + text[place.end() :]


def _grouped(text: str, source: random.Random) -> str:
    sign = source.choice([" ", "", "."]) if _DATE.search(text) is None else ""
    if _THOUSANDS.search(text):
        return _THOUSANDS.sub(
            lambda one: one[1] + one[2].replace(",", "" if sign == "." else sign), text, count=1
        )
    return _PLAIN.sub(
        lambda one: one[1] if _THOUSAND <= int(one[1]) <= _YEAR else f"{int(one[1]):,}", text, count=1
    )


def _in_words(text: str, source: random.Random) -> str:
    del source
    names: Sequence[str] = _table()["numerals"]  # type: ignore[assignment]
    return _SMALL.sub(lambda one: names[int(one[1]) - 1], text, count=1)


def _in_digits(text: str, source: random.Random) -> str:
    del source
    names: Sequence[str] = _table()["numerals"]  # type: ignore[assignment]
    pattern = rf"(?<=[a-z] )({'|'.join(names[1:])})(?= [a-z])"
    return re.sub(pattern, lambda one: str(names.index(one[1]) + 1), text, count=1)


def _in_full(text: str, source: random.Random) -> str:
    """3.5 million as 3,500,000."""
    del source
    return _MILLIONS.sub(lambda one: f"{round(float(one[1]) * _SCALES[one[2]]):,}", text, count=1)


def _money(text: str, source: random.Random) -> str:
    return _MONEY.sub(
        lambda one: source.choice(["{} dollars", "USD {}", "US${}"]).format(one[1]), text, count=1
    )


def _dated(text: str, source: random.Random) -> str:
    del source
    return _DATE.sub(r"\2 \1, \3", text, count=1)


def _hyphen(text: str, source: random.Random) -> str:
    del source
    return _HYPHEN.sub(r"\1 \2", text, count=1)


_SPELLINGS = (_short, _grouped, _in_words, _in_digits, _in_full, _money, _dated, _hyphen)

CHANGES: Mapping[str, Change] = {
    "unit": partial(_other, "units", near=True),
    "magnitude": _shifted,
    "direction": partial(_other, "directions"),
    "relation": partial(_other, "relations"),
    "owner": _owner,
}
"""The document does not bear it out."""

COPIES: Mapping[str, Change] = {"spelt": _spelt}
"""It does."""

QUOTED: Mapping[bool, Change] = {right: partial(_quoted, right=right) for right in (True, False)}
"""Words of it between quotation marks: as they are, and with another one among them."""
