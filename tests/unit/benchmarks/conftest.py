"""What a benchmark sets for its whole process is put back for the tests that follow it there."""

import sys

import pytest


@pytest.fixture(autouse=True)
def _subnormal_numbers():
    """Training rounds them to nought, in every library; Hypothesis's floats would be lost in later tests."""
    yield
    if "torch" in sys.modules:
        sys.modules["torch"].set_flush_denormal(False)
