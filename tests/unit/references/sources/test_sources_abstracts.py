"""Live catalogues hand on the abstract where their reply has it; nothing more is asked for it."""

import httpx
import pytest

from guardrail.references.bibliography.index import Index
from guardrail.references.bibliography.records import Record, Reference, abstracts_of
from guardrail.references.sources import Arxiv, Crossref, OpenAlex, SemanticScholar, Sources

SAID = "Floods rose by 12 percent."
REFERENCE = Reference(
    "Rivers of northern towns", ("Anna Smith",), year=2020, doi="10.1000/x", arxiv="2001.00001"
)
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>http://arxiv.org/abs/2001.00001v1</id>
<title>Rivers of northern towns</title><summary>  Floods rose
by 12 percent. </summary><published>2020-01-01T00:00:00Z</published><author><name>Anna Smith</name></author></entry></feed>"""
WORK = {
    "id": "https://openalex.org/W1",
    "title": REFERENCE.title,
    "publication_year": 2020,
    "doi": "10.1000/x",
    "authorships": [{"author": {"display_name": "Anna Smith"}}],
    "abstract_inverted_index": {"percent.": [4], "Floods": [0], "rose": [1], "12": [3], "by": [2]},
}
ARTICLE = {
    "title": [REFERENCE.title],
    "author": [{"given": "Anna", "family": "Smith"}],
    "issued": {"date-parts": [[2020]]},
    "DOI": "10.1000/x",
    "abstract": f"<jats:title>Abstract</jats:title><jats:p>{SAID}</jats:p>",
}
PAPER = {"title": REFERENCE.title, "year": 2020, "authors": [{"name": "Anna Smith"}], "abstract": SAID}
REPLIES = {
    Arxiv: ATOM,
    Crossref: {"message": ARTICLE},
    OpenAlex: WORK,
    SemanticScholar: PAPER,
}


def catalogue(kind, seen):
    def reply(request):
        seen.append(request)
        given = REPLIES[kind]
        if isinstance(given, str):
            return httpx.Response(200, text=given, headers={"content-type": "application/atom+xml"})
        return httpx.Response(200, json=given)

    return kind(transport=httpx.MockTransport(reply))


@pytest.mark.parametrize("kind", REPLIES)
def test_one_reply_has_it(kind):
    """One request, and the record has its abstract as plain text."""
    seen = []
    found = catalogue(kind, seen).lookup(REFERENCE)
    assert [record.abstract for record in found] == [SAID]
    assert len(seen) == 1


def test_together(tmp_path):
    """The catalogue's own record, or what a bibliography on this machine has of the work."""
    with Index.create(tmp_path / "i.sqlite") as index:
        index.add([Record("Harbours of the south", ("Carla Roe",), year=2015, abstract="Ships sink.")])
        sources = Sources([catalogue(OpenAlex, [])], first=[index])
        matches = sources.find_all([REFERENCE, Reference("Harbours of the south", ("Carla Roe",), year=2015)])
        assert abstracts_of(sources, [match.record for match in matches]) == [SAID, "Ships sink."]
        sources.close()
