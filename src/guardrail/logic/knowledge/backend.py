"""The knowledge base as a backend of the guard: judgements of triples, and the values that a subject has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from guardrail.engine.backend import Backend
from guardrail.engine.flow import Answer, Failed, Keep, Reason, Reply, Request
from guardrail.logic.knowledge.base import KnowledgeBase
from guardrail.logic.knowledge.facts import Triple
from guardrail.logic.knowledge.prolog import PATIENCE, SECONDS, EngineFault, LimitReached
from guardrail.logic.knowledge.proofs import Judgement


@dataclass(frozen=True, slots=True)
class Prove(Request[Judgement]):
    """Does a knowledge base entail a triple, contradict it, or leave it open?"""

    lane: ClassVar[str] = "knowledge"
    reply_type: ClassVar[Any] = Judgement

    triple: Triple

    @property
    def keep(self) -> Keep:
        """Never: asking is quicker than remembering."""
        return Keep.NEVER


@dataclass(frozen=True, slots=True)
class Values(Request[tuple[str, ...]]):
    """What a subject is related to, by facts and by what follows from them; in order of name."""

    lane: ClassVar[str] = "knowledge"
    reply_type: ClassVar[Any] = tuple[str, ...]

    subject: str
    relation: str

    @property
    def keep(self) -> Keep:
        """Never, as `Prove`."""
        return Keep.NEVER


Query: TypeAlias = Prove | Values


class KnowledgeBackend(Backend[Query]):
    """Answers from an open knowledge base, one after another: there is one Prolog engine in a process.

    Args:
        base: the knowledge base. One proof of it may take five seconds; longer is a timeout.
    """

    paid = False
    batch = 64
    concurrency = 1

    timeout = batch * SECONDS + PATIENCE

    def __init__(self, base: KnowledgeBase) -> None:
        self._base = base

    @property
    def fingerprint(self) -> str:
        """The knowledge base's."""
        return self._base.fingerprint

    def answer(self, requests: Sequence[Query]) -> Sequence[Reply[Any]]:
        """One reply per request, at no cost."""
        return [self._answer(request) for request in requests]

    def close(self) -> None:
        """Close the knowledge base; nothing can be asked afterwards."""
        self._base.close()

    def _answer(self, request: Query) -> Reply[Any]:
        try:
            if isinstance(request, Prove):
                return Answer(self._base.ask(request.triple, seconds=5.0))
            return Answer(tuple(self._base.objects(request.subject, request.relation)))
        except LimitReached as error:
            return Failed(Reason.TIMEOUT, str(error), error=error)
        except EngineFault as error:
            return Failed(Reason.BACKEND, str(error), error=error)
