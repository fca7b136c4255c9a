"""Posterior hallucination rate: which share of its own answers would a model call unlikely once it knew the task?

`estimators`, `quantile`, `information`, `martingale`, `correction`: pure functions of arrays. `flows`: what is asked;
`costs`: how often; `held_out`: what real pairs say.
`conjugate`, `models`: two models whose rate is known. `check`: the detector.

Source: [jesson2024]; `docs/design/phr.md` says what differs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardrail._lazy import lazy

if TYPE_CHECKING:
    from guardrail.phr.check import PosteriorHallucinationRate as PosteriorHallucinationRate
    from guardrail.phr.correction import Correction as Correction
    from guardrail.phr.estimators import Estimate as Estimate
    from guardrail.phr.flows import Survey as Survey
    from guardrail.phr.flows import survey as survey
    from guardrail.phr.held_out import error_rates as error_rates
    from guardrail.phr.held_out import model_hallucination_rates as model_hallucination_rates
    from guardrail.phr.models import BernoulliModel as BernoulliModel
    from guardrail.phr.models import RegressionModel as RegressionModel
    from guardrail.phr.pairs import Form as Form
    from guardrail.phr.readings import Query as Query
    from guardrail.phr.readings import Settings as Settings

_HOMES = {
    "BernoulliModel": "guardrail.phr.models",
    "Correction": "guardrail.phr.correction",
    "Estimate": "guardrail.phr.estimators",
    "Form": "guardrail.phr.pairs",
    "PosteriorHallucinationRate": "guardrail.phr.check",
    "Query": "guardrail.phr.readings",
    "RegressionModel": "guardrail.phr.models",
    "Settings": "guardrail.phr.readings",
    "Survey": "guardrail.phr.flows",
    "error_rates": "guardrail.phr.held_out",
    "model_hallucination_rates": "guardrail.phr.held_out",
    "survey": "guardrail.phr.flows",
}

__all__ = [*_HOMES]  # noqa: PLE0604  # written once

__getattr__, __dir__ = lazy(__name__, _HOMES)
