"""What the keys of JSON objects mean, in their common spellings and languages."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

__all__ = ["Field", "Listing", "Meaning", "meaning"]

Field: TypeAlias = Literal[
    "title", "name", "authors", "editors", "year", "venue", "publisher", "institution", "doi", "arxiv", "isbn", "pmid", "url",
    "identifiers", "volume", "issue", "pages", "first_page", "last_page", "booktitle",
]  # fmt: skip
Listing: TypeAlias = Literal["references", "works", ""]

_NOT_LETTERS = re.compile(r"[\W_]+")
_FIELDS: dict[Field, str] = {
    "title": """title headline papertitle articletitle worktitle referencetitle publicationtitle documenttitle reporttitle
        studytitle fulltitle originaltitle chaptertitle dctitle dctermstitle paper article book work study titel titre título
        titulo titolo tytuł název cím başlık judul tiêuđề nimeke titlu название заголовок заглавие 标题 題目 题目 题名 題名 書名 书名 论文 论文标题 論文 論文名 タイトル 제목 논문""",
    "name": "name papername workname 名称",
    "authors": """author authors authorlist authorname authornames authorstring authorships creator creators dccreator writer writers
        writtenby authorsoreditors editorsorauthors authorseditors firstauthor leadauthor by autor autores autora auteur auteurs autoren autore autori verfasser autorzy autoři szerző szerzők
        yazar yazarlar penulis pengarang tácgiả forfatter författare kirjoittaja kirjailija автор авторы
        作者 著者 저자""",
    "editors": "editor editors herausgeber éditeurs editores",
    "year": """year yr date when published publishedyear yearpublished publicationyear yearofpublication pubyear publicationdate
        publishdate publisheddate datepublished publishedon pubdate dcdate issued jahr erscheinungsjahr datum año anio ano année
        annee anno rok år yıl tahun năm vuosi év jaar год 年 年份 出版年 出版年份 发表年份 発行年 연도 출판연도 날짜""",
    "venue": """container containername journal journalname journaltitle containertitle sourcetitle venue conference conferencename proceedings publicationvenue
        publicationname publishedin periodical magazine newspaper hostvenue zeitschrift revue revista rivista журнал 期刊 会议
        雑誌 雑誌名 학술지""",
    "booktitle": "booktitle bookname",
    "publisher": """publisher verlag editorial éditeur editeur editore casaeditrice maisondédition editora uitgever udgiver forlag förlag kustantaja wydawnictwo nakladatelství
        kiadó yayınevi penerbit nhàxuấtbản press 出版社 出版者 издательство 출판사""",
    "institution": "institution school university organization organisation",
    "doi": "doi",
    "arxiv": "arxiv arxivid arxivnumber arxividentifier eprint",
    "isbn": "isbn isbn10 isbn13",
    "pmid": "pmid pubmed pubmedid",
    "url": "url urls link links href uri doiurl doilink website webpage enlace lien 链接 网址 リンク 링크",
    "identifiers": "identifier identifiers externalids ids",
    "volume": "volume vol volumen band 卷",
    "issue": "issue issuenumber number no 期",
    "pages": "pages page pagerange pp seiten páginas paginas 页码",
    "first_page": "firstpage pagestart startpage",
    "last_page": "lastpage pageend endpage",
}
_FIELD_OF: dict[str, Field] = {
    spelling: field for field, spellings in _FIELDS.items() for spelling in spellings.split()
}
_GROUPS = {
    "references": """references reference refs citations citation cited cites citedworks workscited citedreferences sources bibliography bibliographie
        bibliografía bibliografia literaturverzeichnis literaturliste quellen referenzen referencias références riferimenti
        fuentes fonti литература списоклитературы источники 参考文献 参考资料 引用文献 文献 参考 출처 참고문헌 footnotes endnotes furtherreading
        recommendedreading readinglist""",
    "works": """source papers paper articles article publications publication books book works work studies study literature relatedwork
        relatedworks relatedpapers keypapers scholarlyarticles recommendations literatur articulos artículos libros livres bücher
        论文 书籍 论文列表 文章 論文 書籍 논문""",
    "contact": """email phone telephone mobile relationship""",
    "unwritten": """director directors directedby cast actors starring runtime imdb imdbid imdbrating boxoffice season seasons episode
        episodes artist artists album albums track tracks tracklist composer composers lyricist lyrics singer singers recordlabel
        performer performers lineup studio distributor price pricing cost currency sku brand stock quantity product productid
        productname company employer salary jobtitle department hiringorganization employmenttype qualifications responsibilities
        attendees organizer organisers organiser organizers starttime endtime tickets ticketprice admission doors capacity rsvp
        instructor instructors lecturer teacher prerequisites syllabus assignee duedate calories ingredients servings developer
        developers console""",
    "otherwise": """location status priority due completed done platform platforms version license dependencies scripts population
        capital stars forks rating ratings content body sections paragraphs chapters markdown html""",
    "spare": """source in where outlet publication publishedby appearedin appearsin presentedat series collection magazineorjournal
        periodicalorpublisher sitename websitename site fuente quelle fonte 来源 出处 出處 掲載誌""",
    "own": """id ref key refid refkey citekey citationkey locator pid permalink""",
    "broad": """venue venuename hostvenue conference conferencename publisher""",
    "place": """city address street streetaddress country capacity latitude longitude coordinates seats hall room""",
    "container": """book bookname booktitle issue ispartof""",
    "kind": """type mediatype itemtype typ""",
}
_WORDS = {group: frozenset(words.split()) for group, words in _GROUPS.items()}
_NAMES_VENUE = re.compile(r"(?:journal|venue|conference|publisher|proceedings|magazine)(?:name|title)?\Z")
_OF_WORK = re.compile(
    r"(?:publication|published|bibliographic|biblio|metadata|meta)(?:details?|info(?:rmation)?|data)?\Z|details?\Z|issue(?:details?|info(?:rmation)?|data)\Z"
)
_THING = re.compile(
    r"(?:events?|concerts?|festivals?|exhibitions?|screenings?|movies?|films?|filme|películas|songs?|canciones|albums?|tracks?|playlist|products?|courses?"
    r"|jobs?|jobposting|vacancies|games?|videogames?|recipes?|podcasts?|episodes?|tvshows?|tvseries|restaurants?|places|电影|活动|歌曲|映画|영화)\Z"
)

_WORK_IN_KEY = re.compile(
    r"book|paper|article|journal|literature|reading|reference|citation|stud(?:y|ies)|publication"
)


class Meaning(NamedTuple):
    """What a key says.

    Attributes:
        field: which field of a reference it names.
        listing: what it says of the values under it: "references" for sure, or "works" of which titles and years are enough.
        contact: it belongs to a person.
        otherwise: it belongs to a thing with a title that is no written work.
        unwritten: it does so, too, in an object such as "details": it belongs to a film, an event, a product, a job.
        thing: what has this name, or is listed under it, is such a thing: "film", "upcoming_events".
        kind: it says what kind of thing an object is.
        broad: it may name the hall of an event, or who sells a game, as well as a venue or a publisher of works.
        place: it belongs to a place where something may be, such as its city.
        spare: it may name the venue of what is a reference by other keys.
        detail: what an object under it is about: the "work" itself, as under "published", or the "container" that the work is in, whose
            identifiers are not those of the work. One under "related" may be about another work.
        own: it names the work itself, so that an identifier under it is the work's.
    """

    field: Field | None
    listing: Listing
    contact: bool
    otherwise: bool
    unwritten: bool
    thing: bool
    kind: bool
    broad: bool
    place: bool
    spare: bool
    detail: Literal["work", "container", ""]
    own: bool


@lru_cache(maxsize=4096)
def meaning(key: str) -> Meaning:
    """What a key says, without its signs and in any case.

    Example:
        >>> meaning("container-title").field, meaning("Works_Cited").listing
        ('venue', 'references')
    """
    plain = _NOT_LETTERS.sub("", key[:60]).casefold()
    said = {group for group, words in _WORDS.items() if plain in words}
    field = _FIELD_OF.get(plain)
    spare = "spare" in said or _NAMES_VENUE.search(plain) is not None
    contains = spare or field in {"venue", "publisher"} or "container" in said
    return Meaning(
        field,
        listing="references" if "references" in said else "works" if "works" in said else "",
        contact="contact" in said,
        otherwise=not said.isdisjoint({"otherwise", "unwritten"}),
        unwritten="unwritten" in said,
        thing=_THING.search(plain) is not None and _WORK_IN_KEY.search(plain) is None,
        kind="kind" in said,
        broad="broad" in said,
        place="place" in said,
        spare=spare,
        detail="work" if field == "year" or _OF_WORK.match(plain) else "container" if contains else "",
        own="own" in said,
    )
