r"""Edits of an answer: marks that break nothing, and cuts that leave clean text.

Pure functions from a text and spans to `Edit`s on that text; `apply` makes the new text. All of them accept any
string and any spans (spans are clipped to the text), and all are linear in the text apart from sorting.

`insertions` only inserts. `removals` cuts what the spans stand for (a list item, a BibTeX entry, a section, a
parenthesis, one title of several, a sentence), numbers the lists again, and lets the markers in the text
(`[3]`, `[^3]`, `\cite{key}`) follow. JSON stays JSON, whatever is inserted or cut (`json_edits`).
"""

from __future__ import annotations

from guardrail.policies.edits.answers import insertions, merged, removals, told_in_json
from guardrail.policies.edits.application import apply, merge
from guardrail.policies.edits.json_edits import KEY, told
from guardrail.policies.edits.marks import Mark
from guardrail.policies.edits.numbering import NUMBERED_AGAIN
from guardrail.policies.edits.wording import flattened, plain

__all__ = [
    "KEY",
    "NUMBERED_AGAIN",
    "Mark",
    "apply",
    "flattened",
    "insertions",
    "merge",
    "merged",
    "plain",
    "removals",
    "told",
    "told_in_json",
]
