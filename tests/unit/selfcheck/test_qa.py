"""The MQAG formulas and the detector around them.

Oracles: eqs. 16 to 21 worked by hand, and computed as they stand there; for all three scores what selfcheckgpt 0.1.7
gives, recorded by `record_qa.py` in qa_oracle.jsonl (seed 0, 2026-11-20).
"""

import json
import math
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from guardrail import Case, Verdict
from guardrail.detectors import SelfCheck
from guardrail.engine.codec import decode_reply, encode_reply, encode_request
from guardrail.engine.flow import Answer, Failed, Keep, Reason
from guardrail.errors import ConfigError
from guardrail.requests import Answerable, Ask, Choose, Completion, Distract, Question, QuestionAnswer
from guardrail.selfcheck import EnsembleCheck
from guardrail.selfcheck.qa import scores as qa
from guardrail.selfcheck.qa.scores import options
from guardrail.testing import play


def as_printed(m, n, beta_1, beta_2):
    """Eq. 16 with eqs. 17 and 18."""
    false = (1 - beta_1) ** m * beta_1**n
    true = beta_2**m * (1 - beta_2) ** n
    return false / (false + true)


class TestCounts:
    def test_simple(self):
        """One of four differs; of none nothing is known."""
        assert qa.simple_score(3, 1) == 0.25
        assert qa.simple_score(0, 0) is None

    @pytest.mark.parametrize(("m", "n"), [(0, 0), (1, 0), (0, 1), (3, 2), (20, 0), (0, 20), (1.5, 2.25)])
    @pytest.mark.parametrize(("beta_1", "beta_2"), [(0.8, 0.8), (0.6, 0.9), (0.3, 0.55)])
    def test_bayes_is_eq_16(self, m, n, beta_1, beta_2):
        """The form in γ is the one in β."""
        got = qa.bayes_score(m, n, beta_1=beta_1, beta_2=beta_2)
        assert got == pytest.approx(as_printed(m, n, beta_1, beta_2), abs=1e-12)

    def test_bayes_by_hand(self):
        """γ₁ = γ₂ = 4. Two matches, one mismatch: 4 / (16 + 4)."""
        assert qa.bayes_score(2, 1) == pytest.approx(0.2)

    def test_large_counts(self):
        """Powers of 4 overflow; the score does not."""
        assert qa.bayes_score(0, 10_000) == 1.0
        assert qa.bayes_score(10_000, 0) == 0.0

    @pytest.mark.parametrize("beta", [0.0, 1.0, -1.0, math.nan])
    def test_betas_are_probabilities(self, beta):
        """0 and 1 would divide by zero."""
        with pytest.raises(ValueError, match="between 0 and 1"):
            qa.bayes_score(1, 1, beta_1=beta)


class TestQuestion:
    def test_answerability(self):
        """Matches weigh 1 + ¼, the mismatch ½: 4^½ / (4^1.25 + 4^½)."""
        assert qa.counts(0, [0, 2, 0], [1.0, 0.5, 0.25]) == (1.25, 0.5)
        assert qa.question_score("bayes_with_alpha", 0, [0, 2, 0], [1.0, 0.5, 0.25]) == pytest.approx(
            2 / (4**1.25 + 2)
        )

    def test_unanswerable(self):
        """A question that nothing answers says neither."""
        assert qa.question_score("bayes_with_alpha", 1, [0, 2], [0.0, 0.0]) == 0.5

    def test_lengths(self):
        """One α per answer."""
        with pytest.raises(ValueError, match="zip"):
            qa.counts(0, [0, 1], [1.0])


HEAD, *RECORDED = map(
    json.loads, Path(__file__).with_name("qa_oracle.jsonl").read_text(encoding="utf-8").splitlines()
)


class TestPackage:
    def test_recorded(self):
        """A thousand questions, of all sizes."""
        assert (HEAD["package"], HEAD["version"], HEAD["cases"]) == ("selfcheckgpt", "0.1.7", len(RECORDED))
        assert len(RECORDED) == 1_000

    @pytest.mark.parametrize("scoring", ["counting", "bayes", "bayes_with_alpha"])
    def test_equal(self, scoring):
        """To 1e-9, ties of options and of α with the bound included."""
        for one in RECORDED:
            got = qa.question_score(
                scoring,
                qa.chosen([p / 100 for p in one["own"]]),
                [qa.chosen([p / 100 for p in sample]) for sample in one["samples"]],
                [alpha / 100 for alpha in one["alpha"]],
                own=one["own_alpha"] / 100,
                bound=one["bound"] / 100,
                beta_1=one["beta_1"] / 100,
                beta_2=one["beta_2"] / 100,
            )
            assert abs(got - one["scores"][scoring]) <= 1e-9, one
        assert len({round(one["scores"][scoring], 6) for one in RECORDED}) > 10


class TestOptions:
    def test_four(self):
        """The right one first; a fourth wrong one is too many."""
        assert options("a", ["b", "c", "d", "e"]) == ("a", "b", "c", "d")

    def test_too_few(self):
        """The last is repeated."""
        assert options("a", [" b "]) == ("a", "b", "b", "b")

    def test_none(self):
        """Without a wrong answer there is no choice."""
        assert options("a", []) is None
        assert options("a", ["", " "]) is None


BORN, PRIZE = "Ada Lovelace was born in London.", "She won the Nobel Prize in 1840."
ANSWER = f"{BORN} {PRIZE}"
SAMPLES = ("She was born in London. She won the Turing Award.", "Born in London, she never won a prize.")
WRONG = ("Paris", "Rome", "Turing Award")


class Desk:
    """Answers by looking for the option in the text; α is `alpha`, for texts that hold no option `without`."""

    def __init__(self, *, alpha=0.9, without=0.1):
        self.alpha, self.without = alpha, without
        self.asked = []

    def __call__(self, request):
        self.asked.append(request)
        return self.reply(request)

    def reply(self, request):
        if isinstance(request, Ask):
            return Completion(SAMPLES[request.draw % 2])
        if isinstance(request, Question):
            return self.question(request)
        if isinstance(request, Distract):
            return WRONG
        if isinstance(request, Choose):
            held = [option in request.context for option in request.options]
            best = held.index(True) if any(held) else 3
            return tuple(0.7 if i == best else 0.1 for i in range(4))
        about = "London" if "born" in request.question else "Nobel"
        others = ("Turing",) if about == "Nobel" else ()
        known = any(word in request.context for word in (about, *others))
        return self.alpha if known else self.without

    def question(self, request):
        born = "born" in request.text
        asked = f"Where was she born, {request.draw}?" if born else f"What did she win, {request.draw}?"
        return QuestionAnswer(asked, "London" if born else "Nobel Prize")

    def count(self, kind):
        return sum(isinstance(one, kind) for one in self.asked)


CASE = Case.of(ANSWER, samples=SAMPLES)


def examine(desk=None, case=CASE, **chosen):
    return play(SelfCheck("qa", **chosen).examine(case), desk or Desk())


def measured(finding):
    return {one.name: one.value for one in finding.evidence if one.kind == "measurement"}


class TestDetector:
    def test_in_an_ensemble(self):
        """The same scores as alone, measured beside another member's."""
        found = play(EnsembleCheck(fit=None, members=["ngram", "qa"]).examine(CASE), Desk())
        assert [measured(one)["qa"] for one in found] == [one.score for one in examine()]

    def test_scores(self):
        """Born: both match, α .9: 1 / (4^1.8 + 1). Prize: one differs (.9), one has no such option (.1)."""
        born, prize = examine()
        assert born.score == pytest.approx(1 / (4**1.8 + 1))
        assert prize.score == pytest.approx(4 / (1 + 4))
        assert (born.verdict, prize.verdict) == (Verdict.SUPPORTED, Verdict.UNSUPPORTED)
        assert measured(prize)["questions used"] == 5
        assert measured(prize)["samples used"] == 2

    def test_counting(self):
        """Prize: of the two samples one answers (α ≥ ½), and otherwise."""
        born, prize = examine(scoring="counting")
        assert (born.score, prize.score) == (0.0, 1.0)

    def test_bayes(self):
        """Born: two matches, 1 / (16 + 1). Prize: one mismatch, 4 / (1 + 4)."""
        born, prize = examine(scoring="bayes")
        assert (born.score, prize.score) == pytest.approx((1 / 17, 0.8))

    def test_betas(self):
        """β₁ = .9, β₂ = .6: γ₁ = 6, γ₂ = 2.25."""
        born, prize = examine(scoring="bayes", beta_1=0.9, beta_2=0.6)
        assert (born.score, prize.score) == pytest.approx((1 / 37, 2.25 / 3.25))

    def test_evidence(self):
        """What was asked, what the answer says and what each sample says; unanswerable ones marked so."""
        _, prize = examine(questions=1)
        [replies] = [one for one in prize.evidence if one.kind == "replies"]
        assert replies.query == "What did she win, 0? (this answer: Nobel Prize)"
        assert replies.texts == ("Turing Award", "Turing Award")
        assert replies.read == ("other", None)

    def test_asks(self):
        """Per sentence 2 questions, a distractor each; of every text a choice, and α of the samples alone."""
        desk = Desk()
        examine(desk, questions=2)
        counts = [desk.count(kind) for kind in (Question, Distract, Choose, Answerable)]
        assert counts == [4, 4, 4 * 3, 4 * 2]

    def test_asks_the_answer_too(self):
        """The other two scores need its α; without a bound they need none at all."""
        desk = Desk()
        examine(desk, questions=2, scoring="counting")
        assert desk.count(Answerable) == 4 * 3
        desk = Desk()
        _, prize = examine(desk, questions=2, scoring="counting", answerable=0)
        assert desk.count(Answerable) == 0
        assert prize.score == 1.0

    def test_context_of_distractors(self):
        """Questions come from the sentence, wrong answers from the whole answer."""
        desk = Desk()
        examine(desk, questions=1)
        assert {one.text for one in desk.asked if isinstance(one, Question)} == {BORN, PRIZE}
        assert {one.context for one in desk.asked if isinstance(one, Distract)} == {ANSWER}

    def test_cost(self):
        """Only samples that are drawn are paid for."""
        case = Case.of(ANSWER, prompt="Who was she?")
        desk = Desk()
        detector = SelfCheck("qa", samples=3)
        play(detector.examine(case), desk)
        assert detector.cost(case)["chat:subject"] == (3, 3)
        assert sum(one.lane == "chat" for one in desk.asked) == desk.count(Ask) == 3
        assert "chat:subject" not in detector.cost(CASE)

    def test_documents(self):
        """They are read as samples are; one that answers nothing weighs nothing."""
        documents = ("She won the Turing Award.", "A page about rivers.")
        born, prize = examine(Desk(without=0.0), Case.of(ANSWER, context=documents))
        assert prize.score == pytest.approx(4**0.9 / (1 + 4**0.9))
        assert "documents" in prize.reason
        assert (born.verdict, born.reason) == (
            Verdict.UNVERIFIED,
            "none of the 5 questions about it can be answered from the documents",
        )

    def test_repeated_sentence(self):
        """Asked about once, judged twice."""
        desk = Desk()
        first, second = examine(desk, Case.of(f"{BORN} {BORN}", samples=SAMPLES))
        assert first.score == second.score
        assert desk.count(Question) == 5

    @pytest.mark.parametrize(
        "wrong",
        [
            {"questions": 0},
            {"questions": 2.5},
            {"scoring": "sum"},
            {"beta_1": 0.0},
            {"beta_2": 1.0},
            {"beta_1": 0.4, "beta_2": 0.6},
            {"beta_1": math.nan},
            {"answerable": 1.5},
            {"samples": 0},
            {"early_stop": 0.9},
        ],
    )
    def test_nonsense(self, wrong):
        """Refused where it is said."""
        with pytest.raises(ConfigError):
            SelfCheck("qa", **wrong)


class TestNoScore:
    """Nothing that could not be asked or answered is clean."""

    def only(self, desk, **chosen):
        findings = examine(desk, **chosen)
        assert {finding.verdict for finding in findings} == {Verdict.UNVERIFIED}
        assert {finding.score for finding in findings} == {None}
        assert len({finding.reason for finding in findings}) == 1
        return findings[0].reason

    @pytest.mark.parametrize("found", [None, QuestionAnswer(" ", "x"), QuestionAnswer("x?", "")])
    def test_no_question(self, found):
        """The model writes no pair, or half of one."""
        desk = Desk()
        desk.question = lambda request: found
        assert self.only(desk) == "no question could be made from it: 5 of 5 draws gave none"

    def test_no_distractor(self):
        """Without a wrong answer there is nothing to choose."""

        class Alone(Desk):
            def reply(self, request):
                return ("", " ") if isinstance(request, Distract) else super().reply(request)

        assert self.only(Alone()) == "no question could be made from it: 5 of 5 draws gave none"

    @pytest.mark.parametrize("kind", [Question, Distract, Choose, Answerable])
    def test_backend(self, kind):
        """Each backend may fail."""

        class Broken(Desk):
            def reply(self, request):
                failed = Failed(Reason.TIMEOUT, "no reply")
                return failed if isinstance(request, kind) else super().reply(request)

        assert "timeout: no reply" in self.only(Broken())

    @pytest.mark.parametrize("scoring", ["counting", "bayes", "bayes_with_alpha"])
    def test_unanswerable(self, scoring):
        """α of 0 everywhere."""
        reason = self.only(Desk(alpha=0.0, without=0.0), scoring=scoring)
        assert reason == "none of the 5 questions about it can be answered from the other answers"

    def test_hardly_answerable(self):
        """α of .2 and .2 add up to less than ½; with a lower bound they count."""
        assert "can be answered" in self.only(Desk(alpha=0.2, without=0.2))
        assert {f.score is None for f in examine(Desk(alpha=0.2, without=0.2), answerable=0.3)} == {False}

    @pytest.mark.parametrize("reply", [(math.nan,) * 4, (0.5, 0.5), ()])
    def test_no_numbers(self, reply):
        """Probabilities that are none, or not one per option."""

        class Odd(Desk):
            def reply(self, request):
                return reply if isinstance(request, Choose) else super().reply(request)

        assert self.only(Odd()) == "no answer to the questions about it is a number"

    def test_no_samples(self):
        """And no way to draw them."""
        reason = "there are no samples, and no prompt to draw them with"
        assert [finding.reason for finding in examine(case=Case(answer=ANSWER))] == [reason]


class TestRequests:
    @pytest.mark.parametrize(
        ("asked", "value"),
        [
            (Question("He was born.", draw=2), QuestionAnswer("Who?", "He")),
            (Question("He was born."), None),
            (Distract("Who?", "He", "He was born."), ("She", "They")),
            (Choose("Who?", ("He", "She"), "He was born."), (0.75, 0.25)),
            (Answerable("Who?", "He was born."), 0.5),
        ],
    )
    def test_recorded(self, asked, value):
        """They can be kept and read back."""
        assert TypeAdapter(type(asked)).validate_json(encode_request(asked)) == asked
        assert decode_reply(asked, encode_reply(asked, Answer(value))) == Answer(value)

    def test_kept(self):
        """Draws are samples; what a text answers is the same each time."""
        assert {Question("a").keep, Distract("a", "b", "c").keep} == {Keep.SAMPLED}
        assert {Choose("a", ("b",), "c").keep, Answerable("a", "b").keep} == {Keep.ALWAYS}


class TestPartial:
    def test_some_draws_give_nothing(self):
        """That is chance: said in the evidence."""

        class Some(Desk):
            def question(self, request):
                return super().question(request) if request.draw < 2 else None

        for finding in examine(Some()):
            assert measured(finding)["questions used"] == 2
            assert "timeout" not in finding.reason

    def test_a_sample_that_failed(self):
        """The other still counts, and the reason says what is lacking."""

        class Half(Desk):
            def reply(self, request):
                if isinstance(request, Choose) and request.context == SAMPLES[1]:
                    return Failed(Reason.TIMEOUT, "no reply")
                return super().reply(request)

        born, _ = examine(Half())
        assert born.score == pytest.approx(1 / (4**0.9 + 1))
        assert "5 of 5 questions, 5 of 10 answers: timeout: no reply (×5)" in born.reason

    def test_a_question_that_tells_nothing(self):
        """Counts ½ among others, as in the package: ((1 / (4^1.8 + 1)) + ½) / 2."""

        class Vague(Desk):
            def reply(self, request):
                if isinstance(request, Answerable) and "1?" in request.question:
                    return 0.0
                return super().reply(request)

        born, _ = examine(Vague(), questions=2)
        assert born.score == pytest.approx((1 / (4**1.8 + 1) + 0.5) / 2)

    def test_alpha_out_of_range(self):
        """Is brought back into it."""

        class Wild(Desk):
            def reply(self, request):
                return Answer(7.0) if isinstance(request, Answerable) else super().reply(request)

        born, _ = examine(Wild())
        assert born.score == pytest.approx(1 / 17)
