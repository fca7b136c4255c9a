"""What an ensemble has learnt, as data: a `Fit`, a small JSON file (`fit_files.py`).

It names the members with their options, the backends that made their scores, and where the labels come from; its
numbers are those of the formula (`stack.py`). Two fits come with the package; `fitting.learn` makes one from labelled
answers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeAlias

from pydantic import ConfigDict

from guardrail.backends import ComparePackaged, EntailPackaged, encoder_installed, entailment_installed
from guardrail.engine.backend import Backend
from guardrail.errors import ConfigError, InputError
from guardrail.report import Case, Finding
from guardrail.selfcheck.ensemble.stack import Knot, probabilities
from guardrail.statistics.fit_files import fingerprint_of, must_be_columns, read, write_fit

Shape: TypeAlias = Literal["stack", "mean"]
Examine: TypeAlias = Callable[[Case], Sequence[Finding]]

_INSTALLED: Mapping[str, Callable[[], bool]] = {
    ComparePackaged.lane: encoder_installed,
    EntailPackaged.lane: entailment_installed,
}
_MINI = "wikibio-mini"


@dataclass(frozen=True, slots=True)
class Member:
    """One variant: its name within the ensemble, its method, and the options that differ from their defaults."""

    __pydantic_config__: ClassVar = ConfigDict(extra="forbid")  # in a file

    name: str
    method: str
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Fused:
    """What a fit makes of one sentence.

    Attributes:
        probability: that it is made up, in [0, 1]; `None` where the fit has no stack for the members at hand.
        members: those that it rests on.
        short: whether members were left out because there is less text than the fit was made for.
    """

    probability: float | None
    members: tuple[str, ...] = ()
    short: bool = False


@dataclass(frozen=True, slots=True)
class Labelled:
    """An answer with its samples, and how much of each sentence is made up: 0 nothing, 1 all of it."""

    case: Case
    labels: Sequence[float]


@dataclass(frozen=True)
class Fit:
    """A fitted ensemble.

    Attributes:
        members: the variants.
        knots: one stack per number of samples and set of members.
        backends: origins (`Backend.origin`) of what made the scores, by lane.
        provenance: data, rows, counts, date, figures; for people.
        short: the members that judge where there is less text than in any answer of the fit (a threshold below its
            `Range`); empty = all of them.

    Raises:
        InputError: two members share a name, there is no knot with all members or with those for short texts, or one names
            somebody else.
    """

    members: tuple[Member, ...]
    knots: tuple[Knot, ...]
    backends: Mapping[str, str] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    short: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        names = self.names
        if len(set(names)) < len(names) or not names:
            raise InputError(f"expected members of different names, at least one, got {names!r}")
        for wanted in filter(None, (names, self.short)):
            if not any(knot.stack.members == wanted for knot in self.knots):
                raise InputError(f"expected a knot with the members {wanted!r}, got none")
        for knot in self.knots:
            _must_be_whole(knot, names)

    @property
    def names(self) -> tuple[str, ...]:
        """The members' names, in order."""
        return tuple(member.name for member in self.members)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all that scores depend on, provenance left out."""
        return fingerprint_of(self)

    def predict(
        self,
        scores: Mapping[str, Sequence[float | None]],
        samples: int,
        thresholds: Mapping[str, float] | None = None,
    ) -> list[Fused]:
        """P(made up) of every sentence of one answer.

        Args:
            scores: per member, one score per sentence in its own scale; `None` = it has none.
            samples: how many texts they rest on, at least 1.
            thresholds: per member, its default threshold for this answer; by default a usual one.

        Returns:
            One per sentence. A sentence that a member could not score rests on the largest set of the others that the
            fit has knots for (`Fused.members`); without one it has no probability. Where there is less text than the
            fit was made for, `short` is tried first.

        Raises:
            InputError: a member has no scores, lengths differ, or a score is not finite.
        """
        if absent := [name for name in self.names if name not in scores]:
            raise InputError(f"expected scores of every member, got none of {absent!r}")
        lengths = {len(scores[name]) for name in self.names}
        if len(lengths) != 1 or samples < 1:
            raise InputError(
                f"expected as many scores of each member and a sample, got {lengths}, {samples!r}"
            )
        found = [Fused(None)] * lengths.pop()
        known = {knot.stack.members for knot in self.knots}
        short = self.short if self._is_short(samples, thresholds or {}) else ()
        for members in sorted(known, key=lambda one: (one == short, len(one), one)):
            rows = [i for i in range(len(found)) if all(scores[name][i] is not None for name in members)]
            if not rows:
                continue
            knots = [knot for knot in self.knots if knot.stack.members == members]
            some: dict[str, Any] = {name: [scores[name][i] for i in rows] for name in members}
            for i, value in zip(rows, probabilities(knots, some, samples, thresholds or {}), strict=True):
                found[i] = Fused(value, members, members == short)  # a larger set replaces a smaller one
        return found

    def _is_short(self, samples: int, thresholds: Mapping[str, float]) -> bool:
        """Whether a threshold that grows with the text is below all that the fit has seen with so many samples."""
        whole = [knot for knot in self.knots if knot.stack.members == self.names]
        at_most = [knot for knot in whole if knot.samples <= samples]
        knot = max(at_most, key=lambda k: k.samples) if at_most else min(whole, key=lambda k: k.samples)
        return any(name in thresholds and thresholds[name] < seen.least for name, seen in knot.ranges.items())

    def must_suit(self, backends: Mapping[str, Backend[Any]]) -> None:
        """Refuse backends that are not those it was fitted with; lanes that are not given are passed over.

        Raises:
            ConfigError: an origin differs.
        """
        for lane, wanted in self.backends.items():
            if lane in backends and (came := backends[lane].origin) != wanted:
                raise ConfigError(
                    f"the ensemble was fitted with {wanted!r} for {lane!r}, got {came!r}: the scores would mean "
                    "something else. Use that backend, or fit the ensemble anew with yours."
                )

    def save(self, path: str | Path) -> None:
        """Write it as JSON."""
        write_fit(self, path)


@cache
def packaged_fits() -> Mapping[str, Fit]:
    """The fits that come with the package, by name; those that rest on more models first."""
    there = [one for one in files(__package__).iterdir() if one.name.endswith(".json")]
    found = {
        one.name.removesuffix(".json"): read(Fit, one.read_text(encoding="utf-8"), one.name) for one in there
    }
    found[_MINI] = _without_encoder(found["wikibio-entailment"])
    return dict(sorted(found.items(), key=lambda item: (-len(item[1].backends), item[0])))


def _without_encoder(fit: Fit) -> Fit:
    """The same fit where the entailment model is installed and the encoder is not: it has knots without the encoder."""
    members = tuple(member for member in fit.members if member.name != "bertscore")
    names = {member.name for member in members}
    return replace(
        fit,
        members=members,
        knots=tuple(knot for knot in fit.knots if names.issuperset(knot.stack.members)),
        backends={lane: origin for lane, origin in fit.backends.items() if lane != ComparePackaged.lane},
        short=(),  # these are the members that judge short texts
    )


def packaged_fit() -> str:
    """The name of the packaged fit that makes most of what is installed; nothing heavy is imported to find out."""
    *others, least = packaged_fits().items()
    usable = (name for name, fit in others if all(_INSTALLED[lane]() for lane in fit.backends))
    return next(usable, least[0])


def read_fit(source: str | Path) -> Fit:
    """A fit from a file, or a packaged one by its name.

    Raises:
        ConfigError: there is no such file, or it has no fit.
    """
    if str(source) in packaged_fits():
        return packaged_fits()[str(source)]
    try:
        text = Path(source).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"expected the file of a fitted ensemble or one of {[*packaged_fits()]!r}, got {str(source)!r}: {error}. "
            "`EnsembleCheck.learn` makes one, and `Fit.save` writes it."
        ) from error
    return read(Fit, text, source)


def threshold_of(member: str) -> str:
    """The name of the measurement that has a member's threshold."""
    return f"{member}, threshold"


def _must_be_whole(knot: Knot, names: Sequence[str]) -> None:
    stack = knot.stack
    if knot.samples < 1 or not stack.members or not set(stack.members) <= set(names):
        raise InputError(f"knot: expected samples of at least 1 and members of {names!r}, got {knot!r}")
    must_be_columns(
        stack.center, stack.spread, stack.weights, stack.bias, size=2 * len(stack.members)
    )  # the members' scores, and their means over the answer
    if len(stack.least) not in {0, len(stack.members)} or not all(map(math.isfinite, stack.least)):
        raise InputError(f"knot: expected a finite least score per member or none, got {stack.least!r}")
    if any(not 0 < one.least <= one.usual <= one.most < math.inf for one in knot.ranges.values()):
        raise InputError(f"knot: expected ranges of thresholds above 0, got {knot.ranges!r}")
