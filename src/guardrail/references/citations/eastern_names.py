"""Names of authors in Chinese, Japanese and Korean: whole lists, and the one at the end of a run of signs."""

from __future__ import annotations

import re
from collections.abc import Iterable

from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.people import people

__all__ = [
    "AUTHOR",
    "EAST",
    "HAN",
    "KOREAN_FAMILIES",
    "KOREAN_LEADS",
    "NO_NAME",
    "TRANSLATOR",
    "begins_as_name",
    "cut_off",
    "in_other_letters",
    "last_name",
    "names",
    "without_aside",
    "without_volumes",
]

HAN = r"\u3005\u3007\u3400-\u9fff\uf900-\ufaff"
EAST = rf"{HAN}\u3041-\u30ff\uac00-\ud7a3"
"""The signs of the three scripts, for character classes."""
AUTHOR = r"(?:공저|공편|공역|合著|合編|合编|编著|編著|主编|主編|編集|著者|著|口述|撰写|撰寫|执笔|執筆|编写|编撰|编纂|編纂|编|編|撰|지음|엮음|저|편|글)"
TRANSLATOR = r"(?:[编編]译|[编編]譯|合译|翻译|監訳|监译|校译|校訂|補訂|改訂|監修|审校|导读|導讀|译注|訳注|解説|译|譯|訳|校|옮김|역주|공역|편역|번역|역|감수|해설)"
_NAME = re.compile(
    rf"[{HAN}]{{2,4}}|[{HAN}]{{1,4}}[ \u3000][{HAN}\u3041-\u30ff]{{1,5}}|[{HAN}]{{1,4}}(?:[\u3041-\u309f]{{1,4}}|[\u30a1-\u30fa]{{2,4}})"
    rf"|[{HAN}]{{5,6}}(?![·・．])"
    rf"|[{HAN}A-Z]{{1,8}}\.?(?:\s?[·・．•‧]\s?[{HAN}A-Z]{{1,8}}\.?){{1,4}}"
    r"|[\u3041-\u309f]{5,9}(?<![にはもでとがをてれ])|(?:[A-Z][.．]?\s?){1,3}[\uac00-\ud7a3]{1,7}|(?:[A-Z][.．]\s?){1,3}[\u3400-\u9fff]{2,6}|(?:[A-Z][.．]?[・＝\s]?){0,3}[\u30a1-\u30fa\u30fc]{2,12}(?:[・＝=\s][\u30a1-\u30fa\u30fcA-Z.]{1,12}){0,4}"
    r"|[\uac00-\ud7a3]{2,4}|[\uac00-\ud7a3]{1,7}(?:\s[A-Z]\.)?(?:[\s·][\uac00-\ud7a3]{1,7}){1,3}"
)
_BODY = re.compile(
    rf"[{EAST}\dA-Z·・ ]{{2,40}}(?:委员会|委員会|委員會|学会|學會|協會|協会|协会|分会|中心|研究所|研究院|研究室|协作组|課題組|课题组|編集部|编辑部|编写组|"
    r"大学|大學|学院|大臣官房|省|厅|庁|部|局|署|院|银行|銀行|机构|機構|組織|组织|联盟|聯盟|기구|위원회|학회|협회|연구원|연구소|대학교|은행|부|청)"
)
_AGES = r"(?:春秋|[战戰][国國]|[西东東][汉漢晋晉周]|三[国國]|[北东東西][魏齐齊周]|南朝[宋齐齊梁陈陳]?|五代|[北南]宋|[唐宋元明清汉漢][代朝]|民[国國])"
_NATION = re.compile(
    rf"^(?:[\[（(〔【](?:[\u3400-\u9fff]{{1,4}}|[\uac00-\ud7a3]{{1,3}})[\]）)〕】]\s?|(?:{_AGES}[·・\s]?|[唐宋元明清汉漢晋晉魏隋][·・\s])(?=[{HAN}]{{2,4}}$))"
)
_ALIAS = re.compile(
    rf"(?<=[{EAST}A-Za-z]{{2}})\s?[（(][{EAST}]{{2,5}}[)）]$"
)  # 鲁迅（周树人）, Jane Roe（罗珍）
_HONOUR = re.compile(
    rf"(?<=[\uac00-\ud7a3]{{2}})\s(?:교수|박사|선생|작가|시인|소설가|평론가)님?$|(?<=[{HAN}]{{2}})(?:教授|老师|老師|先生|女士|博士|院士|さん|氏)$"
)
_ASIDE = re.compile(
    rf"\s?[（(〔](?:[A-Za-z][^（）()〔〕\d]{{1,60}}|[^（）()〔〕\d]{{2,30}}{TRANSLATOR}|{AUTHOR}|{TRANSLATOR}(?:\s?[:：][^（）()〔〕\d]{{1,40}})?)[）)〕]"
)
_VOLUMES = re.compile(
    r"\s?(?:[1-9Ⅰ-Ⅹ](?:\s?[·,~〜–-]\s?[1-9Ⅰ-Ⅹ])+|[（(]?[上中下](?:[·・、]?[中下])+[)）]?|[（(]?[상중하](?:[·,]\s?[중하])+[)）]?)[권巻卷冊册]?$"
)
_PICTURE = re.compile(r"^[\s\U0001f300-\U0001faff\u2600-\u27bf\ufe0f]+")
_CUT = re.compile(r"(?:^|[,，、 ]?\s?)(?:等人|等|ほか|他|(?<!た)ら|외(?:\s?\d+인)?|et\sal)[.．]?$")
_SPLIT = re.compile(
    rf"\s*(?:[,，、;；&＆/／]|(?<=[\uac00-\ud7a3])\s?[·・]\s?(?=[\uac00-\ud7a3])|(?<=[{HAN}])[・･](?=[{HAN}])"
    r"|(?<=[\uac00-\ud7a3]{2})[와과]\s(?=[\uac00-\ud7a3]{2})|\s및\s|と(?=[\u3400-\u9fff])"
    rf"|(?<=[{HAN}]{{2}})[和与與及](?=[{HAN}]{{2}}))\s*"
)
_WITH_ROLE = re.compile(rf"(?P<name>.*?[^\s])[\s・]?(?:(?P<translator>{TRANSLATOR})|(?P<author>{AUTHOR}))")
_DOUBLE = frozenset(
    ["欧阳", "歐陽", "司马", "司馬", "诸葛", "諸葛", "上官", "夏侯", "司徒", "慕容", "皇甫", "令狐"]
)
_FAMILIES = frozenset(
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金"
    "陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文竺费洪鲁翁项樊庞葛季路温严骆甘柯尤仇巫冉阮桂涂倪俞章施申岳游祝殷褚束屈左霍"
    "張劉陳楊趙黃吳孫馬羅鄭謝韓馮蕭鄧許呂蘇盧蔣賈葉閻鐘鍾譚鄒陸龍萬錢湯喬賀賴龔費魯項龐溫嚴駱齊連簡藍詹齐连简蓝沙宗冰茅巴老梅柳荣瞿聂晏裴席莫舒车白麦古单区欧容盛樂乐娄晋甄阳楚佟符丛奚管关關边邊冼卓蓝安牛仲车解耿成阿丰伊"
)
KOREAN_FAMILIES = frozenset(
    "김이박최정강조윤장임한오서신권황안송류전홍고문양손배백허유남심노하곽성차주우구민진지엄채원천방공현함변염여추도소석선설마길연위표명기반왕금옥육인맹제모탁국은편용"
)
NO_NAME = re.compile(
    r"(?:小贴士|小提示|贴士|需要|注意|提示|备注|備註|说明|說明|补充|補充|示例|例子|书名|書名|简介|总之|最新|前者|后者|後者|这些|那些|如下|选择|打开|点击|作者|我们|我們|他们|她们|他|她|本文|本书|本書|同書|前書|此书|该书|这本|那本|大家|读者|讀者|同学|學界|学界|建议|建議|推荐|推薦|可读|可讀|参考|參考|参见|參見|详见|例如|比如|"
    r"包括|以及|尤其|其中|另外|此外|首先|其次|最后|然后|同时|入门|入門|经典|經典|读完|读过|看完|可把|对读|代表作|主著|名著|著作|论文|論文|教材|小说|小說|小説|电影|電影|映画|"
    r"期刊|杂志|雜誌|雑誌|根据|根據|按照|依据|一本|两本|三本|还有|關於|关于|如果|以下|上述|近年|晚年|早期|主要|初学|学术|学生|先读|再读|通读|精读|阅读|閱讀|图书|圖書|书籍|原著|原作|"
    r"저자의?|연구진의?|연구팀|평전|[一二三四五六七八九十两兩\d]{1,3}[冊册卷巻部本]|同[一じ]?[作著]者|역사책|소설책|시집|作品|同名|中国|中國|日本|国内|国外|古典|日本語|英語|英文|中文|一方|最初|当时|著者|拙著|自著|次は|第[一二三四五六七八九十]|[唐宋元明清汉漢]代|格式|参照|參照|法国|美国|英国|德国)"
)
"""Words that begin no name, though they are as short as one."""
KOREAN_LEADS = re.compile(  # the words before a name: 이 전환을 대표하는 책이 권보드래, 이론적 배경으로는 베네딕트 앤더슨
    r"(?:[\uac00-\ud7a3]{1,8}\s){0,3}?(?:[\uac00-\ud7a3]{0,7}(?:[을를는의]|에서|으로|이며|이고|하[고면며]|[라다자]면|지만|[학저]자|시인|교수|[설작론평사]가)|[\uac00-\ud7a3]{2,6}[한된던]"
    r"|또한|그리고|특히|이어|먼저|다음|최근|역시|바로|가령|예컨대|한편|반면|물론|우선|같은|다룬|쓴|펴낸|엮은|(?:책|저서|논문|작품|소설|시집|글)[이은])\s"
)
_KOREAN_CLAUSE = re.compile(  # 우울은 전겸구
    rf"(?:[\uac00-\ud7a3]{{1,8}}\s){{0,3}}[\uac00-\ud7a3]+[은에로고서며과와면]\s[{''.join(sorted(KOREAN_FAMILIES))}][\uac00-\ud7a3]{{1,2}}"
)
_TWO = re.compile(
    rf"(?:[\uac00-\ud7a3]+\s[\uac00-\ud7a3\s]+|[{HAN}]+[·・．][{HAN}·・．]+),(?:[\uac00-\ud7a3]{{2,4}}|[{HAN}]{{2,4}})$"
)
_HELPED = re.compile(rf"^[^/／、，,]+[/／].*{TRANSLATOR}$")
_WITH_KATAKANA = re.compile(rf"[{HAN}]{{2,3}}[\u30a1-\u30fa]{{2,4}}")  # 福田アジオ
_CLAUSE = re.compile(
    rf"[的了这這]|^[{HAN}]{{1,4}}(?:に?[はも]|[にばてでとをが]|なら|から|では|には|えば|する)$|^[他她我你您它]|在$|主[持演讲講]$|指导$|制作$|整理$|考案$|发表|發表|出版|(?:[을를]|[라다자하]면|[으에]로|으로는|에서|에는)$"
)  # 시간이 없다면, 1977年发表的论文以
_BEFORE_NAMES = re.compile(
    rf"(?:{_AGES}|学者|學者|教授|作家|学家|學家|批评家|評論家|評論者|研究者|思想家|哲学者|院士|老师|老師|先生|推荐|推薦|阅读|閱讀|参考|參考|例如|比如|包括|以及|"
    r"还有|可读|可讀|看看|再看|请看|如|读|讀|和|与|與|及|而|看|由|将|把|是|据|按)(?=[\u3400-\u9fff])"
)


_COUNTED = re.compile(r"^\s*[\u2460-\u2473]\s?")  # ⑤ 胡焕庸


def names(written: str) -> tuple[tuple[str, ...], bool] | None:
    """The authors of a statement of responsibility, and whether it is cut short; `None` if it is none.

    Who translated or revised the work is left out.

    Example:
        >>> names("若林正丈著，洪郁如、陳培豐等譯")
        (('若林正丈',), False)
        >>> names("[意] 切萨雷·贝卡里亚"), names("김명자·홍성욱 외")
        ((('切萨雷·贝卡里亚',), False), (('김명자', '홍성욱'), True))
    """
    text = without_aside(_PICTURE.sub("", _COUNTED.sub("", written)).strip(" .．。,，、:：*_\t\u3000"))
    if not text or len(text) > 160 or KOREAN_LEADS.match(text):
        return None
    if not re.search(rf"[{EAST}]", cut_off(text)[0]):
        bare, cut = cut_off(text)
        read = people(bare.replace("、", ", ").replace("，", ", "))
        return (read[0], read[1] or cut) if read else None
    if _BODY.fullmatch(text) and not re.search(r"[,，、;；]", text):
        return (text,), False
    if _HELPED.search(text):  # スミス／田中一郎訳
        text = re.sub(r"\s?[/／]\s?", "著、", text)
    return _by_roles(_SPLIT.split(text))


def _by_roles(pieces: Iterable[str]) -> tuple[tuple[str, ...], bool] | None:
    """Those of the names that no role of a helper follows; `None` if one of the pieces is no name."""
    found: list[str] = []
    group: list[str] = []
    closed = cut = False
    for piece in pieces:
        bare, short = cut_off(piece)
        if short and not bare:
            cut = True
            continue
        role = _WITH_ROLE.fullmatch(bare)
        if role:
            bare, inner = cut_off(role["name"])
            short = short or inner
        bare = _ALIAS.sub("", _HONOUR.sub("", _NATION.sub("", bare).strip()))
        if group and re.fullmatch(r"[A-Z][.．]?", bare):
            group[-1] += f"，{bare}"  # スミス，J．
        elif bare:
            if not _is_name(bare):
                return None
            group.append(bare)
        if role and role["translator"]:
            # 유발 하라리, 조현욱 역: the first, a foreigner, is the author
            found, group = (
                ([*found, group[0]] if len(group) == 2 and _TWO.match(",".join(group)) else found),
                [],
            )
            continue
        cut = cut or short
        if role:
            found, group, closed = [*found, *group], [], True
    found = found if closed else [*found, *group]
    return (tuple(found), cut) if found else None


def _is_name(text: str) -> bool:
    if _CLAUSE.search(text) or _KOREAN_CLAUSE.fullmatch(text) or NO_NAME.fullmatch(text):
        return False
    return bool(_NAME.fullmatch(text) or _BODY.fullmatch(text) or (text.isascii() and people(text)))


def cut_off(text: str) -> tuple[str, bool]:
    """The text without "等" or "외" at its end, and whether there was one."""
    cut = _CUT.search(text)
    return (text[: cut.start()].rstrip(), True) if cut else (text, False)


def without_aside(text: str) -> str:
    """Without a nation before a name, and the name in Latin letters or a helper in brackets behind it."""
    return _ASIDE.sub("", _NATION.sub("", text))


def in_other_letters(said: Reference) -> bool:
    """Whether the title has no letter of the three scripts, but the names do: its record has them otherwise."""
    east = re.compile(rf"[{EAST}]")
    return not east.search(said.title) and any(east.search(name) for name in said.authors)


def without_volumes(title: str) -> str:
    """The title without the numbers of its volumes: 한국정원사 1·2, 庭の歴史（上下）."""
    return _VOLUMES.sub("", title)


def begins_as_name(text: str) -> bool:
    """Whether it begins with a frequent Chinese or Korean family name, or has the form of a foreign one."""
    if re.fullmatch(r"[\uac00-\ud7a3]{2,4}", text):
        return text[0] in KOREAN_FAMILIES
    return text[:1] in _FAMILIES or text[:2] in _DOUBLE or re.search(r"[·・．‧]", text) is not None


def last_name(written: str, before: str) -> str:
    """The name at the end of a run of signs, "" if there is no telling; `before` is what comes before the run.

    Nothing parts a name from the words before it in Chinese. It begins behind a mark, a blank or kana, behind a word such as
    学者, or with a frequent family name two or three signs before the end.

    Example:
        >>> last_name("顺带推荐王小明", ""), last_name("社会学者中根千枝", "。")
        ('王小明', '中根千枝')
    """
    cuts = [match.end() for match in _BEFORE_NAMES.finditer(written)]
    shorter = written[cuts[-1] :] if cuts and len(written) - cuts[-1] >= 2 else written
    own = not before or not re.search(rf"[{HAN}\u30a1-\u30fa]$", before)
    if own and ((len(written) <= 4 and begins_as_name(written)) or _WITH_KATAKANA.fullmatch(written)):
        return written
    if 2 <= len(shorter) <= 4 and (shorter != written or own):
        return shorter
    if re.search(r"[·・．‧]", shorter):
        return shorter if own or shorter != written else ""
    for size in (3, 2):
        name = written[-size:]
        if len(written) > size and (name[0] in _FAMILIES or (size > 2 and name[:2] in _DOUBLE)):
            return name
    return ""
