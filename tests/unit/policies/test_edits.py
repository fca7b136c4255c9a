"""Marks and cuts on the kinds of answer that models write."""

import re

import pytest
from tests.notices import EMPTY, LIST_GONE, NOTICES

from guardrail.policies.edits import (
    Mark,
    apply,
    flattened,
    insertions,
    merge,
    plain,
    removals,
)
from guardrail.report import Edit, Span


def span(text, part, nth=0):
    start = -1
    for _ in range(nth + 1):
        start = text.index(part, start + 1)
    return Span(start=start, end=start + len(part))


def marked(text, *parts, mark="m"):
    return apply(text, insertions(text, [Mark(span(text, part), mark) for part in parts]))


def cut(text, *parts):
    return apply(text, removals(text, [(span(text, part), "why") for part in parts], **NOTICES))


class TestInsertions:
    @pytest.mark.parametrize(
        ("text", "part", "expected"),
        [
            ("Smith wrote X.", "X", "Smith wrote X [m]."),
            ("A. B.", "A.", "A. [m] B."),
            ('In "Title" he', "Title", 'In "Title" [m] he'),
            ('In "Title." He', "Title", 'In "Title." [m] He'),
            ("In **Title** he", "Title", "In **Title** [m] he"),
            ("In ***“Title”*** he", "Title", "In ***“Title”*** [m] he"),
            ("《红楼梦》是", "红楼梦", "《红楼梦》 [m]是"),
            ("See [Title](http://a.b/c_d) now", "Title", "See [Title](http://a.b/c_d) [m] now"),
            ("See [T](http://a.b 'x') now", "T", "See [T [m]](http://a.b 'x') now"),
            ("See `a b` now", "a", "See `a b` [m] now"),
            ("At https://doi.org/10.1/x.", "https://doi.org", "At https://doi.org/10.1/x [m]."),
            ("so $x + y$ holds", "x", "so $x + y$ [m] holds"),
            ("costs $5 and $10", "5", "costs $5 [m] and $10"),
            ("halluci", "hal", "halluci [m]"),
            ("e\u0301a", "e", "e\u0301a [m]"),
            ("标题(2020)", "标题", "标题 [m] (2020)"),
            ("a  \nb", "a  \n", "a [m]  \nb"),
            ("James' dog", "James", "James [m]' dog"),
        ],
    )
    def test_stand_right_after_and_break_nothing(self, text, part, expected):
        """After what closes with the span; never inside a link, code, a formula or a word."""
        assert expected == marked(text, part)

    def test_of_a_code_block_stand_below_it(self):
        """The block stays as it is, and the note names the entry."""
        text = "```bibtex\n@book{foo,\n title={T}\n}\n```\nMore"
        assert marked(text, "title={T}") == "```bibtex\n@book{foo,\n title={T}\n}\n```\n\n[foo: m]\n\nMore"

    def test_close_a_code_block_that_was_left_open(self):
        """A note inside an open block would be code."""
        assert marked("```\nx = 1", "x") == "```\nx = 1\n```\n\n[x: m]"

    def test_of_bare_bibtex_stand_on_a_line_of_their_own(self):
        """Each entry has its own."""
        text = "@book{a, title={T}}\n\n@book{b, title={U}}"
        assert marked(text, "{T}", "{U}") == "@book{a, title={T}}\n[a: m]\n\n@book{b, title={U}}\n[b: m]"

    def test_of_nearly_the_same_span_are_one(self):
        """Two detectors on one reference: one mark with both reasons, said once each."""
        text = "Foo (2020)."
        marks = [
            Mark(span(text, "Foo (2020)"), "a"),
            Mark(span(text, "Foo (2020)."), "b"),
            Mark(span(text, "Foo (2020)"), "a"),
        ]
        assert apply(text, insertions(text, marks)) == "Foo (2020). [a; b]"

    def test_of_the_whole_text_are_one_line_at_the_end(self):
        """Below everything, after a blank line."""
        assert apply("A.", insertions("A.", [Mark(None, "m"), Mark(None, "n")])) == "A.\n\n[m; n]"
        assert apply("A.\n", insertions("A.\n", [Mark(None, "m")])) == "A.\n\n[m]"
        assert apply("```\na", insertions("```\na", [Mark(None, "m")])) == "```\na\n```\n\n[m]"

    def test_cannot_smuggle_markup(self):
        """A mark that quotes hostile text is plain words."""
        assert marked("A", "A", mark="[x](http://evil) <b>") == "A [x (http://evil) b]"


PAPERS = """Papers [1], [2,3], [1–4] and [3]:

1. Ann. "One". 2001.
2. **Bob**: *Two of them all*, 2002.
   It is famous.
3. Cy, Three.
4. Di, Four.

Also *Two of them all* again. Bye."""


class TestRemovals:
    def test_take_a_list_item_as_a_whole_and_number_the_rest_again(self):
        """With its second line; markers follow, and the title goes where it occurs again."""
        expected = (
            'Papers [1], [2], [1–3] and [2]:\n\n1. Ann. "One". 2001.\n2. Cy, Three.\n3. Di, Four.\n\nBye.'
        )
        assert expected == cut(PAPERS, "**Bob**: *Two of them all*, 2002.")

    @pytest.mark.parametrize("style", ["{}. ", "{}) ", "[{}] ", "[{}]: "])
    def test_keep_the_style_of_numbers(self, style):
        """The number changes and nothing else."""
        text = "\n".join(style.format(n) + name for n, name in [(1, "aa aa"), (2, "bb bb"), (3, "cc cc")])
        assert "\n".join([style.format(1) + "aa aa", style.format(2) + "cc cc"]) == cut(text, "bb bb")

    def test_leave_lists_alone_that_number_every_item_one(self):
        """Markdown counts by itself."""
        assert cut("1. aa\n1. bb\n1. cc", "bb") == "1. aa\n1. cc"

    def test_drop_markers_of_what_is_gone(self):
        """The one that pointed to it, with its space."""
        text = "X is so [1]. Y [2, 1].\n\n[1] Foo bar.\n[2] Baz."
        assert cut(text, "Foo bar.") == "X is so. Y [1].\n\n[1] Baz."

    def test_let_markers_follow_the_list_they_point_to_only(self):
        """Steps 1 to 3 are no references, so [2] has nothing to do with them."""
        text = "1. do\n2. did\n3. done\n\nSee [2].\n\n[1] A b.\n[2] C d."
        assert cut(text, "did") == "1. do\n2. done\n\nSee [2].\n\n[1] A b.\n[2] C d."

    @pytest.mark.parametrize("pointer", ["#3", "no. 3", "paper 3", "Item 3", "#2"])
    def test_leave_a_gap_where_the_text_points_to_numbers_in_words(self, pointer):
        """Words that point cannot be changed safely; a gap misleads nobody. Markers stay right."""
        text = f"1. aa\n2. bb\n3. cc\n\nStart with {pointer}, see [1-3] and [3]."
        expected = f"1. aa\n3. cc\n\nStart with {pointer}, see [1, 3] and [3]."
        assert cut(text, "bb") == expected

    @pytest.mark.parametrize("words", ["Read #1 first.", "C# 2 is old.", "Room #20.", "Item 1.5."])
    def test_number_again_where_words_point_to_nothing_that_moves(self, words):
        """A number before the gap, or of something else."""
        assert cut(f"1. aa\n2. bb\n3. cc, no. 3\n\n{words}", "bb") == f"1. aa\n2. cc, no. 3\n\n{words}"

    def test_take_along_what_an_item_holds(self):
        """Nested items go with it, the outer list is numbered again."""
        assert cut("1. aa\n2. bb\n   - cc\n   - c2\n3. dd", "bb") == "1. aa\n2. dd"

    def test_say_so_where_a_list_is_gone(self):
        """ "Here are three papers:" followed by nothing would be a lie."""
        assert f"Three:\n\n{LIST_GONE}\n\nBye." == cut("Three:\n\n- aa\n- bb\n\nBye.", "aa", "bb")

    @pytest.mark.parametrize(
        ("text", "parts", "expected"),
        [
            ("It works (Foo, 2020). Yes.", ["Foo, 2020"], "It works. Yes."),
            ("It works (see Foo, 2020; Bar, 2021).", ["Foo, 2020"], "It works (Bar, 2021)."),
            ("It works (Bar, 2021; Foo, 2020).", ["Foo, 2020"], "It works (Bar, 2021)."),
            ("It works (A a, 1; Foo, 2020; B b, 2).", ["Foo, 2020"], "It works (A a, 1; B b, 2)."),
            ("It works (Foo, 2020).", ["(Foo, 2020)"], "It works."),
            ("It is so [3]. Yes.", ["[3]"], "It is so. Yes."),
            ("One. Foo et al. showed it. Two.", ["Foo et al."], "One. Two."),
            ("One. Dr. Foo showed X.", ["Dr. Foo showed X"], "One."),
            ('Read "A a", "B b" and "C c". Ok.', ["B b"], 'Read "A a" and "C c". Ok.'),
            ('Read "A a", "B b" and "C c". Ok.', ['"C c"'], 'Read "A a" and "B b". Ok.'),
            ("前一句。张三（2020）错。后一句。", ["张三（2020）"], "前一句。后一句。"),
            ("| a | b |\n|---|---|\n| x | y |\n| u | v |", ["x"], "| a | b |\n|---|---|\n| u | v |"),
            ("One.\n\nTwo.\n\nThree.", ["Two."], "One.\n\nThree."),
            ("See [Foo Bar](http://a.b). Ok.", ["Foo Bar"], "Ok."),
            ("- aa. Also (Foo, 2020).\n- bb", ["Foo, 2020"], "- aa. Also.\n- bb"),
        ],
    )
    def test_leave_clean_prose(self, text, parts, expected):
        """No empty parentheses, doubled spaces or dangling commas."""
        assert expected == cut(text, *parts)

    def test_take_a_bibtex_entry_as_a_whole(self):
        """And the code block with it, if nothing else is in there."""
        text = "A.\n\n```bibtex\n@book{a, title={Tee}}\n@book{b, title={Uuu}}\n```\n\nB."
        assert cut(text, "Tee") == "A.\n\n```bibtex\n@book{b, title={Uuu}}\n```\n\nB."
        assert cut(text, "Tee", "Uuu") == "A.\n\nB."

    def test_leave_a_sentence_where_nothing_is_left(self):
        """An empty answer would look like a fault."""
        assert cut("1. Foo\n2. Bar", "Foo", "Bar") == EMPTY

    def test_replace_everything_where_the_text_would_survive(self):
        """Two halves that meet after a cut."""
        assert cut("FABRI(FABRICATED)CATED and so on.", "FABRICATED") == EMPTY


REAL = '"Attention Is All You Need" (Vaswani et al., 2017)'
REAL2 = '"Deep Residual Learning" (He et al., 2016)'
FAKE = '"Made Up Memory Routing for Networks" (Halloran & Weiss, 2019)'


class TestKept:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("Two stand out: R and F. Both are cited.", "Two stand out: R. Both are cited."),
            ("Two stand out: F and R. Both are cited.", "Two stand out: R. Both are cited."),
            ("Read R, F, and S. Bye.", "Read R, and S. Bye."),
            ("Read R, S, and F. Bye.", "Read R, S. Bye."),
            ("(1) R; (2) S; (3) F", "(1) R; (2) S"),
            ("(1) R; (2) F; (3) S", "(1) R; (3) S"),
            ("(1) F; (2) R; and (3) S.", "(2) R; and (3) S."),
            ("- R, and F\n- other", "- R\n- other"),
            ("- F, and R\n- other", "- R\n- other"),
            ("As shown in R, which extends F, it works.", "As shown in R, it works."),
            ("R introduced attention and F introduced routing. Bye.", "R introduced attention. Bye."),
            ("F introduced routing and R introduced attention. Bye.", "R introduced attention. Bye."),
            ("- F\n  - R\n- S", "  - R\n- S"),
            ("# F\n\nLike R.\n\n# Next\nmore", "Like R.\n\n# Next\nmore"),
            ("So it is. F is bad. R is good.", "So it is. R is good."),
        ],
    )
    def test_references_stay_where_another_one_beside_them_goes(self, text, expected):
        """With its "and", its number or its clause, and nothing else of the sentence or the item."""

        def spelled(short):
            names = {"R": REAL, "F": FAKE, "S": REAL2}
            return re.sub(r"\b[RFS]\b", lambda match: names[match.group()], short)

        text = spelled(text)
        kept = [span(text, real) for real in (REAL, REAL2) if real in text]
        assert spelled(expected) == apply(
            text, removals(text, [(span(text, FAKE), "why")], kept=kept, **NOTICES)
        )

    def test_text_that_is_part_of_what_stays_is_no_reason_to_show_nothing(self):
        """The words of what is cut may stand in what was found to be right."""
        text = "One. Memory Routing is bad.\n\nMemory Routing at Large is good."
        kept = [span(text, "Memory Routing at Large")]
        edits = removals(text, [(span(text, "Memory Routing"), "why")], kept=kept, **NOTICES)
        assert apply(text, edits) == "One.\n\nMemory Routing at Large is good."


class TestMerge:
    def test_moves_an_insertion_out_of_a_cut(self):
        """A mark is never lost."""
        cutting, mark = (
            Edit(span=Span(start=2, end=6), replacement=""),
            Edit(span=Span(start=4, end=4), replacement="!"),
        )
        assert apply("abcdefgh", merge([cutting], [mark])) == "ab!gh"

    def test_keeps_the_first_of_two_cuts_that_overlap(self):
        """The second would cut what is no longer there."""
        one, two = (Edit(span=Span(start=a, end=b), replacement="") for a, b in [(0, 3), (2, 5)])
        assert (one,) == merge([one], [two])


def test_flattened_and_plain_are_bounded():
    """Hostile marks do not grow."""
    assert len(flattened("a" * 10_000, 50)) == 50
    assert plain("a\n\x00`b") == "a b"
