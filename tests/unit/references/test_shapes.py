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
                    "the work exists; its title, authors and year agree; not compared: venue (no list of venues has this "
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
