"""The JSON codec and the lasting key."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest
from pydantic import TypeAdapter

from guardrail.engine import codec
from guardrail.engine.flow import Answer, Cost, Failed, Reason, Request
from guardrail.errors import InputError
from guardrail.requests import (
    Ask,
    Completion,
    Distribution,
    Embed,
    Entail,
    Entailment,
    Outcomes,
    Sample,
    TokenLogprob,
    Untrusted,
    system,
    user,
)

ASK = Ask((system("Be brief."), user("Who wrote ", Untrusted("Foo"), "?")), temperature=0.5, draw=2)


class TestKey:
    def test_equal_requests_have_equal_keys(self):
        """An integer and a float temperature are one request."""
        assert codec.key(Ask((user("a"),), temperature=1)) == codec.key(Ask((user("a"),), temperature=1.0))

    def test_stays_the_same_for_ever(self):
        """Stored with this file: a change here makes every recording unreadable."""
        assert codec.key(ASK) == KEY

    @pytest.mark.parametrize(
        "other",
        [
            Ask(ASK.messages, temperature=0.5, draw=3),
            Ask(ASK.messages, temperature=0.4, draw=2),
            Ask(ASK.messages, draw=2),
            Ask((user("Who wrote Foo?"),), temperature=0.5, draw=2),
            Ask((ASK.messages[0], user("Who wrote ", "Foo", "?")), temperature=0.5, draw=2),
            Ask(ASK.messages, temperature=0.5, draw=2, role="judge"),
        ],
    )
    def test_tells_requests_apart(self, other):
        """Every field counts, and so does whether text is trusted."""
        assert codec.key(other) != codec.key(ASK)

    def test_tells_kinds_and_fingerprints_apart(self):
        """The same words to another backend are another key."""
        assert codec.key(Embed("a")) != codec.key(Ask((user("a"),)))
        assert codec.key(ASK, "m1") != codec.key(ASK, "m2")

    def test_survives_a_new_optional_field(self):
        """Fields at their default are left out."""

        @dataclass(frozen=True, slots=True)
        class Probe(Request[str]):
            text: str

        before = codec.key(Probe("a"))

        @dataclass(frozen=True, slots=True)
        class Probe(Request[str]):
            text: str
            depth: int = 0

        assert codec.key(Probe("a")) == before
        assert codec.key(Probe("a", 1)) != before

    def test_draws_keep_their_keys(self):
        """Stored with this file: how long a draw may be and where it ends came later, and say nothing by default."""
        assert codec.key(Sample("c", 3)) == "4a959cec51506b56953024ee689ec2a531a886f3"
        others = [
            Sample("c", 4),
            Sample("c", 3, max_tokens=5),
            Sample("c", 3, stop=("\n",)),
            Sample("c", 3, temperature=0.5),
            Sample("c", 3, top_p=0.9),
        ]
        assert len({codec.key(one) for one in [Sample("c", 3), *others]}) == 6

    def test_takes_half_a_surrogate_pair(self):
        """Hostile text need not be valid Unicode."""
        assert codec.key(Embed("\ud800")) != codec.key(Embed("\ud801"))

    def test_refuses_what_has_no_stable_form(self):
        """An object without fields would be keyed by its address."""
        with pytest.raises(InputError, match="plain values"):
            codec.key(Embed(object()))


class TestRequests:
    @pytest.mark.parametrize(
        "request_",
        [
            ASK,
            Embed("ü"),
            Entail("p", "h"),
            Distribution("c", "q", ("a", "b")),
            Sample("c", 3, stop=("\n\n",), top_p=0.9),
            Ask((user("\ud800"),)),
        ],
    )
    def test_come_back_equal(self, request_):
        """What was written is what is read."""
        written = json.loads(codec.encode_request(request_))
        assert TypeAdapter(type(request_)).validate_python(written) == request_


class TestReplies:
    @pytest.mark.parametrize(
        ("request_", "value"),
        [
            (
                ASK,
                Completion("a", "m", "stop", (TokenLogprob("a", -0.1, (("b", -math.inf),)),)),
            ),
            (ASK, Completion("\ud800")),
            (Embed("a"), (0.1, 1 / 3)),
            (Entail("p", "h"), Entailment(0.7, 0.3)),
            (Distribution("c", "q"), Outcomes(("a", "b"), (0.5, 1e-300), (1, None))),
            (Sample("c", stop=("\n\n",)), " b\n\n"),
        ],
    )
    def test_come_back_equal(self, request_, value):
        """Floats to the last bit."""
        reply = Answer(value, Cost(1, 2, 3, 0.25))
        assert codec.decode_reply(request_, codec.encode_reply(request_, reply)) == reply

    def test_failures_come_back_equal(self):
        """Without the exception, which is for the living process."""
        reply = Failed(Reason.REFUSED, "no", retryable=True, retry_after=2.0, cost=Cost(1), error=OSError())
        assert codec.decode_reply(ASK, codec.encode_reply(ASK, reply).encode()) == reply

    def test_are_one_line_of_json(self):
        """A line feed in the text stays inside its string."""
        line = codec.encode_reply(ASK, Answer(Completion("a\nb\u2028c")))
        assert "\n" not in line
        assert json.loads(line) == {
            "value": {
                "text": "a\nb\u2028c",
                "model": "",
                "finish_reason": "",
                "logprobs": [],
                "citations": [],
            }
        }

    @pytest.mark.parametrize("data", ["{", "{}", '{"value":3}', '{"reason":"odd"}', "[]", "", b"\xff"])
    def test_refuse_anything_else(self, data):
        """A cache that was tampered with never becomes an answer."""
        with pytest.raises(InputError, match="expected a reply to a Ask"):
            codec.decode_reply(ASK, data)

    def test_refuse_a_value_without_json(self):
        """Named, before it is written."""

        @dataclass(frozen=True, slots=True)
        class Thing(Request[Any]):
            reply_type: ClassVar[Any] = Mapping[str, object]

        with pytest.raises(InputError, match="JSON form"):
            codec.encode_reply(Thing(), Answer(object()))


KEY = "bbdac7200a109cb5fb5bd1b280fa34eb83f6da2f"
