"""`PosteriorHallucinationRate`: is the answer to a few-shot prompt unlikely under the task that the model infers?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from guardrail.detector import Detector, Scope
from guardrail.engine.flow import Calls, Flow
from guardrail.errors import ConfigError
from guardrail.options import option
from guardrail.phr.flows import LANE, Measured, Survey, bounds, survey
from guardrail.phr.pairs import Form, Task, recognised
from guardrail.phr.readings import Query, Settings
from guardrail.phr.reliability import ALPHA, Correction, drifts
from guardrail.report import Case, Evidence, Finding, Measurement, Scale, Verdict

_UNTOLD = (
    "the answer is among the tokens that the model does not list, and together these are likelier than ε"
)


class PosteriorHallucinationRate(Detector):
    """Scores the answer to a few-shot prompt by tasks that the model imagines.

    Applies to cases with `examples` (the query is the last user message), and to prompts that end with pairs of
    `Input: …` and `Label: …` and a query; nothing is found in others. Needs a backend for "language_model" that draws
    continuations and returns probabilities: a chat endpoint without log-probabilities leaves the answer unverified.

    One finding, for the whole answer. Its score is the share of the imagined contexts under which this answer falls
    below the ε-quantile: the probability that it is a hallucination. No answer is generated for it, and a regenerated
    answer is scored under the same contexts. PHR itself, the rate over all that the model might have answered, is in
    the evidence, with its interval, the mutual information and a warning where the model's predictions drift along its
    own contexts.

    ε above ½ follows the error rate: with two labels, the answer is a hallucination where the other one is likelier. ε =
    0.05 follows the likely set: only what hardly ever is an answer to such a query is one.

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

    contexts: int = option(default=10, least=2, help="M, imagined contexts at most")
    horizon: int = option(default=5, least=1, help="N − n, imagined pairs in each context")
    epsilon: float = option(
        default=0.75, least=0, most=1, help="ε; an answer below this quantile is a hallucination"
    )
    estimator: Literal["exact", "drawn"] = option(
        default="exact",
        help="exact = by the distribution of the whole next token, a label by its first token; drawn = the "
        "paper's, by `draws` responses per context",
    )
    draws: int = option(default=50, least=1, help="K, responses per context of drawn")
    until_se: float | None = option(
        default=None,
        least=0,
        help="stop when the standard error of PHR is at most this; contexts then come in rounds of five. None = "
        "all contexts",
    )
    retries: int = option(default=3, least=0, help="further draws of an imagined pair that cannot be read")
    max_tokens: int = option(default=200, least=1, help="tokens of an imagined pair at most")
    top_p: float = option(
        default=0.9,
        least=1e-6,
        most=1,
        help="imagined pairs are drawn from the most likely tokens that together have this probability",
    )
    threshold: float = option(default=0.5, least=0, most=1, help="unsupported from this score on")
    correction: Sequence[float] | None = option(
        default=None,
        help="(slope, intercept) of a fitted `Correction` of PHR; the score is not corrected. None = no correction",
    )
    input: str = option(default="Input:", help="words before an input")
    label: str = option(default="Label:", help="words before a label")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.correction is not None and len(self.correction) != 2:
            raise ConfigError(f"expected correction to be (slope, intercept), got {self.correction!r}")
        self.correction = None if self.correction is None else tuple(self.correction)
        self._settings = Settings(
            contexts=self.contexts,
            horizon=self.horizon,
            epsilon=self.epsilon,
            estimator=self.estimator,
            draws=self.draws,
            until_se=self.until_se,
            retries=self.retries,
            max_tokens=self.max_tokens,
            top_p=self.top_p,
        )
        self._form = Form(self.input, self.label)
        self._correction = None if self.correction is None else Correction(*self.correction)

    def lacks_prompt(self, case: Case) -> bool:
        """The task is in the prompt."""
        return not case.messages

    def cost(self, case: Case) -> Calls:
        """Requests to the language model."""
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
            note = "the largest probability of tokens that the model does not list"
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
