"""Quotations, and whether documents have them word for word."""

from hypothesis import given
from hypothesis import strategies as st
from tests.effort import ends
from tests.looping import each

from guardrail.text.quotations import KnownTexts, quotations

SAID = "We will gladly build this bridge again"


class TestQuotations:
    def test_marks(self):
        """Of any language."""

        def check(opening, closing):
            assert quotations(f"He said: {opening}{SAID}{closing}.") == [SAID]

        each(
            [
                ('"', '"'),
                ("“", "”"),
                ("„", "“"),
                ("«", "»"),
                ("« ", " »"),
                ("»", "«"),
                ("「", "」"),
                ("『", "』"),
                ("‘", "’"),
            ],
            check,
        )

    def test_what_is_none(self):
        """Scare quotes, terms, titles, possessives and inches are nobody's words."""

        def check(text):
            assert quotations(text) == []

        each(
            [
                'The "so-called" plan is a "free for all".',
                'He directed "The Lord of the Rings".',
                "The 'Metamorphosis of the Modern Novel' is long.",
                "The students' books and the teachers' pens are here, it's said.",
                'A 5" pipe and a 7" pipe are not the same thing.',
                "他说“你好”。",
            ],
            check,
        )


class TestFaults:
    def test_word_for_word(self):
        """Case, punctuation, other marks, [additions] and ellipses do not count."""
        known = KnownTexts([f"Nothing here. He said: “{SAID}, whatever it costs.”"])

        def check(said):
            assert list(known.faults(f'He said "{said}".')) == []

        each(
            [
                SAID,
                SAID.upper(),
                f"{SAID}, whatever it costs",
                "We will … build this bridge",
                "We will [very] gladly build this bridge ... again",
            ],
            check,
        )

    def test_other_words(self):
        """One word changed, or words that nobody wrote; the nearest passage is the evidence."""
        known = KnownTexts(["Nothing here.", f"He said: “{SAID}.”"])
        (found,) = known.faults('He said "We will never build this bridge again".')
        assert (found.document, found.known) == (2, SAID)
        (invented,) = known.faults('He said "a purple elephant ate my homework".')
        assert (invented.document, invented.known) == (0, "")

    def test_languages(self):
        """The same in German, French and Japanese."""

        def check(document, said, wrong):
            known = KnownTexts([document])
            assert list(known.faults(said)) == []
            assert len(list(known.faults(wrong))) == 1

        each(
            [
                (
                    "Er sagte: „Das Haus wird nie verkauft.“",
                    "Er sagte: »Das Haus wird nie verkauft«",
                    "„Das Haus wird bald verkauft“",
                ),
                (
                    "Il dit : « La maison n’est pas à vendre »",
                    '"La maison n\'est pas à vendre"',
                    "« La maison n’est plus à vendre »",
                ),
                (
                    "彼は「この家は決して売りません」と言った。",
                    "「この家は決して売りません」",
                    "「この家はすぐに売ります」",
                ),
            ],
            check,
        )

    def test_the_question(self):
        """Its words may be quoted, and are no evidence."""
        asked = KnownTexts(["Nothing here."], also=["how do I fold a big quilt"])
        assert list(asked.faults('The answer to "how do I fold a big quilt" is not there.')) == []


class TestAny:
    @given(st.text(alphabet=st.sampled_from("ab “”\"'«»「」[].…\n")))
    def test_any_text(self, text):
        """Never fails, and no text misquotes itself."""
        assert list(KnownTexts([text]).faults(text)) == []

    def test_hostile(self):
        """Ends soon on long texts that are made to take long."""
        for text in (
            '"' * 100_000,
            "“" * 100_000,
            '"a b c d e" ' * 5_000,
            "[" * 100_000,
            "‘" + "a " * 50_000,
            "「" * 50_000 + "」",
        ):
            with ends():
                list(KnownTexts(["a b c d f " * 100]).faults(text))
