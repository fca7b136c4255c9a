"""Titles that only their capitals show, and forms of other scripts."""

import pytest

from guardrail import Guard, Verdict
from guardrail.detectors import ReferenceCheck
from guardrail.references.bibliography.index import Index
from guardrail.references.bibliography.records import Record, Reference
from guardrail.references.citations import citations


def read(text):
    """Title, authors, year of each reference."""
    return [(one.reference.title, one.reference.authors, one.reference.year) for one in citations(text)]


class TestUnmarked:
    @pytest.mark.parametrize(
        ("text", "title", "authors", "year"),
        [
            (
                "Thomas Kuhn’s 1962 book The Structure of Scientific Revolutions changed it.",
                "The Structure of Scientific Revolutions",
                ("Thomas Kuhn",),
                1962,
            ),
            (
                "In their 2017 paper Attention Is All You Need, Vaswani et al. introduced it.",
                "Attention Is All You Need",
                ("Vaswani",),
                2017,
            ),
            (
                "B. F. Skinner published The Behavior of Organisms in 1938.",
                "The Behavior of Organisms",
                ("B. F. Skinner",),
                1938,
            ),
            ("In Silent Spring (1962), Rachel Carson warned.", "Silent Spring", ("Rachel Carson",), 1962),
            ("The Selfish Gene (Dawkins, 1976) sold well.", "The Selfish Gene", ("Dawkins",), 1976),
            (
                "Kahneman's Thinking, Fast and Slow (2011) sold well.",
                "Thinking, Fast and Slow",
                ("Kahneman",),
                2011,
            ),
            (
                "The paper Deep Residual Learning for Image Recognition by He et al. sets a mark.",
                "Deep Residual Learning for Image Recognition",
                ("He",),
                None,
            ),
        ],
    )
    def test_are_read_beside_a_person(self, text, title, authors, year):
        """With a year, or a word such as "book"."""
        assert read(text) == [(title, authors, year)]

    @pytest.mark.parametrize(
        "text",
        [
            "The Dark Knight by Christopher Nolan (2008) is a film.",
            "The European Union and the United States signed it in 2015.",
            "Angela Merkel visited New York City in 2019.",
            "In The Hague (1899), the states met.",
        ],
    )
    def test_are_not_seen_in_other_text(self, text):
        """Films, places, people."""
        assert read(text) == []

    def test_a_title_that_only_capitals_show_is_never_accused(self, tmp_path):
        """A possessive and capitals may be anything; a work that is found is cleared."""
        with Index.create(tmp_path / "refs.sqlite", complete=True) as index:
            index.add([Record("Thinking, Fast and Slow", ("Daniel Kahneman",), year=2011)])
        text = (
            "Kahneman's Thinking, Fast and Slow (2011) and Apple's World Wide Developers Conference (2020)."
        )
        report = Guard([ReferenceCheck(bibliography=tmp_path / "refs.sqlite")]).check(text)
        assert [finding.verdict for finding in report.findings] == [Verdict.SUPPORTED, Verdict.UNVERIFIED]


class TestForms:
    @pytest.mark.parametrize(
        ("text", "title", "authors", "year", "venue"),
        [
            (
                "刘峤, 李杨, 段宏, 等. 知识图谱构建技术综述[J]. 计算机研究与发展, 2016, 53(3): 582-600.",
                "知识图谱构建技术综述",
                ("刘峤", "李杨", "段宏"),
                2016,
                "计算机研究与发展",
            ),
            (
                "周志华. 机器学习[M]. 北京: 清华大学出版社, 2016.",
                "机器学习",
                ("周志华",),
                2016,
                "清华大学出版社",
            ),
            (
                "金水敏『ヴァーチャル日本語 役割語の謎』岩波書店, 2003年",
                "ヴァーチャル日本語 役割語の謎",
                ("金水敏",),
                2003,
                "岩波書店",
            ),
            ("이익섭, 국어학개설, 학연사, 1986.", "국어학개설", ("이익섭",), 1986, "학연사"),
            (
                "Office for National Statistics (2019) UK trade: December 2018. Newport: ONS.",
                "UK trade: December 2018",
                ("Office for National Statistics",),
                2019,
                "ONS",
            ),
            (
                "Maturana, Humberto y Varela, Francisco (1973). De máquinas y seres vivos. Santiago: Editorial Universitaria.",
                "De máquinas y seres vivos",
                ("Maturana, Humberto", "Varela, Francisco"),
                1973,
                "Editorial Universitaria",
            ),
            (
                "Peach, Linden, editor. Readings in Economics. Norton, 1999.",
                "Readings in Economics",
                ("Peach, Linden",),
                1999,
                "Norton",
            ),
            (
                "**Walker, M. P., & Stickgold, R. (2006).** *Sleep, memory, and plasticity.* Annual Review of Psychology, 57.",
                "Sleep, memory, and plasticity",
                ("Walker, M. P.", "Stickgold, R."),
                2006,
                "Annual Review of Psychology",
            ),
        ],
    )
    def test_are_read_as_a_line(self, text, title, authors, year, venue):
        """GB/T 7714, Japanese, Korean, organisations, editors, Spanish, bold authors."""
        (one,) = citations(text)
        reference = one.reference
        assert (reference.title, reference.authors, reference.year, reference.venue) == (
            title,
            authors,
            year,
            venue,
        )

    def test_ornaments_and_html_are_no_part_of_a_title(self):
        """An emoji before it, tags around it."""
        text = "- 📘 The Power Broker by Robert Caro (1974)\n- 📗 Silent Spring by Rachel Carson (1962)"
        assert [title for title, _, _ in read(text)] == ["The Power Broker", "Silent Spring"]
        assert read("<em>Attention Is All You Need</em> by Vaswani et al. (2017)") == [
            ("Attention Is All You Need", ("Vaswani",), 2017)
        ]


class TestBoldTitles:
    def test_a_line_of_authors_with_a_journal(self):
        """Below the title: authors, venue, year."""
        text = "**Judgment under Uncertainty: Heuristics and Biases**\nAmos Tversky and Daniel Kahneman, *Science*, 1974\nOn errors."
        (one,) = citations(text)
        assert one.reference == Reference(
            title="Judgment under Uncertainty: Heuristics and Biases",
            authors=("Amos Tversky", "Daniel Kahneman"),
            year=1974,
            venue="Science",
        )
        assert one.span.of(text).endswith("1974")


class TestPlacesBehindTheYear:
    def test_volume_issue_and_pages_belong_to_the_reference(self):
        """So a mark is not written into the middle of them."""
        text = (
            "References\n1. Thornquist EL, Baptiste R, Ong WH. Additive vascular benefit of combined therapy: the "
            "DUOSTAT trial. Lancet. 2020;395(10231):1187-97.\n"
        )
        (one,) = citations(text)
        reference = one.reference
        assert (reference.year, reference.volume, reference.issue, reference.pages) == (
            2020,
            "395",
            "10231",
            "1187-97",
        )
        assert one.span.of(text).endswith("1187-97.")
