"""What /metrics says, of one process and of several."""

import pytest
from prometheus_client import values
from prometheus_client.multiprocess import mark_process_dead

from guardrail.server.metrics import Metrics, share

EXAMINED = {
    "verdict": "unsupported",
    "action": "remove",
    "findings": [{"detector": "spotter", "verdict": "unsupported"}],
    "failures": [{"detector": "references"}],
    "calls": 5.0,
}
SERIES = """\
guardrail_running 1.0
guardrail_requests_total{route="/metrics",status="200"} 1.0
guardrail_request_seconds_count{route="/metrics"} 2.0
guardrail_request_seconds_sum{route="/metrics"} 0.75
guardrail_answers_total{action="remove",mode="enforce",verdict="unsupported"} 1.0
guardrail_findings_total{detector="spotter",verdict="unsupported"} 1.0
guardrail_unfinished_checks_total{detector="references"} 1.0
guardrail_paid_calls_total 5.0
guardrail_refused_total{reason="deadline"} 1.0
guardrail_cancelled_total 0.0
"""


@pytest.fixture
def worker(tmp_path, monkeypatch):
    """Be the worker of a number from now on; give its metrics."""
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", "")
    monkeypatch.setattr(values, "ValueClass", values.ValueClass)

    def start(number):
        share(tmp_path, number)
        return Metrics(tmp_path)

    yield start
    values.close_all_multiprocess_files()


def count(metrics):
    """Something of each kind."""
    metrics.running.inc()
    metrics.requests.labels("/metrics", 200).inc()
    metrics.seconds.labels("/metrics").observe(0.25)
    metrics.seconds.labels("/metrics").observe(0.5)
    metrics.examined(EXAMINED, mode="enforce")
    metrics.refused.labels("deadline").inc()


def series(metrics):
    """The lines with numbers."""
    return "".join(line for line in metrics.text().splitlines(keepends=True) if line[0] != "#")


class TestText:
    def test_series_of_one_process(self):
        """Dashboards know them by these names and labels; when a series began is left out."""
        metrics = Metrics()
        count(metrics)
        assert series(metrics) == SERIES

    def test_those_of_workers_are_the_same(self, worker):
        """Nothing says which worker it was."""
        metrics = worker(0)
        count(metrics)
        assert series(metrics) == SERIES

    def test_each_is_described_before_it_was_counted(self, worker):
        """In one process and in several."""
        alone = Metrics().text()
        assert worker(0).text() == alone
        assert "# TYPE guardrail_refused_total counter\n" in alone
        assert "# TYPE guardrail_request_seconds summary\n" in alone


class TestWorkers:
    def test_counts_add_up_and_survive_their_process(self, worker, tmp_path):
        """What it works on dies with it; the one that replaces it counts on, in the same file."""
        first = worker(0)
        first.refused.labels("deadline").inc(3)
        first.running.inc()
        second = worker(1)
        second.refused.labels("deadline").inc(4)
        second.running.inc(2)
        assert 'guardrail_refused_total{reason="deadline"} 7.0' in first.text()
        assert "guardrail_running 3.0" in first.text()
        files = set(tmp_path.iterdir())
        mark_process_dead(1, tmp_path)
        assert 'guardrail_refused_total{reason="deadline"} 7.0' in first.text()
        assert "guardrail_running 1.0" in first.text()
        again = worker(1)
        again.refused.labels("deadline").inc()
        assert 'guardrail_refused_total{reason="deadline"} 8.0' in first.text()
        assert "guardrail_running 1.0" in first.text()
        assert set(tmp_path.iterdir()) == files
