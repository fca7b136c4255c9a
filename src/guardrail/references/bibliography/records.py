"""The types of the bibliography: what an answer quotes, what an index contains, and how the two compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, ClassVar, Protocol

from guardrail.engine.flow import Keep, Request


@dataclass(frozen=True, slots=True)
class Reference:
    """A work as somebody quotes it. Only what was said: nothing is filled in.

    Attributes:
        title: without quotes and final period; "" if none was given.
        authors: as written, one name each; `et_al` if the list was cut short.
        year: four digits.
        doi, arxiv, isbn, pmid: normalised identifiers (DOI in lower case without a resolver's address, arXiv
            without version, ISBN digits only), "" if none.
        volume, issue, pages: as written ("12", "3", "123–145"), "" if none.
    """

    title: str = ""
    authors: tuple[str, ...] = ()
    et_al: bool = False
    year: int | None = None
    venue: str = ""
    doi: str = ""
    arxiv: str = ""
    isbn: str = ""
    pmid: str = ""
    url: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""

    @property
    def missing(self) -> tuple[str, ...]:
        """Which of title, authors, year and venue were not given."""
        return tuple(name for name in ("title", "authors", "year", "venue") if not getattr(self, name))


@dataclass(frozen=True, slots=True)
class Record:
    """A real work, as a source has it; `authors` may be cut short (`et_al`).

    Attributes:
        volume, issue, pages: as the source has them, "" if it does not say.
        retracted: what a source says of the work's retraction, such as its date and the notice's DOI; "" if no source
            says that it was retracted.
        abstract: plain text, "" if the source has none. Look-ups in an index leave it out; see `Index.abstracts`.
    """

    title: str
    authors: tuple[str, ...] = ()
    et_al: bool = False
    year: int | None = None
    venue: str = ""
    doi: str = ""
    arxiv: str = ""
    isbn: str = ""
    pmid: str = ""
    url: str = ""
    source: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    retracted: str = ""
    abstract: str = ""


class Status(StrEnum):
    """Whether a bibliography has the work."""

    FOUND = "found"
    ABSENT = "absent"  # every source that was asked answered, and none has it
    UNREACHABLE = "unreachable"  # some source did not answer: nothing follows


class Outcome(StrEnum):
    """How one field that was claimed compares with the real work."""

    CONFIRMED = "confirmed"
    NEAR = "near"  # not the same, and no error: a year between preprint and print, a subtitle left out
    DIFFERS = "differs"
    OPEN = "not compared"


LED = "led"
"""How a title or authors agree that do so only without their first words, which in a sentence may lead them in: "See Carson", "Voir *The
Fate of Rome*". A field of an entry has no such words: see `comparison.as_written`."""


@dataclass(frozen=True, slots=True)
class FieldCheck:
    """One field of a quotation, compared.

    Attributes:
        field: its name in `Reference`.
        outcome: of the comparison.
        claimed: as quoted.
        found: what the work has; "" where that is not known.
        how: in one word how it is near or differs ("missing", "order", "workshop"): `quotation` says which of these
            make an accusation.
        note: the same for a person, "" where the two values say enough.
    """

    field: str
    outcome: Outcome
    claimed: str
    found: str = ""
    how: str = ""
    note: str = ""


def in_order(found: Mapping[str, FieldCheck]) -> tuple[FieldCheck, ...]:
    """Checks, given by field, in the order of `Reference`."""
    return tuple(found[one.name] for one in fields(Reference) if one.name in found)


@dataclass(frozen=True, slots=True)
class Match:
    """What a bibliography says about one reference: whether the work exists, and field by field what is quoted right.

    Attributes:
        record: the nearest real work (`FOUND`), or a near miss to show (`ABSENT`).
        similarity: of the titles, in [0, 1]; 1 for equal normalised titles or identifiers.
        fields: one check for each field that was claimed, in the order of `Reference`, if there is a record.
        sources: who was asked.
        complete: whether the sources claim to have every work of their kind, so that `ABSENT` is evidence
            of fabrication rather than of an incomplete list.
        detail: remarks on the match as a whole.
    """

    status: Status
    record: Record | None = None
    similarity: float = 0.0
    fields: tuple[FieldCheck, ...] = ()
    sources: tuple[str, ...] = ()
    complete: bool = False
    detail: str = ""

    @property
    def exists(self) -> bool | None:
        """Whether the work exists; `None` where that is not known."""
        if self.status is Status.FOUND:
            return True
        return False if self.status is Status.ABSENT and self.complete else None

    def having(self, *outcomes: Outcome) -> tuple[FieldCheck, ...]:
        """The checks with one of these outcomes."""
        return tuple(check for check in self.fields if check.outcome in outcomes)

    @property
    def differences(self) -> tuple[FieldCheck, ...]:
        """The fields that are wrong."""
        return self.having(Outcome.DIFFERS)

    @property
    def unchecked(self) -> tuple[str, ...]:
        """The names of the fields that the work neither confirms nor contradicts."""
        return tuple(check.field for check in self.having(Outcome.OPEN))


@dataclass(frozen=True, slots=True)
class Find(Request[Match]):
    """Look a reference up."""

    lane: ClassVar[str] = "bibliography"
    reply_type: ClassVar[Any] = Match

    reference: Reference

    @property
    def keep(self) -> Keep:
        """Never: a bibliography grows, and has a memory of its own."""
        return Keep.NEVER


class Bibliography(Protocol):
    """Anything that can look references up."""

    @property
    def fingerprint(self) -> str:
        """Which bibliography, in which state."""
        ...

    def find(self, reference: Reference) -> Match:
        """Look one reference up; failures are a `Match` with status `UNREACHABLE`, never an exception."""
        ...

    def find_all(self, references: Sequence[Reference]) -> list[Match]:
        """Look several up, in order."""
        ...


class WithAbstracts(Protocol):
    """A bibliography that also has abstracts, which its look-ups may leave out."""

    def abstracts(self, records: Sequence[Record]) -> list[str]:
        """The abstracts of works that a look-up found, in order; "" where there is none. Failures are "", never an exception."""
        ...


def abstracts_of(bibliography: Bibliography | WithAbstracts, records: Sequence[Record]) -> list[str]:
    """The abstracts of works that a look-up found, in order: what the bibliography has, else what is in the record."""
    own = getattr(bibliography, "abstracts", None)
    return [record.abstract for record in records] if own is None else list(own(records))
