"""The last step of reading: corrects what any reader may take for a title or a name, such as a site, a number in a series or a profession."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from guardrail.references.bibliography.journals import journals
from guardrail.references.bibliography.normalise import normalise_isbn
from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.houses import is_in_series, is_press
from guardrail.references.citations.link_text import from_link
from guardrail.references.citations.model import FIRM, Citation
from guardrail.references.citations.people import body, how_like_names, people
from guardrail.references.citations.renamed import renamed
from guardrail.references.citations.sites import is_the_site, names_site, parted
from guardrail.references.citations.titles import clean_title
from guardrail.references.citations.venues import is_journal, is_venue
from guardrail.references.citations.words import title_case

__all__ = ["corrected"]

_NUMBERED = re.compile(  # BJSM 52(6):376-384
    r"(?P<venue>[^\W\d_a-z][\w.&’' -]{0,60}?),?\s(?P<volume>\d{1,4})(?:\((?P<issue>\d{1,4})\))?:\s?(?P<pages>[a-z]?\d{1,7}(?:\s?[-–]\s?\d{1,7})?)"
)
_PUBLISHED = re.compile(  # Du Toit G et al. N Engl J Med 2015; Madigan et al., JAMA Pediatrics 2019
    r"(?P<names>[^()\d:;]{3,120}?\bet\.?\sal\.?),?\s(?:in\s)?(?P<venue>[^\W\d_a-z][^()\d:;,]{1,60}?),?\s\(?(?P<year>(?:19|20)\d\d)\)?"
)
_CALLED = re.compile(  # OPAL trial; the original RAG paper
    r"(?:[Tt]he\s)?[\w.’'-]+(?:\s[\w.’'-]+){0,3}\s(?:trial|study|paper|report|guidelines?|review|survey|article|essay|page|website|project|dataset|benchmark|code|docs|documentation)"
)
_NO_VENUE = re.compile(  # [EB/OL], 修订本, 2nd ed., Vol. I
    r"(?:(?:EB|DB|CP|DS|[JMCDNRPS])/)?OL|(?:EB|DB|CP)|(?:第\s?[\d一二三四五六七八九十]{1,3}\s?版|修订[本版]|修訂[本版]|增订[本版]|增訂[本版]|増補版|改訂版|新版|개정판)"
    r"|(?:\d{1,2}(?:st|nd|rd|th|\.|ª|º|e)?\s?)?(?:[Rr]ev(?:ised|\.)?\s|[Rr]evisada|[Uu]pdated\s)?(?:[Ee]d(?:ition|n|ición|ição|\.)?|[Aa]ufl(?:age|\.)|изд\.|wyd\.|vyd\.)"
    r"|PDF|HTML|[Ll]ink|[Oo]nline|[Ww]eb(?:site)?|DOI|[Ee]-?book|Kindle"
    r"|[Rr]evisada|(?:[Vv]ol(?:ume)?\.?|[Tt]ome?|[Bb]and|Bd\.|[Tt]\.|т\.)\s?(?:\d{1,3}|[IVXL]{1,6})"
)
_NAMES_THEN = re.compile(r"(?P<names>[^,;:]{2,60}\bet\.?\sal\.?),\s(?P<venue>\S.{1,80})")
_NUMBER_BEHIND = re.compile(
    r"(?P<venue>[^\W\d_a-z].{2,80}?[^\W\d_]\.?)\s(?P<volume>\d{1,4})(?:\s[A-Z]?\d{1,6})?"
)
_FORM = re.compile(  # what a link leads to, and not what is there
    r"(?i:pdf|html|jstor|pubmed|pmc|link|arxiv|ssrn|doi|full[\s-]text|publisher|preprint|google scholar|researchgate|sciencedirect|springerlink|here|site|website|open access)"
)
_URL, _YEAR = re.compile(r"https?://\S+|10\.\d{4,9}/\S+"), re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")
_SEEN_ON = re.compile(
    r"access|retriev|visited|viewed|updated|zugriff|abgerufen|consult|acess|accesso|dostęp|обращ|访问|閲覧",
    re.IGNORECASE,
)
_EASTERN_YEAR = re.compile(  # 『風の歌を聴け』(1979年); 1985年の『…』
    r"[》』」]\s?[(（](?:[^()（）\d]{0,24}[,，、]\s?)?(?P<behind>(?:19|20)\d\d)年?[)）]|\A(?P<before>(?:19|20)\d\d)(?:年の|년작?\s)[『「《]"
)
_PERIODICAL = re.compile(r"(?:Review|Journal|Letters|Bulletin|Quarterly|Annals|L\.\s?J\.|L\.\sRev\.|Rev\.)$")
_DAY = r"(?:[A-Z][a-z]{2,8}\.?\s\d{1,2}|\d{1,2}\.?\s[A-Z][a-z]{2,8})"
_OF_A_DAY = re.compile(  # Gravitational Waves Detected — The New York Times, Feb 11
    rf"(?P<title>.{{8,300}}?)\s[—–|-]\s(?P<venue>[^\W\d_a-z][^—–|\d]{{2,60}}),\s{_DAY}(?:,?\s(?:19|20)\d\d)?"
)
_PLACE_BEHIND = re.compile(
    r"(?P<house>[^:]{3,60}):\s[^\W\d_a-z][\w.’' -]{2,30}"
)  # Oxford University Press: Oxford
_ISBN = re.compile(r"(?<![\w/.-])97[89][- ]?\d[- ]?(?:\d[- ]?){8}\d(?![\w/-])")
_EDITION = re.compile(r"[*_]{0,2},\s\d{1,3}\.\s(?:Aufl(?:age|\.)|изд\.|wyd\.)")
_SERIES = re.compile(r"(?:[A-Z][a-z]+(?:,\s|\s)){1,3}(?:and|&)\s[A-Z][a-z]+")
_DATED = re.compile(r"(?:[*_]{0,2}\s?\(|,\s)((?:19|20)\d\d)(?=\)|\]\()")
_SITE_BEFORE = re.compile(  # Citizens Advice: […](https://…); NOAA's page […]; ICO → …
    r"(?!(?:Sources?|Links?|Papers?|Articles?|Reports?|Books?|Titles?|Website|Reference|References|Read|See|Also|PDF|Here|Quelle|Fuente|Fonte|Bron)\b)"
    r"(?P<site>[^\W\d_a-z][\w.&-]{1,25}(?:\s[^\W\d_][\w.&-]{1,25}){0,4})(?:['’]s\s(?:[a-z]{3,12}\s){1,3}|:\s|\s→\s)(?=\[)"
)
_LABEL_BEFORE = re.compile(
    r"(?:^|[-*•▸►–]\s|\*\*|\(|[.;]\s)(?P<site>[^\W\d_a-z][\w.&-]{1,30}(?:\s[^\W\d_][\w.&-]{1,25}){0,3})(?:\s\([A-Z][A-Za-z]{1,12}\))?:\*{0,2}\s\Z",
    re.MULTILINE,
)
_NEAR = 90  # characters before a link
_LINKED_TITLE = re.compile(r"\[(?P<text>[^\[\]\n]{1,300})\]\(https?:\S*|[(（]\[(?P<cut>)")
_CASE = re.compile(r"(?:Case\s|Rs\.\s)?[CT][-‑–]\d{1,4}/\d\d(?!\d)")  # Case C‑673/17, Planet49
_KIND = re.compile(
    r"(?:the\s)?(?:[a-z]+\s){0,2}(?:report|review|study|trial|guidelines?|paper|article|preprint|abstract|survey|analysis)"
)


def corrected(answer: str, citation: Citation) -> Citation:
    """A citation without what was wrongly taken for its title or its authors, and with its site as the venue.

    Example:
        >>> from guardrail.report import Span
        >>> text = "NBER Working Paper 4509 (Card, 1993)"
        >>> found = Citation(Span(start=0, end=len(text)), Reference("NBER Working Paper 4509", ("Card",), year=1993), "line")
        >>> corrected(text, found).reference.title, corrected(text, found).reference.venue
        ('', 'NBER Working Paper 4509')
    """
    if citation.style in FIRM:
        return citation
    text = citation.span.of(answer)
    said = _within(text, citation.reference, citation.other or Reference())
    said = _in_a_journal(text, _parted_well(text, _untitled(said)))
    if said.url:
        said = _on_a_site(
            f"{_label_before(answer, citation.span.start, said.url)}{text}", from_link(text, said)
        )
    said = renamed(text, _by_its_body(text, said))
    if _CASE.match(said.title):
        return replace(citation, reference=said, style="legal", kind="case")
    called = not said.authors and _CALLED.fullmatch(said.title) is not None
    named = bool(said.url) and is_the_site(said.title, said.url)
    if called or named:  # what it is called, perhaps, or where it is
        return replace(citation, reference=said, style="unmarked")
    return replace(citation, reference=said)


def _untitled(said: Reference) -> Reference:
    """Without what is no title: a number in a series, a journal with its volume, names with a journal."""
    title = said.title
    if said.url and (said.authors or said.venue or said.year) and _FORM.fullmatch(title):
        return replace(said, title="")  # American Economic Review, 1994, [JSTOR](https://…)
    if is_in_series(title):
        return replace(said, title="", venue=said.venue or title)
    if (
        said.url and (said.authors or said.doi or said.pmid) and _KIND.fullmatch(title)
    ):  # Naranjo et al., 2011, [case report](https://…)
        return replace(said, title="")
    if (numbered := _NUMBERED.fullmatch(title)) and is_venue(numbered["venue"]):
        volume, issue, pages = (numbered[name] or "" for name in ("volume", "issue", "pages"))
        venue = said.venue or numbered["venue"]
        return replace(said, title="", venue=venue, volume=volume, issue=issue, pages=pages)
    published = None if said.authors else _PUBLISHED.fullmatch(title)
    names = people(published["names"]) if published else None
    if published and names and (is_venue(published["venue"]) or title_case(published["venue"]) == 1):
        return replace(
            said,
            title="",
            authors=names[0],
            et_al=True,
            venue=published["venue"],
            year=int(published["year"]),
        )
    return said


def _within(text: str, said: Reference, other: Reference) -> Reference:
    """With names that occur in it: not those of the line before, or the number of an entry; another reading may have them."""
    if not said.authors or _any_in(text, said.authors):
        return said
    if not _any_in(text, other.authors):
        return replace(said, authors=(), et_al=False)
    year = said.year if str(said.year) in text else other.year
    return replace(said, authors=other.authors, et_al=other.et_al, year=year, venue=other.venue)


def _in_a_journal(text: str, said: Reference) -> Reference:
    """With the journal as its venue that is no title, Whelton et al., *Hypertension* 2018; and with an ISBN that is not called one."""
    number = _ISBN.search(text) if not (said.isbn or said.doi or said.url) else None
    if number and (isbn := normalise_isbn(number[0])):
        said = replace(said, isbn=isbn)
    if not said.year and said.authors and (said.url or said.doi) and not _SEEN_ON.search(text):
        years = set(_YEAR.findall(_URL.sub(" ", text.replace(said.title or "\n", " "))))
        said = (
            replace(said, year=int(years.pop())) if len(years) == 1 else said
        )  # Lowe et al. 2020 ([link](…))
    if not said.year and (year := _EASTERN_YEAR.search(text)):
        said = replace(said, year=int(year["behind"] or year["before"]))
    journal = said.et_al and said.year and not said.venue and is_journal(said.title)
    if journal and re.search(rf"{re.escape(said.title)}[*_]{{0,2}}\s\(?{said.year}", text):
        return replace(said, title="", venue=said.title)
    return said


def _any_in(text: str, names: Sequence[str]) -> bool:
    """Whether the last word of a name occurs in a text."""
    return any(name.split()[-1] in text for name in names if name.strip())


def _from_title(text: str, said: Reference) -> Reference:
    """With what is no part of a title taken from it, and the bracket that closes it given back."""
    if link := _LINKED_TITLE.search(said.title):  # *[…](https://…)*; 労働基準法([e-Gov
        said = replace(said, title=clean_title(link["text"] or said.title[: link.start()]))
    if day := _OF_A_DAY.fullmatch(said.title):
        said = replace(said, title=day["title"], venue=said.venue or day["venue"])
    if said.title.count("(") == said.title.count(")") + 1 and f"{said.title})" in text:
        said = replace(said, title=f"{said.title})")
    return said


def _parted_well(text: str, said: Reference) -> Reference:
    """With the venue, the title and the names where they belong: an edition is no venue, and what an edition follows is no name."""
    said = _from_title(text, said)
    venue = said.venue
    if _NO_VENUE.fullmatch(venue):
        said = replace(said, venue="")
    elif (led := _NAMES_THEN.fullmatch(venue)) and said.authors:  # (Devlin et al., NAACL-HLT 2019)
        said = replace(said, venue=led["venue"])
    elif (placed := _PLACE_BEHIND.fullmatch(venue)) and is_press(placed["house"]):
        said = replace(said, venue=placed["house"])
    elif (numbered := _NUMBER_BEHIND.fullmatch(venue)) and _is_periodical(numbered["venue"]):
        said = replace(said, venue=numbered["venue"], volume=said.volume or numbered["volume"])
    if len(said.authors) != 1 or not said.title:
        return said
    (name,) = said.authors
    if (at := text.find(name)) >= 0 and _EDITION.match(
        text, at + len(name)
    ):  # *Grüneberg*, Bürgerliches Gesetzbuch, 81. Aufl.
        return replace(said, title=name, authors=tuple(said.title.split("/")))
    whole = f"{name}, {said.title}"
    if whole in text and _SERIES.fullmatch(whole) and how_like_names([name]) <= 0:  # Guns, Germs, and Steel
        return replace(said, title=whole, authors=())
    return said


def _is_periodical(name: str) -> bool:
    """Whether numbers behind a venue are its volume and page; not in Edições 70."""
    return is_journal(name) or bool(journals(name)) or _PERIODICAL.search(name) is not None


def _on_a_site(text: str, said: Reference) -> Reference:
    """With the site of a page as its venue: NHS: [Gout](https://…)."""
    said = parted(said)
    text = text.lstrip("*_[")
    before = _SITE_BEFORE.match(text)
    if before and not said.venue and not said.authors and not _is_person(before["site"]):
        said = replace(said, venue=before["site"])
    if said.venue and (longer := re.search(rf"{re.escape(said.venue)}\.(?:UK|uk|com|org|net)\b", text)):
        said = replace(said, venue=longer[0])  # GOV.UK
    return said


def _by_its_body(text: str, said: Reference) -> Reference:
    """With a body as its author that stands before the title with a period or the year: IPCC. Climate Change 2023; NICE (2016), […](…)."""
    text, venue = text.lstrip("*_["), said.venue
    if not venue or said.authors or not text.startswith(venue):
        return said
    dated = _DATED.match(text, len(venue)) if said.url or venue.isupper() else None
    period = text.startswith((f"{venue}. ", f"{venue}.** ")) and body(venue) is not None
    if not (dated or period):
        return said
    return replace(said, authors=(venue,), venue="", year=said.year or int(dated[1]) if dated else said.year)


def _label_before(answer: str, start: int, address: str) -> str:
    """The name of the site right before a link to it, with its colon: THL: […](…); not Source: […](…)."""
    before = _LABEL_BEFORE.search(answer, max(0, start - _NEAR), start)
    return f"{before['site']}: " if before and names_site(before["site"], address) else ""


def _is_person(name: str) -> bool:
    names = people(name)
    return names is not None and not name.isupper() and how_like_names(names[0]) > 0
