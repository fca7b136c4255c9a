"""Answers that have text where it is not looked for, or something in them that nobody can examine."""

import asyncio
import contextlib
import json

import httpx
import pytest
from tests.unit.server.conftest import SECRET, Spotter, answer_of, canned, running
from tests.unit.server.test_attacks import chunks

from guardrail import Guard, annotate, block, flag, remove
from guardrail.adapting.openai_api.deltas import GrowingObject
from guardrail.server import guarded as guarded_routes
from guardrail.server.upstream import Passed

SAID = f"Rivers flow. See {SECRET} for more."
PATHS = ("/v1/chat/completions", "/v1/responses", "/v1/messages")
ASKED = {"model": "m", "messages": [{"role": "user", "content": "q"}], "input": "q"}
UNKNOWN = {"type": "hologram", "glow": "more to see"}


class TestPartsThatNobodyCanExamine:
    """A client can ask for such parts (a tool of the provider brings them): the text beside them is examined."""

    @pytest.mark.parametrize("path", PATHS)
    def test_the_text_is_cut(self, canned_answer, path):
        """Before, all of it was shown as unverified."""
        found = canned_answer(path, SAID, UNKNOWN).client.post(path, json=ASKED)
        assert SECRET not in found.text
        assert "more to see" not in found.text
        assert "Rivers flow." in found.text
        assert found.headers["x-guardrail-verdict"] == "unsupported"

    @pytest.mark.parametrize("path", PATHS)
    def test_a_clean_text_is_unverified(self, canned_answer, path):
        """Nobody saw all of the answer, and the report says why."""
        found = canned_answer(path, "Rivers flow.", UNKNOWN).client.post(path, json=ASKED)
        report = found.json()["guardrail"]
        assert (report["verdict"], report["action"]) == ("unverified", "flag")
        assert report["counts"]["unverified"] == 1
        assert report["failures"][0]["reason"].startswith("expected text, got")
        assert "hologram" in found.text

    @pytest.mark.parametrize("path", PATHS)
    @pytest.mark.parametrize("policy", [block, annotate, flag])
    def test_every_policy_applies(self, canned_answer, path, policy):
        """To the text."""
        found = canned_answer(path, SAID, UNKNOWN, policy=policy()).client.post(path, json=ASKED)
        assert (SECRET in found.text) is (policy is not block)
        assert found.headers["x-guardrail-action"] == policy().__class__.__name__.lower()

    @pytest.mark.parametrize("path", PATHS)
    @pytest.mark.parametrize("plan", [{"fail": "closed"}, {"on_unverified": "block"}])
    def test_nothing_is_shown_where_it_must_not_be(self, canned_answer, path, plan):
        """Clean or not."""
        served = canned_answer(path, "Rivers flow.", UNKNOWN, policy=flag(), plan=plan)
        found = served.client.post(path, json=ASKED)
        assert "Rivers" not in found.text
        assert found.headers["x-guardrail-action"] == "block"

    @pytest.mark.parametrize("path", PATHS)
    def test_a_check_that_breaks_withholds_too(self, canned_answer, path):
        """`on_unverified = "block"` means this as well."""
        served = canned_answer(
            path, SAID, detector=Spotter(raises=True), policy=flag(), plan={"on_unverified": "block"}
        )
        found = served.client.post(path, json=ASKED)
        assert SECRET not in found.text
        assert found.headers["x-guardrail-action"] == "block"

    def test_a_provider_s_own_tools_are_known(self, canned_answer):
        """Their results are no text of the model."""
        served = canned_answer(
            "/v1/messages", "Rivers flow.", {"type": "bash_code_execution_tool_result", "content": {}}
        )
        found = served.client.post("/v1/messages", json=ASKED)
        assert found.json()["guardrail"]["counts"].get("unverified", 0) == 0

    @pytest.mark.parametrize("path", PATHS)
    def test_a_text_of_an_unknown_kind_is_examined(self, canned_answer, path):
        """A client may show it."""
        block = {"type": "hologram", "text": SECRET, "content": SECRET}
        found = canned_answer(path, "Rivers flow.\n\n", block).client.post(path, json=ASKED)
        assert SECRET not in found.text
        assert found.json()["guardrail"]["counts"]["unverified"] >= 1

    def test_an_item_of_an_unknown_kind_that_has_texts_is_examined(self, canned_answer):
        """As a message is."""
        item = {"type": "hologram", "content": [{"type": "output_text", "text": SECRET}]}
        found = canned_answer(PATHS[1], "Rivers flow.", item).client.post(PATHS[1], json=ASKED)
        assert SECRET not in found.text

    def test_a_text_block_without_text_is_such_a_part(self, canned_answer):
        """And moves no other block out of its place."""
        served = canned_answer(
            "/v1/messages", SAID, {"type": "text", "text": None}, {"type": "text", "text": "\n\nEnd here."}
        )
        found = served.client.post("/v1/messages", json=ASKED)
        assert SECRET not in found.text
        assert found.json()["content"][-1]["text"] == "\n\nEnd here."


class TestSecondPlacesOfTheAnswer:
    """Some clients read the answer elsewhere; no other text may be there."""

    @pytest.mark.parametrize("more", [{"text": SECRET}, {"delta": {"content": SECRET}}])
    def test_in_a_choice(self, canned_answer, more):
        """Where legacy completions and chunks of a stream have theirs."""
        body = answer_of(PATHS[0], "Rivers flow.")
        body["choices"][0] |= more
        found = canned_answer(PATHS[0], "", body=body).client.post(PATHS[0], json=ASKED)
        assert SECRET not in found.text
        assert "Rivers flow." in found.text

    def test_in_output_text(self, canned_answer):
        """It says what the messages say."""
        body = answer_of(PATHS[1], "Rivers flow.") | {"output_text": SECRET}
        found = canned_answer(PATHS[1], "", body=body).client.post(PATHS[1], json=ASKED)
        assert found.json()["output_text"] == "Rivers flow."

    def test_in_names(self, canned_answer):
        """Scores by sentence quote what was cut."""
        body = answer_of(PATHS[0], SAID) | {"scores": {SAID: 0.3, SECRET: 0.1, "mean": 0.2}}
        found = canned_answer(PATHS[0], "", body=body).client.post(PATHS[0], json=ASKED)
        assert found.json()["scores"] == {"mean": 0.2}
        assert SECRET not in json.dumps(found.json())

    @pytest.mark.parametrize("stream", ["buffer", "sentence"])
    @pytest.mark.parametrize("streaming", [False, True])
    def test_in_the_numbers_of_its_tokens(self, stream, streaming):
        """vLLM gives them to whoever asks by `return_token_ids`."""
        ids = [ord(letter) for letter in SAID]
        choice = {"index": 0, "finish_reason": "stop", "token_ids": ids}
        said = {
            "message": {"role": "assistant", "content": SAID},
            "delta": {"content": SAID, "token_ids": ids},
        }
        body = {"id": "c1", "choices": [choice | said], "prompt_token_ids": ids, "scores": {"all": ids}}
        sent = json.dumps(body).encode()
        given = (
            canned(b"data: %b\n\ndata: [DONE]\n\n" % sent)
            if streaming
            else canned(sent, kind="application/json")
        )
        with (
            given as upstream,
            running(upstream.url, Guard([Spotter()], policy=remove()), stream=stream) as served,
        ):
            found = served.chat(stream=streaming)
        assert "Rivers flow." in found.text
        assert f"{ids[0]},{ids[1]}" not in found.text.replace(" ", "")

    def test_in_reasoning_next_to_the_message(self, canned_answer):
        """It is left out there, too."""
        body = answer_of(PATHS[0], "Rivers flow.")
        body["choices"][0]["reasoning"] = SECRET
        found = canned_answer(PATHS[0], "", body=body).client.post(PATHS[0], json=ASKED)
        assert SECRET not in found.text
        assert "Rivers flow." in found.text


class TestLongStreams:
    @pytest.mark.parametrize("stream", ["buffer", "sentence"])
    @pytest.mark.parametrize("size", [100, 20_000])
    def test_a_text_that_is_too_long_is_not_examined(self, stream, size):
        """The limit of an answer counts for the text of a stream too, not only for its bytes, which are many more."""
        body = chunks("word " * 4_000, size)
        with (
            canned(body) as upstream,
            running(upstream.url, Guard([], policy=flag()), answer_limit=19_999, stream=stream) as served,
        ):
            found = served.chat(stream=True).text
        assert "word" not in found
        assert "too long" in found or "longer one" in found
        assert "[DONE]" not in found

    def test_a_text_within_the_limit_is(self):
        """To the last character."""
        with (
            canned(chunks("word " * 4_000, 10)) as upstream,
            running(upstream.url, Guard([]), answer_limit=20_000) as served,
        ):
            found = served.chat(stream=True).text
        assert "word" in found
        assert found.endswith("data: [DONE]\n\n")

    @pytest.mark.parametrize("stream", ["buffer", "sentence", "observe"])
    @pytest.mark.parametrize("event", [b"data:{}\n\n", b"data:\r\n\r\n", b"\n", b": x\r"])
    def test_a_stream_of_very_many_events_ends(self, monkeypatch, stream, event):
        """Each takes ten times the memory of its bytes."""
        monkeypatch.setattr(guarded_routes, "_LINES", 3_000)
        with (
            canned(chunks("word ", 9) + event * 4_000) as upstream,
            running(upstream.url, Guard([], policy=flag()), stream=stream) as served,
        ):
            found = served.chat(stream=True).text
        assert "too long" in found

    def test_a_copy_is_made_in_place(self):
        """In monitor mode each part of a stream was added to a copy of all before: ten megabytes took minutes."""

        class Source:
            def headers(self, response):
                return []

            @contextlib.asynccontextmanager
            async def parts(self, response):
                async def made():
                    for _ in range(200_000):
                        yield b"x" * 50

                yield made()

        async def drop(message):
            pass

        copies = []
        response = httpx.Response(200)
        for limit in (10_000_000, 9_999_999):
            passed = Passed(Source(), response, after=copies.append, limit=limit)
            asyncio.run(passed({}, drop, drop))
        assert [None if copy is None else len(copy) for copy in copies] == [10_000_000, None]

    @pytest.mark.parametrize("stream", ["buffer", "sentence", "observe"])
    def test_all_streams_together_have_a_limit(self, stream):
        """Sixty-four of them at once could be four gigabytes; room that was taken is given back."""
        with (
            canned(chunks(SAID * 100, 5)) as upstream,
            running(upstream.url, Guard([]), stream=stream, held_limit=5_000) as served,
        ):
            for _ in range(2):
                assert "too_much_at_once" in served.chat(stream=True).text
            upstream.body = chunks("Fine.", 5)
            assert "Fine." in served.chat(stream=True).text
            assert served.application.upstream.held.now == 0

    def test_very_many_pieces_are_put_together(self):
        """Half a million took minutes, in which nobody else was served: each piece was added to a copy of all before."""
        growing = GrowingObject()
        for i in range(500_000):
            growing.add({"delta": {"content": "ab"}, "logprobs": {"content": [{"token": "ab"}]}, "index": 0})
            if i < 1_000:
                growing.add(
                    {"delta": {"tool_calls": [{"index": i, "id": "c", "function": {"arguments": "{"}}]}}
                )
        found = growing.value()
        assert found["delta"]["content"] == "ab" * 500_000
        assert len(found["logprobs"]["content"]) == 500_000
        assert [call["index"] for call in found["delta"]["tool_calls"]] == list(range(1_000))
        assert found["index"] == 0

    def test_a_character_that_is_cut_in_two_is_one_again(self):
        """A service that counts in UTF-16 cuts emoji; they were shown as two marks of something unreadable."""
        growing = GrowingObject()
        for half in ("a \ud83d", "\ude00 b", "\ude00"):
            growing.add({"content": half})
        assert growing.value() == {"content": "a \U0001f600 b\ude00"}

    def test_pieces_are_not_changed(self):
        """The stream may be read again."""
        piece = {"delta": {"content": "a", "tool_calls": [{"index": 0, "function": {"arguments": "1"}}]}}
        growing = GrowingObject()
        growing.add(piece)
        growing.add(piece)
        assert growing.value()["delta"] == {
            "content": "aa",
            "tool_calls": [{"index": 0, "function": {"arguments": "11"}}],
        }
        assert piece["delta"]["content"] == "a"


class TestGivenAnswers:
    def test_one_that_is_too_long_is_refused(self, guarded):
        """As one of the upstream would be: examining it keeps other clients waiting."""
        served = guarded(answer_limit=1_000)
        found = served.client.post("/v1/guardrail/check", json={"answer": "a" * 1_001})
        assert (found.status_code, found.json()["error"]["code"]) == (413, "answer_too_long")
        assert served.client.post("/v1/guardrail/check", json={"answer": "a" * 1_000}).status_code == 200

    def test_texts_of_litellm_likewise(self, guarded):
        """All together."""
        served = guarded(answer_limit=1_000)
        body = {"input_type": "response", "texts": ["a" * 600, "b" * 600]}
        assert served.client.post("/beta/litellm_basic_guardrail_api", json=body).status_code == 413
        assert (
            served.client.post("/beta/litellm_basic_guardrail_api", json={**body, "texts": ["a"]}).status_code
            == 200
        )


class TestErrorsOfTheUpstream:
    @pytest.mark.parametrize("path", PATHS)
    @pytest.mark.parametrize("status", ["400 Bad Request", "529 Overloaded"])
    def test_an_answer_in_an_error_is_left_out(self, path, status):
        """Its status is the upstream's."""
        body = json.dumps(answer_of(path, SAID)).encode()
        with (
            canned(body, kind="application/json", status=status) as upstream,
            running(upstream.url, Guard([])) as served,
        ):
            found = served.client.post(path, json=ASKED)
        assert found.status_code == int(status[:3])
        assert SECRET not in found.text
        assert "with an answer in its error" in found.text

    def test_a_model_s_words_in_an_error_are_left_out(self):
        """Groq's errors show what it could not use; the rest of them stays."""
        told = {"message": "no valid JSON", "code": "json_validate_failed", "failed_generation": SAID}
        body = json.dumps({"error": told}).encode()
        with (
            canned(body, kind="application/json", status="400 Bad Request") as upstream,
            running(upstream.url, Guard([])) as served,
        ):
            found = served.chat()
        assert found.status_code == 400
        assert found.json() == {"error": {"message": "no valid JSON", "code": "json_validate_failed"}}

    def test_a_model_s_words_in_a_list_of_errors_likewise(self):
        """Google's compatible endpoint writes a list."""
        body = json.dumps([{"error": {"message": "no", "failed_generation": SAID}}, 1]).encode()
        with (
            canned(body, kind="application/json", status="400 Bad Request") as upstream,
            running(upstream.url, Guard([])) as served,
        ):
            assert served.chat().json() == [{"error": {"message": "no"}}, 1]

    @pytest.mark.parametrize("kind", ["text/event-stream", "application/json"])
    def test_a_stream_with_an_error_s_status_likewise(self, kind):
        """It is no error that a client can read."""
        with (
            canned(chunks(SAID, 5), status="500 Oops", kind=kind) as upstream,
            running(upstream.url, Guard([])) as served,
        ):
            found = served.chat(stream=True)
        assert (found.status_code, "River" in found.text) == (500, False)

    @pytest.mark.parametrize("status", ["600 x", "999 x"])
    def test_a_status_that_does_not_exist_is_a_bad_gateway(self, status):
        """It broke the connection, and printed where."""
        with (
            canned(b"{}", kind="application/json", status=status) as upstream,
            running(upstream.url, Guard([])) as served,
        ):
            assert served.chat().status_code == 502
            assert served.client.get("/v1/models").status_code == 502


class TestHeadersOfTheUpstream:
    """Names that a client gets may have any value."""

    KIND = "{}\r\nx-request-id: {}\r\nx-ratelimit-reset: 6m0s\r\ncache-control: no-store\r\nx-own: {}"

    @pytest.mark.parametrize("path", PATHS)
    def test_prose_is_left_out(self, path):
        """It may be what is taken out of the answer; what the operator asked for stays."""
        body = json.dumps(answer_of(path, SAID)).encode()
        with (
            canned(body, kind=self.KIND.format("application/json", SAID, "a b")) as upstream,
            running(upstream.url, Guard([Spotter()]), response_headers=("x-own",)) as served,
        ):
            found = served.client.post(path, json=ASKED)
        assert "x-request-id" not in found.headers
        assert (found.headers["x-ratelimit-reset"], found.headers["x-own"]) == ("6m0s", "a b")
        assert found.headers["cache-control"] == "no-store"

    @pytest.mark.parametrize("stream", ["buffer", "sentence"])
    def test_in_streams_too(self, stream):
        """Their headers go out first."""
        with (
            canned(chunks(SAID, 5), kind=self.KIND.format("text/event-stream", SAID, "a")) as upstream,
            running(upstream.url, Guard([Spotter()]), stream=stream) as served,
        ):
            found = served.chat(stream=True)
        assert "x-request-id" not in found.headers
        assert found.headers["x-ratelimit-reset"] == "6m0s"
