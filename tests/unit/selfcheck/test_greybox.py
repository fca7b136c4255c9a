"""The grey-box kernel. Oracles: logarithms by hand; eq. 13 on even distributions, where H is their size."""

import math

import pytest
from tests.contract.detector import DetectorContract

from guardrail import Case, Guard, Verdict
from guardrail.detectors import SelfCheck
from guardrail.report import Span
from guardrail.requests import ScoreTokens, TokenLogprob
from guardrail.selfcheck import greybox
from guardrail.testing import play


def token(text, p, *alternatives):
    return TokenLogprob(text, math.log(p), tuple((f"t{i}", math.log(q)) for i, q in enumerate(alternatives)))


class TestTokens:
    @pytest.mark.parametrize("size", [1, 2, 5])
    def test_entropy_of_even_alternatives(self, size):
        """2 to log₂ n bits is n."""
        assert greybox.entropy(token("a", 0.5, *[1 / size] * size)) == pytest.approx(size)

    def test_entropy_is_not_renormalised(self):
        """Half the mass is told: ½ · 1 bit, √2."""
        assert greybox.entropy(token("a", 0.5, 0.5)) == pytest.approx(math.sqrt(2))

    def test_undefined(self):
        """No alternatives; NaN; an impossible alternative adds nothing."""
        assert greybox.entropy(token("a", 0.5)) is None
        assert greybox.entropy(TokenLogprob("a", 0.0, (("a", math.nan),))) is None
        assert greybox.entropy(TokenLogprob("a", 0.0, (("a", 0.0), ("b", -math.inf)))) == 1.0
        assert greybox.surprisal(TokenLogprob("a", math.nan)) is None
        assert greybox.surprisal(TokenLogprob("a", -math.inf)) is None

    @pytest.mark.parametrize("wrong", [math.nan, math.inf, 0.5, 1e9])
    def test_no_log_probability(self, wrong):
        """A probability above 1 is none, in the token's place or among the alternatives; rounding is forgiven."""
        assert greybox.surprisal(TokenLogprob("a", wrong)) is None
        assert greybox.entropy(TokenLogprob("a", -1.0, (("a", -1.0), ("b", wrong)))) is None
        assert greybox.surprisal(TokenLogprob("a", 1e-7)) == 0.0
        assert greybox.surprisal(TokenLogprob("a", -9999.0)) == 9999.0

    def test_entropy_of_the_vocabulary(self):
        """Where it is told, it counts: log 8 nats are eight tokens, whatever the alternatives say."""
        assert greybox.entropy(TokenLogprob("a", -1.0, (("a", 0.0),), math.log(8))) == pytest.approx(8)
        assert greybox.entropy(TokenLogprob("a", -1.0, entropy=0.0)) == 1.0

    @pytest.mark.parametrize("wrong", [math.nan, math.inf, -1.0, 1e6])
    def test_no_entropy(self, wrong):
        """No vocabulary has it."""
        assert greybox.entropy(TokenLogprob("a", -1.0, entropy=wrong)) is None

    def test_score(self):
        """−log ½ and −log ¼."""
        tokens = [token("a", 0.5), token("b", 0.25)]
        assert greybox.score(tokens, "logprob", "max") == pytest.approx(math.log(4))
        assert greybox.score(tokens, "logprob", "mean") == pytest.approx(1.5 * math.log(2))
        assert greybox.score([*tokens, TokenLogprob("c", math.nan)], "logprob", "max") is None
        assert greybox.score([], "logprob", "max") is None


class TestAligned:
    def test_tokens_over_an_edge(self):
        """One that holds the end of a sentence and the start of the next belongs to both; blanks to none."""
        tokens = [token(text, 0.5) for text in ("<s>", "A b", ". C", " d", ".", " ")]
        groups = greybox.aligned_tokens("A b. C d.", tokens, [Span(start=0, end=4), Span(start=5, end=9)])
        assert [[t.token for t in group] for group in groups] == [["A b", ". C"], [". C", " d", "."]]

    def test_parts_of_characters(self):
        """A token without text belongs where the character before it stands; after a blank to none."""
        tokens = [token(text, 0.5) for text in ("", "中", "", "", "。 ", "", "A", ".🎉", "")]
        groups = greybox.aligned_tokens("中。 A.🎉", tokens, [Span(start=0, end=2), Span(start=3, end=5)])
        assert [[t.token for t in group] for group in groups] == [["中", "", "", "。 "], ["A", ".🎉"]]
        groups = greybox.aligned_tokens("中。 A.🎉", tokens, [Span(start=0, end=2), Span(start=3, end=6)])
        assert [t.token for t in groups[1]] == ["A", ".🎉", ""]

    def test_the_end_of_a_file(self):
        """A line's end that the file has and the model did not write."""
        tokens = [token(text, 0.5) for text in ("A b", ".")]
        groups = greybox.aligned_tokens("A b.\n", tokens, [Span(start=0, end=4)])
        assert [[t.token for t in group] for group in groups] == [["A b", "."]]

    def test_other_tokens(self):
        """Tokens of another text are not forced onto this one."""
        assert greybox.aligned_tokens("A b.", [token("x", 0.5)], [Span(start=0, end=4)]) is None


class TestDetector:
    def test_sure_and_not_sure(self):
        """The second sentence holds a word at p = .01: −log p 4.6, over 4."""
        tokens = tuple(token(t, p) for t, p in (("It is.", 0.9), (" He", 0.9), (" ran", 0.01), (".", 0.9)))
        case = Case(answer="It is. He ran.", logprobs=tokens)
        first, second = play(SelfCheck("greybox").examine(case), lambda request: 1 / 0)
        assert (first.verdict, second.verdict) == (Verdict.SUPPORTED, Verdict.UNSUPPORTED)
        assert second.score == pytest.approx(-math.log(0.01))

    @pytest.mark.parametrize(
        ("logprobs", "quantity", "reason"),
        [
            ((), "logprob", "no log-probabilities"),
            ((TokenLogprob("It is.", math.nan),), "logprob", "no finite number"),
            ((TokenLogprob("Something else", -1.0),), "logprob", "do not spell"),
            ((TokenLogprob("It is.", -1.0),), "entropy", "no alternatives"),
        ],
    )
    def test_says_why(self, logprobs, quantity, reason):
        """No score without numbers for every token."""
        detector = SelfCheck("greybox", quantity=quantity)
        [finding] = play(detector.examine(Case(answer="It is.", logprobs=logprobs)), lambda request: 1 / 0)
        assert finding.score is None
        assert finding.verdict is Verdict.UNVERIFIED
        assert reason in finding.reason


class TestProxy:
    ANSWER = "It is. He ran."

    def reply(self, request):
        assert isinstance(request, ScoreTokens)
        pieces = ["It is.", " He", " ran", "."]
        return tuple(
            TokenLogprob(piece, math.log(0.01 if piece == " ran" else 0.9), entropy=0.1) for piece in pieces
        )

    def test_asked(self):
        """The answer after the messages; scored like the model's own."""
        asked = []

        def reply(request):
            asked.append(request)
            return self.reply(request)

        case = Case.of(self.ANSWER, prompt=[("system", "Be brief."), ("user", "What?")])
        detector = SelfCheck("greybox", proxy=True)
        first, second = play(detector.examine(case), reply)
        assert asked == [ScoreTokens("Be brief.\n\nWhat?\n\n", self.ANSWER, 5)]
        assert (first.verdict, second.verdict) == (Verdict.SUPPORTED, Verdict.UNSUPPORTED)
        assert second.score == pytest.approx(-math.log(0.01))
        assert "proxy" in second.reason

    def test_own_come_first(self):
        """Nobody is asked for what is there."""
        case = Case(answer="It is.", logprobs=(token("It is.", 0.9),))
        [finding] = play(SelfCheck("greybox", proxy=True).examine(case), lambda request: 1 / 0)
        assert finding.reason == "the model was sure of its words"

    def test_nobody_there(self):
        """The finding says which backend is missing."""
        report = Guard([SelfCheck("greybox", proxy=True)]).check(self.ANSWER)
        assert report.failures == ()
        for finding in report.findings:
            assert finding.verdict is Verdict.UNVERIFIED
            assert "no backend for 'language_model'" in finding.reason

    def test_other_text(self):
        """A backend that scored something else has scored nothing."""
        [finding] = play(
            SelfCheck("greybox", proxy=True).examine(Case(answer="It is.")),
            lambda request: (TokenLogprob("Else", -1.0),),
        )
        assert "do not spell" in finding.reason


class TestProxyContract(DetectorContract):
    @pytest.fixture
    def detector(self):
        return SelfCheck("greybox", proxy=True, quantity="entropy")

    def reply(self, request):
        """Each character is a token, and the vocabulary holds two."""
        return tuple(TokenLogprob(c, math.log(0.5), (), math.log(2)) for c in request.text)
