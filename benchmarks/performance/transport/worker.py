"""Checks recorded answers through an endpoint: what `benchmarks.performance.transport` times, breaks and kills."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.references.replay import Topic, read_topics, recorded_asks
from guardrail import Cache, Case, Guard, Report, Retry
from guardrail.chat import OpenAIChat
from guardrail.detectors import ReferenceCheck
from guardrail.engine import codec
from guardrail.requests import Ask

__all__ = ["CONCURRENCY", "check_all", "check_answers", "detector", "write_recording"]

CONCURRENCY = 32


def detector() -> ReferenceCheck:
    """The detector as a user has it: six questions per reference."""
    return ReferenceCheck(effort="fast")


def write_recording(topics: Sequence[Topic], path: Path) -> list[Ask]:
    """Write what the service is to say, in `RecordedChat`'s format; returns everything that will be asked."""
    asks = [
        (ask, text)
        for topic in topics
        for ask, text in recorded_asks(topic, detector())
        if ask.role == "subject"  # no comparisons: agreement is local
    ]
    with path.open("w", encoding="utf-8") as file:
        for ask, text in asks:
            key, request = json.dumps(codec.key(ask)), codec.encode_request(ask)
            file.write(f'{{"key":{key},"request":{request},"reply":{json.dumps(text)}}}\n')
    return [ask for ask, _ in asks]


async def check_all(guard: Guard, topics: Sequence[Topic]) -> list[Report]:
    """Check every answer, all of them at once; the lane bounds the requests."""
    cases = [Case.of(topic.answer, prompt=topic.prompt) for topic in topics]
    return list(await asyncio.gather(*(guard.acheck(case) for case in cases)))


def check_answers(
    topics: Sequence[Topic],
    base_url: str,
    *,
    cache: Path | None = None,
    timeout: float = 10.0,
    retry: Retry | None = None,
) -> list[Report]:
    """Check every answer with an endpoint, in an event loop of its own."""
    chat = OpenAIChat("recorded", base_url=base_url, api_key="none", timeout=timeout, concurrency=CONCURRENCY)
    memory = None if cache is None else Cache(cache, samples=True)
    guard = Guard([detector()], chat=chat, cache=memory, retry=retry)
    return asyncio.run(check_all(guard, topics))


def main(argv: Sequence[str] | None = None) -> int:
    """Check the first answers of a results file with a cache; to be killed in the middle."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.performance.transport.worker", description=main.__doc__
    )
    parser.add_argument("--base-url", required=True)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--answers", type=int, default=200)
    parser.add_argument("--cache", type=Path, required=True)
    options = parser.parse_args(argv)
    topics = read_topics(options.results)[: options.answers]
    reports = check_answers(topics, options.base_url, cache=options.cache)
    print(sum(len(report.findings) for report in reports))  # the caller reads it
    return 0


if __name__ == "__main__":
    sys.exit(main())
