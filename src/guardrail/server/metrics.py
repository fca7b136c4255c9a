"""Counters for Prometheus: numbers and names of this program only, nothing of what was asked or answered."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, Gauge, Metric, Summary, generate_latest, values
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from guardrail.given.accepted import JsonObject


def share(folder: Path, worker: int) -> None:
    """Keep what this process counts in files of a folder, before any `Metrics` is made.

    Args:
        folder: of the supervisor.
        worker: the number of this process; one that takes that of a dead process goes on with its counts.
    """
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)
    values.ValueClass = values.MultiProcessValue(lambda: worker)


class Metrics(Collector):
    """What was counted since the start.

    Args:
        folder: where all workers keep their counts (`share`), which are added up; `None` for one process.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        if folder is None:  # whatever the environment says for others that use the library
            values.ValueClass = values.MutexValue
        self._registry = own = CollectorRegistry()
        self.running = Gauge(
            "guardrail_running",
            "Requests that are being worked on.",
            registry=own,
            multiprocess_mode="livesum",
        )
        self.requests = Counter(
            "guardrail_requests_total",
            "Requests that were answered, by route and status.",
            ["route", "status"],
            registry=own,
        )
        self.seconds = Summary(
            "guardrail_request_seconds", "Seconds that answering took, by route.", ["route"], registry=own
        )
        self.answers = Counter(
            "guardrail_answers_total",
            "Answers that were examined, by verdict, action and mode.",
            ["verdict", "action", "mode"],
            registry=own,
        )
        self.findings = Counter(
            "guardrail_findings_total",
            "Findings, by detector and verdict.",
            ["detector", "verdict"],
            registry=own,
        )
        self.unfinished = Counter(
            "guardrail_unfinished_checks_total",
            "Detectors or guards that could not finish; their answers were not checked.",
            ["detector"],
            registry=own,
        )
        self.paid_calls = Counter(
            "guardrail_paid_calls_total", "Paid model calls that the guard made.", registry=own
        )
        self.refused = Counter(
            "guardrail_refused_total", "Requests refused by this server, by reason.", ["reason"], registry=own
        )
        self.cancelled = Counter(
            "guardrail_cancelled_total", "Requests whose client went away before the end.", registry=own
        )

    def examined(self, summary: JsonObject, *, mode: str) -> None:
        """Count an examination, given the summary of its report; that of several choices has one for each."""
        for one in summary.get("choices", [summary]):
            self.answers.labels(one["verdict"] or "none", one["action"], mode).inc()
            for found in one.get("findings", ()):
                self.findings.labels(found["detector"], found["verdict"]).inc()
            for failure in one.get("failures", ()):
                self.unfinished.labels(failure["detector"]).inc()
        self.paid_calls.inc(summary["calls"])

    def collect(self) -> Iterator[Metric]:
        """All metrics, of all workers, without the times at which they were made."""
        shared = MultiProcessCollector(None, self._folder).collect() if self._folder else ()
        added_up = {one.name: one for one in shared}
        for own in self._registry.collect():
            found = added_up.get(own.name, own)  # no file has one with labels that counted nothing
            found.samples = [one for one in found.samples if not one.name.endswith("_created")]
            yield found

    def text(self) -> str:
        """All counts, of all workers, in Prometheus' text format, version 0.0.4."""
        return generate_latest(self).decode()
