"""`PosteriorHallucinationRate` in a guard."""

import json
import math
import threading

import pytest
from tests.effort import ends

from guardrail import Budget, Case, Guard, Verdict
from guardrail.chat import ScriptedChat
from guardrail.detectors import PosteriorHallucinationRate
from guardrail.engine.backend import Backend
from guardrail.engine.flow import Answer, Failed, Reason
from guardrail.errors import ConfigError
from guardrail.phr import BernoulliModel
from guardrail.phr.pairs import Form
from guardrail.registry import DETECTORS
from guardrail.report import Example
from guardrail.requests import Distribution, Outcomes, Sample, user
from guardrail.testing import play

EXAMPLES = (
    *[Example(input="a", label="yes")] * 9,
    *[Example(input="b", label="no")] * 9,
)
MODEL = BernoulliModel(["a", "b"], prior=(0.5, 0.5))


def case(answer, query="a", examples=EXAMPLES):
    return Case(answer=answer, messages=(user(query),), examples=examples)


def check(given, model=MODEL, **options):
    report = Guard([PosteriorHallucinationRate(**options)], backends={"language_model": model}).check(given)
    assert report.failures == ()
    return report.findings


def measured(finding):
    return {one.name: one for one in finding.evidence}


class Desk(Backend):
    """Answers by a function; by the model where that says nothing."""

    batch = 64
    instant = True
    fingerprint = "desk"

    def __init__(self, reply):
        self._reply = reply
        self.asked = []

    def answer(self, requests):
        self.asked += requests
        return [self._reply(r) or MODEL.answer([r])[0] for r in requests]


class TestVerdict:
    def test_follows_the_answer(self):
        """What the examples show is likely; its opposite is not."""
        (right,), (wrong,) = check(case("yes")), check(case("no"))
        assert (right.verdict, right.score, right.label, right.mark) == (Verdict.SUPPORTED, 0.0, "likely", "")
        assert (wrong.verdict, wrong.score, wrong.label) == (Verdict.UNSUPPORTED, 1.0, "unlikely")
        assert wrong.reason == "unlikely for the task that the 18 examples set, in 10 of 10 imagined contexts"
        assert wrong.span is None
        assert measured(right)["PHR"] == measured(wrong)["PHR"]

    def test_threshold(self):
        """A score of just that much is unsupported."""
        assert check(case("no"), threshold=1.0)[0].verdict is Verdict.UNSUPPORTED
        assert check(case("yes"), threshold=0.0)[0].verdict is Verdict.UNSUPPORTED

    def test_spelling(self):
        """Is not what is judged."""
        assert check(case(" Yes.\n"))[0].score == 0.0

    def test_another_answer(self):
        """That the model never gives."""
        assert check(case("perhaps"))[0].score == 1.0

    def test_likely_set(self):
        """With ε = .05 an unusual answer is none yet; with ε = .75 it is."""
        mixed = tuple(Example(input="a", label=label) for label in ("yes",) * 7 + ("no",) * 3)
        assert check(case("no", examples=mixed), epsilon=0.05)[0].score == 0.0
        assert check(case("no", examples=mixed), epsilon=0.75)[0].score > 0.8

    def test_prompt_of_pairs(self):
        """The same task, written into the prompt."""
        form = Form()
        written = Case.of("no", prompt=form.context(EXAMPLES) + form.query("a"))
        assert check(written) == check(case("no"))

    def test_other_cases(self):
        """Nothing is found where there is no task, or nothing to judge."""
        desk = Desk(lambda r: None)
        for given in (Case.of("Paris.", prompt="Where?"), Case(answer="Paris."), case(" ")):
            assert check(given, desk) == ()
        assert desk.asked == []

    def test_no_query(self):
        """Examples alone are no question."""
        (finding,) = check(Case(answer="yes", examples=EXAMPLES))
        assert finding.verdict is Verdict.UNVERIFIED
        assert "no query" in finding.reason


class TestEvidence:
    def test_names(self):
        """Score and rate with intervals, information, bets, contexts."""
        found = measured(check(case("no"))[0])
        assert list(found) == [
            "probability that the answer is a hallucination",
            "PHR",
            "evidence of a drift",
            "mutual information [nats]",
            "imagined contexts",
        ]
        for name in list(found)[:2]:
            low, high = found[name].interval
            assert 0 <= low <= found[name].value <= high <= 1
        assert "ε = 0.75, N − n = 5, exact, standard error" in found["PHR"].note
        assert found["imagined contexts"].value == 10

    def test_correction(self):
        """Of PHR, not of the score."""
        plain, corrected = check(case("no")), check(case("no"), correction=(1.0, 1.0))
        rate = measured(plain[0])["PHR"].value
        assert plain[0].score == corrected[0].score
        assert measured(corrected[0])["PHR, corrected"].value > rate
        assert (
            check(case("no"), correction=[1, 1])[0].evidence == corrected[0].evidence
        )  # as TOML may have it

    def test_redrawn_pairs_are_counted(self):
        """And contexts that were given up."""

        def spoil(request):
            if isinstance(request, Sample) and (request.draw % 4 == 0 or request.draw >= 36):
                return Answer("nonsense")
            return None

        (finding,) = check(case("no"), Desk(spoil), horizon=1)
        found = measured(finding)["imagined contexts"]
        assert found.value == 9
        assert found.note == "12 imagined pairs drawn again, 1 contexts given up"
        assert "in 9 of 9 imagined contexts" in finding.reason
        assert "1 more could not be used: no imagined pair could be read in 4 tries" in finding.reason

    def test_drift_is_said(self):
        """A model that labels imagined pairs as it never predicts them."""

        def drifting(request):
            return Answer(f"Input: a\nLabel: {'no'}\n\n") if isinstance(request, Sample) else None

        mixed = tuple(Example(input="a", label=label) for label in ("yes", "no") * 2)
        (finding,) = check(case("no", examples=mixed), Desk(drifting))
        assert "drift" in finding.reason
        assert measured(finding)["evidence of a drift"].value > 10

    def test_long_answers(self):
        """The model gets their beginning: the exact estimator looks at the first token."""
        desk = Desk(lambda _: None)
        assert check(case("perhaps " * 100_000), desk)[0].score == 1.0
        assert {len(r.labels[0]) for r in desk.asked if isinstance(r, Distribution)} == {1_000}

    @pytest.mark.parametrize(("epsilon", "score"), [(0.05, None), (0.2, 1.0), (0.0, 0.0)])
    def test_untold_answer(self, epsilon, score):
        """Whether it is unlikely cannot be said where what is not told is likelier than ε: that is no "likely"."""
        told = Outcomes(("yes", "no"), (0.5, 0.4), (None,))
        desk = Desk(lambda r: Answer(told) if isinstance(r, Distribution) else None)
        (finding,) = check(case("perhaps"), desk, epsilon=epsilon)
        assert finding.score == score
        if score is None:
            assert finding.verdict is Verdict.UNVERIFIED
            assert "the tokens that the model does not list" in finding.reason
            assert "PHR may be too low" in measured(finding)["untold probability"].note

    def test_untold_answer_of_some_contexts(self):
        """The contexts that say nothing of the answer are counted, and are no part of its score."""
        replies = iter([(0.5, 0.4), *[(0.5, 0.48), (0.5, 0.4)] * 5])
        desk = Desk(
            lambda r: (
                Answer(Outcomes(("yes", "no"), next(replies), (None,)))
                if isinstance(r, Distribution)
                else None
            )
        )
        (finding,) = check(case("perhaps"), desk, epsilon=0.05)
        assert (finding.score, finding.verdict) == (1.0, Verdict.UNSUPPORTED)
        assert "in 5 of 5 imagined contexts (5 more could not be used: the answer is among" in finding.reason

    def test_untold_probability(self):
        """Of models that tell their likeliest tokens alone."""
        reply = Answer(Outcomes((" yes",), (0.9,), (None,)))
        (finding,) = check(case("no"), Desk(lambda r: reply if isinstance(r, Distribution) else None))
        assert measured(finding)["untold probability"].value == pytest.approx(0.1)
        assert finding.score == 1.0


class TestUnverified:
    @pytest.mark.parametrize(
        ("reply", "words"),
        [
            (Failed(Reason.MISSING, "this endpoint gives no log-probabilities"), "no log-probabilities"),
            (Failed(Reason.BUDGET, "12 calls used"), "budget: 12 calls used"),
            (Failed(Reason.DEADLINE), "deadline"),
            (Answer(Outcomes((" yes",), (math.nan,), (0,))), "the model returned no usable probabilities"),
        ],
    )
    def test_distribution(self, reply, words):
        """With the reason; no context was imagined for it."""
        desk = Desk(lambda r: reply if isinstance(r, Distribution) else None)
        (finding,) = check(case("no"), desk)
        assert finding.verdict is Verdict.UNVERIFIED
        assert finding.score is None
        assert words in finding.reason
        assert [type(request) for request in desk.asked] == [Distribution]

    def test_labels_that_begin_alike(self):
        """Numbers of which each begins with a lone blank, say: by the first token none is unlikely."""
        told = Outcomes((" ", "\n"), (0.9, 0.1), (0, 0))
        desk = Desk(lambda r: Answer(told) if isinstance(r, Distribution) else None)
        (finding,) = check(case("no"), desk)
        assert (finding.verdict, finding.score) == (Verdict.UNVERIFIED, None)
        assert "'no' and 'yes' begin with the same token" in finding.reason
        assert 'estimator="drawn"' in finding.reason
        (other,) = check(case("perhaps"), desk)  # no label: it is judged by what it begins with
        assert (other.verdict, other.score) == (Verdict.SUPPORTED, 0.0)

    def test_chat_only(self):
        """A guard with a chat model alone: nobody answers for a language model."""
        report = Guard([PosteriorHallucinationRate()], chat=ScriptedChat(["yes"])).check(case("no"))
        (finding,) = report.findings
        assert finding.verdict is Verdict.UNVERIFIED
        assert "language_model" in finding.reason
        assert report.failures == ()

    def test_nothing_readable(self):
        """Bounded: ten contexts of four tries."""
        desk = Desk(lambda r: Answer("I cannot") if isinstance(r, Sample) else None)
        (finding,) = check(case("no"), desk)
        assert finding.verdict is Verdict.UNVERIFIED
        assert "could be read in 4 tries" in finding.reason
        assert len(desk.asked) == 41
        assert (
            measured(finding)["imagined contexts"].note
            == "30 imagined pairs drawn again, 10 contexts given up"
        )

    def test_one_context_is_too_few(self):
        """Nine of ten fail: no score from what is left."""

        def lose(request):
            return Failed(Reason.DEADLINE) if isinstance(request, Sample) and request.draw >= 4 else None

        (finding,) = check(case("no"), Desk(lose))
        assert finding.verdict is Verdict.UNVERIFIED
        assert "deadline" in finding.reason

    def test_late_contexts(self):
        """What was finished before the deadline counts, and what was not is said."""

        def lose(request):
            return Failed(Reason.DEADLINE) if isinstance(request, Sample) and request.draw >= 20 else None

        (finding,) = check(case("no"), Desk(lose))
        assert finding.score == 1.0
        assert "5 of 5 imagined contexts (5 more could not be used: deadline)" in finding.reason

    def test_deadline(self):
        """Contexts that a slow model has not finished are told; what is in time is scored."""

        free = threading.Event()

        class Slow(Desk):
            instant = False
            batch = 1

        def wait(request):
            free.wait(120)

        with ends(60):  # sooner than the model answers
            (finding,) = check(case("no"), Slow(wait), deadline=0.1)
        free.set()
        assert finding.verdict is Verdict.UNVERIFIED
        assert "deadline" in finding.reason

    def test_budget_of_the_guard(self):
        """A model that can be read is not paid by the call, so a budget of calls leaves it alone."""
        guard = Guard(
            [PosteriorHallucinationRate()], backends={"language_model": MODEL}, budget=Budget(calls=0)
        )
        assert guard.check(case("no")).findings[0].score == 1.0
        assert (guard.estimate(case("no")).least, guard.estimate(case("no")).most) == (0, 0)

    def test_bugs_are_failures(self):
        """Of a backend that answers something else."""
        detector = PosteriorHallucinationRate()
        with pytest.raises(AttributeError):
            play(detector.examine(case("no")), lambda r: Answer(3) if isinstance(r, Distribution) else "x")


class TestOptions:
    @pytest.mark.parametrize(
        "options",
        [
            {"contexts": 1},
            {"threshold": 2},
            {"epsilon": -0.1},
            {"deadline": -1},
            {"correction": (1.0,)},
            {"input": ""},
            {"estimator": "paper"},
        ],
    )
    def test_refused(self, options):
        """Named."""
        with pytest.raises(ConfigError, match=next(iter(options))):
            PosteriorHallucinationRate(**options)

    def test_registered(self):
        """With a signature that makes it again."""
        made = DETECTORS.create("phr", {"epsilon": 0.05, "correction": [1.0, 0.2]})
        again = DETECTORS.create("phr", json.loads(json.dumps(made.signature().parameters)))
        assert str(again.signature()) == str(made.signature())

    def test_drawn(self):
        """The paper's estimator, by draws."""
        assert check(case("no"), estimator="drawn", draws=20)[0].score == 1.0
        assert check(case("yes"), estimator="drawn", draws=20)[0].score == 0.0

    def test_drawn_says_what_it_left_out(self):
        """Which an exact estimate does not: it draws no responses."""
        (finding,) = check(case("no"), estimator="drawn", draws=3, contexts=2)
        left_out = measured(finding)["responses left out"]
        assert (left_out.value, left_out.note) == (0, "of 12 that were drawn: empty, or not answered")
        assert "responses left out" not in measured(*check(case("no"), contexts=2))

    def test_early(self):
        """Fewer contexts where they agree enough."""
        (finding,) = check(case("no"), contexts=400, until_se=0.05)
        assert measured(finding)["imagined contexts"].value < 400
