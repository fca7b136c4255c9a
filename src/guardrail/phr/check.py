"""`PosteriorHallucinationRate`: is the answer to a few-shot prompt unlikely under the task that the model infers?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from guardrail.detector import Detector, Scope
from guardrail.engine.flow import Flow
from guardrail.errors import ConfigError
from guardrail.options import number, seconds
from guardrail.phr.flows import LANE, Measured, Survey, bounds, survey
from guardrail.phr.pairs import Form, Task, recognised
from guardrail.phr.readings import Query, Settings
from guardrail.phr.reliability import ALPHA, Correction, drifts
from guardrail.report import Case, Evidence, Finding, Measurement, Scale, Verdict

__all__ = ["PosteriorHallucinationRate"]

_UNTOLD = (
    "the answer is among the tokens that the model does not tell, and these are likelier than ε together"
)


class PosteriorHallucinationRate(Detector):
    """Scores the answer to a few-shot prompt by tasks that the model imagines.

    Applies to cases with `examples` (the query is the last user message), and to prompts that end with pairs of
    `Input: …` and `Label: …` and a query; nothing is found in others. Needs a backend for "language_model" that draws
    continuations and tells probabilities: a chat endpoint without log-probabilities leaves the answer unverified.

    One finding, for the whole answer. Its score is the share of the imagined contexts under which this answer falls
    below the ε-quantile: the probability that it is a hallucination. No answer is generated for it, and a regenerated
    answer is scored under the same contexts. PHR itself, the rate over all that the model might have answered, is in
    the evidence, with its interval, the mutual information and a warning where the model's predictions drift along its
    own contexts.

    ε above ½ follows the error rate: with two labels, the answer is a hallucination where the other one is likelier. ε =
    0.05 follows the likely set: only what hardly ever is an answer to such a query is one.

    Args:
        contexts: M, how many contexts are imagined at the most; 2 or more.
        horizon: N − n, pairs imagined in each.
        epsilon: in [0, 1].
        estimator: "exact" reads the distribution of the whole next token and judges labels by their first; "drawn" is the
            paper's, by `draws` responses per context.
        draws: K, for "drawn".
        until_se: stop as soon as the standard error of PHR is no larger; contexts then come in rounds of five.
        retries: how often an imagined pair that cannot be read is drawn again.
        max_tokens: of an imagined pair.
        top_p: of an imagined pair.
        threshold: a score of at least this is unsupported.
        correction: (slope, intercept) of a fitted `Correction` of PHR; the score is not corrected.
        input: the word before an input.
        label: the word before a label.
        deadline: seconds per answer.

    Raises:
        ConfigError: an option has no such value.

    Source: [jesson2024]; the score per answer, the exact estimator, interval, early stop and warning are ours.
    """

    name: ClassVar[str] = "phr"
    version: ClassVar[str] = "1"
    scope: ClassVar[Scope] = "answer"
    scale: ClassVar[Scale] = Scale(
        unit="probability", meaning="larger = less likely to be an answer to the task that the examples set"
    )

    def __init__(
        self,
        *,
        contexts: int = 10,
        horizon: int = 5,
        epsilon: float = 0.75,
        estimator: Literal["exact", "drawn"] = "exact",
        draws: int = 50,
        until_se: float | None = None,
        retries: int = 3,
        max_tokens: int = 200,
        top_p: float = 0.9,
        threshold: float = 0.5,
        correction: Sequence[float] | None = None,
        input: str = "Input:",  # noqa: A002  # the prompt's own word
        label: str = "Label:",
        deadline: float | None = None,
    ) -> None:
        number("contexts", contexts, least=2, whole=True)
        number("threshold", threshold, least=0, most=1)
        seconds("deadline", deadline)
        if correction is not None and len(correction) != 2:
            raise ConfigError(f"expected correction to be (slope, intercept), got {correction!r}")
        self._settings = Settings(
            contexts=contexts,
            horizon=horizon,
            epsilon=epsilon,
            estimator=estimator,
            draws=draws,
            until_se=until_se,
            retries=retries,
            max_tokens=max_tokens,
            top_p=top_p,
        )
        self._form = Form(input, label)
        self._correction = None if correction is None else Correction(*correction)
        self.contexts = contexts
        self.horizon = horizon
        self.epsilon = epsilon
        self.estimator = estimator
        self.draws = draws
        self.until_se = until_se
        self.retries = retries
        self.max_tokens = max_tokens
        self.top_p = top_p
        self.threshold = threshold
        self.correction = None if correction is None else tuple(correction)
        self.input = input
        self.label = label
        self.deadline = deadline

    def cost(self, case: Case) -> tuple[int, int]:
        """Nothing, whoever answers: see `cost_by_lane`."""
        del case
        return 0, 0

    def cost_by_lane(self, case: Case) -> Mapping[str, tuple[int, int]]:
        """Requests to the language model, which are paid where it is behind an API."""
        task = self._task(case)
        return {LANE: bounds(self._settings, 1)} if task is not None and task.query else {}

    def examine(self, case: Case) -> Flow[list[Finding]]:
        """One finding, or none where the case is no few-shot task."""
        task = self._task(case)
        if task is None:
            yield from ()
            return []
        if not task.query:
            return [self._unverified(case, "the prompt has examples and no query")]
        query = Query(task.query, task.spelt(case.answer, self._form) if case.answer.strip() else None)
        found = yield from survey(
            task.pairs,
            [query],
            settings=self._settings,
            form=self._form,
            preamble=task.preamble,
            labels=sorted({pair.label for pair in task.pairs}),
        )
        return [self._finding(case, task, found)]

    def _task(self, case: Case) -> Task | None:
        """The few-shot task with an answer to it, if the case is one."""
        return recognised(case, self._form) if case.answer.strip() else None

    def _finding(self, case: Case, task: Task, found: Survey) -> Finding:
        measured = found.measured[0]
        unlikely, rate = measured.unlikely, measured.rate
        evidence = self._evidence(measured, found)
        if rate is None or rate.contexts < 2:
            reason = measured.fault or "fewer than two contexts could be imagined"
            return self._unverified(case, reason, evidence[-1:] if found.contexts else [])
        if unlikely is None or unlikely.contexts < 2:
            return self._unverified(case, measured.fault or _UNTOLD, evidence)
        share = f"{round(unlikely.value * unlikely.contexts)} of {unlikely.contexts} imagined contexts"
        reason = f"unlikely for the task that the {len(task.pairs)} examples set, in {share}"
        reason += self._doubts(measured, found)
        bad = unlikely.value >= self.threshold
        return Finding(
            detector=self.name,
            text=case.answer,
            score=unlikely.value,
            verdict=Verdict.UNSUPPORTED if bad else Verdict.SUPPORTED,
            label="unlikely" if bad else "likely",
            mark="unlikely for the task of the examples" if bad else "",
            reason=reason,
            evidence=tuple(evidence),
        )

    def _doubts(self, measured: Measured, found: Survey) -> str:
        """What speaks against relying on a measurement, as the end of its reason."""
        doubts = ""
        used = len(measured.readings) if measured.unlikely is None else measured.unlikely.contexts
        if lost := len(found.contexts) - used:
            doubts += f" ({lost} more could not be used: {measured.fault or _UNTOLD})"
        if drifts(measured.wealth):
            doubts += "; the model's predictions drift along its own contexts, so do not rely on this"
        return doubts

    def _evidence(self, measured: Measured, found: Survey) -> list[Evidence]:
        evidence: list[Evidence] = []
        if (score := measured.unlikely) is not None:
            name = "probability that the answer is a hallucination"
            evidence.append(Measurement(name=name, value=score.value, interval=score.interval))
        if (rate := measured.rate) is not None:
            error = "" if rate.error is None else f", standard error {rate.error:.3g}"
            note = f"ε = {self.epsilon:g}, N − n = {self.horizon}, {self.estimator}{error}"
            evidence.append(Measurement(name="PHR", value=rate.value, interval=rate.interval, note=note))
            if self._correction is not None:
                low, high = sorted(map(self._correction, rate.interval))
                value = self._correction(rate.value)
                evidence.append(Measurement(name="PHR, corrected", value=value, interval=(low, high)))
            wealth = measured.wealth
            note = f"a warning from {1 / ALPHA:g} on; false alarms at most {ALPHA:.0%}"
            evidence.append(Measurement(name="evidence of a drift", value=wealth, note=note))
        if (known := measured.information) is not None:
            evidence.append(
                Measurement(name="mutual information [nats]", value=known.value, interval=known.interval)
            )
        if measured.other:
            note = "the largest probability of tokens that the model does not tell"
            if measured.other >= self.epsilon:
                note += "; it reaches ε, so PHR may be too low"
            evidence.append(Measurement(name="untold probability", value=measured.other, note=note))
        if self.estimator == "drawn":
            drawn = 2 * self.draws * len(measured.readings)
            note = f"of {drawn} that were drawn: empty, or not answered"
            evidence.append(Measurement(name="responses left out", value=float(measured.left_out), note=note))
        done = len(found.contexts) - found.given_up
        note = f"{found.redrawn} imagined pairs drawn again, {found.given_up} contexts given up"
        evidence.append(Measurement(name="imagined contexts", value=float(done), note=note))
        return evidence

    def _unverified(self, case: Case, reason: str, evidence: Sequence[Evidence] = ()) -> Finding:
        return Finding(
            detector=self.name,
            text=case.answer,
            verdict=Verdict.UNVERIFIED,
            label="unknown",
            reason=reason,
            evidence=tuple(evidence),
        )
