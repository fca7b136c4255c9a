"""`MemoryConsistency` keeps what every detector keeps: with a document, with a question alone, by way of Chinese."""

from typing import ClassVar

import pytest
from tests.contract.detector import DetectorContract
from tests.unit.memory.external_world import ANSWER, QUESTION, REPHRASED, TEXT

from guardrail import Case
from guardrail.detectors import MemoryConsistency
from guardrail.requests import Ask, Completion, Similarity

pytest.importorskip("sacrebleu")


class TestDocument(DetectorContract):
    options: ClassVar = {"encoder": "chrf"}

    @pytest.fixture
    def detector(self):
        return MemoryConsistency(**self.options)

    @pytest.fixture
    def case(self):
        return Case.of(ANSWER, prompt=QUESTION, context=[TEXT])

    def reply(self, request):
        """Rephrasings that differ by how many were shown; one answer for all."""
        if not isinstance(request, Ask):
            return Similarity(0.9, 0.9, 0.9)
        text = request.messages[-1].text
        if "other words" in text:
            shown = sum(one in text for one in REPHRASED)
            return Completion(REPHRASED[(shown + request.draw) % len(REPHRASED)])
        return Completion("340 metres long.")


class TestSummary(TestDocument):
    @pytest.fixture
    def case(self):
        return Case.of(ANSWER, context=[TEXT])


class TestQuestion(TestDocument):
    @pytest.fixture
    def case(self):
        return Case.of(ANSWER, prompt=TEXT)


class TestThrough(TestDocument):
    options: ClassVar = {"encoder": "chrf", "through": "zh", "rephrasings": 2, "fit": "answer-en-chrf"}

    def reply(self, request):
        text = request.messages[-1].text if isinstance(request, Ask) else ""
        if "翻译成中文" in text:
            return Completion(f"译文{text.count('译文')}{request.draw}。")
        if "into English" in text:
            return Completion(REPHRASED[0])
        return super().reply(request)
