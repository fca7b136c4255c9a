"""The local chat service, as OpenAI's own clients and plain sockets see it."""

import asyncio
import json
import math
import socket
import time
from collections import Counter

import httpx
import openai
import pytest
from tests.effort import ends

from guardrail.chat import RecordedChat, ScriptedChat
from guardrail.engine.flow import draws
from guardrail.errors import ConfigError
from guardrail.phr import BernoulliModel
from guardrail.requests import Ask, Completion, Sample, Untrusted, user
from guardrail.testing.server import FAULTS, serve

MESSAGES = [{"role": "user", "content": "Say hello"}]


def client(server, **options):
    return openai.OpenAI(base_url=server.base_url, api_key="k", max_retries=0, **options)


class TestChatCompletions:
    def test_several_choices_with_log_probabilities(self):
        """Together, which real servers at hand do not give."""
        with serve(lambda call: f"take {call.draw}") as server, client(server) as api:
            found = api.chat.completions.create(
                model="m", messages=MESSAGES, n=2, logprobs=True, top_logprobs=1
            )
        assert [choice.message.content for choice in found.choices] == ["take 0", "take 1"]
        tokens = found.choices[1].logprobs.content
        assert [(token.token, token.logprob, len(token.top_logprobs)) for token in tokens] == [
            ("take", -0.125, 1),
            (" 1", -0.125, 1),
        ]
        assert (found.usage.prompt_tokens, found.usage.completion_tokens) == (2, 4)

    def test_streams(self):
        """Word by word, with usage where asked for; the text is the same."""
        text = "One two.\n\nThree "
        with serve(lambda _: text) as server, client(server) as api:
            chunks = list(
                api.chat.completions.create(
                    model="m", messages=MESSAGES, stream=True, stream_options={"include_usage": True}
                )
            )
        assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == text
        assert [c.choices[0].finish_reason for c in chunks if c.choices][-1] == "stop"
        assert chunks[-1].usage.total_tokens == 5

    def test_items_and_blocks_of_its_own(self):
        """A reply may have the items of a response, or Anthropic's blocks: sent as they are, whole and as a stream."""
        note = {"type": "file_citation", "index": 7, "file_id": "f", "filename": "a.pdf"}
        said = {"type": "output_text", "text": "One two", "annotations": [note]}
        output = [
            {"type": "file_search_call", "id": "s", "queries": [], "results": []},
            {"type": "message", "id": "m", "role": "assistant", "content": [said]},
        ]
        content = [{"type": "text", "text": "One two", "citations": [{"type": "page_location"}]}]
        with serve(lambda _: {"output": output, "content": content}) as server, client(server) as api:
            whole = api.responses.create(model="m", input="x")
            events = list(api.responses.create(model="m", input="x", stream=True))
            body = {"model": "m", "messages": MESSAGES}
            message = httpx.post(f"{server.base_url}/messages", json=body).json()
            stream = httpx.post(f"{server.base_url}/messages", json={**body, "stream": True}).text
        assert [item.type for item in whole.output] == ["file_search_call", "message"]
        assert whole.output[1].content[0].annotations[0].filename == "a.pdf"
        noted = [one.annotation for one in events if one.type == "response.output_text.annotation.added"]
        assert [one.filename for one in noted] == ["a.pdf"]
        assert events[-1].response.output == whole.output
        assert message["content"] == content
        assert stream.count("citations_delta") == 1

    def test_streams_to_the_asynchronous_client(self):
        """The same."""

        async def main(server):
            async with openai.AsyncOpenAI(base_url=server.base_url, api_key="k") as api:
                stream = await api.chat.completions.create(model="m", messages=MESSAGES, stream=True)
                return "".join([chunk.choices[0].delta.content or "" async for chunk in stream])

        with serve() as server:
            assert asyncio.run(main(server)) == "Say hello"

    def test_older_completions_and_models(self):
        """The other two paths."""
        with serve() as server, client(server) as api:
            found = api.completions.create(model="m", prompt="Once upon", logprobs=1)
            assert found.choices[0].text == "Once upon"
            assert found.choices[0].logprobs.token_logprobs == [-0.125, -0.125]
            assert [model.id for model in api.models.list()] == ["test"]

    def test_what_is_wrong_is_refused(self):
        """As OpenAI does: 400, 401, 404."""
        with serve(key="right") as server, client(server) as api:
            with pytest.raises(openai.AuthenticationError):
                api.models.list()
            right = api.with_options(api_key="right")
            with pytest.raises(openai.NotFoundError):
                right.embeddings.create(model="m", input="x")
            with pytest.raises(openai.BadRequestError):
                right.post("/chat/completions", cast_to=object, body={"messages": 3})

    def test_a_function_that_raises_is_a_500(self):
        """Or a 404 for what it does not know; the service goes on."""
        with serve(lambda _: 1 / 0) as server, client(server) as api:
            with pytest.raises(openai.InternalServerError, match="ZeroDivisionError"):
                api.chat.completions.create(model="m", messages=MESSAGES)
            assert api.models.list().data
        unknown = pytest.raises(openai.NotFoundError)
        with serve(lambda _: {}["x"]) as server, client(server) as api, unknown:
            api.chat.completions.create(model="m", messages=MESSAGES)


class TestRecordings:
    def test_are_served_by_their_messages(self, tmp_path):
        """Fences come off, whatever the salt; draws in their order, then from the start."""
        path = tmp_path / "a.jsonl"
        ask = Ask((user("Is ", Untrusted("this"), " true?"),))
        made = RecordedChat(path, record_from=ScriptedChat(lambda ask: f"take {ask.draw}"))
        for one in reversed(draws(ask, 2)):
            made.answer([one])
        fenced = [{"role": "user", "content": "Is <data-0123456789abcdef>this</data-0123456789abcdef> true?"}]
        with serve(path, own_process=True) as server, client(server) as api:
            said = [
                api.chat.completions.create(model="m", messages=fenced).choices[0].message.content
                for _ in range(3)
            ]
            assert said == ["take 0", "take 1", "take 0"]
            assert server.stats()["requests"] == 3
            with pytest.raises(openai.NotFoundError, match="no reply for"):
                api.chat.completions.create(model="m", messages=MESSAGES)


class TestFaults:
    def test_come_by_rate_and_seed(self):
        """The same seed, the same faults; counted."""

        def run(seed):
            with (
                serve(faults={"server_error": 0.2, "empty": 0.1}, seed=seed) as server,
                httpx.Client() as http,
            ):
                url = f"{server.base_url}/chat/completions"
                seen = [http.post(url, json={"messages": []}).status_code for _ in range(200)]
                return seen, server.stats()["faults"]

        (seen, faults), again, other = run(1), run(1), run(2)
        assert (seen, faults) == again
        assert seen != other[0]
        assert Counter(seen)[500] == faults["server_error"]
        assert 20 <= faults["server_error"] <= 60
        assert 8 <= faults["empty"] <= 40

    @pytest.mark.parametrize("fault", ["cut", "malformed", "empty"])
    def test_come_inside_streams_too(self, fault):
        """Cut after a word, broken in the middle, or without any choice."""
        with serve(faults={fault: 1.0}) as server, client(server) as api:
            stream = api.chat.completions.create(model="m", messages=MESSAGES, stream=True)
            if fault == "empty":
                assert [chunk.choices for chunk in stream] == [[]]
            else:
                with pytest.raises((openai.APIConnectionError, httpx.HTTPError, ValueError)):
                    list(stream)
                assert stream.response.status_code == 200

    def test_streams_have_a_pace(self):
        """A word after the other, and a client that leaves stops them: the last would come in more than an hour."""
        with serve(lambda _: "a " * 10_000, pace=0.5) as server, client(server) as api, ends():
            create = api.chat.completions.create
            with create(model="m", messages=MESSAGES, stream=True) as stream:
                assert all(next(stream).choices[0].delta.content is not None for _ in range(2))

    def test_latency_is_kept_at_once_for_many(self):
        """Forty requests wait together, not one after the other."""

        async def main(server):
            async with httpx.AsyncClient() as http:
                url = f"{server.base_url}/chat/completions"
                await asyncio.gather(*(http.post(url, json={"messages": []}) for _ in range(40)))

        with serve(latency=0.5) as server:
            asyncio.run(main(server))
            assert server.stats()["most_running"] > 20

    def test_a_client_that_leaves_is_forgotten(self):
        """No reply is computed for nobody."""
        said = []
        with serve(lambda call: said.append(call.text) or "x", latency=0.5) as server, httpx.Client() as http:
            url = f"{server.base_url}/chat/completions"
            with pytest.raises(httpx.ReadTimeout):
                http.post(url, json={"messages": []}, timeout=0.02)
            http.post(
                url, json={"messages": MESSAGES}, timeout=60
            )  # answered after the first would have been
        assert said == ["Say hello"]

    def test_unknown_names_are_refused(self):
        """Before anything starts."""
        with pytest.raises(ConfigError, match="no fault named 'fire'"), serve(faults={"fire": 1.0}):
            pass
        with pytest.raises(ConfigError, match="to refuse named 'top_p'"), serve(refuses=("top_p",)):
            pass
        with pytest.raises(ConfigError, match="own process"), serve(lambda _: "x", own_process=True):
            pass


class TestProcess:
    def test_takes_every_option(self):
        """On its command line."""
        options = {"faults": dict.fromkeys(FAULTS, 0.0), "refuses": ("n",), "key": "k", "latency": 0.001}
        with serve(own_process=True, **options) as server, client(server) as api:
            found = api.chat.completions.create(model="m", messages=MESSAGES)
            assert found.choices[0].message.content == "Say hello"
            assert server.stats()["choices"] == 1

    def test_a_port_in_use_is_said(self):
        """Not a hang."""
        with serve() as server:
            port = int(server.base_url.split(":")[2].partition("/")[0])
            with pytest.raises(ConfigError, match="cannot be listened on"), serve(port=port):
                pass


class TestHttp:
    def test_requests_in_pieces_and_in_a_row(self):
        """A slow sender, and one that does not wait for the first reply."""
        body = json.dumps({"messages": MESSAGES}).encode()
        one = b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)
        with serve(latency=0.01) as server:
            host, port = server.base_url.removeprefix("http://").removesuffix("/v1").split(":")
            with socket.create_connection((host, int(port))) as line:
                for piece in (one[:20], one[20:90], one[90:] + one):
                    line.sendall(piece)
                    time.sleep(0.005)
                data = b""
                line.settimeout(5)
                while data.count(b"Say hello") < 2:
                    data += line.recv(65536)
        assert data.count(b"HTTP/1.1 200 OK") == 2

    def test_a_body_without_length_is_refused(self):
        """Clearly, not by a hang."""
        with serve() as server:
            found = httpx.post(f"{server.base_url}/chat/completions", content=iter([b"x"]))
        assert found.status_code == 411


class TestCompletionReplies:
    def test_keep_their_reason(self):
        """A reply cut by its length says so."""
        with serve(lambda _: Completion("a", finish_reason="length")) as server, client(server) as api:
            found = api.chat.completions.create(model="m", messages=MESSAGES)
        assert found.choices[0].finish_reason == "length"


PAIRS = "Input: a\nLabel: yes\n\nInput: b\nLabel: no\n\n"
QUERY = "Input: a\nLabel:"
COINS = BernoulliModel(["a", "b"])


class TestContinuations:
    """A model behind `/completions`. Oracle: the model, asked directly."""

    def test_draws(self):
        """By the seed, up to the stop, which is not in the text."""
        with serve(model=COINS) as server, client(server) as api:
            found = api.completions.create(
                model="m", prompt=PAIRS, n=2, seed=5, stop=["\n\n"], max_tokens=9, top_p=0.9, temperature=1
            )
        wanted = [COINS.answer([Sample(PAIRS, 5 + i, 9, ("\n\n",), 1.0, 0.9)])[0].value for i in range(2)]
        assert [choice.text + "\n\n" for choice in found.choices] == wanted
        assert {choice.finish_reason for choice in found.choices} == {"stop"}

    def test_draws_differ_without_a_seed(self):
        """Each is one that was not there before."""
        with serve(model=COINS) as server, client(server) as api:
            texts = [api.completions.create(model="m", prompt=PAIRS).choices[0].text for _ in range(12)]
        assert len(set(texts)) > 1

    def test_tells_the_likeliest_next_tokens(self):
        """As many as were asked for."""
        with serve(model=COINS) as server, client(server) as api:
            found = [
                api.completions.create(
                    model="m", prompt=PAIRS + QUERY, logprobs=k, max_tokens=1, temperature=0
                )
                for k in (1, 2)
            ]
        top = [one.choices[0].logprobs.top_logprobs[0] for one in found]
        assert [list(one) for one in top] == [[" yes"], [" yes", " no"]]
        assert math.exp(top[1][" yes"]) == pytest.approx(2 / 3)
        assert math.exp(top[1][" no"]) == pytest.approx(1 / 3)
        assert found[0].choices[0].text == " yes"

    def test_echoes_with_log_probabilities(self):
        """Of every token after those before it."""
        with serve(model=COINS) as server, client(server) as api:
            whole = PAIRS + QUERY + " no"
            (choice,) = api.completions.create(
                model="m", prompt=whole, echo=True, logprobs=0, max_tokens=0
            ).choices
        told = choice.logprobs
        assert choice.text == "".join(told.tokens) == whole
        assert [
            whole[i : i + len(t)] for i, t in zip(told.text_offset, told.tokens, strict=True)
        ] == told.tokens
        assert told.token_logprobs[0] is None
        assert math.exp(told.token_logprobs[-1]) == pytest.approx(1 / 3)

    def test_what_is_ignored(self):
        """No log-probabilities, no echo, no stop, and no complaint."""
        with serve(model=COINS, ignores=("logprobs", "echo", "stop")) as server, client(server) as api:
            found = api.completions.create(
                model="m", prompt=PAIRS, logprobs=2, echo=True, stop=["Label"], max_tokens=9, seed=1
            )
        (choice,) = found.choices
        assert choice.logprobs is None
        assert choice.text == COINS.answer([Sample(PAIRS, 1, 9)])[0].value
        assert choice.finish_reason == "length"

    def test_limits(self):
        """More alternatives than there may be; a text that the model cannot go on with; a chat model."""
        with serve(model=COINS, most_logprobs=5) as server, client(server) as api:
            with pytest.raises(openai.BadRequestError, match="less than or equal to 5"):
                api.completions.create(model="m", prompt=PAIRS + QUERY, logprobs=6, max_tokens=1)
            with pytest.raises(openai.BadRequestError, match="a context that ends with a query"):
                api.completions.create(model="m", prompt=PAIRS, logprobs=1, max_tokens=1)
        with serve(chat_only=True) as server, client(server) as api:
            with pytest.raises(openai.NotFoundError, match="This is a chat model"):
                api.completions.create(model="m", prompt=PAIRS)
            assert api.chat.completions.create(model="m", messages=MESSAGES).choices[0].message.content

    def test_a_model_stays_in_its_process(self):
        """And flags reach another."""
        with pytest.raises(ConfigError, match="replies from a recording or by echo"):
            serve(model=COINS, own_process=True).__enter__()
        with (
            serve(own_process=True, chat_only=True, ignores=("echo",)) as server,
            client(server) as api,
            pytest.raises(openai.NotFoundError),
        ):
            api.completions.create(model="m", prompt="x")
