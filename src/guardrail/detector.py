"""What a detector is, and where detectors are found by name."""

from __future__ import annotations

import importlib
import inspect
import warnings
from collections.abc import Iterator, Mapping
from importlib import metadata
from typing import Any, ClassVar, Literal, Protocol, TypeAlias, cast, runtime_checkable

from guardrail.errors import ConfigError, UnknownName
from guardrail.flow import Flow
from guardrail.report import Case, Finding, Scale, Signature

__all__ = ["DETECTORS", "Detector", "Registry", "Resource", "Scope"]

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

    def examine(self, case: Case) -> Flow[list[Finding]]:
        """The flow that scores the case. Without requests it still is a generator: `yield from ()`."""
        ...

    def offer(self, case: Case) -> Flow[tuple[str, ...]]:
        """Samples for other detectors; only asked of one that `provides` them.

        Requests that `examine` makes again are answered from memory, at no cost.
        """
        yield from ()
        return case.samples

    def signature(self) -> Signature:
        """Name, version and the constructor's parameters: enough to re-create the detector."""
        return Signature(detector=self.name, version=self.version, parameters=_parameters(self))


def _parameters(detector: object) -> dict[str, Any]:
    """The constructor's parameters, as the instance holds them under the same names."""
    found: dict[str, Any] = {}
    for name in inspect.signature(type(detector).__init__).parameters:
        value = getattr(detector, name, None)
        if isinstance(value, tuple | list):
            value = list(value)
        if value is None or isinstance(value, str | int | float | bool | list):
            found[name] = value
        elif callable(getattr(value, "fingerprint", None)) or hasattr(value, "fingerprint"):
            found[name] = str(value.fingerprint)
    found.pop("self", None)
    return found


class Registry(Mapping[str, type]):
    """Names → classes, imported when asked for; plug-ins come from an entry-point group.

    A plug-in that does not import warns and is skipped when listed; asked for by name it raises.
    """

    def __init__(self, kind: str, group: str, built_in: Mapping[str, str]) -> None:
        self._kind = kind
        self._group = group
        self._targets = dict(built_in)
        self._plugins: dict[str, metadata.EntryPoint] | None = None

    def _entry_points(self) -> dict[str, metadata.EntryPoint]:
        if self._plugins is None:
            self._plugins = {point.name: point for point in metadata.entry_points(group=self._group)}
        return self._plugins

    def __iter__(self) -> Iterator[str]:
        return iter(sorted({*self._targets, *self._entry_points()}))

    def __len__(self) -> int:
        return len({*self._targets, *self._entry_points()})

    def __contains__(self, name: object) -> bool:
        return name in self._targets or name in self._entry_points()

    def __getitem__(self, name: str) -> type:
        if name in self._targets:
            module, _, attribute = self._targets[name].partition(":")
            return cast("type", getattr(importlib.import_module(module), attribute))
        if name in self._entry_points():
            point = self._entry_points()[name]
            try:
                return cast("type", point.load())
            except Exception as error:
                raise ConfigError(
                    f"the {self._kind} {name!r} of the plug-in {point.value!r} does not import: {error!r}. "
                    "Update or uninstall that package."
                ) from error
        raise UnknownName(self._kind, name, self)

    def working(self) -> dict[str, type]:
        """All that import; one warning for each that does not."""
        found = {}
        for name in self:
            try:
                found[name] = self[name]
            except (ConfigError, ImportError) as error:
                warnings.warn(str(error), RuntimeWarning, stacklevel=2)
        return found

    def create(self, name: str, parameters: Mapping[str, Any]) -> Any:
        """An instance; wrong parameters are named, with those that exist."""
        found = self[name]
        known = [p for p in inspect.signature(found.__init__).parameters if p != "self"]  # type: ignore[misc]
        if unknown := sorted(set(parameters) - set(known)):
            raise ConfigError(
                f"{self._kind} {name!r} has no parameter {unknown[0]!r}. It takes: {', '.join(known)}."
            )
        return found(**parameters)


DETECTORS = Registry(
    "detector",
    "guardrail.detectors",
    {"references": "guardrail.detectors.references:ReferenceCheck"},
)
"""Every detector by name: the built-in ones and those of installed plug-ins."""
