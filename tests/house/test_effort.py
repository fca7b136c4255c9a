"""The helpers that stand in for a clock."""

import re

import pytest
from tests.effort import ends, lines_run


def test_lines_grow_with_the_work():
    """As often as a loop goes round; a loop in a loop is seen."""

    def inner(n):
        for _ in range(n):
            pass

    def outer(n):
        for _ in range(n):
            inner(n)

    linear = [lines_run(lambda n=n: inner(n)) for n in (100, 400)]
    quadratic = [lines_run(lambda n=n: outer(n)) for n in (100, 400)]
    assert 3 < linear[1] / linear[0] < 5
    assert 15 < quadratic[1] / quadratic[0] < 17
    assert linear == [lines_run(lambda n=n: inner(n)) for n in (100, 400)]


def test_hangs_end():
    """In a pattern, which no interpreter's loop leaves."""
    with pytest.raises(pytest.fail.Exception, match="more than 1 s"), ends(1):
        re.match(r"(a|aa)+$", "a" * 100 + "b")


def test_nothing_is_left():
    """What ends in time is not rung later."""
    import signal

    with ends(1):
        pass
    assert signal.alarm(0) == 0
