"""What tests need, of this package and of its users: flows driven by hand, and a chat service to run against.

`guardrail.testing.server` is the service. The doubles of the chat port are public too:
`guardrail.chat.ScriptedChat` and `guardrail.chat.RecordedChat`.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any, TypeVar

from guardrail.engine.flow import Answer, Branch, Compute, Failed, Flow, NoBackend, Reason, Request, Stop

__all__ = ["play"]

T = TypeVar("T")


def play(flow: Flow[T] | Branch[T], answer: Callable[[Request[Any]], Any] | None = None) -> T:
    """Run a flow by hand: no scheduler, no thread, no network.

    `answer` gets each distinct request once and gives an `Answer`, a `Failed` or a bare value; a list of
    replies is a bare value too. Without it nobody answers (`Reason.MISSING`). `Compute` is computed here. Branches run one after another, each to its end;
    one that raises becomes `Failed(Reason.BUG)` for its parent, as in a guard. What the outermost flow or
    `answer` itself raises comes out.

    Example:
        >>> from guardrail.engine.flow import draws, each, values
        >>> from guardrail.requests import Ask, Completion, user
        >>> def flow():
        ...     replies = yield from each(draws(Ask((user("2 + 2?"),)), 2))
        ...     return [completion.text for completion in values(replies)]
        >>> play(flow(), lambda ask: Completion(f"4, take {ask.draw}"))
        ['4, take 0', '4, take 1']
    """
    known: dict[Request[Any], Any] = {}

    def reply(request: Request[Any]) -> Any:
        if isinstance(request, Compute):
            return _computed(request)
        if request not in known:
            found = NoBackend(Reason.MISSING, "nobody answers") if answer is None else answer(request)
            known[request] = found if isinstance(found, Answer | Failed) else Answer(found)
        return known[request]

    def branch(found: Branch[Any]) -> Any:
        try:
            return run(found.flow)
        except _AnswerRaised:
            raise
        except (Exception, Stop) as error:  # noqa: BLE001  # as the scheduler does
            return Failed(Reason.BUG, "".join(traceback.format_exception_only(error)).strip(), error=error)

    def run(running: Flow[Any]) -> Any:
        try:
            step = next(running)
            while True:
                results = [
                    branch(item) if isinstance(item, Branch) else _guarded(reply, item) for item in step
                ]
                step = running.send(results)
        except StopIteration as stop:
            return stop.value

    try:
        result: T = run(flow.flow if isinstance(flow, Branch) else flow)
    except _AnswerRaised as raised:
        raise raised.error from raised.error.__cause__
    return result


class _AnswerRaised(BaseException):
    """What `answer` raised, carried past the flows: an assertion in a test is no bug of a detector."""

    def __init__(self, error: BaseException) -> None:
        self.error = error
        super().__init__(repr(error))


def _guarded(reply: Callable[[Request[Any]], Any], request: Request[Any]) -> Any:
    try:
        return reply(request)
    except Exception as error:
        raise _AnswerRaised(error) from error


def _computed(request: Compute[Any]) -> Answer[Any] | Failed:
    try:
        return Answer(request.function(*request.arguments))
    except Exception as error:  # noqa: BLE001  # raised again where `compute` was called
        return Failed(Reason.BUG, repr(error), error=error)
