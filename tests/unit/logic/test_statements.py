"""Statements in sentences: who stands in which relation to whom, and years."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import ends, lines_run

from guardrail.errors import ConfigError
from guardrail.logic.statements.dates import spans
from guardrail.logic.statements.lexicon import Lexicon, Saying, phrase
from guardrail.logic.statements.reading import read, stated
from guardrail.logic.statements.words import folded, stem


def statements(text, lexicon, *, about=()):
    return [one for sentence in read(text, lexicon, about=about) for one in stated(sentence)]


def dated(text, lexicon, *, about=()):
    return [one for sentence in read(text, lexicon, about=about) for one in spans(sentence)]


PEOPLE = ("Jane Austen", "Marie Curie", "Pierre Curie", "Albert Einstein")
NAMES = {
    name: name
    for name in (
        *PEOPLE, "Emma", "Warsaw", "Berlin", "Munich", "Germany", "Australia", "Canberra", "Friends", "gray wolf", "Canis",
        "Nobel Prize in Chemistry", "The Old Man and the Sea", "Charlotte Brontë", "Anne Brontë", "Emily Brontë",
        "Korean War", "Second World War", "Queen Victoria",
    )
}  # fmt: skip
NAMES |= {"FRG": "Germany"}
SAYINGS = [
    Saying("was written by", "author"),
    Saying("is by", "author"),
    Saying("wrote", "author", turned=True),
    Saying("author", "author", turned=True, noun=True),
    Saying("was born in", "place of birth"),
    Saying("birthplace", "place of birth", turned=True, noun=True),
    Saying("is in", "country"),
    Saying("is in", "place"),
    Saying("lies in", "country"),
    Saying("capital", "capital", turned=True, noun=True),
    Saying("has the capital", "capital"),
    Saying("is a sibling of", "sibling"),
    Saying("sister", "sibling", turned=True, noun=True),
    Saying("has been married to", "spouse"),
    Saying("husband", "spouse", turned=True, noun=True),
    Saying("received", "award"),
    Saying("was won by", "award", turned=True),
    Saying("belongs to", "taxon"),
]
LEXICON = Lexicon(NAMES, SAYINGS)


def said(text, **options):
    return [
        (one.subject.name, one.relation, one.object.name, not one.negated)
        for one in statements(text, LEXICON, **options)
    ]


class TestStatements:
    @pytest.mark.parametrize(
        ("text", "subject", "relation", "object_"),
        [
            ("Emma was written by Jane Austen.", "Emma", "author", "Jane Austen"),
            ("Emma was originally written by the English author Jane Austen.", "Emma", "author", "Jane Austen"),
            ("Jane Austen wrote Emma.", "Emma", "author", "Jane Austen"),
            ("Jane Austen is the author of Emma.", "Emma", "author", "Jane Austen"),
            ("The author of Emma is Jane Austen.", "Emma", "author", "Jane Austen"),
            ("Emma's author was Jane Austen.", "Emma", "author", "Jane Austen"),
            ("Emma is a novel by Jane Austen.", "Emma", "author", "Jane Austen"),
            ("Emma, written by Jane Austen, is long.", "Emma", "author", "Jane Austen"),
            ("Warsaw is the birthplace of Marie Curie.", "Marie Curie", "place of birth", "Warsaw"),
            ("Marie Curie, a physicist, was born in Warsaw.", "Marie Curie", "place of birth", "Warsaw"),
            ("Marie Curie was born in the old city of Warsaw.", "Marie Curie", "place of birth", "Warsaw"),
            ("Canberra is Australia's capital.", "Australia", "capital", "Canberra"),
            ("Australia has the capital Canberra.", "Australia", "capital", "Canberra"),
            ("Canberra, the capital of Australia, is small.", "Australia", "capital", "Canberra"),
            ("The capital of Australia, Canberra, is small.", "Australia", "capital", "Canberra"),
            ("Australia's capital, Canberra, is small.", "Australia", "capital", "Canberra"),
            ("The gray wolf belongs to the genus Canis.", "gray wolf", "taxon", "Canis"),
            ("Berlin lies in the FRG.", "Berlin", "country", "Germany"),
            ("Charlotte Bronte is Anne Bronte's sister.", "Anne Brontë", "sibling", "Charlotte Brontë"),
            ("The Nobel Prize in Chemistry was won by Marie Curie.", "Marie Curie", "award", "Nobel Prize in Chemistry"),
            ("The author of The Old Man and the Sea is Ernest Hemingway.", "The Old Man and the Sea", "author",
             "Ernest Hemingway"),
        ],
    )  # fmt: skip
    def test_both_directions(self, text, subject, relation, object_):
        """One fact is read from each way to say it; no way says a second one."""
        assert said(text) == [(subject, relation, object_, True)]

    @pytest.mark.parametrize(
        "text",
        [
            "Berlin is not in Germany.",
            "Berlin isn't in Germany.",
            "Berlin does not lie in Germany.",
            "Berlin never lay in Germany.",
            "It is not true that Berlin is in Germany.",
            "It is false that Berlin lies in Germany.",
        ],
    )
    def test_denied(self, text):
        """A denial is read as one, wherever the word for it stands."""
        assert said(text) == [("Berlin", "country", "Germany", False)]

    def test_no_before_a_comma(self):
        """A reply that begins with No does not deny what follows."""
        assert said("No, Berlin is in Germany.") == [("Berlin", "country", "Germany", True)]

    @pytest.mark.parametrize(
        ("text", "subjects"),
        [
            ("Berlin and Munich are in Germany.", ["Berlin", "Munich"]),
            ("Both Berlin and Munich lie in Germany.", ["Berlin", "Munich"]),
            ("Berlin and Munich are both in Germany.", ["Berlin", "Munich"]),
            ("Berlin, Warsaw and Munich are in Germany.", ["Berlin", "Warsaw", "Munich"]),
        ],
    )
    def test_joined(self, text, subjects):
        """Names joined by "and" are each said to."""
        assert said(text) == [(one, "country", "Germany", True) for one in subjects]

    def test_neither_nor(self):
        """Neither … nor denies both."""
        assert said("Neither Berlin nor Munich is in Australia.") == [
            ("Berlin", "country", "Australia", False),
            ("Munich", "country", "Australia", False),
        ]

    def test_two_clauses(self):
        """A name before "and" belongs to the clause before it, one behind it to its own."""
        assert said("Marie Curie was born in Warsaw and Albert Einstein was born in Ulm.") == [
            ("Marie Curie", "place of birth", "Warsaw", True),
            ("Albert Einstein", "place of birth", "Ulm", True),
        ]

    def test_verbs_joined(self):
        """The second of two verbs has the subject of the first."""
        assert said("Marie Curie was born in Warsaw and received the Nobel Prize in Chemistry.") == [
            ("Marie Curie", "place of birth", "Warsaw", True),
            ("Marie Curie", "award", "Nobel Prize in Chemistry", True),
        ]

    @pytest.mark.parametrize(
        "text",
        [
            "Marie Curie was a physicist. She was born in Warsaw.",
            "Marie Curie was a physicist. Curie was born in Warsaw.",
            "Marie Curie was a physicist. Her birthplace is Warsaw.",
        ],
    )
    def test_spoken_of_before(self, text):
        """A pronoun and a last name stand for the one that was spoken of."""
        assert said(text) == [("Marie Curie", "place of birth", "Warsaw", True)]

    def test_last_name_of_two(self):
        """A last name that two of the text have stands for neither."""
        found = said("Marie Curie and Pierre Curie came. Curie was born in Warsaw.")
        assert found == [("Curie", "place of birth", "Warsaw", True)]
        [one] = statements("Marie Curie and Pierre Curie came. Curie was born in Warsaw.", LEXICON)
        assert one.subject.entity is None

    def test_both(self):
        """Both stands for the two last spoken of."""
        found = said("Berlin is large. Munich is rich. Both are in Germany.")
        assert found == [("Berlin", "country", "Germany", True), ("Munich", "country", "Germany", True)]

    def test_one_of_them(self):
        """What is said of one of several is said of no one that is known."""
        assert said("Berlin and Munich are large. Only one of them is in Germany.") == []

    @pytest.mark.parametrize("text", ["Einstein was born in Ulm.", "He was born in Ulm."])
    def test_about(self, text):
        """Whom the text is about is known to the reader who is told."""
        assert said(text, about=["Albert Einstein"]) == [("Albert Einstein", "place of birth", "Ulm", True)]

    def test_open_names(self):
        """What the lexicon does not have is read as written: capitalised words, titles between quotation marks."""
        found = statements(
            'Jane Austen wrote "pride, and prejudice". Emma was written by H. G. Wells.', LEXICON
        )
        assert [(one.subject.name, one.object.name) for one in found] == [
            ("pride, and prejudice", "Jane Austen"),
            ("Emma", "H. G. Wells"),
        ]
        assert found[0].subject.entity is found[1].object.entity is None

    def test_sibling_names(self):
        """A name that goes on differently than one of the lexicon is another."""
        [one] = statements("Albert Einstein received the Nobel Prize in Physics.", LEXICON)
        assert (one.object.text, one.object.entity) == ("Nobel Prize in Physics", None)

    def test_ambiguous_words(self):
        """Words of several meanings give the likeliest, and the others beside it."""
        [one] = statements("Berlin is in Germany.", LEXICON)
        assert one.alternatives == (("place", False),)
        assert [(r.relation, r.subject.name) for r in one.readings()] == [
            ("country", "Berlin"),
            ("place", "Berlin"),
        ]

    def test_places(self):
        """Mentions and statements stand where they say."""
        text = "Well: Emma was written by Jane Austen."
        [one] = statements(text, LEXICON)
        assert text[one.start : one.end] == "Emma was written by Jane Austen"
        assert text[one.subject.start : one.subject.end] == one.subject.text == "Emma"

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "Is Berlin in Germany?",
            "Nobody knows.",
            "Emma was written in 1815.",
            "Marie Curie was born on a Thursday.",
            "Berlin and Munich received the same.",
            "friends is in Germany",
            "Author of the.",
            "'s capital is",
            "was born in",
        ],
    )
    def test_says_nothing(self, text):
        """A question, a half sentence, a relation without names: nothing is guessed."""
        assert [one for one in statements(text, LEXICON) if one.subject.entity] == []

    def test_wrong_lexicon(self):
        """A way of saying without words is refused."""
        with pytest.raises(ConfigError, match="expected words that say 'author'"):
            Saying("the", "author")


HOSTILE = st.lists(
    st.one_of(
        st.sampled_from([
            *NAMES, "was born in", "is in", "the capital of", "'s", "and", "not", "n't", ",", ".", "(", ")", '"', "'", "“",
            "from 1900 to", "1950", "BC", "\0", "\u202e", "both", "he", "of", "It is not true that", "x" * 10_000, "\n\n", "1.", "is", "?",
        ]),
        st.text(max_size=12),
    ),
    max_size=25,
).map(" ".join)  # fmt: skip


class TestHostile:
    @settings(max_examples=300, deadline=None)
    @given(HOSTILE)
    def test_any_text(self, text):
        """Any text is read without error; what is found stands in it."""
        for one in statements(text, LEXICON, about=["Marie Curie"]):
            assert 0 <= one.start < one.end <= len(text)
            for mention in (one.subject, one.object):
                assert mention.text == text[mention.start : mention.end]
        for when in dated(text, LEXICON):
            assert when.begin is not None or when.end is not None

    @settings(max_examples=100, deadline=None)
    @given(
        st.dictionaries(st.text(max_size=30), st.text(min_size=1, max_size=10), max_size=8),
        st.text(max_size=60),
    )
    def test_any_lexicon(self, names, text):
        """Names may be any text."""
        lexicon = Lexicon(names, SAYINGS)
        for name in names:
            statements(f"{name} is in {text}", lexicon)

    @pytest.mark.parametrize(
        "name", ["a" * 10_000, 'O\'Brien ("Bob")', "؟مرحبا", "halt.\n:- x", "nul\0nul", "x" + " y" * 5_000]
    )
    def test_odd_names(self, name):
        """Names of any kind are found where they stand."""
        found = Lexicon({name: "it", "Germany": "Germany"}, SAYINGS)
        assert found.entity(name) == "it"
        statements(f"{name} is in Germany.", found)

    @pytest.mark.parametrize(
        "unit",
        [
            "Berlin and ",
            "was born in ",
            "the capital of ",
            "' ",
            '"a ',
            "(1900 ",
            "from 1900 to ",
            "n't",
            "a",
            "Xy ",
            "not ",
            ", ",
        ],
    )
    def test_linear(self, unit):
        """Four times the text takes about four times the lines of Python, whatever is repeated."""
        short, long = (self.lines_for(unit * (length // len(unit))) for length in (1_000, 4_000))
        assert long < 6 * short + 1_000
        with ends():
            self.read(unit * (40_000 // len(unit)))

    def test_linear_in_names_that_are_said_something_of(self):
        """Thousands of names in one sentence, each the subject of a relation."""
        unit = "Emma was written by "
        statements(unit, LEXICON)
        short, long = (self.lines_for(unit * many) for many in (100, 800))
        assert long < 12 * short
        with ends():
            self.read(unit * 8_000)

    @staticmethod
    def read(text):
        statements(text, LEXICON)
        dated(text, LEXICON)

    def lines_for(self, text):
        return lines_run(lambda: self.read(text))


def years(text, **options):
    return [
        (d.subject.name, d.begin, d.end, d.within, not d.negated) for d in dated(text, LEXICON, **options)
    ]


class TestDated:
    @pytest.mark.parametrize(
        ("text", "begin", "end"),
        [
            ("The Korean War lasted from 1950 to 1953.", 1950, 1953),
            ("The Korean War went on from June 1950 until 27 July 1953.", 1950, 1953),
            ("The Korean War (1950–1953) was short.", 1950, 1953),
            ("The Korean War began in 1950.", 1950, None),
            ("The Korean War broke out in 1950.", 1950, None),
            ("The Korean War ended on 27 July 1953.", None, 1953),
            ("The Korean War lasted until 1953.", None, 1953),
            ("The Korean War began in 325 BC.", -324, None),
        ],
    )
    def test_spans(self, text, begin, end):
        """A beginning, an end or both are read."""
        assert years(text) == [("Korean War", begin, end, False, True)]

    @pytest.mark.parametrize(
        ("text", "begin", "end"),
        [
            ("The Korean War happened in 1951.", 1951, 1951),
            ("The Korean War took place between 1950 and 1953.", 1950, 1953),
            ("The Korean War was going on in 1951.", 1951, 1951),
        ],
    )
    def test_within(self, text, begin, end):
        """What happened in some years may reach beyond them."""
        assert years(text) == [("Korean War", begin, end, True, True)]

    def test_one_sentence(self):
        """One subject may be said to begin and to end; the next clause has its own."""
        found = years("Einstein, born in 1879, died in 1955, and the war took place between 1939 and 1945.",
                      about=["Albert Einstein", "Second World War"])  # fmt: skip
        assert found == [
            ("Albert Einstein", 1879, None, False, True),
            ("Albert Einstein", None, 1955, False, True),
            ("Second World War", 1939, 1945, True, True),
        ]

    def test_reign(self):
        """A reign is dated by whose it is."""
        assert years("Queen Victoria's reign lasted from 1837 to 1901.") == [
            ("Queen Victoria", 1837, 1901, False, True)
        ]

    def test_denied(self):
        """A denial is read as one."""
        assert years("The Korean War did not happen in 1948.") == [("Korean War", 1948, 1948, True, False)]

    @pytest.mark.parametrize(
        "text",
        [
            "The Korean War had 3 phases.",
            "It lasted from 5 to 6.",
            "Did the Korean War end in 1953?",
            "in 1900",
        ],
    )
    def test_says_nothing(self, text):
        """Other numbers, unknown subjects and questions date nothing."""
        assert years(text) == []


class TestWords:
    def test_stems(self):
        """Forms of one word have one stem; the founder did not find."""
        assert stem("wrote") == stem("written") == stem("Writes")
        assert stem("directed") == stem("directs") == stem("direct")
        assert stem("founded") != stem("found")
        assert folded("BRONTË") == "bronte"

    def test_phrases(self):
        """Tense, number, articles and adverbs make no difference to a way of saying."""
        assert (
            phrase("is a member of") == phrase("were once the members of") == phrase("has been a member of")
        )


RELATIONS = [("author", "SUBJECT was written by OBJECT")]


def entry(**changes):
    return {"subject": "Emma", "relation": "author", "object": "Jane Austen", "negated": False, **changes}
