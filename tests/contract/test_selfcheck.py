"""`SelfCheck` keeps what every detector keeps, each variant with drawn samples, given ones and documents."""

import math
from typing import ClassVar

import pytest
from tests.contract.detector import DetectorContract

from guardrail import Case
from guardrail.detectors import SelfCheck
from guardrail.requests import (
    Answerable,
    Ask,
    Choose,
    Compare,
    Completion,
    Distract,
    Entail,
    Entailment,
    Question,
    QuestionAnswer,
    Similarity,
    TokenLogprob,
)

ANSWER = "Ada Lovelace was born in London. She won the Nobel Prize in 1840. She wrote notes on the engine."
SAMPLES = (
    "Ada Lovelace was born in London in 1815. She wrote notes on the analytical engine.",
    "Lovelace was an English mathematician, born in London. She never won a prize.",
)


class SelfCheckContract(DetectorContract):
    options: ClassVar = {}

    @pytest.fixture
    def detector(self):
        return SelfCheck(**self.options)

    @pytest.fixture
    def case(self):
        return Case.of(ANSWER, prompt="Who was Ada Lovelace?")

    def test_scores_sentences(self, detector):
        """Its scale says so, and pages and terminals show a table."""
        assert detector.scale.sentences

    def reply(self, request):
        """A model that tells the samples in turn, and a judge that knows no prize."""
        if isinstance(request, Entail):
            return Entailment(0.1, 0.8, 0.1) if "Nobel" in request.hypothesis else Entailment(0.9, 0.05, 0.05)
        if isinstance(request, Compare):
            f1 = 0.9 if request.candidate.split()[-1] == request.reference.split()[-1] else 0.2
            return Similarity(f1, f1, f1)
        if isinstance(request, Question):
            return QuestionAnswer(f"What comes after {request.text[:20]}?", request.text[-8:])
        if isinstance(request, Distract):
            return ("1841", "Paris", "a poem")
        if isinstance(request, Choose):
            held = [i for i, option in enumerate(request.options) if option in request.context]
            return tuple(0.7 if [i] == held[:1] else 0.1 for i in range(4))
        if isinstance(request, Answerable):
            return 0.8 if "London" in request.context else 0.1
        if isinstance(request, Ask) and request.role == "judge":
            text = request.messages[-1].text
            if "1. " in text:
                return Completion("1. Yes\n2. No\n3. perhaps")
            return Completion("No" if "Sentence: She won" in text else "Yes")
        if isinstance(request, Ask):
            return Completion(SAMPLES[request.draw % 2])
        return super().reply(request)


class TestNgram(SelfCheckContract):
    options: ClassVar = {"method": "ngram"}


class TestNgramMean(SelfCheckContract):
    options: ClassVar = {"method": "ngram", "n": 3, "statistic": "mean"}


class TestNli(SelfCheckContract):
    options: ClassVar = {"method": "nli"}


class TestNliBeyondThePaper(SelfCheckContract):
    options: ClassVar = {
        "method": "nli",
        "measure": "unmentioned",
        "order": "sentence_first",
        "premise": "top",
        "top": 1,
    }


class TestBertScore(SelfCheckContract):
    options: ClassVar = {"method": "bertscore"}


class TestQA(SelfCheckContract):
    options: ClassVar = {"method": "qa"}


class TestQACounting(SelfCheckContract):
    options: ClassVar = {"method": "qa", "scoring": "counting", "questions": 2, "answerable": 0.0}


class TestQADocuments(SelfCheckContract):
    options: ClassVar = {"method": "qa", "scoring": "bayes"}

    @pytest.fixture
    def case(self):
        return Case.of(ANSWER, prompt="Who was she?", context=SAMPLES)


class TestPrompt(SelfCheckContract):
    options: ClassVar = {"method": "prompt"}


class TestPromptBatched(SelfCheckContract):
    options: ClassVar = {"method": "prompt", "batched": True, "prompts": "paper"}


class TestPromptEarlyStop(SelfCheckContract):
    options: ClassVar = {"method": "prompt", "early_stop": 0.9, "samples": 12}


class TestNliEarlyStop(SelfCheckContract):
    options: ClassVar = {"method": "nli", "early_stop": 0.9, "samples": 12}


class TestGiven(SelfCheckContract):
    options: ClassVar = {"method": "prompt", "batched": True}

    @pytest.fixture
    def case(self):
        return Case.of(ANSWER, samples=SAMPLES)


class TestDocuments(SelfCheckContract):
    options: ClassVar = {"method": "nli"}

    @pytest.fixture
    def case(self):
        return Case.of(ANSWER, prompt="Who was she?", context=SAMPLES)


class TestGroundingByWords(TestDocuments):
    options: ClassVar = {"method": "grounding", "fit": "words"}


class TestGreyBox(SelfCheckContract):
    options: ClassVar = {"method": "greybox"}

    @pytest.fixture
    def case(self):
        tokens = tuple(
            TokenLogprob(word + " ", math.log(0.9), ((word, math.log(0.9)), ("x", math.log(0.1))))
            for word in ANSWER.split()
        )
        return Case(answer=ANSWER, logprobs=tokens)


class TestGreyBoxEntropy(TestGreyBox):
    options: ClassVar = {"method": "greybox", "quantity": "entropy", "statistic": "mean"}
