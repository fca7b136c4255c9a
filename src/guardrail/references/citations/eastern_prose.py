"""Works named in Chinese and Japanese sentences: 可以读周黎安2007年发表在《经济研究》上的《…》, 宇沢弘文『…』（岩波新書、1974）.

Nothing parts a name from the words before it there. It begins behind a mark, a blank or kana; in Chinese also with a frequent
family name two or three signs before its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.identifiers import identifiers, with_identifiers
from guardrail.references.citations.model import Citation, Style
from guardrail.report import Span

__all__ = ["in_sentences"]

_HAN = r"\u3400-\u9fff"
_YEAR = r"(?:1[5-9]|20)\d\d"
_WHO = rf"(?P<who>[{_HAN}]{{2,24}}?)(?<!的)(?:(?:先生|教授|女士|博士|さん|氏)?(?:的|の)?|[:：])"
_WORK = r"(?:《(?P<zh>[^《》\n]{2,120})》|『(?P<ja>[^『』\n]{2,120})』)"
_BEHIND = (
    rf"(?:[*_]{{0,3}}[（(](?P<house>[^（）()，,、\d\n]{{2,30}})[，,、]\s?(?P<later>{_YEAR})年?(?:[，,、；;]\s?[^（）()\n]{{1,60}})?[)）]"
    rf"|，(?P<press>[{_HAN}·]{{2,16}}(?:出版社|书店|書店|书局|書局|印书馆|印書館))(?:，(?P<last>{_YEAR})年?)?"
    rf"|(?P<name>[{_HAN}]{{1,6}}(?:社|書店|書房|新書|文庫|館|堂|出版)|[\u30a1-\u30fa・ー]{{4,20}})(?=[\s、。，,（(]|$)(?:、(?P<end>{_YEAR})年?)?)?"
)
_NAMED = re.compile(rf"{_WHO}\s?(?:[（(](?P<year>{_YEAR})年?[)）]\s?)?{_WORK}{_BEHIND}")
_APPEARED = re.compile(
    rf"(?P<who>[{_HAN}]{{2,24}})(?:[于在])?(?P<year>{_YEAR})年?(?:发表|刊登|刊载|發表|刊載)[在于於]?《(?P<venue>[^《》\n]{{2,40}})》"
    r"(?:上|中)?的?(?:论文|文章|論文)?《(?P<zh>[^《》\n]{2,120})》"
)
_MEDIA = re.compile(
    r"电影|電影|影片|映画|电视剧|ドラマ|アニメ|歌曲|专辑|專輯|アルバム|游戏|ゲーム|漫画|纪录片"
)
_FAMILIES = frozenset(
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金"
    "陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文竺费張劉陳楊趙黃吳孫馬羅鄭謝韓馮蕭鄧許呂蘇盧蔣賈葉閻鐘譚鄒陸龍萬錢湯喬賀賴龔費"
)
_OTHERS = re.compile(rf"(?:(?<![{_HAN}])[{_HAN}]{{2,4}}、)(?:[{_HAN}]{{2,4}}、){{0,5}}$")
_PARTICLES = re.compile(r"[\u3041-\u309f]$|[^\w]$|^$")


def in_sentences(answer: str) -> Iterator[Citation]:
    """The works in sentences, in no order; what stands at the beginning of a line is left to the readers of lists and strings.

    Example:
        >>> text = "关于地方政府，可以读周黎安2007年发表在《经济研究》上的《中国地方官员的晋升锦标赛模式研究》。"
        >>> [(one.reference.authors, one.reference.title, one.reference.venue) for one in in_sentences(text)]
        [(('周黎安',), '中国地方官员的晋升锦标赛模式研究', '经济研究')]
    """
    for pattern in (_APPEARED, _NAMED):
        for match in pattern.finditer(answer):
            citation = _citation(answer, match)
            if citation is not None:
                yield citation


def _citation(answer: str, match: re.Match[str]) -> Citation | None:
    said = {name: value or "" for name, value in match.groupdict().items()}
    before = answer[answer.rfind("\n", 0, match.start()) + 1 : match.start()]
    who = _person(said["who"], before)
    start = match.end("who") - len(who)
    others = _OTHERS.search(before) if len(who) == len(said["who"]) else None
    if others:
        start, before = match.start() - len(others[0]), before[: others.start()]
    alone = not re.search(rf"[{_HAN}\u3041-\u309f]", before) and len(who) == len(said["who"])
    if not who or alone:
        return None
    year = said["year"] or said.get("later", "") or said.get("last", "") or said.get("end", "")
    venue = said.get("venue", "") or said.get("house", "") or said.get("press", "") or said.get("name", "")
    line = answer[
        answer.rfind("\n", 0, match.start()) + 1 : answer.find("\n", match.end()) % (len(answer) + 1)
    ]
    if not (year or venue) and _MEDIA.search(line):
        return None
    title = said["zh"] or said.get("ja", "")
    names = (*(others[0].split("、")[:-1] if others else ()), who)
    reference = with_identifiers(
        Reference(title, names, year=int(year) if year else None, venue=venue.strip()), identifiers(match[0])
    )
    style: Style = "quoted" if year and venue else "unmarked"
    return Citation(Span(start=start, end=match.end()), reference, style)


def _person(written: str, before: str) -> str:
    """The name at the end of a run of signs; "" if none can be told."""
    if len(written) <= 4 and _PARTICLES.search(before[-1:]):
        return written
    return next(
        (written[-size:] for size in (3, 2) if len(written) > size and written[-size] in _FAMILIES), ""
    )
