"""Whether two names may be one venue: pure functions on words.

Venues have many names ("NIPS", "NeurIPS", "Advances in Neural Information Processing Systems 30"). `same_venue` confirms
and never refutes; `compare_venues` refutes only where the work's own venue is one that a list knows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from guardrail.references.authors.words import word_set
from guardrail.references.bibliography.conferences import named, series_of
from guardrail.references.bibliography.journals import journals
from guardrail.references.bibliography.normalise import normalise, squeeze
from guardrail.references.bibliography.records import FieldCheck, Outcome
from guardrail.references.bibliography.titles import FUNCTION_WORDS

# Words that stand before or behind any conference's name. Not "journal", "workshop", "findings": another venue.
GENERIC = word_set(
    "proceedings proc annual meeting conference conf international intl ieee acm cvf vol volume no number pp pages "
    "preprint eprint abs st nd rd th"
)
MEETINGS = frozenset({"proceedings", "proc", "conference", "conf", "meeting", "symposium"})
SAME = {
    "nips": "advances neural information processing systems",
    "neurips": "advances neural information processing systems",
    "corr": "arxiv",
    "jmlr": "journal machine learning research",
    "pami": "transactions pattern analysis machine intelligence",
    "tpami": "transactions pattern analysis machine intelligence",
}
ACRONYM = re.compile(r"[A-Z][A-Za-z]*[A-Z][A-Za-z]*")
NUMBERED = re.compile(r"\d+(?:st|nd|rd|th)?|[a-z]{0,2}\d[\da-z]*")
_EAST, _CYRILLIC = re.compile(r"[\u3041-\u9fff\uac00-\ud7a3]"), re.compile(r"[\u0400-\u04ff]")
LONGEST = 300  # characters of a venue that are read
# What a reference has in place of a venue: who publishes it.
PUBLISHERS = word_set(
    "aaai aclweb acm anthology associates association birkhauser blackwell cambridge computing curran elsevier ieee inc "
    "kaufmann machinery mit morgan openreview oxford press publisher publishers publishing sage sons springer "
    "taylor francis usenix university verlag wiley"
)
# Words and signs that many publishers have in their names.
_OF_HOUSES = word_set(
    "press presses university universities publisher publishers publishing publications books book editions house company "
    "verlag editions editeur editorial editores ediciones editora edicoes edizioni editore editori uitgeverij forlag wydawnictwo "
    "издательство университета университет"
)
_HOUSE_SIGNS = re.compile(
    r"出版社|出版公司|出版集团|出版|大学|大學|印书馆|書館|书局|書局|书店|書店|書房|書院|新書|文庫|선서|문고|출판사|출판부|출판|대학교|대학"
)
_ALIKE = 7  # letters at the beginning of two names, from which they are spellings of one
_CAPITALS = re.compile(r"(?:[^\W\d_a-zа-я]\.?){2,8}")
CUT = 40  # characters after which some bibliographies cut a venue
MOST_WORDS = 30
SHARED = 0.75  # of the longer name's words; less is another venue ("Nature", "Nature Communications")


def same_venue(claimed: str, found: str) -> bool:
    """Whether the two names surely mean one venue; `False` where that is not certain.

    Example:
        >>> same_venue("NeurIPS", "Advances in Neural Information Processing Systems 30")
        True
        >>> same_venue("CVPR 2016", "IEEE Conference on Computer Vision and Pattern Recognition")
        True
        >>> same_venue("J. Mach. Learn. Res.", "Journal of Machine Learning Research")
        True
        >>> same_venue("Nature", "Nature Communications")
        False
    """
    claimed, found = claimed[:LONGEST], found[:LONGEST]
    one, other = normalise(claimed), normalise(found)
    if not one or not other:
        return False
    if squeeze(one) == squeeze(other):
        return True
    ours, theirs = _words(one), _words(other)
    if not ours or not theirs:
        return False
    return (
        _shared(ours, theirs) >= SHARED or _short_for(claimed, ours, other) or _short_for(found, theirs, one)
    )


def compare_venues(claimed: str, found: str) -> FieldCheck:
    """Compare a claimed venue with the one that a record has.

    Returns:
        `CONFIRMED`; `NEAR` for a preprint of what was printed, for print of which only a preprint is known, and for a series
        ("how" is "preprint", "published", "series"); `DIFFERS` if the record's venue is one that a list knows and no name of
        it fits: "another" known venue, a "workshop" or "findings" against the conference itself; else `OPEN`, with "unknown"
        where the record's venue is known and no list has the claimed one.

    Example:
        >>> compare_venues("PMLR 119", "ICML").outcome.value, compare_venues("ICCV", "CVPR").how
        ('near', 'another')
    """

    def check(outcome: Outcome, how: str = "", note: str = "") -> FieldCheck:
        return FieldCheck("venue", outcome, claimed, found, how, note)

    ours, theirs = named(claimed), named(found)
    if (ours and ours == theirs) or same_venue(claimed, found):
        return check(Outcome.CONFIRMED)
    if not ours and only_publishes(claimed):
        words = _words(normalise(claimed[:LONGEST]))
        return check(Outcome.OPEN, "publisher", "a publisher, and no venue" if words else "")
    if ours and ours.conference.preprint:
        return check(Outcome.NEAR, "preprint", "a preprint of what was printed elsewhere")
    if theirs and theirs.conference.preprint:
        return check(Outcome.NEAR, "published", "only its preprint is known")
    if ours and theirs and ours.conference == theirs.conference:
        how = ours.beside or theirs.beside
        return check(Outcome.DIFFERS, how, f"its {how} and the conference itself are two venues")
    if theirs and (series := series_of(claimed)):
        fits = series in theirs.conference.series
        return check(
            Outcome.NEAR if fits else Outcome.OPEN, "series", "a series that publishes it" if fits else ""
        )
    if ours and theirs:
        return check(Outcome.DIFFERS, "another")
    known, other = journals(found), journals(claimed)
    if known & other or any(same_venue(one, two) for one in other or {claimed} for two in known or {found}):
        return check(Outcome.CONFIRMED)
    if theirs is None and (not known or len(found) == CUT):
        return check(Outcome.OPEN)
    if ours or other:
        return check(Outcome.DIFFERS, "another")
    return check(Outcome.OPEN, "unknown", f"no list of venues has this name; the work appeared in {found}")


def publishes(name: str) -> bool:
    """Whether a name has a word of publishers: Science Press."""
    return not PUBLISHERS.isdisjoint(normalise(name[:LONGEST]).split())


def only_publishes(name: str) -> bool:
    """Whether a name is a publisher's and no venue: Elsevier, MIT Press. AAAI Fall Symposium is a venue."""
    return PUBLISHERS.issuperset(_words(normalise(name[:LONGEST])))


def unlike(claimed: str, found: str) -> bool:
    """Whether two names have nothing in common but words that many venues have: no word, no beginning of a word, no initials; of one script.

    Example:
        >>> unlike("Annals of Imaginary Physics", "Econometrica"), unlike("P. Natl. Acad. Sci.", "National Academy of Sciences")
        (True, False)
        >>> unlike("Harvard University Press", "Cambridge University Press"), unlike("CUP", "Cambridge University Press")
        (True, False)
    """
    claimed, found = claimed[:LONGEST], found[:LONGEST]
    if _script(claimed) != _script(found) or _is_acronym(claimed, found) or _is_acronym(found, claimed):
        return False
    if squeeze(normalise(claimed))[:_ALIKE] == squeeze(normalise(found))[:_ALIKE]:  # O'Reilly, OReilly Media
        return False
    ours, theirs = (_telling(_words(normalise(_HOUSE_SIGNS.sub("", name)))) for name in (claimed, found))
    if not ours or not theirs:
        return False
    shared = any(len(one) > 1 < len(other) and _abbreviates(one, other) for one in ours for other in theirs)
    if _script(claimed) == "east":  # words are not parted: two signs in common
        plain, whole = (_HOUSE_SIGNS.sub("", name) for name in (claimed, found))
        shared = shared or any(plain[at : at + 2] in whole for at in range(len(plain) - 1))
        shared = shared or plain[:1] == whole[:1]  # 中华书局, 中華書局
    initials = ["".join(word[0] for word in name) for name in (ours, theirs)]
    return (
        not shared
        and "".join(ours) not in initials[1]
        and "".join(theirs) not in initials[0]
        and (initials[0] != initials[1] or len(initials[0]) == 1)
    )


def _telling(words: Sequence[str]) -> list[str]:
    """The words that tell one publisher from another; all of them if there are no others."""
    return [word for word in words if word not in _OF_HOUSES] or list(words)


def _is_acronym(short: str, long: str) -> bool:
    """Whether capitals may stand for a name: PUF, the Presses universitaires de France; МГУ, the Московский университет."""
    letters = "".join(filter(str.isalpha, short)).casefold()
    words = re.findall(r"[^\W\d_]+", long.casefold())
    if letters and letters == "".join(word[0] for word in words):  # dtv
        return True
    if not _CAPITALS.fullmatch(short.strip()) or not words:
        return False
    initials, at, inside = "".join(word[0] for word in words), 0, 0
    for letter in letters:
        place = initials.find(letter, at)
        inside, at = (inside + 1, place + 1) if place >= 0 else (inside, at)
    return letters[0] in initials[:2] and inside >= len(letters) - 1


def _script(name: str) -> str:
    if _EAST.search(name):
        return "east"
    return "cyrillic" if _CYRILLIC.search(name) else "latin"


def _words(normalised: str) -> list[str]:
    """The words that tell one venue from another, each once, well-known acronyms spelt out."""
    found: list[str] = []
    for word in normalised.split()[:MOST_WORDS]:
        plain = word.rstrip("0123456789") or word
        if plain not in FUNCTION_WORDS | GENERIC and not NUMBERED.fullmatch(word):
            found += SAME.get(plain, plain).split()
    return list(dict.fromkeys(found))


def _shared(ours: Sequence[str], theirs: Sequence[str]) -> float:
    """The share of the longer name's words that the other has, too, in its order; abbreviations count."""
    short, long = sorted((ours, theirs), key=len)
    rest = iter(long)
    if not all(any(_abbreviates(word, other) for other in rest) for word in short):
        return 0.0
    return len(short) / len(long)


def _abbreviates(word: str, other: str) -> bool:
    return word.startswith(other) or other.startswith(word)


def _short_for(raw: str, words: Sequence[str], name: str) -> bool:
    """Whether a name is one acronym, and the other spells it out or has it beside a word for a meeting."""
    if len(words) != 1 or len(words[0]) < 3:
        return False
    acronym = words[0]
    if not any(found.group().lower() == acronym for found in ACRONYM.finditer(raw)):
        return False
    parts = [w for w in name.split()[:MOST_WORDS] if w not in FUNCTION_WORDS and not NUMBERED.fullmatch(w)]
    if acronym in parts and MEETINGS.intersection(parts):
        rest = [word for word in parts if word != acronym and word not in GENERIC]
        return not {"workshop", "workshops", "findings", "companion", "abstracts", "student"}.intersection(
            rest
        )
    initials = "".join(word[0] for word in parts)
    at = initials.rfind(acronym)
    outside = parts[:at] + parts[at + len(acronym) :]
    return at >= 0 and all(word in GENERIC for word in outside)
