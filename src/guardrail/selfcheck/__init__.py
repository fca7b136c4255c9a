"""SelfCheck: does what an answer says come back when the model is asked again?

README.md says which file to read for what. Each variant's file has public pure functions that make the numbers, and the
detector around them.

Source: [manakul2023]; `docs/design/selfcheck.md` says what differs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardrail._lazy import lazy

if TYPE_CHECKING:
    from guardrail.selfcheck.base import SentenceCheck as SentenceCheck
    from guardrail.selfcheck.bertscore import BertScoreCheck as BertScoreCheck
    from guardrail.selfcheck.ensemble.check import EnsembleCheck as EnsembleCheck
    from guardrail.selfcheck.greybox import GreyBoxCheck as GreyBoxCheck
    from guardrail.selfcheck.grounding.check import GroundingCheck as GroundingCheck
    from guardrail.selfcheck.ngram import NgramCheck as NgramCheck
    from guardrail.selfcheck.nli.check import NliCheck as NliCheck
    from guardrail.selfcheck.prompt import PromptCheck as PromptCheck
    from guardrail.selfcheck.qa.check import QACheck as QACheck
    from guardrail.selfcheck.variants import SelfCheck as SelfCheck

_HOMES = {
    "BertScoreCheck": "guardrail.selfcheck.bertscore",
    "EnsembleCheck": "guardrail.selfcheck.ensemble.check",
    "GreyBoxCheck": "guardrail.selfcheck.greybox",
    "GroundingCheck": "guardrail.selfcheck.grounding.check",
    "NgramCheck": "guardrail.selfcheck.ngram",
    "NliCheck": "guardrail.selfcheck.nli.check",
    "PromptCheck": "guardrail.selfcheck.prompt",
    "QACheck": "guardrail.selfcheck.qa.check",
    "SelfCheck": "guardrail.selfcheck.variants",
    "SentenceCheck": "guardrail.selfcheck.base",
}

__all__ = [*_HOMES]  # noqa: PLE0604  # written once

__getattr__, __dir__ = lazy(__name__, _HOMES)
