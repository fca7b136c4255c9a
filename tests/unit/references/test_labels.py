"""An identifier proves that its own work exists, not what it is called in an answer."""

import pytest

from guardrail import Guard, Verdict
from guardrail.detectors import ReferenceCheck
from guardrail.references.bibliography.index import Index
from guardrail.references.bibliography.records import Record
from guardrail.references.citations import citations

DOI = "https://doi.org/10.1109/CVPR.2016.90"
REAL = "Deep Residual Learning for Image Recognition"
INVENTED = "The Ontology of Imaginary Teapots"
WORK = Record(
    title=REAL,
    authors=("He, Kaiming", "Zhang, Xiangyu", "Ren, Shaoqing", "Sun, Jian"),
    year=2016,
    venue="CVPR",
    doi="10.1109/cvpr.2016.90",
)
SHAPES = {
    "quoted, with the address in brackets": '"{title}" ({doi})',
    "quoted, with a label": "“{title}”, DOI: {doi}",
    "a heading above it": "### {title}\n{doi}",
    "a heading, a blank line, the label": "## {title}\n\nDOI: {doi}",
    "bold above it": "**{title}**\nDOI: 10.1109/CVPR.2016.90",
    "a bullet with it": "- {title}, {doi}",
    "the text of a link": "[{title}]({doi})",
    "italic in a sentence": "As *{title}* ({doi}) shows, it works.",
    "an HTML link": '<p>See <a href="{doi}">{title}</a>, and what follows.</p>',
    "italic, with more in the bracket": "As *{title}* (CVPR, 2016, DOI {doi}) shows, it works.",
    "Chinese, with more in the bracket": "推荐《{title}》（CVPR，2016，DOI {doi}）。",
}

SURE = [shape for name, shape in SHAPES.items() if name.startswith(("quoted", "the text"))]
"""Shapes in which nobody has to guess which words are the title."""


@pytest.fixture(params=[True, False], ids=["complete", "incomplete"])
def check(request, tmp_path):
    """The findings of an answer, by a bibliography that holds one work, or says that it holds all."""
    path = tmp_path / "works.sqlite"
    with Index.create(path, complete=request.param) as index:
        index.add([WORK])
    guard = Guard([ReferenceCheck(bibliography=path)])
    return lambda answer: guard.check(answer).findings


class TestIdentifier:
    @pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
    def test_a_made_up_title_is_not_cleared_by_a_real_identifier(self, check, shape):
        """However the two stand together."""
        [finding] = check(shape.format(title=INVENTED, doi=DOI))
        assert finding.text == INVENTED
        assert finding.verdict is not Verdict.SUPPORTED
        if shape in SURE:
            assert finding.verdict is Verdict.UNSUPPORTED
            assert f"the DOI belongs to “{REAL}”" in finding.reason

    @pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
    def test_a_real_title_beside_its_identifier_is_cleared(self, check, shape):
        """In the same shapes."""
        [finding] = check(shape.format(title=REAL, doi=DOI))
        assert (finding.verdict, finding.label, finding.text) == (Verdict.SUPPORTED, "verified", REAL)

    def test_other_authors_as_the_text_of_a_link_are_a_misquotation(self, check):
        """Names and a year are compared, as far as they go."""
        [finding] = check(f"[Winterbottom (2019)]({DOI})")
        assert (finding.verdict, finding.label) == (Verdict.UNSUPPORTED, "misquoted")
        assert finding.mark == "real work, wrong authors: it is by He, Zhang, Ren and Sun"

    @pytest.mark.parametrize("label", ["He et al. (2016)", "He et al., 2016", "He, Zhang, Ren & Sun (2016)"])
    def test_the_works_own_authors_as_the_text_of_a_link_are_cleared(self, check, label):
        """They are no title."""
        [finding] = check(f"[{label}]({DOI})")
        assert (finding.verdict, finding.text) == (Verdict.SUPPORTED, "")

    @pytest.mark.parametrize(
        "answer",
        [
            DOI,
            f"1. See {DOI}",
            f"ResNets ({DOI}) changed computer vision for good.",
            f"[read the whole paper here]({DOI})",
            f"## References\n{DOI}",
            f"**Key takeaway:** it works.\n{DOI}",
        ],
    )
    def test_an_identifier_alone_claims_nothing_else(self, check, answer):
        """Pointers and sentences around it are no title."""
        [finding] = check(answer)
        assert (finding.verdict, finding.text) == (Verdict.SUPPORTED, "")
        assert finding.reason == "exists; nothing else claimed"

    @pytest.mark.parametrize(
        "answer",
        [
            f"## Recommended Papers on Computer Vision\n{DOI}",
            f"He and others published it in the *IEEE Conference on Computer Vision* ({DOI}).",
            f"[the famous paper on residual learning by He]({DOI})",
            "**Why It Still Matters Today**\nDOI: 10.1109/CVPR.2016.90",
            f"- [Residual Learning paper]({DOI})",
            f"- [roe-lab/deep-residual](https://github.com/roe-lab/deep-residual), [doi:10.1109/CVPR.2016.90]({DOI})",
        ],
        ids=["a section", "a venue", "a description", "a remark", "what it is called", "a repository"],
    )
    def test_a_name_that_may_be_no_title_is_never_an_accusation(self, check, answer):
        """Of a section, of a journal, in the writer's own words."""
        [finding] = check(answer)
        assert finding.verdict is not Verdict.UNSUPPORTED

    def test_the_span_is_the_label_with_its_identifier(self):
        """So that what is marked or cut is the whole of it."""
        text = f'We used "{INVENTED}" ({DOI}) here.'
        [citation] = citations(text)
        assert citation.span.of(text) == f'"{INVENTED}" ({DOI}'


class TestBrackets:
    def test_what_stands_before_brackets_is_a_claim(self):
        """The identifier of a work, its authors, and what it is called in capitals."""
        text = "They cite the Silent Bell Hypothesis (Poe & Roe, [1803.99635](https://arxiv.org/abs/1803.99635)) often."
        [citation] = citations(text)
        said = citation.reference
        assert (said.title, said.authors, said.arxiv) == (
            "Silent Bell Hypothesis",
            ("Poe", "Roe"),
            "1803.99635",
        )
        assert citation.style == "labelled"

    def test_names_before_them_are_the_authors(self):
        """Several, or with others."""
        text = "Poe and co-authors ([2006.99999](https://arxiv.org/abs/2006.99999)) disagree."
        [found] = citations(text)
        assert (found.span.of(text), found.reference.authors, found.reference.et_al) == (
            text.removesuffix(" disagree."),
            ("Poe",),
            True,
        )

    def test_one_word_is_what_the_work_is_about(self):
        [citation] = citations(
            "It uses the Ringer (Poe et al., [1706.99762](https://arxiv.org/abs/1706.99762)) as is."
        )
        assert (citation.reference.title, citation.reference.authors, citation.reference.et_al) == (
            "",
            ("Poe",),
            True,
        )


class TestLinks:
    @pytest.mark.parametrize(
        ("link", "title"),
        [
            ("[2011.99926] How Ringers Invent Bells - arXiv.org", "How Ringers Invent Bells"),
            (r"\[2011.99926\] How Ringers Invent Bells", "How Ringers Invent Bells"),
            ("The [Silent] History of Ringing Bells", "The (Silent) History of Ringing Bells"),
        ],
    )
    def test_brackets_within_its_text_hide_no_title(self, link, title):
        """A real address would clear whatever title stands there."""
        [citation] = citations(f"See [{link}](https://arxiv.org/abs/2011.99926) for it.")
        assert (citation.reference.title, citation.reference.arxiv) == (title, "2011.99926")

    def test_a_made_up_title_with_a_number_before_it_is_not_verified(self, tmp_path):
        with Index.create(tmp_path / "i.sqlite", complete=True) as index:
            index.add([Record("Trees and Their Leaves", ("Ann Roe",), year=2020, arxiv="2011.99926")])
        guard = Guard([ReferenceCheck(bibliography=tmp_path / "i.sqlite")])
        for title, supported in (("Trees and Their Leaves", True), ("How Ringers Invent Bells", False)):
            report = guard.check(f"See [[2011.99926] {title}](https://arxiv.org/abs/2011.99926) for it.")
            assert (report.findings[0].verdict is Verdict.SUPPORTED) is supported


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ("The Future of the Bells", Verdict.SUPPORTED),
        ("The Future of the Bells. Explains how ringers sleep.", Verdict.SUPPORTED),
        ("The Future of the Bells: Explains how ringers sleep.", Verdict.UNVERIFIED),
        ("**The Future of the Bells**: explains how ringers sleep.", Verdict.UNVERIFIED),
        ("The Future of the Bells (Ann Roe, 2015): explains how ringers sleep.", Verdict.SUPPORTED),
    ],
)
def test_a_title_alone_that_goes_on_behind_a_colon_is_not_verified(tmp_path, line, verdict):
    """The work has a subtitle, and what is said there instead may be an invented one."""
    with Index.create(tmp_path / "i.sqlite", complete=True) as index:
        index.add([Record("The Future of the Bells: How Towers Will Change", ("Ann Roe",), year=2015)])
    guard = Guard([ReferenceCheck(bibliography=tmp_path / "i.sqlite")])
    [finding] = guard.check(f"- {line}\n", prompt="Name a book.").findings
    assert finding.verdict is verdict


def test_a_line_that_ends_with_an_address_claims_what_it_says(tmp_path):
    """Also behind a picture; a real address would clear whatever title stands there."""
    with Index.create(tmp_path / "i.sqlite", complete=True) as index:
        index.add(
            [Record("A Trial of Bells in Babies", ("Ann Roe",), year=2016, doi="10.1056/nejmoa9514210")]
        )
    guard = Guard([ReferenceCheck(bibliography=tmp_path / "i.sqlite")])
    lines = {
        "Roe A et al., A Trial of Bells in Babies": Verdict.SUPPORTED,
        "Roe A et al., A Homomorphic backoff with jitter": Verdict.UNVERIFIED,
        "Read the full paper here": Verdict.SUPPORTED,
    }
    for line, verdict in lines.items():
        for between in (" — ", "\n"):
            text = f"**3. The trial**\nBabies heard bells.\n🔗 {line}{between}https://doi.org/10.1056/NEJMoa9514210\n"
            [finding] = guard.check(text).findings
            assert finding.verdict is verdict, text


def test_an_item_may_begin_with_its_authors() -> None:
    """The title comes on the next line, and begins no item of its own."""
    text = (
        "1. Author: Geoffrey Roe\n   Title: Sick reeds and sick shores\n   Journal: Ecology\n   Year: 1985\n"
        "2. Author: Ann Poe\n   Title: Reeds of the shore\n   Journal: Ecology\n   Year: 1995\n"
    )
    found = [one.reference for one in citations(text)]
    assert [(one.title, one.authors, one.year) for one in found] == [
        ("Sick reeds and sick shores", ("Geoffrey Roe",), 1985),
        ("Reeds of the shore", ("Ann Poe",), 1995),
    ]
