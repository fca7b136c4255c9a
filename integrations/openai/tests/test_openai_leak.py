"""No byte of what was removed, replaced or withheld arrives: of no API, in no form, under no fault."""

from __future__ import annotations

import json

import httpx2
import pytest
from integrations.openai.tests.openai_fakes import (
    ANSWER,
    BAD,
    JSON,
    KINDS,
    QUESTION,
    SCHEMA,
    SECRET,
    TOOL,
    Secrets,
    client_of,
    guard,
    over,
    raw,
    raws,
    replies,
    rich,
)
from structlog.testing import capture_logs

from guardrail import Guard, annotate, block, regenerate, remove
from guardrail.policies import Policy
from guardrail.testing.server import FAULTS, serve
from guardrail_openai import guard_openai

POLICIES = {
    "remove": remove(),
    "regenerate": regenerate(1) | remove(),
    "regenerate-block": regenerate(1) | block(),
    "block": block(),
    "annotate": annotate(),
}
FORMS = ("plain", "stream", "many", "tools", "structured", "structured-stream")
APIS = ("chat", "responses")


def request(api, form, *, better=True):
    """The path and the body of a request."""
    body = {"model": form if better else f"{form}/stubborn", "stream": "stream" in form}
    if api == "chat":
        body |= {"messages": QUESTION, "logprobs": True, "top_logprobs": 2}
        if form == "many":
            body["n"] = 3
        if "structured" in form:
            body["response_format"] = {"type": "json_schema", "json_schema": {"name": "x", "schema": SCHEMA}}
        return "chat/completions", body
    body |= {"input": QUESTION, "include": ["message.output_text.logprobs"]}
    if "structured" in form:
        body["text"] = {"format": {"type": "json_schema", "name": "x", "schema": SCHEMA}}
    return "responses", body


def says(call):
    """What is said depends on the form that is asked for, which is the model's name; a stubborn one says it again."""
    form, _, stubborn = call.body["model"].partition("/")
    content, clean = (
        (JSON, JSON.replace(BAD, "It is big.")) if "structured" in form else (ANSWER, "It is in France.")
    )
    more = {"tool_calls": [TOOL]} if form == "tools" else {}
    return replies(content, content if stubborn else clean, **more)(call)


@pytest.fixture(scope="module")
def url():
    with serve(says) as service:
        yield service.base_url


def written(text):
    """All that JSON may write in another way, written plainly."""
    return text.encode().decode("unicode_escape", "ignore") + text


class TestMatrix:
    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("better", [True, False])
    @pytest.mark.parametrize("policy", sorted(set(POLICIES) - {"annotate"}))
    def test_nothing_forbidden_arrives(self, url, kind, policy, better):
        """In the body, the headers, log-probabilities, reasoning, annotations, the report and the log."""
        wanted = [(api, form) for api in APIS for form in FORMS]
        client = guard_openai(client_of(kind, url), guard(POLICIES[policy]))
        with capture_logs() as logs:
            found = raws(client, *(request(*one, better=better) for one in wanted))
        for one, (status, headers, body) in zip(wanted, found, strict=True):
            assert SECRET not in written(headers + body), (one, body)
            assert status == 200, one
            assert "x-guardrail-verdict" in headers, one
        assert SECRET not in written(repr(logs))

    @pytest.mark.parametrize("kind", ["sync", "async"])
    def test_unguarded_it_would(self, url, kind):
        """The same without a guard: the matrix can fail."""
        found = raws(client_of(kind, url), *(request(api, form) for api in APIS for form in FORMS))
        assert all(SECRET in written(body) for _, _, body in found)

    @pytest.mark.parametrize("kind", ["sync", "async"])
    def test_marks_come_with_their_text(self, url, kind):
        """Annotate shows the text, and the mark behind it in the same piece."""
        client = guard_openai(client_of(kind, url), guard(POLICIES["annotate"]))
        for _, _, body in raws(client, *(request(api, form) for api in APIS for form in FORMS)):
            for place in [i for i in range(len(body)) if body.startswith(f"{BAD[:-1]}", i)]:
                if "I think" in body[place - 20 : place] or '"title": "' in body[place - 12 : place]:
                    continue  # reasoning and citations stay where no text went away
                assert "made up]" in body[place : place + 80], body[place - 40 : place + 80]

    @pytest.mark.parametrize("api", APIS)
    def test_tool_calls_stay(self, url, api):
        """The text beside them is examined, they are not touched."""
        client = guard_openai(client_of("sync", url), guard(remove()))
        body = json.loads(raw(client, *request(api, "tools"))[2])
        calls = body["choices"][0]["message"]["tool_calls"] if api == "chat" else body["output"]
        assert TOOL["function"]["arguments"] in json.dumps(calls, ensure_ascii=False).replace('\\"', '"')


class _Breaks(Policy):
    """Raises an error that quotes the answer."""

    edits = True
    asks_again = False
    needs_whole_answer = True

    def decide(self, review):
        raise RuntimeError(review.case.answer)

    def feedback(self, review, attempt):
        return None


class TestFaults:
    @pytest.mark.parametrize("fault", sorted(set(FAULTS) - {"timeout"}))
    @pytest.mark.parametrize("kind", ["sync", "async"])
    def test_of_the_service(self, kind, fault):
        """Errors stay errors, and a success that cannot be read is none."""
        for api in APIS:
            for form in ("plain", "stream"):
                with serve(says, faults={fault: 1.0}) as service:
                    client = guard_openai(client_of(kind, service.base_url), guard(remove()))
                    try:
                        status, _, body = raw(client, *request(api, form))
                    except (httpx2.HTTPError, OSError):
                        continue
                assert status != 200 or '"choices": []' in body, (api, form, body)
                assert "Well" not in body

    @pytest.mark.parametrize("api", APIS)
    def test_streams_cut_anywhere(self, url, api):
        """After every event, and within one: an error and no text, never a normal end."""
        whole = raw(client_of("sync", url), *request(api, "stream"))[2].encode()
        ends = [i + 2 for i in range(len(whole)) if whole.startswith(b"\n\n", i)]
        cuts = sorted({*ends[:-1], *(end - 7 for end in ends[:-1]), len(whole) // 2})
        left = iter(cuts)

        def half(_):
            return httpx2.Response(
                200, headers={"content-type": "text/event-stream"}, content=whole[: next(left)]
            )

        client = guard_openai(over(half), guard(block()))
        found = raws(client, *[request(api, "stream")] * len(cuts))
        assert all(SECRET not in headers + body for _, headers, body in found)
        finished = [cut for cut, (status, _, _) in zip(cuts, found, strict=True) if status == 200]
        assert all(b'finish_reason": "stop' in whole[:cut] or b"completed" in whole[:cut] for cut in finished)
        assert len(finished) <= 2

    @pytest.mark.parametrize("kind", ["sync", "async"])
    @pytest.mark.parametrize("broken", ["detector", "policy"])
    def test_of_the_guard_fail_closed(self, url, kind, broken):
        """A detector or a policy that raises what the answer says: blocked, and nothing of it in the log."""
        detector, policy = Secrets(breaks=broken == "detector"), _Breaks() if broken == "policy" else remove()
        client = guard_openai(client_of(kind, url), Guard([detector], policy=policy, fail="closed"))
        with capture_logs() as logs:
            found = raws(client, *(request(api, form) for api in APIS for form in FORMS))
        for status, headers, body in found:
            assert status == 200
            assert SECRET not in written(headers + body)
            assert "'x-guardrail-action', 'block'" in headers
        assert SECRET not in written(repr(logs))

    @pytest.mark.parametrize("kind", ["sync", "async"])
    def test_of_the_guard_fail_open(self, url, kind):
        """Passed on, and marked as not verified."""
        client = guard_openai(client_of(kind, url), Guard([Secrets()], policy=_Breaks(), fail="open"))
        _, headers, body = raw(client, *request("chat", "plain"))
        assert SECRET in body
        assert "'x-guardrail-verdict', 'unverified'" in headers

    def test_when_asking_again_fails(self):
        """The first answer is all there is, and what is wrong in it goes."""
        asked = []

        def upstream(given):
            asked.append(given)
            if len(asked) > 1:
                return httpx2.Response(500, json={"error": {"message": BAD}})
            message = {"role": "assistant", **rich()}
            choice = {"index": 0, "finish_reason": "stop", "message": message}
            return httpx2.Response(200, json={"id": "1", "object": "chat.completion", "choices": [choice]})

        status, headers, body = raw(
            guard_openai(over(upstream), guard(regenerate(2) | remove())), *request("chat", "plain")
        )
        assert (status, len(asked)) == (200, 2)
        assert SECRET not in headers + body
