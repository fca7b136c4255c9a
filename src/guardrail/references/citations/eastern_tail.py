"""What stands behind a title in Chinese, Japanese and Korean: authors, translators, edition, journal, publisher, year, pages."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from guardrail.references.citations.eastern_names import (
    AUTHOR,
    EAST,
    HAN,
    NO_NAME,
    TRANSLATOR,
    begins_as_name,
    last_name,
    names,
)
from guardrail.references.citations.houses import is_press
from guardrail.references.citations.venues import is_venue
from guardrail.references.citations.words import VENUE

__all__ = ["CITY", "HOUSE", "PUBLISHER", "YEAR", "Behind", "behind"]

YEAR = r"(?:1[4-9]|20)\d\d"
_LONGEST, _MOST = 240, 24  # characters behind a title, and parts of them
_EDGE = r"(?=[\s*,，、;；.．。:：|｜/／)）\]】〕(（]|$)"
_PARTICLE = r"(?:[がはもをとだ]|です|であ|입니다|이[며고다나]|[이가은는을를도와과의](?=\s))"  # behind the last part: 吉川弘文館が手堅い
_SERIES = r"(?:(?<=[書庫ス])\s?(?:[青赤黄緑白]版?\s?)?[A-Zあ-ん]?\s?[-–]?\d{1,4}(?:-\d{1,3}){0,2})?"  # 岩波新書 青版434
_THESIS = r"(?:(?:博士|硕士|碩士|修士|本科)(?:学位|學位)?(?:论文|論文)|(?:박사|석사)\s?학위\s?논문)"
_CITY = (
    r"(?:北京|上海|南京|天津|武汉|武漢|广州|廣州|成都|重庆|西安|杭州|长春|沈阳|济南|合肥|长沙|南昌|福州|郑州|昆明|桂林|哈尔滨|太原|兰州|石家庄|大连|苏州|"
    r"厦门|深圳|贵阳|南宁|台北|臺北|台中|高雄|新竹|台南|新北|香港|澳门|东京|東京|京都|大阪|名古屋|横浜|神戸|福岡|仙台|札幌|서울|경성|파주|부산|대구|광주|"
    r"대전|인천|고양|수원|성남|춘천|전주|청주|평양|Beijing|Shanghai|Tokyo|Taipei|Seoul)(?:市|시)?"
)
_PRESS = (
    r"(?:出版社|出版公司|出版事業公司|出版有限公司|出版集团|出版中心|出版部|出版会|出版局|出版|印书馆|印書館|书局|書局|书店|書店|书社|書社|書房|書院|書林|書館|"
    r"新書|文庫|文库|选书|選書|叢書|ブックス|ライブラリー|社|館|会|會|堂|閣|房|"
    r"대학교\s?출판문화원|대학교\s?출판부|출판문화원|출판부|출판사|출판|문화사|사|북스|서원|서각|서림|문고|책방|대학교|학회|"
    r"大学院|大学|大學|学院|学会|學會|学报|學報|学刊|學刊|研究|杂志|雜誌|雑誌|論集|紀要|통신|University\sPress|Press)"
)
PUBLISHER = re.compile(
    rf"(?P<press>(?:[{HAN}\u30a1-\u30fa\uac00-\ud7a3A-Z]|[\u3041-\u309f]{{2}})[{EAST}A-Za-z .&·・•-]{{0,30}}?{_PRESS}){_SERIES}"
    rf"(?={_EDGE[3:-1]}|{YEAR}|\s?{_THESIS}|(?<=[{HAN}])(?:[がもを]|から|より)|(?<=[\uac00-\ud7a3])(?:[은는이가을를도](?=\s)|에서|입니다))"
)
_ISSUED = re.compile(  # 中文版由商务印书馆于2012年出版
    rf"[^，,。\n]{{0,8}}?由(?P<press>[{HAN}·]{{2,20}}?)(?:[于於在]\s?)?(?P<year>{YEAR})?\s?年?(?:\d{{1,2}}月)?(?:首次)?(?:出版|刊行|印行)(?![社中部])"
)
HOUSE = re.compile(r"(?:出版社|印[书書][馆館]|[书書][局店房]|出版公司)\Z")
"""What only publishers' names end with: 《园林史》第7版，园林出版社."""
CITY = re.compile(rf"{_CITY}\s?[:：]\s?")
_KATAKANA = re.compile(r"[\u30a1-\u30fa\u30fc]{3,12}(?:・[\u30a1-\u30fa\u30fc]{2,12})?(?=[\s、。，,（(]|$)")
_ORIGINAL = re.compile(
    r"[*_]?[A-Z][A-Za-z’':, -]{6,120}[*_]?(?=[)）])|[*_]?[A-Z][A-Za-z’'-]*(?:[: ]{1,2}[A-Za-z’'-]+){1,12}[*_]?(?=[，,、；;]\s?\S)"
)  # the title in its own language: 《…》（Engineering Cybernetics，McGraw-Hill，1954）
_SIGNED = re.compile(
    rf"[{HAN}\u30a1-\u30fa\u30fc・＝]{{3,20}}\s?[（(／/]"
)  # 『庭の歴史』田中一郎（緑書房、2001年）
_AT_END = re.compile(
    rf"[{HAN}\uac00-\ud7a3]{{2,5}}(?=\s*(?:\||$))(?<![的了很是最不在다요])"
)  # 王小明《…》，聯經 |
_PERIODICAL = re.compile(rf"[{EAST}][{EAST}\w ]{{1,29}}?(?=[,，]\s?(?:제|第)?\d{{1,4}}\s?[(（권卷巻])")
_ONLY = re.compile(  # a publisher alone in brackets, or behind the year: (한길), (1976, 한길)
    r"(?!(?:장편|단편|연작|역사|청소년|그림)?(?:소설|시집|동화|에세이|산문|만화|수필)|(?:국내|초판|번역|영어|원서|국역|한국어|우리말|필독|추천|품절|절판|공저|공역|입문|심화|전자책|개정|증보|상|하|전)[\uac00-\ud7a3]{0,3}[)）])"
    r"(?P<name>[\uac00-\ud7a3][\uac00-\ud7a3&· ]{1,14})(?=[)）])"
)
_LAST = re.compile(rf"[{EAST}][{EAST}\w &·]{{1,20}}(?=\.?\s*(?:\||$))")  # 김철수(2006). 『정원』. 푸른숲.
_NEXT = re.compile(r"\s?[、&＆·]\s?|[,，]\s?(?=[A-Z])")
_FOREIGN = re.compile(
    r",\s(?=[\uac00-\ud7a3]{1,6}(?:\s[A-Z]\.)?(?:\s[\uac00-\ud7a3]{1,6}){1,2}\s?(?:[,(（/]|$))"
)
"""What parts Korean spellings of foreign names: 존 J. 스미스, 앤 로."""
_JOINT = re.compile(
    r"[\s*_]{0,6}(?P<mark>(?:[,，、;；.．。|｜/／:：·・•—―–-]\s?){0,3})[\s*_]{0,4}(?P<by>by\s)?(?:后?被|(?:后?发表|發表|收录|收錄|刊载|刊載|载|載|刊)(?:[于於在]|(?=《)))?\s?"
)
_ERAS = {"明治": 1867, "大正": 1911, "昭和": 1925, "平成": 1988, "令和": 2018, "民国": 1911, "民國": 1911}
_ERA = rf"(?:{'|'.join(_ERAS)})\s?(?:\d{{1,3}}|元)\s?年?"
_WHEN = re.compile(
    rf"(?:(?P<year>{YEAR})(?!\d)(?:\s?[（(〔]{_ERA}[）)〕])?(?:\s?[-–—~〜～]\s?(?:{YEAR}|\d\d)(?!\d))?(?:\s?[年년](?:\d{{1,2}}月号?|\s\d{{1,2}}월호?)?)?"
    r"|(?P<era>明治|大正|昭和|平成|令和|民国|民國)\s?(?P<of>\d{1,3}|元)年(?:\s?[（(〔](?:1[89]|20)\d\d年?[）)〕])?)"
    r"(?:\s?(?:第\s?[\d一二三四五六七八九十]{1,3}\s?版|[\u3400-\u9fff]{0,3}版|刊行?|出版|[发発]行|발행|출간|[봄여름가을겨]{1,2}호|[春夏秋冬]季?[号號])|[〜～](?=[)）]))?"
    rf"(?:(?![{EAST}\w])|(?={_PARTICLE}))|(?P<then>{YEAR})年(?=第)"
)
_EDITION = re.compile(
    rf"(?:{_THESIS}|"
    r"(?:原书|原書)?第\s?[\d一二三四五六七八九十]{1,4}\s?[版刷](?:第\s?\d{1,3}\s?刷)?|제?\s?\d{1,2}\s?판|\d{1,2}版|(?:最新)?(?:修订|修訂|增订|增訂|增补|増補|改訂|新装|决定|決定|完全|"
    r"普及|珍藏|纪念|典藏|插图|中译|中文|簡体|简体|繁体|繁體|英文|新){1,3}(?:[版本]|普及版)|개정\s?(?:증보)?판|증보판|양장본|전면\s?개정판|"
    r"[全共凡]?\s?[\d一二三四五六七八九十]{1,3}\s?[卷巻冊册]|전\s?\d{1,2}\s?권|[上中下](?:[、，／/・·]?[上中下]){0,2}\s?[卷冊册巻集篇]?|第\s?[\d一二三四五六七八九十]{1,3}\s?[冊册卷巻部]|精装|平装|[1-9]\s?[〜～–-]\s?\d{1,2}|オンデマンド版|收[录錄]?[於于入在]同名[\u3400-\u9fff]{1,6})"
    + _EDGE
)
_SHORT_TITLE = re.compile(r"[A-Z][A-Za-z+#.]{1,11}[，,]\s?")  # （CSAPP，原书第3版）
_NUMBER = re.compile(
    r"(?:(?:总|總|通巻)?第\s?\d{1,4}(?:\s?[-–—~〜～·、]\s?\d{1,4})?\s?[卷巻期号號輯辑集节節章页頁](?:第?\s?\d{1,4}\s?[期号號])?|제?\s?\d{1,4}\s?[卷巻号號권호집](?:\s?第?\d{1,4}\s?[号호期號])?"
    r"|(?:[Vv]ol\.?|[Nn]o\.?)\s?\d{1,4}|\d{1,4}\s?[（(]\s?\d{1,4}(?:[-–—]\d{1,4})?\s?[)）]"
    r"|(?:[Pp]{1,2}\.?\s?)?\d{1,5}\s?[-–—~〜～]\s?\d{1,5}\s?[页頁쪽面]?|[Pp]{1,2}\.?\s?\d{1,5}|\d{1,5}\s?[页頁쪽]|\d{1,4}(?=\s?[,，:：]))"
    rf"(?![{EAST}\w])"
)
_IDENTIFIER = re.compile(
    r"(?:(?:doi|DOI|arXiv|ISBN(?:-1[03])?|PMID)[\s:：]{1,2}[\w./-]{4,80}|https?://[^\s）)，。]{4,300})",
    re.ASCII,
)
_JOURNAL = re.compile(r"(?:《(?P<book>[^《》\n]{2,60})》|『(?P<corner>[^『』\n]{2,80})』)")
_SLANTED = re.compile(r"(?P<mark>[*_])(?P<name>[^*_\n]{2,80})(?P=mark)")
_DATED = re.compile(rf"[\s,，、（(*_]{{0,4}}(?:{YEAR}|\d{{1,4}}\s?[卷巻(（]|第\s?\d|[Vv]ol)")
_LABEL = re.compile(
    r"(?:(?P<authors>作者|著者|저자|지은이|编者|編者|[总總]?主[编編]|[编編]著)|(?P<venue>出版社|出版者|期刊|掲載誌|출판사|학술지|来源)|(?P<other>译者|訳者|譯者|옮긴이|출판년도|出版年|出版年份|出版时间|年份|发表|発表))"
    r"\s?\*{0,2}\s?[:：为是]\s?\*{0,2}\s?"
)
_PEOPLE = rf"(?:[\[（(〔][{HAN}]{{1,4}}[\]）)〕]\s?)?[{EAST}A-Za-z][{EAST}A-Za-z·・．‧.,，、＝&/／’'\s与與和]{{0,60}}?"
_BY_ROLE = re.compile(rf"(?P<names>{_PEOPLE})\s?(?:(?:{AUTHOR}){{1,2}}|[（(]{AUTHOR}[)）]){_EDGE}")
_HELPER = re.compile(rf"(?P<names>{_PEOPLE})\s?(?:{TRANSLATOR}|(?P<aside>[（(]{TRANSLATOR}[)）])){_EDGE}")
_A_NAME = (
    rf"(?:[\[（(〔][{HAN}]{{1,4}}[\]）)〕]\s?)?(?P<name>[{EAST}A-Z][{EAST}\w·・．‧.＝' ’-]{{1,40}}?)(?P<cut>\s?等人?|ほか|ら|\s외|,?\set\sal\.?)?"
    r"(?:\s?[（(][A-Za-z][^（）()\d\n]{2,60}[)）])?"
)
_ONE = re.compile(_A_NAME + _EDGE)
_WHOLE_ONE = re.compile(_A_NAME + r"(?=\s?(?:[,，、;；。:：|｜/／)）\]】〕(（]|$|[–—-]\s))")
_BARE = re.compile(
    rf"(?P<name>[{EAST}A-Z][{EAST}\w·・．& ’'-]{{0,30}}?)(?=\s?[,，、|｜(（・·／/]\s?(?:{YEAR}(?!\d)|{_ERA})|\s{YEAR}(?!\d))"
)
_LATIN = re.compile(rf"(?P<name>[A-Z][A-Za-z][\w.&’' -]{{0,60}}?)(?=\s?[,，、)）]|\s{YEAR}|\.?\s?$|[.。])")
_PLAIN = re.compile(rf"(?P<name>[{EAST}][{EAST}\w·・． &-]{{0,24}}?){_EDGE}")
_NO_PRESS = re.compile(
    r"的|^(?:是|由|一书|一書|这|這|该|該|写|寫|成书|初版|出版|发表|發表|刊|原|作者|著|译|譯|訳|初|增订|约|約|于|於|在|自|至|从|[이그]\s|초판|출간|발표|원작|原著|電影|电影|映画|영화)|[はがをでにも]|(?:[导導]演|監督|主演|감독|출연|연출)$"
)
_STOPS = re.compile(r"[.．。;；:：]")


@dataclass(frozen=True, slots=True)
class Behind:
    """What was read behind a title, and where it ends."""

    end: int
    authors: tuple[str, ...] = ()
    et_al: bool = False
    year: int | None = None
    venue: str = ""
    identified: bool = False
    """Whether an identifier was read."""


def behind(text: str, at: int, *, authors: bool, year: bool = False, article: bool = False) -> Behind:
    """Read from `at`, just behind a title, as long as it goes on being a reference.

    Args:
        text: the text.
        at: where the title ends.
        authors: whether the authors are known, so that names are no authors any more.
        year: whether the year is known.
        article: whether the title may be that of an article, so that a second title is its journal.

    Example:
        >>> found = behind("《园林史》（上下册），王小明著，李大海译，北京：商务印书馆，2009年版，第12页。好书", 5, authors=False)
        >>> found.authors, found.venue, found.year, found.end
        (('王小明',), '商务印书馆', 2009, 41)
    """
    reader = _Reader(text, at, authors=authors, year=year, article=article)
    return reader.read()


class _Reader:
    """Reads part by part; each part moves `at` on and fills what it says into `found`."""

    def __init__(self, text: str, at: int, *, authors: bool, year: bool, article: bool) -> None:
        line = text.find("\n", at, at + _LONGEST)
        self.text, self.limit = text, line if line >= 0 else min(len(text), at + _LONGEST)
        self.begin, self.at, self.found = at, at, Behind(at)
        self.authors, self.year, self.article = authors, year, article
        self.open, self.opened, self.helped = False, 0, False

    def read(self) -> Behind:
        for _ in range(_MOST):
            joint = _JOINT.match(self.text, self.at, self.limit)
            at = joint.end() if joint else self.at
            mark = (joint["mark"].strip() or ("," if joint["by"] else "")) if joint else ""
            letter = self.text[at : at + 1] if at < self.limit else ""
            if letter in ")）" and letter and self.open:
                if self.found.end > self.opened:
                    self.found = replace(self.found, end=at + 1)
                elif not _STOPS.search(mark):
                    self.at = at + 1  # an aside
                self.open, self.at = False, at + 1
                continue
            if letter in "(（" and letter and not self.open:
                if self.found.venue and (self.found.year or self.year):
                    break
                if not self._aside(at):
                    self.open, self.opened, self.at = True, at + 1, at + 1
                continue
            if not letter or not self._part(at, mark):
                break
        return self.found

    def _aside(self, at: int) -> bool:
        """Skip brackets with an edition in them, of which the reference goes on behind."""
        short = _SHORT_TITLE.match(self.text, at + 1, self.limit)
        inner = _EDITION.match(self.text, short.end() if short else at + 1, self.limit)
        if inner is None and at == self.begin and not self.article:
            inner = _ORIGINAL.match(self.text, at + 1, self.limit)
            inner = None if inner and (is_press(inner[0]) or is_venue(inner[0])) else inner
        if inner is None:
            return False
        closed = self.text[inner.end() : inner.end() + 1] in ")）"
        self.open, self.opened = not closed, inner.end()
        self.at = inner.end() + closed
        return True

    def _part(self, at: int, mark: str) -> bool:
        """Read one part that begins at `at` behind the punctuation `mark`."""
        if label := _LABEL.match(self.text, at, self.limit):
            return self._labelled(label)
        stop = bool(_STOPS.search(mark))
        if not (stop or self.found.venue) and (part := _ISSUED.match(self.text, at, self.limit)):
            year = int(part["year"]) if part["year"] and not self.year else self.found.year
            return self._go(part.end(), venue=part["press"], year=self.found.year or year)
        if part := _IDENTIFIER.match(self.text, at, self.limit):
            return self._go(part.end(), identified=True)
        if part := _EDITION.match(self.text, at, self.limit):
            return self._go(part.end())
        if part := _WHEN.match(self.text, at, self.limit):
            return self._when(part)
        if not stop and not self._named() and (part := _BY_ROLE.match(self.text, at, self.limit)):
            read = names(part[0])
            if read:
                return self._go(part.end(), authors=read[0], et_al=read[1])
        helper = None if stop else _HELPER.match(self.text, at, self.limit)
        if helper and len(helper["names"]) > 1:
            if not self._named() and re.search(r"[,，]", helper["names"]) and self._people(at):
                return True  # 마이클 샌델, 김명철 옮김
            if helper["aside"] or names(helper[0]) is None:
                self.helped = True
                return self._go(helper.end())
        if not mark and not self.open and at > self.begin and self.text[at - 1] not in " \u3000*_)）》』年":
            return False
        return self._where(at, mark)

    def _labelled(self, label: re.Match[str]) -> bool:
        if label["authors"] and not self._named() and self._people(label.end(), sure=True):
            return True
        value = _PLAIN.match(self.text, label.end(), self.limit) or _WHEN.match(
            self.text, label.end(), self.limit
        )
        if value is None:
            return False
        read = names(value[0]) if label["authors"] else None
        if read and not self._named():
            return self._go(value.end(), authors=read[0], et_al=read[1])
        if label["venue"]:
            return self._go(value.end(), venue=value[0])
        self.at = label.end() if _WHEN.match(self.text, label.end(), self.limit) else value.end()
        return True

    def _when(self, part: re.Match[str]) -> bool:
        year = int(part["year"] or part["then"] or 0) or _western(part["era"], part["of"])
        if self.found.year or self.year:
            return self._go(part.end()) if self.found.year == year else False
        return self._go(part.end(), year=year)

    def _where(self, at: int, mark: str) -> bool:
        """Journal, publisher, names without a role, volume and pages."""
        text, limit = self.text, self.limit
        if journal := _JOURNAL.match(text, at, limit):
            dated = _DATED.match(text, journal.end()) is not None
            listed = mark in ("、", "・", "·") and not self.found.year  # 《…》、《…》
            inside = self.open and at == self.opened  # 《…》（《传奇》，上海杂志社，1944年）
            if self.found.venue or listed or not (dated or inside or self.article):
                return False
            return self._go(journal.end(), venue=journal["book"] or journal["corner"])
        known = self.found.venue or self.found.year or self.year
        if known and (part := _NUMBER.match(text, at, limit)):
            return self._go(part.end())
        if self.found.venue:
            if self.found.year:
                return False
            society = PUBLISHER.match(text, at, limit) or (_BARE.match(text, at, limit) if mark else None)
            self.at = society.end() if society else self.at
            return (
                society is not None
            )  # 『도시학보』 제12권 제3호, 한국도시학회, 2011; （『庭園講座 1』緑書店、1963年）
        city = CITY.match(text, at, limit)
        if city and (
            part := PUBLISHER.match(text, city.end(), limit)
            or _BARE.match(text, city.end(), limit)
            or _PLAIN.match(text, city.end(), limit)
        ):
            return self._go(part.end(), venue=part[1])
        right = text[self.begin - 1] in "』」" and not text[self.begin : at].strip(" \u3000*_")
        part = PUBLISHER.match(text, at, limit)
        goes_on = part is not None and re.match(rf"[{EAST}]", text[part.end() : limit])
        if part and not _NO_PRESS.search(part[0]) and (known or right or not goes_on):
            return self._go(part.end(), venue=part["press"])
        if _STOPS.search(mark) and not self.article:
            last = _LAST.match(text, at, limit) if self.year and mark == "." else None
            return last is not None and self._go(last.end(), venue=last[0])
        apart = mark or self.open or (right and _SIGNED.match(text, at, limit))
        if not (self._named() or self.helped) and apart and self._people(at):
            return True
        right = text[self.begin - 1] in "』」》〉>" and not text[self.begin : at].strip(" \u3000*_")
        return self._house(at, mark or (" " if right and self._named() else ""))

    def _house(self, at: int, mark: str) -> bool:
        """A publisher or a conference that only its place and the year behind it show."""
        text, limit = self.text, self.limit
        bracketed = self.open and self._named() and (at == self.opened or self.found.year)
        if bracketed and (part := _ONLY.match(text, at, limit)) and not _NO_PRESS.search(part["name"]):
            return self._go(part.end(), venue=part["name"])
        if self.article and mark and (part := _PERIODICAL.match(text, at, limit)):
            return self._go(part.end(), venue=part[0])
        if self.article and (part := _SLANTED.match(text, at, limit)):
            return self._go(part.end(), venue=part["name"])
        part = _BARE.match(text, at, limit) if (mark or self.open) and not self.found.year else None
        if part and not _NO_PRESS.search(part["name"]):
            return self._go(part.end(), venue=part["name"].strip())
        if (mark or self.open) and (part := _LATIN.match(text, at, limit)) and "://" not in part[0]:
            return self._go(part.end(), venue=part["name"].strip())
        if part := _KATAKANA.match(text, at, limit):
            return self._go(part.end(), venue=part[0])
        commas = self._named() and not self.open and mark in {",", "，", "、", "/", "／"}
        last = _AT_END.match(text, at, limit) if commas else None
        if last and not NO_NAME.match(last[0]):
            return self._go(last.end(), venue=last[0])
        return False

    def _people(self, at: int, *, sure: bool = False) -> bool:
        """Names without a role, one after the other: （岡谷貴之、講談社、2015年）."""
        found: list[str] = []
        cut, place, end = False, at, at
        while len(found) < 12 and (one := self._one(place)):
            read = names(one["name"])
            house = PUBLISHER.match(self.text, place, self.limit)
            if (
                one["name"].isascii()
                and not one["cut"]
                and (one["name"].isupper() or VENUE.search(one["name"]))
            ):
                break  # JAMA，2013
            if (
                read is None
                or not _are_one(one["name"], read[0])
                or (house and house.end() >= one.end("name"))
            ):
                break
            if (
                found
                and _KATAKANA.match(self.text, place, self.limit)
                and _BARE.match(self.text, place, self.limit)
            ):
                break  # 、オライリー・ジャパン、2016年
            found += (
                [last_name(read[0][0], "一") or read[0][0]]
                if sure and not found and len(read[0]) == 1
                else read[0]
            )
            cut, end = bool(one["cut"]), one.end()
            more = _NEXT.match(self.text, end, self.limit) or (
                _FOREIGN.match(self.text, end, self.limit) if " " in found[-1] else None
            )
            if more is None or cut:
                break
            place = more.end()
        sure = sure or len(found) > 1 or cut or self._goes_on(at, end)
        if not found or not sure:
            return False
        return self._go(end, authors=tuple(found), et_al=cut)

    def _one(self, at: int) -> re.Match[str] | None:
        """A name, with blanks in it if it is one with them."""
        for pattern in (_WHOLE_ONE, _ONE):
            one = pattern.match(self.text, at, self.limit)
            if one and (read := names(one["name"])) and _are_one(one["name"], read[0]):
                return one
        return None

    def _goes_on(self, begin: int, end: int) -> bool:
        """Whether a publisher, a year or the end of brackets follows."""
        joint = _JOINT.match(self.text, end, self.limit)
        at = joint.end() if joint else end
        if (self.open and self.text[at : at + 1] in ")）") or at >= self.limit:
            return True
        if re.match(r"\s?[—–―-]|\s?[:：]", self.text[end : end + 2]):
            return begins_as_name(self.text[begin:end])  # 『…』, 김철수 — 대하소설
        at += self.text[at : at + 1] in "(（"
        return any(
            pattern.match(self.text, at, self.limit)
            for pattern in (_WHEN, PUBLISHER, _BARE, _HELPER, _JOURNAL, _IDENTIFIER, _LABEL, CITY)
        )

    def _named(self) -> bool:
        return self.authors or bool(self.found.authors)

    def _go(self, end: int, **said: object) -> bool:
        self.at = end
        self.found = replace(self.found, end=end, **said)  # type: ignore[arg-type]
        return True


def _are_one(written: str, read: tuple[str, ...]) -> bool:
    """Whether what has no comma in it is one name, or names with dots between them: 김철수·이영희, 田中一郎・山田花子."""
    return len(read) == 1 or re.fullmatch(rf"[\uac00-\ud7a3·]+|[{HAN}・]+", written) is not None


def _western(era: str, of: str) -> int:
    """The year of an era in the Western calendar: 昭和9年, 民國元年."""
    return _ERAS[era] + (1 if of == "元" else int(of))
