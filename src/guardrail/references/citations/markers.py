"""Markers of list items, and labels of fields ("Authors: …")."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from guardrail.references.citations.languages import LABELS
from guardrail.references.citations.lines import Line

__all__ = ["Marker", "field_of", "is_labelled", "lettered", "marker_of", "pictured"]

_MARKER = re.compile(
    r"(?P<indent>[ \t\u3000]*+(?:>[ \t]?){0,4}[ \t]*+)(?P<heading>#{1,6}[ \t]{1,4})?(?P<bold>\*\*|__)?"
    r"(?P<marker>\[\d{1,4}\]:?|\[\^[\w-]{1,20}\^?\]:|\[[^\W\d_][\w+’'-]{0,16}\d{2,4}[a-z]?\]:?|\(\d{1,3}\)"
    r"|\(?[A-Za-z]\)|\(?[ivx]{1,5}\)|[A-Z]\d{1,2}[.)](?=[ \t]{1,4}[*_\"“]{0,3}[^\W\d_a-z])|\d{1,2}(?:\.\d{1,2}){1,2}\.?(?=[ \t]{1,4}[*_\"“]{0,3}[^\W\d_a-z])|\d{1,4}(?:[.)、．）])|（\d{1,3}）|［\d{1,3}］|[\u2460-\u2473]|・|[一二三四五六七八九十]{1,3}、|\d\ufe0f?\u20e3|[\U0001f51f\U0001f947-\U0001f949]|\d{1,3}(?::|(?=[ ][-–—][ ]))|[-*•‣◦▪●–—·+▸►➤](?:[ ]\[[ xX]\](?=[ ]))?"
    r"|<li[^<>]{0,200}>|\\bibitem(?:\[[^\[\]\r\n]{0,80}\])?\{[^{}\r\n]{0,80}\}|\\item)(?(bold)(?:\*\*|__)?)"
    r"(?P<dash>[ ][-–—])?(?:[ \t]{1,8}|(?<=[.、．\]）］])(?=[^\W\d_]|[\"“«《『「*\[［])|(?<=[\u2460-\u2473・])|(?<=[一二三四五六七八九十]、)|(?<=[>}])|(?<=\]:))(?=\S)"
)
_LETTER = re.compile(
    r"(?P<indent>[ \t]*+)(?:\*\*)?(?P<marker>(?:[A-Za-z]|[ivxIVX]{1,5})\.)(?:\*\*)?[ \t]{1,8}(?=\S)"
)
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv")
_LABELLED = re.compile(
    r"[ \t>]*+(?:[-*•+–◦][ \t]{1,8})?(?:[\U0001f300-\U0001faff\u2600-\u27bf]\ufe0f?[ \t]?)?(?P<mark>\*\*|__|\*|_)?"
    r"(?P<label>[^\W\d_][^\W\d_ ()/]{0,15}(?:[ /()'’]{1,3}[^\W\d_()]{1,12}){0,2}\)?)"
    r"(?(mark)(?:(?P=mark)[ \t]?[:：]|[ \t]?[:：](?P=mark))|[ \t]?[:：](?!//))[ \t]*(?P<value>\S.*)?"
)
_PICTURED = 3  # lines with the same picture, from which it is a marker
_PICTURE = re.compile(
    r"(?P<indent>[ \t>]*+)(?P<marker>[\U0001f300-\U0001faff\u2600-\u27bf]\ufe0f?)[ \t]{1,4}(?=\S)"
)
_LABELS = {
    "title": "title", "paper": "title", "book": "title", "paper title": "title", "article": "title",
    "author": "authors", "authors": "authors", "author(s)": "authors", "by": "authors", "written by": "authors", "who": "authors",
    "year": "year", "date": "year", "published": "year", "publication date": "year", "publication year": "year",
    "year of publication": "year", "when": "year", "where": "venue",
    "journal": "venue", "venue": "venue", "conference": "venue", "published in": "venue", "publisher": "venue",
    "publication": "venue", "source": "venue", "booktitle": "venue",
    "doi": "id", "isbn": "id", "pmid": "id", "arxiv": "id", "url": "id", "link": "id", "available at": "id",
}  # fmt: skip
_EASTERN = {
    written: kind
    for kind, spellings in {
        "title": "书名 書名 标题 標題 题名 題名 题目 論文名 论文题目 タイトル 題目 제목 서명 책제목 논문제목 논문명 도서명",
        "authors": "作者 著者 编者 編者 编著者 主编 저자 지은이 글쓴이 엮은이 편저자",
        "year": "年份 出版年 出版年份 出版时间 出版時間 出版日期 发表年份 发表时间 發表時間 刊行年 発行年 出版日 연도 출판연도 출판년도 출간연도 발행연도 발행년도 출간일",
        "venue": "出版社 出版者 出版 出版商 期刊 发表期刊 發表期刊 期刊名 来源 來源 发表 发表于 發表於 会议 會議 出处 出處 雑誌 掲載誌 発表 出典 発行 発行所 출판사 출판 발행처 "
        "학술지 게재지 출처 발표 학회 会議 学会 刊物",
        "id": "链接 連結 网址 網址 原文链接 论文链接 リンク 링크",
    }.items()
    for written in spellings.split()
}
_LABELS |= {
    label.strip(): field
    for field, labels in LABELS.items()
    for label in labels.split("|")
    if label.strip() not in _LABELS
}


@dataclass(frozen=True, slots=True)
class Marker:
    """The marker of an item: as written, what it has in common with its list, its column, where it ends."""

    text: str
    kind: str
    indent: int
    end: int


def marker_of(text: str) -> Marker | None:
    """The marker that a line begins with.

    Example:
        >>> marker_of("  [12] Doe")
        Marker(text='[12]', kind='[1]', indent=2, end=7)
    """
    match = _MARKER.match(text)
    if match and match["marker"] == "·" and " · " in text[match.end() : match.end() + 300]:
        return None  # Kahneman D · Science · 1974: a separator
    if match is None:
        return _titled(text)
    written = match["marker"]
    if match["heading"] and not written[:1].isdigit():
        return None
    kind = re.sub(
        r"\d+", "1", written.removesuffix(" [ ]").removesuffix(" [x]").removesuffix(" [X]")
    )  # - [ ] to be read
    if written.startswith(("[", "<", "\\")):
        kind = (
            "[1]" if written[1:2].isdigit() else written[:2] if written[0] == "[" else written[:5].rstrip(">")
        )
        kind = "<" if written[0] == "<" else kind
    elif (not written.isascii() and len(written) > 1) or ord(written[0]) > 0xFFFF:
        kind = (
            "1"
            if "\u20e3" in written or written == "\U0001f51f"
            else "medal"
            if ord(written[0]) > 0xFFFF
            else kind
        )
    elif written.strip("()").isalpha():
        kind = "a)"
    elif "①" <= written <= "⑳":
        kind = "①"
    elif written[0] in "一二三四五六七八九十":
        kind = "一、"
    return Marker(written, f"#{kind}" if match["heading"] else kind, _column(match["indent"]), match.end())


def pictured(rows: Sequence[Line]) -> dict[int, Marker]:
    """Lines that begin with the same picture, three or more below each other: 📗 Walden."""
    found: dict[int, Marker] = {}
    run: dict[int, Marker] = {}
    for number, row in enumerate(rows):
        match = None if row.code else _PICTURE.match(row.text)
        if match is None or (run and next(iter(run.values())).text != match["marker"]):
            run = {}
        if match is not None:
            run[number] = Marker(match["marker"], match["marker"], _column(match["indent"]), match.end())
        if len(run) >= _PICTURED:
            found |= run
    return found


def _titled(text: str) -> Marker | None:
    """A line "Title: …" begins an item without a marker."""
    label = field_of(text)
    if label is None or label[0] != "title" or not label[1]:
        return None
    bare = text.lstrip(" \t>")
    return Marker("", "", _column(text[: len(text) - len(bare)]), len(text) - len(bare))


def _column(indent: str) -> int:
    return len(indent.expandtabs(4))


def lettered(rows: Sequence[Line]) -> dict[int, Marker]:
    """Lines with a marker such as "B." or "ii.": only where one follows the other from the first on.

    A letter with a period may as well be an initial: "A. Turing".
    """
    found: dict[int, Marker] = {}
    chain: list[tuple[int, Marker]] = []
    for number, row in enumerate(rows):
        match = None if row.code else _LETTER.match(row.text)
        if match is None:
            continue
        marker = Marker(match["marker"], "A.", _column(match["indent"]), match.end())
        if chain and _follows(chain[-1][1].text, marker.text) and number - chain[-1][0] <= 12:
            chain.append((number, marker))
            found.update(chain[-2:])
        else:
            chain = [(number, marker)] if marker.text in ("A.", "a.", "i.", "I.") else []
    return found


def _follows(one: str, other: str) -> bool:
    first, second = one[:-1], other[:-1]
    low, high = first.lower(), second.lower()
    if first.islower() != second.islower():
        return False
    if low in _ROMAN and high in _ROMAN and _ROMAN.index(high) == _ROMAN.index(low) + 1:
        return True
    return len(low) == len(high) == 1 and ord(high) == ord(low) + 1


def is_labelled(text: str) -> bool:
    """Whether a line begins with a label, of whatever field."""
    return _LABELLED.match(text) is not None


def field_of(text: str) -> tuple[str, str] | None:
    """The field and value of a line such as "- **Authors:** A. Author"."""
    match = _LABELLED.match(text)
    if match is None:
        return None
    label = " ".join(match["label"].lower().replace("i̇", "i").split())
    first = re.split(r"\s?[/(]\s?", label)[0]  # Publisher / year
    kind = _LABELS.get(label) or _LABELS.get(first) or ("" if label.isascii() else _EASTERN.get(first))
    return (kind, match["value"] or "") if kind else None
