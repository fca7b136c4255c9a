"""Sentences that claim nothing. Oracle: read by hand."""

import pytest
from tests.effort import ends

from guardrail.text.refusals import claims_nothing, refuses


class TestClaimsNothing:
    @pytest.mark.parametrize(
        "sentence",
        [
            "I don't know.",
            "I don’t know who wrote it.",
            "**I do not know.**",
            "I cannot verify that.",
            "I'm sorry, but I cannot answer this question.",
            "As an AI language model, I do not have access to real-time information.",
            "I am not sure who directed it.",
            "It is unclear which film is meant.",
            "The question cannot be answered as it does not name the film.",
            "It is not specified in the question who funds the team.",
            "There is not enough information provided to answer this question.",
            "The name of the director is not provided in the question.",
            "Please provide more details, so that I can assist you better.",
            "Could you please clarify the question?",
        ],
    )
    def test_refusals(self, sentence):
        """Refusals, ignorance, a fault of the question, requests to the reader."""
        assert claims_nothing(sentence)

    @pytest.mark.parametrize(
        "sentence",
        [
            "I know her.",
            "You don't know, but he was born in Paris.",
            "I don't know, Paris?",
            "I cannot say more, but he was born in Paris.",
            "As an AI language model, I can say that the Semmering line opened in 1854.",
            "I do not have data on that and he was convicted in 1994.",
            "I'm sorry: he died in 1990.",
            "He does not know the answer.",
            "He said: I don't know.",
            "Nobody knows more than she does.",
            "No, they were not founded in the same state.",
            "I cannot deny that he was convicted.",
            "Yes.",
            "Paris",
            "",
            "!",
        ],
    )
    def test_claims(self, sentence):
        """What only resembles a refusal, and a claim after one."""
        assert not claims_nothing(sentence)

    @pytest.mark.parametrize(
        "piece", ["i do not know ", "sorry, ", "no information ", "the ", "is not ", "and a is "]
    )
    def test_hostile_sentences_are_quick(self, piece):
        """Long ones are claims without a look; short ones end soon."""
        with ends(5):
            assert not claims_nothing(piece * 20_000)
            claims_nothing((piece * 600)[:600])


class TestRefuses:
    def test_needs_every_sentence(self):
        """One claim is enough to say something."""
        assert refuses("I'm sorry, I don't know. Please ask a librarian.")
        assert not refuses("I don't know. He was born in Paris.")

    def test_courtesy_alone_is_no_refusal(self):
        """Nothing is refused."""
        assert not refuses("Please ask a librarian.")
        assert not refuses("")
