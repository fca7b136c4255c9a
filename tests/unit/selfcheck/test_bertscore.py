"""The BERTScore kernel. Oracle: eq. 1 by hand."""

import math

from guardrail.detectors.selfcheck import bertscore


class TestScore:
    def test_by_hand(self):
        """1 − ((½ + ¼) / 2)."""
        assert bertscore.score([[0.5, 0.1], [0.25]]) == 0.625

    def test_samples_without_sentences_are_left_out(self):
        """An empty sample says nothing."""
        assert bertscore.score([[], [0.5]]) == 0.5
        assert bertscore.score([]) is None
        assert bertscore.score([[math.nan]]) is None

    def test_rescaled(self):
        """With a baseline B may be negative; the score is above 1."""
        assert bertscore.score([[-0.5]]) == 1.5

    def test_rounding_never_goes_below_zero(self):
        """A B of 1 and a little is 1."""
        assert bertscore.score([[1.0000001]]) == 0.0

    def test_short_sentences_are_skipped(self):
        """Three tokens are too few, four are enough; the full stop is one."""
        assert bertscore.candidates("So it is. He was born.") == ["So it is.", "He was born."]
        assert bertscore.candidates("It is. He was born.") == ["He was born."]
