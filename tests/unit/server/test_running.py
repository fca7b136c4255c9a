"""Listening."""

import asyncio
import socket

from guardrail.server import Settings
from guardrail.server.running import _socket


class TestSocket:
    def test_an_answer_is_sent_at_once(self):
        """No connection waits for its client's acknowledgement before the body follows the head: that took 40 ms."""
        seen = []

        async def main(listener):
            def connected(reader, writer):
                taken = writer.get_extra_info("socket")
                seen.append(taken.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
                writer.close()

            async with await asyncio.start_server(connected, sock=listener):
                reader, writer = await asyncio.open_connection(*listener.getsockname())
                await reader.read()
                writer.close()

        with _socket(Settings(upstream="http://127.0.0.1:1/v1", port=0)) as listener:
            asyncio.run(main(listener))
        assert seen[0] != 0
