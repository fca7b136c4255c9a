"""The fitted ensemble as a detector: several variants judge each sentence by the same samples, one probability results.

The map from their scores to it is a `Fit` (`fits.py`): a packaged one, or one learnt from labelled answers. Documents are
no samples, and no fit holds for them: there one member judges alone.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from guardrail.detector import Scope
from guardrail.engine.backend import Backend
from guardrail.engine.flow import Failed, Flow, compute, gather
from guardrail.errors import ConfigError, GuardrailError
from guardrail.options import number, one_of
from guardrail.report import Case, Measurement, Passage, Scale
from guardrail.selfcheck.base import Against, Judged, Material, SelfCheck, Splitter
from guardrail.selfcheck.similar import nearest

if TYPE_CHECKING:
    from guardrail.selfcheck.ensemble.fits import Examine, Fit, Labelled, Member, Shape

__all__ = ["EnsembleCheck"]

_SHARED = frozenset(
    {"method", "samples", "threshold", "against", "max_sentences", "splitter", "deadline", "early_stop"}
)
_QUOTED = 500  # characters of a sample's sentence that evidence quotes
_UNFITTED = "the ensemble is not fitted: it only measures"


class EnsembleCheck(SelfCheck):
    """Scores sentences by several variants together: P(made up), fitted to labelled answers.

    The packaged fits join n-gram with the packaged encoder's BERTScore ("wikibio-minilm"), and both with the packaged
    entailment model ("wikibio-entailment"), each member as much as the other; three tenths of what is said of a
    sentence are the mean over its answer. They need the extra `local` and no other backend. Their probabilities hold
    for text like that which they were fitted to (English biographies, more than half of them made up): elsewhere they
    rank, and the threshold is a convention.

    Where a member has no score for a sentence, those of the others stand in that the fit was made for without it (the packaged
    ones: n-gram without its models), and the finding says so; where there are none the sentence is unverified.

    Documents stand in for samples if a member can read them ("nli", "prompt", "qa"; of several the first). Then that
    member judges alone, with its own threshold, and the finding says so: the score is the member's, and no P(made up).

    Args:
        method: "ensemble".
        fit: a `Fit`, its file, the name of a packaged one, or "packaged", the one that makes most of what is installed;
            `None` = only measure, to `learn` a fit.
        members: names of variants or variants, without thresholds of their own; `None` = as the fit says. Backends
            that they need are the guard's; `Fit.must_suit` tells whether they are those of the fit.
        digest: the fingerprint that the fit must have; `None` = any.
        samples: see `SelfCheck`, as for the rest.
        threshold: in [0, 1], of whichever score it is; `None` = 0.5 of P(made up), and the member's own of documents.
        against: "samples", "context" or "auto".
        max_sentences: the rest is unverified.
        splitter: where sentences stand.
        deadline: seconds per answer.

    Raises:
        ConfigError: no such file, not the fit that `digest` names, or members that are not those of the fit.
    """

    name: ClassVar[str] = "selfcheck-ensemble"
    scope: ClassVar[Scope] = "answer"  # means over the answer may count too
    scale: ClassVar[Scale] = Scale(unit="P(made up)", sentences=True)

    def __init__(
        self,
        method: Literal["ensemble"] = "ensemble",
        *,
        fit: Fit | str | Path | None = "packaged",
        members: Sequence[str | SelfCheck] | None = None,
        digest: str | None = None,
        samples: int = 5,
        threshold: float | None = None,
        against: Against = "auto",
        max_sentences: int = 200,
        splitter: Splitter | None = None,
        deadline: float | None = None,
    ) -> None:
        from guardrail.selfcheck.ensemble import fits

        one_of("method", method, ("ensemble",))
        if threshold is not None:
            number("threshold", threshold, least=0, most=1)
        if not members and (fit is None or members is not None):
            raise ConfigError("expected at least one member, got none")
        self.method = method
        fit = fits.packaged_fit() if fit == "packaged" else fit
        self.fit = str(fit) if isinstance(fit, Path) else fit
        self._fit = fits.read_fit(fit) if isinstance(fit, str | Path) else fit
        self.digest = None if self._fit is None else self._fit.fingerprint
        if digest is not None and digest != self.digest:
            raise ConfigError(
                f"expected the fit with the fingerprint {digest!r}, got {self.digest!r}: {fit!r}"
            )
        given = _made(members or ()) if self._fit is None or members is not None else _named(self._fit)
        self._members = given
        if self._fit is not None and [*map(_record, *zip(*given.items(), strict=True))] != [
            *self._fit.members
        ]:
            raise ConfigError(
                f"expected the members that the ensemble was fitted with, {self._fit.members!r}, got "
                f"{[_record(name, one) for name, one in given.items()]!r}"
            )
        self.members = None if self._fit is not None else tuple(given)
        reads = (one for one in given.items() if self._fit is not None and one[1].reads_context)
        reader = next(reads, None)
        self.reads_context = reader is not None
        self._share(
            samples=samples,
            threshold=threshold,
            against=against,
            max_sentences=max_sentences,
            splitter=splitter,
            deadline=deadline,
        )
        self._reader = None if reader is None else (reader[0], _reading(reader[1], self))

    def cost(self, case: Case) -> tuple[int, int]:
        """As of all variants; with documents, what the member that reads them asks."""
        return self._reader[1].cost(case) if self._reader and self._reads(case) else super().cost(case)

    def _reads(self, case: Case) -> bool:
        given = self._given(case)
        return given is not None and given.kind == "context"

    def backends(self) -> Mapping[str, Backend[Any]]:
        """Those that its members bring."""
        return {lane: one for member in self._members.values() for lane, one in member.backends().items()}

    def learn(
        self,
        labelled: Sequence[Labelled],
        examine: Examine,
        *,
        sizes: Sequence[int] = (5,),
        without: Sequence[Sequence[str]] = (),
        shape: Shape = "stack",
        pooling: float = 0.0,
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
            backends: what makes the scores, by lane; their origins are kept.
            provenance: what the file says besides about its data.

        Raises:
            InputError: labels do not match the sentences, or nobody has so many samples.
            ConfigError: an unknown shape, or a pooling out of range or of another shape.
        """
        from guardrail.selfcheck.ensemble.fitting import learn

        members = [_record(name, one) for name, one in self._members.items()]
        known = {**self.backends(), **(backends or {})}
        return learn(
            members,
            labelled,
            examine,
            sizes=sizes,
            without=without,
            shape=shape,
            pooling=pooling,
            backends=known,
            provenance=provenance,
        )

    def _asks(self, sentences: Sequence[str], texts: Sequence[str]) -> tuple[int, int]:
        asked = [member._asks(sentences, texts) for member in self._members.values()]  # noqa: SLF001
        return sum(least for least, _ in asked), sum(most for _, most in asked)

    def _asks_per_sample(self, sentences: int) -> int:
        return sum(member._asks_per_sample(sentences) for member in self._members.values())  # noqa: SLF001

    def _judge(self, sentences: Sequence[str], material: Material) -> Flow[list[Judged]]:
        if self._reader and material.kind == "context":
            name, reader = self._reader
            alone = yield from reader._judge(sentences, material)  # noqa: SLF001
            return [
                replace(one, partial="; ".join(filter(None, (f"by {name} alone", one.partial))))
                for one in alone
            ]
        found = yield from gather(
            member._judge(sentences, material)  # noqa: SLF001
            for member in self._members.values()
        )
        judged = {
            name: [Judged(None, reason=str(one))] * len(sentences) if isinstance(one, Failed) else one
            for name, one in zip(self._members, found, strict=True)
        }
        unsuited = yield from compute(self._unsuited)
        return (yield from compute(self._fused, tuple(sentences), judged, material, unsuited))

    def _unsuited(self) -> str:
        """Why the backends that it brings are not those of the fit; nothing of those that are not there."""
        if self._fit is None:
            return ""
        there = {}
        for lane, backend in self.backends().items():
            try:
                _ = backend.fingerprint
            except GuardrailError:  # its own replies say so
                continue
            there[lane] = backend
        try:
            self._fit.must_suit(there)
        except ConfigError as error:
            return str(error)
        return ""

    def _fused(
        self,
        sentences: Sequence[str],
        judged: Mapping[str, Sequence[Judged]],
        material: Material,
        unsuited: str,
    ) -> list[Judged]:
        limit = 0.5 if self.threshold is None else self.threshold
        scores = {name: [_known(one) for one in column] for name, column in judged.items()}
        rows = [{name: column[i] for name, column in judged.items()} for i in range(len(sentences))]
        shown = [tuple(_measurements(row)) for row in rows]
        if self._fit is None or unsuited:
            return [
                Judged(None, limit, unsuited or _UNFITTED, evidence, partial=_without(row))
                for row, evidence in zip(rows, shown, strict=True)
            ]
        thresholds = {
            name: one.threshold
            for name, column in judged.items()
            for one in column
            if _known(one) is not None
        }  # of one answer, so every sentence has the same
        fused = self._fit.predict(scores, len(material.texts), thresholds)
        found = []
        for sentence, row, one, evidence in zip(sentences, rows, fused, shown, strict=True):
            if one.probability is None:
                found.append(Judged(None, limit, _silent(row) or "no member has a score", evidence))
                continue
            above = one.probability >= limit
            against = tuple(_speaking_against(sentence, row, material)) if above else ()
            reason = next((r.reason for r in row.values() if above and r.reason and r.score is not None), "")
            unused = [name for name in row if _known(row[name]) is not None and name not in one.members]
            partial = "; ".join(filter(None, (_without(row), _unused(unused), *_partial(row))))
            found.append(Judged(one.probability, limit, reason, evidence + against, partial=partial))
        return found


def _made(members: Sequence[str | SelfCheck]) -> dict[str, SelfCheck]:
    """Variants by name: their method, with a number from the second of a method on."""
    found: dict[str, SelfCheck] = {}
    for one in members:
        member = SelfCheck(one) if isinstance(one, str) else one
        method = str(getattr(member, "method", ""))
        if method in {"", "ensemble"} or not member.needs:
            raise ConfigError(f"expected variants that judge by samples as members, got {one!r}")
        usual = type(member)()
        if own := [name for name in sorted(_SHARED - {"method"}) if _differ(member, usual, name)]:
            raise ConfigError(
                f"expected members without options that are the ensemble's, got {method!r} with {', '.join(own)}: give "
                "those to the ensemble"
            )
        same = sum(str(getattr(other, "method", "")) == method for other in found.values())
        found[f"{method}-{same + 1}" if same else method] = member
    return found


def _differ(member: SelfCheck, usual: SelfCheck, name: str) -> bool:
    return bool(getattr(member, name) != getattr(usual, name))


def _reading(member: SelfCheck, ensemble: EnsembleCheck) -> SelfCheck:
    """The member as it judges documents in the ensemble's place."""
    found = copy.copy(member)
    found.against = "context"
    found.threshold = ensemble.threshold
    found.max_sentences, found.splitter = ensemble.max_sentences, ensemble.splitter
    return found


def _named(fit: Fit) -> dict[str, SelfCheck]:
    return {member.name: SelfCheck(member.method, **member.options) for member in fit.members}


def _record(name: str, member: SelfCheck) -> Member:
    """A member with the options that make it what it is."""
    from guardrail.selfcheck.ensemble.fits import Member

    own, usual = member.signature().parameters, type(member)().signature().parameters
    options = {k: v for k, v in own.items() if k not in _SHARED and v != usual.get(k)}
    return Member(name, str(own["method"]), options)


def _known(judged: Judged) -> float | None:
    return judged.score if judged.score is not None and math.isfinite(judged.score) else None


def _measurements(row: Mapping[str, Judged]) -> list[Measurement]:
    from guardrail.selfcheck.ensemble.fits import threshold_of

    found = []
    for name, one in row.items():
        if (value := _known(one)) is not None:
            found.append(Measurement(name=name, value=value, note="larger = more likely made up"))
            note = "what is inconsistent by this member alone"
            found.append(Measurement(name=threshold_of(name), value=one.threshold, note=note))
    return found


def _silent(row: Mapping[str, Judged]) -> str:
    """The members without a score, each with its reason; equal reasons are said once."""
    reasons: dict[str, list[str]] = {}
    for name, one in row.items():
        if _known(one) is None:
            reasons.setdefault(one.reason or "no score could be computed", []).append(name)
    return "; ".join(f"{', '.join(names)}: {reason}" for reason, names in reasons.items())


def _without(row: Mapping[str, Judged]) -> str:
    silent = _silent(row)
    return f"without {silent}" if silent else ""


def _unused(names: Sequence[str]) -> str:
    """Members that did score, and for which there is nothing in the fit without those that did not."""
    return f"and without {', '.join(names)}, for which the fit has nothing then" if names else ""


def _partial(row: Mapping[str, Judged]) -> list[str]:
    return [f"{name}: {one.partial}" for name, one in row.items() if one.partial]


def _speaking_against(sentence: str, row: Mapping[str, Judged], material: Material) -> list[Passage]:
    """What the samples say in its place: what the members point to, else the nearest sentence of each."""
    places = {
        (one.source, one.text): one
        for judged in row.values()
        for one in judged.evidence
        if isinstance(one, Passage)
    }
    if not places:
        near = [
            Passage(source=f"sample {i}", text=text[:_QUOTED], score=like)
            for i, sample in enumerate(material.texts, 1)
            for text, like in nearest(sentence, sample, 1)
        ]
        places = {(one.source, one.text): one for one in sorted(near, key=lambda one: -(one.score or 0.0))}
    return list(places.values())[:3]
