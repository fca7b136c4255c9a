"""Fields that protocols know: an upstream may put a text there that was taken out of the answer."""

import asyncio
import json

import pytest
from tests.unit.adapting.test_odd_answers import (
    CHAT,
    FINE,
    MESSAGES,
    RESPONSES,
    SECRET,
    chunk,
    completion,
    item,
    message,
    response,
    settled,
    streamed,
)
from tests.unit.adapting.test_sentence_stream import BySentence

from guardrail import Guard, annotate, block, regenerate, remove
from guardrail.adapting.openai_api import Exchange, Watch
from guardrail.adapting.residue import GONE, is_wordless, one_of, sentences_of, unrepeated, unspoken, word
from guardrail.adapting.sse import Event, written

BAD = f"Paris lies on the {SECRET}."
SAID = FINE + BAD
PROSE = (BAD, [BAD], {"a": BAD}, {BAD: 1}, f"{BAD} " * 20)
CHAT_ENDS = ("stop", "length", "tool_calls", "function_call", "content_filter", "a_new-reason.2")
MESSAGE_ENDS = (
    "end_turn",
    "max_tokens",
    "stop_sequence",
    "tool_use",
    "pause_turn",
    "refusal",
    "a_new-reason.2",
)


def place(found, *names):
    for name in names:
        found = found[name]
    return found


def chat_with(field, value):
    body = completion(SAID, object="chat.completion", model="m")
    holder = {
        "role": body["choices"][0]["message"],
        "finish_reason": body["choices"][0],
        "index": body["choices"][0],
    }
    holder.get(field, body)[field] = value
    return body


def response_with(field, value):
    said = item(SAID, status="completed")
    holder = {"role": said, "item_id": said, "item_status": said, "phase": said}
    body = response(said)
    holder.get(field, body)[field.removeprefix("item_")] = value
    return body


def message_with(field, value):
    return {**message({"type": "text", "text": SAID}, model="m"), field: value}


FIELDS = [
    *(
        (CHAT, chat_with, name)
        for name in ("finish_reason", "role", "index", "object", "id", "model", "usage", "created")
    ),
    *((CHAT, chat_with, name) for name in ("system_fingerprint", "service_tier")),
    *(
        (RESPONSES, response_with, name)
        for name in ("role", "item_id", "item_status", "phase", "object", "model", "id")
    ),
    *(
        (RESPONSES, response_with, name)
        for name in ("truncation", "service_tier", "error", "incomplete_details")
    ),
    *(
        (RESPONSES, response_with, name)
        for name in ("instructions", "metadata", "tools", "user", "usage", "status")
    ),
    *(
        (MESSAGES, message_with, name)
        for name in ("stop_reason", "role", "type", "id", "model", "usage", "stop_sequence")
    ),
]
IDS = [f"{codec.name}-{name}" for codec, _, name in FIELDS]


@pytest.mark.parametrize(("codec", "made", "field"), FIELDS, ids=IDS)
class TestATextThatWasTakenOut:
    def test_it_is_in_no_known_field(self, codec, made, field):
        """Whatever kind of value has it; the rest of the answer is shown."""
        for value in PROSE:
            found = settled(codec, made(field, value)).body
            assert SECRET not in json.dumps(found)
            assert "Bern has a bear." in json.dumps(found)

    def test_nor_in_a_stream_that_is_made_of_the_body(self, codec, made, field):
        """The same body is written as events."""
        for value in PROSE:
            found = settled(codec, made(field, value)).body
            assert (
                SECRET
                not in written(codec.events(found, {"stream_options": {"include_usage": True}})).decode()
            )

    def test_nor_in_an_answer_that_was_blocked(self, codec, made, field):
        """Nothing that it said is left."""
        for value in (*PROSE, "Bern has a bear.", ["Bern has a bear."]):
            found = asyncio.run(
                Exchange(Guard([BySentence()], policy=block()), codec, {}).asettle(made(field, value), None)
            )
            assert found.summary["action"] == "block"
            assert SECRET not in json.dumps(found.body)
            assert "Bern" not in json.dumps(found.body)

    def test_it_stays_where_nothing_was_taken_out(self, codec, made, field):
        """As everything else does."""
        found = asyncio.run(
            Exchange(Guard([BySentence()], policy=annotate()), codec, {}).asettle(
                made(field, "It is odd."), None
            )
        )
        assert "It is odd." in json.dumps(found.body)


class TestValuesOfAnEnumeration:
    @pytest.mark.parametrize("value", CHAT_ENDS)
    def test_of_a_choice(self, value):
        """New ones pass, too."""
        assert settled(CHAT, chat_with("finish_reason", value)).body["choices"][0]["finish_reason"] == value

    @pytest.mark.parametrize("value", MESSAGE_ENDS)
    def test_of_a_message(self, value):
        """Likewise."""
        assert settled(MESSAGES, message_with("stop_reason", value)).body["stop_reason"] == value

    @pytest.mark.parametrize("value", ["completed", "incomplete", "failed", "a_new-status.2"])
    def test_of_a_response(self, value):
        """Likewise."""
        assert settled(RESPONSES, response_with("status", value)).body["status"] == value

    def test_what_is_none_of_them_is_replaced(self):
        """Clients read the field, so it is there."""
        found = settled(CHAT, chat_with("finish_reason", "It is odd.")).body["choices"][0]
        assert found["finish_reason"] == "stop"
        assert (
            settled(CHAT, chat_with("role", "It is odd.")).body["choices"][0]["message"]["role"]
            == "assistant"
        )
        assert settled(MESSAGES, message_with("stop_reason", "It is odd.")).body["stop_reason"] == "end_turn"
        assert (
            settled(RESPONSES, response_with("role", "It is odd.")).body["output"][0]["role"] == "assistant"
        )

    def test_a_word_of_the_protocol_is_never_taken_for_the_answer(self):
        """The answer may have been about it."""
        assert one_of("end_turn")("tool_use", ["tool_use", "tool"]) == "tool_use"
        assert one_of("stop")("Xyzzyville", ["Xyzzyville"]) == "stop"
        assert one_of("stop")(None, []) is None
        assert one_of("stop")("a" * 65, []) == one_of("stop")(7, []) == "stop"


class TestFieldsThatMayHaveProse:
    def test_they_stay_unless_they_repeat_it(self):
        """Names of models with blanks, and what the request said."""
        told = {
            "model": "Llama 3 8B Instruct",
            "instructions": "Say where Paris is.",
            "metadata": {"for": "Rome 1999"},
        }
        found = settled(RESPONSES, {**response(item(SAID)), **told}).body
        assert {name: found[name] for name in told} == told

    def test_blanks_and_capitals_make_no_difference(self):
        """A service may write the text anew."""
        text = "so: PARIS  lies\non"
        for value in (text, {"a": [text]}, {text: 1}):
            assert unrepeated(value, ["Paris lies on"]) is GONE

    def test_a_single_word_repeats_nothing(self):
        """It would be found in every model's name and id."""
        assert unrepeated("gpt-5 of Paris", ["gpt-5", "Paris"]) == "gpt-5 of Paris"

    def test_what_takes_too_long_is_left_out(self):
        """An upstream may repeat a megabyte."""
        taken = [f"text number {i}" for i in range(1_000)]
        for size, is_kept in ((99_000, True), (101_000, False)):
            assert (unrepeated("x " * (size // 2), taken) is not GONE) is is_kept
            assert is_wordless("x" * size, taken) is is_kept

    def test_an_id_is_a_word(self):
        """Of any length and kind; a usage has such words and numbers."""
        assert word("chatcmpl-" + "a" * 300, []) == "chatcmpl-" + "a" * 300
        assert word("an id", []) is GONE
        usage = {
            "total_tokens": 1,
            "details": {"tier": "flex", "note": "An id."},
            "an id": 2,
            "inputs": ["An id."],
        }
        assert word(usage, []) == {"total_tokens": 1, "details": {"tier": "flex"}}

    def test_all_sentences_of_a_text(self):
        """And the text itself."""
        assert {"A b. C d! E", "A b.", "C d!", "E"} <= set(sentences_of("A b. C d! E"))


class TestSentenceBySentence:
    """The head of a stream goes out before the text that it may repeat has come."""

    def chat(self, **head):
        told = [{**chunk(piece), **head} for piece in (FINE, "All is well. ", BAD)]
        return streamed(CHAT, [*told, {**chunk(end="stop"), **head}, "[DONE]"])

    @pytest.mark.parametrize("field", ["id", "model", "created", "system_fingerprint", "service_tier"])
    @pytest.mark.parametrize("value", PROSE[:3])
    def test_a_chunk(self, field, value):
        """It is without what may be prose."""
        shown = self.chat(**{field: value})
        assert "Bern has a bear." in shown
        assert SECRET not in shown

    @pytest.mark.parametrize("end", [*PROSE[:3], "a_new-reason.2"])
    def test_how_a_choice_ended(self, end):
        """As in a body."""
        shown = streamed(CHAT, [chunk(FINE), chunk("All is well. " + BAD), chunk(end=end), "[DONE]"])
        assert "Bern has a bear." in shown
        assert SECRET not in shown
        assert f'"finish_reason": "{end if end == "a_new-reason.2" else "stop"}"' in shown

    def messages(self, *, end="end_turn", **head):
        opened = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], **head}
        deltas = [{"type": "text_delta", "text": text} for text in (FINE, "All is well. ", BAD)]
        told = [
            {"type": "message_start", "message": opened},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            *({"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas),
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": end}, "usage": {}},
            {"type": "message_stop"},
        ]
        return streamed(MESSAGES, told)

    @pytest.mark.parametrize("field", ["id", "type", "role", "model", "usage", "stop_reason"])
    @pytest.mark.parametrize("value", PROSE[:3])
    def test_a_message(self, field, value):
        """Likewise."""
        shown = self.messages(**{field: value})
        assert "Bern has a bear." in shown
        assert SECRET not in shown

    @pytest.mark.parametrize("end", PROSE[:3])
    def test_how_a_message_ended(self, end):
        """Likewise."""
        shown = self.messages(end=end)
        assert '"stop_reason": "end_turn"' in shown
        assert SECRET not in shown

    def response(self, **put):
        said = item(FINE + "All is well. " + BAD, status="completed", **put.get("item", {}))
        blank = {**said, "content": []}
        body = response(said, **put.get("body", {}))
        at = {"output_index": 0, "content_index": 0, "item_id": "i"}
        told = [
            {
                "type": "response.created",
                "response": {**body, "output": [], "status": "in_progress", **put.get("head", {})},
            },
            {"type": "response.output_item.added", "output_index": 0, "item": blank},
            {
                "type": "response.content_part.added",
                **at,
                "part": {"type": "output_text", "text": "", "annotations": []},
            },
            *(
                {"type": "response.output_text.delta", **at, "delta": text}
                for text in (FINE, "All is well. ", BAD)
            ),
            {"type": "response.completed", "response": body},
        ]
        return streamed(RESPONSES, told)

    @pytest.mark.parametrize(
        "field", ["id", "object", "status", "model", "instructions", "metadata", "tools", "error"]
    )
    @pytest.mark.parametrize("value", PROSE[:3])
    @pytest.mark.parametrize("where", ["head", "body"])
    def test_a_response(self, where, field, value):
        """Likewise."""
        shown = self.response(**{where: {field: value}})
        assert "Bern has a bear." in shown
        assert SECRET not in shown

    @pytest.mark.parametrize("field", ["id", "role", "phase"])
    @pytest.mark.parametrize("value", PROSE[:3])
    def test_an_item(self, field, value):
        """Its id cannot change on the way, so such a response waits for its end."""
        shown = self.response(item={field: value})
        assert SECRET not in shown
        assert "Bern has a bear." in shown

    def test_what_the_request_said_goes_out(self):
        """It is the client's own."""
        asked = {"model": "Llama 3 8B Instruct", "instructions": "Be kind to me."}
        assert unspoken({**asked, "user": "Not said."}, asked) == asked


class TestOtherWays:
    def test_the_usage_of_several_attempts(self):
        """Numbers are added up, and nothing else is repeated."""
        bodies = iter([completion("Bern has a bear.", usage={"total_tokens": 2, "note": BAD})])
        first = completion(BAD, usage={"total_tokens": 1, "note": BAD})

        async def ask(_):
            return next(bodies)

        made = Guard([BySentence()], policy=regenerate(1) | annotate())
        found = asyncio.run(Exchange(made, CHAT, {"messages": []}).asettle(first, ask)).body
        assert found["usage"] == {"total_tokens": 3}

    def test_many_choices_are_not_all_asked_for_again(self):
        """16 more requests at most; of what is left the policy makes what it can."""
        body = completion(BAD)
        body["choices"] = [{**body["choices"][0], "index": i} for i in range(20)]
        asked = []

        async def ask(wanted):
            asked.append(wanted)
            return completion(BAD)

        made = Guard([BySentence()], policy=regenerate(3) | annotate(), fail="closed")
        found = asyncio.run(Exchange(made, CHAT, {"messages": [], "n": 20}).asettle(body, ask)).body
        assert len(asked) == 16
        assert all("[" in one["message"]["content"] for one in found["choices"])

    @pytest.mark.parametrize("end", PROSE[:3])
    def test_a_stream_that_is_observed_passes(self, end):
        """As it came: nothing is taken out of it."""
        told = [chunk(SAID), chunk(end=end)]
        events = [*(Event(json.dumps(one)) for one in told), Event("[DONE]")]
        watch = Watch(CHAT, Exchange(Guard([BySentence()]), CHAT, {}))
        shown = (watch.passed(written(events)) + watch.ended()).decode()
        assert json.dumps(end) in shown

    def test_no_report_of_the_services_own_passes(self):
        """Of two events that may carry the report, the first has what the service wrote there."""
        forged = {"verdict": "supported", "action": "pass"}
        told = [
            {"type": "message_start", "message": {"role": "assistant", "content": [], "usage": {}}},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": SAID}},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {}, "usage": {}, "guardrail": forged},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {}},
            {"type": "message_stop"},
        ]
        events = [Event(json.dumps(one), one["type"]) for one in told]
        watch = Watch(MESSAGES, Exchange(Guard([BySentence()]), MESSAGES, {}))
        shown = (watch.passed(written(events)) + watch.ended()).decode()
        reports = [
            json.loads(line[6:])["guardrail"]
            for line in shown.splitlines()
            if line.startswith("data: ") and "guardrail" in json.loads(line[6:])
        ]
        assert [one["verdict"] for one in reports] == ["unsupported", "unsupported"]

    @pytest.mark.parametrize("policy", [remove(), block()], ids=str)
    @pytest.mark.parametrize("end", PROSE)
    def test_the_fields_of_another_choice(self, policy, end):
        """One choice may say how the other one was before."""
        body = completion(SAID)
        message = {"role": end, "content": "Bern has a bear.", "refusal": "No, thanks."}
        body["choices"].append({"index": end, "finish_reason": end, "message": message})
        found = asyncio.run(
            Exchange(Guard([BySentence()], policy=policy), CHAT, {"n": 2}).asettle(body, None)
        ).body
        assert SECRET not in json.dumps(found)
        assert found["choices"][1]["message"] == {**message, "role": "assistant"}
