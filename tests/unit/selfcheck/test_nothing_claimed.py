"""Sentences that claim nothing, samples that refuse, punctuation: through the variants. Oracles: by hand."""

import pytest

from guardrail import Case, Guard, Verdict
from guardrail.chat import ScriptedChat
from guardrail.requests import Entail, Entailment
from guardrail.selfcheck import SelfCheck
from guardrail.testing import play

REFUSAL = "I'm sorry, but I cannot answer this question."


def entails(request):
    assert isinstance(request, Entail)
    return Entailment(0.9, 0.05, 0.05)


class TestAnswers:
    def test_a_refusal_has_no_score(self):
        """Neither right nor wrong, and nobody is asked about it."""
        [finding] = play(SelfCheck("nli").examine(Case.of(REFUSAL, samples=["She was 91."])))
        assert (finding.verdict, finding.score) == (None, None)
        assert finding.label in {"nothing claimed", "says the sources lack it"}

    def test_no_sample_is_drawn_for_it(self):
        """The estimate says so too."""
        chat = ScriptedChat("Paris.")
        guard = Guard([SelfCheck("ngram")], chat=chat)
        case = Case.of(REFUSAL, prompt="Who?")
        assert guard.estimate(case).most == 0
        assert guard.check(case).cost.total.calls == 0

    def test_other_sentences_are_judged(self):
        """A claim behind a refusal is examined."""
        case = Case.of(f"{REFUSAL} She was 91.", samples=["She was 91."])
        first, second = play(SelfCheck("ngram").examine(case))
        assert (first.verdict, second.verdict) == (None, Verdict.SUPPORTED)


class TestSamples:
    def test_refusals_say_nothing(self):
        """They are not read, and the finding says how many there were."""
        case = Case.of("She was 91.", samples=[REFUSAL, "She was 91.", "I don't know."])
        [finding] = play(SelfCheck("nli").examine(case), entails)
        assert finding.verdict is Verdict.SUPPORTED
        assert "2 of 3 samples claim nothing" in finding.reason

    @pytest.mark.parametrize("method", ["ngram", "nli"])
    def test_all_refuse(self, method):
        """Then there is nothing to compare with."""
        case = Case.of("She was 91.", samples=[REFUSAL, "I don't know."])
        [finding] = play(SelfCheck(method).examine(case))
        assert (finding.verdict, finding.score) == (Verdict.UNVERIFIED, None)
        assert "every sample claims nothing" in finding.reason

    def test_drawn_ones_too(self):
        """From the model as from the case."""
        guard = Guard([SelfCheck("ngram")], chat=ScriptedChat(REFUSAL))
        [finding] = guard.check("She was 91.", prompt="How old?").findings
        assert finding.verdict is Verdict.UNVERIFIED
        assert "every sample claims nothing" in finding.reason


class TestPunctuation:
    @pytest.mark.parametrize(
        "answer",
        [
            "She was 91!",
            "She was **91**.",
            "“She was 91.”",
            '"She was 91"',
            "- She was 91.",
            "| She was 91 |",
            "SHE WAS _91_…",
        ],
    )
    def test_is_no_word(self, answer):
        """Marks, quotation marks and markup change neither score nor verdict."""
        samples = ["She was 91."] * 3
        [plain] = play(SelfCheck("ngram").examine(Case.of("She was 91.", samples=samples)))
        [marked] = play(SelfCheck("ngram").examine(Case.of(answer, samples=samples)))
        assert (marked.score, marked.verdict) == (plain.score, Verdict.SUPPORTED)

    def test_is_never_the_reason(self):
        """The rarest word is a word."""
        case = Case.of("She was 92!!", samples=["She was 91."] * 3)
        [finding] = play(SelfCheck("ngram").examine(case))
        assert finding.reason == "'92' is in none of the other answers"

    def test_counts_with_the_papers_tokens(self):
        """As in Table 7."""
        case = Case.of("She was 91!", samples=["She was 91."] * 3)
        [finding] = play(SelfCheck("ngram", tokens="paper").examine(case))
        assert finding.reason == "'!' is in none of the other answers"

    def test_a_sign_alone_claims_nothing(self):
        """It has no verdict."""
        [finding] = play(SelfCheck("ngram").examine(Case.of("🙂!", samples=["She was 91."])))
        assert finding.verdict is None
