"""The numbers in what announces a list: "Here are four works:", "以下是四本书：", "## The 5 best"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from guardrail._toml import packaged

_DIGITS = r"(?<![\d.,:/–-])\d{1,3}(?![.,:/–-]?\d|[%°])"
_COUNTER = "[个個本部篇种種项項条條位点點家首张張件类類步冊つ人章권가개명편곳]"  # what stands between a numeral and its noun
_EAST = ("zh", "ja", "ko")
_NEED_AN_ARTICLE = {"fr", "it"}  # "Voici quatre livres", but not "Voici livres"
_LEAD_IN = re.compile(r"[:：][ \t*_]*\Z")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]")
_LONGEST = 400  # characters of a line that announces something


@dataclass(frozen=True, slots=True)
class Announced:
    """A number, at `text[start:end]`.

    Attributes:
        languages: in which it is so written; none of digits.
        counts: whether a counter follows, as in Chinese, Japanese and Korean: no noun changes with it.
    """

    start: int
    end: int
    value: int
    languages: tuple[str, ...] = ()
    counts: bool = False

    def instead(self, value: int, language: str) -> str | None:
        """Another number in the same form, "" if the noun says it by itself; `None` where that is not sure.

        Args:
            value: from one on.
            language: that the text is in, where it is known.
        """
        if value == 1 and not self.counts:
            known = {language} if language or not self.languages else set(self.languages)
            return None if known & _NEED_AN_ARTICLE else ""
        if not self.languages:
            return str(value)
        if value == 1:
            return {"zh": "一", "ja": "一", "ko": "한"}[self._of(language)]
        codes = [language] if language in self.languages else self.languages
        written = {_numerals()[code].get(value, "-") for code in codes}
        word = written.pop()
        return str(value) if written or word == "-" else word

    def _of(self, language: str) -> str:
        return language if language in self.languages else self.languages[0]


def announces(line: str) -> bool:
    """Whether a line says that something follows: it ends with a colon, or is a heading."""
    return len(line) <= _LONGEST and (_LEAD_IN.search(line) or _HEADING.match(line)) is not None


def announced(text: str, start: int, end: int) -> Iterator[Announced]:
    """The numbers from two on in `text[start:end]`, a line that `announces`.

    Example:
        >>> [(one.value, one.languages) for one in announced("Hier sind vier Bücher von 2004:", 0, 31)]
        [(4, ('de', 'nl'))]
    """
    for match in _number().finditer(text, start, end):
        said = match.group().casefold()
        if said.isdecimal() and int(said) > 1:
            counts = re.match(rf"\s?{_COUNTER}", text[match.end() : match.end() + 2]) is not None
            yield Announced(match.start(), match.end(), int(said), counts=counts)
        for value in () if said.isdecimal() else _values().get(said, {}):
            codes = _values()[said][value]
            yield Announced(match.start(), match.end(), value, codes, counts=codes[0] in _EAST)


@cache
def _numerals() -> Mapping[str, Mapping[int, str]]:
    """By language and number."""
    table = packaged("guardrail.text", "numerals.toml")
    return {code: dict(enumerate(words.split(), 2)) for code, words in table.items()}


@cache
def _values() -> Mapping[str, Mapping[int, tuple[str, ...]]]:
    """By word and number, the languages."""
    found: dict[str, dict[int, tuple[str, ...]]] = {}
    for code, words in _numerals().items():
        for value, word in words.items():
            if word != "-":
                of = found.setdefault(word, {})
                of[value] = (*of.get(value, ()), code)
    return found


@cache
def _number() -> re.Pattern[str]:
    west = sorted({w for c, of in _numerals().items() if c not in _EAST for w in of.values()}, key=len)
    east = sorted({w for c in _EAST for w in _numerals()[c].values()}, key=len)
    words = "|".join(map(re.escape, reversed([one for one in west if one != "-"])))
    signs = "|".join(reversed(east))
    return re.compile(
        rf"{_DIGITS}|(?<![\w-])(?:{words})(?![\w-])|(?<!\d)(?:{signs})(?=\s?{_COUNTER})", re.IGNORECASE
    )
