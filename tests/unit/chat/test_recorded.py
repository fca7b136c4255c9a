"""Recording and replaying."""

import asyncio
import json
import subprocess
import sys
import threading
import warnings

import pytest

from guardrail.chat import RecordedChat, ScriptedChat
from guardrail.engine import codec
from guardrail.engine.flow import Answer, Cost, Failed, Reason, draws
from guardrail.errors import InputError, ParseError, RecordingMiss
from guardrail.requests import Ask, Completion, TokenLogprob, Untrusted, user

ASK = Ask((user("Who wrote ", Untrusted("Foo\n"), "?"),), temperature=1.0)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "some" / "recording.jsonl"


def record(path, script="Bar", asks=(ASK,), **options):
    chat = RecordedChat(path, record_from=ScriptedChat(script), **options)
    return [chat.answer([ask])[0] for ask in asks]


class TestRecording:
    def test_replays_what_it_recorded(self, path):
        """Text, model and log-probabilities; without the model, and at no cost."""
        said = Completion("Bar", "m", "stop", (TokenLogprob("Bar", -0.1, (("Baz", -2.0),)),))
        recorded = record(path, lambda _: Answer(said, Cost(1, 2, 3, 0.5)))
        assert recorded == [Answer(said, Cost(1, 2, 3, 0.5))]
        assert RecordedChat(path).answer([ASK]) == [Answer(said)]

    def test_is_one_line_per_reply(self, path):
        """JSON that a person can read."""
        record(path)
        [line] = path.read_text().splitlines()
        found = json.loads(line)
        assert found["key"] == codec.key(ASK)
        assert found["request"]["messages"][0]["content"] == ["Who wrote ", {"text": "Foo\n"}, "?"]
        assert found["reply"]["value"]["text"] == "Bar"

    def test_asks_only_what_it_has_not(self, path):
        """In this run and in the next."""
        record(path)
        inner = ScriptedChat("other")
        chat = RecordedChat(path, record_from=inner)
        replies = chat.answer([ASK, *draws(ASK, 2)])
        assert [reply.value.text for reply in replies] == ["Bar", "Bar", "other"]
        assert [ask.draw for ask in inner.asked] == [1]
        assert len(chat) == 2

    def test_records_asynchronously_too(self, path):
        """Through the model's asynchronous form."""
        chat = RecordedChat(path, record_from=ScriptedChat("Bar", delay=0.001))
        assert not chat.instant
        asyncio.run(chat.aanswer([ASK]))
        assert RecordedChat(path).instant
        assert asyncio.run(RecordedChat(path).aanswer([ASK]))[0].value.text == "Bar"

    def test_a_model_without_asynchronous_form_has_none_recorded(self, path):
        """It goes to threads, as without recording."""
        inner = ScriptedChat("x")
        inner.aanswer = None
        assert RecordedChat(path, record_from=inner).aanswer is None

    def test_costs_what_the_recorded_model_costs(self, path):
        """One on this machine is not paid for."""
        inner = ScriptedChat("Bar")
        assert RecordedChat(path, record_from=inner).paid
        inner.paid = False
        assert not RecordedChat(path, record_from=inner).paid

    def test_failures_that_pass_are_not_written(self, path):
        """Those that last are."""
        passing = Failed(Reason.TIMEOUT, "slow", retryable=True)
        lasting = Failed(Reason.REFUSED, "no")
        assert record(path, [passing, lasting], draws(ASK, 2)) == [passing, lasting]
        [one, two] = RecordedChat(path).answer(draws(ASK, 2))
        assert one.reason is Reason.MISSING
        assert two == lasting

    def test_many_threads_write_whole_lines(self, path):
        """None is lost or mixed."""
        chat = RecordedChat(path, record_from=ScriptedChat(lambda ask: "x" * 5000 + str(ask.draw)))
        threads = [threading.Thread(target=chat.answer, args=([ask],)) for ask in draws(ASK, 30)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        replies = RecordedChat(path).answer(draws(ASK, 30))
        assert [reply.value.text[5000:] for reply in replies] == [str(i) for i in range(30)]

    def test_survives_a_kill(self, path):
        """Everything that was answered is in the file, and reading it goes on."""
        code = (
            "import sys, time\n"
            "from guardrail.chat import RecordedChat, ScriptedChat\n"
            "from guardrail.requests import Ask, user\n"
            f"chat = RecordedChat({str(path)!r}, record_from=ScriptedChat('x' * 3000))\n"
            "for i in range(100000):\n"
            "    chat.answer([Ask((user('q'),), draw=i)])\n"
            "    print(i, flush=True)\n"
        )
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as child:
            for line in child.stdout:
                if int(line) > 50:
                    child.kill()
                    break
            rest = [line for line in child.stdout if line.endswith("\n")]
        answered = int(rest[-1]) if rest else 51
        with warnings.catch_warnings(action="ignore"):  # the kill may have torn the last line
            chat = RecordedChat(path)
        assert len(chat) > answered


class TestReplaying:
    def test_an_unknown_request_is_named(self, path):
        """With its first message and draw, as a value."""
        record(path)
        [reply] = RecordedChat(path).answer([draws(ASK, 5)[4]])
        assert reply.reason is Reason.MISSING
        assert not reply.retryable
        assert "'Who wrote Foo\\n?', draw 4" in reply.detail

    def test_strictly_it_is_raised(self):
        """For tests that must not go on."""
        with pytest.raises(RecordingMiss, match="no recorded reply to 'Who wrote"):
            RecordedChat({}, strict=True).answer([ASK])

    def test_from_memory(self):
        """By request or by key."""
        for source in ({ASK: "Bar"}, {codec.key(ASK): Completion("Bar", "recorded", "stop")}):
            assert RecordedChat(source).answer([ASK])[0].value == Completion("Bar", "recorded", "stop")

    def test_by_a_key_of_ones_own(self, path):
        """Benchmarks match by title; stored requests are keyed anew."""

        def title(ask):
            return "foo" if "Foo" in ask.messages[0].text else "?"

        other = Ask((user("Another prompt about Foo"),))
        assert RecordedChat({"foo": "Bar"}, key=title).answer([other])[0].value.text == "Bar"
        record(path)
        assert RecordedChat(path, key=title).answer([other])[0].value.text == "Bar"

    def test_lines_by_hand(self, path):
        """A key and a text are enough; the last of a key counts."""
        path.parent.mkdir()
        path.write_text('{"key": "foo", "reply": "old"}\n\n{"key": "foo", "reply": "new"}\n')
        assert RecordedChat(path, key=lambda _: "foo").answer([ASK])[0].value.text == "new"

    def test_half_a_surrogate_pair(self, path):
        """Models say such things."""
        ask = Ask((user("\ud800"),))
        record(path, lambda _: Completion("\udfff"), [ask])
        assert RecordedChat(path).answer([ask])[0].value.text == "\udfff"

    def test_the_fingerprint_is_of_the_content(self, path):
        """Another recording, another fingerprint."""
        marks = {RecordedChat({ASK: text}).fingerprint for text in ("a", "b")}
        assert len(marks) == 2
        assert RecordedChat({ASK: "a"}).fingerprint in marks


class TestDamage:
    def test_a_torn_last_line_is_left_out_with_a_warning(self, path):
        """A kill may tear it; recording goes on after the last whole line."""
        record(path, asks=draws(ASK, 2))
        path.write_bytes(path.read_bytes()[:-30])
        with pytest.warns(UserWarning, match="jsonl:2: the last line is torn"):
            replies = RecordedChat(path).answer(draws(ASK, 2))
        assert [isinstance(reply, Answer) for reply in replies] == [True, False]
        with pytest.warns(UserWarning, match="torn"):
            record(path, "again", draws(ASK, 2))
        replies = RecordedChat(path).answer(draws(ASK, 2))
        assert [reply.value.text for reply in replies] == ["Bar", "again"]

    def test_a_last_line_that_only_lacks_its_end_counts(self, path):
        """An editor may have taken it."""
        record(path)
        path.write_bytes(path.read_bytes().rstrip(b"\n"))
        record(path, "two", draws(ASK, 2))
        replies = RecordedChat(path).answer(draws(ASK, 2))
        assert [reply.value.text for reply in replies] == ["Bar", "two"]

    @pytest.mark.parametrize(
        "line", ["{", "[]", '{"key": "a"}', '{"key": "a", "reply": {"value": 3}}', "\xff"]
    )
    def test_any_other_line_is_refused_with_its_number(self, path, line):
        """Nothing is skipped silently."""
        path.parent.mkdir()
        path.write_text(f'{{"key": "a", "reply": "b"}}\n{line}\n', encoding="latin-1")
        with pytest.raises(ParseError, match=r"recording\.jsonl:2: expected a recorded reply"):
            RecordedChat(path)

    def test_no_file(self, path):
        """Says how to make one."""
        with pytest.raises(InputError, match="make one with `record_from=`"):
            RecordedChat(path)
