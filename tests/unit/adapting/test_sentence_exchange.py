"""Streams of every protocol, released sentence by sentence: the same text as buffered, in events that follow the protocol."""

import asyncio
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.streams import read_all
from tests.unit.adapting.test_sentence_stream import BySentence, chunked, chunkings, texts

from guardrail import Finding, Guard, Verdict, annotate, flag, remove
from guardrail.adapting.anthropic_api import Messages
from guardrail.adapting.openai_api import (
    ChatCompletions,
    Exchange,
    NotReadable,
    Responses,
    SentenceExchange,
)
from guardrail.adapting.sse import Event, written
from guardrail.requests import Completion
from guardrail.testing.completions import completion_stream, words
from guardrail.testing.messages import anthropic_message, message_stream
from guardrail.testing.responses import response, response_stream

SAID = "Bern has a bear. Rome is old. Paris is big. It is nice. That is all."
CUT = "Bern has a bear. Paris is big. It is nice. That is all."
HEAD = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
USAGE = {"prompt_tokens": 2, "completion_tokens": 3, "total_tokens": 5}
POLICIES = {"remove": remove(), "annotate": annotate(), "flag": flag()}
CALL = {"id": "c", "type": "function", "function": {"name": "look", "arguments": '{"q": "Rome"}'}}
CITED = [{"type": "url_citation", "url_citation": {"title": "Rome is old.", "url": "https://x.test"}}]


def chat(text, cut, **message):
    said = [Completion(text, finish_reason="stop")]
    events = completion_stream(HEAD, said, [{"content": text, **message}], USAGE, {}, chat=True, cut=cut)
    return b"".join(events)


def responses(text, cut, **message):
    body = response(HEAD, Completion(text), message, USAGE, {})
    return b"".join(response_stream(body, cut))


def messages(text, cut, **message):
    body = anthropic_message(HEAD, Completion(text), message, USAGE)
    return b"".join(message_stream(body, cut))


APIS = {
    "chat": (ChatCompletions(), chat),
    "responses": (Responses(), responses),
    "messages": (Messages(), messages),
}


def cut_in(sizes):
    return lambda text: list(chunked(text, sizes))


def buffered(codec, guard, stream):
    body = codec.whole(read_all([stream])[0])
    return codec.events(Exchange(guard, codec, {}).settle(body, None).body, {})


def by_sentence(codec, guard, stream, size=37):
    """The events, and how much text was out before the upstream ended."""
    exchange = SentenceExchange(guard, codec, {})
    parts = [stream[i : i + size] for i in range(0, len(stream), size)]
    pieces = list(exchange.pieces(parts))
    return read_all(pieces)[0], said(codec, read_all(pieces[:-1])[0])


def said(codec, events):
    """The texts that deltas bring."""
    piecewise = codec.piecewise({})
    return "".join(piecewise.said(event) or "" for event in events)


def shown(codec, events):
    """The text of the body that the events make."""
    return codec.choices(codec.whole(events))[0].text


def data(events):
    return [json.loads(event.data) for event in events if event.data != "[DONE]"]


class TestText:
    @pytest.mark.parametrize("api", APIS)
    @pytest.mark.parametrize("policy", POLICIES)
    @given(text=texts, sizes=chunkings, size=st.integers(1, 400))
    @settings(max_examples=25, deadline=None)
    def test_it_is_what_buffering_releases(self, api, policy, text, sizes, size):
        """For every text, cut into events and bytes in every way; the events add up to the text that the last ones repeat."""
        codec, stream = APIS[api]
        guard = Guard([BySentence()], policy=POLICIES[policy])
        whole = stream(text, cut_in(sizes))
        events, _ = by_sentence(codec, guard, whole, size)
        expected = shown(codec, buffered(codec, guard, whole))
        assert shown(codec, events) == expected
        assert said(codec, events) == expected

    @pytest.mark.parametrize("api", APIS)
    @pytest.mark.parametrize("asynchronous", [False, True])
    def test_sentences_are_out_before_the_end(self, api, asynchronous):
        """All but the last one; what is cut is in no event, also not in those that repeat the text."""
        codec, stream = APIS[api]
        exchange = SentenceExchange(Guard([BySentence()], policy=remove()), codec, {})
        whole = stream(SAID, cut_in([5]))
        parts = [whole[i : i + 50] for i in range(0, len(whole), 50)]
        if asynchronous:

            async def run():
                async def coming():
                    for part in parts:
                        yield part

                return [piece async for piece in exchange.apieces(coming())]

            pieces = asyncio.run(run())
        else:
            pieces = list(exchange.pieces(parts))
        assert said(codec, read_all(pieces[:-1])[0]) == CUT.removesuffix(" That is all.")
        assert shown(codec, read_all(pieces)[0]) == CUT
        assert b"Rome" not in b"".join(pieces)
        assert exchange.summary["verdict"] == "unsupported"
        assert data(read_all([pieces[-1]])[0])[-2:] != []

    @pytest.mark.parametrize("api", APIS)
    def test_a_tool_call_comes_after_the_text(self, api):
        """Whole, and with the report."""
        codec, stream = APIS[api]
        whole = stream(SAID, cut_in([5]), tool_calls=[CALL])
        events, early = by_sentence(codec, Guard([BySentence()], policy=remove()), whole)
        assert "Bern has a bear." in early
        assert shown(codec, events) == CUT
        assert codec.choices(codec.whole(events))[0].calls
        assert json.dumps(data(events)).count("look") == json.dumps(
            data(buffered(codec, Guard([BySentence()], policy=remove()), whole))
        ).count("look")

    @pytest.mark.parametrize("api", ["chat", "responses"])
    @pytest.mark.parametrize("text", ["", SAID])
    def test_a_refusal_waits_and_is_as_buffered(self, api, text):
        """It is examined with the text."""
        codec, stream = APIS[api]
        guard = Guard([BySentence()], policy=remove())
        whole = stream(text, cut_in([5]), refusal="No more. Rome is old. I cannot.")
        events, _ = by_sentence(codec, guard, whole)
        assert shown(codec, events) == shown(codec, buffered(codec, guard, whole))
        assert "No more. I cannot." in json.dumps(data(events))
        assert "Rome" not in json.dumps(data(events))

    @pytest.mark.parametrize("api", APIS)
    @pytest.mark.parametrize("policy", ["remove", "flag"])
    def test_reasoning_and_citations_are_as_buffered(self, api, policy):
        """Reasoning goes, citations where text went; neither holds the text back."""
        codec, stream = APIS[api]
        guard = Guard([BySentence()], policy=POLICIES[policy])
        whole = stream(SAID, cut_in([5]), reasoning_content="Rome, I think.", annotations=CITED)
        events, early = by_sentence(codec, guard, whole)
        body, expected = codec.whole(events), codec.whole(buffered(codec, guard, whole))
        for one in (body, expected):
            one.pop("guardrail", None)
            if api == "messages" and policy == "remove":  # opened with an empty list, since nobody knew
                one["content"][-1].pop("citations", None)
        assert body == expected
        assert ("Rome" in json.dumps(data(events))) == (policy == "flag")
        assert early
        assert "I think" not in json.dumps(data(events))


class TestProtocol:
    def test_events_of_a_response_follow_each_other(self):
        """Numbered without a gap; each item and part is opened once and closed once; reasoning is opened before the text."""
        codec, stream = APIS["responses"]
        whole = stream(SAID, cut_in([4]), reasoning_content="Hm.", tool_calls=[CALL])
        told = data(by_sentence(codec, Guard([BySentence()], policy=remove()), whole)[0])
        assert [one["sequence_number"] for one in told] == list(range(len(told)))
        opened = [one["output_index"] for one in told if one["type"] == "response.output_item.added"]
        closed = [one["output_index"] for one in told if one["type"] == "response.output_item.done"]
        assert opened == closed == [0, 1, 2]
        kinds = [one["type"] for one in told]
        assert kinds[:2] == ["response.created", "response.in_progress"]
        assert kinds[-1] == "response.completed"
        assert kinds.count("response.content_part.added") == kinds.count("response.content_part.done") == 1
        for kind, field in (("output_text.done", "text"), ("content_part.done", "part")):
            [repeated] = [one[field] for one in told if one["type"] == f"response.{kind}"]
            assert (repeated if field == "text" else repeated["text"]) == CUT
        assert told[-1]["response"]["output"][1]["content"][0]["text"] == CUT
        assert told[-1]["response"]["guardrail"]["action"] == "remove"

    def test_events_of_a_message_follow_each_other(self):
        """Started, one block after the other, ended; the report is on `message_delta`."""
        codec, stream = APIS["messages"]
        whole = stream(SAID, cut_in([4]), tool_calls=[CALL])
        told = data(by_sentence(codec, Guard([BySentence()], policy=remove()), whole)[0])
        kinds = [one["type"] for one in told]
        assert kinds[:2] == ["message_start", "content_block_start"]
        assert kinds[-2:] == ["message_delta", "message_stop"]
        bounds = [(one["type"], one["index"]) for one in told if "block_st" in one["type"]]
        assert bounds == [(f"content_block_{kind}", index) for index in (0, 1) for kind in ("start", "stop")]
        assert told[-2]["guardrail"]["action"] == "remove"
        assert told[-2]["delta"]["stop_reason"] == "tool_use"

    @pytest.mark.parametrize("api", APIS)
    def test_an_answer_that_cannot_be_kept_ends_as_filtered(self, api):
        """A detector broke its promise: nothing more is shown, and what was is all that is repeated."""

        class Fickle(BySentence):
            times = 0

            def examine(self, case):
                self.times += 1
                if self.times == 1:
                    return (yield from super().examine(case))
                yield from ()
                told = {"detector": self.name, "score": 1.0, "verdict": Verdict.UNSUPPORTED}
                return [Finding(text=case.answer, span={"start": 0, "end": len(case.answer)}, **told)]

        codec, stream = APIS[api]
        events, early = by_sentence(
            codec, Guard([Fickle()], policy=remove()), stream("It is nice. Bern has a bear.", cut_in([3]))
        )
        whole = codec.whole(events)
        assert early == said(codec, events) == "It is nice."
        assert "Bern" not in json.dumps(data(events))
        assert "content_filter" in json.dumps(whole) or whole["stop_reason"] == "refusal"


class TestHeld:
    """What is more than one text from the start waits for the end."""

    def events(self, api, *told):
        codec = APIS[api][0]
        stream = written([Event(json.dumps(one), one["type"]) for one in told])
        guard = Guard([BySentence()], policy=remove())
        events, early = by_sentence(codec, guard, stream)
        return codec, events, early, buffered(codec, guard, stream)

    def test_a_second_text_block_of_a_message(self):
        """The first one flows until then."""
        head = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": {}}
        told = [{"type": "message_start", "message": head}]
        for index, text in enumerate(
            ("Bern has a bear. Rome is old. It is", " nice. Paris is big. It is dry.")
        ):
            block = {"type": "text", "text": ""}
            told.append({"type": "content_block_start", "index": index, "content_block": block})
            told += [
                {"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": part}}
                for part in chunked(text, [4])
            ]
            told.append({"type": "content_block_stop", "index": index})
        told += [{"type": "message_delta", "delta": {"stop_reason": "end_turn"}}, {"type": "message_stop"}]
        codec, events, early, expected = self.events("messages", *told)
        assert early == "Bern has a bear."
        assert codec.whole(events)["content"] == codec.whole(expected)["content"]

    def test_a_second_message_of_a_response(self):
        """The first one flows until then."""
        said = [
            {"type": "message", "id": f"m{i}", "role": "assistant", "status": "completed",
             "content": [{"type": "output_text", "text": text, "annotations": [], "logprobs": []}]}
            for i, text in enumerate(("Bern has a bear. Rome is old. It is dry.", "It is nice. Paris is big."))
        ]  # fmt: skip
        body = {"id": "r", "object": "response", "status": "completed", "output": said, "usage": {}}
        codec, guard = APIS["responses"][0], Guard([BySentence()], policy=remove())
        stream = b"".join(response_stream(body, cut_in([5])))
        events, early = by_sentence(codec, guard, stream)
        assert early == "Bern has a bear."
        assert codec.whole(events)["output"] == codec.whole(buffered(codec, guard, stream))["output"]

    def test_a_response_that_calls_a_tool_first(self):
        """The client would see the call before the text beside it was examined."""
        call = {"type": "function_call", "id": "f", "call_id": "c", "name": "look", "arguments": "{}"}
        said = {"type": "message", "id": "m", "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": SAID, "annotations": [], "logprobs": []}]}  # fmt: skip
        body = {"id": "r", "object": "response", "status": "completed", "output": [call, said], "usage": {}}
        codec, guard = APIS["responses"][0], Guard([BySentence()], policy=remove())
        events, early = by_sentence(codec, guard, b"".join(response_stream(body, cut_in([5]))))
        assert early == ""
        assert shown(codec, events) == CUT

    @pytest.mark.parametrize(
        ("api", "request_"),
        [
            ("responses", {"text": {"format": {"type": "json_object"}}}),
            ("responses", {"include": ["message.output_text.logprobs"]}),
            ("messages", {"output_config": {"format": {"type": "json_schema", "schema": {}}}}),
            ("chat", {"n": 2}),
        ],
    )
    def test_requests_for_more_than_text(self, api, request_):
        """They say why."""
        assert "asked for" in APIS[api][0].why_whole(request_)
        assert APIS[api][0].why_whole({}) == ""


class TestFaults:
    @pytest.mark.parametrize("api", APIS)
    @given(
        place=st.integers(0, 10_000),
        tail=st.sampled_from([b"", b"{", b"\n\ndata: {\n\n", b"\n\ndata: []\n\n"]),
    )
    @settings(max_examples=40, deadline=None)
    def test_a_stream_that_breaks_off_is_never_whole(self, api, place, tail):
        """Wherever it is cut: checked sentences are out, the rest is not, and it is an error."""
        codec, stream = APIS[api]
        whole = stream(SAID, cut_in([5]))
        last = whole.rindex(
            {"chat": b'"stop"', "responses": b"response.completed", "messages": b"message_stop"}[api]
        )
        exchange, found = SentenceExchange(Guard([BySentence()], policy=remove()), codec, {}), []
        with pytest.raises(NotReadable):
            found.extend(exchange.pieces([whole[: place % last] + tail]))
        assert b"Rome" not in b"".join(found)
        assert b"That" not in b"".join(found)
        assert exchange.summary is None

    @pytest.mark.parametrize("api", APIS)
    def test_an_error_in_the_middle_ends_the_releasing(self, api):
        """Though the upstream goes on as if nothing were."""
        codec, stream = APIS[api]
        whole = stream(SAID, words).split(b"\n\n")
        fault = (
            b'event: error\ndata: {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}'
        )
        place = next(i for i, one in enumerate(whole) if b"Paris" in one)
        damaged = b"\n\n".join([*whole[:place], fault, *whole[place:]])
        exchange, found = SentenceExchange(Guard([BySentence()], policy=flag()), codec, {}), []
        with pytest.raises(NotReadable) as raised:
            found.extend(exchange.pieces([damaged[i : i + 30] for i in range(0, len(damaged), 30)]))
        assert raised.value.error["message"] == "busy"
        assert said(codec, read_all(found)[0]) == "Bern has a bear."

    def test_a_response_whose_items_changed_is_an_error(self):
        """What ended is not what was streamed."""
        codec, stream = APIS["responses"]
        whole = stream(SAID, cut_in([5]))
        place = whole.rindex(b"event: response.completed")
        other = whole[:place] + whole[place:].replace(b'"msg_1"', b'"msg_2"')
        with pytest.raises(NotReadable):
            by_sentence(codec, Guard([BySentence()], policy=flag()), other)
