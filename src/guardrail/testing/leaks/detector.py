"""A detector that knows the forbidden texts, for guards of this package that the kit examines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from guardrail.detector import Case, Detector, Finding, Span, Verdict
from guardrail.testing.leaks.forbidden import FORBIDDEN

__all__ = ["KnownTexts"]


class KnownTexts(Detector):
    """Finds the forbidden texts, each as an unsupported finding of its own.

    Args:
        texts: to find.
        mark: what annotate says about them.
        breaks: raise an error that quotes the answer instead.
    """

    name: ClassVar[str] = "known_texts"

    def __init__(
        self, texts: Sequence[str] = FORBIDDEN, *, mark: str = "made up", breaks: bool = False
    ) -> None:
        self._texts = tuple(texts)
        self._mark = mark
        self._breaks = breaks

    def cost(self, case: Case) -> dict[str, Any]:
        """No model is asked."""
        del case
        return {}

    def examine(self, case: Case) -> Any:
        """One finding for each place."""
        yield from ()
        if self._breaks:
            raise RuntimeError(f"a bug that quotes {case.answer}")
        return [
            Finding(
                detector=self.name,
                span=Span(start=start, end=start + len(text)),
                text=text,
                score=1.0,
                verdict=Verdict.UNSUPPORTED,
                mark=self._mark,
            )
            for text in self._texts
            for start in _places(case.answer or "", text)
        ]


def _places(answer: str, text: str) -> Iterator[int]:
    at = answer.find(text)
    while at >= 0:
        yield at
        at = answer.find(text, at + 1)
