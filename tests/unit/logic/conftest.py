"""A knowledge base of a few facts, open for all tests here."""

import pytest
from tests.unit.logic.world import make, need_engine

from guardrail import Guard
from guardrail.detectors import FactCheck
from guardrail.logic.knowledge import KnowledgeBase


@pytest.fixture(scope="session")
def prolog():
    need_engine()


@pytest.fixture(scope="session")
def base(prolog, tmp_path_factory):
    with KnowledgeBase.open(make(tmp_path_factory.mktemp("facts") / "world.kb")) as opened:
        yield opened


@pytest.fixture
def check(base):
    """The one finding on a sentence."""
    guard = Guard([FactCheck(base)])

    def one(sentence):
        report = guard.check(sentence)
        assert report.failures == ()
        (finding,) = report.findings
        return finding

    return one
