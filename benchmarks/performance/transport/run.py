"""References over real HTTP against a local service: speed beside the bare client, faults, and a kill -9.

The service speaks OpenAI's protocol in a process of its own, says what was recorded, and takes 50 ms for it.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks._table import Row, Run, bench
from benchmarks.performance.transport.worker import (
    CONCURRENCY,
    check_all,
    check_answers,
    detector,
    write_recording,
)
from benchmarks.references.replay import Topic, read_topics
from guardrail import Guard, Report, Retry, Verdict
from guardrail.chat import OpenAIChat
from guardrail.requests import Ask
from guardrail.testing.server import serve

__all__ = ["compute", "main"]

LATENCY = 0.05
MOST_RATIO = 1.15
FAULT_RATE = 0.05
MOST_UNVERIFIED = 0.01
KINDS = ("rate_limit", "server_error", "timeout", "cut", "malformed", "empty")


def compute(run: Run) -> list[Row]:
    """Every row."""
    results = run.data("references") / "gpt-4_results.csv"
    topics = read_topics(results)
    if run.fast:
        topics = topics[:40]
    with tempfile.TemporaryDirectory() as folder:
        recording = Path(folder) / "recording.jsonl"
        asks = write_recording(topics, recording)
        return [
            *speed_rows(topics, recording, asks, rounds=2 if run.fast else 3),
            *fault_rows(topics, recording),
            *kill_rows(results, topics, recording, Path(folder) / "cache.sqlite"),
        ]


# -- speed


def speed_rows(topics: Sequence[Topic], recording: Path, asks: Sequence[Ask], *, rounds: int) -> list[Row]:
    """Ours and the bare client in turn, the same requests at the same concurrency."""
    bodies = [_body(ask) for ask in asks]
    ours, given, bare = [], [], []
    with serve(str(recording), own_process=True, latency=LATENCY) as server:
        asyncio.run(_bare(server.base_url, bodies[:64]))  # imports and first connections, not counted
        for _ in range(rounds):
            bare.append(asyncio.run(_bare(server.base_url, bodies)))
            before = server.stats()["requests"]
            ours.append(asyncio.run(_ours(server.base_url, topics)))
            sent = server.stats()["requests"] - before
            given.append(asyncio.run(_ours(server.base_url, topics, own_client=False)))
    ideal = len(bodies) * LATENCY / CONCURRENCY
    per_round = [a / b for a, b in zip(ours, bare, strict=True)]
    per_given = [a / b for a, b in zip(given, bare, strict=True)]
    return [
        Row.shown("references checked", sum(len(topic.titles) for topic in topics)),
        Row.shown("requests sent by the bare client", len(bodies)),
        # titles that two answers share are asked about once while both are in flight
        Row.between("requests sent by ours / by the bare client", sent / len(bodies), (0.97, 1.0)),
        Row.shown("ideal: requests × 50 ms / 32", ideal, unit="s", digits=2),
        Row.shown("bare openai client, median", statistics.median(bare), unit="s", digits=2),
        Row.shown("ours, median", statistics.median(ours), unit="s", digits=2),
        Row.shown("ours with the user's own client, median", statistics.median(given), unit="s", digits=2),
        Row.shown("bare / ideal", statistics.median(bare) / ideal),
        Row.shown("ours / ideal", statistics.median(ours) / ideal),
        Row.at_most(
            "ours / bare, median of pairs",
            statistics.median(per_round),
            MOST_RATIO,
            interval=(min(per_round), max(per_round)),
        ),
        Row.at_most(
            "ours with the user's own client / bare, median of pairs",
            statistics.median(per_given),
            MOST_RATIO,
            interval=(min(per_given), max(per_given)),
        ),
    ]


def _body(ask: Ask) -> dict[str, Any]:
    messages = [{"role": message.role, "content": message.text} for message in ask.messages]
    return {"model": "recorded", "messages": messages, "temperature": ask.temperature}


async def _bare(base_url: str, bodies: Sequence[dict[str, Any]]) -> float:
    """What a competent user writes without us: workers over one client."""
    from openai import AsyncOpenAI

    queue: Iterator[dict[str, Any]] = iter(bodies)
    async with AsyncOpenAI(base_url=base_url, api_key="none", max_retries=0) as client:

        async def work() -> None:
            for body in queue:
                await client.chat.completions.create(**body)

        started = time.perf_counter()
        await asyncio.gather(*(work() for _ in range(CONCURRENCY)))
        return time.perf_counter() - started


async def _ours(base_url: str, topics: Sequence[Topic], *, own_client: bool = True) -> float:
    from openai import AsyncOpenAI

    if own_client:
        chat = OpenAIChat("recorded", base_url=base_url, api_key="none", concurrency=CONCURRENCY)
        return await _timed(chat, topics)
    async with AsyncOpenAI(base_url=base_url, api_key="none", max_retries=0) as client:
        return await _timed(OpenAIChat("recorded", async_client=client, concurrency=CONCURRENCY), topics)


async def _timed(chat: OpenAIChat, topics: Sequence[Topic]) -> float:
    guard = Guard([detector()], chat=chat)
    started = time.perf_counter()
    await check_all(guard, topics)
    seconds = time.perf_counter() - started
    await chat.aclose()
    return seconds


# -- faults


def fault_rows(topics: Sequence[Topic], recording: Path) -> list[Row]:
    """Six kinds of faults, 5 % of the replies each: what becomes of the references."""
    faults = dict.fromkeys(KINDS, FAULT_RATE)
    titles = sum(len(topic.titles) for topic in topics)
    found: list[Row] = []
    for name, retry in (("retries on", Retry(attempts=5, base=0.05)), ("retries off", Retry(attempts=1))):
        with serve(
            str(recording), own_process=True, latency=0.005, faults=faults, retry_after="0.2", seed=7
        ) as server:
            reports = check_answers(topics, server.base_url, timeout=1.0, retry=retry)
            sent = server.stats()["faults"]
        findings = [finding for report in reports for finding in report.findings]
        unverified = [finding for finding in findings if finding.verdict is Verdict.UNVERIFIED]
        found += [
            Row.equal(f"{name}: references with a finding", len(findings), titles),
            Row.equal(f"{name}: neither scored nor unverified with a reason", _lost(reports), 0),
            Row.shown(f"{name}: faults sent", sum(sent.values())),
            Row.equal(f"{name}: kinds of faults sent", len(sent), len(KINDS)),
        ]
        share = len(unverified) / titles
        quantity = f"{name}: unverified references"
        found.append(
            Row.at_most(quantity, share, MOST_UNVERIFIED)
            if retry.attempts > 1
            else Row.shown(quantity, share)
        )
        reasons = Counter(finding.reason.split(":")[0] for finding in unverified)
        found.append(Row.shown(f"{name}: reasons given", ", ".join(sorted(reasons)) or "none needed"))
    return found


def _lost(reports: Sequence[Report]) -> int:
    """Findings that are counted as clean, or as anything, without a score; and failed detectors."""
    lost = sum(len(report.failures) for report in reports)
    for report in reports:
        for finding in report.findings:
            unverified = finding.verdict is Verdict.UNVERIFIED
            if unverified != (finding.score is None) or (unverified and not finding.reason):
                lost += 1
    return lost


# -- kill -9


def kill_rows(results: Path, topics: Sequence[Topic], recording: Path, cache: Path) -> list[Row]:
    """A process is killed in the middle; its successor asks only what was not yet answered."""
    answers = min(len(topics), 60)
    with serve(str(recording), own_process=True, latency=LATENCY) as server:
        first = _worker(server.base_url, results, answers, cache)
        while _committed(cache) < 300 and first.poll() is None:
            time.sleep(0.02)
        os.kill(first.pid, signal.SIGKILL)
        first.wait()
        time.sleep(2 * LATENCY)  # what was under way reaches the service
        committed, before = _committed(cache), server.stats()["requests"]
        second = _worker(server.base_url, results, answers, cache)
        output, _ = second.communicate(timeout=300)
        after = server.stats()["requests"]
        total = _committed(cache)
    return [
        Row.equal("kill -9: the first process was killed at work", first.returncode, -signal.SIGKILL),
        Row.shown("kill -9: answers committed before", committed),
        Row.shown("kill -9: asked and not committed before", before - committed),
        Row.equal("kill -9: requests of the second process", after - before, total - committed),
        Row.equal("kill -9: references that it judged", int(json.loads(output)), 5 * answers),
    ]


def _worker(base_url: str, results: Path, answers: int, cache: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "benchmarks.performance.transport.worker", "--base-url", base_url]
    command += ["--results", str(results), "--answers", str(answers), "--cache", str(cache)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603  # ourselves


def _committed(cache: Path) -> int:
    if not cache.exists():
        return 0
    connection = sqlite3.connect(f"file:{cache}?mode=ro", uri=True)
    try:
        return int(connection.execute("SELECT count(*) FROM replies").fetchone()[0])
    except sqlite3.OperationalError:  # the table is not there yet
        return 0
    finally:
        connection.close()


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    return bench(
        "performance.transport",
        compute,
        argv,
        folder=Path(__file__).parent,
        doc=__doc__ or "",
        packages=("openai",),
    )
