"""What can go wrong while a source is asked, as one error. Nothing follows from it about the work."""

from __future__ import annotations

from enum import StrEnum

from guardrail.errors import BackendError


class Fault(StrEnum):
    """Why a source gave no answer."""

    UNREACHABLE = "unreachable"  # no connection, no reply in time, or the service has an error of its own
    TOO_FAST = "too fast"  # asked too often in a short time; a little later it answers
    SPENT = "spent"  # nothing is left of an allowance; it answers in hours
    REFUSED = "refused"  # the key, the request or a redirect is not accepted
    UNREADABLE = "unreadable"  # the reply is not what the service documents, or it is too long


_PASSING = {Fault.UNREACHABLE, Fault.TOO_FAST, Fault.UNREADABLE}


class SourceFault(BackendError):
    """A source gave no answer, so nothing is known about the work.

    Attributes:
        kind: why.
        source: the name of the source.
    """

    def __init__(self, kind: Fault, source: str, detail: str, *, retry_after: float | None = None) -> None:
        self.kind = kind
        self.source = source
        super().__init__(f"{source}: {detail}", retryable=kind in _PASSING, retry_after=retry_after)
