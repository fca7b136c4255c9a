"""The package as a whole: what importing it costs, what it needs, and one run with a real detector."""

from __future__ import annotations

import asyncio
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from integrations.langchain.tests.langchain_fakes import GOOD, FakeChat, MarkedWords, told_off
from langchain.agents import create_agent
from langchain_core.messages import AIMessage
from langchain_core.prompts import ChatPromptTemplate

import guardrail_langchain
from guardrail import Guard, annotate, regenerate, remove
from guardrail.chat import ScriptedChat
from guardrail.detectors import ReferenceCheck
from guardrail_langchain import GuardedOutput, GuardrailMiddleware

REAL = "Vaswani et al. (2017). Attention Is All You Need. NeurIPS."
FAKE = "Winterbottom, Q. (2019). The Ontology of Imaginary Teapots. Journal of Nothing, 3, 1-9."
LIST = f"Two works to read:\n\n1. {REAL}\n2. {FAKE}\n"
STRANGERS = ("Anna Berg", "Karl Tal", "Mia See")
BETTER = f"One work to read:\n\n1. {REAL}\n"


def said(code: str) -> str:
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    return run.stdout.strip()


class TestImport:
    def test_is_lazy(self):
        """The name alone loads neither LangChain nor torch; the doors load no torch."""
        loaded = said(
            "import sys, guardrail_langchain\n"
            "print([m for m in ('langchain', 'langchain_core', 'torch') if m in sys.modules])\n"
            "guardrail_langchain.GuardrailMiddleware, guardrail_langchain.guard_runnable\n"
            "print([m for m in ('torch', 'transformers') if m in sys.modules])"
        )
        assert loaded.splitlines() == ["[]", "[]"]

    @pytest.mark.parametrize("missing", ["langchain", "langchain_core", "langgraph"])
    def test_says_what_to_install(self, missing):
        """The exact command."""
        message = said(
            f"import sys; sys.modules[{missing!r}] = None\n"
            "import guardrail_langchain\n"
            "from guardrail.errors import MissingExtra\n"
            "try: guardrail_langchain.GuardrailMiddleware\n"
            "except MissingExtra as error: print(error)"
        )
        assert "pip install 'guardrail-sdk[langchain]'" in message

    def test_every_public_name_is_there(self):
        """And no other."""
        assert dir(guardrail_langchain) == guardrail_langchain.__all__
        assert all(getattr(guardrail_langchain, name) for name in guardrail_langchain.__all__)
        with pytest.raises(AttributeError):
            _ = guardrail_langchain.nothing


def reference_guard(policy):
    """Witnesses who know the real work and nothing else."""

    def script(ask):
        text = "\n".join(message.text for message in ask.messages)
        known = "Attention Is All You Need" in text
        if "exist" in text.lower():
            return "Yes" if known else "No"
        return "AUTHORS: Ashish Vaswani, Noam Shazeer" if known else f"AUTHORS: {STRANGERS[ask.draw % 3]}"

    return Guard([ReferenceCheck()], chat=ScriptedChat(script), policy=policy)


class TestReferences:
    @pytest.mark.parametrize("door", ["agent", "chain"])
    def test_made_up_references_never_arrive(self, door):
        """A real detector asks a scripted model; remove and regenerate."""

        def reply(messages):
            return AIMessage(BETTER if told_off(messages) else LIST)

        for policy in (remove(), regenerate() | remove()):
            guard = reference_guard(policy)
            if door == "agent":
                agent = create_agent(FakeChat(reply), [], middleware=[GuardrailMiddleware(guard)])
                question = {"messages": [("user", "Name works on attention.")]}
                received = [agent.invoke(question), *agent.stream(question, stream_mode="messages")]
                received.append(asyncio.run(agent.ainvoke(question)))
                text = str(received[0]["messages"][-1].text)
            else:
                prompt = ChatPromptTemplate.from_messages([("user", "{question}")])
                chain = prompt | FakeChat(reply) | GuardedOutput(guard)
                question = {"question": "Name works on attention."}
                received = [chain.invoke(question), *chain.stream(question)]
                text = str(received[0].text)
            assert "Attention Is All You Need" in text
            assert "Teapots" not in repr(received)
            assert "Winterbottom" not in repr(received)

    def test_annotations_say_what_was_found(self):
        """In the text."""
        agent = create_agent(
            FakeChat(lambda _: AIMessage(LIST)),
            [],
            middleware=[GuardrailMiddleware(reference_guard(annotate()))],
        )
        answer = agent.invoke({"messages": [("user", "Name works on attention.")]})["messages"][-1]
        made_up = str(answer.text).split("2. ")[1]
        assert "no such work" in made_up
        assert answer.response_metadata["guardrail"]["action"] == "annotate"


def test_readme_runs(capsys, monkeypatch):
    """Block by block, as a reader would paste them; only the model is another, and after the first the guard."""
    monkeypatch.setattr("langchain.chat_models.init_chat_model", lambda _: FakeChat())
    text = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    names = {}
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)
        names["guard"] = Guard([MarkedWords()], policy=remove())
    assert len(blocks) == 6
    assert "Dogs" not in "".join(names["texts"])  # in none of the documents
    assert capsys.readouterr().out == GOOD
    assert names["answer"].content == GOOD
    assert names["watcher"].reports[-1].verdict == "unsupported"


def test_example_runs(capsys):
    """Without a key."""
    runpy.run_path(str(Path(__file__).parents[1] / "example.py"), run_name="__main__")
    shown = capsys.readouterr().out
    assert "Imaginary Teapots" not in shown.split("--- guarded")[1]


def test_overhead_is_measured(capsys):
    """The script of the README runs; how long a call takes on a busy machine proves nothing."""
    script = runpy.run_path(str(Path(__file__).parents[1] / "overhead.py"))
    script["main"](20)
    shown = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in shown[1::2]] == ["model", "chain", "agent", "(empty"]
    assert len(shown) == 9
