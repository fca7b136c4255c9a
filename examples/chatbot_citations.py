"""A chatbot's answer, three times: as it is, with its wrong citations marked, and without them.

The index has every work that the bot may cite, and says so (`complete=True`). Without that, a work that it lacks is
unverified and stays: most bibliographies are not complete.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from guardrail import Guard, annotate, remove
from guardrail.detectors import ReferenceCheck
from guardrail.references.bibliography import Index, Record

WORKS = [
    Record("Silent Spring", ("Rachel Carson",), year=1962, venue="Houghton Mifflin"),
    Record("Attention Is All You Need", ("Ashish Vaswani", "Noam Shazeer"), year=2017, venue="NeurIPS"),
]
ANSWER = """Three works to start with:

1. **Silent Spring** by Rachel Carson (1962). It began the debate on pesticides.
2. Smith, J., & Jones, K. (2017). *Attention Is All You Need*.
3. Winterbottom, Q. (2019). The Ontology of Imaginary Teapots. Journal of Nothing, 3, 1-9.
"""


def main() -> None:
    """Print all three, then what was found about each citation."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "works.sqlite"
        with Index.create(path, complete=True) as index:
            index.add(WORKS)
        print(f"--- the bot\n{ANSWER}")
        for title, policy in (("marked", annotate()), ("removed", remove())):
            with Guard([ReferenceCheck(bibliography=str(path))], policy=policy) as guard:
                report = guard.check(ANSWER)
            print(f"--- {title}\n{report.answer}")
    for finding in report.findings:
        print(f"{finding.verdict.value}: {finding.text[:40]}… {finding.reason}")


if __name__ == "__main__":
    main()
