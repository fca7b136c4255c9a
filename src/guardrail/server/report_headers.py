"""Report headers under the names that users of vLLM's semantic router know."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import quote

from guardrail.given.accepted import JsonObject
from guardrail.policies import Annotate, Chain, Flag, Plan, Policy
from guardrail.report import Verdict

_PLAIN = " !\"#$&'()*+,/:<=>?@[\\]^`{|}"  # what a header may have; "%" and ";" are written as escapes
_LONGEST = 1024  # characters of all quotations together


def quotes_are_safe(policy: Policy | Plan) -> bool:
    """Whether a policy shows every text that it was given: one that may take text away must not have it quoted."""
    if isinstance(policy, Plan):
        return policy.on_unverified != "block" and policy.fail != "closed" and quotes_are_safe(policy.policy)
    if isinstance(policy, Chain):
        return all(quotes_are_safe(one) for one in policy.policies)
    return isinstance(policy, Flag | Annotate)


def vsr(summary: JsonObject, texts: Sequence[str], policy: Policy | Plan) -> list[tuple[str, str]]:
    """The headers of an answer.

    Args:
        summary: of its report.
        texts: of its choices, as they are shown.
        policy: whether unsupported claims may be quoted.
    """
    unsupported = summary.get("counts", {}).get(Verdict.UNSUPPORTED.value, 0) > 0
    found = [
        ("x-vsr-hallucination-detected", "true" if unsupported else "false"),
        (
            "x-vsr-unverified-factual-response",
            "true" if summary["verdict"] == Verdict.UNVERIFIED.value else "false",
        ),
    ]
    quoted = "; ".join(_quoted(summary, texts)) if quotes_are_safe(policy) else ""
    return [*found, ("x-vsr-hallucination-spans", quoted[:_LONGEST])] if quoted else found


def _quoted(summary: JsonObject, texts: Sequence[str]) -> Iterator[str]:
    for one, text in zip(summary.get("choices", [summary]), texts, strict=False):
        for span in one.get("spans", ()):
            if span["verdict"] == Verdict.UNSUPPORTED.value:
                yield quote(text[span["start"] : span["end"]], safe=_PLAIN, errors="replace")
