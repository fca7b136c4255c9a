"""A proxy that does nothing but pass on, as short as one writes it with Starlette and httpx: what ours is compared with."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from benchmarks.performance.server.processes import announce

_HOP = {"host", "content-length", "connection", "transfer-encoding", "accept-encoding"}


def application(upstream: str) -> Starlette:
    """Everything below /v1 is asked of the upstream and passed on as it comes."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=1024)
        async with httpx.AsyncClient(timeout=600, limits=limits, trust_env=False) as client:
            app.state.client = client
            yield

    async def passed(request: Request) -> StreamingResponse:
        headers = [(name, value) for name, value in request.headers.items() if name not in _HOP]
        url = upstream + request.url.path.removeprefix("/v1")
        client = request.app.state.client
        asked = client.build_request(request.method, url, headers=headers, content=await request.body())
        found = await client.send(asked, stream=True)
        kept = {name: value for name, value in found.headers.items() if name not in _HOP}
        done = BackgroundTask(found.aclose)
        return StreamingResponse(found.aiter_raw(), found.status_code, kept, background=done)

    return Starlette(routes=[Route("/v1/{rest:path}", passed, methods=["GET", "POST"])], lifespan=lifespan)


if __name__ == "__main__":
    with announce() as listener:
        config = uvicorn.Config(
            application(sys.argv[1]), http="h11", log_config=None, access_log=False, ws="none"
        )
        uvicorn.Server(config).run(sockets=[listener])
