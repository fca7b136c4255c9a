"""The benchmark of the server: its load generator, how it judges replies, and its rows; nothing here is timed."""

import asyncio
import importlib.util
import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from benchmarks.performance.server import overhead, soak, streams, wrapper
from benchmarks.performance.server.clients import run as clients
from benchmarks.performance.server.clients import upstream
from benchmarks.performance.server.load import Connection, Reply, at_rate, closed_loop, percentile, request
from benchmarks.performance.server.overhead import Measured
from benchmarks.performance.server.processes import NotStarted, Process, started
from benchmarks.performance.server.soak import Reading, end_of

from guardrail.testing.server import serve

CHAT = "/v1/chat/completions"


def verdicts(rows):
    """Which rows are good, by what they are about."""
    return {row.quantity: row.ok for row in rows}


def body_of(content, **more):
    return {"model": "m", "messages": [{"role": "user", "content": content}], **more}


class TestLoad:
    def one(self, content="hello", faults=None, **more):
        async def main():
            async with Connection(url) as connection:
                return await connection.ask(request(url, CHAT, body_of(content, **more)))

        with serve(faults=faults or {}) as stub:
            url = stub.base_url.removesuffix("/v1")
            return asyncio.run(main())

    @pytest.mark.parametrize("stream", [False, True])
    def test_a_cut_answer_is_not_whole(self, stream):
        """Whatever came of it."""
        assert self.one(faults={"cut": 1.0}, stream=stream).whole is False

    def test_each_number_is_asked_once(self):
        """By however many clients; after a cut, too, the next one is asked."""
        asked = []

        async def ask(connection, number):
            asked.append(number)
            await connection.ask(request(url, CHAT, body_of(str(number))))

        with serve(faults={"cut": 0.3}, seed=1) as stub:
            url = stub.base_url.removesuffix("/v1")
            taken = asyncio.run(closed_loop(url, range(40), 5, ask))
            assert stub.stats()["requests"] == 40
        assert sorted(asked) == list(range(40))
        assert len(taken) == 40

    def test_requests_come_at_their_times(self):
        """However long an earlier one takes: the last one is due before the first one is answered."""
        with serve(latency=0.3) as stub:
            url = stub.base_url.removesuffix("/v1")

            async def ask(connection, number):
                await connection.ask(request(url, CHAT, body_of(str(number))))

            assert len(asyncio.run(at_rate(url, 10, 100.0, ask))) == 10
            assert stub.stats()["most_running"] == 10

    @pytest.mark.parametrize(("share", "expected"), [(0.5, 50), (0.99, 99), (1.0, 100), (0.001, 1)])
    def test_percentiles_of_one_to_a_hundred(self, share, expected):
        """The smallest that so many do not exceed, as one counts by hand."""
        assert percentile(reversed(range(1, 101)), share) == expected


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")
class TestProcesses:
    def test_this_process_costs_and_holds_something(self):
        """Seconds, bytes, files."""
        here = Process("", os.getpid())
        assert here.seconds() > 0
        assert here.memory() > 2**20
        assert here.files() > 2
        assert os.getpid() in here.family()

    def test_what_does_not_start_says_why(self):
        """In its own words."""
        command = [sys.executable, "-c", "raise SystemExit('no port left')"]
        with pytest.raises(NotStarted, match="no port left"), started(command, ready="/"):
            pass


def reply(status=200, said=None, *, headers=None, whole=True):
    content = said if isinstance(said, bytes) else json.dumps(said).encode()
    return Reply(status, headers or {}, content, whole)


def completion(text):
    return {"choices": [{"message": {"content": text}}]}


def stream_of(*texts, finish="stop", done=True):
    chunks = [{"choices": [{"delta": {"content": text}, "finish_reason": None}]} for text in texts]
    chunks.append({"choices": [{"delta": {}, "finish_reason": finish}]})
    lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    return "".join([*lines, "data: [DONE]\n\n" if done else ""]).encode()


def error(code, message="no"):
    return {"error": {"message": message, "code": code}}


class TestEnds:
    @pytest.mark.parametrize(
        ("found", "number", "expected"),
        [
            (reply(said=completion("This is question 4. It ends here.")), 4, "answered"),
            (reply(said=completion("This is question 5. It ends here.")), 4, "wrong: another answer"),
            (reply(said=completion("This is question 4. ")), 4, "wrong: another answer"),
            (reply(said=stream_of("This is question 3. ", "It ends here.")), 3, "answered"),
            (reply(said=stream_of("This is question 3. It ends here.", done=False)), 3, "wrong: not readable (ValueError)"),
            (reply(said=stream_of("This is question 3. It ends here.", finish=None)), 3, "wrong: not readable (ValueError)"),
            (reply(said=b"data: " + json.dumps(error("upstream_cut")).encode() + b"\n\n"), 3, soak.UNREADABLE),
            (reply(said={"choices": []}), 4, soak.UNREADABLE),
            (reply(said=b"<html>"), 4, "wrong: not readable (JSONDecodeError)"),
            (reply(said=completion("x"), whole=False), 4, "wrong: the connection broke off"),
            (reply(429, error("rate_limit_exceeded"), headers={"retry-after": "1"}), 4, "429 with Retry-After"),
            (reply(429, error("rate_limit_exceeded")), 4, "wrong: 429 without Retry-After"),
            (reply(429, error("too_many_requests"), headers={"retry-after": "1"}), 4, "wrong: 429 too_many_requests"),
            (reply(504, error("deadline")), 4, "504"),
            (reply(502, error("upstream_unreadable")), 4, soak.UNREADABLE),
            (reply(500, error("server_error", "a fault in guardrail itself")), 4, "wrong: 500 server_error"),
        ],
    )  # fmt: skip
    def test_each_reply_is_called_by_how_it_ends(self, found, number, expected):
        """A reply that is not of these kinds is wrong, and so is one with another request's answer."""
        assert end_of(found, number) == expected

    def test_every_fault_has_an_end(self):
        """Else the counts could not agree."""
        assert sorted(fault for faults in soak.GROUPS.values() for fault in faults) == sorted(soak.FAULTS)

    def test_memory_that_grows_late_is_seen(self):
        """From the request on after which it should be flat; what came before does not count."""
        readings = [Reading(0, 50.0, 10), Reading(1_000, 90.0, 40), Reading(2_100, 92.0, 70)]
        calm = soak.resource_rows([*readings, Reading(9_000, 100.0, 70)], 2_000)
        grown = soak.resource_rows([*readings, Reading(9_000, 113.0, 90)], 2_000)
        assert all(row.ok for row in calm)
        assert [quantity for quantity, ok in verdicts(grown).items() if not ok] == [
            "soak: highest memory after that, more",
            "soak: open files at most, more than before",
        ]


class TestRows:
    def test_processor_time_is_compared_round_by_round(self):
        """1.5 times the bare proxy's misses; half of LiteLLM's does not. Medians by hand: 3/2, 3/6."""
        found = {
            "stub": [Measured(900.0, 0.0, 0)] * 3,
            "bare proxy": [Measured(200.0, cost, 0) for cost in (2.0, 4.0, 1.0)],
            "guardrail serve": [Measured(150.0, cost, 0) for cost in (3.0, 6.0, 1.5)],
            "LiteLLM proxy": [Measured(60.0, cost, 0) for cost in (6.0, 12.0, 3.0)],
        }
        rows = {row.quantity: row for row in overhead.load_rows(found)}
        ours = rows["processor time, ours / bare proxy"]
        assert (ours.ours, ours.ok) == (1.5, False)
        litellm = rows["processor time, ours / LiteLLM proxy"]
        assert (litellm.ours, litellm.ok) == (0.5, True)

    def test_a_request_without_its_answer_fails_the_run(self):
        """However fast it was."""
        found = {name: [Measured(1.0, 1.0, 0)] for name in ("stub", "bare proxy")}
        found["guardrail serve"] = [Measured(1.0, 1.0, 1)]
        assert verdicts(overhead.load_rows(found))["requests without their own answer"] is False

    def test_slices_are_one_round(self):
        """Requests over seconds: 100 at 50/s and 100 at 100/s took 3 s, 66.7/s."""
        whole = overhead.together([Measured(50.0, 2.0, 1), Measured(100.0, 4.0, 0)])
        assert whole.rate == pytest.approx(200 / 3)
        assert (whole.cost, whole.failed) == (3.0, 1)

    def test_delay_is_what_is_added_to_the_stub(self):
        """In each round; ours adds 12 ms, which misses 10, and its p99 is above three times the bare proxy's 3 ms."""
        stub = [[0.5] * 100] * 3
        found = {"stub": stub, "bare proxy": [[0.503] * 100] * 3, "guardrail serve": [[0.512] * 100] * 3}
        rows = {row.quantity: row for row in overhead.delay_rows(found, "half", 50.0)}
        assert rows["delay, half: ours, added p50"].ours == pytest.approx(12.0)
        assert rows["delay, half: ours, added p50"].ok is False
        assert rows["delay, half: ours, added p99"].ok is False

    def test_streams_are_extrapolated_from_two_readings(self):
        """100 streams more cost 100 KiB each: the gibibyte's rest of 924 MiB has room for 9,461.76 more."""
        mebibyte = 2**20
        rows = streams.memory_rows([100, 200], [100 * mebibyte - 102_400 * 100, 100 * mebibyte])
        assert [row.ours for row in rows if "extrapolated" in row.quantity] == [200 + 9_462]

    def test_streams_that_cost_nothing_have_no_figure(self):
        """A reading that is lower is no room without end."""
        rows = streams.memory_rows([100, 200], [10, 10])
        assert [row.ok for row in rows if "extrapolated" in row.quantity] == [None]

    def test_the_wrapper_adds_a_difference(self):
        """Of pairs: .1, .7, .6, of which the median misses .5."""
        row = wrapper.difference_row("sync", [1.0, 1.0, 2.0], [1.1, 1.7, 2.6])[1]
        assert row.ours == pytest.approx(0.6)
        assert row.ok is False


class TestClients:
    @pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
    def test_without_a_guard_it_leaks(self, tmp_path):
        """So a table of "ok" says something: the same program, asked past the server."""
        with serve(upstream.reply) as stub:
            url = stub.base_url.removesuffix("/v1")
            found = clients.asked("curl", clients.CLIENTS["curl"], clients.Urls(url, ""), tmp_path)
        assert dict(found.cells) == {
            "plain": "leaked",
            "stream": "leaked",
            "tools": "ok",
            "structured": "leaked",
        }

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("Rivers flow. So. They end in seas.", "ok"),
            ("Rivers flow. So. They end", "got 'Rivers flow. So. They end'"),
            ("", "got ''"),
            ("Rivers flow. Quuxington. They end in seas.", "leaked"),
            ("Rivers flow. Xyzzyville They end in seas.", "leaked"),
        ],
    )
    def test_what_a_program_calls_ok(self, text, expected):
        """Both ends of the answer, and no word that may not be released."""
        spec = importlib.util.spec_from_file_location("common", clients.CALLERS / "common.py")
        common = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(common)
        assert common.edited(text) == expected

    def test_the_recorded_table_is_of_these_clients(self):
        """All of them, with a version and a date, and everything that was asked was ok."""
        recorded = json.loads((clients.HERE / "recorded.json").read_text(encoding="utf-8"))
        assert [row["client"] for row in recorded] == list(clients.CLIENTS)
        assert all(row["version"] != "–" and row["date"] for row in recorded)
        assert {row[column] for row in recorded for column in clients.COLUMNS if column in row} == {"ok"}
