"""make test-local leaves no test of local models out."""

import re

from tests.house.source import ROOT

LOCAL = re.compile(r"^from tests\.unit\.backends\.\w*models import", re.MULTILINE)


def named():
    """What `make test-local` hands to pytest."""
    line = re.search(
        r"^test-local:\n(?:\t.*\n)*?\t.*-m pytest (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE
    )
    return [word for word in line[1].split() if "/" in word]


def test_local_tests_are_named():
    """Each file that needs what local models need is run with them: alone or by its folder."""
    places = named()
    files = [
        path
        for folder in ("tests", "benchmarks")
        for path in sorted((ROOT / folder).rglob("test_*.py"))
        if LOCAL.search(path.read_text(encoding="utf-8"))
    ]
    assert len(files) > 10, "the pattern finds no tests of local models any more"
    left_out = [path for path in files if not any(path.is_relative_to(ROOT / place) for place in places)]
    assert not left_out, f"make test-local leaves out {left_out}"


def test_what_is_named_is_there():
    """A folder that was moved would otherwise be left out in silence."""
    assert named()
    assert [place for place in named() if not (ROOT / place).exists()] == []
