"""Finding references in answers: hand-made cases in many styles as rates, hostile text, and the recorded lists."""

from __future__ import annotations

import csv
import json
from itertools import product
from pathlib import Path

import pytest
from tests.effort import ends, lines_run
from tests.looping import each

from guardrail.references.citations import Citation, asks_for_references, citations
from guardrail.references.citations.identifiers import identifiers
from guardrail.references.citations.tagging import Tagger, packaged_tagger
from guardrail.report import Span

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


def overlap(one: tuple[int, int], other: Span) -> float:
    """Characters in both, of those in either."""
    both = min(one[1], other.end) - max(one[0], other.start)
    return max(both, 0) / (max(one[1], other.end) - min(one[0], other.start))


class TestCases:
    """Texts with the references marked by hand, read with the network."""

    def test_nearly_all_are_found_and_hardly_anything_else(self) -> None:
        """What is found has the title that was marked. A span counts from .7 of its characters on."""
        hits = found_count = marked = titles = 0
        for case in CASES:
            text, spans = unmarked(case["answer"])
            found = citations(text, asked_for_references=case.get("asked", False), tagger=packaged_tagger())
            pairs = [
                (expected, one)
                for span, expected in zip(spans, case["expected"], strict=True)
                if (one := next((c for c in found if overlap(span, c.span) >= 0.7), None)) is not None
            ]
            hits, found_count, marked = hits + len(pairs), found_count + len(found), marked + len(spans)
            titles += sum(expected["title"] == one.reference.title for expected, one in pairs)
        assert marked >= 120
        assert sum(not case["expected"] for case in CASES) >= 30
        precision, recall, exact = hits / found_count, hits / marked, titles / hits
        assert min(precision, recall) >= 0.91, (precision, recall)
        assert exact >= 0.97


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

    def test_nearly_always(self) -> None:
        """Deeper items, further lines, quotations, fences; the same line. What is said of a real work must not cover an invented one."""
        below = product(self.REAL, self.BETWEEN, self.FAKE)
        beside = product(self.REAL[:4], ["; ", " See also ", " see also: "], self.FAKE)
        texts = [
            f"1. {real}{between}{fake}\n" + ("```\n" if "```" in between else "")
            for real, between, fake in (*below, *beside)
        ][::5]
        hidden = [text for text in texts if not self.finds_the_second(text)]
        assert len(hidden) <= 0.04 * len(texts), hidden

    @staticmethod
    def finds_the_second(text: str) -> bool:
        found = citations(text, asked_for_references=True, tagger=packaged_tagger())
        return any("recursive attention pruning" in one.reference.title.lower() for one in found)


class TestSpans:
    """What a policy cuts and annotates."""

    def test_code_points_are_counted(self) -> None:
        """Emoji, combining marks and right-to-left text before a reference do not move it."""
        text = "👩🏽‍🔬 é שלום\nThe paper “Deep Residual Learning for Image Recognition” (2016)."
        (citation,) = citations(text, tagger=packaged_tagger())
        assert citation.span.of(text) == "“Deep Residual Learning for Image Recognition” (2016)"

    def test_no_reference_is_reported_twice(self) -> None:
        """An identifier inside a list item belongs to the item."""
        text = "References:\n- Doe, J. (2020). Graphs and how to draw them. doi:10.1000/xyz123\n"
        (citation,) = citations(text, tagger=packaged_tagger())
        assert citation.reference.doi == "10.1000/xyz123"


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

    @pytest.mark.parametrize("tagger", [None, packaged_tagger()], ids=["alone", "network"])
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
        (shown,) = citations(self.SHOWN, tagger=packaged_tagger())

        def check(unseen, before):
            answer = self.SHOWN.replace(before, unseen + before)
            (found,) = citations(answer, tagger=packaged_tagger())
            assert found.reference == shown.reference
            assert found.span.of(answer).replace(unseen, "") == shown.span.of(self.SHOWN)

        each(product(unseen, ["Vaswani", "(2017)", "Attention", "tention", "NeurIPS"]), check)


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
