"""The sentences of a text, with their places.

Markdown is cut first: code, BibTeX and formulas have no sentences, a heading is not one, and list items and table
rows end where they end. Prose is split by nupunkt; sentences of scripts that it does not know end at their own marks. How well that agrees with hand-checked splits: `docs/design/selfcheck.md`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from guardrail.report import Span
from guardrail.text.layout import Layout

__all__ = ["sentences", "split_sentences"]

_OTHER_END = re.compile(
    r"(?:[。！？｡]+[”’」』》）\"']*|[।॥؟۔]+)\s*"
    r"|[.!?…][“«‹]+\s+"  # they close in German
    r"|(?<=\d)\s?(?:[kMGT]?(?:W|V|A|Hz|B)|[kcmµ]?m|[kmµ]?g|m?[lL]|s|h|min|°?[CF])\.\s+(?=[A-Z])"  # a unit is no initial
    r"|(?<![\w.'’@/-])[a-zß-ÿ]{3,}\.[*_\"”’)]{0,3}\s+(?=[A-ZÀ-Þ][a-zß-ÿ])"  # nupunkt takes "free" and "week" for abbreviations
)
_ORDINAL = re.compile(r"(?<!\w)(?<!\d[.,])\d{1,2}\.\s+$")
_MAGNITUDE = re.compile(
    r"\d\s?(?:Mrd|Mio|Bio|Tsd|Mld|mld|mln|Md|Mds|bn|mn)\.\s+$"
)  # no sentence ends with it
_ORDINALS_WITH_DOT = frozenset("de cs sk da no nb nn fi hu hr sl sr bs et lv pl tr is fo lb eu".split())  # noqa: SIM905  # reads better than quoted words
_WORD = re.compile(r"\S{200,}")  # nupunkt takes time quadratic in the marks of one word; no word is so long
_MARKS = str.maketrans(".!?…", "____")
_LEADING = re.compile(r"[\s>|]*(?:#{1,6}\s+)?")
_RULE = re.compile(r"[\s|:=*_-]*")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]")
_SHORT = 4_000  # characters; of longer texts nothing is remembered, so that little memory is held


def sentences(text: str) -> list[Span]:
    r"""Where the sentences of a text are: in order, disjoint, without blanks around them, none empty.

    Example:
        >>> text = "# Life\n\nShe met Dr. Who. He left.\n\n- born 1950\n"
        >>> [span.of(text) for span in sentences(text)]
        ['She met Dr. Who.', 'He left.', 'born 1950']
    """
    return [Span(start=start, end=end) for start, end in _ranges(text)]


def split_sentences(text: str) -> list[str]:
    """The sentences themselves."""
    return [text[start:end] for start, end in _ranges(text)]


def _ranges(text: str) -> tuple[tuple[int, int], ...]:
    return _read(text) if len(text) <= _SHORT else _read.__wrapped__(text)


@lru_cache(maxsize=256)  # one check splits an answer and its samples several times
def _read(text: str) -> tuple[tuple[int, int], ...]:
    return tuple(_found(text))


def _found(text: str) -> Iterator[tuple[int, int]]:
    for region in Layout(text).regions:
        if region.kind == "block":
            continue
        start = region.start
        if region.kind == "item" and region.item is not None:
            start = region.item.content
        if region.kind == "line":
            if not _HEADING.match(text, start, region.end):
                yield from _trimmed(text, start, region.end)
            continue
        for first, last in _pieces(text, start, region.end):
            yield from _trimmed(text, first, last)


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    match = _LEADING.match(text, start, end)
    start = match.end() if match else start
    end = start + len(text[start:end].rstrip(" \t\r\n|\v\f\x1c\x1d\x1e\x85\u2028\u2029\u00a0"))
    end = start + len(text[start:end].rstrip())
    if end > start and _RULE.fullmatch(text, start, end) is None:
        yield start, end


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Half-open ranges that cover `text[start:end]`, one per sentence."""
    here = start
    for stop in split_at(text[start:end]):
        yield here, start + stop
        here = start + stop


def split_at(prose: str) -> list[int]:
    """Where the sentences of prose end, blanks behind them included; the last one is the end.

    Prose is split by nupunkt. Sentences also end at the marks of scripts that it does not know, and none ends behind a
    day or a century in a language that writes ordinals with a full stop ("am 3. Mai").

    Example:
        >>> split_at("He left. She stayed.")
        [9, 20]
    """
    import nupunkt

    safe = _WORD.sub(lambda word: word[0][:-1].translate(_MARKS) + word[0][-1], prose)
    ends: list[int] = []
    for first, last in nupunkt.sent_spans(safe):
        other = (match.end() for match in _OTHER_END.finditer(safe, first, last))
        ends += sorted({end for end in other if end < last} | {last})
    ends = [end for end in ends[:-1] if not _MAGNITUDE.search(prose, max(0, end - 8), end)] + ends[-1:]
    if any(_ORDINAL.search(prose, max(0, end - 8), end) for end in ends[:-1]) and _dots_ordinals(prose):
        ends = [end for end in ends[:-1] if not _ORDINAL.search(prose, max(0, end - 8), end)] + ends[-1:]
    return ends


def _dots_ordinals(prose: str) -> bool:
    from guardrail.text.language import language

    return language(prose) in _ORDINALS_WITH_DOT
