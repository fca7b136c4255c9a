"""Anthropic's Messages API through the server."""

import json

from tests.unit.server.conftest import FORBIDDEN, SECRET, Spotter, canned, running

from guardrail import Guard, block, flag, regenerate, remove
from guardrail.adapting.anthropic_api import Messages

SAID = f"Rivers flow. See {SECRET} for more. They end in seas."
THOUGHT = {"type": "thinking", "thinking": f"I make up {SECRET}.", "signature": "c2ln"}
CALL = {"type": "tool_use", "id": "t1", "name": "look", "input": {"q": "rivers"}}
ASKED = {
    "model": "claude",
    "max_tokens": 99,
    "system": "Be brief.",
    "messages": [{"role": "user", "content": "Rivers?"}],
}


def message(*blocks, stop="end_turn"):
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "content": list(blocks), "stop_reason": stop,
        "stop_sequence": None, "usage": {"input_tokens": 5, "output_tokens": 9},
    }  # fmt: skip


def text(said):
    return {"type": "text", "text": said}


def stream(body):
    """The events in which it is streamed, a delta for each character."""
    codec, lines = Messages(), []
    for event in codec.events(body, {}):
        told = json.loads(event.data)
        delta = told.get("delta", {})
        if delta.get("type") == "text_delta":
            parts = [{**told, "delta": {**delta, "text": one}} for one in delta["text"]]
        else:
            parts = [told]
        lines += [
            f"event: {part['type']}\ndata: {json.dumps(part, ensure_ascii=False)}\n\n" for part in parts
        ]
    return "".join(lines).encode()


def ask(body, *, policy=None, streaming=False, size=1_000_000, cut=False, detector=None, **options):
    """What a client gets."""
    kind = "text/event-stream" if streaming else "application/json"
    sent = stream(body) if streaming else json.dumps(body).encode()
    sent = sent[: len(sent) // 2] if cut else sent
    guard = Guard([detector or Spotter()], policy=policy or remove())
    with canned(sent, kind=kind, size=size) as upstream, running(upstream.url, guard, **options) as served:
        found = served.client.post("/v1/messages", json={**ASKED, "stream": streaming})
        found.asked = upstream.asked
        return found


def said_in(response):
    """The text of a stream, and why it stopped."""
    told = [json.loads(line[6:]) for line in response.text.splitlines() if line.startswith("data: ")]
    texts = [one["delta"]["text"] for one in told if one.get("delta", {}).get("type") == "text_delta"]
    return "".join(texts), next(one["delta"]["stop_reason"] for one in told if one["type"] == "message_delta")


class TestPlain:
    def test_a_clean_message_is_as_it_was(self):
        """Calls and usage included, and thoughts if the operator wants them."""
        body = message({**THOUGHT, "thinking": "Rivers."}, text("Rivers flow."), CALL, stop="tool_use")
        found = ask(body, reasoning="pass").json()
        assert found.pop("guardrail")["action"] == "pass"
        assert found == body

    def test_what_is_made_up_is_cut_and_thoughts_with_it(self):
        """They draft the same words; a call stays, and the signature that Anthropic wants back with its result."""
        found = ask(message(THOUGHT, text(SAID), CALL, stop="tool_use"))
        kinds = [block["type"] for block in found.json()["content"]]
        assert (kinds, found.json()["stop_reason"]) == (["thinking", "text", "tool_use"], "tool_use")
        assert found.json()["content"][0] == {**THOUGHT, "thinking": ""}
        assert [word for word in FORBIDDEN if word in found.content] == []

    def test_a_blocked_message_is_a_refusal(self):
        """As Anthropic's own models refuse."""
        found = ask(message(THOUGHT, text(SAID)), policy=block())
        assert (found.status_code, found.json()["stop_reason"]) == (200, "refusal")
        assert [word for word in FORBIDDEN if word in found.content] == []

    def test_it_is_asked_again(self):
        """With the feedback as a further message."""
        found = ask(message(text(SAID)), policy=regenerate(1) | remove())
        again = json.loads(found.asked[1][1])
        assert len(again["messages"]) == 2
        assert again["system"] == "Be brief."
        assert found.json()["usage"]["output_tokens"] == 18

    def test_the_prompt_is_known_to_detectors(self):
        """System text and the user's message."""
        detector = Spotter()
        ask(message(text("Rivers flow.")), detector=detector)
        assert [one.role for one in detector.seen[0].messages] == ["system", "user"]
        assert detector.seen[0].question == "Rivers?"


class TestStream:
    def test_a_clean_stream_says_the_same(self):
        """And carries the report on message_delta."""
        found = ask(message(text("Flüsse fließen 🌊."), CALL, stop="tool_use"), streaming=True, size=3)
        assert said_in(found) == ("Flüsse fließen 🌊.", "tool_use")
        assert '"guardrail"' in found.text.split("event: message_delta")[1]

    def test_a_blocked_stream_is_a_refusal(self):
        """With the policy's message."""
        said, reason = said_in(ask(message(text(SAID)), policy=block(), streaming=True))
        assert reason == "refusal"
        assert "withheld" in said

    def test_a_cut_stream_ends_in_an_error(self):
        """In Anthropic's form."""
        found = ask(message(text("Rivers flow.")), streaming=True, cut=True)
        assert "event: error" in found.text
        assert "message_stop" not in found.text

    def test_a_flag_leaves_the_text(self):
        """The check of these tests: where the policy changes nothing, the words are there."""
        assert said_in(ask(message(text(SAID)), policy=flag(), streaming=True))[0] == SAID
