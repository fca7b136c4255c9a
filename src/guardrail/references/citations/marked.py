"""Readings of reference strings whose title is quoted, emphasised, or the text of a link."""

from __future__ import annotations

import re
from dataclasses import replace

from guardrail.references.citations.houses import is_press
from guardrail.references.citations.languages import OPENERS, WORKS
from guardrail.references.citations.people import (
    PEOPLE,
    author_and_year,
    likely_names,
    people,
    surely_people,
)
from guardrail.references.citations.tail import read_tail
from guardrail.references.citations.title_first import bare_title, titled_by
from guardrail.references.citations.titles import (
    EMPHASIS,
    LINK,
    PART_AT,
    Draft,
    clean_title,
    rest_of_title,
)
from guardrail.references.citations.venues import is_venue
from guardrail.references.citations.words import (
    YEAR,
    Quotation,
    is_comment,
    points,
    quotation_at,
    title_case,
    words,
)

__all__ = ["marked_title"]

_SHORT_NAME = re.compile(
    r"(?!(?:Ma?c|De|Di|Du|La|Le|Van|Fitz)[A-Z])[\w.+-]{0,20}(?:[a-z][A-Z]|[A-Z]{2})[\w.+-]{0,20}\s?[:–—-]"
)
_CASED, _TOLD = 0.6, 6  # share of words with a capital in titles; words of a sentence before a link
_NAMING = 3  # words of a title, from which fewer in bold before it may say what it is about
_LONGEST_LABEL = 8  # words before a colon that say what a link is
_HEAD = re.compile(
    r"(?:see|in|read|cf\.?|e\.g\.)[\s:,]{0,4}"
    r"|(?:(?:see|in|read|cf\.?|e\.g\.)[\s:]{1,4})?(?:(?:the|an?|this|their|his|her|another|one)\s)?(?-i:(?:[a-z]{3,14}\s){0,2})"
    r"(?:paper|book|article|study|essay|report|thesis|novel|survey|chapter|work|preprint|publication|textbook)"
    r"(?:\s(?:titled|entitled|called|named))?[\s:,]{0,4}",
    re.IGNORECASE,
)
_WORK = re.compile(rf"(?:[^\W\d_]{{1,4}}\s){{0,2}}ה?{WORKS}", re.IGNORECASE)  # Buku "…" karya …
_NICKNAME = re.compile(
    r"[^\W\d_][\w.+-]{0,20}(?:\s[\w.+-]{1,20}){0,2}[\s*_]{0,4}"
    r"(?:\((?P<names>[^()]{2,150}?),?\s(?P<year>(?:1[4-9]|20)\d\d)[a-z]?\))?[\s*_:–—-]{0,8}"
)
_OWNED = re.compile(
    rf"(?:^(?=[^\W\d_a-z]\w{{2,}}['’]s$)|[:;,.–—-]\s|\s(?!and|und|et|with)[a-z]{{2,12}}\s)(?P<names>{PEOPLE})(?:['’]s?|,)$"
)
"""Names just before a title, behind a label or other words: For another view: Adele Goldberg's *Constructions at Work*."""
_INSIDE = re.compile(
    r"[*_]{1,3}(?P<names>[^\d:;()«„“\"–—*_\n]{5,80}?(?:\s\([^\W\d_A-Z]{2,9}\.?\))?)(?::|,|(?<![\s.]\w)\.|\s[–—])\s(?=[^\W\d_a-z]|\d)"
)
_INSIDE_COLON = re.compile(r"[*_]{1,3}(?P<names>[^\d:;()«„“\"–—*_\n]{5,80}):\s(?=[^\W\d_a-z]|\d)")
_HEAD_ENDS = (",", ".", ":", ";", ")", "-", "–", "—", "，", "：", "|")
_TO_TITLE = re.compile(r"(?P<mark>[,:.]?\s{1,3}(?:[–—-]\s)?(?=[*_]))|[^.!?*_\n]{1,100}(?=[*_])")
_DATED_TITLE = re.compile(r",?\s\([^()\n]{0,60}?(?<!\d)(?:1[4-9]|20)\d\d\b[^()\n]{0,40}\)")
_SHOUTED = re.compile(
    r"(?P<family>(?:[^\W\d_a-z]{2,30}[\s-]?){1,3}) (?P<given>[^\W\d_a-z][^\W\d_A-Z]+(?:[\s-][^\W\d_a-z][^\W\d_A-Z]+)?),?"
)
_BEFORE_JOURNAL = re.compile(
    r"[,.]\s(?:[^\n«„“\"]{0,60}\b(?:coll?\.|collection|collana|colección|Reihe|seria|serie)\s)?"
)
_BARE_YEAR = re.compile(r",\s(?:1[4-9]|20)\d\d\s?[:–—-]|\s(?:1[4-9]|20)\d\d\)?\.\s[^\W\d_a-z]")
_REMARKED = re.compile(r"[^\n:]{0,120}\s[–—]\s[^\W\d_]+\s")
_REMARK_NEXT = re.compile(r"\s{1,3}[–—-]\s")
_POINTING = re.compile(r"^(?:[Ss]ee(?:\salso)?|[Rr]ead|[Cc]ompare|[Cc]f\.)\s(?=[^\W\d_a-z])")
_SEE = re.compile(r"[;.,(–—]\s?(?:[Ss]ee|[Cc]f\.|[Rr]ead)(?:\salso)?$")
_REPORT = re.compile(r"(?:^|[,\s])[A-Z]{2,6}[\s-]?\d{1,5}[,:.]?$")  # RFC 9110, "HTTP Semantics"
_OPENING = re.compile(r"[\"“”„«‹「『《‘']|``")
_ADDRESS = re.compile(
    r"(?:https?:|www\.|doi\b|arxiv:|10\.\d{4}|[\w.-]{4,40}\.[a-z]{2,6}(?:/\S{0,200})?$)", re.IGNORECASE
)
_REFERENCE_WORK = re.compile(r"\b(?:[Ee]n[cz]ycl?op|[Ee]nciclop|Wikip|Lexi[ck]on|SEP\b|IEP\b)")
_YEAR_OR_BY = re.compile(r"\(\s?(?:1[4-9]|20)\d\d\s?\)$|(?P<by>\sby\s)")
_PLACED_INSIDE = re.compile(r"\s\([^\W\d_][^()\d]{2,40},\s(?:1[4-9]|20)\d\d\)(?=[*_]{1,3}$)")
_SUBTITLE = re.compile(r":\s+[^.:\r\n]{3,120}\.(?=\s+[^\W\d_a-z][^.:\r\n]{1,40}:\s)")
_GOES_ON = re.compile(r"\s[^\W\d_a-z][^*_«»„“\"]{8}")
_WORD_BEHIND = re.compile(r"\s[^\W\d_A-Z]")


def marked_title(raw: str, text: str, start: int, *, by: bool, led: bool) -> Draft | None:
    """A title in quotes, in italics or bold, or as the text of a link; authors may stand before it."""
    at, end, mark, behind = _first_mark(raw, text, start)
    if not mark:
        return None
    head = _head(text, start, at, mark, by=by)
    labelled = (
        mark in {"link", "emphasised"}
        and head.endswith(":")
        and len(words(head)) <= _LONGEST_LABEL
        and " – " not in head
        and (people(head) is None or (" " not in head and _named_in_full(text, behind)))
    )
    labelled = labelled or (mark == "link" and _named_before(head, text[start:at], text[at:end]))
    labelled = labelled or (mark == "link" and _told_before(text, start, at, text[at:end]))
    head = "" if labelled else head
    subtitle = _SUBTITLE.match(text, behind) if mark == "emphasised" else None
    if mark == "quoted":
        end = rest_of_title(text, end)
    if head.endswith(("'s", "’s")) and (owner := people(head[:-2])) and " " in owner[0][-1]:
        head = head[:-2] + ","  # Jana Lis's *Das Ufer*
    draft = Draft((at, end), subtitle.end() if subtitle else max(end, behind), behind, marks={mark})
    draft.start = at - 1 if labelled else 0  # The original paper: [Title](address)
    apart = head.endswith(_HEAD_ENDS) or text[start:at].rstrip().endswith(("*", "_", "|"))
    short = _NICKNAME.fullmatch(head) if apart and mark == "quoted" else None
    named = people(short["names"]) if short and short["names"] else None
    if short and named:
        draft.authors, draft.et_al = named
        draft.year = int(short["year"])
    elif short and not short["names"] and _authors_behind(text, draft.tail):
        pass  # a short name of the work: **ResNet**: "Deep Residual Learning" (He et al., 2016)
    elif head and not _authored(
        draft, head, text[start:at], start, apart=apart or (" " in head and _dated_behind(text, at, behind))
    ):
        return None
    if mark == "emphasised" and not head and (inside := _names_inside(text, at, end, certain=led)):
        part = PART_AT.search(text, inside[0] + 3, end)  # **Jana Lis: Das Ufer, Bd. 3: 1849–1914**
        draft.title = (inside[0], part.start() if part else end)
        (draft.authors, draft.et_al), draft.parted = inside[1], at
        return draft
    inner = clean_title(text[at:end])
    if mark == "link" and (label := author_and_year(inner)):  # [Kingma & Ba (2015)](address)
        said = {name: getattr(label, name) for name in ("authors", "et_al", "year", "venue")}
        return replace(draft, title=(end, end), **said)
    if mark == "emphasised" and draft.authors and (placed := _PLACED_INSIDE.search(text, at, end)):
        opening = at + len(text[at:end]) - len(text[at:end].lstrip("*_"))
        return replace(
            draft, title=(opening, placed.start()), tail=placed.start(), least=behind
        )  # *Trees (Quill, 2009)*
    more = _YEAR_OR_BY.search(inner) if mark != "quoted" else None
    if more and (by or not more["by"]):
        opening = len(text[at:end]) - len(text[at:end].lstrip("*_ "))
        flat = text[:end].replace("*", " ") + text[end:].replace("*", " ")
        deeper = (titled_by(flat, at + opening) if by else None) or bare_title(flat, at + opening)
        return replace(deeper, least=behind, marks={*deeper.marks, mark})
    return draft


def _head(text: str, start: int, at: int, mark: str, *, by: bool) -> str:
    """The words before a title that may be names."""
    head = _POINTING.sub("", text[start:at].strip(" *_|").replace("*", ""))
    bold = EMPHASIS.match(text, start) if mark == "emphasised" else None
    if bold and len(bold[1]) == 2 and bold.end() <= at and people(bold[2]):
        return bold[2] + ","  # **Luís Melo** escreveu *O rio calado* (Fonte, 1979)
    led = (by or " by " not in head) and (_HEAD.fullmatch(head) or _WORK.fullmatch(head))
    # Dans « Le fleuve muet » (1964)
    plain = head.casefold() in OPENERS or (mark == "quoted" and (led or _REPORT.search(head)))
    return "" if plain else head


def _names_inside(
    text: str, at: int, end: int, *, certain: bool
) -> tuple[int, tuple[tuple[str, ...], bool]] | None:
    """Where a title begins within marks, and the names before it: **Jana Lis: Das Ufer** (Beck, 1990); **Jana Lis, Brzeg**, Znak, 1990."""
    parts = _INSIDE.match(text, at, end)
    names = people(parts["names"]) if parts else None
    colon = _INSIDE_COLON.match(text, at, end)
    if colon and (several := people(colon["names"])) and surely_people(*several):
        parts, names = colon, several  # **Lis, J. / Las, E.: Das Ufer**
    if parts is None or names is None or not (names[1] or all(" " in name for name in names[0])):
        return None
    title, behind = text[parts.end() : end].strip("*_ "), read_tail(text, end, (), knows_authors=False)
    named, said = people(title), behind.year is not None or is_press(behind.venue)
    others = behind.authors  # (Kessler, 1990) – Referenzwerk; (Beck, 1990) – Europäischer Rahmen
    dated = behind.venue and text.find(str(behind.year), end) < text.find(others[0] if others else "", end)
    if (
        (any(" " in name for name in others) and likely_names(others) and not dated)
        or not (said or certain)
        or not likely_names(names[0])
        or (named and any(" " in name for name in named[0]) and likely_names(named[0]))
    ):
        return None
    return parts.end(), names


def _named_before(head: str, before: str, title: str) -> bool:
    """Whether what a link is about stands before it: **HyDE** — [Dense Retrieval without Labels](address); **Short names** — […](address)."""
    if _SHORT_NAME.fullmatch(head) and len(words(title)) > 1:
        return True
    bold = before.lstrip().startswith("**") and head.endswith((":", "–", "—", "-"))
    few = 0 < len(words(head)) < max(len(words(title)), _NAMING)
    return bold and few and people(head.rstrip(" :–—-")) is None and not is_venue(title)


def _told_before(text: str, start: int, at: int, title: str) -> bool:
    """Whether a sentence stands before a link that is the source of it: The trial found no benefit → [A Trial of Fluids](address)."""
    before = text[start:at].strip(" *_[")
    said = before.strip(" –—:.*")
    if (
        not (before.endswith(("–", "—", ":", ".")) or _SEE.search(before))
        or title_case(said) >= _CASED
        or len(words(said)) < _TOLD
    ):
        return False
    if author_and_year(title):
        return True
    return not (people(title) or is_venue(title)) and (title_case(title) >= _CASED or is_comment(said))


def _authored(draft: Draft, head: str, before: str, start: int, *, apart: bool) -> bool:
    """Whether the words before a title are names, which are then taken: "Beyond Modern" is no author of "Deep Learning"."""
    year = YEAR.search(head)
    plain = re.sub(r"\(?\b(?:1[4-9]|20)\d\d[a-z]?\b\)?", "", head)
    names = people(plain) or people(plain.replace(" – ", ", "))  # Gyáni Gábor – Kövér György: *…*
    if names is None and (shouted := _SHOUTED.fullmatch(head)):
        names = ((f"{shouted['family']} {shouted['given']}",), False)  # LATOUR Bruno
    owned = _OWNED.search(head) if names is None or head.endswith(("'s", "’s")) else None
    if owned:
        names = people(owned["names"])
        if names and head.endswith(",") and not names[1] and not (len(names[0]) > 1 or " " in names[0][0]):
            return False  # garlands, “Happy Birthday”
        draft.start, year = start + before.find(owned["names"]), None
    if names and names[0][-1].endswith(("'s", "’s")):
        names = (*names[0][:-1], names[0][-1][:-2]), names[1]  # Ann Roe's *The River* (1869)
    if names is None or not (year or apart or owned or surely_people(*names)):
        return False
    draft.authors, draft.et_al = names
    draft.year = int(year[0]) if year else None
    return True


def _dated_behind(text: str, at: int, end: int) -> bool:
    """Whether names may end right before a title, since a year and no other name is behind it: Сергій Плохій «Брама Європи» (КСД, 2016)."""
    if text[at : at + 1] not in "«„*_":
        return False
    tail = read_tail(text, end, (), knows_authors=False)
    return tail.year is not None and not any(" " in name for name in tail.authors)


def _named_in_full(text: str, at: int) -> bool:
    """Whether a title is followed by somebody's full name and a year: Algebra: *Rings Made Visible* (Ada Quill, 1997)."""
    tail = read_tail(text, at, (), knows_authors=False, prose=True)
    return tail.year is not None and any(" " in name and not is_press(name) for name in tail.authors)


def _authors_behind(text: str, at: int) -> bool:
    """Whether names and a year follow a title, in brackets or behind "by"; one name may be a publisher: (Suhrkamp, 1981)."""
    tail = read_tail(text, at, (), knows_authors=False, prose=True)
    alone = len(tail.authors) == 1 and not tail.et_al and not re.search(r"[.,]", tail.authors[0])
    return bool(tail.authors) and tail.year is not None and not alone


def _first_mark(raw: str, text: str, start: int) -> tuple[int, int, str, int]:
    """The first quotation, or else the first linked or emphasised words: start, end, kind, end with marks."""
    found = (link for link in LINK.finditer(raw, start, start + 1200) if not _ADDRESS.match(link[1]))
    link = next((link for link in found if not points(link[1])), None)
    emphasis = EMPHASIS.search(text, start, start + 900)
    if emphasis and emphasis.start() == start and _GOES_ON.match(text, emphasis.end()):
        names = people(emphasis[2])
        if names and surely_people(*names):
            return 0, 0, "", 0  # **Лесов В. И.** Обыкновенные уравнения. — М., 1971
    told = link is not None and _told_before(text, start, link.start(1), link[1])
    for match in _OPENING.finditer(text, start, start + 600):
        quotation = quotation_at(text, match.start())
        if quotation is None or (
            told and title_case(text[quotation.inner_start : quotation.inner_end]) < _CASED
        ):
            continue
        if link and _begins(text, start, link) and _REMARK_NEXT.match(text, link.end(), quotation.start):
            break  # [Trees in Towns](address) → for "which trees where?"
        if emphasis and _follows(text, start, emphasis, quotation):
            break
        return quotation.start, quotation.end, "quoted", quotation.end
    if link:
        return link.start(1), link.end(1), "link", link.end()
    if emphasis and (after := _behind_names(text, emphasis)):
        return after.start(), after.end(), "emphasised", after.end()
    if emphasis and len(emphasis[2]) > 1 and not emphasis[2].endswith(":"):
        return emphasis.start(), emphasis.end(), "emphasised", emphasis.end()
    return 0, 0, "", 0


def _follows(text: str, start: int, emphasis: re.Match[str], quotation: Quotation) -> bool:
    """Whether a quotation belongs to the title before or around it: a part of that, its journal, or a remark."""
    first = emphasis.start(2) == quotation.start and _WORD_BEHIND.match(text, quotation.end)
    inside = emphasis.start(2) < quotation.start
    if (first or inside) and quotation.end < emphasis.end(2):
        return True
    if emphasis.end() > quotation.start:
        return False
    between = emphasis.end(), quotation.start
    journal = _BEFORE_JOURNAL.fullmatch(text, *between) and people(
        text[start : emphasis.start()].strip(" *_")
    )
    return bool(
        journal  # S. Nowak, *System wartości*, „Studia Socjologiczne” 1979
        or (
            emphasis.end() < quotation.start and text[quotation.start - 1] == "("
        )  # Ann Roe, *Fair Trees*, 77 River L. Rev. 2537 (2009) ("the rule of shade")
        or _REMARKED.match(text, *between)  # **Das Ufer** (2021) – ein „Klassiker“
        or _BARE_YEAR.search(
            text, *between
        )  # *Le Deuxième Sexe*, Paris, Gallimard, 1949 : « On ne naît pas femme »
    )


def _begins(text: str, start: int, link: re.Match[str]) -> bool:
    """Whether a text begins with a link whose text is a title."""
    said = link[1]
    return not (
        text[start : link.start()].strip(" *_")
        or len(words(said)) < _NAMING
        or author_and_year(said)
        or people(said)
        or is_venue(said)
    )


def _behind_names(text: str, emphasis: re.Match[str]) -> re.Match[str] | None:
    """The title in italics behind names in bold: **Simone de Beauvoir**, *Le Deuxième Sexe*, Paris, Gallimard, 1949."""
    if people(emphasis[2]) is None:
        return None
    gap = _TO_TITLE.match(text, emphasis.end())
    after = EMPHASIS.match(text, gap.end()) if gap else None
    if gap is None or after is None or after[1] == emphasis[1]:
        return None
    if _REFERENCE_WORK.search(after[2]) and not YEAR.search(text):
        return None  # **Free Will** – *Encyclopedia of Philosophy* – https://…
    return after if gap["mark"] or _DATED_TITLE.match(text, after.end()) else None
