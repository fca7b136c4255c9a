"""A guarded agent and a guarded chain, with scripted models: runs without a key.

The model under guard is asked for references and makes one up. The guard asks a model who wrote each of the
works and whether it exists; here that model is scripted, too. With a key, both are real:

    model = init_chat_model("openai:gpt-5-mini")
    guard = Guard([ReferenceCheck()], chat=LangChainChat(model), policy=regenerate() | remove())
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from langchain.agents import create_agent
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.prompts import ChatPromptTemplate

from guardrail import Guard, regenerate, remove
from guardrail.chat import ScriptedChat
from guardrail.detectors import ReferenceCheck
from guardrail.requests import Ask
from guardrail_langchain import GuardedOutput, GuardrailMiddleware

REAL = "Vaswani et al. (2017). Attention Is All You Need. NeurIPS."
FAKE = "Winterbottom, Q. (2019). The Ontology of Imaginary Teapots. Journal of Nothing, 3, 1-9."
FIRST = f"Two works to read:\n\n1. {REAL}\n2. {FAKE}\n"
SECOND = f"I am sure of one work:\n\n1. {REAL}\n"
QUESTION = "Which works should I read about attention?"


class Librarian(BaseChatModel):
    """Makes a reference up, and takes it back when told."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _answer(self, messages: list[BaseMessage]) -> str:
        return SECOND if "rejected" in str(messages[-1].text) else FIRST

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        del stop, run_manager, kwargs
        return ChatResult(generations=[ChatGeneration(message=AIMessage(self._answer(messages)))])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        del stop, run_manager, kwargs
        for word in self._answer(messages).split(" "):
            yield ChatGenerationChunk(message=AIMessageChunk(word + " "))


def witness(ask: Ask) -> str:
    """Knows one of the two works; of the other it names other authors each time."""
    question = "\n".join(message.text for message in ask.messages)
    known = "Attention Is All You Need" in question
    if "exist" in question.lower():
        return "Yes" if known else "No"
    strangers = ("Anna Berg", "Karl Tal", "Mia See")[ask.draw % 3]
    return f"AUTHORS: {'Ashish Vaswani, Noam Shazeer' if known else strangers}"


def show(title: str) -> None:
    """A headline."""
    sys.stdout.write(f"\n--- {title}\n")


def main() -> None:
    """Ask three times."""
    model, question = Librarian(), {"messages": [("user", QUESTION)]}
    show("unguarded")
    sys.stdout.write(str(model.invoke(QUESTION).text))

    guard = Guard([ReferenceCheck()], chat=ScriptedChat(witness), policy=regenerate() | remove())
    agent = create_agent(model, [], middleware=[GuardrailMiddleware(guard)])
    show("guarded agent, streamed")
    for chunk, _ in agent.stream(question, stream_mode="messages"):
        sys.stdout.write(str(chunk.text))
    summary = agent.invoke(question)["messages"][-1].response_metadata["guardrail"]
    sys.stdout.write(f"({summary['action']}, {summary['attempts']} attempts)\n")

    show("guarded chain, streamed")
    prompt = ChatPromptTemplate.from_messages([("system", "Be brief."), ("user", "{question}")])
    chain = prompt | model | StrOutputParser() | GuardedOutput(guard)
    for piece in chain.stream({"question": QUESTION}):
        sys.stdout.write(piece)


if __name__ == "__main__":
    main()
