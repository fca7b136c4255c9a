"""Finding references in answers: hand-made cases in many styles, exact spans, and the recorded lists."""

from __future__ import annotations

import csv
import json
from itertools import product
from pathlib import Path

import pytest
from tests.effort import ends, lines_run
from tests.looping import each

from guardrail.references.citations import Citation, asks_for_references, citations, parse_reference
from guardrail.references.citations.fields import without_volume
from guardrail.references.citations.identifiers import identifiers
from guardrail.references.citations.tagging import Tagger, packaged_tagger

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "citation_cases.jsonl").read_text(encoding="utf-8").splitlines()
]


def unmarked(answer: str) -> tuple[str, list[tuple[int, int]]]:
    """The text without ⟦ ⟧ and the places that they enclosed."""
    plain: list[str] = []
    spans: list[tuple[int, int]] = []
    start = 0
    for character in answer:
        if character == "⟦":
            start = len(plain)
        elif character == "⟧":
            spans.append((start, len(plain)))
        else:
            plain.append(character)
    return "".join(plain), spans


def place(citation: Citation) -> tuple[int, int]:
    return citation.span.start, citation.span.end


class TestCases:
    """Texts with the references marked by hand.

    The first 91 were written before the code was tuned. The next 27 and 20 were each kept unseen until it was
    done; at first sight precision and recall were .83 and .94, then .95 and 1 (titles all exact). Those after
    them came with the mending of what reviewers found, and measure nothing but that it stays mended.
    """

    @pytest.mark.parametrize("case", CASES, ids=[f"{i}-{case['style']}" for i, case in enumerate(CASES)])
    def test_every_reference_is_found_and_nothing_else(self, case: dict) -> None:
        """Spans, titles, authors and years are exactly the marked ones."""
        text, spans = unmarked(case["answer"])
        found = citations(text, asked_for_references=case.get("asked", False))
        assert spans == [place(citation) for citation in found]
        for citation, expected in zip(found, case["expected"], strict=True):
            assert case["style"] in (citation.style, "mixed")
            assert expected["title"] == citation.reference.title
            if "authors" in expected:
                assert expected["authors"] == list(citation.reference.authors)
            if "year" in expected:
                assert expected["year"] == citation.reference.year

    def test_the_set_is_large_enough(self) -> None:
        """At least 120 references and 30 texts without any."""
        assert sum(len(case["expected"]) for case in CASES) >= 120
        assert sum(not case["expected"] for case in CASES) >= 30


class TestSpans:
    """What a policy cuts and annotates."""

    def test_an_item_is_cut_with_its_marker_and_line_end(self) -> None:
        """Removing the item leaves the other lines as they were."""
        text = 'Papers:\r\n1. "A Tale of Two Graphs" (2019)\r\n2. "Trees and Other Plants" (2020)\r\nBye.'
        first = citations(text)[0]
        assert first.item is not None
        assert first.item.of(text) == '1. "A Tale of Two Graphs" (2019)\r\n'
        assert first.marker == "1."
        assert first.span.of(text) == '"A Tale of Two Graphs" (2019)'

    def test_a_fenced_entry_is_cut_with_its_fence(self) -> None:
        """The code block goes with the only entry in it."""
        text = "See\n```bibtex\n@book{k, title={Concrete Mathematics}, year=1994}\n```\nend"
        (citation,) = citations(text)
        assert citation.item is not None
        assert text.replace(citation.item.of(text), "") == "See\nend"

    def test_code_points_are_counted(self) -> None:
        """Emoji, combining marks and right-to-left text before a reference do not move it."""
        text = "👩🏽‍🔬 é שלום\nThe paper “Deep Residual Learning for Image Recognition” (2016)."
        (citation,) = citations(text)
        assert citation.span.of(text) == "“Deep Residual Learning for Image Recognition” (2016)"

    def test_no_reference_is_reported_twice(self) -> None:
        """An identifier inside a list item belongs to the item."""
        text = "References:\n- Doe, J. (2020). Graphs and how to draw them. doi:10.1000/xyz123\n"
        (citation,) = citations(text)
        assert citation.reference.doi == "10.1000/xyz123"
        assert citation.style == "bulleted"


class TestFields:
    """One reference string."""

    def test_only_what_is_said_is_filled_in(self) -> None:
        """A bare title has neither authors nor year."""
        assert parse_reference("Topology Without Tears").missing == ("authors", "year", "venue")

    def test_identifiers_are_normalised(self) -> None:
        """DOI in lower case, arXiv without version, ISBN digits only."""
        reference = parse_reference(
            "Doe, J. (2020). A title. https://doi.org/10.1000/ABC arXiv:1706.03762v2 ISBN 0-201-89683-4"
        )
        assert reference.doi == "10.1000/abc"
        assert reference.arxiv == "1706.03762"
        assert reference.isbn == "0201896834"

    def test_an_empty_string_is_an_empty_reference(self) -> None:
        """Nothing in, nothing out."""
        assert parse_reference("").missing == ("title", "authors", "year", "venue")


class TestAsking:
    """Whether a prompt asks for references."""

    @pytest.mark.parametrize(
        "question",
        ["List five papers on topology.", "Recommend a book", "Welche Bücher gibt es?", "参考文献をください"],
    )
    def test_a_request_for_works_is_one(self, question: str) -> None:
        """In several languages."""
        assert asks_for_references(question)

    @pytest.mark.parametrize("question", ["How do I bake bread?", "", "Translate 'good morning'."])
    def test_anything_else_is_not(self, question: str) -> None:
        """No works, no references."""
        assert not asks_for_references(question)


HOSTILE = [
    "[", "](", "[[](", '"', "“", "“‘", "1", " ", "\\", "@a{", "@a{x,", "@a{x,}", "{", "(", "**a ", "_a ", "10.1234/",
    "https://a", "x ", "A. (2000). ", ". ", "Smith, J., ", " by ", "isbn 1", "arxiv:", "«", "《", "- ", "Title ", '"Aa Bb ',
    "\n", "- Aa Bb\n", "1. A (2000).\n", "@a{x,\n", "```\n",
    "'a ", "‘Aa ", "<li>", "<li>Aa Bb (2000)\n", "| a ", "| Aa Bb |\n", "[1] Aa ", "Doe, J. (2020). Aa. ", "; Doe, J. (2020). Aa Bb. ",
    "@a(x,", "title={", "; Aa (2000)", "See also ", "> ", "a)\n", "**Title:** Aa\n", "Aa, Bb, ", "(2000). A ",
    "(§ 1 BGB ", "§ 1 BGB ([PDF](https://a.de/b) ", "R (Roe", "Aa Bb Act 1998, s 6(1(", "Aa Bb: https://a.org/\n",
]  # fmt: skip


def lines_for(text: str) -> int:
    """How many lines of Python are run for it."""
    return lines_run(lambda: citations(text, asked_for_references=True))


class TestVolumes:
    """What is cut off the end of a venue."""

    @pytest.mark.parametrize(
        ("written", "venue"),
        [
            ("Science, 349(6251), e124", "Science"),
            ("Nature, vol. 323", "Nature"),
            ("Nature, 323, 533-536", "Nature"),
            ("Nature 323:533-536", "Nature"),
            ("Nature 323: 533–536, 1986", "Nature"),
            ("PLoS ONE 12: e0185809", "PLoS ONE"),
            ("PNAS 114 (13): 3521", "PNAS"),
            ("Cell 126, 663–676", "Cell"),
            ("Cell 126, no. 4", "Cell"),
            ("Cell 126, pp. 663–676", "Cell"),
            ("Cell 126, Art. No. e12", "Cell"),
            ("Mathematik 1(1), pp. 269-271, 1959", "Mathematik"),
            ("Apollo 11: 50 years", "Apollo 11: 50 years"),
            ("Apollo 11, 50 years on", "Apollo 11, 50 years on"),
            ("Area 51, no end", "Area 51, no end"),
            ("Windows 95: the inside story", "Windows 95: the inside story"),
            ("Studio 54: 1977–1980 in pictures", "Studio 54: 1977–1980 in pictures"),
            ("Studio 54, page by page", "Studio 54, page by page"),
            ("Fahrenheit 451, art and fire", "Fahrenheit 451, art and fire"),
            ("Route 66, part one", "Route 66, part one"),
        ],
    )
    def test_a_number_in_a_title_is_none(self, written: str, venue: str) -> None:
        """It is one if nothing but numbers and their labels follow."""
        assert without_volume(written) == venue

    @pytest.mark.parametrize("unit", [", 1", ", vol. 1, ", " 1, no x", " 1: 5", ", 1(1", "\n, 1", " "])
    def test_long_runs_come_to_an_end(self, unit: str) -> None:
        """Before a new line, and without one."""
        with ends(60):
            for end in ("\nx", "x"):
                without_volume("Aa" + unit * (1_000_000 // len(unit)) + end)


class TestHostileText:
    """Effort is linear in the length."""

    def test_four_times_the_text_takes_about_four_times_the_lines(self) -> None:
        """A quadratic step would take sixteen times as many."""
        found = {unit: [lines_for(unit * (n // len(unit))) for n in (1_000, 4_000)] for unit in HOSTILE}
        assert {unit: counts for unit, counts in found.items() if counts[1] > 6 * counts[0] + 1_000} == {}

    @pytest.mark.parametrize("unit", HOSTILE, ids=repr)
    def test_long_text_comes_to_an_end(self, unit: str) -> None:
        """A quadratic pattern would take minutes at this length."""
        with ends(60):
            citations(unit * ((32_000 if "\n" in unit else 160_000) // len(unit)), asked_for_references=True)

    @pytest.mark.parametrize("end", ["In ", "In: ", "In: Roe, Jane (Hrsg.): ", "In \n"])
    def test_a_reference_that_is_cut_off(self, end: str) -> None:
        """Where the name of the book would follow."""
        assert (
            citations(f"1. Doe, J. (2017). A Trial of Trees. {end}")[0].reference.title == "A Trial of Trees"
        )
        assert parse_reference(f"Doe, J. (2017). A Trial of Trees. {end}").title == "A Trial of Trees"

    def test_lists_in_lists(self) -> None:
        """Four hundred levels of them, every item a reference, and every one of them found."""

        def nested(depth: int) -> str:
            reference = "- Vaswani, A. (2017). Attention Is All You Need. NeurIPS."
            return "\n".join("  " * level + reference for level in range(depth))

        whole, part = nested(400), nested(100)
        assert len(citations(whole)) == 400
        assert lines_for(whole) < 2 * len(whole) / len(part) * lines_for(part)

    def test_a_megabyte_on_one_line(self) -> None:
        """A quadratic step would take hours."""
        with ends():
            citations('Aa "Bb [Cc (1999) by Dd, ' * 40_000)


def references_data() -> Path:
    try:
        from benchmarks._data import data_dir
    except ImportError:
        return Path(__file__).resolve().parents[4] / "shared" / "data" / "references"
    return Path(data_dir("references"))


@pytest.mark.data
class TestRecordedLists:
    """The lists of five titles that GPT-4 and gpt-3.5-turbo wrote."""

    @pytest.mark.parametrize("tagger", [None, packaged_tagger()], ids=["rules", "network"])
    @pytest.mark.parametrize("model", ["gpt-4", "gpt-3.5-turbo"])
    def test_every_generated_title_is_found(self, model: str, tagger: Tagger | None) -> None:
        """At least 99 % of `gen_title` come out exactly, once stray quotes, commas and periods are off."""
        path = references_data() / f"{model}_results.csv"
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        found: dict[str, list[str]] = {}
        hits = 0
        for row in rows:
            answer = row["model_answer_main_query"]
            if answer not in found:
                found[answer] = [
                    c.reference.title for c in citations(answer, asked_for_references=True, tagger=tagger)
                ]
            hits += row["gen_title"].strip(' ".,') in [title.strip(' ".,') for title in found[answer]]
        assert len(rows) == 1000
        assert all(len(titles) == 5 for titles in found.values())
        assert hits >= (1000 if model == "gpt-4" else 990)


class TestWhatIsNotSeen:
    """Control and invisible characters hide no reference; spans are those of the answer as it came."""

    SHOWN = "1. Vaswani, A. (2017). Attention Is All You Need. NeurIPS."

    def test_hides_no_reference(self):
        """Wherever it is put, a terminal's or reader's view is what is read."""
        unseen = ["\x1b[31m", "\x00", "\u200b", "\u202e", "\x07", "\ufeff", "\u00ad", "\x1b[1;31m\x1b[0m"]
        (shown,) = citations(self.SHOWN)

        def check(unseen, before):
            answer = self.SHOWN.replace(before, unseen + before)
            (found,) = citations(answer)
            assert found.reference == shown.reference
            assert found.span.of(answer).replace(unseen, "") == shown.span.of(self.SHOWN)

        each(product(unseen, ["Vaswani", "(2017)", "Attention", "tention", "NeurIPS"]), check)


class TestNothingHides:
    """A second reference in the item of a first one is found, in whatever form and wherever it stands."""

    REAL = (
        "Vaswani, A. et al. (2017). Attention Is All You Need. NeurIPS.",
        '"Attention Is All You Need" by Ashish Vaswani et al. (2017)',
        "**Attention Is All You Need** by Ashish Vaswani (2017) - Introduces the Transformer, a new model.",
        'A. Vaswani, N. Shazeer, "Attention is all you need," in NIPS, 2017, pp. 5998–6008.',
        "Attention Is All You Need",
    )
    FAKE = (
        "Halloran, M. (2021). Recursive Attention Pruning. ACL.",
        '"Recursive Attention Pruning" by Mary Halloran (2021)',
        "**Recursive Attention Pruning** by Mary Halloran (2021)",
        "*Recursive Attention Pruning* (Halloran et al., 2021)",
        "Mary Halloran. Recursive Attention Pruning. ACL, 2021.",
        'M. Halloran, "Recursive attention pruning," in Proc. ACL, 2021.',
        "Halloran et al. (2021). Recursive Attention Pruning.",
        "Recursive Attention Pruning by Mary Halloran (2021)",
        "Halloran M, Doe J. Recursive attention pruning. Nature. 2021;5(3):1-2.",
        "[Recursive Attention Pruning](https://arxiv.org/abs/2101.00001) (Halloran et al., 2021)",
        "Recursive Attention Pruning (Halloran et al., 2021)",
    )
    BETWEEN = (
        "\n   - ", "\n\t* ", "\n   1. ", "\n      - More\n         - ", "\n   - **Related work:** ", "\n   ", "\n", "\n\n   ",
        "\n   Related: ", "\n> ", "<br>", "\n```\n", "\n   ```\n   ", "\n```python\n# ",
    )  # fmt: skip

    def test_on_a_line_below(self) -> None:
        """Deeper items, further lines, quotations, fences."""
        each(product(self.REAL, self.BETWEEN, self.FAKE), self.finds_the_second)

    def test_on_the_same_line(self) -> None:
        """Behind every form but a bare title, whose end cannot be told."""
        each(product(self.REAL[:4], ["; ", " See also ", " see also: "], self.FAKE), self.finds_the_second)

    @staticmethod
    def finds_the_second(real: str, between: str, fake: str) -> None:
        text = f"1. {real}{between}{fake}\n" + ("```\n" if "```" in between else "")
        titles = [c.reference.title.lower() for c in citations(text, asked_for_references=True)]
        assert "recursive attention pruning" in titles, text

    @pytest.mark.parametrize("inner", ["   - ", "   "])
    def test_the_items_are_apart(self, inner: str) -> None:
        """What is cut with the first leaves the second, and the other way round."""
        first, second = f"1. {self.REAL[0]}\n", f"{inner}{self.FAKE[0]}\n"
        one, other = citations(first + second)
        assert one.item is not None
        assert one.item.of(first + second) == first
        assert (other.item or other.span).of(first + second).strip() == second.strip()


ATTENTION = '"Attention Is All You Need"'
RESNET = '"Deep Residual Learning for Image Recognition"'


class TestSentences:
    """A sentence around a title is no title, whatever was asked and whatever else the answer holds."""

    @pytest.mark.parametrize("asked", [False, True])
    @pytest.mark.parametrize("before", ["", "1. Doe, J. (2020). Graphs and Trees. Nature, 3(2), 1-10.\n\n"])
    @pytest.mark.parametrize(
        ("sentence", "spans"),
        [
            (f"I recommend {ATTENTION} by Vaswani et al. (2017).", [f"{ATTENTION} by Vaswani et al. (2017)"]),
            (
                f"Sure! {ATTENTION} by Vaswani et al. (2017) is a classic.",
                [f"{ATTENTION} by Vaswani et al. (2017)"],
            ),
            (
                f"Key works include {ATTENTION} (Vaswani et al., 2017), {RESNET} (He et al., 2016), and others.",
                [f"{ATTENTION} (Vaswani et al., 2017)", f"{RESNET} (He et al., 2016)"],
            ),
            (
                f"A good start is {ATTENTION} by Vaswani et al. (2017).",
                [f"{ATTENTION} by Vaswani et al. (2017)"],
            ),
            (
                (
                    "Start with *Attention Is All You Need* by Vaswani et al. (2017), then "
                    "*Deep Residual Learning for Image Recognition* by He et al. (2016)."
                ),
                [
                    "*Attention Is All You Need* by Vaswani et al. (2017)",
                    "*Deep Residual Learning for Image Recognition* by He et al. (2016)",
                ],
            ),
        ],
    )
    def test_only_the_title_and_what_follows_is_the_reference(
        self, sentence: str, spans: list[str], before: str, asked: bool
    ) -> None:
        """No words of the sentence are in the title or the span, and the second title is found, too."""
        text = before + sentence
        found = [c for c in citations(text, asked_for_references=asked) if c.span.start >= len(before)]
        assert [c.span.of(text) for c in found] == spans
        titles = ["Attention Is All You Need", "Deep Residual Learning for Image Recognition"]
        assert [c.reference.title for c in found] == titles[: len(spans)]
        assert {c.style for c in found} <= {"quoted", "emphasised"}
        assert all(c.item is None for c in found)

    def test_a_title_that_quotes_another_is_still_read_whole(self) -> None:
        """The quotation in it is a part."""
        text = 'A Critique of "Deep Learning" by Doe et al. (2020)'
        found = citations(text, asked_for_references=True)
        assert [c.reference.title for c in found] == ['A Critique of "Deep Learning"']


class TestEllipses:
    """Names left out in the middle, as APA does it."""

    @pytest.mark.parametrize("marker", ["", "- ", "1. "])
    @pytest.mark.parametrize("dots", ["…", "...", ". . .", "… &", "..., &", ". . . &", "…,"])
    def test_the_list_goes_on_behind_it(self, dots: str, marker: str) -> None:
        """The names on both sides are authors, and some are missing."""
        text = f"Halloran, M., Weiss, T., {dots} Amodei, D. (2020). Made up memory routing."
        (found,) = citations(marker + text)
        assert found.span.of(marker + text) == text
        assert found.reference.title == "Made up memory routing"
        assert found.reference.authors == ("Halloran, M.", "Weiss, T.", "Amodei, D.")
        assert found.reference.et_al
        assert found.reference.year == 2020


class TestNicknames:
    """The short name of a work before its title is not who wrote it."""

    @pytest.mark.parametrize("asked", [False, True])
    @pytest.mark.parametrize(
        "text",
        [
            f"- **ResNet**: {RESNET} (He et al., 2016)",
            f"- ResNet: {RESNET} (He et al., 2016)",
            f"**ResNet** — {RESNET} (He et al., 2016)",
            f"1. **ResNet** (He et al., 2016): {RESNET}",
            f"- **ResNet** – {RESNET} by He et al. (2016)",
            f"- **ResNet-50**: {RESNET} (He et al., 2016)",
        ],
    )
    def test_the_names_in_brackets_are_the_authors(self, text: str, asked: bool) -> None:
        """Wherever the brackets stand."""
        (found,) = citations(text, asked_for_references=asked)
        assert found.reference.title == RESNET.strip('"')
        assert found.reference.authors == ("He",)
        assert found.reference.et_al
        assert found.reference.year == 2016

    def test_a_title_may_begin_with_the_short_name(self) -> None:
        """Its colon ends nothing."""
        text = '**BERT** — "BERT: Pre-training of Deep Bidirectional Transformers" (Devlin et al., 2018)'
        (found,) = citations(text, asked_for_references=True)
        assert found.reference.title == "BERT: Pre-training of Deep Bidirectional Transformers"
        assert found.reference.authors == ("Devlin",)

    def test_an_author_with_a_year_stays_the_author(self) -> None:
        """Nobody else is named."""
        (found,) = citations('- Hinton (2016): "Made Up Memory Routing for Networks"')
        assert found.reference.authors == ("Hinton",)

    def test_a_title_around_a_quotation_stays_whole(self) -> None:
        """What stands before the quotation is no short name."""
        (found,) = citations('- A Critique of "Deep Learning" (Doe et al., 2020)')
        assert found.reference.title == 'A Critique of "Deep Learning"'


class TestNamesBehindCommas:
    """Title, Names et al., year."""

    @pytest.mark.parametrize(
        ("text", "title", "authors"),
        [
            ("Attention Is All You Need, Vaswani et al., 2017", "Attention Is All You Need", ("Vaswani",)),
            ("Attention Is All You Need, Vaswani et al. (2017)", "Attention Is All You Need", ("Vaswani",)),
            (
                "Routing, Memory, and Attention in Networks, Halloran et al., 2017",
                "Routing, Memory, and Attention in Networks",
                ("Halloran",),
            ),
        ],
    )
    def test_the_title_ends_before_them(self, text: str, title: str, authors: tuple[str, ...]) -> None:
        """The names are authors."""
        (found,) = citations("1. " + text)
        assert found.span.of("1. " + text) == text
        assert found.reference.title == title
        assert found.reference.authors == authors
        assert found.reference.et_al
        assert found.reference.year == 2017


class TestNamesInTheSentence:
    """Names and a year that the sentence says before or behind the title."""

    @pytest.mark.parametrize("asked", [False, True])
    @pytest.mark.parametrize(
        ("text", "span"),
        [
            (
                'In "Made Up Memory Routing for Networks," Halloran et al. (2016) say so.',
                '"Made Up Memory Routing for Networks," Halloran et al. (2016)',
            ),
            (
                "In “Made Up Memory Routing for Networks”, Halloran et al. (2016) say so.",
                "“Made Up Memory Routing for Networks”, Halloran et al. (2016)",
            ),
            (
                'Halloran et al. (2016) propose "Made Up Memory Routing for Networks".',
                'Halloran et al. (2016) propose "Made Up Memory Routing for Networks"',
            ),
            (
                "Halloran et al. (2016) introduced “Made Up Memory Routing for Networks.”",
                "Halloran et al. (2016) introduced “Made Up Memory Routing for Networks.”",
            ),
        ],
    )
    def test_they_are_the_authors(self, text: str, span: str, asked: bool) -> None:
        """The comma of the quotation belongs to the sentence."""
        (found,) = citations(text, asked_for_references=asked)
        assert found.span.of(text) == span
        assert found.reference.title == "Made Up Memory Routing for Networks"
        assert found.reference.authors == ("Halloran",)
        assert found.reference.et_al
        assert found.reference.year == 2016

    @pytest.mark.parametrize(
        "text",
        [
            'Halloran et al. (2016) propose "sparse memory routing" for this.',
            'Of "the curse of dimensionality," Halloran et al. (2016) say little.',
        ],
    )
    def test_a_term_in_quotation_marks_is_no_title(self, text: str) -> None:
        """It is in lower case; only the mark counts."""
        assert [(one.style, one.reference.title) for one in citations(text)] == [("author-year", "")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see arxiv.org/abs/2006.11239v2 (Ho)", [("arxiv", "2006.11239", "arxiv.org/abs/2006.11239v2")]),
        ("at doi.org/10.1093/abc.1.", [("doi", "10.1093/abc.1", "doi.org/10.1093/abc.1")]),
        ("dx.doi.org/10.1093/abc.1", [("doi", "10.1093/abc.1", "dx.doi.org/10.1093/abc.1")]),
        ("me@doi.org/10.1093/abc notdoi.org/10.1093/abc", []),
    ],
)
def test_addresses_without_their_scheme(text, found):
    """As people type them."""
    assert [(one.kind, one.value, text[one.start : one.end]) for one in identifiers(text)] == found
