"""Numbers in digits and in words, with every value that a spelling may mean: "1.200" is 1200 or 1.2."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from text_to_num import find_numbers

from guardrail.text.units import quantity_table

_JOINED = r"(?<![^\W\u3040-\u30ff\u3400-\u9fff])"  # no letter before it, unless of a script without blanks
NUMBER = re.compile(
    rf"{_JOINED}(?<![.,/])(?:\d{{1,3}} )?\d{{1,2}}/\d{{1,3}}(?![\w/])"
    rf"|{_JOINED}(?<![.,'])\d{{1,3}}(?: \d{{3}})+(?![^\W\u3040-\u30ff\u3400-\u9fff])(?:[.,]\d+(?!\w))?"
    rf"|{_JOINED}(?:\d+(?:[.,'٫٬]\d+)*|\.\d+)"
)
_GROUPED = re.compile(r"\d{1,3}(?P<sign>[.,' ٬])\d{3}(?:(?P=sign)\d{3})*|\d{1,2}(?:,\d{2})+,\d{3}")
_SEPARATOR = re.compile(r"[.,٫]")
_LETTERS = re.compile(r"[^\W\d_]+")
_HAN = re.compile(r"[〇零一二两兩三四五六七八九十百千万萬亿億]+")
_HAN_DIGITS = {
    sign: value
    for value, signs in enumerate(("〇零", "一", "二两兩", "三", "四", "五", "六", "七", "八", "九"))
    for sign in signs
}
_HAN_TENS = {
    "十": 10,
    "百": 100,
    "千": 1_000,
    "万": 10_000,
    "萬": 10_000,
    "亿": 100_000_000,
    "億": 100_000_000,
}
_NUMERALS = ("en", "de", "fr", "es", "it", "pt", "nl")  # of text2num, without Danish
_ENOUGH = 4_000  # characters by which a language is guessed


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number as it is written.

    Attributes:
        start: where it begins.
        end: where it ends.
        values: what it may mean, the likeliest first; none: a list, a version, an address.
        parts: the numbers that it may be a list of ("80,443").
        scale: the last magnitude among its words, which is in `values` already ("two million").
    """

    start: int
    end: int
    values: tuple[float, ...]
    parts: tuple[float, ...] = ()
    scale: float = 1.0


def in_digits(text: str, *, language: str = "") -> Iterator[Numeral]:
    """The numbers of a normalised text that are written in digits, in order; a continental language makes "1.200" 1200 first.

    In English "1,200" is 1200 alone.

    Example:
        >>> [(one.values, one.parts) for one in in_digits("1.234,56 or 1 200 or 80,443")]
        [((1234.56,), (1.234, 56.0)), ((1200.0,), (1.0, 200.0)), ((80443.0, 80.443), (80.0, 443.0))]
    """
    for match in NUMBER.finditer(text):
        written = match[0]
        cut = re.split("[, /]", written) if re.search("[, /]", written) else []
        parts = tuple(_plain(part) for part in cut if part.count(".") <= 1)
        values = _values(written, point="." if language in ("", "en", "zh", "ja") else ",")
        grouped = language == "en" and "," in written and _GROUPED.fullmatch(written)
        yield Numeral(*match.span(), values[:1] if grouped else values, parts)


def _values(written: str, *, point: str) -> tuple[float, ...]:
    """The values of digits with separators, by the language's decimal point first; only the last separator can be one."""
    if "/" in written:
        before, _, share = written.rpartition(" ")
        over, _, under = share.partition("/")
        return (_plain(before) + _plain(over) / (_plain(under) or 1.0),)
    signs = [one[0] for one in _SEPARATOR.finditer(written)]
    if not signs and written.isdecimal():
        return (_plain(written),)
    whole = _GROUPED.fullmatch(written)
    found = [_plain(_digits(written))] if whole and not written.startswith("0") else []
    if signs and signs.count(signs[-1]) == 1:
        before, _, behind = written.rpartition(signs[-1])
        if not before or before.isdecimal() or _GROUPED.fullmatch(before):
            decimal = _plain(f"{_digits(before)}.{behind}")
            found = [decimal, *found] if signs[-1] == point else [*found, decimal]
    return tuple(found)


def _digits(written: str) -> str:
    return "".join(filter(str.isdecimal, written))


def _plain(digits: str) -> float:
    try:
        return float(digits)
    except ValueError:  # "" or signs that are no decimal digits
        return 0.0


class _Word:
    """A word as text2num wants it."""

    def __init__(self, match: re.Match[str], *, apart: bool) -> None:
        self.start, self.end = match.span()
        self._text, self._apart = match[0].casefold(), apart

    def text(self) -> str:
        return self._text

    def nt_separated(self, previous: _Word) -> bool:
        del previous
        return self._apart

    def not_a_number_part(self) -> bool:
        return self._text == "o"  # a nought, for text2num


def in_words(text: str, *, language: str = "") -> Iterator[Numeral]:
    """The numbers of a text that are written in words, in order; the language is guessed where it is not said.

    Words of magnitude alone ("million" behind digits) are left out.

    Example:
        >>> [one.values for one in in_words("Two hundred of them, twenty-five more and half a dozen.")]
        [(200.0,), (25.0,), (0.5, 50.0), (12.0,)]
    """
    yield from _in_han(text)
    language = language or language_of(text)
    words: list[_Word] = []
    for match in _LETTERS.finditer(text):
        gap = text[words[-1].end : match.start()] if words else ""
        words.append(_Word(match, apart=gap not in ("", " ", "-", "\n")))
    said = [(word, quantity_table()["words"].get(word.text())) for word in words]
    found = [Numeral(word.start, word.end, tuple(values)) for word, values in said if values]
    tried = [language] if language else _NUMERALS  # no word says which it is: the first that finds some
    found += next(filter(None, (list(_spelt(words, one)) for one in tried if one in _NUMERALS)), [])
    yield from sorted(found, key=lambda one: one.start)


def _in_han(text: str) -> Iterator[Numeral]:
    """The numbers in Chinese characters: 一千二百, 二〇〇三. What is not behind digits and is more than a one."""
    for match in _HAN.finditer(text):
        written = match[0]
        if (
            text[match.start() - 1 : match.start()].isdecimal()
            or written[0] in "百万萬亿億"
            or written == "一"
        ):
            continue
        if len(written) > 1 and all(sign in _HAN_DIGITS for sign in written):
            value = int("".join(str(_HAN_DIGITS[sign]) for sign in written))
        else:
            value = _of_han(written)
        yield Numeral(*match.span(), (float(value),))


def _of_han(written: str) -> int:
    total = part = digit = 0
    for sign in written:
        scale = _HAN_TENS.get(sign, 0)
        if not scale:
            digit = _HAN_DIGITS[sign]
        elif scale < 10_000:
            part, digit = part + (digit or 1) * scale, 0
        else:
            total, part, digit = (total + part + digit) * scale, 0, 0
    return total + part + digit


def _spelt(words: list[_Word], language: str) -> Iterator[Numeral]:
    magnitudes = quantity_table()["magnitudes"]
    magnitudes = {**magnitudes["words"], **magnitudes["short" if language == "en" else "long"]}
    for found in find_numbers(words, language, threshold=0):
        own = words[found.start : found.end]
        scale = magnitudes.get(own[-1].text(), 1.0) if own else 1.0
        if own and not (len(own) == 1 and scale > 1):
            yield Numeral(own[0].start, own[-1].end, (float(found.value),), scale=scale)


def language_of(text: str) -> str:
    """The language, of the few whose numerals are read, that most of the commonest words are of; "" where none is."""
    counts = dict.fromkeys(_NUMERALS, 0)
    for word in _LETTERS.findall(text[:_ENOUGH].casefold()):
        for language in _common().get(word, ()):
            counts[language] += 1
    best = max(counts, key=lambda one: counts[one])
    return best if counts[best] else ""


@cache
def _common() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for language, words in quantity_table()["languages"].items():
        for word in words:
            found[word] = (*found.get(word, ()), language)
    return found
