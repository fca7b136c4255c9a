"""The citations of a model's service in LangChain's messages: judged, kept through edits, and gone with what was removed."""

from __future__ import annotations

import asyncio
from typing import ClassVar

import pytest
from integrations.langchain.tests.langchain_fakes import MARK, FakeChat, leaks
from integrations.langchain.tests.test_langchain_sentences import BySentence, Pieces
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.runnables import RunnablePassthrough

from guardrail import Detector, Guard, annotate, flag, remove
from guardrail_langchain import GuardedOutput, GuardrailCallback, GuardrailMiddleware, guard_runnable

SAID = f"Cats purr (c.org). Dogs bark, as {MARK} showed (d.org). Cows moo (m.org)."
MARKS = ("(c.org)", "(d.org)", "(m.org)")
POLICIES = {"remove": remove, "annotate": annotate}
KEPT = {"remove": [MARKS[0], MARKS[2]], "annotate": list(MARKS)}


def noted(kind, mark):
    """An annotation of a text, as OpenAI's responses have it, or LangChain's standard form."""
    start = SAID.index(mark)
    quoted = f"{MARK} it is" if mark == MARKS[1] else "Animals"
    fields = {"type": kind, "start_index": start, "end_index": start + len(mark), "title": quoted}
    more = {"cited_text": quoted} if kind == "citation" else {}
    return {**fields, **more, "url": f"https://{mark[1:-1]}"}


def message(kind, **more):
    return AIMessage(
        [{"type": "text", "text": SAID, "annotations": [noted(kind, one) for one in MARKS], **more}]
    )


def at_their_words(found):
    """The words of the annotations of a message's text block."""
    (block,) = found.content
    return [block["text"][one["start_index"] : one["end_index"]] for one in block["annotations"]]


class Cites(Detector):
    """Notes what it is given."""

    name: ClassVar[str] = "cites"

    def __init__(self):
        self.cases = []

    def cost(self, case):
        return {}

    def examine(self, case):
        yield from ()
        self.cases.append(case)
        return []

    def cited(self):
        return [case.answer[one.start : one.end] for case in self.cases for one in case.citations]


@pytest.mark.parametrize("kind", ["url_citation", "citation"])
@pytest.mark.parametrize("policy", POLICIES)
class TestKept:
    """Each is at its words in the new text; nothing of what was removed is left."""

    def test_in_a_message(self, kind, policy):
        model = FakeChat(lambda _: message(kind))
        found = guard_runnable(Guard([BySentence()], policy=POLICIES[policy]()), model).invoke("Pets?")
        assert at_their_words(found) == KEPT[policy]
        assert leaks([found]) == (policy == "annotate")

    def test_in_an_agent(self, kind, policy):
        guard = Guard([BySentence()], policy=POLICIES[policy]())
        agent = create_agent(FakeChat(lambda _: message(kind)), [], middleware=[GuardrailMiddleware(guard)])
        found = agent.invoke({"messages": [("user", "Pets?")]})["messages"][-1]
        assert at_their_words(found) == KEPT[policy]
        assert leaks([found]) == (policy == "annotate")

    @pytest.mark.parametrize("asynchronous", [False, True])
    @pytest.mark.parametrize("streaming", ["buffer", "sentence"])
    def test_in_a_stream(self, kind, policy, streaming, asynchronous):
        """Its chunks add up to the message."""
        pieces = [{"type": "text", "text": SAID[i : i + 9], "index": 0} for i in range(0, len(SAID), 9)]
        notes = [{"type": "text", "annotations": [noted(kind, one)], "index": 0} for one in MARKS]
        model = Pieces([AIMessageChunk([one]) for one in [*pieces[:6], *notes, *pieces[6:]]])
        model.reply = lambda _: message(kind)  # where it is asked for the whole
        made = guard_runnable(Guard([BySentence()], policy=POLICIES[policy]()), model, streaming=streaming)

        async def run():
            return [chunk async for chunk in made.astream("Pets?")]

        chunks = asyncio.run(run()) if asynchronous else list(made.stream("Pets?"))
        whole = chunks[0]
        for chunk in chunks[1:]:
            whole += chunk
        assert at_their_words(whole) == KEPT[policy]
        assert leaks(chunks) == (policy == "annotate")
        assert streaming == "buffer" or any("Cats" in str(chunk.text) for chunk in chunks[:-2])


def test_of_blocks():
    """Anthropic's are for a whole block: that of one that stays is kept, without the quotation; that of one that is cut goes."""
    cited = {
        "type": "char_location",
        "document_index": 0,
        "cited_text": f"{MARK} it is",
        "document_title": "Pets",
    }
    blocks = [
        {"type": "text", "text": "Cats purr. ", "citations": [cited]},
        {"type": "text", "text": f"Dogs bark, as {MARK} showed.", "citations": [cited]},
    ]
    found = guard_runnable(
        Guard([BySentence()], policy=remove()), FakeChat(lambda _: AIMessage(blocks))
    ).invoke("Pets?")
    assert found.content == [
        {"type": "text", "text": "Cats purr.", "citations": [{**cited, "cited_text": ""}]}
    ]


def test_an_annotation_without_a_text_goes():
    """Nobody knows what a block without text cites."""
    blocks = [{"type": "text", "text": SAID}, {"type": "text", "annotations": [noted("citation", MARKS[1])]}]
    model = FakeChat(lambda _: AIMessage(blocks))
    for policy, leaking in ((remove, False), (flag, True)):
        assert leaks([guard_runnable(Guard([BySentence()], policy=policy()), model).invoke("?")]) == leaking


@pytest.mark.parametrize("policy", POLICIES)
def test_beside_a_string(policy):
    """Chat completions have them in `additional_kwargs`; what is no annotation of the text is as it was."""
    kwargs = {"annotations": [noted("url_citation", one) for one in MARKS], "citations": ["https://c.org"]}
    model = FakeChat(lambda _: AIMessage(SAID, additional_kwargs=kwargs))
    found = guard_runnable(Guard([BySentence()], policy=POLICIES[policy]()), model).invoke("Pets?")
    notes = found.additional_kwargs["annotations"]
    assert [found.content[one["start_index"] : one["end_index"]] for one in notes] == KEPT[policy]
    assert ("citations" in found.additional_kwargs) == leaks([found]) == (policy == "annotate")


class TestRead:
    """A detector gets them, with their places in what it examines."""

    def test_of_a_message(self):
        cites = Cites()
        guard_runnable(Guard([cites]), FakeChat(lambda _: message("citation"))).invoke("Pets?")
        assert cites.cited() == list(MARKS)

    def test_of_an_entry(self):
        """Behind another text of the same output, or named."""
        model = FakeChat(lambda _: message("citation"))
        for key, many in ((None, 3), ("answer", 3)):
            cites = Cites()
            chain = {"note": lambda _: "Cats and dogs."} | RunnablePassthrough.assign(
                answer=lambda _: model.invoke("?")
            )
            (chain | GuardedOutput(Guard([cites]), key=key)).invoke("Pets?")
            assert cites.cited() == list(MARKS)[:many]

    def test_by_a_callback(self):
        """With the documents that a system prompt delimits."""
        cites = Cites()
        model = FakeChat(lambda _: message("citation"))
        asked = [("system", "<document title='pets.md'>Cats purr.</document>"), ("user", "Pets?")]
        model.invoke(asked, {"callbacks": [GuardrailCallback(Guard([cites]))]})
        assert cites.cited() == list(MARKS)
        assert cites.cases[0].context == ("Cats purr.",)
