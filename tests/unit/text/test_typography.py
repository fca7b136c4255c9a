"""One spelling of typography."""

from hypothesis import given
from hypothesis import strategies as st
from tests.effort import ends
from tests.looping import each

from guardrail.text.typography import normalised


class TestBrokenWords:
    def test_at_a_line_end(self):
        """The halves become one word, whatever blanks are around the line end."""

        def check(broken, whole):
            assert normalised(f"It says {broken} here.") == f"It says {whole} here."

        each(
            [
                ("Wolf-\ngang", "Wolfgang"),
                ("Verant-\r\nwortung", "Verantwortung"),
                ("mainte-  \n  nance", "maintenance"),
            ],
            check,
        )

    def test_within_a_line(self):
        """A hyphen with a blank behind it broke a word too, unless another word shares the second half."""

        def check(written, plain):
            assert normalised(written) == plain

        each(
            [
                ("Main- tenance", "Maintenance"),
                ("two- and three-year plans", "two- and three-year plans"),
                ("Haupt- und Nebenfach", "Haupt- und Nebenfach"),
                ("pre- et post-opératoire", "pre- et post-opératoire"),
            ],
            check,
        )

    def test_a_compound(self):
        """Keeps its hyphen where its second half is a word of the text, or begins with a capital."""
        assert normalised("A well-\nknown fact is known.") == "A well-known fact is known."
        assert normalised("Jean-\nPaul") == "Jean-Paul"

    def test_lists_and_paragraphs(self):
        """A bullet, a dash and the end of a paragraph break no word."""
        for text in ("- one\n- two", "it was -\nhe said", "end-\n\nbegin"):
            assert normalised(text) == text


class TestSigns:
    def test_one_spelling(self):
        """Quotation marks, apostrophes, dashes, blanks, ligatures and characters of no width."""

        def check(written, plain):
            assert normalised(written) == plain

        each(
            [
                ("“a” „b“ «c» ″d″", '"a" "b" "c" "d"'),
                ("it’s ‘so’ ʼn", "it's 'so' 'n"),
                ("5–10, −3, ‑x", "5-10, -3, -x"),
                ("1\u202f200\xa0km\u2009h", "1 200 km h"),
                ("ﬁnd ﬂow", "find flow"),
                ("Wolf\xadgang\u200b", "Wolfgang"),
                ("H₂O, m², 10², 3½, ㎞, １２％", "H2O, m2, 10^2, 3 1/2, km, 12%"),
            ],
            check,
        )


class TestAny:
    @given(st.text())
    def test_twice(self, text):
        """Never fails, and has nothing left to do where it was before, but for words that it joined."""
        once = normalised(text)
        assert normalised(once.replace("-", "")) == once.replace("-", "")

    def test_hostile(self):
        """Ends soon on long texts that are made to take long."""
        for text in ("a-\nb" * 20_000, "a- " * 20_000, "-  " * 50_000, "a" * 200_000, "2²" * 50_000):
            with ends():
                assert isinstance(normalised(text), str)
