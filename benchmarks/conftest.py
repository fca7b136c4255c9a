"""Rules for the tests of benchmarks, beside those of every test (`conftest.py` in the root)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Benchmarks themselves are not imported for doctests: some run in environments of other packages."""
    return True if collection_path.suffix == ".py" and collection_path.parent.name != "tests" else None


@pytest.fixture(autouse=True)
def _subnormal_numbers() -> Iterator[None]:
    """Training rounds them to nought, in every library; Hypothesis's floats would be lost in later tests."""
    yield
    if "torch" in sys.modules:
        sys.modules["torch"].set_flush_denormal(False)
