"""The strings of the benchmark: those segmented by hand, and those that a program renders."""

import pytest
from benchmarks.references.invented._rendered import KINDS, rendered
from benchmarks.references.invented._segmented import read_strings

from guardrail.errors import InputError
from guardrail.references.bibliography.records import Record

ROW = (
    '{"text": "Doe, J. (1999). A title. Nature 12.", "segments": [["author", "Doe, J."], ["date", "(1999)."], '
    '["title", "A title."], ["journal", "Nature"], ["volume", "12."]]}\n'
)
RECORDS = [
    Record(
        title=f"{word} of a Thing",
        authors=("Jane Doe", "Wei Li"),
        year=1990 + number,
        venue="Venue of Things",
    )
    for number, word in enumerate(
        ["Shape", "Size", "Colour", "Weight", "Sound", "Taste", "Speed", "Depth", "Age", "Price"]
    )
]


class TestReadStrings:
    """`read_strings`."""

    def test_segments_are_stretches_of_the_text(self, tmp_path):
        """Each with its field."""
        (tmp_path / "core.jsonl").write_text(ROW)
        [example] = read_strings(tmp_path / "core.jsonl")
        assert [(s.field, example.text[s.start : s.end]) for s in example.stretches] == [
            ("author", "Doe, J."), ("date", "(1999)."), ("title", "A title."), ("journal", "Nature"), ("volume", "12."),
        ]  # fmt: skip

    @pytest.mark.parametrize("content", ["{", '{"text": "a b", "segments": [["title", "a"]]}'])
    def test_another_file_is_refused(self, tmp_path, content):
        """No JSON, or segments that are not the text."""
        (tmp_path / "core.jsonl").write_text(content)
        with pytest.raises(InputError):
            read_strings(tmp_path / "core.jsonl")


class TestRendered:
    """`rendered`."""

    def test_equal_arguments_give_equal_strings(self):
        """Of every kind."""
        assert rendered(RECORDS, 110) == rendered(RECORDS, 110)
        assert {kind: len(found) for kind, found in rendered(RECORDS, 110).items()} == {
            kind: 10 * share for kind, (_, share) in KINDS.items()
        }

    def test_every_character_belongs_to_a_field(self):
        """In order, without gaps."""
        for examples in rendered(RECORDS, 550).values():
            for example in examples:
                assert [s.start for s in example.stretches] == [0, *(s.end for s in example.stretches[:-1])]
                assert example.stretches[-1].end == len(example.text)
