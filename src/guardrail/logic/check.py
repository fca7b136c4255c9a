"""`FactCheck`: what a knowledge base says of each sentence of an answer, with the proof."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from guardrail.detector import Detector, Scope
from guardrail.engine.backend import Backend
from guardrail.engine.flow import Calls, Failed, Flow, compute, gather
from guardrail.errors import ConfigError, MissingExtra
from guardrail.logic.judging import Judge
from guardrail.logic.knowledge.backend import KnowledgeBackend
from guardrail.logic.knowledge.base import KnowledgeBase
from guardrail.logic.knowledge.prolog import EngineFault
from guardrail.logic.outcomes import Outcome, Ruling, rule
from guardrail.logic.reading import Said, said
from guardrail.logic.statements.marks import unmarked
from guardrail.logic.statements.model import Statement
from guardrail.logic.statements.reading import statements
from guardrail.logic.world import World
from guardrail.options import PathOption, option
from guardrail.report import Case, Finding, Proof, Scale, Signature, Span, Verdict
from guardrail.text.claims import claims, pieces
from guardrail.text.kinds import Kind

_MOST = 60  # statements of one sentence that are judged


_BLANKED = re.compile(r"[^\n]")


class FactCheck(Detector):
    """Judges every sentence of an answer by a knowledge base; asks no model.

    One finding per claim (`guardrail.text.claims`). A sentence is contradicted if one thing that it says is; it is supported only if
    all that was read of it is entailed and no word of substance is left unread; everything else is unverified,
    with the reason. `score` is 1 (contradicted), 0 (entailed) or `None`. Labels: "contradicted", "entailed",
    "unknown". Evidence is the proof, from known facts, in plain words.

    Read are relations that the knowledge base has, said of names in the sentence ("was written by", "is the capital
    of"), and claims about years ("began in 1914", "within ten years after", "while", "before the end of").
    A name that no entity has is looked for by spelling; if two are near, it names neither.

    Raises:
        ConfigError: no knowledge base, another content than asked for, or SWI-Prolog is missing (says what to
            install).
        MissingExtra: pyswip is missing.
        KnowledgeFault: the folder has no usable knowledge base.

    Source: [li2025]; the published method asks models questions made from facts; this checks what they say
    unasked, by the same facts and rules.
    """

    name: ClassVar[str] = "logic"
    version: ClassVar[str] = "1"
    scope: ClassVar[Scope] = "sentence"
    scale: ClassVar[Scale] = Scale(meaning="1 = contradicted by the knowledge base, 0 = entailed by it")

    kb: KnowledgeBase | str | Path | None = option(
        default=None,
        path=PathOption.FILE,
        kw_only=False,
        help="an open knowledge base, or its folder (`guardrail logic build` makes one). It contains compiled "
        "facts, which are code: open one from a source that you do not trust with `KnowledgeBase.open(folder, "
        "recompile=True)`",
    )
    distinct: bool = option(
        default=True,
        help="a relation that has one value (one birthplace, one author) is contradicted by any other name, also "
        "an unknown one; False = only by what the rules refute, which never covers made-up names",
    )
    fingerprint: str | None = option(
        default=None, help="the content that the knowledge base must have; None = any"
    )
    max_sentences: int = option(
        default=500, least=1, help="sentences to examine; the rest is unverified, and the report says so"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self.kb = self._base = _opened(self.kb)
        if self.fingerprint is not None and self.fingerprint != self._base.fingerprint:
            raise ConfigError(
                f"expected the knowledge base {self.fingerprint!r}, got {self._base.fingerprint!r} in "
                f"{str(self._base.path)!r}. Name the folder of the other, or leave fingerprint out."
            )
        self.fingerprint = self._base.fingerprint
        self._backend = KnowledgeBackend(self._base)

    def backends(self) -> Mapping[str, Backend[Any]]:
        """The knowledge base."""
        return {"knowledge": self._backend}

    def signature(self) -> Signature:
        """Name, version and parameters; the knowledge base by its folder and its content."""
        signature = super().signature()
        return signature.model_copy(
            update={"parameters": signature.parameters | {"kb": str(self._base.path)}}
        )

    def cost(self, case: Case) -> Calls:
        """Nobody is asked but the knowledge base, which is here."""
        del case
        return {}

    def examine(self, case: Case) -> Flow[list[Finding]]:
        """One finding per claim."""
        read = yield from compute(self._read, case.answer)
        judge = Judge(World.of(self._base), self.distinct)
        rulings = yield from gather(self._ruling(one, judge) for _, one in read[: self.max_sentences])
        found = [
            self._finding(case.answer, span, ruling) for (span, _), ruling in zip(read, rulings, strict=False)
        ]
        late = Ruling(
            "unknown", f"Only the first {self.max_sentences} sentences are examined (max_sentences)."
        )
        found += [self._finding(case.answer, span, late) for span, _ in read[self.max_sentences :]]
        code = Ruling("unknown", "Program code is not examined.")
        skipped = [piece.span for piece in pieces(case.answer) if piece.kind is Kind.CODE]
        return found + [self._finding(case.answer, span, code) for span in skipped]

    def _read(self, answer: str) -> list[tuple[Span, Said]]:
        world = World.of(self._base)
        spans = claims(answer)
        answer = _alone(answer, spans)
        starts = [span.start for span in spans]
        stated: dict[int, list[Statement]] = {}
        for statement in statements(answer, world.lexicon) if spans else ():
            stated.setdefault(bisect_right(starts, statement.end) - 1, []).append(statement)
        plain = unmarked(answer, spans, world.lexicon)
        return [
            (span, said(plain, span, stated.get(n, [])[: _MOST + 1], world)) for n, span in enumerate(spans)
        ]

    def _ruling(self, read: Said, judge: Judge) -> Flow[Ruling]:
        asked = read.statements[:_MOST]
        judged = yield from gather(judge.statement(one, past=read.past) for one in asked)
        outcomes = [
            Outcome("unknown", f"It could not be judged ({one}).") if isinstance(one, Failed) else one
            for one in judged
        ]
        if len(read.statements) > _MOST:
            outcomes.append(Outcome("unknown", f"Only its first {_MOST} statements were judged."))
        outcomes += [judge.claim(claim) for claim in read.claims]
        return rule(read, outcomes)

    def _finding(self, answer: str, span: Span, ruling: Ruling | Failed) -> Finding:
        if isinstance(ruling, Failed):
            ruling = Ruling("unknown", f"It could not be judged ({ruling}).")
        verdict, score, mark = {
            "contradicted": (Verdict.UNSUPPORTED, 1.0, ruling.known),
            "entailed": (Verdict.SUPPORTED, 0.0, ""),
            "unknown": (Verdict.UNVERIFIED, None, ""),
        }[ruling.state]
        deciding = [one for one in ruling.outcomes if one.state == ruling.state]
        return Finding(
            detector=self.name,
            span=span,
            text=span.of(answer),
            score=score,
            verdict=verdict,
            label=ruling.state,
            mark=mark,
            reason=ruling.words,
            evidence=tuple(Proof(steps=one.steps) for one in deciding if one.steps),
        )


def _alone(answer: str, spans: Sequence[Span]) -> str:
    """An answer with blanks in the place of everything but its claims."""
    parts: list[str] = []
    at = 0
    for span in spans:
        parts += [_BLANKED.sub(" ", answer[at : span.start]), span.of(answer)]
        at = span.end
    return "".join([*parts, _BLANKED.sub(" ", answer[at:])])


def _opened(kb: KnowledgeBase | str | Path | None) -> KnowledgeBase:
    if isinstance(kb, KnowledgeBase):
        return kb
    if kb is None:
        raise ConfigError(
            "expected a knowledge base, got none: write FactCheck('world.kb'), with a folder that `guardrail logic build` made"
        )
    try:
        return KnowledgeBase.open(kb)
    except MissingExtra:
        raise
    except EngineFault as error:
        raise ConfigError(f"the detector 'logic' cannot work: {error}") from error
