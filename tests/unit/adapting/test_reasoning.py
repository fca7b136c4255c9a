"""The channel of reasoning: left out, examined by itself, or shown; in every protocol, whole, streamed and by sentence."""

import asyncio
import json

import pytest
from tests.streams import read_all
from tests.unit.adapting.test_sentence_exchange import APIS, CALL, CUT, SAID, cut_in, shown
from tests.unit.adapting.test_sentence_stream import BySentence

from guardrail import Guard, annotate, block, flag, regenerate, remove
from guardrail.adapting.anthropic_api import Messages
from guardrail.adapting.openai_api import ChatCompletions, Exchange, Responses, SentenceExchange
from guardrail.adapting.reasoning import readable, sealed, sealed_list
from guardrail.adapting.residue import GONE

CHAT, RESPONSES, MESSAGES = ChatCompletions(), Responses(), Messages()
FINE = "Bern has a bear."
THOUGHT = "Hm, bears like honey."  # no detector objects
BAD = "Perhaps Rome is older."
DELIVERIES = ("whole", "buffer", "sentence")


def released(api, delivery, thought, *, text=FINE, policy=None, reasoning="drop", detector=None, **more):
    """All that goes out for an answer with a thought, as text, and the body that a client makes of it."""
    codec, stream = APIS[api]
    guard = Guard([detector or BySentence()], policy=policy or remove())
    raw = stream(text, cut_in([4]), reasoning_content=thought, **more)
    if delivery == "sentence":
        exchange = SentenceExchange(guard, codec, {}, reasoning=reasoning)
        pieces = list(exchange.pieces([raw[i : i + 40] for i in range(0, len(raw), 40)]))
        return b"".join(pieces).decode(), codec.whole(read_all(pieces)[0])
    body = codec.whole(read_all([raw])[0])
    settled = Exchange(guard, codec, {}, reasoning=reasoning).settle(body, None).body
    if delivery == "whole":
        return json.dumps(settled), settled
    events = codec.events(settled, {})
    return "".join(event.data for event in events), codec.whole(events)


def thoughts(api, body):
    return "".join(APIS[api][0].thoughts(body))


@pytest.mark.parametrize("delivery", DELIVERIES)
@pytest.mark.parametrize("api", APIS)
class TestOptions:
    def test_dropped(self, api, delivery):
        """By default, whatever it says, whether the answer was changed or not."""
        for text in (FINE, SAID):
            told, body = released(api, delivery, THOUGHT, text=text, tool_calls=[CALL])
            assert "honey" not in told
            assert thoughts(api, body) == ""
            assert APIS[api][0].choices(body)[0].text == (CUT if text == SAID else FINE)
            assert APIS[api][0].choices(body)[0].calls

    def test_passed(self, api, delivery):
        """Where no text was cut, even if it says what would have been."""
        _, body = released(api, delivery, BAD, reasoning="pass")
        assert thoughts(api, body) == BAD
        told, body = released(api, delivery, f"{THOUGHT} {BAD}", text=SAID, reasoning="pass")
        assert ("honey" in told, thoughts(api, body)) == (False, "")

    @pytest.mark.parametrize("policy", [remove(), annotate(), regenerate(1) | flag(), block()])
    def test_checked(self, api, delivery, policy):
        """Shown as it is or not at all: an edit would break a signature."""
        if policy not in (remove(), annotate()):
            delivery = delivery.replace("sentence", "buffer")  # as the callers of `SentenceExchange` do
        _, body = released(api, delivery, THOUGHT, policy=policy, reasoning="check")
        assert thoughts(api, body) == THOUGHT
        told, body = released(api, delivery, BAD, policy=policy, reasoning="check")
        assert ("Rome" in told, thoughts(api, body)) == (False, "")
        assert APIS[api][0].choices(body)[0].text == FINE

    def test_checked_by_a_guard_that_only_flags(self, api, delivery):
        """It shows everything."""
        _, body = released(api, delivery, BAD, policy=flag(), reasoning="check")
        assert thoughts(api, body) == BAD

    def test_a_check_that_fails_shows_nothing(self, api, delivery):
        """Of the reasoning; the answer, which was examined, is shown."""

        class Broken(BySentence):
            def examine(self, case):
                if "honey" in case.answer:
                    raise RuntimeError("a bug")
                return (yield from super().examine(case))

        told, body = released(api, delivery, THOUGHT, reasoning="check", detector=Broken())
        assert "honey" not in told
        assert APIS[api][0].choices(body)[0].text == FINE
        assert '"verdict": "supported"' in told


class TestNextTurn:
    """What a service wants back with the results of tools stays."""

    def test_a_signature_goes_out_before_the_text(self):
        """Empty blocks as Anthropic writes them; what is redacted as it is; without a signature nothing."""
        blocks = [
            {"type": "thinking", "thinking": THOUGHT, "signature": "c2ln"},
            {"type": "redacted_thinking", "data": "ZGF0YQ=="},
            {"type": "thinking", "thinking": THOUGHT, "signature": ""},
        ]
        body = {"id": "m", "type": "message", "role": "assistant", "content": [*blocks, {"type": "text", "text": SAID}]}  # fmt: skip
        raw = [f"event: {one.name}\ndata: {one.data}\n\n".encode() for one in MESSAGES.events(body, {})]
        exchange = SentenceExchange(Guard([BySentence()], policy=remove()), MESSAGES, {})
        pieces = list(exchange.pieces(raw))
        events = read_all(pieces)[0]
        content = MESSAGES.whole(events)["content"]
        assert content[:2] == [{**blocks[0], "thinking": ""}, blocks[1]]
        assert [one["type"] for one in content] == ["thinking", "redacted_thinking", "text"]
        assert (shown(MESSAGES, events), "honey" in str(events)) == (CUT, False)
        told = [json.loads(one.data) for one in events]
        places = [one["index"] for one in told if one["type"] == "content_block_start"]
        assert places == [0, 1, 2]
        early = [json.loads(one.data)["type"] for one in read_all(pieces[:1])[0]]
        assert early[-1] == "content_block_delta", "the text was not held back"

    def test_thinking_between_calls_waits(self):
        """After the first text everything comes at the end; a thought then, too."""
        content = [
            {"type": "text", "text": FINE},
            {"type": "thinking", "thinking": THOUGHT, "signature": "c2ln"},
            {"type": "tool_use", "id": "t", "name": "look", "input": {}},
        ]
        body = {"id": "m", "type": "message", "role": "assistant", "content": content, "stop_reason": "tool_use"}  # fmt: skip
        raw = [f"event: {one.name}\ndata: {one.data}\n\n".encode() for one in MESSAGES.events(body, {})]
        exchange = SentenceExchange(Guard([BySentence()], policy=remove()), MESSAGES, {})
        found = MESSAGES.whole(read_all(list(exchange.pieces(raw)))[0])["content"]
        assert found == [content[0], {**content[1], "thinking": ""}, content[2]]

    def test_a_response_keeps_ids_and_what_is_encrypted(self):
        """Summaries and contents go."""
        item = {
            "type": "reasoning", "id": "rs", "status": "completed", "encrypted_content": "x9",
            "summary": [{"type": "summary_text", "text": THOUGHT}], "content": [{"type": "reasoning_text", "text": THOUGHT}],
        }  # fmt: skip
        said = {"type": "message", "id": "m", "role": "assistant", "content": [{"type": "output_text", "text": FINE}]}  # fmt: skip
        body = {"id": "r", "object": "response", "status": "completed", "output": [item, said]}
        found = asyncio.run(Exchange(Guard([BySentence()]), RESPONSES, {}).asettle(body, None)).body["output"]
        assert found[0] == {
            "type": "reasoning",
            "id": "rs",
            "status": "completed",
            "encrypted_content": "x9",
            "summary": [],
        }

    @pytest.mark.parametrize(
        "fields",
        [
            {"reasoning": THOUGHT},
            {"reasoning_content": THOUGHT},
            {"thinking": {"content": THOUGHT}},
            {"reasoning_details": [{"type": "reasoning.summary", "summary": THOUGHT}]},
            {"thinking_blocks": [{"type": "thinking", "thinking": THOUGHT}]},
            {"provider_specific_fields": {"reasoning_content": THOUGHT}},
            {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": THOUGHT}]}, {"type": "text", "text": FINE}]},
        ],
    )  # fmt: skip
    @pytest.mark.parametrize("reasoning", ["drop", "check", "pass"])
    def test_a_chat_under_every_name(self, fields, reasoning):
        """As OpenAI's imitators spell it; it is found to be examined, too."""
        message = {"role": "assistant", "content": FINE, **fields}
        body = {"id": "1", "choices": [{"index": 0, "finish_reason": "stop", "message": message}]}
        guard = Guard([BySentence()], policy=remove())
        found = Exchange(guard, CHAT, {}, reasoning=reasoning).settle(body, None).body
        assert ("honey" in json.dumps(found)) == (reasoning != "drop")
        assert CHAT.thoughts(body) == [THOUGHT]

    def test_a_chat_keeps_what_is_encrypted_or_signed(self):
        """For services behind OpenRouter or LiteLLM; also where text was cut."""
        details = [
            {"type": "reasoning.text", "text": THOUGHT, "signature": "c2ln", "index": 0},
            {"type": "reasoning.encrypted", "data": "x9", "id": "r"},
            {"type": "reasoning.summary", "summary": THOUGHT},
        ]
        for text in (FINE, SAID):
            message = {"role": "assistant", "content": text, "reasoning_details": details}
            body = {"id": "1", "choices": [{"index": 0, "finish_reason": "stop", "message": message}]}
            found = Exchange(Guard([BySentence()], policy=remove()), CHAT, {}).settle(body, None).body
            assert found["choices"][0]["message"]["reasoning_details"] == [
                {**details[0], "text": ""},
                details[1],
            ]

    def test_each_choice_has_its_own(self):
        """One is shown, the other not; what the checks cost is in the report."""
        listed = [
            {"index": i, "finish_reason": "stop", "message": {"role": "assistant", "content": FINE, "reasoning": one}}
            for i, one in enumerate([BAD, THOUGHT])
        ]  # fmt: skip
        guard = Guard([BySentence()], policy=remove())
        found = Exchange(guard, CHAT, {}, reasoning="check").settle({"id": "1", "choices": listed}, None)
        assert CHAT.thoughts(found.body) == ["", THOUGHT]
        assert found.body["guardrail"] == found.summary


class TestBlocks:
    def test_what_is_sealed_cannot_be_read(self):
        """And what can be read is not sealed: together they are all of a block."""
        hidden = {
            "type": "thinking",
            "thinking": THOUGHT,
            "signature": "c2ln",
            "note": BAD,
            "id": "two words",
        }
        assert sealed(hidden) == {"type": "thinking", "thinking": "", "signature": "c2ln"}
        assert list(readable(hidden)) == [THOUGHT, BAD, "two words"]
        assert sealed({"type": "thinking", "thinking": THOUGHT}) is GONE
        assert sealed_list("a text") is GONE
        assert sealed("a text") is GONE
