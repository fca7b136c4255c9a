"""The model under test: live, or its recording; counts what each part of the benchmark asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from guardrail.chat import RecordedChat, read_recording
from guardrail.engine import codec
from guardrail.engine.backend import Backend
from guardrail.engine.flow import FREE, Cost, Failed, Reply
from guardrail.requests import Ask, Completion

__all__ = ["Asked", "slim"]

T = TypeVar("T")
S = TypeVar("S")

AT_ONCE = 4
"""Questions in flight: what small servers have room for."""


class Asked(RecordedChat):
    """A recording that goes on where a model is given, and knows which replies were used since it was last asked.

    Args:
        path: the recording.
        model: whose replies these are.
        record_from: the model; `None` = replay alone.
        say: where progress goes.
    """

    def __init__(
        self,
        path: Path,
        model: str,
        *,
        record_from: Backend[Ask] | None = None,
        say: Callable[[str], None] = print,
    ) -> None:
        super().__init__(path, record_from=record_from)
        self.path, self.model, self.say = path, model, say
        self.live = record_from is not None
        self._used: set[str] = set()
        self._before: set[str] = set()

    def answer(self, requests: Sequence[Ask]) -> list[Reply[Completion]]:
        """One reply per request."""
        self._used.update(map(codec.key, requests))
        return super().answer(requests)

    def spent(self) -> Cost:
        """What the replies cost that were used since the last call of this, when they were recorded."""
        recorded = {entry.key: entry.reply.cost for entry in read_recording(self.path)}
        new = self._used - self._before
        self._before |= new
        return sum((recorded[key] for key in new if key in recorded), FREE)

    def each(self, name: str, questions: Iterable[S], work: Callable[[S], T]) -> list[T]:
        """Work for each question, some at once, in their order."""
        given = list(questions)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            found = []
            for number, one in enumerate(pool.map(work, given), 1):
                self.say(f"{name}: {number} of {len(given)}")
                found.append(one)
        return found


def slim(path: Path, out: Path) -> None:
    """Write a recording without its prompts: half as large, and replayed in the same way."""
    lines: dict[str, dict[str, Any]] = {}
    for entry in read_recording(path):
        reply = entry.reply
        if isinstance(reply, Failed):
            said: dict[str, Any] = {"reason": reply.reason.value, "detail": reply.detail}
        else:
            value = asdict(reply.value)
            said = {"value": {name: value[name] for name in ("text", "model", "finish_reason")}}
        cost = {name: number for name, number in asdict(reply.cost).items() if number}
        lines[entry.key] = {"key": entry.key, "reply": {**said, **({"cost": cost} if cost else {})}}
    text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines.values())
    out.write_text(text, encoding="utf-8")
