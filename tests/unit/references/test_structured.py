"""References in JSON and RIS: what is one, what its fields say, and where it is."""

import json
from typing import ClassVar

import pytest
from tests.effort import ends

from guardrail import Guard, Verdict
from guardrail.references.bibliography.index import Index
from guardrail.references.bibliography.records import Record, Reference
from guardrail.references.check import ReferenceCheck
from guardrail.references.citations import citations
from guardrail.references.citations.model import Citation
from guardrail.references.citations.silence import unread
from guardrail.references.citations.structured import Structured, structured
from guardrail.references.citations.tagging import packaged_tagger
from guardrail.report import Span

WORK = {"title": "Attention Is All You Need", "authors": ["Ashish Vaswani", "Noam Shazeer"], "year": 2017}
READ = Reference(title=WORK["title"], authors=tuple(WORK["authors"]), year=2017)


def read(value):
    """The references in a value written as JSON."""
    text = value if isinstance(value, str) else json.dumps(value)
    return [one.reference for one in citations(text, tagger=packaged_tagger())]


def spans(text):
    return [one.span.of(text) for one in citations(text, tagger=packaged_tagger())]


class TestAuthors:
    def test_a_comma_between_parts_of_a_name_parts_no_names(self):
        """Two given names are written like a second author's."""
        [found] = read([{**WORK, "author": [{"family": "Poe", "given": "Mary Jo"}], "authors": None}])
        assert found.authors == ("Poe, Mary Jo",)

    def test_a_body_with_and_in_its_name_is_one_author(self):
        [found] = read([{**WORK, "authors": "National Institute of Standards and Technology"}])
        assert found.authors == ("National Institute of Standards and Technology",)


class TestOneString:
    """{"citation": "…", "doi": "…"}: the citation is one string, and is read like an entry of a list."""

    TEXT = json.dumps(
        {
            "sources": [
                {
                    "n": 1,
                    "citation": "Roe JA, Poe B. A Trial of Tall Trees. Acta Arb 2001;3:4-5",
                    "doi": "10.1000/tall.5",
                },
                {
                    "n": 2,
                    "citation": "Doe C. Trees and Their Shadows. Acta Arb 2002;4:9-12",
                    "doi": "10.1000/tall.6",
                },
            ]
        }
    )

    def test_its_fields_and_the_identifier_beside_it(self):
        """Both are of the object."""
        one, two = citations(self.TEXT, tagger=packaged_tagger())
        assert (one.reference.title, one.reference.year) == ("A Trial of Tall Trees", 2001)
        assert (one.reference.doi, two.reference.doi) == ("10.1000/tall.5", "10.1000/tall.6")

    def test_a_made_up_title_over_a_real_doi_is_not_verified(self, tmp_path):
        """It was: the string was not read, and the DOI exists."""
        path = tmp_path / "works.sqlite"
        with Index.create(path, complete=True) as index:
            index.add([Record("Rivers of the North", ("Ann Moe",), year=2001, doi="10.1000/tall.5")])
        found = Guard([ReferenceCheck(bibliography=path)]).check(self.TEXT).findings
        assert Verdict.SUPPORTED not in [finding.verdict for finding in found]

    @pytest.mark.parametrize(
        "entry",
        [
            {"text": "Forest growth slows down in the winter of 2001 by 30 percent"},
            {"label": "Moe's 2001 paper about rivers", "full": "Moe, A. (2001). Rivers of the North. Acta."},
            {"ref": "Moe in Acta, the one about rivers"},
            {"preference": "must be read before the exam of 2001"},
        ],
    )
    def test_a_passage_or_a_label_is_no_reference(self, tmp_path, entry):
        """A real work is not called wrong for what is written about it."""
        path = tmp_path / "works.sqlite"
        with Index.create(path, complete=True) as index:
            index.add([Record("Rivers of the North", ("Ann Moe",), year=2001, doi="10.1000/tall.5")])
        text = json.dumps({"references": [{**entry, "doi": "10.1000/tall.5"}]})
        [finding] = Guard([ReferenceCheck(bibliography=path)]).check(text).findings
        assert finding.verdict is Verdict.SUPPORTED

    def test_a_note_is_no_reference(self, tmp_path):
        """What is identified beside it is looked up by its identifier."""
        path = tmp_path / "works.sqlite"
        with Index.create(path, complete=True) as index:
            index.add([Record("Rivers of the North", ("Ann Moe",), year=2001, doi="10.1000/tall.5")])
        text = json.dumps(
            {"references": [{"note": "that one about trees everybody has read", "doi": "10.1000/tall.5"}]}
        )
        [finding] = Guard([ReferenceCheck(bibliography=path)]).check(text).findings
        assert finding.verdict is Verdict.SUPPORTED


def test_endnote():
    """As `.enw` files have it."""
    text = "%0 Book\n%A Roe, Ann\n%A Poe, Bo\n%T Tall Trees: A History\n%I Wood Press\n%D 1969\n\n%0 Book\n%A Doe, C.\n%T Shadows\n%D 1970\n"
    one, two = read(text)
    assert one == Reference(
        title="Tall Trees: A History", authors=("Roe, Ann", "Poe, Bo"), year=1969, venue="Wood Press"
    )
    assert two.title == "Shadows"


class TestWhereObjectsAre:
    @pytest.mark.parametrize("indent", [None, 0, 2])
    def test_one_object_is_the_answer(self, indent):
        """Compact or pretty, the span is the object."""
        text = json.dumps(WORK, indent=indent)
        assert spans(text) == [text]
        assert read(text) == [READ]

    def test_in_an_array_nested_in_objects(self):
        """Each is found by itself, with its own place."""
        text = json.dumps({"answer": {"parts": [{"n": 1, "papers": [WORK, WORK]}]}}, indent=1)
        assert [json.loads(span) for span in spans(text)] == [WORK, WORK]

    def test_in_a_fence_after_a_sentence(self):
        """The prose around is read as before."""
        text = (
            f'Sure:\n\n```json\n{json.dumps([WORK])}\n```\n\nSee also "Deep Learning" by LeCun et al. (2015).'
        )
        assert [json.loads(spans(text)[0]), spans(text)[1]] == [
            WORK,
            '"Deep Learning" by LeCun et al. (2015)',
        ]

    def test_one_object_a_line(self):
        """JSON lines."""
        line = json.dumps(WORK)
        assert spans(f"{line}\n{line}\n") == [line, line]

    def test_what_breaks_off_is_read_as_far_as_whole_objects_go(self):
        """An answer that was cut short, or has a comma too many."""
        assert read('{"references": [' + json.dumps(WORK) + ', {"title": "Deep Lear') == [READ]
        assert read('{"references": [' + json.dumps(WORK) + ",],}") == [READ]

    def test_escapes_are_decoded_and_spans_are_exact(self):
        """An object's fields say what they mean; its span is what is written."""
        text = '{"title": "\\u00dcber \\"Dinge\\" \\ud83d\\ude00", "autor": "M\\u00fcller, Hans", "jahr": "1999"}'
        assert read(text) == [Reference(title='Über "Dinge" 😀', authors=("Müller, Hans",), year=1999)]
        assert spans(text) == [text]

    def test_strings_are_read_as_texts(self):
        """Lists of citations, and prose with a quotation; places are those of what is written."""
        text = json.dumps(
            {
                "answer": 'In "Deep Learning" by LeCun et al. (2015) …',
                "references": ["Müller, H. (1999). Über die Dinge. Wien: Verlag."],
            }
        )
        assert spans(text) == [
            '\\"Deep Learning\\" by LeCun et al. (2015)',
            "M\\u00fcller, H. (1999). \\u00dcber die Dinge. Wien: Verlag.",
        ]
        assert [one.title for one in read(text)] == ["Deep Learning", "Über die Dinge"]


class TestTablesAndYaml:
    @pytest.mark.parametrize("fence", ["", "```csv\n"])
    def test_a_row_of_csv_is_one(self, fence):
        """With quoted cells, names in one cell, commas without quotation marks, and cells that are empty."""
        rows = (
            "Winter Bells,Mary Poe,1999,Bellhouse",
            "Bells, Ropes and Towers,J. Roe,2001,Towerhouse",
            '"The ""New"" Bells: ropes, towers","Mary Poe; J. Roe",2011,Journal of Bells,10.9999/bells.1',
        )
        text = f"Here:\n\n{fence}title,authors,year,source,doi\n{rows[0]},\n{rows[1]},\n{rows[2]}\n{fence and '```'}\n\nThat is all."
        assert spans(text) == list(rows)
        assert [(one.title, one.authors, one.year, one.venue, one.doi) for one in read(text)] == [
            ("Winter Bells", ("Mary Poe",), 1999, "Bellhouse", ""),
            ("Bells, Ropes and Towers", ("J. Roe",), 2001, "Towerhouse", ""),
            (
                'The "New" Bells: ropes, towers',
                ("Mary Poe", "J. Roe"),
                2011,
                "Journal of Bells",
                "10.9999/bells.1",
            ),
        ]

    def test_a_column_of_surnames_has_no_given_names(self):
        text = 'titel;autoren;jahr\nWinter Bells;"Poe, Roe";1999\nSea Bells;"Poe, Roe & Doe";2003\n'
        assert [one.authors for one in read(text)] == [("Poe", "Roe"), ("Poe", "Roe", "Doe")]

    @pytest.mark.parametrize(
        "text",
        [
            "Title, author, year, publisher\nHere are some books, as you asked, and more of them\n",
            "```csv\nname,price,stock\nBell,5,2\n```",
            "```yaml\nservices:\n  web:\n    image: bells\n    name: bells\ntitle: My notes\nauthor: me\n```",
        ],
    )
    def test_other_tables_and_files_have_none(self, text):
        assert citations(text, tagger=packaged_tagger()) == []

    def test_an_entry_of_yaml_is_one(self):
        """Nested names, sequences in brackets and below each other, titles over two lines."""
        text = (
            '```yaml\nreferences:\n  - id: poe\n    title: "Winter: Bells"\n    author:\n      - family: Poe\n        given: Mary\n'
            "    issued: 1999\n  - title: Bells and Ropes of the\n      Northern Towers\n    authors: [Mary Poe, J. Roe]\n    year: 2001\n"
            "  - title: Sea Bells\n    authors:\n    - J. Roe\n    - 'Ann Doe'\n    doi: 10.9999/bells\n```\n"
        )
        assert [(one.title, one.authors, one.year, one.doi) for one in read(text)] == [
            ("Winter: Bells", ("Poe, Mary",), 1999, ""),
            ("Bells and Ropes of the Northern Towers", ("Mary Poe", "J. Roe"), 2001, ""),
            ("Sea Bells", ("J. Roe", "Ann Doe"), None, "10.9999/bells"),
        ]
        assert spans(text)[0].startswith("id: poe")
        assert spans(text)[0].endswith("issued: 1999")

    @pytest.mark.parametrize(
        "unit", ["a,", '"a,', "title,author,year\n", "- ", "```yaml\n- ", " a:\n", "- title: [a\n"]
    )
    def test_nothing_breaks_them(self, unit):
        for head in ("", "title,author,year\n", "```yaml\n"):
            citations(head + unit * 3_000)


class TestWhatIsAReference:
    @pytest.mark.parametrize(
        "value",
        [
            [{"title": "Heat", "year": 1995, "director": "Michael Mann"}],
            [{"title": "Heat", "year": 1995}, {"title": "Alien", "year": 1979}],
            {"products": [{"title": "Desk lamp", "price": 30}]},
            {"name": "left-pad", "version": "1.0.0", "author": "azer", "license": "MIT"},
            {"references": [{"name": "Jane Doe", "phone": "+1 555", "email": "jane@doe.org"}]},
            {"events": [{"title": "Annual meeting", "date": "2024-03-01", "location": "Oslo"}]},
            {"title": "On Tea", "author": "Model", "year": 2024, "sections": [{"title": "Leaves"}]},
            {"name": "Ada", "age": 36, "email": "ada@x.org"},
        ],
    )
    def test_other_things_with_titles_are_none(self, value):
        """Films, products, programs, people, events, whole texts."""
        assert read(value) == []

    @pytest.mark.parametrize(
        "value",
        [
            {"title": "On Tea", "author": "J. Leaf"},
            {"title": "On Tea", "doi": "10.1000/tea"},
            {"title": "On Tea", "journal": "Leaves"},
            {"papers": [{"title": "On Tea", "year": 1999}]},
            {"references": [{"title": "On Tea"}]},
            {"references": {"tea": [{"name": "On Tea", "link": "https://tea.org"}]}},
            [{"title": "On Tea", "year": 1999}, WORK],
            {"title": "Tea, a report", "references": [{"title": "On Tea", "year": 1999}]},
        ],
    )
    def test_a_title_with_evidence_is_one(self, value):
        """Authors, an identifier, a venue; a key that says so; or references beside it."""
        assert read(value)[0].title == "On Tea"

    def test_titles_with_years_count_where_references_were_asked_for(self):
        """The prompt says what the objects are."""
        text = json.dumps([{"title": "On Tea", "year": 1999}])
        assert [one.reference.title for one in citations(text, asked_for_references=True)] == ["On Tea"]

    def test_a_title_with_an_address_may_be_the_name_of_a_page(self):
        """It is never called made up for its name."""
        text = json.dumps({"sources": [{"title": "Tea - Encyclopedia", "url": "https://tea.org/tea"}]})
        assert [one.style for one in citations(text, tagger=packaged_tagger())] == ["labelled"]

    def test_people_and_journals_within_a_reference_are_none(self):
        """Objects under the keys of a reference belong to it."""
        value = {
            **WORK,
            "authors": [{"name": "A. Vaswani", "url": "https://x.org"}],
            "journal": {"title": "N", "issn": "1"},
        }
        assert len(read(value)) == 1


class TestFields:
    @pytest.mark.parametrize(
        ("authors", "names"),
        [
            (["A. Vaswani", "N. Shazeer"], ("A. Vaswani", "N. Shazeer")),
            ("Vaswani, A., Shazeer, N. and Parmar, N.", ("Vaswani, A.", "Shazeer, N.", "Parmar, N.")),
            ([{"family": "Vaswani", "given": "Ashish"}], ("Vaswani, Ashish",)),
            ([{"first": "Ashish", "last": "Vaswani"}], ("Vaswani, Ashish",)),
            ([{"firstName": "Ashish", "lastName": "Vaswani"}], ("Vaswani, Ashish",)),
            ([{"name": "Ashish Vaswani"}], ("Ashish Vaswani",)),
            ([{"author": {"display_name": "Ashish Vaswani"}}], ("Ashish Vaswani",)),
            ({"literal": "The Tea Board"}, ("The Tea Board",)),
            (["A. Vaswani", "et al."], ("A. Vaswani",)),
        ],
    )
    def test_authors_in_every_form(self, authors, names):
        """Texts, objects with parts of names, one text for all."""
        assert read({"title": "On Tea", "authors": authors, "doi": "10.1000/tea"})[0].authors == names

    def test_et_al_says_that_the_list_is_cut(self):
        """As an entry of the list, or behind a name."""
        for authors in (["A. Vaswani", "et al."], "Vaswani et al.", ["Vaswani et al."]):
            found = read({"title": "On Tea", "authors": authors})[0]
            assert found.et_al, authors
            assert len(found.authors) == 1

    @pytest.mark.parametrize(
        "year",
        [
            2017,
            "2017",
            "2017-06-12",
            "June 2017",
            {"date-parts": [[2017, 6]]},
            {"date-parts": [["2017"]]},
            {"year": 2017},
            2017.0,
        ],
    )
    def test_years_in_every_form(self, year):
        """Numbers, dates, and those of CSL-JSON."""
        assert read({"title": "On Tea", "author": "J. Leaf", "issued": year})[0].year == 2017

    def test_csl_json(self):
        """All that an item says."""
        item = {
            "id": "v17",
            "type": "article-journal",
            "title": "On Tea",
            "author": [{"family": "van Leaf", "given": "Jan"}],
            "issued": {"date-parts": [[1999, 2]]},
            "container-title": "Leaves",
            "volume": 12,
            "issue": "3",
            "page": "1-9",
            "DOI": "10.1000/TEA",
            "ISBN": "978-0-306-40615-7",
        }
        assert read(["x", item])[0] == Reference(
            title="On Tea", authors=("van Leaf, Jan",), year=1999, venue="Leaves", doi="10.1000/tea",
            isbn="9780306406157", volume="12", issue="3", pages="1-9",
        )  # fmt: skip

    @pytest.mark.parametrize(
        "keys",
        [
            ("paper_title", "Author(s)", "Publication Year", "Journal Name"),
            ("titel", "verfasser", "jahr", "zeitschrift"),
            ("título", "autores", "año", "revista"),
            ("标题", "作者", "年份", "期刊"),
            ("タイトル", "著者", "年", "雑誌"),
            ("제목", "저자", "연도", "학술지"),
            ("название", "авторы", "год", "журнал"),
        ],
    )
    def test_keys_in_other_spellings_and_languages(self, keys):
        """The same reference under each."""
        values = ("On Tea", ["J. Leaf"], "1999", "Leaves")
        keys = tuple("authors" if key == "Author(s)" else key for key in keys)
        assert read(dict(zip(keys, values, strict=True))) == [
            Reference(title="On Tea", authors=("J. Leaf",), year=1999, venue="Leaves")
        ]

    @pytest.mark.parametrize(
        "said",
        [
            {"doi": "https://doi.org/10.1000/Tea"},
            {"url": "https://doi.org/10.1000/tea"},
            {"externalIds": {"DOI": "10.1000/tea"}},
            {"identifiers": [{"type": "doi", "value": "10.1000/tea"}]},
        ],
    )
    def test_identifiers_wherever_they_are(self, said):
        """Under their key, in an address, among others."""
        assert read({"title": "On Tea", "author": "J. Leaf", **said})[0].doi == "10.1000/tea"

    def test_ris(self):
        """An entry of lines, between prose."""
        entry = (
            "TY  - JOUR\nAU  - Leaf, Jan\nAU  - Cup, Ada\nTI  - On Tea\nJO  - Leaves\nPY  - 1999/02\nVL  - 12\nSP  - 1\nEP  - 9\n"
            "DO  - 10.1000/tea\nER  -"
        )
        text = f"Import this:\n\n{entry}\n\nGood luck."
        assert spans(text) == [entry]
        assert read(text) == [
            Reference(
                title="On Tea",
                authors=("Leaf, Jan", "Cup, Ada"),
                year=1999,
                venue="Leaves",
                doi="10.1000/tea",
                volume="12",
                pages="1–9",
            )
        ]


class TestHostile:
    @pytest.mark.parametrize(
        "text",
        [
            "[" * 100_000,
            '{"references":' * 20_000,
            '{"references": [' + '{"title": "x", "authors": ' + "[" * 100_000,
            '{"title": "On Tea", "year": ' + "9" * 100_000 + ', "author": "J. Leaf"}',
            '{"title": "\\ud800", "author": "\\udc00\\ud800 J. Leaf", "title": "On \\udfff Tea"}',
            '{"' * 50_000,
            '["' + "\\" * 100_001,
            '{"in": {"name": ' * 45 + "{" + '"k": {"title": [1, 2]}, ' * 5_000 + '"a": 1}' + "}}" * 45,
        ],
    )
    def test_nothing_breaks_it(self, text):
        """Deep, endless, huge, half a pair of surrogates: no error, and texts that can be written."""
        for one in citations(text, tagger=packaged_tagger()):
            repr(one.reference).encode()

    def test_many_strings_take_time_in_proportion_to_their_number(self):
        """Each is looked for among the references that were read, which are in order."""
        spans = [Span(start=10 * n, end=10 * n + 9) for n in range(100_000)]
        citations_of = [Citation(span, Reference("On Tea"), "json") for span in spans]
        read = Structured([], list(zip(spans, citations_of, strict=True)), pieces=[(0, range(1_000_001))])
        with ends():
            assert len(read.joined(citations_of)) == len(spans)

    def test_many_blocks_among_objects_take_time_in_proportion_to_their_number(self):
        text = '{"a": 1} ' * 60_000 + "\n" + "```yaml\n- a: b\n```\n" * 30_000
        with ends():
            assert structured(text) is None

    def test_the_last_of_two_keys_counts(self):
        """As for whoever reads the JSON."""
        assert read('{"title": "Real Work", "author": "J. Leaf", "title": "On Tea"}')[0].title == "On Tea"


class TestSilence:
    def test_entries_that_say_nothing_are_unverified(self):
        """Under a key such as "references", and no others."""
        text = json.dumps(
            {"references": [{"thing": 1}, WORK, "the book by Jones, 1999, I think"], "n": [{"thing": 1}]}
        )
        assert [span.of(text) for span, _ in unread(text, citations(text))] == [
            '{"thing": 1}',
            '"the book by Jones, 1999, I think"',
        ]

    @pytest.mark.parametrize(
        "value",
        [
            {"references": []},
            {"sources": ["solar", "wind"]},
            {"citations": 12},
            {"references": None},
            {"a": [{"b": 1}]},
        ],
    )
    def test_nothing_is_said_where_nothing_is_cited(self, value):
        """Empty lists, counts, single words."""
        text = json.dumps(value)
        assert list(unread(text, citations(text, tagger=packaged_tagger()))) == []

    def test_the_report_says_so(self):
        """Not "nothing to check"."""
        report = Guard([ReferenceCheck()]).check(json.dumps({"answer": "Tea.", "references": [{"thing": 1}]}))
        assert [finding.verdict for finding in report.findings] == [Verdict.UNVERIFIED]


class TestWhereAReferenceAppeared:
    """Its venue under keys that say so only of a reference, in an object of its own, or with volume, pages and year behind it."""

    @pytest.mark.parametrize(
        ("more", "venue"),
        [
            ({"source": "Nature", "publisher": "Springer"}, "Nature"),
            ({"source": "https://example.org/trees"}, ""),
            ({"source": "a tip by a friend"}, ""),
            ({"in": "Essays on Trees", "publisher": "Dover"}, "Essays on Trees"),
            ({"publication": "NeurIPS 2017"}, "NeurIPS 2017"),
            ({"published": {"in": "EMNLP", "year": 2017}}, "EMNLP"),
            ({"publication_details": {"journal": "Nature", "volume": 3}}, "Nature"),
            ({"details": {"journal": "Nature", "volume": 3}}, "Nature"),
            ({"where": "Numerische Mathematik 1(1), pp. 269-271, 2017"}, "Numerische Mathematik"),
            ({"journal": "Cell 126, 663–676"}, "Cell"),
            ({"in": "Apollo 11: 50 years", "publisher": "Dover"}, "Apollo 11: 50 years"),
            ({"booktitle": "Area 51, no end", "publisher": "Dover"}, "Area 51, no end"),
            ({"journal_or_publisher": "Dover"}, "Dover"),
            ({"publisher": "Dover", "publisher-place": "Oxford"}, "Dover"),
            ({"id": "RFC 6749"}, "RFC 6749"),
            ({"publisher": "Simon &amp; Schuster"}, "Simon & Schuster"),
            ({"notes": {"title": "Another work", "journal": "Nature"}}, ""),
        ],
    )
    def test_the_venue(self, more, venue):
        """What chatbots write when nobody tells them a schema."""
        work = {"title": "A Trial of Trees", "authors": ["Ann Roe"], **more}
        assert read(work)[0].venue == venue

    def test_its_year(self):
        """Where nothing else says it."""
        work = {"title": "A Trial of Trees", "authors": ["Ann Roe"], "where": "Acta 1(1), 269-271, 1959"}
        assert read(work)[0].year == 1959
        assert read({**work, "published": {"year": 2014}})[0].year == 2014

    def test_an_identifier_in_such_an_object_does_not_verify_another_title(self, tmp_path):
        """A made-up title with a real work's DOI."""
        path = tmp_path / "refs.sqlite"
        with Index.create(path, complete=True) as index:
            index.add([Record("On Tea", ("J. Leaf",), year=1999, doi="10.1000/tea")])
        text = json.dumps({"title": "The Hidden Rivers of Moss", "published": {"doi": "10.1000/tea"}})
        findings = Guard([ReferenceCheck(bibliography=path)]).check(text).findings
        assert [finding.verdict for finding in findings] == [Verdict.UNSUPPORTED]

    def test_such_a_key_makes_nothing_a_reference(self):
        """News has titles and sources, too."""
        assert read({"title": "Trees fall", "source": "Nature"}) == []

    @pytest.mark.parametrize(
        ("more", "doi", "arxiv"),
        [
            ({"id": "10.1787/53f23881-en"}, "10.1787/53f23881-en", ""),
            ({"ref": "arXiv:1706.03762"}, "", "1706.03762"),
            ({"note": "see 10.1787/53f23881-en for more"}, "", ""),
            ({"publication_info": {"doi": "10.1787/53f23881-en"}}, "10.1787/53f23881-en", ""),
            ({"related": {"doi": "10.1787/53f23881-en"}}, "", ""),
            ({"published_response": {"doi": "10.1787/53f23881-en"}}, "", ""),
            ({"retraction_notice": "10.1787/53f23881-en"}, "", ""),
        ],
    )
    def test_an_identifier_is_one_under_any_key(self, more, doi, arxiv):
        """If it is all that is said there."""
        [found] = read({**WORK, **more})
        assert (found.doi, found.arxiv) == (doi, arxiv)


class TestXmlAndPython:
    def test_elements(self):
        """One author or several, in attributes of a code fence or not."""
        text = """<references>
  <book><title>Rivers &amp; Lakes</title><author>Ann Roe</author><publisher>Dover</publisher><year>1979</year></book>
  <article id="2">
    <title>A Trial of Trees</title>
    <authors><author>Ann Roe</author><author>Bob Poe</author></authors>
    <journal>Nature</journal><year>2001</year><doi>10.1038/abc.1</doi>
  </article>
</references>"""
        assert read(text) == [
            Reference("Rivers & Lakes", ("Ann Roe",), year=1979, venue="Dover"),
            Reference(
                "A Trial of Trees", ("Ann Roe", "Bob Poe"), year=2001, venue="Nature", doi="10.1038/abc.1"
            ),
        ]
        assert spans(text)[0].startswith("<book>")
        assert spans(text)[1].endswith("</article>")

    def test_authors_without_a_list_around_them(self):
        """As JSON's array would say."""
        text = "<work><title>A Trial of Trees</title><author>Ann Roe</author><author><first>Bob</first><last>Poe</last></author></work>"
        assert read(text)[0].authors == ("Ann Roe", "Poe, Bob")

    @pytest.mark.parametrize(
        "text",
        [
            "<html><head><title>My page</title></head><body><p>Hello</p></body></html>",
            "<title>Trees</title>",
            "<rss><channel><item><title>Trees fall</title><author>Ann Roe</author></item></channel></rss>",
            "<video><title>Big Trees</title><author>Ann Roe</author><year>2008</year></video>",
            "<cd><title>Help</title><artist>Ann Roe</artist><year>1999</year></cd>",
        ],
    )
    def test_other_elements(self, text):
        """A page and a record are no references."""
        assert citations(text, tagger=packaged_tagger()) == []

    @pytest.mark.parametrize(
        "text",
        [
            "Line one<br>line two. <book><title>On <i>Tea</i></title><author>J. Leaf</author></book>",
            "Use `<book>`: <book><title><![CDATA[On Tea]]></title><author>J. Leaf</author></book>",
            "A `List<String>`. <book><title>On Tea</title><author>J. Leaf</author></book>",
        ],
    )
    def test_tags_around_them(self, text):
        """Of HTML, in prose, never closed, within a title."""
        assert read(text) == [Reference("On Tea", ("J. Leaf",))]

    @pytest.mark.parametrize("title", ["r'On Tea'", "u'On Tea'", "'On ' 'Tea'", "'On \\u0054ea'", "True"])
    def test_what_is_not_written_as_it_is_said_is_left_alone(self, title):
        """Its place in the text could not be given."""
        assert read(f"```python\nx = {{'title': {title}, 'author': 'J. Leaf'}}\n```") == []

    def test_lines_are_counted_as_the_parser_does(self):
        """Only a line feed ends one."""
        text = (
            "```python\nn = 'a\x85b'\nbooks = [{'title': 'On Tea', 'author': 'J. Leaf', 'year': 1999}]\n```"
        )
        assert read(text) == [Reference("On Tea", ("J. Leaf",), year=1999)]

    def test_literals(self):
        """In a code fence; what does not parse is left alone."""
        code = """papers = [
    {'title': 'Ströme', 'authors': ('Jörg Roe',), 'year': 2001},
    {'title': "Deep Rivers of Asia", 'authors': ['Cat Doe', 'Eli Fox'], 'publisher': 'Dover', 'year': 1999},
]
"""
        text = f"Ä:\n```python\n{code}```"
        assert read(text) == [
            Reference("Ströme", ("Jörg Roe",), year=2001),
            Reference("Deep Rivers of Asia", ("Cat Doe", "Eli Fox"), year=1999, venue="Dover"),
        ]
        assert spans(text)[0] == "{'title': 'Ströme', 'authors': ('Jörg Roe',), 'year': 2001}"
        assert citations(f"```python\n{code[:-3]}```") == []

    @pytest.mark.parametrize(
        "text",
        [
            "<a>" * 50_000 + "</title>",
            "<title>" * 50_000 + "</title>" * 50_000,
            "<b><title>x</title><author>" * 4_000,
            "```python\ntitle = " + "(" * 5_000 + "\n```",
            "```python\n" + "{'title': " * 1_500 + "\n```",
            "```python\n'\\\\ud800 title'\n```",
        ],
    )
    def test_nothing_breaks_it(self, text):
        """Deep, endless, never closed; the network reads the first tenth, since it takes as long for any text of a length."""
        assert isinstance(citations(text), list)
        assert isinstance(citations(text[: len(text) // 10], tagger=packaged_tagger()), list)


def judged(value, *known, tmp_path):
    """The findings about a value written as JSON, if a bibliography with some works is said to be complete."""
    path = tmp_path / "works.sqlite"
    with Index.create(path, complete=True) as index:
        index.add(known or [Record("On Tea", ("J. Leaf",), year=1999)])
    return Guard([ReferenceCheck(bibliography=path)]).check(json.dumps(value)).findings


class TestOtherThings:
    """An object is a reference by what it says itself; what an object in it says of a place or a day makes it none."""

    @pytest.mark.parametrize(
        "value",
        [
            {"title": "The Red Shoes Concert", "site": {"venue": "Town hall", "date": "2024"}},
            {
                "title": "The Red Shoes Concert",
                "venue": {"name": "Town hall", "city": "Oslo"},
                "date": "2024",
            },
            {"title": "The Red Shoes Concert", "venue": "Town hall", "date": "2024-05-01"},
            {"title": "The Red Shoes Concert", "details": {"venue": "Town hall", "date": "2024"}},
            {
                "title": "The Red Shoes Concert",
                "details": {"venue": {"name": "Town hall"}, "url": "https://x.org"},
            },
            {"title": "The Red Shoes Concert", "where": {"venue": "Oxford Town Hall", "year": 2024}},
            {"title": "Open Day of the Gardens", "venue": "University of Oslo", "year": 2024},
            {
                "title": "An Evening of Poems",
                "authors": ["Jane Roe"],
                "site": {"venue": "Town hall", "date": "2024"},
            },
            {
                "title": "An Evening of Poems",
                "by": "Jane Roe",
                "venue": {"name": "Leaf Theatre"},
                "date": "2024",
            },
            {"title": "Talk on Teacups", "conference": {"name": "Cup Days", "year": 2024}},
            {"name": "The Blue Room", "venue": {"name": "Town hall", "city": "Oslo"}},
            {"events": [{"title": "An Evening of Poems", "by": "Jane Roe", "date": "2024-05-01"}]},
            {"upcoming_events": {"title": "An Evening of Poems", "authors": ["Jane Roe"], "year": 2024}},
            {"@type": "MusicEvent", "name": "An Evening of Songs", "creator": "Jane Roe", "date": "2024"},
            {
                "title": "The Tea House",
                "details": {"director": "Jane Roe", "publisher": "Penguin", "year": 1999},
            },
            {"movies": [{"title": "The Tea House", "writers": ["Jane Roe"], "year": 1999}]},
            {"type": "film", "title": "The Tea House", "writer": "Jane Roe", "year": 1999},
            {"title": "The Tea House", "source": {"publisher": "Penguin", "year": 1999}},
            {"title": "Cups and Saucers", "by": "The Leaves", "details": {"album": "Tea", "year": 1999}},
            {
                "songs": [
                    {"title": "Cups and Saucers", "by": {"name": "The Leaves"}, "published": {"year": 1999}}
                ]
            },
            {"title": "Tea Empire", "publisher": {"name": "Leaf Games", "country": "Norway"}, "year": 2021},
            {"title": "Tea Pot No. 5", "metadata": {"brand": "Leaf", "publisher": "Dover", "year": 2021}},
            {
                "title": "Tea Taster",
                "publication": {"site": "Leaf Jobs", "date": "2024", "url": "https://x.org"},
            },
            {
                "jobs": [
                    {"title": "Editor of Tea Books", "publisher": {"name": "Penguin"}, "published": "2024"}
                ]
            },
            {"courses": [{"title": "Tea in Five Days", "by": "Jane Roe", "year": 2024}]},
            {"title": "Tea in Five Days", "by": "Jane Roe", "instructor": "Jane Roe", "date": "2024"},
            {"title": "Tea in Five Days", "publisher": "Leaf Academy", "published": {"date": "2024"}},
            {
                "title": "Tea with Milk",
                "details": {"ingredients": ["tea"], "publisher": "Dover", "year": 1999},
            },
        ],
    )
    @pytest.mark.parametrize("listed", [False, True])
    def test_they_are_not_accused(self, value, listed, tmp_path):
        """Events, films, songs, games, products, jobs, courses; alone or in an array."""
        assert judged([value] if listed else value, tmp_path=tmp_path) == ()

    @pytest.mark.parametrize(
        "event",
        [
            {"title": "The Red Shoes Concert", "site": {"venue": "Town hall", "date": "2024"}},
            {"title": "The Red Shoes Concert", "venue": {"name": "The Leaf", "city": "Oslo"}, "date": "2024"},
            {"title": "The Red Shoes Concert", "venue": "The Leaf", "city": "Oslo", "year": 2024},
            {"title": "The Red Shoes Concert", "venue": "Oxford Museum of Tea", "date": "2024"},
        ],
    )
    def test_an_event_next_to_works_is_none(self, event, tmp_path):
        """In one array, where a title with a year is enough for others."""
        cited = {"title": "On Tea", "authors": ["J. Leaf"], "year": 1999}
        findings = judged({"results": [event, cited]}, tmp_path=tmp_path)
        assert [finding.verdict for finding in findings] == [Verdict.SUPPORTED]

    @pytest.mark.parametrize(
        "value",
        [
            {"title": "On Cups", "published": {"in": "EMNLP 2014", "year": 2014}, "authors": ["A. Cup"]},
            {"title": "On Cups", "publication": {"journal": "Leaves", "year": 2014}},
            {"title": "On Cups", "details": {"journal": "Leaves", "year": 2014}},
            {"title": "On Cups", "details": {"publisher": "Dover", "year": 2014}},
            {"title": "On Cups", "metadata": {"doi": "10.1000/cups"}},
            {"title": "On Cups", "publication": {"venue": "EMNLP", "year": 2014}},
            {"title": "On Cups", "venue": {"name": "NeurIPS", "year": 2014}},
            {"title": "On Cups", "venue": "Cup Days", "volume": 3, "year": 2014},
            {"title": "On Cups", "journal": {"name": "Leaves", "volume": 3}},
            {"title": "On Cups", "source": {"journal": "Leaves", "year": 2014}},
            {"title": "On Cups", "published": {"verlag": "Leaf", "year": 2014}},
            {"papers": [{"title": "On Cups", "in": {"name": "Leaves", "year": 2014}}]},
            {"papers": [{"title": "On Cups", "venue": "Cup Days"}]},
            {"references": [{"title": "On Cups", "site": {"venue": "Town hall", "date": "2024"}}]},
            {"films": [{"title": "On Cups", "author": "A. Cup", "publisher": "Dover", "year": 2014}]},
            {"events": [{"title": "A Talk", "references": [{"title": "On Cups", "year": 2014}]}]},
            {"course": {"title": "Tea", "papers": [{"title": "On Cups", "year": 2014}]}},
            {"title": "On Cups", "author": "A. Cup", "venue": {"name": "Cup Days", "city": "Oslo"}},
            {"title": "On Cups", "author": "A. Cup", "venue": "Stanford University", "year": 2014},
            {"title": "On Cups", "venue": "Prentice Hall", "year": 2014},
            {"title": "On Cups", "author": "A. Cup", "year": 2014, "category": "Film"},
            {"title": "On Cups", "metadata": {"authors": ["A. Cup"], "year": 2014}},
            [{"title": "On Cups", "venue": "Cup Days", "year": 2014}, WORK],
        ],
    )
    def test_works_are_read_as_before(self, value):
        """By a journal, an identifier, a publisher in an object about where it appeared, or a known venue."""
        assert read(value)[0].title == "On Cups"


class TestContainers:
    """What a chapter or an article is in has identifiers of its own."""

    CHAPTER: ClassVar[dict[str, object]] = {"title": "A Chapter on Cups", "authors": ["Jane Roe"]}

    @pytest.mark.parametrize(
        "key",
        ["in", "series", "journal", "book", "proceedings", "container", "publisher", "venue", "conference",
         "source", "published_in", "container-title", "booktitle", "collection"],
    )  # fmt: skip
    @pytest.mark.parametrize(
        "more",
        [
            {"doi": "10.1000/handbook"},
            {"isbn": "978-0-306-40615-7"},
            {"url": "https://doi.org/10.1000/handbook"},
            {"url": "https://example.org/handbook", "pages": 300},
            {"identifiers": {"doi": "10.1000/handbook"}},
            {"pmid": "1234567", "arxiv": "1706.03762"},
        ],
    )
    def test_its_identifiers_are_not_the_works(self, key, more):
        """Nor are its address and the number of its pages; the year is."""
        [found] = read({**self.CHAPTER, key: {"name": "Handbook of Teacups", **more, "year": 2001}})
        assert found == Reference(
            title="A Chapter on Cups", authors=("Jane Roe",), year=2001, venue=found.venue
        )

    @pytest.mark.parametrize("key", ["in", "series", "book", "proceedings", "container", "journal"])
    @pytest.mark.parametrize("name", ["name", "title"])
    def test_its_name_year_and_volume_count(self, key, name):
        """And a range of pages, which no whole book has."""
        said = {
            name: "Handbook of Teacups",
            "year": 2001,
            "volume": 3,
            "pages": "12–30",
            "doi": "10.1000/handbook",
        }
        assert read({**self.CHAPTER, key: said}) == [
            Reference(
                title="A Chapter on Cups", authors=("Jane Roe",), year=2001, venue="Handbook of Teacups",
                volume="3", pages="12–30",
            )
        ]  # fmt: skip

    @pytest.mark.parametrize(
        "key",
        [
            "published",
            "publication",
            "identifiers",
            "ids",
            "links",
            "details",
            "metadata",
            "publication_info",
        ],
    )
    def test_under_other_keys_they_are(self, key):
        """The object is about the work itself."""
        assert read({**self.CHAPTER, key: {"doi": "10.1000/cups"}})[0].doi == "10.1000/cups"

    def test_its_own_come_before_what_the_container_has(self):
        value = {
            **self.CHAPTER,
            "in": {"name": "Handbook of Teacups", "doi": "10.1000/handbook", "year": 1990},
            "published": {"doi": "10.1000/cups", "year": 2001},
        }
        [found] = read(value)
        assert (found.doi, found.year, found.venue) == ("10.1000/cups", 2001, "Handbook of Teacups")

    def test_a_container_within_what_is_said_of_the_publication(self):
        """Two levels down."""
        journal = {"name": "Leaves", "doi": "10.1000/leaves"}
        [found] = read({**self.CHAPTER, "publication": {"journal": journal, "year": 2001}})
        assert (found.doi, found.year, found.venue) == ("", 2001, "Leaves")

    def test_an_issue(self):
        """Its number is the work's, its DOI is not."""
        value = {
            **self.CHAPTER,
            "journal": "Leaves",
            "issue": {"number": 3, "doi": "10.1000/leaves.3", "year": 2001},
        }
        [found] = read(value)
        assert (found.doi, found.year, found.issue) == ("", 2001, "3")

    def test_a_book_under_review_is_another_work(self):
        """It has authors: its year and name are not the review's."""
        book = {"title": "On Tea", "authors": ["J. Leaf"], "year": 1999}
        [found] = read({**self.CHAPTER, "book": book})
        assert (found.year, found.venue) == (None, "")

    @pytest.mark.parametrize(
        "key", ["in", "series", "journal", "book", "proceedings", "container", "publisher"]
    )
    def test_a_real_chapter_is_not_misquoted(self, key, tmp_path):
        """It was, for the DOI of the book."""
        chapter = Record("A Chapter on Cups", ("Jane Roe",), year=2001, doi="10.1000/cups")
        book = Record("Handbook of Teacups", ("Ann Moe",), year=2001, doi="10.1000/handbook")
        value = {**self.CHAPTER, key: {"name": "Handbook of Teacups", "doi": "10.1000/handbook"}}
        [finding] = judged(value, chapter, book, tmp_path=tmp_path)
        assert finding.verdict is Verdict.SUPPORTED


def test_keys_of_news_articles():
    """A headline is a title, as in schema.org."""
    text = '{"entries": [{"headline": "The Right to Cups", "written_by": "Jane Roe; Al Poe", "appeared_in": "Harvard Law Review", "when": "1890"}]}'
    [found] = citations(text, tagger=packaged_tagger())
    said = found.reference
    assert (said.title, said.authors, said.venue, said.year) == (
        "The Right to Cups", ("Jane Roe", "Al Poe"), "Harvard Law Review", 1890,
    )  # fmt: skip


def test_short_keys_and_nothing():
    (one,) = citations('{"paper": "The Long Shadow of Maps", "first_author": "Hans Rosling", "yr": 2001}')
    assert one.reference.year == 2001
    (one,) = citations(
        "references:\n  - name: The Long Shadow of Maps\n    by: ~\n    year: 2019\n",
        tagger=packaged_tagger(),
    )
    assert one.reference.authors == ()


def test_abbreviations_of_bibtex():
    text = '@string{aw = "Addison-Wesley"}\n@book{g, author = {Erich Gamma}, title = {Design Patterns}, publisher = aw, year = 1994}'
    (one,) = citations(text, tagger=packaged_tagger())
    assert (one.reference.venue, one.span.start) == ("Addison-Wesley", text.index("@book"))
