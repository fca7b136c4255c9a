"""What the server answers itself: the check of a given answer, and what it would cost."""

from __future__ import annotations

import asyncio
import re

from starlette.responses import JSONResponse, Response

from guardrail._log import log
from guardrail.errors import GuardrailError, InputError
from guardrail.given.accepted import Json
from guardrail.guard import Guard
from guardrail.report import Case, Report
from guardrail.server.calls import Call
from guardrail.server.metrics import Metrics
from guardrail.server.refusals import Refused
from guardrail.server.settings import Settings

_FIELDS = ("answer", "prompt", "context", "samples")
_UNSAID = {"failures": {"__all__": {"traceback"}}}  # paths of this machine
_PLACED = re.compile(r"(the connection failed|no reply in (?:time|[\d.e+-]+ s))\b.*", re.DOTALL)
"""How `guardrail.chat` begins what it says about a service that could not be reached."""
_FILE = re.compile(r"(?<![\w./:-])/(?:[^\s/'\"]+/)+[^\s/'\"),;]*")


async def check(call: Call, guard: Guard, metrics: Metrics, settings: Settings) -> Response:
    """The report on a given answer.

    Raises:
        Refused: the answer cannot be read, is too long, or could not be checked.
    """
    case = _case(call.json(), settings.answer_limit)
    try:
        report = await guard.acheck(case)
    except GuardrailError as error:
        raise Refused(
            500, "guard_failed", f"the answer could not be checked ({type(error).__name__})"
        ) from None
    metrics.examined(report.summary(), mode=settings.mode)
    written = await asyncio.to_thread(_written, report)  # very many findings take a while
    return Response(written, media_type="application/json")


def _written(report: Report) -> str:
    """A report for clients: where the guard's own models and files are is the operator's business, and goes to the log."""
    whole = [f.reason for f in report.findings] + [f.detail for f in report.failures]
    if where := next((text for text in whole if _unplaced(text) != text), ""):
        log.warning("service_unreachable", why=where)
    findings = tuple(f.model_copy(update={"reason": _unplaced(f.reason)}) for f in report.findings)
    failures = tuple(f.model_copy(update={"detail": _unplaced(f.detail)}) for f in report.failures)
    shown = report.model_copy(update={"findings": findings, "failures": failures})
    return shown.model_dump_json(exclude=_UNSAID)


def _unplaced(text: str) -> str:
    """What went wrong without files of this machine, and without the words of an HTTP library, which name the host and the port.

    Example:
        >>> _unplaced("no sample could be had: backend: the connection failed: Cannot connect to host 10.0.0.5:8000")
        'no sample could be had: backend: the connection failed'
        >>> _unplaced("the index '/srv/data/works.sqlite' cannot be read; see https://x.org/a/b")
        "the index '[path]' cannot be read; see https://x.org/a/b"
    """
    return _FILE.sub("[path]", _PLACED.sub(r"\1", text))


async def estimate(call: Call, guard: Guard, settings: Settings) -> Response:
    """Paid calls of a check, at least and at most, before anything is asked.

    Raises:
        Refused: the answer cannot be read, or is too long.
    """
    case = _case(call.json(), settings.answer_limit)
    found = await asyncio.to_thread(guard.estimate, case)  # a long answer is read for seconds
    by_detector = {name: {"least": a, "most": b} for name, (a, b) in found.by_detector.items()}
    return JSONResponse({"least": found.least, "most": found.most, "by_detector": by_detector})


def _case(body: Json, longest: int) -> Case:
    """What is examined.

    Raises:
        Refused: the body says something else, or its answer is longer than so many characters.
    """
    unknown = sorted(set(body) - set(_FIELDS))
    if unknown or not isinstance(body.get("answer"), str):
        got = f"the field {unknown[0]!r:.80}" if unknown else type(body.get("answer")).__name__
        raise Refused(
            400, "bad_request", f"expected {', '.join(_FIELDS)}, of which answer is a text, got {got}"
        )
    if len(body["answer"]) > longest:
        raise Refused(
            413, "answer_too_long", f"expected an answer of at most {longest:,} characters, got more"
        )
    try:
        return Case.of(
            body["answer"],
            prompt=body.get("prompt"),
            context=body.get("context"),
            samples=body.get("samples"),
        )
    except (InputError, ValueError) as error:
        raise Refused(400, "bad_request", str(error)[:500]) from None
