"""A detector that knows what is made up, answers that hold it, and clients of every kind for one service."""

from __future__ import annotations

import asyncio
import json

import httpx
import httpx2
from openai import AsyncOpenAI, OpenAI

from guardrail import Guard
from guardrail.detector import Detector, Finding, Span, Verdict
from guardrail_openai import guard_openai

SECRET = "Zyzzyva"
BAD = f"The {SECRET} claim is made up."
ANSWER = f"Paris is in France. {BAD} It lies on the Seine."
CLEAN = "Paris is in France. It lies on the Seine."
JSON = json.dumps({"title": "Paris", "claims": ["Paris is in France.", BAD], "count": 2})
SCHEMA = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "claims": {"type": "array", "items": {"type": "string"}},
        "count": {"type": "integer"},
    },
    "required": ["title", "claims", "count"],
    "additionalProperties": False,
}
TOOL = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"q": "Seine"}'}}
QUESTION = [{"role": "user", "content": "Where is Paris?"}]
ASK = {"model": "m", "messages": QUESTION}
KINDS = ("sync", "async", "sync-httpx", "async-httpx")


class Secrets(Detector):
    """Every sentence with the secret in it is unsupported; `breaks` raises an error that quotes the answer."""

    name = "secrets"

    def __init__(self, *, breaks: bool = False) -> None:
        self.breaks = breaks

    def cost(self, case):
        return {}

    def examine(self, case):
        yield from ()
        if self.breaks:
            raise ValueError(case.answer)
        found, at = [], case.answer.find(BAD)
        while at >= 0:
            span = Span(start=at, end=at + len(BAD))
            found.append(
                Finding(
                    detector=self.name,
                    span=span,
                    text=BAD,
                    score=1.0,
                    verdict=Verdict.UNSUPPORTED,
                    mark="made up",
                )
            )
            at = case.answer.find(BAD, at + 1)
        return found or [Finding(detector=self.name, text=case.answer, score=0.0, verdict=Verdict.SUPPORTED)]


def guard(policy, **options) -> Guard:
    return Guard([Secrets()], policy=policy, **options)


def rich(content=ANSWER, **more):
    """An assistant message that says the secret wherever it can."""
    cited = {
        "type": "url_citation",
        "url_citation": {"title": BAD, "url": "https://x.test", "start_index": 0, "end_index": 9},
    }
    return {"content": content, "reasoning_content": f"I think: {BAD}", "annotations": [cited], **more}


def replies(content=ANSWER, better=CLEAN, **more):
    """Says what is made up until it is told off."""

    def reply(call):
        told_off = len(call.messages) > 1
        return (
            rich(better, **more) | {"reasoning_content": "", "annotations": []}
            if told_off
            else rich(content, **more)
        )

    return reply


def client_of(kind, url, **options):
    """A client that is not guarded."""
    options = {"base_url": url, "api_key": "k", "max_retries": 0, "timeout": 5, **options}
    if kind.endswith("httpx"):
        options["http_client"] = httpx.AsyncClient() if kind.startswith("async") else httpx.Client()
    return (AsyncOpenAI if kind.startswith("async") else OpenAI)(**options)


def over(handler, *, asynchronous=False, http=httpx2):
    """A client whose upstream is a function of the request."""
    kind, inner = (AsyncOpenAI, http.AsyncClient) if asynchronous else (OpenAI, http.Client)
    transport = http.MockTransport(handler)
    return kind(
        base_url="http://up.test/v1", api_key="k", max_retries=0, http_client=inner(transport=transport)
    )


def run(value):
    """The value of a call of a sync or an async client."""
    if not asyncio.iscoroutine(value):
        return value
    return asyncio.run(value)


def owner(client):
    """The client that has the connections."""
    return getattr(client._client._transport, "_keep", client)


def raws(client, *requests):
    """Status, headers and bytes that arrive at the library for each request; the client is closed then."""

    def options(path, body):
        return {
            "url": f"{client.base_url}{path}",
            "json": body,
            "headers": {"authorization": "Bearer k"},
            "timeout": 5,
        }

    def read(response):
        return response.status_code, str(response.headers.multi_items()), response.content.decode()

    if isinstance(client, OpenAI):
        with owner(client):
            return [read(client._client.post(**options(*one))) for one in requests]

    async def ask():
        async with owner(client):
            return [read(await client._client.post(**options(*one))) for one in requests]

    return asyncio.run(ask())


def raw(client, path, body):
    """As `raws`, for one."""
    return raws(client, (path, body))[0]


def says(call):
    model = call.body["model"]
    if model == "json":
        return JSON if len(call.messages) == 1 else JSON.replace(BAD, "It is big.")
    return replies(**({"tool_calls": [TOOL], "content": None} if model == "tools" else {}))(call)


def with_async(url, policy, use, **options):
    """What a coroutine function makes of a guarded async client."""

    async def run():
        async with client_of("async", url) as given:
            return await use(guard_openai(given, guard(policy), **options))

    return asyncio.run(run())
