"""What an operator should know before the first answer: detectors that will leave everything unverified."""

from __future__ import annotations

from collections.abc import Iterable

from guardrail.detector import Detector
from guardrail.guard import Guard
from guardrail.report import Case
from guardrail.requests import user
from guardrail.server.settings import Settings

_CASE = Case(answer="1. Silent Spring, by Rachel Carson (1962)", messages=(user("Which book do you mean?"),))
_MODELS = {"chat": ("a chat model", "[chat]"), "language_model": ("a language model", "[language_model]")}
_DOCUMENTS = (
    "note: {} {} documents. They are read from each request: results of tools, document and search_result blocks, what the "
    "service's searches found, documents that are delimited in the system prompt, and the fields documents, context and "
    'guardrail: {{"context": ["…"]}}. An answer to a request without any is unverified (docs/documents.md)'
)
_OR = ' or, below its [[detectors]], bibliography = "refs.bib" or sources = ["crossref"]'


def advice(guards: Iterable[Guard]) -> list[str]:
    """A line for each detector that needs a model which its guard has not, and one on documents; no model is asked.

    Args:
        guards: all that may examine an answer; several can share a detector.
    """
    known = list(guards)
    found = [_lacking(detector, guard) for guard in known for detector in guard.detectors]
    needing = dict.fromkeys(one.name for guard in known for one in guard.detectors if one.needs_documents)
    if needing:
        found.append(_DOCUMENTS.format(", ".join(needing), "needs" if len(needing) == 1 else "need"))
    return [line for line in dict.fromkeys(found) if line]


def of_workers(settings: Settings) -> list[str]:
    """A line for each thing that several workers cannot do, since each knows only what it answered itself."""
    if settings.workers == 1:
        return []
    found = [
        f"note: with {settings.workers} workers, LiteLLM's guardrail API answers 501. Start a server with --workers 1 for it"
    ]
    if settings.is_shared:
        found.append(
            f"warning: with {settings.workers} workers and an upstream key that clients share, nothing stored can be continued: "
            "previous_response_id, conversation and the like get 403. Write --workers 1, or, if clients may go on with each "
            "other's, shared_state = true in [server]"
        )
    return found


def _lacking(detector: Detector, guard: Guard) -> str:
    try:
        calls = detector.cost(_CASE)
    except Exception:  # noqa: BLE001  # a detector's bug is reported with the answer that meets it
        return ""
    for route, (least, _) in calls.items():
        lane = route.partition(":")[0]
        if least and lane in _MODELS and guard.hub.is_paid(route) is None:
            needed, section = _MODELS[lane]
            return (
                f"warning: {detector.name} needs {needed}, and the configuration has none: what it finds in guarded "
                f"answers will be unverified. Add {section}{_OR if hasattr(detector, 'bibliography') else ''}"
            )
    return ""
