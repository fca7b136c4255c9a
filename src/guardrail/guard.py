"""The one object that most users touch: detectors, a policy, and the backends they need."""

from __future__ import annotations

import contextlib
import time
import warnings
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, NoReturn, Self, TypeAlias

from guardrail._log import log, notice
from guardrail._visible import one_line
from guardrail.cache import Cache
from guardrail.calibration.applying import Calibration, Certified
from guardrail.calibration.certificate import Certificate
from guardrail.calibration.drift import DriftMonitor
from guardrail.calibration.probabilities import Probabilities
from guardrail.calibration.scoring import Scoring
from guardrail.detector import Detector, Scope
from guardrail.engine.backend import Backend
from guardrail.engine.budget import Budget, Ledger
from guardrail.engine.drivers import run_async, run_sync
from guardrail.engine.flow import Answer, Failed, Flow, Reason, Reply, compute, describe, one, within
from guardrail.engine.hub import Hub
from guardrail.engine.jobs import Retry
from guardrail.engine.run import Run
from guardrail.errors import BackendError, ConfigError, GuardrailError, InputError
from guardrail.examination import Tally, ahead, examine, sharing
from guardrail.given import arguments, content
from guardrail.given.accepted import Documents, Given, Prompt, Sayings
from guardrail.given.arguments import ChatModel
from guardrail.given.recognition import shown
from guardrail.policies import Plan, Policy, Review, better, flag
from guardrail.policies.wording import repeats_rejected, request_again
from guardrail.registry import DETECTORS
from guardrail.report import (
    Action,
    Case,
    CostBreakdown,
    Decision,
    DetectorFailure,
    Report,
    Verdict,
)
from guardrail.requests import Ask, Completion, Generate

__all__ = ["Estimate", "Guard", "Prompt"]

Produce: TypeAlias = Callable[[str, int], Flow[Reply[Completion]]]
Generated: TypeAlias = Given | Answer[Completion]
Generator: TypeAlias = Callable[[str], Generated]
AsyncGenerator: TypeAlias = Callable[[str], Awaitable[Generated] | Answer[Completion]]

_MANY = 500  # findings, about which a policy thinks for some hundredths of a second
_CALLED = "tool_calls"  # how a completion ends that calls a tool and may say nothing


@dataclass(frozen=True, slots=True)
class Estimate:
    """Paid calls of one check, before anything is asked; a generated answer adds its own."""

    least: int
    most: int
    by_detector: Mapping[str, tuple[int, int]] = field(default_factory=dict)


class Guard:
    """Runs detectors on a case and hands what they find to the policy.

    Args:
        detectors: detectors, or names of registered ones, with options as on the command line ("selfcheck-grounding:fit=words").
        chat: the chat model that answers detectors' questions, and `generate`'s.
        judge: another model for questions that judge; `chat` where absent.
        backends: further backends by lane ("entailment", "embedding", …); or a hub that other guards share, in place of `chat`, `judge`,
            `cache` and `retry`: what the detectors bring along (a bibliography) is added to it.
        policy: what to do about findings; `flag()` leaves the answer as it is.
        on_unverified: "allow", "annotate" or "block" what could not be checked; default: as the policy does.
        fail: if a detector breaks (a bug): "open" shows the answer and says so, "closed" withholds it. A model that does not respond is no such failure: what it leaves unchecked is unverified.
        budget: bound on one guard call: a number of paid calls, or a `Budget`.
        deadline: seconds for the examination of one answer; what is late is unverified.
        cache: a lasting memory, or the path of one.
        retry: how failures that may pass are asked again.
        on_report: called with every report, whole (adapters pass on only summaries); what it raises is logged and is a
            `RuntimeWarning`, and the answer is returned all the same.
        calibration: what `guardrail calibrate` learnt from your labels: a certificate (thresholds that keep a promise), probabilities
            (what scores mean on your answers), the path of either, or a `Calibration` of both, with a group and the answering model.

    Attributes:
        drift: watches whether scores still look like the calibration's; `None` without a certificate.
        calibration: what was given, read.

    A bug in a detector is a failure in the report; a bug in a policy is raised.

    Use it as a context manager (`with` or `async with`), or call `close`. That closes what the guard opened: a cache given as a
    path, detectors given by name, and all that `from_config` made, HTTP clients included. What it was given stays open.

    Raises:
        ConfigError: an option is out of range, something is no detector, two detectors share a name, they
            bring different backends for one lane, or the certificate or the probabilities were made for another scoring.
        UnknownName: a detector's name is not registered.
    """

    def __init__(
        self,
        detectors: Iterable[Detector | str],
        *,
        chat: Backend[Any] | ChatModel | None = None,
        judge: Backend[Any] | ChatModel | None = None,
        backends: Mapping[str, Backend[Any]] | Hub | None = None,
        policy: Policy | None = None,
        on_unverified: Literal["allow", "annotate", "block"] | None = None,
        fail: Literal["open", "closed"] = "open",
        budget: Budget | int | None = None,
        deadline: float | None = None,
        cache: Cache | str | Path | None = None,
        retry: Retry | None = None,
        on_report: Callable[[Report], None] | None = None,
        calibration: Calibration | Certificate | Probabilities | str | Path | None = None,
    ) -> None:
        self._opened: list[Any] = []
        self._closed = False
        self._shown: set[tuple[str, str]] = set()  # failures of detectors, by name and kind
        listed = arguments.detectors(detectors)
        self.detectors = tuple(DETECTORS.written(d) if isinstance(d, str) else d for d in listed)
        for given in self.detectors:
            _must_be_detector(given)
        self._brought = [detector.backends() for detector in self.detectors]
        for asked, brought in zip(listed, self._brought, strict=True):
            self._opened += brought.values() if isinstance(asked, str) else ()
        names = [detector.name for detector in self.detectors]
        if repeated := {name for name in names if names.count(name) > 1}:
            raise ConfigError(
                f"expected detectors of different names, got {sorted(repeated)!r} more than once: leave one out, "
                "or give it to a guard of its own"
            )
        self.policy = Plan(arguments.policy(policy) or flag(), on_unverified=on_unverified, fail=fail)
        self.budget = arguments.budget(budget)
        self.deadline = arguments.deadline(deadline)
        self.on_report = arguments.listener(on_report)
        if isinstance(backends, Hub):
            shared = backends
            own = {"chat": chat, "judge": judge, "cache": cache, "retry": retry}
            for name in (name for name, given in own.items() if given is not None):
                raise ConfigError(
                    f"a hub has its own models, cache and retry, got {name}= with it: give {name} to the hub"
                )
            for lane, backend in self._backends(None, None, None).items():
                shared.add(lane, backend)
        else:
            models = self._backends(chat, judge, backends)
            shared = Hub(models, store=arguments.store_of(cache), retry=arguments.retry(retry))
            self._opened += [shared] if shared.store is cache else [shared, shared.store]
        self.hub = shared
        self._signatures = {d.name: str(d.signature()) for d in self.detectors}
        self._scales = {d.name: d.scale for d in self.detectors}
        self.calibration = known = Calibration.of(calibration)
        for learnt in (known.certificate, known.probabilities):
            if learnt is not None:
                learnt.scoring.must_be(self._scoring(known.answering))
        self._certified: Certified | None = None
        if known.certificate is not None:
            self._certified = Certified(known.certificate, self._scales, group=known.group)

    def _scoring(self, answering: str) -> Scoring:
        """What this guard's scores come from. A hub also answers for other guards: its models all count."""
        prints = {lane: backend.fingerprint for lane, backend in self.hub.backends.items()}
        return Scoring.of(self._signatures, prints, model=answering)

    @property
    def drift(self) -> DriftMonitor | None:
        """See the class."""
        return None if self._certified is None else self._certified.drift

    @classmethod
    def from_config(
        cls, path: str | Path = "guardrail.toml", *, detectors: Sequence[Detector] | None = None
    ) -> Guard:
        """Build a guard from a TOML file; see `guardrail.config`.

        Args:
            path: the file.
            detectors: take these in place of the file's, with its models and its policy.

        Raises:
            ConfigError: the file or one of its entries is wrong; the message names the entry.
        """
        from guardrail.config import load

        made = load(path, detectors=detectors)
        guard = cls(**made)
        guard._opened += [
            *made["backends"].values(),
            *(made[role] for role in ("chat", "judge") if role in made),
        ]
        if detectors is None:
            guard._opened += [backend for brought in guard._brought for backend in brought.values()]
        return guard

    def close(self) -> None:
        """Close what the guard opened, and nothing that it was given; again does nothing. It cannot be used any more."""
        self._closed = True
        with contextlib.ExitStack() as stack:  # all, though one raises
            for thing in self._opened:
                stack.callback(thing.close)

    async def aclose(self) -> None:
        """As `close`, on the running event loop, which is not blocked."""
        self._closed = True
        async with contextlib.AsyncExitStack() as stack:
            for thing in self._opened:
                if isinstance(thing, Backend):
                    stack.push_async_callback(thing.aclose)
                else:
                    stack.callback(thing.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    # -- what users call

    def check(
        self,
        answer: Given | Case,
        *,
        prompt: Prompt = None,
        context: Documents = None,
        samples: Sayings = None,
    ) -> Report:
        """Examine a given answer. `None`, or a response that only calls a tool, has nothing to check: no model is asked.

        Args:
            answer: the text; a message or response of OpenAI or LangChain, whose log-probabilities are taken too; `None`;
                or a whole `Case`.
            prompt: what was asked: a text, a message, or a list of messages: pairs, dicts, or those of OpenAI and LangChain.
            context: documents the answer should rest on, as texts or documents of LangChain.
            samples: other answers to the same prompt, each as `answer`; what is given is not generated again.

        Raises:
            InputError: one of them cannot be read; the message says what to write.
        """
        case = _case(answer, prompt, context, samples)
        return self._drive(self._check(case, silent=_is_silent(answer, case)), {})

    async def acheck(
        self,
        answer: Given | Case,
        *,
        prompt: Prompt = None,
        context: Documents = None,
        samples: Sayings = None,
    ) -> Report:
        """As `check`, on the running event loop."""
        case = _case(answer, prompt, context, samples)
        return await self._adrive(self._check(case, silent=_is_silent(answer, case)), {})

    def generate(self, prompt: Prompt, *, context: Documents = None) -> Report:
        """Have the guard's chat model answer, examine the answer, and apply the policy.

        Raises:
            InputError: the prompt is empty or cannot be read.
            BackendError: no first answer could be had; its cause is the exception of the model's client, if there was one.
        """
        case = _question(prompt, context)
        return self._drive(self._supervise(case, self._ask(case)), {})

    async def agenerate(self, prompt: Prompt, *, context: Documents = None) -> Report:
        """As `generate`, on the running event loop."""
        case = _question(prompt, context)
        return await self._adrive(self._supervise(case, self._ask(case)), {})

    def supervise(self, generate: Generator, *, prompt: Prompt = None, context: Documents = None) -> Report:
        """Guard somebody else's generator: what a framework's adapter calls.

        Args:
            generate: called in this thread with the feedback on earlier attempts ("" at first); gives a text,
                a `Completion`, a message or response of OpenAI or LangChain, or an `Answer` that also says what it cost.
                An exception of its first call is raised here as it is.
            prompt: what the answer is to.
            context: documents the answer should rest on.
        """
        case = _case("", prompt, context)
        arguments.refuse_no_function(generate, "supervise")

        def handle(request: Generate) -> Reply[Completion]:
            try:
                return _answered(generate(request.feedback))
            except Exception as error:  # noqa: BLE001  # raised again by _drive if there is no answer
                return Failed(Reason.BACKEND, describe(error), error=error)

        return self._drive(self._supervise(case, _framework), {"generate": handle})

    async def asupervise(
        self, generate: AsyncGenerator, *, prompt: Prompt = None, context: Documents = None
    ) -> Report:
        """As `supervise`, with a coroutine function, on the running event loop; an `Answer` that is there already needs no awaiting."""
        case = _case("", prompt, context)
        arguments.refuse_no_function(generate, "asupervise")

        async def handled(coming: Any) -> Reply[Completion]:
            try:
                return _answered(await arguments.awaited(coming))
            except Exception as error:  # noqa: BLE001  # raised again by _drive if there is no answer
                return Failed(Reason.BACKEND, describe(error), error=error)

        def handle(request: Generate) -> Reply[Completion] | Awaitable[Reply[Completion]]:
            try:
                coming = generate(request.feedback)
            except Exception as error:  # noqa: BLE001  # as above
                return Failed(Reason.BACKEND, describe(error), error=error)
            return _answered(coming) if isinstance(coming, Answer) else handled(coming)

        return await self._adrive(self._supervise(case, _framework), {"generate": handle})

    def estimate(self, answer: Given | Case, *, prompt: Prompt = None, context: Documents = None) -> Estimate:
        """What a check would cost in paid calls, without asking anything."""
        case = _case(answer, prompt, context)
        if _is_silent(answer, case):
            return Estimate(0, 0, {detector.name: (0, 0) for detector in self.detectors})
        by_detector = {detector.name: self._estimated(detector, case) for detector in self.detectors}
        served = case.model_copy(update={"samples": (case.answer,)})
        for taker in sharing(self.detectors, case)[1]:  # it draws its own only where it is given none
            least, most = by_detector[taker.name]
            by_detector[taker.name] = min(least, self._estimated(taker, served)[0]), most
        return Estimate(
            sum(least for least, _ in by_detector.values()),
            sum(most for _, most in by_detector.values()),
            by_detector,
        )

    @property
    def needs_whole_answer(self) -> bool:
        """Whether nothing may be released before the answer has ended."""
        return bool(self.why_whole)

    @property
    def why_whole(self) -> str:
        """Why nothing may be released before the answer has ended, in one clause; "" if sentences may be, one by one."""
        if self._certified is not None:
            return "a certificate judges whole answers"
        if self.policy.needs_whole_answer:
            return (
                f"the policy {self.policy.whole} (fail={self.policy.fail!r}) decides about the whole answer"
            )
        whole = [detector.name for detector in self.detectors if detector.reach == "answer"]
        return f"{', '.join(whole)}: judged by the whole answer" if whole else ""

    @property
    def scope(self) -> Scope:
        """The scope of the detectors and the policy together: "sentence" only if each of them has it."""
        return "answer" if self.why_whole else "sentence"

    # -- one answer in steps, while it is being written: what adapters call that release it sentence by sentence

    def prepare(self, case: Case, tally: Tally) -> None:
        """Ask what can be asked before there is an answer, such as samples."""
        run = self._step(ahead(self.detectors, case), tally)
        run_sync(run, self.hub)
        tally.left = run.left

    async def aprepare(self, case: Case, tally: Tally) -> None:
        """As `prepare`, on the running event loop."""
        run = self._step(ahead(self.detectors, case), tally)
        await run_async(run, self.hub)
        tally.left = run.left

    def review(self, case: Case, tally: Tally) -> Review:
        """Examine the beginning of an answer, or all of it; nothing is decided or reported."""
        started = time.perf_counter()
        run = self._step(self._in_time(case, silent=False), tally)
        return _stepped(run, run_sync(run, self.hub), tally, started)

    async def areview(self, case: Case, tally: Tally) -> Review:
        """As `review`, on the running event loop."""
        started = time.perf_counter()
        run = self._step(self._in_time(case, silent=False), tally)
        return _stepped(run, await run_async(run, self.hub), tally, started)

    def conclude(self, review: Review, tally: Tally) -> Report:
        """Decide about the whole answer; this is the one report of all steps."""
        return self._reported(review, self.policy.decide(review), tally.ledger, tally.seconds)

    def _step(self, flow: Flow[Any], tally: Tally) -> Run[Any]:
        budget = self.budget if tally.left is None else tally.left
        return self._run(flow, {}, budget=budget, memo=tally.memo, ledger=tally.ledger)

    # -- flows

    def _check(self, case: Case, *, silent: bool) -> Flow[tuple[Review, Decision]]:
        review = yield from self._in_time(case, silent=silent)
        return review, (yield from self._decided(review))

    def _supervise(self, case: Case, produce: Produce) -> Flow[tuple[Review, Decision]]:
        """Generate, examine, and try again as long as the policy wants; the best attempt is kept."""
        best: Review | None = None
        feedback, attempt, fault = "", 0, ""
        while True:
            reply = yield from produce(feedback, attempt)
            if isinstance(reply, Failed):
                if best is None:
                    raise _NoAnswer(reply)
                fault = str(reply)
                break  # the attempts there are stand
            if best is not None and not reply.value.text.strip():
                fault = "the model answered nothing"
                break
            attempt += 1
            if best is not None and repeats_rejected(reply.value.text, feedback):
                review, fault = best, "the model repeated what was rejected"
            else:
                review, fault = (yield from self._examined(case, reply.value)), ""
                if best is None or better(review, best):
                    best = review
            wish = self.policy.feedback(review, attempt - 1)  # how often it was asked again so far
            if wish is None:
                break
            feedback = wish
        decision = yield from self._decided(best)
        if attempt > 1:
            stronger = Action.REGENERATE if decision.action in {Action.PASS, Action.FLAG} else decision.action
            decision = decision.model_copy(update={"attempts": attempt, "action": stronger})
        if fault:
            note = f"asking again failed ({fault})"
            note = f"{decision.note}; {note}" if decision.note else note
            decision = decision.model_copy(update={"note": note})
        return best, decision

    def _examined(self, case: Case, said: Completion) -> Flow[Review]:
        """A case with an answer to it."""
        answered = case.model_copy(
            update={"answer": said.text, "logprobs": said.logprobs, "citations": said.citations}
        )
        return (yield from self._in_time(answered, silent=not said.text and said.finish_reason == _CALLED))

    def _decided(self, review: Review) -> Flow[Decision]:
        """What the policy decides; about very many findings in a worker, so that it holds up no event loop."""
        if len(review.findings) > _MANY:
            return (yield from compute(self.policy.decide, review))
        return self.policy.decide(review)

    def _in_time(self, case: Case, *, silent: bool) -> Flow[Review]:
        """An examination under its own deadline: how long the model took to answer does not count.

        Args:
            case: what is examined.
            silent: whether nothing was said, so that there is nothing to examine.
        """
        if silent:
            return Review(case, (), ())
        review = yield from within(examine(self.detectors, case), seconds=self.deadline)
        if isinstance(review, Failed):
            raise review.error or RuntimeError(str(review))
        if self._certified is not None:
            review = replace(review, findings=self._certified.judged(case, review.findings))
        if self.calibration.probabilities is not None:
            review = replace(review, findings=self.calibration.probabilities.added(review.findings))
        return review

    def _estimated(self, detector: Detector, case: Case) -> tuple[int, int]:
        """What a detector pays for this case; a route that nobody answers would be paid for if somebody did."""
        paid = [c for route, c in detector.cost(case).items() if self.hub.is_paid(route) is not False]
        return sum(least for least, _ in paid), sum(most for _, most in paid)

    def _ask(self, case: Case) -> Produce:
        """Answers by the guard's own chat model; a failure of it is a `BackendError`.

        Raises:
            BackendError: it has none.
        """
        if self.hub.backend(Ask((), role="generate")) is None:
            raise BackendError(
                "generate needs a chat model, and this guard has none: write Guard(…, chat=OpenAIChat('gpt-5-mini'))"
            )

        def produce(feedback: str, attempt: int) -> Flow[Reply[Completion]]:
            messages = (*case.messages, request_again(feedback)) if feedback else case.messages
            reply = yield from one(Ask(messages, role="generate", draw=attempt))
            return replace(reply, error=_backend_error(reply)) if isinstance(reply, Failed) else reply

        return produce

    # -- driving

    def _run(self, flow: Flow[Any], handlers: Mapping[str, Any], **shared: Any) -> Run[Any]:
        if self._closed:
            raise GuardrailError("expected an open guard, got a closed one: make another, or close it later")

        def paid(route: str) -> bool:
            """What nobody answers fails at once, at no cost."""
            return route in handlers or bool(self.hub.is_paid(route))

        return Run(flow, **{"budget": self.budget, "paid": paid, **shared})

    def _drive(self, flow: Flow[Any], handlers: Mapping[str, Any]) -> Report:
        started = time.perf_counter()
        run = self._run(flow, handlers)
        return self._report(run, run_sync(run, self.hub, handlers=handlers), started)

    async def _adrive(self, flow: Flow[Any], handlers: Mapping[str, Any]) -> Report:
        started = time.perf_counter()
        run = self._run(flow, handlers)
        return self._report(run, await run_async(run, self.hub, handlers=handlers), started)

    def _report(self, run: Run[Any], outcome: Any, started: float) -> Report:
        if isinstance(outcome, Failed):
            if isinstance(outcome.error, _NoAnswer):
                outcome.error.raise_cause()
            raise outcome.error or RuntimeError(str(outcome))
        review, decision = outcome
        return self._reported(review, decision, run.ledger, time.perf_counter() - started)

    def _reported(self, review: Review, decision: Decision, ledger: Ledger, seconds: float) -> Report:
        report = Report(
            case=review.case,
            findings=review.findings,
            failures=review.failures,
            decision=decision,
            signatures=self._signatures,
            scales=self._scales,
            cost=CostBreakdown(
                total=ledger.total,
                paid=ledger.paid(),
                alone=ledger.alone(),
                wall_seconds=seconds,
                elapsed=dict(review.elapsed),
            ),
        )
        self._tell(report)
        return report

    def _tell(self, report: Report) -> None:
        verdicts = Counter(finding.verdict for finding in report.findings)
        log.info(
            "guarded",
            verdict=report.verdict,
            action=report.decision.action,
            findings=len(report.findings),
            unsupported=verdicts[Verdict.UNSUPPORTED],
            unverified=verdicts[Verdict.UNVERIFIED],
            failures=[failure.detector for failure in report.failures],
            calls=report.cost.detectors.calls,
            seconds=round(report.cost.wall_seconds, 4),
        )
        for failure in report.failures:
            self._tell_failure(failure)
        if self.on_report is not None:
            try:
                self.on_report(report)
            except Exception as error:  # noqa: BLE001  # a listener's bug must not lose the answer
                log.exception("on_report_failed")
                with contextlib.suppress(RuntimeWarning):  # somebody may have made errors of warnings
                    warnings.warn(  # the log is silent unless somebody listens; the words of the exception may quote the answer
                        f"on_report raised {type(error).__name__}; the answer and its report are not affected. The log named "
                        "'guardrail' has the traceback: call logging.basicConfig() to see it",
                        RuntimeWarning,
                        stacklevel=2,
                    )

    def _tell_failure(self, failure: DetectorFailure) -> None:
        """To those who listen each time; to a developer who does not once for each kind: else a bug looks like a careful verdict."""
        # the words of the exception may quote the answer
        error = failure.detail.partition(":")[0] if failure.traceback else None
        raised = {"error": error} if error else {}
        log.warning("detector_failed", detector=failure.detector, reason=str(failure.reason), **raised)
        kind = (failure.detector, error or str(failure.reason))
        if kind not in self._shown:
            self._shown.add(kind)
            notice(
                f"guardrail: detector {failure.detector!r} could not finish ({one_line(kind[1], 80)}) and checked nothing; "
                f"report.failures has {'the traceback' if error else 'why'}. Shown once: logging.basicConfig() shows each time"
            )

    def _backends(self, chat: Any, judge: Any, given: Mapping[str, Any] | None) -> dict[str, Backend[Any]]:
        brought: dict[str, Backend[Any]] = {}
        for detector, its in zip(self.detectors, self._brought, strict=True):
            for lane, backend in its.items():
                known = brought.setdefault(lane, backend)
                differs = known is not backend and known.fingerprint != backend.fingerprint
                if differs and lane not in (given or {}):
                    raise ConfigError(
                        f"two detectors bring different backends for {lane!r} (one is {detector.name!r}'s). "
                        "Give the guard one: backends={…}."
                    )
        models = {"chat": arguments.chat(chat, "chat="), "chat:judge": arguments.chat(judge, "judge=")}
        chosen = {lane: model for lane, model in models.items() if model is not None}
        return {**brought, **arguments.backends(given, brought), **chosen}


def _stepped(run: Run[Any], outcome: Any, tally: Tally, started: float) -> Review:
    tally.left = run.left
    tally.seconds += time.perf_counter() - started
    if isinstance(outcome, Failed):
        raise outcome.error or RuntimeError(str(outcome))
    review: Review = outcome
    return review


class _NoAnswer(GuardrailError):
    """The model that is guarded gave no first answer."""

    def __init__(self, failed: Failed) -> None:
        self.failed = failed
        super().__init__(str(failed))

    def raise_cause(self) -> NoReturn:
        """The generator's own exception as it was, or a `BackendError`."""
        raise self.failed.error or _backend_error(self.failed)


def _backend_error(failed: Failed) -> BackendError:
    """A failed reply as an error whose cause is the exception of the model's client."""
    error = BackendError(
        f"expected an answer from the chat model, got {one_line(str(failed), 300)!r}",
        retryable=failed.retryable,
        retry_after=failed.retry_after,
    )
    error.__cause__ = failed.error
    return error


def _case(answer: Given | Case, prompt: Prompt, context: Documents, samples: Sayings = None) -> Case:
    if isinstance(answer, Case):
        if prompt is context is samples is None:
            return answer
        given = {"prompt": prompt, "context": context, "samples": samples}
        for name, value in given.items():
            empty = value is None or (
                isinstance(value, str | list | tuple) and not value
            )  # an array has no truth
            if not empty:
                raise ConfigError(
                    f"a Case has its prompt, context and samples, got {name}= with it: write Case.of(answer, {name}=…)"
                )
        return answer
    return Case.of(answer, prompt=prompt, context=context, samples=samples)


def _question(prompt: Prompt, context: Documents) -> Case:
    """A case without its answer, for a model to give.

    Raises:
        InputError: nothing is asked.
    """
    case = Case.of("", prompt=prompt, context=context)
    if not case.messages:
        raise InputError(f"generate takes a prompt, got {shown(prompt)}: write generate('the question')")
    return case


def _is_silent(given: Given | Case, case: Case) -> bool:
    """Whether an answer is none: `None`, or a response without text. An empty text is one, which some detectors judge."""
    return not case.answer and not isinstance(given, str | Case)


def _answered(generated: Generated) -> Answer[Completion]:
    if isinstance(generated, Answer):
        return generated
    if isinstance(generated, Completion):
        return Answer(generated)
    if generated is None:
        raise InputError("the function must return an answer, got None: write return before it")
    text, logprobs = content.answer_of(generated, takes="the function must return a text")
    silent = not text and not isinstance(generated, str)
    return Answer(Completion(text, finish_reason=_CALLED if silent else "", logprobs=logprobs))


def _framework(feedback: str, attempt: int) -> Flow[Reply[Completion]]:
    """Answers by the framework that calls us."""
    return (yield from one(Generate(feedback, attempt)))


def _must_be_detector(given: Any) -> None:
    if not isinstance(given, Detector):
        makes = isinstance(given, type) and issubclass(given, Detector) and given is not Detector
        raise arguments.no_detector(given, makes=makes)
    if not isinstance(getattr(given, "name", None), str):
        raise ConfigError(f'expected a detector with a name, got {given!r}: write name = "…" in its class')
