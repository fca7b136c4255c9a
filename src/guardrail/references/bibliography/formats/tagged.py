"""Formats of a tag and a value a line: RIS, as publishers and reference managers export it, EndNote, PubMed, Web of Science."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from pathlib import Path

from guardrail.references.bibliography.formats.fields import (
    arxiv_of,
    checked_record,
    listed_authors,
    page_range,
    year_of,
)
from guardrail.references.bibliography.formats.lines import Piece, numbered_lines, opened, piece_of
from guardrail.references.bibliography.normalise import (
    normalise_arxiv,
    normalise_doi,
    normalise_isbn,
    normalise_pmid,
)
from guardrail.references.bibliography.records import Record

# Of one work: the longest list of authors has 15,000, each name twice. A file without ends of entries would grow without end.
MOST_VALUES = 100_000
MEDLINE = re.compile(r"pubmed|medline|\bnlm\b", re.IGNORECASE)
LINES = {
    "ris": re.compile(r"[ \t]*([A-Z][A-Z0-9])[ \t]{1,4}-(?:[ \t]+(.*))?$"),
    "endnote": re.compile(r"[ \t]*(%[0-9A-Z@>])(?:[ \t]+(.*))?$"),
    "pubmed": re.compile(r"([A-Z]{2,4}) {0,2}-(?: (.*))?$"),
    "web-of-science": re.compile(r"([A-Z][A-Z0-9])(?: (.*))?$"),
}

Values = dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class TagTable:
    """What the tags of a format mean.

    Attributes:
        begins: the tag of RIS that every work has once.
        tags: those of RIS, by the format's own; of RIS itself there are none to translate.
        repeated: tags of RIS of which a line without a tag has another value, rather than more of the same.
    """

    begins: str = "TY"
    tags: Mapping[str, str] | None = None
    repeated: Sequence[str] = ()


@cache
def tags_of(format: str) -> TagTable:  # noqa: A002
    """The tags of a format, by its name in `Format`."""
    known = tomllib.loads((files(__package__) / "tags.toml").read_text(encoding="utf-8"))
    return TagTable(**known[format]) if format in known else TagTable()


def _read(format: str, path: Path, position: int) -> Iterator[Piece]:  # noqa: A002
    for line, after, values in _entries(path, LINES[format], tags_of(format)):
        if after > position:
            yield piece_of(path, line, after, partial(_record, tags_of(format).begins), values)


# A work a piece; the position is that after its last line.
read_ris = partial(_read, "ris")
read_endnote = partial(_read, "endnote")
read_pubmed = partial(_read, "pubmed")
read_web_of_science = partial(_read, "web-of-science")


@dataclass(slots=True)
class _Line:
    """A value, the line on which it begins, and the position before that."""

    tag: str
    value: str
    number: int
    before: int


def _entries(path: Path, tagged: re.Pattern[str], known: TagTable) -> Iterator[tuple[int, int, Values]]:
    """First line, position after it and values of every work: up to "ER", or to the next beginning where one was."""
    with opened(path) as stream:
        before, tag, begun = 0, "", False
        said: list[_Line] = []
        for number, after, line in numbered_lines(stream, path):
            found = tagged.match(line)
            if found:
                tag = found[1] if known.tags is None else known.tags.get(found[1], "")
                if tag == known.begins and (begun or len(said) > MOST_VALUES):
                    yield from _parted(said, before, known)  # its end is missing
                    said, begun = [], False
                if tag == "ER":
                    yield from _parted(said, after, known)
                    said, begun, tag = [], False, ""
                elif tag:
                    if len(said) <= MOST_VALUES:  # one more, which shows that there were too many
                        said.append(_Line(tag, (found[2] or "").strip(), number, before))
                    begun = begun or tag == known.begins
            elif tag and line.strip() and said:
                if tag not in known.repeated:  # a value that was wrapped
                    said[-1].value = f"{said[-1].value} {line.strip()}"[:100_000]
                elif len(said) <= MOST_VALUES:
                    said.append(_Line(tag, line.strip(), number, before))
            before = after
        yield from _parted(said, before, known)


def _parted(said: Sequence[_Line], after: int, known: TagTable) -> Iterator[tuple[int, int, Values]]:
    """The work, or the two works of which the first lost its end and its beginning: both have a title.

    A beginning may also come in the middle of a work.
    """
    at = next((place for place, one in enumerate(said) if one.tag == known.begins), 0)
    first, rest = said[:at], said[at:]
    if len(said) <= MOST_VALUES and _has_title(first) and _has_title(rest):
        yield first[0].number, rest[0].before, _values(first)
        yield rest[0].number, after, _values(rest)
    elif said:
        yield said[0].number, after, _values(said)


def _has_title(said: Sequence[_Line]) -> bool:
    return any(one.tag in {"TI", "T1"} for one in said)


def _values(said: Sequence[_Line]) -> Values:
    values: Values = {}
    for one in said:
        values.setdefault(one.tag, []).append(one.value)
    return values


def _record(begins: str, values: Mapping[str, Sequence[str]]) -> Record:
    if sum(map(len, values.values())) > MOST_VALUES:
        raise ValueError(
            f"expected at most {MOST_VALUES:,} values of one work, got more: does an entry lack its end?"
        )
    if begins not in values:
        raise ValueError(
            f"expected an entry with '{begins}  - ', got one that has {', '.join(values)} alone."
        )

    def text(*tags: str) -> str:
        return next((value for tag in tags for value in values.get(tag, ()) if value), "")

    def all_of(*tags: str) -> list[str]:
        return [value for tag in tags for value in values.get(tag, ())]

    authors, et_al = listed_authors(
        [*(all_of("A0") or all_of("AU", "A1")), *all_of("B0")] or all_of("A2") or all_of("ED")
    )
    addresses = " ".join(all_of("UR", "L1", "L2"))
    doi = next(filter(None, map(normalise_doi, [*all_of("DO", "DI"), addresses])), "")
    return checked_record(
        title=text("TI", "T1", "CT", "BT").removesuffix("."),
        authors=authors,
        et_al=et_al,
        year=year_of(text("PY", "Y1", "DA")),
        venue=text("JO", "JF", "T2", "BT", "JA", "J2", "PB") if text("TI", "T1", "CT") else text("PB"),
        doi=doi,
        arxiv=arxiv_of(addresses, doi) or normalise_arxiv(_labelled(values)),
        isbn=normalise_isbn(text("SN").split(" ")[0]),
        pmid=normalise_pmid(text("PM") or (text("AN") if MEDLINE.search(text("DB", "DP")) else "")),
        url=text("UR"),
        volume=text("VL"),
        issue=text("IS"),
        pages=page_range(text("SP"), text("EP")),
        abstract=text("AB", "N2"),
    )


def _labelled(values: Mapping[str, Sequence[str]]) -> str:
    """A value of a free field that names itself, "arXiv:1706.03762"."""
    free = (value for tag in ("AN", "ID", "M1", "N1", "C1") for value in values.get(tag, ()))
    return next((value for value in free if value.lower().startswith("arxiv:")), "")
