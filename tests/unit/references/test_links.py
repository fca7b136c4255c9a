"""Pages, sites and links: what a title with an address says."""

import pytest

from guardrail import Guard, Verdict
from guardrail.references.bibliography.index import Index
from guardrail.references.bibliography.records import Record, Reference
from guardrail.references.check import ReferenceCheck
from guardrail.references.citations import citations, parse_reference
from guardrail.references.citations.sites import parted


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
            ("[Ringing bells | BDN](https://docs.bells.example.org/ring)", "Ringing bells", (), "BDN"),
            (
                "Counting bells | Nature. https://www.nature.com/articles/999999z",
                "Counting bells",
                (),
                "Nature",
            ),
            ("Bell ropes. Wikipedia. https://en.wikipedia.org/wiki/Ropes", "Bell ropes", (), "Wikipedia"),
            (
                "Bell. Encyclopædia Britannica. https://www.britannica.com/bell (accessed May 3, 2024).",
                "Bell",
                (),
                "Encyclopædia Britannica",
            ),
            (
                "(PDF) Bells at sea - ResearchGate. https://www.researchgate.net/publication/9_Bells",
                "Bells at sea",
                (),
                "ResearchGate",
            ),
            (
                "[Stop the bells - mary99's Ramblings](http://towers.example.net/blog/)",
                "Stop the bells",
                (),
                "mary99's Ramblings",
            ),
            (
                "[RFC 9999 - Bell Tokens](https://datatracker.ietf.org/doc/html/rfc9999)",
                "Bell Tokens",
                (),
                "RFC 9999",
            ),
            (
                "**Winter Bells** – *Encyclopedia of Bells* – https://bells.example.edu/w/",
                "Winter Bells",
                (),
                "Encyclopedia of Bells",
            ),
            (
                "**Bells** (Mary Poe & J. Roe, *EB*) – [https://bells.example.edu/b/](https://bells.example.edu/b/)",
                "Bells",
                ("Mary Poe", "J. Roe"),
                "EB",
            ),
            ("On Bells (Poe, 2019) [PDF](https://www.example.org/bells)", "On Bells", ("Poe",), ""),
            (
                "[Bells Again](https://www.example.org/b) (Mary Poe, PLoS Medicine, 2005)",
                "Bells Again",
                ("Mary Poe",),
                "PLoS Medicine",
            ),
            (
                "Mary Poe, *On Bells*, Section VIII – free at Project Gutenberg: https://www.gutenberg.org/ebooks/9",
                "On Bells",
                ("Mary Poe",),
                "",
            ),
            ("Winterbells (Poe) https://www.example.org/bells", "Winterbells", ("Poe",), ""),
            (
                "Bells: The 3 Limits - BB/G, accessed June 14, 2025, [https://b.example.org/x/](https://b.example.org/x/)",
                "Bells: The 3 Limits",
                (),
                "BB/G",
            ),
            (
                "Can There Be Bells? A Review | Annals of Bells | Oxford Academic, accessed June 14, 2025, https://doi.org/10.9999/a",
                "Can There Be Bells? A Review",
                (),
                "Annals of Bells",
            ),
            (
                "A Trial of Bells | Request PDF - ResearchGate, Zugriff am Juni 14, 2025, https://r.example.net/b",
                "A Trial of Bells",
                (),
                "",
            ),
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
        text = 'The note is <a href="https://doi.org/10.1145/9999.1">Loud Towers Considered Harmful</a>, Mary D. Poe (1968). It is short.'
        [citation] = citations(text)
        assert citation.span.of(text).rstrip(".") == text[12:-14]
        assert (citation.reference.title, citation.reference.doi) == (
            "Loud Towers Considered Harmful",
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

    @pytest.mark.parametrize(
        ("text", "span", "identifier"),
        [
            (
                "**Bells of Winter** (Poe & Roe, 2020)\n🔗 https://arxiv.org/abs/2006.99999\n→ rings",
                "🔗 https://arxiv.org/abs/2006.99999",
                "2006.99999",
            ),
            (
                "**Bells of Winter** (Poe & Roe, 2020)\n📄 <https://arxiv.org/abs/2006.99999>",
                "<https://arxiv.org/abs/2006.99999>",
                "2006.99999",
            ),
            (
                "**Bells of Winter** (Poe & Roe, 2020)\nLink: https://arxiv.org/abs/2006.99999",
                "Link: https://arxiv.org/abs/2006.99999",
                "2006.99999",
            ),
            (
                "**Bells of Winter** (Poe & Roe, 2020)\n➡️ [Read it](https://arxiv.org/abs/2006.99999)",
                "➡️ [Read it](https://arxiv.org/abs/2006.99999)",
                "2006.99999",
            ),
            (
                "**Bells of Winter** (Poe & Roe, 2020)\nhttps://arxiv.org/abs/2006.99999",
                "https://arxiv.org/abs/2006.99999",
                "2006.99999",
            ),
            (
                "1. *Bells of Winter* (Poe & Roe, 2020)\n   🔗 https://arxiv.org/abs/2006.99999",
                "🔗 https://arxiv.org/abs/2006.99999",
                "2006.99999",
            ),
            (
                "See *Bells of Winter* (Roe et al., ICLR 2017, [arXiv:2006.99999](https://arxiv.org/abs/2006.99999)): they ring.",
                "(https://arxiv.org/abs/2006.99999))",
                "2006.99999",
            ),
        ],
    )
    def test_an_address_below_or_behind_belongs_to_the_title(self, text, span, identifier):
        """Behind a picture, a label, or alone."""
        [found] = citations(text)
        assert found.span.of(text).endswith(span)
        assert (found.reference.title, found.reference.arxiv) == ("Bells of Winter", identifier)

    def test_where_it_is_free_belongs_to_it(self):
        """With the section before it."""
        text = "- Mary Poe, *On Bells*, Section VIII – free at Project Gutenberg: https://www.gutenberg.org/ebooks/9"
        assert [one.span.of(text) for one in citations(text, asked_for_references=True)] == [text[2:]]

    def test_the_title_of_another_work_below_does_not(self):
        """It has its own address."""
        text = "**Bells of Winter** (Poe & Roe, 2020)\n[Silent Towers of the North](https://arxiv.org/abs/2006.99999)"
        assert [one.reference.title for one in citations(text)] == [
            "Bells of Winter",
            "Silent Towers of the North",
        ]

    @pytest.mark.parametrize(
        ("before", "behind"),
        [
            ("**BeLL** — ", ": ring, then listen."),
            ("**Short peals** — ", ": ring them."),
            ("*Long peals.* Ring the best of them first and last; see ", "."),
            ("", ' → for "which bell where?"'),
        ],
    )
    def test_what_it_is_about_is_no_title(self, before, behind):
        """A short name, a few words in bold, or a remark."""
        link = "[Lost in the Tower: How Sailors Hear Long Peals](https://arxiv.org/abs/2001.00001)"
        [found] = citations(f"- {before}{link}{behind}\n- Another.\n")
        assert (found.reference.title, found.reference.authors) == (link[1:].split("]", maxsplit=1)[0], ())

    def test_names_before_a_number_are_its_authors(self):
        """In a cell of a table, the number as the text of the link."""
        text = "| Step | Source |\n|---|---|\n| peal | Poe & Roe, [arXiv:2001.00001](https://arxiv.org/abs/2001.00001) |"
        [found] = citations(text)
        assert (found.reference.authors, found.reference.arxiv) == (("Poe", "Roe"), "2001.00001")

    def test_of_slack_are_as_others(self):
        """Address and text between angle brackets."""
        text = "Read <https://bells.example.org/2016/how-to-ring|How to Ring Bells at Night in Towns> first."
        [found] = citations(text)
        assert found.reference.title == "How to Ring Bells at Night in Towns"
        assert found.reference.url == "https://bells.example.org/2016/how-to-ring"

    @pytest.mark.parametrize(
        ("link", "title", "authors"),
        [
            ("[Poe et al., NEJM 2001](https://doi.org/10.9999/a)", "", ("Poe",)),
            ("[A Trial of Bells at Night](https://doi.org/10.9999/a)", "A Trial of Bells at Night", ()),
        ],
    )
    def test_a_sentence_before_its_source_is_no_title(self, link, title, authors):
        """The link alone is the reference."""
        text = f'- **2001:** a small trial found **no** benefit of "early ringing" for the sleep of sailors → {link}\n'
        [found] = citations(text)
        assert (found.span.of(text), found.reference.title, found.reference.authors) == (link, title, authors)

    def test_what_stands_below_an_address_is_said_of_it(self):
        """Remarks, and orders of names."""
        text = (
            "Free books:\n1. **Winter Bells** – *Encyclopedia of Bells* – https://bells.example.edu/w/\n"
            "   - Poe → Roe → Doe, in order. Very friendly.\n"
            "2. **Causal Bells** by Carl Roe – https://bells.example.edu/c/\n   - More metal than ethics; for the keen ones 🔭\n"
        )
        assert [one.reference.title for one in citations(text, asked_for_references=True)] == [
            "Winter Bells",
            "Causal Bells",
        ]

    def test_a_page_is_never_called_made_up(self, tmp_path):
        """No bibliography has all pages of the web."""
        with Index.create(tmp_path / "works.sqlite", complete=True) as index:
            index.add([Record("Bells of Winter", authors=("Poe, Mary",), year=1990)])
        answer = "Sources:\n1. [Ringing Bells at Night](https://bells.example.org/night)\n2. Silent Ropes of the Western Towers, Jane Roe, 1991\n"
        findings = Guard([ReferenceCheck(bibliography=tmp_path / "works.sqlite")]).check(answer).findings
        assert [one.verdict for one in findings] == [Verdict.UNVERIFIED, Verdict.UNSUPPORTED]


class TestAddresses:
    @pytest.mark.parametrize(
        "url",
        [
            "https://www.science.example.org/doi/10.9999/bells.9.1",
            "https://journals.example.com/doi/full/10.9999/bells.9.1",
            "https://www.frontiers.example.org/articles/10.9999/bells.9.1/full",
            "https://journals.example.org/article?id=10.9999/bells.9.1&type=printable",
            "https://www.example.org/content/10.9999/bells.9.1v2.full.pdf",
            "https://www.example.org/doi/10.9999%2Fbells.9.1/",
        ],
    )
    def test_of_publishers_hold_identifiers(self, url):
        """In the path or as a parameter, with more behind."""
        assert parse_reference(f"Bells of Winter. {url}").doi == "10.9999/bells.9.1"


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

    def test_one_column_may_say_two_things(self):
        """Publisher and year, authors and year."""
        text = "| Title | Author | Publisher, year |\n|---|---|---|\n| *Bells of Winter* | Mary Poe | Bellhouse, 1998 |\n"
        assert read(text) == [
            (
                "*Bells of Winter* | Mary Poe | Bellhouse, 1998",
                "Bells of Winter",
                ("Mary Poe",),
                1998,
                "Bellhouse",
            )
        ]

    def test_surnames_alone_are_two_people(self):
        """Where other rows have surnames alone; else it is one name."""
        head = "| Title | Authors |\n|---|---|\n| *Bells of Winter* | Poe, Roe |\n| *Bells of the Sea* | "
        assert next(one.reference.authors for one in citations(head + "Poe, Roe, Doe |\n")) == ("Poe", "Roe")
        assert next(one.reference.authors for one in citations(head + "Doe, Ann |\n")) == ("Poe, Roe",)

    def test_a_group_in_brackets_is_an_author(self):
        """Not a place of publication, though "Science" is in its name."""
        found = parse_reference("**Counting the bells of the world** (Open Science Collaboration), 2015")
        assert found.authors == ("Open Science Collaboration",)


BOOKS = [
    ("Think Stats: https://greenteapress.com/", "Think Stats", ()),
    ("Think Python: https://greenteapress.com/wp/think-python/", "Think Python", ()),
    ("*Deep Learning* (https://www.deeplearningbook.org/)", "Deep Learning", ()),
    ("**The Effect**: https://theeffectbook.net/", "The Effect", ()),
    ("*Dive into Deep Learning* (https://d2l.ai/)", "Dive into Deep Learning", ()),
    (
        "Allen Downey, Think Stats, https://greenteapress.com/thinkstats/",
        "Think Stats",
        ("Allen Downey",),
    ),
    ("Jane Roe, Quiet Rivers, https://rivers.example.org/", "Quiet Rivers", ("Jane Roe",)),
]
TOOLS = [
    "NumPy (https://numpy.org/)",
    "NumPy: https://numpy.org/",
    "[WHO](https://www.who.int/)",
    "[World Health Organization](https://www.who.int/)",
    "**Khan Academy** – https://www.khanacademy.org/",
    "[Stack Overflow](https://stackoverflow.com/)",
    "*Project Gutenberg* (https://www.gutenberg.org/)",
    "*The New York Times* (https://www.nytimes.com/)",
    "RStudio Desktop: https://posit.co",
    "Tor Browser, https://www.torproject.org",
    "Google Scholar: https://scholar.google.com",
    "Official Docs: https://numpy.org/doc",
]


class TestFrontPages:
    @pytest.mark.parametrize(("text", "title", "authors"), BOOKS)
    def test_a_book_may_have_a_site_of_its_own(self, text, title, authors):
        """Alone on a line, or in a list, where references are asked for."""
        for around in ("{}", "Here is one:\n\n{}\n\nEnjoy!", "- {}\n- *Trees* by Mary Poe (1998)\n"):
            found = citations(around.format(text), asked_for_references=True)[0]
            assert (found.reference.title, found.reference.authors) == (title, authors)

    @pytest.mark.parametrize("text", TOOLS)
    def test_a_tool_or_an_organisation_is_no_reference(self, text):
        """Only its name is said, and where to find it."""
        assert citations(text) == []
        assert citations(text, asked_for_references=True) == []
        assert citations(f"It is free.\n\n{text}\n\nEnjoy!", asked_for_references=True) == []

    def test_a_link_to_a_front_page_is_read_if_it_names_a_document(self):
        """Not if it is the site's name."""
        text = "See [Python Packaging User Guide](https://packaging.python.org/) or [Our World in Data](https://ourworldindata.org/)."
        assert [one.reference.title for one in citations(text)] == ["Python Packaging User Guide"]


@pytest.mark.parametrize(
    "address", ["http://[abc", "https://[::1/reeds", "http://a.b:99999999/reeds", "https://a.b:x/reeds"]
)
def test_an_address_that_no_library_takes_is_no_error(address):
    """The answer is hostile input."""
    for text in (
        f"*Walden* ([Gutenberg]({address})) by Thoreau, 1854",
        f"See [The Reeds of the Shore]({address}).",
        f"1. The Reeds of the Shore – Wetland Notes, {address}",
        f"[The Reeds of the Shore][1]\n\n[1]: {address}",
    ):
        parse_reference(text)
        citations(text, asked_for_references=True)


@pytest.mark.parametrize(
    ("link", "title", "venue"),
    [
        ("[Gout – Mayo Clinic](https://www.mayoclinic.org/gout)", "Gout", "Mayo Clinic"),
        ("[CDC – About Measles](https://www.cdc.gov/measles)", "About Measles", "CDC"),
        (
            "[Our World in Data – Some emissions](https://ourworldindata.org/co2)",
            "Some emissions",
            "Our World in Data",
        ),
        (
            "[PEP 257 – Docstring Conventions](https://peps.python.org/pep-0257/)",
            "Docstring Conventions",
            "PEP 257",
        ),
    ],
)
def test_the_site_is_at_one_end_of_a_links_text(link, title, venue):
    """Before a sign or behind it, if the address is its own."""
    [found] = citations(f"Read {link} first.", asked_for_references=True)
    assert (found.reference.title, found.reference.venue) == (title, venue)


@pytest.mark.parametrize(
    ("site", "title", "address"),
    [
        ("Python docs", "Generating pseudo-random numbers", "https://docs.python.org/3/library/random.html"),
        ("GitHub docs", "About merge conflicts", "https://docs.github.com/en/pull-requests/about-conflicts"),
        ("GitHub Docs", "About merge conflicts", "https://docs.github.com/en/pull-requests/about-conflicts"),
        ("React docs", "You Might Not Need an Effect", "https://react.dev/learn/you-might-not"),
        ("Kubernetes documentation", "Pods and their lifecycle", "https://kubernetes.io/docs/pods"),
        ("Python docs", "The Python Tutorial", "https://docs.python.org/3/tutorial/"),
        ("CDC", "About Lyme Disease", "https://www.cdc.gov/lyme"),
        ("CDC", "Botulism", "https://www.cdc.gov/botulism/"),
        ("GOV.UK", "Private renting", "https://www.gov.uk/private-renting"),
        ("NHS", "Treatment of chronic gout attacks", "https://www.nhs.uk/conditions/gout/"),
        ("MDN", "Using the Fetch API in your code", "https://developer.mozilla.org/en-US/docs/Web/API"),
        ("Mayo Clinic", "Gout symptoms and causes", "https://www.mayoclinic.org/gout"),
        ("PostgreSQL", "Using EXPLAIN", "https://www.postgresql.org/docs/current/using-explain.html"),
        ("Wikipedia", "Heat pump", "https://en.wikipedia.org/wiki/Heat_pump"),
        ("Stanford Encyclopedia of Philosophy", "Free Will", "https://plato.stanford.edu/entries/freewill/"),
    ],
)
def test_a_site_before_a_colon_is_the_venue(site, title, address):
    """The address is its own; in a list, as the text of a link, and with the address in both places."""
    said = f"{site}: {title}"
    for item in (f"{said} {address}", f"[{said}]({address})", f"{said} [{address}]({address})"):
        text = f"Sources:\n\n- {item}\n- *Trees* by Mary Poe (1998)\n"
        found = citations(text, asked_for_references=True)[0].reference
        assert (found.title, found.venue, found.authors) == (title, site, ())


def test_the_number_of_a_standard_is_no_volume():
    """RFC 9111 is where it appeared."""
    text = '1. R. Fielding, M. Nottingham, "HTTP Caching", RFC 9111, 2022.'
    [found] = citations(text, asked_for_references=True)
    assert found.reference.venue == "RFC 9111"


@pytest.mark.parametrize(
    ("title", "address"),
    [
        ("BLAST: Basic Local Alignment Search Tool", "https://blast.ncbi.nlm.nih.gov/Blast.cgi"),
        ("BLAST – Basic Local Alignment Search Tool", "https://blast.ncbi.nlm.nih.gov/Blast.cgi"),
        ("NASA: A History of the Space Program", "https://www.nasa.gov/history"),
        ("Machine Learning - A Probabilistic Perspective", "https://machinelearning.org/book"),
        ("Measles: a history", "https://www.measles.org/history"),
        ("Python: the complete guide", "https://www.python.org/guide"),
        ("Python: the complete guide", "https://docs.python.org/guide"),
        ("Docker: Up and Running", "https://www.docker.com/book"),
        ("Deep Learning: Foundations and Concepts", "https://deeplearning.org/"),
        ("Think Stats: Probability for Programmers", "https://greenteapress.com/probability"),
    ],
)
def test_a_title_is_not_parted_because_its_address_has_its_first_words(title, address):
    """What an acronym stands for, and subtitles, belong to it."""
    said = Reference(title, url=address)
    assert parted(said) == said


def test_a_title_that_begins_with_the_name_of_its_site_is_found(tmp_path):
    """A whole title, which the index has."""
    path = tmp_path / "refs.sqlite"
    with Index.create(path, complete=True) as index:
        index.add([Record("NASA: A History of the Space Program", ("Ann Roe",), year=1994)])
    guard = Guard([ReferenceCheck(bibliography=path, tagger="off")])
    text = "- *NASA: A History of the Space Program* (1994), https://www.nasa.gov/history"
    assert [one.verdict for one in guard.check(text).findings] == [Verdict.SUPPORTED]
