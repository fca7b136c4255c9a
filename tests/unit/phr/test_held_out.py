"""MHR and error rates, by the conjugate models."""

import pytest

from guardrail.engine.flow import Answer, Failed, Reason
from guardrail.errors import InputError
from guardrail.phr import Query, Settings, error_rates, model_hallucination_rates, survey
from guardrail.phr.models import BernoulliModel, RegressionModel
from guardrail.phr.pairs import Form
from guardrail.report import Example
from guardrail.requests import Distribution, LogProb, Outcomes, Sample
from guardrail.testing import play

FORM = Form()
MODEL = BernoulliModel(["a", "b"])
TRAIN = [Example(input="a", label=label) for label in ("yes", "yes", "no")]  # p(yes) = 3/5
MORE = [Example(input="a", label="no")] * 17 + [Example(input="b", label="yes")] * 3  # p(yes) = 3/22


def ask(model=MODEL, log=None, override=None):
    def reply(request):
        if log is not None:
            log.append(request)
        found = override(request) if override else None
        return model.answer([request])[0] if found is None else found

    return reply


def rates(queries, evaluation=MORE, model=MODEL, override=None, **options):
    flow = model_hallucination_rates(TRAIN, evaluation, queries, settings=Settings(**options))
    return play(flow, ask(model, override=override))


class TestModelHallucinationRates:
    @pytest.mark.parametrize(
        ("evaluation", "epsilon", "expected"),
        [
            (MORE, 0.75, 3 / 5),  # p(yes | D) = 3/22 is the lesser: every "yes" is below the quantile
            (MORE, 0.1, 0.0),  # 3/22 reaches ε = .1, so "yes" is the quantile and nothing is below
            (MORE, 0.14, 3 / 5),  # 3/22 = .136 does not
            (MORE[17:], 0.75, 2 / 5),  # what is said of b changes nothing: "no" with 2/5 is the lesser
            ([Example(input="a", label="no")] * 3, 0.75, 3 / 5),  # 3/8
        ],
    )
    def test_exact(self, evaluation, epsilon, expected):
        """By hand from the posterior counts."""
        (found,) = rates([Query("a")], evaluation, epsilon=epsilon)
        assert found.fault == ""
        assert [one.rate for one in found.readings] == [pytest.approx(expected)]

    def test_drawn(self):
        """Tends to the exact value with K: within 4.5 standard errors of 4,000 draws."""
        (found,) = rates([Query("a")], estimator="drawn", draws=4_000, epsilon=0.75)
        assert found.readings[0].rate == pytest.approx(3 / 5, abs=4.5 * (0.24 / 4_000) ** 0.5)

    def test_an_answer(self):
        """Is judged under the real pairs."""
        found = rates([Query("a", "yes"), Query("a", "no")], epsilon=0.75)
        assert [one.readings[0].unlikely for one in found] == [True, False]

    def after_survey(self, estimator):
        """What is asked beyond the survey, for two queries."""
        queries = [Query("a"), Query("b")]
        settings = Settings(contexts=2, horizon=1, draws=3, estimator=estimator)
        log = []

        def both():
            yield from survey(TRAIN, queries, settings=settings)
            log.append("survey ends")
            yield from model_hallucination_rates(TRAIN, MORE, queries, settings=settings)

        play(both(), ask(log=log))
        return log[log.index("survey ends") + 1 :]

    def test_shares_distributions(self):
        """Those given D_train are asked for once, by a survey and here."""
        whole = FORM.context([*TRAIN, *MORE])
        late = self.after_survey("exact")
        assert [(type(r), r.context) for r in late] == [(Distribution, whole)] * 2

    def test_draws_of_its_own(self):
        """Drawn responses are no imagined context's: 2 queries, 3 under D and 3 given D_train."""
        drawn = [r for r in self.after_survey("drawn") if isinstance(r, Sample)]
        whole = FORM.context([*TRAIN, *MORE])
        assert sorted(r.context.startswith(whole) for r in drawn) == [False] * 6 + [True] * 6

    @pytest.mark.parametrize("estimator", ["exact", "drawn"])
    def test_further(self, estimator):
        """Rates at more ε are those of runs of their own, and cost no request."""
        options = {"estimator": estimator, "draws": 20, "contexts": 3, "horizon": 2}
        logs = [[], []]

        def run(epsilon, further, log):
            settings = Settings(epsilon=epsilon, **options)
            asked = [TRAIN, [Query("a", "no"), Query("b")]]
            found = play(survey(*asked, settings=settings, further=further), ask(log=log))
            flow = model_hallucination_rates(TRAIN, MORE, asked[1], settings=settings, further=further)
            return [*found.measured, *play(flow, ask(log=log))]

        many = run(0.75, (0.05, 0.3), logs[0])
        for place, epsilon in enumerate((0.05, 0.3)):
            alone = run(epsilon, (), logs[1])
            assert [one.further[place] for one in many] == [one.rate for one in alone]
        assert logs[1] == logs[0] * 2
        assert [one.rate for one in many] == [one.rate for one in run(0.75, (), [])]

    def test_faults(self):
        """One query's leaves the others alone; a later one is told too."""
        found = rates([Query("zzz"), Query("a")])
        assert found[0].readings == ()
        assert "zzz" in found[0].fault
        assert found[1].readings
        base = FORM.context(TRAIN)

        def lose(request):
            return Failed(Reason.DEADLINE, "late") if request.context != base else None

        (found,) = rates([Query("a")], override=lose)
        assert found.readings == ()
        assert "late" in found.fault

    def test_nothing_to_evaluate_with(self):
        """Is refused: D_train alone would be compared with itself."""
        with pytest.raises(InputError, match="at least one pair"):
            rates([Query("a")], [])


class TestErrorRates:
    def errors(self, queries, override=None, **options):
        return play(error_rates(TRAIN, queries, settings=Settings(**options)), ask(override=override))

    def test_exact(self):
        """One minus the posterior mean of the true label; 1 for a label that the model does not know."""
        found = self.errors([Query("a", "yes"), Query("a", "no"), Query("b", "no"), Query("a", "maybe")])
        assert found == pytest.approx([2 / 5, 3 / 5, 1 / 2, 1.0])

    def test_drawn(self):
        """The share of K responses: those that a survey draws for its first context too."""
        log = []
        settings = Settings(contexts=1, horizon=1, estimator="drawn", draws=4_000)

        def both():
            yield from survey(TRAIN, [Query("a", "yes")], settings=settings)
            log.append("survey ends")
            return (yield from error_rates(TRAIN, [Query("a", "yes")], settings=settings))

        (found,) = play(both(), ask(log=log))
        assert found == pytest.approx(2 / 5, abs=4.5 * (0.24 / 4_000) ** 0.5)
        assert log[-1] == "survey ends"

    def test_numbers(self):
        """Of continuous labels every response is another."""
        pairs = [Example(input="0.5", label="1.0")]
        flow = error_rates(
            pairs, [Query("0.1", "0.2")], settings=Settings(estimator="drawn", draws=5, response_tokens=16)
        )
        assert play(flow, ask(RegressionModel())) == [1.0]

    @pytest.mark.parametrize(
        ("reply", "words"),
        [
            (Failed(Reason.TIMEOUT, "slow"), "slow"),
            (Answer(Outcomes((" no", " yes"), (0.5, 0.5), ())), "which outcome"),
            (Answer(Outcomes((" no", " no"), (0.5, 0.5), (0,))), "no usable probabilities"),
        ],
    )
    def test_faults(self, reply, words):
        """In words, per query."""
        found = self.errors(
            [Query("a", "yes"), Query("b", "yes")],
            override=lambda r: reply if r.query == FORM.query("a") else None,
        )
        assert words in found[0]
        assert found[1] == 0.5

    def test_drawn_faults(self):
        """Empty and failed draws."""
        for reply, words in ((Answer("\n"), "empty"), (Failed(Reason.REFUSED, "no draws"), "no draws")):
            (found,) = self.errors(
                [Query("a", "yes")], override=lambda r, reply=reply: reply, estimator="drawn"
            )
            assert words in found

    def test_no_truth(self):
        """Is refused."""
        with pytest.raises(InputError, match="true answers"):
            self.errors([Query("a")])

    def test_asks_no_score(self):
        """Draws alone tell it: an endpoint without log-probabilities will do."""
        log = []
        settings = Settings(estimator="drawn", draws=3)
        play(error_rates(TRAIN, [Query("a", "yes")], settings=settings), ask(log=log))
        assert not any(isinstance(request, LogProb) for request in log)
