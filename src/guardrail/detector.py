"""What the author of a detector imports: the base class, requests, helpers of flows, and the types of findings."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeAlias

from guardrail.engine.backend import Backend
from guardrail.engine.flow import (
    Answer,
    Calls,
    Failed,
    Flow,
    Reason,
    Request,
    compute,
    draws,
    each,
    gather,
    one,
    why,
    within,
)
from guardrail.errors import ConfigError
from guardrail.options import Options, PathOption, option
from guardrail.report import Case, Evidence, Finding, Measurement, Passage, Scale, Signature, Span, Verdict
from guardrail.requests import Ask, Embed, Entail, Untrusted, user

__all__ = [
    "Answer",
    "Ask",
    "Backend",
    "Calls",
    "Case",
    "ConfigError",
    "Detector",
    "Embed",
    "Entail",
    "Evidence",
    "Failed",
    "Finding",
    "Flow",
    "Measurement",
    "Passage",
    "PathOption",
    "Reason",
    "Request",
    "Resource",
    "Scale",
    "Scope",
    "Signature",
    "Span",
    "Untrusted",
    "Verdict",
    "compute",
    "draws",
    "each",
    "gather",
    "one",
    "option",
    "user",
    "why",
    "within",
]

Scope: TypeAlias = Literal["sentence", "answer"]
Resource: TypeAlias = Literal["samples"]


class Detector(Options, ABC):
    """Examines a case and returns findings. Every detector inherits it.

    A subclass writes `name`, `examine` and `cost`; the rest has defaults. Options are annotated fields (`option`): the
    constructor, its checks, the configuration file and the command line come from them. A class with a constructor of
    its own declares no options.

    Class attributes, which reports, documents and plots read:
        name: unique, lower case.
        version: raised when scores change.
        scope: "sentence" if what is found about a sentence does not depend on later ones, else "answer". Only a guard
            whose detectors all have the scope "sentence" can release an answer sentence by sentence.
        scale: range, unit and meaning of the scores.
        needs: resources it takes from `case` when another detector provides them ("samples").
        provides: resources that its `offer` produces for the others.
    """

    name: ClassVar[str]
    version: ClassVar[str] = "1"
    scope: ClassVar[Scope] = "answer"
    scale: ClassVar[Scale] = Scale()
    needs: ClassVar[frozenset[Resource]] = frozenset()
    provides: ClassVar[frozenset[Resource]] = frozenset()

    deadline: float | None = option(
        default=None,
        least=0,
        help="seconds for one answer; None = as long as the guard allows",
    )

    @property
    def reach(self) -> Scope:
        """The scope with these options; an option may make a detector of sentences one of the whole answer."""
        return self.scope

    @property
    def needs_documents(self) -> bool:
        """Whether it can judge nothing without documents (`case.context`)."""
        return False

    def lacks_prompt(self, case: Case) -> bool:
        """Whether it can judge nothing of a case for want of what was asked (`case.messages`)."""
        del case
        return False

    @property
    def needs_models(self) -> bool:
        """Whether it can judge nothing without the models that it asks at least (`cost`)."""
        return True

    def reads_record(self, text: str) -> bool:
        """Whether it reads a JSON text as it is written, since its fields belong together, rather than string by string."""
        del text
        return False

    @abstractmethod
    def cost(self, case: Case) -> Calls:
        """Calls for this case, before anything is asked: by route, the least and the most.

        A route is the lane of a request, for a chat model with the role: {"chat:subject": (3, 6)}. The backend says
        whether the calls are paid. A detector that asks no model returns {}.
        """

    @abstractmethod
    def examine(self, case: Case) -> Flow[list[Finding]]:
        """The flow that scores the case. Without requests it still is a generator: `yield from ()`."""

    def offer(self, case: Case) -> Flow[tuple[str, ...]]:
        """Samples for other detectors; only asked of one that `provides` them.

        Requests that `examine` makes again are answered from memory, at no cost.
        """
        yield from ()
        return case.samples

    def ahead(self, case: Case) -> Flow[None]:
        """What can be asked before there is an answer, such as samples; replies are remembered for `examine`."""
        del case
        yield from ()

    def backends(self) -> Mapping[str, Backend[Any]]:
        """Backends that the detector brings along, by lane; a guard's own come first."""
        return {}

    def _unverified(self, case: Case, reason: str, evidence: Sequence[Evidence] = ()) -> Finding:
        """An answer that could not be judged, and why."""
        return Finding(
            detector=self.name,
            text=case.answer,
            verdict=Verdict.UNVERIFIED,
            label="unknown",
            reason=reason,
            evidence=tuple(evidence),
        )

    def signature(self) -> Signature:
        """Name, version and the constructor's parameters: enough to re-create the detector."""
        return Signature(detector=self.name, version=self.version, parameters=_parameters(self))


def _parameters(detector: object) -> dict[str, Any]:
    """The constructor's parameters, as the instance holds them under the same names."""
    found: dict[str, Any] = {}
    for name in inspect.signature(type(detector)).parameters:
        value = getattr(detector, name, None)
        if isinstance(value, tuple | list):
            value = [v if v is None or isinstance(v, str | int | float | bool) else str(v) for v in value]
        if value is None or isinstance(value, str | int | float | bool | list):
            found[name] = value
        elif isinstance(value, Path):
            found[name] = str(value)
        elif hasattr(value, "fingerprint"):
            found[name] = str(value.fingerprint)
    return found
