"""Requests that are written so that the guard fails, waits, or reads something else than the upstream."""

import json

import pytest
from tests.unit.server.conftest import SECRET, canned, running

from guardrail import Guard
from guardrail.adapting.codec import messages
from guardrail.server import Settings
from guardrail.server.bodies import request_object
from guardrail.server.keys import hashed
from guardrail.server.refusals import Refused
from guardrail.server.rule import Rule

SAID = f"Rivers flow. See {SECRET} for more."
PATHS = ("/v1/chat/completions", "/v1/responses", "/v1/messages")
OWN_KEY = hashed("client-key")


def code(body):
    """Why a body is refused."""
    with pytest.raises(Refused) as refused:
        request_object(body)
    return refused.value.code


class TestBodies:
    def test_a_name_that_is_there_twice_is_found_at_once(self):
        """Counting each name anew took five seconds for 200 kB, in which nobody else was served."""
        names = ",".join(f'"k{i}":1' for i in range(300_000))
        assert code(f'{{{names},"z":1,"z":2}}'.encode()) == "bad_json"

    @pytest.mark.parametrize("part", [b"{}", b'{"a":1}'])
    def test_very_many_objects_are_refused(self, part):
        """Messages are objects: 400,000 of them kept all clients waiting for nine seconds."""
        assert code(b'{"messages":[' + b",".join([part] * 100_000) + b"]}") == "too_many_parts"

    def test_very_many_lists_are_refused(self):
        """They take twenty times the memory of their bytes."""
        assert code(b'{"x":[' + b",".join([b"[]"] * 500_000) + b"]}") == "too_many_parts"

    @pytest.mark.parametrize(
        "body",
        [b"{%b}" % b",".join(b'"%x":1' % n for n in range(510_000)), b'{"x":[%b1]}' % (b"1," * 2_100_000)],
    )
    def test_very_many_names_and_numbers_are_refused(self, body):
        """30 MB of them took half a gigabyte and kept all other clients waiting for three seconds."""
        assert code(body) == "too_many_parts"

    @pytest.mark.parametrize(
        "body", [{"input": ["a"] * 60_000}, {"x": {"y": [["a"]] * 30_000 + ["a"] * 30_000}}]
    )
    def test_very_many_texts_are_refused(self, body):
        """Each may be a message: five million of them kept all clients waiting for a quarter of a minute."""
        assert code(json.dumps(body).encode()) == "too_many_parts"

    def test_very_many_numbers_are_not(self):
        """They may be tokens."""
        body = {"input": [[1] * 1_000] * 100}
        assert request_object(json.dumps(body).encode()) == body
        assert messages([1] * 1_000) == ()

    def test_a_long_chat_is_not(self):
        """With pictures and tools."""
        message = {"role": "user", "content": [{"type": "text", "text": "[{}] " * 20}]}
        body = {"messages": [message] * 20_000}
        assert request_object(json.dumps(body).encode()) == body

    @pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32-be"])
    def test_other_character_sets_are_refused(self, encoding):
        """An upstream may read them otherwise."""
        assert code('{"model": "m"}'.encode(encoding)) == "bad_json"

    def test_the_upstream_reads_what_was_read_here(self):
        """In UTF-7, which some services know, this would ask for something else."""
        body = b'{"model": "m", "x": "+ACI-, +ACI-background+ACI-: true, +ACI-y+ACI-: +ACI-"}'
        kind = {"content-type": "application/json; charset=utf-7"}
        with canned(b"{}", kind="application/json") as upstream, running(upstream.url, Guard([])) as served:
            served.client.post("/v1/responses", content=body, headers=kind)
        head = upstream.asked[0][0]
        assert head.count("content-type:") == head.count("content-type: application/json\r\n") == 1

    @pytest.mark.parametrize(
        "name", ["Model", "MODEL", "Messages", "\u017ftream", "Background", "bac\u212aground"]
    )
    def test_a_name_in_capitals_is_refused(self, name):
        """Services written in Go read it in any case, and the guard would read none."""
        assert code(json.dumps({name: "x"}).encode()) == "bad_json"

    def test_other_names_are_as_they_are(self):
        """They change nothing here."""
        assert request_object(b'{"model": "m", "X-Mine": 1}') == {"model": "m", "X-Mine": 1}


class TestUnreadableRequests:
    """A service may make something of a request that the guard cannot read: its answer is examined all the same."""

    @pytest.mark.parametrize("path", PATHS)
    @pytest.mark.parametrize(
        "request_body",
        [
            {"messages": 7, "input": 7},
            {"messages": {"a": 1}, "input": {"a": 1}},
            {"messages": True, "input": True},
            {"messages": [None, 7, ["x"]], "input": [None, 7, ["x"]]},
            {"messages": [{"role": ["user"], "content": 7}], "input": [{"role": 3, "content": 7}]},
            {"messages": [{"role": "user", "content": "\ud800"}], "input": "\ud800", "instructions": "\udfff"},
            {"tools": 7, "modalities": 7, "system": 7},
        ],
    )  # fmt: skip
    def test_the_answer_is_examined(self, canned_answer, path, request_body):
        """What is cut stays cut."""
        found = canned_answer(path, SAID).client.post(
            path, content=json.dumps({"model": "m", **request_body})
        )
        assert found.status_code == 200
        assert SECRET not in found.text
        assert found.json()["guardrail"]["verdict"] == "unsupported"

    @pytest.mark.parametrize("form", [[1], 7, {"type": ["x"]}, {"type": "json_schema", "json_schema": "x"}])
    def test_a_form_that_is_none_breaks_nothing(self, canned_answer, form):
        """It was a 500."""
        path = "/v1/chat/completions"
        found = canned_answer(path, SAID).client.post(path, json={"messages": [], "response_format": form})
        assert found.status_code == 200
        assert SECRET not in found.text

    @pytest.mark.parametrize("wanted", ["audio", ["text", "audio"], ["AUDIO"]])
    def test_speech_is_refused_however_it_is_asked_for(self, canned_answer, wanted):
        """Nobody could examine it."""
        path = "/v1/chat/completions"
        found = canned_answer(path, SAID).client.post(path, json={"messages": [], "modalities": wanted})
        assert (found.status_code, found.json()["error"]["code"]) == (501, "cannot_be_guarded")


class TestNamesOfModels:
    @pytest.mark.parametrize(
        "name",
        [
            "gpt-5-mini",
            "GPT-5-Mini",
            " gpt-5-mini\n",
            "gpt-5\u200b-mini",
            "\uff47pt-5-mini",
            "g\u00adpt-5-mini",
        ],
    )
    def test_a_rule_takes_a_name_as_lenient_services_read_it(self, name):
        """A client chooses the name: written otherwise, it must not slip from under a rule."""
        assert Rule(models=("GPT-5*",)).takes("", name)

    @pytest.mark.parametrize("name", ["gpt-4", "", "x gpt-5", "gpt5"])
    def test_other_names_are_others(self, name):
        """And fall under no rule."""
        assert not Rule(models=("gpt-5*",)).takes("", name)

    def test_a_client_without_a_rule_has_the_plain_guard(self):
        """So the strict policy belongs into [guard], and what is looser into a rule with keys."""
        settings = Settings(
            "http://up.example/v1", keys=(OWN_KEY,), rules=(Rule(models=("a",), mode="monitor"),)
        )
        assert not settings.rules[0].takes(OWN_KEY, "b")

    @pytest.mark.parametrize("name", [" small-1", "Small-1", "\u200bsmall-1"])
    def test_a_rule_that_only_watches_takes_names_as_they_are_written(self, name):
        """It makes an exception, which must not grow."""
        watching = Rule(models=("small-*",), mode="monitor")
        assert watching.takes("", "small-1")
        assert not watching.takes("", name)
