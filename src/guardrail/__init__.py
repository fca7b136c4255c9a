"""guardrail: notices when a language model makes things up, and does something about it.

Names are imported when they are first used, so `import guardrail` stays light.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardrail._lazy import lazy
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
    from guardrail.policies import correct as correct
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
    "Blocked": "guardrail.report",
    "Budget": "guardrail.engine.budget",
    "Cache": "guardrail.cache",
    "Case": "guardrail.report",
    "Decision": "guardrail.report",
    "Detector": "guardrail.detector",
    "Estimate": "guardrail.guard",
    "Failed": "guardrail.engine.flow",
    "Finding": "guardrail.report",
    "Flow": "guardrail.engine.flow",
    "Guard": "guardrail.guard",
    "GuardrailError": "guardrail.errors",
    "Policy": "guardrail.policies",
    "Report": "guardrail.report",
    "Retry": "guardrail.engine.jobs",
    "Span": "guardrail.report",
    "Verdict": "guardrail.report",
    "annotate": "guardrail.policies",
    "block": "guardrail.policies",
    "correct": "guardrail.policies",
    "flag": "guardrail.policies",
    "regenerate": "guardrail.policies",
    "remove": "guardrail.policies",
}

__all__ = ["__version__", *_HOMES]  # noqa: PLE0604  # written once

__getattr__, __dir__ = lazy(__name__, _HOMES)
