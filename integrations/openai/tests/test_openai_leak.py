"""No byte of what was removed, replaced or withheld arrives: of no API, in no form, under no fault."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json

import httpx
import httpx2
import pytest
from integrations.openai.tests.openai_fakes import (
    ANSWER,
    ASK,
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
    owner,
    raw,
    raws,
    replies,
    rich,
    run,
)
from openai import RateLimitError
from tests.logged import logged

from guardrail import Guard, annotate, block, regenerate, remove
from guardrail.policies import Policy
from guardrail.testing import leaks
from guardrail.testing.server import serve
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


def door(kind, policies, *, guarded=True, streaming="buffer"):
    """One kind of client, with a guard that knows the texts: what arrives at the library, and what is logged."""
    by_sentence = streaming == "sentence"

    @contextlib.contextmanager
    def opened(setting):
        found = leaks.KnownTexts(
            setting.forbidden, mark=setting.mark, breaks=setting.breaks, by_sentence=by_sentence
        )
        fail = "open" if by_sentence and not setting.breaks else "closed"
        watch = Guard([found], policy=policies.get(setting.policy, remove()), fail=fail)

        client = client_of(kind, setting.upstream)
        client = guard_openai(client, watch, streaming=streaming) if guarded else client

        def ask(case):
            if case.api == "messages":
                raise leaks.NotOffered("the client has no Messages API")
            options = {"json": leaks.request(case), "headers": {"authorization": "Bearer k"}, "timeout": 5}
            try:
                found = client._client.post(f"{client.base_url}{case.path}", **options)
                found = runner.run(found) if kind.startswith("async") else found
            except (httpx.HTTPError, httpx2.HTTPError, OSError) as error:
                return leaks.Reply(0, repr(error), ended=False)
            return leaks.Reply(found.status_code, found.content.decode(), found.headers.multi_items())

        with asyncio.Runner() as runner, logged() as logs:
            yield leaks.Opened(ask, {"logs": lambda: repr(logs)})
            closed = owner(client).close()
            if asyncio.iscoroutine(closed):
                runner.run(closed)

    return opened


class TestMatrix:
    @pytest.mark.parametrize("kind", KINDS)
    def test_nothing_forbidden_arrives(self, kind):
        """The leak kit: bodies, headers, log-probabilities, reasoning, the report and the log; marks; faults; errors stay errors."""
        deliveries = leaks.DELIVERIES if kind == "sync" else ["whole", "words"]
        table = leaks.matrix(door(kind, POLICIES), axes=leaks.Axes(apis=APIS, deliveries=deliveries))
        assert table.ok, str(table)

    @pytest.mark.parametrize("kind", ["sync", "async"])
    def test_nothing_arrives_sentence_by_sentence(self, kind):
        """The same, under the policies that act sentence by sentence."""
        axes = leaks.Axes(apis=APIS, deliveries=leaks.DELIVERIES[1:], policies=["remove", "annotate"])
        table = leaks.matrix(door(kind, POLICIES, streaming="sentence"), axes=axes)
        assert table.ok, str(table)

    @pytest.mark.parametrize("kind", KINDS)
    def test_nothing_where_a_stubborn_model_is_blocked(self, kind):
        """Asked again, and then withheld."""
        policies = {"regenerate": POLICIES["regenerate-block"]}
        axes = leaks.Axes(
            apis=APIS, deliveries=["whole", "words"], policies=["regenerate"], faults=["stubborn"]
        )
        table = leaks.matrix(door(kind, policies), axes=axes)
        assert table.ok, str(table)

    @pytest.mark.parametrize("kind", ["sync", "async"])
    def test_unguarded_it_would(self, kind):
        """The same without a guard: the matrix can fail."""
        axes = leaks.Axes(apis=APIS, deliveries=["whole", "words"], policies=["remove"], faults=[])
        table = leaks.matrix(door(kind, {}, guarded=False), axes=axes)
        assert {row.bytes for row in table.rows if row.case.api != "all"} == {table.most}

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
        with logged() as logs:
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

    @pytest.mark.parametrize("path", ["chat/completions", "responses"])
    @pytest.mark.parametrize("stream", [False, True])
    def test_an_error_says_nothing_that_a_model_wrote(self, path, stream):
        """Neither a whole answer, nor the field in which Groq shows what it could not use."""
        message = {"role": "assistant", "content": BAD}
        item = {"type": "message", "content": [{"type": "output_text", "text": BAD}]}
        told = {"message": "no valid JSON", "code": "json_validate_failed", "failed_generation": BAD}
        for body in ({"choices": [{"message": message}], "output": [item]}, {"error": told}):
            client = guard_openai(over(lambda _, body=body: httpx2.Response(400, json=body)), guard(block()))
            status, headers, said = raw(client, path, {"model": "m", "stream": stream})
            assert status == 400
            assert SECRET not in headers + said
            assert "error" in json.loads(said)

    @pytest.mark.parametrize("asynchronous", [False, True])
    def test_a_compressed_error_is_that_error(self, asynchronous):
        """It was a connection error, which is tried again: the body was unpacked, and its header still said gzip."""
        packed = gzip.compress(b'{"error": {"message": "slow down", "code": "rate_limit"}}')
        kind = {"content-type": "application/json", "content-encoding": "gzip", "retry-after": "3"}
        client = over(lambda _: httpx2.Response(429, headers=kind, content=packed), asynchronous=asynchronous)
        with pytest.raises(RateLimitError, match="slow down") as found:
            run(guard_openai(client, guard(remove())).chat.completions.create(**ASK))
        assert found.value.response.headers["retry-after"] == "3"

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
