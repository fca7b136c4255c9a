"""Names of authors: reading them out of a model's reply, and telling whether two of them are one person.

Nothing here asks a model. Two spellings are taken for one author when the family names agree and nothing in
the given names contradicts it: "J. Ullman", "Jeffrey D. Ullman" and "Ullman, Jeffrey" agree; "J. D. Ullman"
and "J. F. Ullman" do not. The relation is symmetric and reflexive, not transitive ("J. Ullman" agrees with
both "Jeffrey Ullman" and "John Ullman").

Every function reads a bounded part of its input (`LONGEST_REPLY`, `LONGEST_NAME`, `MOST_AUTHORS`), so that
a hostile reply costs no more than a long one.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from rapidfuzz.distance import OSA

__all__ = [
    "LONGEST_NAME",
    "LONGEST_REPLY",
    "MOST_AUTHORS",
    "Name",
    "agreement",
    "authors_agree",
    "contains_author",
    "overlap",
    "parse_authors",
    "parse_name",
    "same_author",
]

LONGEST_REPLY = 4000
"""Characters of a reply that are read."""

LONGEST_NAME = 120
"""Characters of a name that are read."""

MOST_AUTHORS = 64
"""Authors of a list that are read."""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Parts of a family name that may be left out, written together or capitalised: "van der Berg", "Berg".
_PARTICLES = _set(
    "van von vom der den de del della delle di da do dos das du la le les los las ter ten te zu zur zum af "
    "av bin ibn ben bint al el ul ur ad an "
    "binti"
)
_SUFFIXES = {"jr": "Jr", "junior": "Jr", "sr": "Sr", "senior": "Sr", "ii": "II", "iii": "III", "iv": "IV"}
_TITLES = _set("dr prof professor mr mrs")
_DEGREES = _set("phd msc bsc dphil esq inc ltd llc gmbh corp ed eds editor editors")

# Family names that are often written first. Romanised Chinese, Korean and Vietnamese.
_WRITTEN_FIRST = _set(
    "ahn an bae bai bui cai cao chan chang chen cheng cheung chiang chiu cho choe choi chou chow chu chun "
    "chung cui dai dang deng ding dinh do dong du duan duong fan fang feng fong fu gan gao ge geng gong gu "
    "guan guo ha han hao he heo ho hoang hong hou hsieh hsu hu huang hung huynh hwang jang jeon jeong ji "
    "jia jiang jin jo joo ju jun jung kang kim ko kong koo kuo kwak kwok kwon lai lam lau le lee lei leung "
    "li liang liao lim lin ling liu lo long lu luo luu ly ma mai mao meng min mo moon ng ngo nguyen ni nie "
    "noh oh ou ouyang pak pan pang park peng pham phan qi qian qiao qin qiu qu ren rhee ryu seo shao shen "
    "shi shih shim shin sim so son song su suh sun sung tan tang tao teng tian to tong tran trinh truong "
    "tsai tseng tu vo vu wan wang wei wen wong woo wu xia xiao xie xiong xu xue yan yang yao ye yeh yi yin "
    "yoo yoon you yu yuan yue yun zeng zhai zhan zhang zhao zheng zhong zhou zhu zhuang zou"
)

# Short forms that are not the beginning of the full one. Each line is one name.
_SHORT_FORMS: dict[str, frozenset[str]] = {}
for _line in """
    william bill billy will
    robert bob bobby rob
    richard dick rick
    james jim jimmy
    john jack johnny
    michael mike mick
    charles chuck charlie
    edward ted ed eddie
    theodore ted
    margaret peggy meg
    elizabeth liz beth betty
    henry harry hank hal
    harold harry hal
    anthony tony
    joseph joe
    stephen steven steve
    jeffrey geoffrey jeff geoff
    lawrence laurence larry
    catherine katherine kathryn kate kathy cathy
    thomas tom
    francis frank
    christopher kit
    alexander sasha alex
    nicholas nick
    jonathan jon john
    gerald jerry gerry
    andrew andy drew
""".strip().splitlines():
    for _form in _line.split():
        _SHORT_FORMS[_form] = _SHORT_FORMS.get(_form, frozenset()) | frozenset(_line.split())

# Words that no author is called by: one of them makes a piece of a reply prose.
_NEVER_NAMES = _set(
    "sorry apologies apologize apologise unfortunately unknown unavailable unspecified unclear undefined "
    "anonymous anon various author authors writer writers name names title this these those there not "
    "available provided please however cannot can't couldn't unable firstname lastname surname fullname "
    "placeholder tbd tba n/a note"
)
_ANSWERS = _set("yes no none nil null na ok okay sure certainly nobody nothing blank empty")  # alone
_PLACEHOLDERS = frozenset(
    {"first last", "first name last name", "first middle last", "last first", "no answer"}
)
_WORDS_OF_BODIES = _set("of for the on and")  # "The Open Group", "University of Oxford"
_EAST_ASIAN_PROSE = re.compile(
    "[的是不我您你没無无沒請请謝谢知です없모]|抱歉|未知|作者|佚名|匿名|対不起|저자|죄송"
)
_EAST_ASIAN = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")

_FOLD = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ħ": "h", "ı": "i"}
)
_DIGRAPH = re.compile(r"(?<![aeiou])([aou])e")
_APOSTROPHES = re.compile("['’‘`´ʼʹ]")
_BREAKS = re.compile(r"[^\w]+")


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

    @property
    def initials(self) -> str:
        """The first letters of the given names, "JD" for Jeffrey D. Ullman."""
        return "".join(part[0] for part in self.given).upper()

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
    plain, nickname = _without_brackets(" ".join(unicodedata.normalize("NFKC", raw)[:LONGEST_NAME].split()))
    parts = [part for part in (_words(part) for part in plain.split(",")) if part]
    suffix = ""
    for part in parts:
        while len(part) > 1 or part is not parts[0]:
            if not part or (last := part[-1].casefold()) not in _SUFFIXES:
                break
            suffix = _SUFFIXES[last]
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
        elif not nickname and word.isalpha() and word.casefold() not in _DEGREES:
            nickname = word
    return " ".join(kept), nickname


def _words(text: str) -> list[str]:
    """The words of a name; "J.D." and "JD" give two initials, titles and degrees are left out."""
    words = [word.strip("-‐‑–·'\"“”&*_") for word in text.replace("Ph.D", "PhD").replace(".", " ").split()]
    words = [word for word in words if word]
    words = words[:1] + [word for word in words[1:] if word.casefold() not in _DEGREES]
    if len(words) > 1 and words[0].casefold() in _TITLES:
        words = words[1:]
    shouted = all(word.isupper() for word in words)
    found: list[str] = []
    for word in words:
        if _are_initials(word) and (not shouted or len(words) == 1 or len(word) == 1):
            found.extend(letter for letter in word if letter.isalpha())
        else:
            found.append(word)
    if shouted and len(words) == 1:  # "IEEE", "JPL": no initials of anybody
        return words if len(words[0]) > 1 and "-" not in words[0] else found
    return found


def _are_initials(word: str) -> bool:
    """Whether a word is "J", "JD" or "J-C", but no family name in capitals ("LI")."""
    letters = word.replace("-", "").replace("‐", "")
    if not letters.isalpha() or not letters.isupper() or _EAST_ASIAN.search(letters):
        return False
    if len(letters) == 1 or all(len(part) == 1 for part in word.split("-")):
        return True
    return len(letters) <= 3 and letters.casefold() not in _WRITTEN_FIRST | set(_SUFFIXES)


def _in_order(words: list[str]) -> tuple[list[str], list[str]]:
    """Family and given names of a name without a comma."""
    if len(words) > 1 and len(words[-1]) == 1 and len(words[0]) > 1 and not _EAST_ASIAN.search(words[-1]):
        start = 1  # "Smith J", "van der Berg J A"
        while start < len(words) - 1 and words[start - 1].casefold() in _PARTICLES:
            start += 1
        return words[:start], words[start:]
    start = len(words) - 1
    while start > 1 and words[start - 1].casefold() in _PARTICLES:
        start -= 1
    return words[start:], words[:start]


# --- comparing two names -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Reading:
    """One way to understand a name, in folded letters."""

    families: frozenset[str]
    given: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Key:
    """What is compared of a name."""

    whole: str  # all letters in order
    words: tuple[str, ...]  # those longer than a letter, sorted
    letters: Counter[str]  # the initials
    readings: tuple[_Reading, ...]
    suffix: str
    nickname: str


def _fold(text: str) -> str:
    """Lower case, no accents, no apostrophes; "ü" and "ue" are alike in words of five letters and more."""
    folded = unicodedata.normalize("NFKC", text).casefold().translate(_FOLD)
    bare = "".join(c for c in unicodedata.normalize("NFKD", folded) if not "\u0300" <= c <= "\u036f")
    return _APOSTROPHES.sub("", unicodedata.normalize("NFC", bare))


def _folded_words(text: str) -> tuple[str, ...]:
    words = [word for word in _BREAKS.split(_fold(text)) if word]
    return tuple(_DIGRAPH.sub(r"\1", word) if len(word) >= 5 else word for word in words)


@lru_cache(maxsize=8192)
def _key(name: Name) -> _Key:
    family = _folded_words(name.family)
    given = tuple(word for part in name.given for word in _folded_words(part))
    given = tuple(word for word in given if word not in _PARTICLES or len(word) == 1) or given
    readings = [_Reading(_families(family), given)]
    if not name.inverted:
        if len(given) >= 2 and len(given[-1]) > 1:  # "José Benítez Andrades" and "José Benítez-Andrades"
            readings.append(_Reading(_families((given[-1], *family)), given[:-1]))
        if given and given[0] in _WRITTEN_FIRST and all(len(word) > 1 for word in family):
            readings.append(_Reading(frozenset({given[0]}), (*given[1:], *family)))
        elif not given and len(family) == 1 and len(family[0]) in (2, 3, 4) and _EAST_ASIAN.match(family[0]):
            readings.append(_Reading(frozenset({family[0][:1]}), (family[0][1:],)))
    words = (*given, *family)
    return _Key(
        "".join(words),
        tuple(sorted(word for word in words if len(word) > 1)),
        Counter(word for word in words if len(word) == 1),
        tuple(readings),
        name.suffix,
        "".join(_folded_words(name.nickname)),
    )


def _families(words: tuple[str, ...]) -> frozenset[str]:
    """A family name with and without its particles, written as one word."""
    core = tuple(word for word in words if word not in _PARTICLES) or words
    return frozenset(filter(None, ("".join(words), "".join(core))))


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
    return _same(_key(a), _key(b))


def _same(a: _Key, b: _Key) -> bool:
    if not a.whole or not b.whole or (a.suffix and b.suffix and a.suffix != b.suffix):
        return False
    if a.whole == b.whole:
        return True
    if len(a.words) > 1 and a.words == b.words and (a.letters <= b.letters or b.letters <= a.letters):
        return True  # in another order: "Hamdy A. Taha" and "Taha Hamdy"
    return any(_readings_agree(x, y, a, b) for x in a.readings for y in b.readings)


def _readings_agree(x: _Reading, y: _Reading, a: _Key, b: _Key) -> bool:
    if x.families & y.families:
        eastern = bool(x.families & _WRITTEN_FIRST)
        return (
            _given_agree(x.given, y.given, eastern=eastern)
            or bool(a.nickname and y.given and _words_agree(a.nickname, y.given[0], eastern=eastern))
            or bool(b.nickname and x.given and _words_agree(b.nickname, x.given[0], eastern=eastern))
        )
    if not x.given or not y.given or len(x.given[0]) == 1 or x.given[0] != y.given[0]:
        return False  # a slip in the family name is forgiven only beside the same full given name
    return _given_agree(x.given, y.given, eastern=True) and any(
        _slip(p, q) for p in x.families for q in y.families
    )


def _given_agree(a: tuple[str, ...], b: tuple[str, ...], *, eastern: bool) -> bool:
    """Whether the shorter list of given names runs through the longer, from its first name on."""
    if not a or not b or "".join(a) == "".join(b):
        return True
    short, long = sorted((a, b), key=lambda names: (len(names), names))
    start = 0
    if not _words_agree(short[0], long[0], eastern=eastern):
        if len(long[0]) > 1 or len(short[0]) == 1:
            return False
        start = 1  # "F. Thomson Leighton" is "Thomson Leighton"
    rest = iter(long[start:])
    return all(any(_words_agree(word, other, eastern=eastern) for other in rest) for word in short)


def _words_agree(a: str, b: str, *, eastern: bool) -> bool:
    if a == b:
        return True
    if len(a) == 1 or len(b) == 1:
        return a[0] == b[0]
    if eastern:
        return False
    if b in _SHORT_FORMS.get(a, ()):
        return True
    return (min(len(a), len(b)) >= 3 and (a.startswith(b) or b.startswith(a))) or _slip(a, b)


def _slip(a: str, b: str) -> bool:
    """One letter wrong, missing, added or swapped, in a word of five letters or more, not the first."""
    return min(len(a), len(b)) >= 5 and a[0] == b[0] and OSA.distance(a, b, score_cutoff=1) <= 1


# --- reading a list ----------------------------------------------------------------------------------------

_TITLE = r"(?:\"[^\"\n]{1,300}\"|“[^”\n]{1,300}”|[^\"\n]{1,200}?)"
_LEAD = re.compile(
    r"[\W_]{0,9}(?:(?:the )?(?:names? of the )?(?:author|editor)s?(?:\(s\))?(?: names?| list)?[*_ ]{0,4}[:\-–—]+"
    rf"|(?:the )?(?:author|editor)s?(?: of {_TITLE},?)? (?:is|are):?[*_]{{0,3}}\s|(?:written |edited )?by:? )",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^\s*(?:[-*•‣◦–—]|\(?\d{1,3}[.)\]:])\s*", re.MULTILINE)
_ET_AL = re.compile(
    r",?\s?\b(?:et\.? ?al(?:ii|ia)?\b\.?|(?:(?:and|&) )?(?:many )?others\b|and co-?workers\b)|等",
    re.IGNORECASE,
)
_EDITORS = re.compile(r"[(\[]\s?(?:eds?|editors?|hrsg|authors?)\.?\s?[)\]]", re.IGNORECASE)
_ASIDE = re.compile(r"[(\[]([^()\[\]\n]{0,200})[)\]]")
_SEGMENT = re.compile(r"[;\n]|(?<!\S)(?:and|und|et|with|&)(?!\S)", re.IGNORECASE)
_INITIAL = re.compile(r"\b\w\.(?!\w\w)")
_DIGITS = re.compile(r"\d")
_CAPITALS = re.compile(r"[A-Z]")
_STRANGE = re.compile(r"[^\w\s.,'’‘`´ʼ\-‐‑–·&()]|_")


def parse_authors(reply: str) -> tuple[Name, ...] | None:
    """Read the list of authors that a model was asked for.

    Understands "AUTHORS:" and "The authors of … are" in front, bullets, one name a line, "and", "&", ";",
    "et al.", "(Eds.)", and "Last, First" or "Last, F." pairs between commas.

    Args:
        reply: what the model said; only its first `LONGEST_REPLY` characters and `MOST_AUTHORS` names are read.

    Returns:
        The names in order, each once; `None` if the reply is anything else than a list of authors: a
        refusal, prose, a placeholder, nothing.

    Example:
        >>> [str(name) for name in parse_authors("AUTHORS: Koop, G., & Potter, S. M.")]
        ['G Koop', 'S M Potter']
        >>> parse_authors("I could not find a reference with that title.") is None
        True
    """
    text = unicodedata.normalize("NFKC", reply[:LONGEST_REPLY])[:LONGEST_REPLY]
    cut = len(text) >= LONGEST_REPLY
    text = (
        text.replace("、", ",")
        .replace("**", "")
        .replace("_", " ")
        .replace("\r\n", "\n")
        .replace("\r", "\n")
        .strip()
    )
    led = _LEAD.match(text)
    body = text[led.end() :] if led else text
    names = _parse_body(body, cut=cut)
    if names is None and led and "\n\n" in body:
        names = _parse_body(body.strip().partition("\n\n")[0], cut=False)  # a list, then a remark
    return names


def _parse_body(body: str, *, cut: bool) -> tuple[Name, ...] | None:
    if any(mark in body for mark in "<>{}?!:=@"):
        return None
    plain = _ASIDE.sub(_nickname_only, _EDITORS.sub("", _BULLET.sub("", body)))
    plain = _ET_AL.sub("", plain)
    segments = [_pieces(segment) for segment in _SEGMENT.split(plain)]
    segments = [segment for segment in segments if segment]
    if cut and segments:
        segments[-1].pop()  # it may have lost its end
    pieces = _join([segment for segment in segments if segment])
    if not pieces or not all(_is_name(piece) for piece in pieces):
        return None
    unique = {_key(name).whole: name for name in reversed([parse_name(p) for p in pieces[:MOST_AUTHORS]])}
    return tuple(name for whole, name in reversed(unique.items()) if whole) or None


def _nickname_only(aside: re.Match[str]) -> str:
    """A nickname in brackets stays, anything longer goes: "(also known as …)", "(MIT, Cambridge)"."""
    return f"({aside[1]})" if aside[1].isalpha() else ""


def _pieces(segment: str) -> list[str]:
    pieces = [piece.strip(" \t\"'“”*`。").removesuffix("..") for piece in segment.split(",")]
    return [
        piece
        for piece in pieces
        if piece.strip(". ") and piece.replace(".", "").strip("() ").casefold() not in _DEGREES
    ]


def _join(segments: list[list[str]]) -> list[str]:
    """Pieces between commas, with family names and the given names that follow them put together."""
    if len(segments) > 1 and all(len(segment) == 2 and _is_one_word(segment[0]) for segment in segments):
        return [", ".join(segment) for segment in segments]  # "Dobre, Ana Maria; Floroiu, Roxana"
    joined = [_join_initials(segment) for segment in segments]
    paired = [_paired(segment) for segment in joined]
    if all(pairs or " " in segment[0] for pairs, segment in zip(paired, joined, strict=True)):
        joined = [pairs or segment for pairs, segment in zip(paired, joined, strict=True)]
    return [piece for segment in joined for piece in segment]


def _join_initials(segment: list[str]) -> list[str]:
    """Attach "J. D.", "Jeffrey D." and "Jr." to the family name before them."""
    found: list[str] = []
    open_family = False  # whether the last piece is a family name that may still get its given names
    for piece in segment:
        words = piece.replace(".", " ").split()
        initials = [_are_initials(word) for word in words]
        if open_family and found[-1].isupper() and max(map(len, words)) > 1:
            open_family = False  # "IEEE, ISO"
        if found and len(words) == 1 and words[0].casefold() in _SUFFIXES:
            found[-1] += f", {piece}"
        elif open_family and (
            all(initials) or (initials[-1] and not initials[0] and _is_one_word(found[-1]))
        ):
            found[-1] += f", {piece}"
            open_family = False
        else:
            found.append(piece)
            open_family = not any(initials) and len(words) <= 4
    return found


def _is_one_word(piece: str) -> bool:
    """Whether it is "Ullman" or "van Steen", which needs a given name; "IEEE" and "张伟" do not."""
    if "," in piece or piece.isupper() or _EAST_ASIAN.search(piece):
        return False
    return sum(word.casefold() not in _PARTICLES for word in piece.split()) == 1


def _paired(segment: list[str]) -> list[str] | None:
    """The pieces as family name, given name, family name, given name and so on, if that is what they are."""
    found: list[str] = []
    singles = sum(map(_is_one_word, segment))
    surely = len(segment) >= 6 and 2 * singles > len(segment)  # then "Sawaya, Nicolas Peter" is a pair, too
    pieces = iter(segment)
    for piece in pieces:
        if "," in piece:  # has its given names already
            found.append(piece)
        elif not _is_one_word(piece) or not (given := next(pieces, "")):
            return None
        elif surely or _is_one_word(_INITIAL.sub("", given)):
            found.append(f"{piece}, {given}")
        else:
            return None
    return found


def _is_name(piece: str) -> bool:
    """Whether a piece of a list can be the name of a person or of an organisation."""
    folded = piece.casefold().replace("’", "'")
    words = re.split(r"[\s,]+", piece)
    if len(piece) > LONGEST_NAME or len(words) > 9 or _STRANGE.search(piece):
        return False
    if folded.strip(" .") in _PLACEHOLDERS | _ANSWERS or not _NEVER_NAMES.isdisjoint(
        word.strip("(),.0123456789") for word in folded.split()
    ):
        return False
    if any(
        not word.isalpha() and _DIGITS.search(word) and len(_CAPITALS.findall(word)) < 2 for word in words
    ):
        return False  # "Author 1", but "W3C", "RIPv6 Working Group"
    if _EAST_ASIAN.search(piece):
        return len(piece) <= 24 and max(map(len, words)) <= 12 and not _EAST_ASIAN_PROSE.search(piece)
    small = [word for word in words if word.islower()]
    return len(small) < len(words) and all(word.strip(".") in _PARTICLES | _WORDS_OF_BODIES for word in small)


# --- comparing two lists -----------------------------------------------------------------------------------


def _matched(a: Sequence[_Key], b: Sequence[_Key]) -> int:
    """The size of a largest one-to-one matching (augmenting paths)."""
    edges = [[j for j, other in enumerate(b) if _same(key, other)] for key in a]
    partner: dict[int, int] = {}

    def place(i: int, seen: set[int]) -> bool:
        for j in edges[i]:
            if j not in seen:
                seen.add(j)
                if j not in partner or place(partner[j], seen):
                    partner[j] = i
                    return True
        return False

    return sum(place(i, set()) for i in range(len(a)))


def overlap(a: Sequence[Name], b: Sequence[Name]) -> float:
    """The share of authors that two lists have in common: matched one to one, over all distinct authors.

    Returns:
        A number in [0, 1], 1 for the same authors in any order; 0 if either list is empty (a reply that is no
        list overlaps with nothing). Symmetric.

    Example:
        >>> ours, theirs = parse_authors("A. Aho, J. Ullman"), parse_authors("Jeffrey Ullman, Ravi Sethi")
        >>> round(overlap(ours, theirs), 3)
        0.333
    """
    if not a or not b:
        return 0.0
    matched = _matched([_key(name) for name in a[:MOST_AUTHORS]], [_key(name) for name in b[:MOST_AUTHORS]])
    return matched / (min(len(a), MOST_AUTHORS) + min(len(b), MOST_AUTHORS) - matched)


def agreement(replies: Sequence[str]) -> float | None:
    """How far independent replies about one work name the same authors: mean overlap over all pairs.

    [agrawal2024] section 3.2 with a local comparison in place of a second model call. A reply that is not a list
    of authors overlaps with nothing, as there.

    Returns:
        A number in [0, 1], larger = more likely a real work; `None` for fewer than two replies.

    Example:
        >>> agreement(["Donald A. Norman", "Don Norman", "Sorry, I cannot find it."])
        0.3333333333333333
        >>> agreement(["Donald A. Norman"]) is None
        True
    """
    if len(replies) < 2:
        return None
    lists = [parse_authors(reply) or () for reply in replies]
    overlaps = [overlap(a, b) for a, b in combinations(lists, 2)]
    return sum(overlaps) / len(overlaps)


# --- a quotation and a real work ---------------------------------------------------------------------------


def _quoted(names: Sequence[str]) -> tuple[list[_Key], bool]:
    """The authors of a quotation, and whether it was cut short by "et al."."""
    found: list[_Key] = []
    cut = False
    for text in names[:MOST_AUTHORS]:
        plain, dropped = _ET_AL.subn("", _EDITORS.sub("", text[:LONGEST_REPLY]))
        cut = cut or dropped > 0
        found.extend(_key(parse_name(piece)) for piece in _SEGMENT.split(plain))
    return [key for key in found if key.whole][:MOST_AUTHORS], cut


def contains_author(names: Sequence[str], author: str) -> bool:
    """Whether one of the names may be this author; a family name alone is enough.

    Example:
        >>> contains_author(["Aho, Alfred V.", "Ullman, Jeffrey D."], "Ullman et al.")
        True
    """
    wanted, _ = _quoted([author])
    return any(_same(key, wanted[0]) for key in _quoted(names)[0]) if wanted else False


def authors_agree(
    claimed: Sequence[str], found: Sequence[str], *, found_is_cut: bool = False, claimed_is_cut: bool = False
) -> bool | None:
    """Whether the authors of a quotation are those of the real work.

    Nothing that is claimed may be wrong: each claimed author is one of the work's. Leaving authors out is no
    error. Where the work is known by its first authors only, a claimed author beyond them cannot be checked.

    Args:
        claimed: one name each, as quoted: full names, family names, "Smith et al.", "Smith & Jones".
        found: the work's authors, first ones first.
        found_is_cut: whether the work has more authors than `found` ("et al." among them says so as well).
        claimed_is_cut: whether the quotation ended in "et al."; so it does if a name of it does.

    Returns:
        `True`: they agree. `False`: somebody is claimed who did not write it. `None`: nothing was claimed or
        nothing is known, or those claimed may be among the authors that were cut off.

    Example:
        >>> authors_agree(["Smith et al."], ["John Smith", "Ann Lee"])
        True
        >>> authors_agree(["J. Smith", "E. Stranger"], ["John Smith", "Ann Lee"])
        False
    """
    ours, ours_cut = _quoted(claimed)
    theirs, theirs_cut = _quoted(found)
    if not ours or not theirs:
        return None
    matched = _matched(ours, theirs)
    if matched == len(ours):
        return True
    if not (found_is_cut or theirs_cut):
        return False
    if matched == len(theirs):
        return True  # all that is known is claimed; the rest are names beyond it
    if len(ours) > len(theirs) and not (claimed_is_cut or ours_cut):
        return False  # a full list, longer than what is known, that lacks some of the known
    return None if matched else False
