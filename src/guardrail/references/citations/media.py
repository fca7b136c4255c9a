"""What has a title and a year and is no reference: films, music and pictures in answers about them, and rows of things with years."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from guardrail.references.citations.houses import HOUSES
from guardrail.references.citations.languages import THINGS
from guardrail.references.citations.model import FIRM, IDENTIFIED, Citation
from guardrail.references.citations.words import VENUE

__all__ = ["about_media", "is_on_screen", "without_media"]

_MEDIA = re.compile(
    r"(?<!\w)(?:film\w{0,3}|movies?|cinema|cine|cinéma|kino|películas?|pellicol[ae]|regist[ai]|regisseur\w{0,3}|directors?|director[ae]s?|réalisat\w+|albums?|alben|"
    r"songs?|lieder|chansons?|canzon[ei]|canciones|episodes?|soundtracks?|TV|Netflix|box office|Academy Awards?|Oscars?|starring|screenplay|paintings?|painters?|"
    r"gemälde|tableaux?|toiles?|peint(?:e?s?|res?|ures?)|oil on canvas|accrochages?|cuadros?|sculptures?|synth\w*|video ?games?|podcasts?|кино\w*|фильм\w*|режисс[её]р\w*|песн\w+|альбом\w*)(?!\w)"
    r"|电影|電影|影片|导演|導演|专辑|歌曲|映画|監督|アルバム|영화|감독|드라마|앨범",
    re.IGNORECASE,
)
_WORKS = re.compile(
    r"(?<!\w)(?:e?-?books?|novels?|papers?|articles?|journals?|authors?|press|publish\w*|stud(?:y|ies)|research\w*|essays?|reads?|reading|readers?|chapters?|"
    r"editions?|literatur\w*|theses|thesis|monograph\w*|textbooks?|scholar\w*|theor\w+|bibliograph\w*|bibliogra\w+|references?|sources?|preprints?|reviews?|"
    r"livres?|ouvrages?|romans?|auteure?s?|éditions?|lire|lecture|libros?|libri|autor(?:es|en|in|innen|as?|i|ka|zy|ów|u|ur)?|editorial|leer|lectura|leggere|saggi\w*|buch|bücher\w*|verlag|lesen|studie\w*|aufsatz|"
    r"livros?|artigos?|artículos?|articol\w+|książk\w+|knih\w+|boek\w*|bok|böcker|kitap\w*|könyv\w*|книг\w*|стать\w+|автор\w*|роман\w*|издат\w+|чита\w+|sách|buku)(?!\w)"
    r"|书|書|论文|論文|期刊|作者|著|文献|出版|小说|小說|小説|文学|文學|책|논문|저자|지음|출판|소설|문학|읽|本を|読",
    re.IGNORECASE,
)
_THING = re.compile(rf"(?<!\w)(?i:{THINGS})\s[*_„«»“\"]{{0,3}}\s?\Z")
_BEHIND_WORD = re.compile(r"\w\s[*_„«»“\"]{0,3}\s?\Z")
_ON_SCREEN = (  # the film *La Strada*; Film: „La Strada“; 电视剧《围城》
    r"(?<!\w)(?<!on\s)(?<!about\s)(?:(?i:films?|movies?|cin[eé]ma|kino|película|pellicola|filme|фильм|TV[\s-]series|miniseries|documentary|album|song|musique|music|musik|video\s?game|musical)\*{0,2}"
    r"(?:\s?:)?\*{0,2}\s[*_„«»“\"]{1,3}\s?|(?:电影|电视剧|連續劇|電影|電視劇|动画片?|動畫|纪录片|映画|ドラマ|アニメ|영화|드라마)版?[《『「«<])"
)
_SCREEN, _SCREEN_IN_TITLE = re.compile(rf"{_ON_SCREEN}\Z"), re.compile(rf"[^*_„«»“\"]{{0,40}}{_ON_SCREEN}")
_DIRECTED = re.compile(r"[》』」][(（][^()（）]{2,24}?(?:監督|导演|導演|감독)")
_DATED = re.compile(r"\((?:1[4-9]|20)\d\d\)")
_LOOKED_AT = 30_000  # characters that show what an answer is about
_PRINTED = FIRM | IDENTIFIED


def about_media(text: str) -> bool:
    """Whether more words of an answer are about films, music and pictures than about books and articles.

    Example:
        >>> about_media("Three films: *La Strada* (Fellini, 1954)"), about_media("A book on film: *Hitchcock* (Truffaut, 1966), an author's film")
        (True, False)
    """
    text = text[:_LOOKED_AT]
    media = sum(1 for _ in _MEDIA.finditer(text))
    return media > 0 and media > sum(1 for _ in _WORKS.finditer(text))


def without_media(text: str, found: Iterable[Citation], *, asked: bool) -> list[Citation]:
    """The citations but for rows of things; of an answer about films and the like only those that show that they are printed.

    What has an author or an address as well may be a work about a film: it stays, and is never called wrong. Where references were asked
    for, only what the answer calls a film or an album is left out.
    """
    media = not asked and about_media(text)
    kept = list[Citation]()
    for one in found:
        if _is_printed(one) or one.kind == "mark":
            kept.append(one)
        elif asked:
            kept += [] if is_on_screen(text, one) else [one]
        elif media or _names_a_thing(text, one) or _is_row(one):
            told = bool(one.reference.authors or one.reference.url)
            kept += [replace(one, style="unmarked")] if told and not is_on_screen(text, one) else []
        else:
            kept.append(one)
    return kept


def _is_row(citation: Citation) -> bool:
    """Whether a title has several years of its own: Wright Flyer (1903) · Junkers J 1 (1915)."""
    title = citation.reference.title
    return title.count("(") > 1 and len(_DATED.findall(title)) > 1


def is_on_screen(text: str, citation: Citation) -> bool:
    """Whether the words around a title say that it is a film's or an album's: Film: „La Strada“.

    Example:
        >>> from guardrail.references.bibliography.records import Reference
        >>> from guardrail.report import Span
        >>> text = "Film: „La Strada“ (1954)"
        >>> is_on_screen(text, Citation(Span(start=6, end=24), Reference("La Strada", year=1954), "quoted"))
        True
    """
    if _SCREEN_IN_TITLE.match(citation.reference.title):
        return True
    at = _title_at(text, citation)
    return at > 0 and bool(
        _SCREEN.search(text, max(0, at - 40), at) or _DIRECTED.match(text, at + len(citation.reference.title))
    )


def _title_at(text: str, citation: Citation) -> int:
    title = citation.reference.title
    return text.find(title, citation.span.start, citation.span.end) if title else -1


def _names_a_thing(text: str, citation: Citation) -> bool:
    """Whether a word for a game, a picture, a show or a term is right before the title: Die Serie *Stille Ufer*."""
    if is_on_screen(text, citation):
        return True
    at = _title_at(text, citation)
    behind = at > 0 and _BEHIND_WORD.search(text, max(0, at - 6), at)
    return bool(behind) and _THING.search(text, max(0, at - 40), at) is not None


def _is_printed(citation: Citation) -> bool:
    """Whether an identifier, a volume, a publisher or its form shows that a work is printed."""
    said = citation.reference
    named = VENUE.search(said.venue) or HOUSES.match(said.venue)
    return bool(
        citation.style in _PRINTED or said.doi or said.arxiv or said.isbn or said.pmid or said.volume or named
    )
