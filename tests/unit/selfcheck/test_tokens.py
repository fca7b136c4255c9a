"""Tokens. Oracle: `spacy.blank("en")` 3.8.18, whose tokens of these sentences were written down on 2026-11-20."""

import pytest

from guardrail.selfcheck.tokens import tokens, words

SPACY = {
    "He didn't meet Dr. No (1962), or J. Bond.": "He did n't meet Dr. No ( 1962 ) , or J. Bond .",
    'The "well-known" U.S. writer\'s 1,000 books...': 'The " well - known " U.S. writer \'s 1,000 books ...',
    "born 1950–1960 in St. Louis; died 3:30 p.m.": "born 1950–1960 in St. Louis ; died 3:30 p.m.",
    "It cost $5.50 and/or 20%!": "It cost $ 5.50 and/or 20 % !",
    "He cannot say they're here.": "He can not say they 're here .",
}


class TestTokens:
    @pytest.mark.parametrize("text", SPACY)
    def test_as_spacy(self, text):
        """The same tokens."""
        assert tokens(text) == SPACY[text].split()

    def test_no_blanks(self):
        """White space is never a token."""
        assert tokens(" a\n\n b\t") == ["a", "b"]
        assert tokens(" \n") == []

    def test_other_scripts(self):
        """Chinese and Japanese by character, Korean by word; a flag or a face is a token."""
        assert tokens("他生于1950年。") == ["他", "生", "于", "1950", "年", "。"]
        assert tokens("그는 갔다.") == ["그는", "갔다", "."]
        assert tokens("😀") == ["😀"]

    @pytest.mark.parametrize("text", ["a" * 10_000, "!" * 10_000, "a.b" * 5_000, "(" * 10_000, "中" * 10_000])
    def test_long(self, text):
        """Nothing is lost of what has no blanks for 10,000 characters."""
        assert "".join(tokens(text)) == text

    def test_words(self):
        """Only what holds a letter or digit, lower-cased."""
        assert words("He, (she)!") == ["he", "she"]
