"""What has a title and is no reference: films, laws, and names of organisations in links."""

import pytest

from guardrail.references.bibliography.records import Reference
from guardrail.references.citations import citations
from guardrail.references.citations.media import is_on_screen
from guardrail.references.citations.model import Citation
from guardrail.references.citations.people import author_and_year
from guardrail.report import Span


def titles(text, *, asked=False):
    return [one.reference.title for one in citations(text, asked_for_references=asked)]


@pytest.mark.parametrize("asked", [False, True])
@pytest.mark.parametrize(
    "text",
    [
        "Film: „The Reader“ (Stephen Daldry, 2008)",
        "Adaptation: the film *The Reader* (Stephen Daldry, 2008)",
        "| 电视剧《围城》(黄蜀芹,1990) |",
        "・『雪国』(豊田四郎監督、東宝、1957年)",
        "## Films\n- *The Stanford Prison Experiment* (Alvarez, 2015)\n- **Experimenter** by Michael Almereyda (2015)",
        "Films: *Das Experiment* (Hirschbiegel, 2001); *Experimenter* (Almereyda, 2015)",
    ],
)
def test_films_beside_books(text, asked):
    """They are said to be films, and so are no references, even where books are asked for."""
    book = "*The Reader* (Bernhard Schlink, Pantheon, 1997)"
    assert titles(f"Book: {book}\n\n{text}", asked=asked) == ["The Reader"]


def test_a_book_about_films_is_no_film():
    text = "A book on film: *Hitchcock* by François Truffaut"
    said = Reference("Hitchcock", ("François Truffaut",))
    assert not is_on_screen(text, Citation(Span(start=16, end=len(text)), said, "emphasised"))


@pytest.mark.parametrize(
    "text",
    ["It came with the dodd-frank act (2010).", "See the European Convention on Human Rights (1950)."],
)
def test_laws_by_name(text):
    assert titles(f"{text} See *Silent Spring* (Carson, 1962).") == ["Silent Spring"]


def test_words_that_are_no_names_are_no_authors():
    assert author_and_year("Poverty and Shared Prosperity 2022") is None
    assert author_and_year("Ongaro and Ousterhout 2014").authors == ("Ongaro", "Ousterhout")
