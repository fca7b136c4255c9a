"""Sentences in capital letters: the smallest useful detector."""

from __future__ import annotations

import re

from guardrail.detector import Calls, Case, Detector, Finding, Flow, Scale, Span, Verdict, option

__all__ = ["Shouting", "loudness"]


def loudness(text: str) -> float | None:
    """The share of capitals among the letters that have cases, in [0, 1]; `None` if there is none."""
    cased = [letter for letter in text if letter.lower() != letter.upper()]
    return sum(letter.isupper() for letter in cased) / len(cased) if cased else None


class Shouting(Detector):
    """One finding per sentence; a sentence of at least `threshold` capitals is unsupported."""

    name = "shouting"
    version = "1"
    scope = "sentence"
    scale = Scale(unit="share of capitals")

    threshold: float = option(default=0.8, least=0, most=1, help="share of capitals that is too much")

    def cost(self, case: Case) -> Calls:
        """Nothing: it asks nobody."""
        return {}

    def examine(self, case: Case) -> Flow[list[Finding]]:
        """A flow without requests still is a generator."""
        yield from ()
        return [self._judge(found) for found in re.finditer(r"[^.!?\n]*\w[^.!?\n]*[.!?]*", case.answer)]

    def _judge(self, found: re.Match[str]) -> Finding:
        score = loudness(found.group())
        if score is None:
            verdict, reason = Verdict.UNVERIFIED, "no letter that has a capital form"
        elif score >= self.threshold:
            verdict, reason = Verdict.UNSUPPORTED, f"{score:.0%} capitals"
        else:
            verdict, reason = Verdict.SUPPORTED, ""
        return Finding(
            detector=self.name,
            span=Span(start=found.start(), end=found.end()),
            text=found.group(),
            score=score,
            verdict=verdict,
            mark="shouted" if verdict is Verdict.UNSUPPORTED else "",
            reason=reason,
        )
