"""A guard closes what it opened, and nothing that it was given."""

import asyncio
import gc
import sqlite3
import threading

import pytest
from tests.unit.engine.toys import Asks, Buy, Echo, wait_until

from guardrail import Cache, Guard
from guardrail.chat import OpenAIChat, _endpoint
from guardrail.engine.flow import Answer
from guardrail.engine.hub import Hub
from guardrail.errors import GuardrailError
from guardrail.references import ReferenceCheck
from guardrail.references.bibliography import Index, Record
from guardrail.requests import Ask, user
from guardrail.testing.server import serve

CONFIG = """
[guard]
cache = "memory.sqlite"
[chat]
adapter = "openai"
model = "m"
base_url = "{url}"
api_key = "k"
[[detectors]]
name = "references"
bibliography = "works.sqlite"
"""
ANSWER = "1. Smith, J. (2011). A Study Number One of Language Models. NeurIPS."
ASK = Ask((user("hi"),))


@pytest.fixture
def configured(tmp_path):
    """A guard from a file, with a chat model, a bibliography and a cache."""
    with Index.create(tmp_path / "works.sqlite") as works:
        works.add([Record(title="Attention Is All You Need", authors=("Ashish Vaswani",), year=2017)])
    with serve() as server:
        (tmp_path / "guardrail.toml").write_text(CONFIG.format(url=server.base_url))
        yield lambda: Guard.from_config(tmp_path / "guardrail.toml")
    gc.collect()  # what was left open warns here, which is an error


def open_parts(guard):
    """What a configured guard has open."""
    own = guard.hub.backends["chat"]._clients
    index = guard.detectors[0].bibliography
    parts = {
        "sync": own._sync,
        "loops": own._loops,
        "index": len(index._connections),
        "cache": guard.hub.store._connection,
    }
    return {name for name, part in parts.items() if part}  # fmt: skip


class TestFromConfig:
    def test_with(self, configured):
        """Cache, bibliography and HTTP client are closed at the end of the block."""
        with configured() as guard:
            guard.check(ANSWER)
            assert open_parts(guard) == {"sync", "index", "cache"}
        assert open_parts(guard) == set()

    def test_async_with(self, configured):
        """The same on a loop."""

        async def main():
            async with configured() as guard:
                await guard.acheck(ANSWER)
                assert open_parts(guard) == {"loops", "index", "cache"}
            return guard

        assert open_parts(asyncio.run(main())) == set()

    def test_after_an_exception(self, configured):
        """The block may end in whatever way."""
        guard = configured()

        def use():
            with guard:
                guard.check(ANSWER)
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            use()
        assert open_parts(guard) == set()

    def test_its_threads_end(self, configured):
        """None is left waiting for work."""
        with configured() as guard:
            guard.check(ANSWER)
            mine = [lane for lane in guard.hub._threads.values() if lane._workers]
            assert mine
        assert wait_until(lambda: not any(lane._workers for lane in mine))


class TestClosing:
    def test_twice(self, configured):
        """Does nothing the second time, in either form."""
        guard = configured()
        guard.check(ANSWER)
        guard.close()
        guard.close()
        asyncio.run(guard.aclose())
        assert open_parts(guard) == set()

    def test_a_closed_guard_says_so(self):
        """Every way of asking it."""
        guard = Guard([Asks(Buy())], backends={"buy": Echo()})
        guard.close()

        async def main():
            with pytest.raises(GuardrailError, match="got a closed one"):
                await guard.acheck("x")

        asyncio.run(main())
        for call in (lambda: guard.check("x"), lambda: guard.supervise(lambda _: "x")):
            with pytest.raises(GuardrailError, match="got a closed one"):
                call()

    def test_a_part_that_cannot_be_closed_leaves_no_other_open(self, tmp_path, monkeypatch):
        """Its error is raised after all the rest was closed."""

        def broken(_):
            raise OSError("the disk is gone")

        guard = Guard([Asks(Buy())], backends={"buy": Echo()}, cache=tmp_path / "c.sqlite")
        monkeypatch.setattr(Hub, "close", broken)
        with pytest.raises(OSError, match="the disk is gone"):
            guard.close()
        assert guard.hub.store._connection is None


class TestGiven:
    def test_stays_open(self, tmp_path):
        """Backends, a cache object, and a hub belong to who made them."""
        closed = []
        chat = Echo(close=lambda: closed.append("chat"))
        with Guard([Asks(Buy())], backends={"buy": chat}, cache=Cache(tmp_path / "c.sqlite")) as guard:
            guard.check("x")
        assert guard.hub.store._connection is not None
        guard.hub.store.close()
        shared = Hub({"buy": chat})
        with Guard([Asks(Buy())], backends=shared) as one:
            one.check("x")
        assert Guard([Asks(Buy())], backends=shared).check("y").findings
        assert closed == []

    def test_a_detector_in_the_place_of_the_files_keeps_its_bibliography(self, tmp_path):
        """The file's models are closed, the index that it was given is not."""
        with Index.create(tmp_path / "works.sqlite") as works:
            works.add([Record(title="Attention Is All You Need", authors=("Ashish Vaswani",), year=2017)])
        works = Index.open(tmp_path / "works.sqlite")
        (tmp_path / "guardrail.toml").write_text("[guard]\n")
        detector = ReferenceCheck(bibliography=works)
        with Guard.from_config(tmp_path / "guardrail.toml", detectors=[detector]) as guard:
            guard.check(ANSWER)
        assert len(works._connections) > 0
        works.close()

    def test_a_chat_of_the_users_own_answers_afterwards(self):
        """A guard around it came and went."""
        with serve() as server:
            chat = OpenAIChat("m", base_url=server.base_url, api_key="k")
            with Guard(["references"], chat=chat) as guard:
                guard.check(ANSWER)
            assert chat._clients._sync is not None
            chat.close()

    def test_a_cache_by_its_path_is_the_guards(self, tmp_path):
        """It can be opened again."""
        path = tmp_path / "c.sqlite"
        with Guard([Asks(Buy())], backends={"buy": Echo()}, cache=path) as guard:
            guard.check("x")
        assert guard.hub.store._connection is None
        with sqlite3.connect(path) as looking:
            assert looking.execute("SELECT count(*) FROM replies").fetchone() == (1,)
        looking.close()


class TestOwnClients:
    """The clients that an adapter makes by itself; one that is left open warns, which is an error here."""

    @pytest.fixture
    def chat(self):
        with serve() as server:
            yield OpenAIChat("m", base_url=server.base_url, api_key="k")
            gc.collect()

    def test_of_several_loops_one_after_another(self, chat):
        """`asyncio.run` three times, and once without a loop."""
        for _ in range(3):
            asyncio.run(chat.aanswer([ASK]))
        chat.answer([ASK])
        chat.close()
        assert (chat._clients._sync, len(chat._clients._loops)) == (None, 0)

    def test_of_a_loop_that_only_stopped(self, chat):
        """It is closed later, by hand."""
        loop = asyncio.new_event_loop()
        loop.run_until_complete(chat.aanswer([ASK]))
        chat.close()
        loop.close()
        assert len(chat._clients._loops) == 0

    @pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
    @pytest.mark.parametrize("library", ["aiohttp", "httpx"])
    def test_of_a_loop_that_was_closed_first(self, chat, monkeypatch, library):
        """Its connections are lost; those who ask at once on the next loop share one client, and are answered."""
        if library == "httpx":
            monkeypatch.setattr(_endpoint, "find_spec", lambda _: None)
        loop = asyncio.new_event_loop()
        loop.run_until_complete(chat.aanswer([ASK]))
        loop.close()

        async def main():
            replies = await asyncio.gather(*(chat.aanswer([ASK]) for _ in range(5)))
            clients = list(chat._clients._loops.values())
            gc.collect()
            await asyncio.sleep(0)
            replies += await asyncio.gather(*(chat.aanswer([ASK]) for _ in range(5)))
            assert list(chat._clients._loops.values()) == clients
            assert [type(reply) for [reply] in replies] == [Answer] * 10
            await chat.aclose()

        asyncio.run(main())
        gc.collect()

    def test_of_two_loops_closed_from_a_third(self, chat):
        """`aclose` reaches them all."""
        loops = [asyncio.new_event_loop() for _ in range(2)]
        for loop in loops:
            loop.run_until_complete(chat.aanswer([ASK]))
        asyncio.run(chat.aclose())
        for loop in loops:
            loop.close()
        assert len(chat._clients._loops) == 0

    def test_of_a_loop_that_runs_in_another_thread(self, chat):
        """As under a web server."""
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever)
        thread.start()
        asyncio.run_coroutine_threadsafe(chat.aanswer([ASK]), loop).result()
        chat.close()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()

    def test_closed_by_the_wrong_form_in_a_coroutine(self, chat):
        """`close()` where `await aclose()` was meant."""

        async def main():
            await chat.aanswer([ASK])
            chat.close()

        asyncio.run(main())

    def test_can_be_used_again(self, chat):
        """On the same loop and without one."""

        async def main():
            await chat.aanswer([ASK])
            await chat.aclose()
            [reply] = await chat.aanswer([ASK])
            await chat.aclose()
            return reply.value.text

        assert asyncio.run(main()) == "hi"
        assert chat.answer([ASK])[0].value.text == "hi"
        chat.close()
