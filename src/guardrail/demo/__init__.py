"""The demo: a LangChain chain whose model makes things up, references and sentences, and the guard that notices.

`run()` needs the extra `langchain`: no key, no network, no chat model. With the extra `mini` a small network reads the references. `guardrail demo` prints it.
"""

from __future__ import annotations

from guardrail.demo.scenario import Outcome, run
from guardrail.demo.script import QUESTION

__all__ = ["QUESTION", "Outcome", "run"]
