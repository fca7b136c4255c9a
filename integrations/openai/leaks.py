"""The door that the leak kit is pointed at: `guard_openai(OpenAI(), guard)`. `benchmarks.performance.leaks` finds it here."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Literal

from openai import OpenAI

from guardrail import Guard
from guardrail.testing import leaks
from guardrail_openai import guard_openai


def doors(guard: Callable[..., Guard]) -> dict[str, leaks.Door]:
    """By name; `guard` makes the guard of a setting, with `by_sentence=True` one that judges by sentence."""

    @contextlib.contextmanager
    def door(setting: leaks.Setting, *, by_sentence: bool = False) -> Iterator[leaks.Opened]:
        with OpenAI(base_url=setting.upstream, api_key="none", max_retries=0, timeout=20) as client:
            mode: Literal["buffer", "sentence"] = "sentence" if by_sentence else "buffer"
            guarded = guard_openai(client, guard(setting, by_sentence=by_sentence), streaming=mode)

            def send(case: leaks.Case, body: dict[str, Any]) -> Any:
                if case.api == "messages":
                    raise leaks.NotOffered("the OpenAI client has no Messages API")
                create: Any = (
                    guarded.chat.completions.create if case.api == "chat" else guarded.responses.create
                )
                return create(**body)

            yield leaks.Opened(leaks.called(send))

    return {"guard_openai": door, "guard_openai, by sentence": partial(door, by_sentence=True)}
