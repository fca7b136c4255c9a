"""A detector of one's own: prices that are not in the price list.

Options are declared once and work in code, in `guardrail.toml` and at the command line. A detector that asks a model yields
requests instead of calling it: docs/writing-a-detector.md shows one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from guardrail import Guard, annotate
from guardrail.detector import Calls, Case, Detector, Finding, Flow, Span, Verdict, option

PRICE = re.compile(r"(\d+(?:\.\d\d)?) ?(?:€|EUR)")


class PriceCheck(Detector):
    """Every price in an answer must be in the list."""

    name = "prices"
    scope = "sentence"  # a finding does not depend on the rest of the answer
    prices: Sequence[str] = option(default=(), help="the prices that exist")

    def cost(self, case: Case) -> Calls:
        """No model is asked."""
        return {}

    def examine(self, case: Case) -> Flow[list[Finding]]:
        """One finding for each price, also if it is right: a report counts what was checked."""
        yield from ()
        return [self._judged(match) for match in PRICE.finditer(case.answer)]

    def _judged(self, match: re.Match[str]) -> Finding:
        wrong = match[1] not in self.prices
        return Finding(
            detector=self.name,
            span=Span(start=match.start(), end=match.end()),
            text=match[0],
            score=float(wrong),
            verdict=Verdict.UNSUPPORTED if wrong else Verdict.SUPPORTED,
            reason="not in the price list" if wrong else "in the price list",
            mark="price not in our list",
        )


def main() -> None:
    """Mark the wrong one of two prices."""
    guard = Guard([PriceCheck(prices=("189", "12.50"))], policy=annotate())
    print(guard.check("The printer costs 189 EUR, and paper is 9.99 € a pack.").answer)


if __name__ == "__main__":
    main()
