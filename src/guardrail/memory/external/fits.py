"""What is known of normal responses in one language by one encoder: a small JSON file.

Scores of one encoder say nothing about those of another, so a fit names the encoder that made its numbers, with its
fingerprint. `learn` makes one from measured normal responses and true rephrasings; some come with the package.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from statistics import NormalDist, fmean, stdev
from typing import Any, ClassVar, Literal, TypeAlias, get_args

from pydantic import ConfigDict

from guardrail._version import __version__
from guardrail.errors import ConfigError, InputError
from guardrail.memory.external.formulas import Normal, Point, Sides, threshold
from guardrail.memory.external.measuring import Form, Measured
from guardrail.memory.external.segmentation import Language
from guardrail.options import number
from guardrail.statistics.fit_files import fingerprint_of, read, write_fit

Task: TypeAlias = Literal["summary", "answer"]

PACKAGED: Mapping[tuple[str, str, str], str] = {
    ("summary", "en", "packaged"): "summary-en-minilm",
    ("summary", "en", "chrf"): "summary-en-chrf",
    ("summary", "zh", "chrf"): "summary-zh-chrf",
    ("answer", "en", "packaged"): "answer-en-minilm",
    ("answer", "en", "chrf"): "answer-en-chrf",
    ("answer", "zh", "chrf"): "answer-zh-chrf",
}
"""Names of the fits that come with the package, by task, language and encoder."""

KEPT = 0.999
"""The share of true rephrasings that T_cq lets pass, whatever the encoder: one source is rephrased more freely than another."""

FALSE_ALARMS = 0.05
"""The share of normal responses that T_cs flags at most."""


@dataclass(frozen=True, slots=True)
class Judged:
    """How far a response is from normal.

    Attributes:
        score: in [0, 1], larger = further.
        threshold: a score of at least this is too far.
        point: consistency and relevance, where both were used.
    """

    score: float
    threshold: float
    point: Point | None


@dataclass(frozen=True)
class ExternalFit:
    """Normal responses, and the thresholds that follow from them.

    Attributes:
        task: what was asked: a summary of one sentence, or an answer to a question. Answers vary less than summaries.
        language: of the texts.
        encoder: what compares texts: "packaged", "chrf", or a word for the guard's own.
        compared_by: that encoder's fingerprint.
        same_meaning: T_cq; a rephrasing is kept if its similarity to the source is above this.
        mean: of (consistency, relevance).
        covariance: of the same.
        form: which consistency that is, see `Measured`.
        relevance: whether the score uses both; else consistency alone.
        sides: whether only what is below the mean counts as far.
        threshold: T_cs, on the score; a response of at least this is unsupported. Just above 1 flags nothing.
        consistency_threshold: the same for the score of consistency alone, where a response has no relevance.
        false_alarms: the share of normal responses that the thresholds flag at most.
        rows: normal responses that it was fitted to.
        provenance: corpus, licence, date, command, figures; for people.
        package: the version that made it.

    Raises:
        InputError: a number is out of its range.
    """

    __pydantic_config__: ClassVar = ConfigDict(extra="forbid", strict=True)  # in a file

    task: Task
    language: Language
    encoder: str
    compared_by: str
    same_meaning: float
    mean: Point
    covariance: tuple[Point, Point]
    form: Form
    relevance: bool
    sides: Sides
    threshold: float
    consistency_threshold: float
    false_alarms: float
    rows: int
    package: str
    provenance: Mapping[str, Any]

    def __post_init__(self) -> None:
        for name, kind in (("task", Task), ("language", Language), ("form", Form), ("sides", Sides)):
            if getattr(self, name) not in get_args(kind):
                raise InputError(
                    f"expected {name} to be one of {get_args(kind)!r}, got {getattr(self, name)!r}"
                )
        if not self.encoder or not self.compared_by or self.rows < 1:
            raise InputError(
                f"expected an encoder, its fingerprint and a row or more, got {self.encoder!r}, "
                f"{self.compared_by!r}, {self.rows!r}"
            )
        if not math.isfinite(self.same_meaning) or not 0 < self.false_alarms < 1:
            raise InputError(
                f"expected a finite similarity and a rate in (0, 1), got {self.same_meaning!r}, {self.false_alarms!r}"
            )
        for limit in (self.threshold, self.consistency_threshold):
            if not 0 <= limit <= math.nextafter(1.0, 2.0):
                raise InputError(f"expected thresholds from 0 to just above 1, got {limit!r}")
        _ = self.normal

    @cached_property
    def normal(self) -> Normal:
        """The Gaussian of (consistency, relevance)."""
        return Normal(self.mean, self.covariance)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all that scores and verdicts depend on."""
        return fingerprint_of(self)

    def judge(self, measured: Measured) -> Judged | None:
        """The score of a response with the threshold that belongs to it; `None` where it has no consistency."""
        value, point = measured.of(self.form), measured.point(self.form)
        if value is None:
            return None
        if self.relevance and point is not None:
            return Judged(self.normal.score(point, sides=self.sides), self.threshold, point)
        limit = self.consistency_threshold if self.relevance else self.threshold
        return Judged(self.normal.consistency_score(value, sides=self.sides), limit, None)

    def save(self, path: str | Path) -> None:
        """Write it as JSON."""
        write_fit(self, path)


def same_meaning(similarities: Sequence[float], *, kept: float = KEPT) -> float:
    """T_cq: the similarity that a share of true rephrasings is above.

    The threshold of one encoder means nothing to another; a share does. The paper's .73 is that of its own encoder.

    Args:
        similarities: of rephrasings that mean the same with their sources; two or more.
        kept: the share that is to pass, in (0, 1).

    Returns:
        The mean less as many standard deviations as leave out 1 − kept of a normal distribution: shares near 1 cannot be
        counted.

    Raises:
        InputError: fewer than two, one that is not finite, or a share outside [0, 1].

    Example:
        >>> round(same_meaning([0.5, 0.6, 0.7], kept=0.975), 3)
        0.404
    """
    if len(similarities) < 2 or not all(map(math.isfinite, similarities)) or not 0 < kept < 1:
        raise InputError(
            f"expected two finite similarities or more and a share in (0, 1), got {similarities!r}, {kept!r}"
        )
    return fmean(similarities) + NormalDist().inv_cdf(1 - kept) * stdev(similarities)


def learn(
    responses: Sequence[Measured],
    *,
    task: Task,
    language: Language,
    encoder: str,
    compared_by: str,
    rephrasings: Sequence[float],
    false_alarms: float = FALSE_ALARMS,
    kept: float = KEPT,
    form: Form = "plain",
    relevance: bool = True,
    sides: Sides = "below",
    provenance: Mapping[str, Any] | None = None,
) -> ExternalFit:
    """Fit normal responses, and set the thresholds.

    Args:
        responses: normal ones, measured; five or more, better a hundred. What lacks a number is left out.
        task: what was asked.
        language: of the texts.
        encoder: what measured the consistency.
        compared_by: that encoder's fingerprint.
        rephrasings: similarities of true rephrasings with their sources, by the same encoder.
        false_alarms: the share of normal responses that may be flagged.
        kept: the share of true rephrasings that may pass.
        form: which consistency counts.
        relevance: whether relevance counts too.
        sides: see `Normal.squared_distance`.
        provenance: what the file is to say besides.

    Raises:
        InputError: too few points, or points on a line.
        ConfigError: a share is out of range.
    """
    number("false_alarms", false_alarms, least=1e-6, most=1 - 1e-6)
    points = [point for one in responses if (point := one.point(form)) is not None]
    normal = Normal.fit(points)
    alone = [normal.consistency_score(x, sides=sides) for x, _ in points]
    scores = [normal.score(point, sides=sides) for point in points] if relevance else alone
    about = {
        "date": date.today().isoformat(),  # noqa: DTZ011  # a day, for people
        "rephrasings kept": kept,
        "rephrasings": len(rephrasings),
    }
    return ExternalFit(
        task=task,
        language=language,
        encoder=encoder,
        compared_by=compared_by,
        same_meaning=same_meaning(rephrasings, kept=kept),
        mean=normal.mean,
        covariance=normal.covariance,
        threshold=threshold(scores, false_alarms),
        consistency_threshold=threshold(alone, false_alarms),
        false_alarms=false_alarms,
        rows=len(points),
        form=form,
        relevance=relevance,
        sides=sides,
        package=__version__,
        provenance={**about, **(provenance or {})},
    )


def read_fit(source: str | Path) -> ExternalFit:
    """A fit from a file, or a packaged one by its name.

    Raises:
        ConfigError: there is no such file, or it has no fit.
    """
    if source in PACKAGED.values():
        text = files(__package__).joinpath(f"{source}.json").read_text(encoding="utf-8")
    else:
        try:
            text = Path(source).expanduser().read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(
                f"expected the file of a fit, or one of {', '.join(sorted(PACKAGED.values()))}, got {str(source)!r}: "
                f"{error}. `guardrail memory fit` makes one."
            ) from error
    return read(ExternalFit, text, source)


@cache
def packaged_fit(task: str, language: str, encoder: str) -> ExternalFit | None:
    """The fit that comes with the package for a task, a language and an encoder, if there is one."""
    name = PACKAGED.get((task, language, encoder))
    return None if name is None else read_fit(name)
