"""Tokens that end within a character. Oracle: the answer itself, whose UTF-8 bytes the tokens share out."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail.chat.logprobs import spelt, token_logprobs
from guardrail.requests import TokenLogprob


def told(*pieces, text="\ufffd"):
    """Entries as a service tells them: bytes, and a text that is no good where they are a part."""
    return [
        {
            "token": text,
            "logprob": -0.5,
            "bytes": list(piece),
            "top_logprobs": [{"token": "x", "logprob": -2}],
        }
        for piece in pieces
    ]


class TestSpelt:
    @given(st.text(max_size=12), st.lists(st.integers(0, 48), max_size=8))
    def test_wherever_it_is_cut(self, text, cuts):
        """The tokens are the text; none loses or doubles a character."""
        whole = text.encode("utf-8")
        ends = sorted({0, len(whole), *(cut for cut in cuts if cut < len(whole))})
        pieces = [whole[a:b] for a, b in itertools.pairwise(ends)]
        found = spelt(told(*pieces))
        assert "".join(found) == text
        assert len(found) == len(pieces)

    @pytest.mark.parametrize(
        "tokens",
        [
            [{"token": "a"}],
            [{"token": "a", "bytes": None}],
            told(b"\xe6\xb0"),  # the rest is missing: a cut answer
            [{"bytes": [256]}],
            [{"bytes": 3}],
            [None],
        ],
    )
    def test_where_bytes_are_none(self, tokens):
        """Nothing is spelt, and nothing raised."""
        assert spelt(tokens) == []


class TestTokenLogprobs:
    def test_are_the_answer(self):
        """A character of two tokens stands in the first; numbers and alternatives stay."""
        found = token_logprobs(told("水".encode()[:2], "水".encode()[2:], b" ok"))
        assert [one.token for one in found] == ["水", "", " ok"]
        assert found[1] == TokenLogprob("", -0.5, (("x", -2.0),))

    def test_without_bytes(self):
        """As they are told."""
        assert token_logprobs([{"token": "hi", "logprob": -1}]) == (TokenLogprob("hi", -1.0),)

    @pytest.mark.parametrize("one", [{"token": "a"}, {"token": "a", "logprob": "b"}])
    def test_what_is_none_raises(self, one):
        """Who reads a service's reply says what that means."""
        with pytest.raises((KeyError, ValueError)):
            token_logprobs([one])
