"""Structured outputs under policies that edit: JSON stays JSON, marks that do not fit are left out, and a refusal says why."""

from __future__ import annotations

import json

import pytest
from tests.looping import each

from guardrail import Guard, annotate, block, remove
from guardrail.adapting.anthropic_api import Messages
from guardrail.adapting.openai_api import ChatCompletions, Exchange, Responses
from guardrail.detector import Detector, Finding, Span, Verdict

GOOD, BAD = "Paris is in France.", "Zyzzyva is a town."
SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "kind": {"type": "string", "enum": ["a", BAD]},
        "tags": {"type": "array", "items": {"type": "string", "maxLength": 20}},
    },
    "required": ["city"],
    "additionalProperties": False,
}
CODECS = {"chat": ChatCompletions(), "responses": Responses(), "messages": Messages()}
SHELLS = (
    "{}",
    "```json\n{}\n```",
    "```\n{}\n```\n",
    "Here it is:\n\n```json\n{}\n```\n\nAsk me for more.",
    "Here it is: {}",
)


class Bad(Detector):
    """Finds one sentence wherever it is, and may find fault with the whole."""

    name = "bad"

    def __init__(self, *, whole=False, record=False):
        self.whole, self.record = whole, record

    def reads_record(self, text):
        return self.record

    def cost(self, case):
        return {}

    def examine(self, case):
        yield from ()
        at = case.answer.find(BAD)
        if at < 0:
            return []
        span = None if self.whole else Span(start=at, end=at + len(BAD))
        return [Finding(detector="bad", span=span, text=BAD, score=1.0, verdict=Verdict.UNSUPPORTED)]


def request(name, schema):
    if name == "chat":
        told = {"type": "json_schema", "json_schema": {"name": "x", "strict": True, "schema": schema}}
        return {"messages": [], "response_format": told if schema else {"type": "json_object"}}
    told = {"type": "json_schema", "name": "x", "schema": schema} if schema else {"type": "json_object"}
    if name == "responses":
        return {"input": "Where?", "text": {"format": told}}
    return {"messages": [], "output_config": {"format": {"type": "json_schema", "schema": schema or True}}}


def body(name, text):
    if name == "chat":
        message = {"role": "assistant", "content": text}
        return {"id": "1", "object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}  # fmt: skip
    if name == "responses":
        item = {"type": "message", "id": "m", "role": "assistant", "content": [{"type": "output_text", "text": text, "annotations": []}]}  # fmt: skip
        return {"id": "r", "object": "response", "status": "completed", "output": [item]}
    content = [{"type": "text", "text": text}]
    return {"id": "m", "type": "message", "role": "assistant", "content": content, "stop_reason": "end_turn", "usage": {}}  # fmt: skip


class Shown:
    """What a client gets, whole and streamed."""

    def __init__(self, name, text, policy, *, schema=SCHEMA, whole=False, record=False):
        codec, asked = CODECS[name], request(name, schema)
        guard = Guard([Bad(whole=whole, record=record)], policy=policy)
        exchange = Exchange(guard, codec, asked)
        settled = exchange.settle(body(name, text), lambda _: {})
        self.summary, self.body = settled.summary, settled.body
        self.text = codec.choices(settled.body)[0].text
        streamed = codec.whole(codec.events(settled.body, asked))
        assert codec.choices(streamed)[0].text == self.text


def inside(text, shell):
    before, after = shell.split("{}")
    assert text.startswith(before)
    assert text.endswith(after)
    return json.loads(text[len(before) : len(text) - len(after)])


class TestEditedJson:
    def test_what_is_cut_leaves_json_in_its_shell(self):
        """Alone, in a fence, among prose; by every protocol, with and without a schema."""

        def check(name, shell, schema):
            text = shell.replace("{}", json.dumps({"city": f"{GOOD} {BAD}"}))
            shown = Shown(name, text, remove(), schema=schema)
            assert (inside(shown.text, shell), shown.summary["action"]) == ({"city": GOOD}, "remove")

        each([(n, s, schema) for n in CODECS for s in SHELLS for schema in (SCHEMA, None)], check)

    def test_a_mark_is_in_its_string(self):
        """Where a string may be any."""

        def check(name, shell):
            text = shell.replace("{}", json.dumps({"city": f"{BAD} {GOOD}"}))
            shown = Shown(name, text, annotate())
            assert inside(shown.text, shell) == {"city": f"{BAD} [not supported] {GOOD}"}
            assert shown.summary["action"] == "annotate"

        each([(n, s) for n in CODECS for s in SHELLS], check)

    def test_prose_around_is_edited_as_prose(self):
        """It is part of the answer."""
        shown = Shown("chat", f"{GOOD} {BAD}\n\n```json\n{json.dumps({'city': GOOD})}\n```", remove())
        assert shown.text == f"{GOOD}\n\n```json\n{json.dumps({'city': GOOD})}\n```"

    def test_an_answer_without_json_is_edited_as_text(self):
        """The model did not do as it was told."""
        assert Shown("chat", f"{GOOD} {BAD}", remove()).text == GOOD


class TestMarksThatDoNotFit:
    @pytest.mark.parametrize("name", CODECS)
    @pytest.mark.parametrize("value", [{"city": GOOD, "kind": BAD}, {"city": GOOD, "tags": [BAD]}])
    def test_the_answer_passes_without_them(self, name, value):
        """The report says so."""
        text = json.dumps(value)
        shown = Shown(name, text, annotate())
        assert (shown.text, shown.summary["action"]) == (text, "flag")
        assert "marks would make the answer invalid" in shown.summary["note"]
        assert shown.summary["verdict"] == "unsupported"

    def test_a_key_that_the_schema_forbids(self):
        """A mark on an object would be a key of it."""
        text = json.dumps({"city": BAD})
        shown = Shown("chat", text, annotate(), whole=True, record=True)
        assert (shown.text, shown.summary["action"]) == (text, "flag")

    def test_of_a_schema_that_cannot_be_read_every_json_is_valid(self):
        """It was not known to be what is wanted before either."""
        schema = {**SCHEMA, "not": {"required": ["x"]}}
        shown = Shown("chat", json.dumps({"city": BAD}), annotate(), schema=schema)
        assert json.loads(shown.text) == {"city": f"{BAD} [not supported]"}


class TestRefused:
    @pytest.mark.parametrize("name", CODECS)
    def test_a_cut_that_does_not_fit_is_refused_with_a_reason(self, name):
        """Nothing of the answer is in it."""
        shown = Shown(name, json.dumps({"city": GOOD, "kind": BAD}), remove())
        assert "would not be valid any more" in json.loads(shown.text)["guardrail"]
        assert shown.summary["action"] == "block"
        assert BAD not in json.dumps(shown.body)

    @pytest.mark.parametrize("name", CODECS)
    def test_a_blocked_answer_says_why(self, name):
        """In an object, for clients that read JSON."""
        shown = Shown(name, json.dumps({"city": BAD}), block())
        assert json.loads(shown.text) == {
            "guardrail": "This answer was withheld: 1 part of it could not be confirmed (1 unsupported)."
        }

    def test_in_the_language_of_the_answer(self):
        """As all that a reader sees."""
        said = "Die Bibliothek wurde im Jahr 1904 vom Bürgermeister der Stadt eröffnet und ist sehr groß."
        shown = Shown("chat", json.dumps({"city": said, "kind": BAD}), remove())
        assert json.loads(shown.text)["guardrail"].startswith("Die Antwort wird nicht angezeigt")


class TestThoughts:
    def test_json_behind_a_thought(self):
        """Where something is cut, the thought goes; a mark leaves both as they are."""
        thought = f"<think>\nIs it {BAD}\n</think>\n\n"
        text = thought + json.dumps({"city": f"{GOOD} {BAD}"})
        assert json.loads(Shown("chat", text, remove()).text) == {"city": GOOD}
        marked = Shown("chat", text.replace(f"Is it {BAD}", "Hm."), annotate()).text
        assert json.loads(marked.rpartition("</think>")[2]) == {"city": f"{GOOD} {BAD} [not supported]"}
