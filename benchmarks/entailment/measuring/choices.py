"""The options of `SelfCheck("nli")` that are compared, and which of them ship."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from guardrail import Span
from guardrail.selfcheck import NliCheck
from guardrail.selfcheck.nli.check import SLIP, Likeness, Measure, Selection

__all__ = ["CHOICES", "CONTEXT", "LONE", "SHIPPED", "Choice", "Splitter", "cheapest"]

Splitter = Callable[[str], Sequence[Span]]

SLACK = 0.3
"""Points: choices so near to the best are as good; of them those that read least are kept."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Options of the detector, by their names there.

    Attributes:
        measure: what counts of a reply.
        premise: whole texts, or their sentences that are most like the one that is judged.
        top: how many sentences.
        similarity: how alike they are is found out so.
        slip: what a contradiction weighs, for the measure "unmentioned".
    """

    measure: Measure = "not_entailed"
    premise: Selection = "top"
    top: int = 3
    similarity: Likeness = "words"
    slip: float = SLIP

    @property
    def options(self) -> dict[str, Any]:
        """For `SelfCheck("nli", **options)`."""
        return asdict(self)

    @property
    def measured(self) -> str:
        """The measure, with its weight where that is not the default."""
        weighed = self.measure == "unmentioned" and self.slip != SLIP
        return f"{self.measure} by {self.slip:g}" if weighed else self.measure

    @property
    def reads(self) -> tuple[str, int, str]:
        """What a model reads for it; measures are made of the same probabilities."""
        return self.premise, self.top, self.similarity

    def detector(self, splitter: Splitter | None = None, **others: Any) -> NliCheck:
        """The detector itself."""
        return NliCheck(splitter=splitter, **self.options, **others)

    def __str__(self) -> str:
        texts = "whole" if self.premise == "whole" else f"top {self.top} by {self.similarity}"
        return f"{self.measured}, {texts}"


SHIPPED = Choice()
"""Those of the packaged fit's member."""

LONE = Choice("unmentioned")
"""Those that are best on samples where NLI judges by itself; `grid` chooses anew and compares."""

_OF_SAMPLES: tuple[Measure, ...] = ("not_entailed", "unmentioned", "contradiction")
_OF_DOCUMENTS: tuple[Measure, ...] = ("not_entailed", "contradiction")  # "unmentioned" is the former there

CHOICES = (
    *(Choice(measure, top=top) for top in (1, 3, 5) for measure in _OF_SAMPLES),
    *(Choice(measure, similarity="embedding") for measure in _OF_SAMPLES),
    *(Choice(measure, premise="whole") for measure in _OF_SAMPLES),
)
"""Those that are compared on samples, about by how much they read."""

CONTEXT = (
    *(Choice(measure, top=top) for top in (3, 5) for measure in _OF_DOCUMENTS),
    *(Choice(measure, premise="whole") for measure in _OF_DOCUMENTS),
)
"""And on documents."""


def cheapest(figures: Sequence[tuple[Choice, float]], slack: float = SLACK) -> Choice:
    """Of the choices within `slack` of the best those that read what the first of them reads; of these the best.

    Args:
        figures: of each choice, larger = better; those that read less come first.
        slack: in the figures' unit.

    Example:
        >>> short, long, other = Choice(top=1), Choice(top=5), Choice("contradiction", top=1)
        >>> cheapest([(short, 70.0), (long, 70.2)]) is short, cheapest([(short, 69.0), (long, 70.2)]) is long
        (True, True)
        >>> cheapest([(short, 70.0), (other, 70.1), (long, 70.2)]) is other
        True
    """
    best = max(figure for _, figure in figures)
    near = [(choice, figure) for choice, figure in figures if figure >= best - slack]
    reads = near[0][0].reads
    found, _ = max((one for one in near if one[0].reads == reads), key=lambda one: one[1])
    return found
