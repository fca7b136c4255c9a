"""Citation support: does each source say what the answer cites it for?

| file | what it has |
| --- | --- |
| `tying` | which words of an answer a mark of citation is for |
| `sources` | which of the documents a mark points to |
| `check` | the detector: options, cost, the verdict of each mark |
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardrail._lazy import lazy

if TYPE_CHECKING:
    from guardrail.support.check import SupportCheck as SupportCheck
    from guardrail.support.sources import Sources as Sources
    from guardrail.support.tying import Tie as Tie
    from guardrail.support.tying import ties as ties

_HOMES = {
    "Sources": "guardrail.support.sources",
    "SupportCheck": "guardrail.support.check",
    "Tie": "guardrail.support.tying",
    "ties": "guardrail.support.tying",
}

__all__ = [*_HOMES]  # noqa: PLE0604  # written once

__getattr__, __dir__ = lazy(__name__, _HOMES)
