"""Event streams are read alike however they arrive, and what is written reads back."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.streams import read_all

from guardrail.adapting.codec import NotReadable, object_of
from guardrail.adapting.sse import Event, Reader, written

STREAM = "\ufeff: hello\nevent: a\ndata: Grüße 🎉\ndata\nid: 3\n\r\ndata:x\r\rdata: [DONE]\r\n\r\n".encode()
EVENTS = [Event("Grüße 🎉\n", "a"), Event("x"), Event("[DONE]")]


class TestReader:
    @pytest.mark.parametrize("size", range(1, 12))
    def test_pieces_of_any_size(self, size):
        """A piece may end within a character, or between CR and LF."""
        pieces = [STREAM[i : i + size] for i in range(0, len(STREAM), size)]
        assert read_all(pieces) == (EVENTS, False)

    @given(st.lists(st.integers(0, len(STREAM))))
    def test_pieces_of_mixed_sizes(self, cuts):
        """Empty ones among them."""
        ends = [0, *sorted(cuts), len(STREAM)]
        assert read_all([STREAM[a:b] for a, b in pairwise(ends)]) == (EVENTS, False)

    def test_what_breaks_off_is_no_event(self):
        """And the reader knows it."""
        reader = Reader()
        assert list(reader.feed(b"data: a\n\ndata: b\n")) == [Event("a")]
        assert reader.unfinished
        assert not list(reader.feed(b""))

    def test_an_event_without_data_is_none(self):
        """A name alone, and comments."""
        assert read_all([b"event: x\n\n: keep-alive\n\n"]) == ([], False)


class TestWritten:
    @given(
        st.lists(
            st.builds(
                Event,
                st.text(st.characters(exclude_characters="\r", exclude_categories=["Cs"])),
                st.sampled_from(["", "response.completed"]),
            )
        )
    )
    def test_reads_back(self, events):
        """Any text, several lines too."""
        assert read_all([written(events)]) == (events, False)


class TestObjectOf:
    @pytest.mark.parametrize("data", ["", "{", "[]", "[" * 100_000])
    def test_what_is_none_is_not_readable(self, data):
        """Deep ones, too."""
        with pytest.raises(NotReadable, match="expected events"):
            object_of(Event(data))
