"""Structured answers that hold references: each is examined, and what comes back is valid."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass

import pytest
from integrations.langchain.tests.langchain_fakes import FakeChat
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain.agents.structured_output import ProviderStrategy, ToolStrategy
from langchain_core.messages import AIMessage
from langchain_core.prompts import ChatPromptTemplate
from langchain_openai import ChatOpenAI
from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from guardrail import Blocked, Guard, Verdict, annotate, block, flag, remove
from guardrail.detectors import ReferenceCheck
from guardrail.errors import ConfigError
from guardrail.references.bibliography.records import Match, Record, Status
from guardrail.testing.server import serve
from guardrail_langchain import GuardedOutput, GuardrailMiddleware, guard_runnable

REAL = {"title": "Attention Is All You Need", "authors": ["Ashish Vaswani", "Noam Shazeer"], "year": 2017}
FAKE = {"title": "The Ontology of Imaginary Teapots", "authors": ["Quentin Winterbottom"], "year": 2019}
SAID = {"topic": "Attention, as in the literature", "works": [REAL, FAKE]}


class Work(BaseModel):
    """A cited work."""

    title: str
    authors: list[str]
    year: int


class Works(BaseModel):
    """A structured answer."""

    topic: str
    works: list[Work]


class Best(BaseModel):
    """One in which a work is required."""

    topic: str
    best: Work


class Perhaps(BaseModel):
    """One in which a work may be missing."""

    topic: str
    best: Work | None


class Open(BaseModel):
    """One that takes more than it names."""

    model_config = ConfigDict(extra="allow")
    works: list[dict[str, object]]


class Few(BaseModel):
    """One that cannot be empty."""

    works: list[Work] = Field(min_length=1)


@dataclass
class Line:
    """A cited work as a dataclass."""

    title: str
    authors: tuple[str, ...]
    year: int


class TypedWorks(TypedDict):
    """A structured answer as a dict."""

    topic: str
    works: list[dict[str, object]]


SCHEMA = {
    "title": "Works",
    "description": "A structured answer.",
    "type": "object",
    "properties": {"topic": {"type": "string"}, "works": {"type": "array", "items": {"type": "object"}}},
    "required": ["topic", "works"],
}


class TypedBest(TypedDict):
    """A dict in which a work is required."""

    topic: str
    best: dict[str, object]


BEST = {
    "type": "object",
    "properties": {"topic": {"type": "string"}, "best": {"type": "object"}},
    "required": ["topic", "best"],
}


class Shelf:
    """A bibliography of one work, declared complete."""

    fingerprint = "shelf"

    def find(self, reference):
        record = Record(REAL["title"], tuple(REAL["authors"]), year=2017)
        if reference.title == REAL["title"]:
            return Match(Status.FOUND, record, 1.0, complete=True)
        return Match(Status.ABSENT, complete=True)

    def find_all(self, references):
        return [self.find(reference) for reference in references]


def guard(policy, **options):
    return Guard([ReferenceCheck(bibliography=Shelf())], policy=policy, **options)


def calling(name="Works", said=SAID):
    """A model that calls the tool of the schema."""
    call = {"name": name, "args": said, "id": "c", "type": "tool_call"}
    return FakeChat(lambda _: AIMessage("", tool_calls=[call]))


def works(left):
    """The titles in a structured answer of any kind, and the years beside them."""
    found = left["works"] if isinstance(left, dict) else left.works
    return [(w["title"], w["year"]) if isinstance(w, dict) else (w.title, w.year) for w in found]


class TestStructuredOutput:
    @pytest.mark.parametrize("schema", [Works, TypedWorks, SCHEMA])
    def test_a_made_up_work_is_removed(self, schema):
        """The list is shorter, of the same type, and the other work as it was."""
        model = calling(getattr(schema, "__name__", "Works")).with_structured_output(schema)
        left = guard_runnable(guard(remove()), model).invoke("Works?")
        assert works(left) == [("Attention Is All You Need", 2017)]
        assert isinstance(left, Works if schema is Works else dict)

    def test_a_block_withholds_it(self):
        """A single reference that is the whole answer, with block and fail="closed"."""
        model = calling("Work", FAKE).with_structured_output(Work)
        with pytest.raises(Blocked, match="This answer was withheld: 1 part of it") as caught:
            guard_runnable(guard(block(), fail="closed"), model).invoke("Best work?")
        assert "Teapots" not in str(caught.value)
        assert "{" not in str(caught.value)

    def test_a_real_work_passes_a_block(self):
        """The object itself comes back."""
        model = calling("Work", REAL).with_structured_output(Work)
        assert guard_runnable(guard(block()), model).invoke("Best work?") == Work(**REAL)

    def test_removing_the_last_work_leaves_an_empty_list(self):
        """Which is a valid answer."""
        model = calling(said={**SAID, "works": [FAKE]}).with_structured_output(Works)
        left = guard_runnable(guard(remove()), model).invoke("Works?")
        assert left == Works(topic=SAID["topic"], works=[])

    def test_a_list_that_must_not_be_empty_is_blocked(self):
        """What would not validate any more is not shown."""
        model = calling("Few", {"works": [FAKE]}).with_structured_output(Few)
        with pytest.raises(Blocked):
            guard_runnable(guard(remove()), model).invoke("Works?")

    def test_a_required_work_is_blocked_and_an_optional_one_becomes_none(self):
        """A field is never missing."""
        said = {"topic": "Pottery", "best": FAKE}
        with pytest.raises(Blocked):
            guard_runnable(guard(remove()), calling("Best", said).with_structured_output(Best)).invoke("?")
        model = calling("Perhaps", said).with_structured_output(Perhaps)
        assert guard_runnable(guard(remove()), model).invoke("?") == Perhaps(topic="Pottery", best=None)

    @pytest.mark.parametrize("raw", [False, True])
    @pytest.mark.parametrize(
        "schema",
        [
            TypedBest,
            {"title": "TypedBest", "description": "One.", **BEST},
            {"name": "TypedBest", "parameters": {**BEST, "additionalProperties": False}},
        ],
    )
    def test_a_dict_that_would_not_be_valid_is_blocked(self, schema, raw):
        """As a pydantic model is: nothing else would look at it again. A mark is no part of it."""
        said = {"topic": "Pottery", "best": FAKE}
        model = calling("TypedBest", said).with_structured_output(schema, include_raw=raw)
        with pytest.raises(Blocked, match="an edited dict") as caught:
            guard_runnable(guard(remove()), model).invoke("?")
        assert "Teapots" not in str(caught.value)
        marked = guard_runnable(guard(annotate()), model).invoke("?")
        best = (marked["parsed"] if raw else marked)["best"]
        assert best == {**FAKE, "guardrail": "no such work found"}

    def test_a_dict_that_was_not_valid_before_is_not_judged_again(self):
        """A model that ignores its schema, and a parser behind it that makes something else."""
        said = {"topic": "Pottery", "best": FAKE, "works": "none"}
        schema = {"title": "TypedBest", "description": "One.", **BEST, "required": ["worst"]}
        model = calling("TypedBest", said).with_structured_output(schema)
        assert guard_runnable(guard(remove()), model).invoke("?")["best"] is None

    def test_a_mark_is_a_key_of_a_dict(self):
        """In a dict, and in what a model takes as one."""
        for schema, name in ((TypedWorks, "TypedWorks"), (Open, "Open")):
            model = calling(name).with_structured_output(schema)
            left = guard_runnable(guard(annotate()), model).invoke("Works?")
            found = left["works"] if isinstance(left, dict) else left.works
            assert found == [REAL, {**FAKE, "guardrail": "no such work found"}]

    def test_a_mark_stands_in_the_title_where_there_is_no_key_for_it(self):
        """A class with fields of its own stays valid."""
        left = guard_runnable(guard(annotate()), calling().with_structured_output(Works)).invoke("Works?")
        assert works(left) == [
            ("Attention Is All You Need", 2017),
            ("The Ontology of Imaginary Teapots [no such work found]", 2019),
        ]

    def test_with_the_raw_message_both_say_the_same(self):
        """The call's arguments are those of what was parsed."""
        model = calling().with_structured_output(Works, include_raw=True)
        left = guard_runnable(guard(remove()), model).invoke("Works?")
        assert works(left["parsed"]) == [("Attention Is All You Need", 2017)]
        assert left["raw"].tool_calls[0]["args"] == left["parsed"].model_dump()
        assert left["parsing_error"] is None
        assert "Teapots" not in repr(left)

    def test_in_a_chain_and_on_a_loop(self):
        """`prompt | model.with_structured_output(…) | GuardedOutput(guard)`, asynchronously and as a stream."""
        prompt = ChatPromptTemplate.from_messages([("user", "{q}")])
        chain = prompt | calling().with_structured_output(Works) | GuardedOutput(guard(remove()))
        assert len(asyncio.run(chain.ainvoke({"q": "Works?"})).works) == 1
        assert "Teapots" not in repr(list(chain.stream({"q": "Works?"})))

    def test_a_guarded_model_takes_a_schema(self):
        """`guard_runnable(guard, model).with_structured_output(…)`; a chain has no schema to take."""
        model = guard_runnable(guard(remove()), calling()).with_structured_output(Works)
        assert len(model.invoke("Works?").works) == 1
        prompt = ChatPromptTemplate.from_messages([("user", "{q}")])
        with pytest.raises(ConfigError, match="with_structured_output"):
            guard_runnable(guard(remove()), prompt | calling()).with_structured_output(Works)

    def test_the_report_names_each_work(self):
        """One finding per object, whose span is the object."""
        seen = []
        watched = guard(flag(), on_report=seen.append)
        guard_runnable(watched, calling().with_structured_output(Works)).invoke("Works?")
        assert [f.verdict for f in seen[0].findings] == [Verdict.SUPPORTED, Verdict.UNSUPPORTED]
        assert json.loads(seen[0].findings[1].span.of(seen[0].case.answer)) == FAKE

    def test_entries_that_cannot_be_read_are_unverified(self):
        """References that say nothing do not pass as "nothing to check"."""
        seen = []
        said = {"topic": "x", "references": [{"thing": "n/a"}]}
        model = calling("Works", said).with_structured_output({**SCHEMA, "required": []})
        guard_runnable(guard(flag(), on_report=seen.append), model).invoke("Works?")
        assert [f.verdict for f in seen[0].findings] == [Verdict.UNVERIFIED]

    def test_tuples_and_dataclasses(self):
        """What a chain makes of it by itself."""
        chain = calling().with_structured_output(Works) | (
            lambda found: tuple(Line(w.title, tuple(w.authors), w.year) for w in found.works)
        )
        left = guard_runnable(guard(remove()), chain).invoke("Works?")
        assert left == (Line(REAL["title"], tuple(REAL["authors"]), 2017),)


class TestMethods:
    """LangChain's OpenAI model over real HTTP."""

    @pytest.mark.parametrize("method", ["json_mode", "json_schema"])
    @pytest.mark.parametrize("include_raw", [False, True])
    def test_json_in_the_text(self, method, include_raw):
        """The text is the JSON, and says afterwards what was parsed."""
        with serve(lambda _: json.dumps(SAID, indent=2)) as server:
            model = ChatOpenAI(model="m", base_url=server.base_url, api_key="k", max_retries=0)
            structured = model.with_structured_output(Works, method=method, include_raw=include_raw)
            left = guard_runnable(guard(remove()), structured).invoke("Works as JSON?")
        parsed = left["parsed"] if include_raw else left
        assert works(parsed) == [("Attention Is All You Need", 2017)]
        assert not include_raw or json.loads(left["raw"].text) == parsed.model_dump()
        assert "Teapots" not in repr(left)


class TestAgents:
    @pytest.mark.parametrize("strategy", [ToolStrategy, ProviderStrategy])
    def test_a_response_format(self, strategy):
        """The structured response and the message that carried it."""
        model = calling()
        if strategy is ProviderStrategy:
            model = FakeChat(lambda _: AIMessage(json.dumps(SAID)))
        agent = create_agent(
            model, [], middleware=[GuardrailMiddleware(guard(remove()))], response_format=strategy(Works)
        )
        state = agent.invoke({"messages": [("user", "Works?")]})
        assert works(state["structured_response"]) == [("Attention Is All You Need", 2017)]
        assert "Teapots" not in repr(state)

    @pytest.mark.parametrize(
        "wanted", [TypedBest, ToolStrategy(TypedBest), ToolStrategy({"title": "TypedBest", **BEST})]
    )
    def test_a_dict_that_would_not_be_valid_is_blocked(self, wanted):
        """A schema by itself, and in a strategy."""
        agent = create_agent(
            calling("TypedBest", {"topic": "Pottery", "best": FAKE}),
            [],
            middleware=[GuardrailMiddleware(guard(remove()))],
            response_format=wanted,
        )
        with pytest.raises(Blocked, match="an edited dict"):
            agent.invoke({"messages": [("user", "?")]})

    @pytest.mark.parametrize("schema", [Works, TypedWorks])
    def test_a_schema_that_another_middleware_sets_by_itself(self, schema):
        """Not in a strategy: a model's class has a method of that name."""

        class Wanting(AgentMiddleware):
            def wrap_model_call(self, request, handler):
                return handler(request.override(response_format=schema))

        agent = create_agent(
            calling(schema.__name__),
            [],
            middleware=[Wanting(), GuardrailMiddleware(guard(remove()))],
            response_format=ToolStrategy(schema),
        )
        state = agent.invoke({"messages": [("user", "Works?")]})
        assert works(state["structured_response"]) == [("Attention Is All You Need", 2017)]

    def test_a_block_ends_the_agent(self):
        """With the policy's message, and no structured response."""
        agent = create_agent(
            calling(),
            [],
            middleware=[GuardrailMiddleware(guard(block("No answer.")))],
            response_format=ToolStrategy(Works),
        )
        state = agent.invoke({"messages": [("user", "Works?")]})
        assert state["messages"][-1].text == "No answer."
        assert state.get("structured_response") is None
