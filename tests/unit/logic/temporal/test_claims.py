"""What free sentences claim."""

import random

import pytest
from benchmarks.logic.temporal import history
from tests.effort import ends

from guardrail.logic.temporal import senses
from guardrail.logic.temporal.claims import read_claim
from guardrail.logic.temporal.semantics import holds

EVENTS = {"the Blitz": "Blitz", "Blitz": "Blitz", "World War II": "World War II", "peace and quiet": "peace"}


@pytest.fixture
def few_years(monkeypatch):
    for name, years in (("FIRST", 1850), ("LAST", 2050), ("WIDTH", 200)):
        monkeypatch.setattr(senses, name, years)


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
            ('"A" lasted from 1900 to 1910.', "(!A & G[1,11] A) & F[12,12] !A", 1899),
            ('"A" was going on from 1900 to 1910.', "G[0,10] A", 1900),
            ('"A" began in 1900.', "!A & N A", 1899),
            ('"A" ended in 1900.', "A & !N A", 1900),
            ('"A" ended before 1900.', "F[0,49] (A & !N A)", 1850),
            ('In 1900, "A" ended.', "A & !N A", 1900),
            ('"A" existed until 1900.', "A & !N A", 1900),
            ('"A" lasted for 3 years.', "F[0,200] ((!A & N A) & F[2,4] N (A & !N A))", 1850),
            ('"A" and "B" overlapped.', "F[0,200] (A & B)", 1850),
            ('"A" happened before the end of "B".', "F[0,200] (A & F[0,200] (B & !N B))", 1850),
            ('"A" ended 3 years after "B".', "F[0,200] (B & F[2,4] (A & !N A))", 1850),
            ('"A" was going on throughout 1900–1910.', "G[0,10] A", 1900),
            ('"A" did not happen in 1900.', "!A", 1900),
            ('"A" didn\'t happen within a century after 1900.', "!F[0,100] A", 1900),
            ('"A" happened while "B" was going on.', "F[0,200] (A & B)", 1850),
            ('"A" happened during the "B".', "F[0,200] (A & B)", 1850),
            ('"A" was going on throughout "B".', "F[0,200] B & G[0,200] (B -> A)", 1850),
            ('"A" occurred before "B".', "F[0,200] (A & F[0,200] B)", 1850),
            ('"A" occurred after "B" began.', "F[0,200] ((!B & N B) & F[0,200] N A)", 1850),
            ('"A" happened within 10 years after "B".', "F[0,200] (B & F[0,10] A)", 1850),
            ('"A" went on until "B" broke out.', "F[0,200] (A & (A U[0,200] B))", 1850),
            ('"A" lasted from 1900 until "B".', "A & (A U[0,200] B)", 1900),
            ('"What happened in 1900" happened in 1901.', '"What happened in 1900"', 1901),
        ],
    )
    def test_read(self, sentence, formula, year, few_years):
        """Each in its weakest sense, as the table of the module says."""
        claim = read_claim(sentence)
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

    @pytest.mark.parametrize(
        "text",
        ['"' * 600, "happened " * 66, '"A" happened while ' + "began " * 90, "“" * 300 + " happened in 1900"],
    )
    def test_hostile_sentences_take_no_time(self, text):
        """No pattern goes back and forth in them, a hundred times."""
        with ends(30):
            for _ in range(100):
                read_claim(text)


def verdict(sentence, events, link):
    """True, false, or None where it depends on what is meant."""
    claim = read_claim(sentence, link=link)
    strongest = claim.strongest
    if holds(strongest.formula, strongest.year, events):
        return True
    return None if holds(claim.formula, claim.year, events) else False


class TestSenses:
    @pytest.mark.parametrize(
        ("sentence", "true"),
        [
            ("War happened in 1940.", None),  # it went on in other years, too
            ("War was going on in 1940.", True),
            ("War happened between 1939 and 1945.", True),
            ("War happened between 1940 and 1950.", None),
            ("War happened between 1950 and 1960.", False),
            ("War lasted from 1939 to 1945.", True),
            ("War lasted from 1940 to 1944.", False),
            ("War was going on from 1940 to 1944.", True),
            ("War began in 1939.", True),
            ("War began in 1940.", False),
            ("War broke out before 1939.", False),
            ("War ended by 1945.", True),
            ("War ended after 1945.", False),
            ("War happened before 1945.", None),
            ("War happened before 1946.", True),
            ("War lasted until 1945.", True),
            ("War lasted until 1943.", False),
            ("War existed since 1939.", True),
            ("War lasted six years.", True),
            ("War lasted seven years.", None),
            ("War lasted eight years.", False),
            ("Blitz happened during War.", True),
            ("Peace happened before War.", False),
            ("War happened before Peace.", True),
            ("War took place before Treaty.", True),  # ends in the year of it
            ("War ended before Treaty.", None),  # both in 1945
            ("Peace began after War.", True),
            ("War began after Peace ended.", False),
            ("Treaty took place before the end of War.", None),
            ("Blitz took place before the end of War.", True),
            ("Peace began within 2 years after War.", True),
            ("Peace began within 6 years after Blitz.", True),
            ("Peace began within 3 years after Blitz.", False),
            ("Treaty took place 4 years after Blitz.", True),
            ("Treaty took place 9 years after Blitz.", False),
            ("Ann was born before Bob.", True),
            ("Bob was born before Ann.", False),
            ("Ann died before Bob.", False),
            ("Bob was born after Ann's death.", False),
            ("Ann and Bob were alive at the same time.", True),
            ("War and Peace overlapped.", False),
            ("War did not end in 1945.", False),
            ("War did not begin in 1940.", True),
            ("Ann was not born before Bob.", False),
            ("During War, Blitz took place.", True),
            ("War preceded Peace.", True),
            ("War followed Peace.", False),
            ("Ann outlived Bob.", True),
            ("Bob outlived Ann.", False),
            ("War lasted more than 5 years.", True),
            ("War lasted at least 6 years.", None),
            ("War lasted over 8 years.", False),
            ("War lasted less than 4 years.", False),
            ("War lasted under 8 years.", True),
            ("Ann died at the age of 80.", None),  # or 79
            ("Ann died aged 70.", False),
            ("War was still going on in 1944.", True),
        ],
    )
    def test_answers(self, sentence, true):
        """True in the strongest sense, false in the weakest, or neither: by hand, over a small history."""
        events = history(
            [
                ("War", 1939, 1945), ("Blitz", 1940, 1941), ("Treaty", 1945, 1945), ("Peace", 1946, 1950),
                ("Ann", 1900, 1980), ("Bob", 1930, 1970),
            ]
        )  # fmt: skip
        assert verdict(sentence, events, lambda words: words if words in events else None) is true

    def test_strongest_is_never_weaker(self):
        """What is true in the strongest sense is true in the weakest: over random histories."""
        sentences = [
            f"A {verb} {rest}."
            for verb in ("happened", "began", "ended", "lasted", "was born", "was going on", "did not end")
            for rest in (
                "in 5", "before 5", "after 5", "by 5", "from 3 to 6", "between 3 and 6", "until 5", "until B", "before B", "after B",
                "within 3 years after B", "2 years before B", "during B", "throughout B", "for 3 years", "before the end of B",
                "after B began", "within 2 years before the beginning of B", "since 4",
            )
        ]  # fmt: skip
        claims = [claim for s in sentences if (claim := read_claim(s, link={"A": "A", "B": "B"}.get))]
        assert len(claims) > 100
        draw = random.Random(0)
        for _ in range(300):
            spans = []
            for name in "AB":
                for _ in range(draw.choice([1, 1, 2])):
                    first = draw.randrange(12)
                    spans.append((name, first, first + draw.randrange(4)))
            events = history(spans)
            for claim in claims:
                strongest = claim.strongest
                if holds(strongest.formula, strongest.year, events):
                    assert holds(claim.formula, claim.year, events), (str(claim.formula), spans)
