"""Prompt over HTTP: a service on this machine that takes 50 ms for each reply."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import partial
from typing import Any

from benchmarks._rows import Row
from benchmarks.performance.speed.setting import Setting, Texts, ratio_row, time_rows
from benchmarks.performance.speed.timing import Timed, rounds
from benchmarks.performance.speed.workers import WorkerFailed
from guardrail.testing.server import ScriptedChoice, Served, serve

__all__ = ["judge", "lost", "prompt_rows"]

LATENCY = 0.05
CONCURRENCY = 16
OTHERS = (4, 8, 32)
"""At a time, for orientation: with few the service is the bound, with many the client's processor time."""
FAULTS = {"server_error": 0.02, "malformed": 0.02, "empty": 0.02}
ANSWERS, FAST_ANSWERS = 100, 20

_QUESTION = "Context: {}\n\nSentence: {}\n\nIs the sentence supported by the context above?"
_SHAPE = re.compile(r"Context: (.*?)\n+Sentence: (.*?)\n+Is the sentence", re.DOTALL)


def judge(call: ScriptedChoice) -> str:
    """Yes or No, by the sentence and the context alone."""
    found = _SHAPE.search(call.text)
    if found is None:
        return "The prompt has another shape."
    words = " ".join(" ".join(found.groups()).split())
    return "No" if hashlib.sha256(words.encode()).digest()[0] % 3 == 0 else "Yes"


def prompt_rows(setting: Setting, many: Sequence[Texts]) -> list[Row]:
    """One answer, many answers, and one with bad replies.

    Args:
        setting: how.
        many: the answers that are checked together.
    """
    try:
        with serve(judge, latency=LATENCY) as server:
            rows = [*_one_answer(setting, server), *_many_answers(setting, server, many)]
        # Its own service: the one above counts how many questions were under way at once.
        with serve(judge, latency=LATENCY) as server:
            rows += _floor(setting, server)
        return [*rows, *_bad_replies(setting)]
    finally:
        setting.close()


def _one_answer(setting: Setting, server: Served) -> list[Row]:
    own = setting.own()

    def ours(texts: Texts) -> Any:
        return own.ask("prompt", base_url=server.base_url, cases=[texts], concurrency=CONCURRENCY)

    rounds({"ours": ours}, [setting.warm])
    found = rounds({"ours": ours}, setting.timed, say=setting.say)
    calls = [len(_questions(texts)) for texts in setting.timed]
    return [
        Row.shown("prompt: questions of a round", calls[0]),
        *time_rows("prompt", found),
        _ideal_row("prompt: ideal / ours", calls, found["ours"], setting.bars["prompt"]),
    ]


def _floor(setting: Setting, server: Served) -> list[Row]:
    """What a client of bare sockets makes of the ideal, ours with other numbers at a time, and its processor time."""
    own = setting.own()

    def bare(texts: Texts) -> Any:
        return own.ask("bare", base_url=server.base_url, questions=_questions(texts), concurrency=CONCURRENCY)

    def ours(texts: Texts, concurrency: int) -> Any:
        return own.ask("prompt", base_url=server.base_url, cases=[texts], concurrency=concurrency)

    contenders = {"bare": bare} | {str(n): partial(ours, concurrency=n) for n in OTHERS}
    judged = {"ours": partial(ours, concurrency=CONCURRENCY)}
    rounds(contenders | judged, [setting.warm])
    quantity = "prompt: processor time of ours per question"
    try:
        before = own.ask("processor_seconds").value
        failed = rounds(judged, setting.timed)["ours"].failed
        spent = own.ask("processor_seconds").value - before
    except WorkerFailed as error:
        failed, spent = str(error), 0.0
    found = rounds(contenders, _once(setting), say=setting.say)
    calls = [len(_questions(texts)) for texts in setting.timed]
    each = spent / sum(calls) * 1e3
    calls = calls[: len(_once(setting))]
    return [
        Row.missing(quantity, failed) if failed else Row.shown(quantity, each, unit="ms", digits=2),
        _ideal_row("prompt: ideal / bare sockets", calls, found["bare"]),
        *(
            _ideal_row(f"prompt: ideal / ours, {n} at a time", calls, found[str(n)], concurrency=n)
            for n in OTHERS
        ),
    ]


def _once(setting: Setting) -> list[Texts]:
    """One answer with --fast, for what is only shown."""
    return setting.timed[:1] if setting.fast else setting.timed


def _many_answers(setting: Setting, server: Served, many: Sequence[Texts]) -> list[Row]:
    own = setting.own()

    def ours(cases: Sequence[Texts]) -> Any:
        return own.ask("prompt", base_url=server.base_url, cases=cases, concurrency=CONCURRENCY)

    rounds({"ours": ours}, [[setting.warm]])
    found = rounds({"ours": ours}, [many] * setting.rounds, say=setting.say)["ours"]
    calls = len({(s, t) for texts in many for s in texts.sentences for t in texts.samples})
    part = f"prompt, {len(many)} answers"
    rows = [
        Row.shown(f"{part}: questions", calls),
        *time_rows(part, {"ours": found}),
        _ideal_row(f"{part}: ideal / ours", [calls] * setting.rounds, found, setting.bars["prompt"]),
    ]
    if server.service is not None:
        rows.append(
            Row.at_most("prompt: questions under way at once", server.service.most_running, CONCURRENCY)
        )
    return rows


def _questions(texts: Texts) -> list[str]:
    """Those that are asked, each once."""
    return list(dict.fromkeys(_QUESTION.format(t, s) for s in texts.sentences for t in texts.samples))


def _ideal_row(
    quantity: str,
    calls: Sequence[int],
    timed: Timed,
    bar: float | None = None,
    *,
    concurrency: int = CONCURRENCY,
) -> Row:
    """Questions x latency / concurrency over the time it took: in (0, 1], larger is better."""
    if timed.failed:
        return Row.missing(quantity, timed.failed, bar=None if bar is None else f"≥ {bar:.2f}")
    ideal = [n * LATENCY / concurrency for n in calls]
    return ratio_row(quantity, Timed(seconds=ideal), timed, bar)


def _bad_replies(setting: Setting) -> list[Row]:
    """500, broken JSON and no choices, without retries: each costs its own value and nothing else."""
    names = ("prompt, bad replies: values lost", "prompt, bad replies: sentences with a score")
    with serve(judge, latency=0.002, faults=FAULTS, seed=3) as server:
        own = setting.own()
        texts = setting.timed[0]
        try:
            reply = own.ask("prompt", base_url=server.base_url, cases=[texts], concurrency=CONCURRENCY)
        except WorkerFailed as error:
            return [Row.missing(name, str(error)) for name in names]
        sent = sum(server.stats()["faults"].values())
    found = reply.value[0]
    return [
        Row.shown("prompt, bad replies: sent", sent),
        Row.equal(names[0], lost(found, len(texts.samples)), sent),
        Row.equal(names[1], sum(score is not None for score, _, _ in found), len(texts.sentences)),
    ]


def lost(found: Sequence[Sequence[Any]], samples: int) -> int:
    """Values that no sample gave, over all sentences."""
    return sum(samples - used for _, used, _ in found)
