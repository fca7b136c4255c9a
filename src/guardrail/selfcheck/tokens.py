"""Words and marks of a text, for counting: light, and close to spaCy's rules for English.

The published n-gram figures rest on the tokens of `spacy.blank("en")`. These rules were written to give the same
tokens on such text (how often they do: `docs/design/selfcheck.md`); white space is never a token, and
Chinese and Japanese characters are tokens of their own, since their words have no space between them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from guardrail.text.markup import blanked

_ABBREVIATIONS = frozenset(
    """
    a.d. a.m. adj. adm. adv. apr. ariz. ark. aug. b.c. bros. calif. co. colo. conn. corp. d.c. dec. del.
    dr. e.g. feb. fla. ft. ga. gen. gov. i.e. ia. id. inc. ind. jan. jr. jul. jun. kan. kans. ky. la. ltd.
    mar. mass. md. messrs. mich. minn. miss. mo. mont. mr. mrs. ms. mt. n.c. n.d. n.h. n.j. n.m. n.y. neb.
    nebr. nev. nov. oct. okla. ore. p.m. pa. ph.d. prof. rep. rev. s.c. sen. sep. sept. st. tenn. v.s. va.
    vs. wash. wis.
    """.split()  # noqa: SIM905  # a line of words reads better than sixty quoted ones
)
_WHOLE = re.compile(r"[a-z]\.|and/or", re.IGNORECASE)  # and single letters with their point: initials
_PREFIX = re.compile(r"\.\.+|''|[\[\](){}<>“”‘’„‚«»'\"`´#$£€¥§%&=—–+×*…¡¿・~|¦,:;!?]")
_SUFFIX = re.compile(
    r"(?:\.\.+|''|['’][sS]|[\[\](){}<>“”‘’»'\"`,;:!?%*…—–×~|¦&=#]"
    r"|(?<=[^\WA-ZÀ-ÖØ-Þ_])\.|(?<=[²³%)\]}'\"”’…+!?\-])\.|(?<=[A-ZÀ-ÖØ-Þ]{2})\."
    r"|(?<=\d)(?:\+|km|m|cm|mm|kg|g|mph|lb|oz|ft|in|k))$"
)
_INFIX = re.compile(
    r"(\.\.+|…|(?<=\d)[+\-*^](?=[\d\-])|(?<=[^\WA-ZÀ-ÖØ-Þ\d_])\.(?=[A-ZÀ-ÖØ-Þ'\"“‘])|(?<=['\"”’])\.(?=[A-ZÀ-ÖØ-Þ'\"“‘])"
    r"|(?<=[^\W\d_]),(?=[^\W\d_])|(?<=[^\W_])(?:---|--|[-–—~:<>=/])(?=[^\W\d_]))"
)
_PLAIN = re.compile(r"\w+|[^\w\s]")
_SPELLING = str.maketrans("’‘ʼ＇−", "''''-")
_LONG = 100  # characters without white space: no English word, so the plain rule, which is linear
_CONTRACTION = re.compile(r"(?i)(.+?)(n['’]t|['’](?:s|m|d|re|ve|ll))$|(can)(not)$")
_IDEOGRAPH = re.compile(r"([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff])")


def tokens(text: str) -> list[str]:
    """The tokens of a text, in order, as written.

    Example:
        >>> tokens("He didn't meet Dr. No (1962), or J. Bond.")
        ['He', 'did', "n't", 'meet', 'Dr.', 'No', '(', '1962', ')', ',', 'or', 'J.', 'Bond', '.']
    """
    found: list[str] = []
    for chunk in text.split():
        found += _split(chunk) if len(chunk) <= _LONG else _plain(chunk)
    return found


def plain_words(text: str) -> list[str]:
    """The words and numbers of a text without punctuation, Markdown and letter case, for comparing texts.

    Marks around a word are cut off, of any script; a minus sign before a number stays. Curly and straight
    apostrophes are one.

    Example:
        >>> plain_words("“She was **91**!” - didn’t [he](x) say −5?")
        ['she', 'was', '91', 'did', "n't", 'he', 'say', '-5']
    """
    text = unicodedata.normalize("NFC", blanked(text)).translate(_SPELLING)
    return [word for token in tokens(text) if (word := _bare(token))]


def words(text: str) -> list[str]:
    """The tokens that contain a letter or a digit, lower-cased."""
    return [token.lower() for token in tokens(text) if any(map(str.isalnum, token))]


@lru_cache(maxsize=65_536)
def _bare(token: str) -> str:
    """A token from its first letter, mark of a letter, or digit to its last, in small letters; "" where there is none."""
    kept = [i for i, character in enumerate(token) if unicodedata.category(character)[0] in "LMN"]
    if not kept or not any(map(str.isalnum, token)):
        return ""
    start, end = kept[0], kept[-1] + 1
    if start == 1 and token[0] == "-" and token[1].isdigit():
        start = 0
    return token[start:end].casefold()


@lru_cache(maxsize=65_536)
def _split(chunk: str) -> tuple[str, ...]:
    before: list[str] = []
    after: list[str] = []
    while chunk and not _is_whole(chunk):
        if (match := _PREFIX.match(chunk)) and match.end() < len(chunk):
            before.append(match[0])
            chunk = chunk[match.end() :]
        elif (match := _SUFFIX.search(chunk)) and match.start() > 0:
            after.append(match[0])
            chunk = chunk[: match.start()]
        else:
            before += _inner(chunk)
            break
    else:
        before.append(chunk)
    return (*before, *reversed(after))


def _is_whole(chunk: str) -> bool:
    return chunk.lower() in _ABBREVIATIONS or _WHOLE.fullmatch(chunk) is not None


def _plain(chunk: str) -> Iterator[str]:
    for match in _PLAIN.finditer(chunk):
        yield from filter(None, _IDEOGRAPH.split(match[0]))


def _inner(chunk: str) -> Iterator[str]:
    if match := _CONTRACTION.match(chunk):
        yield from filter(None, match.groups())
    else:
        for part in _INFIX.split(chunk):
            yield from filter(None, _IDEOGRAPH.split(part))
