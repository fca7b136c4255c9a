"""What free sentences claim."""

import time

import pytest

from guardrail.errors import ConfigError
from guardrail.logic.temporal.claims import read_claim
from guardrail.logic.temporal.events import history
from guardrail.logic.temporal.semantics import holds

EVENTS = {"the Blitz": "Blitz", "Blitz": "Blitz", "World War II": "World War II", "peace and quiet": "peace"}


class TestForms:
    @pytest.mark.parametrize(
        ("sentence", "formula", "year"),
        [
            ('"A" happened in 1900.', "A", 1900),
            ('The "A" took place on 4 May 1900.', "A", 1900),
            ('"A" occurred in June, 1900', "A", 1900),
            ("“A” was held on June 3rd, 1900.", "A", 1900),
            ('"A" happened in 44 BC.', "A", -43),
            ('"A" lived in the year 79.', "A", 79),
            ('"A" happened within 10 years after 1900.', "F[0,10] A", 1900),
            ('"A" happened within a decade before 1900.', "F[0,10] A", 1890),
            ('"A" happened within two years of 1900.', "F[0,4] A", 1898),
            ('"A" took place 3 years before 1900.', "A", 1897),
            ('"A" took place 3 years after 1900.', "F[3,3] A", 1900),
            ('"A" happened sometime between 1900 and 1910.', "F[0,10] A", 1900),
            ('"A" lasted from 1900 to 1910.', "G[0,10] A", 1900),
            ('"A" was going on throughout 1900–1910.', "G[0,10] A", 1900),
            ('"A" did not happen in 1900.', "!A", 1900),
            ('"A" didn\'t happen within a century after 1900.', "!F[0,100] A", 1900),
            ('"A" happened while "B" was going on.', "F[0,200] (A & B)", 1850),
            ('"A" happened during the "B".', "F[0,200] (A & B)", 1850),
            ('"A" was going on throughout "B".', "F[0,200] B & G[0,200] (B -> A)", 1850),
            ('"A" occurred before "B".', "F[0,200] (A & F[1,200] B)", 1850),
            ('"A" occurred after "B" began.', "F[0,200] (B & F[1,200] A)", 1850),
            ('"A" happened within 10 years after "B".', "F[0,200] (B & F[0,10] A)", 1850),
            ('"A" went on until "B" broke out.', "F[0,200] (A & (A U[0,200] B))", 1850),
            ('"A" lasted from 1900 until "B".', "A & (A U[0,200] B)", 1900),
            ('"What happened in 1900" happened in 1901.', '"What happened in 1900"', 1901),
            ('"A" was going on in some year from 0 to 40 years after 1800.', "F[0,40] A", 1800),
        ],
    )
    def test_read(self, sentence, formula, year):
        """Each in its weakest sense, as the table of the module says."""
        claim = read_claim(sentence, over=(1850, 2050))
        assert (str(claim.formula), claim.year) == (formula, year)

    @pytest.mark.parametrize(
        "sentence",
        [
            "", ".", "Nobody knows when it happened.", "A happened in 1900.", '"A" happened.', '"A" happened in 1900 and in 1910.',
            '"A" happened in about 1900.', '"A" was a war in 1900.', '"A" lasted from 1910 to 1900.', '"A" happened while it rained.',
            'It is false that "A" happened in 1900.', '"A" happened in 1900 "B".', '"A" and "B" happened in 1900.', '" " happened in 1900.',
            'Was "A" going on in 1900?', '"A" happened in 1900 ' + "x" * 1000,
        ],
    )  # fmt: skip
    def test_left_alone(self, sentence):
        """What is not understood is no claim, whatever is in it."""
        assert read_claim(sentence) is None

    def test_links_names(self):
        """The caller says which words name which event; its name is what the claim speaks of."""
        claim = read_claim(
            "The Blitz happened during World War II.",
            link=lambda words: EVENTS.get(words.removeprefix("The ")),
        )
        assert str(claim.formula) == 'F[0,20000] (Blitz & "World War II")'
        assert read_claim("The Blitz happened during the war.", link=EVENTS.get) is None

    def test_exact_sentences_are_linked_too(self):
        """A quoted name that is no event is no claim."""
        link = {'"one"': "two"}.get
        assert (
            str(read_claim('Both "one" and "one" were going on in 1900.', link=link).formula) == "two & two"
        )
        assert read_claim('Both "one" and "other" were going on in 1900.', link=link) is None

    def test_answers(self):
        """A claim is asked of a history like any formula: by hand."""
        events = history([("war", 1939, 1945), ("Blitz", 1940, 1941), ("peace", 1946, 1950)])
        answers = {
            '"Blitz" happened while "war" was going on.': True,
            '"peace" happened during "war".': False,
            '"war" lasted until "peace".': True,
            '"Blitz" lasted until "peace".': False,
            '"war" was going on throughout "Blitz".': True,
            '"Blitz" was going on throughout "war".': False,
            '"Blitz" happened within 5 years after 1935.': True,
            '"Blitz" happened within 4 years after 1935.': False,
            '"peace" took place after "war".': True,
            '"peace" took place before "war".': False,
            '"peace" happened within 4 years after "Blitz".': False,
            '"peace" happened within 5 years after "Blitz".': True,
        }
        for sentence, answer in answers.items():
            claim = read_claim(sentence)
            assert holds(claim.formula, claim.year, events) == answer, sentence

    def test_refuses_a_span_backwards(self):
        """Of all years spoken of."""
        with pytest.raises(ConfigError, match="over"):
            read_claim('"A" happened in 1900.', over=(2000, 1000))

    @pytest.mark.parametrize(
        "text",
        ['"' * 600, "happened " * 66, '"A" happened while ' + "began " * 90, "“" * 300 + " happened in 1900"],
    )
    def test_hostile_sentences_take_no_time(self, text):
        """A hundred of each in a moment."""
        started = time.process_time()
        for _ in range(100):
            read_claim(text)
        assert time.process_time() - started < 2
