"""What travels with a guarded answer: verdict, action, counts and places, never a text that was cut."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from guardrail.adapting.changes import Change, Places
from guardrail.given.accepted import Json, JsonObject
from guardrail.report import Action, Verdict, worst

_ACTIONS = [action.value for action in Action]  # mildest first


def shown_spans(change: Change) -> list[Json]:
    """Where the findings are in the text that is shown; those whose text was cut or replaced are left out.

    Each has `start` and `end` in characters, the detector, and the verdict.
    """
    if change.changed and not change.edits:
        return []
    places, found = Places(change.edits), []
    for finding in change.report.findings:
        if finding.span is None or finding.verdict in {None, Verdict.SUPPORTED}:
            continue
        place = places.of(finding.span.start, finding.span.end)
        if place is not None:
            shown = {"start": place[0], "end": place[1]}
            found.append({**shown, "detector": finding.detector, "verdict": finding.word})
    return found


def untouched(reason: str) -> Json:
    """The summary of an answer in which there was nothing to examine."""
    return {
        "verdict": None,
        "action": Action.PASS.value,
        "attempts": 1,
        "counts": {},
        "calls": 0,
        "note": reason,
    }


def failed(reason: str, *, blocked: bool) -> Json:
    """The summary of an answer that could not be examined: passed on unverified, or blocked."""
    action = Action.BLOCK if blocked else Action.FLAG
    return {
        "verdict": Verdict.UNVERIFIED.value,
        "action": action.value,
        "attempts": 1,
        "counts": {Verdict.UNVERIFIED.value: 1},
        "failures": [{"detector": "guardrail", "reason": reason}],
        "calls": 0,
    }


def partly(summary: JsonObject, what: str) -> Json:
    """The summary of an answer in which there was something that nobody can examine, too."""
    counts: Counter[str] = Counter(summary["counts"])
    counts[Verdict.UNVERIFIED.value] += 1
    before = [Verdict(summary["verdict"])] if summary["verdict"] else []
    overall = worst([*before, Verdict.UNVERIFIED])
    action = str(summary["action"])
    return {
        **summary,
        "verdict": overall.value if overall else None,
        "action": Action.FLAG.value if action == Action.PASS.value else action,
        "counts": dict(counts),
        "failures": [
            *summary.get("failures", ()),
            {"detector": "guardrail", "reason": f"expected text, got {what}"},
        ],
    }


def together(summaries: Mapping[int, JsonObject]) -> Json:
    """The summary of a response; of several choices the worst verdict, the strongest action, and each by itself.

    Example:
        >>> together({0: untouched("a"), 1: failed("timeout", blocked=True)})["verdict"]
        'unverified'
    """
    if not summaries:
        return untouched("there are no choices")
    if len(summaries) == 1:
        return dict(next(iter(summaries.values())))
    each = list(summaries.values())
    verdicts = [Verdict(one["verdict"]) for one in each if one["verdict"]]
    overall = worst(verdicts)
    return {
        "verdict": overall.value if overall else None,
        "action": max((str(one["action"]) for one in each), key=_ACTIONS.index, default=Action.PASS.value),
        "attempts": sum(one["attempts"] for one in each),
        "counts": {v.value: sum(one["counts"].get(v.value, 0) for one in each) for v in Verdict},
        "calls": sum(one["calls"] for one in each),
        "choices": [{"index": index, **one} for index, one in summaries.items()],
    }


def headers(summary: JsonObject) -> list[tuple[str, str]]:
    """The report headers: verdict, number of findings that are not supported, action, the guard's own calls."""
    counts = summary.get("counts", {})
    findings = sum(counts.get(v.value, 0) for v in (Verdict.UNSUPPORTED, Verdict.UNVERIFIED))
    return [
        ("x-guardrail-verdict", str(summary["verdict"] or "none")),
        ("x-guardrail-findings", str(findings)),
        ("x-guardrail-action", str(summary["action"])),
        ("x-guardrail-calls", f"{summary['calls']:g}"),
    ]
