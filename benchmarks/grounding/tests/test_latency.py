"""What latency is measured on: answers of one size, none of them like another."""

import json

import pytest
from benchmarks.grounding.latency import SAMPLES, SENTENCES, WORDS, material

from guardrail.text.sentences import split_sentences


@pytest.fixture
def folder(tmp_path):
    """Enough sources for two answers: each of 700 words, with 20 sentences in its responses."""
    rows = []
    for source in range(8):
        said = " ".join(f"The mayor of town {source} opened bridge {i} in spring." for i in range(20))
        rows.append(
            {
                "source_id": source,
                "source": " ".join(f"w{source}x{i}" for i in range(700)),
                "responses": [{"response": said, "labels": []}],
            }
        )
    text = "\n".join(json.dumps(row) for row in rows)
    (tmp_path / "ragtruth_summary.jsonl").write_text(text, encoding="utf-8")
    return tmp_path


class TestMaterial:
    def test_has_the_size_that_it_says(self, folder):
        for document, answer, samples in material(folder, 2):
            assert len(document.split()) == WORDS
            assert len(samples) == SAMPLES
            assert {len(split_sentences(text)) for text in (answer, *samples)} == {SENTENCES}

    def test_repeats_nothing(self, folder):
        """Else what was scored before would be remembered."""
        (first, one, _), (second, other, _) = material(folder, 2)
        assert not {*first.split()} & {*second.split()}
        assert one != other
