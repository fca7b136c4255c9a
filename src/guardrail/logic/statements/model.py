"""What is read out of sentences: names, statements about two of them, statements about years."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in a text.

    Attributes:
        text: as written; for a pronoun or a part of a name, as the text wrote it.
        start, end: where it is, in characters.
        entity: what it names, as the lexicon calls it; `None` for a name that the lexicon does not have.
    """

    text: str
    start: int
    end: int
    entity: str | None

    @property
    def name(self) -> str:
        """The entity, or the words where there is none."""
        return self.entity if self.entity is not None else self.text


@dataclass(frozen=True, slots=True)
class Statement:
    """That a relation holds between two, or that it does not.

    Attributes:
        subject, relation, object: the triple.
        negated: whether the text denies it.
        start, end: where in the text it is said.
        alternatives: other relations that the same words may mean, each with whether the sides are exchanged.
    """

    subject: Mention
    relation: str
    object: Mention
    negated: bool
    start: int
    end: int
    alternatives: tuple[tuple[str, bool], ...] = ()

    def readings(self) -> Iterator[Statement]:
        """The statement in each meaning of its words, the likeliest first, none of them with alternatives."""
        yield replace(self, alternatives=())
        for relation, turned in self.alternatives:
            subject, object_ = (self.object, self.subject) if turned else (self.subject, self.object)
            yield replace(self, subject=subject, relation=relation, object=object_, alternatives=())


@dataclass(frozen=True, slots=True)
class Dated:
    """In which years something was the case.

    Attributes:
        subject: what.
        begin: first year, `None` if the text does not say.
        end: last year, `None` if the text does not say.
        negated: whether the text denies it.
        within: whether it is only said to have been the case at some time of these years ("happened in 1805").
        start, stop: where in the text it is said.
    """

    subject: Mention
    begin: int | None
    end: int | None
    negated: bool
    within: bool
    start: int
    stop: int
