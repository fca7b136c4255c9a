"""Reference strings of Chinese, Japanese and Korean: GB/T 7714, titles in corner or book brackets, Korean lists of commas."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.eastern_names import (
    AUTHOR,
    EAST,
    cut_off,
    is_short,
    names,
    without_volumes,
)
from guardrail.references.citations.eastern_tail import CITY, HOUSE, YEAR, behind

__all__ = ["SCRIPT", "TERM", "Eastern", "Head", "eastern", "head_of", "standards"]

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
_TITLE = re.compile(
    rf"(?P<f>「[^「」\r\n]{{1,60}}」[のとは][{EAST}]{{1,30}})(?![^\s\u3000，、,.．。])|"  # 「甘え」の構造
    r"^\W{0,4}\*\*(?P<bold>[^*《》「『』“”\n]{2,160}|「[^「」*\n]{2,30}」[^*「」\n]{1,60})\*\*(?=[\s　]?[（(]|\s[-–—]\s|——|，)|『(?P<a>[^『』\n]{2,200})』|《(?P<c>(?:[^《》\n]|《[^《》\n]{1,60}》){1,200})》|「(?P<b>[^「」\n]{2,200})」|〈(?P<d>[^〈〉\n]{2,200})〉|<(?P<k>[\uac00-\ud7a3][^<>\n]{1,120})>|“(?P<e>[^“”\n]{2,200})”|\"(?P<g>[^\"\n]{2,200})\""
)
_WESTERN = re.compile(
    r"《(?P<c>[^《》\n]{4,250})》|『(?P<a>[^『』\n]{4,250})』|「(?P<b>[^「」\n]{4,250})」|“(?P<e>[^“”\n]{4,250})”|\"(?P<g>[^\"\n]{4,250})\""
    r"|\*{1,2}(?P<h>[^*《》「」『』“”\n]{4,250})\*{1,2}|\[(?P<link>[^\[\]\n]{4,250})\]\([^()\s]{4,300}\)"
    r"|^\s*(?P<bare>[A-Z][\w .:’'&-]{2,200}?)(?=（[^（）\n]{2,80}\d{4}[^（）\n]{0,12}）)"
)
TERM = 5
"""Signs of what somebody calls something: 王小明（2007）的「共生殖民」."""
_ARTICLE = frozenset("bdeg")
"""Groups of titles that may be those of articles, with the journal behind them."""
_NUMBER = re.compile(r"\d")  # in no name, but behind a colon in a title: …: Part 1. Background[J]
_FULL = re.compile(r"[（）：，、；。「」『』《》]")
_DATED_HEAD = re.compile(rf"[（(]?\s?(?P<year>{YEAR})\s?[年년]?[a-z]?\s?[)）]?")
_LABELLED = re.compile(r"^.*(?:[:：]|】)")
_SIGNED_BY = re.compile(  # behind a bold title: （王小明著，1948年）, - 约翰·史密斯
    rf"\W{{1,5}}(?:[{EAST}·・、,]+[·・\s][{EAST}·・、,\s]+$|[^（）()\n]{{2,40}}?{AUTHOR}(?=\W|$))"
)
_THE_SAME = re.compile(r"(?:(?:같은|동일)\s?(?:저자|연구진|연구팀)|同[一じ]?[作著]者)\Z")
_JOINING = re.compile(
    r"(?:\s?(?:的?[那这這]一?[本部套篇]|的|の|의|が|は|も|に[はも]|在)|[이가]\s(?:쓴|지은|펴낸))\s*$"
)
_ENDS = " \t\u3000.．，,、：:。;；—–-―_*|｜"
_KOREAN = re.compile(
    r"\s*(?P<authors>[\uac00-\ud7a3]{2,4}(?:\s?외|(?:\s?[·,]\s?[\uac00-\ud7a3]{2,4}){0,4}))\s?[,.]\s+(?P<title>[^,.\r\n]{2,120}?)[,.]\s+"
    r"(?P<venue>[^,.\r\n]{2,60}?)[,.]\s+(?P<year>(?:19|20)\d\d)\s?[.년]?"
)
_DATED = re.compile(
    rf"\s*(?P<authors>[{EAST}][{EAST}A-Z.．·・、，,&;；\s]{{1,60}}?)\s?[（(](?P<year>{YEAR})[年년]?[)）](?:\s?[.．。,，:：]\s*|\s+)(?P<title>[^\r\n『「《“.．。]{{2,160}}?)(?:[.．。](?P<rest>[^\r\n|]{{0,200}})|\u3000(?P<house>[{EAST}A-Z]{{2,20}})[.．。]?\s*$)"
)
_LONGEST_NAME = 6  # letters of a name that only its place shows to be one
_STROKED = re.compile(
    rf"\s*(?P<title>[^/／|\n『「《“\"]{{2,80}}?)\s[/／]\s(?P<authors>[^/／\n]{{2,40}}?)\s[/／]\s(?P<venue>[^/／\n]{{2,40}}?)(?:\s[/／]\s|[,，]\s?)(?P<year>{YEAR})[年년]?"
)
_DASHED = re.compile(
    rf"\s*(?P<authors>[{EAST}・·]{{2,20}})\s?[―—–]\s?(?P<title>[^（(\n『「《“\"]{{2,80}}?)\s?[（(](?P<venue>[^（）()\d]{{2,30}}?)[、,，\s]\s?(?P<year>{YEAR})[年년]?[）)]"
)
_STOPPED = re.compile(
    rf"\s*(?P<authors>[{EAST}][^.．。\n\d\[\]:：]{{1,100}})(?:[.．。]\s*(?P<title>[^.．。\n]{{4,160}})[.．。]\s*(?:[^.．。\n]{{2,20}}[译譯訳][.．。]\s*)?(?P<venue>[^.．。,，\n]{{2,60}})[.．。,，]"
    rf"|[:：]\s?(?P<other>[^,，\n]{{4,160}})[,，]\s?(?P<journal>[^,，\n]{{2,60}}(?:論文誌|学会誌|雑誌|紀要|学报|學報|会議|シンポジウム|大会))[,，])(?P<rest>[^\n]{{0,200}})"
)
_THESIS = re.compile(
    r"\s?(?:(?:博士|硕士|碩士|修士)(?:学位|學位)?(?:论文|論文)|(?:박사|석사)\s?학위\s?논문)$"
)
_EDITION_BEHIND = re.compile(
    r"\s?[（(]\s?(?:제?\s?\d{1,2}\s?판|第\s?[\d一二三四五六七八九十]{1,3}\s?版|개정(?:증보)?판|修订版|修訂版|改訂版|新版)\s?[)）]$"
)


@dataclass(frozen=True, slots=True)
class Eastern:
    """A reading: the fields, and which part of the string they are."""

    reference: Reference
    start: int
    end: int


def eastern(text: str) -> Eastern | None:
    """Read a reference string in one of these scripts; `None` if it is none of the known forms.

    Example:
        >>> found = eastern("刘峤, 李杨, 等. 知识图谱构建技术综述[J]. 计算机研究与发展, 2016, 53(3): 582-600.")
        >>> found.reference.title, found.reference.authors, found.reference.et_al, found.reference.venue
        ('知识图谱构建技术综述', ('刘峤', '李杨'), True, '计算机研究与发展')
        >>> eastern("金水敏『ヴァーチャル日本語 役割語の謎』岩波書店, 2003年").reference.venue
        '岩波書店'
        >>> eastern("朱自清等，2017，“Attention Is All You Need”，NeurIPS").reference.venue
        'NeurIPS'
    """
    if not (SCRIPT.search(text, 0, 400) or _FULL.search(text, 0, 400)):
        return _by_standard(text)  # Deep learning[J]. Nature, 2015
    return (
        _by_standard(text)
        or _by_strokes(text)
        or _by_brackets(text)
        or _by_commas(text)
        or _by_date(text)
        or _by_stops(text)
    )


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


def _by_strokes(text: str) -> Eastern | None:
    """제목 / 저자 / 출판사 / 2004, and 著者 ― 題名（出版社 1966）."""
    for pattern in (_STROKED, _DASHED):
        match = pattern.match(text)
        who = names(match["authors"]) if match and SCRIPT.search(match["title"]) else None
        if match and who and all(len(name) <= _LONGEST_NAME for name in who[0]):
            reference = Reference(match["title"].strip(), *who, int(match["year"]), match["venue"].strip())
            return Eastern(reference, match.start("title" if pattern is _STROKED else "authors"), match.end())
    return None


def _by_stops(text: str) -> Eastern | None:
    """王小明. 绿地与健康. 园林学报, 2010, 3(2): 1-9; 山田太郎: 木の認識, 電子情報通信学会論文誌, Vol.1 (2007)."""
    match = _STOPPED.match(text)
    who = names(match["authors"]) if match else None
    date = _DATE.search(match["rest"]) if match else None
    title = (match["title"] or match["other"]) if match else ""
    if match is None or who is None or date is None or not SCRIPT.search(title):
        return None
    if not all(is_short(name) for name in who[0]):
        return None
    venue = re.split(r"[:：]\s*", (match["venue"] or match["journal"]).strip())[-1]
    year = int(re.findall(YEAR, date[0])[0])
    return Eastern(
        Reference(title.strip(), *who, year, venue), match.start("authors"), match.start("rest") + date.end()
    )


def _split(written: str) -> tuple[tuple[str, ...], bool]:
    """Names in Latin letters, of which each comma ends one: HE K M, ZHANG X Y, et al."""
    bare, cut = cut_off(written)
    return tuple(filter(None, re.split(r"\s*[,，;；]\s*", bare.strip(" ,，")))), cut


def _by_brackets(text: str) -> Eastern | None:
    """Author『title』publisher, year; 《title》，author著，publisher，year; author「article」『journal』."""
    match = _TITLE.search(text, 0, 400)
    if match is None or not SCRIPT.search(match[0]):
        match = _western(text)
    if match is None:
        return None
    group = str(match.lastgroup)
    head = head_of(text[: match.start()], western=not SCRIPT.search(match[group]))
    if head.written and not head.names and not _THE_SAME.search(head.written):
        return None
    found = behind(
        text,
        match.end(),
        authors=bool(head.names),
        year=head.year is not None,
        article=group in _ARTICLE or not SCRIPT.search(match[group]),
    )
    authors, et_al = (head.names, head.et_al) if head.names else (found.authors, found.et_al)
    year = head.year or found.year
    known = found.identified or group == "link"
    if not authors and not (year and found.venue) and not known and not HOUSE.search(found.venue):
        return None
    if group in _ARTICLE and head.year and not found.venue and len(match[group]) <= TERM:
        return None
    if not SCRIPT.search(match[0]) and not (year or found.venue or known):
        return None
    if group in ("bare", "e", "g") and not (authors and year):
        return None
    if group == "bold" and not (authors and (found.venue or _SIGNED_BY.match(text, match.end(), found.end))):
        return None
    reference = Reference(without_volumes(match[group].strip(" *,，")), authors, et_al, year, found.venue)
    return Eastern(reference, head.start if head.written else match.start(), found.end)


def _western(text: str) -> re.Match[str] | None:
    """A title in Latin letters with full-width punctuation or one of the scripts right before or behind it."""
    match = _WESTERN.search(text, 0, 400)
    if match is None or SCRIPT.search(match[str(match.lastgroup)]):
        return None
    around = text[max(0, match.start() - 2) : match.start()] + text[match.end() : match.end() + 2]
    return match if _FULL.search(around) or match.lastgroup in ("a", "b", "c") else None


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


def _by_commas(text: str) -> Eastern | None:
    match = _KOREAN.match(text)
    who = names(match["authors"]) if match else None
    if match is None or who is None or not SCRIPT.search(match["title"]):
        return None
    reference = Reference(match["title"].strip(), *who, int(match["year"]), match["venue"].strip())
    return Eastern(reference, match.start("authors"), match.end())


def _by_date(text: str) -> Eastern | None:
    match = _DATED.match(text)
    who = names(match["authors"]) if match else None
    if match is None or who is None or not SCRIPT.search(match["title"]):
        return None
    rest = (match["rest"] or match["house"] or "").strip()
    city = CITY.match(rest)
    venue = re.split(r"[,，.．。(（]", rest[city.end() if city else 0 :], maxsplit=1)[0].strip("《》『』 *_")
    title, venue = _EDITION_BEHIND.sub("", match["title"].strip()), _THESIS.sub("", venue)
    reference = Reference(title, *who, int(match["year"]), venue)
    return Eastern(reference, match.start("authors"), _end(text, match.end()))


def _end(text: str, end: int) -> int:
    return len(text[:end].rstrip(" .．。"))
