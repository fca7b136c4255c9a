"""Pages, sites and links: what a title with an address says."""

import pytest

from guardrail.references.citations import citations, parse_reference


def read(text, **options):
    """The span, title, authors, year and venue of each reference."""
    return [
        (
            one.span.of(text),
            one.reference.title,
            one.reference.authors,
            one.reference.year,
            one.reference.venue,
        )
        for one in citations(text, **options)
    ]


class TestSites:
    @pytest.mark.parametrize(
        ("text", "title", "authors", "venue"),
        [
            ("Hay fever – NHS\nhttps://www.nhs.uk/conditions/hay-fever/", "Hay fever", (), "NHS"),
            (
                "Hay fever - Symptoms and causes – Mayo Clinic\nhttps://www.mayoclinic.org/hay-fever",
                "Hay fever - Symptoms and causes",
                (),
                "Mayo Clinic",
            ),
            ("Hay fever: MedlinePlus\nhttps://medlineplus.gov/hayfever.html", "Hay fever", (), "MedlinePlus"),
            (
                '"Siege of the Bells", *Encyclopaedia Britannica*, https://www.britannica.com/event/Bells',
                "Siege of the Bells",
                (),
                "Encyclopaedia Britannica",
            ),
            (
                "Hay fever in dairy farmers – NEJM\nhttps://doi.org/10.1056/NEJMoa999999",
                "Hay fever in dairy farmers",
                (),
                "NEJM",
            ),
            (
                "Computing with bells – Physical Review Letters (1982) – https://doi.org/10.1007/BF02650999",
                "Computing with bells",
                (),
                "Physical Review Letters",
            ),
            (
                "Bells of Winter – Mary Poe – https://www.example.org/bells",
                "Bells of Winter",
                ("Mary Poe",),
                "",
            ),
            ("Letters, Mary Poe: https://www.example.org/letters", "Letters", ("Mary Poe",), ""),
            ("Winterbells (Poe) https://www.example.org/bells", "Winterbells", ("Poe",), ""),
        ],
    )
    def test_a_site_is_no_author(self, text, title, authors, venue):
        """Its name is in the address, or it is a known journal."""
        found = parse_reference(text)
        assert (found.title, found.authors, found.venue) == (title, authors, venue)

    def test_surnames_behind_a_dash_are_the_authors(self):
        """What follows their year is commentary."""
        found = parse_reference(
            "[Consensus of Bells with One Faulty Ringer](https://doi.org/10.1145/9999.1) – Novak, Kim, Poe, 1985. Ring-before, chimes."
        )
        assert (found.authors, found.year, found.venue) == (("Novak", "Kim", "Poe"), 1985, "")

    def test_a_label_before_a_link_is_no_title(self):
        """The original paper: [Title](address), ICML 2019."""
        text = "- The original bell paper: [Parameter-Efficient Ringing](https://arxiv.org/abs/1902.09999), ICML 2019. Short."
        [(span, title, authors, year, venue)] = read(text, asked_for_references=True)
        assert span.startswith("[Parameter")
        assert (title, authors, year, venue) == ("Parameter-Efficient Ringing", (), 2019, "ICML")

    def test_what_an_identifier_is_of_is_no_title(self):
        """A few words in small letters describe it."""
        [citation] = citations(
            "- Bell genome (Swiss): https://doi.org/10.1038/99999999", asked_for_references=True
        )
        assert (citation.reference.title, citation.reference.doi) == ("", "10.1038/99999999")


class TestPages:
    @pytest.mark.parametrize(
        ("text", "span", "title", "authors", "year"),
        [
            (
                "Read [The Tale of Seven Bells](https://www.example.org/texts/1342) first.",
                "[The Tale of Seven Bells](https://www.example.org/texts/1342)",
                "The Tale of Seven Bells",
                (),
                None,
            ),
            (
                "See [RFC 9999][bells].\n\n[bells]: https://www.example.org/rfc/rfc9999",
                "[RFC 9999][bells]",
                "RFC 9999",
                (),
                None,
            ),
            (
                'See <a href="https://www.example.org/bells.html">A Plan for Bells</a>, Mary Poe, August 2002.',
                '<a href="https://www.example.org/bells.html">A Plan for Bells</a>, Mary Poe, August 2002',
                "A Plan for Bells",
                ("Mary Poe",),
                2002,
            ),
        ],
    )
    def test_a_link_with_a_title_names_a_page(self, text, span, title, authors, year):
        """No index has it, so that it is never called wrong."""
        [citation] = citations(text)
        said = citation.reference
        assert (citation.span.of(text), said.title, said.authors, said.year) == (span, title, authors, year)
        assert citation.style == "unmarked"

    def test_a_link_in_html_belongs_to_its_reference(self):
        """From its first to its last character, and with what its address says."""
        text = 'The note is <a href="https://doi.org/10.1145/9999.1">Bell Rings Considered Harmful</a>, Mary D. Poe (1968). It is short.'
        [citation] = citations(text)
        assert citation.span.of(text) == text[12:-14]
        assert (citation.reference.title, citation.reference.doi) == (
            "Bell Rings Considered Harmful",
            "10.1145/9999.1",
        )

    def test_what_follows_an_address_is_no_title(self):
        """Names and a year, their address, and then a sentence."""
        text = "- Ho, Jain & Poe (2020), https://arxiv.org/abs/2006.19999. Implement It on Bells."
        [citation] = citations(text)
        said = citation.reference
        assert (said.title, said.authors, said.year) == ("", ("Ho", "Jain", "Poe"), 2020)
        assert citation.span.of(text).endswith("19999")

    @pytest.mark.parametrize(
        "text",
        [
            "Use [Bell Package Manager](https://bells.example.org).",
            "[Read the Full Article Here](https://www.example.org/a/b).",
            "Click [the blue button](https://www.example.org/a/b).",
            "![A Chart of Bells](https://www.example.org/a/chart.png)",
        ],
    )
    def test_other_links_are_none(self, text):
        """Front pages, pointers, words in small letters, pictures."""
        assert citations(text) == []


class TestLists:
    def test_a_picture_before_each_line_is_a_marker(self):
        """Three or more below each other."""
        text = (
            "Free books:\n📗 Letters, Mary Poe: https://www.example.org/1\n📗 On Bells – J. S. Roe – https://www.example.org/2\n"
            "📗 Winterbells (Poe) https://www.example.org/3\n"
        )
        assert [one.reference.title for one in citations(text, asked_for_references=True)] == [
            "Letters",
            "On Bells",
            "Winterbells",
        ]

    def test_columns_say_where_and_which(self):
        """A column "Where", a column of ISBNs."""
        text = (
            "| Book | Author | Where | ISBN-13 |\n|---|---|---|---|\n"
            "| *Bells of Winter* | Mary Poe | Verso | 978-0-262-03384-8 |\n"
        )
        [citation] = citations(text)
        assert (citation.reference.venue, citation.reference.isbn) == ("Verso", "9780262033848")

    def test_a_group_in_brackets_is_an_author(self):
        """Not a place of publication, though "Science" is in its name."""
        found = parse_reference("**Counting the bells of the world** (Open Science Collaboration), 2015")
        assert found.authors == ("Open Science Collaboration",)
