"""The one object that most users touch: detectors, a policy, and the backends they need."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NoReturn, Self, TypeAlias

from guardrail._log import log
from guardrail.cache import Cache
from guardrail.detector import Detector
from guardrail.engine.backend import Backend
from guardrail.engine.budget import Budget
from guardrail.engine.drivers import run_async, run_sync
from guardrail.engine.flow import Answer, Branch, Failed, Flow, Reason, Reply, describe, gather, one
from guardrail.engine.hub import Hub
from guardrail.engine.jobs import Retry
from guardrail.engine.run import Run
from guardrail.errors import BackendError, ConfigError, GuardrailError
from guardrail.examination import examine, sharing
from guardrail.options import seconds
from guardrail.policies import Plan, Policy, Review, better, flag
from guardrail.registry import DETECTORS
from guardrail.report import (
    Action,
    Case,
    CostBreakdown,
    Decision,
    Report,
)
from guardrail.requests import Ask, Completion, Generate, Message, user

__all__ = ["Estimate", "Guard", "Prompt"]

Prompt: TypeAlias = str | Sequence[Message | Mapping[str, Any] | tuple[str, str]]
Produce: TypeAlias = Callable[[str, int], Flow[Reply[Completion]]]
Generated: TypeAlias = str | Completion | Answer[Completion]
Generator: TypeAlias = Callable[[str], Generated]
AsyncGenerator: TypeAlias = Callable[[str], Awaitable[Generated]]

_SHAPE = (
    "name",
    "scope",
    "scale",
    "needs",
    "provides",
    "deadline",
    "cost",
    "examine",
    "backends",
    "signature",
)


@dataclass(frozen=True, slots=True)
class Estimate:
    """Paid calls of one check, before anything is asked; a generated answer adds its own."""

    least: int
    most: int
    by_detector: Mapping[str, tuple[int, int]] = field(default_factory=dict)


class Guard:
    """Runs detectors on a case and hands what they find to the policy.

    Args:
        detectors: detectors, or names of registered ones.
        chat: the chat model that answers detectors' questions, and `generate`'s.
        judge: another model for questions that judge; `chat` where absent.
        backends: further backends by lane ("entailment", "embedding", …).
        policy: what to do about findings; `flag()` leaves the answer as it is.
        on_unverified: "allow", "annotate" or "block" what could not be checked; default: as the policy does.
        fail: "open" passes an answer whose examination failed, marked; "closed" blocks it.
        budget: bound on one guard call: a number of paid calls, or a `Budget`.
        deadline: seconds for the examination of one answer; what is late is unverified.
        cache: a lasting memory, or the path of one.
        retry: how failures that may pass are asked again.
        hub: backends shared with other guards, in place of `chat`, `judge`, `backends`, `cache` and `retry`;
            what the detectors bring along (a bibliography) is added to it.
        on_report: called with every report, whole (adapters pass on only summaries); what it raises is logged.

    A bug in a detector is a failure in the report; a bug in a policy is raised.

    Use it as a context manager (`with` or `async with`), or call `close`. That closes what the guard opened: a cache given as a
    path, detectors given by name, and all that `from_config` made, HTTP clients included. What it was given stays open.

    Raises:
        ConfigError: an option is out of range, something is no detector, two detectors share a name, or they
            bring different backends for one lane.
        UnknownName: a detector's name is not registered.
    """

    def __init__(
        self,
        detectors: Sequence[Detector | str],
        *,
        chat: Backend[Any] | None = None,
        judge: Backend[Any] | None = None,
        backends: Mapping[str, Backend[Any]] | None = None,
        policy: Policy | None = None,
        on_unverified: Literal["allow", "annotate", "block"] | None = None,
        fail: Literal["open", "closed"] = "open",
        budget: Budget | int | None = None,
        deadline: float | None = None,
        cache: Cache | str | Path | None = None,
        retry: Retry | None = None,
        hub: Hub | None = None,
        on_report: Callable[[Report], None] | None = None,
    ) -> None:
        self._opened: list[Any] = []
        self._closed = False
        self.detectors = tuple(DETECTORS.create(d, {}) if isinstance(d, str) else d for d in detectors)
        for given in self.detectors:
            _must_be_detector(given)
        for asked, made in zip(detectors, self.detectors, strict=True):
            self._opened += made.backends().values() if isinstance(asked, str) else ()
        names = [detector.name for detector in self.detectors]
        if repeated := {name for name in names if names.count(name) > 1}:
            raise ConfigError(
                f"expected detectors of different names, got {sorted(repeated)!r} more than once"
            )
        self.policy = Plan(policy or flag(), on_unverified=on_unverified, fail=fail)
        self.budget = budget if budget is None or isinstance(budget, Budget) else Budget(calls=budget)
        seconds("deadline", deadline)
        self.deadline = deadline
        self.on_report = on_report
        if hub is None:
            store = Cache(cache) if isinstance(cache, str | Path) else cache
            hub = Hub(self._backends(chat, judge, backends or {}), store=store, retry=retry)
            self._opened += [hub] if store is cache else [hub, store]
        else:
            if any(given is not None for given in (chat, judge, backends, cache, retry)):
                raise ConfigError(
                    "a hub was given: set chat, judge, backends, cache and retry on it, not here"
                )
            for lane, backend in self._backends(None, None, {}).items():
                hub.add(lane, backend)
        self.hub = hub
        self._signatures = {d.name: str(d.signature()) for d in self.detectors}
        self._scales = {d.name: d.scale for d in self.detectors}

    @classmethod
    def from_config(cls, path: str | Path = "guardrail.toml") -> Guard:
        """Build a guard from a TOML file; see `guardrail.config`.

        Raises:
            ConfigError: the file or one of its entries is wrong; the message names the entry.
        """
        from guardrail.config import load

        guard = cls(**load(path))
        guard._opened += guard.hub.backends.values()  # nobody else has made them
        return guard

    def close(self) -> None:
        """Close what the guard opened, and nothing that it was given; again does nothing. It cannot be used any more."""
        self._closed = True
        with contextlib.ExitStack() as stack:  # all, though one raises
            for thing in self._opened:
                stack.callback(getattr(thing, "close", lambda: None))

    async def aclose(self) -> None:
        """As `close`, on the running event loop, which is not held up."""
        self._closed = True
        async with contextlib.AsyncExitStack() as stack:
            for thing in self._opened:
                if (aclose := getattr(thing, "aclose", None)) is not None:
                    stack.push_async_callback(aclose)
                else:
                    stack.callback(getattr(thing, "close", lambda: None))

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
        answer: str | Case,
        *,
        prompt: Prompt = (),
        context: Sequence[str] = (),
        samples: Sequence[str] = (),
    ) -> Report:
        """Examine a given answer.

        Args:
            answer: the text, or a whole `Case`.
            prompt: what was asked: a string or a list of messages.
            context: documents the answer should rest on.
            samples: other answers to the same prompt; what is given is not generated again.
        """
        case = _case(answer, prompt, context, samples)
        return self._drive(self._check(case), {})

    async def acheck(
        self,
        answer: str | Case,
        *,
        prompt: Prompt = (),
        context: Sequence[str] = (),
        samples: Sequence[str] = (),
    ) -> Report:
        """As `check`, on the running event loop."""
        case = _case(answer, prompt, context, samples)
        return await self._adrive(self._check(case), {})

    def generate(self, prompt: Prompt, *, context: Sequence[str] = ()) -> Report:
        """Have the guard's chat model answer, examine the answer, and apply the policy.

        Raises:
            BackendError: no first answer could be had.
        """
        case = _case("", prompt, context, ())
        return self._drive(self._supervise(case, self._ask(case)), {})

    async def agenerate(self, prompt: Prompt, *, context: Sequence[str] = ()) -> Report:
        """As `generate`, on the running event loop."""
        case = _case("", prompt, context, ())
        return await self._adrive(self._supervise(case, self._ask(case)), {})

    def supervise(self, generate: Generator, *, prompt: Prompt = (), context: Sequence[str] = ()) -> Report:
        """Guard somebody else's generator: what a framework's adapter calls.

        Args:
            generate: called in this thread with the feedback on earlier attempts ("" at first); gives a text,
                a `Completion`, or an `Answer` that also says what it cost. An exception of its first call is
                raised here as it is.
            prompt: what the answer is to.
            context: documents the answer should rest on.
        """
        case = _case("", prompt, context, ())

        def handle(request: Generate) -> Reply[Completion]:
            return _handled(lambda: _answered(generate(request.feedback)))

        return self._drive(self._supervise(case, _framework), {"generate": handle})

    async def asupervise(
        self, generate: AsyncGenerator, *, prompt: Prompt = (), context: Sequence[str] = ()
    ) -> Report:
        """As `supervise`, with a coroutine function, on the running event loop."""
        case = _case("", prompt, context, ())

        async def handle(request: Generate) -> Reply[Completion]:
            try:
                return _answered(await generate(request.feedback))
            except Exception as error:  # noqa: BLE001  # raised again by _drive if there is no answer
                return Failed(Reason.BACKEND, describe(error), error=error)

        return await self._adrive(self._supervise(case, _framework), {"generate": handle})

    def estimate(self, answer: str | Case, *, prompt: Prompt = (), context: Sequence[str] = ()) -> Estimate:
        """What a check would cost in paid calls, without asking anything."""
        case = _case(answer, prompt, context, ())
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
        return self.policy.needs_whole_answer or any(d.scope == "answer" for d in self.detectors)

    # -- flows

    def _check(self, case: Case) -> Flow[tuple[Review, Decision]]:
        review = yield from self._in_time(case)
        return review, self.policy.decide(review)

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
            answered = case.model_copy(update={"answer": reply.value.text, "logprobs": reply.value.logprobs})
            review = yield from self._in_time(answered)
            if best is None or better(review, best):
                best = review
            wish = self.policy.feedback(review, attempt - 1)  # how often it was asked again so far
            if wish is None:
                break
            feedback = wish
        decision = self.policy.decide(best)
        if attempt > 1:
            stronger = Action.REGENERATE if decision.action in {Action.PASS, Action.FLAG} else decision.action
            decision = decision.model_copy(update={"attempts": attempt, "action": stronger})
        if fault:
            note = f"asking again failed ({fault})"
            note = f"{decision.note}; {note}" if decision.note else note
            decision = decision.model_copy(update={"note": note})
        return best, decision

    def _in_time(self, case: Case) -> Flow[Review]:
        """An examination under its own deadline: how long the model took to answer does not count."""
        (review,) = yield from gather([Branch(examine(self.detectors, case), seconds=self.deadline)])
        if isinstance(review, Failed):
            raise review.error or RuntimeError(str(review))
        return review

    def _estimated(self, detector: Detector, case: Case) -> tuple[int, int]:
        """What a detector pays for this case, with the backends that this guard has."""
        least, most = detector.cost(case)
        by_lane = getattr(detector, "cost_by_lane", None)  # not every detector inherits the default
        paid = self.hub.paid_lanes()
        further = [] if by_lane is None else [more for lane, more in by_lane(case).items() if lane in paid]
        return least + sum(more for more, _ in further), most + sum(more for _, more in further)

    def _ask(self, case: Case) -> Produce:
        """Answers by the guard's own chat model."""

        def produce(feedback: str, attempt: int) -> Flow[Reply[Completion]]:
            messages = (*case.messages, user(feedback)) if feedback else case.messages
            return (yield from one(Ask(messages, role="generate", draw=attempt)))

        return produce

    # -- driving

    def _run(self, flow: Flow[Any]) -> Run[Any]:
        if self._closed:
            raise GuardrailError("expected an open guard, got a closed one: make another, or close it later")
        return Run(flow, budget=self.budget, paid=self.hub.paid_lanes())

    def _drive(self, flow: Flow[Any], handlers: Mapping[str, Any]) -> Report:
        started = time.perf_counter()
        run = self._run(flow)
        return self._report(run, run_sync(run, self.hub, handlers=handlers), started)

    async def _adrive(self, flow: Flow[Any], handlers: Mapping[str, Any]) -> Report:
        started = time.perf_counter()
        run = self._run(flow)
        return self._report(run, await run_async(run, self.hub, handlers=handlers), started)

    def _report(self, run: Run[Any], outcome: Any, started: float) -> Report:
        if isinstance(outcome, Failed):
            if isinstance(outcome.error, _NoAnswer):
                outcome.error.raise_cause()
            raise outcome.error or RuntimeError(str(outcome))
        review, decision = outcome
        report = Report(
            case=review.case,
            findings=review.findings,
            failures=review.failures,
            decision=decision,
            signatures=self._signatures,
            scales=self._scales,
            cost=CostBreakdown(
                total=run.ledger.total,
                paid=run.ledger.paid(),
                alone=run.ledger.alone(),
                wall_seconds=time.perf_counter() - started,
            ),
        )
        self._tell(report)
        return report

    def _tell(self, report: Report) -> None:
        log.info(
            "guarded",
            verdict=report.verdict,
            action=report.decision.action,
            findings=len(report.findings),
            failures=[failure.detector for failure in report.failures],
            calls=report.cost.total.calls,
            seconds=round(report.cost.wall_seconds, 4),
        )
        if self.on_report is not None:
            try:
                self.on_report(report)
            except Exception:  # noqa: BLE001  # a listener's bug must not lose the answer
                log.exception("on_report_failed")

    def _backends(
        self, chat: Backend[Any] | None, judge: Backend[Any] | None, given: Mapping[str, Backend[Any]]
    ) -> dict[str, Backend[Any]]:
        found: dict[str, Backend[Any]] = {}
        for detector in self.detectors:
            for lane, backend in detector.backends().items():
                if found.setdefault(lane, backend) is not backend and lane not in given:
                    raise ConfigError(
                        f"two detectors bring different backends for {lane!r} (one is {detector.name!r}'s). "
                        "Give the guard one: backends={…}."
                    )
        found |= given
        if chat is not None:
            found["chat"] = chat
        if judge is not None:
            found["chat:judge"] = judge
        return found


class _NoAnswer(GuardrailError):
    """The model that is guarded gave no first answer."""

    def __init__(self, failed: Failed) -> None:
        self.failed = failed
        super().__init__(str(failed))

    def raise_cause(self) -> NoReturn:
        """The generator's own exception as it was, or a `BackendError`."""
        if self.failed.error is not None:
            raise self.failed.error
        raise BackendError(
            f"expected an answer from the chat model, got {str(self.failed)!r}",
            retryable=self.failed.retryable,
            retry_after=self.failed.retry_after,
        )


def _case(answer: str | Case, prompt: Prompt, context: Sequence[str], samples: Sequence[str]) -> Case:
    if isinstance(answer, Case):
        if prompt or context or samples:
            raise ConfigError("a whole case was given: prompt, context and samples belong into it")
        return answer
    return Case.of(answer, prompt=prompt, context=context, samples=samples)


def _answered(generated: Generated) -> Answer[Completion]:
    if isinstance(generated, Answer):
        return generated
    if isinstance(generated, Completion):
        return Answer(generated)
    if isinstance(generated, str):
        return Answer(Completion(generated))
    raise TypeError(f"expected the model's answer as a text or a Completion, got {generated!r}")


def _handled(call: Callable[[], Answer[Completion]]) -> Reply[Completion]:
    try:
        return call()
    except Exception as error:  # noqa: BLE001  # raised again by _drive if there is no answer
        return Failed(Reason.BACKEND, describe(error), error=error)


def _framework(feedback: str, attempt: int) -> Flow[Reply[Completion]]:
    """Answers by the framework that calls us."""
    return (yield from one(Generate(feedback, attempt)))


def _must_be_detector(given: Any) -> None:
    if isinstance(given, type):
        raise ConfigError(f"expected a detector, got the class {given.__name__}: write {given.__name__}()")
    lacking = [name for name in _SHAPE if not hasattr(given, name)]
    if lacking:
        raise ConfigError(
            f"expected a detector, got {given!r} without {', '.join(lacking)}: inherit guardrail.Detector"
        )
