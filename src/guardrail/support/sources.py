"""Sources: which of the documents a mark of citation points to."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from guardrail.given.sources import Source
from guardrail.report import Case, Span
from guardrail.requests import Cited, CitedWork
from guardrail.text.claims import Piece, pieces
from guardrail.text.kinds import Kind

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_RANGE = re.compile(r"(\d{1,3})\s?[–-]\s?(\d{1,3})")
_NUMBER = re.compile(r"(?<!\d)\d{1,3}(?!\d)")
_LINKED = re.compile(r"\W{0,3}\[\[?\^?(\d{1,3})\]?\]\(")
_PLACE = re.compile(
    r"(?:\b(?:pp?|pages?|s|seiten?|págs?|página|pagina|blz|section|sec|abschnitt|chapter|ch|kapitel|para|table|fig|figure|slide)\b\.?|[第§])\s?\d{1,4}(?:[.–-]\d{1,4})*\s?[页頁]?",
    re.IGNORECASE,
)
_CIRCLED = re.compile(r"[①-⑳]")
_CALLED = re.compile(r"[^\W\d_]+ ?\d{1,3}")
_ADDRESS = re.compile(r"(?:https?://|www\.)[^\s<>()\[\]\"”]+")
_ENTRY = re.compile(
    r"^[ \t>]*(?:[-*+•][ \t]+)?(?:\[\^?(?P<a>[\w-]{1,30})\]:?|【(?P<b>\d{1,3})】|(?P<c>\d{1,3})[.)])[ \t]+(?P<text>[^\n]{3,400})$",
    re.MULTILINE,
)
_NOTE = re.compile(r"\[\^([\w-]{1,30})\]")
_LETTER = re.compile(r"[\[(【](?:[Ss]ource |[Dd]oc(?:ument)? )?([A-Z])[\])】]")
_YEAR = re.compile(r"(?<!\d)((?:1[6-9]|20)\d\d)[a-z]?(?!\d)")
_SURNAME = re.compile(r"[^\W\d_a-z][\w'’-]+")
_WORDS = re.compile(r"[^\W_]+")
_AUTHORED = re.compile(
    r"\s?(?i:see |see also |cf\. |e\.g\.,? |siehe |vgl\. |voir |ver )?[^\W\d_a-z][^\d()\[\]]{1,200}?[,.\s，、(（]{1,3}(?:1[6-9]|20)\d\d"
)
_INITIAL = re.compile(r"(?<!\w)[^\W\d_a-z]\.")
_PREPOSED = re.compile(r"\b(?:in|from|since|until|by|at|on|for)\b")
_BRACKETS = frozenset("[(（【")
_POINTING = frozenset(
    """
    see also cf from in per the source document file page pages p pp section siehe quelle dokument
    datei seite s voir ver fuente fonte vgl and und et y
    """.split()  # noqa: SIM905  # reads better than quoted words
)
_PARTS, _LONGEST = 10, 400
_LETTERS = re.compile(r"[^\W\d_]{2,}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2}")
_AROUND = ("()", "[]", "（）", "【】")
_NEAR, _FEW = 400, 3  # characters next to a reference that are looked at, and words there that make it a mark
_RANGE_MOST = 20  # sources of "[1-9]"
_SHORTEST = 4  # letters of a name that is looked for
_HEAD = 400  # characters at the beginning of a document that may name its authors and its year
_OFTEN = frozenset("The See In According And As For By From This Journal Table Figure".split())  # noqa: SIM905  # reads better than quoted words


@dataclass(frozen=True)
class Sources:
    """The documents of an answer, as marks name them.

    A document that was given goes before a work of the bibliography, wherever both could be meant.

    Attributes:
        answer: which may have a list of sources of its own.
        documents: the text of each with where it came from.
        works: of the bibliography; their abstracts are the last of the documents, in this order.
    """

    answer: str
    documents: tuple[tuple[str, Source], ...]
    works: tuple[CitedWork, ...] = ()

    @classmethod
    def of(cls, case: Case, works: Sequence[CitedWork] = ()) -> Sources:
        """Those of a case whose last documents are these works."""
        sources = case.sources or (Source(),) * len(case.context)
        return cls(case.answer, tuple(zip(case.context, sources, strict=True)), tuple(works))

    @property
    def given(self) -> int:
        """How many documents were given; those behind them are works."""
        return len(self.documents) - len(self.works)

    @cached_property
    def references(self) -> list[tuple[int, int]]:
        """Where the answer names works of the bibliography, in order; the places do not overlap."""
        return sorted(self._work_at)

    @cached_property
    def places(self) -> list[tuple[int, int]]:
        """Where a sentence names a work of the bibliography, brackets included; an entry of a list is no mark."""
        return [place for place in map(self._bracketed, self.references) if self._is_in_a_sentence(place)]

    def of_place(self, mark: Span) -> tuple[int, ...]:
        """The documents that a mark at a place points to: a document that was given, else the works that are named there."""
        named = self.of_mark(mark.of(self.answer))
        return named if self._is_given(named) else self._works_at(mark) or named

    def cites(self, text: str) -> bool:
        """Whether a text in the answer names a document: by address, by name, by authors and year, or as "document 2"."""
        if _CALLED.fullmatch(text):
            return bool(self.of_mark(text))
        return bool(self._named(text, bracketed=text[:1] in _BRACKETS and "](" not in text))

    def of_mark(self, mark: str) -> tuple[int, ...]:
        """The documents that a mark points to, counted from 0, in order; none where it points to nothing that is here.

        Example:
            >>> sources = Sources("", (("…", Source(name="a.pdf")), ("Lee, K. (2020). A study. …", Source())))
            >>> [sources.of_mark(mark) for mark in ("[1]", "[1, 2]", "[7]", "(a.pdf)", "(Lee, 2020)")]
            [(0,), (0, 1), (), (0,), (1,)]
        """
        mark = mark[:_LONGEST]
        found = self._named(mark)
        if found or ("://" in mark and not _LINKED.match(mark)):
            return found
        note = _NOTE.search(mark)
        keys = [note[1]] if note else list(_numbers(mark))
        if not keys and (letter := _LETTER.fullmatch(mark.strip())):
            return tuple(i for i in [ord(letter[1]) - ord("A")] if i < self.given)
        named = [i for key in keys for i in self._numbered(key)]
        return tuple(dict.fromkeys(named))

    def of_cited(self, cited: Cited) -> tuple[int, ...]:
        """The documents of a citation that a service gave: by what it calls them, by address, by name, else by number."""
        for name in filter(None, (cited.identifier, cited.name)):
            known = [
                i for i, (_, source) in enumerate(self.documents) if name in (source.identifier, source.name)
            ]
            if len(known) == 1:
                return tuple(known)
        found = self._named(" ".join(filter(None, (cited.url, cited.name))))
        told = cited.url or cited.name or cited.identifier
        if found or told or cited.number is None or not 0 <= cited.number < self.given:
            return found
        return (cited.number,)

    def lists(self, key: str) -> bool:
        """Whether a number may be cited: it is in the answer's own list of sources, or the answer has none."""
        return not self._entries or key in self._entries

    def have(self, words: str, documents: Sequence[int]) -> bool:
        """Whether one of some documents has these words, one after the other, whatever blanks are between them."""
        said = " ".join(words.split())
        return any(said in " ".join(self.documents[i][0].split()) for i in documents)

    def _numbered(self, key: str) -> tuple[int, ...]:
        """By a number: an entry of the answer's own list, a document of that name, or the document at that place; else the entry's work."""
        entry = self._entries.get(key)
        named = () if entry is None else self._named(entry.of(self.answer))
        found = named if self._is_given(named) else self._at_number(key)
        return found or (self._works_at(entry) if entry else ()) or named

    def _at_number(self, key: str) -> tuple[int, ...]:
        """A document of that name, or the document at that place."""
        given = self.documents[: self.given]
        exact = [i for i, (_, source) in enumerate(given) if key == source.name]
        if exact:
            return tuple(exact[:1])
        if not key.isdigit() or any(source.name.isdigit() for _, source in given):
            return ()
        return (int(key) - 1,) if 0 < int(key) <= self.given else ()

    def _is_given(self, documents: Sequence[int]) -> bool:
        return bool(documents) and documents[0] < self.given

    def _preferred(self, found: Iterable[int]) -> tuple[int, ...]:
        """Of documents that a text names those that were given, else all."""
        every = tuple(dict.fromkeys(found))
        return tuple(number for number in every if number < self.given) or every

    def _named(self, text: str, *, bracketed: bool = False) -> tuple[int, ...]:
        """By address, name, or authors and year; with `bracketed` only where a text has little else."""
        addresses = {_address(one) for one in _ADDRESS.findall(text)}
        found = [i for i, url in enumerate(self._urls) if url and url in addresses]
        if found:
            return self._preferred(found)
        for part in text.split(";")[:_PARTS]:
            found += self._by_words(part, bracketed=bracketed)
        return self._preferred(found)

    def _by_words(self, text: str, *, bracketed: bool) -> list[int]:
        """By a name in it, or by a surname and a year."""
        plain = f" {_plain(text)} "
        named = [i for i, name in enumerate(self._names) if name and f" {name} " in plain]
        if named and bracketed:
            rest = plain.replace(f" {max((self._names[i] for i in named), key=len)} ", " ").split()
            if not all(word.isdigit() or word in _POINTING for word in rest):
                named = []
        if named:
            longest = max(len(self._names[i]) for i in named)
            return [i for i in named if len(self._names[i]) == longest]
        year = _YEAR.search(text)
        if year is None:
            return []
        surnames = [one for one in _SURNAME.findall(text[: year.start()]) if one not in _OFTEN][:4]
        if bracketed and not _is_authored(text):
            return []
        heads = [
            i
            for i, (years, words) in enumerate(self._heads)
            if surnames and year[1] in years and _fold(surnames[0]) in words
        ]
        if len(heads) > 1:
            several = [i for i in heads if all(_fold(one) in self._heads[i][1] for one in surnames)]
            heads = several or heads
        return heads[:1] if self._is_given(heads) or len(heads) == 1 else []

    @cached_property
    def _urls(self) -> list[str]:
        return [_address(source.url) if source.url else "" for _, source in self.documents]

    @cached_property
    def _names(self) -> list[str]:
        """The names that tell documents apart."""
        names = [_plain(source.name) for _, source in self.documents[: self.given]]
        own = [
            name if len(name) >= _SHORTEST and not name.isdigit() and names.count(name) == 1 else ""
            for name in names
        ]
        return own + [""] * len(self.works)  # a title of two words is in many a sentence

    @cached_property
    def _heads(self) -> list[tuple[set[str], set[str]]]:
        heads = [f"{source.name}\n{text[:_HEAD]}" for text, source in self.documents[: self.given]]
        heads += [f"{work.year} {' '.join(work.authors)}" for work in self.works]
        return [
            ({m[1] for m in _YEAR.finditer(head)}, {_fold(word) for word in _SURNAME.findall(head)})
            for head in heads
        ]

    @cached_property
    def _entries(self) -> Mapping[str, Span]:
        """Where the entries of the answer's own list of sources are, by number or name; of two for one the last."""
        found: dict[str, Span] = {}
        for piece in self._pieces:
            if piece.kind is Kind.SOURCES:
                for match in _ENTRY.finditer(piece.span.of(self.answer)):
                    start, end = (piece.span.start + place for place in match.span("text"))
                    found[match["a"] or match["b"] or match["c"]] = Span(start=start, end=end)
        return found

    @cached_property
    def _pieces(self) -> Sequence[Piece]:
        return pieces(self.answer)

    # -- works of the bibliography

    @cached_property
    def _work_at(self) -> Mapping[tuple[int, int], int]:
        return {place: self.given + number for number, work in enumerate(self.works) for place in work.places}

    def _works_at(self, span: Span) -> tuple[int, ...]:
        """The works that are named in a stretch of the answer."""
        at = bisect_left(self.references, (span.end, 0))
        found: list[int] = []
        while at and self.references[at - 1][1] > span.start:
            at -= 1
            found.append(self._work_at[self.references[at]])
        return tuple(dict.fromkeys(reversed(found)))

    def _bracketed(self, place: tuple[int, int]) -> tuple[int, int]:
        """With the brackets that are close around it."""
        start, end = place
        around = self.answer[start - 1 : start] + self.answer[end : end + 1]
        return (start - 1, end + 1) if around in _AROUND else place

    def _is_in_a_sentence(self, place: tuple[int, int]) -> bool:
        """Whether words are next to it that it may be cited for: in its sentence, or before it on its line."""
        start, end = place
        at = bisect_right(self._piece_starts, start) - 1
        piece = self._pieces[at] if at >= 0 else None
        if piece is None or piece.kind is Kind.SOURCES:
            return False
        line = self.answer.rfind("\n", max(0, start - _NEAR), start) + 1 or max(0, start - _NEAR)
        before = self.answer[line:start]
        around = (
            f"{self.answer[piece.span.start : start][-_NEAR:]} {self.answer[end : piece.span.end][:_NEAR]}"
        )
        return max(len(_LETTERS.findall(text)) for text in (before, around)) >= _FEW

    @cached_property
    def _piece_starts(self) -> list[int]:
        return [piece.span.start for piece in self._pieces]


def _numbers(mark: str) -> Iterator[str]:
    """The numbers that a mark consists of, ranges in full; those of pages and sections are none."""
    bare = _CIRCLED.sub(lambda one: f" {ord(one[0]) - ord('①') + 1} ", mark.translate(_SUPERSCRIPTS))
    if link := _LINKED.match(bare):
        yield link[1]
        return
    inner = _PLACE.sub(" ", bare)
    at = 0
    while match := _NUMBER.search(inner, at):
        span = _RANGE.match(inner, match.start())
        if span and int(span[1]) < int(span[2]) <= int(span[1]) + _RANGE_MOST:
            yield from map(str, range(int(span[1]), int(span[2]) + 1))
            at = span.end()
        else:
            yield str(int(match[0]))
            at = match.end()


def _is_authored(text: str) -> bool:
    """Whether a text in brackets is authors and a year, as "(Lee & Ito, 2020)" and full references are, and no remark with a year."""
    bare = text.strip().lstrip("([（【")
    initials = _INITIAL.search(bare) is not None
    return _AUTHORED.match(bare) is not None and (initials or _PREPOSED.search(bare) is None)


def _address(url: str) -> str:
    """An address as two that lead to one page are equal."""
    bare = re.sub(r"^(?:https?://)?(?:www\.)?", "", url.strip().rstrip(".,;:!?)"), flags=re.IGNORECASE)
    return re.sub(r"#.*$", "", bare).rstrip("/").lower()


def _plain(text: str) -> str:
    return " ".join(_WORDS.findall(_fold(text)))


def _fold(text: str) -> str:
    apart = unicodedata.normalize("NFKD", text)
    return "".join(one for one in apart if not unicodedata.combining(one)).casefold()
