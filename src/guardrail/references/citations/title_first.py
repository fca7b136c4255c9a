"""Readings of reference strings without marks that begin with the title: Title by Jane Doe (2017)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from guardrail.references.citations.houses import is_press
from guardrail.references.citations.languages import BY
from guardrail.references.citations.parts import is_city
from guardrail.references.citations.people import how_like_names, people
from guardrail.references.citations.tail import names_at, read_tail
from guardrail.references.citations.titles import DASH, PAREN, Draft, sentence_end
from guardrail.references.citations.venues import is_named
from guardrail.references.citations.words import VENUE, YEAR, is_comment, title_case, words

__all__ = ["bare_title", "in_cells", "names_and_year", "titled_by"]

_BY = re.compile(rf"[,.]?\s+(?:[Ww]ritten\s+|[Ee]dited\s+)?(?:{BY}|By|BY)\s+")
_SIGNS = (re.compile(r"\s\|\s"), re.compile(r"\s/\s"), re.compile(r"\s·\s"))
_FEWEST, _MOST, _LONGEST_ROW = 3, 5, 400  # cells of a row, and its characters
_NUMBERED_LABEL = re.compile(r"\s*(?:Doc(?:ument)?|Paper|Source|Ref(?:erence)?|Item|Book)\s?\d{1,3}[:.)]\s")
_REMARK = re.compile(r"\s(?:[–—-]{1,2}|[↳→👉])\s|\.\s|\s{2,}")
_YEAR_CELL = re.compile(r"\(?(?:1[4-9]|20)\d\d[a-z]?\)?\.?")
_AL = re.compile(r"(?P<al>\bet\.?\sal\b\.?),?\s\(?(?:1[4-9]|20)\d\d\b")


_TRANSLATED = re.compile(
    r"[^\W\d_]{3,20}[,*_]{0,2}\s\(?(?:trans|transl|translated|tr)\b"
)  # by Aristotle, trans. T. Irwin


def titled_by(text: str, start: int) -> Draft | None:
    """Title by Authors (2017)."""
    for by in _BY.finditer(text, start + 1, start + 500):
        tail = read_tail(text, by.start(), (), knows_authors=False)
        if tail.authors and (
            len(tail.authors[0].split()) > 1
            or tail.et_al
            or tail.year
            or len(tail.authors) > 1
            or _TRANSLATED.match(text, by.end())
        ):
            plain = by[0].strip(" ,.").lower() == "by"
            if not plain and not tail.year:
                continue
            return Draft((start, by.start()), by.start(), marks={"by"})
    return None


def in_cells(text: str, start: int) -> Draft | None:
    """Behave | Robert Sapolsky | 2017; 1969 / Minsky and Papert / Perceptrons / MIT Press: one cell is the year, one has names, the first other one is the title."""
    if label := _NUMBERED_LABEL.match(text, start):
        start = label.end()
    for sign in _SIGNS:
        ends = [found.start() for found in sign.finditer(text, start, start + _LONGEST_ROW)]
        cells = [*zip([start, *(end + 3 for end in ends)], [*ends, _row_end(text, ends)], strict=True)]
        if not _FEWEST <= len(cells) <= _MOST:
            continue
        said = {cell: text[slice(*cell)].strip(" *_") for cell in cells}
        years = [cell for cell in cells if _YEAR_CELL.fullmatch(said[cell])]
        named = [cell for cell in cells if cell not in years and _names_in(said[cell])]
        left = [cell for cell in cells if cell not in (*years, *named) and said[cell]]
        if len(named) == 2 and not left:
            left = [named.pop(0)]  # Jane Eyre | Charlotte Brontë | 1847
        if len(years) != 1 or len(named) != 1 or not left or is_named(said[left[0]]):
            continue
        if len(cells) == _FEWEST and named[0] < left[0] and " " not in said[left[0]]:
            continue  # Hildegard Peplau · Putnam · 1952
        if left[0] < named[0] and " " not in said[named[0]]:
            continue  # Interpersonal Relations by Peplau · Putnam · 1952
        names, et_al = _names_in(said[named[0]]) or ((), False)
        year = re.search(r"\d{4}", said[years[0]])
        venue = said[left[1]] if len(left) > 1 else ""
        end = max(end for _, end in cells)
        marks = {"people", "year"}
        return Draft(left[0], end, end, names, et_al, int(year[0]) if year else None, marks, venue=venue)
    return None


def _row_end(text: str, ends: Sequence[int]) -> int:
    """Where the last cell of a row ends: before a remark, or at the end of the text."""
    since = ends[-1] + 3 if ends else 0
    remark = _REMARK.search(text, since)
    return remark.start() if remark else len(text.rstrip())


def _names_in(cell: str) -> tuple[tuple[str, ...], bool] | None:
    """The names of a cell, if they look like people's."""
    names = people(cell.strip(" *_"))
    return names if names and (names[1] or how_like_names(names[0]) > 0) else None


def names_and_year(text: str, start: int) -> Draft | None:
    """Title, Authors, 1957: full names between the last commas."""
    year = YEAR.search(text, start, start + 500)
    if year is None or not text[: year.start()].rstrip(" (").endswith(","):
        return None
    before = text[start : year.start()].rstrip(" (,")
    for comma in list(re.finditer(r",\s", before))[:8]:
        title, names = before[: comma.start()], people(before[comma.end() :])
        if (
            names
            and all(len(name.split()) > 1 for name in names[0])
            and len(words(title)) >= 2
            and title.count("(") <= title.count(")")
            and not people(title)
            and not (is_city(names[0][0]) or is_press(names[0][-1]))
            and not people(DASH.split(title)[-1])
        ):
            return Draft((start, start + comma.start()), year.start(), 0, *names, marks={"by"})
    return None


def _full_names(text: str) -> bool:
    names = people(text)
    return names is not None and "," in text and any(len(name.split()) > 1 for name in names[0])


def _ends_as_sentence(text: str) -> bool:
    return text.rstrip(" *_").endswith((".", "!")) or len(text) > 120


def bare_title(text: str, start: int) -> Draft:
    """A bare title, perhaps with something behind it: (2017), - Authors, : commentary."""
    end = len(text.rstrip())
    for paren in PAREN.finditer(text, start):
        if YEAR.search(paren[1]) or _full_names(paren[1]):
            end = min(end, paren.start())
            break
    for dash in DASH.finditer(text, start + 1, start + 600):
        right = text[dash.end() :]
        if (
            names_at(text, dash.end())
            or YEAR.match(right)
            or is_comment(right, weakly=_ends_as_sentence(right))
        ):
            end = min(end, dash.start())
            break
    for colon in re.finditer(r":\s+|[.?!]\s+", text[start : start + 600]):
        left, right = text[start : start + colon.start()], text[start + colon.end() :]
        weakly = _ends_as_sentence(right) and (colon[0][0] != ":" or title_case(left) >= 0.7)
        if is_comment(right, weakly=weakly):
            end = min(end, start + colon.start() + (0 if colon[0][0] == ":" else 1))
            break
    stop = sentence_end(text, start)
    rest = text[stop:end].strip()
    if rest and (YEAR.search(rest) or VENUE.search(rest)):
        end = stop
    end = min(end, _names_behind(text, start, end))
    comma = re.search(r",\s+(?=(?:1[4-9]|20)\d\d\b\W*$)", text[start:end])
    if comma:
        end = start + comma.start()
    return Draft((start, end), end)


def _names_behind(text: str, start: int, end: int) -> int:
    """Where a title ends before a comma, names cut short, and a year: "Deep Learning for Trees, Doe et al., 2017"."""
    al = _AL.search(text, start, min(start + 700, len(text)))
    if al is None:
        return end
    for comma in list(re.finditer(r",\s+", text[start : al.start()]))[:20]:
        left, right = text[start : start + comma.start()], text[start + comma.end() : al.end("al")]
        if len(words(left)) >= 2 and not people(left) and people(right):
            return start + comma.start()
    return end
