"""Posterior hallucination rate: which share of its own answers would a model call unlikely once it knew the task?

| file | what it has |
| --- | --- |
| `check` | the detector: options, cost, which prompts it takes, the verdict |
| `flows` | contexts that the model imagines, what all of them say, how many requests that takes |
| `readings` | what one context says: by whole distributions (`Whole`), or by draws as in the paper (`Drawn`) |
| `pairs` | how a context is written, and how imagined pairs and prompts are read |
| `estimators` | the formulas: quantile, rate, mutual information, intervals |
| `reliability` | the test of the model's own predictions, and the correction by observed rates |
| `bernoulli` | a model whose posterior is known, in place of a language model |

Source: [jesson2024]; `docs/design/phr.md` says what differs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardrail._lazy import lazy

if TYPE_CHECKING:
    from guardrail.phr.bernoulli import BernoulliModel as BernoulliModel
    from guardrail.phr.check import PosteriorHallucinationRate as PosteriorHallucinationRate
    from guardrail.phr.estimators import Estimate as Estimate
    from guardrail.phr.flows import Survey as Survey
    from guardrail.phr.flows import survey as survey
    from guardrail.phr.pairs import Form as Form
    from guardrail.phr.readings import Query as Query
    from guardrail.phr.readings import Settings as Settings
    from guardrail.phr.reliability import Correction as Correction

_HOMES = {
    "BernoulliModel": "guardrail.phr.bernoulli",
    "Correction": "guardrail.phr.reliability",
    "Estimate": "guardrail.phr.estimators",
    "Form": "guardrail.phr.pairs",
    "PosteriorHallucinationRate": "guardrail.phr.check",
    "Query": "guardrail.phr.readings",
    "Settings": "guardrail.phr.readings",
    "Survey": "guardrail.phr.flows",
    "survey": "guardrail.phr.flows",
}

__all__ = [*_HOMES]  # noqa: PLE0604  # written once

__getattr__, __dir__ = lazy(__name__, _HOMES)
