"""A chat of guardrail's as a LangChain chat model, so that the demo's chain runs on a script or a live model."""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from guardrail.engine.flow import Failed
from guardrail.errors import BackendError
from guardrail.requests import Ask, Message, Role

_ROLES: dict[str, Role] = {"human": "user", "ai": "assistant", "system": "system"}


class DemoModel(BaseChatModel):
    """Answers through a `guardrail.chat` model.

    Attributes:
        chat: that model.
    """

    chat: Any

    @property
    def _llm_type(self) -> str:
        return "guardrail-demo"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002  # LangChain's signature
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002  # LangChain's signature
        **_options: Any,
    ) -> ChatResult:
        sent = tuple(Message(_ROLES.get(message.type, "user"), str(message.text)) for message in messages)
        (reply,) = self.chat.answer([Ask(sent)])
        if isinstance(reply, Failed):
            raise BackendError(
                f"expected an answer from the chat model, got {str(reply)!r}. Check --model, --base-url and the key",
                retryable=reply.retryable,
            )
        return ChatResult(generations=[ChatGeneration(message=AIMessage(reply.value.text))])
