"""The door that the leak kit is pointed at: `guard_runnable(guard, ChatOpenAI(…))`. `benchmarks.performance.leaks` finds it here."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Literal

from langchain_openai import ChatOpenAI

from guardrail import Guard
from guardrail.testing import leaks
from guardrail_langchain import guard_runnable

_ASKED = {"model", "messages", "input", "stream"}


def doors(guard: Callable[..., Guard]) -> dict[str, leaks.Door]:
    """By name; `guard` makes the guard of a setting, with `by_sentence=True` one that judges by sentence."""

    @contextlib.contextmanager
    def door(setting: leaks.Setting, *, by_sentence: bool = False) -> Iterator[leaks.Opened]:
        mode: Literal["buffer", "sentence"] = "sentence" if by_sentence else "buffer"

        def send(case: leaks.Case, body: dict[str, Any]) -> Any:
            if case.api == "messages" or case.shape in {"tools", "structured", "many"}:
                raise leaks.NotOffered("the model gives one message of text in this door")
            options = {name: value for name, value in body.items() if name not in _ASKED}
            made: Any = ChatOpenAI(
                model="m",
                base_url=setting.upstream,
                api_key="none",
                max_retries=0,
                timeout=20,
                use_responses_api=case.api == "responses",
                **options,
            )
            guarded = guard_runnable(guard(setting, by_sentence=by_sentence), made, streaming=mode)
            return guarded.stream("Rivers?") if case.streams else guarded.invoke("Rivers?")

        yield leaks.Opened(leaks.called(send))

    return {"guard_runnable": door, "guard_runnable, by sentence": partial(door, by_sentence=True)}
