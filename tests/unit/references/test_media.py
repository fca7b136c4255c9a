"""What has a title and is no reference: films, laws, and names of organisations in links."""

import pytest

from guardrail.references.citations import citations
from guardrail.references.citations.media import is_on_screen
from guardrail.references.citations.people import author_and_year


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
    ],
)
def test_films_beside_books(text, asked):
    """They are said to be films, and so are no references, even where books are asked for."""
    book = "*The Reader* (Bernhard Schlink, Pantheon, 1997)"
    assert titles(f"Book: {book}\n\n{text}", asked=asked) == ["The Reader"]


def test_a_book_about_films_is_no_film():
    (one,) = citations("A book on film: *Hitchcock* (Truffaut, Simon & Schuster, 1967)")
    assert not is_on_screen("A book on film: *Hitchcock*", one)


@pytest.mark.parametrize(
    "text",
    ["It came with the dodd-frank act (2010).", "See the European Convention on Human Rights (1950)."],
)
def test_laws_by_name(text):
    assert titles(f"{text} See *Silent Spring* (Carson, 1962).") == ["Silent Spring"]


def test_words_that_are_no_names_are_no_authors():
    assert author_and_year("Poverty and Shared Prosperity 2022") is None
    assert author_and_year("Ongaro and Ousterhout 2014").authors == ("Ongaro", "Ousterhout")
