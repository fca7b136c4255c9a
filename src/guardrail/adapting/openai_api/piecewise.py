"""What a protocol says about one stream whose text is released in pieces."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from guardrail.adapting.sse import Event

__all__ = ["Piecewise"]


class Piecewise(ABC):
    """One stream: reads what the upstream says, and writes what may be shown. It is used once, in the order of its methods.

    Only the answer's first text block is released in pieces. What follows it goes out at the end.
    """

    @abstractmethod
    def said(self, event: Event) -> str | None:
        """The text that an event adds to the answer; `None` if more may depend on it than text."""

    @abstractmethod
    def begin(self) -> list[Event]:
        """What comes before the first text."""

    @abstractmethod
    def saying(self, text: str) -> list[Event]:
        """A piece of text as events of the stream."""

    @abstractmethod
    def continued(self, body: Mapping[str, Any], released: str, rest: str | None) -> list[Event]:
        """The end of the stream of a whole body, of which the beginning of the first text block went out.

        Args:
            body: what is shown, with the report.
            released: the text that went out.
            rest: of the first text block, what did not; `None` = nothing more of the answer may be shown.

        Raises:
            NotReadable: the body is not what its stream was.
        """
