"""What of a sentence is surely not as its documents have it: a quantity with another unit, a quotation with other words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from guardrail.report import Passage
from guardrail.text.known_quantities import Fault, KnownQuantities
from guardrail.text.quotations import KnownTexts, Misquotation
from guardrail.text.typography import normalised

__all__ = ["SURE", "Denial", "Denials"]

SURE = 0.95
"""The least probability that a denied sentence is not supported, where neither is likelier than the other beforehand."""

_QUOTED = 200  # characters of a quotation that a reason repeats


@dataclass(frozen=True, slots=True)
class Denial:
    """Why a sentence is not supported whatever a model says, and the places that show it."""

    reason: str
    evidence: tuple[Passage, ...]


class Denials:
    """Documents, read once for any number of sentences.

    Args:
        quantities: of the documents.
        labels: what a person calls each document.
        asked: what the user said, whose words an answer may quote.
    """

    def __init__(
        self, quantities: KnownQuantities, *, labels: Sequence[str], asked: Sequence[str] = ()
    ) -> None:
        self._labels = labels
        self._quantities, self._texts = quantities, KnownTexts(quantities.texts, also=asked)

    def of(self, sentence: str) -> Denial | None:
        """What is wrong with a sentence; `None` where nothing surely is."""
        found: list[Fault | Misquotation] = [
            *self._quantities.faults(normalised(sentence)),
            *self._texts.faults(sentence),
        ]
        if not found:
            return None
        shown = [
            Passage(source=self._labels[one.document - 1], text=one.passage, score=None)
            for one in found
            if one.document
        ]
        return Denial("; ".join(dict.fromkeys(map(self._reason, found))), tuple(dict.fromkeys(shown)))

    def _reason(self, one: Fault | Misquotation) -> str:
        if isinstance(one, Fault):
            return f"the documents say {one.known}, not {one.said}"
        said = one.said if len(one.said) <= _QUOTED else f"{one.said[:_QUOTED]}…"
        nearest = f"; {self._labels[one.document - 1]} has '{one.known[:_QUOTED]}'" if one.document else ""
        return f"no document has the quotation '{said}'{nearest}"
