"""Files of publishers and databases become records; what is broken is named with its line, the rest is read.

Oracles: the entries of each test, read by hand against the format's own description.
"""

import contextlib
import gzip
import json
import random

import pytest

from guardrail.errors import InputError, ParseError
from guardrail.references.bibliography.formats import Format, detect, read_pieces, read_records
from guardrail.references.bibliography.records import Record


@pytest.fixture
def file(tmp_path):
    def made(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return made


def read(path):
    """The records, and the lines and messages of what was left out."""
    problems = []
    records = list(read_records(path, problems=problems))
    return records, [(problem.line, problem.message, problem.passed) for problem in problems]


RIS = """\ufeffProvider: A Publisher
TY  - JOUR
AU  - LeCun, Yann
AU  - Bengio, Yoshua
A1  - et al.
TI  - Deep
  learning
JO  - Nature
PY  - 2015/05/28/
VL  - 521
IS  - 7553
SP  - 436
EP  - 444
DO  - https://doi.org/10.1038/nature14539
DB  - PubMed
AN  - 26017442
UR  - https://example.org/a
ER  -

AU  - Nobody
ER  -
TY  - BOOK
T1  - Introduction to Algorithms
A2  - Cormen, Thomas H.
PB  - MIT Press
SN  - 0-262-03384-4 (hardcover)
TY  - JOUR
ER  -
TY  - UNPB
TI  - A preprint on something
UR  - http://arxiv.org/abs/1706.03762v5
"""


class TestRis:
    def test_reads_articles_books_and_preprints(self, file):
        """A wrapped title, a missing end, an end of file without one."""
        records, _ = read(file("x.ris", RIS))
        assert records == [
            Record(
                "Deep learning",
                ("LeCun, Yann", "Bengio, Yoshua"),
                True,
                2015,
                "Nature",
                doi="10.1038/nature14539",
                pmid="26017442",
                url="https://example.org/a",
                volume="521",
                issue="7553",
                pages="436-444",
            ),
            Record(
                "Introduction to Algorithms", ("Cormen, Thomas H.",), venue="MIT Press", isbn="9780262033848"
            ),
            Record("A preprint on something", arxiv="1706.03762", url="http://arxiv.org/abs/1706.03762v5"),
        ]

    def test_names_broken_entries(self, file):
        """One without its type, one without anything to find it by."""
        _, problems = read(file("x.ris", RIS))
        assert [(line, passed) for line, _, passed in problems] == [(20, False), (27, False)]

    def test_goes_on_from_a_position(self, file):
        """What was read before is not read again."""
        path = file("x.ris", RIS)
        pieces = list(read_pieces(path, Format.RIS, 0))
        again = list(read_pieces(path, Format.RIS, pieces[0].position))
        assert again == pieces[1:]


ARTICLE = {
    "DOI": "10.1000/ABC",
    "type": "journal-article",
    "title": ["On <i>Teapots</i>"],
    "subtitle": ["A Survey"],
    "author": [{"given": "Ada", "family": "Byron", "sequence": "first"}, {"name": "The Group"}],
    "container-title": ["Journal of Pots", "J. Pots"],
    "issued": {"date-parts": [[2019, 3]]},
    "volume": "12",
    "issue": "3",
    "page": "1-9",
    "ISBN": ["http://id.crossref.org/isbn/9780262033848"],
    "reference-count": 7,
    "updated-by": [
        {"type": "correction", "DOI": "10.1000/c", "updated": {"date-parts": [[2019, 1, 1]]}},
        {"type": "retraction", "DOI": "10.1000/R", "updated": {"date-parts": [[2020, 6, 4]]}},
    ],
}
TEAPOTS = Record(
    "On <i>Teapots</i>: A Survey",
    ("Byron, Ada", "The Group"),
    year=2019,
    venue="Journal of Pots",
    doi="10.1000/abc",
    isbn="9780262033848",
    volume="12",
    issue="3",
    pages="1-9",
    retracted="2020-06-04, notice 10.1000/r",
)
COMPONENT = {"DOI": "10.1000/abc.s1", "type": "component", "title": [], "reference-count": 0}


class TestCrossref:
    @pytest.mark.parametrize("indent", [None, 2])
    def test_reads_dumps_packed_by_gzip(self, file, indent):
        """`{"items": […]}` in one line or many; figures of an article are no works."""
        text = json.dumps({"items": [ARTICLE, COMPONENT]}, indent=indent)
        path = file("0.json.gz", gzip.compress(text.encode()))
        records, problems = read(path)
        assert (detect(path), records) == (Format.CROSSREF, [TEAPOTS])
        assert [(message, passed) for _, message, passed in problems] == [("component", True)]

    def test_reads_lines_and_leaves_broken_ones_out(self, file):
        """One item a line; a cut line and bytes that are no text are named."""
        lines = [json.dumps(ARTICLE).encode(), b'{"DOI": "10.1000', b"", b'{"title": ["Caf\xe9"]}', b"[3]"]
        records, problems = read(file("0.jsonl", b"\n".join(lines)))
        assert records == [TEAPOTS]
        assert [line for line, _, _ in problems] == [2, 4, 5]

    def test_reads_replies(self, file):
        """What the API sends."""
        message = {"total-results": 1, "items-per-page": 20, "items": [ARTICLE]}
        path = file("reply", json.dumps({"status": "ok", "message-type": "work-list", "message": message}))
        assert (detect(path), read(path)[0]) == (Format.CROSSREF, [TEAPOTS])

    def test_a_cut_dump_is_refused_behind_what_was_read(self, file):
        """With the line; the items before it were given out."""
        text = json.dumps({"items": [ARTICLE, ARTICLE]}, indent=1)
        cut = text[:-200]
        pieces = read_pieces(file("0.json", cut), Format.CROSSREF, 0)
        assert next(pieces).records == [TEAPOTS]
        with pytest.raises(ParseError, match=rf"0\.json:{len(cut.splitlines())}: expected JSON"):
            next(pieces)

    def test_a_long_list_is_read_in_chunks(self, file):
        """Ten thousand items, each at its line, in a file larger than a chunk."""
        items = [
            {"DOI": f"10.1000/{n}", "title": [f"Title {n}"], "reference-count": 0} for n in range(10_000)
        ]
        path = file("0.json", '{"items": [\n' + ",\n".join(map(json.dumps, items)) + ", 3\n]}")
        records, problems = read(path)
        assert [record.title for record in records] == [f"Title {n}" for n in range(10_000)]
        assert [line for line, _, _ in problems] == [10_001]

    def test_fields_of_the_wrong_kind_do_no_harm(self, file):
        """Null, numbers and lists where there should be text."""
        odd = {
            "DOI": "10.1000/x",
            "reference-count": 1,
            "title": None,
            "author": [None, 3, []],
            "updated-by": [None],
        }
        odd |= {"issued": {"date-parts": [[None]]}, "page": ["1"], "ISBN": {}, "container-title": [[]]}
        assert read(file("x.json", json.dumps([odd])))[0] == [Record("", ("3",), doi="10.1000/x", pages="1")]


WORK = {
    "id": "https://openalex.org/W2741809807",
    "doi": "https://doi.org/10.7717/PEERJ.4375",
    "title": "The state of OA",
    "publication_year": 2018,
    "ids": {"pmid": "https://pubmed.ncbi.nlm.nih.gov/29456894"},
    "authorships": [{"author": {"display_name": "Heather Piwowar"}}, {"raw_author_name": "J. Priem"}],
    "is_authors_truncated": True,
    "primary_location": {
        "landing_page_url": "https://doi.org/10.7717/peerj.4375",
        "source": {"display_name": "PeerJ"},
    },
    "locations": [None, {"landing_page_url": "https://arxiv.org/abs/1706.03762v2"}],
    "biblio": {"volume": "6", "issue": None, "first_page": "e4375", "last_page": "e4375"},
    "is_retracted": False,
    "type": "article",
}


class TestOpenAlex:
    def test_reads_the_snapshot(self, file):
        """One work a line, packed; a table of contents is no work, and a retracted one is marked."""
        lines = [WORK, {"id": "https://openalex.org/W2", "is_paratext": True}]
        lines += [{"id": "https://openalex.org/W3", "display_name": "Bad", "is_retracted": True}]
        path = file("part_000.gz", gzip.compress("\n".join(map(json.dumps, lines)).encode()))
        records, problems = read(path)
        assert detect(path) is Format.OPENALEX
        assert records == [
            Record(
                "The state of OA",
                ("Heather Piwowar", "J. Priem"),
                True,
                2018,
                "PeerJ",
                "10.7717/peerj.4375",
                arxiv="1706.03762",
                pmid="29456894",
                url="https://doi.org/10.7717/peerj.4375",
                volume="6",
                pages="e4375",
            ),
            Record("Bad", retracted="retracted, says OpenAlex"),
        ]
        assert problems == [(2, "paratext", True)]

    def test_reads_replies(self, file):
        """`{"meta": …, "results": […]}`."""
        path = file("page.json", json.dumps({"meta": {"count": 1}, "results": [WORK]}))
        assert (detect(path), len(read(path)[0])) == (Format.OPENALEX, 1)


DBLP = b"""<?xml version="1.0" encoding="ISO-8859-1"?>
<!DOCTYPE dblp SYSTEM "dblp-2019-11-22.dtd">
<dblp>
<article mdate="2021-01-23" key="journals/corr/VaswaniSPUJGKP17" publtype="informal">
<author orcid="0000-0001">Ashish Vaswani</author><author>Wei Wang 0001</author>
<author>J&uuml;rgen M\xfcller</author>
<title>Attention Is All You Need in H<sub>2</sub>O &amp; more.</title>
<year>2017</year><volume>abs/1706.03762</volume><journal>CoRR</journal>
<ee type="oa">http://arxiv.org/abs/1706.03762</ee>
</article><inproceedings key="conf/x/Y"><author>A. B.</author><title>On &unknown; things</title>
<pages>1-9</pages><year>1999</year><booktitle>CONF</booktitle><ee>https://doi.org/10.1145/ABC.1</ee></inproceedings>
<www key="homepages/1"><author>A</author><title>Home Page</title></www>
<article key="journals/z"><author>N</author></article>
<phdthesis key="phd/a"><author>C</author><title>A Thesis</title><school>MIT</school><isbn>0-262-03384-4</isbn></phdthesis>
<article key="journals/w" publtype="informal withdrawn"><title>Taken back</title><number>2</number></article>
</dblp>
"""


class TestDblp:
    def test_reads_the_dump(self, file):
        """Letters as its document type names them, mark-up in titles, arXiv's numbers; nothing is fetched."""
        records, problems = read(file("dblp.xml.gz", gzip.compress(DBLP)))
        assert records == [
            Record(
                "Attention Is All You Need in H2O & more",
                ("Ashish Vaswani", "Wei Wang 0001", "Jürgen Müller"),
                year=2017,
                venue="CoRR",
                arxiv="1706.03762",
                url="http://arxiv.org/abs/1706.03762",
            ),
            Record(
                "On &unknown; things",
                ("A. B.",),
                year=1999,
                venue="CONF",
                doi="10.1145/abc.1",
                url="https://doi.org/10.1145/ABC.1",
                pages="1-9",
            ),
            Record("A Thesis", ("C",), venue="MIT", isbn="9780262033848"),
            Record("Taken back", issue="2", retracted="withdrawn, says DBLP"),
        ]
        assert [(line, passed) for line, _, passed in problems] == [(12, True), (13, False)]

    def test_goes_on_from_a_position(self, file):
        """Positions count entries."""
        path = file("x.xml", DBLP)
        whole = list(read_pieces(path, Format.DBLP, 0))
        assert list(read_pieces(path, Format.DBLP, whole[2].position)) == whole[3:]

    @pytest.mark.parametrize(
        "declared",
        [
            '<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">',
            '<!ENTITY b SYSTEM "file:///etc/hostname">',
            '<!ENTITY % p SYSTEM "file:///etc/hostname">%p;<!ENTITY b "x">',
        ],
    )
    def test_refuses_entities_of_the_file_s_own(self, file, declared):
        """Neither a few that multiply, nor one that reads another file."""
        text = f'<!DOCTYPE dblp [{declared}]><dblp><article key="a"><title>The &b; title</title></article></dblp>'
        with pytest.raises(ParseError, match=r"x\.xml:1: expected a file that defines no entities"):
            list(read_records(file("x.xml", text)))

    @pytest.mark.parametrize("encoding", ["klingon", "shift_jis", "UTF-16"])
    def test_refuses_encodings_that_cannot_be_read(self, file, encoding):
        """No traceback of a codec."""
        text = f'<?xml version="1.0" encoding="{encoding}"?><dblp><article key="a"></article></dblp>'
        with pytest.raises(ParseError, match="expected XML"):
            list(read_records(file("x.xml", text)))

    def test_refuses_elements_without_end(self, file):
        """A million elements within each other."""
        text = '<dblp><article key="a"><title>' + "<i>" * 1_000_000
        with pytest.raises(ParseError, match="at most 50 elements"):
            list(read_records(file("x.xml", text)))

    def test_a_cut_file_is_refused_behind_what_was_read(self, file):
        """The entries before the cut, or before what is no XML, are given out."""
        for broken in (DBLP[:900], DBLP[:900] + b"</dblp>", DBLP.replace(b"<www", b"<<")):
            pieces = read_pieces(file("x.xml", broken), Format.DBLP, 0)
            assert next(pieces).records[0].arxiv == "1706.03762"
            with pytest.raises(ParseError, match=r"x\.xml:\d+: expected XML"):
                list(pieces)


ACL = """<?xml version='1.0' encoding='UTF-8'?>
<collection id="P19">
  <volume id="1" ingest-date="2019-07-28">
    <meta>
      <booktitle>Proceedings of the 57th Annual Meeting</booktitle>
      <editor><first>Anna</first><last>Korhonen</last></editor>
      <publisher>ACL</publisher><address>Florence</address><year>2019</year><isbn>0-262-03384-4</isbn>
    </meta>
    <frontmatter><url hash="9e8">P19-1000</url></frontmatter>
    <paper id="1">
      <title>One Time: <fixed-case>BERT</fixed-case> and <tex-math>\\alpha</tex-math>-Divergence</title>
      <author id="c-t"><first>Chongyang</first><last>Tao</last></author><author><last>Plato</last></author>
      <pages>1–11</pages><url hash="4d5">P19-1001</url><doi>10.18653/v1/P19-1001</doi>
      <retracted date="2020-01-02">No data.</retracted>
    </paper>
    <paper id="2"><author><last>N</last></author></paper>
  </volume>
  <volume id="2">
    <meta><journal-title>TACL</journal-title><journal-volume>7</journal-volume><year>2020</year></meta>
    <paper id="1"><title>A Second</title></paper>
  </volume>
</collection>
"""
ACL_BIBTEX = """@inproceedings{tao-2019-one,
    title = "One Time of Interaction May Not Be Enough: Go Deep",
    author = "Tao, Chongyang  and
      Wu, Wei",
    editor = "Korhonen, Anna  and
      Traum, David",
    booktitle = "Proceedings of the 57th Annual Meeting",
    month = jul,
    year = "2019",
    url = "https://aclanthology.org/P19-1001/",
    doi = "10.18653/v1/P19-1001",
    pages = "1--11",
}
"""


class TestAclAnthology:
    def test_reads_its_xml(self, file):
        """A volume's papers, and the volume itself; formulas, one name, a retraction."""
        records, problems = read(file("P19.xml", ACL))
        book = "Proceedings of the 57th Annual Meeting"
        assert records == [
            Record(
                book,
                ("Korhonen, Anna",),
                year=2019,
                venue="ACL",
                isbn="9780262033848",
                url="https://aclanthology.org/P19-1000",
            ),
            Record(
                "One Time: BERT and $\\alpha$-Divergence",
                ("Tao, Chongyang", "Plato"),
                year=2019,
                venue=book,
                doi="10.18653/v1/p19-1001",
                url="https://aclanthology.org/P19-1001",
                pages="1–11",
                retracted="2020-01-02, No data.",
            ),
            Record("A Second", year=2020, venue="TACL", volume="7"),
        ]
        assert [(line, passed) for line, _, passed in problems] == [(16, False)]

    def test_goes_on_in_the_middle_of_a_volume(self, file):
        """The volume's year and title are known there."""
        path = file("P19.xml", ACL)
        pieces = list(read_pieces(path, Format.ACL_XML, 0))
        assert list(read_pieces(path, Format.ACL_XML, 2)) == pieces[1:]

    def test_reads_its_bibtex(self, file):
        """Months without quotes, names over several lines, packed."""
        records, problems = read(file("anthology.bib.gz", gzip.compress(ACL_BIBTEX.encode())))
        assert problems == []
        assert records == [
            Record(
                "One Time of Interaction May Not Be Enough: Go Deep",
                ("Tao, Chongyang", "Wu, Wei"),
                year=2019,
                venue="Proceedings of the 57th Annual Meeting",
                doi="10.18653/v1/p19-1001",
                url="https://aclanthology.org/P19-1001/",
                pages="1–11",
            )
        ]


class TestBibtex:
    def test_reads_volume_issue_and_pages(self, file):
        """As the entry has them."""
        text = "@article{a, title={A Title}, volume=12, number={3}, pages={1--9}}"
        assert read(file("x.bib", text))[0] == [Record("A Title", volume="12", issue="3", pages="1–9")]


class TestTsv:
    def test_reads_volume_issue_and_pages(self, file):
        """By the names of the columns."""
        text = "title\tvolume\tissue\tpages\nA Title\t12\t3\t1-9\n"
        assert read(file("x.tsv", text))[0] == [Record("A Title", volume="12", issue="3", pages="1-9")]


class TestDetect:
    @pytest.mark.parametrize(
        ("content", "kind"),
        [
            (RIS, Format.RIS),
            (json.dumps([ARTICLE]), Format.CROSSREF),
            (json.dumps({"items": [ARTICLE]}, indent=3), Format.CROSSREF),
            (json.dumps(WORK), Format.OPENALEX),
            (json.dumps([{"id": "x", "title": "A Title", "DOI": "10.1000/x"}]), Format.CSL_JSON),
            (DBLP, Format.DBLP),
            (b"<dblp>\n</dblp>", Format.DBLP),
            (ACL, Format.ACL_XML),
            (ACL_BIBTEX, Format.BIBTEX),
            (gzip.compress(ACL.encode()), Format.ACL_XML),
        ],
    )
    def test_by_content(self, file, content, kind):
        """Where the name says nothing."""
        assert detect(file("export", content)) is kind

    @pytest.mark.parametrize("content", ["<html><body>Too many requests</body></html>", "a,b\n1,2\n", ""])
    def test_what_is_none_of_them_is_refused(self, file, content):
        """The message lists the formats."""
        with pytest.raises(InputError, match="crossref, openalex, dblp, acl-xml, retraction-watch"):
            detect(file("export.xml", content))

    def test_a_gzip_file_that_is_cut_is_refused(self, file):
        """With the remedy; no traceback of the library."""
        packed = gzip.compress(ACL_BIBTEX.encode() * 50)
        with pytest.raises(ParseError, match="damaged or cut short"):
            list(read_records(file("x.bib.gz", packed[:-20])))

    def test_reading_takes_no_longer_for_a_hostile_beginning(self, file):
        """Angle brackets and words that never end."""
        from tests.effort import ends

        with ends():
            for text in ("<article " * 100_000, "<" * 1_000_000, '{"DOI":' * 100_000, "\n " * 400_000):
                with pytest.raises(InputError):
                    list(read_records(file("export", text)))


SAMPLES = {
    Format.RIS: RIS.encode(),
    Format.CROSSREF: json.dumps({"items": [ARTICLE, COMPONENT]}, indent=1).encode(),
    Format.OPENALEX: "\n".join([json.dumps(WORK)] * 3).encode(),
    Format.DBLP: DBLP,
    Format.ACL_XML: ACL.encode(),
    Format.BIBTEX: ACL_BIBTEX.encode() * 2,
    Format.TSV: b"title\tyear\tauthors\nA Title\t2000\tA; B\nAnother\t2001\tC\n",
    Format.CSL_JSON: json.dumps([{"title": "x", "issued": {"date-parts": [[2000]]}, "author": []}]).encode(),
    Format.RETRACTION_WATCH: (
        b"Title,Author,RetractionDate,OriginalPaperDOI,OriginalPaperPubMedID,RetractionNature\n"
        b'"A, Title",A;B,1/2/2020 0:00,10.1000/x,7,Retraction\nBack,A,1/2/2020 0:00,10.1000/x,7,Reinstatement\n'
    ),
}
PIECES = b'" { } [ ] < > & \r \0 , \\ null 3 \xff\xfe ]]> <![CDATA[ <!DOCTYPE( @a{ \t : // TY'.split(b" ")


def damaged(rng, content):
    """Some bytes lost, doubled or written over, and the rest cut off now and then."""
    found = bytearray(content)
    for _ in range(rng.randint(1, 6)):
        at, length = rng.randrange(len(found) + 1), rng.randint(1, 40)
        if rng.random() < 0.1:
            found = found[: max(at, 1)]
        else:
            found[at : at + rng.choice([0, length])] = rng.choice(
                [b"", rng.choice(PIECES), rng.randbytes(3), bytes(found[:length])]
            )
    return bytes(found)


class TestDamaged:
    @pytest.mark.parametrize("kind", SAMPLES)
    def test_is_read_or_refused(self, file, kind):
        """Three hundred damaged files: records and problems, or one error of ours; never another's."""
        rng = random.Random(f"{kind}")
        for number in range(300):
            content = damaged(rng, SAMPLES[kind])
            path = file("x", gzip.compress(content)[: rng.choice([None, -9])] if number % 9 == 0 else content)
            with contextlib.suppress(InputError):
                assert all(isinstance(r, Record) for r in read_records(path, format=kind, problems=[]))
