"""Thresholds that keep a stated promise, and the certificate that says which.

| file | what it has |
| --- | --- |
| `promises` | what can be promised: which risk, which unit, how it is weighted |
| `rows`, `learning` | labelled scores as arrays; the thresholds that keep one promise (learn then test) |
| `shares` | a false discovery rate where fewer rows are made up than in the calibration |
| `starts` | where the testing of a false discovery rate begins |
| `making` | all promises and groups together: the certificate |
| `certificate`, `scoring` | the thresholds; which detectors and models they are for |
| `applying` | what a guard takes; scores and a certificate to verdicts |
| `probabilities` | scores as probabilities, by a curve learnt from own labels |
| `stored` | how certificates and probabilities are written and read |
| `drift` | whether live scores still look like the calibration's |

The tests themselves are in `guardrail.statistics.testing`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardrail._lazy import lazy

if TYPE_CHECKING:
    from guardrail.calibration.applying import Calibration as Calibration
    from guardrail.calibration.certificate import Certificate as Certificate
    from guardrail.calibration.drift import DriftMonitor as DriftMonitor
    from guardrail.calibration.learning import learn as learn
    from guardrail.calibration.making import certify as certify
    from guardrail.calibration.probabilities import Probabilities as Probabilities
    from guardrail.calibration.promises import Promise as Promise
    from guardrail.calibration.promises import Risk as Risk
    from guardrail.calibration.promises import Target as Target
    from guardrail.calibration.rows import Rows as Rows
    from guardrail.calibration.scoring import Scoring as Scoring

_HOMES = {
    "Calibration": "guardrail.calibration.applying",
    "Certificate": "guardrail.calibration.certificate",
    "DriftMonitor": "guardrail.calibration.drift",
    "Probabilities": "guardrail.calibration.probabilities",
    "Promise": "guardrail.calibration.promises",
    "Risk": "guardrail.calibration.promises",
    "Rows": "guardrail.calibration.rows",
    "Scoring": "guardrail.calibration.scoring",
    "Target": "guardrail.calibration.promises",
    "certify": "guardrail.calibration.making",
    "learn": "guardrail.calibration.learning",
}

__all__ = [*_HOMES]  # noqa: PLE0604  # written once

__getattr__, __dir__ = lazy(__name__, _HOMES)
