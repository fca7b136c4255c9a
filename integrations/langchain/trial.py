# a script, no part of a package
"""Twenty answers of `benchmarks/references/trial` from a LangChain agent with the guard's middleware: `python -m integrations.langchain.trial`.

The model is scripted and says each answer once, and the catalogues are a local server: no key, no network. The options and rows are those of
`python -m benchmarks.references.trial`.
"""

from __future__ import annotations

from typing import Any

from benchmarks.references.trial._answers import Trial
from benchmarks.references.trial.run import main
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage

from guardrail import Guard
from guardrail_langchain import GuardrailMiddleware

__all__ = ["answered"]


def answered(one: Trial, guard: Guard) -> str:
    """What the user of the agent gets to read."""
    model = FakeMessagesListChatModel(responses=[AIMessage(one.text)])
    agent: Any = create_agent(model, [], middleware=[GuardrailMiddleware(guard)])
    return str(agent.invoke({"messages": [("user", one.question)]})["messages"][-1].text)


if __name__ == "__main__":
    raise SystemExit(main(answered=answered, packages=("langchain",)))
