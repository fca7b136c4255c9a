"""Corrects the names of a reference, whatever read them: words before and behind a name, several run together, people read as a venue."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from guardrail.references.bibliography.journals import journals
from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.eastern import SCRIPT as EASTERN
from guardrail.references.citations.eastern_names import begins_as_name
from guardrail.references.citations.houses import is_press
from guardrail.references.citations.languages import PARTICLES
from guardrail.references.citations.people import body, how_like_names, people
from guardrail.references.citations.venues import is_journal, is_venue

__all__ = ["renamed"]

_PROFESSION = re.compile(r"\A(?:the\s)?(?:[a-z]{5,20}\s){1,3}(?=[^\W\d_a-z][\w.’'-]*\s[^\W\d_a-z])")
_CALLED = re.compile(  # Антрополог Алексей Юрчак
    r"\A(?i:антрополог|историк|социолог|философ|психолог|экономист|писатель|журналист|физик|лингвист|политолог|Historiker(?:in)?|Soziolog(?:e|in)|Philosoph(?:in)?|Autorin|Autor)\s(?=[^\W\d_]+\s[^\W\d_])"
)
_PARTICLES = frozenset({*PARTICLES.split(), "della", "delle", "dello", "degli", "dalla", "vander", "vande"})
_OTHERS = re.compile(
    r"\s(?:and|&)\s(?:co(?:-?workers|-?authors|lleagues)?|dozens|others|(?:a\s)?(?:long\s)?list)\b.*"
)
_LEAD = re.compile(  # a. M.C. Ricklefs; HYVET, by Beckett
    r"\A(?:[a-z]\.\s(?=[^\W\d_a-z])|[A-Z][\w-]{1,20},\s(?:by|par|von|de|por|di)\s(?=[^\W\d_a-z]))"
)
_KINDS = frozenset(["Note", "Comment", "Student Note", "Book Review", "Cite", "Reviewed"])
_NAME = r"[^\W\d_][\w.’'-]*(?:\s[\w.’'-]+){0,2}"
_BOTH = re.compile(rf"(?P<one>{_NAME})\s(?:and|und|et|y|&|\+)\s(?P<other>{_NAME})")
_SITES = frozenset(
    ["YouTube", "Medium", "Substack", "GitHub", "Coursera", "edX", "Vimeo", "Spotify", "TED", "Udemy"]
)
_BODY_DASH = re.compile(
    r"(?P<body>[^\W\d_a-z][^\d:–—]{6,80}?)\s[–—]\s(?P<title>[^\W\d_a-z].{2,300})"
)  # International Energy Agency – Net Zero by 2050
_GENRE = re.compile(r"\s(?:장편\s?소설|소설집|소설|시집|에세이|산문집|저서|책|논문)$|^(?:소설집|시집)$")
_HANGUL, _LONGEST_KOREAN = re.compile(r"[\uac00-\ud7a3]+"), 4
_PRESS = re.compile(
    r"(?:出版(?:社|会|公司|局)?|書房|書店|書院|新書|文庫|新[潮報聞]社|书局|书店|印书馆|출판사|출판부|사)$"
)
_SURE = 2.0  # weight of a surname by itself


def renamed(text: str, said: Reference) -> Reference:
    """What a reference says with its names put right.

    Args:
        text: of the reference.
        said: what was read.

    Example:
        >>> renamed("Talk, Ann Roe, YouTube", Reference("Talk", ("Ann Roe, YouTube",))).venue
        'YouTube'
    """
    said = _parted(text, _of_the_east(text, said)) if said.authors else _named(text, said)
    names = tuple(_bare(text, said.authors))
    if names == said.authors or (not names and not any(name in _KINDS for name in said.authors)):
        return said
    cut = any(_OTHERS.search(name) for name in said.authors)
    return replace(said, authors=names, et_al=said.et_al or cut)


def _bare(text: str, names: Sequence[str]) -> Iterator[str]:
    """Names alone: not "the philosopher Deborah Mayo", and others cut short: "Winawer and co-workers"."""
    for name in names:
        if name in _KINDS:
            continue
        if body(name):
            yield name
            continue
        bare = _OTHERS.sub("", _without_profession(_CALLED.sub("", _LEAD.sub("", name))))
        eastward = bare.replace(", ", "، ")
        both = _BOTH.fullmatch(bare) if len(names) == 1 else None
        if both and not any(map(body, (both["one"], both["other"]))):
            yield from (both["one"], both["other"])  # friedman and schwartz
        elif bare:
            yield eastward if bare not in text and eastward in text else bare


def _without_profession(name: str) -> str:
    particle = name.split(maxsplit=1)[0] in _PARTICLES if name.strip() else True
    return name if particle else _PROFESSION.sub("", name)


def _parted(text: str, said: Reference) -> Reference:
    """With a site, a press or a journal as the venue that was read as a name, and with a body whole that was parted at "and"."""
    if len(said.authors) == 2:
        whole = next((f"{said.authors[0]} {word} {said.authors[1]}" for word in ("and", "&", "und", "et")
                      if f"{said.authors[0]} {word} {said.authors[1]}" in text), "")  # fmt: skip
        one = bool(whole) and body(whole) is not None and body(said.authors[1]) is None
        return replace(said, authors=(whole,)) if one and how_like_names([said.authors[1]]) <= 0 else said
    if len(said.authors) != 1 or said.venue:
        return said
    (name,) = said.authors
    first, comma, last = name.rpartition(", ")
    if comma and " " in first and (last in _SITES or is_press(last)):
        return replace(said, authors=(first,), venue=last)
    if (name.isupper() and is_journal(name)) or (name.count(" ") > 1 and journals(name)):
        return replace(said, authors=(), venue=name)  # (J Int Soc Sports Nutr, 2017)
    return said


def _of_the_east(text: str, said: Reference) -> Reference:
    """With Korean words that are no names taken away, and a publisher in brackets as the venue: 『채식주의자』(창비, 2007)."""
    (name, *others) = said.authors
    if not others and EASTERN.search(name):
        press = _PRESS.search(name) is not None
        placed = re.search(rf"[》』」][(（]{re.escape(name)}[,、，]\s?(?:19|20)\d\d", text) is not None
        if press and "・" in said.venue:  # 『…』スティーヴン・D・レヴィット(東洋経済新報社)
            return replace(said, authors=tuple(re.split("[、,，]", said.venue)), venue=name)
        if not said.venue and (press or (placed and not begins_as_name(name))):
            return replace(said, authors=(), venue=name)
    names = tuple(filter(None, map(_korean, said.authors)))
    return replace(said, authors=names) if names != said.authors else said


def _korean(name: str) -> str:
    """A name without the kind of a book behind it; "" for other words of Korean."""
    bare = _GENRE.sub("", name)
    word = _HANGUL.fullmatch(bare) is not None
    return "" if word and not (len(bare) <= _LONGEST_KOREAN and begins_as_name(bare)) else bare


def _named(text: str, said: Reference) -> Reference:
    """With the names that were read as a venue, in brackets behind the title, or as the beginning of the title."""
    led = _BODY_DASH.fullmatch(said.title)
    if led and " " in led["body"] and body(led["body"]):
        return replace(said, title=led["title"], authors=(led["body"],))
    venue = said.venue
    names = people(venue) if venue and said.title and not is_venue(venue) else None
    if names is None:
        return said
    behind = re.search(
        rf"{re.escape(venue)},\s(?P<venue>[^\W\d_a-z][^,;:()\n]{{1,60}}?),?\s(?:19|20)\d\d", text
    )
    if behind and is_venue(behind["venue"]):  # Akerlof, QJE 1970
        return replace(said, authors=names[0], et_al=names[1], venue=behind["venue"])
    if not _in_brackets(text, said) or how_like_names(names[0]) < (
        1 if len(names[0]) > 1 or " " in venue else _SURE
    ):
        return said
    return replace(said, authors=names[0], et_al=names[1], venue="")  # »Unterleuten« (Juli Zeh, 2016)


def _in_brackets(text: str, said: Reference) -> bool:
    at = text.find(said.title)
    behind = text[at + len(said.title) :].lstrip(' *_"”“’»«')
    return (
        at >= 0
        and re.match(rf"\(\[?{re.escape(said.venue)}(?:\)|,\s(?:1[4-9]|20)\d\d\))", behind) is not None
    )
