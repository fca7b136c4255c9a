"""References in Markdown tables: a column of titles, or cells that are references as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.eastern import SCRIPT
from guardrail.references.citations.eastern_names import names as eastern_names
from guardrail.references.citations.evidence import sure
from guardrail.references.citations.fields import parse, without_volume
from guardrail.references.citations.houses import is_press
from guardrail.references.citations.identifiers import identifiers, with_identifiers
from guardrail.references.citations.languages import LABELS
from guardrail.references.citations.lines import Line
from guardrail.references.citations.model import Citation
from guardrail.references.citations.people import author_and_year, people, surnames_alone
from guardrail.references.citations.words import YEAR
from guardrail.report import Span

__all__ = ["tabled"]

_RULE = re.compile(
    r"[ \t>]*+\|?[ \t]{0,8}:?-{1,200}:?[ \t]{0,8}(?:\|[ \t]{0,8}:?-{1,200}:?[ \t]{0,8}){0,60}\|?[ \t]*+"
)
_WORKS = re.compile(
    r"(?:paper|reference|citation|book|article|publication|study|work|preprint)s?(?:\stitle|\sname)?|(?:full\s)?(?:citation|reference)",
    re.IGNORECASE,
)
_DOCUMENTS = re.compile(
    r"(?:documents?|specifications?|specs?|standards?|guidelines?|reports?|pages?|resources?|texts?)",
    re.IGNORECASE,
)
_ISBN = re.compile(r"(?:97[89][\s-]?)?(?:\d[\s-]?){9}[\dXx]")
_TITLE = re.compile(
    r"titles?(?:\sof\s(?:the\s)?\w{3,12})?|(?:[书書题題]名|[书書]籍|[图圖][书書]|[书書]目|论文(?:题目|标题)?|論文(?:題目|名)?|文献|文獻|著作|[本书書]|作品名?|[标標][题題]|タイトル|도서명?|책(?:\s?제목)?|제목|논문(?:명|\s?제목)?|문헌)"
    r"(?:\s?[/／（(].{1,12})?",
    re.IGNORECASE,
)
_PLACED = re.compile(r"[^\W\d_][^\n|]{1,80}[,，、]\s?(?:1[4-9]|20)\d\d年?")
_PARTS = re.compile(r"\s?[,/&+(・、，／]\s?|\s(?:and|und|et|y|e)\s|\)$")
_COLUMNS = (
    (
        "authors",
        re.compile(
            r"(?:first\s|lead\s)?author(?:s|\(s\))?|written by|by|(?:第一)?作者(?:\s?[/／].{1,6})?|著者|编者|編者|저자|지은이",
            re.IGNORECASE,
        ),
    ),
    (
        "year",
        re.compile(
            r"(?:publication\s)?(?:year|date)|published|年份?|(?:出版|发表|發表|刊行|発行|発表)(?:年份?|时间|時間|日期)|(?:출판|출간|발행|발표)\s?(?:연도|년도|년)|연도",
            re.IGNORECASE,
        ),
    ),
    (
        "venue",
        re.compile(
            r"(?:journal|venue|conference|publisher|source|where|outlet|publication|(?:published|appeared) in|出版社|出版者|出版商|期刊(?:名)?|[来來]源|[发發]表[于於]|会议|會議|出[处處]|雑誌|掲載誌|出版元|출판사|학술지|출처)(?:\s?[/／]\s?\w{2,12})?",
            re.IGNORECASE,
        ),
    ),
    (
        "id",
        re.compile(
            r"doi|url|link|arxiv(?:\sid)?|isbn(?:-1[03])?|pmid|identifier|链接|連結|网址|リンク|링크",
            re.IGNORECASE,
        ),
    ),
)


_LABELS = {field: frozenset(re.split(r"\s*\|\s*", labels)) for field, labels in LABELS.items()}
_LABELS["title"] |= frozenset(
    [
        "obra",
        "libro",
        "livro",
        "ouvrage",
        "œuvre",
        "werk",
        "buch",
        "opera",
        "työ",
        "verk",
        "dílo",
        "dzieło",
        "произведение",
    ]
)


def tabled(rows: Sequence[Line], *, asked: bool) -> list[Citation]:
    """The references among the rows of the tables; a row is the item."""
    found: list[Citation] = []
    number = 1
    while number < len(rows):
        if rows[number].code or "|" not in rows[number - 1].text or not _is_rule(rows[number].text):
            number += 1
            continue
        columns = _columns([text for _, text in _cells(rows[number - 1].text)], asked=asked)
        first = number = number + 1
        while number < len(rows) and "|" in rows[number].text and not rows[number].code:
            number += 1
        table = rows[first:number]
        if columns and not columns.keys() & {"venue", "year"} and (placed := _placed(table, columns)):
            columns["venue"] = columns["year"] = placed
        bare = surnames_alone(_column(table, columns["authors"])) if "authors" in columns else False
        found += [citation for row in table for citation in _row(row, columns, bare=bare)]
    return found


def _column(table: Sequence[Line], number: int) -> list[str]:
    cells = (list(_cells(row.text)) for row in table)
    return [row[number][1] for row in cells if number < len(row)]


def _placed(table: Sequence[Line], columns: dict[str, int]) -> int | None:
    """The column of unknown name in which most cells end with a year behind a comma: Hill Press, 1990."""
    most = max((sum(1 for _ in _cells(row.text)) for row in table), default=0)
    for number in set(range(most)) - set(columns.values()):
        cells = _column(table, number)
        if cells and 2 * sum(_PLACED.fullmatch(cell) is not None for cell in cells) > len(cells):
            return number
    return None


def _is_rule(text: str) -> bool:
    return "-" in text and _RULE.fullmatch(text) is not None


def _cells(text: str) -> Iterator[tuple[int, str]]:
    """The cells of a row: where each begins and what stands in it."""
    start = len(text) - len(text.lstrip(" \t>"))
    start += text.startswith("|", start)
    for cell in text[start:].rstrip().removesuffix("|").split("|"):
        yield start + len(cell) - len(cell.lstrip()), cell.strip()
        start += len(cell) + 1


def _columns(heads: Sequence[str], *, asked: bool) -> dict[str, int]:
    """What stands in which column, if one of them has the titles of works."""
    bare = [head.strip("*_ ") for head in heads]
    columns: dict[str, int] = {}
    for number, head in enumerate(bare):
        for part in [head, *(part for part in _PARTS.split(head) if part != head)]:  # Publisher, year
            for name, pattern in _COLUMNS:
                if pattern.fullmatch(part) or part.casefold() in _LABELS.get(name, ()):
                    columns.setdefault(name, number)
    titles = [
        n for n, head in enumerate(bare) if _TITLE.fullmatch(head) or head.casefold() in _LABELS["title"]
    ]
    works = [n for n, head in enumerate(bare) if _WORKS.fullmatch(head)]
    if not works and "id" in columns:  # addresses, and what is there
        works = [n for n, head in enumerate(bare) if _DOCUMENTS.fullmatch(head)]
    if titles and (asked or columns.keys() & {"authors", "venue", "id"}):
        return {"title": titles[0], **columns}
    return {"title": works[0], **columns} if works else {}


def _row(row: Line, columns: dict[str, int], *, bare: bool) -> Iterator[Citation]:
    cells = list(_cells(row.text))
    item = Span(start=row.start, end=row.stop)
    at = columns.get("title")
    if at is None:
        for start, text in cells:
            parsed = parse(text)
            if YEAR.search(text) and sure(text, parsed):
                span = Span(start=row.start + start + parsed.start, end=row.start + start + parsed.end)
                yield Citation(span, parsed.reference, "line", item)
                return
        return
    if at >= len(cells) or not cells[at][1].strip("-–— "):
        return
    start, text = cells[at]
    if author_and_year(text):
        return  # a mark: Roe & Poe, 1994
    parsed = parse(text)
    reference = _filled(
        parsed.reference, {name: cells[n][1] for name, n in columns.items() if n < len(cells)}, bare=bare
    )
    if reference.title and any(letter.isalpha() for letter in reference.title):
        used = [cells[n] for n in columns.values() if n < len(cells) and cells[n][1].strip("-–— ")]
        end = max(begin + len(cell) for begin, cell in used)
        span = Span(start=row.start + min(begin for begin, _ in used), end=row.start + end)
        yield Citation(span, reference, "line", item)


def _filled(reference: Reference, cells: dict[str, str], *, bare: bool) -> Reference:
    """The reference with what the other cells say; `bare`: the authors are given by their surnames alone."""
    year = YEAR.search(cells.get("year", "").rstrip("年년"))
    for name in ("authors", "venue"):
        if year and name in cells and cells[name] == cells["year"]:
            cells[name] = (cells[name][: year.start()] + cells[name][year.end() :]).strip(
                " ,;()/|·–—-、，・年년"
            )
            last = cells[name].rpartition(", ")[2]
            cells[name] = last if is_press(last) else cells[name]  # tradução de Ana Lima, Record
    written = cells.get("authors", "")
    names = eastern_names(written) if SCRIPT.search(written) else people(written)
    if names and bare:
        names = tuple(one for name in names[0] for one in name.split(", ")), names[1]
    if names and not reference.authors:
        reference = replace(reference, authors=names[0], et_al=names[1])
    if year and not reference.year:
        reference = replace(reference, year=int(year[0]))
    if cells.get("venue") and not reference.venue:
        reference = replace(reference, venue=without_volume(cells["venue"]))
    written = cells.get("id", "")
    return with_identifiers(
        reference, identifiers(f"isbn {written}" if _ISBN.fullmatch(written) else written)
    )
