"""Author-year marks are read, and mean the reference of the answer that they stand for."""

import pytest

from guardrail import Guard, Verdict
from guardrail.detectors import ReferenceCheck
from guardrail.policies import remove
from guardrail.references.bibliography.index import Index
from guardrail.references.bibliography.records import Record, Reference
from guardrail.references.citations import author_year, citations
from guardrail.report import Span

LIST = """

## References
1. Vaswani, A., Shazeer, N. (2017). Attention Is All You Need. NeurIPS.
2. Halloran, M. (2021). Recursive Attention Pruning. ACL.
"""


def marks(text):
    """The marks of a text, with the beginning of what each stands for."""
    return [
        (one.span.of(text), one.means and one.means.of(text)[:8])
        for one in citations(text)
        if one.style == "author-year"
    ]


def texts(text):
    """The marks of a text."""
    return [mark for mark, _ in marks(text)]


class TestMarks:
    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("Vaswani et al. (2017) say so.", ["Vaswani et al. (2017)"]),
            (
                "It works (Hofmann et al., 2010; Goldin & Gross, 2010).",
                ["Hofmann et al., 2010", "Goldin & Gross, 2010"],
            ),
            ("It was shown before (O’Neill and Smith-Jones, 1999a).", ["O’Neill and Smith-Jones, 1999a"]),
            (
                "(McMurray JJV et al., N Engl J Med 2019;381:1995-2008)",
                ["McMurray JJV et al., N Engl J Med 2019;381:1995-2008"],
            ),
            (
                "It holds (Roe et al., JAMA 2002; n.d.) and not (Poe et al., N Engl J Med 2008;358:111), (Roe, n.d.).",
                ["Poe et al., N Engl J Med 2008;358:111", "Roe, n.d."],
            ),
            (
                "其中，Garris和Kanu（2004）强调，Meens等人（2013）显示",
                ["Garris和Kanu（2004）", "Meens等人（2013）"],
            ),
            ("It holds (Smith, 2020; Miller, 2021).", ["Smith, 2020", "Miller, 2021"]),
            ("It holds (see van der Berg et al., 2019, p. 12).", ["van der Berg et al., 2019, p. 12"]),
            ("正如（李明等，2019）所说", ["李明等，2019"]),
            (
                "It spread (World Health Organization, 2020; Smith & Doe, 2021).",
                ["World Health Organization, 2020", "Smith & Doe, 2021"],
            ),
            (
                "It fell (Kim & Lee, 2001; for the older debate see Novak, 1966).",
                ["Kim & Lee, 2001", "Novak, 1966"],
            ),
            (
                "It fell (Kim & Lee, 2001; but see MacLeod, 2004, for another view).",
                ["Kim & Lee, 2001", "MacLeod, 2004"],
            ),
            (
                "It rose (National Audit Office [NAO], 2018).",
                ["National Audit Office [NAO], 2018"],
            ),
            ("Moreno (2005) argues the opposite.", ["Moreno (2005)"]),
            (
                "Novak (1982, 1985) and (Kim & Lee, 2001a, b)",
                ["Novak (1982", "1985", "Kim & Lee, 2001a", "b"],
            ),
        ],
    )
    def test_are_found(self, text, found):
        """In prose, in brackets, several in one, with pages."""
        assert texts(text) == found

    def test_of_several_years_are_of_the_same_people(self):
        """(Novak, 1982, 1985): two works, and 2001a, b too."""
        text = "It fell (Novak, 1982, 1985; Kim & Lee, 2001a, b)."
        assert [(one.reference.authors, one.reference.year) for one in citations(text)] == [
            (("Novak",), 1982),
            (("Novak",), 1985),
            (("Kim", "Lee"), 2001),
            (("Kim", "Lee"), 2001),
        ]

    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("The bats of Novak 1985 and of Kim 1990 differ.", [("Novak 1985", "Novak, T")]),
            (
                "As the Bat Survey Collaboration (2016) found, few are left.",
                [("Bat Survey Collaboration (2016)", "Bat Surv")],
            ),
            ("Das Modell von Novak (1985) gilt.", [("Novak (1985)", "Novak, T")]),
            ("Later, Tom Novak (1985) said so.", [("Tom Novak (1985)", "Novak, T")]),
            ("Few are left (BSC, 2016).", [("BSC, 2016", "Bat Surv")]),
            ("Few are left (EEA, 2011).", [("EEA, 2011", "Agency f")]),
            ("Few are left (EEA, 2012).", []),
        ],
    )
    def test_are_known_by_the_entry(self, text, found):
        """Without brackets, by the whole name of a body or its short name, behind a German "von"."""
        entries = (
            "\n\nReferences\nNovak, T. (1985). Bats of the North and South. Oxford University Press.\n\n"
            "Bat Survey Collaboration (2016). Few Bats Are Left in the Caves. Nature, 5, 1–9.\n\n"
            "Agency for the European Environment (EEA) (2011) *The Air of Cities*. Copenhagen: Harbour Press.\n"
        )
        assert marks(text + entries) == found

    @pytest.mark.parametrize(
        "sentence",
        [
            "- rare bats may be left out of the counts (Novak, 1985);",
            "- **Costs:** counts of bats should not depend on gifts (Novak, 1985, p. 12).",
            "Young bats often show gaps in these very skills (Doe, 1993, 2004).",
            "Viele Tiere wurden doppelt gezählt (Doe et al., 1998; vgl. Roe et al. 1999, S. 565).",
            "- 🦇 Without caves, bats stayed small even when protected from cats; Novak (1985) shows why",
            "- ⚠️ Novak (1985) warned that counts of bats may mislead",
        ],
    )
    def test_end_sentences_that_are_no_titles(self, sentence):
        """What is before the mark of an entry, or before several marks, is said by the answer."""
        text = sentence + "\n\nReferences\n\nNovak, T. (1985). Bats of the North. Oxford University Press.\n"
        assert [one.reference.title for one in citations(text) if one.reference.title] == [
            "Bats of the North"
        ]
        assert texts(text)

    def test_headings_in_bold_are_no_titles(self):
        """Neither with the sentence behind them, nor above works."""
        text = (
            "**1. Early work.** That caves are warmer than the fields has been known since Howe (1833).\n\n"
            "**2. Drivers.** On the whole, Peng et al. (2012) found that bats sleep.\n\n"
            "- **Archive:** Count books 1843–1850, maps and posters\n"
        )
        assert [one.span.of(text) for one in citations(text)] == ["Howe (1833)", "Peng et al. (2012)"]
        text = "**1. Théorie**\nR. Morel, *Les grottes et le droit civil*, Paris, Vrin, 1897.\n\n**2. Réaction**\nG. Petit, *La règle des grottes* (Vrin, 1925).\n"
        assert [one.reference.year for one in citations(text)] == [1897, 1925]

    def test_cells_of_tables_are_marks(self):
        """In a column of papers."""
        text = "| Claim | Papers |\n|---|---|\n| No loss | Card & Roe, 1994 |\n| Loss | Dube et al., 2010 |\n"
        assert [(one.style, one.reference.authors) for one in citations(text)] == [
            ("author-year", ("Card", "Roe")),
            ("author-year", ("Dube",)),
        ]

    @pytest.mark.parametrize(
        "text",
        [
            "He moved there (Paris, 2019) and stayed.",
            "The album Love and Life (2008) sold well.",
            "It opened in (March 2020) or (June, 2021).",
            "Gladiator (2000) won five Oscars.",
            "Ridley Scott (born 1937) made it (released May, 2000).",
        ],
    )
    def test_are_not_seen_in_other_text(self, text):
        """Places, titles, dates."""
        assert texts(text) == []

    def test_mean_the_reference_with_their_name_and_year(self):
        """Of the list in the same answer; one that is not in it means none."""
        text = "It is enough (Vaswani et al., 2017), and more so (Halloran, 2021; Vaswani, 2016)." + LIST
        assert marks(text) == [
            ("Vaswani et al., 2017", "Vaswani,"),
            ("Halloran, 2021", "Halloran"),
            ("Vaswani, 2016", None),
        ]

    def test_of_two_works_of_a_year_the_letter_decides(self):
        """2020a is the first of the list, 2020b the second."""
        text = (
            "First (Doe, 2020b), then (Doe, 2020a); one of them (Doe, 2020).\n\nReferences\n"
            "1. Doe, J. (2020). Graphs and Their Trees. ACL.\n2. Doe, J. (2020). Oceans and Their Shores. ACL.\n"
        )
        first, second, third = [one.means for one in citations(text)[:3]]
        assert ("Oceans" in first.of(text), "Graphs" in second.of(text), third) == (True, True, None)


class TestHidden:
    def test_a_work_in_the_brackets_of_another_is_one_of_its_own(self):
        """It is not cleared with the work that it stands beside."""
        text = (
            "1. Vaswani et al. (2017). Attention Is All You Need. NeurIPS (extended in Winterbottom, Q. 2019, "
            "The Ontology of Teapots, Journal of Nothing)."
        )
        first, second = citations(text)
        assert first.span.of(text) == "Vaswani et al. (2017). Attention Is All You Need. NeurIPS"
        assert (second.reference.title[:23], second.reference.year) == ("The Ontology of Teapots", 2019)


class TestCheck:
    @pytest.fixture
    def index(self, tmp_path):
        """One that has one of both works, and says that it has all."""
        path = tmp_path / "refs.sqlite"
        with Index.create(path) as made:
            made.add(
                [
                    Record(
                        "Attention Is All You Need",
                        ("Ashish Vaswani", "Noam Shazeer"),
                        year=2017,
                        venue="NeurIPS",
                    )
                ]
            )
            made.declare_complete()
        return path

    def test_a_mark_is_as_good_as_its_reference(self, index):
        """And one without a reference is unverified."""
        text = "It is enough (Vaswani et al., 2017), and more so (Halloran, 2021; Vaswani, 2016)." + LIST
        report = Guard([ReferenceCheck(bibliography=index)]).check(text)
        found = {finding.span.of(text): finding for finding in report.findings}
        assert [
            found[mark].verdict for mark in ("Vaswani et al., 2017", "Halloran, 2021", "Vaswani, 2016")
        ] == [
            Verdict.SUPPORTED,
            Verdict.UNSUPPORTED,
            Verdict.UNVERIFIED,
        ]
        assert (
            found["Vaswani, 2016"].reason
            == "no title is given, and no reference in the answer has these authors and this year"
        )
        assert found["Halloran, 2021"].reason.startswith("this refers to “Recursive Attention Pruning”: ")

    def test_an_invented_reference_goes_with_its_mark(self, index):
        """And the others stay."""
        text = "It is enough (Vaswani et al., 2017), and more so (Halloran, 2021)." + LIST
        report = Guard([ReferenceCheck(bibliography=index)], policy=remove()).check(text)
        assert "Halloran" not in report.answer
        assert "(Vaswani et al., 2017)" in report.answer


def test_a_mark_means_an_entry_without_a_year() -> None:
    """If no entry of that year has the name, and only one without a year has it."""
    text = (
        "Taste marks class [Bourne 1984], and reeds mark shores [Petrie & Kern 1996].\n\nSources:\n"
        "• Bourne, P. – *Distinction: A Critique of the Judgement of Reeds*, Harvard University Press\n"
        '• Petrie, R. A. & Kern, R. M. – "Changing Highbrow Reeds: From Snob to Omnivore", ASR 61\n'
    )
    means = [
        text[one.means.start :][:8] for one in citations(text) if one.style == "author-year" and one.means
    ]
    assert means == ["Bourne, ", "Petrie, "]


class TestBeforeAnIdentifier:
    """Names and a year that lead to a DOI or an arXiv number are that work's."""

    @pytest.mark.parametrize(
        ("text", "found"),
        [
            (
                "Kahneman & Tversky 1979: 10.2307/1914185\nAkerlof 1970: 10.2307/1879431",
                [("Kahneman", "Tversky", 1979), ("Akerlof", 1970)],
            ),
            (
                "Diffie and Hellman (1976, [doi](https://doi.org/10.1109/TIT.1976.1055638)) did it.",
                [("Diffie", "Hellman", 1976)],
            ),
            ("- [Salimpoor et al., 2011](https://doi.org/10.1038/nn.2726) – music", [("Salimpoor", 2011)]),
            ("- Di Valentino et al.: https://arxiv.org/abs/2103.01183", [("Di Valentino", None)]),
            ("Wei et al. 2017: arXiv:1706.03762\nRoBERTa 2019: arXiv:1907.11692", [("Wei", 2017), (None,)]),
            (
                "Wei et al. 2017: arXiv:1706.03762\nDeep Learning 2015: 10.1038/nature14539",
                [("Wei", 2017), (None,)],
            ),
            (
                "Wei et al. 2017: arXiv:1706.03762\nNature, 2021, doi:10.1038/s41586-021-03819-2",
                [("Wei", 2017), (None,)],
            ),
            ("Li & Durbin 2009, doi.org/10.1093/bioinformatics/btp324.", [("Li", "Durbin", 2009)]),
            ("Wei et al., 2022, [arXiv:2201.11903](https://arxiv.org/abs/2201.11903)", [("Wei", 2022)]),
            ("BERT (2018): arXiv:1810.04805", [(None,)]),
            ("In 2013: 10.1000/abc.1 came out.", [(None,)]),
            ("May et al. 2013: 10.1000/abc.1", [(None,)]),
        ],
    )
    def test_they_are_read(self, text, found):
        """A single name may be that of a thing, unless several names stand before another identifier."""
        read = [(*one.reference.authors, one.reference.year) for one in citations(text)]
        assert read == found

    def test_the_span_is_all_of_it(self):
        """With the brackets that it opens."""
        text = "See Diffie and Hellman (1976, [doi](https://doi.org/10.1109/x)), and [10.1000/abc.1](https://doi.org/10.1000/abc.1)."
        assert [one.span.of(text) for one in citations(text)] == [
            "Diffie and Hellman (1976, [doi](https://doi.org/10.1109/x))",
            "[10.1000/abc.1](https://doi.org/10.1000/abc.1)",
        ]

    def test_a_journal_with_its_year_is_no_title(self):
        """Esteva et al., Nature 2017, doi:…"""
        [one] = citations(
            "- Esteva et al., Nature 2017, [doi:10.1038/nature21056](https://doi.org/10.1038/nature21056)"
        )
        assert (one.reference.title, one.reference.venue, one.reference.year) == ("", "Nature", 2017)

    def test_another_works_identifier_is_not_that_of_the_item(self):
        """A work that builds on another one."""
        text = (
            "1. *A Trial of Trees*. Builds on Roe et al. (2018), https://doi.org/10.1111/ectj.12097\n"
            "2. *The Deep Rivers of Asia*. Found at https://doi.org/10.1111/ectj.12098"
        )
        found = citations(text, asked_for_references=True)
        assert [(one.reference.title, one.reference.doi) for one in found] == [
            ("A Trial of Trees", ""),
            ("", "10.1111/ectj.12097"),
            ("The Deep Rivers of Asia", "10.1111/ectj.12098"),
        ]

    def test_names_of_nobody_who_wrote_it_verify_nothing(self, tmp_path):
        """The identifier is not theirs, or they are no people: Smith & Wesson 2010."""
        path = tmp_path / "refs.sqlite"
        with Index.create(path, complete=True) as index:
            index.add(
                [Record("The Market for Lemons", ("George A. Akerlof",), year=1970, doi="10.2307/1879431")]
            )
        guard = Guard([ReferenceCheck(bibliography=path, tagger="off")])
        for text, verdict in (
            ("Akerlof et al. 1970: 10.2307/1879431", Verdict.SUPPORTED),
            ("Kahneman & Tversky 1970: 10.2307/1879431", Verdict.UNVERIFIED),
        ):
            assert [finding.verdict for finding in guard.check(text).findings] == [verdict]


def test_the_letter_of_a_mark_that_something_else_read() -> None:
    """It tells two works of one year apart."""
    text = "As in Roe's later paper, 2020b.\n\nRoe, A. (2020a). Teacups of the north. UP.\nRoe, A. (2020b). Teacups of the south. UP."
    found = [one for one in citations(text) if one.reference.title]
    further = [(Span(start=6, end=30), Reference(authors=("Roe",), year=2020))]
    [mark] = [one for one in author_year.marks(text, found, further) if one.span.start < 36]
    assert mark.means is not None
    assert "south" in mark.means.of(text)


@pytest.mark.parametrize(
    "text",
    [
        "Philip Zimbardo (1933–2024) argued that cells change people.",
        "from *Dragnet* (NBC, 1967), as Roe et al. (2010) show",
        "the edition (Random House, 1964), as Roe et al. (2010) show",
    ],
)
def test_lives_broadcasters_and_houses_are_no_marks(text):
    assert [mark for mark, _ in marks(text) if "Roe" not in mark] == []
