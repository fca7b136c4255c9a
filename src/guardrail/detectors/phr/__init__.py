"""Posterior hallucination rate: which share of its own answers would a model call unlikely once it knew the task?

`estimators`, `quantile`, `information`, `martingale`, `correction`: pure functions of arrays. `flows`: what is asked;
`costs`: how often; `held_out`: what real pairs say.
`conjugate`, `models`: two models whose rate is known. `check`: the detector.

Source: [jesson2024]; `docs/design/phr.md` says what differs.
"""

from guardrail.detectors.phr.check import PosteriorHallucinationRate
from guardrail.detectors.phr.correction import Correction
from guardrail.detectors.phr.estimators import Estimate
from guardrail.detectors.phr.flows import Survey, survey
from guardrail.detectors.phr.held_out import error_rates, model_hallucination_rates
from guardrail.detectors.phr.models import BernoulliModel, RegressionModel
from guardrail.detectors.phr.pairs import Form
from guardrail.detectors.phr.readings import Query, Settings

__all__ = [
    "BernoulliModel",
    "Correction",
    "Estimate",
    "Form",
    "PosteriorHallucinationRate",
    "Query",
    "RegressionModel",
    "Settings",
    "Survey",
    "error_rates",
    "model_hallucination_rates",
    "survey",
]
