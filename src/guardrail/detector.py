"""What a detector is."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Protocol, TypeAlias, runtime_checkable

from guardrail.engine.backend import Backend
from guardrail.engine.flow import Flow
from guardrail.report import Case, Finding, Scale, Signature

__all__ = ["Detector", "Resource", "Scope"]

Scope: TypeAlias = Literal["sentence", "answer"]
Resource: TypeAlias = Literal["samples"]


@runtime_checkable
class Detector(Protocol):
    """Examines a case and returns findings. Inherit it for the defaults, or match its shape.

    Class attributes, each said once and read by reports, documents and plots:
        name: unique, lower case.
        version: raised when scores change.
        scope: "sentence" if a sentence can be judged before the answer ends, else "answer".
        scale: range, unit and meaning of the scores.
        needs: resources it takes from `case` when another detector provides them ("samples").
        provides: resources that its `offer` produces for the others.

    Attributes:
        deadline: seconds it may take per case; `None` means the guard's own.
    """

    name: ClassVar[str]
    version: ClassVar[str] = "1"
    scope: ClassVar[Scope] = "answer"
    scale: ClassVar[Scale] = Scale()
    needs: ClassVar[frozenset[Resource]] = frozenset()
    provides: ClassVar[frozenset[Resource]] = frozenset()
    deadline: float | None = None

    def cost(self, case: Case) -> tuple[int, int]:
        """Paid requests for this case: the least and the most, before anything is asked."""
        ...

    def cost_by_lane(self, case: Case) -> Mapping[str, tuple[int, int]]:
        """By lane, requests that are paid only where the lane's backend is (`engine.backend.is_paid`): least and most."""
        del case
        return {}

    def examine(self, case: Case) -> Flow[list[Finding]]:
        """The flow that scores the case. Without requests it still is a generator: `yield from ()`."""
        ...

    def offer(self, case: Case) -> Flow[tuple[str, ...]]:
        """Samples for other detectors; only asked of one that `provides` them.

        Requests that `examine` makes again are answered from memory, at no cost.
        """
        yield from ()
        return case.samples

    def backends(self) -> Mapping[str, Backend[Any]]:
        """Backends that the detector brings along, by lane; a guard's own come first."""
        return {}

    def signature(self) -> Signature:
        """Name, version and the constructor's parameters: enough to re-create the detector."""
        return Signature(detector=self.name, version=self.version, parameters=_parameters(self))


def _parameters(detector: object) -> dict[str, Any]:
    """The constructor's parameters, as the instance holds them under the same names."""
    found: dict[str, Any] = {}
    for name in inspect.signature(type(detector).__init__).parameters:
        value = getattr(detector, name, None)
        if isinstance(value, tuple | list):
            value = [v if v is None or isinstance(v, str | int | float | bool) else str(v) for v in value]
        if value is None or isinstance(value, str | int | float | bool | list):
            found[name] = value
        elif callable(getattr(value, "fingerprint", None)) or hasattr(value, "fingerprint"):
            found[name] = str(value.fingerprint)
    found.pop("self", None)
    return found
