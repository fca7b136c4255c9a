"""The engine, and knowledge bases made for a test. Without SWI-Prolog these tests are skipped, in CI they fail."""

import os

import pytest

from guardrail.logic.knowledge import KnowledgeBase, Triple, build
from guardrail.logic.knowledge.prolog import available


@pytest.fixture(scope="session")
def prolog():
    """The running engine's absence is an error in CI, where scripts/setup installs it, and a reason to skip elsewhere."""
    from guardrail.logic.knowledge import prolog as module

    missing = available()
    if missing is None:
        return module.engine()
    if os.environ.get("CI", "").lower() not in {"", "0", "false"}:
        pytest.fail(f"the tests of the knowledge base need the engine in CI: {missing}", pytrace=False)
    pytest.skip(missing)


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
