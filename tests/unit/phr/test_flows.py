"""The flows, answered by hand and by the conjugate models."""

import math
from dataclasses import replace

import pytest
from benchmarks.phr.conjugate import BetaBernoulli
from benchmarks.phr.regression import RegressionModel

from guardrail.engine.flow import Answer, Failed, Reason
from guardrail.errors import ConfigError
from guardrail.phr.bernoulli import BernoulliModel
from guardrail.phr.flows import ROUND, imagine, survey
from guardrail.phr.pairs import END, Form
from guardrail.phr.readings import Query, Settings
from guardrail.report import Example
from guardrail.requests import Distribution, LogProb, Outcomes, Sample
from guardrail.testing import play

FORM = Form()
PAIRS = [Example(input="a", label=label) for label in ("yes", "yes", "yes", "no")]
MODEL = BernoulliModel(["a", "b"])


def ask(model=MODEL, log=None, override=None):
    def reply(request):
        if log is not None:
            log.append(request)
        found = override(request) if override else None
        return model.answer([request])[0] if found is None else found

    return reply


class TestImagine:
    def test_pair_after_pair(self):
        """Each is drawn with all before it, under its own number, as the paper draws it."""
        log = []
        found = play(
            imagine("START", number=2, settings=Settings(horizon=3), form=FORM),
            lambda r: log.append(r) or f"Input: {len(log)}\nLabel: x\n\n",
        )
        assert [pair.input for pair in found.pairs] == ["1", "2", "3"]
        assert log[2].context == "STARTInput: 1\nLabel: x\n\nInput: 2\nLabel: x\n\n"
        assert {request.draw for request in log} == {8}  # 2 · (3 retries + 1)
        assert (log[0].max_tokens, log[0].top_p, log[0].temperature, log[0].stop) == (200, 0.9, 1.0, (END,))
        assert (found.redrawn, found.fault) == (0, "")

    def test_draws_again(self):
        """Under a new number; counted."""
        log = []

        def reply(request):
            log.append(request.draw)
            return "nonsense" if request.draw < 2 else "Input: q\nLabel: x\n\n"

        found = play(imagine("", number=0, settings=Settings(horizon=1), form=FORM), reply)
        assert log == [0, 1, 2]
        assert found.redrawn == 2
        assert len(found.pairs) == 1

    def test_gives_up(self):
        """After the last try; what was redrawn is what was drawn again."""
        log = []
        found = play(
            imagine("", number=0, settings=Settings(retries=2), form=FORM), lambda r: log.append(r) or "no"
        )
        assert len(log) == 3
        assert found.redrawn == 2
        assert "could be read in 3 tries" in found.fault

    def test_no_number_twice(self):
        """Contexts and tries never share a draw."""
        log = []
        settings = Settings(contexts=7, horizon=2, retries=1)
        play(
            survey(PAIRS, [Query("a")], settings=settings),
            ask(log=log, override=lambda r: None if not isinstance(r, Sample) or r.draw % 2 else "?"),
        )
        first = [r.draw for r in log if isinstance(r, Sample) and r.context == FORM.context(PAIRS)]
        assert sorted(first) == list(range(14))


class TestSurvey:
    def test_one_set_of_contexts_for_all_queries(self):
        """Three queries cost three distributions per context, and no further pair."""
        logs = [[], []]
        settings = Settings(contexts=4, horizon=2)
        for log, queries in zip(
            logs, ([Query("a")], [Query("a"), Query("b"), Query("a", "no")]), strict=True
        ):
            play(survey(PAIRS, queries, settings=settings), ask(log=log))
        drawn = [[r for r in log if isinstance(r, Sample)] for log in logs]
        assert drawn[0] == drawn[1]
        assert len(drawn[0]) <= 8
        one = play(survey(PAIRS, [Query("a")], settings=settings), ask())
        three = play(survey(PAIRS, [Query("b"), Query("a")], settings=settings), ask())
        assert one.measured[0] == three.measured[1]

    @pytest.mark.parametrize("estimator", ["exact", "drawn"])
    def test_is_the_closed_form(self, estimator):
        """Rate, answer and information within 4.5 standard errors; K = 100 has hardly a bias away from masses."""
        settings = Settings(contexts=300, horizon=3, epsilon=0.55, estimator=estimator, draws=100)
        settings = settings if estimator == "exact" else replace(settings, contexts=60)
        found = play(survey(PAIRS, [Query("a", "no")], settings=settings), ask()).measured[0]
        form = BetaBernoulli(4, 2, 0.55, 0.5)
        assert (
            abs(found.rate.value - form.horizon_rate(3))
            < 4.5 * found.rate.error + (estimator == "drawn") * 0.02
        )
        low, high = found.unlikely.interval
        assert low <= form.horizon_unlikely(3)[0] <= high
        assert abs(found.information.value - form.horizon_information(3)) < 4.5 * found.information.error
        assert found.wealth < 10

    def test_more_contexts_begin_with_the_same(self):
        """So more of them refine an estimate."""
        few = play(survey(PAIRS, [Query("a")], settings=Settings(contexts=3)), ask())
        many = play(survey(PAIRS, [Query("a")], settings=Settings(contexts=6)), ask())
        assert many.contexts[:3] == few.contexts
        assert many.measured[0].readings[:3] == few.measured[0].readings

    def test_stops_early(self):
        """As soon as the interval is narrow enough, by rounds; and never where it is asked too much."""
        loose = play(survey(PAIRS, [Query("a")], settings=Settings(contexts=200, until_se=0.05)), ask())
        never = play(survey(PAIRS, [Query("a")], settings=Settings(contexts=12, until_se=0.0)), ask())
        assert len(loose.contexts) % ROUND == 0
        assert len(loose.contexts) < 200
        assert loose.measured[0].rate.precision <= 0.05
        assert len(never.contexts) == 12

    def test_all_agree_is_no_reason_to_stop(self):
        """Five rates of 0 have no spread, and show little."""
        same = Answer(Outcomes((" yes", " no"), (1.0, 0.0), ()))
        found = play(
            survey(PAIRS, [Query("a")], settings=Settings(contexts=50, until_se=0.03)),
            ask(override=lambda r: same if isinstance(r, Distribution) else None),
        )
        assert len(found.contexts) > 2 * ROUND

    def test_a_lost_context(self):
        """Others count, and the fault is said."""

        def lose(request):
            return (
                Failed(Reason.TIMEOUT, "slow") if isinstance(request, Sample) and request.draw == 4 else None
            )

        found = play(survey(PAIRS, [Query("a")], settings=Settings(contexts=4)), ask(override=lose))
        assert found.given_up == 1
        assert len(found.measured[0].readings) == 3
        assert "slow" in found.measured[0].fault

    def test_a_query_that_cannot_be_asked(self):
        """Leaves the others alone, and no context is imagined for it alone."""
        found = play(survey(PAIRS, [Query("zzz"), Query("a")], settings=Settings(contexts=2)), ask())
        assert found.measured[0].rate is None
        assert "zzz" in found.measured[0].fault
        assert found.measured[1].rate is not None
        log = []
        play(survey(PAIRS, [Query("zzz")], settings=Settings(contexts=2)), ask(log=log))
        assert [type(request) for request in log] == [Distribution]

    @pytest.mark.parametrize(
        "bad",
        [
            Outcomes((" no", " yes"), (math.nan, 0.5), (0,)),
            Outcomes((" no", " yes"), (0.5, 0.5), ()),
            Outcomes((" no", " yes"), (0.5, 0.5), (2,)),
            Outcomes((" no", " no"), (0.5, 0.5), (0,)),
            Outcomes((), (), (None,)),
        ],
    )
    def test_a_distribution_that_is_none(self, bad):
        """Is a fault in words, in the beginning and later."""
        for late in (False, True):
            base = FORM.context(PAIRS)

            def spoil(request, late=late, base=base):
                if isinstance(request, Distribution) and (request.context != base) == late:
                    return Answer(bad)
                return None

            found = play(
                survey(PAIRS, [Query("a", "no")], settings=Settings(contexts=2)), ask(override=spoil)
            )
            assert found.measured[0].rate is None
            fault = found.measured[0].fault
            assert "no usable probabilities" in fault or "does not say with which outcome" in fault

    def test_large_vocabularies(self):
        """Are computed aside, with the same result."""
        names = tuple(map(str, range(3_000)))
        rest = (0.0,) * 2_998
        wide = Answer(Outcomes(names, (0.4, 0.6, *rest), (0,)))
        narrow = Answer(Outcomes(names[:2], (0.4, 0.6), (0,)))
        found = [
            play(
                survey(PAIRS, [Query("a", "no")], settings=Settings(contexts=2)),
                ask(override=lambda r, reply=reply: reply if isinstance(r, Distribution) else None),
            ).measured[0]
            for reply in (wide, narrow)
        ]
        assert found[0].readings == found[1].readings
        assert found[0].readings[0].rate == pytest.approx(0.4)

    def test_top_k(self):
        """The untold rest is told."""
        replies = Answer(Outcomes((" yes", " no"), (0.6, 0.1), (None,)))
        found = play(
            survey(PAIRS, [Query("a", "maybe")], settings=Settings(contexts=2)),
            ask(override=lambda r: replies if isinstance(r, Distribution) else None),
        ).measured[0]
        assert found.other == pytest.approx(0.3)
        assert found.unlikely.value == 1.0

    def test_drawn_asks_nothing_twice(self):
        """K draws under D and K under D_n per context, scored; the first question is one of these."""
        log = []
        settings = Settings(contexts=2, horizon=1, estimator="drawn", draws=3)
        play(survey(PAIRS, [Query("a", "no")], settings=settings), ask(log=log))
        responses = [r for r in log if isinstance(r, Sample) and r.stop == ("\n",)]
        assert len(responses) == len(set(responses)) == 2 * 2 * 3
        assert isinstance(log[0], Sample)
        assert sum(r.context == responses[0].context for r in responses) == 2 * 3  # those of D_n

    def test_drawn_faults(self):
        """Empty draws, failed scores and NaN are faults in words."""
        settings = Settings(contexts=2, estimator="drawn", draws=3)
        for override, words in (
            (lambda r: "\n" if isinstance(r, Sample) and r.stop == ("\n",) else None, "empty"),
            (lambda r: Failed(Reason.REFUSED, "no scores") if isinstance(r, LogProb) else None, "no scores"),
            (lambda r: Answer(math.nan) if isinstance(r, LogProb) else None, "NaN"),
        ):
            found = play(
                survey(PAIRS, [Query("a", "no")], settings=settings), ask(override=override)
            ).measured[0]
            assert found.rate is None
            assert words in found.fault

    def test_drawn_leaves_out(self):
        """Empty draws, and those that did not come, are counted, and the others are what is measured."""
        settings, bad = (
            Settings(contexts=2, estimator="drawn", draws=4),
            {0: "\n", 3: Failed(Reason.REFUSED, "no")},
        )

        def override(request):
            drawn = isinstance(request, Sample) and request.stop == ("\n",)
            return bad.get(request.draw % 8) if drawn else None  # of K = 4 under D one, of 4 given D_n one

        found = play(survey(PAIRS, [Query("a", "no")], settings=settings), ask(override=override)).measured[0]
        assert [one.left_out for one in found.readings] == [2, 2]
        assert found.left_out == 4
        assert found.rate is not None
        whole = play(survey(PAIRS, [Query("a", "no")], settings=settings), ask()).measured[0]
        assert whole.left_out == 0

    def test_numbers_as_labels(self):
        """The drawn estimator serves regression: what lies far off is a hallucination."""
        pairs = [Example(input=repr(x), label=repr(0.5 * x)) for x in (-1.0, 0.3, 1.2)]
        settings = Settings(contexts=5, epsilon=0.1, estimator="drawn", draws=20)
        found = play(
            survey(pairs, [Query("0.7", "9.0"), Query("0.7", "0.3")], settings=settings),
            ask(RegressionModel()),
        )
        assert [one.unlikely.value for one in found.measured] == [1.0, 0.0]


class TestSettings:
    @pytest.mark.parametrize(
        "options",
        [
            {"contexts": 0},
            {"horizon": 0},
            {"epsilon": 1.2},
            {"top_p": 0},
            {"estimator": "x"},
            {"until_se": -1},
            {"draws": 1.5},
        ],
    )
    def test_refuses(self, options):
        """Named."""
        with pytest.raises(ConfigError, match=next(iter(options))):
            Settings(**options)
