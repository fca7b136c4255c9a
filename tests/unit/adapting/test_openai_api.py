"""OpenAI's protocol: bodies and streams are read alike, and written so that nothing old is left."""

from __future__ import annotations

import json

import pytest

from guardrail import Guard, block, flag, regenerate, remove
from guardrail.adapting.openai_api import ChatCompletions, Exchange, NotReadable, Responses, route
from guardrail.adapting.sse import Event
from guardrail.detector import Detector, Finding, Span, Verdict
from guardrail.errors import InputError
from guardrail.requests import user

BAD = "Zyzzyva is a town."
CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
CHAT, RESPONSES = ChatCompletions(), Responses()


def chat(*contents, **message):
    choices = [
        {"index": i, "finish_reason": "stop", "message": {"role": "assistant", "content": one, **message}}
        for i, one in enumerate(contents)
    ]
    return {
        "id": "1",
        "object": "chat.completion",
        "model": "m",
        "choices": choices,
        "usage": {"total_tokens": 3},
    }


def response(*texts, items=()):
    blocks = [{"type": "output_text", "text": text, "annotations": [{"title": BAD}]} for text in texts]
    output = [*items, {"type": "message", "id": "m1", "role": "assistant", "content": blocks}]
    return {
        "id": "r",
        "object": "response",
        "status": "completed",
        "output": output,
        "usage": {"input_tokens": 1},
    }


class Bad(Detector):
    name = "bad"

    def cost(self, case):
        return {}

    def examine(self, case):
        yield from ()
        at = case.answer.find(BAD)
        if at < 0:
            return []
        span = Span(start=at, end=at + len(BAD))
        return [Finding(detector="bad", span=span, text=BAD, score=1.0, verdict=Verdict.UNSUPPORTED)]


def settle(codec, body, request, policy=None, ask=None, **options):
    return Exchange(Guard([Bad()], policy=policy or remove(), **options), codec, request).settle(body, ask)


def event(told, name=""):
    return Event(json.dumps(told), name)


class TestChatStream:
    def test_is_read_and_written(self):
        """Texts, calls in pieces, log-probabilities and fields of others; what is written reads back."""
        pieces = [
            {"role": "assistant", "content": "", "reasoning_content": "I "},
            {"reasoning_content": "think", "content": "A"},
            {
                "content": "B",
                "tool_calls": [
                    {"index": 0, "id": "c", "type": "function", "function": {"name": "f", "arguments": ""}}
                ],
            },
            {"tool_calls": [{"index": 0, "function": {"arguments": '{"a": '}}]},
            {"tool_calls": [{"index": 0, "function": {"arguments": "1}"}}]},
        ]
        events = [
            event({"id": "1", "model": "m", "choices": [{"index": 0, "delta": piece}]}) for piece in pieces
        ]
        tokens = {"content": [{"token": "A", "logprob": -1.0}]}
        events[1] = event({"id": "1", "choices": [{"index": 0, "delta": pieces[1], "logprobs": tokens}]})
        events.append(
            event({"id": "1", "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
        )
        events.append(event({"id": "1", "choices": [], "usage": {"total_tokens": 9}}))
        body = CHAT.whole([*events, Event("[DONE]")])
        [choice] = body["choices"]
        assert choice["message"] == {
            "role": "assistant",
            "content": "AB",
            "reasoning_content": "I think",
            "tool_calls": [CALL],
        }
        assert (choice["logprobs"], choice["finish_reason"]) == (tokens, "tool_calls")
        assert body["usage"] == {"total_tokens": 9}
        again = CHAT.whole(CHAT.events(body, {"stream_options": {"include_usage": True}}))
        assert again == body

    @pytest.mark.parametrize(
        "events",
        [
            [],
            [Event("{")],
            [Event("[]")],
            [event({"choices": [1]})],
            [event({"choices": [{"index": 0, "delta": {"content": "A"}}]}), Event("[DONE]")],
            [event({"error": {"message": "no"}})],
        ],
    )
    def test_what_broke_off_is_not_readable(self, events):
        """Nothing of it is an answer."""
        with pytest.raises(NotReadable):
            CHAT.whole(events)


class TestResponsesStream:
    def test_is_read_from_its_end(self):
        """And from its items, where the end does not repeat them."""
        whole = response("A")
        assert RESPONSES.whole(RESPONSES.events(whole, {})) == whole
        item = event({"type": "response.output_item.done", "output_index": 0, "item": whole["output"][0]})
        end = event({"type": "response.completed", "response": {**whole, "output": []}})
        assert RESPONSES.whole([item, end]) == whole

    @pytest.mark.parametrize(
        "events", [[], [Event("{")], [event({"type": "error", "message": "no"})], [event({"type": "x"})]]
    )
    def test_what_broke_off_is_not_readable(self, events):
        """Nothing of it is an answer."""
        with pytest.raises(NotReadable):
            RESPONSES.whole(events)


class TestRequests:
    def test_messages(self):
        """Of both protocols; one of an unknown role is read as the user's."""
        told = {
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
                {"role": "odd", "content": "Ho"},
            ]
        }
        assert CHAT.messages(told) == (user("Hi"), user("Ho"))
        assert [one.text for one in RESPONSES.messages({"instructions": "Be brief.", "input": "Hi"})] == [
            "Be brief.",
            "Hi",
        ]

    def test_asking_again(self):
        """One choice, not streamed; never where a conversation or a tool would notice."""
        asked = CHAT.again({"messages": [], "n": 3, "stream": True, "stream_options": {}, "seed": 1}, "No.")
        assert asked == {"messages": [{"role": "user", "content": "No."}], "seed": 1}
        assert RESPONSES.again({"input": "Hi"}, "No.")["input"][1]["content"] == "No."
        for more in (
            {"conversation": "c"},
            {"previous_response_id": "r"},
            {"tools": [{"type": "web_search"}]},
        ):
            with pytest.raises(InputError, match="again"):
                RESPONSES.again({"input": "Hi", **more}, "No.")


class TestEdited:
    def test_nothing_old_is_left_of_a_chat(self):
        """Reasoning, citations, log-probabilities, and what a service adds; calls stay."""
        body = chat(f"Fine. {BAD}", reasoning_content=BAD, annotations=[BAD], tool_calls=[CALL], audio=None)
        body["choices"][0]["logprobs"] = {"content": [{"token": BAD, "logprob": -1.0}]}
        body |= {"search_results": [{"title": BAD}], "citations": [BAD]}
        settled = settle(CHAT, body, {"messages": []})
        assert BAD not in json.dumps(settled.body)
        assert settled.body["choices"][0]["message"]["tool_calls"] == [CALL]
        assert settled.body["choices"][0]["message"]["content"] == "Fine."
        assert settled.kept is body
        assert BAD in json.dumps(body), "what came is not changed in place"

    def test_blocks_are_edited_each_in_its_place(self):
        """Content of several blocks, and a thought between them."""
        blocks = [
            {"type": "text", "text": "Fine. "},
            {"type": "thinking", "thinking": BAD},
            {"type": "text", "text": f"{BAD} Good."},
        ]
        message = settle(CHAT, chat(blocks), {"messages": []}).body["choices"][0]["message"]
        assert "".join(block["text"] for block in message["content"]) == "Fine. Good."

    def test_nothing_old_is_left_of_a_response(self):
        """Reasoning keeps what only its maker can read; calls for the client stay, searches lose their words."""
        call = {"type": "function_call", "id": "f", "call_id": "c", "name": "f", "arguments": '{"a": 1}'}
        items = [
            {
                "type": "reasoning",
                "id": "rs",
                "summary": [{"type": "summary_text", "text": BAD}],
                "encrypted_content": "x9",
            },
            {"type": "web_search_call", "id": "w", "status": "completed", "action": {"query": BAD}},
            call,
        ]
        body = response("It is fine. ", BAD, items=items)
        body["output_text"] = BAD
        settled = settle(RESPONSES, body, {"input": "Hi"}).body
        assert BAD not in json.dumps(settled)
        assert settled["output"][0] == {
            "type": "reasoning",
            "id": "rs",
            "encrypted_content": "x9",
            "summary": [],
        }
        assert settled["output"][2] == call
        assert settled["output"][3]["content"][0]["text"].strip() == "It is fine."

    @pytest.mark.parametrize(("codec", "body"), [(CHAT, chat(BAD)), (RESPONSES, response(BAD))])
    def test_half_an_emoji_is_no_obstacle(self, codec, body):
        """A token limit may cut one in two."""
        text = json.dumps(body).replace(BAD, f"Fine \\ud83d. {BAD}")
        settled = settle(codec, json.loads(text), {"messages": [], "input": ""})
        assert BAD not in json.dumps(settled.body)
        assert settled.summary["action"] == "remove"


class TestUnread:
    @pytest.mark.parametrize(
        ("codec", "body"),
        [
            (CHAT, chat(None, audio={"data": BAD, "transcript": BAD})),
            (CHAT, chat([{"type": "odd", "words": BAD}])),
            (CHAT, chat({"words": BAD})),
            (RESPONSES, {**response(), "output": [{"type": "odd", "words": BAD}]}),
        ],
    )
    def test_what_nobody_can_read_is_not_verified(self, codec, body):
        """Blocked where the guard fails closed, else marked."""
        closed = settle(codec, body, {"messages": [], "input": ""}, fail="closed")
        assert BAD not in json.dumps(closed.body)
        assert (closed.summary["verdict"], closed.summary["action"]) == ("unverified", "block")
        assert settle(codec, body, {"messages": [], "input": ""}).summary["verdict"] == "unverified"

    @pytest.mark.parametrize(
        ("codec", "body"),
        [
            (CHAT, {}),
            (CHAT, {"choices": [1]}),
            (RESPONSES, {}),
            (RESPONSES, {**response(), "status": "queued"}),
        ],
    )
    def test_another_body_is_none(self, codec, body):
        """It is not passed on."""
        with pytest.raises(NotReadable):
            settle(codec, body, {})

    @pytest.mark.parametrize("form", [None, True])
    def test_a_refusal_stays(self, form):
        """It is the model's own, and says nothing that a detector objects to; also in place of a structured output."""
        request = {"messages": [], "response_format": {"type": "json_object"} if form else None}
        body = chat(None, refusal="I cannot.")
        settled = settle(CHAT, body, request, policy=block())
        assert settled.body["choices"] == body["choices"]
        body = response(items=[{"type": "message", "id": "m", "role": "assistant", "content": [{"type": "refusal", "refusal": "I cannot."}]}])  # fmt: skip
        assert settle(RESPONSES, body, {"input": ""}, policy=block()).body["output"] == body["output"]

    @pytest.mark.parametrize("content", [None, "It is fine.", [{"type": "text", "text": "It is fine."}]])
    def test_a_refusal_is_examined_in_its_place(self, content):
        """What it says is text for the reader, like the rest."""
        message = settle(CHAT, chat(content, refusal=f"I cannot. {BAD}"), {"messages": []}).body["choices"][
            0
        ]["message"]
        assert (message["content"], message["refusal"].strip()) == (content, "I cannot.")
        parts = [{"type": "output_text", "text": content}] if isinstance(content, str) else []
        parts.append({"type": "refusal", "refusal": f"I cannot. {BAD}"})
        item = {"type": "message", "id": "m", "role": "assistant", "content": parts}
        found = settle(RESPONSES, response(items=[item]), {"input": ""}).body["output"][0]["content"]
        assert found[-1]["type"] == "refusal"
        assert found[-1]["refusal"].strip() == "I cannot."
        assert len(found) == len(parts)
        blocked = settle(CHAT, chat(content, refusal=BAD), {"messages": []}, policy=block()).body
        assert BAD not in json.dumps(blocked)


class TestAttempts:
    def test_usage_is_the_sum(self):
        """Over all attempts, details too; the body is the one that was kept."""
        better = {**chat("Fine."), "id": "2"}
        settled = settle(CHAT, chat(BAD), {"messages": []}, policy=regenerate(1), ask=lambda _: better)
        assert settled.kept is better
        assert (settled.body["id"], settled.body["usage"]) == ("2", {"total_tokens": 6})

    def test_a_choice_of_several_keeps_its_number(self):
        """Only the one that is wrong is asked for again."""
        asked = []

        def ask(request):
            asked.append(request)
            return chat("Better.")

        settled = settle(CHAT, chat("Fine.", BAD), {"messages": [], "n": 2}, policy=regenerate(1), ask=ask)
        assert [(one["index"], one["message"]["content"]) for one in settled.body["choices"]] == [
            (0, "Fine."),
            (1, "Better."),
        ]
        assert len(asked) == 1

    def test_a_call_on_the_second_attempt_passes(self):
        """The model wants to look something up first."""
        settled = settle(
            CHAT,
            chat(BAD),
            {"messages": []},
            policy=regenerate(1),
            ask=lambda _: chat(None, tool_calls=[CALL]),
        )
        assert settled.body["choices"][0]["message"]["tool_calls"] == [CALL]
        assert BAD not in json.dumps(settled.body)

    def test_watching_changes_nothing(self):
        """And asks nobody again."""
        summary = Exchange(Guard([Bad()], policy=regenerate(2) | block()), CHAT, {"messages": []}).observe(
            chat(BAD)
        )
        assert (summary["verdict"], summary["action"], summary["mode"]) == ("unsupported", "flag", "observe")

    def test_nothing_to_check_costs_nothing(self):
        """An empty list of choices passes as it is."""
        assert settle(CHAT, {"choices": []}, {}, policy=flag()).summary["verdict"] is None


class TestRoute:
    @pytest.mark.parametrize(
        ("method", "path", "kind"),
        [
            ("POST", "/chat/completions", "chat"),
            ("POST", "deployments/d/chat/completions", "chat"),
            ("POST", "responses", "responses"),
            ("POST", "embeddings", "pass"),
            ("GET", "models/m", "pass"),
            ("GET", "files/f", "pass"),
            ("GET", "files/f/content", "refuse"),
            ("GET", "responses/r", "refuse"),
            ("POST", "responses/r/cancel", "refuse"),
            ("DELETE", "responses/r", "pass"),
            ("GET", "chat/completions/c/messages", "refuse"),
            ("POST", "completions", "refuse"),
            ("POST", "threads/runs", "refuse"),
            ("POST", "something/new", "refuse"),
            ("POST", "chat/completions/../../x", "refuse"),
        ],
    )
    def test_what_is_done(self, method, path, kind):
        """Guarded, passed on or refused."""
        assert route(method, path).kind == kind

    def test_allow(self):
        """By the name that the refusal gives."""
        refused = route("POST", "batches")
        assert refused.reason
        assert route("POST", "batches", [refused.name]).kind == "pass"
        assert route("POST", "something/new", ["something"]).kind == "pass"


class TestOwnCost:
    def test_the_applications_requests_are_none_of_the_guards(self):
        """Three attempts, and a detector that asks nobody: no call is the guard's."""
        again = {"choices": [{"index": 0, "message": {"role": "assistant", "content": BAD}}]}
        summary = Exchange(Guard([Bad()], policy=regenerate(2)), CHAT, {"messages": []}).settle(
            chat(BAD), lambda _: again
        )
        assert (summary.summary["attempts"], summary.summary["calls"], summary.summary["tokens"]) == (3, 0, 0)
