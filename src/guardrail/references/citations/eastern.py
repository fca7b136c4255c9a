"""Reference strings of Chinese, Japanese and Korean: GB/T 7714, titles in corner or book brackets, Korean lists of commas."""

from __future__ import annotations

import re
from dataclasses import dataclass

from guardrail.references.bibliography.records import Reference

__all__ = ["SCRIPT", "Eastern", "eastern"]

SCRIPT = re.compile(r"[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_HAN = r"\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3"
_YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")
_GB = re.compile(
    r"\s*(?P<authors>[^.．。\[\]]{1,200})[.．。]\s*(?P<title>[^\[\]]{2,250}?)\s*\[(?P<kind>[JMCDRNPSGZA]|[A-Z]{1,2}/OL)\]"
    r"(?:\s*//\s*|[.．。,，:：]?\s*)(?P<rest>[^\r\n]{0,300})"
)
_KIND = re.compile(r"\w\[(?:[JMCDRNPS]|[A-Z]{1,2}/OL)\]\s?(?:[.．。]|//)")
_EDITION = re.compile(r"^\d{1,2}版[.．。]\s*")
_CODE = re.compile(r"[:：]\s*[A-Z]{2,4}/?[A-Z]?\s?\d[\d.—-]*$")
_TITLE = re.compile(
    rf"(?P<f>「[^「」\r\n]{{1,60}}」[のとは][{_HAN}]{{1,30}})(?![^\s\u3000，、,.．。])|"  # 「甘え」の構造
    r"『(?P<a>[^『』]{2,200})』|「(?P<b>[^「」]{2,200})」|《(?P<c>[^《》]{1,200})》|〈(?P<d>[^〈〉]{2,200})〉|“(?P<e>[^“”]{2,200})”"
)
_CONTAINER = re.compile(r"[\s,，、.]{0,3}(?:[『《](?P<name>[^『』《》]{2,120})[』》])")
_JOURNAL = re.compile(r"\s*[,，、]\s*《(?P<name>[^《》]{2,60})》")
_PRESS_AND_YEAR = re.compile(
    r"[*_\s]{0,4}[（(](?P<press>[^（）()\d,，、]{2,30})[,，、]\s?(?:1[5-9]|20)\d\d年?[）)]"
)
_KATAKANA = re.compile(r"[\u30a1-\u30fa]{3}")
_CUT = re.compile(r"(?:[,，、 ]?\s?(?:等人?|ほか|ら|외|et al)[.．]?)$")
_ROLE = re.compile(
    r"(?:\s*(?:等?(?:编著|主编|編著|編|编|著|撰|译|訳|지음|옮김|저|편|엮음)))+(?=[\s,，、;；.．]|$)"
)
_NAME = re.compile(
    rf"(?:\[[^\[\]]{{1,3}}\]\s?)?(?:[{_HAN}][{_HAN}·・\s]{{0,24}}[{_HAN}]|[A-Z][\w.’' -]{{1,40}})"
)
_AUTHORS_AFTER = re.compile(
    rf"[*_\s]{{0,4}}[（(,，、—–-]{{0,2}}\s*(?:作者[:：为是]?\s*|저자[:：]?\s*|by\s)?(?P<names>[{_HAN}][{_HAN}·・]{{1,12}}?(?:[、&＆][{_HAN}·・]{{2,12}}?){{0,4}}(?:等)?)"
    r"(?:\s*(?:编著|編著|主编|著|编|編|지음|저)(?=[\s,，、）)；;。.]|$)|(?=[，,、]|\s?[（(]))"
)
_PUBLISHER = re.compile(
    rf"(?:[{_HAN}]{{2,6}}[:：]\s*)?(?P<name>[{_HAN}A-Za-z][{_HAN}\w .&·・-]{{0,40}}?(?:出版社|出版|印书馆|印書館|书局|書局|書店|書房|新書|文庫|选书|選書|社|館|会|堂|대학교출판부|출판부|출판사|출판|사|문화사|북스|大学|大學|大学院|대학교|학회|学会|學會|学报|学刊|研究|杂志|雑誌|論集|紀要))"
    r"(?=[\s,，、.。;；:：()（）]|\d|$)"
)
_KOREAN = re.compile(
    r"\s*(?P<authors>[\uac00-\ud7a3]{2,4}(?:\s?외|(?:\s?[·,]\s?[\uac00-\ud7a3]{2,4}){0,4}))\s?[,.]\s+(?P<title>[^,.\r\n]{2,120}?)[,.]\s+"
    r"(?P<venue>[^,.\r\n]{2,60}?)[,.]\s+(?P<year>(?:19|20)\d\d)\s?[.년]?"
)
_DATED = re.compile(
    rf"\s*(?P<authors>[{_HAN}][{_HAN}·・、，,&;；\s]{{1,60}}?)\s?[（(](?P<year>(?:1[5-9]|20)\d\d)年?[)）]\s?[.．。,，:：]?\s*(?P<title>[^\r\n『「《“.．。]{{2,160}}?)[.．。](?P<rest>[^\r\n]{{0,200}})"
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
    """
    if not SCRIPT.search(text, 0, 400):
        return _by_standard(text) if _KIND.search(text, 0, 400) else None  # Deep learning[J]. Nature, 2015
    return _by_standard(text) or _by_brackets(text) or _by_commas(text) or _by_date(text)


def _by_standard(text: str) -> Eastern | None:
    match = _GB.match(text)
    if match is None:
        return None
    names, cut = _names(match["authors"])
    rest = _EDITION.sub("", match["rest"])
    year = _YEAR.search(rest)
    place = re.split(r"[,，]|[.．。]\s", rest, maxsplit=1)[0].strip(" .．。,，")
    parted = match["kind"] != "J" and re.search(r"[:：]", place)  # 北京: 清华大学出版社
    venue = re.split(r"[:：]\s*", place)[-1].strip() if parted else place
    reference = Reference(
        _CODE.sub("", match["title"].strip()),
        names,
        cut,
        int(year[1]) if year else None,
        "" if _YEAR.fullmatch(venue) else venue,
    )
    return Eastern(reference, match.start("authors"), _end(text, match.end()))


def _by_brackets(text: str) -> Eastern | None:
    """Author『title』publisher, year; 《title》，author著，publisher，year; author「article」『journal』."""
    match = _TITLE.search(text, 0, 400)
    if match is None or not SCRIPT.search(match[0]):
        return None
    group = str(match.lastgroup)
    before = text[: match.start()]
    year = _YEAR.search(before)
    head = re.sub(r"[（(]?\s*(?:1[5-9]|20)\d\d年?\s*[)）]?", "", before).strip(" .,，、：:。—–-*_")
    names: tuple[str, ...] = ()
    cut = False
    if head:
        head = re.sub(r"(?:的|の|의)\s*$", "", head)
        labelled = re.search(r".*[:：]", head)  # **心理学**：土居健郎（1971）『「甘え」の構造』
        head = head[labelled.end() :].strip(" *_") if labelled else head
        names, cut = _names(head)
        if not names or not all(_NAME.fullmatch(name) for name in names) or len(head) > 60:
            return None
    at = match.end()
    venue = ""
    container = _CONTAINER.match(text, at) if group in {"b", "d", "e"} else None
    if container:
        venue, at = container["name"], container.end()
    after = None if names else _AUTHORS_AFTER.match(text, at)
    if after and not _PUBLISHER.fullmatch(after["names"]):
        names, cut = _names(after["names"])
        at = after.end()
        if len(names) > 1 and (_PUBLISHER.fullmatch(names[-1]) or _KATAKANA.search(names[-1])):
            names, venue = names[:-1], names[-1]  # （斎藤康毅、オライリー・ジャパン、2016年）
    if not venue and group in {"c", "e"} and (container := _JOURNAL.match(text, at)):
        venue, at = container["name"], container.end()
    line = text[at : at + 120].split("\n", maxsplit=1)[0]
    place = _PUBLISHER.search(line)
    if not venue and place and place.start() < 40:
        venue = place["name"].strip()
    if not venue and (dated := _PRESS_AND_YEAR.match(line)):
        venue = dated["press"].strip()  # 최장집 (후마니타스, 2002)
    later = _YEAR.search(line)
    last = max(place.end() if place else 0, later.end() if later else 0)
    found = year or later
    if not names and not (found and venue):
        return None
    if last:
        closing = re.match(
            r"年?\s*(?:[，,、]?\s*(?:第?\d{1,4}[卷巻号期호권页頁~〜–-]{0,3}\s*){0,4})?(?:[pP]{1,2}\.\s?\d+(?:[-–~〜]\d+)?)?[)）]?",
            line[last:],
        )
        last += closing.end() if closing else 0
    reference = Reference(match[group].strip(), names, cut, int(found[1]) if found else None, venue)
    start = text.find(head, 0, match.start()) if head else match.start()
    return Eastern(reference, max(start, 0), at + last)


def _by_commas(text: str) -> Eastern | None:
    match = _KOREAN.match(text)
    if match is None or not SCRIPT.search(match["title"]):
        return None
    names, cut = _names(match["authors"])
    reference = Reference(match["title"].strip(), names, cut, int(match["year"]), match["venue"].strip())
    return Eastern(reference, match.start("authors"), match.end())


def _by_date(text: str) -> Eastern | None:
    match = _DATED.match(text)
    if match is None or not SCRIPT.search(match["title"]):
        return None
    names, cut = _names(match["authors"])
    if not names or not all(_NAME.fullmatch(name) for name in names):
        return None
    venue = re.split(r"[,，.．。(（]", match["rest"].strip(), maxsplit=1)[0].strip()
    venue = re.split(r"[:：]\s*", venue)[-1].strip()
    reference = Reference(match["title"].strip(), names, cut, int(match["year"]), venue)
    return Eastern(reference, match.start("authors"), _end(text, match.end()))


def _names(written: str) -> tuple[tuple[str, ...], bool]:
    """The names of a list, and whether it is cut short."""
    text = _ROLE.sub("", written.strip(" .．。,，、:："))
    cut = _CUT.search(text)
    text = text[: cut.start()] if cut else text
    names = [
        name.strip(" .．。")
        for name in re.split(
            r"\s*(?:[,，、;；&＆·]|・(?=[\u3400-\u9fff])|(?<=[\u3400-\u9fff])(?<![\u3400-\u9fff]{5})[和与])\s*",
            text,
        )
    ]
    return tuple(name for name in names if name), cut is not None


def _end(text: str, end: int) -> int:
    return len(text[:end].rstrip(" .．。"))
