"""Tiny models that the tests of local backends share."""

import shutil

import pytest
from tests.unit.backends.models import make, needs_local


@pytest.fixture(autouse=True)
def _no_models(monkeypatch):
    """None of the developer's own."""
    for name in ("GUARDRAIL_MODELS", "HF_HOME", "HF_HUB_CACHE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def folders(tmp_path_factory):
    """A tiny model of each family, made when it is asked for."""
    needs_local()
    made = {}

    def get(family="bert"):
        if family not in made:
            made[family] = make(tmp_path_factory.mktemp(family), family=family)
        return made[family]

    return get


@pytest.fixture
def folder(folders, tmp_path):
    """A copy of the tiny BERT that a test may spoil."""
    return shutil.copytree(folders(), tmp_path / "model")
