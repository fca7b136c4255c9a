"""The BERTScore kernel. Oracle: eq. 1 by hand."""

import math

from guardrail import Case
from guardrail.detectors import SelfCheck
from guardrail.requests import Similarity
from guardrail.selfcheck import bertscore
from guardrail.testing import play


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


class TestLongSamples:
    def test_bounded(self):
        """Of 3,000 sentences the hundred that share most words are compared, the one that says the same among them."""
        asked = []

        def same(request):
            asked.append(request)
            f1 = 0.9 if request.candidate == request.reference else 0.2
            return Similarity(f1, f1, f1)

        said = "The old bridge over the Tay fell in a storm."
        long = " ".join(f"Number {i} was of no great interest." for i in range(3_000)) + f" {said}"
        case = Case.of(
            f"{said} It was built again soon after.", samples=[long, "A storm took the old bridge down."]
        )
        first, second = play(SelfCheck("bertscore").examine(case), same)
        assert len(asked) == 2 * (bertscore.MOST + 1)
        assert math.isclose(first.score, 0.45)
        assert all("of 1 of 2 samples only the 100 sentences" in one.reason for one in (first, second))
        [one] = play(SelfCheck("bertscore").examine(Case.of(said, samples=[said])), same)
        assert "only the" not in one.reason
