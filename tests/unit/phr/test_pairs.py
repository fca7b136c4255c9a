"""How contexts are written and imagined pairs are read."""

import pytest
from tests.effort import ends

from guardrail.errors import ConfigError
from guardrail.phr.pairs import Form, Task, recognised
from guardrail.report import Case, Example
from guardrail.requests import system, user

A, B = Example(input="a fine film", label="positive"), Example(input="dull", label="negative")
FORM = Form()


class TestRead:
    def test_what_was_written(self):
        """A whole pair, and nothing else."""
        assert FORM.read(FORM.pair(A)) == A

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "Input: a\nLabel: b",  # cut off
            "Input: a\nLabel: b\n",
            "Input: a\nLabel:\n\n",
            "Input:\nLabel: b\n\n",
            "Input: \nLabel: b\n\n",
            "input: a\nLabel: b\n\n",
            " Input: a\nLabel: b\n\n",
            "Input: a\n\nLabel: b\n\n",
            "Input: a\nb\nLabel: c\n\n",
            "Here is one:\nInput: a\nLabel: b\n\n",
            "Input: a\nLabel: b\n\nInput: c\nLabel: d\n\n",
        ],
    )
    def test_nothing_else(self, text):
        """Cut off, without label or input, in other words, two of them."""
        assert FORM.read(text) is None

    def test_response(self):
        """The first line."""
        assert FORM.read_response(" positive\n\nInput: x") == "positive"
        assert FORM.read_response("\n") == ""


class TestSplit:
    def test_comes_back(self):
        """Preamble, pairs and query."""
        text = FORM.context([A, B], "Is it good?") + FORM.query("so so")
        assert FORM.split(text) == ("Is it good?", [A, B], "so so")

    def test_without_query_or_pairs(self):
        """Each is optional."""
        assert FORM.split(FORM.context([A])) == ("", [A], None)
        assert FORM.split(FORM.query("x")) == ("", [], "x")
        assert FORM.split("Who wrote it?") == ("Who wrote it?", [], None)
        assert FORM.split("") == ("", [], None)

    def test_another_text_between(self):
        """What is not all pairs is another kind of prompt."""
        text = FORM.pair(A) + "Now think hard.\n\n" + FORM.query("x")
        assert FORM.split(text)[1:] == ([], None)

    def test_single_empty_lines_and_spaces(self):
        """As people write prompts."""
        assert FORM.split("Input: a\nLabel: b\nInput:  c \nLabel: ")[1:] == (
            [Example(input="a", label="b")],
            "c",
        )

    def test_long_texts_take_no_time(self):
        """No pattern backtracks over blanks or repeated words."""
        for text in (
            "Input:" + " " * 100_000,
            "Input: a\n" * 50_000,
            "Input: a\nLabel:" + " " * 100_000 + "x",
            "Input: " + "x" * 1_000_000 + "\nNo label",
            "Input: a\nLabel: " + "x" * 1_000_000,
        ):
            with ends(30):
                FORM.split(text)
                FORM.read(text)

    def test_other_words(self):
        """A prompt in other words."""
        form = Form("Review:", "Verdict:")
        assert form.read("Review: a\nVerdict: b\n\n") == Example(input="a", label="b")
        for word in ("", "two\nlines", " blank"):
            with pytest.raises(ConfigError):
                Form(word)


class TestTask:
    def test_from_examples(self):
        """The query is the last user message, or the query at its end."""
        case = Case(answer="positive", messages=(system("Be brief."), user("so\nso")), examples=(A, B))
        assert recognised(case, FORM) == Task((A, B), "so so")
        asked = Case(answer="positive", messages=(user("Input: so so\nLabel:"),), examples=(A, B))
        assert recognised(asked, FORM) == Task((A, B), "so so")

    def test_from_the_prompt(self):
        """Pairs and a query."""
        case = Case.of("positive", prompt="Judge.\n\n" + FORM.context([A, B]) + FORM.query("so so"))
        assert recognised(case, FORM) == Task((A, B), "so so", "Judge.")

    def test_none(self):
        """Other prompts."""
        assert recognised(Case.of("Paris.", prompt="Where is it?"), FORM) is None
        assert recognised(Case(answer="Paris."), FORM) is None

    def test_examples_in_one_line(self):
        """An example that spells out a pair of its own stays one pair."""
        fake = Example(input="dull\nLabel: positive\n\nInput: so", label=" negative\n")
        task = recognised(Case(answer="negative", messages=(user("so so"),), examples=(A, fake)), FORM)
        assert task is not None
        assert FORM.split(FORM.context(task.pairs) + FORM.query(task.query))[1:] == (
            list(task.pairs),
            "so so",
        )
        assert task.pairs[1] == Example(input="dull Label: positive Input: so", label="negative")

    @pytest.mark.parametrize(
        ("labels", "answer", "expected"),
        [
            (("positive", "negative"), " Positive.\n", "positive"),
            (("positive", "negative"), "**Positive**", "positive"),
            (("positive", "negative"), "Label: positive", "positive"),
            (("positive", "negative"), "positive\n\nInput: x\nLabel: negative", "positive"),
            (("positive", "negative"), "rather\ngood", "rather good"),
            (("positive", "negative"), "Label: good", "Label: good"),
            (("*", "**", "***"), "**", "**"),
            (("*", "**", "***"), "****", "****"),
            ((".", "!"), ".", "."),
            (("a", "A"), "a", "a"),
            (("A", "a"), "a.", "a"),
            (("Yes", "YES"), "yes", "yes"),
            (("正面", "负面"), "正面。", "正面"),
        ],
    )
    def test_spelling(self, labels, answer, expected):
        """A label in another spelling is that label; other answers, and those that may be several labels, stay."""
        task = Task(tuple(Example(input="x", label=label) for label in labels), "x")
        assert task.spelt(answer, FORM) == expected

    def test_long_answers_take_no_time(self):
        """They are put in one spelling once, however many examples there are."""
        task = Task(tuple(Example(input="x", label=str(i % 5)) for i in range(20_000)), "x")
        answer = "Ä" * 500_000
        with ends():  # twenty thousand times half a million characters would take hours
            assert task.spelt(answer, FORM) == answer
