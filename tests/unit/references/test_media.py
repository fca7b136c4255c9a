"""What has a title and is no reference: films, laws, and names of organisations in links."""

import pytest

from guardrail.references.bibliography.records import Reference
from guardrail.references.citations import citations
from guardrail.references.citations.media import is_on_screen
from guardrail.references.citations.model import Citation
from guardrail.references.citations.tagging import packaged_tagger
from guardrail.report import Span


def titles(text, *, asked=False):
    return [
        one.reference.title for one in citations(text, asked_for_references=asked, tagger=packaged_tagger())
    ]


@pytest.mark.parametrize("asked", [False, True])
@pytest.mark.parametrize(
    "text",
    [
        "Film: „The Reader“ (Stephen Daldry, 2008)",
        "Adaptation: the film *The Reader* (Stephen Daldry, 2008)",
        "| 电视剧《围城》(黄蜀芹,1990) |",
        "・『雪国』(豊田四郎監督、東宝、1957年)",
    ],
)
def test_films_beside_books(text, asked):
    """They are said to be films, and so are no references, even where books are asked for."""
    book = "*The Reader* (Bernhard Schlink, Pantheon, 1997)"
    assert titles(f"Book: {book}\n\n{text}", asked=asked) == ["The Reader"]


@pytest.mark.parametrize("heading", ["Music", "Film", "Games", "Books and films"])
def test_a_topic_is_no_heading_of_films(heading):
    text = f"## {heading}\n- *Your Brain on Music* by Daniel Levitin (2006)\n- *Making Movies* by Sidney Lumet (1995)"
    assert "unmarked" not in {
        one.style for one in citations(text, asked_for_references=True, tagger=packaged_tagger())
    }


def test_a_book_about_films_is_no_film():
    text = "A book on film: *Hitchcock* by François Truffaut"
    said = Reference("Hitchcock", ("François Truffaut",))
    assert not is_on_screen(text, Citation(Span(start=16, end=len(text)), said, "emphasised"))
