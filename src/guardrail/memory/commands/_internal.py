"""What `guardrail memory internal` does behind its options: asking, keeping replies, telling what came of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from guardrail._visible import one_line
from guardrail.cli._counted import Counted
from guardrail.cli._errors import Interrupted, Usage
from guardrail.cli._outputs import write_text
from guardrail.cli._terminal import json_text, patience
from guardrail.engine.drivers import run_sync
from guardrail.engine.flow import Failed, Flow
from guardrail.engine.hub import Hub
from guardrail.engine.run import Run
from guardrail.errors import ConfigError, InputError
from guardrail.memory.internal import (
    Candidates,
    Known,
    Outcome,
    Question,
    Setting,
    Wording,
    ask_pairs,
    ask_questions,
    plan,
    setting,
)

if TYPE_CHECKING:
    from guardrail.cache import Cache

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Options:
    """What is asked."""

    wording: Wording
    ks: tuple[int, ...]
    strategy: Any
    shuffle: Any
    questions: int
    orders: int | None
    seed: int


@dataclass(frozen=True, slots=True)
class Measured:
    """What came of it.

    Attributes:
        known: the pairs asked one by one.
        settings: by k; the reason where a setting could not be asked.
        outcomes: of every question.
    """

    known: Known
    settings: Mapping[int, Setting | str]
    outcomes: tuple[Outcome, ...]

    @property
    def complete(self) -> bool:
        """Whether every question was asked and had a reply that could be read."""
        return "failed" not in self.known.results and all(
            not isinstance(one, str) and not one.counts["malformed"] and not one.counts["failed"]
            for one in self.settings.values()
        )


def measure(found: Candidates, options: Options, chat: Any, store: Cache | None) -> Measured:
    """Ask for every pair, then for k of the known ones at a time.

    Raises:
        Usage: no pair is known.
        InputError: the model could not be asked at all.
        Interrupted: by Ctrl-C; with a store the same command goes on where this one stopped.
    """
    try:
        with patience(f"asking for {len(found.pairs):,} pairs one by one", len(found.pairs)) as done:
            known = _driven(ask_pairs(found.pairs, options.wording), chat, store, done)
        if not known.count:
            raise Usage(
                f"expected pairs that the model knows, got none of {len(found.pairs):,}: {_first_reply(known)}"
            )
        planned: dict[int, list[Question] | str] = {k: _planned(known, k, options) for k in options.ks}
        everything = [
            one for questions in planned.values() if not isinstance(questions, str) for one in questions
        ]
        with patience(f"asking {len(everything):,} questions", len(everything)) as done:
            outcomes = _driven(ask_questions(everything, options.wording), chat, store, done)
    except KeyboardInterrupt as error:
        kept = (
            "replies are kept: the same command goes on"
            if store is not None
            else "nothing was kept: see --out"
        )
        raise Interrupted(kept) from error
    settings: dict[int, Setting | str] = {}
    start = 0
    for k, questions in planned.items():
        if isinstance(questions, str):
            settings[k] = questions
            continue
        settings[k] = setting(outcomes[start : start + len(questions)], k, options.strategy)
        start += len(questions)
    return Measured(known, settings, tuple(outcomes))


def _planned(known: Known, k: int, options: Options) -> list[Question] | str:
    if known.count < k:
        return f"only {known.count} pairs are known"
    return plan(
        known,
        k,
        combinations=options.questions,
        strategy=options.strategy,
        shuffle=options.shuffle,
        most_orders=options.orders,
        seed=options.seed,
    )


def _driven(flow: Flow[T], chat: Any, store: Cache | None, done: Callable[[int], None]) -> T:
    hub = Hub({"chat": Counted(chat, done)}, store=None if store is None else _Recalled(store, done))
    found = run_sync(Run(flow), hub)
    if isinstance(found, Failed):
        if isinstance(found.error, ConfigError):
            raise found.error
        raise InputError(f"the model could not be asked: {found}")
    return found


def _first_reply(known: Known) -> str:
    """What the model says in place of names, in one line."""
    index = next((i for i, result in enumerate(known.results) if result != "failed"), None)
    if index is None:
        return f"no reply ({one_line(known.texts[0], 160)})"
    return (
        f"asked about {one_line(known.pairs[index].left, 60)!r} it said {one_line(known.texts[index], 80)!r}"
    )


class _Recalled:
    """A cache that tells how many requests it has answered."""

    def __init__(self, inner: Cache, done: Callable[[int], None]) -> None:
        self._inner = inner
        self._done = done
        self.samples = inner.samples

    def get(self, request: Any, fingerprint: str) -> Any:
        """As what is wrapped."""
        found = self._inner.get(request, fingerprint)
        if found is not None:
            self._done(1)
        return found

    def put(self, request: Any, fingerprint: str, answer: Any) -> None:
        """As what is wrapped."""
        self._inner.put(request, fingerprint, answer)


# --- telling -------------------------------------------------------------------------------------------------


def table(found: Candidates, measured: Measured) -> str:
    """What a person reads."""
    results = measured.known.results
    counts = ", ".join(
        f"{results.count(result):,} {words}"
        for result, words in (
            ("right", "known"),
            ("wrong", "answered otherwise"),
            ("malformed", "malformed"),
            ("failed", "without a reply"),
        )
    )
    lines = [f"pairs: {len(found.pairs):,} asked one by one, {counts}"]
    if found.ambiguous or found.nameless:
        rows = "row" if found.nameless == 1 else "rows"
        lines.append(
            f"       {len(found.ambiguous):,} with several right names; {found.nameless:,} {rows} without a name left out"
        )
    lines += ["", f"{'k':>3}{'P':>9}  {'95 % interval':<16}{'read':>8}{'malformed':>11}{'failed':>8}"]
    for k, one in measured.settings.items():
        if isinstance(one, str):
            lines.append(f"{k:>3}{'-':>9}  {one}")
            continue
        share = "-" if one.estimate is None else f"{one.estimate.value:.3f}"
        ends = "-" if one.estimate is None else "{:.3f} to {:.3f}".format(*one.estimate.interval)
        read = one.counts["right"] + one.counts["wrong"]
        faults = ", ".join(f"{count} {fault}" for fault, count in one.faults.items() if count)
        if faults and one.as_wrong is not None:
            faults += f"; P {one.as_wrong.value:.3f} with them as wrong"
        lines.append(
            f"{k:>3}{share:>9}  {ends:<16}{read:>8,}{one.counts['malformed']:>11,}{one.counts['failed']:>8,}"
            + (f"  ({faults})" if faults else "")
        )
    return "\n".join(lines)


def to_json(found: Candidates, measured: Measured, more: Mapping[str, Any]) -> dict[str, Any]:
    """What a program reads."""
    results = measured.known.results
    return {
        **more,
        "pairs": {
            "asked": len(found.pairs),
            "known": measured.known.count,
            "wrong": results.count("wrong"),
            "malformed": results.count("malformed"),
            "failed": results.count("failed"),
            "ambiguous": len(found.ambiguous),
            "nameless": found.nameless,
        },
        "settings": [
            {"k": k, "reason": one} if isinstance(one, str) else _setting_json(one)
            for k, one in measured.settings.items()
        ],
    }


def _setting_json(one: Setting) -> dict[str, Any]:
    return {
        "k": one.k,
        "strategy": one.strategy,
        "probability": None if one.estimate is None else one.estimate.value,
        "interval": None if one.estimate is None else list(one.estimate.interval),
        "malformed_as_wrong": None if one.as_wrong is None else one.as_wrong.value,
        "counts": dict(one.counts),
        "faults": dict(one.faults),
    }


def write_folder(folder: Path, content: Mapping[str, Any], measured: Measured) -> None:
    """result.json, and every question with its reply in questions.jsonl."""
    lines = [
        json.dumps(
            {
                "lefts": [pair.left for pair in one.question.pairs],
                "shown": one.question.shown(),
                "result": one.result,
                "fault": one.fault,
                "reply": one.text,
            },
            ensure_ascii=False,
        )
        for one in measured.outcomes
    ]
    write_text(str(folder / "questions.jsonl"), "".join(line + "\n" for line in lines))
    write_text(str(folder / "result.json"), json_text(dict(content)))
