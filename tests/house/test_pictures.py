"""The pictures of docs/citations.md show what its first example returns."""

import html
import re

import pytest
from scripts import pictures
from tests.house.source import ROOT

FOLDER = ROOT / "docs" / "images"
TEXT = re.compile(r"<text x=.+?>(.+)</text>")


def words(picture):
    """What a picture shows below its title, as words."""
    lines = TEXT.findall(picture)
    return " ".join(html.unescape(re.sub("<.+?>", "", line)) for line in lines).split()


def test_show_the_example():
    """The answer of the page as it is, with the marks that the page promises, and without the invented work."""
    page = pictures.PAGE.read_text(encoding="utf-8")
    answer = re.search(r'ANSWER = """(.+?)"""', page, re.DOTALL)[1]
    before, marked, removed = (
        words((FOLDER / f"citations-{name}.svg").read_text(encoding="utf-8"))
        for name in ("before", "marked", "removed")
    )
    assert before == answer.replace("*", "").split()
    assert "(Winterbottom, 2019 [no such work found])" in " ".join(marked)
    assert "Winterbottom" not in " ".join(removed)


def test_are_up_to_date():
    """Drawn again they are the same: `python -m scripts.pictures`."""
    pytest.importorskip("guardrail_citations_mini")
    for name, picture in pictures.drawn().items():
        assert picture == (FOLDER / name).read_text(encoding="utf-8"), name


def test_lines():
    """Broken between words, at most so many letters each; what was put in and what is italic have classes."""
    runs = [("one *two* " + "x" * 44, ""), (" [three]", "mark"), ("\nfour", "")]
    lines = list(pictures._lines(runs))
    assert (
        max(sum(len(text) for text, _ in line) for line in lines) <= pictures.LETTERS + 1
    )  # a space at the end
    assert ("two", "italic") in lines[0]
    assert [kind for line in lines for text, kind in line if "three" in text] == ["mark"]
    assert lines[-1] == [("four", "")]
