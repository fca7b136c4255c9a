"""`PosteriorHallucinationRate` keeps what every detector keeps, exact and drawn, with examples and with a prompt of pairs."""

from typing import ClassVar

import pytest
from tests.contract.detector import DetectorContract

from guardrail import Case
from guardrail.detectors import PosteriorHallucinationRate
from guardrail.phr import BernoulliModel
from guardrail.report import Example
from guardrail.requests import user

PROMPT = "Input: a\nLabel: yes\n\nInput: b\nLabel: no\n\nInput: a\nLabel: yes\n\nInput: a\nLabel:"


class TestExact(DetectorContract):
    options: ClassVar = {}

    @pytest.fixture
    def detector(self):
        return PosteriorHallucinationRate(**self.options)

    @pytest.fixture
    def case(self):
        return Case.of("no", prompt=PROMPT)

    def reply(self, request):
        """A model of two queries."""
        return BernoulliModel(["a", "b"]).answer([request])[0]


class TestDrawn(TestExact):
    options: ClassVar = {"estimator": "drawn", "draws": 5, "contexts": 4}


class TestEarly(TestExact):
    options: ClassVar = {"until_se": 0.1, "contexts": 40, "epsilon": 0.05, "correction": [1.0, 0.5]}


class TestExamples(TestExact):
    @pytest.fixture
    def case(self):
        return Case(answer="Yes.", messages=(user("a"),), examples=(Example(input="a", label="yes"),))
