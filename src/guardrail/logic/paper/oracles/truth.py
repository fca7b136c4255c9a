"""What is known of a question: the answer, the facts that prove it, and what exactly is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

from pydantic import TypeAdapter, ValidationError

from guardrail.errors import InputError
from guardrail.logic.knowledge.facts import Triple, Years
from guardrail.logic.knowledge.relations import Relations, reviewed
from guardrail.logic.statements.lexicon import Lexicon
from guardrail.logic.temporal.formula import Formula
from guardrail.logic.temporal.notation import parse
from guardrail.logic.vocabulary import lexicon


@dataclass(frozen=True)
class Truth:
    """The ground truth of one question.

    Attributes:
        question: in English.
        answer: whether Yes is right.
        facts: the triples that prove the answer.
        spans: dated events: name, first year, last year; one event may be there several times.
        asked: the triple that is asked about, if it is known; else the question is read.
        affirms: whether Yes means that `asked` is true.
        formula: the formula that is asked about, in
        year: this year.
        aliases: other names → the names in the facts.
        relations: the table of relations.

    Raises:
        InputError: there are neither facts nor spans, or a formula has no year.
    """

    question: str
    answer: bool
    facts: tuple[Triple, ...] = ()
    spans: tuple[tuple[str, int, int], ...] = ()
    asked: Triple | None = None
    affirms: bool = True
    formula: Formula | None = None
    year: int | None = None
    aliases: Mapping[str, str] = field(default_factory=dict)
    relations: Relations = field(default_factory=reviewed)

    def __post_init__(self) -> None:
        if not self.facts and not self.spans:
            raise InputError(
                f"expected facts or dated events for the question {self.question!r:.200}, got none."
            )
        if self.formula is not None and self.year is None:
            raise InputError(f"expected a year with the formula {self.formula}, got none.")

    @classmethod
    def from_json(cls, text: str) -> Truth:
        """The ground truth of a generated case.

        Args:
            text: a JSON object of a `FactCase` or `Case` (`questions.cases`, `temporal.generation`); "aliases" may map other names to
                the names in the facts.

        Raises:
            InputError: a field has another form, or there are neither facts nor spans.
        """
        try:
            case = _cases().validate_json(text, strict=True)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"])
            raise InputError(
                f"expected a case with its facts or spans, got {place}: {first['msg']}"
            ) from error
        return cls(
            case.question,
            case.answer,
            tuple(Triple(*fact) for fact in case.facts),
            case.spans,
            asked=Triple(*case.triple) if case.triple is not None else None,
            affirms=case.affirms,
            formula=parse(case.formula) if case.formula is not None else None,
            year=case.year,
            aliases=case.aliases,
        )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Entities and events, in the order in which the facts name them."""
        found = [name for fact in self.facts for name in (fact.subject, fact.object)]
        return tuple(dict.fromkeys([*found, *(event for event, _, _ in self.spans)]))

    @cached_property
    def lexicon(self) -> Lexicon:
        """For reading what is said of them."""
        events = [event for event, _, _ in self.spans]
        return lexicon(self.facts, events=events, aliases=self.aliases, relations=self.relations)

    @cached_property
    def years(self) -> Mapping[str, tuple[Years, ...]]:
        """The spans of each event."""
        found: dict[str, list[Years]] = {}
        for event, first, last in self.spans:
            found.setdefault(event, []).append((first, last))
        return {event: tuple(several) for event, several in found.items()}


@dataclass(frozen=True)
class _Case:
    question: str
    answer: bool
    facts: tuple[tuple[str, str, str], ...] = ()
    spans: tuple[tuple[str, int, int], ...] = ()
    triple: tuple[str, str, str] | None = None
    affirms: bool = True
    formula: str | None = None
    year: int | None = None
    aliases: dict[str, str] = field(default_factory=dict)


@cache
def _cases() -> TypeAdapter[Any]:
    return TypeAdapter(_Case)
