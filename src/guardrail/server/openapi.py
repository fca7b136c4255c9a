"""What the server's routes take and return, as OpenAPI 3.1: our additions in full, the bodies of OpenAI and Anthropic as objects with a link."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from guardrail.given.accepted import Json
from guardrail.report import Report

_REFERENCES = {
    "/v1/chat/completions": "https://platform.openai.com/docs/api-reference/chat/create",
    "/v1/responses": "https://platform.openai.com/docs/api-reference/responses/create",
    "/v1/messages": "https://docs.anthropic.com/en/api/messages",
}
_PASSED = {
    ("get", "/v1/models"): "List the upstream's models",
    ("get", "/v1/models/{model}"): "Describe one of the upstream's models",
    ("post", "/v1/embeddings"): "Embed texts by the upstream",
    ("post", "/v1/moderations"): "Classify texts by the upstream",
    ("post", "/v1/responses/input_tokens"): "Count the tokens of a request for responses",
    ("post", "/v1/messages/count_tokens"): "Count the tokens of a request for messages",
}
_SCHEMAS = "#/components/schemas/"
_KEYED: list[dict[str, list[str]]] = [{"bearer": []}, {"apiKey": []}, {"guardrailKey": []}]
_REFUSALS = {
    "400": "The request's body cannot be read",
    "401": "No key of this server, where it wants one",
    "413": "Something in the request is too large",
    "429": "All places are taken; Retry-After says when to try again",
}


def _ref(name: str) -> Json:
    return {"$ref": f"{_SCHEMAS}{name}"}


def _object(properties: Json, about: str = "", *, required: tuple[str, ...] = (), more: bool = False) -> Json:
    made: Json = {"type": "object", "properties": properties}
    if about:
        made["description"] = about
    if required:
        made["required"] = list(required)
    return made if more else {**made, "additionalProperties": False}


def _list(items: Json, about: str = "") -> Json:
    return {"type": "array", "items": items, **({"description": about} if about else {})}


_TEXT: Json = {"type": "string"}
_COUNT: Json = {"type": "integer", "minimum": 0}
_NUMBER: Json = {"type": "number", "minimum": 0}  # calls that several share add up to a fraction
_VERDICT: Json = {"anyOf": [_ref("Verdict"), {"type": "null"}]}
_COUNTS: Json = {"type": "object", "propertyNames": _ref("Verdict"), "additionalProperties": _COUNT}


def _own_schemas() -> Json:
    """What has no class in the code: the field of a request, and what travels with an answer."""
    place = {"start": _COUNT, "end": _COUNT, "detector": _TEXT, "verdict": _ref("Verdict")}
    finding = {
        "detector": _TEXT,
        "score": {"type": ["number", "null"]},
        "verdict": _VERDICT,
        "label": _TEXT,
    }
    summary = {
        "verdict": _VERDICT,
        "action": _ref("Action"),
        "attempts": {**_COUNT, "description": "answers that were generated, the first included"},
        "documents": {**_COUNT, "description": "with which the answer was compared"},
        "counts": {**_COUNTS, "description": "number of findings by verdict"},
        "findings": _list(_object(finding, "A finding, without any text.", required=("detector", "verdict"))),
        "failures": _list(_object({"detector": _TEXT, "reason": _TEXT}, "A detector that could not finish.")),
        "calls": {**_NUMBER, "description": "paid calls of the detectors"},
        "tokens": {**_NUMBER, "description": "of these calls"},
        "seconds": _NUMBER,
        "note": {**_TEXT, "description": "why nothing was examined, or why the policy did something else"},
        "spans": _list(
            _object(place, "A finding in the text that is shown, in characters.", required=tuple(place)),
        ),
        "index": {**_COUNT, "description": "of the choice, in `choices`"},
        "choices": _list(_ref("Summary"), "each of several choices by itself"),
    }
    return {
        "Summary": _object(
            summary,
            "What was found about an answer and done with it. No text of the answer is in it.",
            required=("verdict", "action", "attempts", "counts", "calls"),
        ),
        "Documents": {
            "description": "Texts, or objects with a text and where it is from.",
            "anyOf": [_TEXT, _ref("Document"), _list({"anyOf": [_TEXT, _ref("Document")]})],
        },
        "Document": _object(
            {"text": _TEXT, "title": _TEXT, "url": _TEXT, "source": _TEXT, "id": _TEXT},
            "A text and where it is from.",
            required=("text",),
            more=True,
        ),
        "Own": _object(
            {"context": {**_ref("Documents"), "description": "take the place of those that are found"}},
            "What the application says to the guard. It is not sent on.",
        ),
        "Given": _object(
            {
                "answer": _TEXT,
                "prompt": {
                    "description": "the question, or a list of messages",
                    "anyOf": [_TEXT, _list({"type": "object"})],
                },
                "context": _ref("Documents"),
                "samples": _list(_TEXT, "other answers of the model"),
            },
            "An answer to check, and what there is to compare it with.",
            required=("answer",),
        ),
        "Estimate": _object(
            {
                "least": _COUNT,
                "most": _COUNT,
                "by_detector": {
                    "type": "object",
                    "additionalProperties": _object({"least": _COUNT, "most": _COUNT}),
                },
            },
            "Paid calls at least and at most.",
            required=("least", "most", "by_detector"),
        ),
        "Error": _object(
            {
                "error": _object(
                    {
                        "message": _TEXT,
                        "type": _TEXT,
                        "param": {"type": "null"},
                        "code": {**_TEXT, "description": "one word, such as unguarded_route"},
                    },
                    required=("message", "type"),
                ),
                "type": {"const": "error", "description": "of /v1/messages only"},
            },
            "An error of this server. One of the upstream comes as the upstream wrote it.",
            required=("error",),
        ),
    }


def _report_schemas() -> Json:
    """The report and its parts, as `guardrail schema` prints them."""
    whole = Report.model_json_schema(mode="serialization", ref_template=f"{_SCHEMAS}{{model}}")
    parts = whole.pop("$defs")
    failure = parts["DetectorFailure"]
    failure["properties"].pop("traceback")  # the server keeps paths of its machine to itself
    failure["required"] = [name for name in failure["required"] if name != "traceback"]
    return dict(_untitled({"Report": whole, **parts}))


def _untitled(schema: Any) -> Any:
    """Without the titles that pydantic makes of names; a property may be called so, too."""
    if isinstance(schema, list):
        return [_untitled(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        name: _untitled(one) for name, one in schema.items() if name != "title" or not isinstance(one, str)
    }


def _content(schema: Json, kind: str = "application/json") -> Json:
    return {"content": {kind: {"schema": schema}}}


def _answers(good: Json, *refusals: str) -> Json:
    """Responses by status."""
    error = _content(_ref("Error"))
    refused = {status: {"description": _REFUSALS[status], **error} for status in refusals}
    return {"200": good, **refused, "default": {"description": "Another error", **error}}


def _header(name: str, value: str, about: str) -> Json:
    return {"name": name, "in": "header", "description": about, "schema": {"const": value}}


def _guarded(path: str) -> Json:
    reference = {"url": _REFERENCES[path], "description": "the body in full"}
    request = _object(
        {"stream": {"type": "boolean"}, "guardrail": _ref("Own")},
        "The service's own body, with one field more.",
        more=True,
    )
    answer = _object(
        {"guardrail": _ref("Summary")},
        "The service's own body after the policy, with one field more.",
        more=True,
    )
    headers = {
        f"x-guardrail-{name}": {"$ref": f"#/components/headers/{name}"}
        for name in ("verdict", "findings", "action", "calls")
    }
    good = {
        "description": "The examined answer. A blocked one has the status 200, too, and the policy's message as its text. In a stream the summary is "
        "in the last event that ends a choice or the answer, and the headers are absent.",
        "headers": headers,
        "content": {
            "application/json": {"schema": answer},
            "text/event-stream": {"schema": {"type": "string"}},
        },
    }
    return {
        "post": {
            "summary": f"Ask the upstream, and examine what it answers ({path.removeprefix('/v1/')})",
            "operationId": f"guarded_{path.removeprefix('/v1/').replace('/', '_')}",
            "externalDocs": reference,
            "parameters": [
                _header(
                    "x-guardrail-policy",
                    "block",
                    "Also withhold an answer in which the policy leaves something unsupported",
                ),
                _header("x-guardrail-mode", "enforce", "Apply the policy where a rule only watches"),
            ],
            "requestBody": {"required": True, **_content(request)},
            "responses": _answers(good, *_REFUSALS),
        }
    }


def _passed(method: str, path: str, about: str) -> Json:
    anything = _content({"type": "object"})
    made: Json = {
        "summary": f"{about}; passed on unchanged",
        "operationId": f"passed_{path.removeprefix('/v1/').replace('/', '_').replace('{', '').replace('}', '')}",
        "responses": _answers({"description": "As the upstream answers", **anything}, "401", "429"),
    }
    if "{model}" in path:
        made["parameters"] = [{"name": "model", "in": "path", "required": True, "schema": _TEXT}]
    if method == "post":
        made["requestBody"] = {"required": True, **anything}
    return made


def _own() -> Json:
    """The routes that the server answers itself."""
    text = _content(_TEXT, "text/plain")
    anything = _content({"type": "object"})

    def post(name: str, about: str, taken: Json, given: Json) -> Json:
        good = {"description": about, **given}
        body = {"required": True, **taken}
        return {
            "post": {
                "summary": about,
                "operationId": name,
                "requestBody": body,
                "responses": _answers(good, *_REFUSALS),
            }
        }

    def get(name: str, about: str, responses: Json, *, keyed: bool = False) -> Json:
        made = {"summary": about, "operationId": name, "responses": responses}
        return {"get": made if keyed else {**made, "security": []}}

    given = _content(_ref("Given"))
    litellm = post("litellm", "LiteLLM's Generic Guardrail API", anything, anything)
    litellm["post"]["externalDocs"] = {
        "url": "https://docs.litellm.ai/docs/adding_provider/generic_guardrail_api"
    }
    ready = {
        "200": {"description": "It does", **text},
        "503": {"description": "Not yet, or no longer", **text},
    }
    return {
        "/v1/guardrail/check": post("check", "The report on a given answer", given, _content(_ref("Report"))),
        "/v1/guardrail/estimate": post(
            "estimate", "Paid calls of such a check; no model is asked", given, _content(_ref("Estimate"))
        ),
        "/beta/litellm_basic_guardrail_api": litellm,
        "/metrics": get(
            "metrics",
            "Counters for Prometheus",
            _answers({"description": "Numbers, no content", **text}, "401"),
            keyed=True,
        ),
        "/healthz": get("healthz", "Whether the server is alive", {"200": {"description": "It is", **text}}),
        "/readyz": get("readyz", "Whether the server takes requests", ready),
        "/openapi.json": get("openapi", "This document", {"200": {"description": "OpenAPI 3.1", **anything}}),
    }


def document() -> Json:
    """The document, of plain JSON values."""
    paths: Json = {path: _guarded(path) for path in _REFERENCES}
    paths |= _own()
    for (method, path), about in _PASSED.items():
        paths.setdefault(path, {})[method] = _passed(method, path, about)
    headers = {
        "verdict": ("the verdict, or none where the answer claims nothing", _TEXT),
        "findings": ("number of findings that are not supported", _COUNT),
        "action": ("what the policy did", _ref("Action")),
        "calls": ("paid calls of the detectors", _NUMBER),
    }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "guardrail serve",
            "version": str(Report.model_fields["schema_version"].default),
            "summary": "An OpenAI-compatible endpoint whose answers are examined before they are shown.",
            "description": "A client changes its base URL. A key of this server is needed only where the operator has set some.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "http://127.0.0.1:8080"}],
        "security": [*_KEYED, {}],
        "paths": paths,
        "components": {
            "schemas": {**_own_schemas(), **_report_schemas()},
            "headers": {
                name: {"description": about, "schema": schema} for name, (about, schema) in headers.items()
            },
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "apiKey": {"type": "apiKey", "in": "header", "name": "x-api-key"},
                "guardrailKey": {"type": "apiKey", "in": "header", "name": "x-guardrail-key"},
            },
        },
    }


@cache
def written() -> str:
    """The document as it is served, and as it is in `docs/openapi.json`."""
    return json.dumps(document(), indent=1, ensure_ascii=False) + "\n"
