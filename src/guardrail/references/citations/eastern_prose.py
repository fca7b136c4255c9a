"""Works named in Chinese, Japanese and Korean sentences: 可以读周黎安2007年发表在《经济研究》上的《…》, 宇沢弘文『…』（岩波新書、1974）."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import islice

from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.eastern import SCRIPT, TERM, head_of, standards
from guardrail.references.citations.eastern_names import (
    AUTHOR,
    EAST,
    HAN,
    KOREAN_FAMILIES,
    NO_NAME,
    TRANSLATOR,
    begins_as_name,
    cut_off,
    in_other_letters,
    last_name,
    names,
    without_aside,
    without_volumes,
)
from guardrail.references.citations.eastern_tail import HOUSE, YEAR, Behind, behind
from guardrail.references.citations.identifiers import identifiers, with_identifiers
from guardrail.references.citations.model import Citation, Style
from guardrail.references.citations.venues import is_venue
from guardrail.report import Span

__all__ = ["in_sentences"]

_MEDIA = re.compile(
    r"电影|電影|影片|映画|电视剧|電視劇|连续剧|ドラマ|アニメ|首歌|歌曲|歌单|金曲|专辑|專輯|アルバム|单曲|楽曲|游戏|遊戲|ゲーム|动漫|动画|漫画|漫畫|マンガ|纪录片|紀錄片|导演|導演|監督|"
    r"执导|執導|主演|演唱|作曲|综艺|綜藝|画作|演出|油画|雕塑|交响|協奏|歌剧|话剧|音楽|名曲|영화|드라마|노래|앨범|게임|만화|애니|감독|뮤지컬|음반"
)
_WORK = re.compile(
    r"《(?P<zh>(?:[^《》\n]|《[^《》\n]{1,60}》){1,160})》|『(?P<ja>[^『』\n]{2,160})』"
    rf"|(?:(?<=[{EAST}）)：，])|(?<=\),))\s?(?P<mark>\*{{1,2}})(?P<en>[A-Z][^*\n]{{6,200}})(?P=mark)(?=\s?[（(，、,。]|\s?[{EAST}])"
    rf"|(?<=[{EAST}])(?P<plain>[A-Z][A-Za-z’'-]{{0,20}}(?:[ :,]{{1,2}}[A-Za-z’'&-]{{1,20}}){{2,15}})(?=（[^（）\n]{{2,60}}[，,]\s?{YEAR}）)"
    r"|「(?P<corner>[A-Z][^「」\n]{1,30}[ :][^「」\n]{2,160})」"
    rf"|(?:(?<=[{EAST}])“|“(?=[^“”\n]{{4,200}}”（))(?P<curly>[A-Z][^“”\n]{{1,30}}[ :][^“”\n]{{2,160}})”"
    r"|[<〈](?P<ko>[\uac00-\ud7a3][^<>〈〉\n]{1,100})[>〉]"
    r"|「(?P<article>(?:[^「」『』《》\n]|「[^「」『』《》\n]{1,60}」){2,160})」|(?<=[的了文章])(?:“(?P<named>[^“”《》\n]{4,160})”|\"(?P<straight>[^\"《》\n]{4,160})\")"
)
_TITLES = ("zh", "ja", "ko", "en", "plain", "corner", "curly", "article", "named", "straight")
_ARTICLES = ("corner", "curly", "article", "named", "straight")
_MOST = 1_000  # titles
_NEAR = 150  # characters around a title in which films and the like are looked for
_LONGEST = 90  # characters before a title in which its authors are looked for
_ISSUES = r"第?\s?\d{1,4}\s?[期卷号號](?:第?\s?\d{1,4}\s?[期号號])?"
_MAGAZINE = rf"(?:《(?P<venue>[^《》\n]{{2,60}})》|[*_]?(?P<latin>[A-Z][A-Za-z]*(?:[\s&:]{{1,3}}[A-Za-z]+){{0,8}})[*_]?)\s?(?:杂志|雜誌|期刊|学刊)?(?:{_ISSUES})?(?:上|中)?"
_PRINTED = r"(?:发表|刊登|刊载|刊发|發表|刊登|刊載|撰写)"
_PIECE = r"(?:一[篇文])?(?:题为|名为|題為)?(?:的|之)?(?:[长長短]文|论文|文章|論文|一文|综述|研究)?"
_APPEARED = re.compile(  # 周黎安2007年发表在《经济研究》上的; 黄宗智在2002年第4期的《历史研究》上发表长文; 丸山が1946年に『世界』に発表した論文
    rf"(?P<who>[A-Z][A-Za-z.’'\s-]{{2,50}}?|[{HAN}·・]{{2,24}}?)?\s?(?P<cut>等人?)?\s?(?:[于於在])?\s?(?P<year>{YEAR})\s?年?(?:{_ISSUES})?"
    rf"(?:{_PRINTED}[在于於]?\s?{_MAGAZINE}|(?:的|，?[在于於])\s?{_MAGAZINE.replace('<venue>', '<second>').replace('<latin>', '<other>')}\s?(?:{_PRINTED}|(?<=上)(?=的)))[的之了]?{_PIECE}\s?$"
    rf"|[在于於]《(?P<third>[^《》\n]{{2,60}})》(?P<when>{YEAR})年?(?:{_ISSUES})?上?{_PRINTED}[的之了]?{_PIECE}\s?$"
    rf"|(?P<author>[{HAN}\u30a1-\u30fa\u30fc・]{{2,16}})(?:[がは]、?)?(?P<date>{YEAR})年(?:\d{{1,2}}月)?[に、]{{0,2}}(?:の)?(?:雑誌|学術誌|学会誌)?『(?P<magazine>[^『』\n]{{2,60}})』(?:誌上?|\d{{1,4}}月?号)?[にで](?:発表|掲載|寄稿)(?:した|された)(?:論文|論考|論説|エッセイ)?$"
)
_UNMARKED = re.compile(
    rf"(?P<year>{YEAR})\s?年?(?:发表|刊登|刊载|發表|刊載)[在于於]?《(?P<venue>[^《》\n]{{2,60}})》(?:杂志|雜誌|期刊)?[上中]?(?:的|之)(?:论文|文章|論文)?\s?"
    r"(?P<title>[A-Z][A-Za-z’'-]*[ :][A-Za-z’':, -]{6,200})(?=[，。；（(、]|$)",
    re.MULTILINE,
)
_PUBLISHED = re.compile(
    rf"は\s?(?P<year>{YEAR})年?(?:\d{{1,2}}月)?に(?P<venue>[^、。（）にのは]{{2,20}}?)(?=から|より|で(?:刊行|出版))"
)
_NOUN = (
    r"(?:[短中長]編(?:小説)?|[短中长長]篇|随筆|評論|代表作|主著|著書|(?:[報报][導导告]|纪实|紀實|传记|傳記)?文[學学]|[散诗詩论論歌随]文?集|随笔集|回[忆憶][录錄]|三部曲|论文|論文|著作|专著|專著|名著|名作|新作|一书|教材|教科书|教科書|经典|經典|小说|小說|小説|长篇|文章|文集|讲义|講義|新書|自伝|"
    r"訳書|译著|譯著|(?<=[的の])[书書本]|저서|대표작|논문|책|명저|소설|교과서|저작)"
)
_WROTE = r"(?:(?:合?[写寫著撰编編]|撰写|撰寫|出版|发表|發表|推出)(?:了|有|过|過|的)+|合?[著写寫]|所著|出版|发表|發表|写成|完成|(?:が|は|が?(?:18|19|20)\d\d年に)?(?:書い|著し|執筆し|刊行し|出版し|発表し)た|[이가]\s(?:쓴|지은|펴낸|저술한))"
_BEFORE = [  # what may be between the names and the title, from the title on
    re.compile(pattern + r"\Z")
    for pattern in (
        r"[\s*_]{0,4}",
        r"[：:，,、]?\s?",
        rf"(?:(?:经典|經典|早期|著名|学术|學術|其|他的|她的|的|の|大部頭の|[长長中短]篇|历史|歷史|{YEAR}\s?年(?:出版)?的){{0,4}}{_NOUN})?",
        rf"(?:则|則|便|就|也|曾|还|亦|更|都|后来|随后|先后|先後)?(?P<joint>{_WROTE}|的?[那这這]一?[本部套篇]|的|の|의|在|于|於|に[はも]|が|は|も|은|는|이|가)?\s?",
        rf"(?:\s?[（(]\s?(?P<year>{YEAR})\s?[年년]?[)）]\s?[.．。：:，,]?|(?:[于於在])?\s?(?P<then>{YEAR})\s?年(?:{_WROTE})?)?",
        rf"(?P<role>{AUTHOR})?",
        r"(?P<honour>老师|老師|教授|先生|女士|博士|院士|さん|氏|교수|선생님?|박사|작가)?",
        r"(?:\s?[（(][A-Za-z][^（）()\d\n]{1,50}[)）])?",
    )
]
_RUN = re.compile(rf"[{HAN}A-Z·・．‧、和与與\u30a1-\u30fa\u30fc＝]{{2,80}}\Z")
_LATIN = re.compile(
    r"(?<![A-Za-z])(?:[A-Z][A-Za-z.’'-]{0,20}\s){0,3}[A-Z][A-Za-z’'-]{1,25}(?:\s?[、和与與&]\s?(?:[A-Z][A-Za-z.’'-]{0,20}\s){0,3}[A-Z][A-Za-z’'-]{1,25}){0,3}\Z"
)
_KOREAN = re.compile(
    r"(?P<verb>[을를]\s)?(?P<names>(?:[\uac00-\ud7a3]{2,4}[·,]\s?){0,4}(?:(?:[\uac00-\ud7a3]{1,6}\s){1,2}(?:[폰판반드데뒤]|판\s데어)\s|[\uac00-\ud7a3A-Z.]{1,6}\s)?[\uac00-\ud7a3]{2,6})\Z"
)
_KOREAN_NAME = re.compile(rf"[{''.join(sorted(KOREAN_FAMILIES))}][\uac00-\ud7a3]{{2}}[·,]")
_KOREAN_NOUN = re.compile(  # 한국 문학의 『…』
    r"(?:문학|시대|사회|역사|소설|작가|문화|철학|과학|경제|정치|연구|예술|세기|운동|전쟁|민족|국가|작품|저자|학파|교수|대표|최고|시절|이론|사상|나라|지역|출신|출판사)\Z"
)
_VOLUME = re.compile(
    r"[\s,，、*]{0,3}(?:제|第|[Vv]ol\.?\s?)?\d{1,4}\s?[권호卷巻期号號(（]|[\s,，、]{0,3}(?:1[5-9]|20)\d\d年第"
)
_AT_DATE = re.compile(rf"(?P<year>{YEAR})\s?年(?:\d{{1,2}}月)?[，,]?\s?\Z")  # 2000年，彭慕兰出版
_MARKER = re.compile(
    r"[ \t\u3000>]*(?:\[?[(（]?\d{1,3}[)\].．、）]+|[\u2460-\u2473]|[一二三四五六七八九十]{1,3}、|[-*•‣◦▪●・+])[ \t*]*"
)
_MUSIC = re.compile(r"交响|交響|协奏|協奏|奏鸣|奏鳴|进行曲|교향곡|협주곡")


@dataclass(frozen=True, slots=True)
class _Who:
    """Who is named before a title, from where on, and how the two are joined."""

    names: tuple[str, ...] = ()
    et_al: bool = False
    start: int = 0
    year: int | None = None
    sure: bool = False
    """Whether their form and how they are joined show that they are names, without a year or a publisher."""
    joined: bool = False
    """Whether a particle, a year or a colon joins them to the title."""
    whole: bool = False
    """Whether nothing but marks comes before the names on the line."""


def in_sentences(answer: str) -> tuple[list[Citation], list[Citation]]:
    """The works in sentences, and those that begin their line.

    Only the first thousand titles in brackets are looked at.

    Example:
        >>> text = "关于地方政府，可以读周黎安2007年发表在《经济研究》上的《中国地方官员的晋升锦标赛模式研究》。"
        >>> [(one.reference.authors, one.reference.title, one.reference.venue) for one in in_sentences(text)[0]]
        [(('周黎安',), '中国地方官员的晋升锦标赛模式研究', '经济研究')]
    """
    within = [
        Citation(Span(start=start + read.start, end=start + read.end), read.reference, "inline")
        for start, read in standards(answer)
    ]
    for match in _UNMARKED.finditer(answer):
        said = Reference(match["title"].strip(), year=int(match["year"]), venue=match["venue"])
        within.append(Citation(Span(start=match.start(), end=match.end()), said, "unmarked"))
    alone: list[Citation] = []
    edge = 0
    for match in islice(_WORK.finditer(answer), _MOST):
        if match.start() >= edge:  # not the journal of the work before
            citation, edge, begins = _citation(answer, match)
            if citation is not None:
                (alone if begins else within).append(citation)
    return within, alone


def _citation(answer: str, match: re.Match[str]) -> tuple[Citation | None, int, bool]:
    """The work of a title in marks, if it is one, where what is said of it ends, and whether it begins its line."""
    line = answer.rfind("\n", max(0, match.start() - _LONGEST), match.start()) + 1
    begins = line > 0 or match.start() <= _LONGEST
    before = answer[max(line, match.start() - _LONGEST) : match.start()]
    if match["en"] and (not SCRIPT.search(before) or is_venue(match["en"])):
        return None, match.start(), False
    if re.search(r"[在于於]\s?\Z", before) and re.match(
        r"(?:杂志|雜誌|期刊)?上[的发發]", answer[match.end() : match.end() + 4]
    ):
        return None, match.start(), False  # 王小明2003年在《园林研究》上的文章
    title = without_volumes(next(match[name] for name in _TITLES if match[name]).strip())
    if appeared := _APPEARED.search(before):
        return _in_journal(match, appeared, before, title), match.end(), False
    who = _who(before, japanese=match["ja"] is not None, begins=begins)
    article = next((name for name in _ARTICLES if match[name]), "")
    if not who.joined and in_other_letters(Reference(title, who.names)):
        who = _Who()  # 包括“Attention Is All You Need”
    read = behind(
        answer, match.end(), authors=bool(who.names), year=who.year is not None, article=bool(article)
    )
    alone = begins and (who.whole or not re.search(r"\w", before[_marked(before) :]))
    citation, end = _work(answer, match, who, read, title=title, alone=alone)
    start = match.start() - len(before) + who.start if who.names else match.start()
    return (replace(citation, span=Span(start=start, end=end)) if citation else None), end, alone


def _work(
    answer: str, match: re.Match[str], who: _Who, read: Behind, *, title: str, alone: bool
) -> tuple[Citation | None, int]:
    """The title with who is named before it and what is read behind it, if that is enough for a work."""
    venue, end = read.venue, read.end
    year = who.year or read.year
    published = _PUBLISHED.match(answer, match.end()) if not year else None
    if published:
        year, venue, end = int(published["year"]), published["venue"], published.end()
    authors, et_al = (who.names, who.et_al) if who.names else (read.authors, read.et_al)
    if not venue and _MEDIA.search(_line(answer, match)):
        return None, end
    if not venue and _MUSIC.search(title):
        return None, end
    if not authors and _VOLUME.match(answer, match.end()):
        return None, end  # a journal
    named = who.sure or (bool(read.authors) and all(begins_as_name(name) for name in read.authors))
    listed = alone and HOUSE.search(venue) is not None  # 1. 《园林史》第7版，园林出版社
    if not (year and venue) and not (authors and (year or venue or named)) and not listed:
        return None, end
    contained = bool(year and venue) and answer[match.end() : match.end() + 2] in ("（『", "(『")
    if not (match["zh"] or match["ja"] or match["ko"] or (authors and year) or contained):
        return None, end  # 「庭と国家」（『庭園講座 1』緑書店、1963年）
    stated = who.sure and who.joined and year and len(title) > TERM
    if (match["article"] or match["named"] or match["straight"]) and not venue and not stated:
        return None, match.end()
    reference = with_identifiers(
        Reference(title, authors, et_al, year, venue), identifiers(answer[match.start() : end])
    )
    doubtful = in_other_letters(reference) or (bool(who.names) and not who.sure)
    style: Style = "quoted" if year and venue and authors and not doubtful else "unmarked"
    return Citation(Span(start=match.start(), end=end), reference, style), end


def _line(answer: str, match: re.Match[str]) -> str:
    """The line of a title, or what is near on it."""
    start, stop = max(0, match.start() - _NEAR), match.end() + _NEAR
    before = answer[start : match.start()].rpartition("\n")[2]
    return before + answer[match.end() : stop].partition("\n")[0]


def _in_journal(match: re.Match[str], appeared: re.Match[str], before: str, title: str) -> Citation:
    """周黎安2007年发表在《经济研究》上的《…》."""
    written = appeared["who"] or appeared["author"] or ""
    who = written.strip() if written.isascii() else last_name(written, before[: appeared.start()])
    group = next(name for name in ("who", "author", "year", "third") if appeared[name])
    at = appeared.end(group) - len(who) if who else appeared.start(group if group != "who" else "year")
    at -= group == "third"  # the bracket of 《历史研究》2002年第4期发表
    venue = next(
        appeared[name]
        for name in ("venue", "latin", "second", "other", "magazine", "third")
        if appeared[name]
    )
    year = int(appeared["year"] or appeared["date"] or appeared["when"])
    reference = Reference(title, (who,) if who else (), bool(appeared["cut"]), year, venue)
    start = match.start() - len(before) + at
    return Citation(Span(start=start, end=match.end()), reference, "quoted" if who else "unmarked")


def _who(before: str, *, japanese: bool, begins: bool) -> _Who:
    """Who is named at the end of the text before a title; `begins` says whether that is all of the line before it."""
    if re.search(rf"{_PRINTED}[在于於]\s?\Z", before):
        return _Who()  # a journal: 王小明2007年发表在《园林研究》
    if begins and (who := _listed(before, japanese=japanese)):
        return who
    head, year, joint, role = before, None, "", ""
    for pattern in _BEFORE:
        part = pattern.search(head)
        if part is None:
            continue
        said = part.groupdict()
        joint, role = said.get("joint") or joint, said.get("role") or said.get("honour") or role
        year = int(written) if (written := said.get("year") or said.get("then")) else year
        head = head[: part.start()]
    bare, cut = cut_off(head)
    bare = bare.rstrip()
    if latin := _LATIN.search(bare):
        read = names(latin[0])
        named = (read[0], latin.start()) if read else None
    elif re.search(r"[\uac00-\ud7a3]\Z", bare):
        named = _korean(bare)
    else:
        named = _run(bare, japanese=japanese)
    if not named or any(NO_NAME.match(name) for name in named[0]):
        return _Who()
    people, start = named
    if joint and not re.search(r"[的の의著]\Z", joint) and not _sure(people[0], japanese=japanese):
        return _Who()
    if re.search(r"[写寫出发發推]", joint) and not year and (date := _AT_DATE.search(head, 0, start)):
        year, start = int(date["year"]), date.start()
    marked = before.rstrip(" *_")[-1:] in tuple("，,、")
    sure = (_sure(people[-1], japanese=japanese) or (japanese and len(people) > 1)) and (
        bool(joint or role) or not marked
    )
    whole = not re.search(r"\w", bare[:start])
    return _Who(people, cut, start, year, sure, joined=bool(joint or role or year), whole=whole)


def _marked(before: str) -> int:
    """Where the marker of a list item ends at the beginning of a line."""
    marker = _MARKER.match(before)
    return marker.end() if marker else 0


def _listed(before: str, *, japanese: bool) -> _Who | None:
    """The names, if they are all that comes before a title on its line; a comma may as well end a clause."""
    at = _marked(before)
    head = head_of(before[at:], western=False)
    if not head.names:
        return None
    apart = "，" in head.written and not re.search(rf"(?:{AUTHOR}|{TRANSLATOR})，", head.written)
    if any(NO_NAME.match(name) or (apart and not begins_as_name(name)) for name in head.names):
        return None
    sure = all(_sure(name, japanese=japanese) or not re.fullmatch(rf"[{HAN}]+", name) for name in head.names)
    if before.rstrip(" *_").endswith(("：", ":")) and not sure:
        return None  # 小贴士：《…》
    return _Who(
        head.names, head.et_al, at + head.start, head.year, sure, joined=True, whole=not head.labelled
    )


def _sure(name: str, *, japanese: bool) -> bool:
    """Whether the form of a name leaves little doubt."""
    if re.search(r"[\uac00-\ud7a3]", name):
        return " " in name or (len(name) == 3 and name[0] in KOREAN_FAMILIES)
    return name.isascii() or (len(name) >= 3 if japanese else begins_as_name(name))


def _run(head: str, *, japanese: bool) -> tuple[tuple[str, ...], int] | None:
    """Chinese or Japanese names, the last of which ends the text: 钱理群、温儒敏、吴福辉."""
    run = _RUN.search(head)
    if run is None:
        return None
    pieces = re.split(r"、|(?<=[\u3400-\u9fff])・(?=[\u3400-\u9fff])" if japanese else "、", run[0])
    last = pieces[-1]
    parts = re.split(rf"(?<=[{HAN}]{{2}})[和与與](?=[{HAN}]{{2}})", last, maxsplit=1)
    if len(parts) == 2 and len(parts[1]) <= 4 and len(pieces) == 1 and not last.startswith(parts[1]):
        pieces = [parts[0], parts[1]] if last_name(parts[0], head[: run.start()]) else [parts[1]]
    elif len(parts) == 2 and len(pieces) > 1:
        pieces = [*pieces[:-1], *parts]
    found: list[str] = []
    for piece in reversed(pieces):
        before = head[: head.rfind(piece)] if found or len(pieces) > 1 else head[: run.start()]
        whole = piece is not pieces[0]
        name = piece if whole and names(piece) else last_name(piece, before)
        if not name or names(name) is None or NO_NAME.match(name):
            break
        found.insert(0, without_aside(name))
        if name != piece:
            break
    if not found:
        return None
    start = head.rfind(found[0])
    return tuple(found), start


def _korean(head: str) -> tuple[tuple[str, ...], int] | None:
    """Korean names before a title: 장하석, 토머스 쿤; of two words the second alone, if the first only leads to it: 물리학자 김상욱, …을 다룬 김상욱."""
    run = _KOREAN.search(head)
    if run is None:
        return None
    written = run["names"]
    while "," in written and not _KOREAN_NAME.match(written):
        written = written.partition(",")[2].lstrip()  # 소설이고, 한강
    written = re.sub(r"^[와과및는은을를의도에로가]\s", "", written)  # 『…』와 임화
    words = written.split()
    if len(words) == 2 and (run["verb"] or names(written) is None):
        written = words[1]
    read = names(written)
    return (read[0], run.end() - len(written)) if read and not _KOREAN_NOUN.search(written) else None
