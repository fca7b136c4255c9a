"""`ReferenceCheck` keeps what every detector keeps, at each effort."""

import pytest
from tests.contract.detector import DetectorContract

from guardrail import Case
from guardrail.detectors import ReferenceCheck
from guardrail.requests import Ask, Completion
from guardrail.testing import play

ANSWER = """Three good ones:

1. "Introduction to Automata Theory, Languages, and Computation" by John Hopcroft and Jeffrey Ullman, 1979.
2. Smith, J. and Doe, A. (2021). "On the Imaginary Theory of Made Up References". Journal of Nothing, 3(1).
"""


class ReferenceContract(DetectorContract):
    effort = "fast"

    @pytest.fixture
    def detector(self):
        return ReferenceCheck(effort=self.effort)

    @pytest.fixture
    def case(self):
        return Case.of(ANSWER, prompt="List books on automata.")

    def reply(self, request):
        """A model that names more authors each time and doubts every second time."""
        if not isinstance(request, Ask):
            return super().reply(request)
        text = "\n".join(message.text for message in request.messages).lower()
        if "who" in text or "author" in text:
            first = "John Hopcroft, Jeffrey Ullman" if "automata" in text else "Jane Roe"
            return Completion(first + ", Alfred Aho" * request.draw)
        return Completion("Yes" if request.draw % 2 else "No")


class TestFast(ReferenceContract):
    effort = "fast"


class TestPaper(ReferenceContract):
    effort = "paper"

    def test_least_cost_where_witnesses_agree(self, detector, case):
        """Equal author lists make equal comparisons, which are asked once."""
        asked = []

        def reply(request):
            asked.append(request)
            return Completion("John Hopcroft, Jeffrey Ullman")

        play(detector.examine(case), reply)
        assert sum(least for least, _ in detector.cost(case).values()) <= len(asked)


class TestAdaptive(ReferenceContract):
    effort = "adaptive"
