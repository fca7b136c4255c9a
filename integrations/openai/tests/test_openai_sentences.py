"""Streams that a guarded client releases sentence by sentence."""

from __future__ import annotations

import asyncio
import json

import httpx2
import pytest
from integrations.openai.tests.openai_fakes import (
    ANSWER,
    ASK,
    BAD,
    CLEAN,
    KINDS,
    SECRET,
    client_of,
    over,
    raw,
)
from openai import APIError

from guardrail import Guard, annotate, flag, remove
from guardrail.chat import ScriptedChat
from guardrail.detector import Ask, Detector, Finding, Verdict, draws, each
from guardrail.requests import Completion
from guardrail.testing.responses import response, response_stream
from guardrail.testing.server import serve
from guardrail.text.claims import claims
from guardrail_openai import guard_openai

SAID = f"{ANSWER} It is large."
USAGE = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
POLICIES = {"remove": remove(), "annotate": annotate(), "flag": flag()}


class BySentence(Detector):
    """Finds the sentence that is made up."""

    name = "by-sentence"
    scope = "sentence"

    def __init__(self, samples=0):
        self.samples = samples

    def cost(self, case):
        return {"chat:subject": (0, self.samples)}

    def ahead(self, case):
        if self.samples:
            yield from each(draws(Ask(case.messages, temperature=1.0), self.samples))

    def examine(self, case):
        yield from self.ahead(case)
        found = []
        for span in claims(case.answer):
            text = span.of(case.answer)
            bad = SECRET in text
            verdict = Verdict.UNSUPPORTED if bad else Verdict.SUPPORTED
            found.append(
                Finding(
                    detector=self.name,
                    span=span,
                    text=text,
                    score=float(bad),
                    verdict=verdict,
                    mark="made up",
                )
            )
        return found


def chunk(delta, finish=None):
    body = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return f"data: {json.dumps({**body, 'choices': [{'index': 0, 'delta': delta, 'finish_reason': finish}]})}\n\n".encode()


def stream(text, size=4, *, whole=True):
    """The chunks of an answer, as a service sends them."""
    found = [chunk({"role": "assistant", "content": ""})]
    found += [chunk({"content": text[i : i + size]}) for i in range(0, len(text), size)]
    return [*found, chunk({}, "stop"), b"data: [DONE]\n\n"] if whole else found


class Told(httpx2.SyncByteStream):
    """Notes how much of it was read."""

    def __init__(self, parts):
        self.parts, self.read, self.closed = parts, 0, False

    def __iter__(self):
        for part in self.parts:
            self.read += 1
            yield part

    def close(self):
        self.closed = True


class AsyncTold(httpx2.AsyncByteStream):
    """As `Told`."""

    def __init__(self, parts):
        self.parts, self.read, self.closed = parts, 0, False

    async def __aiter__(self):
        for part in self.parts:
            self.read += 1
            yield part

    async def aclose(self):
        self.closed = True


def upstream(told):
    """Answers with this stream."""

    def handle(request):
        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, stream=told)

    return handle


def text_of(chunks):
    return "".join(one.choices[0].delta.content or "" for one in chunks if one.choices)


async def gathered(created):
    return [one async for one in await created]


class TestText:
    @pytest.mark.parametrize("size", [1, 4, 1000])
    @pytest.mark.parametrize("policy", POLICIES)
    def test_it_is_what_buffering_releases(self, policy, size):
        """For every chunking, sync and async."""
        found = {}
        for mode in ("buffer", "sentence"):
            guard = Guard([BySentence()], policy=POLICIES[policy])
            client = guard_openai(over(upstream(Told(stream(SAID, size)))), guard, streaming=mode)
            found[mode] = list(client.chat.completions.create(**ASK, stream=True))
            given = over(upstream(AsyncTold(stream(SAID, size))), asynchronous=True)
            client = guard_openai(given, guard, streaming=mode)
            found[f"async {mode}"] = asyncio.run(gathered(client.chat.completions.create(**ASK, stream=True)))
        assert len({text_of(chunks) for chunks in found.values()}) == 1
        assert found["sentence"][-1].guardrail["verdict"] == "unsupported"
        assert (SECRET in text_of(found["sentence"])) == (policy != "remove")

    def test_a_sentence_is_out_before_the_next_is_read(self):
        """The rest of the upstream's stream has not been asked for yet."""
        told = Told(stream(SAID))
        client = guard_openai(
            over(upstream(told)), Guard([BySentence()], policy=remove()), streaming="sentence"
        )
        coming = client.chat.completions.create(**ASK, stream=True)
        text = ""
        while not text:
            text += next(coming).choices[0].delta.content or ""
        assert text == "Paris is in France."
        assert told.read < len(told.parts) / 2
        assert text + text_of(coming) == f"{CLEAN} It is large."

    @pytest.mark.parametrize("kind", KINDS)
    def test_no_byte_of_what_is_cut_arrives(self, kind):
        """Whatever else the message repeats it in."""

        def says(_):
            return {"content": SAID, "reasoning_content": f"I think: {BAD}"}

        body = {**ASK, "stream": True}
        with serve(says) as service:
            guard = Guard([BySentence()], policy=remove())
            client = guard_openai(client_of(kind, service.base_url), guard, streaming="sentence")
            status, _, content = raw(client, "chat/completions", body)
        assert status == 200
        assert SECRET not in content
        assert "Seine" in content

    def test_a_broken_stream_is_an_error_and_the_rest_stays_unseen(self):
        """What was examined is out, the unfinished sentence is not."""
        told = Told(stream(f"Paris is in France. It is big. The {SECRET}", whole=False))
        client = guard_openai(
            over(upstream(told)), Guard([BySentence()], policy=remove()), streaming="sentence"
        )
        seen = []
        with pytest.raises(APIError):
            seen.extend(client.chat.completions.create(**ASK, stream=True))
        assert SECRET not in text_of(seen)

    def test_a_client_that_stops_closes_the_upstream(self):
        """Nothing is read for nobody."""
        told = Told(stream(SAID))
        client = guard_openai(
            over(upstream(told)), Guard([BySentence()], policy=remove()), streaming="sentence"
        )
        with client.chat.completions.create(**ASK, stream=True) as coming:
            next(coming)
        assert told.closed


class TestResponses:
    """The Responses API, through the library's own stream helper, which follows every event."""

    def says(self, _):
        return {"content": SAID, "reasoning_content": f"I think: {BAD}"}

    def test_sentences_come_one_by_one(self):
        """The helper's final response has the same text; the reasoning is gone, since text was cut."""
        with serve(self.says) as service:
            guard = Guard([BySentence()], policy=remove())
            client = guard_openai(client_of("sync", service.base_url), guard, streaming="sentence")
            with client.responses.stream(model="m", input=ASK["messages"]) as coming:
                events = list(coming)
                final = coming.get_final_response()
        deltas = [one.delta for one in events if one.type == "response.output_text.delta"]
        assert deltas == ["Paris is in France.", " It lies on the Seine.", " It is large."]
        assert final.output_text == "".join(deltas)
        assert [item.type for item in final.output] == ["reasoning", "message"]
        assert SECRET not in str(events)
        assert final.guardrail["action"] == "remove"

    def test_asynchronously_too(self):
        """With the plain iterator."""

        async def run(base_url):
            guard = Guard([BySentence()], policy=remove())
            async with client_of("async", base_url) as plain:
                client = guard_openai(plain, guard, streaming="sentence")
                created = await client.responses.create(model="m", input=ASK["messages"], stream=True)
                return [one async for one in created]

        with serve(self.says) as service:
            events = asyncio.run(run(service.base_url))
        assert events[-1].response.output_text == f"{CLEAN} It is large."
        assert [one.sequence_number for one in events] == list(range(len(events)))

    def test_a_broken_stream_is_an_error(self):
        """What was examined is out, the rest is not."""
        body = response({"id": "r", "created": 1, "model": "m"}, Completion(SAID), {}, USAGE, {})
        whole = b"".join(response_stream(body))
        told = Told([whole[: whole.index(b"Seine")]])
        client = guard_openai(
            over(upstream(told)), Guard([BySentence()], policy=remove()), streaming="sentence"
        )
        seen = []
        with pytest.raises(APIError):
            seen.extend(client.responses.create(model="m", input="Where?", stream=True))
        assert [one.delta for one in seen if one.type == "response.output_text.delta"] == [
            "Paris is in France."
        ]


class TestSamples:
    @pytest.mark.parametrize("asynchronous", [False, True])
    def test_they_are_asked_for_when_the_request_goes_out(self, asynchronous):
        """Once, though the answer is examined several times."""
        chat = ScriptedChat(lambda _: "Paris is in France.")
        guard = Guard([BySentence(samples=3)], chat=chat, policy=remove())
        told = (AsyncTold if asynchronous else Told)(stream(SAID))
        client = guard_openai(over(upstream(told), asynchronous=asynchronous), guard, streaming="sentence")
        created = client.chat.completions.create(**ASK, stream=True)
        chunks = asyncio.run(gathered(created)) if asynchronous else list(created)
        assert text_of(chunks) == f"{CLEAN} It is large."
        assert len(chat.asked) == 3


class TestBuffered:
    def test_a_guard_of_whole_answers_says_so_once(self, caplog):
        """When the client is made; its streams are held back."""

        class Whole(BySentence):
            scope = "answer"

        told = Told(stream(SAID))
        client = guard_openai(over(upstream(told)), Guard([Whole()], policy=remove()), streaming="sentence")
        next(client.chat.completions.create(**ASK, stream=True))
        assert told.read == len(told.parts)
        assert caplog.text.count("streams_are_buffered") == 1

    @pytest.mark.parametrize("more", [{"n": 2}, {"logprobs": True}])
    def test_so_are_requests_for_more_than_text(self, more):
        """Their chunks come after the verdict."""
        told = Told(stream(SAID))
        client = guard_openai(
            over(upstream(told)), Guard([BySentence()], policy=remove()), streaming="sentence"
        )
        next(client.chat.completions.create(**ASK, stream=True, **more))
        assert told.read == len(told.parts)
