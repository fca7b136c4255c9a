"""Connections to the upstream: many small pools, of which a quiet server uses one."""

import asyncio

import httpx
import pytest

from guardrail.server.pools import AT_ONCE, Pools


class _Slow(httpx.AsyncByteStream):
    async def __aiter__(self):
        yield b"a"
        yield b"b"


@pytest.fixture
def pools():
    """Pools of clients whose service answers at once, and raises at /broken."""

    def answer(request):
        if request.url.path == "/broken":
            raise httpx.ConnectError("nobody there")
        return httpx.Response(200, stream=_Slow())

    return Pools(lambda: httpx.AsyncClient(transport=httpx.MockTransport(answer)))


def get(pools, path="/"):
    return pools.send("GET", httpx.URL(f"http://upstream{path}"), headers=[], content=b"")


class TestPools:
    def test_one_after_the_other_takes_one_pool(self, pools):
        """So its connections are used again."""

        async def main():
            for _ in range(3 * AT_ONCE):
                await (await get(pools)).aread()

        asyncio.run(main())
        assert len(pools) == 1

    def test_many_at_once_are_spread(self, pools):
        """No pool has more than it may; what was closed makes room in the first one."""

        async def main():
            found = [await get(pools) for _ in range(2 * AT_ONCE + 1)]
            assert len(pools) == 3
            await found[0].aclose()
            await get(pools)
            assert len(pools) == 3
            found += [await get(pools) for _ in range(AT_ONCE)]
            assert len(pools) == 4

        asyncio.run(main())

    def test_a_body_that_is_left_early_makes_room_too(self, pools):
        """Closed, not read."""

        async def main():
            for _ in range(3 * AT_ONCE):
                found = await get(pools)
                async for _ in found.aiter_raw():
                    break
                await found.aclose()

        asyncio.run(main())
        assert len(pools) == 1

    def test_a_request_that_fails_makes_room(self, pools):
        """Its error is the client's."""

        async def main():
            for _ in range(3 * AT_ONCE):
                with pytest.raises(httpx.ConnectError):
                    await get(pools, "/broken")

        asyncio.run(main())
        assert len(pools) == 1

    def test_the_body_comes_whole(self, pools):
        """Counted, and not changed."""

        async def main():
            return await (await get(pools)).aread()

        assert asyncio.run(main()) == b"ab"
