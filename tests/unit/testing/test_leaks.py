"""The leak kit: it counts what gets out of doors that leak in known ways, and nothing where nothing does."""

import contextlib
import http.server
import json
import threading

import httpx
import pytest

from guardrail.errors import ConfigError
from guardrail.testing import leaks
from guardrail.testing.leaks.matrix import examined

FEW = leaks.Axes(
    apis=["chat"], shapes=["text"], deliveries=["whole", "words"], policies=["remove"], faults=[]
)
NAME, MAIL = leaks.FORBIDDEN
CASE = leaks.Case("chat", "text", "words", "remove")


@contextlib.contextmanager
def unguarded(setting):
    yield setting.upstream


def released(body, case=CASE, *, status=200, headers=(), **options):
    """Bytes by channel that a reply releases."""
    return examined(
        case, leaks.Reply(status, body, headers, **options), leaks.Forbidden(), "made up"
    ).released


def stream(*pieces):
    """Chunks of a chat completion."""
    return "".join(
        f"data: {json.dumps({'choices': [{'index': 0, 'delta': {'content': one}}]})}\n\n" for one in pieces
    )


class TestControl:
    def test_an_unguarded_door_leaks_everything(self):
        """In every case that shows the whole answer: each API, shape, stream and policy."""
        table = leaks.matrix(unguarded, axes=leaks.Axes(faults=[]))
        assert not table.ok
        assert {row.bytes for row in table.rows if row.case.policy != "annotate"} == {table.most}
        assert all(row.marks_missing for row in table.rows if row.case.policy == "annotate")
        assert {(row.case.api, row.case.shape) for row in table.bad} >= {
            ("chat", "many"), ("responses", "logprobs"), ("messages", "tools"), ("messages", "reasoning"),
        }  # fmt: skip

    def test_it_leaks_in_log_probabilities_and_reasoning_as_well(self):
        """Each has its own count."""
        axes = leaks.Axes(
            apis=["chat", "responses"], shapes=["logprobs", "reasoning"], policies=["remove"], faults=[]
        )
        for row in leaks.matrix(unguarded, axes=axes).rows:
            extra = {"logprobs": "log-probabilities", "reasoning": "reasoning"}[row.case.shape]
            assert row.released == {"body": row.bytes, extra: row.bytes}

    @pytest.mark.parametrize("fault", ["cut", "malformed", "detector", "stubborn"])
    def test_it_leaks_under_faults(self, fault):
        """What came before the fault is out, and a check that broke was no check."""
        axes = leaks.Axes(shapes=["text"], policies=["remove"], faults=[fault])
        rows = [row for row in leaks.matrix(unguarded, axes=axes).rows if row.case.fault]
        assert len(rows) == 6
        assert all(row.bytes for row in rows)
        assert all(row.unchecked for row in rows) == (fault == "detector")

    def test_faults_without_an_answer_release_nothing(self):
        """Errors and empty answers: the kit does not see what is not there."""
        axes = leaks.Axes(
            policies=["block"], shapes=["text"], faults=["rate_limit", "server_error", "empty", "clean"]
        )
        rows = [row for row in leaks.matrix(unguarded, axes=axes).rows if row.case.fault]
        assert all(row.ok for row in rows)
        assert {row.case.fault: row.status for row in rows} == {
            "rate_limit": 429, "server_error": 500, "empty": 200, "clean": 200,
        }  # fmt: skip


class TestCounting:
    @pytest.mark.parametrize(
        "body",
        [
            stream(f"Ask {NAME}."),
            stream("Ask Zyxwick Vör", "blatt."),
            stream(*NAME),
            json.dumps({"a": NAME}),
            json.dumps({"a": json.dumps({"b": json.dumps([NAME])})}),
            json.dumps({NAME: 1}),
            json.dumps({"bytes": list(NAME.encode())}),
            f'{{"a": "{NAME}", "a": "nothing"}}',
            f": {NAME}\n\n{stream('x')}",
            f"<p>{NAME}</p>",
            "<p>Zyxwick V&ouml;rblatt</p>",
            "see /ask?q=Zyxwick%20V%C3%B6rblatt",
            'data: {"broken": "Zyxwick V\\u00f6rblatt',
            'data: {"delta": "{\\"q\\": \\"Zyxwick V\\\\u00f"}\n\ndata: {"delta": "6rblatt\\"}"}\n\n',
        ],
    )  # fmt: skip
    def test_however_it_is_written_it_is_found(self, body):
        """Whole, in pieces, escaped, nested, as a name, as bytes, behind a name given twice, in a comment."""
        assert released(body) == {"body": len(NAME.encode())}

    def test_parts_count(self):
        """Six characters in a row, by their bytes; five are chance."""
        assert released(stream("Ask Zyxwic.")) == {"body": 6}
        assert released(stream("Ask Zyxwi.")) == {}
        assert released(stream("Ask ck Vörb")) == {"body": 8}

    def test_headers_and_reports_are_channels(self):
        """So are they."""
        found = released("{}", headers=[("x-model-said", NAME), ("x-guardrail-spans", MAIL)])
        assert found == {"headers": len(NAME.encode()), "report": len(MAIL)}
        assert released(json.dumps({"guardrail": {"cut": MAIL}})) == {"report": len(MAIL)}

    def test_errors_are_read_too(self):
        """An error that quotes the answer releases it."""
        assert released(json.dumps({"error": {"message": f"bad: {MAIL}"}}), status=500) == {"body": len(MAIL)}

    def test_what_a_call_raises_is_read_too(self):
        """With what came before it."""

        def broken(case, body):
            yield {"text": "Ask Zyxwick"}
            raise RuntimeError(f"{case.api} {body['model']} said {MAIL}")

        reply = leaks.called(broken)(CASE)
        row = examined(CASE, reply, leaks.Forbidden(), "made up")
        assert (reply.status, row.released) == (500, {"body": 7 + len(MAIL)})

    def test_forbidden_texts_must_be_long_enough(self):
        """Or everything would hold a part of them."""
        with pytest.raises(ConfigError, match="at least 6 characters, got 'abc'"):
            leaks.Forbidden(["abc"])
        with pytest.raises(ConfigError, match="expected a list"):
            leaks.Forbidden("Zyxwick")


class TestMarks:
    def marks(self, *pieces):
        case = leaks.Case("chat", "text", "words", "annotate")
        return examined(case, leaks.Reply(200, stream(*pieces)), leaks.Forbidden(), "made up").marks_missing

    @pytest.mark.parametrize("fault", ["cut", "malformed"])
    def test_a_stream_that_broke_off_may_show_marked_texts(self, fault):
        """What was out already; elsewhere than in the answer it counts, and without a mark too."""

        def row(*pieces, headers=()):
            case = leaks.Case("chat", "text", "words", "annotate", fault)
            return examined(case, leaks.Reply(200, stream(*pieces), headers), leaks.Forbidden(), "made up")

        assert row(f"Ask {NAME} [made up].").ok
        assert row(f"Ask {NAME}").marks_missing == 1
        assert row("Hm.", headers=[("x-model-said", NAME)]).released == {"headers": len(NAME.encode())}
        raised = leaks.Reply(
            500, "", items=[{"text": f"Ask {NAME} [made up]."}, f"error: {NAME}"], ended=False
        )
        case = leaks.Case("chat", "text", "words", "annotate", fault)
        assert examined(case, raised, leaks.Forbidden(), "made up").marks_missing == 1

    def test_a_mark_before_or_with_its_text_is_enough(self):
        """In the same piece, or in one before."""
        assert self.marks(f"Ask {NAME} [made up].") == 0
        assert self.marks("[made up] ", f"{NAME}.") == 0

    def test_a_mark_that_comes_later_is_missing(self):
        """A reader saw the text without it."""
        assert self.marks(f"Ask {NAME}", " [made up].") == 1
        assert self.marks(f"Ask {NAME}.") == 1

    def test_each_text_needs_its_own(self):
        """One mark is not for two."""
        assert self.marks(f"Ask {NAME} or {MAIL} [made up].") == 1


class TestUnchecked:
    def unchecked(self, body, fault, **options):
        case = leaks.Case("chat", "text", "words", "remove", fault)
        return examined(case, leaks.Reply(200, body, **options), leaks.Forbidden(), "made up").unchecked

    def test_a_stream_that_broke_off_may_not_end_normally(self):
        """Unless it says that something failed, or was withheld."""
        good = stream("Rivers flow to the sea.")
        assert self.unchecked(good + "data: [DONE]\n\n", "cut")
        assert not self.unchecked(good, "cut")
        assert not self.unchecked(good + 'data: {"error": {"message": "cut"}}\n\ndata: [DONE]\n\n', "cut")

    def test_a_check_that_raised_must_show(self):
        """Or nothing of the answer."""
        good = stream("Rivers flow to the sea.")
        assert self.unchecked(good, "detector")
        assert not self.unchecked(good, "detector", headers=[("x-guardrail-verdict", "unverified")])
        assert not self.unchecked(stream("Withheld."), "detector")

    def test_no_answer_is_not_supported(self):
        """Nobody looked at anything."""
        assert self.unchecked('{"choices": [], "guardrail": {"verdict": "supported"}}', "empty")
        assert not self.unchecked('{"choices": [], "guardrail": {"verdict": null}}', "empty")


class TestDoors:
    def test_a_guard_that_refuses_everything_is_not_ok(self):
        """It leaks nothing, and the table says why that is no praise."""

        @contextlib.contextmanager
        def closed(_):
            yield leaks.Opened(lambda _: leaks.Reply(503, "no"))

        table = leaks.matrix(closed, axes=FEW)
        assert (table.bytes, table.unanswered, table.ok) == (0, 2, False)

    def test_what_a_door_has_not_is_left_out(self):
        """And said."""

        def none(_):
            raise leaks.NotOffered("no such policy")

        def ask(case):
            if case.streams:
                raise leaks.NotOffered("no streams")
            return leaks.Reply(200, json.dumps({"text": "Rivers flow to the sea."}))

        @contextlib.contextmanager
        def whole(_):
            yield leaks.Opened(ask)

        assert {row.not_offered for row in leaks.matrix(none, axes=FEW).rows} == {"no such policy"}
        table = leaks.matrix(whole, axes=FEW)
        assert (len(table.run), table.ok) == (1, True)
        assert "1 not offered" in str(table)

    def test_logs_and_metrics_are_read_at_the_end(self):
        """By name."""
        seen = []

        @contextlib.contextmanager
        def logging(setting):
            def ask(case):
                body = leaks.request(case)
                seen.append(httpx.post(f"{setting.upstream}/{case.path}", json=body, trust_env=False).text)
                return leaks.Reply(200, '{"text": "Rivers flow to the sea."}')

            yield leaks.Opened(ask, {"logs": lambda: "\n".join(seen), "metrics": lambda: ""})

        table = leaks.matrix(logging, axes=FEW)
        assert [(row.case.shape, row.released) for row in table.bad] == [("logs", {"logs": table.most})]

    def test_a_running_guard_is_asked_at_its_url(self):
        """In front of a stub on a known port."""
        with leaks.upstream() as stub:
            table = leaks.matrix(stub.url, stub=stub, axes=FEW)
            assert table.bytes == 2 * table.most
            with pytest.raises(ConfigError, match="one policy"):
                leaks.matrix(stub.url, stub=stub)
        with pytest.raises(ConfigError, match="its upstream"):
            leaks.matrix("http://127.0.0.1:1/v1", axes=FEW)

    def test_a_broken_response_keeps_what_came(self):
        """A body that is shorter than promised was released all the same."""

        class Short(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.send_response(200)
                self.send_header("content-length", "999")
                self.end_headers()
                self.wfile.write(NAME.encode())

            def log_message(self, *_):
                pass

        server = http.server.HTTPServer(("127.0.0.1", 0), Short)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            reply = leaks.over_http(f"http://127.0.0.1:{server.server_port}/v1")(CASE)
        finally:
            server.shutdown()
            server.server_close()
        assert (reply.body, reply.ended) == (NAME, False)

    def test_nobody_listening_is_no_answer(self):
        """Not an error of the kit."""
        assert leaks.over_http("http://127.0.0.1:1/v1")(CASE).status == 0


class TestUpstream:
    def replies(self, case, times=1):
        with leaks.upstream() as stub:
            stub.play(case)
            ask = leaks.over_http(stub.url)
            return [ask(case) for _ in range(times)], stub.asked

    def test_the_second_attempt_is_clean(self):
        """Unless the model is stubborn."""
        found, asked = self.replies(CASE, 2)
        assert [bool(released(one.body)) for one in found] == [True, False]
        assert asked == 2
        stubborn, _ = self.replies(leaks.Case("chat", "text", "whole", "remove", "stubborn"), 2)
        assert all(released(one.body) for one in stubborn)

    def test_of_several_choices_the_first_is_clean(self):
        """So that a guard must look at each."""
        [found], _ = self.replies(leaks.Case("chat", "many", "whole", "remove"))
        texts = [one["message"]["content"] for one in json.loads(found.body)["choices"]]
        assert [NAME in text for text in texts] == [False, True, True]

    def test_halves_are_cut_inside_every_forbidden_text(self):
        """And nowhere else."""
        [found], _ = self.replies(leaks.Case("chat", "text", "halves", "remove"))
        pieces = [one["choices"][0]["delta"].get("content") for one in found.read() if one["choices"]]
        assert not any(text in (piece or "") for piece in pieces for text in leaks.FORBIDDEN)
        assert len([piece for piece in pieces if piece]) == 4  # the address comes twice

    def test_the_very_end_is_forbidden(self):
        """Where what is held back must not be flushed."""
        [found], _ = self.replies(leaks.Case("messages", "text", "whole", "remove"))
        assert json.loads(found.body)["content"][0]["text"].endswith(MAIL)

    def test_unknown_names_are_refused(self):
        """With those that there are."""
        with pytest.raises(ConfigError, match="no name 'video' in shapes"):
            leaks.Axes(shapes=["video"])
        with pytest.raises(ConfigError, match="names in a list"):
            leaks.Axes(apis="chat")


class TestTable:
    def test_it_is_json_and_text(self):
        """Both say what leaked where."""
        table = leaks.matrix(unguarded, axes=FEW)
        found = json.loads(table.to_json())
        assert found["bytes"] == 2 * table.most == sum(row["released"]["body"] for row in found["bad"])
        assert found["bad"][0]["case"]["delivery"] == "whole"
        assert "chat text words remove: 45 bytes in body" in str(table)
        assert "2 cases: 90 bytes" in str(table)
