"""Policies: what to do with an answer, given what the detectors found.

```
policy = regenerate(2) | annotate()            # try again twice; mark what is still not supported
plan = Plan(policy, on_unverified="annotate", fail="open")
parse_policy("regenerate(2) | annotate")       # the same, from a configuration file
```

A policy is pure: it reads a `Review` and returns a `Decision` (and, for `regenerate`, the words with which to
ask again). Each acts on the findings of certain verdicts (`on`, unsupported ones by default).
Composed policies act in order on the examined answer: the first that wants another attempt gets it, edits are
merged, the strongest action names the decision, and a block beats all.

A removed or blocked text occurs nowhere in the decision: not in the answer, an edit's reason, or the note.
"""

from __future__ import annotations

from guardrail.policies.actions import (
    Annotate,
    Block,
    Correct,
    Flag,
    Regenerate,
    Remove,
    annotate,
    block,
    correct,
    flag,
    regenerate,
    remove,
)
from guardrail.policies.composition import Chain, Policy, with_texts
from guardrail.policies.plan import Plan
from guardrail.policies.review import Review, better, rank
from guardrail.policies.texts import ENGLISH, Phrases, Texts
from guardrail.policies.written import parse_policy

__all__ = [
    "ENGLISH",
    "Annotate",
    "Block",
    "Chain",
    "Correct",
    "Flag",
    "Phrases",
    "Plan",
    "Policy",
    "Regenerate",
    "Remove",
    "Review",
    "Texts",
    "annotate",
    "better",
    "block",
    "correct",
    "flag",
    "parse_policy",
    "rank",
    "regenerate",
    "remove",
    "with_texts",
]
