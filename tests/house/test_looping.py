"""The loop over cases fails where one of them does, and names it."""

import pytest
from tests.looping import each


def test_names_every_failure():
    """Those after the first too, whatever they raise."""
    with pytest.raises(
        AssertionError, match=r"2 of 3 failed:\n\(2, 0\): ZeroDivisionError.*\n\(3, 1\): Assert"
    ) as found:
        each([(1, 1), (2, 0), (3, 1)], lambda a, b: _equal(a / b, 1))
    assert "(1, 1)" not in str(found.value)


def test_names_of_a_mapping():
    """Keys say what a case is."""
    with pytest.raises(AssertionError, match="1 of 2 failed:\none: AssertionError"):
        each({"one": 1, "two": 2}, lambda a: _equal(a, 2))


@pytest.mark.parametrize("cases", [[], {}, iter(())])
def test_nothing(cases):
    """A loop over nothing would show nothing."""
    with pytest.raises(AssertionError, match="no case"):
        each(cases, print)


def _equal(one, other):
    assert one == other
