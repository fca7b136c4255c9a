"""Streams that are only watched, and what a guarded client refuses."""

from __future__ import annotations

import json

import httpx
import httpx2
import openai
import pytest
from integrations.openai.tests.openai_fakes import (
    ANSWER,
    ASK,
    BAD,
    client_of,
    guard,
    over,
    with_async,
)

from guardrail import block, flag, remove
from guardrail.errors import ConfigError, UnknownName
from guardrail_openai import guard_openai


class TestObserve:
    def test_chat(self, made):
        """The stream passes as it comes, and its end says what was found."""
        chunks = list(made(remove(), streaming="observe").chat.completions.create(**ASK, stream=True))
        assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == ANSWER
        assert len(chunks) > 8
        assert chunks[-1].guardrail["verdict"] == "unsupported"
        assert chunks[-1].guardrail["action"] == "flag"
        assert chunks[-1].guardrail["mode"] == "observe"

    def test_async_responses(self, url):
        """On `response.completed`."""

        async def use(client):
            return [
                event async for event in await client.responses.create(model="m", input="Where?", stream=True)
            ]

        events = with_async(url, remove(), use, streaming="observe")
        assert events[-1].response.guardrail["verdict"] == "unsupported"
        assert events[-1].response.output_text == ANSWER

    @pytest.mark.parametrize("size", [1, 7, 1000])
    def test_in_pieces_of_any_size(self, url, size):
        """A piece may end within a character or a line."""
        body = (
            "".join(
                f"data: {json.dumps({'id': '1', 'object': 'chat.completion.chunk', 'choices': [one]}, ensure_ascii=False)}\r\n\r\n"
                for one in (
                    {
                        "index": 0,
                        "delta": {"role": "assistant", "content": "Grüße sind 🎉 schön. "},
                        "finish_reason": None,
                    },
                    {"index": 0, "delta": {"content": BAD}, "finish_reason": None},
                    {"index": 0, "delta": {}, "finish_reason": "stop"},
                )
            ).encode()
            + b"data: [DONE]\n\n"
        )

        def upstream(_):
            pieces = (body[i : i + size] for i in range(0, len(body), size))
            return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=pieces)

        for mode, shown in (("observe", f"Grüße sind 🎉 schön. {BAD}"), ("buffer", "Grüße sind 🎉 schön.")):
            client = guard_openai(over(upstream), guard(remove()), streaming=mode)
            chunks = list(client.chat.completions.create(**ASK, stream=True))
            assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks).strip() == shown
            assert chunks[-1].guardrail["verdict"] == "unsupported"

    def test_a_stream_that_breaks_off(self):
        """It must not look complete; what came was passed on."""
        choice = {"index": 0, "delta": {"content": "Paris."}, "finish_reason": None}
        body = f"data: {json.dumps({'id': '1', 'choices': [choice]})}\n\n".encode()
        kind = {"content-type": "text/event-stream"}
        client = over(lambda _: httpx2.Response(200, headers=kind, content=body))
        watched = guard_openai(client, guard(flag()), streaming="observe")
        stream = watched.chat.completions.create(**ASK, stream=True)
        assert next(stream).choices[0].delta.content == "Paris."
        with pytest.raises(openai.APIError, match="broke off"):
            next(stream)

    def test_an_answer_as_a_whole(self):
        """Though a stream was asked for: nothing of it arrived."""
        choice = {"index": 0, "message": {"role": "assistant", "content": "Paris."}, "finish_reason": "stop"}
        client = over(lambda _: httpx2.Response(200, json={"id": "1", "choices": [choice]}))
        watched = guard_openai(client, guard(flag()), streaming="observe")
        chunks = list(watched.chat.completions.create(**ASK, stream=True))
        assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == "Paris."


class TestRefused:
    @pytest.mark.parametrize(
        ("name", "call"),
        [
            ("responses.retrieve", lambda client: client.responses.retrieve("r")),
            ("responses.retrieve", lambda client: client.responses.cancel("r")),
            ("responses.retrieve", lambda client: client.responses.input_items.list("r")),
            ("chat.completions.stored", lambda client: client.chat.completions.retrieve("c")),
            ("chat.completions.stored", lambda client: client.chat.completions.list()),
            ("completions", lambda client: client.completions.create(model="m", prompt="p")),
            ("batches", lambda client: client.batches.list()),
            ("files.content", lambda client: client.files.content("f")),
            ("conversations", lambda client: client.conversations.items.list("c")),
            ("assistants", lambda client: client.get("/threads/t/messages", cast_to=object)),
            ("evals", lambda client: client.evals.list()),
            ("novelties", lambda client: client.get("/novelties/1", cast_to=object)),
        ],
    )
    def test_what_returns_text_unguarded(self, name, call):
        """A 400 that names the way to allow it, without a retry; what is allowed passes."""
        seen = []

        def upstream(request):
            seen.append(request)
            return httpx2.Response(200, json={"data": [], "choices": []})

        client = guard_openai(over(upstream), guard(flag()))
        with pytest.raises(openai.BadRequestError, match=r"guardrail: ") as raised:
            call(client)
        assert raised.value.response.headers["x-should-retry"] == "false"
        assert f"allow=['{name}']" in str(raised.value)
        assert seen == []
        call(guard_openai(over(upstream), guard(flag()), allow=[name]))
        assert len(seen) == 1

    @pytest.mark.parametrize(
        ("name", "meant"),
        [
            ("batchs", "batches"),
            ("threads", "assistants"),
            ("beta.assistants", "assistants"),
            ("response.retrieve", "responses.retrieve"),
        ],
    )
    def test_a_name_that_would_allow_nothing(self, name, meant):
        """It is refused where it is written; a path in no table is allowed by its first part."""
        with pytest.raises(UnknownName, match=f"no refused path named '{name}'. Did you mean '{meant}'?"):
            guard_openai(over(lambda request: None), guard(flag()), allow=[name])

    def test_background_and_speech(self, made):
        """Answers that are fetched later, and answers that nobody can read."""
        with pytest.raises(openai.BadRequestError, match="leave `background` out"):
            made(flag()).responses.create(model="m", input="Where?", background=True)
        with pytest.raises(openai.BadRequestError, match="speech"):
            made(flag()).chat.completions.create(**ASK, modalities=["text", "audio"])

    @pytest.mark.parametrize("kind", ["sync", "async"])
    def test_web_sockets(self, made, kind):
        """Whatever does not go through the transport."""
        client = made(flag(), kind)
        for use in (
            lambda: client.realtime.connect(model="m"),
            client.responses.connect,
            lambda: client.beta.realtime.connect(model="m"),
            lambda: client.with_options(timeout=2).realtime.connect(model="m"),
        ):
            with pytest.raises(ConfigError, match="WebSockets"):
                use()

    def test_another_transport(self, made):
        """It would go past the guard."""
        with httpx2.Client() as other, pytest.raises(ConfigError, match="past the guard"):
            made(flag()).with_options(http_client=other)

    def test_wrong_arguments(self, made, url):
        """Each with what to write instead."""
        with pytest.raises(ConfigError, match=r"guard_openai\(OpenAI\(\), guard\)"):
            guard_openai(httpx, guard(flag()))
        with client_of("sync", url) as given:
            with pytest.raises(ConfigError, match="expected a Guard"):
                guard_openai(given, flag())
            with pytest.raises(ConfigError, match="streaming"):
                guard_openai(given, guard(flag()), streaming="tokens")
            with pytest.raises(ConfigError, match="allow"):
                guard_openai(given, guard(flag()), allow="batches")
            with pytest.raises(ConfigError, match="expected names of paths, got 7"):
                guard_openai(given, guard(flag()), allow=[7])
            with pytest.raises(ConfigError, match="context"):
                guard_openai(given, guard(flag()), context=["a"])
        with pytest.raises(ConfigError, match="not guarded"):
            guard_openai(made(flag()), guard(flag()))

    def test_the_rest_passes(self, made):
        """Models, as they are."""
        assert made(block()).models.list().data[0].id == "test"
