"""guardrail: notices when a language model makes things up, and does something about it.

Names are imported when they are first used, so `import guardrail` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from guardrail._version import __version__

if TYPE_CHECKING:
    from guardrail.cache import Cache as Cache
    from guardrail.detector import Detector as Detector
    from guardrail.engine.budget import Budget as Budget
    from guardrail.engine.flow import Failed as Failed
    from guardrail.engine.flow import Flow as Flow
    from guardrail.engine.jobs import Retry as Retry
    from guardrail.errors import GuardrailError as GuardrailError
    from guardrail.guard import Estimate as Estimate
    from guardrail.guard import Guard as Guard
    from guardrail.policies import Policy as Policy
    from guardrail.policies import annotate as annotate
    from guardrail.policies import block as block
    from guardrail.policies import flag as flag
    from guardrail.policies import regenerate as regenerate
    from guardrail.policies import remove as remove
    from guardrail.report import Blocked as Blocked
    from guardrail.report import Case as Case
    from guardrail.report import Decision as Decision
    from guardrail.report import Finding as Finding
    from guardrail.report import Report as Report
    from guardrail.report import Span as Span
    from guardrail.report import Verdict as Verdict

_HOMES = {
    "Blocked": "report",
    "Budget": "engine.budget",
    "Cache": "cache",
    "Case": "report",
    "Decision": "report",
    "Detector": "detector",
    "Estimate": "guard",
    "Failed": "engine.flow",
    "Finding": "report",
    "Flow": "engine.flow",
    "Guard": "guard",
    "GuardrailError": "errors",
    "Policy": "policies",
    "Report": "report",
    "Retry": "engine.jobs",
    "Span": "report",
    "Verdict": "report",
    "annotate": "policies",
    "block": "policies",
    "flag": "policies",
    "regenerate": "policies",
    "remove": "policies",
}

__all__ = [
    "Blocked",
    "Budget",
    "Cache",
    "Case",
    "Decision",
    "Detector",
    "Estimate",
    "Failed",
    "Finding",
    "Flow",
    "Guard",
    "GuardrailError",
    "Policy",
    "Report",
    "Retry",
    "Span",
    "Verdict",
    "__version__",
    "annotate",
    "block",
    "flag",
    "regenerate",
    "remove",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(f"guardrail.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
