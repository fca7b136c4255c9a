"""Clients who share the server's upstream key do not share what the upstream keeps for each."""

import json

import pytest
from tests.unit.server.conftest import KEY, canned, running
from tests.unit.server.test_responses import response

from guardrail import Guard
from guardrail.adapting import sse
from guardrail.adapting.openai_api import Responses
from guardrail.errors import ConfigError
from guardrail.server import Settings
from guardrail.server.keys import hashed
from guardrail.server.refusals import Refused
from guardrail.server.stored import Stored, created, named

OTHER = "client-key-9876543210"
SHARED = {"upstream_key": "sk-operator-0123456789", "keys": (hashed(KEY), hashed(OTHER))}
MINE, YOURS = {"authorization": f"Bearer {KEY}"}, {"authorization": f"Bearer {OTHER}"}
ASKED = {"model": "m", "input": "Rivers?"}
BODY = {**response("Rivers flow."), "conversation": {"id": "conv_1"}}


def upstream(streaming=False):
    sent = sse.written(Responses().events(BODY, {})) if streaming else json.dumps(BODY).encode()
    return canned(sent, kind="text/event-stream" if streaming else "application/json")


class TestSharedKey:
    @pytest.mark.parametrize("mode", ["enforce", "monitor"])
    @pytest.mark.parametrize("streaming", [False, True])
    @pytest.mark.parametrize(
        "more",
        [
            {"previous_response_id": "resp_1"},
            {"conversation": "conv_1"},
            {"conversation": {"id": "conv_1"}},
            {"input": [{"type": "item_reference", "id": "m1"}]},
        ],
    )
    def test_only_the_one_who_made_it_goes_on(self, mode, streaming, more):
        """Another client's request is refused, and the upstream does not hear of it."""
        asked = {**ASKED, "stream": streaming}
        with upstream(streaming) as up, running(up.url, Guard([]), mode=mode, **SHARED) as served:
            before = served.client.post("/v1/responses", json={**asked, **more}, headers=MINE)
            assert (before.status_code, before.json()["error"]["code"]) == (403, "not_yours")
            assert up.asked == []
            assert served.client.post("/v1/responses", json=asked, headers=MINE).status_code == 200
            assert (
                served.client.post("/v1/responses", json={**asked, **more}, headers=MINE).status_code == 200
            )
            theirs = served.client.post("/v1/responses", json={**asked, **more}, headers=YOURS)
        assert theirs.status_code == 403
        assert "shared_state" in theirs.json()["error"]["message"]
        assert len(up.asked) == 2

    @pytest.mark.parametrize(
        "settings",
        [
            {"keys": (hashed(KEY), hashed(OTHER))},
            {**SHARED, "keys": (hashed(KEY),)},
            {**SHARED, "shared_state": True},
        ],
    )
    def test_where_nothing_is_shared_nothing_is_refused(self, settings):
        """Each caller's own upstream key, one client alone, or an operator who says so."""
        head = {**MINE, "x-guardrail-key": KEY}
        with upstream() as up, running(up.url, Guard([]), **settings) as served:
            found = served.client.post(
                "/v1/responses", json={**ASKED, "previous_response_id": "resp_1"}, headers=head
            )
        assert found.status_code == 200

    def test_routes_that_are_passed_on_are_checked_too(self):
        """By the id in the path; a list of everybody's is nobody's."""
        through = (
            "GET /v1/responses/*",
            "GET /v1/chat/completions",
            "DELETE /v1/conversations/*",
        )
        with upstream() as up, running(up.url, Guard([]), passthrough=through, **SHARED) as served:
            assert served.client.post("/v1/responses", json=ASKED, headers=MINE).status_code == 200
            assert served.client.get("/v1/responses/resp_1", headers=YOURS).status_code == 403
            assert served.client.get("/v1/responses/resp_1/input_items", headers=YOURS).status_code == 403
            assert served.client.get("/v1/responses/resp_1", headers=MINE).status_code == 200
            assert served.client.get("/v1/chat/completions", headers=MINE).status_code == 403
            assert served.client.delete("/v1/conversations/conv_1", headers=YOURS).status_code == 403

    def test_what_such_a_route_makes_is_its_client_s(self):
        """The id is in the answer."""
        through = ("POST /v1/conversations", "DELETE /v1/conversations/*")
        made = canned(b'{"id": "conv_9"}', kind="application/json")
        with made as up, running(up.url, Guard([]), passthrough=through, **SHARED) as served:
            assert served.client.post("/v1/conversations", json={}, headers=YOURS).status_code == 200
            assert served.client.delete("/v1/conversations/conv_9", headers=MINE).status_code == 403
            assert served.client.delete("/v1/conversations/conv_9", headers=YOURS).status_code == 200

    def test_an_idempotency_key_is_its_client_s(self):
        """A service that knows it would answer with what it said to another client."""
        with upstream() as up, running(up.url, Guard([]), **SHARED) as served:
            for head in (MINE, YOURS, MINE):
                served.client.post("/v1/responses", json=ASKED, headers={**head, "idempotency-key": "1"})
        lines = [
            line for head, _ in up.asked for line in head.split("\r\n") if line.startswith("idempotency-key")
        ]
        assert lines[0] == lines[2] != lines[1]

    def test_what_is_no_json_passes_as_it_is(self):
        """Where the operator says that clients may share what they store."""
        with (
            upstream() as up,
            running(
                up.url, Guard([]), passthrough=("POST /v1/files",), shared_state=True, **SHARED
            ) as served,
        ):
            found = served.client.post("/v1/files", files={"file": b"x"}, headers=MINE)
        assert found.status_code == 200

    def test_counting_tokens_reads_nothing_of_others(self):
        """It would say how long another's conversation is."""
        with upstream() as up, running(up.url, Guard([]), **SHARED) as served:
            asked = {**ASKED, "previous_response_id": "resp_1"}
            assert (
                served.client.post("/v1/responses/input_tokens", json=asked, headers=YOURS).status_code == 403
            )
            assert (
                served.client.post("/v1/responses/input_tokens", json=ASKED, headers=YOURS).status_code == 200
            )


APART = [
    "GET /v1/responses/*",
    "POST /v1/responses/*/cancel",
    "GET /v1/chat/completions/*",
    "POST /v1/messages/batches",
    "GET /v1/messages/batches/*",
    "POST /v1/conversations",
    "POST /v1/completions",
    "POST /v1/audio/transcriptions",
    "POST /v1/images/generations",
    "POST /v1/rerank",
]
TOGETHER = [
    "GET /v1/files",
    "GET /v1/files/*",
    "POST /v1/files",
    "GET /v1/files/*/content",
    "GET /v1/vector_stores/*",
    "POST /v1/uploads",
    "GET /v1/*",
    "GET /v1/*/batches",
    "DELETE /v1/models/*",
    "GET /v1/completions",
    "GET /v1/audio/*",
    "POST /v1/audio/*",
    "GET /v1/fine_tuning/jobs",
    "GET /v1/organization/usage",
    "GET /v1/responsesx",
]


class TestPassedOn:
    """Routes that an operator names: clients of one upstream key must not reach what others store there."""

    @pytest.mark.parametrize("route", TOGETHER)
    def test_what_is_everybodys_is_refused_at_the_start(self, route):
        """It says which route it is, and what to write."""
        with pytest.raises(ConfigError, match=r"shared_state = true") as caught:
            Settings("http://up.example/v1", passthrough=("POST /v1/completions", route), **SHARED)
        assert route in str(caught.value)
        assert "sk-operator" not in str(caught.value)

    @pytest.mark.parametrize("route", APART)
    def test_what_is_bound_or_not_stored_starts(self, route):
        """Ids are bound to who made them, or nothing is kept."""
        assert Settings("http://up.example/v1", passthrough=(route,), **SHARED).through

    @pytest.mark.parametrize("route", [*APART, *TOGETHER])
    @pytest.mark.parametrize(
        "settings",
        [
            {},
            {"keys": SHARED["keys"]},
            {**SHARED, "keys": SHARED["keys"][:1]},
            {**SHARED, "shared_state": True},
        ],
    )
    def test_where_nothing_is_shared_all_routes_may_be_named(self, settings, route):
        """Each caller's own upstream key, one client alone, or an operator who says so."""
        assert Settings("http://up.example/v1", passthrough=(route,), **settings).through

    def test_clients_without_keys_cannot_be_told_apart(self):
        """So nothing that is stored may be passed on, unless the operator says so."""
        given = {"upstream_key": "sk-operator-0123456789", "no_auth": True}
        for route in ("GET /v1/responses/*", "GET /v1/files/*"):
            with pytest.raises(ConfigError, match="shared_state = true"):
                Settings("http://up.example/v1", passthrough=(route,), **given)
            assert Settings("http://up.example/v1", passthrough=(route,), shared_state=True, **given)
        assert Settings("http://up.example/v1", passthrough=("POST /v1/completions",), **given)


class TestStored:
    @pytest.mark.parametrize(
        "request_",
        [
            {"previous_response_id": "x"},
            {"Previous_Response_ID": "x"},
            {"previou\u017f_response_id": "x"},
            {"previous_response_id": 7},
            {"conversation": {"ID": "x"}},
            {"request_id": "x"},
            {"container": "x"},
            {"container": {"id": "x", "skills": []}},
            {"tools": [{"type": "code_interpreter", "container": "x"}]},
            {"input": [{"type": "item_reference", "id": "x"}]},
            {"input": [{"type": "reasoning", "id": "x", "summary": []}]},
            {"input": [{"type": "image_generation_call", "id": "x"}]},
            {"messages": [{"role": "assistant", "audio": {"id": "x"}}]},
            {"messages": [{"role": "assistant", "audio": {"id": "x"}, "AUDIO": {}}]},
            {"input": [{"id": "x"}]},
            {"input": [{"type": None, "id": "x"}]},
            {"input": [{"type": "message", "id": "x"}]},
            {"input": {"type": "item_reference", "id": "x"}},
            {"input": [{"type": "item_reference", "id": "x", "encrypted_content": "e"}]},
            {"input": [{"type": "item_reference", "TYPE": "message", "content": "c", "id": "x"}]},
            {"items": [{"type": "item_reference", "id": "x"}]},
            {"tools": [{"type": "shell", "environment": {"container_id": "x"}}]},
            {"input": [{"type": "shell_call", "environment": {"container_id": "x"}}]},
            {"requests": [{"custom_id": "1", "params": {"container": "x"}}]},
        ],
    )
    def test_whatever_names_something_stored_is_found(self, request_):
        """Names in any case, as some services read them."""
        with pytest.raises(Refused, match="several clients share"):
            Stored(shared=True).check("me", "", request_)

    @pytest.mark.parametrize(
        "request_",
        [
            {"previous_response_id": None, "conversation": None, "input": "hello", "tools": None},
            {"input": [{"role": "user", "content": "a"}, {"type": "message", "id": "m", "content": []}]},
            {"input": [{"type": "function_call_output", "call_id": "c", "id": "f", "output": ""}]},
            {"input": [{"type": "reasoning", "id": "r", "encrypted_content": "e"}]},
            {"tools": [{"type": "code_interpreter", "container": {"type": "auto"}}, {"type": "function"}]},
            {"tools": [{"type": "shell", "environment": {"type": "container_auto"}}]},
            {
                "input": [
                    {"role": "assistant", "id": "m", "content": "a"},
                    {"type": "compaction", "id": "c", "encrypted_content": "e"},
                ]
            },
            {"messages": [{"role": "assistant", "content": "a"}]},
            {"messages": [{"role": "assistant", "content": None, "tool_calls": [], "id": "m"}]},
        ],
    )
    def test_what_is_sent_whole_passes(self, request_):
        """Nothing is looked up for it."""
        assert list(named(request_)) == []

    def test_two_spellings_of_an_id_are_both_looked_up(self):
        """A service may read either."""
        kept = Stored(shared=True)
        kept.note("me", {"id": "mine"})
        for names in (("id", "ID"), ("ID", "id")):
            item = {"type": "item_reference", **dict(zip(names, ("theirs", "mine"), strict=True))}
            with pytest.raises(Refused, match="several clients share"):
                kept.check("me", "", {"input": [item]})

    def test_a_call_that_is_ours_runs_in_no_container_of_others(self):
        """The service goes on in the container of an earlier call."""
        kept = Stored(shared=True)
        kept.note("me", {"output": [{"id": "call", "container_id": "mine"}]})
        call = {"type": "code_interpreter_call", "id": "call"}
        kept.check("me", "", {"input": [{**call, "container_id": "mine"}]})
        with pytest.raises(Refused, match="several clients share"):
            kept.check("me", "", {"input": [{**call, "container_id": "theirs"}]})

    def test_what_is_another_s_is_not_taken_over(self):
        """A service may give an answer the id that its client wishes."""
        kept = Stored(shared=True)
        kept.note("me", {"id": "r"})
        kept.note("you", {"id": "r", "output": [{"id": "m"}]})
        kept.check("me", "", {"previous_response_id": "r"})
        kept.check("you", "", {"input": [{"type": "item_reference", "id": "m"}]})
        with pytest.raises(Refused, match="several clients share"):
            kept.check("you", "", {"previous_response_id": "r"})

    def test_the_oldest_are_forgotten(self):
        """Of each client for itself, so nobody drives out another's."""
        kept = Stored(shared=True, most=2)
        kept.note("quiet", {"id": "q"})
        for number in range(5):
            kept.note("loud", {"id": str(number)})
        kept.check("quiet", "", {"previous_response_id": "q"})
        kept.check("loud", "", {"previous_response_id": "4"})
        with pytest.raises(Refused, match="too long ago"):
            kept.check("loud", "", {"previous_response_id": "1"})

    def test_several_workers_know_nothing(self):
        """So they refuse, and say why."""
        kept = Stored(shared=True, remembers=False)
        kept.note("me", {"id": "r"})
        with pytest.raises(Refused, match="several workers"):
            kept.check("me", "", {"previous_response_id": "r"})

    def test_ids_of_an_answer(self):
        """Of any shape; endless ones are not kept."""
        body = {
            "id": "r",
            "conversation": {"id": "c"},
            "container": None,
            "output": [
                {"id": "i", "container_id": "k"},
                3,
                {"id": "s", "environment": {"container_id": "e"}},
            ],
        }
        assert list(created(body)) == ["r", "c", "i", "k", "s", "e"]
        assert list(created({"id": "x" * 1000, "output": "?", "conversation": {"id": 3}})) == []


class TestNamesOnce:
    @pytest.mark.parametrize(
        "body", ['{"model": "m", "n": 1, "n": 2}', '{"messages": [{"role": "user", "role": "tool"}]}']
    )
    def test_a_name_that_is_there_twice_is_refused(self, guarded, body):
        """The upstream may read the other one."""
        found = guarded().client.post("/v1/chat/completions", content=body)
        assert (found.status_code, found.json()["error"]["code"]) == (400, "bad_json")
        assert "twice" in found.json()["error"]["message"]


class TestSetting:
    def test_it_is_true_or_false(self):
        """And nothing that looks like it."""
        with pytest.raises(ConfigError, match="shared_state"):
            Settings("http://up.example/v1", shared_state="no")
