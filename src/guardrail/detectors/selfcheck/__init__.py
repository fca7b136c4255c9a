"""SelfCheck: does what an answer says come back when the model is asked again?

One variant, one file: each holds the pure functions that make the numbers, public, and the detector around them.

Source: [manakul2023]; `docs/design/selfcheck.md` says what differs.
"""

from guardrail.detectors.selfcheck.bertscore import BertScoreCheck
from guardrail.detectors.selfcheck.check import SelfCheck
from guardrail.detectors.selfcheck.fused import EnsembleCheck
from guardrail.detectors.selfcheck.greybox import GreyBoxCheck
from guardrail.detectors.selfcheck.ngram import NgramCheck
from guardrail.detectors.selfcheck.nli import NliCheck
from guardrail.detectors.selfcheck.prompt import PromptCheck
from guardrail.detectors.selfcheck.qa import QACheck

__all__ = [
    "BertScoreCheck",
    "EnsembleCheck",
    "GreyBoxCheck",
    "NgramCheck",
    "NliCheck",
    "PromptCheck",
    "QACheck",
    "SelfCheck",
]
