"""LiteLLM asks about a stream again and again; each time it is told how much of the end is not to be shown yet."""

import asyncio

import pytest
from hypothesis import given, settings
from tests.unit.adapting.test_sentence_stream import BySentence, chunked, chunkings, texts
from tests.unit.server.conftest import SECRET, Spotter, running
from tests.unit.server.test_sentences import CUT, SAID
from tests.unit.server.test_sentences import BySentence as Known

from guardrail import Guard, annotate, flag, remove
from guardrail.report import Case
from guardrail.server.litellm import decided, examined
from guardrail.testing.server import serve

POLICIES = {"remove": remove(), "annotate": annotate(), "flag": flag()}


def shown(answers):
    """What LiteLLM shows with `incremental_diff` after each answer; it holds nothing back after the last one.

    Its rule, of `_build_transform_chunk` in 1.108.7: a text that does not begin with what is out is an error.
    """
    out, found = "", []
    for place, (before, answer) in enumerate(answers):
        text = answer.get("texts", [before])[0]
        held = 0 if place == len(answers) - 1 else answer["stream_holdback_chars"][0]
        assert text.startswith(out), "stream_transform_underflow"
        out = text[: max(len(out), len(text) - held)]
        found.append(out)
    return found


def answers(guard, parts):
    """The answers to the calls of a stream."""

    async def run():
        found, text = [], ""
        for part in parts:
            text += part
            one = await examined(guard, text, Case(answer=""))
            found.append((text, decided([text], [one], on_rewrite="rewrite", closed=False)))
        return found

    return asyncio.run(run())


class TestHoldback:
    @pytest.mark.parametrize("policy", POLICIES)
    @given(text=texts, sizes=chunkings)
    @settings(max_examples=40, deadline=None)
    def test_what_is_out_never_changes(self, policy, text, sizes):
        """For every text and every cut; in the end it is what a single call gives."""
        guard = Guard([BySentence()], policy=POLICIES[policy])
        found = shown(answers(guard, list(chunked(text, sizes))))
        assert found[-1] == guard.check(text).answer

    def test_sentences_are_shown_as_they_are_settled(self):
        """What is cut is never out."""
        guard = Guard([Known()], policy=remove())
        found = shown(answers(guard, list(chunked(SAID, [7]))))
        assert len(set(found)) > 3
        assert found[-1] == CUT
        assert not any(SECRET in out for out in found)

    def test_a_guard_of_whole_answers_shows_all_at_the_end(self):
        """Nothing before."""
        found = shown(answers(Guard([Spotter()], policy=remove()), list(chunked(SAID, [7]))))
        assert set(found[:-1]) == {""}
        assert SECRET not in found[-1]

    def test_a_check_that_fails_shows_nothing_before_the_end(self):
        """The end has the policy's fail mode."""
        found = shown(answers(Guard([Spotter(raises=True)], policy=flag()), list(chunked(SAID, [7]))))
        assert set(found[:-1]) == {""}

    def test_over_http(self):
        """One number for each text; an answer that is not changed has them too."""
        with serve() as service, running(service.base_url, Guard([Known()], policy=remove())) as served:

            def said(*asked):
                body = {"input_type": "response", "texts": list(asked)}
                return served.client.post("/beta/litellm_basic_guardrail_api", json=body).json()

            assert said("Rivers flow. They end in") == {"action": "NONE", "stream_holdback_chars": [12]}
            found = said("Rivers flow. They end in seas", f"Rivers flow. {SECRET} is old. They end.")
        assert found["action"] == "GUARDRAIL_INTERVENED"
        assert found["stream_holdback_chars"] == [17, len(" They end.")]
