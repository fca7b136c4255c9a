"""How much speaks for a piece of text being a reference."""

from __future__ import annotations

import re
from functools import lru_cache

from guardrail.references.citations.eastern import SCRIPT
from guardrail.references.citations.eastern_names import is_short
from guardrail.references.citations.fields import Parsed
from guardrail.references.citations.languages import HEADINGS, MEDIA, WORKS
from guardrail.references.citations.people import surely_people
from guardrail.references.citations.words import VENUE, is_comment, title_case, words

__all__ = ["EASTERN_MEDIA", "asks_for_references", "heading", "lead_in", "sure", "weigh"]

_WORKS = (
    r"references?|bibliography|works cited|cited works|sources|citations?|further reading|reading list|literature|"
    r"(?:research |scientific |academic |journal |key |seminal |review )?(?:papers?|articles?|publications?)|"
    r"books?|textbooks?|monographs?|novels?|studies|works|titles|preprints|theses|"
    r"livres|ouvrages|références|bibliographie|bücher|literatur|quellen|libros|referencias|bibliografía|"
    r"(?:\w{0,20}?(?:参考文献|文献|论文|书籍|参考)\w{0,5})"
)
_EASTERN_WORKS = (
    r"[书書][单單目籍名]|[图圖][书書]|図書|[专專原名]?著作|[专專]著|[论論][文著]|文[献獻]|教材|小[说說説]|(?:推[荐薦]|延伸|[扩擴拓]展|深入|相[关關])[阅閱][读讀]|[读讀]物|代表作|(?:[几幾两兩三四五六七八九十\d]|入[门門]|工具)本?[书書]|必[读讀]"
    r"|入門書|専門書|新書|(?:おすすめ|お薦め|薦め|次|以下)の本|読(?:むべき|みたい)|\d冊|도서|책(?![임상정략봉])|논문|문헌|저서|저작|소설|읽을거리"
)
_OTHERS = (
    r"steps?|ingredients|features|tips|how to|to-?do|agenda|benefits|advantages|disadvantages|reasons|symptoms|"
    r"plan|pros|cons|instructions|questions|tasks|rules|shopping|countries|cities|options|ways|strategies|"
    r"what (?:I|we|I['’]ve|has|was) (?:changed|fixed|edited|did|added|left out)|changes|edits|revisions|next steps|"
    r"reminders?|notes|formatting|caveats?|remarks|recommendations:|events|languages|presidents|characters|people|companies|key points|(?:key|main|big) (?:ideas|facts|takeaways|findings|differences)|topics|outline|requirements|symptoms|causes|effects"
)
_MEDIA = (
    r"movies?|films?|songs?|albums?|tv series|tv shows|games|podcasts|paintings"
    rf"|{MEDIA}"
    r"|\w{0,20}?(?:电影|電影|影片|电视剧|電視劇|歌曲|专辑|游戏|遊戲|动漫|纪录片|映画|ドラマ|アニメ|アルバム|ゲーム|漫画|영화|드라마|노래|앨범|게임|만화)\w{0,8}"
)
_LEAD = re.compile(
    rf"(?<!\w)(?:(?P<works>{_WORKS}|{WORKS})|(?P<media>{_MEDIA})|(?P<others>{_OTHERS}))(?!\w)", re.IGNORECASE
)
_SENTENCES = re.compile(r"[.!?][\s*_]+")
_EASTERN_LEAD = re.compile(  # the last word says what is listed: 写论文的步骤
    rf"(?P<works>{_EASTERN_WORKS})|(?P<others>步[骤驟]|方法|注意|建[议議]|技巧|原[则則]|要[点點]|流程|人物|[内內]容|[结結][构構]|[类類]型|手順|コツ|ポイント|내용|인물|理由|原因|방법|순서|단계|이유|주의|요령|특징)"
)
_HEADING = re.compile(
    r"[#\s*_]{0,12}(?:\d{1,2}\.?\s|[一二三四五六七八九十]{1,2}、)?(?:references?|bibliography|works cited|sources|citations|further reading|"
    rf"literature(?: cited)?|selected (?:references|bibliography)|{HEADINGS}|(?:主要|核心|重要|推[荐薦])?(?:参考文献|參考文獻|[参參]考(?:[资資]料|[书書]目|図書)|推[荐薦][书書]目|延伸[阅閱][读讀]|引用文[献獻]|참고\s?문헌|추천\s?도서))"
    r"(?:\s?[（(][^（）()]{1,40}[）)])?[\s:：*_]{0,8}",
    re.IGNORECASE,
)
_ASKS = re.compile(
    rf"(?<!\w)(?:{_WORKS}|cite|bibtex|doi|arxiv)(?!\w)",
    re.IGNORECASE,
)
_IMPERATIVE = re.compile(
    r"(?:Add|Mix|Click|Open|Select|Install|Run|Use|Make|Create|Check|Choose|Set|Start|Stop|Go|Keep|Cite|Avoid|Heat|"
    r"Pour|Clone|Compare|Restart|Update|Write|Fix|Read|Save|Try|Ensure|Remember|Improves|Reduces|Increases|Supports|"
    r"Visit|Search|Contact|Press|Enter|Download|Copy|Remove|Build|Test|Review|Consider|Prepare|Find|Call)\s"
)
_PERSONAL = re.compile(r"\b(?:you|your|I|I'm|we|our|my)\b")
_PRONOUN = re.compile(r"(?:I|It|We|You|There|They|He|She|In \d{4}|Yes|No|Your|My)\b")
_ROLE = re.compile(r"\b(?:Chief|Officer|Manager|Head of|Director|President|CEO|CTO|CFO|Engineer)\b")
_MEASURE = re.compile(r"\d\s?(?:g|kg|ml|km|cm|mm|°C|%|million|billion|cups?|minutes|hours)\b|\d:\d\d|[$€£]\d")
_PREDICATE = re.compile(r"\b(?:is|was|are|were)\s(?:an?|the|not|born)\b|\bborn\s")
_STATEMENT = re.compile(r"\S{1,30}\s(?:is|was)\s(?:not\s)?an?\s[^.]{1,80}\.\s*$")
EASTERN_MEDIA = re.compile(
    r"电影|電影|影片|映画|电视剧|電視劇|连续剧|ドラマ|アニメ|首歌|歌曲|歌单|金曲|专辑|專輯|アルバム|单曲|楽曲|游戏|遊戲|ゲーム|动漫|动画|漫画|漫畫|マンガ|纪录片|紀錄片|导演|導演|監督|"
    r"执导|執導|主演|演唱|作曲|综艺|綜藝|画作|演出|油画|雕塑|交响|協奏|歌剧|话剧|音楽|名曲|영화|드라마|노래|앨범|게임|만화|애니|감독|뮤지컬|음반"
)
"""Words that show that a title in brackets is that of a film, a song or a game."""
_EASTERN_SENTENCE = re.compile(
    r"[\u3400-\u9fff\u3041-\u309f][。；！？](?=\s*$|[^）」』》])|[\u3400-\u9fff][，、][\u3400-\u9fff]{4}|[\uac00-\ud7a3](?:[다요오죠][.!]|세요|니다)\s*$"
)
_SOME_WORK = re.compile(  # A meta-analysis by Doe et al. (2013) in the *Journal of …* found that: a sentence
    r"(?:An?|The|One|Another|This|That|His|Her|Their)\s(?:[a-z-]{2,20}\s){0,4}(?:meta-analys[ie]s|papers?|articles?|stud(?:y|ies)|reviews?|reports?|surveys?|essays?|books?|experiments?|trials?|analysis|work)"
)
_INTRODUCES = re.compile(  # My favourite is The Name of the Rose (Umberto Eco, 1980)
    r"(?:My|Our|His|Her|Their|Another|One|The)\s(?:[a-z]{2,15}\s){1,8}(?:is|are|was|were|remains?|would\sbe)\s(?=[\"“*_]?[^\W\d_a-z])"
)
_MARKED_SENTENCE = re.compile(r"[.!?]\s?(?:\[\d{1,3}\]|[¹²³⁰⁴-⁹]){1,6}\s*$")  # Most of them recovered.[3][4]
_BEGUN = re.compile(
    r"\*\*[^*]{3,80}\*\*\s[^\W\d_A-Z]{2,20}\s[^\W\d_]"
)  # **At once to a doctor** with a fever
_CHECKBOX = re.compile(r"\[[ xX]\]\s")
_SECTION = re.compile(r"\*\*[^*]{1,80}\*\*\s?[:–—-]|\*\*[^*]{1,80}:\*\*")


def weigh(text: str, parsed: Parsed, *, lenient: bool = False) -> float:
    """Evidence for one list item: about 2 and more for a reference, below 1 for anything else."""
    reference = parsed.reference
    marks = parsed.marks
    count = len(words(reference.title))
    capitals = title_case(reference.title)
    score = 3.0 * ("id" in marks) + 2.0 * ("apa" in marks) + 1.5 * (bool(reference.authors))
    score += 1.0 * ("year" in marks) + 1.0 * ("venue" in marks) + 0.5 * reference.et_al
    score += 1.0 * bool(
        reference.url and (reference.venue or reference.authors) and "id" not in marks
    )  # Free Will – *Site* – https://…
    score += (1.5 if count >= 2 else 0.5) * ("quoted" in marks) + 0.5 * bool(marks & {"link", "emphasised"})
    if capitals >= 0.7 and count >= 3:
        score += 1.0
    elif capitals < 0.4 and not lenient and not marks & {"apa", "quoted"} and not _complete(parsed):
        score -= 1.0
    return score - _against(text, parsed, lenient=lenient)


def _complete(parsed: Parsed) -> bool:
    """Whether authors, a year and a publisher or journal are sure: most languages write titles in small letters."""
    reference = parsed.reference
    placed = "venue" in parsed.marks or ("emphasised" in parsed.marks and reference.venue)
    return bool(reference.authors and reference.year and placed)


def sure(text: str, parsed: Parsed) -> bool:
    """Whether a text anywhere is a reference beyond doubt: names, a year and a title, in a known form."""
    reference = parsed.reference
    title = reference.title
    if not (reference.authors and reference.year and len(words(title)) >= 2) or title[:1].islower():
        return False
    if any(SCRIPT.search(name) and not is_short(name) for name in reference.authors):
        return False
    if (
        _SOME_WORK.fullmatch(title)
        or _INTRODUCES.match(title)
        or (VENUE.search(title) and "quoted" not in parsed.marks)
        or is_comment(title, weakly=False)
    ):
        return False
    if title.count("(") > title.count(")"):
        return False  # a sentence with marks: … (Riess et al., 1998; vgl. Perlmutter et al. 1999)
    if "apa" not in parsed.marks:
        if _PREDICATE.search(text, 0, parsed.end):
            return False
        known = parsed.marks & {"venue", "id"} and surely_people(reference.authors, reference.et_al)
        marked = "emphasised" in parsed.marks and surely_people(reference.authors, reference.et_al)
        placed = {"venue", "emphasised"} <= parsed.marks and all(" " in name for name in reference.authors)
        if not (known or marked or placed or "quoted" in parsed.marks or title_case(title) >= 0.7):
            return False
        if marked and text.lstrip(" \t>*_").startswith(reference.authors[0][:12]):
            return (
                weigh(text, parsed, lenient=True) >= 3.0
            )  # CANDIDO, Antonio. **Formação da literatura brasileira**
    return weigh(text, parsed, lenient=True) >= 3.5


def _against(text: str, parsed: Parsed, *, lenient: bool) -> float:
    """What speaks against a reference."""
    marked = bool(parsed.marks & {"quoted", "link", "emphasised"})
    named = bool(parsed.reference.authors) or "quoted" in parsed.marks or "id" in parsed.marks
    against = 4.0 if _CHECKBOX.match(text) or heading(text) else 0.0
    if not parsed.reference.venue and EASTERN_MEDIA.search(text[:400].replace(parsed.reference.title, "")):
        against += 4.0
    if named:
        return against + (1.5 if _ROLE.search(text) and not parsed.reference.year else 0.0)
    head = text[: parsed.end][:400]
    against += 3.0 if _EASTERN_SENTENCE.search(head) else 0.0
    against += 1.5 if _IMPERATIVE.match(text) else 0.0
    against += 1.0 if _PERSONAL.search(head) else 0.0
    against += 2.0 if _PRONOUN.match(text) else 0.0
    against += 1.5 if _STATEMENT.match(head) else 0.0
    against += 2.0 if _MEASURE.search(head) else 0.0
    against += 1.5 if "`" in head else 0.0
    against += 3.0 if _MARKED_SENTENCE.search(text) and not marked else 0.0
    against += 1.5 if _BEGUN.match(text) else 0.0
    against += 2.0 if _SECTION.match(text) and is_comment(text[parsed.end :]) else 0.0
    against += (
        1.5
        if is_comment(head, weakly=not lenient or head.rstrip().endswith(".")) or (len(words(head)) > 35)
        else 0.0
    )
    return against


@lru_cache(maxsize=64)  # each list asks twice, and the lists within it again
def lead_in(line: str) -> float:
    """What the line before a list says about it: positive for references, negative for other things.

    A line that announces a list without a word for works speaks a little against references.

    Example:
        >>> lead_in("Here are five papers on the benefits of sleep:"), lead_in("Tips for writing papers:")
        (2.0, -2.0)
    """
    last = _SENTENCES.split(line.rstrip(" *_"))[-1]
    match = _LEAD.search(last) or (_LEAD.search(line) if len(last) < len(line.rstrip(" *_")) else None)
    eastern = [found.lastgroup for found in _EASTERN_LEAD.finditer(line)]
    if eastern and not (match and match["media"]) and not re.search(r"[《『「]", line):
        return 2.0 if eastern[-1] == "works" else -2.0
    if match is None:
        return -1.0 if line.rstrip(" *_").endswith((":", "：")) else 0.0
    if match["media"]:  # titles with makers and years, and yet no references
        return -5.0
    return 2.0 if match["works"] else -2.0


def heading(line: str) -> bool:
    """Whether a line is the heading of a reference list."""
    return len(line) < 80 and _HEADING.fullmatch(line) is not None


def asks_for_references(question: str) -> bool:
    """Whether a prompt asks for references, so that a list of titles in the answer is meant as such.

    Example:
        >>> asks_for_references("Give me five papers on graph colouring."), asks_for_references("How are you?")
        (True, False)
    """
    return _ASKS.search(question[-20_000:]) is not None
