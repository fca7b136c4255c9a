"""Replies by their first word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail.logic.paper.questions.reply import ReadReply, parse_reply


class TestConclusion:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("Yes", "yes"),
            ("NO.", "no"),
            ("  **Yes**, because so.", "yes"),
            ('"No".', "no"),
            ("(Yes)", "yes"),
            ("Answer: No, it is not.", "no"),
            ("\n    Answer:\n    Yes, because", "yes"),
            ("Final answer - no", "no"),
            ("Yes because it is.", "yes"),
            ("No\n1. A is B.", "no"),
            ("Yes—Euler was", "yes"),
            ("Yes, I know.", "yes"),
        ],
    )
    def test_first_word(self, text, expected):
        """Marks, emphasis and a label are passed over."""
        assert parse_reply(text).conclusion == expected

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "1984.",
            "No doubt it is so.",
            "No one knows.",
            "Nobody did.",
            "None.",
            "North of it.",
            "Yesterday it was.",
            "Yes and no.",
            "Yes or no?",
            "Yes/No",
            "No. Yes.",
            "Yes, no",
            "Sure! Here is my answer: Yes.",
            "It is true. Yes.",
            "N/A",
            "是",
            "I cannot deny it.",
        ],
    )
    def test_everything_else_is_malformed(self, text):
        """Nothing is searched for inside."""
        assert parse_reply(text).conclusion == "malformed"

    @pytest.mark.parametrize(
        "text",
        [
            "I don't know.",
            "I don’t know",
            "I do not really know that.",
            "Don't know.",
            "I am not sure.",
            "It is unclear.",
            "I cannot answer this question.",
            "I'm sorry, but I can't.",
            "I am sorry, but I do not have enough knowledge to answer this.",
            "As an AI, I have no access.",
            "I do not have enough information.",
            "I'm unable to verify this.",
        ],
    )
    def test_unknown(self, text):
        """A refusal is unknown too."""
        assert parse_reply(text).conclusion == "unknown"


class TestReasons:
    @pytest.mark.parametrize(
        "text",
        [
            "Yes.\n1. A is big.\n2. C is tall.",
            "Yes.\n\n1) A is big.\n2) C is tall.\n",
            "Yes. 1. A is big. 2. C is tall.",
            "Yes:\n- A is big.\n- C is tall.",
            "Yes, because A is big. C is tall.",
            "**Yes**\n(1) A is big.\n(2) C is tall.",
        ],
    )
    def test_one_each(self, text):
        """However they are numbered."""
        assert parse_reply(text).reasons == ("A is big.", "C is tall.")

    def test_an_item_of_two_lines(self):
        assert parse_reply("No\n1. A is\n   B.\n2. C.").reasons == ("A is B.", "C.")

    def test_what_stands_before_the_list(self):
        assert parse_reply("No, that is wrong.\n1. A is B.").reasons == ("that is wrong.", "A is B.")

    def test_years_are_no_numbers_of_a_list(self):
        """A list counts from 1."""
        assert parse_reply("No. It was in 1999. 2. is not said.").reasons != ()
        assert parse_reply("Yes. It ended in 1945. 20. century.").reasons[0].startswith("It ended in 1945.")

    def test_of_a_malformed_reply(self):
        """All of it, so that an oracle may still read the sentences."""
        assert parse_reply("Well. A is B.") == ReadReply("malformed", ("Well.", "A is B."))

    @given(st.text(max_size=200))
    def test_any_text(self, text):
        """No text breaks it, and no reason is empty."""
        reply = parse_reply(text)
        assert reply.conclusion in {"yes", "no", "unknown", "malformed"}
        assert all(reason.strip() for reason in reply.reasons)

    @given(st.sampled_from(["Yes", "No"]), st.lists(st.sampled_from(["A is B", "C was D", "E"]), max_size=5))
    def test_what_was_asked_for(self, word, facts):
        """A reply of the form that the prompt asks for is read back."""
        text = "\n".join([f"{word}.", *(f"{n}. {fact}." for n, fact in enumerate(facts, 1))])
        assert parse_reply(text) == ReadReply(word.lower(), tuple(f"{fact}." for fact in facts))
