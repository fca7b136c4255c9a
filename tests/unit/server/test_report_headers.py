"""Report headers that are known from another router, and signs of life in a stream that is held back."""

import openai
import pytest
from tests.unit.server.conftest import SECRET, Spotter

from guardrail import Verdict, annotate, block, flag, regenerate, remove
from guardrail.errors import ConfigError
from guardrail.server import Settings
from guardrail.server.report_headers import vsr

SAID = f"Rivers flow. See {SECRET} for more."
DETECTED, UNVERIFIED, SPANS = (
    "x-vsr-hallucination-detected",
    "x-vsr-unverified-factual-response",
    "x-vsr-hallucination-spans",
)


SLOW = {"service": {"pace": 0.4}, "keepalive_seconds": 0.05}


class TestVsr:
    def test_they_are_off_unless_asked_for(self, guarded):
        """Not everybody wants them."""
        assert not [name for name in guarded(lambda _: SAID).chat().headers if name.startswith("x-vsr-")]

    @pytest.mark.parametrize("policy", [flag(), annotate(), flag() | annotate()])
    def test_claims_are_quoted_where_they_are_shown(self, guarded, policy):
        """As they are in the body."""
        found = guarded(lambda _: SAID, policy=policy, vsr_headers=True).chat().headers
        assert (found[DETECTED], found[UNVERIFIED], found[SPANS]) == ("true", "false", SECRET)

    @pytest.mark.parametrize(
        "policy",
        [
            remove(),
            block(),
            regenerate(1),
            regenerate(1) | annotate(),
            annotate() | block(on=Verdict.UNVERIFIED),
        ],
    )
    def test_they_are_not_where_a_policy_may_take_them_away(self, guarded, policy):
        """Whatever it did this time."""
        found = guarded(lambda _: SAID, policy=policy, vsr_headers=True).chat().headers
        assert found[DETECTED] == "true"
        assert SPANS not in found

    def test_a_clean_answer_says_so(self, guarded):
        """And quotes nothing."""
        found = guarded(lambda _: "Rivers flow.", policy=flag(), vsr_headers=True).chat().headers
        assert (found[DETECTED], found[UNVERIFIED], SPANS in found) == ("false", "false", False)

    def test_what_was_not_checked_is_unverified(self, guarded):
        """A bug is no clean answer."""
        found = (
            guarded(lambda _: "a", policy=flag(), detector=Spotter(raises=True), vsr_headers=True)
            .chat()
            .headers
        )
        assert (found[DETECTED], found[UNVERIFIED]) == ("false", "true")

    def test_a_quotation_is_one_short_line(self):
        """No line break, no other script, no list in disguise, and no more than a kilobyte."""
        text = "a\r\nx-evil: 1; b%\u4e2d" + "c" * 3_000
        spans = [{"start": 0, "end": len(text), "verdict": "unsupported"}]
        summary = {"verdict": "unsupported", "counts": {"unsupported": 1}, "spans": spans}
        [value] = [value for name, value in vsr(summary, [text], flag()) if name == SPANS]
        assert value.startswith("a%0D%0Ax-evil: 1%3B b%25%E4%B8%ADccc")
        assert len(value) <= 1024

    def test_each_choice_has_its_own(self, guarded):
        """One after the other."""
        found = guarded(lambda _: SAID, policy=flag(), vsr_headers=True).chat(n=2).headers
        assert found[SPANS] == f"{SECRET}; {SECRET}"


class TestSignsOfLife:
    @pytest.mark.parametrize("kind", ["comment", "chunk", "off"])
    def test_openais_client_reads_the_same_whatever_is_sent(self, guarded, kind):
        """Plain and by its helper."""
        served = guarded(lambda _: "Rivers flow.", keepalive=kind, **SLOW)
        asked = {"model": "m", "messages": [{"role": "user", "content": "a"}]}
        with openai.OpenAI(base_url=f"{served.url}/v1", api_key="k", max_retries=0) as client:
            chunks = list(client.chat.completions.create(**asked, stream=True))
            with client.chat.completions.stream(**asked) as stream:
                whole = stream.get_final_completion()
        said = "".join(c.delta.content or "" for chunk in chunks for c in chunk.choices)
        assert (said, whole.choices[0].message.content) == ("Rivers flow.", "Rivers flow.")
        signs = [chunk for chunk in chunks if chunk.id == "chatcmpl-keepalive"]
        assert bool(signs) is (kind == "chunk")

    @pytest.mark.parametrize(("kind", "there"), [("comment", True), ("chunk", False), ("off", False)])
    def test_comments_can_be_left_out(self, guarded, kind, there):
        """Some clients reject them."""
        found = guarded(lambda _: "Rivers flow.", keepalive=kind, **SLOW).chat(stream=True)
        assert (": keep-alive" in found.text) is there

    @pytest.mark.parametrize("kind", ["comment", "chunk", "off"])
    def test_responses_begin_with_their_own_event(self, guarded, kind):
        """The library's helper takes no other event before it; so a comment is sent for a chunk."""
        served = guarded(lambda _: "Rivers flow.", keepalive=kind, **SLOW)
        with (
            openai.OpenAI(base_url=f"{served.url}/v1", api_key="k", max_retries=0) as client,
            client.responses.stream(model="m", input="a") as stream,
        ):
            assert stream.get_final_response().output_text == "Rivers flow."

    @pytest.mark.parametrize("kind", ["comment", "chunk", "off"])
    def test_anthropics_client_is_pinged(self, kind):
        """By the event that its service sends."""
        from guardrail.server.keepalive import sign

        said = sign(kind, "/v1/messages")
        assert said == (b"" if kind == "off" else b'event: ping\ndata: {"type": "ping"}\n\n')

    def test_a_wrong_word_is_refused(self):
        """With the right ones."""
        with pytest.raises(ConfigError, match="comment"):
            Settings("http://up.example/v1", keepalive="often")
