"""A chat model that says what a test or a demo wants it to say."""

from __future__ import annotations

import asyncio
import inspect
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from guardrail.engine.backend import Backend
from guardrail.engine.flow import Answer, Cost, Failed, Reason, Reply
from guardrail.errors import ConfigError
from guardrail.given.advice import instead
from guardrail.given.recognition import shown
from guardrail.requests import Ask, Completion

Line: TypeAlias = str | Completion | Answer[Completion] | Failed | BaseException | type[BaseException]
"""One reply; an exception is raised."""

Script: TypeAlias = (
    Callable[[Ask], Line] | Mapping[str | re.Pattern[str], Line | Sequence[Line]] | Sequence[Line] | str
)


class ScriptedChat(Backend[Ask]):
    """Replies by a script, at once or after a delay; may be called from any thread or loop.

    Args:
        script: one of
            a text: the reply to everything;
            a function of the `Ask`;
            a mapping: the first key found in the conversation (a text in it, or a pattern that matches) gives
            the reply, or a list of replies by the number of the draw;
            a list: replies in the order of asking, until they are used up.
        delay: seconds before each reply.
        concurrency: how many calls may run at once.

    Attributes:
        asked: the requests, in the order they came.

    Raises:
        ConfigError: it is no script.

    What the script does not foresee is answered by `Failed(Reason.MISSING)` that names the question. Costs are
    made up: one call, and a token per word.

    Example:
        >>> from guardrail.requests import user
        >>> chat = ScriptedChat({"capital of France": "Paris."})
        >>> chat.answer([Ask((user("What is the capital of France?"),))])[0].value.text
        'Paris.'
    """

    fingerprint = "scripted"

    def __init__(self, script: Script, *, delay: float = 0.0, concurrency: int = 32) -> None:
        if inspect.iscoroutinefunction(script) or not (
            callable(script) or isinstance(script, Mapping | Sequence)
        ):
            raise ConfigError(
                f"ScriptedChat takes texts or a function that is not awaited, got {shown(script)}: "
                "write ScriptedChat('yes')"
            )
        self._script = script
        self.delay = delay
        self.instant = delay <= 0
        self.concurrency = concurrency
        self.asked: list[Ask] = []
        self._lock = threading.Lock()

    def answer(self, requests: Sequence[Ask]) -> list[Reply[Completion]]:
        """One reply per request."""
        if self.delay > 0:
            time.sleep(self.delay)
        return [self._reply(request) for request in requests]

    async def aanswer(self, requests: Sequence[Ask]) -> list[Reply[Completion]]:
        """As `answer`."""
        if self.delay > 0:
            await asyncio.sleep(self.delay)
        return [self._reply(request) for request in requests]

    def _reply(self, ask: Ask) -> Reply[Completion]:
        with self._lock:
            turn = len(self.asked)
            self.asked.append(ask)
        line = self._line(ask, turn)
        if isinstance(line, BaseException) or (isinstance(line, type) and issubclass(line, BaseException)):
            raise line
        if isinstance(line, Answer | Failed):
            return line
        completion = Completion(line, "scripted", "stop") if isinstance(line, str) else line
        if not isinstance(completion, Completion):
            raise ConfigError(
                f"a script must give texts, got {shown(line)}: write {instead(line, 'reply') or 'a text'}"
            )
        asked = sum(len(message.text.split()) for message in ask.messages)
        return Answer(completion, Cost(1, asked, len(completion.text.split()), self.delay))

    def _line(self, ask: Ask, turn: int) -> Line:
        script = self._script
        if isinstance(script, str):
            return script
        if isinstance(script, Mapping):
            return _look_up(script, ask)
        if callable(script):
            return script(ask)
        if turn < len(script):
            return script[turn]
        return _unforeseen(ask, f"all {len(script)} replies of the script are used up")


def _look_up(script: Mapping[str | re.Pattern[str], Any], ask: Ask) -> Line:
    text = "\n".join(message.text for message in ask.messages)
    for key, line in script.items():
        found = key in text if isinstance(key, str) else key.search(text)
        if found and isinstance(line, Sequence) and not isinstance(line, str):
            return (
                line[ask.draw] if ask.draw < len(line) else _unforeseen(ask, f"{len(line)} draws for {key!r}")
            )
        if found:
            return line  # type: ignore[no-any-return]  # what the mapping holds
    return _unforeseen(ask, "no key of the script is in it")


def _unforeseen(ask: Ask, why: str) -> Failed:
    first = ask.messages[-1].text if ask.messages else ""
    return Failed(Reason.MISSING, f"no scripted reply to {first[:80]!r}, draw {ask.draw}: {why}")
