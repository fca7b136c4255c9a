"""The ensemble as a detector: several variants judge each sentence by the same samples, and a fit joins their scores.

The result is one probability per sentence. `stack.py` has the formula; `fits.py` the fits, packaged ones and files;
`fitting.py` makes one from labelled answers. Documents are not samples, and no such fit applies to them: `GroundingCheck`
judges by them, or a member with a model of yours that reads them.

Read on in this order: options, cost, flow (`_judge`; `SentenceCheck.examine` calls it), verdict (`_judged`,
`_judge_one`), learning (`learn`).
"""

from __future__ import annotations

import copy
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from guardrail.detector import Scope
from guardrail.engine.backend import Backend
from guardrail.engine.flow import Calls, Failed, Flow, compute, gather
from guardrail.errors import ConfigError, GuardrailError
from guardrail.options import PathOption, declared, option
from guardrail.report import Case, Evidence, Measurement, Passage, Scale
from guardrail.selfcheck.base import SampledCheck, StoppingCheck, variant
from guardrail.selfcheck.ensemble import fitting
from guardrail.selfcheck.ensemble.fits import (
    Examine,
    Fit,
    Fused,
    Labelled,
    Member,
    Shape,
    packaged_fit,
    read_fit,
    threshold_of,
)
from guardrail.selfcheck.grounding.check import GroundingCheck
from guardrail.selfcheck.material import Judged, Material, clauses
from guardrail.selfcheck.similar import MOST_QUOTED, quoted
from guardrail.text.claims import Piece

THRESHOLD = 0.5
"""Default: a P(made up) of at least this is unsupported."""

_SHARED = sorted(one.name for one in declared(StoppingCheck))
"""Options that are the ensemble's, not a member's."""


class EnsembleCheck(SampledCheck):
    """Scores sentences by several variants together: P(made up), fitted to labelled answers.

    The packaged fits join n-gram with the packaged encoder's BERTScore ("wikibio-minilm"), and both with the packaged
    entailment model ("wikibio-entailment"), each member as much as the other; three tenths of what is said of a
    sentence are the mean over its answer. They need no other backend, but
    the extra `local`, or `mini` and the entailment model (then n-gram and entailment alone). Their probabilities are valid
    for text like that which they were fitted to (English biographies, more than half of them made up): elsewhere they
    rank, and the threshold is a convention.

    Where a member has no score for a sentence, the others judge it alone if the fit was made for that (the packaged
    ones: n-gram without its models), and the finding says so; otherwise the sentence is unverified.

    Documents stand in for samples. Then `GroundingCheck` judges alone, by the packaged entailment model where it is installed
    and by words, numbers and names; or the first member that reads documents by a model of yours ("nli", "prompt", "qa").
    The finding says so: the score and the threshold are that detector's, and no P(made up).

    Raises:
        ConfigError: no such file, not the fit that `digest` names, or members that are not those of the fit.
    """

    name: ClassVar[str] = "selfcheck-ensemble"
    scope: ClassVar[Scope] = "answer"  # means over the answer may count too
    scale: ClassVar[Scale] = Scale(unit="P(made up)", sentences=True)

    reads_context = True  # unless it is still to be fitted

    fit: Fit | str | Path | None = option(
        default="packaged",
        path=PathOption.FILE_OR_NAME,
        help="a fit, its file, or the name of a packaged one; packaged = the one that uses most of what is "
        "installed; None = only measure, to `learn` a fit",
    )
    members: Sequence[str | SampledCheck] | None = option(
        default=None,
        help="names of variants, or variants without a threshold of their own; None = those of the fit. Backends "
        "that they need are the guard's; `Fit.must_suit` checks that they are those of the fit",
    )
    digest: str | None = option(default=None, help="the fingerprint that the fit must have; None = any")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.members and (self.fit is None or self.members is not None):
            raise ConfigError("expected at least one member, got none")
        fit = self.fit = packaged_fit() if self.fit == "packaged" else self.fit
        self._fit = read_fit(fit) if isinstance(fit, str | Path) else fit
        digest, self.digest = self.digest, None if self._fit is None else self._fit.fingerprint
        if digest is not None and digest != self.digest:
            raise ConfigError(
                f"expected the fit with the fingerprint {digest!r}, got {self.digest!r}: {fit!r}"
            )
        if self._fit is None or self.members is not None:
            self._members = _by_name(self.members or ())
        else:
            self._members = {
                one.name: _checked(variant(one.method)(**one.options)) for one in self._fit.members
            }
        self._records = [_record(name, member) for name, member in self._members.items()]
        if self._fit is not None and self._records != [*self._fit.members]:
            raise ConfigError(
                f"expected the members that the ensemble was fitted with, {self._fit.members!r}, got "
                f"{self._records!r}"
            )
        made = zip(self._records, self._members.values(), strict=True)
        named = tuple(one if record.options else record.method for record, one in made)
        self.members = None if self._fit is not None else named
        # An ensemble that is still to be fitted takes samples, though there are documents.
        self._reader = None if self._fit is None else self._reader_of_documents()
        self.reads_context = self._reader is not None
        self._must_read()

    def _reader_of_documents(self) -> tuple[str, SampledCheck | GroundingCheck]:
        """Who judges by documents in the ensemble's place, with the ensemble's options."""
        readers = [
            (name, one) for name, one in self._members.items() if one.reads_context and not one.backends()
        ]
        reader: SampledCheck | GroundingCheck
        if readers:  # by a model of the guard's
            name, member = readers[0]
            reader = copy.copy(member)
            reader.against = "context"
        else:
            name, reader = "grounding", GroundingCheck()
        reader.threshold, reader.max_sentences, reader.splitter = (
            self.threshold,
            self.max_sentences,
            self.splitter,
        )
        return name, reader

    def backends(self) -> Mapping[str, Backend[Any]]:
        """Those that its members bring."""
        own = [*self._members.values(), *([self._reader[1]] if self._reader else [])]
        return {lane: one for member in own for lane, one in member.backends().items()}

    # -- cost

    def cost(self, case: Case) -> Calls:
        """As of all variants; with documents, what the member that reads them asks."""
        given = self._given(case)
        if self._reader is not None and given is not None and given.kind == "context":
            return self._reader[1].cost(case)
        return super().cost(case)

    def _asks(self, sentences: Sequence[str], texts: Sequence[str]) -> Calls:
        asked: dict[str, tuple[int, int]] = {}
        for member in self._members.values():
            for route, (least, most) in member._asks(sentences, texts).items():  # noqa: SLF001
                before = asked.get(route, (0, 0))
                # members may have questions in common, which are asked once
                asked[route] = max(before[0], least), before[1] + most
        return asked

    def _asks_at_most(self, sentences: int, samples: int) -> Mapping[str, int]:
        asked: Counter[str] = Counter()
        for member in self._members.values():
            asked.update(member._asks_at_most(sentences, samples))  # noqa: SLF001
        return asked

    # -- flow

    def _judge_case(self, case: Case, claims: Sequence[Piece]) -> Flow[tuple[list[Judged], Material]]:
        """By documents the reader judges, else all members by samples."""
        given = self._given(case)
        if self._reader is None or given is None or given.kind != "context":
            return (yield from super()._judge_case(case, claims))
        name, reader = self._reader
        judged, material = yield from reader._judge_case(case, claims)  # noqa: SLF001
        alone = [replace(one, partial=clauses(f"by {name} alone", one.partial)) for one in judged]
        return alone, material

    def _judge(self, sentences: Sequence[str], material: Material) -> Flow[list[Judged]]:
        columns = yield from gather(
            member._judge(sentences, material)  # noqa: SLF001
            for member in self._members.values()
        )
        return (yield from compute(self._judged, tuple(sentences), columns, material))

    # -- verdict

    def _judged(
        self, sentences: Sequence[str], columns: Sequence[Sequence[Judged] | Failed], material: Material
    ) -> list[Judged]:
        """What the fit makes of the members' scores; a member that failed, or whose score is no number, has none."""
        by_member: dict[str, list[Judged]] = {}
        for name, column in zip(self._members, columns, strict=True):
            if isinstance(column, Failed):
                by_member[name] = [Judged(None, reason=str(column))] * len(sentences)
            else:
                by_member[name] = [
                    one if one.score is None or math.isfinite(one.score) else replace(one, score=None)
                    for one in column
                ]
        fused = [Fused(None)] * len(sentences)
        unfit = self._unfit()
        if self._fit is not None and not unfit:
            scores = {name: [one.score for one in column] for name, column in by_member.items()}
            thresholds = {
                name: one.threshold
                for name, column in by_member.items()
                for one in column
                if one.score is not None
            }  # of one answer, so every sentence has the same
            fused = self._fit.predict(scores, len(material.texts), thresholds)
        rows = [dict(zip(by_member, row, strict=True)) for row in zip(*by_member.values(), strict=True)]
        return [
            self._judge_one(sentence, row, one, material, unfit)
            for sentence, row, one in zip(sentences, rows, fused, strict=True)
        ]

    def _unfit(self) -> str:
        """Why the members' scores are only shown: there is no fit, or it was made with other backends; else ""."""
        if self._fit is None:
            return "the ensemble is not fitted: it only measures"
        present = {}
        for lane, backend in self.backends().items():
            try:
                _ = backend.fingerprint
            except GuardrailError:  # it is not there: its own replies say so
                continue
            present[lane] = backend
        try:
            self._fit.must_suit(present)
        except ConfigError as error:
            return str(error)
        return ""

    def _judge_one(
        self, sentence: str, row: Mapping[str, Judged], fused: Fused, material: Material, unfit: str
    ) -> Judged:
        """One sentence, by what each member (`row`) and the fit (`fused`) say of it."""
        limit = THRESHOLD if self.threshold is None else self.threshold
        evidence: list[Evidence] = []
        for name, one in row.items():
            if one.score is not None:
                note = "larger = more likely made up"
                evidence.append(Measurement(name=name, value=one.score, note=note))
                note = "what is inconsistent by this member alone"
                evidence.append(Measurement(name=threshold_of(name), value=one.threshold, note=note))
        silent = _silent(row)
        partial = [f"without {silent}"] if silent else []
        if unfit:
            return Judged(None, limit, unfit, tuple(evidence), partial="; ".join(partial))
        if fused.probability is None:
            return Judged(None, limit, silent or "no member has a score", tuple(evidence))
        scored = [name for name, one in row.items() if one.score is not None]
        if unused := ", ".join(name for name in scored if name not in fused.members):
            partial.append(
                f"without {unused}: less text than the fit was made for"
                if fused.short
                else f"and without {unused}, for which the fit has nothing then"
            )
        partial += [f"{name}: {one.partial}" for name, one in row.items() if one.partial]
        reason = ""
        if fused.probability >= limit:
            reason = next((row[name].reason for name in scored if row[name].reason), "")
            evidence += _speaking_against(sentence, row, material)
        return Judged(fused.probability, limit, reason, tuple(evidence), partial="; ".join(partial))

    # -- learning

    def learn(
        self,
        labelled: Sequence[Labelled],
        examine: Examine,
        *,
        sizes: Sequence[int] = (5,),
        without: Sequence[Sequence[str]] = (),
        shape: Shape = "stack",
        pooling: float = 0.0,
        short: Sequence[str] = (),
        backends: Mapping[str, Backend[Any]] | None = None,
        provenance: Mapping[str, Any] | None = None,
    ) -> Fit:
        """Fit this ensemble's members to labelled answers.

        Args:
            labelled: answers with their samples, and a label in [0, 1] per sentence.
            examine: gives this detector's findings: `lambda case: guard.check(case).findings`.
            sizes: numbers of samples to fit for; each answer counts with each disjoint set of so many.
            without: members whose absence the fit is to cope with, each a group of names.
            shape: "stack" weighs the members and their means over the answer; "mean" is a curve over the plain mean of
                their z-scores.
            pooling: of "mean", in [0, 1]: how much of a sentence's score is the mean over its answer. With 0 a sentence
                does not depend on its neighbours.
            short: names of the members that judge where there is less text than in these answers; the others must be
                among the groups of `without`. Empty = all members.
            backends: what makes the scores, by lane; their origins are kept.
            provenance: what the file says besides about its data.

        Raises:
            InputError: labels do not match the sentences, or nobody has so many samples.
            ConfigError: an unknown shape, or a pooling out of range or of another shape.
        """
        return fitting.learn(
            self._records,
            labelled,
            examine,
            sizes=sizes,
            without=without,
            shape=shape,
            pooling=pooling,
            short=short,
            backends={**self.backends(), **(backends or {})},
            provenance=provenance,
        )


def _checked(given: object) -> SampledCheck:
    """A variant that may be a member."""
    if not isinstance(given, SampledCheck) or isinstance(given, EnsembleCheck):
        raise ConfigError(f"expected variants that judge by samples as members, got {given!r}")
    return given


def _by_name(members: Sequence[str | SampledCheck]) -> dict[str, SampledCheck]:
    """Variants by name: their method, with a number from the second of a method on."""
    found: dict[str, SampledCheck] = {}
    for one in members:
        member = _checked(variant(one)() if isinstance(one, str) else one)
        own = [name for name in _SHARED if getattr(member, name) != getattr(type(member), name)]
        if own:
            raise ConfigError(
                f"expected members without options that are the ensemble's, got {member.method!r} with {', '.join(own)}: "
                "give those to the ensemble"
            )
        same = sum(other.method == member.method for other in found.values())
        found[f"{member.method}-{same + 1}" if same else member.method] = member
    return found


def _record(name: str, member: SampledCheck) -> Member:
    """A member with the options that make it what it is."""
    given, usual = member.signature().parameters.items(), type(member)
    options = {k: v for k, v in given if k not in _SHARED and v != getattr(usual, k, None)}
    return Member(name, member.method, options)


def _silent(row: Mapping[str, Judged]) -> str:
    """The members without a score, each with its reason; equal reasons are said once."""
    reasons: dict[str, list[str]] = {}
    for name, one in row.items():
        if one.score is None:
            reasons.setdefault(one.reason or "no score could be computed", []).append(name)
    return "; ".join(f"{', '.join(names)}: {reason}" for reason, names in reasons.items())


def _speaking_against(sentence: str, row: Mapping[str, Judged], material: Material) -> list[Passage]:
    """What the samples say in its place: what the members quote, else the nearest sentence of each sample."""
    evidence = [one for judged in row.values() for one in judged.evidence]
    passages = {(one.source, one.text): one for one in evidence if isinstance(one, Passage)}
    return list(passages.values())[:MOST_QUOTED] or quoted(sentence, material.texts)
