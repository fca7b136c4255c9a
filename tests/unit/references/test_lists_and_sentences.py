"""Shapes of chatbots' lists and sentences: names above titles, labels below headings, abbreviated journals, East Asian prose."""

import pytest

from guardrail.references.citations import citations, parse_reference
from guardrail.references.citations.eastern import eastern


def _read(answer):
    return [
        (one.reference.title, one.reference.authors, one.reference.year, one.reference.venue)
        for one in citations(answer, asked_for_references=True)
    ]


class TestFields:
    """One string."""

    @pytest.mark.parametrize(
        ("text", "title", "authors", "year", "venue"),
        [
            (
                "R. Roe & M. Poe, “Spin in Thin Films,” Phys. Rev. Lett. 13, 321 (1964)",
                "Spin in Thin Films",
                ("R. Roe", "M. Poe"),
                1964,
                "Phys. Rev. Lett",
            ),
            (
                "*Rivers of Ink* – Ann Doe (Henry Holt, 2014)",
                "Rivers of Ink",
                ("Ann Doe",),
                2014,
                "Henry Holt",
            ),
            (
                "Ann Doe — *A Calculus of Relays* (PhD thesis, Stanford, 2014)",
                "A Calculus of Relays",
                ("Ann Doe",),
                2014,
                "Stanford",
            ),
            (
                "Origins of slow change (Woese C.R., Fox G.E., 1977, PNAS)",
                "Origins of slow change",
                ("Woese C.R.", "Fox G.E."),
                1977,
                "PNAS",
            ),
            (
                "**Anne de Bois**, *Le Second Jardin*, Paris, Gallimard, 1949 : « On ne naît pas jardin ».",
                "Le Second Jardin",
                ("Anne de Bois",),
                1949,
                "Gallimard",
            ),
            (
                "**Jan Berg: „Theorie der kleinen Dinge“** (Suhrkamp, 1981)",
                "Theorie der kleinen Dinge",
                ("Jan Berg",),
                1981,
                "Suhrkamp",
            ),
            (
                "***Small Pushes*** (2008), Ann Doe & Richard Roe: choice architecture.",
                "Small Pushes",
                ("Ann Doe", "Richard Roe"),
                2008,
                "",
            ),
            (
                "RFC 9999, “Semantics of Teapots” (R. Roe, M. Poe, June 2022)",
                "Semantics of Teapots",
                ("R. Roe", "M. Poe"),
                2022,
                "",
            ),
            (
                "Doe, J., Roe, R., et al.: A safe operating space for rivers, Nature, 461, 472–475, 2009.",
                "A safe operating space for rivers",
                ("Doe, J.", "Roe, R."),
                2009,
                "Nature",
            ),
            (
                "Roe R, Poe M. Deep gardens[J]. Nature, 2015, 521(7553): 436-444.",
                "Deep gardens",
                ("Roe R", "Poe M"),
                2015,
                "Nature",
            ),
            (
                "Roe, M. (1986). The forms of gardens. In J. G. Poe (Ed.), *Handbook of hedges and lawns* (pp. 241–258). Verdant.",
                "The forms of gardens",
                ("Roe, M.",),
                1986,
                "Handbook of hedges and lawns",
            ),
            (
                "Roe, M. (1986). Gärten und ihre Formen. In P. Poe & K. Doe (Hrsg.), Handbuch der Hecken (S. 3–9). Berlin: Grün.",
                "Gärten und ihre Formen",
                ("Roe, M.",),
                1986,
                "Handbuch der Hecken",
            ),
            (
                "Roe, M. (2018). Do tall, dense, and thorny hedges keep more birds? A meta-analysis. *Journal of Hedges*, 44(2), 501–529.",
                "Do tall, dense, and thorny hedges keep more birds? A meta-analysis",
                ("Roe, M.",),
                2018,
                "Journal of Hedges",
            ),
            (
                'Van Dorn, Ann P., Richard Roe, Marie Poe, et al. 2015. "Trends in the Use of Hedges." *Journal of Hedges* 112 (18): 5649–54.',
                "Trends in the Use of Hedges",
                ("Van Dorn, Ann P.", "Richard Roe", "Marie Poe"),
                2015,
                "Journal of Hedges",
            ),
            (
                "Garden Ecosystem Assessment (GEA) (2005) *Gardens and Human Well-being*. London: Verdant Press.",
                "Gardens and Human Well-being",
                ("Garden Ecosystem Assessment",),
                2005,
                "Verdant Press",
            ),
        ],
    )
    def test_who_when_and_where(self, text, title, authors, year, venue):
        """Each part is the field that it is."""
        found = parse_reference(text)
        assert (found.title, found.authors, found.year, found.venue.rstrip(".")) == (
            title,
            authors,
            year,
            venue,
        )

    def test_pages_that_look_like_years_are_no_year(self):
        """The year of the work is behind them."""
        found = parse_reference(
            "Doe, J., Roe, R., and Poe, M.: Rivers of ink, P. Natl. Acad. Sci. USA, 105, 1786–1793, 2008."
        )
        assert (found.year, found.venue.rstrip(".")) == (2008, "P. Natl. Acad. Sci. USA")


class TestLists:
    """What stands on the lines of an item."""

    def test_names_title_and_press_on_lines_of_their_own(self):
        """The first line is no title."""
        answer = (
            "Further reading:\n\n1. Ann Doe\n   *Far Gardens*\n   Verso, 2013\n   Collected essays; won a prize.\n"
            "2. Richard Roe\n   *Near Gardens: Evidence and Change*\n   University of Chicago Press, 2019\n   With statistics.\n"
        )
        assert _read(answer) == [
            ("Far Gardens", ("Ann Doe",), 2013, "Verso"),
            ("Near Gardens: Evidence and Change", ("Richard Roe",), 2019, "University of Chicago Press"),
        ]

    def test_a_year_in_the_title_line_and_the_author_below(self):
        """The author's line is part of the reference, the remark below is not."""
        answer = "1. **Anatomy of Gardens (1957)**\n   Ann Doe\n   Four essays on modes.\n2. **The Hedge (1978)**\n   Richard Roe\n   On hedges.\n"
        found = citations(answer, asked_for_references=True)
        assert [one.span.of(answer) for one in found] == [
            "**Anatomy of Gardens (1957)**\n   Ann Doe",
            "**The Hedge (1978)**\n   Richard Roe",
        ]

    def test_signs_that_count_are_markers(self):
        """A digit in a box, a medal."""
        answer = "Three books:\n\n1️⃣ *Merchants of Ink* – Ann Doe (Verso, 2010)\n2️⃣ *The Great Hedge* – Richard Roe (Verso, 2016)\n"
        assert [title for title, *_ in _read(answer)] == ["Merchants of Ink", "The Great Hedge"]

    def test_a_heading_above_labels_is_the_title(self):
        """The labels say the rest; volume and pages are no part of the venue."""
        answer = (
            "### The oddest gardens in the world?\n**Authors:** Ann Doe, Richard Roe\n**Year:** 2010\n"
            "**Journal:** Behavioral and Brain Sciences, 33(2–3), 61–83\n**Why it matters:** nobody knows.\n"
        )
        assert _read(answer) == [
            (
                "The oddest gardens in the world?",
                ("Ann Doe", "Richard Roe"),
                2010,
                "Behavioral and Brain Sciences",
            )
        ]

    def test_a_label_for_two_fields(self):
        """Publisher and year on one line."""
        answer = "- Title: *A Biography of Ink*\n  - Author: Ann Doe\n  - Publisher / year: Scribner, 2010\n  - Level: general\n"
        assert _read(answer) == [("A Biography of Ink", ("Ann Doe",), 2010, "Scribner")]

    def test_an_address_on_a_line_of_its_own_is_no_label(self):
        """It belongs to the reference."""
        answer = "1. **The Illustrated Hedge**\n   Ann Doe, March 13, 2018\n   https://example.org/hedge/\n   → Pictures.\n"
        (found,) = citations(answer, asked_for_references=True)
        assert (
            found.reference.authors,
            found.reference.year,
            found.reference.url,
        ) == (("Ann Doe",), 2018, "https://example.org/hedge/")


class TestSentences:
    """Who is the subject of a sentence, or owns a title."""

    @pytest.mark.parametrize(
        ("sentence", "authors", "year", "venue"),
        [
            (
                "Ann Doe, in *Imagined Gardens of Ink* (Verso, 1983), made the point.",
                ("Ann Doe",),
                1983,
                "Verso",
            ),
            ("Later Ann Doe published *The Rhetoric of Gardens* in 1961.", ("Ann Doe",), None, ""),
            ("Doe and Roe's *Mostly Harmless Gardens* is used for this.", ("Doe", "Roe"), None, ""),
            (
                "Ann Doe's “The Case of the Garden Explorers” (Harvard Law Review, 1949) is famous.",
                ("Ann Doe",),
                1949,
                "Harvard Law Review",
            ),
        ],
    )
    def test_the_subject_is_the_author(self, sentence, authors, year, venue):
        """What is in brackets is where the work appeared."""
        (found,) = citations(sentence)
        assert (authors, venue) == (found.reference.authors, found.reference.venue)
        assert year in (None, found.reference.year)

    def test_whoever_acts_next_is_not_the_author(self):
        """The next clause has another subject."""
        answer = "Doe answered with *The Morality of Hedges* (1964), and Ronald Roe collected his objections to positivism elsewhere."
        assert not [one for one in citations(answer) if "Ronald Roe" in one.reference.authors]


class TestEastAsianSentences:
    """Names that nothing parts from the words before them."""

    @pytest.mark.parametrize(
        ("answer", "expected"),
        [
            (
                "气候研究绕不开周黎安1972年发表在《园林学报》上的《中国近五千年来的园林变迁》。",
                ("中国近五千年来的园林变迁", ("周黎安",), 1972, "园林学报"),
            ),
            (
                "至于语法，朱大海先生的《园林讲义》（商务印书馆，1982）很好。",
                ("园林讲义", ("朱大海",), 1982, "商务印书馆"),
            ),
            (
                "経済では山田太郎『庭園の社会的費用』（岩波新書、1974）が面白い。",
                ("庭園の社会的費用", ("山田太郎",), 1974, "岩波新書"),
            ),
        ],
    )
    def test_the_journal_is_not_the_title(self, answer, expected):
        """Author, title, year and place are told apart."""
        assert expected in _read(answer)

    def test_the_publisher_behind_the_author_is_no_author(self):
        """（山田太郎、オライリー・ジャパン、2016年）."""
        found = eastern("『庭園の作り方』（山田太郎、オライリー・ジャパン、2016年）")
        assert (found.reference.authors, found.reference.venue) == (("山田太郎",), "オライリー・ジャパン")

    def test_films_are_left_alone(self):
        """A title and a maker of a film are no reference."""
        assert _read("有名な映画なら、やはり山田太郎の『庭園物語』が好きです。") == []


@pytest.mark.parametrize(
    ("text", "venue"),
    [
        ("NBER Working Paper 4509 (Card and Krueger, 1993) is older.", "NBER Working Paper 4509"),
        ("- *IZA Discussion Paper 1200* (Borjas, 2004)", "IZA Discussion Paper 1200"),
    ],
)
def test_a_number_in_a_series_is_no_title(text, venue):
    """So no work of this name is looked up."""
    [found] = citations(text)
    assert (found.reference.title, found.reference.venue, bool(found.reference.authors)) == ("", venue, True)


class TestNamesInBold:
    """- **Hannah Arendt** – Eichmann in Jerusalem: who wrote it is in bold, the title is plain."""

    @pytest.mark.parametrize(
        ("item", "title", "author", "year", "venue"),
        [
            ("**Hannah Arendt** – Eichmann in Jerusalem, Viking, 1963", "Eichmann in Jerusalem", "Hannah Arendt", 1963, "Viking"),
            ("**Alfie Kohn:** Unconditional Parenting (Atria, 2005) – a classic", "Unconditional Parenting", "Alfie Kohn", 2005, "Atria"),
            ("**Alfie Kohn** – Unconditional Parenting, Atria, 2005", "Unconditional Parenting", "Alfie Kohn", 2005, "Atria"),
            ("**Hannah Arendt**, Eichmann in Jerusalem (1963)", "Eichmann in Jerusalem", "Hannah Arendt", 1963, ""),
            ("**Jane Eyre** – Charlotte Brontë, 1847", "Jane Eyre", "Charlotte Brontë", 1847, ""),
            ("**Silent Spring** – Rachel Carson, 1962", "Silent Spring", "Rachel Carson", 1962, ""),
        ],
    )  # fmt: skip
    def test_are_told_from_a_title(self, item, title, author, year, venue):
        [found] = citations(f"- {item}", asked_for_references=True)
        said = found.reference
        assert (said.title, said.authors, said.year, said.venue) == (title, (author,), year, venue)

    @pytest.mark.parametrize(
        "item",
        [
            "**Robert Sapolsky (2017)** – Behave",
            "**Robert Sapolsky (2017):** Behave",
            "**Robert Sapolsky (2017).** Behave. Penguin Press.",
            "**Robert Sapolsky (2017)**: *Behave*",
            "Behave | Robert Sapolsky | 2017",
            "2017 / Robert Sapolsky / Behave / Penguin Press",
        ],
    )
    def test_and_the_year(self, item):
        [found] = citations(f"- {item}", asked_for_references=True)
        said = found.reference
        assert (said.title, said.authors, said.year) == ("Behave", ("Robert Sapolsky",), 2017)

    @pytest.mark.parametrize(
        "behind",
        [
            "",
            ", 1850",
            ": a classic",
            " – about growing up",
            ", Penguin Classics, 1850",
            ", published in 1850",
        ],
    )
    def test_a_list_of_titles_that_are_names(self, behind):
        """They are no authors of the people behind them."""
        titles = {
            "David Copperfield": "Charles Dickens",
            "Jane Eyre": "Charlotte Brontë",
            "Anna Karenina": "Leo Tolstoy",
            "Rosa Luxemburg": "J. P. Nettl",
        }
        text = "\n".join(f"- **{title}** – {author}{behind}" for title, author in titles.items())
        for found in citations(text, asked_for_references=True):
            assert found.reference.title.split(" – ")[0] in titles
            assert not set(found.reference.authors) & set(titles)

    def test_a_title_of_which_something_is_said(self):
        """Both readings are kept, so that nothing is called wrong."""
        [found] = citations("- **Jane Eyre** – Gothic Romance Novel", asked_for_references=True)
        assert "Jane Eyre" in (found.reference.title, found.other.title)

    def test_a_timeline(self):
        """The years before the titles are those of the works; in any other order they may be titles."""
        works = [
            "*Jane Eyre*, Charlotte Brontë",
            "*Walden*, Henry David Thoreau",
            "*Behave*, Robert Sapolsky",
        ]
        rows = [f"- {year}: {work}" for year, work in zip((1847, 1854, 2017), works, strict=True)]
        found = citations("\n".join(rows), asked_for_references=True)
        assert [(one.reference.title, one.reference.year) for one in found] == [
            ("Jane Eyre", 1847), ("Walden", 1854), ("Behave", 2017),
        ]  # fmt: skip
        titles = "- 1984: a novel by George Orwell\n- 2001: A Space Odyssey by Arthur C. Clarke\n- 1491: New Revelations by Charles C. Mann"
        read = [one.reference.title for one in citations(titles, asked_for_references=True)]
        assert "A Space Odyssey" not in read

    def test_in_a_list_of_them(self):
        """Where nothing is known of the words, most items decide."""
        names = ["İlber Ortaylı", "Şerif Mardin", "Şevket Pamuk"]
        titles = ["İmparatorluğun En Uzun Yüzyılı", "Türk Modernleşmesi", "İktisadi Tarihi"]
        text = "\n".join(
            f"{i}. **{n}** – {t}, 1991" for i, (n, t) in enumerate(zip(names, titles, strict=True), 1)
        )
        found = citations(text, asked_for_references=True)
        assert [(one.reference.title, one.reference.authors) for one in found] == [
            (title, (name,)) for name, title in zip(names, titles, strict=True)
        ]
