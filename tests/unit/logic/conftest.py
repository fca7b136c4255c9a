"""The engine, a knowledge base of a few facts that is open for all tests here, and others made for a test."""

import pytest
from tests.unit.logic.world import make, need_engine

from guardrail import Guard
from guardrail.detectors import FactCheck
from guardrail.logic.knowledge import KnowledgeBase, Triple, build
from guardrail.logic.knowledge.prolog import engine


@pytest.fixture(scope="session")
def prolog():
    """The running engine; without SWI-Prolog these tests are skipped, in CI they fail."""
    need_engine()
    return engine()


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


@pytest.fixture
def opened(prolog, tmp_path):
    """Build and open a knowledge base from tuples (subject, relation, object)."""
    bases = []

    def make(*facts, **options):
        path = tmp_path / f"base-{len(bases)}"
        build(path, [Triple(*fact) for fact in facts], **options)
        bases.append(KnowledgeBase.open(path))
        return bases[-1]

    yield make
    for base in bases:
        base.close()
