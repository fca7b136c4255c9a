"""Shapes in which chatbots write references, each of a real work in a complete bibliography: none is accused."""

import pytest

from guardrail import Guard, Verdict
from guardrail.detectors import ReferenceCheck
from guardrail.references.bibliography.index import Index
from guardrail.references.bibliography.records import Record
from guardrail.references.citations import citations

TRANSFORMER = Record(
    title="Attention Is All You Need",
    authors=("Vaswani, Ashish", "Shazeer, Noam"),
    et_al=True,
    year=2017,
    venue="NeurIPS",
    arxiv="1706.03762",
)
RESNET = Record(
    title="Deep Residual Learning for Image Recognition",
    authors=("He, Kaiming", "Zhang, Xiangyu", "Ren, Shaoqing", "Sun, Jian"),
    year=2016,
    venue="CVPR",
    doi="10.1109/cvpr.2016.90",
)
BROKER = Record(
    title="The Power Broker: Robert Moses and the Fall of New York", authors=("Caro, Robert A.",), year=1974
)


@pytest.fixture
def check(tmp_path):
    with Index.create(tmp_path / "works.sqlite", complete=True) as index:
        index.add([TRANSFORMER, RESNET, BROKER])
    guard = Guard([ReferenceCheck(bibliography=tmp_path / "works.sqlite")])
    return lambda answer: guard.check(answer).findings


class TestRealWorks:
    @pytest.mark.parametrize(
        ("answer", "titles"),
        [
            (
                (
                    '- **Vaswani et al. (2017)** – "Attention Is All You Need" – introduced the Transformer.\n'
                    '- **He et al. (2016)** – "Deep Residual Learning for Image Recognition" – introduced ResNets.'
                ),
                ["Attention Is All You Need", "Deep Residual Learning for Image Recognition"],
            ),
            (
                "[Attention Is All You Need (Vaswani et al., 2017)](https://arxiv.org/abs/1706.03762)",
                ["Attention Is All You Need"],
            ),
            (
                "- Title: Attention Is All You Need\n- Authors: Ashish Vaswani, Noam Shazeer, et al.\n- Year: 2017",
                ["Attention Is All You Need"],
            ),
            (
                (
                    "**Attention Is All You Need**\nAshish Vaswani, Noam Shazeer, et al. (2017)\nThe Transformer.\n\n"
                    "**Deep Residual Learning for Image Recognition**\nKaiming He, Xiangyu Zhang, Shaoqing Ren, Jian Sun"
                ),
                ["Attention Is All You Need", "Deep Residual Learning for Image Recognition"],
            ),
            ("1. See https://doi.org/10.1109/CVPR.2016.90", [""]),
            ("Caro's *The Power Broker* (Knopf, 1974) is a classic.", ["The Power Broker"]),
            (
                "- He et al., Deep residual learning for image recognition. https://doi.org/10.1109/CVPR.2016.90",
                ["Deep residual learning for image recognition"],
            ),
            ('See Vaswani et al., "Attention Is All You Need", NeurIPS 2017.', ["Attention Is All You Need"]),
        ],
        ids=[
            "authors in bold first",
            "link with authors",
            "bullets with labels",
            "authors below",
            "a pointer",
            "owner and publisher",
            "et al. first",
            "prose",
        ],
    )
    def test_is_read_and_cleared(self, check, answer, titles):
        """Title, authors and year are where they are."""
        findings = check(answer)
        assert [(finding.text, finding.verdict) for finding in findings] == [
            (title, Verdict.SUPPORTED) for title in titles
        ]

    @pytest.mark.parametrize(
        ("answer", "reason"),
        [
            (
                '"Attention Is All You Need" by Vaswani et al. (2017)',
                "the work exists; its title, authors and year agree",
            ),
            (
                '"Attention Is All You Need" by Vaswani et al. (2018)',
                "the work exists; its title and authors agree; year: differs by one (2018, 2017), as between preprint and print",
            ),
            (
                '1. Vaswani et al. (2017). "Attention Is All You Need". Journal of Nothing.',
                (
                    "the work exists; its title, authors and year agree; venue differs (no list of venues has this "
                    "name; the work appeared in NeurIPS)"
                ),
            ),
        ],
    )
    def test_the_reason_says_what_was_compared(self, check, answer, reason):
        """And what was not, or is near only."""
        [finding] = check(answer)
        assert finding.reason == reason

    def test_another_owner_of_a_title_is_not_cleared(self, check):
        """The author before the title is read."""
        [finding] = check("Jane Doe's *The Power Broker* is a classic book.")
        assert finding.verdict is Verdict.UNSUPPORTED

    def test_the_owner_of_a_film_is_no_author(self, check):
        """A name before a title alone makes no reference."""
        assert check("Netflix's *The Crown* and HBO's *The Wire* are loved by many.") == ()


@pytest.mark.parametrize("title", ["References", "Bibliography", "## References", "References:"])
def test_a_heading_right_above_is_no_author(title):
    """Nor is it cut with the reference."""
    text = f"Stories persuade.\n\n{title}\nGreen, M. C., & Brock, T. C. (2000). The role of transportation in stories. JPSP, 79(5), 701-721."
    [citation] = citations(text)
    assert citation.reference.authors == ("Green, M. C.", "Brock, T. C.")
    assert citation.span.of(text).startswith("Green")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (  # a word in a title in italics is set upright
            "- Ann Quill, *Fair Shade after the* Poe *Case and Its Kin*, 82 River L. Rev. 1600 (1982)",
            [("Fair Shade after the Poe Case and Its Kin", ("Ann Quill",), 1982, "River L. Rev.")],
        ),
        ("1. **Ann de la Quill, *Shade*** (1975).", [("Shade", ("Ann de la Quill",), 1975, "")]),
        (  # what is quoted in brackets behind a reference
            '- Ann Quill, *Fair Shades*, 77 River L. Rev. 2537 (2009) ("the rule of shade")',
            [("Fair Shades", ("Ann Quill",), 2009, "River L. Rev.")],
        ),
        (  # a list of what is to be done
            "- [ ] **Designing Shade**, Ann Quill (Verdant Press, 2017). Skip the rest.\n- [x] **Prune Them!**, Mary Poe, 2nd ed., 2018",
            [
                ("Designing Shade", ("Ann Quill",), 2017, "Verdant Press"),
                ("Prune Them!", ("Mary Poe",), 2018, ""),
            ],
        ),
        (  # a record of a library, and where the book stands there
            "1. **Shade and peoples : from the hedge to now** / Ann M. Quill\n   Verdant Press, 1976 · ISBN 9780306406157\n   📍 Main Stacks — **QK 1 .M3** — *Available*",
            [("Shade and peoples : from the hedge to now", ("Ann M. Quill",), 1976, "Verdant Press")],
        ),
        (  # names behind journal and year, as search engines show them
            "1. [Shade and Sleep in Towns](https://shade.example.org/a). The Journal of Shade. 2023. Quill AM, Bell-Poe K, et al.",
            [("Shade and Sleep in Towns", ("Quill AM", "Bell-Poe K"), 2023, "The Journal of Shade")],
        ),
        (
            "[3] A. Quill and M. Poe, *Fundamentals of Shade*. Cambridge, U.K.: Cambridge Univ. Press, 2005, ch. 7.",
            [("Fundamentals of Shade", ("A. Quill", "M. Poe"), 2005, "Cambridge Univ. Press")],
        ),
        (
            "| Year | Author(s) | Title | Source |\n|--|--|--|--|\n| 1956 | Quill, A. | Waves of shade | River Research, 4(1), 42–51 |",
            [("Waves of shade", ("Quill, A.",), 1956, "River Research")],
        ),
    ],
)
def test_each_part_of_a_reference_is_the_field_that_it_is(text, found):
    """However it is set."""
    said = [one.reference for one in citations(text)]
    assert [(one.title, one.authors, one.year, one.venue.strip(".")) for one in said] == [
        (*fields, venue.strip(".")) for *fields, venue in found
    ]
