"""Works that an answer cites and a bibliography has: their abstracts are sources, behind the documents that are given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from guardrail._visible import one_line
from guardrail.engine.flow import Failed, Flow, Reason, one
from guardrail.given.sources import Source
from guardrail.report import Case
from guardrail.requests import CitedWork, CitedWorks

_LONGEST = 100  # characters of a title in a reason
_NAMED = 2  # authors that are named


@dataclass(frozen=True, slots=True)
class Found:
    """What a bibliography has.

    Attributes:
        works: those that the answer cites, in the order of the answer.
        said: what a reason adds where a mark points to nothing: that a bibliography was asked, or that it did not answer; "" if there is
            none.
    """

    works: tuple[CitedWork, ...] = ()
    said: str = ""


def look_up(case: Case) -> Flow[Found]:
    """What the guard's bibliography has of the works that an answer cites; nothing where the guard has no bibliography."""
    if not case.answer.strip():
        return Found()
    reply = yield from one(CitedWorks(case.answer, question=case.question))
    if not isinstance(reply, Failed):
        return Found(reply.value, "and to no work in the bibliography")
    if reply.reason is Reason.MISSING:
        return Found()
    return Found(said=f"and the bibliography did not answer ({reply})")


def with_abstracts(case: Case, works: Sequence[CitedWork]) -> Case:
    """A case with the abstracts of works behind its documents; a work without one is a document without text."""
    if not works:
        return case
    given = case.sources or (Source(),) * len(case.context)
    sources = (Source("the bibliography", _called(one), one.url, abstract=True) for one in works)
    return case.model_copy(
        update={
            "context": (*case.context, *(one.abstract for one in works)),
            "sources": (*given, *sources),
        }
    )


def names_of(case: Case, works: Sequence[CitedWork]) -> tuple[str, ...]:
    """What a person calls the documents of a case and the works behind them."""
    return (*case.document_names, *map(_called, works))


def _called(work: CitedWork) -> str:
    """Title, authors and year.

    Example:
        >>> _called(CitedWork((), "On Rivers", ("Smith, A.", "Lee, B.", "Ito, C."), 2020))
        '“On Rivers” (Smith, A. et al., 2020)'
    """
    names = " and ".join(work.authors[:_NAMED])
    if len(work.authors) > _NAMED:
        names = f"{work.authors[0]} et al."
    by = ", ".join(filter(None, (names, str(work.year or ""))))
    return one_line(f"“{one_line(work.title, _LONGEST)}”" + (f" ({by})" if by else ""), 2 * _LONGEST)
