"""Edits of answers in HTML: an element goes as a whole, alone, and a mark is inside of it."""

from tests.effort import ends
from tests.looping import each
from tests.notices import EMPTY, LIST_GONE, NOTICES

from guardrail.policies.edits import Mark, apply, insertions, removals
from guardrail.report import Span
from guardrail.text.elements import Elements

LIST = "<p>Here are three works:</p><ul><li>Alpha is good.</li><li>Beta is <b>bad</b>.</li><li>Gamma too.</li></ul><p>Bye now.</p>"
LINES = LIST.replace("><", ">\n<")
TABLE = "<table><tr><th>Name</th><th>Year</th></tr><tr><td>Alpha</td><td>1990</td></tr><tr><td>Beta</td><td>1999</td></tr></table>"


def at(text, part):
    start = text.index(part)
    return Span(start=start, end=start + len(part))


def cut(text, *parts, kept=()):
    spans = [(at(text, part), "why") for part in parts]
    return apply(text, removals(text, spans, kept=[at(text, one) for one in kept], **NOTICES))


def marked(text, part):
    return apply(text, insertions(text, [Mark(at(text, part), "m")]))


class TestCuts:
    def test_an_item_goes_with_its_tags(self):
        """On one line or on several, whether the finding has the tags or not; the count above is put right."""

        def check(text, part):
            line = "\n" * ("\n" in text)
            expected = text.replace("three", "two").replace(f"<li>Beta is <b>bad</b>.</li>{line}", "")
            assert cut(text, part) == expected

        parts = ("Beta is <b>bad</b>.", "<li>Beta is <b>bad</b>.</li>", "Beta is <b>bad</b>")
        each([(text, part) for text in (LIST, LINES) for part in parts], check)

    def test_a_row_goes_with_all_its_cells(self):
        """Whichever cell is wrong."""
        for part in ("Beta", "1999", "<td>Beta</td><td>1999</td>", "<tr><td>Beta</td><td>1999</td></tr>"):
            assert cut(TABLE, part) == TABLE.replace("<tr><td>Beta</td><td>1999</td></tr>", "")

    def test_the_headings_of_a_table_go_with_its_last_row(self):
        """They say nothing by themselves."""
        assert (
            cut(f"<p>See:</p>{TABLE}", "Alpha</td><td>1990", "Beta</td><td>1999")
            == f"<p>See:</p>\n\n{LIST_GONE}"
        )

    def test_a_paragraph_goes_where_nothing_of_it_is_left(self):
        """Else only the sentence."""
        text = "<p>Alpha is good. Beta is bad. Gamma too.</p><p>Delta is bad.</p>"
        assert cut(text, "Beta is bad.") == "<p>Alpha is good. Gamma too.</p><p>Delta is bad.</p>"
        assert cut(text, "Delta is bad.") == "<p>Alpha is good. Beta is bad. Gamma too.</p>"
        assert (
            cut("<ul><li><p>Alpha.</p></li><li><p>Beta.</p></li></ul>", "Beta.")
            == "<ul><li><p>Alpha.</p></li></ul>"
        )

    def test_a_line_goes_with_its_break(self):
        """None is left over."""
        text = "Alpha is good.<br>Beta is bad.<br/>Gamma too."
        assert cut(text, "Alpha is good.") == "Beta is bad.<br/>Gamma too."
        assert cut(text, "Beta is bad.") == "Alpha is good.<br>Gamma too."
        assert cut(text, "Gamma too.") == "Alpha is good.<br>Beta is bad."

    def test_a_list_of_which_nothing_is_left_says_so(self):
        """Tags are no words."""
        shown = cut(LIST, "Alpha is good.", "Beta is <b>bad</b>.", "Gamma too.")
        assert LIST_GONE in shown
        assert "<ul>" not in shown
        assert cut("<div><p>Beta is bad.</p></div>", "Beta is bad.") == EMPTY

    def test_what_is_to_stay_stays(self):
        """Of an item with two sentences one."""
        text = "<ul><li>Alpha is good. Beta is bad.</li></ul>"
        assert cut(text, "Beta is bad.", kept=["Alpha is good."]) == "<ul><li>Alpha is good.</li></ul>"

    def test_a_tag_that_prose_mentions_is_none(self):
        """It is not closed."""
        assert cut("Use a <p> tag. Beta is bad. Gamma too.", "Beta is bad.") == "Use a <p> tag. Gamma too."

    def test_a_table_of_markdown_keeps_its_rows(self):
        """With breaks in its cells."""
        text = "| a | b |\n|---|---|\n| Alpha<br>one | x |\n| Beta<br>two | y |\n"
        assert cut(text, "two") == "| a | b |\n|---|---|\n| Alpha<br>one | x |"


class TestMarks:
    def test_a_mark_is_inside_its_element(self):
        """Behind the words, before the tag; whether the finding has the tags or not."""
        for part in ("Beta is <b>bad</b>.", "<li>Beta is <b>bad</b>.</li>"):
            assert marked(LIST, part) == LIST.replace("<b>bad</b>.", "<b>bad</b>. [m]")
        assert marked(TABLE, "<tr><td>Beta</td><td>1999</td></tr>") == TABLE.replace("1999", "1999 [m]")
        assert (
            marked("<p>Alpha.</p>\n<p>Beta.</p>\n", "<p>Beta.</p>\n") == "<p>Alpha.</p>\n<p>Beta. [m]</p>\n"
        )


class TestElements:
    def test_what_ends_by_itself(self):
        """Items, cells and paragraphs need no closing tag."""
        text = "<table><tr><td>a<td>b<tr><td>c</table>"
        assert [text[one.start : one.end] for one in Elements(text).all if one.name == "td"] == [
            "<td>a",
            "<td>b",
            "<td>c",
        ]

    def test_hostile_texts_take_linear_time(self):
        """Never closed, never opened, deep, wrongly nested."""
        pieces = (
            "<li>",
            "</li>",
            "<ul><li>x",
            "<p>a</p>",
            "<div>",
            "</div><ul>",
            "<p ",
            "a<br>",
            "<td><p></td>",
        )
        texts = [piece * (40_000 // len(piece)) for piece in pieces]
        texts += ["<ul><li>x" * 4_000 + "y</li></ul>" * 4_000]

        def edit(text):
            spans = [(Span(start=i, end=i + 9), "why") for i in range(0, len(text), 400)]
            removals(text, spans, **NOTICES)
            insertions(text, [Mark(span, "m") for span, _ in spans])

        for text in texts:
            with ends(20):
                edit(text)
