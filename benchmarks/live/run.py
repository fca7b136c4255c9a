"""A real chat model behind every detector: your own endpoint, or the recorded replies of two small models.

Without options the recordings are replayed. `--base-url URL --model NAME --record FILE` asks a model of OpenAI's protocol,
keeps each reply in FILE, and goes on there after an interruption; `--replay FILE` makes the same table without the model.
"""

from __future__ import annotations

import argparse
import json
import re
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks._rows import Row
from benchmarks._table import Run, bench
from benchmarks.live import answers, references
from benchmarks.live.asked import Asked, slim
from benchmarks.live.labels import Labels, labels_of
from benchmarks.logic import live as logic
from guardrail.chat import OpenAIChat, read_recording
from guardrail.engine.hub import Hub
from guardrail.errors import InputError
from guardrail.logic.knowledge.prolog import available

__all__ = ["main"]

HERE = Path(__file__).resolve().parent
RECORDED = HERE / "recorded"
PARTS = ("references", "biographies", "memory", "logic", "documents", "regenerate")
RECORDED_PARTS: Mapping[str, Sequence[str]] = {"qwen2.5-coder-1.5b-instruct": ("references", "logic")}
"""Parts of which the recording next to this file has replies; of any other recording, all."""

RECORDED_TOPICS: Mapping[str, int] = {"qwen2.5-coder-1.5b-instruct": 2}
"""The same of `--topics`."""

TIMEOUT = 900.0
PEOPLE = 30
TOPICS = 5  # of each field, and five times as many well-known works
AGAIN = 10  # questions that are asked again
PAIRS = 30  # lists of each length
REMEMBERED = 15
QUESTIONS = 40
_FINE = re.compile(r", (?:domain|operator), ")
"""Rows of so few questions that they say nothing."""

CASES = 2  # questions per domain and rule; 25 times as many about time


def compute(run: Run) -> list[Row]:
    """The rows of each model."""
    options = run.options
    if options.slim is not None:
        if options.replay is None:
            raise InputError(
                "--slim: expected --replay FILE too, which is the recording to write without its prompts"
            )
        slim(options.replay, options.slim)
        return [Row.shown("bytes", options.slim.stat().st_size)]
    if options.base_url is not None or options.model is not None:
        return list(_live(run))
    given = [options.replay] if options.replay else sorted(RECORDED.glob("*.jsonl"))
    return [row for path in given for row in _of_model(run, Asked(path, _model_of(path), say=run.say))]


def _live(run: Run) -> Iterator[Row]:
    options = run.options
    if options.model is None or options.record is None:
        raise InputError(
            "expected --model NAME and --record FILE with --base-url: replies cost time, and FILE keeps them"
        )
    chat = OpenAIChat(
        options.model,
        base_url=options.base_url,
        timeout=TIMEOUT,
        concurrency=4,
        options={"max_tokens": options.max_tokens},
    )
    run.parameters["model"] = options.model
    yield from _of_model(run, Asked(options.record, options.model, record_from=chat, say=run.say))


def _of_model(run: Run, asked: Asked) -> Iterator[Row]:
    model = asked.model
    labels = labels_of(model)
    there: Sequence[str] = PARTS
    if not asked.live and asked.path.parent == RECORDED:
        there = RECORDED_PARTS.get(model, PARTS)
        topics = min(run.options.topics, RECORDED_TOPICS.get(model, TOPICS))
        run = replace(run, options=Namespace(**{**vars(run.options), "topics": topics}))
    for part in run.options.only or there:
        if part not in there:
            yield Row.missing(
                f"{model}, {part}", "not recorded of this model; ask it with --base-url and --record"
            )
            continue
        for row in _PARTS[part](run, asked, labels):
            yield replace(row, quantity=f"{model}, {row.quantity}")


def _references(run: Run, asked: Asked, labels: Labels) -> Iterator[Row]:
    works = _questions()["works"][: 3 if run.fast else 5 * run.options.topics]
    yield from references.asked_rows(run, asked, _topics(run), works, labels)


def _regenerate(run: Run, asked: Asked, labels: Labels) -> Iterator[Row]:
    topics = _topics(run)
    yield from references.again_rows(run, asked, topics[:: max(1, len(topics) // AGAIN)][:AGAIN], labels)


def _biographies(run: Run, asked: Asked, labels: Labels) -> Iterator[Row]:
    people = [(number, name) for number, name in _questions()["biographies"]]
    yield from answers.biography_rows(asked, people[: 5 if run.fast else PEOPLE], labels)


def _memory(run: Run, asked: Asked, labels: Labels) -> Iterator[Row]:
    del labels
    yield from answers.memory_rows(run, asked, PAIRS)


def _documents(run: Run, asked: Asked, labels: Labels) -> Iterator[Row]:
    yield from answers.document_rows(
        asked, answers.paired(run, 10 if run.fast else QUESTIONS), labels, REMEMBERED
    )


def _logic(run: Run, asked: Asked, labels: Labels) -> Iterator[Row]:
    del labels
    if reason := available():
        yield Row.missing("logic", reason)
        return
    options = Namespace(cases=CASES, rephrase=False, repair=False, invented=False)
    own = replace(run, options=options)
    for row in logic.live_rows(own, Hub({"chat": asked})):
        if not _FINE.search(row.quantity):
            yield replace(row, quantity=f"logic: {row.quantity.removeprefix('Live model').lstrip(', :')}")


_PARTS: Mapping[str, Any] = {
    "references": _references,
    "biographies": _biographies,
    "memory": _memory,
    "logic": _logic,
    "documents": _documents,
    "regenerate": _regenerate,
}


def _questions() -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads((HERE / "questions.json").read_text(encoding="utf-8"))
    return found


def _topics(run: Run) -> list[str]:
    most = 1 if run.fast else run.options.topics
    return [topic for own in _questions()["references"].values() for topic in own[:most]]


def _model_of(path: Path) -> str:
    """The model that a recording is of."""
    for entry in read_recording(path):
        model = getattr(getattr(entry.reply, "value", None), "model", "")
        if model:
            return str(model)
    raise InputError(f"expected a recording of a model's replies, got {path.name!r} with none")


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--base-url", metavar="URL", help="ask the model that is there (OpenAI's protocol)")
    parser.add_argument("--model", metavar="NAME", help="its name there")
    parser.add_argument(
        "--record", type=Path, metavar="FILE", help="keep its replies there, and go on where they end"
    )
    parser.add_argument(
        "--max-tokens",
        type=int,
        default=200,
        metavar="N",
        help="of a reply (200); small models often find no end",
    )
    parser.add_argument(
        "--topics",
        type=int,
        default=TOPICS,
        metavar="N",
        help=f"of each of ten fields in the part `references` ({TOPICS}), with 5 N well-known works",
    )
    parser.add_argument(
        "--replay",
        type=Path,
        metavar="FILE",
        help="take the replies from there; the recorded models by default",
    )
    parser.add_argument(
        "--only", nargs="+", choices=PARTS, metavar="PART", help=f"some parts: {', '.join(PARTS)}"
    )
    parser.add_argument(
        "--slim",
        type=Path,
        metavar="FILE",
        help="write the recording of --replay there, without its prompts, and end",
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Run it from a command line."""
    return bench("live", compute, argv, folder=HERE, doc=__doc__ or "", add_options=_add_options)
