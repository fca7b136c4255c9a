"""The port to everything that answers requests; its implementations live beside what they wrap."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Protocol, TypeGuard, TypeVar, runtime_checkable

from guardrail.engine.flow import Reply

__all__ = ["AsyncBackend", "Backend", "has_async_form", "is_paid", "origin"]

Q_contra = TypeVar("Q_contra", contravariant=True)


@runtime_checkable
class Backend(Protocol[Q_contra]):
    """Answers requests of one lane. Inherit it for the defaults.

    Attributes:
        batch: how many requests one `answer` may get at once.
        capacity: bound on the summed `weight` of a batch (tokens, say); `None` = no bound.
        concurrency: how many `answer` calls may run at once.
        timeout: seconds after which a call counts as hung; `None` = never.
        instant: answers within microseconds and without I/O, so it is called where it stands, no thread.
        fingerprint: what the reply depends on besides the request: model, endpoint and a hash of the
            credential. Part of lasting keys, so nobody is served through another's key.
    """

    batch: int = 1
    capacity: int | None = None
    concurrency: int = 1
    timeout: float | None = None
    instant: bool = False

    @property
    def fingerprint(self) -> str:
        """See the class."""
        ...

    def answer(self, requests: Sequence[Q_contra]) -> Sequence[Reply[Any]]:
        """One reply per request, in order. Failures are `Failed` values; an exception fails the batch."""
        ...

    def group(self, request: Q_contra) -> Hashable:
        """Only requests of one group share a batch (draws of one prompt, say)."""
        del request
        return None

    def weight(self, request: Q_contra) -> int:
        """What a request takes of `capacity`."""
        del request
        return 1


@runtime_checkable
class AsyncBackend(Backend[Q_contra], Protocol[Q_contra]):
    """A backend with an asynchronous form of its own, used under the asynchronous pump.

    It is called on the loop of the caller, and only there.
    """

    async def aanswer(self, requests: Sequence[Q_contra]) -> Sequence[Reply[Any]]:
        """As `answer`."""
        ...


def origin(backend: Backend[Any]) -> str:
    """What a backend's replies depend on but for rounding; what was fitted to them holds for all of one origin.

    A backend that computes in several precisions says so by `origin`; of others it is the fingerprint.
    """
    return str(getattr(backend, "origin", backend.fingerprint))


def is_paid(backend: Backend[Any]) -> bool:
    """Whether all that a backend answers is paid by the call and counts against budgets, whatever it is asked.

    A model behind an API says so with `paid = True`: it answers what one on this machine answers for nothing.
    """
    return bool(getattr(backend, "paid", False))


def has_async_form(backend: Backend[Any]) -> TypeGuard[AsyncBackend[Any]]:
    """Whether a backend is to be called on the caller's loop; an `aanswer` of `None` says no."""
    return getattr(backend, "aanswer", None) is not None
