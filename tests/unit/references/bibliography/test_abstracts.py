"""Abstracts: read from files as plain text, kept apart from what look-ups read, found again, and bounded."""

import json
import sqlite3
from dataclasses import replace

import pytest
from tests.effort import ends
from tests.opensearch import opensearch

from guardrail.references.bibliography.abstracts import LONGEST, from_positions, plain_abstract
from guardrail.references.bibliography.formats import read_records
from guardrail.references.bibliography.importers import import_files
from guardrail.references.bibliography.index import Index
from guardrail.references.bibliography.opensearch import OpenSearch
from guardrail.references.bibliography.records import Record, Reference, Status, abstracts_of

SAID = "Floods rose by 12 percent in H2O & mud, p < 0.05."
RIVERS = Record("Rivers of northern towns", ("Anna Smith", "Bo Lee"), year=2020, abstract=SAID)
HARBOURS = Record("Harbours of the south", ("Carla Roe",), year=2015)
JATS = (
    "<jats:title>Abstract</jats:title><jats:p>Floods rose by 12 percent in H<jats:sub>2</jats:sub>O &amp; mud, "
    "<jats:italic>p</jats:italic> &lt; 0.05.</jats:p>"
)


class TestPlainAbstract:
    @pytest.mark.parametrize(
        ("written", "plain"),
        [
            (SAID, SAID),
            (JATS, SAID),
            ("&lt;p&gt;We measured.&lt;/p&gt;", "We measured."),
            ("<p>Aims. We ask.</p><p>Results. We found.</p>", "Aims. We ask.\nResults. We found."),
            ("ABSTRACT: We  measured\n\n 42 rivers.", "We measured\n42 rivers."),
            ("Abstract interpretation is sound.", "Abstract interpretation is sound."),
            ("For a <b and c> d, and 1 < 2.", "For a <b and c> d, and 1 < 2."),
            ("nul\x00 and bell\x07", "nul and bell"),
            ("", ""),
            (None, ""),
            (["We"], ""),
        ],
    )
    def test_is_text_without_markup(self, written, plain):
        """Tags, entities and the heading go; what only looks like a tag stays."""
        assert plain_abstract(written) == plain

    @pytest.mark.parametrize(
        "part", ["this supports everything. ", "<p ", "<a b=c ", "&lt;", "<![CDATA[", "\n"]
    )
    def test_a_megabyte_is_bounded(self, part):
        """Whatever it consists of."""
        with ends():
            assert len(plain_abstract(part * (1_000_000 // len(part)))) <= LONGEST


class TestFromPositions:
    def test_puts_words_in_order(self):
        """As OpenAlex gives them, a word with all its places."""
        assert from_positions({"rivers": [2, 5], "We": [0], "saw": [1], "and": [3], "more": [4]}) == (
            "We saw rivers and more rivers"
        )

    @pytest.mark.parametrize(
        "index", [None, [], "text", {"a": None}, {"a": ["0"]}, {"a": [-1]}, {"a": [True]}, {1: [0]}]
    )
    def test_what_is_no_index_is_no_abstract(self, index):
        """Nothing is raised."""
        assert not from_positions(index)

    def test_a_hostile_index_is_bounded(self):
        """Places without end, and far away."""
        with ends():
            assert len(from_positions({f"w{n}": [10**12, *range(5_000)] for n in range(200)})) <= LONGEST


FILES = {
    "a.bib": "@article{x, title={Rivers}, author={Smith, A.}, year=2020, abstract={Floods rose by 12\\% in {T}urin.}}",
    "a.ris": "TY  - JOUR\nTI  - Rivers\nAB  - Floods rose by 12%\n  in Turin.\nER  - \n",
    "b.ris": "TY  - JOUR\nTI  - Rivers\nN2  - Floods rose by 12% in Turin.\nER  - \n",
    "csl.json": json.dumps([{"title": "Rivers", "author": [], "abstract": "Floods rose by 12% in Turin."}]),
    "crossref.json": json.dumps(
        {
            "items": [
                {
                    "DOI": "10.1000/x",
                    "reference-count": 1,
                    "title": ["Rivers"],
                    "abstract": "<jats:p>Floods rose by 12% in Turin.</jats:p>",
                }
            ]
        }
    ),
    "openalex.jsonl": json.dumps(
        {
            "id": "https://openalex.org/W1",
            "title": "Rivers",
            "abstract_inverted_index": {
                "in": [4],
                "Turin.": [5],
                "Floods": [0],
                "12%": [3],
                "by": [2],
                "rose": [1],
            },
        }
    ),
    "semantic_scholar.json": json.dumps(
        {
            "data": [
                {
                    "paperId": "1",
                    "title": "Rivers",
                    "authors": [{"name": "A. Smith"}],
                    "abstract": "Floods rose by 12% in Turin.",
                }
            ]
        }
    ),
    "arxiv.jsonl": json.dumps(
        {
            "id": "0704.0001",
            "title": "Rivers",
            "authors": "A. Smith and B. Lee",
            "categories": "x",
            "abstract": "  Floods rose\n  by 12% in Turin.\n",
        }
    ),
    "pubmed.json": json.dumps(
        [
            {
                "pmid": "1",
                "title": "Rivers",
                "authors": ["Smith A"],
                "abstract": "<p>Floods rose by 12% in Turin.</p>",
            }
        ]
    ),
    "works.tsv": "title\tabstract\nRivers\tFloods rose by 12% in Turin.\n",
    "acl.xml": '<collection id="x"><volume id="1"><meta><booktitle>B</booktitle></meta><paper id="1"><title>Rivers</title>'
    "<abstract>Floods rose by <b>12%</b> in Turin.</abstract></paper></volume></collection>",
}


@pytest.mark.parametrize("name", FILES)
def test_every_format_that_has_them(name, tmp_path):
    """As plain text, in one sentence here."""
    file = tmp_path / name
    file.write_text(FILES[name], encoding="utf-8")
    (record,) = read_records(file)
    assert record.title == "Rivers"
    assert record.abstract.split() == ["Floods", "rose", "by", "12%", "in", "Turin."]


def test_plain_names(tmp_path):
    """JSON of Semantic Scholar and of arXiv's list: authors, numbers and the year of the first version."""
    file = tmp_path / "works.jsonl"
    scholar = {
        "paperId": "1",
        "title": "Rivers",
        "year": 2020,
        "venue": "Hydrology",
        "authors": [{"name": "Anna Smith"}, {"name": None}],
        "externalIds": {"DOI": "10.1000/X", "ArXiv": "2001.00001", "PubMed": 12},
    }
    arxiv = {
        "id": "0704.0001",
        "title": "Prompt\n  photons",
        "authors": "C. Balázs, E. Berger and P. Yuan",
        "categories": "hep-ph",
        "versions": [
            {"created": "Mon, 2 Apr 2007 19:18:42 GMT"},
            {"created": "Tue, 24 Jul 2008 20:10:27 GMT"},
        ],
        "update_date": "2008-11-26",
    }
    file.write_text("\n".join(map(json.dumps, (scholar, arxiv))), encoding="utf-8")
    assert list(read_records(file)) == [
        Record(
            "Rivers",
            ("Anna Smith",),
            year=2020,
            venue="Hydrology",
            doi="10.1000/x",
            arxiv="2001.00001",
            pmid="12",
        ),
        Record("Prompt photons", ("C. Balázs", "E. Berger", "P. Yuan"), year=2007, arxiv="0704.0001"),
    ]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "index.sqlite"


@pytest.fixture
def index(path):
    with Index.create(path) as made:
        made.add([RIVERS, HARBOURS])
        yield made


def bare(record):
    return replace(record, abstract="")


class TestIndex:
    def test_a_look_up_reads_none(self, index):
        """The record is as if there were no abstract; asked for, it is there."""
        match = index.find(Reference("Rivers of northern towns", ("Smith, A.",)))
        assert match.record == bare(RIVERS)
        assert index.abstracts([match.record, HARBOURS]) == [SAID, ""]
        assert index.stats().abstracts == 1

    def test_identity_is_without_them(self, index):
        """A work that is there without its abstract gets it, and the first one stays."""
        before = index.fingerprint
        assert index.add([replace(HARBOURS, abstract="Ships sink."), replace(RIVERS, abstract="Other.")]) == 0
        assert index.abstracts([HARBOURS, bare(RIVERS)]) == ["Ships sink.", SAID]
        assert index.fingerprint != before

    def test_another_record_of_the_work(self, index):
        """A preprint without one has that of the article; another work of the same title has not."""
        preprint = replace(bare(RIVERS), arxiv="2001.00001", venue="arXiv")
        namesake = Record("Rivers of northern towns", ("Dan Poe",), year=1987)
        index.add([preprint, namesake])
        assert index.abstracts([preprint, namesake]) == [SAID, ""]

    def test_a_retracted_work(self, index):
        """What is said of a retraction changes nothing."""
        index.add([replace(RIVERS, title="Dams", retracted="2021", abstract="Dams leak.")])
        match = index.find(Reference("Dams", ("Anna Smith", "Bo Lee")))
        assert index.abstracts([match.record]) == ["Dams leak."]

    def test_is_bounded(self, index):
        """A megabyte takes no room, also in a file that somebody else made."""
        index.add([Record("Everything", ("X",), abstract="this supports everything. " * 40_000)])
        (kept,) = index.abstracts([Record("Everything", ("X",))])
        assert 0 < len(kept) <= LONGEST

    def test_without_any_there_is_no_table(self, path):
        """So a file is as before, and an older version of the package reads one that has it."""
        with Index.create(path) as made:
            made.add([HARBOURS])
            assert made.abstracts([HARBOURS]) == [""]
            assert "abstracts" not in made.fingerprint
        tables = sqlite3.connect(path).execute("SELECT name FROM sqlite_master").fetchall()
        assert ("abstracts",) not in tables


@pytest.mark.parametrize("kind", ["file", "opensearch"])
def test_import_leaves_them_out_on_request(kind, tmp_path):
    """A file that was imported without them is read again for them; the works stay."""
    file = tmp_path / "a.bib"
    file.write_text(FILES["a.bib"], encoding="utf-8")
    wanted = Record("Rivers", ("Smith, A.",), year=2020)
    with opensearch() as (_, address):
        made = Index.create(tmp_path / "i.sqlite") if kind == "file" else OpenSearch.create(address)
        with made as index:
            assert import_files(index, [file], abstracts=False).added == 1
            assert index.abstracts([wanted]) == [""]
            assert import_files(index, [file]).added == 0
            assert index.abstracts([wanted]) == ["Floods rose by 12% in Turin."]
            assert import_files(index, [file]).skipped == 1
            found = index.find(Reference("Rivers", ("A. Smith",), year=2020))
            assert (found.status, found.record) == (Status.FOUND, wanted)


def test_a_search_in_opensearch_carries_none():
    """They are documents of their own, which no search for a reference finds."""
    with opensearch() as (engine, address), OpenSearch.create(address) as index:
        index.add_batch([RIVERS, HARBOURS])
        index.optimise()
        assert len(index) == 2
        assert index.find(Reference("Rivers of northern towns", ("Anna Smith",))).record == bare(RIVERS)
        assert index.abstracts([bare(RIVERS), HARBOURS]) == [SAID, ""]
        engine.fault = lambda path: (503, {}, b"") if "_doc" in path or "_msearch" in path else None
        index._options = (1.0, 1, 0.0)
        assert index.abstracts([bare(RIVERS)]) == [""]


@pytest.mark.parametrize(
    ("written", "authors", "cut"),
    [
        ("Smith, John; Lee, Bo", ("Smith, John", "Lee, Bo"), False),
        ("Smith, John and Lee, Bo", ("Smith, John", "Lee, Bo"), False),
        ("Smith J, Lee B, Ito C", ("Smith J", "Lee B", "Ito C"), False),
        ("D0 Collaboration: V. Abazov, et al", ("D0 Collaboration: V. Abazov",), True),
        ("; ".join(f"Name{chr(97 + n // 26)}{chr(97 + n % 26)}, A." for n in range(99)), 99, False),
    ],
)
def test_authors_in_one_text(written, authors, cut, tmp_path):
    """Family names first, initials behind, and more than a model's reply may have."""
    file = tmp_path / "works.jsonl"
    file.write_text(json.dumps({"title": "Rivers", "year": 2020, "authors": written}), encoding="utf-8")
    (record,) = read_records(file)
    assert record.et_al is cut
    assert (len(record.authors) if isinstance(authors, int) else record.authors) == authors


def test_a_damaged_abstract_is_none(tmp_path):
    """A file may come from elsewhere; the work is found all the same."""
    work = Record("Rivers", ("Smith, A.",), abstract="Floods rose.")
    with Index.create(tmp_path / "works.sqlite") as index:
        index.add([work])
    with sqlite3.connect(tmp_path / "works.sqlite") as connection:
        connection.execute("UPDATE abstracts SET text = x'0102'")
    connection.close()
    with Index.open(tmp_path / "works.sqlite") as index:
        found = index.find(Reference("Rivers", ("A. Smith",))).record
        assert found is not None
        assert abstracts_of(index, [found]) == [""]
