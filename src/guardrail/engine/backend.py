"""The port to everything that answers requests; its implementations live next to what they wrap."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Hashable, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from guardrail.engine.flow import Reply

Q_contra = TypeVar("Q_contra", contravariant=True)


class Backend(ABC, Generic[Q_contra]):
    """Answers requests of one lane. Every backend inherits it, and writes `answer` and `fingerprint`.

    Attributes:
        batch: how many requests one `answer` may get at once.
        capacity: bound on the summed `weight` of a batch (tokens, say); `None` = no bound.
        concurrency: how many `answer` calls may run at once.
        timeout: seconds after which a call counts as hung; `None` = never.
        instant: answers within microseconds and without I/O, so it is called in the caller's thread.
        paid: whether its calls are paid for and count against budgets; one that computes on this machine says no.
        aanswer: an asynchronous form of `answer`, called on the caller's loop only; `None` = there is none.
        fingerprint: what the reply depends on besides the request: model, endpoint and a hash of the
            credential. Part of lasting keys, so nobody is served through another's key.
    """

    batch: int = 1
    capacity: int | None = None
    concurrency: int = 1
    timeout: float | None = None
    instant: bool = False
    paid: bool = True
    aanswer: Callable[[Sequence[Any]], Coroutine[Any, Any, Sequence[Reply[Any]]]] | None = None

    if TYPE_CHECKING:  # an attribute or a property, as a backend likes

        @property
        def fingerprint(self) -> str:
            """See the class."""
            ...

    @property
    def origin(self) -> str:
        """What the replies depend on but for rounding; what was fitted to them is valid for all of one origin.

        A backend that computes in several precisions says which model it is; of others it is the fingerprint.
        """
        return self.fingerprint

    @abstractmethod
    def answer(self, requests: Sequence[Q_contra]) -> Sequence[Reply[Any]]:
        """One reply per request, in order. Failures are `Failed` values; an exception fails the batch."""

    def group(self, request: Q_contra) -> Hashable:
        """Only requests of one group share a batch (draws of one prompt, say)."""
        del request
        return None

    def weight(self, request: Q_contra) -> int:
        """What a request takes of `capacity`."""
        del request
        return 1

    def load(self) -> None:
        """Do now what is otherwise done at the first use, such as reading weights from the disk."""

    def close(self) -> None:
        """Close connections and files that it opened itself; a second call does nothing."""

    async def aclose(self) -> None:
        """As `close`, on the running event loop."""
        self.close()
