"""What an answer cites: its marks in a row, the documents that they point to, and the claim that is judged."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from guardrail.report import Case, Span
from guardrail.requests import Cited, CitedWork
from guardrail.support.sources import Sources
from guardrail.support.tying import Tie, ties
from guardrail.text.claims import Piece, pieces
from guardrail.text.kinds import Kind
from guardrail.text.plain import plain_text

_FEW = 3  # words of a claim that are no claim


@dataclass(frozen=True, slots=True)
class Cites:
    """A mark with the documents that it points to, counted from 0, and whether these lack the words that the service quotes from them."""

    tie: Tie
    documents: tuple[int, ...]
    misquoted: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """Marks in a row, which are for one claim."""

    cites: tuple[Cites, ...]
    claims: tuple[Piece, ...]

    @property
    def together(self) -> tuple[int, ...]:
        """The documents of all its marks."""
        return tuple(sorted({number for one in self.cites for number in one.documents}))


def groups_of(case: Case, most: int, works: Sequence[CitedWork] = ()) -> tuple[list[Group], int]:
    """The first marks of an answer, those in a row together; and how many are left.

    Args:
        case: the answer with its documents, of which the last are the abstracts of `works`.
        most: marks that are read.
        works: of the bibliography.
    """
    sources = Sources.of(case, works)
    given = [one for one in case.citations if 0 <= one.start < one.end <= len(case.answer)]
    places: dict[tuple[int, int], list[Cited]] = {}
    for one in given:
        if not one.claims:
            places.setdefault((one.start, one.end), []).append(one)
    starts = sorted(places)
    found: dict[int, list[Cites]] = {}
    for tie in ties(case.answer, sources.cites, [*starts, *sources.places]):
        told = [one for place in _touching(tie.mark, starts) for one in places[place]]
        found.setdefault(tie.group, []).append(_cited(tie, sources, told))
    groups: list[Group] = []
    left = most
    for cites in [*found.values(), *_of_blocks(case.answer, given, sources, len(found))]:
        if left <= 0:
            break
        kept = tuple(cites[:left])
        left -= len(kept)
        groups.append(Group(kept, tuple(_claims(case.answer, kept[0].tie))))
    every = sum(map(len, found.values())) + sum(one.claims for one in given)
    return groups, every - sum(len(group.cites) for group in groups)


def _cited(tie: Tie, sources: Sources, told: Sequence[Cited]) -> Cites:
    """By what the service says of a mark, which is trusted to say which document it means; else by the mark itself."""
    if not told:
        return Cites(tie, sources.of_place(tie.mark))
    documents = tuple(dict.fromkeys(number for one in told for number in sources.of_cited(one)))
    misquoted = any(not sources.have(one.quoted, documents) for one in told) if documents else False
    return Cites(tie, documents, misquoted)


def _touching(mark: Span, starts: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The places that the service gave which touch a mark."""
    at = bisect_left(starts, (mark.end, 0))
    return [one for one in starts[max(0, at - 8) : at] if mark.start < one[1]]


def _of_blocks(answer: str, given: Sequence[Cited], sources: Sources, group: int) -> Iterator[list[Cites]]:
    """The service's citations whose place is what they are for; those of one place are a group."""
    read = [piece.span for piece in pieces(answer)] if given else []
    found: dict[tuple[int, int], list[Cited]] = {}
    for one in given:
        if one.claims:
            found.setdefault((one.start, one.end), []).append(one)
    for number, ((start, end), cited) in enumerate(found.items(), group):
        claim, behind = Span(start=start, end=end), Span(start=end, end=end)
        sentences = tuple(span for span in read if span.overlaps(claim)) or (claim,)
        yield [_cited(Tie(behind, claim, sentences, number), sources, [one]) for one in cited]


def _claims(answer: str, tie: Tie) -> Iterable[Piece]:
    """What is judged: the claim of a tie, sentence by sentence where it has several."""
    for sentence in tie.sentences:
        start, end = max(sentence.start, tie.claim.start), min(sentence.end, tie.claim.end)
        said = answer[start:end]
        read = [piece for piece in pieces(said) if piece.text]
        text = " ".join(piece.text for piece in read) or plain_text(said)
        if any(piece.kind is Kind.CLAIM for piece in read) or len(text.split()) >= _FEW:
            yield Piece(Span(start=start, end=max(start, end)), Kind.CLAIM, text)
