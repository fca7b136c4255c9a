"""The chat port: we call a model. Each class here answers `Ask` requests and is what a Guard takes as `chat=`.

`CompletionsModel` is not one of them: it answers what a language model that can be read answers, and is what a Guard
takes as `backends={"language_model": …}`.

Names are imported when they are used, so this package needs neither openai nor langchain.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from guardrail.chat.completions import CompletionsModel
    from guardrail.chat.langchain import LangChainChat
    from guardrail.chat.openai import OpenAIChat
    from guardrail.chat.recorded import RecordedChat
    from guardrail.chat.scripted import ScriptedChat

__all__ = ["CompletionsModel", "LangChainChat", "OpenAIChat", "RecordedChat", "ScriptedChat"]

_HOMES = {
    "CompletionsModel": "guardrail.chat.completions",
    "LangChainChat": "guardrail.chat.langchain",
    "OpenAIChat": "guardrail.chat.openai",
    "RecordedChat": "guardrail.chat.recorded",
    "ScriptedChat": "guardrail.chat.scripted",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
