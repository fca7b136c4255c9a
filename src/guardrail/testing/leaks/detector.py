"""A detector that knows the forbidden texts, for guards of this package that the kit examines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from guardrail.detector import Case, Detector, Finding, Scope, Span, Verdict
from guardrail.testing.leaks.forbidden import FORBIDDEN
from guardrail.text.claims import pieces


class KnownTexts(Detector):
    """Finds the forbidden texts, each as an unsupported finding of its own.

    Args:
        texts: to find.
        mark: what annotate says about them.
        breaks: raise an error that quotes the answer instead.
        by_sentence: judge each sentence by itself, those without a forbidden text too, so that a guard can release streams sentence
            by sentence.
    """

    name: ClassVar[str] = "known_texts"

    def __init__(
        self,
        texts: Sequence[str] = FORBIDDEN,
        *,
        mark: str = "made up",
        breaks: bool = False,
        by_sentence: bool = False,
    ) -> None:
        self._texts = tuple(texts)
        self._mark = mark
        self._breaks = breaks
        self._by_sentence = by_sentence

    @property
    def reach(self) -> Scope:
        """The whole answer, or each sentence."""
        return "sentence" if self._by_sentence else "answer"

    def cost(self, case: Case) -> dict[str, Any]:
        """No model is asked."""
        del case
        return {}

    def examine(self, case: Case) -> Any:
        """One finding for each place, or for each sentence."""
        yield from ()
        answer = case.answer or ""
        if self._breaks:
            raise RuntimeError(f"a bug that quotes {answer}")
        if self._by_sentence:
            return [self._judged(one.span, one.span.of(answer)) for one in pieces(answer)]
        places = (
            Span(start=start, end=start + len(text))
            for text in self._texts
            for start in _places(answer, text)
        )
        return [self._judged(span, span.of(answer)) for span in places]

    def _judged(self, span: Span, text: str) -> Finding:
        bad = any(one in text for one in self._texts)
        return Finding(
            detector=self.name,
            span=span,
            text=text,
            score=float(bad),
            verdict=Verdict.UNSUPPORTED if bad else Verdict.SUPPORTED,
            mark=self._mark if bad else "",
        )


def _places(answer: str, text: str) -> Iterator[int]:
    at = answer.find(text)
    while at >= 0:
        yield at
        at = answer.find(text, at + 1)
