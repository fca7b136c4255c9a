"""The reading of an answer into pieces. Oracle: read by hand."""

from itertools import pairwise

import pytest
from tests.effort import ends
from tests.looping import each

from guardrail.text.claims import claims, pieces, spoken
from guardrail.text.kinds import Kind


def read(text, kind=Kind.CLAIM):
    return [piece.text for piece in pieces(text) if piece.kind is kind]


class TestMarks:
    def test_are_no_part_of_a_claim(self):
        """However people and models write them, and wherever they put them."""
        forms = [
            "[1]", " [1]", "[1][2]", " [1, 3-5]", "[^1]", " [^1^]", "【4:0†source】", "[1†L3-L7]", " (Source 2)", " (Doc 1)",
            " [doc1]", " [citation:2]", " (manual.pdf, p. 3)", "¹²", "<sup>1</sup>", " <cite>Doc 2</cite>", " [[2]](https://a.example/b)",
            " (Smith et al., 2020; Lee, 2019)", " ([BBC](https://bbc.example/x))", " (p. 12)", " (Dokument 1, § 5)", " [Quelle: Handbuch, S. 3]", " （来源：手册）", "［3］",
            " [D1]", " (see document 1)", " (cf. [2])", " (Handbook, section 4.2)", " [1, p. 3]", " [source]", " (ibid.)", " {1}", " [[1]]", " [web:1]",
            " (as stated in document 1)", " (siehe Dok. 2)", " [@smith2020]", " [Smith 2020]", " <source id=\"1\"/>",
        ]  # fmt: skip

        def check(form):
            for text in (
                f"It was built in 1904{form}. It is red.",
                f"It was built in 1904.{form.lstrip()} It is red.",
            ):
                assert read(text) == ["It was built in 1904.", "It is red."], text
                assert pieces(text)[0].marks

        each(forms, check)

    def test_belong_to_the_sentence_before(self):
        """Behind the full stop too, so that who cuts the sentence cuts its marks."""
        text = "It opened in 1904.[1][2] It is red. [3]"
        assert [piece.span.of(text) for piece in pieces(text)] == [
            "It opened in 1904.[1][2]",
            "It is red. [3]",
        ]

    def test_other_brackets_stay(self):
        """Years, insertions, units and exponents."""
        kept = [
            "He left [in 1904] for Rome.",
            "It has 20 m² (about 215 sq ft).",
            "The play [Hamlet] is long.",
            "x² is even.",
            "He (1904) left.",
            "Take the metro (line 4).",
            "It fights [COVID-19] well.",
            "It has two (2) doors.",
        ]
        assert [read(text) for text in kept] == [[text] for text in kept]

    @pytest.mark.parametrize(
        ("said", "claim"),
        [
            ("According to document 1, it rained.", "it rained."),
            ("As stated in [3], it rained.", "it rained."),
            ("Based on the provided context, it rained.", "it rained."),
            ("According to the handbook, it rained.", "it rained."),
            ("The text says that it rained.", "it rained."),
            ("[1] states that it rained.", "it rained."),
            ("It rained, as stated in document 1.", "It rained."),
            ("Document 2 states that it rained.", "it rained."),
            ("Laut Dokument 1 hat es geregnet.", "hat es geregnet."),
            ("Selon le document 2, il a plu.", "il a plu."),
            ("根据文档1，昨天下雨了。", "昨天下雨了。"),
            ("文書1によると、雨が降った。", "雨が降った。"),
        ],
    )
    def test_an_opening_that_names_a_source_is_no_claim(self, said, claim):
        """In several languages."""
        assert read(said) == [claim]

    @pytest.mark.parametrize(
        "said",
        [
            "According to Smith, it rained.",
            "In May, it rained.",
            "In the documents he signed, he lied.",
            "Source code is text.",
        ],
    )
    def test_other_openings_stay(self, said):
        """Who said it and when is part of the claim."""
        assert read(said) == [said]

    @pytest.mark.parametrize(
        "heading", ["Sources:", "## References", "**Quellen**", "参考文献：", "Fuentes:"]
    )
    def test_a_list_of_sources_claims_nothing(self, heading):
        """Nor do notes that marks point to."""
        text = f"It is red [1].\n\n{heading}\n[1] manual.pdf\n[2] https://a.example/b"
        assert read(text) == ["It is red."]
        assert read("It is red.[^1]\n\n[^1]: The manual, page 3") == ["It is red."]

    def test_lines_of_sources(self):
        """Without a heading, or on one line."""
        assert read("It is red¹ and old².\n\n¹ Document 1\n² Manual, page 3") == ["It is red and old."]
        assert read("It is red. Sources: [1], [2].") == ["It is red."]


class TestBlocks:
    def test_cells_are_claims_whatever_their_words(self):
        """Even if a sentence of the same words would claim nothing; the header of a table in a fence is no claim."""
        table = "| Trail | Season |\n|---|---|\n| Lake Loop | all year |"
        assert read(table) == read(f"```\n{table}\n```") == ["Lake Loop | all year"]

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("# Life\n\nShe left.", ["She left."]),
            ("**Early life**\n\nShe left.", ["She left."]),
            ("**Early life:**\n- She left.", ["She left."]),
            ("Early life:\n- She left.", ["She left."]),
            ("| name | born |\n|---|---|\n| Ada | 1815 |", ["Ada | 1815"]),
            ("She left.\n\n---\n\nHe stayed.", ["She left.", "He stayed."]),
            ("> She left.\n> He stayed.", ["She left.", "He stayed."]),
        ],
    )
    def test_what_names_a_topic_is_no_claim(self, text, expected):
        """Headings, table headers and rules."""
        assert read(text) == expected

    @pytest.mark.parametrize(
        ("text", "kept"),
        [
            ("**Paris**", "Paris"),
            ("**Paris**\n\n**Rome**\n\n**Oslo**", "Paris"),
            ("**Born in 1815**\n\nShe left.", "Born in 1815"),
            ("**She was a spy**\n\nShe left.", "She was a spy"),
            ("He was convicted of these crimes:\n- theft", "He was convicted of these crimes:"),
            ("- **Rome**\n- Oslo is north.", "Rome"),
            ("| Ada | 1815 |\n| Bob | 1816 |", "Ada | 1815"),
            ("# The library opened in 1998\n\nIt is red.", "The library opened in 1998"),
            ("## Der Umsatz ist 2023 um 20 % gefallen\n", "Der Umsatz ist 2023 um 20 % gefallen"),
        ],
    )
    def test_what_may_claim_stays(self, text, kept):
        """Verbs, numbers, list items, rows without a header, and headings that state something."""
        assert kept in read(text)

    def test_a_fence_around_prose_is_a_wrapping(self):
        """So are fences around tables, records and whole answers."""
        assert read("```\nIt opened in 1904.\n```") == ["It opened in 1904."]
        assert read("```markdown\n# A\n\n- It is red.\n```") == ["It is red."]
        assert read("```csv\nname,price\nA,3\n```") == ["name,price", "A,3"]
        assert read('```json\n{"year": 1904, "note": "It is red."}\n```') == [
            "year: 1904",
            "note: It is red.",
        ]

    @pytest.mark.parametrize(
        "code", ["```python\nx = 1\n```", "```\nimport os\nos.remove(path)\n```", "~~~bash\nrm x\n~~~"]
    )
    def test_code_says_that_it_is_code(self, code):
        """It is never skipped."""
        assert [piece.kind for piece in pieces(f"It runs.\n\n{code}\n")] == [Kind.CLAIM, Kind.CODE]

    def test_json_is_read_value_by_value(self):
        """A long text sentence by sentence, in its place."""
        text = '{"a": "It opened in 1904 in Rome. It has always been red.", "b": {"floors": 3, "open": true}}'
        assert read(text) == [
            "It opened in 1904 in Rome.",
            "It has always been red.",
            "floors: 3",
            "open: true",
        ]
        assert pieces(text)[1].span.of(text) == "It has always been red."

    def test_html_is_read_element_by_element(self):
        """Items, paragraphs, breaks and rows; entities are characters."""
        text = "<ul><li>It is red.</li><li>R&amp;D is <b>big</b></li></ul><p>One<br/>Two</p><table><tr><td>A</td><td>3</td></tr></table>"
        assert read(text) == ["It is red.", "R&D is big", "One", "Two", "A | 3"]
        assert pieces(text)[-1].form == "record"
        assert [piece.span.of(text) for piece in pieces(text)][1] == "R&amp;D is <b>big</b>"

    def test_emphasis_belongs_to_its_sentence(self):
        """Whoever removes a sentence removes both of its tags."""
        text = "<p><strong>Entry is free.</strong> It is <em>red</em>.</p>"
        assert [piece.span.of(text) for piece in pieces(text)] == [
            "<strong>Entry is free.</strong>",
            "It is <em>red</em>.",
        ]

    def test_thoughts_are_no_claims(self):
        """What is beside them is read as if they were not there."""
        text = "<think>1905? It is 1905.</think>\nIt is 1904. [THINK]hm[/THINK]"
        assert read(text) == ["It is 1904."]
        assert len(read(text, Kind.THOUGHT)) == 2
        assert spoken(text) == "It is 1904."
        assert read('<think>hm</think>\n{"year": 1904}') == ["year: 1904"]


class TestSentences:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("Er wurde am 3. Mai 1904 geboren. Im 19. Jahrhundert war er tot.", 2),
            ("Narodil se 3. května 1904. Zemřel 5. 6. 1950 v Praze.", 2),
            ("The answer is 42. May is a month.", 2),
            ("यह लाल है। वह नीला है।", 2),
            ("هل هذا صحيح؟ نعم، بُني عام 1904.", 2),
            ("它建于1904年。它是红色的。", 2),
        ],
    )
    def test_of_several_languages(self, text, expected):
        """An ordinal with a full stop ends no sentence where the language writes them so."""
        assert len(pieces(text)) == expected

    def test_a_broken_word_is_one(self):
        """Hyphens at line ends and soft hyphens are no part of it."""
        assert read("The main-\ntenance is co\u00adstly.") == ["The maintenance is costly."]

    def test_a_bare_answer_brings_its_question(self):
        """Also before other sentences; what says something by itself does not."""
        assert [one.form for one in pieces("Yes. It is red.", question="Is it red?")] == ["short", "sentence"]
        for answer, asked in [
            ("Yes.", "Is it red?"),
            ("1904.", "When was it built?"),
            ("由市议会", "由谁批准？"),
        ]:
            assert (pieces(answer, question=asked)[0].form, pieces(answer, question=asked)[0].question) == (
                "short",
                asked,
            )
        assert pieces("It was built in 1904.", question="When?")[0].form == "sentence"
        assert (
            pieces("展览共展出文物一百二十六件，展期到九月底结束。", question="多少？")[0].form == "sentence"
        )
        assert pieces("Yes.")[0].form == "short"


class TestAnyText:
    @pytest.mark.parametrize(
        "piece",
        ["**a**\n\n", "a:\n", "|a|\n|-|\n", "He is. ", "[", "(", "【", "<", "<li>", "```\n", "<think>", "# a\n", '{"a":', "[1] ", "&a", "1. ", "<sup>1</sup>",
         "[^1]: a\n", "> ", "。", "according to ", "document 1 ", "(a, ", "\x00", "\x1e"],
    )  # fmt: skip
    def test_long_texts_are_quick(self, piece):
        """Linear in the text."""
        with ends(30):
            pieces(piece * 10_000)

    @pytest.mark.parametrize(
        "text",
        ["", " ", "\x00", "\ud800", "[1]", "<p>", "```", "{", "\x1e\x00", "---", "| |", "<!-- -->", "🙂"],
    )
    def test_odd_texts(self, text):
        """Places are places of the text, in order and disjoint."""
        found = pieces(text)
        assert all(0 <= a.span.start <= a.span.end <= len(text) for a in found)
        assert all(a.span.end <= b.span.start for a, b in pairwise(found))

    def test_claims_are_places(self):
        """For who needs nothing else."""
        assert [span.of("Hi? It is red.") for span in claims("Hi? It is red.")] == ["It is red."]
