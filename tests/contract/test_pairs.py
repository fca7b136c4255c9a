"""`PairConsistency` keeps what every detector keeps, for lists by letter and for rows of pairs."""

import pytest
from tests.contract.detector import DetectorContract

from guardrail import Case
from guardrail.detectors import PairConsistency
from guardrail.requests import Completion

LISTS = "Match them.\n\n1. Norway\n2. Italy\n3. Japan\n\nA. Rome\nB. Tokyo\nC. Oslo"
ROWS = '匹配：\n["白日依山尽，黄河入海流。", "杜甫"]\n["昔闻洞庭水，今上岳阳楼。", "王之涣"]'


class TestLists(DetectorContract):
    @pytest.fixture
    def detector(self):
        return PairConsistency(questions=4, least=2)

    @pytest.fixture
    def case(self):
        return Case.of("1-C\n2-B\n3-A", prompt=LISTS)

    def reply(self, request):
        """Always the same letters."""
        return Completion("C, A, B")


class TestRows(TestLists):
    @pytest.fixture
    def case(self):
        return Case.of("王之渙，杜甫", prompt=ROWS)

    def reply(self, request):
        """Names, one reply in two malformed."""
        return Completion("王之涣、杜甫" if request.draw % 2 else "不知道。你呢？")
