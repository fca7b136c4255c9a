"""What adapters share: attempts, the change that a policy made, and what else of a message may repeat a text.

A framework calls us, asks its model, and hands us what came. `Attempts` runs the guard on it and asks again where the
policy wants it; a `Reading` says where the text of an answer is, and a `Change` what becomes of it. Nothing here
knows a framework. `gathered` collects the documents of a request. An `Exchange` does the same for a service's protocol, which a `Codec` reads
and writes: `openai_api` has OpenAI's two, `anthropic_api` Anthropic's.
"""

from __future__ import annotations

from guardrail.adapting.attempts import Attempts
from guardrail.adapting.changes import JOINT, Change, Reading, Text, bounds, citations, joined
from guardrail.adapting.residue import clean, is_wordless
from guardrail.given.documents import gathered
from guardrail.given.sources import Gathered

__all__ = [
    "JOINT",
    "Attempts",
    "Change",
    "Gathered",
    "Reading",
    "Text",
    "bounds",
    "citations",
    "clean",
    "gathered",
    "is_wordless",
    "joined",
]
