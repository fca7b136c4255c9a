"""Names of authors: reading one, and telling whether two spellings may be one person.

Nothing here asks a model. Two spellings are taken for one author when the family names agree and nothing in
the given names contradicts it: "J. Ullman", "Jeffrey D. Ullman" and "Ullman, Jeffrey" agree; "J. D. Ullman"
and "J. F. Ullman" do not. The relation is symmetric and reflexive, not transitive ("J. Ullman" agrees with
both "Jeffrey Ullman" and "John Ullman").

Only the first `LONGEST_NAME` characters of a name are read, so that a hostile one costs no more than a long
one. Lists of names are `guardrail.references.authors.lists`.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz.distance import OSA

from guardrail.references.authors.words import (
    CONJUNCTIONS,
    DEGREES,
    EAST_ASIAN,
    PARTICLES,
    SHORT_FORMS,
    SUFFIXES,
    TITLES,
    WRITTEN_FIRST,
)

LONGEST_NAME = 120
"""Characters of a name that are read."""

_FOLD = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ħ": "h", "ı": "i"}
)
_DIGRAPH = re.compile(r"(?<![aeiou])([aou])e")
_LONG_INITIAL = re.compile(  # Олмстед Дж., Mann Th.
    r"(?<!\w)(?:[БВГДЖЗКЛМНПРСТФХЦЧШ][бвгджзклмнпрстфхцчш]|[TCP]h)\."
)
_ALSO_INITIALS = frozenset({"JR", "SR"})  # behind a family name that is not in capitals
_INTERPUNCT = re.compile("[·•‧・･]")
_APOSTROPHES = re.compile("['’‘`´ʼʹ]")
_ELIDED = re.compile("[dDlL]['’‘`´ʼʹ](?=\\w)")  # d'Alembert
# What may as well be left out in writing: the points of Hebrew and Arabic, the letters' stretching, joiners, the dots
# below Indic letters of other tongues, and which form of a character is meant.
_OPTIONAL = re.compile(
    "[\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed\u200c\u200d"
    "\u093c\u09bc\u0a3c\u0abc\u0b3c\u0cbc\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)


@dataclass(frozen=True, slots=True)
class Name:
    """One author, as written.

    Attributes:
        family: the family name with its particles, or the whole of a one-word name or of an organisation's.
        given: the given names in order, without periods; an initial is one letter.
        suffix: "Jr", "Sr", "II", "III", "IV" or "".
        nickname: a name given in brackets, "Tim" in "Kwang-Ting (Tim) Cheng".
        raw: the text that was read.
        inverted: whether the text said which part is the family name ("Ullman, Jeffrey").
    """

    family: str
    given: tuple[str, ...] = ()
    suffix: str = ""
    nickname: str = ""
    raw: str = ""
    inverted: bool = False

    def __str__(self) -> str:
        """Given names first."""
        return " ".join((*self.given, self.family, self.suffix)).strip()


# --- reading one name --------------------------------------------------------------------------------------


@lru_cache(maxsize=8192)
def parse_name(text: str) -> Name:
    """Read one name, in the order "First Last", "Last, First" or "Last F".

    Never fails: what is no name at all becomes a family name of its own, or "" if no letter is left.

    Args:
        text: the name; only its first `LONGEST_NAME` characters are read.

    Example:
        >>> parse_name("Ullman, Jeffrey D.").given
        ('Jeffrey', 'D')
        >>> parse_name("Joachim von zur Gathen").family
        'von zur Gathen'
    """
    raw = text[:LONGEST_NAME]
    if EAST_ASIAN.search(raw):
        # 莫里斯·弗里德曼: the family name comes last, as in the language that it is from
        text = _INTERPUNCT.sub(" ", raw)
    plain, nickname = _without_brackets(
        " ".join(unicodedata.normalize("NFKC", text[:LONGEST_NAME])[:LONGEST_NAME].split())
    )
    first, *others = plain.replace("،", ",").split(",")
    parts = [_words(first), *(_words(part, initials=not first.isupper()) for part in others)]
    parts = [part for part in parts if part]
    suffix = ""
    for part in parts:
        if part[-1] in _ALSO_INITIALS and not parts[0][0].isupper() and len(parts[0]) <= 2:
            part[-1:] = part[-1]  # Hindley JR
        least = 1 if part is parts[0] else 0  # a name that is nothing but "Junior" keeps it
        while len(part) > least and (last := part[-1].casefold()) in SUFFIXES:
            suffix = SUFFIXES[last]
            part.pop()
    parts = [part for part in parts if part]
    if not parts:
        return Name("", raw=raw)
    if len(parts) > 1:
        family, given = parts[0], [word for part in parts[1:] for word in part]
    else:
        family, given = _in_order(parts[0])
    return Name(" ".join(family), tuple(given), suffix, nickname, raw, len(parts) > 1)


def _without_brackets(text: str) -> tuple[str, str]:
    """The text without what stands in brackets, and the first such thing that could be a name."""
    nickname = ""
    kept = []
    for at, piece in enumerate(re.split(r"[()\[\]]", text)):
        word = piece.strip(" \"'“”.")
        if at % 2 == 0:
            kept.append(piece)
        elif not nickname and word.isalpha() and word.casefold() not in DEGREES:
            nickname = word
    return " ".join(kept), nickname


def _words(text: str, *, initials: bool = False) -> list[str]:
    """The words of a name; "J.D." and "JD" give two initials, titles and degrees are left out.

    With `initials`, a single word in capitals is initials too: Altman, DG.
    """
    text = _LONG_INITIAL.sub(lambda initial: f"{initial[0][0]}.", text.replace("Ph.D", "PhD"))
    words = [word.strip("-‐‑–·'\"“”&*_") for word in text.replace(".", " ").split()]
    words = [word for word in words if word]
    words = words[:1] + [word for word in words[1:] if word.casefold() not in DEGREES]
    if len(words) > 1 and words[0].casefold() in TITLES:
        words = words[1:]
    shouted = all(word.isupper() for word in words)
    found: list[str] = []
    for word in words:
        if are_initials(word) and (not shouted or len(words) == 1 or len(word) == 1):
            found.extend(letter for letter in word if letter.isalpha())
        else:
            found.append(word)
    if shouted and len(words) == 1 and not initials:  # "IEEE", "JPL": no initials of anybody
        return words if len(words[0]) > 1 and "-" not in words[0] else found
    return found


def _are_capitals(word: str) -> bool:
    """Whether a word is two or three capitals: initials, or a short family name (LI)."""
    return word.isascii() and word.isalpha() and word.isupper() and 2 <= len(word) <= 3


def are_initials(word: str) -> bool:
    """Whether a word is "J", "JD" or "J-C", but no family name in capitals ("LI")."""
    letters = word.replace("-", "").replace("‐", "")
    if not letters.isalpha() or not letters.isupper() or EAST_ASIAN.search(letters):
        return False
    if len(letters) == 1 or all(len(part) == 1 for part in word.split("-")):
        return True
    return len(letters) <= 3 and letters.casefold() not in WRITTEN_FIRST | set(SUFFIXES)


def _in_order(words: list[str]) -> tuple[list[str], list[str]]:
    """Family and given names of a name without a comma."""
    ends = len(words)
    while ends > 1 and words[ends - 1].islower() and not words[0].islower():
        ends -= 1
    if len(words[ends - 1]) == 1:
        words = [*words[ends:], *words[:ends]]  # Waerden B L van der
    if _is_family_first(words):
        start = 1  # "Smith J", "van der Berg J A", "Percie du Sert N"
        while start < len(words) - 1 and any(map(_is_particle, words[start - 1 : start + 1])):
            start += 1
        return words[:start], words[start:]
    start = len(words) - 1
    while start > 1 and (words[start - 1].casefold() in PARTICLES or _is_joined(words, start)):
        start -= 2 if _is_joined(words, start) else 1
    if start == 1 and words[0].islower() and words[0] in PARTICLES:
        start = 0  # van Inwagen, without his given name
    return words[start:], words[:start]


def _is_family_first(words: Sequence[str]) -> bool:
    """Whether a name ends in an initial, and so begins with the family name."""
    if len(words) < 2 or len(words[-1]) > 1 or EAST_ASIAN.search(words[-1]):
        return False
    return len(words[0]) > 1 or words[0].islower()  # 't Hooft G


def _is_particle(word: str) -> bool:
    return word.islower() or word.casefold() in PARTICLES


def _is_joined(words: Sequence[str], start: int) -> bool:
    """Whether a conjunction before a part of a family name joins it to another: Ramón y Cajal."""
    return start > 2 and words[start - 1] in CONJUNCTIONS and words[start - 2][:1].isupper()


# --- comparing two names -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Reading:
    """One way to understand a name, in folded letters.

    Attributes:
        families: the forms of the family name.
        given: the given names.
        first: of a family name of several parts, the beginnings that may be used alone: García, of García Márquez.
        surely: whether the name says which of its words are the family name: García Márquez, G.; Ramón y Cajal.
    """

    families: frozenset[str]
    given: tuple[str, ...]
    first: frozenset[str] = frozenset()
    surely: bool = True


@dataclass(frozen=True, slots=True)
class NameKey:
    """What is compared of a name, computed once: see `name_key` and `same_key`."""

    whole: str  # all letters in order
    words: tuple[str, ...]  # those longer than a letter, sorted
    letters: Counter[str]  # the initials
    readings: tuple[_Reading, ...]
    suffix: str
    nickname: str
    plain: (
        str  # all letters that a source keeps which drops those with accents; "" if there are none of these
    )
    parts: frozenset[str]  # what two names have in common, one at least, of which readings agree


def fold(text: str) -> str:
    """Lower case, no accents, no apostrophes; "ü" and "ue" are alike in words of five letters and more."""
    folded = unicodedata.normalize("NFKC", text).casefold().translate(_FOLD)
    if not folded.isascii():
        bare = (c for c in unicodedata.normalize("NFKD", folded) if not "\u0300" <= c <= "\u036f")
        folded = unicodedata.normalize("NFC", "".join(bare))
    return _OPTIONAL.sub("", _APOSTROPHES.sub("", folded))


def _folded_words(text: str) -> tuple[str, ...]:
    # Vowel signs are marks, not letters, in most scripts of India and South-East Asia: a name is another without them.
    kept = (c if c.isalnum() or _is_mark(c) else " " for c in fold(text))
    words = [word for word in "".join(kept).split() if any(map(str.isalnum, word))]
    return tuple(_DIGRAPH.sub(r"\1", word) if len(word) >= 5 else word for word in words)


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] == "M"


def _is_initial(word: str) -> bool:
    """One letter, with its vowel signs where it has some."""
    return len(word) == 1 or (not word.isascii() and all(map(_is_mark, word[1:])))


_TRANSLITERATIONS = [  # English, German, French and Polish ways; the order matters
    (re.compile(pattern), letters)
    for pattern, letters in (
        (r"tsch|tch|cz|kh|ch", "h"),
        (r"sch|sh|sz", "s"),
        (r"w|ff$", "v"),
        (r"(?<=sk|zk)(?:ij|ii|iy|yi|yj|y)$", "i"),
        (r"[jy]", "i"),
        (r"(?<=[aeou])i?e", ""),  # "oe" may be "ö" (`_fold`)
        (r"ks", "x"),
        (r"([a-z])\1", r"\1"),
    )
]
_SLAVIC_END = re.compile(r"(?:[oe]v|in|ski|ko|[oe]va|ina|skaia|uk|ic)$")
_CYRILLIC = re.compile("[а-я]")
_CASE = re.compile(r"(?<=[а-я]{3})(?:ого|его|ому|ему|ыми|ими|ои|ии|ыи|ым|им|ом|ем|ая|яя|ую|а|я|у|ю|е|ы|ь)$")
_SLAVIC = 5  # letters of a name that is compared so


@lru_cache(maxsize=8192)
def name_key(name: Name) -> NameKey:
    """What `same_author` compares of a name, for those who compare it with many."""
    family = _folded_words(name.family)
    written = name.family.split()
    said = _without_particles(name.given)
    if WRITTEN_FIRST.isdisjoint(family):  # "De-Chuan Zhan" has no particle
        said = tuple(part for part in said if fold(part) not in PARTICLES or _is_initial(part)) or said
    given = _folded_words(" ".join(said))
    family_first = bool(given) and name.raw.startswith(name.family)
    readings = _of_parts(written, given, surely=name.inverted or family_first or len(_core(written)) > 1)
    if not name.inverted:
        if len(given) >= 2 and not _is_initial(
            given[-1]
        ):  # "José Benítez Andrades" and "José Benítez-Andrades"
            readings += _of_parts([said[-1], *written], _folded_words(" ".join(said[:-1])), surely=False)
        longer = [part for part in said if not _is_initial(part)]
        if longer and family_first and said[: len(longer)] == (*longer,):  # Puig Cadafalch J
            initials = _folded_words(" ".join(said[len(longer) :]))
            readings += _of_parts([*written, *longer], initials, surely=False)
        if given and given[0] in WRITTEN_FIRST and not any(map(_is_initial, family)):
            readings.append(_Reading(frozenset({given[0]}), (*given[1:], *family)))
        elif len(given) == 1 and given[0] in PARTICLES:  # Van Dongen, without his given name
            # "Ben Green" is not every Green
            readings.append(_Reading(frozenset({"".join((given[0], *family))}), ()))
        elif len(name.given) == 1 and _are_capitals(name.family):  # Kluger AN
            readings.append(_Reading(_families(name.given), tuple(*family)))
        elif not given and len(family) == 1 and len(family[0]) in (2, 3, 4) and EAST_ASIAN.match(family[0]):
            readings.append(_Reading(frozenset({family[0][:1]}), (family[0][1:],)))
    words = (*given, *family)
    return NameKey(
        "".join(words),
        tuple(sorted(word for word in words if not _is_initial(word))),
        Counter(filter(_is_initial, words)),
        tuple(readings),
        name.suffix,
        "".join(_folded_words(name.nickname)),
        _plain(" ".join((*name.given, name.family))),
        frozenset().union(*({*one.families, *one.first, *one.given[:1]} for one in readings)),
    )


def _plain(text: str) -> str:
    """The ASCII letters of a name that is mostly of these and has others, too: "andrsgyrgy" for András György."""
    composed = unicodedata.normalize("NFC", text)
    if composed.isascii():
        return ""
    kept = "".join(_folded_words("".join(filter(str.isascii, composed))))
    return kept if len(kept) >= max(5, len(composed) // 2) else ""


def _of_parts(written: Sequence[str], given: tuple[str, ...], *, surely: bool) -> list[_Reading]:
    """The readings of a family name that may have several parts: whole, its beginnings alone, and its ends alone, the rest being given names."""
    core = _core(written)
    firsts = (
        frozenset("".join(core[:size]) for size in range(1, len(core))) if len(core) > 1 else frozenset[str]()
    )
    whole = _Reading(
        _families(written), given, frozenset(first for first in firsts if len(first) > 1), surely
    )
    if not given:
        return [whole]
    ends = [
        _Reading(frozenset({"".join(core[size:])}), (*given, *core[:size]), surely=surely)
        for size in range(1, len(core))
    ]
    return [whole, *ends]


def _core(written: Sequence[str]) -> tuple[str, ...]:
    """The folded words of a family name without its particles and conjunctions."""
    bare = " ".join(_ELIDED.sub("", word) for word in _without_particles(written))
    words = _folded_words(bare)
    return tuple(word for word in words if word not in PARTICLES) or words


def _without_particles(written: Sequence[str]) -> tuple[str, ...]:
    """The words of a name without those in small letters, if others have capitals: they are particles and conjunctions of any language."""
    capitals = tuple(word for word in written if not word.islower())
    return capitals if any(word[:1].isupper() for word in capitals) else tuple(written)


def _families(written: Sequence[str]) -> frozenset[str]:
    """A family name with and without its particles, written as one word."""
    whole = "".join(_core(written))
    every, capitals = (
        "".join(_folded_words(" ".join(some))) for some in (written, _without_particles(written))
    )
    return frozenset(filter(None, (every, capitals, whole, _transliterated(whole), _declined(whole))))


def _transliterated(word: str) -> str:
    """A Slavic name as all ways to write it in Latin letters have it; "" for any other name.

    Example:
        >>> _transliterated("tschechow") == _transliterated("chekhov"), _transliterated("dostojewskij")
        (True, 'dostovski')
    """
    for pattern, letters in _TRANSLITERATIONS:
        word = pattern.sub(letters, word)
    return word if len(word) >= _SLAVIC and _SLAVIC_END.search(word) else ""


def family_names(names: Iterable[str]) -> list[str]:
    """The family names of a list of authors, folded, in order.

    Example:
        >>> family_names(["Müller, C. R.", "G. E. Fox"])
        ['muller', 'fox']
    """
    return [" ".join(_folded_words(parse_name(name).family)) for name in names]


def same_author(a: Name, b: Name) -> bool:
    """Whether two spellings may be one author: nothing contradicts it.

    Family names agree without regard to accents, hyphens, particles and order (romanised Chinese, Korean and
    Vietnamese names); given names may be initials, short forms or missing. One letter may be wrong in a long
    name if the rest is written out and agrees. A family name alone agrees with everybody of that name.

    Returns:
        A symmetric answer; a name without any letter is nobody's.

    Example:
        >>> same_author(parse_name("J. Ullman"), parse_name("Ullman, Jeffrey D."))
        True
        >>> same_author(parse_name("J. D. Ullman"), parse_name("J. F. Ullman"))
        False
    """
    return same_key(name_key(a), name_key(b))


def same_key(a: NameKey, b: NameKey) -> bool:
    """As `same_author`, of what is compared."""
    if not a.whole or not b.whole or (a.suffix and b.suffix and a.suffix != b.suffix):
        return False
    if a.whole in (b.whole, b.plain) or b.whole == a.plain:
        return True
    if len(a.words) > 1 and a.words == b.words and (a.letters <= b.letters or b.letters <= a.letters):
        return True  # in another order: "Hamdy A. Taha" and "Taha Hamdy"
    if a.parts.isdisjoint(b.parts):
        return False
    return any(_readings_agree(x, y, a, b) for x in a.readings for y in b.readings)


def _declined(word: str) -> str:
    """A family name in Cyrillic letters without the ending that its case gives it: Кронгауза, Толстого, Ахматовой.

    Example:
        >>> _declined("кронгауза") == _declined("кронгауз"), _declined("толстого") == _declined("толстои")
        (True, True)
    """
    return _CASE.sub("", word) if len(word) >= _SLAVIC and _CYRILLIC.match(word) else ""


def _readings_agree(x: _Reading, y: _Reading, a: NameKey, b: NameKey) -> bool:
    if x.families & y.families or _one_alone(x, y) or _one_alone(y, x):
        eastern = bool(x.families & WRITTEN_FIRST)
        return (
            _given_agree(x.given, y.given, eastern=eastern)
            or bool(a.nickname and y.given and _words_agree(a.nickname, y.given[0], eastern=eastern))
            or bool(b.nickname and x.given and _words_agree(b.nickname, x.given[0], eastern=eastern))
        )
    if not x.given or not y.given or _is_initial(x.given[0]) or x.given[0] != y.given[0]:
        return False  # a slip in the family name is forgiven only beside the same full given name
    return _given_agree(x.given, y.given, eastern=True) and any(
        _slip(p, q) for p in x.families for q in y.families
    )


def _one_alone(x: _Reading, y: _Reading) -> bool:
    """Whether a whole family name is the beginning of one of several parts: Martin Luther King is no Martin Luther, but may be Luther, M."""
    return bool(x.families & y.first) and (y.surely or (x.surely and bool(x.given and y.given)))


def _given_agree(a: tuple[str, ...], b: tuple[str, ...], *, eastern: bool) -> bool:
    """Whether the shorter list of given names runs through the longer, from its first name on."""
    if not a or not b or "".join(a) == "".join(b):
        return True
    short, long = sorted((a, b), key=lambda names: (len(names), names))
    start = 0
    if not _words_agree(short[0], long[0], eastern=eastern):
        if not _is_initial(long[0]) or _is_initial(short[0]):
            return False
        start = 1  # "F. Thomson Leighton" is "Thomson Leighton"
    rest = iter(long[start:])
    return all(any(_words_agree(word, other, eastern=eastern) for other in rest) for word in short)


def _words_agree(a: str, b: str, *, eastern: bool) -> bool:
    if a == b:
        return True
    if _is_initial(a) or _is_initial(b):
        return a.startswith(b) or b.startswith(a)
    if eastern:
        return False
    if b in SHORT_FORMS.get(a, ()) or _spelling(a) == _spelling(b):
        return True
    return (min(len(a), len(b)) >= 3 and (a.startswith(b) or b.startswith(a))) or _slip(a, b)


def _spelling(word: str) -> str:
    """A given name with the letters that transliterations exchange: Juri, Yuri; Aleksej, Alexei."""
    return word.replace("ks", "x").replace("j", "i").replace("y", "i").replace("ii", "i").replace("w", "v")


def _slip(a: str, b: str) -> bool:
    """One letter wrong, missing, added or swapped, in a word of five letters or more, not the first."""
    return min(len(a), len(b)) >= 5 and a[0] == b[0] and OSA.distance(a, b, score_cutoff=1) <= 1
