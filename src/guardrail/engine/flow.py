"""Requests, replies and flows: the protocol between detectors and drivers.

A detector never performs I/O. It is a generator (a *flow*) that yields steps of requests and returns its
findings; `guardrail.engine.run` schedules flows, `guardrail.engine.drivers` carries the requests to backends. A failed
reply is a value (`Failed`), never an exception: the flow decides whether it can go on without it.

The helpers `each`, `one`, `gather` and `compute` are the only places that write a bare `yield`. They are used
with `yield from`; a forgotten `yield from` would be silent, so a test looks for it in every detector.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar, cast

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

Calls: TypeAlias = Mapping[str, tuple[int, int]]
"""Numbers of calls by route, each the least and the most."""


class Reason(StrEnum):
    """Why a reply failed."""

    TIMEOUT = "timeout"  # the backend took longer than its limit
    DEADLINE = "deadline"  # the detector's or the guard's time was up
    BUDGET = "budget"  # the guard's calls or tokens were used up
    BACKEND = "backend"  # the backend failed (after retries)
    MISSING = "missing"  # no backend, extra, weight or recording for this request
    REFUSED = "refused"  # the backend will not answer this request, now or later
    BUG = "bug"  # a detector or backend raised


class Keep(StrEnum):
    """How long a reply may be remembered beyond one guard call."""

    ALWAYS = "always"  # the same request has the same reply
    SAMPLED = "sampled"  # a random draw: shared between calls only where the user says so
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class Cost:
    """What a reply cost.

    `calls` counts requests sent, retries included; a cached or joined reply costs nothing. `seconds` is time
    spent by the backend, so concurrent calls add up to more than the clock shows.
    """

    calls: float = 0
    prompt_tokens: float = 0
    completion_tokens: float = 0
    seconds: float = 0.0

    @property
    def tokens(self) -> float:
        """Prompt and completion tokens together."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.seconds + other.seconds,
        )

    def split(self, ways: int) -> Cost:
        """Share evenly: `ways` shares add up to the whole."""
        return Cost(
            self.calls / ways, self.prompt_tokens / ways, self.completion_tokens / ways, self.seconds / ways
        )


FREE = Cost()


@dataclass(frozen=True, slots=True)
class Answer(Generic[T_co]):
    """A reply with a value."""

    value: T_co
    cost: Cost = FREE


@dataclass(frozen=True, slots=True)
class Failed:
    """A reply without a value: never raised, read by detectors and reports.

    Attributes:
        reason: the kind of failure.
        detail: one line for a person.
        retryable: whether asking again may help; such a failure is never remembered.
        retry_after: seconds that the service asked to wait.
        cost: what was spent all the same.
        error: the exception behind it, if any.
    """

    reason: Reason
    detail: str = ""
    retryable: bool = False
    retry_after: float | None = None
    cost: Cost = FREE
    error: BaseException | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return f"{self.reason}: {self.detail}" if self.detail else str(self.reason)


class NoBackend(Failed):
    """The failure of a request that nobody was given to answer; a backend that lacks something fails with `Reason.MISSING`, too."""

    __slots__ = ()


Reply: TypeAlias = Answer[T] | Failed


@dataclass(frozen=True, slots=True)
class Request(Generic[T_co]):
    """One question to a backend; one request has one reply, of type `T_co`.

    Equal requests are one request: within a guard call they are asked once, and calls in flight are joined.
    The i-th of several independent samples therefore carries `draw=i`.

    Subclasses are frozen dataclasses with hashable fields and set:
        lane: which queue carries it, and so which backend answers.
        version: raised when the meaning of a field changes; part of lasting keys.
        reply_type: the type of the value, for reading it back from a cache or a recording.
    """

    lane: ClassVar[str] = ""
    version: ClassVar[int] = 1
    reply_type: ClassVar[Any] = Any

    @property
    def keep(self) -> Keep:
        """How long the reply may be remembered."""
        return Keep.ALWAYS

    @property
    def free(self) -> bool:
        """Whether it costs nothing though its backend is paid: the user's own question, asked with or without a guard."""
        return False

    @property
    def route(self) -> str:
        """The backend to prefer: `lane` or `lane:role`."""
        return self.lane


@dataclass(frozen=True, slots=True)
class Branch(Generic[T]):
    """A sub-flow that runs alongside its siblings at its own speed.

    Attributes:
        flow: the generator.
        owner: who pays (a detector's name); inherited where `None`.
        calls: calls reserved before it starts: by route, of which the most is set aside where the route's backend is
            paid. A branch whose reservation cannot be met waits while siblings may still give calls back, and else fails
            with `Reason.BUDGET`: fewer branches, each finished.
        seconds: its own deadline, counted from its start.
    """

    flow: Flow[T]
    owner: str | None = None
    calls: Calls | None = None
    seconds: float | None = None


Step: TypeAlias = Sequence[Request[Any] | Branch[Any]]
Flow: TypeAlias = Generator[Step, list[Any], T]


class Stop(BaseException):
    """Thrown into a flow that keeps asking after it was refused again and again."""


@dataclass(frozen=True, slots=True, eq=False)
class Compute(Request[T_co]):
    """A pure function of more than about 5 ms, so that an event loop is not blocked.

    Runs in a thread under the asynchronous pump and inline under the synchronous one; never remembered.
    """

    lane: ClassVar[str] = "compute"

    function: Callable[..., T_co]
    arguments: tuple[Any, ...] = ()

    def __eq__(self, other: object) -> bool:
        return self is other  # the base class would compare its own fields, of which there are none

    def __hash__(self) -> int:
        return id(self)

    @property
    def keep(self) -> Keep:
        """Never: its identity is the call itself."""
        return Keep.NEVER


def each(requests: Iterable[Request[T]]) -> Flow[list[Reply[T]]]:
    """Ask all at once; the replies come back in the same order."""
    replies = yield list(requests)
    return cast("list[Reply[T]]", replies)


def one(request: Request[T]) -> Flow[Reply[T]]:
    """Ask one."""
    replies = yield [request]
    return cast("Reply[T]", replies[0])


def gather(flows: Iterable[Flow[T] | Branch[T]]) -> Flow[list[T | Failed]]:
    """Run sub-flows side by side, each at its own speed.

    One that raises becomes `Failed(Reason.BUG)` in its place; the others go on.
    """
    step = [flow if isinstance(flow, Branch) else Branch(flow) for flow in flows]
    results = yield step
    return cast("list[T | Failed]", results)


def within(flow: Flow[T], *, seconds: float | None = None, calls: Calls | None = None) -> Flow[T | Failed]:
    """Run one sub-flow within bounds.

    Args:
        flow: the sub-flow.
        seconds: time it may take; what is late becomes `Failed(Reason.DEADLINE)` in the sub-flow.
        calls: reserved before it starts, as `Detector.cost` gives them; see `Branch`.
    """
    (result,) = yield from gather([Branch(flow, seconds=seconds, calls=calls)])
    return result


def compute(function: Callable[..., T], *arguments: Any) -> Flow[T]:
    """Run a long pure function; an exception in it is raised here."""
    reply = yield from one(Compute(function, arguments))
    if isinstance(reply, Failed):
        if reply.error is not None:
            raise reply.error
        raise RuntimeError(str(reply))
    return reply.value


R = TypeVar("R", bound=Request[Any])


def draws(request: R, n: int) -> list[R]:
    """`n` independent samples of one request.

    Example:
        >>> from guardrail.requests import Ask, user
        >>> [ask.draw for ask in draws(Ask((user("Hi"),)), 3)]
        [0, 1, 2]
    """
    return [cast("R", replace(cast("Any", request), draw=i)) for i in range(n)]


def values(replies: Iterable[Reply[T]]) -> list[T]:
    """The values of those replies that have one, in order."""
    return [reply.value for reply in replies if isinstance(reply, Answer)]


def describe(error: BaseException) -> str:
    """An exception in one line, whatever its own words do."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # noqa: BLE001  # some exceptions raise in __str__
        return type(error).__name__


def why(replies: Iterable[Reply[Any]]) -> str:
    """Why a finding is unverified: the distinct failures among the replies, most frequent first.

    Example:
        >>> why([Failed(Reason.TIMEOUT, "no reply in 60 s"), Answer("yes")])
        'timeout: no reply in 60 s'
    """
    counts: dict[str, int] = {}
    for reply in replies:
        if isinstance(reply, Failed):
            counts[str(reply)] = counts.get(str(reply), 0) + 1
    ranked = sorted(counts.items(), key=lambda item: -item[1])
    return "; ".join(text if n == 1 else f"{text} (×{n})" for text, n in ranked)
