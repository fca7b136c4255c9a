"""The client that users have, guarded: the same surface and types, the report where they look, and what is refused."""

from __future__ import annotations

import asyncio
import json

import httpx2
import openai
import pytest
from integrations.openai.tests.openai_fakes import (
    ANSWER,
    ASK,
    BAD,
    CLEAN,
    KINDS,
    SECRET,
    TOOL,
    Secrets,
    client_of,
    guard,
    over,
    owner,
    with_async,
)
from openai import AsyncAzureOpenAI, AzureOpenAI, OpenAI
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.responses import Response
from pydantic import BaseModel

from guardrail import Guard, annotate, block, flag, regenerate, remove
from guardrail.errors import InputError
from guardrail_openai import guard_openai


class Place(BaseModel):
    title: str
    claims: list[str]
    count: int


class TestChat:
    def test_create(self, made):
        """The type stays; the text is edited; the report is beside it."""
        said = made(remove()).chat.completions.create(**ASK)
        assert isinstance(said, ChatCompletion)
        assert said.choices[0].message.content == CLEAN
        assert said.guardrail["verdict"] == "unsupported"
        assert said.guardrail["action"] == "remove"

    def test_create_async(self, url):
        """The twin."""
        said = with_async(url, remove(), lambda client: client.chat.completions.create(**ASK))
        assert said.choices[0].message.content == CLEAN

    def test_every_choice_is_examined(self, made):
        """And keeps its number."""
        said = made(remove()).chat.completions.create(**ASK, n=3)
        assert [(one.index, one.message.content) for one in said.choices] == [(i, CLEAN) for i in range(3)]
        assert [one["index"] for one in said.guardrail["choices"]] == [0, 1, 2]

    def test_regenerate_keeps_the_response_that_was_kept(self, made):
        """Its id, with the usage of both."""
        client = made(regenerate(1) | remove())
        said = client.chat.completions.create(**ASK)
        assert said.choices[0].message.content == CLEAN
        assert said.guardrail["attempts"] == 2
        assert said.usage.completion_tokens == len(ANSWER.split()) + len(CLEAN.split())

    def test_stream(self, made):
        """Chunks of the library's type; the last with a reason holds the report."""
        chunks = list(made(remove()).chat.completions.create(**ASK, stream=True))
        assert all(isinstance(chunk, ChatCompletionChunk) for chunk in chunks)
        assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == CLEAN
        assert chunks[-1].choices[0].finish_reason == "stop"
        assert chunks[-1].guardrail["action"] == "remove"

    def test_stream_helper(self, made):
        """`stream` gives the same at its end; usage comes where it is wanted."""
        with made(remove()).chat.completions.stream(**ASK, stream_options={"include_usage": True}) as stream:
            said = "".join(event.delta for event in stream if event.type == "content.delta")
            final = stream.get_final_completion()
        assert said == final.choices[0].message.content == CLEAN
        assert final.usage.completion_tokens == len(ANSWER.split())
        assert final.model_extra["guardrail"]["action"] == "remove"

    def test_stream_async(self, url):
        """The twin."""

        async def use(client):
            stream = await client.chat.completions.create(**ASK, stream=True)
            return "".join([chunk.choices[0].delta.content or "" async for chunk in stream])

        assert with_async(url, remove(), use) == CLEAN

    def test_tool_calls_pass(self, made):
        """A turn without text is nobody's answer."""
        for stream in (False, True):
            said = made(block()).chat.completions.create(**{**ASK, "model": "tools"}, stream=stream)
            if stream:
                calls = [call for chunk in said for call in chunk.choices[0].delta.tool_calls or ()]
            else:
                calls = said.choices[0].message.tool_calls
                assert said.guardrail["verdict"] is None
            assert calls[0].function.arguments == TOOL["function"]["arguments"]

    def test_block(self, made):
        """The finish reason says so, in the place of the text a neutral message."""
        choice = made(block()).chat.completions.create(**ASK).choices[0]
        assert choice.finish_reason == "content_filter"
        assert SECRET not in choice.message.content

    def test_annotate_says_where(self, made):
        """The places are in the text that is shown."""
        said = made(annotate()).chat.completions.create(**ASK)
        [span] = said.guardrail["spans"]
        assert said.choices[0].message.content[span["start"] : span["end"]].startswith(BAD[:-1])
        assert said.choices[0].message.content[: span["start"]] == ANSWER.partition(BAD)[0]


class TestStructured:
    def test_parse(self, made):
        """Strings are edited, and the whole is valid still."""
        said = made(remove()).chat.completions.parse(**{**ASK, "model": "json"}, response_format=Place)
        place = said.choices[0].message.parsed
        assert (place.title, place.claims[0], place.count) == ("Paris", "Paris is in France.", 2)
        assert SECRET not in str(place)

    def test_parse_blocked(self, made):
        """The library's own error."""
        with pytest.raises(openai.ContentFilterFinishReasonError):
            made(block()).chat.completions.parse(**{**ASK, "model": "json"}, response_format=Place)

    def test_parse_regenerated(self, made):
        """What the second attempt said."""
        client = made(regenerate(1) | block())
        said = client.chat.completions.parse(**{**ASK, "model": "json"}, response_format=Place)
        assert said.choices[0].message.parsed.claims[1] == "It is big."

    def test_what_would_not_be_valid_any_more(self, made):
        """A schema that lists the values admits no mark: the answer passes without; what cannot be cut is blocked."""
        schema = {
            "type": "object",
            "properties": {"claims": {"type": "array", "items": {"enum": ["Paris is in France.", BAD]}}},
        }
        wanted = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
        ask = {**ASK, "model": "json", "response_format": wanted}
        marked = made(annotate()).chat.completions.create(**ask)
        assert (marked.choices[0].finish_reason, marked.guardrail["action"]) == ("stop", "flag")
        cut = made(remove()).chat.completions.create(**ask)
        assert (cut.choices[0].finish_reason, cut.guardrail["action"]) == ("content_filter", "block")
        assert "withheld" in json.loads(cut.choices[0].message.content)["guardrail"]
        assert SECRET not in cut.model_dump_json()

    def test_responses_parse(self, made):
        """In the Responses API."""
        said = made(remove()).responses.parse(model="json", input="Where?", text_format=Place)
        assert said.output_parsed.title == "Paris"
        assert SECRET not in said.model_dump_json()


class TestResponses:
    def test_create(self, made):
        """The type stays; the text is edited; the report is beside it."""
        said = made(remove()).responses.create(model="m", input="Where?")
        assert isinstance(said, Response)
        assert said.output_text == CLEAN
        assert said.guardrail["action"] == "remove"

    def test_create_async(self, url):
        """The twin."""
        said = with_async(url, remove(), lambda client: client.responses.create(model="m", input="Where?"))
        assert said.output_text == CLEAN

    def test_stream(self, made):
        """Every event that repeats the text says the same, and the last one holds the report."""
        events = list(made(remove()).responses.create(model="m", input="Where?", stream=True))
        assert events[0].type == "response.created"
        assert "".join(one.delta for one in events if one.type == "response.output_text.delta") == CLEAN
        assert next(one.text for one in events if one.type == "response.output_text.done") == CLEAN
        assert events[-1].response.output_text == CLEAN
        assert events[-1].response.guardrail["action"] == "remove"
        assert [one.sequence_number for one in events] == list(range(len(events)))

    def test_stream_helper(self, made):
        """`stream` gives the same at its end."""
        with made(remove()).responses.stream(model="m", input="Where?") as stream:
            assert SECRET not in "".join(map(str, stream))
            assert stream.get_final_response().output_text == CLEAN

    def test_block(self, made):
        """Incomplete, for the content filter."""
        said = made(block()).responses.create(model="m", input="Where?")
        assert (said.status, said.incomplete_details.reason) == ("incomplete", "content_filter")
        assert SECRET not in said.output_text

    def test_regenerate(self, made):
        """Where the service keeps no conversation."""
        client = made(regenerate(1) | remove())
        assert client.responses.create(model="m", input="Where?").guardrail["attempts"] == 2
        kept = client.responses.create(model="m", input="Where?", previous_response_id="resp_1")
        assert kept.guardrail["attempts"] == 1
        assert kept.output_text == CLEAN

    @pytest.mark.parametrize("kind", ["sync"])
    def test_tool_calls_pass(self, made, kind):
        """An item of a call is nobody's answer."""
        [call] = made(block(), kind).responses.create(model="tools", input="Where?").output[1:]
        assert call.arguments == TOOL["function"]["arguments"]


class TestSurface:
    def test_raw_responses_have_headers(self, made):
        """Verdict, findings, action and calls."""
        raw = made(remove()).chat.completions.with_raw_response.create(**ASK)
        assert raw.headers["x-guardrail-verdict"] == "unsupported"
        assert raw.headers["x-guardrail-findings"] == "1"
        assert raw.headers["x-guardrail-action"] == "remove"
        assert raw.headers["x-guardrail-calls"] == "0"  # this guard asks nobody
        assert raw.parse().choices[0].message.content == CLEAN

    def test_options_keep_the_guard(self, made):
        """`with_options` and `copy`, once and again."""
        client = made(remove()).with_options(timeout=4).copy(max_retries=1)
        assert client.max_retries == 1
        assert client.chat.completions.create(**ASK).choices[0].message.content == CLEAN

    def test_another_base_url_is_guarded(self):
        """Its path is known to the transport."""

        def upstream(request):
            choice = {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": ANSWER},
            }
            return httpx2.Response(
                200, json={"id": request.url.path, "object": "chat.completion", "choices": [choice]}
            )

        client = guard_openai(over(upstream), guard(remove())).with_options(
            base_url="http://up.test/other/v2"
        )
        said = client.chat.completions.create(**ASK)
        assert (said.id, said.choices[0].message.content) == ("/other/v2/chat/completions", CLEAN)

    def test_beta_is_guarded(self, made):
        """The old place of helpers."""
        client = made(remove())
        assert client.beta.chat.completions.create(**ASK).choices[0].message.content == CLEAN

    def test_the_given_client_is_not_changed(self, url):
        """It answers as before, and stays open."""
        with client_of("sync", url) as given:
            before = dict(given.__dict__), given._client._transport
            client = guard_openai(given, guard(remove()))
            assert isinstance(client, OpenAI)
            client.chat.completions.create(**ASK)
            client.close()
            assert given.chat.completions.create(**ASK).choices[0].message.content == ANSWER
            assert given._client._transport is before[1]
            assert {name: given.__dict__[name] for name in before[0]} == before[0]

    @pytest.mark.parametrize("kind", KINDS)
    def test_the_given_client_need_not_be_kept(self, url, kind):
        """`guard_openai(OpenAI(), guard)`, in one line."""
        client = guard_openai(client_of(kind, url), guard(remove()))
        if kind.startswith("async"):

            async def use():
                async with owner(client):
                    return await client.chat.completions.create(**ASK)

            said = asyncio.run(use())
        else:
            with owner(client):
                said = client.chat.completions.create(**ASK)
        assert said.choices[0].message.content == CLEAN

    def test_azure(self):
        """The deployment in the path."""
        seen = []

        def upstream(request):
            seen.append(request.url.path)
            choice = {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": ANSWER},
            }
            return httpx2.Response(200, json={"id": "1", "object": "chat.completion", "choices": [choice]})

        options = {"azure_endpoint": "https://a.test", "api_version": "1", "api_key": "k"}
        with AzureOpenAI(
            **options, http_client=httpx2.Client(transport=httpx2.MockTransport(upstream))
        ) as given:
            said = guard_openai(given, guard(remove())).chat.completions.create(**ASK)
        assert said.choices[0].message.content == CLEAN
        assert seen == ["/openai/deployments/m/chat/completions"]
        assert issubclass(type(guard_openai(AsyncAzureOpenAI(**options), guard(flag()))), AsyncAzureOpenAI)

    def test_another_attempt_has_a_key_of_its_own(self):
        """Or the service would send the first answer again; it asks for one choice, not streamed."""
        seen = []

        def upstream(request):
            seen.append((request.headers.get("idempotency-key"), json.loads(request.content)))
            choice = {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": ANSWER},
            }
            return httpx2.Response(200, json={"id": "1", "object": "chat.completion", "choices": [choice]})

        client = guard_openai(over(upstream), guard(regenerate(2) | remove()))
        client.chat.completions.create(**ASK, n=1, extra_headers={"Idempotency-Key": "mine"})
        keys = [key for key, _ in seen]
        assert keys[0] == "mine"
        assert len(set(keys)) == len(keys) == 3
        assert "n" not in seen[1][1]
        assert seen[1][1]["messages"][-1]["role"] == "user"

    def test_context_is_taken(self, url):
        """From the request."""
        reports = []
        with client_of("sync", url) as given:
            watched = Guard(guard(flag()).detectors, policy=flag(), on_report=reports.append)
            client = guard_openai(given, watched, context=lambda request: [request["metadata"]["document"]])
            client.chat.completions.create(**ASK, metadata={"document": "Paris is a town."})
        assert reports[0].case.context == ("Paris is a town.",)

    @pytest.mark.parametrize("stream", [False, True])
    def test_a_listener_that_raises(self, url, stream):
        """It is seen, and the answer is there."""
        with client_of("sync", url) as given:
            client = guard_openai(given, Guard(guard(flag()).detectors, on_report=lambda _: 1 / 0))

            def ask():
                said = client.chat.completions.create(**ASK, stream=stream)
                return list(said) if stream else [said]

            with pytest.warns(RuntimeWarning, match="on_report raised ZeroDivisionError"):
                chunks = ask()
        assert any(chunk.choices for chunk in chunks)

    def test_a_text_alone_is_one_document(self):
        """It was as many as it has characters."""
        choice = {"index": 0, "message": {"role": "assistant", "content": "Fine."}, "finish_reason": "stop"}
        client = over(lambda _: httpx2.Response(200, json={"id": "1", "choices": [choice]}))
        reports = []
        watched = Guard([Secrets()], on_report=reports.append)
        guard_openai(client, watched, context=lambda _: "Paris is a town.").chat.completions.create(**ASK)
        assert reports[0].case.context == ("Paris is a town.",)
        with pytest.raises(InputError, match="a text or a document"):
            guard_openai(client, watched, context=lambda _: [7]).chat.completions.create(**ASK)
        assert reports[0].case.question == "Where is Paris?"
