"""Reference strings of Chinese, Japanese and Korean: GB/T 7714, titles in corner or book brackets, Korean lists of commas."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.eastern_names import (
    cut_off,
    names,
)
from guardrail.references.citations.eastern_tail import YEAR

__all__ = ["SCRIPT", "TERM", "Eastern", "Head", "head_of", "standards"]

SCRIPT = re.compile(r"[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_YEAR = re.compile(rf"(?<!\d){YEAR}(?!\d)")
_KIND = r"\[(?P<kind>[JMCDRNPSGZA]|[A-Z]{1,2}/OL)\]"
_GB = re.compile(
    rf"\s*(?P<authors>(?:\[[\u3400-\u9fff]{{1,4}}\]\s?)?[^.．。\[\]\n]{{1,200}})[.．。]\s*(?:(?P<year>{YEAR})[a-z]?[.．。,，]\s*)?(?P<title>[^\[\]\n]{{2,250}}?)\s*{_KIND}"
    r"(?:\s*//\s*|[.．。,，:：]?\s*)(?P<rest>[^\r\n]{0,300})"
)
_STANDARD = re.compile(
    rf"(?:^|(?<=[:：。；;\n]))[ \t]*(?:[-*•·●▪]\s)?(?P<text>[^\n.．。:：；;\[\]]{{2,120}}[.．。][^\[\]\n]{{2,200}}?{_KIND}[^\n]{{0,300}})",
    re.MULTILINE,
)
_DATE = re.compile(
    rf"(?:^|(?<=[\s,，.．。(（\[])){YEAR}(?![\d\w])(?!\s[A-Z])(?:[-/.]\d{{1,2}}){{0,2}}[\])）]?(?:[(（][\d-]{{1,7}}[)）])?"
    r"(?:[,，]\s?(?:(?:\d{1,4}|[A-Z]{1,3})(?:\s?[(（][\w-]{1,12}[)）])?|[(（]\d{1,3}[)）])|\s?\(\w{1,6}\))?(?:\s?[:：]\s?\w{1,8}(?:[-–—~]\w{1,8})?(?:[,，+]\s?\d{1,5}){0,2})?"
)
_NUMBERS = re.compile(  # behind the journal, where the year is behind the names: 王小明. 2004. 园林综述[J]. 园林学报, 5(3): 1-6
    r"(?:[,，]\s?\d{1,4}(?=\s?[(（:：]))?(?:[,，]?\s?[(（][\w-]{1,12}[)）])?(?:\s?[:：]\s?\w{1,8}(?:[-–—~]\w{1,8})?(?:[,，+]\s?\d{1,5}){0,2})?"
)
_LINKED = re.compile(
    r"[.．。]?\s?(?:\[[\d-]{8,10}\]\s?[.．。]?\s?)?(?:(?:DOI|doi)[:：]\s?|https?://)[\w./:%?=&()#-]{6,300}"
)
_EDITION = re.compile(
    r"^(?:[^.．。:：\n]{2,40}[译譯校訳]|第?\s?[\d一二三四五六七八九十]{1,2}\s?版|修订版|\d(?:st|nd|rd|th) ed)[.．。]\s*"
)
_SHORT_JOURNAL = re.compile(
    r"(?:[A-Z][A-Za-z]{0,9}\.?\s){0,5}[A-Z][A-Za-z]{0,9}\.(?=,\s?(?:19|20)\d\d)"
)  # Angew. Chem. Int. Ed., 2016
_CODE = re.compile(r"[:：]\s*[A-Z]{2,4}/?[A-Z]?\s?\d[\d.—-]*$")
TERM = 5
"""Signs of what somebody calls something: 王小明（2007）的「共生殖民」."""
_NUMBER = re.compile(r"\d")  # in no name, but behind a colon in a title: …: Part 1. Background[J]
_DATED_HEAD = re.compile(rf"[（(]?\s?(?P<year>{YEAR})\s?[年년]?[a-z]?\s?[)）]?")
_LABELLED = re.compile(r"^.*(?:[:：]|】)")
_JOINING = re.compile(
    r"(?:\s?(?:的?[那这這]一?[本部套篇]|的|の|의|が|は|も|に[はも]|在)|[이가]\s(?:쓴|지은|펴낸))\s*$"
)
_ENDS = " \t\u3000.．，,、：:。;；—–-―_*|｜"


@dataclass(frozen=True, slots=True)
class Eastern:
    """A reading: the fields, and which part of the string they are."""

    reference: Reference
    start: int
    end: int


def standards(text: str) -> Iterator[tuple[int, Eastern]]:
    """The references of GB/T 7714 in sentences, each with where its text begins.

    Example:
        >>> [one.reference.title for _, one in standards("见：王小明.园林综述[J].园林学报,2007(7):36-50. 很好。")]
        ['园林综述']
    """
    for match in _STANDARD.finditer(text):
        read = _by_standard(match["text"])
        if read and read.reference.authors and not any(map(_NUMBER.search, read.reference.authors)):
            yield match.start("text"), read


def _by_standard(text: str) -> Eastern | None:
    match = _GB.match(text) if "[" in text[:500] else None
    if match is None:
        return None
    written = match["authors"].strip()
    who = names(written) if SCRIPT.search(cut_off(written)[0]) else None
    who = who or _split(written)
    offset = match.start("rest")
    edition = _EDITION.match(match["rest"])
    offset += edition.end() if edition else 0
    rest = text[offset : match.end()]
    short = _SHORT_JOURNAL.match(rest)
    first = re.match(r"[^,，.．。\n]{1,120}", rest)
    date = _NUMBERS.match(rest, first.end() if first else 0) if match["year"] else _DATE.search(rest)
    bare = _YEAR.search(rest)
    written = match["year"] or (re.findall(YEAR, date[0])[0] if date else bare[0] if bare else "")
    year = int(written) if written else None
    place = (
        short[0]
        if short
        else re.split(r"[,，]|[.．。]\s|[.．。](?=[^\W\d_])", rest, maxsplit=1)[0].strip(" .．。,，")
    )
    parted = match["kind"] not in "JC" and re.search(r"[:：]", place)  # 北京: 清华大学出版社
    venue = re.split(r"[:：]\s*", place)[-1].strip() if parted else place
    venue = (
        re.sub(rf"^{YEAR}\b\W*$|[(（]\d+[)）]$|\s?[(（]?{YEAR}[-\d()（）]*$", "", venue)
        if _YEAR.match(venue[-4:]) or _YEAR.fullmatch(venue)
        else venue
    )
    end = offset + date.end() if date else match.end()
    linked = _LINKED.match(text, end, match.end())
    end = linked.end() if linked else end
    venue = "" if venue.startswith(("(", "[", "（")) else venue  # (2020-03-01)[2021-05-06]
    title = _CODE.sub("", match["title"].strip(" 《》"))
    reference = Reference(title, *who, year, venue)
    return Eastern(reference, match.start("authors"), _end(text, end))


def _split(written: str) -> tuple[tuple[str, ...], bool]:
    """Names in Latin letters, of which each comma ends one: HE K M, ZHANG X Y, et al."""
    bare, cut = cut_off(written)
    return tuple(filter(None, re.split(r"\s*[,，;；]\s*", bare.strip(" ,，")))), cut


@dataclass(frozen=True, slots=True)
class Head:
    """What is before a title: as written, where it begins, who and when, and whether a label was skipped."""

    written: str
    start: int
    names: tuple[str, ...] = ()
    et_al: bool = False
    year: int | None = None
    labelled: bool = False


def head_of(before: str, *, western: bool) -> Head:
    """Read the part of a string before the title; without names in it, `names` is empty.

    Example:
        >>> head_of("**心理学**：土居健郎（1971）", western=False).names
        ('土居健郎',)
    """
    bare = _DATED_HEAD.sub(lambda found: " " * len(found[0]), before)
    head = _JOINING.sub("", bare.rstrip(_ENDS + "（("))
    at = 0
    who = names(head) if len(head) <= 160 else None
    if who is None or (western and SCRIPT.search(cut_off(head)[0]) and bare.rstrip().endswith(("：", ":"))):
        label = _LABELLED.match(head)
        at = label.end() if label else 0
        if label is None and bare.rstrip().endswith(("：", ":")):
            at = len(head)  # 通义千问：[Qwen Technical Report](…)
        head = head[at:]
        who = names(head) if head.strip(_ENDS) else None
    head = head.strip(_ENDS) if re.search(r"\w", head) else ""
    start = before.find(head, at) if head else len(before)
    year = _DATED_HEAD.search(before, max(at, len(before) - 80))
    return Head(head, max(start, 0), *(who or ((), False)), int(year["year"]) if year else None, at > 0)


def _end(text: str, end: int) -> int:
    return len(text[:end].rstrip(" .．。"))
