"""The chat port: we call a model. Each class here answers `Ask` requests and is what a Guard takes as `chat=`.

`CompletionsModel` is not one of them: it answers what a language model that can be read answers, and is what a Guard
takes as `backends={"language_model": …}`.

Names are imported when they are used, so this package needs neither openai nor langchain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardrail._lazy import lazy

if TYPE_CHECKING:
    from guardrail.chat.completions import CompletionsModel as CompletionsModel
    from guardrail.chat.langchain import LangChainChat as LangChainChat
    from guardrail.chat.logprobs import spelt as spelt
    from guardrail.chat.logprobs import token_logprob as token_logprob
    from guardrail.chat.logprobs import token_logprobs as token_logprobs
    from guardrail.chat.openai import OpenAIChat as OpenAIChat
    from guardrail.chat.recorded import RecordedChat as RecordedChat
    from guardrail.chat.recorded import read_recording as read_recording
    from guardrail.chat.scripted import ScriptedChat as ScriptedChat

_HOMES = {
    "read_recording": "guardrail.chat.recorded",
    "spelt": "guardrail.chat.logprobs",
    "token_logprob": "guardrail.chat.logprobs",
    "token_logprobs": "guardrail.chat.logprobs",
    "CompletionsModel": "guardrail.chat.completions",
    "LangChainChat": "guardrail.chat.langchain",
    "OpenAIChat": "guardrail.chat.openai",
    "RecordedChat": "guardrail.chat.recorded",
    "ScriptedChat": "guardrail.chat.scripted",
}

__all__ = [*_HOMES]  # noqa: PLE0604  # written once

__getattr__, __dir__ = lazy(__name__, _HOMES)
