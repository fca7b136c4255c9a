"""`FactCheck` keeps what every detector keeps."""

import pytest
from tests.contract.detector import DetectorContract
from tests.unit.logic.world import make, need_engine

from guardrail import Case
from guardrail.detectors import FactCheck
from guardrail.logic.knowledge import KnowledgeBase

ANSWER = """Emma was written by Jane Austen. Walden was written by Jane Austen, too. Ada Lovelace was born in Wales.

- Graz is the capital of Austria.
"""


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    need_engine()
    with KnowledgeBase.open(make(tmp_path_factory.mktemp("facts") / "world.kb")) as opened:
        yield opened


class TestFactCheck(DetectorContract):
    @pytest.fixture
    def detector(self, base):
        self.backend = FactCheck(base).backends()["knowledge"]
        return FactCheck(base)

    @pytest.fixture
    def case(self):
        return Case.of(ANSWER)

    def reply(self, request):
        return self.backend.answer([request])[0]
