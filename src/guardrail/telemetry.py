"""Spans of OpenTelemetry for guard calls: `Guard(..., on_report=telemetry())`, with the extra `[otel]`.

Every guard call becomes a span under the one that is current where the guard is called (the request, or the chat
operation), and every detector a span under it. What a detector found is the event `gen_ai.evaluation.result` of
OpenTelemetry's conventions for generative AI. A check that did not run has `error.type` and no score: it never looks passed.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from guardrail._version import __version__
from guardrail.errors import MissingExtra
from guardrail.report import DetectorFailure, Finding, Report, Verdict, worst

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer, TracerProvider

__all__ = ["telemetry"]

_EVENT = "gen_ai.evaluation.result"
_MOST = 100  # events of one span; an SDK keeps 128 and drops the oldest without a word
_SECOND = 1_000_000_000


def telemetry(
    provider: TracerProvider | None = None, *, log_content: bool = False
) -> Callable[[Report], None]:
    """Make a listener for `Guard(on_report=…)` that writes spans.

    Args:
        provider: where spans go; the process's own by default.
        log_content: also write an event per finding that is not supported, with the text it is about and the reason.
            Off by default, because both quote the answer.

    Raises:
        MissingExtra: OpenTelemetry is not installed.
    """
    try:
        from opentelemetry import trace
    except ImportError as error:
        raise MissingExtra("opentelemetry-api", extra="otel") from error
    tracer = trace.get_tracer("guardrail", __version__, tracer_provider=provider)

    def write(report: Report) -> None:
        ended = time.time_ns()
        _guard_span(tracer, report, ended, log_content=log_content)

    return write


def _guard_span(tracer: Tracer, report: Report, ended: int, *, log_content: bool) -> None:
    from opentelemetry import trace

    cost = report.cost.detectors
    span = tracer.start_span(
        "guardrail",
        start_time=ended - int(report.cost.wall_seconds * _SECOND),
        attributes={
            "guardrail.verdict": report.verdict or "none",
            "guardrail.action": report.decision.action,
            "guardrail.attempts": report.decision.attempts,
            "guardrail.calls": cost.calls,
            "guardrail.prompt_tokens": cost.prompt_tokens,
            "guardrail.completion_tokens": cost.completion_tokens,
        },
    )
    examined = max(report.cost.elapsed.values(), default=0.0)
    under = trace.set_span_in_context(span)
    failed = {failure.detector: failure for failure in report.failures}
    for name, signature in report.signatures.items():
        took = report.cost.elapsed.get(name, examined)  # of one that was cut off
        began = ended - int(examined * _SECOND)  # all start together, and the slowest ends the examination
        own = tracer.start_span(
            f"guardrail {name}",
            context=under,
            start_time=began,
            attributes={"guardrail.detector": name, "guardrail.signature": signature},
        )
        found = [finding for finding in report.findings if finding.detector == name]
        _detector_events(own, name, found, failed.get(name), log_content=log_content)
        own.end(end_time=began + int(took * _SECOND))
    span.end(end_time=ended)


def _detector_events(
    span: Span,
    name: str,
    found: list[Finding],
    failure: DetectorFailure | None,
    *,
    log_content: bool,
) -> None:
    if failure is not None:
        from opentelemetry.trace import Status, StatusCode

        span.set_status(Status(StatusCode.ERROR, failure.reason))  # its detail may quote the answer
        span.set_attribute("error.type", failure.reason)
        span.add_event(_EVENT, _result(name, [], failure=failure))
        return
    counts = Counter(finding.verdict for finding in found)
    for verdict in Verdict:
        span.set_attribute(f"guardrail.findings.{verdict}", counts[verdict])
    if found:
        span.add_event(_EVENT, _result(name, found))
    if log_content:
        wrong = [finding for finding in found if finding.verdict is not Verdict.SUPPORTED]
        for finding in sorted(wrong, key=lambda f: f.verdict is not Verdict.UNSUPPORTED)[:_MOST]:
            content = {
                "gen_ai.evaluation.explanation": finding.reason or "",
                "guardrail.finding.text": finding.text or "",
            }
            span.add_event(_EVENT, {**_result(name, [finding]), **content})


def _result(name: str, found: Iterable[Finding], *, failure: DetectorFailure | None = None) -> dict[str, Any]:
    """What several findings come to: the worst verdict and the largest score."""
    found = list(found)
    result: dict[str, Any] = {"gen_ai.evaluation.name": name}
    verdict = Verdict.UNVERIFIED if failure else worst([finding.verdict for finding in found])
    result["gen_ai.evaluation.score.label"] = str(verdict)
    scores = [finding.score for finding in found if finding.score is not None]
    if scores:
        result["gen_ai.evaluation.score.value"] = max(scores)
    if failure is not None:
        result["error.type"] = str(failure.reason)
    elif not scores and verdict is Verdict.UNVERIFIED:
        result["error.type"] = "unverified"
    return result
