"""The OpenAPI document: what is served, what is committed, and whether answers are as it says."""

import json
from pathlib import Path

import jsonschema
import pytest
from tests.unit.server.conftest import KEY, SECRET, Spotter

from guardrail import Guard, annotate, block, remove
from guardrail.adapting.routes import ROUTES, RouteGroup
from guardrail.server.keys import hashed
from guardrail.server.openapi import document, written
from guardrail.server.routes import GUARDED, OURS, Kind, kind_of

COMMITTED = Path(__file__).parents[3] / "docs" / "openapi.json"
SAID = f"Rivers flow. See {SECRET} for more."


def valid(value, name):
    """Refuses what is not as a schema of the document says."""
    schema = {**document(), "$ref": f"#/components/schemas/{name}"}
    jsonschema.Draft202012Validator(schema).validate(value)


def references(value):
    """Every `$ref`, and every target of a discriminator."""
    if isinstance(value, list):
        return {found for one in value for found in references(one)}
    if not isinstance(value, dict):
        return {value} if isinstance(value, str) and value.startswith("#/") else set()
    return {found for one in value.values() for found in references(one)}


class TestTheDocument:
    def test_the_committed_one_is_the_made_one(self):
        """`python scripts/openapi.py` writes it."""
        assert COMMITTED.read_text(encoding="utf-8") == written()

    def test_is_served_without_a_key(self, guarded):
        """Also where the server wants one."""
        served = guarded(lambda _: SAID, keys=(hashed(KEY),), upstream_key="sk-operator-0123456789")
        found = served.client.get("/openapi.json")
        assert (found.status_code, found.headers["content-type"]) == (200, "application/json")
        assert found.text == written()

    def test_has_every_route_that_is_answered(self):
        """And none that is refused."""
        listed = {(method.upper(), path) for path, item in document()["paths"].items() for method in item}
        assert {*OURS, *(("POST", path) for path in GUARDED)} <= listed
        plain = {(method, path.replace("{model}", "m")) for method, path in listed}
        assert [one for one in sorted(plain) if kind_of(*one, ()) is Kind.REFUSED] == []
        passed = [row for row in ROUTES if row.group is RouteGroup.NO_TEXT]
        assert all(
            any(row.takes(method, path.removeprefix("/v1/")) for method, path in plain) for row in passed
        )

    def test_its_references_lead_somewhere(self):
        """And its schemas are such."""
        made = document()
        for reference in references(made):
            place = made
            for part in reference.removeprefix("#/").split("/"):
                place = place[part]
        for schema in made["components"]["schemas"].values():
            jsonschema.Draft202012Validator.check_schema(schema)


class TestAnswers:
    @pytest.mark.parametrize("policy", [remove(), annotate(), block()])
    @pytest.mark.parametrize("choices", [1, 2])
    def test_the_summary(self, guarded, policy, choices):
        """Of one choice and of several."""
        found = guarded(lambda _: SAID, policy=policy).chat(n=choices).json()
        valid(found["guardrail"], "Summary")
        assert ("choices" in found["guardrail"]) == (choices > 1)

    def test_the_summary_of_a_stream(self, guarded):
        """In the last chunk."""
        text = guarded(lambda _: SAID, policy=remove()).chat(stream=True).text
        chunks = [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: {")]
        found = [chunk["guardrail"] for chunk in chunks if "guardrail" in chunk]
        assert found
        for one in found:
            valid(one, "Summary")

    def test_the_summary_of_an_answer_that_nobody_could_examine(self, guarded):
        """It has a failure in place of findings."""
        guard = Guard([Spotter(raises=True)], policy=remove())
        valid(guarded(lambda _: SAID, guard=guard).chat().json()["guardrail"], "Summary")

    def test_a_field_that_is_not_there_is_refused(self):
        """So that a new one must be written down."""
        with pytest.raises(jsonschema.ValidationError):
            valid(
                {"verdict": None, "action": "pass", "attempts": 1, "counts": {}, "calls": 0, "new": 1},
                "Summary",
            )

    def test_the_report_and_the_estimate(self, guarded):
        """Also of a detector that breaks: its traceback is left out."""
        given = {"answer": SAID, "prompt": "Rivers?", "context": [{"text": "a", "title": "b"}, "c"]}
        valid(given, "Given")
        for raises in (False, True):
            served = guarded(lambda _: SAID, guard=Guard([Spotter(raises=raises)], policy=remove()))
            valid(served.client.post("/v1/guardrail/check", json=given).json(), "Report")
            valid(served.client.post("/v1/guardrail/estimate", json=given).json(), "Estimate")

    @pytest.mark.parametrize("path", ["/v1/completions", "/v1/messages/batches", "/nowhere", "/v1/messages"])
    def test_errors(self, guarded, path):
        """In either form."""
        found = guarded(lambda _: SAID).client.post(path, content=b"[")
        assert found.status_code >= 400
        valid(found.json(), "Error")

    def test_our_field(self, guarded):
        """What the schema takes, the server takes."""
        served = guarded(lambda _: SAID, policy=remove())
        for context in ("a", ["a", {"text": "b", "title": "c", "page": 3}], {"text": "a"}):
            valid({"context": context}, "Own")
            assert served.chat(guardrail={"context": context}).status_code == 200
        with pytest.raises(jsonschema.ValidationError):
            valid({"contexts": ["a"]}, "Own")
        assert served.chat(guardrail={"contexts": ["a"]}).status_code == 400
