"""Counters for Prometheus: numbers and names of this program only, nothing of what was asked or answered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from guardrail.server.counters import Counts, Shared

_HELP = {
    "guardrail_requests_total": "Requests that were answered, by route and status.",
    "guardrail_request_seconds_sum": "Seconds that answering took, by route.",
    "guardrail_request_seconds_count": "Requests in the sum of seconds, by route.",
    "guardrail_answers_total": "Answers that were examined, by verdict, action and mode.",
    "guardrail_findings_total": "Findings, by detector and verdict.",
    "guardrail_unfinished_checks_total": "Detectors or guards that could not finish; their answers were not checked.",
    "guardrail_paid_calls_total": "Paid model calls that the guard made.",
    "guardrail_refused_total": "Requests refused by this server, by reason.",
    "guardrail_cancelled_total": "Requests whose client went away before the end.",
}


class Metrics:
    """What was counted since the start.

    Args:
        shared: counters of other workers, which are added.
    """

    def __init__(self, shared: Shared | None = None) -> None:
        self._counts: Counts = Counter()
        self._shared = shared
        self.running = 0

    def publish(self) -> None:
        """Let other workers know what was counted here."""
        if self._shared is not None:
            self._shared.write(self._counts, self.running)

    def add(self, name: str, amount: float = 1, **labels: str) -> None:
        """Count something."""
        self._counts[name, tuple(sorted(labels.items()))] += amount  # type: ignore[assignment]  # seconds too

    def examined(self, summary: Mapping[str, Any], *, mode: str) -> None:
        """Count an examination, given the summary of its report; that of several choices has one for each."""
        for one in summary.get("choices", [summary]):
            verdict = str(one["verdict"] or "none")
            self.add("guardrail_answers_total", verdict=verdict, action=str(one["action"]), mode=mode)
            for found in one.get("findings", ()):
                kind, verdict = str(found["detector"]), str(found["verdict"])
                self.add("guardrail_findings_total", detector=kind, verdict=verdict)
            for failure in one.get("failures", ()):
                self.add("guardrail_unfinished_checks_total", detector=str(failure["detector"]))
        self.add("guardrail_paid_calls_total", summary["calls"])

    def text(self) -> str:
        """All counts, of all workers, in Prometheus' text format, version 0.0.4."""
        counts, running = Counter(self._counts), self.running
        if self._shared is not None:
            others, more = self._shared.others()
            counts.update(others)
            running += more
        lines = [
            "# HELP guardrail_running Requests that are being worked on.",
            "# TYPE guardrail_running gauge",
            f"guardrail_running {running}",
        ]
        for name, help_text in _HELP.items():
            lines += [f"# HELP {name} {help_text}", f"# TYPE {name} counter"]
            lines += [
                f"{name}{_labels(dict(labels))} {amount:.10g}"
                for (found, labels), amount in sorted(counts.items())
                if found == name
            ]
        return "\n".join(lines) + "\n"


def _labels(labels: Mapping[str, str]) -> str:
    """Labels in braces; values are escaped as the format says."""
    if not labels:
        return ""
    pairs = (f'{name}="{_escaped(value)}"' for name, value in labels.items())
    return "{" + ",".join(pairs) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
